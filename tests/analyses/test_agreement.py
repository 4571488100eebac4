"""How well metrics agree with humans: the numbers of mt-metrics-eval, the rules, and what is refused.

``mt_metrics_eval_wmt23.json`` holds what Google's mt-metrics-eval itself computes on the published files of WMT23
English-German: ``scripts/ask_mt_metrics_eval.py`` asked it.
"""

import itertools
import json
import math
import warnings
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import mtworkbench as mtw
from mtworkbench import resampling
from mtworkbench.analyses import agreement
from mtworkbench.analyses.agreement import comparing
from mtworkbench.analyses.agreement.comparing import SegmentAgreement, agree_on_systems
from mtworkbench.errors import DataWarning, InputError

PUBLISHED = json.loads((Path(__file__).parent / "mt_metrics_eval_wmt23.json").read_text(encoding="utf-8"))
MEASURES = {"accuracy": "pairwise accuracy", "pearson": "Pearson's r", "kendall": "Kendall's tau-b"}
CELLS = [(scope, measure) for scope in ("system", "segment") for measure in MEASURES]


@pytest.fixture(scope="module")
def wmt23():
    """The shipped scores of the twelve systems that both humans and metrics scored."""
    folder = mtw.find_shipped("data/wmt23-en-de")
    outputs = mtw.read_table(folder / "scores.tsv.gz")
    outputs = outputs[~outputs["system"].isin(["refA", "synthetic_ref"])]
    columns = {"mqm": "mqm", "da-sqm": "da-sqm", "COMET-refA": "COMET", "BLEU-refA": "sentence BLEU"}
    columns["chrF-refA"] = "sentence chrF"
    made = mtw.compute_statistics(outputs, [mtw.MeanScore(column, name) for column, name in columns.items()])
    scores = dict(zip(columns.values(), made, strict=True))
    return scores | dict(zip(("BLEU", "chrF"), mtw.load_statistics(folder / "text_metrics.stats"), strict=True))


def scores_of(rows, name="judged", direction=True):
    """Make statistics from one list of segment scores per system."""
    frames = [
        pd.DataFrame({"system": system, "segment": np.arange(1, len(scores) + 1), name: scores})
        for system, scores in rows.items()
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = mtw.read_table(pd.concat(frames, ignore_index=True))
    return mtw.compute_statistics(outputs, mtw.MeanScore(name, higher_is_better=direction))


def drawn(n_systems, n_segments, seed, name="judged", steps=None):
    random = np.random.default_rng(seed)
    values = random.normal(size=(n_systems, n_segments)) + np.arange(n_systems)[:, None] / 4
    if steps:
        values = np.round(values * steps) / steps
    return scores_of({f"s{place}": row for place, row in enumerate(values)}, name)


def cell(frame, scope, measure):
    (row,) = frame[(frame["scope"] == scope) & (frame["measure"] == MEASURES[measure])].to_dict("records")
    return row


@pytest.mark.parametrize("human", ["mqm", "da-sqm"])
@pytest.mark.parametrize("metric", ["BLEU", "chrF", "COMET"])
def test_agreement_is_that_of_mt_metrics_eval(wmt23, human, metric):
    expected = PUBLISHED["agreement"][f"{human} {metric}"]
    frame = mtw.analyses.measure_agreement(wmt23[human], wmt23[metric], n_resamples=40, level=0.5, rng=1)
    # Its chrF counts the byte-order mark with which one system's file begins; ours leaves it out.
    exact = 1e-4 if metric == "chrF" else 1e-12
    for scope, measure in CELLS:
        row = cell(frame, scope, measure)
        assert row["agreement"] == pytest.approx(expected[scope][measure], abs=exact)
        assert row["low"] <= row["high"]
    assert cell(frame, "segment", "accuracy")["n_segments"] == {"mqm": 460, "da-sqm": 549}[human]


def test_published_scores_of_segments_agree_to_the_last_digit(wmt23):
    expected = PUBLISHED["agreement"]["mqm chrF"]["segment"]
    frame = mtw.analyses.measure_agreement(wmt23["mqm"], wmt23["sentence chrF"], n_resamples=40, level=0.5, rng=1)
    for measure in MEASURES:
        assert cell(frame, "segment", measure)["agreement"] == pytest.approx(expected[measure], abs=1e-12)


@pytest.mark.parametrize("metric", ["chrF", "COMET"])
def test_perm_both_is_that_of_mt_metrics_eval(wmt23, metric):
    """p agrees within the simulation errors of both sides; at system level ours is exact."""
    expected = PUBLISHED["tests"][f"mqm {metric} BLEU"]
    few = np.arange(PUBLISHED["few"])
    statistics = [wmt23[name].take(few) for name in ("mqm", f"sentence {metric}" if metric == "chrF" else metric)]
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    on_few = mtw.analyses.compare_agreement(*statistics, wmt23["BLEU"].take(few), n_trials=300, **options)
    on_all = mtw.analyses.compare_agreement(wmt23["mqm"], wmt23[metric], wmt23["BLEU"], n_trials=1, **options)
    for scope, measure in CELLS:
        theirs = expected["system" if scope == "system" else "few segments"][measure]
        ours = cell(on_all if scope == "system" else on_few, scope, measure)
        assert ours["difference"] == pytest.approx(theirs["delta"], abs=1e-6)
        assert (ours["exact"], ours["n_trials"]) == ((True, 4096) if scope == "system" else (False, 300))
        error = sum(0 if trials == 4096 else 1 / trials for trials in (theirs["n_trials"], ours["n_trials"]))
        p = max(theirs["p_value"], 1 / 300)
        n_trials, p_one_sided = ours["n_trials"], ours["p_one_sided"]
        if not ours["exact"]:  # theirs has no add-one
            p_one_sided = (p_one_sided * (n_trials + 1) - 1) / n_trials
        assert abs(p_one_sided - theirs["p_value"]) < 3.5 * math.sqrt(p * (1 - p) * error)


def by_hand(human, metric):
    """Measure agreement at segment level as one would write it down: pair by pair."""
    human, metric = np.asarray(human, dtype=float), np.asarray(metric, dtype=float)
    n_systems, n_segments = human.shape
    thresholds = {0.0} | {
        abs(metric[i, s] - metric[j, s])
        for s in range(n_segments)
        for i, j in itertools.combinations(range(n_systems), 2)
    }
    best = -1.0
    for threshold in sorted(thresholds):
        shares = []
        for s in range(n_segments):
            pairs = [
                (i, j) for i, j in itertools.combinations(range(n_systems), 2) if not np.isnan(human[[i, j], s]).any()
            ]
            if pairs:
                differences = [(human[i, s] - human[j, s], metric[i, s] - metric[j, s]) for i, j in pairs]
                right = [np.sign(h) == (0 if abs(m) <= threshold else np.sign(m)) for h, m in differences]
                shares.append(np.mean(right))
        best = max(best, np.mean(shares))
    known = ~np.isnan(human)
    taus = [
        stats.kendalltau(human[known[:, s], s], metric[known[:, s], s])[0]
        for s in range(n_segments)
        if known[:, s].sum() > 1
    ]
    return best, stats.pearsonr(human[known], metric[known])[0], np.nanmean(taus)


@pytest.mark.parametrize("seed", range(6))
def test_measures_are_those_written_down_pair_by_pair(seed):
    random = np.random.default_rng(seed)
    human = random.integers(0, 4, (5, 7)).astype(float)
    metric = np.round(human + random.normal(0, 1.5, (5, 7)), 1)
    human[0, 0] = human[:, 3] = np.nan
    ones = np.ones((1, 5)), np.ones((1, 7))
    found = SegmentAgreement(human, metric).measure(*ones)[:, 0]
    assert found == pytest.approx(by_hand(human, metric), abs=1e-12)


def test_a_resample_whose_scores_are_all_equal_has_no_correlation_whatever_rounding_leaves():
    """The third segment is not in the resample; of the others, all scores of one side are 0.1.

    The square of their deviations is 0, but 1e-17 in doubles.
    """
    constant, scores = np.array([[0.1, 0.1, 1.1]] * 3), np.array([[1.0, 2.0, 9.0], [3.0, 5.0, 7.0], [4.0, 6.0, 8.0]])
    for human, metric in ((constant, scores), (scores, constant)):
        found = SegmentAgreement(human, metric).correlation(np.ones((1, 3)), np.array([[1.0, 1.0, 0.0]]))
        assert np.isnan(found).tolist() == [True]


def test_of_thresholds_that_serve_alike_the_smallest_is_chosen_whatever_rounding_says():
    """Two systems, and segments in which the metric's scores differ by 1, 2 ... 11.

    Humans tie in segments 1 and 6 to 9, agree with the metric in 2 to 5, and contradict it in 10 and 11. Without ties
    4 of 11 are right; with thresholds of 1 and of 9 they are 5, but the sums of doubles differ by 1e-17.
    """
    human = np.array([[0, 1, 1, 1, 1, 0, 0, 0, 0, -1, -1], [0] * 11], dtype=float)
    metric = np.array([np.arange(1, 12), [0] * 11], dtype=float)
    accuracy, threshold = SegmentAgreement(human, metric).calibrated_accuracy(np.ones(2), np.ones(11))
    assert accuracy == pytest.approx(5 / 11, rel=1e-12)
    assert threshold == 1


def test_each_of_many_weightings_has_the_measures_that_it_has_alone():
    random = np.random.default_rng(5)
    human, metric = random.integers(0, 3, (4, 7)).astype(float), random.normal(size=(4, 7))
    human[1, 2] = np.nan
    systems, segments = random.integers(0, 3, (6, 4)).astype(float), random.integers(0, 3, (6, 7)).astype(float)
    systems[:, :2] += 1
    segments_agree, together = (
        SegmentAgreement(human, metric),
        SegmentAgreement(human, metric).measure(systems, segments),
    )
    alone = [segments_agree.measure(*(one[[row]] for one in (systems, segments)))[:, 0] for row in range(6)]
    assert together == pytest.approx(np.transpose(alone), abs=1e-12)
    scores = random.normal(size=(2, 6, 4)) * 10.0 ** np.array([-6, -3, 0, 3, 6, 9])[:, None]
    together = agree_on_systems(*scores, systems)
    alone = [agree_on_systems(*scores[:, [row]], systems[[row]])[:, 0] for row in range(6)]
    assert together == pytest.approx(np.transpose(alone), abs=1e-12, nan_ok=True)


def test_a_large_constant_in_all_scores_changes_no_correlation():
    random = np.random.default_rng(4)
    human, metric = random.normal(size=(2, 4, 6))
    weights = random.integers(1, 3, (5, 4)).astype(float), random.integers(0, 3, (5, 6)).astype(float)
    expected = SegmentAgreement(human, metric).correlation(*weights)
    for pair in ((human + 1e7, metric), (human, metric - 1e7)):
        assert SegmentAgreement(*pair).correlation(*weights) == pytest.approx(expected, abs=1e-6)


def test_weights_count_systems_and_segments_as_copies_do():
    """A resample is a weighting; copies of one system make no pair, but everything else counts as often as drawn."""
    random = np.random.default_rng(3)
    human, metric = random.integers(0, 4, (4, 6)).astype(float), random.normal(size=(4, 6))
    segments = np.array([[2, 0, 1, 3, 0, 1]])
    copies = np.repeat(np.arange(6), segments[0])
    weighted = SegmentAgreement(human, metric).measure(np.ones((1, 4)), segments.astype(float))
    copied = SegmentAgreement(human[:, copies], metric[:, copies]).measure(np.ones((1, 4)), np.ones((1, len(copies))))
    assert weighted == pytest.approx(copied, abs=1e-12)
    twice = np.array([[2.0, 1.0, 0.0, 1.0]])
    scores = human.mean(axis=1)[None], metric.mean(axis=1)[None]
    found = agree_on_systems(*scores, twice)[:, 0]
    order = [0, 0, 1, 3]
    assert found[1] == pytest.approx(stats.pearsonr(scores[0][0, order], scores[1][0, order])[0], abs=1e-12)
    assert found[2] == pytest.approx(stats.kendalltau(scores[0][0, order], scores[1][0, order])[0], abs=1e-12)
    signs = [np.sign(np.subtract(*scores[k][0, [i, j]])) for k in (0, 1) for i, j in ((0, 1), (0, 3), (1, 3))]
    right = np.equal(signs[:3], signs[3:])
    assert found[0] == pytest.approx((2 * right[0] + 2 * right[1] + right[2]) / 5, abs=1e-12)


def test_a_system_that_one_side_did_not_score_does_not_count_at_system_level():
    human, metric = np.array([1.0, 2.0, np.nan, 4.0, 3.0, 5.0]), np.array([1.0, 3.0, 2.0, 2.0, np.nan, 6.0])
    both = [0, 1, 3, 5]
    found = agree_on_systems(human[None], metric[None], np.ones((1, 6)))[:, 0]
    expected = [5 / 6, stats.pearsonr(human[both], metric[both])[0], stats.kendalltau(human[both], metric[both])[0]]
    assert found == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e6])
def test_systems_that_differ_by_rounding_alone_are_tied_on_any_scale(scale):
    """By less than 1e-9 of the largest score; by more, they are ordered."""
    scores = np.array([[1.0, 2.0, 3.0]])
    alike, apart = (scale * (1 + step * scores) for step in (1e-10, 1e-8))
    assert agree_on_systems(alike, scores, np.ones((1, 3)))[:, 0] == pytest.approx([0, np.nan, np.nan], nan_ok=True)
    assert agree_on_systems(apart, scores, np.ones((1, 3)))[:, 0] == pytest.approx([1, 1, 1])


def test_a_tiny_exchange_is_tried_completely():
    """Three systems: the eight exchanges of standardized scores of systems, written down."""
    human = scores_of({"x": [3.0, 2.0], "y": [1.0, 2.0], "z": [0.0, 1.0]}, "judged")
    a = scores_of({"x": [2.0, 2.0], "y": [1.5, 1.0], "z": [0.0, 0.5]}, "first")
    b = scores_of({"x": [0.2, 0.6], "y": [0.9, 0.5], "z": [0.4, 0.1]}, "second")
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, n_trials=5, rng=1)
    gold = np.array([2.5, 1.5, 0.5])
    first, second = stats.zscore([2.0, 1.25, 0.25]), stats.zscore([0.4, 0.7, 0.25])
    differences = []
    for coins in itertools.product([0, 1], repeat=3):
        one, other = np.where(coins, second, first), np.where(coins, first, second)
        differences.append(stats.pearsonr(gold, one)[0] - stats.pearsonr(gold, other)[0])
    row = cell(frame, "system", "pearson")
    assert row["difference"] == pytest.approx(differences[0])
    assert row["p_value"] == np.mean(np.abs(differences) >= abs(differences[0]) - 1e-12)
    assert row["p_one_sided"] == np.mean(np.array(differences) >= differences[0] - 1e-12)
    assert (row["exact"], row["n_trials"]) == (True, 8)
    on_segments = cell(frame, "segment", "pearson")
    assert (on_segments["exact"], on_segments["n_trials"]) == (True, 64)


def test_exchanges_of_segments_are_tried_completely():
    """Three systems, two segments: each of the 64 exchanges of standardized scores, measured pair by pair.

    Humans tie where metrics do not: with human and metric scores swapped, the ties of humans would be calibrated.
    """
    gold = np.array([[3.0, 2.0], [1.0, 2.0], [1.0, 0.0]])
    first, second = np.array([[2.0, 2.0], [1.5, 1.0], [0.0, 0.5]]), np.array([[0.2, 0.6], [0.9, 0.5], [0.4, 0.1]])
    human, a, b = (
        scores_of(dict(zip("xyz", rows, strict=True)), name)
        for name, rows in (("judged", gold), ("first", first), ("second", second))
    )
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, n_trials=5, rng=1)
    first, second = stats.zscore(first, axis=None), stats.zscore(second, axis=None)
    differences = []
    for coins in itertools.product([False, True], repeat=6):
        change = np.reshape(coins, (3, 2))
        one, other = np.where(change, second, first), np.where(change, first, second)
        differences.append(np.subtract(by_hand(gold, one), by_hand(gold, other)))
    for measure, found in zip(MEASURES, np.transpose(differences), strict=True):
        row = cell(frame, "segment", measure)
        assert row["difference"] == pytest.approx(found[0])
        assert row["p_value"] == np.mean(np.abs(found) >= abs(found[0]) - 1e-12)
        assert row["p_one_sided"] == np.mean(found >= found[0] - 1e-12)


def test_the_interval_of_a_difference_is_that_of_its_resamples():
    """Humans agree with themselves in every resample, so that only the other metric's agreement varies."""
    human, metric = drawn(5, 40, 1), drawn(5, 40, 2, "metric")
    itself = replace(human, metric=mtw.MeanScore("judged", "itself", higher_is_better=True))
    options = {"n_resamples": 60, "level": 0.5, "rng": 3}
    alone = mtw.analyses.measure_agreement(human, metric, **options)
    for a, b, sign in ((metric, itself, 1), (itself, metric, -1)):
        frame = mtw.analyses.compare_agreement(human, a, b, n_trials=1, **options)
        assert [set(frame[side]) for side in ("a", "b")] == [{a.metric.name}, {b.metric.name}]
        expected = np.sort(sign * (alone[["low", "high"]].to_numpy() - 1), axis=1)
        assert frame[["low", "high"]].to_numpy() == pytest.approx(expected, abs=1e-12)
        assert frame["difference"].to_numpy() == pytest.approx(sign * (alone["agreement"].to_numpy() - 1), abs=1e-12)
        assert (frame["low"] < frame["high"]).all()


def test_the_threshold_of_ties_is_told_beside_its_measure_alone():
    """Humans tie throughout segment 1, where the metric's scores are at most 0.5 apart, and never in segment 2."""
    human = scores_of({"x": [1.0, 5.0], "y": [1.0, 3.0], "z": [1.0, 1.0]})
    metric = scores_of({"x": [0.5, 9.0], "y": [0.25, 6.0], "z": [0.0, 3.0]}, "metric")
    frame = mtw.analyses.measure_agreement(human, metric, n_resamples=40, level=0.5, rng=1)
    row = cell(frame, "segment", "accuracy")
    assert (row["agreement"], row["threshold"]) == (1, 0.5)
    assert frame["threshold"].notna().sum() == 1
    never = scores_of({"x": [3.0, 5.0], "y": [2.0, 3.0], "z": [1.0, 1.0]})
    row = cell(mtw.analyses.measure_agreement(never, metric, n_resamples=40, level=0.5, rng=1), "segment", "accuracy")
    assert (row["agreement"], row["threshold"]) == (pytest.approx(1), 0)


def test_segments_and_systems_are_drawn_as_documented():
    """Segments with the key of sample 1, systems with that of sample 2 (docs/draws.md): as copies, by scipy."""
    human, metric = drawn(6, 30, 1), drawn(6, 30, 2, "metric")
    frame = mtw.analyses.measure_agreement(human, metric, n_resamples=60, level=0.5, rng=7)
    key = resampling.resolve_rng(7)
    segments, systems = (
        np.concatenate(list(resampling.bootstrap_weights(count, 60, rng=key.sample(number)))).astype(int)
        for number, count in ((1, 30), (2, 6))
    )
    gold, scores = (np.array([one[f"s{place}"].values[0, :, 0] for place in range(6)]) for one in (human, metric))
    found = []
    for of_segments, of_systems in zip(segments, systems, strict=True):
        copies = np.ix_(np.repeat(np.arange(6), of_systems), np.repeat(np.arange(30), of_segments))
        found.append(stats.pearsonr(gold[copies].ravel(), scores[copies].ravel())[0])
    row = cell(frame, "segment", "pearson")
    assert [row["low"], row["high"]] == pytest.approx(np.sort(found)[[15, 44]], abs=1e-12)


def test_resamples_do_not_depend_on_how_many_are_drawn_at_a_time(monkeypatch):
    human, metric = drawn(5, 20, 1), drawn(5, 20, 2, "metric")
    options = {"n_resamples": 60, "level": 0.5, "rng": 7}
    together = mtw.analyses.measure_agreement(human, metric, **options)
    monkeypatch.setattr(resampling, "CACHED_WEIGHTS", 7 * 20)
    pd.testing.assert_frame_equal(mtw.analyses.measure_agreement(human, metric, **options), together)


def test_exchanges_do_not_depend_on_how_many_are_made_at_a_time(monkeypatch):
    human, a, b = drawn(3, 2, 1), drawn(3, 2, 2, "a"), drawn(3, 2, 3, "b")
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    together = mtw.analyses.compare_agreement(human, a, b, **options)
    monkeypatch.setattr(comparing, "BATCH", 5)
    pd.testing.assert_frame_equal(mtw.analyses.compare_agreement(human, a, b, **options), together)


@pytest.mark.filterwarnings("ignore:The scores 'b' are about")
@pytest.mark.parametrize("constant", [[3.0, 3.0, 3.0], [1e6, 1e6 + 1e-5, 1e6]])
def test_scores_that_are_equal_but_for_rounding_are_standardized_to_0(constant):
    """The eight exchanges, written down, of them and of scores that are small, but not equal."""
    small = np.array([3e-6, 1e-6, 2e-6])
    human, a, b = (
        scores_of({system: [score] for system, score in zip("xyz", scores, strict=True)}, name)
        for name, scores in (("judged", [3, 2, 1]), ("a", small), ("b", constant))
    )
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, rng=1)
    pairs = ([0, 0, 1], [1, 2, 2])
    found = []
    for coins in itertools.product([False, True], repeat=3):
        one, other = (np.where(change, 0, stats.zscore(small)) for change in (coins, np.logical_not(coins)))
        shares = [np.mean(np.subtract(*(scores[part] for part in map(list, pairs))) > 0) for scores in (one, other)]
        found.append(shares[0] - shares[1])
    row = cell(frame, "system", "accuracy")
    assert row["difference"] == pytest.approx(found[0])
    assert row["p_value"] == np.mean(np.abs(found) >= abs(found[0]) - 1e-12)


def test_coins_of_systems_are_those_of_runs():
    """The coin of system s (of 4) in segment i is number 4 i + s, as that of run s would be."""
    human, a, b = drawn(4, 10, 1), drawn(4, 10, 2, "a"), drawn(4, 10, 3, "b")
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, n_trials=50, rng=7)
    gold, first, second = (np.array([one[f"s{place}"].values[0, :, 0] for place in range(4)]) for one in (human, a, b))
    first, second = stats.zscore(first, axis=None), stats.zscore(second, axis=None)
    found = []
    for masks in resampling.exchange_masks(10, 50, n_runs=4, rng=7):
        for mask in masks.astype(bool):
            one, other = np.where(mask.T, second, first), np.where(mask.T, first, second)
            found.append(np.subtract(*(stats.pearsonr(gold.ravel(), scores.ravel())[0] for scores in (one, other))))
    row = cell(frame, "segment", "pearson")
    assert row["p_one_sided"] == (np.sum(np.array(found) >= row["difference"] - 1e-12) + 1) / 51
    assert row["p_value"] == (np.sum(np.abs(found) >= abs(row["difference"]) - 1e-12) + 1) / 51


@pytest.mark.parametrize(("most", "exact"), [(6, True), (5, False)])
def test_up_to_so_many_coins_all_exchanges_are_tried(monkeypatch, most, exact):
    monkeypatch.setattr(comparing, "MAX_EXACT_COINS", most)
    human, a, b = drawn(3, 2, 1), drawn(3, 2, 2, "a"), drawn(3, 2, 3, "b")
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, n_trials=9, rng=1)
    row = cell(frame, "segment", "pearson")
    assert (row["exact"], row["n_trials"]) == ((True, 64) if exact else (False, 9))


def test_what_is_not_said_is_95_percent_and_a_thousand_draws():
    human, a, b = drawn(4, 6, 1), drawn(4, 6, 2, "a"), drawn(4, 6, 3, "b")
    frame, tests = mtw.analyses.measure_agreement(human, a), mtw.analyses.compare_agreement(human, a, b)
    assert set(frame["level"]) == set(tests["level"]) == {0.95}
    assert (cell(tests, "segment", "kendall")["n_trials"], cell(tests, "system", "kendall")["n_trials"]) == (1000, 16)


def test_few_resamples_are_refused_or_warned_of():
    human, a, b = drawn(4, 6, 1), drawn(4, 6, 2, "a"), drawn(4, 6, 3, "b")
    for measure, scores in ((mtw.analyses.measure_agreement, (a,)), (mtw.analyses.compare_agreement, (a, b))):
        with pytest.raises(InputError, match=r"^10 resamples are too few for the 95 % percentile interval, because "):
            measure(human, *scores, n_resamples=10)
        with pytest.warns(DataWarning, match=r"^40 resamples give only a rough 95 % percentile interval, ") as caught:
            measure(human, *scores, n_resamples=40, rng=1)
        assert caught[0].filename == __file__


def test_a_metric_against_its_copy_is_never_better():
    human, metric = drawn(5, 8, 1, steps=1), drawn(5, 8, 2, "metric")
    copy = replace(metric, metric=mtw.MeanScore("metric", "copy", higher_is_better=True))
    frame = mtw.analyses.compare_agreement(human, metric, copy, n_resamples=40, level=0.5, n_trials=20, rng=1)
    assert (frame["difference"] == 0).all() and (frame["p_value"] == 1).all() and (frame["p_one_sided"] == 1).all()


def test_lower_is_better_agrees_all_the_same():
    human = drawn(4, 9, 1, steps=1)
    up = drawn(4, 9, 2, "metric")
    values = {name: -one for name, one in up.values.items()}
    down = replace(
        up,
        metric=mtw.MeanScore("metric", higher_is_better=False),
        values={name: one * [1.0, -1.0] for name, one in values.items()},
    )
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    of_up, of_down = (mtw.analyses.measure_agreement(human, one, **options) for one in (up, down))
    pd.testing.assert_frame_equal(of_up, of_down)


def test_draws_do_not_depend_on_what_else_is_measured():
    human, metrics = drawn(4, 30, 1, steps=1), [drawn(4, 30, seed, f"m{seed}") for seed in (2, 3)]
    options = {"n_resamples": 60, "level": 0.5, "rng": 7}
    together = mtw.analyses.measure_agreement(human, metrics, **options)
    alone = mtw.analyses.measure_agreement(human, metrics[1], **options)
    pd.testing.assert_frame_equal(together[together["metric"] == "m3"].reset_index(drop=True), alone)
    again = mtw.analyses.measure_agreement(human, metrics[1], **options | {"rng": 8})
    assert (again["agreement"] == alone["agreement"]).all() and (again["low"] != alone["low"]).any()
    assert set(alone["rng"]) == {7}


def test_what_cannot_be_measured_is_refused_in_a_sentence():
    human, metric = drawn(3, 6, 1), drawn(3, 6, 2, "metric")
    with pytest.raises(InputError) as caught:
        mtw.analyses.measure_agreement(human, [])
    assert (caught.value.code, str(caught.value)) == (
        "no-statistics",
        "The arguments are of the types SegmentStatistics, but the SegmentStatistics of human scores and of at least "
        "one metric were expected: make them with compute_statistics.",
    )
    for wrong, kind in ((None, "NoneType"), (5, "int")):
        with pytest.raises(InputError, match=rf"^The arguments are of the types SegmentStatistics, {kind}, but the "):
            mtw.analyses.measure_agreement(human, wrong)
    with pytest.raises(InputError, match=r"^The scores 'judged' were given twice: give each of them once\.$"):
        mtw.analyses.measure_agreement(human, human)
    with pytest.raises(InputError, match=r"^The scores 'metric' were given twice: give each of them once\.$"):
        mtw.analyses.measure_agreement(human, [metric, metric])
    pair = scores_of({"s0": [1.0, 2.0], "s1": [2.0, 2.0]}, "metric")
    sentence = (
        "2 systems have both human scores (judged) and scores of every metric (metric), but at least 3 are needed to "
        "measure agreement: give scores of the same systems."
    )
    with pytest.warns(DataWarning) as noticed, pytest.raises(InputError) as caught:
        mtw.analyses.measure_agreement(human, pair)
    assert (caught.value.code, str(caught.value)) == ("too-few-systems", sentence)
    assert (caught.value.found, caught.value.expected) == ("2", "3")
    with pytest.warns(DataWarning, match=r"^'s1' and 's2' are left out") as several, pytest.raises(InputError) as one:
        mtw.analyses.measure_agreement(human, scores_of({"s0": [1.0, 2.0]}, "metric"))
    assert str(one.value).startswith("1 system has both human scores (judged) and scores of every metric (metric), ")
    assert (several[0].message.count, several[0].filename) == (2, __file__)
    assert str(noticed[0].message) == (
        "'s2' is left out, because only systems with human scores and scores of every metric are used."
    )
    assert noticed[0].message.code == "lacking-systems"
    with pytest.raises(InputError) as caught:  # and no warning that 40 resamples are few
        mtw.analyses.measure_agreement(
            human, replace(metric, metric=mtw.MeanScore("metric", higher_is_better=None)), n_resamples=40
        )
    assert (caught.value.code, str(caught.value)) == (
        "direction",
        "metric has no direction, so it cannot order systems: say which scores are better, as in MeanScore(column, "
        "higher_is_better=True).",
    )
    assert caught.value.found == "metric"
    with pytest.raises(InputError, match=r"^n_trials is 0, but an integer of at least 1 was expected\.$"):
        mtw.analyses.compare_agreement(
            human, metric, replace(metric, metric=mtw.MeanScore("x", higher_is_better=True)), n_trials=0
        )


def test_scores_of_other_segments_have_nothing_to_agree_on():
    human = scores_of({name: [1.0, 2.0, np.nan, np.nan] for name in "xyz"})
    metric = scores_of({name: [np.nan, np.nan, 2.0, 1.0] for name in "xyz"}, "metric")
    with pytest.raises(InputError) as caught:
        mtw.analyses.measure_agreement(human, metric)
    assert (caught.value.code, str(caught.value)) == (
        "no-common-segments",
        "No segment has both judged and metric scores for two systems, so segment-level agreement cannot be measured: "
        "give scores of the same segments.",
    )


def test_equal_scores_have_no_correlation():
    human = scores_of({name: [1.0, 1.0] for name in ("s0", "s1", "s2")})
    frame = mtw.analyses.measure_agreement(human, drawn(3, 2, 1, "metric"), n_resamples=40, level=0.5, rng=1)
    defined = frame["measure"] == "pairwise accuracy"
    assert frame[~defined][["agreement", "low", "high"]].isna().all(axis=None)
    assert frame[~defined]["n_resamples"].eq(0).all()
    assert list(frame[defined]["agreement"]) == pytest.approx([0, 1])  # at segment level, all is called tied
    assert "Pearson's r: metric (not defined)." in agreement.describe_agreement(frame)


def test_rounding_of_sums_orders_no_systems():
    """The means of .1, .2 and .3 differ in the last digit with the order of the terms; they are equal."""
    orders = list(itertools.permutations((0.1, 0.2, 0.3)))[:5]
    human = scores_of({f"s{place}": order for place, order in enumerate(orders)})
    metric = scores_of({f"s{place}": [place, place, place] for place in range(5)}, "metric")
    assert len({one[0, 0] for one in human.score().values()}) > 1
    frame = mtw.analyses.measure_agreement(human, metric, n_resamples=40, level=0.5, rng=1)
    assert cell(frame, "system", "accuracy")["agreement"] == 0
    for measure in ("pearson", "kendall"):
        row = cell(frame, "system", measure)
        assert np.isnan([row["agreement"], row["low"], row["high"]]).all()


def test_a_constant_metric_is_tied_everywhere():
    human, constant = drawn(5, 9, 1, steps=1), scores_of({f"s{place}": [0.1] * 9 for place in range(5)}, "constant")
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    frame = mtw.analyses.measure_agreement(human, constant, **options)
    for scope in ("system", "segment"):
        for measure in ("pearson", "kendall"):
            row = cell(frame, scope, measure)
            assert np.isnan([row["agreement"], row["low"], row["high"]]).all()
    human_ties = [
        human[f"s{i}"].values[0, :, 0] == human[f"s{j}"].values[0, :, 0] for i, j in itertools.combinations(range(5), 2)
    ]
    assert cell(frame, "segment", "accuracy")["agreement"] == pytest.approx(np.mean(human_ties))
    tests = mtw.analyses.compare_agreement(human, drawn(5, 9, 2, "metric"), constant, n_trials=20, **options)
    assert np.isnan(cell(tests, "system", "pearson")["p_value"])
    assert np.isnan(cell(tests, "segment", "kendall")["low"])


def test_a_system_without_any_score_does_not_take_part():
    human = drawn(5, 8, 1, steps=1)
    human = replace(human, values={**human.values, "s4": human.values["s4"] * 0})
    metric = drawn(5, 8, 2, "metric")
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    with pytest.warns(DataWarning) as noticed:
        frame = mtw.analyses.measure_agreement(human, metric, **options)
    assert [str(one.message) for one in noticed] == [
        "'s4' is left out, because only systems with human scores and scores of every metric are used."
    ]
    assert set(frame["n_systems"]) == {4}
    few = [replace(one, values={name: one.values[name] for name in ("s0", "s1", "s4")}) for one in (human, metric)]
    with pytest.warns(DataWarning, match="'s4' is left out"), pytest.raises(InputError) as caught:
        mtw.analyses.measure_agreement(*few, **options)
    assert caught.value.code == "too-few-systems"


def test_segments_count_where_two_systems_have_both_scores():
    human = scores_of({"x": [1, 2, 3, np.nan], "y": [2, 1, np.nan, 4], "z": [0, np.nan, np.nan, 1.0]})
    metric = scores_of({"x": [1, 2, 3, 4], "y": [2, np.nan, 1, 2], "z": [0, 1, 2, 3.0]}, "metric")
    other = scores_of({"x": [1, 2, 3, 4], "y": [2, 3, 1, 2], "z": [0, 1, 2, 3.0]}, "other")
    options = {"n_resamples": 40, "level": 0.5, "rng": 1}
    frame = mtw.analyses.measure_agreement(human, [metric, other], **options)
    assert dict(zip(frame["metric"], frame["n_segments"], strict=True)) == {"metric": 2, "other": 3}
    assert "Measured on 3 systems and 2 to 3 segments; the intervals resample systems and segments." in " ".join(
        agreement.describe_agreement(frame).split()
    )
    tests = mtw.analyses.compare_agreement(human, metric, other, **options)
    assert set(tests["n_segments"]) == {2}
    # Scores that do not count have no coins: x, y, z in segment 1, x in 2 and 3, y, z, in 4.
    on_segments = cell(tests, "segment", "pearson")
    assert (on_segments["exact"], on_segments["n_trials"]) == (True, 2**7)


def test_a_segment_counts_where_every_run_has_a_score():
    """Two runs of each system; in the second, segment 1 has no score."""
    human, metric = drawn(3, 6, 1), drawn(3, 6, 2, "metric")
    runs = {name: np.concatenate([one, one]) for name, one in metric.values.items()}
    for one in runs.values():
        one[1, 0] = 0
    twice = replace(metric, values=runs)
    frame = mtw.analyses.measure_agreement(human, twice, n_resamples=40, level=0.5, rng=1)
    assert set(frame["n_segments"]) == {5}
    shorter = [one.take(np.arange(1, 6)) for one in (human, metric)]
    expected = mtw.analyses.measure_agreement(*shorter, n_resamples=40, level=0.5, rng=1)
    for measure in MEASURES:
        values = [cell(one, "segment", measure)["agreement"] for one in (frame, expected)]
        assert values[0] == pytest.approx(values[1])


def test_exchanges_without_an_agreement_count_as_0():
    """As in mt-metrics-eval: two of the eight exchanges make one metric's scores equal, where tau is not defined."""
    human = scores_of({"x": [1.0], "y": [2.0], "z": [3.0]})
    a, b = (
        scores_of(dict(zip("xyz", rows, strict=True)), name)
        for name, rows in (("a", [[1.0], [0.0], [0.0]]), ("b", [[0.0], [1.0], [0.0]]))
    )
    frame = mtw.analyses.compare_agreement(human, a, b, n_resamples=40, level=0.5, rng=1)
    found = []
    for coins in itertools.product([False, True], repeat=3):
        one, other = np.where(coins, [0, 1, 0], [1, 0, 0]), np.where(coins, [1, 0, 0], [0, 1, 0])
        taus = [stats.kendalltau([1, 2, 3], scores)[0] if np.ptp(scores) else 0 for scores in (one, other)]
        found.append(taus[0] - taus[1])
    row = cell(frame, "system", "kendall")
    assert row["p_value"] == np.mean(np.abs(found) >= abs(found[0]) - 1e-12)
    assert row["p_one_sided"] == np.mean(np.array(found) >= found[0] - 1e-12)


def test_no_p_of_random_trials_is_zero():
    human, good = drawn(4, 30, 1), drawn(4, 30, 1, "good")
    frame = mtw.analyses.compare_agreement(
        human, good, drawn(4, 30, 2, "bad"), n_resamples=40, level=0.5, n_trials=9, rng=1
    )
    row = cell(frame, "segment", "pearson")
    assert (row["p_one_sided"], row["p_value"]) == (0.1, 0.1)
