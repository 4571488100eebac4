"""Approximate randomization: what differences come about when the outputs of two systems change sides at random.

Noreen (1989); with several runs Clark et al. (2011), 4.2, as read in the conventions. A trial is a partition: each
output is used exactly once, by one of the two pseudo-systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import chain

import numpy as np

from mtworkbench.inference.checks import check_choice, check_comparable, check_draws, check_exchange
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.results import Randomization, write_signature
from mtworkbench.inference.units import Units, choose_units, common_segments, take_common, take_segments
from mtworkbench.inference.verdicts import monte_carlo_ends, smallest_p
from mtworkbench.metrics.protocol import Metric
from mtworkbench.resampling import COINS, Randomness, batches, exchange_coins, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Up to so many coins that matter, all exchanges are enumerated.
MAX_EXACT_COINS = 16
# Averages over runs of equal floating statistics may differ in their last digits.
SAME_STATISTICS = 1e-12

EXCHANGES = ("unit", "run")
Pair = tuple[SystemStatistics, SystemStatistics]


@dataclass(frozen=True, eq=False)
class Trials:
    """What exchanges of outputs make of the difference.

    Parameters
    ----------
    observed : float
        Difference of the scores of run-averaged statistics, nothing exchanged.
    n_trials : int
        Exchanges that were made: those drawn, or all 2**k.
    n_extreme : int
        Those whose difference is at least as large as the observed one, in either direction.
    n_coins : int
        k, the coins whose exchange changes the summed statistics.
    exact : bool
    differences : (n_trials,) ndarray or None
        The difference of each trial; None where they are only counted.
    """

    observed: float
    n_trials: int
    n_extreme: int
    n_coins: int
    exact: bool
    differences: np.ndarray | None

    @property
    def p_value(self) -> float:
        """Two-sided p: b / 2**k where exact, else (b + 1) / (B + 1)."""
        if self.exact:
            return self.n_extreme / self.n_trials
        return (self.n_extreme + 1) / (self.n_trials + 1)

    @property
    def p_ends(self) -> tuple[float, float]:
        """The interval of p's own simulation error; p twice where exact."""
        if self.exact:
            return self.p_value, self.p_value
        return monte_carlo_ends(self.n_extreme, self.n_trials)

    @property
    def smallest_p(self) -> float:
        """The smallest p that this pair could have had."""
        return smallest_p(self.n_coins, self.n_trials, self.exact)


@dataclass(frozen=True, eq=False)
class Exchange:
    """Two systems' statistics by coin, each summed over its runs.

    Times its factor, over all coins, each sums to the run-averaged statistics times `divisor`: whole numbers, so that
    counts stay exact.

    Parameters
    ----------
    metric : Metric
    a, b : (n_coins, n_statistics) ndarray of float64
    factor_a, factor_b, divisor : int
    total_a, total_b : (n_statistics,) ndarray
        Of all coins, times the factor.
    observed : float
        Difference of the two scores, nothing exchanged.
    tolerance : float
        Differences this close to the observed one count as equal to it.
    """

    metric: Metric
    a: np.ndarray
    b: np.ndarray
    factor_a: int
    factor_b: int
    divisor: int
    total_a: np.ndarray = field(init=False)
    total_b: np.ndarray = field(init=False)
    observed: float = field(init=False)
    tolerance: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "total_a", self.factor_a * self.a.sum(axis=0))
        object.__setattr__(self, "total_b", self.factor_b * self.b.sum(axis=0))
        nothing = np.zeros(self.a.shape[1])
        observed, scale = self.differences(nothing, nothing)
        object.__setattr__(self, "observed", float(observed))
        object.__setattr__(self, "tolerance", TIE * float(scale))

    @property
    def matters(self) -> np.ndarray:
        """Which coins' exchange changes the summed statistics, as (n_coins,) ndarray of bool."""
        a, b = self.factor_a * self.a, self.factor_b * self.b
        return (np.abs(b - a) > SAME_STATISTICS * np.maximum(np.abs(a), np.abs(b))).any(axis=1)

    def differences(self, moved_a: np.ndarray, moved_b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Score both sides after an exchange.

        Parameters
        ----------
        moved_a, moved_b : (..., n_statistics) ndarray
            Sums of a's and of b's statistics over the coins that exchange.

        Returns
        -------
        difference, larger absolute score : (...) ndarray
        """
        gains = self.factor_b * moved_b - self.factor_a * moved_a
        totals = np.stack([self.total_a + gains, self.total_b - gains])
        score_a, score_b = self.metric.score(totals / self.divisor)
        return score_a - score_b, np.maximum(np.abs(score_a), np.abs(score_b))

    def count_extreme(self, differences: np.ndarray) -> int:
        """Count the differences that are at least as large as the observed one, in either direction."""
        return int(np.count_nonzero(np.abs(differences) >= abs(self.observed) - self.tolerance))


def coin_statistics(system: SystemStatistics, units: Units, exchange: str) -> np.ndarray:
    """Sum a system's statistics by coin: (n_coins, n_statistics), coin number unit * n_runs + run where runs have one.

    For ``exchange="unit"`` all runs of a unit share a coin.
    """
    if exchange == "unit":
        return units.sum(system.values.sum(axis=0)).astype(np.float64)
    by_unit = np.moveaxis(units.sum(system.values), 0, 1)
    return by_unit.reshape(-1, by_unit.shape[-1]).astype(np.float64)


def prepare_exchanges(pairs: Sequence[Pair], units: Units, exchange: str) -> list[Exchange]:
    """Sum the statistics of each system by coin, once for all pairs it is in."""
    by_coin = {system: coin_statistics(system, units, exchange) for system in dict.fromkeys(chain.from_iterable(pairs))}
    prepared = []
    for a, b in pairs:
        divisor = math.lcm(a.n_runs, b.n_runs)
        prepared.append(Exchange(a.metric, by_coin[a], by_coin[b], divisor // a.n_runs, divisor // b.n_runs, divisor))
    return prepared


def randomize(
    pairs: Sequence[Pair],
    units: Units,
    *,
    exchange: str,
    n_trials: int,
    randomness: Randomness,
    keep_differences: bool = True,
    advance: Callable[[int], object] | None = None,
) -> list[Trials]:
    """Exchange the outputs of pairs of systems at random, or in every possible way where few matter.

    The same coins serve all pairs and metrics. Every unit has its coin, whether it matters or not, so that draws do
    not depend on which segments differ.

    Parameters
    ----------
    pairs : sequence of (SystemStatistics, SystemStatistics)
        On one test set; for ``exchange="run"`` of equal numbers of runs.
    units : Units
    exchange : {"unit", "run"}
    n_trials : int
    randomness : Randomness
    keep_differences : bool
        False: trials are only counted, so that memory does not grow with the number of pairs times trials.
    advance : callable, optional
        Told the number of trials after each batch.

    Returns
    -------
    list of Trials
        One per pair, in the order given.
    """
    exchanges = prepare_exchanges(pairs, units, exchange)
    matters = [exchanged.matters for exchanged in exchanges]
    exact = [np.count_nonzero(mask) <= MAX_EXACT_COINS for mask in matters]
    many = [exchanged for exchanged, few in zip(exchanges, exact, strict=True) if not few]
    drawn = iter(draw_trials(many, n_trials, randomness, keep_differences, advance))
    if pairs and not many and advance is not None:
        advance(n_trials)  # what was to be drawn is done: everything is enumerated
    results = []
    for exchanged, mask, few in zip(exchanges, matters, exact, strict=True):
        if few:
            differences = enumerate_exchanges(exchanged, mask)
            n_made, n_extreme = len(differences), exchanged.count_extreme(differences)
        else:
            n_made, (n_extreme, differences) = n_trials, next(drawn)
        n_coins = int(np.count_nonzero(mask))
        kept = differences if keep_differences else None
        results.append(Trials(exchanged.observed, n_made, n_extreme, n_coins, few, kept))
    return results


def count_differing(a: SystemStatistics, b: SystemStatistics) -> int:
    """Count the segments for which both have scores and whose statistics, averaged over runs, differ."""
    segments = common_segments(a, b)
    pair = take_segments(a, segments), take_segments(b, segments)
    [exchanged] = prepare_exchanges([pair], choose_units(pair[0].test_set, "segment"), "unit")
    return int(np.count_nonzero(exchanged.matters))


def enumerate_exchanges(exchanged: Exchange, matters: np.ndarray) -> np.ndarray:
    """Return the differences of all 2**k exchanges of the k coins that matter, the identity first."""
    n_coins = np.count_nonzero(matters)
    masks = (np.arange(2**n_coins)[:, None] >> np.arange(n_coins) & 1).astype(np.float64)
    return exchanged.differences(masks @ exchanged.a[matters], masks @ exchanged.b[matters])[0]


def draw_trials(
    exchanges: Sequence[Exchange],
    n_trials: int,
    randomness: Randomness,
    keep_differences: bool,
    advance: Callable[[int], object] | None,
) -> list[tuple[int, np.ndarray | None]]:
    """Return of each pair how many random exchanges are extreme, and their differences, (n_trials,), where kept."""
    if not exchanges:
        return []
    n_extreme = [0] * len(exchanges)
    kept = [np.empty(n_trials) if keep_differences else None for _ in exchanges]
    tables = {id(table): table for exchanged in exchanges for table in (exchanged.a, exchanged.b)}
    columns = np.concatenate(list(tables.values()), axis=1)
    ends = np.cumsum([table.shape[1] for table in tables.values()])[:-1]
    key = randomness.stream(COINS)
    for first, count in batches(n_trials, max(columns.shape)):
        coins = exchange_coins(len(columns), first, count, key=key).astype(np.float64)
        moved = dict(zip(tables, np.split(coins @ columns, ends, axis=1), strict=True))
        for place, exchanged in enumerate(exchanges):
            differences = exchanged.differences(moved[id(exchanged.a)], moved[id(exchanged.b)])[0]
            n_extreme[place] += exchanged.count_extreme(differences)
            if kept[place] is not None:
                kept[place][first : first + count] = differences
        if advance is not None:
            advance(count)
    return list(zip(n_extreme, kept, strict=True))


def approximate_randomization(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_trials: int = 10_000,
    unit: str = "auto",
    exchange: str = "unit",
    rng: int | np.random.Generator | Randomness | None = None,
) -> Randomization:
    """Test whether two systems' scores differ by more than an exchange of their outputs at random would make them.

    The question is about *these outputs*: would other sentences show the difference? That another training run would
    differ is not in it.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    n_trials : int
        Random exchanges (Noreen, 1989); where at most 16 coins matter, all exchanges are enumerated instead.
    unit : {"auto", "segment", "document"}
        ``auto`` takes documents where they are known and there are at least 10 of them.
    exchange : {"unit", "run"}
        ``unit``: all runs of a unit change sides together. ``run``: one coin for each unit and run, runs paired by
        number, as Clark et al. (2011), 4.2, are read here.
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
    unit = choose_units(a.test_set, unit).name
    randomness = resolve_rng(rng)
    pair = take_common(a, b)
    units = choose_units(pair[0].test_set, unit)
    [trials] = randomize([pair], units, exchange=exchange, n_trials=n_trials, randomness=randomness)
    score_a, score_b = (float(system.score().mean()) for system in pair)
    p_low, p_high = trials.p_ends
    draws = "exact" if trials.exact else n_trials
    return Randomization(
        a=a.system,
        b=b.system,
        metric=a.metric.name,
        difference=score_a - score_b,
        tested_difference=trials.observed,
        p_value=trials.p_value,
        p_low=p_low,
        p_high=p_high,
        n_coins=trials.n_coins,
        exact=trials.exact,
        exchange=exchange,
        unit=unit,
        n_units=units.count,
        n_trials=n_trials,
        rng=randomness.seed,
        signature=write_signature("ar", randomness, metric=a.signature, unit=unit, exchange=exchange, trials=draws),
        differences=trials.differences,
    )
