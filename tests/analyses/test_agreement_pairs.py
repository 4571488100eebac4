"""What a metric and humans say of the same pairs of systems, in frames, sentences and figures."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mtworkbench as mtw
from mtworkbench.analyses import agreement
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.plots import agreement as plots

OUTCOMES = agreement.OUTCOMES


def scores_of(name, means, direction=True, n_segments=60):
    """Make scores of three systems with given means, of segments that are alike by chance."""
    noise = np.random.default_rng(5).normal(size=(len(means), n_segments))
    noise -= noise.mean(axis=1, keepdims=True)
    rows = [
        pd.DataFrame({"system": system, "segment": np.arange(1, n_segments + 1), name: mean + row})
        for (system, mean), row in zip(means.items(), noise, strict=True)
    ]
    outputs = mtw.read_table(pd.concat(rows, ignore_index=True))
    return mtw.compute_statistics(outputs, mtw.MeanScore(name, higher_is_better=direction))


@pytest.fixture(scope="module")
def compared():
    """Humans: x far above y, y hardly above z. One metric agrees, one turns everything around."""
    human = scores_of("judged", {"x": 3.0, "y": 1.05, "z": 1.0})
    same = scores_of("same", {"x": 3.0, "y": 1.05, "z": 0.0})
    turned = scores_of("turned", {"x": -3.0, "y": -1.0, "z": -1.04})
    return mtw.compare([human, same, turned], n_trials=3000, rng=1)


def test_pairs_are_laid_beside_each_other(compared):
    frame = agreement.tabulate_pairs(compared, "judged")
    assert list(zip(frame["metric"], frame["a"], frame["b"], frame["outcome"], frame["same_order"], strict=True)) == [
        ("same", "x", "y", OUTCOMES[0], True),
        ("same", "x", "z", OUTCOMES[0], True),
        ("same", "y", "z", OUTCOMES[3], True),
        ("turned", "x", "y", OUTCOMES[1], False),
        ("turned", "x", "z", OUTCOMES[1], False),
        ("turned", "y", "z", OUTCOMES[4], True),
    ]
    assert (frame["human_difference"] > 0).all()
    assert frame["difference"].to_numpy() == pytest.approx([1.95, 3, 1.05, -2, -1.96, 0.04])
    assert ((frame["low"] < frame["difference"]) & (frame["difference"] < frame["high"])).all()


def test_the_better_system_is_a_whatever_the_order_of_the_systems(compared):
    """`compare` subtracts the earlier system from the later one: here the better from the worse, and the other way."""
    human = scores_of("judged", {"z": 1.0, "y": 1.05, "x": 3.0})
    same = scores_of("same", {"z": 0.0, "y": 1.05, "x": 3.0})
    frame = agreement.tabulate_pairs(mtw.compare([human, same], n_trials=3000, rng=1), "judged")
    named = list(zip(frame["a"], frame["b"], strict=True))
    assert sorted(named) == [("x", "y"), ("x", "z"), ("y", "z")]
    differences = dict(zip(named, frame["human_difference"], strict=True))
    assert differences == pytest.approx({("x", "y"): 1.95, ("x", "z"): 2, ("y", "z"): 0.05})
    assert frame["same_order"].all()


def test_a_tie_is_ordered_alike_by_a_tie_only():
    """Sums of whole numbers tie exactly: humans find only x better, the metric tells w and y from the others."""
    numbers = np.arange(40.0)

    def exact(name, higher):
        rows = [
            pd.DataFrame({"system": system, "segment": np.arange(1, 41), name: np.roll(numbers, place) + 10 * more})
            for place, (system, more) in enumerate(higher.items())
        ]
        return mtw.compute_statistics(
            mtw.read_table(pd.concat(rows, ignore_index=True)), mtw.MeanScore(name, name, True)
        )

    human = exact("judged", {"u": 0, "v": 0, "w": 0, "x": 1, "y": 0})
    metric = exact("near", {"u": 1, "v": 1, "w": 0, "x": 1, "y": 2})
    frame = agreement.tabulate_pairs(mtw.compare([human, metric], n_trials=1000, rng=1), "judged")
    found = {
        (row.a + row.b): (np.sign(row.human_difference), np.sign(row.difference), row.same_order)
        for row in frame.itertuples()
    }
    assert found == {
        "vu": (0, 0, True),
        "wu": (0, -1, False),
        "wv": (0, -1, False),
        "yu": (0, 1, False),
        "yv": (0, 1, False),
        "yw": (0, 1, False),
        "xu": (1, 0, False),
        "xv": (1, 0, False),
        "xw": (1, 1, True),
        "xy": (1, -1, False),
    }


def test_pairs_that_only_humans_tell_apart_are_named_so(compared):
    """The scores of the metric and of humans change places."""
    frame = agreement.tabulate_pairs(compared, "same")
    judged = frame[frame["metric"] == "judged"]
    assert list(zip(judged["a"], judged["b"], judged["outcome"], strict=True))[-1] == ("y", "z", OUTCOMES[2])
    assert "only humans in 1 pair, only judged in 0 pairs" in " ".join(agreement.describe_pairs(judged).split())


def test_metrics_are_told_in_the_order_of_the_frame(compared):
    frame = agreement.tabulate_pairs(compared, "judged")
    turned = frame[::-1]  # not in the order of the alphabet
    lines = agreement.describe_pairs(turned).splitlines()
    assert [line.split()[0] for line in lines if line[0] != " "] == ["turned", "same"]
    assert agreement.title_pairs(turned) == "Same order as humans: 1 of 3 pairs by turned, 3 of 3 by same"


def test_pairs_in_words(compared):
    frame = agreement.tabulate_pairs(compared, "judged")
    assert agreement.describe_pairs(frame) == (
        "same orders 3 of 3 pairs as humans do. Both show a difference in 2 pairs, only humans in 0 pairs,\n"
        "  only same in 1 pair, and neither in 0 pairs. Where both show a difference, the order is the same.\n"
        "turned orders 1 of 3 pairs as humans do. Both show a difference in 2 pairs, only humans in 0 pairs,\n"
        "  only turned in 0 pairs, and neither in 1 pair. Both show a difference, but in opposite directions:\n"
        "  x and y; x and z."
    )
    assert agreement.title_pairs(frame) == "Same order as humans: 3 of 3 pairs by same, 1 of 3 by turned"


@pytest.mark.parametrize("human", ["apart", "alike"])
def test_what_is_undecided_is_not_called_not_shown(human):
    """With 50 trials, the pairs of one score that are far apart are undecided; the other score shows no difference."""
    apart, alike = (
        scores_of("apart", {"x": 9.0, "y": 4.0, "z": 1.0}),
        scores_of("alike", {"x": 1.02, "y": 1.01, "z": 1}),
    )
    with pytest.warns(DataWarning, match="trials"):
        comparison = mtw.compare([apart, alike], n_trials=50, rng=1)
    frame = agreement.tabulate_pairs(comparison, human)
    metric = {"apart": "alike", "alike": "apart"}[human]
    assert {human: set(frame["human_verdict"]), metric: set(frame["verdict"])} == {
        "apart": {"undecided"},
        "alike": {"not significant"},
    }
    assert set(frame["outcome"]) == {"undecided"}
    assert " ".join(agreement.describe_pairs(frame).split()) == (
        f"{metric} orders 3 of 3 pairs as humans do. Both show a difference in 0 pairs, only humans in 0 pairs, only "
        f"{metric} in 0 pairs, and neither in 0 pairs. 3 pairs are undecided."
    )


def test_lower_is_better_on_either_side(compared):
    """Errors in place of judgements and of scores: the pairs, their signs and outcomes are the same."""
    human = scores_of("judged", {"x": -3.0, "y": -1.05, "z": -1.0}, direction=False)
    same = scores_of("same", {"x": -3.0, "y": -1.05, "z": 0.0}, direction=False)
    found = agreement.tabulate_pairs(mtw.compare([human, same], n_trials=3000, rng=1), "judged")
    frame = agreement.tabulate_pairs(compared, "judged")[:3]
    names = ["a", "b", "outcome", "same_order"]
    pd.testing.assert_frame_equal(found[names], frame[names])
    numbers = ["human_difference", "difference"]
    assert found[numbers].to_numpy() == pytest.approx(frame[numbers].to_numpy())
    assert ((found["human_low"] < found["human_difference"]) & (found["low"] < found["high"])).all()


def test_what_has_no_pairs_is_refused(compared):
    with pytest.raises(InputError) as caught:
        agreement.tabulate_pairs(compared, "mqm")
    assert (caught.value.code, str(caught.value)) == (
        "unknown-metric",
        "The comparison has no scores 'mqm', only 'judged', 'same', 'turned': give the name of the human scores.",
    )
    assert caught.value.found == "mqm"
    human = scores_of("judged", {"x": 1.0, "y": 2.0})
    with pytest.raises(InputError) as caught:
        agreement.tabulate_pairs(mtw.compare(human, n_trials=1000, rng=1), "judged")
    assert (caught.value.code, str(caught.value)) == (
        "no-pairs",
        "The comparison has no pair of systems with scores of 'judged' and of a metric: compare human scores and at "
        "least one metric on the same systems.",
    )
    neither = replace(human, metric=mtw.MeanScore("length", higher_is_better=None))
    with pytest.raises(InputError, match=r"^length has no direction, so it cannot order systems: say which"):
        agreement.tabulate_pairs(mtw.compare([human, neither], n_trials=1000, rng=1), "judged")


def test_the_figure_of_pairs_has_a_mark_per_pair(compared, own_figures):
    frame = agreement.tabulate_pairs(compared, "judged")
    figure = plots.draw_pairs(frame)
    for ax, (metric, part) in zip(figure.axes, frame.groupby("metric", sort=False), strict=True):
        assert ax.get_title(loc="left") == metric
        assert (ax.get_xlabel(), ax.get_ylabel()) == ("difference in judged", f"difference in {metric}")
        lines = [line for line in ax.get_lines() if line.get_marker() != "None"]
        drawn = sorted(tuple(point) for line in lines for point in line.get_xydata())
        assert drawn == sorted(zip(part["human_difference"], part["difference"], strict=True))
        counts = part["outcome"].value_counts()
        assert {line.get_label() for line in lines} == {f"{outcome}: {number}" for outcome, number in counts.items()}
        assert [text.get_text() for text in ax.get_legend().get_texts()] == [line.get_label() for line in lines]
    assert figure.get_suptitle() == agreement.title_pairs(frame)


@pytest.fixture(scope="module")
def measured():
    human = scores_of("judged", {"x": 3.0, "y": 1.05, "z": 1.0})
    metrics = [scores_of("far", {"x": 1.0, "y": 1.1, "z": 0.0}), scores_of("near", {"x": 3.0, "y": 1.1, "z": 1.0})]
    return mtw.analyses.measure_agreement(human, metrics, n_resamples=40, level=0.5, rng=1), human, metrics


def test_the_figure_of_agreement_has_a_mark_per_metric(measured, own_figures):
    frame, *_ = measured
    figure = plots.draw_agreement(frame)
    groups = frame.groupby(["scope", "measure"], sort=False)
    for ax, ((scope, measure), part) in zip(figure.axes, groups, strict=True):
        calibrated = "\n(ties calibrated)" if (scope, measure) == ("segment", "pairwise accuracy") else ""
        assert ax.get_title(loc="left") == f"{scope.capitalize()} level:\n{measure}{calibrated}"
        (marks,) = ax.get_lines()
        assert list(marks.get_xdata()) == list(part["agreement"])
        (intervals,) = ax.collections
        assert [tuple(path[:, 0]) for path in intervals.get_segments()] == list(
            zip(part["low"], part["high"], strict=True)
        )
    assert [text.get_text() for text in figure.axes[0].get_yticklabels()] == ["far", "near"]
    assert figure.get_suptitle() == agreement.title_agreement(frame)
    assert figure.get_supxlabel() == "agreement with judged, 50 % CI (not adjusted)"
    without = plots.draw_agreement(frame, unranked=["near"])
    assert without.get_suptitle() == "far has the highest value in 6 of 6 measures"


def test_agreement_in_words(measured):
    frame, human, metrics = measured
    said = " ".join(agreement.describe_agreement(frame).split())
    row = frame[frame["metric"] == "far"].iloc[0]
    assert said.startswith(
        f"System level, pairwise accuracy: near 1.000 (50 % CI cannot be estimated) and far 0.667 ({row['low']:.3f} to "
    )
    assert said.endswith(
        "Measured on 3 systems and 60 segments; the intervals resample systems and segments. A CI cannot be estimated "
        "where all resamples give the same value. With fewer than 8 systems, these intervals are rough."
    )
    assert "Segment level, pairwise accuracy (ties calibrated): " in said
    title = agreement.title_agreement(frame)
    assert re.fullmatch(r"near has the highest value in \d of 6 measures(, [a-z ]+ in \d)*", title)
    shared = frame.assign(agreement=1.0)
    assert agreement.title_agreement(shared) == "far and near have the highest value in 6 of 6 measures"
    alone = frame[frame["metric"] == "near"]
    assert agreement.title_agreement(alone) == "How well near agrees with humans, by 6 measures"
    assert agreement.title_agreement(frame.assign(agreement=np.nan)) == "No measure of agreement is defined"
    tests = mtw.analyses.compare_agreement(human, *metrics, n_resamples=40, level=0.5, n_trials=20, rng=1)
    assert agreement.describe_tests(tests).endswith("\nThe p-values are not adjusted for the number of measures.")
    undefined = tests[:1].assign(p_value=np.nan)
    assert agreement.describe_tests(undefined) == "System level, pairwise accuracy: not defined."


@pytest.mark.parametrize(
    ("low", "high", "p", "verdict"),
    [
        (-0.5, -0.1, 0.03, "near agrees better with humans."),
        (-0.5, 0.1, 0.2, "No difference in agreement is shown."),
        (-0.5, -0.1, 0.06, "No difference in agreement is shown."),
        (
            -0.5,
            0.1,
            0.03,
            "PERM-BOTH rejects equality, but the 95 % CI, which resamples systems and documents, includes 0, so no "
            "difference in agreement is claimed.",
        ),
        (
            -0.5,
            0,
            0.03,
            "PERM-BOTH rejects equality, but the 95 % CI, which resamples systems and documents, includes 0, so no "
            "difference in agreement is claimed.",
        ),
        (
            -0.3,
            -0.3,
            0.03,
            "PERM-BOTH rejects equality, but the 95 % CI cannot be estimated. A CI cannot be estimated where all "
            "resamples give the same value.",
        ),
    ],
)
def test_better_is_what_both_p_and_the_interval_show(low, high, p, verdict):
    row = {
        "a": "far",
        "b": "near",
        "scope": "segment",
        "measure": "Pearson's r",
        "difference": -0.3,
        "unit": "document",
    }
    row |= {"low": low, "high": high, "p_value": p, "level": 0.95, "exact": False, "n_trials": 200}
    said = " ".join(agreement.describe_tests(pd.DataFrame([row])).split())
    ci = "cannot be estimated" if low == high else f"{low:.3f} to {high:.3f}"
    assert said == f"Segment level, Pearson's r: far - near = -0.300 (95 % CI {ci}, p = {p:.2f}). {verdict}"


def test_an_exact_p_is_said_with_its_digits():
    row = {"a": "far", "b": "near", "scope": "segment", "measure": "Pearson's r", "difference": 0.3, "unit": "document"}
    row |= {"low": 0.1, "high": 0.5, "p_value": 0.031_25, "level": 0.95, "n_trials": 64}
    said = [agreement.describe_tests(pd.DataFrame([row | {"exact": exact}])) for exact in (True, False)]
    assert "p = 0.0312)" in said[0] and "p = 0.03)" in said[1]


def test_equal_values_stay_in_the_order_of_the_metrics(measured):
    frame, *_ = measured
    names = [f"m{number}" for number in range(40)]
    rows = pd.concat([frame[:1].assign(metric=name, agreement=place % 2) for place, name in enumerate(names)])
    said = " ".join(agreement.describe_agreement(rows).split())
    assert re.findall(r"m\d+", said) == names[1::2] + names[::2]


@pytest.mark.parametrize(("n_systems", "rough"), [(7, True), (8, False)])
def test_intervals_of_few_systems_are_called_rough(measured, n_systems, rough):
    frame, *_ = measured
    assert ("are rough" in agreement.describe_agreement(frame.assign(n_systems=n_systems))) == rough


def test_of_metrics_with_as_many_measures_the_first_is_named_first(measured):
    frame, *_ = measured
    halves = frame.assign(agreement=((frame["metric"] == "far") == (frame["scope"] == "system")).astype(float))
    assert agreement.title_agreement(halves) == "far has the highest value in 3 of 6 measures, near in 3"


def test_judgements_of_some_segments_are_joined_before_they_are_measured():
    human = scores_of("judged", {"a": 1, "b": 2, "c": 3}, n_segments=40)
    metric = scores_of("near", {"a": 1, "b": 2, "c": 3})
    different = "^the statistics of judged and the statistics of near cover different segments "
    with pytest.raises(InputError, match=different) as caught:
        mtw.analyses.measure_agreement(human, metric, rng=1)
    assert str(caught.value).endswith(
        "; where some segments have no score, join the frames first, as in add_scores(scores, human_scores)."
    )
