"""The draws of one test set, and of several: in parts that any process can do, the same wherever it is done.

A part returns what a comparison of several sets needs of it, and no more: of trials only counts, because the
differences of all trials, sets and pairs would be gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mtworkbench.inference.bootstrap import Resampled
from mtworkbench.inference.families import EstimatedPart, divide_segments, number_pairs
from mtworkbench.inference.intervals import count_extreme, tolerance_of
from mtworkbench.inference.randomization import (
    MAX_EXACT_COINS,
    N_SPREAD_TRIALS,
    ExchangedPair,
    exchange_in_batches,
    randomize,
)
from mtworkbench.inference.score_table import Places
from mtworkbench.inference.step_down import Step, StepDown, take_steps
from mtworkbench.resampling import BATCH_CELLS, RandomKey, split_rows
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.settings import Settings
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: A part has so many trials that it takes some seconds: in units of an output of one segment that may change sides.
WORK_OF_PART = 2**33
#: To score both sides of a pair takes as long as to exchange so many outputs.
WORK_OF_PAIR = 500

#: The statistics of a test set, under one metric or several.
Statistics = SegmentStatistics | Sequence[SegmentStatistics]
#: The plain numbers and words that say what `draw_part` draws.
Part = dict[str, Any]
#: Computes a function such as `draw_part` for each part, and returns the results in the order of the parts.
Run = Callable[
    [Callable[[Mapping[str, Statistics], Part], dict[str, np.ndarray]], Mapping[str, Statistics], Sequence[Part]],
    Iterable[dict[str, np.ndarray]],
]


@dataclass(frozen=True, eq=False)
class DividedSet:
    """One test set, with the pairs that are compared and the segments that each rests on.

    Parameters
    ----------
    systems : list of SystemStatistics
        Of all metrics, metric by metric.
    pairs : list of (int, int)
    parts : list of EstimatedPart
    """

    systems: list[SystemStatistics]
    pairs: list[Places]
    parts: list[EstimatedPart]

    @classmethod
    def of(
        cls, statistics: Statistics, baseline: str | None, exchange: str, unit: str, strata: str | None = None
    ) -> DividedSet:
        """Divide the segments of a test set by what is estimated on them."""
        families = [statistics] if isinstance(statistics, SegmentStatistics) else statistics
        systems, _, pairs = number_pairs(families, baseline, exchange)
        flat = [pair for of_metric in pairs for pair in of_metric]
        return cls(systems, flat, divide_segments(systems, flat, unit, strata))

    def find_pairs(self) -> list[tuple[EstimatedPart, Places]]:
        """Return the part of each pair and its places there, in the order of `pairs`."""
        found = {pair: (part, places) for part in self.parts for pair, places in part.pairs.items()}
        return [found[pair] for pair in self.pairs]

    def find_systems(self) -> list[tuple[EstimatedPart, int]]:
        """Return the part of each system and its place there, in the order of `systems`."""
        found = {number: (part, place) for part in self.parts for number, place in part.systems.items()}
        return [found[number] for number in range(len(self.systems))]

    def find_exchanges(self, exchange: str) -> list[tuple[list[int], list[ExchangedPair]]]:
        """Return those pairs together that have the same coins, with their numbers in `pairs`."""
        rows = {pair: row for row, pair in enumerate(self.pairs)}
        return [
            ([{places: rows[pair] for pair, places in part.pairs.items()}[one.places] for one in same], same)
            for part in self.parts
            for same in ExchangedPair.of_table(part.table, part.pairs.values(), exchange)
        ]

    def exchanged(self, exchange: str) -> list[ExchangedPair]:
        """Return the pairs whose outputs are to be exchanged, in the order of `pairs`."""
        found = {row: one for rows, same in self.find_exchanges(exchange) for row, one in zip(rows, same, strict=True)}
        return [found[row] for row in range(len(self.pairs))]


@dataclass(frozen=True, eq=False)
class SetDraws:
    """All draws of one test set.

    Parameters
    ----------
    resampled : list of Resampled
        Of each part.
    tests : list of Randomization
        Of each pair, in the order of `DividedSet.pairs`; the differences of the trials are not kept.
    steps : dict of (int, int) to Step
        With max-T, by pair: what the trials of its family say.
    """

    resampled: list[Resampled]
    tests: list[Randomization]
    steps: dict[Places, Step] = field(default_factory=dict)


def draw_set(
    divided: DividedSet, shared: Sequence[Sequence[Places]], settings: Settings, advance: Callable[[int], object]
) -> SetDraws:
    """Draw a test set here and now, once for all systems, runs and metrics of a part.

    Parameters
    ----------
    divided : DividedSet
    shared : sequence of sequence of (int, int)
        The families whose trials are also counted together, for max-T.
    settings : Settings
    advance : callable
        Called with the number of draws that have been made.
    """
    resampled: list[Resampled] = []
    tests: dict[Places, Randomization] = {}
    steps: dict[Places, Step] = {}
    for part in divided.parts:
        resampled.append(Resampled.of(part.table, settings.n_resamples, settings.random_key, advance))
        families = [StepDown([part.pairs[pair] for pair in one]) for one in shared if part.pairs.keys() >= set(one)]
        found = randomize(
            part.table,
            list(part.pairs.values()),
            exchange=settings.exchange or "unit",
            n_trials=settings.trials,
            random_key=settings.random_key,
            keep_differences=False,
            families=families,
            advance=advance,
        )
        tests |= zip(part.pairs, found, strict=True)
        for family in families:
            taken = take_steps(family, part.table, settings.trials, settings.level)
            steps |= {pair: taken[places] for pair, places in part.pairs.items() if places in taken}
    return SetDraws(resampled, [tests[pair] for pair in divided.pairs], steps)


@dataclass(frozen=True, eq=False)
class DrawsOverSets:
    """What the trials of all test sets together say of each pair.

    Parameters
    ----------
    n_coins : list of int
        Coins that matter, on all sets.
    n_extreme : (n_pairs,) ndarray of int64
        Trials, or exchanges where all are made, whose mean difference is at least as large as the observed one.
    steps : StepDown or None
        With max-T: the trials of all pairs, counted together.
    """

    n_coins: list[int]
    n_extreme: np.ndarray
    steps: StepDown | None

    def is_enumerated(self, number: int) -> bool:
        """Tell whether so few coins matter to a pair, on all sets together, that all exchanges are made."""
        return self.n_coins[number] <= MAX_EXACT_COINS


def draw_sets(
    statistics: Mapping[str, Statistics],
    divided: Sequence[DividedSet],
    units: Mapping[str, str],
    baseline: str | None,
    settings: Settings,
    run: Run,
    advance: Callable[[int], object],
) -> tuple[list[SetDraws], DrawsOverSets]:
    """Draw each test set, and average over sets.

    Parameters
    ----------
    statistics : mapping of str to SegmentStatistics, or to a sequence of them
        The test sets; set i, counted from 1, draws with the key of sample i.
    divided : sequence of DividedSet
        Of each set.
    units : mapping of str to str
        By test set.
    baseline : str or None
    settings : Settings
        With max-T, the trials of all pairs are also counted together.
    run : callable
        See `Run`.
    advance : callable
        Called with the number of draws that have been made.
    """
    keys = [settings.random_key.sample(number) for number, _ in enumerate(divided, start=1)]
    exchange = settings.exchange or "unit"
    pairs = [one.exchanged(exchange) for one in divided]
    n_coins = [sum(pair.n_coins for pair in own) for own in zip(*pairs, strict=True)]
    sets = [
        {"test_set": test_set, "unit": units[test_set], "key": key.key}
        for test_set, key in zip(statistics, keys, strict=True)
    ]
    strata = {} if settings.strata is None else {"strata": settings.strata}
    options = {"baseline": baseline, "exchange": exchange} | strata
    few = [[one] for one, own in zip(sets, pairs, strict=True) if any(pair.is_enumerated for pair in own)]
    few += [sets] if any(number <= MAX_EXACT_COINS for number in n_coins) else []
    of_trials: Part = {"draw": "trials", **options, "sets": sets}
    families: list[StepDown] = []
    if settings.adjust == "max-t" and len(n_coins) > 1:
        part = of_trials | {"draw": "spreads", "first": 0, "count": N_SPREAD_TRIALS}
        [found] = run(draw_part, statistics, [part])
        spreads = np.where(np.array([*([pair.n_coins for pair in own] for own in pairs), n_coins]), found["spreads"], 0)
        of_trials |= {"spreads": spreads.tolist()}
        scores = np.array([[pair.observed for pair in own] for own in pairs])
        keys_of = [*([places for _, places in one.find_pairs()] for one in divided), divided[0].pairs]
        families = [begin_family(*one) for one in zip(keys_of, [*scores, scores.mean(axis=0)], spreads, strict=True)]
    parts: list[Part] = [
        {"draw": "resamples", "first": 0, "count": settings.n_resamples, **options, "sets": [one]} for one in sets
    ]
    parts += [{"draw": "exact", "first": 0, "count": 0, **options, "sets": those} for those in few]
    parts += [
        of_trials | {"first": first, "count": count} for first, count in blocks_of_trials(settings.trials, divided)
    ]
    resampled: list[list[Resampled]] = []
    # The last row is of all sets together.
    n_extreme = np.zeros((len(sets) + 1, len(n_coins)), dtype=np.int64)
    enumerated: dict[int, np.ndarray] = {}
    for part, unit in zip(parts, run(draw_part, statistics, parts), strict=True):
        if part["draw"] == "resamples":
            resampled.append(split_resamples(divided[len(resampled)], unit))
        elif part["draw"] == "exact":
            enumerated[len(sets) if part["sets"] == sets else sets.index(*part["sets"])] = unit["n_extreme"]
        else:
            n_extreme += np.array([*unit["n_extreme"], unit["n_extreme_of_all"]])
            for number, family in enumerate(families):
                family.add(unit["n_reached"][number], unit["largest"][number])
        advance(part["count"] * len(part["sets"]))
    for row, counts in enumerated.items():
        n_extreme[row] = np.where(counts >= 0, counts, n_extreme[row])
    drawn = []
    for place, (one, own, key) in enumerate(zip(divided, pairs, keys, strict=True)):
        counted = zip(own, n_extreme[place].tolist(), strict=True)
        tests = [pair.record(count, exchange, settings.trials, key) for pair, count in counted]
        steps = {}
        if families:
            table = one.find_pairs()[0][0].table  # they all rest on the same segments: see `check_shared_trials`
            taken = take_steps(families[place], table, settings.trials, settings.level)
            steps = {pair: taken[places] for pair, (_, places) in zip(one.pairs, one.find_pairs(), strict=True)}
        drawn.append(SetDraws(resampled[place], tests, steps))
    return drawn, DrawsOverSets(n_coins, n_extreme[-1], families[-1] if families else None)


def begin_family(pairs: Sequence[Places], scores: np.ndarray, spreads: np.ndarray | Sequence[float]) -> StepDown:
    """Begin to count the trials of pairs together, with both scores of each, (n_pairs, 2); copies have no spread."""
    family = StepDown(pairs)
    drawn = {pair: (own, spread) for pair, own, spread in zip(pairs, scores, spreads, strict=True) if spread > 0}
    family.begin(
        {pair: own for pair, (own, _) in drawn.items()}, {pair: float(one) for pair, (_, one) in drawn.items()}
    )
    return family


def split_resamples(divided: DividedSet, drawn: Mapping[str, np.ndarray]) -> list[Resampled]:
    """Return the resamples of each part, of what `draw_part` has drawn of all of them."""
    ends = np.cumsum([len(part.table.systems) for part in divided.parts])[:-1]
    arrays = (np.split(drawn[name], ends) for name in Resampled._fields)
    return [Resampled(*one) for one in zip(*arrays, strict=True)]


def draw_here(
    compute: Callable[[Mapping[str, Statistics], Part], dict[str, np.ndarray]],
    shared: Mapping[str, Statistics],
    parts: Sequence[Part],
) -> Iterator[dict[str, np.ndarray]]:
    """Compute each part here and now, when it is asked for."""
    return (compute(shared, part) for part in parts)


def take_sets(shared: Mapping[str, Statistics], part: Part) -> list[Statistics]:
    """Return what `draw_part` needs of the test sets, whichever others there are."""
    return [shared[one["test_set"]] for one in part["sets"]]


def draw_part(shared: Mapping[str, Statistics], part: Part) -> dict[str, np.ndarray]:
    """Draw resamples or trials.

    Parameters
    ----------
    shared : mapping of str to SegmentStatistics, or to a sequence of them
        The test sets.
    part : dict
        Which draws: ``draw`` "resamples", "trials", "spreads" or "exact", with ``first`` and ``count``; ``baseline``,
        ``exchange`` and, if there are any, ``strata``; and ``sets``, a list of dicts with ``test_set``, ``unit`` (of
        `divide_segments`) and ``key`` of the set's draws (of `RandomKey`): one set or all of them; for trials, always
        all. With max-T, trials have the ``spreads`` of each pair on each set and, last, on all of them.

    Returns
    -------
    dict of str to ndarray
        Of resamples: the fields of `Resampled`, of all parts of the set. Of trials: `count_trials`. Of "spreads":
        `measure_spreads`. Of "exact": ``n_extreme`` of `enumerate_sets`.
    """
    baseline, exchange, strata = part["baseline"], part["exchange"], part.get("strata")
    sets = (
        (DividedSet.of(statistics, baseline, exchange, one["unit"], strata), RandomKey(one["key"]))
        for statistics, one in zip(take_sets(shared, part), part["sets"], strict=True)
    )
    first, count = part["first"], part["count"]
    if part["draw"] == "trials":
        return count_trials(sets, exchange, first, count, part.get("spreads"))
    if part["draw"] == "spreads":
        return {"spreads": measure_spreads(sets, exchange, count)}
    if part["draw"] == "exact":
        return {"n_extreme": enumerate_sets([divided for divided, _ in sets], exchange)}
    [(divided, key)] = sets
    drawn = [Resampled.of(one.table, count, key) for one in divided.parts]
    return {name: np.concatenate([getattr(one, name) for one in drawn]) for name in Resampled._fields}


def count_trials(
    sets: Iterable[tuple[DividedSet, RandomKey]],
    exchange: str,
    first: int,
    count: int,
    spreads: Sequence[Sequence[float]] | None = None,
) -> dict[str, np.ndarray]:
    """Count the extreme trials among ``first`` to ``first + count - 1``.

    Returns
    -------
    dict of str to ndarray
        ``n_extreme``, (n_sets, n_pairs), of each set; ``n_extreme_of_all``, (n_pairs,), of the mean over sets. With
        the spreads of max-T also ``n_reached``, (n_sets + 1, n_pairs), and ``largest``, (n_sets + 1, count), of each
        set and, last, of the mean: see `StepDown.tally`.
    """
    n_extreme, tallies = [], []
    total, scores_of_all, tolerance = np.zeros(()), np.zeros(()), np.zeros(())
    for number, (divided, key) in enumerate(sets):
        scores, differences = exchange_set(divided, key, exchange, first, count)
        own_tolerance = tolerance_of(scores)
        n_extreme.append(count_extreme(differences, scores[:, 0] - scores[:, 1], own_tolerance))
        if spreads is not None:
            tallies.append(tally(scores, spreads[number], differences))
        total, scores_of_all = total + differences, scores_of_all + scores
        tolerance = tolerance + own_tolerance
    observed = scores_of_all[:, 0] - scores_of_all[:, 1]
    found = {"n_extreme": np.array(n_extreme), "n_extreme_of_all": count_extreme(total, observed, tolerance)}
    if spreads is not None:
        n_sets = len(n_extreme)
        tallies.append(tally(scores_of_all / n_sets, spreads[-1], total / n_sets))
        found |= dict(zip(("n_reached", "largest"), map(np.array, zip(*tallies, strict=True)), strict=True))
    return found


def tally(scores: np.ndarray, spreads: Sequence[float], differences: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Count trials of all pairs together, (n_pairs, n_trials): see `StepDown.tally`."""
    pairs = [(row, row) for row in range(len(scores))]
    family = begin_family(pairs, scores, spreads)
    for first, size in split_rows(differences.shape[1], max(1, BATCH_CELLS // len(pairs))):
        family.count(dict(zip(pairs, differences[:, first : first + size], strict=True)))
    counts, largest = family.tally()
    return counts, largest if len(largest) else np.zeros(differences.shape[1])


def measure_spreads(sets: Iterable[tuple[DividedSet, RandomKey]], exchange: str, count: int) -> np.ndarray:
    """Return the root mean square of the differences of each pair in the first trials, (n_sets + 1, n_pairs).

    The last row is of the mean over sets.
    """
    squares, total = [], np.zeros(())
    for divided, key in sets:
        _, differences = exchange_set(divided, key, exchange, 0, count)
        squares.append((differences**2).mean(axis=1))
        total = total + differences
    squares.append(((total / len(squares)) ** 2).mean(axis=1))
    return np.sqrt(squares)


def exchange_set(
    divided: DividedSet, key: RandomKey, exchange: str, first: int, count: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw trials ``first`` to ``first + count - 1`` of a test set.

    Returns
    -------
    scores : (n_pairs, 2) ndarray
        With nothing exchanged: what trials are compared with.
    differences : (n_pairs, count) ndarray
    """
    observed, differences = np.empty((len(divided.pairs), 2)), np.empty((len(divided.pairs), count))
    for rows, same in divided.find_exchanges(exchange):
        observed[rows] = [pair.observed for pair in same]
        last = 0
        for batch in exchange_in_batches(same[0].table, same, first, count, key):
            begin, last = last, last + batch.shape[1]
            differences[rows, begin:last] = batch
    return observed, differences


def enumerate_sets(sets: Sequence[DividedSet], exchange: str) -> np.ndarray:
    """Count, among all exchanges on some sets, those whose mean difference is at least as large as the observed one.

    Returns
    -------
    (n_pairs,) ndarray of int64
        -1 for a pair with more coins that matter, on these sets together, than are enumerated.
    """
    pairs = list(zip(*(divided.exchanged(exchange) for divided in sets), strict=True))
    n_extreme = np.full(len(pairs), -1)
    for row, own in enumerate(pairs):
        if sum(pair.n_coins for pair in own) <= MAX_EXACT_COINS:
            total = np.zeros(1)
            for pair in own:
                # Each exchange on this set with each on those before it.
                total = np.add.outer(total, pair.exchange_all()).ravel()
            scores = np.array([pair.observed for pair in own])
            n_extreme[row] = count_extreme(total, np.subtract(*scores.sum(axis=0)), tolerance_of(scores).sum())
    return n_extreme


def blocks_of_trials(n_trials: int, sets: Sequence[DividedSet]) -> Iterator[tuple[int, int]]:
    """Split the trials of all sets into parts of some seconds each: (first trial, their number).

    It depends on nothing but the data, so that a study finds its parts again.
    """
    outputs = sum(part.table.n_segments * sum(part.table.n_runs) for one in sets for part in one.parts)
    return split_rows(n_trials, max(1, WORK_OF_PART // (outputs + WORK_OF_PAIR * sum(len(one.pairs) for one in sets))))
