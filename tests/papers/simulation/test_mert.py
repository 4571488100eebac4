"""Minimum error rate training: the line search is exact, compiled or not, and the optimizer does what it says."""

from itertools import combinations

import numpy as np
import pytest

from mtworkbench.metrics import Bleu, MeanScore, Ter
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.outputs.checks.frames import is_reference
from mtworkbench.outputs.nbest import NBEST_COLUMNS, read_nbest
from mtworkbench.papers.simulation.mert import (
    Mert,
    surface_of_lines,
    tune,
)
from mtworkbench.papers.simulation.nbest import NBestLists


def random_lists(rng, n_features=3, n_segments=4, n_hypotheses=5, *, integers=False):
    """Make small lists with BLEU's counts; integer features make lines meet in points and run in parallel."""
    shape = (n_features, n_segments, n_hypotheses)
    features = rng.integers(-2, 3, shape).astype(float) if integers else rng.normal(size=shape)
    length = rng.integers(4, 12, shape[1:])
    ngrams = np.stack([length - order for order in range(4)], axis=-1)
    matches = np.minimum.accumulate(rng.integers(0, ngrams + 1), axis=-1)
    reference = np.broadcast_to(rng.integers(4, 12, (n_segments, 1)), length.shape)
    statistics = np.concatenate([length[..., None], reference[..., None], matches, ngrams], axis=-1)
    texts = np.full(shape[1:], "", dtype=object)
    return NBestLists(features, statistics, Bleu(tokenize="none"), texts, texts[:, :1])


def tune_from_equal(lists, mert, rng):
    """Tune from weights that are all equal."""
    return tune(lists, mert, start=np.ones(lists.n_features), rng=rng)


def crossings(offsets, slopes):
    """Find every point at which two lines of any segment cross."""
    points = []
    for offset, slope in zip(offsets, slopes, strict=True):
        for one, other in combinations(range(len(offset)), 2):
            if slope[one] != slope[other]:
                points.append((offset[one] - offset[other]) / (slope[other] - slope[one]))
    return np.unique(points)


def score_at(lists, model_scores):
    chosen = np.argmax(model_scores, axis=1)
    return float(lists.metric.score(lists.statistics[np.arange(lists.n_segments), chosen].sum(axis=0)))


@pytest.mark.parametrize("integers", [False, True])
def test_line_search_equals_brute_force(integers):
    rng = np.random.default_rng(1)
    for _ in range(100):
        lists = random_lists(rng, integers=integers)
        weights, direction = rng.normal(size=(2, 3))
        if integers:
            weights, direction = rng.integers(-2, 3, (2, 3)).astype(float)
        surface = surface_of_lines(lists, lists.model_scores(weights), lists.model_scores(direction))
        # Brute force: choose anew in the middle of every interval between neighbouring crossings of any two lines.
        offsets, slopes = lists.model_scores(weights), lists.model_scores(direction)
        points = crossings(offsets, slopes)
        ends = [points[0] - 1, *points, points[-1] + 1] if len(points) else [-1.0, 1.0]
        tried = [(left + right) / 2 for left, right in zip(ends[:-1], ends[1:], strict=True) if right - left > 1e-9]
        scores = [score_at(lists, offsets + position * slopes) for position in tried]
        found = surface.scores[np.searchsorted(surface.edges, tried)]
        assert found == pytest.approx(scores, abs=1e-12)
        position, best = surface.best()
        assert best == pytest.approx(max(scores), abs=1e-12)
        assert score_at(lists, offsets + position * slopes) == pytest.approx(best, abs=1e-12)
        if not integers:  # else hypotheses tie, and rounding decides
            assert lists.score(weights + position * direction) == pytest.approx(best, abs=1e-12)


def test_a_line_along_which_nothing_changes():
    lists = random_lists(np.random.default_rng(3))
    surface = surface_of_lines(lists, lists.features[0], np.ones_like(lists.features[0]))
    assert len(surface.edges) == 0
    assert surface.best() == (0.0, lists.score(np.array([1.0, 0, 0])))


def test_tuning_climbs_and_is_a_local_optimum():
    lists = random_lists(np.random.default_rng(4), 4, 30, 10)
    start = np.array([1.0, 0, 0, 0])
    tuning = tune(lists, Mert(restarts=0, random_directions=0), start=start, rng=1)
    assert tuning.score == lists.score(tuning.weights) > lists.score(start)
    assert np.abs(tuning.weights).sum() == pytest.approx(1)
    for direction in np.eye(4):
        assert (
            surface_of_lines(lists, lists.model_scores(tuning.weights), lists.model_scores(direction)).best()[1]
            <= tuning.score + 1e-9
        )


def test_more_restarts_keep_the_optima_of_fewer():
    lists = random_lists(np.random.default_rng(5), 4, 30, 10)
    few, many = (tune_from_equal(lists, Mert(restarts, 2), rng=1) for restarts in (2, 8))
    assert np.array_equal(few.optima, many.optima[:3])
    assert many.score == many.optima.max() >= few.score
    assert [lists.score(weights) for weights in many.points] == many.optima.tolist()
    assert np.array_equal(many.weights, many.points[many.optima.argmax()])
    assert len(many.optima) == 9
    assert np.ptp(many.optima) > 0


def test_runs_differ_only_by_their_randomness():
    lists = random_lists(np.random.default_rng(6), 4, 30, 10)
    mert = Mert(0, 3)
    assert np.array_equal(tune_from_equal(lists, mert, rng=1).weights, tune_from_equal(lists, mert, rng=1).weights)
    assert not np.array_equal(tune_from_equal(lists, mert, rng=1).weights, tune_from_equal(lists, mert, rng=2).weights)
    # Without restarts and random directions nothing is random.
    assert np.array_equal(
        tune_from_equal(lists, Mert(0, 0), rng=1).weights, tune_from_equal(lists, Mert(0, 0), rng=2).weights
    )


def test_a_metric_that_is_better_when_lower_is_brought_down():
    lists = random_lists(np.random.default_rng(7), 3, 30, 10)
    edits = np.random.default_rng(8).integers(0, 9, (30, 10))
    lists = NBestLists(
        lists.features,
        np.stack([edits, np.full_like(edits, 10)], axis=-1),
        Ter(),
        lists.hypotheses,
        lists.references,
    )
    tuning = tune_from_equal(lists, Mert(3, 2), rng=1)
    assert tuning.score == tuning.optima.min() < lists.score(np.ones(3))
    for direction in np.eye(3):
        assert (
            surface_of_lines(lists, lists.model_scores(tuning.weights), lists.model_scores(direction)).best(-1)[1]
            >= tuning.score - 1e-9
        )


def lists_from_frame(frame, metric):
    """Make lists of a frame of `read_nbest`; those of several runs become one per segment, as MERT does it."""
    names = tuple(name for name in frame if name not in NBEST_COLUMNS and not is_reference(name))
    frame = frame.sort_values("segment", kind="stable", ignore_index=True)
    _, first, count = np.unique(frame["segment"].to_numpy(), return_index=True, return_counts=True)
    place = np.arange(count.max())
    rows = np.where(place < count[:, None], first[:, None] + place, first[:, None])
    return NBestLists(
        features=np.stack([frame[name].to_numpy(dtype=np.float64)[rows] for name in names]),
        statistics=metric.segment_statistics(frame)[rows],
        metric=metric,
        hypotheses=frame["hypothesis"].to_numpy(dtype=object)[rows],
        references=frame[reference_columns(frame)].to_numpy(dtype=object)[first],
    )


def test_lists_of_unequal_length_and_of_several_runs(tmp_path):
    (tmp_path / "ref").write_text("a b c d e\nf g h i\n")
    (tmp_path / "one").write_text(
        "0 ||| a b c d ||| x= 1 y= 0\n0 ||| a b c d e ||| x= 0 y= 1\n1 ||| f h ||| x= 1 y= 0\n"
    )
    (tmp_path / "two").write_text("0 ||| a ||| x= 2 y= -1\n1 ||| f g h ||| x= 0 y= 2\n")
    frame = read_nbest([tmp_path / "one", tmp_path / "two"], tmp_path / "ref")
    lists = lists_from_frame(frame, Bleu(tokenize="none"))
    assert lists.hypotheses.tolist() == [["a b c d", "a b c d e", "a"], ["f h", "f g h", "f h"]]
    assert lists.choose(np.array([0.0, 1.0])).tolist() == [1, 1]
    tuning = tune_from_equal(lists, Mert(5, 2), rng=1)
    outputs = lists.outputs(tuning.weights, "new")
    assert outputs["hypothesis"].tolist() == ["a b c d e", "f g h"]
    assert set(outputs["run"]) == {1}


def test_a_metric_of_means_can_be_tuned():
    rng = np.random.default_rng(11)
    lists = random_lists(rng, 3, 20, 6)
    statistics = np.stack([rng.normal(size=(20, 6)), np.ones((20, 6))], axis=-1)
    lists = NBestLists(
        lists.features,
        statistics,
        MeanScore(higher_is_better=True),
        lists.hypotheses,
        lists.references,
    )
    tuning = tune_from_equal(lists, Mert(3, 2), rng=1)
    assert tuning.score == pytest.approx(lists.score(tuning.weights), abs=1e-12)
    assert tuning.score > lists.score(np.ones(3))


def test_real_lists_of_moses_are_tuned(shared):
    folder = shared / "realdata" / "nbest-moses" / "europarl100"
    with pytest.warns(match="left out, as accepted"):
        frame = read_nbest(
            folder / "nbest.out", folder / "reference.txt", accept=("incomplete-system", "lower-case", "short-lines")
        )
    lists = lists_from_frame(frame, Bleu(tokenize="none"))
    assert lists.features.shape == (15, 100, 100)
    first = lists.metric.score(lists.statistics[:, 0].sum(axis=0))
    tunings = [tune_from_equal(lists, Mert(2, 2), rng=seed) for seed in (1, 2)]
    assert all(tuning.score > first + 2 for tuning in tunings)
    assert np.ptp(tunings[0].optima) > 0.05
    assert tunings[0].score != tunings[1].score
