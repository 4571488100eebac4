"""The costs of units of work, each measured by itself on one or two made-up test sets."""

from __future__ import annotations

import pickle
import tempfile
import time
import tracemalloc
import warnings
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import numpy as np

import mtworkbench as mtw
from benchmarks.campaign_cost.made_up import METRICS, write_set
from benchmarks.campaign_cost.model import FLOAT
from benchmarks.campaign_cost.worker import begin, forget_peak, make_unit, peak_resident, spent_by_children
from mtworkbench.inference.draws import DividedSet, Source, draw_part
from mtworkbench.resampling import bootstrap_counts, bootstrap_indices, count_draws, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.work.kept import digest

#: Of the first made-up test set; those of the campaign itself have others.
SEED = 101
TURNS = 3
DRAWS = (1, 2000)
#: Segments of a test set that takes no time.
FEW = 20
RESAMPLES = (1000, 10_000)
#: Data that are sent to see what sending takes.
SENT = 2**27
N_WORKERS = 2
N_UNITS = 10


class Remembered(mtw.Study):
    """A study that remembers the units of work of the first call, and then computes nothing."""

    units: list | None = None

    def run(self, compute, shared, parts, **options):
        if self.units is None:
            self.units = super().run(compute, shared, parts, **options)
        return self.units


def spend(work: Callable[[], object], turns: int = TURNS) -> float:
    """Return the median CPU seconds of a piece of work."""
    return float(np.median([spend_once(work) for _ in range(turns)]))


def spend_once(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def peak_of(work: Callable[[], object]) -> int:
    """Return the most bytes that Python and numpy hold at a time for a piece of work."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def line(points: Sequence[float], values: Sequence[float]) -> tuple[float, float]:
    """Return where a line through two points begins, and its slope; neither is below 0."""
    slope = max(0.0, (values[1] - values[0]) / (points[1] - points[0]))
    return max(0.0, values[0] - slope * points[0]), slope


def measure_units(n_systems: int, n_segments: int, turns: int = TURNS) -> Iterator[tuple[str, str, float]]:
    """Measure all costs.

    Yields
    ------
    (str, str, float)
        Of what, the metric or "", and CPU seconds or bytes: see `predict`.
    """
    n_outputs = n_systems * n_segments
    yield "process", "", peak_resident()
    with tempfile.TemporaryDirectory() as folder:
        first, *further = [write_set(Path(folder), SEED + number, n_systems, n_segments) for number in range(turns + 1)]
        forget_peak()
        before = peak_resident()
        outputs = mtw.read_outputs(first.reference, first.systems)
        statistics = {metric: [mtw.compute_statistics(outputs, metric)] for metric in METRICS}
        n_bytes = sum(values.nbytes for [one] in statistics.values() for values in one.values.values())
        yield "texts", "", max(0, peak_resident() - before - n_bytes) / n_outputs
        read, seconds = [], {metric: [] for metric in METRICS}
        for one in further:
            start = time.process_time()
            outputs = mtw.read_outputs(one.reference, one.systems)
            read.append(time.process_time() - start)
            for metric, known in statistics.items():
                start = time.process_time()
                known.append(mtw.compute_statistics(outputs, metric))
                seconds[metric].append(time.process_time() - start)
    yield "read", "", np.median(read) / n_outputs
    for metric, known in statistics.items():
        yield "statistics", metric, np.median(seconds[metric]) / n_outputs
        for what, value in chain(measure_draws(known[0], turns), measure_client(*known[:2], turns)):
            yield what, metric, value
    yield "draw that is not compiled", "", measure_plain_draws(n_segments, turns)
    yield from measure_processes(next(iter(statistics.values()))[0], turns)


def measure_draws(first: SegmentStatistics, turns: int) -> Iterator[tuple[str, float]]:
    """Measure draws of one set, all pairs and with a baseline, and the memory that they take."""
    systems = list(first)
    n_outputs, n_pairs = len(systems) * len(first.test_set), len(systems) * (len(systems) - 1) // 2
    shared = {"set": first}
    yield "bytes", len(pickle.dumps(shared, protocol=5)) / n_outputs
    one = {"test_set": "set", "unit": "segment", "key": resolve_rng(1).key}
    part = {"first": 0, "baseline": None, "exchange": "unit", "sets": [one], "level": 0.95}

    def family_of(n_pairs: int) -> list[dict[str, object]]:
        """All pairs as one family, whose trials keep a share of the largest differences."""
        return [{"rows": [[0, pair] for pair in range(n_pairs)], "joint": True, "kept": DRAWS[-1] // 20}]

    def measure(how: Callable[[Callable[[], object]], float], **changes: object) -> tuple[float, float]:
        draw_part(shared, part | changes | {"count": 1})
        one, many = (how(lambda count=count: draw_part(shared, part | changes | {"count": count})) for count in DRAWS)
        return line(DRAWS, (one, many))

    def seconds(work: Callable[[], object]) -> float:
        return spend(work, turns)

    fixed, slope = measure(seconds, draw="resamples")
    yield "set of resamples", fixed
    yield "resample", slope / n_outputs
    fixed, of_all = measure(seconds, draw="trials", families=family_of(n_pairs))
    _, of_few = measure(seconds, draw="trials", baseline=systems[0], families=family_of(len(systems) - 1))
    n_few = len(systems) - 1
    outputs, of_pair = line((n_few, n_pairs), (of_few, of_all))
    yield "set of trials", fixed
    yield "trial", outputs / n_outputs
    yield "trial of a pair", of_pair
    fixed, slope = measure(peak_of, draw="trials", families=family_of(n_pairs))
    yield "memory of trials", fixed
    yield "memory of a trial of a pair", slope / n_pairs
    fixed, slope = measure(peak_of, draw="resamples")
    yield "memory of resamples", fixed
    yield "memory of a resample", slope / len(systems)

    kept = []

    def make_tables() -> None:
        divided = DividedSet.of(first, None, "unit", "segment")
        source = Source(divided, "unit", resolve_rng(1))
        coins = source.exchanges.coins_of(range(len(divided.pairs)))
        kept.extend([divided, source, coins, [part.table.influence for part, _ in divided.find_pairs()]])

    tracemalloc.start()
    make_tables()
    yield "table", tracemalloc.get_traced_memory()[0] / n_outputs
    tracemalloc.stop()


def measure_plain_draws(n_segments: int, turns: int) -> float:
    """Measure how many seconds longer a draw of a resample takes without compiled loops: see `load_kernels`."""
    options = {"first": 0, "count": DRAWS[-1], "key": 1, "dtype": np.float32}
    plain = spend(lambda: count_draws(partial(bootstrap_indices, n_segments), n_segments, **options), turns)
    compiled = spend(lambda: bootstrap_counts(n_segments, **options), turns)
    return max(0.0, plain - compiled) / (DRAWS[-1] * n_segments)


def measure_client(first: SegmentStatistics, second: SegmentStatistics, turns: int) -> Iterator[tuple[str, float]]:
    """Measure what the main process does with draws that others have made."""
    sets = {"first": first, "second": second}
    n_pairs = len(first) * (len(first) - 1) // 2
    seconds = []
    for n_resamples in RESAMPLES:
        study = Remembered()

        def compare(study: mtw.Study = study, n_resamples: int = n_resamples) -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                mtw.compare_test_sets(sets, n_resamples=n_resamples, n_trials=1000, rng=1, study=study)

        compare()
        seconds.append(spend(compare, turns) / (2 * n_pairs))
    fixed, slope = line(RESAMPLES, seconds)
    yield "pair", fixed
    yield "resample of a pair", slope


def measure_processes(statistics: SegmentStatistics, turns: int) -> Iterator[tuple[str, str, float]]:
    """Measure what it takes to begin worker processes, to send them data, and to keep what they return."""
    tiny = {"set": statistics.take(np.arange(FEW))}
    one = {"test_set": "set", "unit": "segment", "key": 1}
    part = {"first": 0, "count": 1, "baseline": None, "exchange": "unit", "sets": [one], "level": 0.95}
    part |= {"families": [{"rows": [[0, 0]], "joint": True, "kept": 1}]}
    parts = [part | {"draw": draw} for draw in ("resamples", "trials") for _ in range(N_WORKERS)]
    n_most = SENT if turns > 1 else SENT // 100
    sizes = 0, n_most
    begun, received, residents, own = ([[] for _ in sizes] for _ in range(4))
    for _ in range(turns):
        for number, n_bytes in enumerate(sizes):
            shared = {"tiny": tiny, "data": np.ones(n_bytes // FLOAT)}
            forget_peak()
            before = peak_resident()
            start = time.process_time(), spent_by_children()
            units = mtw.Study(workers=N_WORKERS).run(begin, shared, parts)
            begun[number].append((time.process_time() - start[0]) / N_WORKERS)
            received[number].append((spent_by_children() - start[1]) / N_WORKERS)
            residents[number].append(max(int(unit["resident"]) for unit in units))
            own[number].append(peak_resident() - before)
    yield "worker", "", np.median(residents[0])
    yield "copies of a worker", "", (np.median(residents[1]) - np.median(residents[0])) / n_most
    yield "copies", "", (np.median(own[1]) - np.median(own[0])) / n_most
    yield from zip(("begin", "send"), ("", ""), line(sizes, np.median(begun, axis=1)), strict=True)
    yield from zip(("start", "receive"), ("", ""), line(sizes, np.median(received, axis=1)), strict=True)
    yield "digest", "", spend(lambda: digest(np.ones(n_most // FLOAT)), turns) / n_most
    sizes, seconds = (FLOAT, n_most // N_UNITS), []
    for n_bytes in sizes:
        with tempfile.TemporaryDirectory() as folder:
            keep = partial(mtw.Study(folder).run, make_unit, {"bytes": n_bytes}, range(N_UNITS))
            seconds.append(spend_once(keep) / N_UNITS)
            if n_bytes == sizes[0]:
                files = [path.stat().st_size for path in Path(folder).rglob("*.unit")]
                # A unit has two or three arrays, each with a head of its own.
                yield "frame of a unit", "", 2.5 * (np.mean(files) - n_bytes)
    yield from zip(("keep a unit", "keep"), ("", ""), line(sizes, seconds), strict=True)
