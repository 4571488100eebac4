"""What more runs would bring: the projection is that of the components, and what is said follows from it."""

import re

import numpy as np
import pytest

from mtworkbench.errors import InputError
from mtworkbench.inference import crossed_analysis, project_errors
from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.tables import advise_spending


def analyse(make_mean, unit_sd, run_sd, rest_sd=1.0, runs=(6, 6), seed=3):
    draws = np.random.default_rng(seed)
    scores = {
        name: draws.normal(0, unit_sd, 200)
        + draws.normal(0, run_sd, (n_runs, 1))
        + draws.normal(0, rest_sd, (n_runs, 200))
        for name, n_runs in zip(("new", "base"), runs, strict=True)
    }
    statistics = make_mean(**scores)
    return crossed_analysis(statistics["new"], statistics["base"])


def test_the_surface_is_that_of_the_components(make_mean):
    analysis = analyse(make_mean, 2, 0.2)
    frame = project_errors(analysis, [200, 800], [1, 6, 24])
    assert list(frame.columns) == ["n_units", "n_runs", "standard_error", "df", "half_width"]
    assert frame[["n_units", "n_runs"]].to_numpy().tolist() == [[n, r] for n in (200, 800) for r in (1, 6, 24)]
    for row in frame.itertuples():
        longer, more = row.n_units / 200, row.n_runs / 6
        variance = analysis.unit_variance / longer + analysis.run_variance / more
        variance += analysis.residual_variance / (longer * more)
        assert row.standard_error == pytest.approx(variance**0.5)
    here = frame[(frame.n_units == 200) & (frame.n_runs == 6)].iloc[0]
    assert here.standard_error == pytest.approx(analysis.standard_error)
    assert here.df == pytest.approx(analysis.method_df)
    assert here.half_width == pytest.approx(analysis.method_high - analysis.difference)
    assert frame[frame.n_runs == 1][["df", "half_width"]].isna().all(axis=None)


def test_by_default_the_surface_holds_what_is_at_hand(make_mean):
    frame = project_errors(analyse(make_mean, 1, 0.1))
    assert sorted(set(frame.n_units)) == [100, 200, 400, 800, 1600]
    assert sorted(set(frame.n_runs)) == [1, 2, 3, 5, 10, 20, 50]
    assert len(frame) == 35
    for _, rows in frame.groupby("n_units"):
        assert rows["standard_error"].is_monotonic_decreasing


@pytest.mark.parametrize(
    ("deviations", "seed", "spending", "advice"),
    [
        ((0.1, 2), 3, "runs", "more runs help more than more segments."),
        ((3, 0.0), 3, "units", "more segments help more than more runs."),
        ((0.0, 0.0), 12, "either", "more segments and more runs help alike."),
    ],
)
def test_what_to_do_next_is_what_weighs_most(make_mean, deviations, seed, spending, advice):
    analysis = analyse(make_mean, *deviations, seed=seed)
    assert where_to_spend(analysis.variance) == spending
    said = advise_spending(analysis)
    assert said.startswith("new - base: the standard error of the difference is ")
    assert "with 6 runs of each system on 200 segments (" in said
    assert said.endswith(f": {advice} With only 6 runs this is a rough estimate.")


def test_from_ten_runs_on_the_estimate_is_not_called_rough(make_mean):
    many = advise_spending(analyse(make_mean, 1, 1, runs=(10, 12)))
    assert "with 10 and 12 runs on 200 segments" in many
    assert many.endswith(": more runs help more than more segments.")


def test_the_decision_is_that_of_the_smaller_projected_error(make_mean):
    """Whatever varies, twice of what is named makes the error the smallest; of "either" both do within 2 %."""
    decided = set()
    for number, deviations in enumerate([(2, 0.0), (1, 0.05), (0.5, 0.1), (0.5, 0.02), (0.2, 0.0), (0.2, 0.3)]):
        analysis = analyse(make_mean, *deviations, seed=number)
        errors = project_errors(analysis, [200, 400], [6, 12]).set_index(["n_units", "n_runs"])["standard_error"]
        longer, more = errors[400, 6], errors[200, 12]
        spending = where_to_spend(analysis.variance)
        decided.add(spending)
        if spending == "either":
            assert abs(longer - more) < 0.02 * errors[200, 6]
        else:
            assert (longer < more) == (spending == "units")
    assert {"units", "runs"} <= decided


def test_the_sentence_is_made_from_the_numbers(make_mean):
    analysis = analyse(make_mean, 2, 0.2)
    share = 100 * analysis.unit_variance / analysis.standard_error**2
    more = project_errors(analysis, [200], [12]).standard_error[0]
    said = advise_spending(analysis)
    assert f"({share:.0f} % of its variance comes from segments," in said
    assert f"twice as many runs {more:.2g}:" in said


def test_nothing_that_varies_needs_no_more(make_mean):
    scores = np.tile(np.arange(20.0), (3, 1))
    statistics = make_mean(a=scores + 1, b=scores)
    analysis = crossed_analysis(statistics["a"], statistics["b"])
    assert where_to_spend(analysis.variance) == "neither"
    assert advise_spending(analysis) == ("a - b: neither segments nor runs vary, so more of them would change nothing.")
    assert project_errors(analysis)["standard_error"].eq(0).all()


def test_one_run_asks_for_more_and_cannot_be_projected(make_bleu):
    statistics = make_bleu(30, runs=(1, 3, 1))
    analysis = crossed_analysis(statistics["s0"], statistics["s1"])
    assert advise_spending(analysis) == (
        "s0 - s1: make at least two runs of s0, because one run does not show how much runs vary."
    )
    both = advise_spending(crossed_analysis(statistics["s2"], statistics["s0"]))
    assert both.startswith("s2 - s0: make at least two runs of s2 and s0, because one run")
    sentence = (
        "'s0' has 1 run and 's1' has 3 runs on 30 segments, but the error of their difference can be projected only "
        "from at least two runs of each system on at least two segments."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        project_errors(analysis)


def test_one_segment_asks_for_more(make_bleu):
    statistics = make_bleu(30, runs=(3, 3)).take([0])
    assert advise_spending(crossed_analysis(statistics["s0"], statistics["s1"])) == (
        "s0 - s1: use more than one segment, because one does not show how much segments vary."
    )


def test_numbers_are_checked(make_mean):
    analysis = analyse(make_mean, 1, 1)
    with pytest.raises(InputError, match="^n_units has 1, but integers of at least 2 were expected.$"):
        project_errors(analysis, [1], [3])
    with pytest.raises(InputError, match="^n_runs has 2.5, but integers of at least 1 were expected.$"):
        project_errors(analysis, [10], [2.5])
