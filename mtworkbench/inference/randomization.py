"""Approximate randomization of two systems: would other sentences show the difference (Noreen, 1989)."""

from __future__ import annotations

import numpy as np

from mtworkbench.choices import CHOICES
from mtworkbench.inference.exchanges import MAX_EXACT_COINS, ExchangedPair, Exchanges, count_all, enumerate_masks
from mtworkbench.inference.families import EstimatedPart, check_comparable, check_exchange, name_pair, settle_unit
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table, segments_of_both
from mtworkbench.inference.trials import COPIES, Tested, TrialFamily
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.settings import check_choice, check_draws, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics


def record(
    pair: ExchangedPair,
    tested: Tested,
    exchange: str,
    n_trials: int,
    random_key: RandomKey,
    differences: np.ndarray | None = None,
) -> Randomization:
    """Return the result of a pair, of what its trials say; ``n_trials`` were asked for."""
    table = pair.table
    a, b = (table.systems[place] for place in pair.places)
    p_value, p_low, p_high = tested.tell_p(pair.n_coins)
    n_trials = n_trials if tested.exact else tested.n_trials
    return Randomization(
        **name_pair(a, b),
        difference=table.difference(pair.places),
        p_value=p_value,
        p_low=p_low,
        p_high=p_high,
        n_coins=pair.n_coins,
        exact=tested.exact,
        exchange=exchange,
        unit=table.units.name,
        n_units=table.units.count,
        n_trials=n_trials,
        rng=random_key.rng,
        signature=write_signature(
            "ar",
            random_key,
            metric=a.signature,
            **table.units.signed,
            exchange=exchange,
            trials="exact" if tested.exact else n_trials,
        ),
        differences=differences,
    )


def randomize(
    table: ScoreTable,
    pair: Places = (0, 1),
    *,
    exchange: str = "unit",
    n_trials: int,
    random_key: RandomKey,
    whole: Units | None = None,
    segments: np.ndarray | None = None,
) -> Randomization:
    """Exchange the outputs of two systems at random, or in every possible way where at most 16 coins matter.

    Parameters
    ----------
    table : ScoreTable
    pair : (int, int)
        Places of two systems of one metric; for ``exchange="run"`` of equal numbers of runs.
    exchange : {"unit", "run"}
    n_trials : int
    random_key : RandomKey
    whole : Units, optional
        Of the whole test set, where the table has only some `segments` of it, (n_segments,) ndarray of bool.
    segments : ndarray, optional

    Returns
    -------
    Randomization
    """
    there = np.ones(table.n_segments, dtype=bool) if segments is None else segments
    part = EstimatedPart(there, table, {}, {pair: pair})
    exchanges = Exchanges.of([(part, pair)], whole or table.units, exchange)
    [own] = exchanges.pairs
    if own.n_coins <= MAX_EXACT_COINS:
        tested, differences = _exchange_all(exchanges)
    else:
        tested, differences = _exchange_at_random(exchanges, n_trials, random_key)
    return record(own, tested, exchange, n_trials, random_key, differences)


def _exchange_all(exchanges: Exchanges) -> tuple[Tested, np.ndarray]:
    """Make all 2**k exchanges of a pair: return what they say, and their differences, the identity first."""
    [pair], coins = exchanges.pairs, exchanges.coins_of([0])
    if not len(coins):
        return COPIES, exchanges.make_trials([0], np.zeros((1, 0), dtype=np.uint8), coins)[0, 0]
    half = np.concatenate([exchanges.make_trials([0], masks, coins)[0, 0] for masks in enumerate_masks(len(coins))])
    family = TrialFamily([pair.bare], 0.95, joint=False)
    family.count(half[None], np.zeros(1), 0)
    return family.test(count_all(len(coins)), exact=True)[0], np.concatenate([half, -half[::-1]])


def _exchange_at_random(exchanges: Exchanges, n_trials: int, random_key: RandomKey) -> tuple[Tested, np.ndarray]:
    """Exchange the outputs of a pair at random: return what the trials say, and their differences."""
    family = TrialFamily([exchanges.pairs[0].bare], 0.95, joint=False)
    drawn = []
    for batch in exchanges.draw([0], 0, n_trials, random_key):
        family.count(batch[:, 0], batch[:, 1], 0)
        drawn.append(batch[0, 0])
    return family.test(n_trials, exact=False)[0], np.concatenate(drawn)


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
    check_choice("exchange", exchange, CHOICES["exchange"])
    check_exchange(a, b, exchange)
    unit, random_key = settle_unit([a, b], [(0, 1)], unit, block_length=block_length), resolve_rng(rng)
    return randomize(
        pair_table(a, b, unit),
        exchange=exchange,
        n_trials=n_trials,
        random_key=random_key,
        whole=choose_units(a.test_set, unit),
        segments=segments_of_both(a, b),
    )
