"""The draws of one test set of a campaign: work that any process can do, the same wherever it is done."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
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

#: The differences of trials that are held at a time, over all test sets and pairs of a metric (256 MiB).
HELD_DIFFERENCES = 2**25

#: The plain numbers and words that say what `draw_set` draws.
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
    tested : (2,) ndarray
        The scores that trials are compared with.
    n_coins : int
        Coins that matter.
    """

    table: ScoreTable
    places: Places
    tested: np.ndarray
    n_coins: int

    @classmethod
    def of(cls, table: ScoreTable, places: Places, exchange: str) -> SetPair:
        """Look at a pair."""
        n_runs = runs_with_coins(table, [places], exchange)[places]
        n_coins = int(np.count_nonzero(table.differing(places, n_runs=n_runs)))
        return cls(table, places, tested_scores(table, places, n_runs), n_coins)

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
    pairs : (n_sets, n_pairs, n_resamples) ndarray
        The resampled differences.
    n_extreme : (n_sets, n_pairs) ndarray of int64
        Trials of each set whose difference is at least as large as the observed one.
    n_enumerated : (n_sets, n_pairs) ndarray of int64
        The same of all exchanges; -1 where there are too many of them.
    n_extreme_of_all : (n_pairs,) ndarray of int64
        Trials whose mean difference over sets is at least as large as the observed one.
    """

    systems: np.ndarray
    pairs: np.ndarray
    n_extreme: np.ndarray
    n_enumerated: np.ndarray
    n_extreme_of_all: np.ndarray


def draw_metric(
    families: Mapping[str, SegmentStatistics],
    units: Mapping[str, str],
    baseline: str | None,
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
    pairs : sequence of sequence of SetPair
        Set by set, in the order of `DividedSet.pairs`.
    settings : Settings
    run : callable
        Computes a function such as `draw_set` for each part, and returns the results in the order of the parts.
    advance : callable
        Called with the number of draws that have been made.
    """
    n_sets, n_pairs, n_trials = len(families), len(pairs[0]), settings.n_trials
    of_sets: list[Part] = [
        {
            "test_set": test_set,
            "baseline": baseline,
            "exchange": settings.exchange,
            "unit": units[test_set],
            "key": settings.random_key.sample(number).key,
        }
        for number, test_set in enumerate(families, start=1)
    ]

    def draw(wanted: Sequence[tuple[int, Part]]) -> Iterator[dict[str, np.ndarray]]:
        drawn = run(draw_set, families, [of_sets[place] | what for place, what in wanted])
        for (_, what), one in zip(wanted, drawn, strict=True):
            yield one
            advance(what["count"])

    def trials_of(first: int, count: int) -> list[tuple[int, Part]]:
        return [(place, {"draw": "trials", "first": first, "count": count}) for place in range(n_sets)]

    resamples = {"draw": "resamples", "first": 0, "count": settings.n_resamples}
    few = [place for place, own in enumerate(pairs) if any(pair.n_coins <= MAX_EXACT_COINS for pair in own)]
    blocks = list(blocks_of_trials(n_trials, n_sets, n_pairs))
    wanted = [(place, resamples) for place in range(n_sets)]
    wanted += [(place, {"draw": "exact", "first": 0, "count": 0}) for place in few]
    drawn = draw(wanted + trials_of(*blocks[0]))
    resampled = list(islice(drawn, n_sets))
    n_enumerated = np.full((n_sets, n_pairs), -1)
    for place in few:
        n_enumerated[place] = next(drawn)["n_extreme"]
    observed = np.array([[np.subtract(*pair.tested) for pair in own] for own in pairs])
    tolerance = np.array([[TIE * np.abs(pair.tested).max() for pair in own] for own in pairs])
    n_extreme, n_extreme_of_all = np.zeros((n_sets, n_pairs), dtype=np.int64), np.zeros(n_pairs, dtype=np.int64)
    for number, (first, count) in enumerate(blocks):
        if number > 0:
            drawn = draw(trials_of(first, count))
        total = np.zeros((n_pairs, count))
        for place, one in enumerate(drawn):
            total += one["differences"]
            n_extreme[place] += count_extreme(one["differences"], observed[place], tolerance[place])
        n_extreme_of_all += count_extreme(total, observed.sum(axis=0), tolerance.sum(axis=0))
    systems, differences = (np.array([one[name] for one in resampled]) for name in ("systems", "pairs"))
    return Draws(systems, differences, n_extreme, n_enumerated, n_extreme_of_all)


def count_extreme(differences: np.ndarray, observed: np.ndarray, tolerance: np.ndarray) -> np.ndarray:
    """Count the trials, (n_pairs, n_trials), whose difference is at least as large as the observed one of the pair."""
    return np.count_nonzero(np.abs(differences) >= (np.abs(observed) - tolerance)[:, None], axis=1)


def draw_here(
    compute: Callable[[Mapping[str, SegmentStatistics], Part], dict[str, np.ndarray]],
    shared: Mapping[str, SegmentStatistics],
    parts: Sequence[Part],
) -> Iterator[dict[str, np.ndarray]]:
    """Compute each part here and now, when it is asked for."""
    return (compute(shared, part) for part in parts)


def take_set(shared: Mapping[str, SegmentStatistics], part: Part) -> SegmentStatistics:
    """Return what `draw_set` needs of the test sets: one of them, whichever others there are."""
    return shared[part["test_set"]]


def draw_set(shared: Mapping[str, SegmentStatistics], part: Part) -> dict[str, np.ndarray]:
    """Draw resamples or trials of one test set under one metric.

    Parameters
    ----------
    shared : mapping of str to SegmentStatistics
        The test sets.
    part : dict
        ``test_set``; ``baseline``, ``exchange``, ``unit`` (of `divide_segments`); ``key`` of the set's draws (of
        `RandomKey`); and which of them: ``draw`` "resamples", "trials" or "exact", with ``first`` and ``count``.

    Returns
    -------
    dict of str to ndarray
        Of resamples: ``systems``, (n_systems, count), their scores, means over runs; ``pairs``, (n_pairs, count), the
        differences, each on the segments that both systems have scores for. Of trials: ``differences``,
        (n_pairs, count). Of "exact": ``n_extreme``, (n_pairs,), the number of extreme exchanges among all that there
        are, or -1 for a pair with more coins than are enumerated.
    """
    divided = DividedSet.of(take_set(shared, part), part["baseline"], part["exchange"], part["unit"])
    key = RandomKey(part["key"])
    if part["draw"] == "resamples":
        return resample_set(divided, key, part["count"])
    if part["draw"] == "trials":
        return {"differences": exchange_set(divided, key, part["exchange"], part["first"], part["count"])}
    return {"n_extreme": enumerate_set(divided, part["exchange"])}


def resample_set(divided: DividedSet, key: RandomKey, n_resamples: int) -> dict[str, np.ndarray]:
    """Draw the first resamples of a test set: see `draw_set`."""
    systems = np.empty((len(divided.systems), n_resamples))
    pairs = np.empty((len(divided.pairs), n_resamples))
    rows = {pair: row for row, pair in enumerate(divided.pairs)}
    for part in divided.parts:
        averages = [scores.mean(axis=1) for scores in resample(part.table, n_resamples, key)]
        for number, place in part.systems.items():
            systems[number] = averages[place]
        for pair, (a, b) in part.pairs.items():
            pairs[rows[pair]] = averages[a] - averages[b]
    return {"systems": systems, "pairs": pairs}


def exchange_set(divided: DividedSet, key: RandomKey, exchange: str, first: int, count: int) -> np.ndarray:
    """Draw trials ``first`` to ``first + count - 1`` of a test set: the differences, (n_pairs, count)."""
    differences = np.empty((len(divided.pairs), count))
    rows = {pair: row for row, pair in enumerate(divided.pairs)}
    for part in divided.parts:
        table, n_runs = part.table, runs_with_coins(part.table, part.pairs.values(), exchange)
        for number in dict.fromkeys(n_runs.values()):
            some = {pair: places for pair, places in part.pairs.items() if n_runs[places] == number}
            own, n_coins = [rows[pair] for pair in some], table.units.count * number
            for begin, size in batches(count, n_coins):
                masks = exchange_coins(n_coins, first + begin, size, key=key.stream(COINS))
                scores = table.exchange(masks, list(some.values()), n_runs=number)
                differences[own, begin : begin + size] = scores[:, 0] - scores[:, 1]
    return differences


def enumerate_set(divided: DividedSet, exchange: str) -> np.ndarray:
    """Count the extreme exchanges among all, for the pairs with few coins that matter: see `draw_set`."""
    n_extreme = np.full(len(divided.pairs), -1)
    for row, (table, places) in enumerate(divided.find_pairs()):
        n_runs = runs_with_coins(table, [places], exchange)[places]
        matters = table.differing(places, n_runs=n_runs)
        if np.count_nonzero(matters) <= MAX_EXACT_COINS:
            observed = tested_scores(table, places, n_runs)
            n_extreme[row], _ = enumerate_exchanges(table, places, n_runs, matters, observed)
    return n_extreme


def tested_scores(table: ScoreTable, places: Places, n_runs: int) -> np.ndarray:
    """Return the two scores, (2,), that trials are compared with: those with nothing exchanged."""
    return table.exchange(np.zeros((1, table.units.count * n_runs)), [places], n_runs=n_runs)[0, :, 0]


def blocks_of_trials(n_trials: int, n_sets: int, n_pairs: int) -> Iterator[tuple[int, int]]:
    """Split trials into blocks whose differences can be held for all sets and pairs: (first trial, their number)."""
    return split_rows(n_trials, max(1, HELD_DIFFERENCES // max(1, n_sets * n_pairs)))
