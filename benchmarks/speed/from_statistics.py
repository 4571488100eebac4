"""Resampling, from statistics that both sides have in memory; drawing counts.

sacreBLEU's side is its own way, as in `sacrebleu.significance`: choose, gather, sum, and one score at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
from sacrebleu.metrics import BLEU

from benchmarks.speed.measure import STATISTICS, Row, spend
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.papers.koehn2004.significance import SAMPLE_SIZES
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.papers.simulation.replications import load_replications
from mtworkbench.resampling import broad_samples, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics

SEED_OF_SACREBLEU = 12345
# sacreBLEU gathers all resamples at once, which takes gigabytes; so many at a time cost no more.
GATHERED = 1000


def bootstrap_theirs(systems: Sequence[SystemStatistics], n_resamples: int) -> None:
    """Resample systems as sacreBLEU's paired bootstrap does: the same indices for all."""
    rng, metric = np.random.default_rng(SEED_OF_SACREBLEU), BLEU()
    n_segments = systems[0].n_segments
    drawn = rng.choice(n_segments, size=(n_resamples, n_segments), replace=True)
    for system in systems:
        statistics = system.values[0].astype(np.float32)
        for first in range(0, n_resamples, GATHERED):
            for one in statistics[drawn[first : first + GATHERED]]:
                metric._compute_score_from_stats(one.sum(0))


def randomize_theirs(systems: Sequence[SystemStatistics], n_trials: int) -> None:
    """Exchange outputs as sacreBLEU's approximate randomization does."""
    rng, metric = np.random.default_rng(SEED_OF_SACREBLEU), BLEU()
    a, b = (system.values[0] for system in systems)
    chosen = rng.integers(2, size=(n_trials, len(a)), dtype=bool)
    others = ~chosen
    for one, other in zip(chosen @ a + others @ b, others @ a + chosen @ b, strict=True):
        metric._compute_score_from_stats(one)
        metric._compute_score_from_stats(other)


def make_rows(shorter: int = 1) -> Iterator[Row]:
    """Prepare the rows one by one.

    Parameters
    ----------
    shorter : int
        The number of draws is divided by it, to see whether all works. The names of the rows stay.
    """
    n_many, n_few = 10_000 // shorter, 1000 // shorter
    six, key = load_koehn2004_statistics(), resolve_rng(1)
    names = list(six)
    n_segments = six[names[0]].n_segments
    two = [six[name].take(np.arange(2000) * 15) for name in names[:2]]
    pair = ScoreTable.of(two)
    yield Row(
        STATISTICS,
        "paired bootstrap: 2 systems x 2,000 segments x 10,000 resamples",
        lambda: resample(pair, n_many, key),
        lambda: spend(lambda: bootstrap_theirs(two, n_many)),
        at_least=50,
    )
    yield Row(
        STATISTICS,
        "approximate randomization: 2 systems x 2,000 segments x 10,000 trials",
        lambda: randomize(pair, n_trials=n_many, random_key=key),
        lambda: spend(lambda: randomize_theirs(two, n_many)),
        at_least=50,
    )
    runs = load_replications("btec").test.statistics("bleu:tokenize=none")
    [(baseline, experimental)] = clark2011.choose_pairs({"BTEC": runs}).values()
    # Runs of both systems stand for systems: their outputs differ, and they share the references.
    some = [one.take(np.arange(300)) for one in (baseline, experimental)]
    many = [replace(some[n % 2], system=str(n), values=some[n % 2].values[[n]]) for n in range(20)]
    table = ScoreTable.of(many)
    yield Row(
        STATISTICS,
        "paired bootstrap: 20 systems x 300 segments x 1,000 resamples",
        lambda: resample(table, n_few, key),
        lambda: spend(lambda: bootstrap_theirs(many, n_few)),
        at_least=300,
    )
    broad = broad_samples(n_segments, 100)[:: min(10, shorter)]
    # Enough resamples that their 2.5th percentile exists.
    n_figure = max(40, n_few)
    ten = [[six[names[0]].take(sample)] for sample in broad[:10]]
    yield Row(
        STATISTICS,
        "Koehn, Fig. 6: 1 system x 100 samples x 300 segments x 1,000 resamples",
        lambda: koehn2004.interval_samples(six[names[0]], broad, n_resamples=n_figure, rng=1),
        lambda: len(broad) / len(ten) * spend(lambda: [bootstrap_theirs(one, n_figure) for one in ten]),
        part="10 of 100 samples",
        at_least=100,
    )
    pairs = koehn2004.choose_pairs(six)
    sizes = SAMPLE_SIZES if shorter == 1 else SAMPLE_SIZES[-1:]
    # One sample of each size, and how many there are of it.
    ones = {count: broad_samples(n_segments, count)[0] for count in (n_segments // size for size in sizes)}
    taken = {count: [[six[name].take(one) for name in both] for both in pairs] for count, one in ones.items()}
    yield Row(
        STATISTICS,
        "Koehn, Table 3: 9 pairs x 460 samples (100 to 3,000 segments) x 1,000 resamples",
        lambda: koehn2004.conclude_on_sizes(six, pairs, sizes, n_resamples=n_figure, rng=1),
        lambda: sum(
            count * spend(lambda both=both: [bootstrap_theirs(one, n_figure) for one in both])
            for count, both in taken.items()
        ),
        part="one sample of each of the four sizes",
        at_least=300,
    )
    fifty = [replace(one.take(np.arange(500)), values=one.values[:50, :500]) for one in (experimental, baseline)]
    replicated = ScoreTable.of(fifty)
    yield Row(
        STATISTICS,
        "Clark et al., Table 2, one simulation: 500 segments x 50 runs x 2 systems x 10,000 trials",
        lambda: randomize(replicated, exchange="run", n_trials=n_many, random_key=key),
        at_most=0.3,
    )
