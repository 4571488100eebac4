"""Many samples at once give the numbers of each by itself."""

import re
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench import resampling
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import bootstrap_interval, paired_bootstrap, resample_samples
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Length
from mtworkbench.resampling import broad_samples, resolve_rng


@pytest.mark.filterwarnings("ignore:Only:mtworkbench.errors.DataWarning")  # of few blocks
@pytest.mark.parametrize("unit", ["segment", "document", "block of 4"])
def test_each_sample_is_what_it_is_by_itself(make_bleu, unit):
    statistics = make_bleu(240, runs=(2, 1, 1), documents=np.arange(240) // 3)
    samples = broad_samples(240, 7)  # of 35 and of 34 segments
    found = resample_samples([statistics[name] for name in statistics], samples, n_resamples=400, unit=unit, rng=9)
    assert found.scores.shape == (3, 7)
    assert found.resampled.shape == (3, 7, 400)
    low, high = found.intervals("s0")
    wins, losses, ties = found.wins("s1", "s2")
    for number, sample in enumerate(samples, start=1):
        options = {"n_resamples": 400, "method": "percentile", "unit": unit, "rng": resolve_rng(9).sample(number)}
        alone = bootstrap_interval(statistics["s0"].take(sample), **options)
        at = number - 1
        assert (found.scores[0, at], low[at], high[at]) == (alone.score, alone.low, alone.high)
        np.testing.assert_array_equal(found.resampled[0, at], alone.resampled)
        pair = paired_bootstrap(statistics["s1"].take(sample), statistics["s2"].take(sample), **options)
        assert (wins[at], losses[at], ties[at]) == (pair.wins, pair.losses, pair.ties)


@pytest.mark.parametrize("unit", ["segment", "document"])
def test_the_number_of_segments_is_the_only_further_column(make_bleu, unit):
    """With outputs of one and two words, eight columns differ, and the count of segments stands after them."""
    documents = np.floor(np.sqrt(np.arange(240)))  # of 1, 3, 5 ... segments, so that resamples differ in size
    system = make_bleu(240, runs=(1,), documents=documents)["s0"]
    values = system.values.copy()
    values[0, :35] = [1, 2, 1, 0, 0, 0, 1, 0, 0, 0]
    values[0, 35:70] = [2, 2, 1, 1, 0, 0, 2, 1, 0, 0]
    system = replace(system, values=values)
    assert ScoreTable.of([system]).distinct.kept.tolist() == [0, 1, 2, 3, 4, 5, 8, 9]
    samples = broad_samples(240, 7)
    found = resample_samples([system], samples, n_resamples=400, unit=unit, rng=9)
    for number, sample in enumerate(samples, start=1):
        table = ScoreTable.of([system.take(sample)], unit)
        [alone] = resample(table, 400, resolve_rng(9).sample(number))
        np.testing.assert_array_equal(found.resampled[0, number - 1], alone[:, 0])


def test_whole_documents_are_drawn_from_a_sample(make_mean):
    """A sample of one document of fives and one of zeros: it can score only 0 (25 %), 2.5 (50 %) or 5 (25 %)."""
    documents = np.repeat(["x", "fives", "zeros", "y"], 4)
    system = make_mean(documents, m=np.repeat([9.0, 5, 0, 9], 4))["m"]
    found = resample_samples([system], [np.arange(4, 12)], n_resamples=2000, unit="document", rng=1)
    scores, counts = np.unique(found.resampled, return_counts=True)
    assert scores.tolist() == [0, 2.5, 5]
    assert counts / 2000 == pytest.approx([0.25, 0.5, 0.25], abs=0.05)


def test_an_interval_needs_resamples(make_bleu):
    system = make_bleu(40)["s0"]
    found = resample_samples([system], broad_samples(40, 2), n_resamples=39, rng=1)
    with pytest.raises(InputError, match="^39 resamples are too few for the 95 % percentile interval, because"):
        found.intervals("s0")
    found = resample_samples([system], broad_samples(40, 2), n_resamples=399, rng=1)
    with pytest.warns(DataWarning, match="^399 resamples give only a rough 95 % percentile interval, because"):
        found.intervals("s0")
    with pytest.raises(InputError, match="^level is 1, but a number between 0 and 1"):
        found.intervals("s0", 1)
    found.intervals("s0", 0.9)


def test_metrics_and_directions(make_bleu):
    statistics = make_bleu(40)
    lengths = replace(
        statistics, metric=Length(), values={name: values[..., :2] for name, values in statistics.values.items()}
    )
    systems = [lengths["s0"], lengths["s1"]]
    wins, losses, ties = resample_samples(systems, broad_samples(40, 4), n_resamples=10, rng=1).wins("s0", "s1")
    assert wins is None and losses is None and ties.shape == (4,)


def test_progress_wraps_the_samples(make_bleu):
    seen = []

    def progress(samples):
        for sample in samples:
            seen.append(len(sample))
            yield sample

    resample_samples([make_bleu(40)["s0"]], broad_samples(40, 3), n_resamples=5, rng=1, progress=progress)
    assert seen == [14, 13, 13]


def test_what_cannot_be_sampled_is_refused(make_bleu, make_mean):
    system = make_bleu(40)["s0"]
    with pytest.raises(InputError, match=f"^{re.escape('There are 1 systems and 0 samples, but at least one')}"):
        resample_samples([system], [])
    with pytest.raises(InputError, match="^'s0' and 'm' cover different segments"):
        resample_samples([system, make_mean(m=np.arange(9))["m"]], broad_samples(9, 3))
    with pytest.raises(InputError, match="^1000 of 1000 virtual test sets have no score for 'm'"):
        resample_samples([make_mean(m=[1, 2, np.nan])["m"]], [np.array([0, 1]), np.array([2])], rng=1)
    found = resample_samples([system], broad_samples(40, 2), n_resamples=5, rng=1)
    with pytest.raises(InputError, match="^There is no system 's9' among the samples of 's0'.$"):
        found.intervals("s9")


def test_batches_of_a_samples_resamples_follow_one_another(make_bleu, monkeypatch):
    systems = [make_bleu(40)[name] for name in ("s0", "s1")]
    samples = broad_samples(40, 2)
    whole = resample_samples(systems, samples, n_resamples=50, rng=9)
    monkeypatch.setattr(resampling, "BATCH_CELLS", 7 * 20)
    parts = resample_samples(systems, samples, n_resamples=50, rng=9)
    np.testing.assert_array_equal(parts.resampled, whole.resampled)
