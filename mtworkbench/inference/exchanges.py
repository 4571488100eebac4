"""What differences come about when the outputs of systems are exchanged: at random, or in every possible way.

Noreen (1989); with several runs Clark et al. (2011), §4.2. A trial is a partition: each output is used exactly once, by
one of the two pseudo-systems. Coins belong to the units of the whole test set, whether they matter or not and whether a
pair has scores there or not: so all comparisons have the same trials, and draws do not depend on what differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from mtworkbench.inference.families import EstimatedPart
from mtworkbench.inference.score_table import Places, ScoreTable, single_if_exact, sum_swapped
from mtworkbench.inference.trials import Contrast
from mtworkbench.inference.units import Units
from mtworkbench.inference.weighted_sums import one_thread_each, sum_weighted
from mtworkbench.resampling import COINS, RandomKey, batches, exchange_coins, split_rows
from mtworkbench.wording import grouped
from mtworkbench.work.threads import yield_parts

#: Up to so many coins that matter to a family, all exchanges are enumerated.
MAX_EXACT_COINS = 16
#: So many exchanges, the same for all seeds, say how far a metric is from linear.
N_FIXED = 2**10
#: So many of them, and of pairs, are computed together: always as many, so that no batch size changes the last digits.
MASKS_TOGETHER = GAINS_TOGETHER = 2**7
#: Of more coins than these, so few of the exchanges are multiplied at a time: in double precision they take gigabytes.
MANY_COINS, MASKS_OF_MANY = 2**15, 2**4


def find_coins(whole: Units, units: Units, segments: np.ndarray) -> np.ndarray:
    """Return the number, among the units of the whole test set, of each unit of some of its segments.

    Parameters
    ----------
    whole, units : Units
        Of the test set and of the segments alone.
    segments : (n_segments,) ndarray of bool
        Those of the test set.

    Returns
    -------
    (n_units,) ndarray of int64
        Blocks are cut anew, one after another from the first segment on: they are numbered in this order.
    """
    if segments.all() or units.block_length is not None:
        return np.arange(units.count)
    _, first = np.unique(units.of_segment, return_index=True)
    return whole.of_segment[segments][first]


@dataclass(frozen=True, eq=False)
class ExchangedPair:
    """Two systems of a table whose outputs are to be exchanged.

    Parameters
    ----------
    table : ScoreTable
    places : (int, int)
    n_runs : int
        How many runs have coins of their own.
    coins : (n_units,) ndarray of int64
        The coin of each unit of the table; with ``exchange="run"`` run k has the k-th of the unit's coins.
    margin : float, optional
        Of equivalence.
    """

    table: ScoreTable
    places: Places
    n_runs: int
    coins: np.ndarray
    margin: float | None = None

    @cached_property
    def matters(self) -> np.ndarray:
        """The coins of the table that matter: those whose exchange changes the summed statistics."""
        return self.table.differing(self.places, n_runs=self.n_runs)

    @cached_property
    def n_coins(self) -> int:
        """Number of coins that matter."""
        return int(np.count_nonzero(self.matters))

    @cached_property
    def observed(self) -> np.ndarray:
        """Both scores with nothing exchanged, (2,) ndarray."""
        return np.array([self.table.means[place] for place in self.places])

    @cached_property
    def bare(self) -> Contrast:
        """The difference alone, which is all that its own p needs."""
        return Contrast.of(np.zeros(0), np.zeros(0), self.observed, self.n_coins)

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of scored segments of each coin of the table, (n_coins,) ndarray."""
        sizes = np.repeat(self.table.units.sizes, self.n_runs)
        return sizes.astype(single_if_exact(sizes.sum(), sizes))

    def number_coins(self, per_unit: int) -> np.ndarray:
        """Return the numbers of all coins of the table, where each unit of the test set has ``per_unit`` coins."""
        return (self.coins[:, None] * per_unit + np.arange(self.n_runs)).reshape(-1)


@dataclass(frozen=True, eq=False)
class Exchanges:
    """All pairs of one test set, with the coins that they share.

    Parameters
    ----------
    pairs : list of ExchangedPair
    n_units : int
        Of the whole test set.
    """

    pairs: list[ExchangedPair]
    n_units: int

    @classmethod
    def of(
        cls,
        found: Sequence[tuple[EstimatedPart, Places]],
        whole: Units,
        exchange: str,
        margins: Sequence[float | None] | None = None,
    ) -> Exchanges:
        """Look at pairs, each with its part of the test set and its places there."""
        pairs, coins = [], {}
        for number, (part, places) in enumerate(found):
            table = part.table
            if id(part) not in coins:
                coins[id(part)] = find_coins(whole, table.units, part.segments)
            n_runs = 1 if exchange == "unit" else table.n_runs[places[0]]
            margin = None if margins is None else margins[number]
            pairs.append(ExchangedPair(table, places, n_runs, coins[id(part)], margin))
        return cls(pairs, whole.count)

    def per_unit(self, rows: Sequence[int]) -> int:
        """Return how many coins each unit has for some pairs: as many as any of them needs."""
        return max((self.pairs[row].n_runs for row in rows), default=1)

    def group_pairs(self, together: Sequence[Sequence[int]]) -> dict[int, list[int]]:
        """Sort pairs by how many coins each unit has for them, given which are counted together.

        So what coins a pair has does not depend on pairs that are counted without it.
        """
        groups: dict[int, set[int]] = {}
        for rows in together:
            groups.setdefault(self.per_unit(rows), set()).update(rows)
        return {per_unit: sorted(rows) for per_unit, rows in groups.items()}

    def coins_of(self, rows: Sequence[int]) -> np.ndarray:
        """Return the numbers of the coins that matter to any of some pairs, sorted."""
        per_unit = self.per_unit(rows)
        found = [self.pairs[row].number_coins(per_unit)[self.pairs[row].matters] for row in rows]
        return np.unique(np.concatenate(found)) if found else np.zeros(0, dtype=np.int64)

    @cached_property
    def contrasts(self) -> dict[int, Contrast]:
        """The difference of each pair, and how much it changes with single units, by the pair's number."""
        found = {}
        for n_runs in {pair.n_runs for pair in self.pairs}:
            alike = [row for row, pair in enumerate(self.pairs) if pair.n_runs == n_runs]
            for first, size in split_rows(len(alike), GAINS_TOGETHER):
                rows = alike[first : first + size]
                for row, gains in zip(rows, self.measure_gains(rows), strict=True):
                    pair = self.pairs[row]
                    own = gains[pair.number_coins(n_runs)]
                    shares = pair.sizes / float(pair.sizes.sum())
                    found[row] = Contrast.of(own, shares, pair.observed, pair.n_coins, pair.margin)
        return found

    def measure_gains(self, rows: Sequence[int]) -> np.ndarray:
        """Return g of each coin of the test set, for pairs whose units have as many coins: docs/draws.md, p.

        What single units change says too little of a metric that is far from linear, such as BLEU where one output is
        much too short. So g is multiplied by the square root of a ratio: the mean square of the differences of fixed
        exchanges, over that of sum(+-g), which they would be if the metric were linear. (This is the ratio estimator of
        Cochran (1977), Ch. 6: for a mean of segment scores it is 1, whichever the exchanges.) No seed has a say in it.

        Returns
        -------
        (n_rows, n_coins) ndarray
            In score points.
        """
        n_runs = self.per_unit(rows)
        gains = np.zeros((len(rows), self.n_units * n_runs))
        observed, linear = np.zeros((2, len(rows), 1))
        for own, pair in zip(gains, map(self.pairs.__getitem__, rows), strict=True):
            own[pair.number_coins(n_runs)] = pair.table.exchange_each(pair.places, n_runs=n_runs)
        for masks in fix_masks(gains.shape[1]):
            at_once = len(masks) if gains.shape[1] <= MANY_COINS else MASKS_OF_MANY
            moved = [sum_weighted(masks[at : at + count], gains.T) for at, count in split_rows(len(masks), at_once)]
            sums = gains.sum(axis=1) - 2 * np.concatenate(moved)
            linear += np.sum(sums**2, axis=0)[:, None]
            observed += np.sum(self.make_trials(rows, masks)[:, 0] ** 2, axis=1, keepdims=True)
        return gains * np.sqrt(np.divide(observed, linear, out=np.zeros_like(linear), where=linear > 0))

    def draw(self, rows: Sequence[int], first: int, count: int, key: RandomKey) -> Iterator[np.ndarray]:
        """Draw trials ``first`` to ``first + count - 1`` of some pairs: see `make_trials`, in batches."""
        n_coins, stream = self.n_units * self.per_unit(rows), key.stream(COINS)
        self.make_trials(rows, np.zeros((0, n_coins), np.uint8))  # finds what all batches need, before threads look

        def make(batch: tuple[int, int]) -> np.ndarray:
            begin, size = batch
            return self.make_trials(rows, exchange_coins(n_coins, first + begin, size, key=stream))

        return yield_parts(make, list(batches(count, n_coins)), one_thread_each)

    def make_trials(self, rows: Sequence[int], masks: np.ndarray, coins: np.ndarray | None = None) -> np.ndarray:
        """Return the differences of some pairs, and their shifts, (n_rows, 2, n_masks).

        ``coins`` has the numbers of those that the masks' columns stand for; the others exchange nothing. None: all.

        The shift is what a trial's difference loses per point of a true difference. Each unit has its share w of the
        scored segments in a true difference, and exchanges it with its outputs: it is the sum of w, each with a minus
        if its coin is 1.
        """
        found, per_unit = np.empty((len(rows), 2, len(masks))), self.per_unit(rows)
        at_once = grouped(((id(self.pairs[row].table), self.pairs[row].n_runs), at) for at, row in enumerate(rows))
        for places in at_once.values():
            first = self.pairs[rows[places[0]]]
            own, there, numbers = masks, None, first.number_coins(per_unit)
            if coins is not None:
                there = np.isin(numbers, coins)
                own = masks[:, np.searchsorted(coins, numbers[there])]
            elif len(numbers) < masks.shape[1] or np.any(np.diff(numbers) != 1):
                own = masks[:, numbers]
            of_pairs = [self.pairs[rows[place]].places for place in places]
            scores = first.table.exchange(own, of_pairs, n_runs=first.n_runs, coins=there)
            # Where only the coins that matter are enumerated, the shift of all other units, on average 0, is left out.
            thrown = first.sizes if there is None else first.sizes[there]
            [moved] = sum_swapped(thrown[:, None], own)
            found[places, 0] = scores[:, 0] - scores[:, 1]
            found[places, 1] = (float(thrown.sum()) - 2.0 * moved) / float(first.sizes.sum())
        return found


def count_all(n_coins: int) -> int:
    """Return the number of exchanges that are enumerated: half of all, as the others mirror them; 1 without coins."""
    return 2 ** max(0, n_coins - 1)


def enumerate_masks(n_coins: int, n_pairs: int = 1) -> Iterator[np.ndarray]:
    """Enumerate, in batches, all exchanges in which the last coin exchanges nothing: the others mirror them.

    The differences of so many pairs shall stay within a batch, too.

    Yields
    ------
    (n_batch, n_coins) ndarray of uint8
        The identity first.
    """
    for first, size in batches(count_all(n_coins), max(1, n_coins, n_pairs)):
        numbers = np.arange(first, first + size)
        yield (numbers[:, None] >> np.arange(n_coins) & 1).astype(np.uint8)


def fix_masks(n_coins: int) -> Iterator[np.ndarray]:
    """Yield the exchanges, (n_batch, n_coins) ndarrays of uint8, that say how far a metric is from linear.

    These are all exchanges where there are few, else the trials that the key K = 0 gives.
    """
    if count_all(n_coins) <= N_FIXED:
        yield np.concatenate(list(enumerate_masks(n_coins)))
        return
    for first, size in split_rows(N_FIXED, MASKS_TOGETHER):
        yield exchange_coins(n_coins, first, size, key=RandomKey(0).stream(COINS))
