"""The paired bootstrap with several runs against one written out here: score each run on a resample, then average."""

from fractions import Fraction

import numpy as np
import pytest

from mtworkbench.inference import compare, paired_bootstrap
from mtworkbench.metrics import Bleu, Length, MeanScore, Ter
from mtworkbench.resampling import bootstrap_weights
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
N_RESAMPLES = 400
OPTIONS = {"n_resamples": N_RESAMPLES, "rng": 11}
RUNS = [(3, 3), (3, 2), (1, 4)]


def drawn_segments(units):
    """Weights of the segments in each resample, a row of counts each."""
    return np.concatenate(list(bootstrap_weights(units, N_RESAMPLES, rng=OPTIONS["rng"])))


def resampled_score(system, weights):
    """Score each run on one resample, and average."""
    scores = []
    for run in system.values:
        totals = sum(weight * segment for weight, segment in zip(weights, run, strict=True))
        scores.append(float(system.metric.score(totals)))
    return sum(scores) / len(scores)


def assert_ends(found, differences):
    """Of 400 resamples at 95 %, the 10 lowest and the 10 highest are dropped."""
    ordered = sorted(differences)
    assert (found.low, found.high) == pytest.approx((ordered[10], ordered[389]), abs=1e-9)


@pytest.mark.parametrize("runs", RUNS, ids=str)
@pytest.mark.parametrize("metric", [Bleu(), Ter()], ids=lambda metric: metric.name)
def test_wins_and_percentile_ends_are_those_of_averaged_runs(make_bleu, make_edits, metric, runs):
    statistics = (make_bleu if metric == Bleu() else make_edits)(40, runs=runs)
    a, b = statistics["s1"], statistics["s0"]
    found = paired_bootstrap(a, b, method="percentile", **OPTIONS)
    differences = [resampled_score(a, row) - resampled_score(b, row) for row in drawn_segments(40)]
    sign = 1 if metric.higher_is_better else -1
    wins, losses = (sum(side * sign * difference > 1e-9 for difference in differences) for side in (1, -1))
    assert min(wins, losses) > 20
    assert (found.wins, found.losses, found.ties) == (wins, losses, N_RESAMPLES - wins - losses)
    assert found.confidence == wins / N_RESAMPLES
    assert found.differences == pytest.approx(np.array(differences), abs=1e-9)
    assert_ends(found, differences)


@pytest.fixture
def make_edits():
    """Statistics of TER: edits, and words of the references."""

    def make(n_segments, runs):
        draws = np.random.default_rng(4)
        lengths = draws.integers(5, 40, n_segments)
        values = {}
        for number, n_runs in enumerate(runs):
            edits = draws.binomial(lengths, 0.4 - 0.01 * number, (n_runs, n_segments))
            values[f"s{number}"] = np.stack([edits, np.broadcast_to(lengths, edits.shape)], axis=-1)
        return SegmentStatistics(Ter(), values, TestSet(np.arange(1, n_segments + 1), None, "references", 1))

    return make


def whole_number_systems(runs, seed=8):
    """Whole-number scores of two systems that differ on few of 30 segments, so that many resamples tie."""
    draws = np.random.default_rng(seed)
    common = draws.integers(0, 3, 30)
    return [common + (draws.random((n_runs, 30)) < 0.06) for n_runs in runs]


@pytest.mark.parametrize("runs", RUNS, ids=str)
@pytest.mark.parametrize("higher_is_better", [True, False, None])
def test_wins_losses_and_ties_are_those_of_exact_fractions(make_mean, runs, higher_is_better):
    scores = whole_number_systems(runs)
    statistics = make_mean(metric=MeanScore(higher_is_better=higher_is_better), a=scores[0], b=scores[1])
    found = paired_bootstrap(statistics["a"], statistics["b"], method="percentile", **OPTIONS)
    differences = []
    for weights in drawn_segments(30).astype(int):
        totals = [[int(weights @ run) for run in system] for system in scores]
        means = [Fraction(sum(system), 30 * len(system)) for system in totals]
        differences.append(means[0] - means[1])
    larger, smaller = (sum(sign * difference > 0 for difference in differences) for sign in (1, -1))
    ties = N_RESAMPLES - larger - smaller
    assert min(larger, smaller, ties) > 10
    expected = {True: (larger, smaller), False: (smaller, larger), None: (None, None)}[higher_is_better]
    assert (found.wins, found.losses, found.ties) == (*expected, ties)
    assert found.confidence == (None if higher_is_better is None else expected[0] / N_RESAMPLES)
    assert_ends(found, [float(difference) for difference in differences])


@pytest.mark.parametrize("runs", RUNS, ids=str)
def test_documents_are_drawn_whole_for_all_runs(make_bleu, runs):
    documents = [number % 13 for number in range(60)]
    statistics = make_bleu(60, runs=runs, documents=documents)
    a, b = statistics["s1"], statistics["s0"]
    found = paired_bootstrap(a, b, method="percentile", unit="document", **OPTIONS)
    differences = [resampled_score(a, row) - resampled_score(b, row) for row in drawn_segments(documents)]
    wins = sum(difference > 0 for difference in differences)
    assert 0 < wins < N_RESAMPLES
    assert (found.wins, found.losses) == (wins, N_RESAMPLES - wins)
    assert_ends(found, differences)


def test_a_table_of_several_systems_has_the_same_numbers(make_bleu):
    statistics = make_bleu(40, runs=(3, 1, 2))
    table = compare(statistics, "s0", interval="percentile", n_trials=20, **OPTIONS)
    for pair in table.metrics["BLEU"].comparisons:
        a, b = statistics[pair.a], statistics[pair.b]
        differences = [resampled_score(a, row) - resampled_score(b, row) for row in drawn_segments(40)]
        wins = sum(difference > 0 for difference in differences)
        assert 0 < wins < N_RESAMPLES
        assert (pair.wins, pair.losses, pair.ties) == (wins, N_RESAMPLES - wins, 0)
        assert pair.resampled == pytest.approx(np.array(differences), abs=1e-9)
        assert_ends(pair, differences)


@pytest.mark.parametrize("higher_is_better", [True, False])
@pytest.mark.parametrize("sign", [1, -1])
def test_scores_within_a_billionth_of_each_other_are_ties_whichever_is_larger(make_mean, higher_is_better, sign):
    """Half a billionth apart, on either side: 400 ties, no wins; three billionths apart are no ties."""
    scores = np.random.default_rng(1).uniform(20, 40, 50)
    near, far = scores * (1 + sign * 5e-10), scores * (1 + sign * 3e-9)
    statistics = make_mean(metric=MeanScore(higher_is_better=higher_is_better), near=near, far=far, other=scores)
    found = paired_bootstrap(statistics["near"], statistics["other"], **OPTIONS)
    assert (found.wins, found.losses, found.ties, found.confidence) == (0, 0, N_RESAMPLES, 0)
    apart = paired_bootstrap(statistics["far"], statistics["other"], **OPTIONS)
    is_better = (sign > 0) == higher_is_better
    assert (apart.wins, apart.losses, apart.ties) == ((N_RESAMPLES, 0, 0) if is_better else (0, N_RESAMPLES, 0))


def test_a_metric_without_direction_has_ties_alone(make_bleu):
    statistics = make_bleu(40, runs=(2, 3))
    lengths = {name: statistics[name].values[:, :, :2] for name in statistics}
    of_lengths = SegmentStatistics(Length(), lengths, statistics.test_set)
    found = paired_bootstrap(of_lengths["s1"], of_lengths["s0"], **OPTIONS)
    assert (found.wins, found.losses, found.confidence) == (None, None, None)
