"""Approximate randomization: what differences come about when the outputs of two systems are swapped at random.

Noreen (1989); with several runs Clark et al. (2011), §4.2. A trial is a partition: each output is used exactly once, by
one of the two pseudo-systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.families import EstimatedPart, check_comparable, check_exchange, settle_unit
from mtworkbench.inference.intervals import count_extreme, share_extreme, tolerance_of
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table
from mtworkbench.inference.step_down import StepDown
from mtworkbench.progress import ignore
from mtworkbench.resampling import COINS, RandomKey, RngLike, batches, exchange_coins, resolve_rng
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import EXCHANGES, check_choice, check_draws, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Up to so many coins that matter, all exchanges are enumerated.
MAX_EXACT_COINS = 16
#: So many trials tell how much the differences of a pair vary from trial to trial.
N_SPREAD_TRIALS = 1000


def randomize(
    table: ScoreTable,
    pairs: Sequence[Places],
    *,
    exchange: str,
    n_trials: int,
    random_key: RandomKey,
    keep_differences: bool = True,
    families: Sequence[StepDown] = (),
    advance: Callable[[int], object] = ignore,
) -> list[Randomization]:
    """Exchange the outputs of pairs of systems at random, or in every possible way where few matter.

    The same coins serve all pairs and metrics. Every unit has its coin, whether it matters or not, so that draws do
    not depend on which segments differ.

    Parameters
    ----------
    table : ScoreTable
    pairs : sequence of (int, int)
        Places of two systems of one metric; for ``exchange="run"`` of equal numbers of runs.
    exchange : {"unit", "run"}
    n_trials : int
    random_key : RandomKey
    keep_differences : bool
        False: trials are only counted, so that memory does not grow with the number of pairs times trials.
    families : sequence of StepDown
        Pairs whose trials are also counted together: see `check_shared_trials`.
    advance : callable, optional
        Called after each batch with the number of trials in it.

    Returns
    -------
    list of Randomization
        One per pair, in the order given.
    """
    found: dict[Places, Randomization] = {}
    for same in ExchangedPair.of_table(table, pairs, exchange):
        counted: dict[Places, tuple[int, np.ndarray | None]] = {
            pair.places: (pair.count_all(differences := pair.exchange_all()), differences)
            for pair in same
            if pair.is_enumerated
        }
        own = [family for family in families if family.pairs[0] in [pair.places for pair in same]]
        many = [pair for pair in same if not pair.is_enumerated]
        counted |= draw_exchanges(table, many, n_trials, random_key, keep_differences, own, advance)
        for pair in same:
            n_extreme, kept = counted[pair.places]
            found[pair.places] = pair.record(
                n_extreme, exchange, n_trials, random_key, kept if keep_differences else None
            )
    return [found[pair] for pair in pairs]


@dataclass(frozen=True, eq=False)
class ExchangedPair:
    """Two systems of a table whose outputs are to be exchanged.

    Parameters
    ----------
    table : ScoreTable
    places : (int, int)
    n_runs : int
        How many runs have coins of their own.
    matters : (n_coins,) ndarray of bool
        The coins that matter: those whose exchange changes the summed statistics.
    observed : (2,) ndarray
        Both scores with nothing exchanged.
    """

    table: ScoreTable
    places: Places
    n_runs: int
    matters: np.ndarray
    observed: np.ndarray

    @classmethod
    def of_table(cls, table: ScoreTable, pairs: Iterable[Places], exchange: str) -> list[list[ExchangedPair]]:
        """Look at pairs of a table: one list for each number of runs with coins of their own."""
        means = np.array(table.means)
        return [
            [cls(table, pair, n_runs, table.differing(pair, n_runs=n_runs), means[list(pair)]) for pair in same]
            for n_runs, same in runs_with_coins(table, pairs, exchange).items()
        ]

    @property
    def n_coins(self) -> int:
        """Number of coins that matter."""
        return int(np.count_nonzero(self.matters))

    @property
    def is_enumerated(self) -> bool:
        """Whether so few coins matter that all exchanges are made."""
        return self.n_coins <= MAX_EXACT_COINS

    def exchange_all(self) -> np.ndarray:
        """Make all 2**k exchanges of the k coins that matter, the identity first, and return their differences."""
        masks = np.arange(2**self.n_coins)[:, None] >> np.arange(self.n_coins) & 1
        # Only these two systems: summing all the others would be wasted work.
        two = ScoreTable(tuple(self.table.systems[place] for place in self.places), self.table.units)
        [(scores_a, scores_b)] = two.exchange(masks, [(0, 1)], n_runs=self.n_runs, coins=self.matters)
        return scores_a - scores_b

    def count_all(self, differences: np.ndarray) -> int:
        """Count those exchanges that are as extreme as what was observed."""
        return int(count_extreme(differences, np.subtract(*self.observed), tolerance_of(self.observed)))

    def record(
        self,
        n_extreme: int,
        exchange: str,
        n_trials: int,
        random_key: RandomKey,
        differences: np.ndarray | None = None,
    ) -> Randomization:
        """Return the result, given the number of extreme exchanges: among all, or among ``n_trials``."""
        table, exact, (a, b) = self.table, self.is_enumerated, self.places
        p_value, p_low, p_high = share_extreme(n_extreme, 2**self.n_coins if exact else n_trials, exact)
        return Randomization(
            a=table.systems[a].system,
            b=table.systems[b].system,
            metric=table.metrics[a],
            difference=table.means[a] - table.means[b],
            p_value=p_value,
            p_low=p_low,
            p_high=p_high,
            n_coins=self.n_coins,
            exact=exact,
            exchange=exchange,
            unit=table.units.name,
            n_units=table.units.count,
            n_trials=n_trials,
            rng=random_key.rng,
            signature=write_signature(
                "ar",
                random_key,
                metric=table.signatures[a],
                unit=table.units.name,
                exchange=exchange,
                trials="exact" if exact else n_trials,
            ),
            differences=differences,
        )


def runs_with_coins(table: ScoreTable, pairs: Iterable[Places], exchange: str) -> dict[int, list[Places]]:
    """Sort pairs by how many of their runs have coins of their own: different numbers need separate draws."""
    found: dict[int, list[Places]] = {}
    for pair in pairs:
        found.setdefault(1 if exchange == "unit" else table.n_runs[pair[0]], []).append(pair)
    return found


def check_shared_trials(parts: Iterable[EstimatedPart], pairs: Sequence[Places], exchange: str) -> None:
    """Refuse a family for max-T whose comparisons do not all have the same random trials.

    Parameters
    ----------
    parts : iterable of EstimatedPart
    pairs : sequence of (int, int)
        The family, by the numbers of its systems among all systems.
    exchange : {"unit", "run"}

    Raises
    ------
    InputError
        Where comparisons rest on different segments, their runs have different coins, or so few units differ that all
        exchanges are enumerated (``max-t``). Copies, of which nothing differs, are no hindrance.
    """
    concerned = [part for part in parts if not part.pairs.keys().isdisjoint(pairs)]
    if len(concerned) > 1:
        counts = sorted({part.table.n_segments for part in concerned})
        many = f"on {counts[0]:,} to {counts[-1]:,}" if len(counts) > 1 else f"on different {counts[0]:,}"
        refuse_max_t(
            f"some scores are missing, so the comparisons rest {many} segments",
            "leave out the segments without a score, or use adjust='holm' (--adjust holm)",
        )
    [part] = concerned
    table = part.table
    runs = runs_with_coins(table, [part.pairs[pair] for pair in pairs], exchange)
    if len(runs) > 1:
        refuse_max_t(
            f"with exchange='run' the metrics have {min(runs)} to {max(runs)} runs with a coin each",
            "use exchange='unit' (--exchange unit), family='metric' (--family metric) or adjust='holm' (--adjust holm)",
        )
    [(n_runs, same)] = runs.items()
    for a, b in same:
        n_coins = int(np.count_nonzero(table.differing((a, b), n_runs=n_runs)))
        if 0 < n_coins <= MAX_EXACT_COINS:
            whose = f"{table.systems[a].system!r} and {table.systems[b].system!r}"
            what = f"{'outputs' if exchange == 'run' else name_units(table.units.name)} in which they differ"
            why, instead = f"{whose} have only {n_coins} {what} under {table.metrics[a]}", "leave out one of them"
            if exchange == "unit" and table.units.count <= MAX_EXACT_COINS:
                count = f"{table.units.count} {name_units(table.units.name, table.units.count)}"
                why, instead = f"the test set has only {count}", "use smaller units (unit, --unit)"
            refuse_max_t(
                f"{why}, so all their exchanges are enumerated", f"{instead}, or use adjust='holm' (--adjust holm)"
            )


def refuse_max_t(why: str, what_to_do: str) -> NoReturn:
    """Raise an `InputError`."""
    raise InputError("max-t", f"max-T needs the same random trials for all comparisons, but {why}: {what_to_do}.")


def draw_exchanges(
    table: ScoreTable,
    pairs: Sequence[ExchangedPair],
    n_trials: int,
    random_key: RandomKey,
    keep_differences: bool,
    families: Sequence[StepDown],
    advance: Callable[[int], object],
) -> dict[Places, tuple[int, np.ndarray | None]]:
    """Draw pairs with the same coins: return the number of extreme exchanges and, if kept, all differences of each.

    Nothing is drawn where there is no pair.
    """
    if not pairs:
        advance(n_trials)  # what was to be drawn is done: everything is enumerated
        for family in families:
            family.begin({}, {})
        return {}
    scores = np.array([pair.observed for pair in pairs])
    observed, tolerance = scores[:, 0] - scores[:, 1], tolerance_of(scores)
    places = [pair.places for pair in pairs]
    if families:
        spreads = dict(zip(places, measure_spreads(table, pairs, random_key).tolist(), strict=True))
        for family in families:
            family.begin(dict(zip(places, scores, strict=True)), spreads)
    n_extreme = np.zeros(len(pairs), dtype=np.int64)
    kept: list[np.ndarray] = []
    for differences in exchange_in_batches(table, pairs, 0, n_trials, random_key):
        n_extreme += count_extreme(differences, observed, tolerance)
        if keep_differences:
            kept.append(differences)
        for family in families:
            family.count(dict(zip(places, differences, strict=True)))
        advance(differences.shape[1])
    of_pairs = np.concatenate(kept, axis=1) if keep_differences else [None] * len(pairs)
    return dict(zip(places, zip(n_extreme.tolist(), of_pairs, strict=True), strict=True))


def exchange_in_batches(
    table: ScoreTable, pairs: Sequence[ExchangedPair], first: int, count: int, random_key: RandomKey
) -> Iterator[np.ndarray]:
    """Draw trials ``first`` to ``first + count - 1`` of pairs with the same coins.

    Yields
    ------
    (n_pairs, n_batch) ndarray
    """
    n_runs, places = pairs[0].n_runs, [pair.places for pair in pairs]
    n_coins = table.units.count * n_runs
    for begin, size in batches(count, n_coins):
        masks = exchange_coins(n_coins, first + begin, size, key=random_key.stream(COINS))
        scores = table.exchange(masks, places, n_runs=n_runs)
        yield scores[:, 0] - scores[:, 1]


def measure_spreads(table: ScoreTable, pairs: Sequence[ExchangedPair], random_key: RandomKey) -> np.ndarray:
    """Return the root mean square of each pair's differences in the first 1,000 trials, also where fewer are counted.

    Of fewer, it would be so rough that the pairs whose own is too small by chance reached too large a t.
    """
    trials = exchange_in_batches(table, pairs, 0, N_SPREAD_TRIALS, random_key)
    return np.sqrt(sum(np.sum(differences**2, axis=1) for differences in trials) / N_SPREAD_TRIALS)


def approximate_randomization(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_trials: int = 10_000,
    unit: str = "auto",
    exchange: str = "unit",
    block_length: int | None = None,
    rng: RngLike = None,
) -> Randomization:
    """Test whether two systems' scores differ by more than random swaps of their outputs produce.

    The question is about *these outputs*: would other sentences show the difference? This ignores variation between
    training runs.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    n_trials : int
        Random exchanges (Noreen, 1989); where at most 16 coins matter, all exchanges are enumerated instead.
    unit : str
        What is swapped: see `bootstrap_interval`. Blocks are cut one after another from the first segment on. (Strata
        would change nothing: the coins of units within their strata are the same coins.)
    exchange : {"unit", "run"}
        ``unit``: all runs of a unit are swapped together. ``run``: each run of each unit has its own coin, and runs are
        paired by number; this is how we read Clark et al. (2011), §4.2.
    block_length : int, optional
        With ``unit="block"``: see `bootstrap_interval`.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded.

    Returns
    -------
    Randomization

    Raises
    ------
    InputError
        Where the systems cannot be compared, or an argument is not what it should be.
    """
    check_comparable(a, b)
    check_draws("n_trials", n_trials)
    check_choice("exchange", exchange, EXCHANGES)
    check_exchange(a, b, exchange)
    unit, random_key = settle_unit([a, b], [(0, 1)], unit, block_length=block_length), resolve_rng(rng)
    [found] = randomize(pair_table(a, b, unit), [(0, 1)], exchange=exchange, n_trials=n_trials, random_key=random_key)
    return found
