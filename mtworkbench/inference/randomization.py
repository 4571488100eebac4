"""Approximate randomization: what differences come about when the outputs of two systems are swapped at random.

Noreen (1989); with several runs Clark et al. (2011), §4.2. A trial is a partition: each output is used exactly once, by
one of the two pseudo-systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NoReturn

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.families import EstimatedPart, check_comparable, check_exchange, settle_unit
from mtworkbench.inference.intervals import TIE, monte_carlo_ends
from mtworkbench.inference.results import Randomization
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table
from mtworkbench.inference.settings import EXCHANGES, check_choice, check_draws, write_signature
from mtworkbench.inference.step_down import StepDown
from mtworkbench.inference.units import name_units
from mtworkbench.progress import ignore
from mtworkbench.resampling import RandomKey, RngLike, exchange_masks, resolve_rng
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
    n_runs = runs_with_coins(table, pairs, exchange)
    found: dict[Places, Randomization] = {}
    for number in dict.fromkeys(n_runs.values()):
        some = [pair for pair in pairs if n_runs[pair] == number]
        matters = {pair: table.differing(pair, n_runs=number) for pair in some}
        few = [pair for pair in some if np.count_nonzero(matters[pair]) <= MAX_EXACT_COINS]
        nothing = np.zeros((1, table.units.count * number))
        observed = dict(zip(some, table.exchange(nothing, some, n_runs=number)[:, :, 0], strict=True))
        trials = {pair: enumerate_exchanges(table, pair, number, matters[pair], observed[pair]) for pair in few}
        many = {pair: observed[pair] for pair in some if pair not in trials}
        own = [family for family in families if n_runs[family.pairs[0]] == number]
        trials |= draw_exchanges(table, many, number, n_trials, random_key, keep_differences, own, advance)
        for pair in some:
            a, b = pair
            n_extreme, differences = trials[pair]
            n_coins, exact = int(np.count_nonzero(matters[pair])), pair in few
            p_value = n_extreme / 2**n_coins if exact else (n_extreme + 1) / (n_trials + 1)
            p_low, p_high = (p_value, p_value) if exact else monte_carlo_ends(n_extreme, n_trials)
            options = {"unit": table.units.name, "exchange": exchange, "trials": "exact" if exact else n_trials}
            found[pair] = Randomization(
                a=table.systems[a].system,
                b=table.systems[b].system,
                metric=table.metrics[a],
                difference=table.means[a] - table.means[b],
                tested_difference=float(np.subtract(*observed[pair])),
                p_value=p_value,
                p_low=p_low,
                p_high=p_high,
                n_coins=n_coins,
                exact=exact,
                exchange=exchange,
                unit=table.units.name,
                n_units=table.units.count,
                n_trials=n_trials,
                rng=random_key.seed,
                signature=write_signature("ar", random_key, metric=table.signatures[a], **options),
                differences=differences if keep_differences else None,
            )
    return [found[pair] for pair in pairs]


def runs_with_coins(table: ScoreTable, pairs: Sequence[Places], exchange: str) -> dict[Places, int]:
    """Return how many runs of each pair have coins of their own. Pairs with different numbers need separate draws."""
    return {pair: 1 if exchange == "unit" else table.n_runs[pair[0]] for pair in pairs}


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
    if len(set(runs.values())) > 1:
        refuse_max_t(
            f"with exchange='run' the metrics have {min(runs.values())} to {max(runs.values())} runs with a coin each",
            "use exchange='unit' (--exchange unit), family='metric' (--family metric) or adjust='holm' (--adjust holm)",
        )
    for (a, b), n_runs in runs.items():
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


def enumerate_exchanges(
    table: ScoreTable, pair: Places, n_runs: int, matters: np.ndarray, observed: np.ndarray
) -> tuple[int, np.ndarray]:
    """Make all 2**k exchanges of the k coins that matter, the identity first: see `draw_exchanges`."""
    n_coins = np.count_nonzero(matters)
    masks = np.arange(2**n_coins)[:, None] >> np.arange(n_coins) & 1
    # Only these two systems: summing all the others would be wasted work.
    two = ScoreTable(tuple(table.systems[place] for place in pair), table.units)
    [(scores_a, scores_b)] = two.exchange(masks, [(0, 1)], n_runs=n_runs, coins=matters)
    return count_extreme(scores_a - scores_b, observed), scores_a - scores_b


def draw_exchanges(
    table: ScoreTable,
    observed: Mapping[Places, np.ndarray],
    n_runs: int,
    n_trials: int,
    random_key: RandomKey,
    keep_differences: bool,
    families: Sequence[StepDown],
    advance: Callable[[int], object],
) -> dict[Places, tuple[int, np.ndarray | None]]:
    """Return, for each pair, the number of extreme exchanges and, if kept, all differences, (n_trials,).

    ``observed`` has both scores of each pair, (2,), with nothing exchanged.
    """
    n_extreme = dict.fromkeys(observed, 0)
    kept: dict[Places, list[np.ndarray]] = {pair: [] for pair in observed}
    spreads = measure_spreads(table, list(observed), n_runs, random_key) if families else {}
    for family in families:
        family.begin(observed, spreads)
    if not observed:
        advance(n_trials)  # what was to be drawn is done: everything is enumerated
    for masks in exchange_masks(table.units.count, n_trials, n_runs=n_runs, rng=random_key) if observed else ():
        scores = table.exchange(masks.reshape(len(masks), -1), list(observed), n_runs=n_runs)
        found = dict(zip(observed, scores[:, 0] - scores[:, 1], strict=True))
        for pair, differences in found.items():
            n_extreme[pair] += count_extreme(differences, observed[pair])
            if keep_differences:
                kept[pair].append(differences)
        for family in families:
            family.count(found)
        advance(len(masks))
    return {pair: (n_extreme[pair], np.concatenate(kept[pair]) if keep_differences else None) for pair in observed}


def measure_spreads(
    table: ScoreTable, pairs: Sequence[Places], n_runs: int, random_key: RandomKey
) -> dict[Places, float]:
    """Return the root mean square of each pair's differences in the first 1,000 trials, also where fewer are counted.

    Of fewer, it would be so rough that the pairs whose own is too small by chance reached too large a t.
    """
    squares = np.zeros(len(pairs))
    for masks in exchange_masks(table.units.count, N_SPREAD_TRIALS, n_runs=n_runs, rng=random_key) if pairs else ():
        scores = table.exchange(masks.reshape(len(masks), -1), pairs, n_runs=n_runs)
        squares += np.sum((scores[:, 0] - scores[:, 1]) ** 2, axis=1)
    return dict(zip(pairs, np.sqrt(squares / N_SPREAD_TRIALS).tolist(), strict=True))


def count_extreme(differences: np.ndarray, observed: np.ndarray) -> int:
    """Count the differences that are at least as large as that of the two scores observed, in either direction."""
    tolerance = TIE * np.abs(observed).max()
    return int(np.count_nonzero(np.abs(differences) >= abs(observed[0] - observed[1]) - tolerance))


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
