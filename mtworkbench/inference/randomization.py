"""Approximate randomization of two systems: would other sentences show the difference (Noreen, 1989)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtworkbench.inference.exchanges import MAX_EXACT_COINS, ExchangedPair, Exchanges, count_all, enumerate_masks
from mtworkbench.inference.families import EstimatedPart, check_comparable, check_exchange, settle_unit
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table, segments_of_both
from mtworkbench.inference.trials import COPIES, Tested, TrialFamily
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.settings import EXCHANGES, check_choice, check_draws, write_signature
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
    table, (a, b) = pair.table, pair.places
    p_value, p_low, p_high = tested.tell_p(pair.n_coins)
    n_trials = n_trials if tested.exact else tested.n_trials
    return Randomization(
        a=table.systems[a].system,
        b=table.systems[b].system,
        metric=table.metrics[a],
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
            metric=table.signatures[a],
            **table.units.signed,
            exchange=exchange,
            trials="exact" if tested.exact else n_trials,
        ),
        differences=differences,
    )


def randomize(
    table: ScoreTable,
    pairs: Sequence[Places],
    *,
    exchange: str,
    n_trials: int,
    random_key: RandomKey,
    whole: Units | None = None,
    segments: np.ndarray | None = None,
    keep_differences: bool = True,
) -> list[Randomization]:
    """Exchange the outputs of pairs of systems at random, or in every possible way where at most 16 coins matter.

    Parameters
    ----------
    table : ScoreTable
    pairs : sequence of (int, int)
        Places of two systems of one metric; for ``exchange="run"`` of equal numbers of runs.
    exchange : {"unit", "run"}
    n_trials : int
    random_key : RandomKey
    whole : Units, optional
        Of the whole test set, where the table has only some `segments` of it, (n_segments,) ndarray of bool.
    segments : ndarray, optional
    keep_differences : bool
        False: trials are only counted, so that memory does not grow with the number of pairs times trials.

    Returns
    -------
    list of Randomization
        One per pair, in the order given.
    """
    there = np.ones(table.n_segments, dtype=bool) if segments is None else segments
    part = EstimatedPart(there, table, {}, {pair: pair for pair in pairs})
    exchanges = Exchanges.of([(part, pair) for pair in pairs], whole or table.units, exchange)
    few = [row for row, pair in enumerate(exchanges.pairs) if pair.n_coins <= MAX_EXACT_COINS]
    many = [row for row, pair in enumerate(exchanges.pairs) if pair.n_coins > MAX_EXACT_COINS]
    found: dict[int, tuple[Tested, np.ndarray | None]] = {row: _exchange_all(exchanges, row) for row in few}
    if many:
        family = TrialFamily([exchanges.pairs[row].bare for row in many], 0.95, joint=False)
        kept = []
        for differences, shifts in (np.moveaxis(one, 1, 0) for one in exchanges.draw(many, 0, n_trials, random_key)):
            family.count(differences, shifts, 0)
            kept += [differences] if keep_differences else []
        of_pairs = np.concatenate(kept, axis=1) if kept else [None] * len(many)
        found |= dict(zip(many, zip(family.test(n_trials, exact=False), of_pairs, strict=True), strict=True))
    return [
        record(pair, found[row][0], exchange, n_trials, random_key, found[row][1] if keep_differences else None)
        for row, pair in enumerate(exchanges.pairs)
    ]


def _exchange_all(exchanges: Exchanges, row: int) -> tuple[Tested, np.ndarray]:
    """Make all 2**k exchanges of a pair: return what they say, and their differences, the identity first."""
    pair, coins = exchanges.pairs[row], exchanges.coins_of([row])
    if not len(coins):
        return COPIES, exchanges.make_trials([row], np.zeros((1, 0), dtype=np.uint8), coins)[0, 0]
    half = np.concatenate([exchanges.make_trials([row], masks, coins)[0, 0] for masks in enumerate_masks(len(coins))])
    family = TrialFamily([pair.bare], 0.95, joint=False)
    family.count(half[None], np.zeros(1), 0)
    return family.test(count_all(len(coins)), exact=True)[0], np.concatenate([half, -half[::-1]])


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
    [found] = randomize(
        pair_table(a, b, unit),
        [(0, 1)],
        exchange=exchange,
        n_trials=n_trials,
        random_key=random_key,
        whole=choose_units(a.test_set, unit),
        segments=segments_of_both(a, b),
    )
    return found
