"""A score is a function of summed segment statistics.

So the bootstrap weights these statistics, randomization exchanges them, and the crossed analysis leaves them out unit
by unit; all of them compute scores of the sums. These are three small modules over one table. No other module in this
folder calls ``metric.score``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import accumulate, groupby
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.inference.weighted_sums import DistinctColumns, SideBySide, is_whole, lay_out, sum_weighted
from mtworkbench.metrics.protocol import Metric, scored
from mtworkbench.progress import ignore
from mtworkbench.resampling import batches, pair_runs, rows_in_cache, rows_of_batch, split_rows
from mtworkbench.statistics.segment_statistics import SystemStatistics

# Averages over runs of equal floating statistics may differ in their last digits.
SAME_STATISTICS = 1e-12
# float32 holds all whole numbers below this one, and so all sums of counts that stay below it.
EXACT_IN_FLOAT32 = 2**24
# So many scores are computed at a time, more or less. With fewer, each computation takes a while to begin; with more,
# arrays leave the processor's cache, and may be large enough to be asked of the system, and given back, every time.
SCORED_TOGETHER = 2**12
# Coins whose statistics are multiplied at a time.
CACHED_COINS = 2**11
# Rows of statistics that are compared at a time.
ROWS_TOGETHER = 2**12

#: Two systems, a and b of a - b, by their places: in a table, or among all systems of a comparison.
Places = tuple[int, int]


class OutputPairs(NamedTuple):
    """Outputs of one metric that change sides, two by two.

    Parameters
    ----------
    metric : Metric
    numbers : list of int
        The pair of systems that each two outputs belong to.
    columns : (2, n_statistics, n) ndarray of int64
        The columns of `ScoreTable.sums` of one output and of the other.
    """

    metric: Metric
    numbers: list[int]
    columns: np.ndarray


class Swapped(NamedTuple):
    """What is summed over the units whose coins fall on swaps.

    Parameters
    ----------
    outputs : list of OutputPairs
        Pair by pair of systems.
    sums : (n_units, n_summed) ndarray
    distinct : DistinctColumns or None
        How all columns follow from these, if fewer are summed.
    are_gains : bool
        Whether the columns are gains of the first output of each pair, pair by pair: with few pairs there are fewer of
        them than sums of all outputs.
    """

    outputs: list[OutputPairs]
    sums: np.ndarray
    distinct: DistinctColumns | None
    are_gains: bool


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """The statistics of all systems and runs on one test set, summed by unit.

    One weight matrix serves all systems, runs and metrics, so every comparison is paired.

    Parameters
    ----------
    systems : tuple of SystemStatistics
        On the same segments; those without scores must have been left out. Metrics and numbers of runs may differ.
        Methods return one array per system, in this order.
    units : Units
        What is resampled and exchanged: segments, documents ...
    pooled_runs : dict of (str, str) to (float, int), optional
        Where a comparison has systems that this table lacks: by name and signature of the metric, the variance of runs
        pooled over all of them, and its degrees of freedom (see `pool_runs`).
    """

    systems: tuple[SystemStatistics, ...]
    units: Units
    pooled_runs: dict[tuple[str, str], tuple[float, int]] | None = field(default=None, repr=False)
    _swapped: dict[tuple[tuple[Places, ...], int, int], Swapped] = field(default_factory=dict, init=False, repr=False)
    _n_differing: dict[Places, int] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        systems: Iterable[SystemStatistics],
        unit: str = "segment",
        segments: np.ndarray | None = None,
        strata: str | None = None,
    ) -> ScoreTable:
        """Make the table from `segments` (positions counted from 0, or a mask), or from all segments.

        Raises
        ------
        InputError
            See `choose_units`.
        """
        systems = tuple(systems)
        if segments is not None:
            test_set = systems[0].test_set.take(segments)
            systems = tuple(replace(one, values=one.values[:, segments], test_set=test_set) for one in systems)
        return cls(systems, choose_units(systems[0].test_set, unit, strata))

    def with_units(self, units: Units) -> ScoreTable:
        """Return the same systems with other units; the table itself where its units have that name and strata."""
        same = (units.name, units.strata) == (self.units.name, self.units.strata)
        return self if same else ScoreTable(self.systems, units)

    @property
    def n_segments(self) -> int:
        """Number of segments."""
        return len(self.units.of_segment)

    @cached_property
    def sums(self) -> SideBySide:
        """Statistics summed by unit: system by system, run by run. Those of segments are the systems' own."""
        return SideBySide([self.units.sum(run) for system in self.systems for run in system.values])

    @cached_property
    def scores(self) -> list[np.ndarray]:
        """Score of each run on all segments, (n_runs,) ndarrays."""
        return [one.metric.score(one.values.sum(axis=1, dtype=np.float64)) for one in self.systems]

    @cached_property
    def n_runs(self) -> list[int]:
        """Number of runs of each system."""
        return [len(system.values) for system in self.systems]

    @cached_property
    def means(self) -> list[float]:
        """Score of each system on all segments, the mean of its runs'."""
        return [float(runs.mean()) for runs in self.scores]

    def difference(self, pair: Places = (0, 1)) -> float:
        """Return the difference of two systems' scores, a - b."""
        return self.means[pair[0]] - self.means[pair[1]]

    def scale(self, pair: Places = (0, 1)) -> float:
        """Return the larger absolute score of two systems: a tiny share of it is rounding."""
        return max(abs(self.means[place]) for place in pair)

    def influence_on(self, pair: Places = (0, 1)) -> np.ndarray:
        """Return what each unit contributes to the difference of two systems, (n_units,) ndarray."""
        return self.influence[pair[0]] - self.influence[pair[1]]

    @cached_property
    def by_segment(self) -> ScoreTable:
        """The same systems by segment."""
        return self.with_units(choose_units(self.systems[0].test_set, "segment"))

    @cached_property
    def by_group(self) -> ScoreTable | None:
        """The same by unit or, where that is the segment, by document; None where documents are not known."""
        of_segments = None if self.systems[0].test_set.documents is None else "document"
        group = of_segments if self.units.name == "segment" else self.units.name
        return None if group is None else self.with_units(choose_units(self.systems[0].test_set, group))

    @cached_property
    def distinct(self) -> DistinctColumns | None:
        """What is known of the columns of `sums` so that fewer need to be summed; None where that would not pay."""
        return DistinctColumns.of(self.sums)

    @cached_property
    def summed(self) -> np.ndarray:
        """The columns that are summed over virtual test sets, (n_units, n_summed) ndarray of `weight_type`."""
        return lay_out(self.sums, self.distinct, self.weight_type)

    @cached_property
    def weight_type(self) -> type:
        """Type for weights that are counts and sum to the number of units: float32 where every sum is exact in it."""
        return single_if_exact(len(self.sums) * self.sums.find_largest(), self.sums)

    def score(self, weights: np.ndarray) -> list[np.ndarray]:
        """Score virtual test sets, in batches of bounded memory.

        Parameters
        ----------
        weights : (n_weights, n_units) ndarray
            How often each unit occurs in each virtual test set.

        Returns
        -------
        list of (n_weights, n_runs) ndarray
        """
        parts = batches(len(weights), self.sums.n_columns)
        summed = self.summed.astype(np.float64, copy=False)  # weights may be larger than those of a bootstrap
        return self.score_batches(sum_weighted(weights[first : first + count], summed).T for first, count in parts)

    def score_batches(
        self, totals: Iterable[np.ndarray], advance: Callable[[int], object] = ignore
    ) -> list[np.ndarray]:
        """Score virtual test sets whose sums come batch by batch.

        The sums are gathered and scored together, because batches may be small.

        Parameters
        ----------
        totals : iterable of (n_summed, n_batch) ndarray
            Sums of the columns of `summed`.
        advance : callable, optional
            Called after each batch with the number of virtual test sets in it.

        Returns
        -------
        list of (n, n_runs) ndarray
        """
        scores: list[list[np.ndarray]] = []
        gathered: list[np.ndarray] = []
        limit, n_gathered = rows_of_batch(self.sums.n_columns), 0
        for batch in totals:
            gathered.append(batch)
            n_gathered += batch.shape[1]
            advance(batch.shape[1])
            if n_gathered >= limit:
                scores.append(self.score_totals(_join(gathered)))
                gathered, n_gathered = [], 0
        if gathered:
            scores.append(self.score_totals(_join(gathered)))
        if not scores:
            return [np.empty((0, n_runs)) for n_runs in self.n_runs]
        return [np.concatenate(parts) for parts in zip(*scores, strict=True)]

    def score_totals(self, totals: np.ndarray) -> list[np.ndarray]:
        """Score virtual test sets, given the sums of the columns of `summed`.

        Parameters
        ----------
        totals : (n_summed, n) ndarray of float64
            Of any test sets.

        Returns
        -------
        list of (n, n_runs) ndarray
        """
        scores: list[np.ndarray] = []
        last = 0
        for metric, systems in groupby(self.systems, attrgetter("metric")):
            n_runs = [len(system.values) for system in systems]
            first, last = last, last + sum(n_runs) * len(metric.statistic_names)
            columns = np.arange(first, last).reshape(sum(n_runs), -1).T
            found = np.empty((sum(n_runs), totals.shape[1]))
            for output, count in split_rows(len(found), max(1, SCORED_TOGETHER // totals.shape[1])):
                outputs = slice(output, output + count)
                chosen = columns[:, outputs]
                sums = totals[chosen] if self.distinct is None else self.distinct.expand(totals, chosen)
                found[outputs] = metric.score(sums.T).T
            scores += [np.ascontiguousarray(runs.T) for runs in np.split(found, np.cumsum(n_runs)[:-1])]
        return scores

    def score_sums(self, place: int, sums: np.ndarray) -> np.ndarray:
        """Score sums of a system's statistics that no weights need to give, such as sums between those of two systems.

        Parameters
        ----------
        place : int
            Of the system.
        sums : (..., n_statistics) ndarray

        Returns
        -------
        (...) ndarray
        """
        return self.systems[place].metric.score(sums)

    @cached_property
    def run_influence(self) -> list[np.ndarray]:
        """What each unit contributes to each run's score, by leaving it out, (n_runs, n_units) ndarrays.

        With s_i the score without unit i and s their mean over units, (n - 1) / n * (s - s_i), in score points: for a
        mean of segment scores, the unit's share of the deviation. A row sums to 0. Koehn (2004), §1, says that BLEU has
        no analytical error. The jackknife, however, needs only scores of the test set without one unit, and these can
        be computed for every metric here (Efron & Tibshirani, 1993, §11.2).

        NaN where a run has a score in one unit only, so that nothing is left without it.

        Within strata, s_i is the score with the other units of the stratum weighted by n_h / (n_h - 1), so that the
        stratum keeps its share, and s their mean over the stratum (Wolter, 2007, §4.5). The values are scaled such that
        ``n / (n - 1) * sum(u**2)``, which all variances are made of, is the stratified delete-one jackknife's: the sum
        over strata of (n_h - 1) / n_h times the sum of squared deviations of s_i from their mean over the stratum. A
        stratum of one unit adds nothing.
        """
        return [np.array([self._leave_out(one, run) for run in one.values]) for one in self.systems]

    def _leave_out(self, system: SystemStatistics, run: np.ndarray) -> np.ndarray:
        if self.units.stratum_of_unit is not None:
            return self._leave_out_within_strata(system, self.units.sum(run).astype(np.float64))
        without = self._score_without(system, run)
        return (len(without) - 1) / len(without) * (without.mean() - without)

    def _score_without(self, system: SystemStatistics, run: np.ndarray) -> np.ndarray:
        """Score a run without each unit, (n_units,) ndarray: the total minus a row."""
        sums = self.units.sum(run).astype(np.float64)
        return system.metric.score(sums.sum(axis=0) - sums)

    def score_without(self, place: int) -> np.ndarray:
        """Score a system without each unit, (n_units,) ndarray: the mean of its runs' scores."""
        system = self.systems[place]
        return np.mean([self._score_without(system, run) for run in system.values], axis=0)

    def _leave_out_within_strata(self, system: SystemStatistics, sums: np.ndarray) -> np.ndarray:
        total, n_units, influence = sums.sum(axis=0), len(sums), np.zeros(len(sums))
        for stratum in range(self.units.n_strata):
            own = self.units.stratum_of_unit == stratum
            size = np.count_nonzero(own)
            if size > 1:
                without = system.metric.score(total + (sums[own].sum(axis=0) - size * sums[own]) / (size - 1))
                scale = math.sqrt((n_units - 1) / n_units * size / (size - 1))
                influence[own] = scale * (size - 1) / size * (without.mean() - without)
        return influence

    @cached_property
    def influence(self) -> list[np.ndarray]:
        """What each unit contributes to each system's score, the mean of its runs', (n_units,) ndarrays."""
        return [by_run.mean(axis=0) for by_run in self.run_influence]

    def exchange(
        self, masks: np.ndarray, pairs: Sequence[Places], *, n_runs: int = 1, coins: np.ndarray | None = None
    ) -> np.ndarray:
        """Score both pseudo-systems of each pair after outputs have been swapped.

        Run k of one system changes sides with run k of the other; where their numbers differ, each takes its runs in
        turn until all have met equally often. A pseudo-system's score is the mean over these pairs of runs, so that
        with nothing exchanged it is the mean score that is printed. In each of them, an output is used once, by one of
        the two pseudo-systems (Noreen, 1989).

        Parameters
        ----------
        masks : (n_masks, n_coins) ndarray
            1 where outputs are swapped, coin number ``unit * n_runs + run``.
        pairs : sequence of (int, int)
            Places of two systems of the same metric.
        n_runs : int
            1: all runs of a unit are swapped together. Otherwise the number of runs of every system in `pairs`; each
            run has its own coin.
        coins : ndarray of bool, optional
            The coins that the columns of the masks stand for; the other outputs are not exchanged.

        Returns
        -------
        (n_pairs, 2, n_masks) ndarray
            Scores of the two pseudo-systems.
        """
        scores = np.zeros((len(pairs), 2, len(masks)))
        for run in range(n_runs):
            own, units = masks[:, run::n_runs], None
            if coins is not None:
                chosen = np.flatnonzero(coins)
                own, units = masks[:, chosen % n_runs == run], chosen[chosen % n_runs == run] // n_runs
            swapped = self._find_swapped(pairs, units, n_runs, run)
            self._exchange_outputs(own, swapped, scores)
        n_scored = n_runs * np.bincount([number for outputs in swapped.outputs for number in outputs.numbers])
        scores /= n_scored[:, None, None]
        return scores

    def _pair_outputs(self, pair: Places, n_runs: int, run: int) -> list[Places]:
        """Return which outputs change sides on a coin: numbers of runs, counted over all systems."""
        (runs_a, runs_b), (first_a, first_b) = (
            [numbers[place] for place in pair] for numbers in (self.n_runs, self._firsts)
        )
        if n_runs > 1:
            return [(first_a + run, first_b + run)]
        paired = pair_runs(first_a + np.arange(runs_a), first_b + np.arange(runs_b))
        return list(zip(*(one.tolist() for one in paired), strict=True))

    @cached_property
    def _firsts(self) -> list[int]:
        """The number of each system's first run, counted over all systems."""
        return [0, *accumulate(self.n_runs)]

    @cached_property
    def _columns(self) -> list[slice]:
        """The columns of `sums` of each run, counted over all systems."""
        widths = [len(one.metric.statistic_names) for one in self.systems for _ in one.values]
        return [slice(end - width, end) for end, width in zip(accumulate(widths), widths, strict=True)]

    @cached_property
    def _metrics_of_outputs(self) -> list[Metric]:
        return [one.metric for one in self.systems for _ in one.values]

    def _exchange_outputs(self, masks: np.ndarray, swapped: Swapped, scores: np.ndarray) -> None:
        """Add the scores of both sides of each pair of outputs after they have been swapped to those of their systems.

        There may be thousands of pairs of outputs, so the scores of each are not kept.
        """
        for first, count in batches(len(masks), swapped.sums.shape[1]):
            moved, last = sum_swapped(swapped.sums, masks[first : first + count]), 0
            if swapped.distinct is not None:
                moved = swapped.distinct.expand(moved)
            for metric, numbers, columns in swapped.outputs:
                for begin, n_pairs in split_rows(len(numbers), max(1, SCORED_TOGETHER // count)):
                    of_a, of_b = columns[:, :, begin : begin + n_pairs]
                    if swapped.are_gains:
                        start, last = last, last + of_a.size
                        gains = moved[start:last].reshape(n_pairs, -1, count).swapaxes(0, 1)
                    else:
                        gains = moved[of_b] - moved[of_a]
                    sides = np.empty((len(gains), n_pairs, 2, count))
                    np.add(self._totals[of_a][:, :, None], gains, out=sides[:, :, 0])
                    np.subtract(self._totals[of_b][:, :, None], gains, out=sides[:, :, 1])
                    found = metric.score(sides.T).T
                    for number, of_pair in zip(numbers[begin : begin + n_pairs], found, strict=True):
                        scores[number, :, first : first + count] += of_pair

    @cached_property
    def _totals(self) -> np.ndarray:
        return self.sums.sum()

    def _find_swapped(self, pairs: Sequence[Places], units: np.ndarray | None, n_runs: int, run: int) -> Swapped:
        """Choose the columns to sum; once for all batches of masks that have all units."""
        key = tuple(pairs), n_runs, run
        if units is None and key in self._swapped:
            return self._swapped[key]
        outputs = self._group_outputs(pairs, n_runs, run)
        own = self.sums.outputs if units is None else [one[units] for one in self.sums.outputs]
        columns = SideBySide(own)
        are_gains = sum(one.columns[0].size for one in outputs) < columns.n_columns
        if are_gains:
            of_pairs = [two for pair in pairs for two in self._pair_outputs(pair, n_runs, run)]
            columns = SideBySide([own[b] for _, b in of_pairs], [own[a] for a, _ in of_pairs])
        distinct = DistinctColumns.of(columns)
        exact = single_if_exact(columns.find_largest_sum(), columns)
        found = Swapped(outputs, lay_out(columns, distinct, exact), distinct, are_gains)
        if units is None:
            if len(self._swapped) >= n_runs:  # a test asks again and again for the same, run by run
                self._swapped.clear()
            self._swapped[key] = found
        return found

    def _group_outputs(self, pairs: Sequence[Places], n_runs: int, run: int) -> list[OutputPairs]:
        """Find which outputs change sides on a coin, those of each metric together."""
        outputs = [
            (number, a, b) for number, pair in enumerate(pairs) for a, b in self._pair_outputs(pair, n_runs, run)
        ]
        found = []
        for metric, alike in groupby(outputs, lambda one: self._metrics_of_outputs[one[1]]):
            numbers, *sides = zip(*alike, strict=True)
            first = np.array([[self._columns[output].start for output in side] for side in sides])
            found.append(
                OutputPairs(metric, list(numbers), first[:, None] + np.arange(len(metric.statistic_names))[:, None])
            )
        return found

    def differing(self, pair: Places, *, n_runs: int = 1) -> np.ndarray:
        """Return which coins matter: those whose exchange changes the statistics of a run of the pair.

        Returns
        -------
        (n_coins,) ndarray of bool
        """
        by_run = [
            np.any([_differ(self.sums.outputs[a], self.sums.outputs[b]) for a, b in outputs], axis=0)
            for outputs in (self._pair_outputs(pair, n_runs, run) for run in range(n_runs))
        ]
        return np.stack(by_run, axis=1).reshape(-1)

    def exchange_each(self, pair: Places, *, n_runs: int = 1) -> np.ndarray:
        """Return half of what the pair's difference loses where the outputs of one coin alone change sides.

        Parameters
        ----------
        pair : (int, int)
        n_runs : int
            See `exchange`.

        Returns
        -------
        (n_coins,) ndarray
            In score points; 0 for a coin that does not matter. For a mean of segment scores, they sum to the
            difference.
        """
        by_run = []
        for run in range(n_runs):
            outputs, gains = self._pair_outputs(pair, n_runs, run), np.zeros(self.units.count)
            for a, b in outputs:
                own, other, metric = self.sums.outputs[a], self.sums.outputs[b], self._metrics_of_outputs[a]
                matters = _differ(own, other)
                moved = np.subtract(other[matters], own[matters], dtype=np.float64)
                totals = self._totals[self._columns[a]], self._totals[self._columns[b]]
                sides = np.stack([totals[0] + moved, totals[1] - moved], axis=1)
                observed, exchanged = metric.score(np.stack(totals)), metric.score(sides)
                gains[matters] += (observed[0] - observed[1] - exchanged[:, 0] + exchanged[:, 1]) / 2
            by_run.append(gains / (n_runs * len(outputs)))
        return np.stack(by_run, axis=1).reshape(-1)

    def count_differing(self, pair: Places = (0, 1)) -> int:
        """Count the units whose statistics, averaged over runs, differ: in none of them are systems copies."""
        if pair not in self._n_differing:
            if [self.n_runs[place] for place in pair] == [1, 1]:
                differ = self.differing(pair)
            else:
                differ = _differ(*(self.units.sum(self.systems[place].values).mean(axis=0) for place in pair))
            self._n_differing[pair] = int(np.count_nonzero(differ))
        return self._n_differing[pair]


def _differ(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Tell which rows of statistics differ, by more than averages of equal ones may."""
    differ = np.empty(len(a), dtype=bool)
    for first, count in split_rows(len(a), ROWS_TOGETHER):
        rows = slice(first, first + count)
        # Statistic by statistic, because rows are short.
        one, other = (np.array(values[rows].T, dtype=np.float64, order="C") for values in (a, b))
        differ[rows] = np.any(np.abs(other - one) > SAME_STATISTICS * np.maximum(np.abs(one), np.abs(other)), axis=0)
    return differ


def _join(totals: Sequence[np.ndarray]) -> np.ndarray:
    """Put the sums of batches side by side, statistic by statistic in memory, as they are scored."""
    joined = np.empty((len(totals[0]), sum(one.shape[1] for one in totals)))
    return np.concatenate(totals, axis=1, out=joined)


def sum_swapped(sums: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """Add up the statistics that are swapped, in parts that stay in the processor's cache.

    Parameters
    ----------
    sums : (n_coins, n_columns) ndarray
    masks : (n_masks, n_coins) ndarray
        1 where the outputs of a coin are swapped.

    Returns
    -------
    (n_columns, n_masks) ndarray of float64
        Statistic by statistic, as metrics read them.
    """
    swapped = np.zeros((sums.shape[1], len(masks)))
    n_together = CACHED_COINS
    if sums.dtype == np.float32:  # sums are exact, in parts of any size: of few masks, more coins make a part
        n_together = max(CACHED_COINS, rows_in_cache(len(masks)))
    for first, n_coins in split_rows(masks.shape[1], n_together):
        coins = slice(first, first + n_coins)
        for row, n_rows in split_rows(len(masks), rows_in_cache(n_coins)):
            rows = slice(row, row + n_rows)
            swapped[:, rows] += sum_weighted(masks[rows, coins], sums[coins]).T
    return swapped


def single_if_exact(largest: float, sums: np.ndarray | SideBySide) -> type:
    """Return float32 where sums of whole numbers that are at most `largest` are exact in it, else float64."""
    return np.float32 if largest < EXACT_IN_FLOAT32 and is_whole(sums) else np.float64


def scored_segments(system: SystemStatistics) -> np.ndarray | None:
    """Return the mask of the segments that at least one run of the system has a score for; None for all.

    Raises
    ------
    InputError
        Where there is no such segment.
    """
    if not system.missing.any():
        return None
    some: np.ndarray = np.any(scored(system.metric, system.values), axis=0)
    if not some.any():
        raise InputError("no-scores", f"{system.system!r} has no {system.metric.name} for any segment.")
    return None if some.all() else some


def segments_of_both(a: SystemStatistics, b: SystemStatistics) -> np.ndarray | None:
    """Return the mask of the segments that all runs of both systems have scores for; None for all.

    Raises
    ------
    InputError
        Where there is no such segment.
    """
    missing = a.missing | b.missing
    if missing.all():
        raise InputError(
            "no-common-scores",
            f"There is no segment for which both {a.system!r} and {b.system!r} have {a.metric.name}.",
        )
    return ~missing if missing.any() else None


def pair_table(
    a: SystemStatistics, b: SystemStatistics, unit: str = "segment", strata: str | None = None
) -> ScoreTable:
    """Make the table of two systems, on the segments that both have scores for; a warning counts the others.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set: see `check_comparable`.
    unit, strata : str
        See `choose_units`; ``auto`` chooses for the whole test set.
    """
    unit = choose_units(a.test_set, unit, strata).name
    segments = segments_of_both(a, b)
    if segments is not None:
        count = int(np.count_nonzero(~segments))
        DataWarning(
            "missing-scores",
            f"{count} of {len(segments)} segments have no {a.metric.name} in {a.system!r} or {b.system!r} and "
            "leave the comparison for both.",
            count=count,
        ).warn()
    return ScoreTable.of([a, b], unit, segments, strata)
