"""How many resamples an interval needs: what is drawn without being asked, what is refused, what is warned of."""

import re
import warnings

import numpy as np
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import approximate_randomization, bootstrap_interval, compare, paired_bootstrap
from mtworkbench.inference.intervals import n_dropped
from mtworkbench.outputs.text import make_outputs
from mtworkbench.results.settings import check_resamples, choose_n_resamples, count_needed_resamples
from mtworkbench.statistics.segment_statistics import compute_statistics

LEVELS = (0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 0.999, 0.9999, 0.99999)


@pytest.mark.parametrize(
    ("level", "expected"), [(0.5, 1000), (0.95, 1000), (0.98, 1000), (0.99, 2000), (0.999, 20_000), (0.9999, 200_000)]
)
def test_an_unset_number_follows_the_level(level, expected):
    assert choose_n_resamples(None, level) == expected


def test_a_number_that_is_asked_for_is_kept():
    assert choose_n_resamples(7, 0.999) == 7
    chosen = choose_n_resamples(np.int64(1), 0.95)
    assert chosen == 1
    assert type(chosen) is int


@pytest.mark.parametrize("number", [0, -3, 2.5, True, "1000"])
def test_what_is_no_number_of_resamples_is_refused(number):
    sentence = f"n_resamples is {number!r}, but an integer of at least 1 was expected."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as refused:
        choose_n_resamples(number, 0.95)
    assert refused.value.code == "draws"


@pytest.mark.parametrize("n_resamples", [None, 1000])
@pytest.mark.parametrize("level", [0, 1, 1.5, "0.95"])
def test_what_is_no_level_is_refused_before_it_is_used(n_resamples, level):
    with pytest.raises(InputError) as refused:
        choose_n_resamples(n_resamples, level)
    assert refused.value.code == "level"


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("beyond", [1, 10])
def test_the_number_needed_is_the_least_that_drops_so_many(level, beyond):
    """By the order statistics that are used: so many resamples are really dropped, and with one fewer not."""
    needed = count_needed_resamples(level, beyond)
    assert n_dropped(needed, (1 - level) / 2) == beyond
    assert n_dropped(needed - 1, (1 - level) / 2) == beyond - 1


@pytest.mark.parametrize("level", LEVELS)
def test_an_unset_number_is_enough_for_every_interval(level):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for method in ("percentile", "basic", "bca"):
            check_resamples(choose_n_resamples(None, level), level, method)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_an_interval_from_the_smallest_to_the_largest_is_refused(method):
    for n_resamples, level in ((39, 0.95), (1, 0.95), (199, 0.99), (1000, 0.999)):
        with pytest.raises(InputError) as refused:
            check_resamples(n_resamples, level, method)
        assert refused.value.code == "few-resamples"
    with pytest.warns(DataWarning):
        check_resamples(40, 0.95, method)


@pytest.mark.parametrize("method", ["percentile", "basic", "bca"])
def test_a_rough_interval_is_warned_of(method):
    for n_resamples, level in ((40, 0.95), (399, 0.95), (1999, 0.99), (199, 0.9)):
        with pytest.warns(DataWarning) as caught:
            check_resamples(n_resamples, level, method)
        assert [warning.message.code for warning in caught] == ["few-resamples"]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_resamples(400, 0.95, method)
        check_resamples(200, 0.9, method)


def test_the_sentences_say_how_many_the_level_needs():
    sentence = (
        "10 resamples are too few for the 95 % percentile interval, because less than one lies beyond each end: use at "
        "least 40, preferably 400 (n_resamples, --resamples)."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        check_resamples(10, 0.95, "percentile")
    with pytest.raises(InputError, match=r"^1 resample is too few for the 99\.9 % basic interval, because"):
        check_resamples(1, 0.999, "basic")
    sentence = (
        "{} resamples give only a rough {} % BCa interval, because only {} of them {} beyond each end: use at least {} "
        "(n_resamples, --resamples)."
    )
    for n_resamples, level, numbers in (
        (200, 0.95, ("200", 95, 5, "lie", 400)),
        (2000, 0.999, ("2,000", 99.9, 1, "lies", "20,000")),  # 2,000 put one beyond each end, 1,999 none
    ):
        with pytest.warns(DataWarning, match=f"^{re.escape(sentence.format(*numbers))}$"):
            check_resamples(n_resamples, level, "bca")


def test_the_jackknife_draws_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_resamples(1, 0.95, "jackknife")
        check_resamples(1, 0.95, "auto")


@pytest.mark.parametrize(("n_segments", "is_said"), [(99, True), (100, False)])
def test_bca_of_few_units_is_warned_of(make_bleu, n_segments, is_said):
    statistics = make_bleu(n_segments)
    sentence = (
        "With 99 segments, BCa intervals are too narrow: they cover the truth less often than their level says. Below "
        "100 units, use interval='jackknife' (--interval jackknife), or 'auto'."
    )
    for work in (
        lambda: bootstrap_interval(statistics["s0"], method="bca", rng=1),
        lambda: paired_bootstrap(statistics["s0"], statistics["s1"], method="bca", rng=1),
        lambda: compare(statistics, interval="bca", n_trials=220, rng=1),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            work()
        assert [str(warning.message) for warning in caught] == [sentence] * is_said
        assert all(warning.filename == __file__ for warning in caught)


def test_more_draws_than_a_machine_has_time_for_are_refused_before_the_first():
    statistics = compute_statistics(
        make_outputs(["a b c d", "e f g h"], {"x": ["a b c d", "e"], "y": ["a", "b"]}), "bleu"
    )
    x, y = statistics["x"], statistics["y"]
    for name, draw in (
        ("n_trials", lambda: approximate_randomization(x, y, n_trials=10**12)),
        ("n_trials", lambda: compare(statistics, n_trials=10**12)),
        ("n_resamples", lambda: compare(statistics, n_resamples=10**12)),
        ("n_resamples", lambda: paired_bootstrap(x, y, n_resamples=10**12)),
        ("n_resamples", lambda: bootstrap_interval(x, n_resamples=10**12)),
    ):
        sentence = (
            f"{name} is 1,000,000,000,000, but at most 10,000,000 was expected, because more would take too much "
        )
        with pytest.raises(InputError, match=f"^{sentence}") as refused:
            draw()
        assert refused.value.code == "draws"
    with pytest.raises(
        InputError, match=r"^level is 0\.99999999, which needs .* resamples, but at most 10,000,000"
    ) as refused:
        bootstrap_interval(x, level=0.99999999)
    assert refused.value.code == "level"


@pytest.mark.parametrize("test", [approximate_randomization, paired_bootstrap, lambda a, _: bootstrap_interval(a)])
def test_names_and_whole_statistics_in_place_of_a_system_are_refused(test):
    statistics = compute_statistics(make_outputs(["a b", "c d"], {"x": ["a b", "c"], "y": ["a", "b"]}), "bleu")
    for given, what in (("x", "An object of type str was"), (statistics, "Statistics of several systems were")):
        with pytest.raises(InputError, match=f"^{what} given where statistics of one system were expected") as refused:
            test(given, given)
        assert refused.value.code == "not-a-system"
    assert str(refused.value).endswith("as in statistics['x'].")
