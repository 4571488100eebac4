"""``systems=``: what is computed of some systems is what is computed of their statistics alone."""

import numpy as np
import pytest

from mtworkbench.analyses import compare_units
from mtworkbench.errors import InputError
from mtworkbench.inference import compare, compare_test_sets, optimizer_variance

WANTED = ["s2", "s[0]"]
pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")


@pytest.fixture
def four(make_bleu):
    return make_bleu(60, runs=(2, 2, 2, 2), documents=np.arange(60) // 6, gain=0.01)


def halve(statistics):
    return {"one": statistics.take(np.arange(30)), "two": statistics.take(np.arange(30, 60))}


def test_choosing_is_that_of_the_statistics(four):
    assert [*four.choose(WANTED)] == ["s2", "s0"]
    assert [*four.choose("s*")] == ["s0", "s1", "s2", "s3"]
    with pytest.raises(InputError, match=r"^There is no system 's22': did you mean 's2'\? The systems are 's0', "):
        four.choose(["s0", "s22"])


def test_a_name_is_no_pattern_where_a_system_has_it(make_bleu):
    two = make_bleu(40, runs=(1, 1))
    values = {"a[1]": two.values["s0"], "a1": two.values["s1"]}
    named = type(two)(two.metric, values, two.test_set)
    assert [*named.choose(["a[1]"])] == ["a[1]"]


@pytest.mark.parametrize(
    "function",
    [
        lambda statistics, **more: compare(statistics, n_trials=99, n_resamples=50, rng=1, **more).to_frame(),
        lambda statistics, **more: compare(
            halve(statistics), n_trials=99, n_resamples=50, rng=1, **more
        ).to_frame(),
        lambda statistics, **more: compare_test_sets(
            halve(statistics), n_trials=99, n_resamples=50, rng=1, **more
        ).to_frame(),
        lambda statistics, **more: optimizer_variance(
            statistics, statistics, n_resamples=50, rng=1, **more
        ).to_frame(),
        lambda statistics, **more: compare_units(statistics, n_trials=99, rng=1, **more),
    ],
    ids=["compare", "compare several sets", "compare_test_sets", "optimizer_variance", "compare_units"],
)  # fmt: skip
def test_systems_are_chosen_before_anything_is_computed(four, function):
    found = function(four, systems=WANTED)
    assert found.equals(function(four.choose(["s2", "s0"])))
    assert len(found) < len(function(four))
