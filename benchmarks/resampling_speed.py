"""Time resampling against sacreBLEU's own: draw, gather, sum, score, from statistics that both sides have in memory.

CPU time of one thread; both sides take turns, so that a busy machine slows both; median and range of seven turns.
"""

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version

import numpy as np
from sacrebleu.metrics import BLEU

from mtworkbench import find_shipped, load_statistics
from mtworkbench.compiled import load_kernels
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.samples import resample_samples
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.resampling import broad_samples, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.studies import koehn2004

TURNS = 7
KEY = resolve_rng(1)


@dataclass(frozen=True)
class Row:
    """The same work for both sides.

    Where sacreBLEU's takes minutes, it works on one of so many samples (`part`), and its time is multiplied.
    """

    work: str
    ours: Callable[[], object]
    theirs: Callable[[], object]
    part: int = 1


def bootstrap_theirs(systems: Sequence[SystemStatistics], n_resamples: int) -> None:
    """Resample systems as sacreBLEU's paired bootstrap does: the same indices for all."""
    rng, metric = np.random.default_rng(12345), BLEU()
    n_segments = systems[0].n_segments
    drawn = rng.choice(n_segments, size=(n_resamples, n_segments), replace=True)
    for system in systems:
        statistics = system.values[0].astype(np.float32)
        for first in range(0, n_resamples, 1000):  # all at once they take gigabytes
            for one in statistics[drawn[first : first + 1000]]:
                metric._compute_score_from_stats(one.sum(0))


def randomize_theirs(systems: Sequence[SystemStatistics], n_trials: int) -> None:
    """Exchange outputs as sacreBLEU's approximate randomization does."""
    rng, metric = np.random.default_rng(12345), BLEU()
    a, b = (system.values[0] for system in systems)
    chosen = rng.integers(2, size=(n_trials, len(a)), dtype=bool)
    others = ~chosen
    for one, other in zip(chosen @ a + others @ b, others @ a + chosen @ b, strict=True):
        metric._compute_score_from_stats(one)
        metric._compute_score_from_stats(other)


def make_rows() -> Iterator[Row]:
    """Prepare the rows of the table one by one."""
    [six] = load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    two = [six[name].take(np.arange(2000) * 15) for name in list(six)[:2]]
    pair = ScoreTable.of(two)
    yield Row(
        "paired bootstrap, 2 systems x 2,000 segments x 10,000",
        lambda: resample(pair, 10_000, KEY),
        lambda: bootstrap_theirs(two, 10_000),
    )
    options = {"exchange": "unit", "n_trials": 10_000, "random_key": KEY}
    yield Row(
        "approximate randomization, 2 x 2,000 x 10,000",
        lambda: randomize(pair, [(0, 1)], **options),
        lambda: randomize_theirs(two, 10_000),
    )
    names = list(six)
    first = six[names[0]].take(np.arange(300)).test_set
    many = [replace(six[names[n % 6]].take(np.arange(300) + 300 * n), system=str(n), test_set=first) for n in range(20)]
    table = ScoreTable.of(many)
    yield Row(
        "bootstrap, 20 systems x 300 segments x 1,000",
        lambda: resample(table, 1000, KEY),
        lambda: bootstrap_theirs(many, 1000),
    )
    broad = broad_samples(six[names[0]].n_segments, 100)
    for count in (1, 6):
        systems = [six[name] for name in names[:count]]
        yield Row(
            f"Koehn Fig. 6, {count} system{'s' * (count > 1)}: 100 samples x 300 segments x 1,000",
            lambda systems=systems: resample_samples(systems, broad, n_resamples=1000, rng=1),
            lambda systems=systems: [
                bootstrap_theirs([one.take(each) for one in systems], 1000) for each in broad[::10]
            ],
            part=10,
        )
    pairs = koehn2004.choose_pairs(six)
    samples = [
        sample
        for size, count in ((100, 300), (300, 100), (600, 50), (3000, 10))
        for sample in broad_samples(six[names[0]].n_segments, six[names[0]].n_segments // size)[:count]
    ]
    assert len(samples) == 460
    yield Row(
        "Koehn Table 3: 9 pairs x 460 samples x 1,000",
        lambda: koehn2004.conclude_on_sizes(six, pairs, rng=1),
        lambda: [
            bootstrap_theirs([six[name].take(sample) for name in one], 1000)
            for sample in samples[::46]
            for one in pairs
        ],
        part=46,
    )


def spend(work: Callable[[], object]) -> float:
    """Return the CPU seconds that a piece of work takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    turns = int(sys.argv[1]) if len(sys.argv) > 1 else TURNS
    print(f"mtworkbench {version('mtworkbench')}, numpy {np.__version__}, sacrebleu {version('sacrebleu')}", end=", ")
    print(f"numba {version('numba')}; CPU seconds of one thread, median of {turns} turns (range of the ratio)")
    for name in ("draws", "scores"):
        load_kernels(name, saves=np.inf)
    for row in make_rows():
        row.ours()
        times = np.array([(spend(row.ours), row.part * spend(row.theirs)) for _ in range(turns)])
        ours, theirs = np.median(times, axis=0)
        ratios = times[:, 1] / times[:, 0]
        print(
            f"{row.work:66} {ours:8.3f} s, sacreBLEU {theirs:8.2f} s: {np.median(ratios):4.0f} times as fast "
            f"({ratios.min():.0f} to {ratios.max():.0f})",
            flush=True,
        )
