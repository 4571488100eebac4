"""How large the work of a command is: long work is announced, and what cannot be done is refused before it begins.

Sizes are counted in what is read, scored and drawn, not by a clock: a command says the same on every machine.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from math import comb
from typing import TYPE_CHECKING, NamedTuple

from mtworkbench.cli.streams import mention
from mtworkbench.errors import InputError
from mtworkbench.wording import tally

if TYPE_CHECKING:
    from mtworkbench.metrics import Metric
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: To read so many bytes of text, or to score so many outputs of single segments, takes some ten seconds.
LONG_TEXTS, LONG_SCORES = 20_000_000, 200_000
#: Some minutes, and two days, in units of some ten seconds of draws (`WORK_OF_PART`).
MINUTES, DAYS = 32, 20_000
#: Bytes that one comparison takes besides its resamples and the largest of its trials, and bytes for each of these;
#: bytes that all of them take together.
OF_PAIR, OF_RESAMPLE, OF_LARGEST, OF_ALL = 40_000, 8, 48, 1e9


def announce_reading(what: str, files: Iterable[str]) -> None:
    """Say that files are read, if they are large."""
    size = sum(os.path.getsize(file) for file in {*files} if os.path.isfile(file))
    if size >= LONG_TEXTS:
        mention(f"reading and checking {what} ({size / 1e6:,.0f} MB) ...")


def announce_scoring(metric: Metric, n_outputs: int, n_segments: int, of: str = "") -> None:
    """Say that a metric is computed, if that takes long, and how to make it faster; ``of`` names the test set."""
    if n_outputs * n_segments < LONG_SCORES:
        return
    from mtworkbench.metrics.ter import Ter, load_search

    mention(f"computing {metric.name}{of} for {tally(n_outputs, 'output')} of {tally(n_segments, 'segment')} ...")
    # A segment of twenty words against its reference is 400 products.
    if isinstance(metric, Ter) and load_search(400 * n_outputs * n_segments) is None:
        mention(
            "without the package numba, TER takes 50 to 100 times as long: stop, and install it with pip install "
            "'mtworkbench[fast]'."
        )


class Size(NamedTuple):
    """How much a comparison draws, and holds.

    Parameters
    ----------
    n_systems, n_metrics : int
    n_pairs : int
        That are compared by each metric.
    n_outputs : int
        Outputs of one segment, over all systems, runs, metrics and test sets.
    n_sets : int
    looks : tuple of int
        The first number of trials, and further ones if the verdicts are then open.
    n_resamples : int
    """

    n_systems: int
    n_metrics: int
    n_pairs: int
    n_outputs: int
    n_sets: int
    looks: tuple[int, ...]
    n_resamples: int

    @classmethod
    def of(cls, options: argparse.Namespace, sets: Sequence[Sequence[SegmentStatistics]]) -> Size:
        """Count what comparing the systems of some test sets takes."""
        n_outputs = sum(len(one.test_set) * sum(map(len, one.values.values())) for own in sets for one in own)
        return cls.of_systems(options, len(sets[0][0]), len(sets[0]), n_outputs, len(sets))

    @classmethod
    def of_systems(
        cls, options: argparse.Namespace, n_systems: int, n_metrics: int, n_outputs: int = 0, n_sets: int = 1
    ) -> Size:
        """Count what comparing so many systems takes, without outputs, which are not known before they are read."""
        from mtworkbench.results.settings import choose_looks, choose_n_resamples

        n_pairs = comb(n_systems, 2) if options.baseline is None else n_systems - 1
        looks = choose_looks(options.trials, n_pairs, options.level)
        resamples = choose_n_resamples(options.resamples, options.level)
        return cls(n_systems, n_metrics, n_pairs, n_outputs, n_sets, looks, resamples)

    @property
    def n_comparisons(self) -> int:
        """Pairs, by all metrics."""
        return self.n_pairs * self.n_metrics

    @property
    def work(self) -> float:
        """How many times as much is drawn, at least, as takes some ten seconds."""
        from mtworkbench.inference.draws import WORK_OF_PAIR, WORK_OF_PART

        per_trial = self.n_outputs + WORK_OF_PAIR * self.n_comparisons * self.n_sets
        return self.looks[0] * per_trial / WORK_OF_PART

    def count_memory(self, level: float) -> float:
        """Return about how many bytes it takes."""
        n_largest = (1 - level) * self.looks[-1]
        of_one = OF_PAIR + OF_RESAMPLE * self.n_resamples + OF_LARGEST * n_largest
        return OF_ALL + self.n_comparisons * self.n_sets * of_one

    def __str__(self) -> str:
        """Name the comparisons: ``249,500 comparisons (124,750 pairs of 500 systems, by 2 metrics)``."""
        said = [f"{tally(self.n_pairs, 'pair')} of {tally(self.n_systems, 'system')}"] if self.n_pairs > 1 else []
        said += [f"by {tally(self.n_metrics, 'metric')}"] if self.n_metrics > 1 else []
        said += [f"on {tally(self.n_sets, 'test set')}"] if self.n_sets > 1 else []
        return tally(self.n_comparisons, "comparison") + (f" ({', '.join(said)})" if said else "")


def announce_draws(options: argparse.Namespace, size: Size, how: str = "", least: float = 1) -> None:
    """Say once how large a comparison is, if it takes long; refuse one that cannot be held or would take days.

    Parameters
    ----------
    options : Namespace
        A study says itself how far it has come, and goes on after an interruption.
    size : Size
    how : str
        How systems are compared, if not as they are.
    least : float
        The amount of work from which on something is said.

    Raises
    ------
    InputError
        ``too-much``
    """
    is_study, memory, there = options.study is not None, size.count_memory(options.level), memory_of_machine()
    trials = f"{size.looks[0]:,} trials{' or more' if len(size.looks) > 1 else ''}"
    problem = ""
    if there is not None and memory > there:
        problem = f"would take about {memory / 1e9:,.0f} GB of memory, but this machine has {there / 1e9:,.0f} GB"
    elif size.work >= DAYS and not is_study:
        problem = f"with {trials} would take days"
    if problem:
        raise InputError("too-much", f"{size} {problem}: {name_others(size, is_study=is_study)}.")
    if size.work < least or is_study:
        return
    if size.work < MINUTES or getattr(options, "warned_of_size", False):
        mention(f"drawing {trials} for {size}{how} ...")
        return
    options.warned_of_size = True
    much = f"will take long and about {memory / 1e9:,.0f} GB of memory"
    mention(f"{size}{how} with {trials} {much}: {name_others(size, is_study=False)}.")


def name_others(size: Size, *, is_study: bool) -> str:
    """Name what takes less: ``with --baseline NAME there are 998 comparisons; --systems ...``."""
    from mtworkbench.results.settings import FIRST_LOOK

    others = ["--trials N draws fewer trials"] if size.looks[-1] > FIRST_LOOK or size.n_systems == 2 else []
    if size.n_systems > 2:
        others.insert(0, "--systems NAME ... compares only these")
    if size.n_pairs >= size.n_systems > 2:
        fewer = tally((size.n_systems - 1) * size.n_metrics, "comparison")
        others.insert(0, f"with --baseline NAME there are {fewer}")
    if size.n_sets > 1 and not is_study:
        others.append("mtworkbench study campaign --workers N divides the work among processes")
    return "; ".join(others)


def memory_of_machine() -> int | None:
    """Return the memory of this machine in bytes; None where it is not known."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None
