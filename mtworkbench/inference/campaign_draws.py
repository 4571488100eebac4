"""The draws of a campaign, in parts that any process can do, the same wherever it is done.

A part returns what the campaign needs of it, and no more: of trials only counts, because the differences of all trials,
sets and pairs would be gigabytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.families import EstimatedPart, divide_segments, number_pairs
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.randomization import MAX_EXACT_COINS, enumerate_exchanges, runs_with_coins
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.settings import Settings
from mtworkbench.resampling import COINS, RandomKey, batches, exchange_coins, split_rows
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: A part has so many trials that it takes some seconds: in units of an output of one segment that may change sides.
WORK_OF_PART = 2**33
#: To score both sides of a pair takes as long as to exchange so many outputs.
WORK_OF_PAIR = 500

#: The plain numbers and words that say what `draw_part` draws.
Part = dict[str, Any]
Run = Callable[
    [
        Callable[[Mapping[str, SegmentStatistics], Part], dict[str, np.ndarray]],
        Mapping[str, SegmentStatistics],
        Sequence[Part],
    ],
    Iterable[dict[str, np.ndarray]],
]


@dataclass(frozen=True, eq=False)
class DividedSet:
    """One test set under one metric, with the pairs that are compared and the segments that each rests on.

    Parameters
    ----------
    systems : list of SystemStatistics
    pairs : list of (int, int)
    parts : list of EstimatedPart
    """

    systems: list[SystemStatistics]
    pairs: list[Places]
    parts: list[EstimatedPart]

    @classmethod
    def of(cls, family: SegmentStatistics, baseline: str | None, exchange: str, unit: str) -> DividedSet:
        """Divide the segments of a test set by what is estimated on them."""
        systems, _, [pairs] = number_pairs([family], baseline, exchange)
        return cls(systems, pairs, divide_segments(systems, pairs, unit))

    def find_pairs(self) -> Iterator[tuple[ScoreTable, Places]]:
        """Yield the table of each pair and its places there, in the order of `pairs`."""
        found = {pair: (part.table, places) for part in self.parts for pair, places in part.pairs.items()}
        return (found[pair] for pair in self.pairs)

    def find_systems(self) -> Iterator[tuple[ScoreTable, int]]:
        """Yield the table of each system and its place there, in the order of `systems`."""
        found = {number: (part.table, place) for part in self.parts for number, place in part.systems.items()}
        return (found[number] for number in range(len(self.systems)))


@dataclass(frozen=True, eq=False)
class SetPair:
    """A pair of systems on one test set, before anything is drawn.

    Parameters
    ----------
    table : ScoreTable
        Of the segments that both have scores for.
    places : (int, int)
    n_coins : int
        Coins that matter.
    """

    table: ScoreTable
    places: Places
    n_coins: int

    @classmethod
    def of(cls, table: ScoreTable, places: Places, exchange: str) -> SetPair:
        """Look at a pair."""
        n_runs = runs_with_coins(table, [places], exchange)[places]
        return cls(table, places, int(np.count_nonzero(table.differing(places, n_runs=n_runs))))

    @property
    def names(self) -> tuple[str, str]:
        """Names of a and of b."""
        a, b = (self.table.systems[place].system for place in self.places)
        return a, b

    @property
    def scores(self) -> tuple[float, float]:
        """Score of a and of b, means over runs."""
        a, b = (self.table.means[place] for place in self.places)
        return a, b

    @property
    def difference(self) -> float:
        """Score of a - score of b."""
        return self.scores[0] - self.scores[1]

    @property
    def tested_difference(self) -> float:
        """The difference that p is of: see `Randomization`."""
        a, b = (self.table.pooled_scores[place] for place in self.places)
        return a - b

    @property
    def scale(self) -> float:
        """The larger absolute score."""
        return max(map(abs, self.scores))

    @property
    def influence(self) -> np.ndarray:
        """What each unit contributes to the difference, (n_units,) ndarray."""
        a, b = self.places
        return self.table.influence[a] - self.table.influence[b]


@dataclass(frozen=True, eq=False)
class Draws:
    """All draws of a metric.

    Parameters
    ----------
    systems : (n_sets, n_systems, n_resamples) ndarray
        The resampled scores.
    pairs : list of (int, int)
        The systems of each pair, by their numbers.
    on_fewer_segments : list of dict of int to (n_resamples,) ndarray
        For each set, the resampled differences of the pairs, by their numbers, that do not rest on all segments of both
        systems, and so do not follow from `systems`.
    n_extreme : (n_sets, n_pairs) ndarray of int64
        Trials of each set whose difference is at least as large as the observed one.
    n_enumerated : (n_sets, n_pairs) ndarray of int64
        Such exchanges among all; -1 where there are too many to enumerate.
    n_extreme_of_all : (n_pairs,) ndarray of int64
        Trials whose mean difference over sets is at least as large as the observed one.
    n_enumerated_of_all : (n_pairs,) ndarray of int64
        Such exchanges among all on all sets together; -1 where there are too many to enumerate.
    """

    systems: np.ndarray
    pairs: list[Places]
    on_fewer_segments: list[dict[int, np.ndarray]]
    n_extreme: np.ndarray
    n_enumerated: np.ndarray
    n_extreme_of_all: np.ndarray
    n_enumerated_of_all: np.ndarray

    def resampled_difference(self, place: int, number: int) -> np.ndarray:
        """Return the resampled differences of a pair on one set, (n_resamples,) ndarray."""
        if number in self.on_fewer_segments[place]:
            return self.on_fewer_segments[place][number]
        a, b = self.pairs[number]
        return self.systems[place, a] - self.systems[place, b]


def draw_metric(
    families: Mapping[str, SegmentStatistics],
    units: Mapping[str, str],
    baseline: str | None,
    divided: Sequence[DividedSet],
    pairs: Sequence[Sequence[SetPair]],
    settings: Settings,
    run: Run,
    advance: Callable[[int], object],
) -> Draws:
    """Draw each test set, and average over sets.

    Parameters
    ----------
    families : mapping of str to SegmentStatistics
        The test sets; set i, counted from 1, draws with the key of sample i.
    units : mapping of str to str
        By test set.
    baseline : str or None
    divided : sequence of DividedSet
        Of each set.
    pairs : sequence of sequence of SetPair
        Set by set, in the order of `DividedSet.pairs`.
    settings : Settings
    run : callable
        Computes a function such as `draw_part` for each part, and returns the results in the order of the parts.
    advance : callable
        Called with the number of draws that have been made.
    """
    n_sets, n_pairs = len(families), len(pairs[0])
    sets = [
        {"test_set": test_set, "unit": units[test_set], "key": settings.random_key.sample(number).key}
        for number, test_set in enumerate(families, start=1)
    ]
    options = {"baseline": baseline, "exchange": settings.exchange}
    few = [[one] for one, own in zip(sets, pairs, strict=True) if any(pair.n_coins <= MAX_EXACT_COINS for pair in own)]
    few += [sets] if any(map(has_few_coins, zip(*pairs, strict=True))) else []
    parts: list[Part] = [
        {"draw": "resamples", "first": 0, "count": settings.n_resamples, **options, "sets": [one]} for one in sets
    ]
    parts += [{"draw": "exact", "first": 0, "count": 0, **options, "sets": those} for those in few]
    parts += [
        {"draw": "trials", "first": first, "count": count, **options, "sets": sets}
        for first, count in blocks_of_trials(settings.n_trials, divided)
    ]
    systems = np.empty((n_sets, len(divided[0].systems), settings.n_resamples))
    on_fewer_segments: list[dict[int, np.ndarray]] = []
    n_enumerated, n_enumerated_of_all = np.full((n_sets, n_pairs), -1), np.full(n_pairs, -1)
    n_extreme, n_extreme_of_all = np.zeros((n_sets, n_pairs), dtype=np.int64), np.zeros(n_pairs, dtype=np.int64)
    for part, one in zip(parts, run(draw_part, families, parts), strict=True):
        if part["draw"] == "resamples":
            systems[len(on_fewer_segments)] = one["systems"]
            on_fewer_segments.append(dict(zip(one["fewer"].tolist(), one["differences"], strict=True)))
        elif part["draw"] == "exact" and part["sets"] == sets:
            n_enumerated_of_all = one["n_extreme"]
        elif part["draw"] == "exact":
            n_enumerated[sets.index(*part["sets"])] = one["n_extreme"]
        else:
            n_extreme += one["n_extreme"]
            n_extreme_of_all += one["n_extreme_of_all"]
        advance(part["count"] * len(part["sets"]))
    counts = n_extreme, n_enumerated, n_extreme_of_all, n_enumerated_of_all
    return Draws(systems, divided[0].pairs, on_fewer_segments, *counts)


def has_few_coins(pairs: Iterable[SetPair]) -> bool:
    """Tell whether so few coins matter to a pair, on these sets together, that all exchanges are enumerated."""
    return sum(pair.n_coins for pair in pairs) <= MAX_EXACT_COINS


def draw_here(
    compute: Callable[[Mapping[str, SegmentStatistics], Part], dict[str, np.ndarray]],
    shared: Mapping[str, SegmentStatistics],
    parts: Sequence[Part],
) -> Iterator[dict[str, np.ndarray]]:
    """Compute each part here and now, when it is asked for."""
    return (compute(shared, part) for part in parts)


def take_sets(shared: Mapping[str, SegmentStatistics], part: Part) -> list[SegmentStatistics]:
    """Return what `draw_part` needs of the test sets, whichever others there are."""
    return [shared[one["test_set"]] for one in part["sets"]]


def draw_part(shared: Mapping[str, SegmentStatistics], part: Part) -> dict[str, np.ndarray]:
    """Draw resamples or trials under one metric.

    Parameters
    ----------
    shared : mapping of str to SegmentStatistics
        The test sets.
    part : dict
        Which draws: ``draw`` "resamples", "trials" or "exact", with ``first`` and ``count``; ``baseline`` and
        ``exchange``; and ``sets``, a list of dicts with ``test_set``, ``unit`` (of `divide_segments`) and ``key`` of
        the set's draws (of `RandomKey`): one set or all of them; for trials, always all.

    Returns
    -------
    dict of str to ndarray
        Of resamples: `resample_set`. Of trials: `count_trials`. Of "exact": ``n_extreme`` of `enumerate_sets`.
    """
    sets = (
        (DividedSet.of(statistics, part["baseline"], part["exchange"], one["unit"]), RandomKey(one["key"]))
        for statistics, one in zip(take_sets(shared, part), part["sets"], strict=True)
    )
    if part["draw"] == "trials":
        return count_trials(sets, part["exchange"], part["first"], part["count"])
    if part["draw"] == "exact":
        return {"n_extreme": enumerate_sets([divided for divided, _ in sets], part["exchange"])}
    [(divided, key)] = sets
    return resample_set(divided, key, part["count"])


def resample_set(divided: DividedSet, key: RandomKey, n_resamples: int) -> dict[str, np.ndarray]:
    """Draw the first resamples of a test set.

    Returns
    -------
    dict of str to ndarray
        ``systems``, (n_systems, n_resamples), their scores, means over runs; and the ``differences`` of the pairs that
        do not follow from these, because one of the systems has scores for more segments than both have, with the
        numbers of these pairs, ``fewer``.
    """
    systems = np.empty((len(divided.systems), n_resamples))
    differences: dict[int, np.ndarray] = {}
    for part in divided.parts:
        averages = [scores.mean(axis=1) for scores in resample(part.table, n_resamples, key)]
        for number, place in part.systems.items():
            systems[number] = averages[place]
        for pair, (a, b) in part.pairs.items():
            if not part.systems.keys() >= set(pair):
                differences[divided.pairs.index(pair)] = averages[a] - averages[b]
    return {
        "systems": systems,
        "fewer": np.array(list(differences), dtype=np.int64),
        "differences": np.array(list(differences.values())).reshape(-1, n_resamples),
    }


def count_trials(
    sets: Iterable[tuple[DividedSet, RandomKey]], exchange: str, first: int, count: int
) -> dict[str, np.ndarray]:
    """Count the extreme trials among ``first`` to ``first + count - 1``.

    Returns
    -------
    dict of str to ndarray
        ``n_extreme``, (n_sets, n_pairs), of each set; ``n_extreme_of_all``, (n_pairs,), of the mean over sets.
    """
    n_extreme = []
    total: np.ndarray = np.zeros(())
    observed, tolerance = total, total
    for divided, key in sets:
        scores, differences = exchange_set(divided, key, exchange, first, count)
        own_observed, own_tolerance = scores[:, 0] - scores[:, 1], TIE * np.abs(scores).max(axis=1)
        n_extreme.append(count_extreme(differences, own_observed, own_tolerance))
        total, observed, tolerance = total + differences, observed + own_observed, tolerance + own_tolerance
    return {
        "n_extreme": np.array(n_extreme),
        "n_extreme_of_all": count_extreme(total, observed, tolerance),
    }


def count_extreme(differences: np.ndarray, observed: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Count the trials, (n_pairs, n_trials), whose difference is at least as large as the observed one of the pair."""
    return np.count_nonzero(np.abs(differences) >= (np.abs(observed) - tolerance)[:, None], axis=1)


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
    rows = {pair: row for row, pair in enumerate(divided.pairs)}
    for part in divided.parts:
        table, n_runs = part.table, runs_with_coins(part.table, part.pairs.values(), exchange)
        for number in dict.fromkeys(n_runs.values()):
            some = {pair: places for pair, places in part.pairs.items() if n_runs[places] == number}
            own, n_coins = [rows[pair] for pair in some], table.units.count * number
            observed[own] = table.exchange(np.zeros((1, n_coins)), list(some.values()), n_runs=number)[:, :, 0]
            for begin, size in batches(count, n_coins):
                masks = exchange_coins(n_coins, first + begin, size, key=key.stream(COINS))
                scores = table.exchange(masks, list(some.values()), n_runs=number)
                differences[own, begin : begin + size] = scores[:, 0] - scores[:, 1]
    return observed, differences


def enumerate_sets(sets: Sequence[DividedSet], exchange: str) -> np.ndarray:
    """Count, among all exchanges on some sets, those whose mean difference is at least as large as the observed one.

    Returns
    -------
    (n_pairs,) ndarray of int64
        -1 for a pair with more coins that matter, on these sets together, than are enumerated.
    """
    n_extreme = np.full(len(sets[0].pairs), -1)
    pairs = zip(*([SetPair.of(*found, exchange) for found in divided.find_pairs()] for divided in sets), strict=True)
    for row, own in enumerate(pairs):
        if has_few_coins(own):
            total, observed, tolerance = np.zeros(1), np.zeros(1), np.zeros(1)
            for pair in own:
                scores, differences = exchange_all(pair, exchange)
                # Each exchange on this set with each on those before it.
                total = np.add.outer(total, differences).ravel()
                observed, tolerance = observed + scores[0] - scores[1], tolerance + TIE * np.abs(scores).max()
            [n_extreme[row]] = count_extreme(total[None], observed, tolerance)
    return n_extreme


def exchange_all(pair: SetPair, exchange: str) -> tuple[np.ndarray, np.ndarray]:
    """Make all exchanges of the k coins that matter: both scores with nothing exchanged, and 2**k differences."""
    table, places = pair.table, pair.places
    n_runs = runs_with_coins(table, [places], exchange)[places]
    observed = table.exchange(np.zeros((1, table.units.count * n_runs)), [places], n_runs=n_runs)[0, :, 0]
    _, differences = enumerate_exchanges(table, places, n_runs, table.differing(places, n_runs=n_runs), observed)
    return observed, differences


def blocks_of_trials(n_trials: int, sets: Sequence[DividedSet]) -> Iterator[tuple[int, int]]:
    """Split the trials of all sets into parts of some seconds each: (first trial, their number).

    It depends on nothing but the data, so that a study finds its parts again.
    """
    outputs = sum(part.table.n_segments * sum(part.table.n_runs) for one in sets for part in one.parts)
    return split_rows(n_trials, max(1, WORK_OF_PART // (outputs + WORK_OF_PAIR * sum(len(one.pairs) for one in sets))))
