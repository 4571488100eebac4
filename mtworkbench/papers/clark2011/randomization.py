"""The p-values that replications give: Clark et al. (2011), §4.2, Table 2.

The paper does not say whether all runs of a sentence are swapped together (``exchange="unit"``, which
`mtworkbench.compare` does) or each by a coin of its own (``exchange="run"``, which the authors' program did). Units are
sentences, as in the paper, whatever documents the test set has. The paper's system A is the baseline, B the
experimental one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.choices import CHOICES
from mtworkbench.inference.families import check_comparable
from mtworkbench.inference.intervals import TIE, n_dropped
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.score_table import EXACT_IN_FLOAT32, pair_table
from mtworkbench.inference.weighted_sums import is_whole
from mtworkbench.papers.clark2011.scores import draw_runs, find_run, possible_replications, take_runs
from mtworkbench.progress import Progress, ignore, shown_steps
from mtworkbench.resampling import COINS, RngLike, exchange_coins, resolve_rng
from mtworkbench.results.settings import check_choice, check_draws
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Clark et al. (2011), Table 2: which runs of the baseline and of the experimental system are compared alone.
SINGLE_RUNS = (("high", "low"), ("median", "median"), ("low", "high"))
#: Trials behind the p of single runs.
SINGLE_TRIALS = 10_000
#: Numbers of runs drawn: those of Clark et al. (2011), Table 2, are 5 and 50.
DRAWN_RUNS = (1, 3, 5, 50)
#: At which a hypothesis is rejected.
LEVEL = 0.05
#: What runs that are drawn are called in Table 2.
RANDOM = "random"
# So many coins are held at a time: one byte each, and four or eight while they are multiplied.
BATCH_COINS = 2**25


def randomize_single_runs(
    baseline: SystemStatistics,
    experimental: SystemStatistics,
    *,
    runs: Sequence[tuple[int, int]] | None = None,
    n_trials: int = SINGLE_TRIALS,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Test single runs of two systems: best against worst, the medians, worst against best (Table 2, n = 1).

    With one run of each, both ways to exchange are the same.

    Parameters
    ----------
    baseline, experimental : SystemStatistics
    runs : sequence of (int, int), optional
        Other pairs of runs, by the number of that of the baseline and of the experimental system, counted from 1.
    n_trials : int
    rng : int, numpy.random.Generator or None
        The same coins for every row.

    Returns
    -------
    DataFrame
        One row per pair of runs: ``system_a`` and ``system_b`` (rank of the run of the baseline and of that of the
        experimental system: high, median, low; or their numbers), ``run_a``, ``run_b`` (their numbers, from 1),
        ``score_a``, ``score_b``, ``difference`` (experimental - baseline), ``n_trials``, ``p_value``, ``p_low``,
        ``p_high``, ``baseline``, ``experimental`` and ``metric`` (names).
    """
    check_comparable(baseline, experimental)
    random_key = resolve_rng(rng)
    rows = []
    for rank_a, rank_b in SINGLE_RUNS if runs is None else runs:
        run_a, run_b = (
            find_run(system, rank) if isinstance(rank, str) else rank
            for system, rank in ((baseline, rank_a), (experimental, rank_b))
        )
        a, b = take_runs(baseline, [run_a]), take_runs(experimental, [run_b])
        tested = approximate_randomization(b, a, n_trials=n_trials, unit="segment", rng=random_key)
        rows.append(
            {
                "system_a": rank_a,
                "system_b": rank_b,
                "run_a": run_a,
                "run_b": run_b,
                "score_a": float(a.score()[0, 0]),
                "score_b": float(b.score()[0, 0]),
                "difference": tested.difference,
                "n_trials": n_trials,
                "p_value": tested.p_value,
                "p_low": tested.p_low,
                "p_high": tested.p_high,
                "baseline": a.system,
                "experimental": b.system,
                "metric": a.metric.name,
            }
        )
    return pd.DataFrame(rows)


def randomize_drawn_runs(
    baseline: SystemStatistics,
    experimental: SystemStatistics,
    replications: Sequence[int] | None = None,
    *,
    n_draws: int = 250,
    n_trials: int = 1000,
    exchange: str = "run",
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Test many pairs of a few runs drawn with replacement (Clark et al. (2011), Table 2, n = 5 and n = 50).

    The coins of a trial are the same for all draws of one number of runs, so that one matrix product serves them all;
    each p is that of `approximate_randomization` with the same ``rng`` and ``unit="segment"`` where the outputs of all
    runs are laid end to end, as MultEval takes them (with ``exchange="unit"``, where their statistics are averaged).
    Only where 16 coins or fewer matter does that function enumerate, and this one not.

    Parameters
    ----------
    baseline, experimental : SystemStatistics
    replications : sequence of int, optional
        Runs of each system in a test; unless given, those of `DRAWN_RUNS` that both systems have.
    n_draws : int
        The first draws are the same for any number.
    n_trials : int
        1,000 trials make the paper's floor of 0.001.
    exchange : {"run", "unit"}
        "run": one coin for each sentence and run. "unit": one coin for each sentence. The draws are the same.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step for each trial of each run.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per test: ``n``, ``draw`` (from 1), ``difference`` of the scores of run-averaged statistics
        (experimental - baseline), ``p_value`` and ``n_trials``.

    Raises
    ------
    InputError
        Where more runs are asked for than there are (``too-few-runs``).
    """
    check_comparable(baseline, experimental)
    check_draws("n_draws", n_draws)
    check_draws("n_trials", n_trials)
    check_choice("exchange", exchange, CHOICES["exchange"])
    random_key = resolve_rng(rng)
    baseline, experimental = pair = pair_table(baseline, experimental).systems
    if replications is None:
        replications = possible_replications(baseline, experimental, DRAWN_RUNS)
    coins_per_segment = replications if exchange == "run" else [1] * len(replications)
    arranged = arrange_changes((baseline, experimental), max(replications, default=1))
    key, frames = random_key.stream(COINS), []
    with shown_steps(progress, n_trials * sum(coins_per_segment)) as advance:
        for number in replications:
            chosen = [
                draw_runs(system, number, n_draws, random_key.sample(place))
                for place, system in enumerate(pair, start=1)
            ]
            observed, p_values = randomize_together(
                (baseline, experimental), chosen, arranged, n_trials, key, advance, exchange=exchange
            )
            frame = pd.DataFrame({"n": number, "draw": np.arange(1, n_draws + 1), "difference": observed})
            frames.append(frame.assign(p_value=p_values, n_trials=n_trials))
    empty = pd.DataFrame(columns=["n", "draw", "difference", "p_value", "n_trials"])
    return pd.concat(frames, ignore_index=True) if frames else empty


def is_one_experiment(drawn: pd.DataFrame) -> bool:
    """Tell whether all draws are of the same two outputs (a frame of `randomize_drawn_runs`)."""
    if len(drawn) < 2 or set(drawn["n"]) != {1}:
        return False
    return drawn["difference"].nunique() == 1 and drawn["p_value"].nunique() == 1


def randomize_together(
    pair: tuple[SystemStatistics, SystemStatistics],
    chosen: Sequence[np.ndarray],
    arranged: tuple[np.ndarray, np.ndarray],
    n_trials: int,
    key: int,
    advance: Callable[[int], object] = ignore,
    *,
    exchange: str = "run",
) -> tuple[np.ndarray, np.ndarray]:
    """Test many choices of runs of two systems with the same coins.

    Parameters
    ----------
    pair : (SystemStatistics, SystemStatistics)
    chosen : two (n_draws, n) ndarray
        Positions of the runs of each, counted from 0; run j of one is paired with run j of the other.
    arranged : (ndarray, ndarray)
        Of `arrange_changes`, for so many runs or more.
    n_trials : int
    key : int
        Of the coins; coin number ``segment * n + j``, or ``segment`` where whole segments are exchanged.
    advance : callable, optional
        Told of the trials that are done, by run if each run has its own coin.
    exchange : {"run", "unit"}

    Returns
    -------
    difference, p_value : (n_draws,) ndarray
        Difference of the scores of run-averaged statistics, second - first.
    """
    (n_draws, n), n_segments = chosen[0].shape, pair[0].n_segments
    totals = [
        system.values.sum(axis=1, dtype=np.float64)[ones].sum(axis=1) for system, ones in zip(pair, chosen, strict=True)
    ]
    observed, scale = score_differences(pair[0], totals, 0.0, n)
    changes, places = arranged
    n_columns, kind = changes.shape[1], changes.dtype
    extreme = np.zeros(n_draws, dtype=np.int64)
    slots = [[slot] for slot in range(n)] if exchange == "run" else [range(n)]  # those that share a coin
    size = max(1, BATCH_COINS // (n_segments * len(slots)))
    for first in range(0, n_trials, size):
        count = min(size, n_trials - first)
        coins = exchange_coins(n_segments * len(slots), first, count, key=key).reshape(count, n_segments, -1)
        gains = np.zeros((count, 1 + n_columns, n_draws), dtype=kind)
        for place, together in enumerate(slots):
            times = np.concatenate(
                [_count_runs(ones[:, together], system) for ones, system in zip(chosen, pair, strict=True)]
            )
            drawn = np.flatnonzero(times.any(axis=1))
            times, runs = times[drawn].astype(kind), changes.take(drawn, axis=2)
            tossed: np.ndarray = coins[:, :, place].astype(kind)
            if len(drawn) < n_draws:  # of the two products the smaller one first: the sums are the same
                moved = (tossed @ runs.reshape(n_segments, n_columns * len(drawn))).reshape(-1, len(drawn)) @ times
            else:
                moved = tossed @ (runs.reshape(-1, len(drawn)) @ times).reshape(n_segments, n_columns * n_draws)
            gains[:, 1:] += moved.reshape(count, n_columns, n_draws)
            advance(count)
        del coins, tossed  # before the next are drawn
        gains = np.swapaxes(gains.take(places, axis=1), 1, 2)
        differences, _ = score_differences(pair[0], totals, gains, n)
        extreme += np.count_nonzero(np.abs(differences) >= np.abs(observed) - TIE * scale, axis=0)
    return observed, (extreme + 1) / (n_trials + 1)


def arrange_changes(pair: tuple[SystemStatistics, SystemStatistics], n: int) -> tuple[np.ndarray, np.ndarray]:
    """Arrange what exchanges of up to `n` runs of each system change.

    A draw exchanges as many runs of the first system, which are losses, as of the second. So whole numbers count from
    those of one run; then some statistics never change, and others change alike and share a column: where no output is
    shorter than four words, BLEU's numbers of n-grams do. The type is float32 if all sums are exact in it.

    Parameters
    ----------
    pair : (SystemStatistics, SystemStatistics)
    n : int

    Returns
    -------
    changes : (n_segments, n_columns, n_runs) ndarray
    places : (n_statistics,) ndarray of int64
        The column of each statistic, counted from 1; 0 if it never changes.
    """
    by_statistic = np.concatenate([system.values for system in pair]).transpose(2, 1, 0)
    whole = is_whole(by_statistic)
    if whole:
        by_statistic = by_statistic - by_statistic[:, :, :1]
    columns = {bytes(by_statistic[0].nbytes): 0}
    places = [columns.setdefault(one.tobytes(), len(columns)) for one in by_statistic]
    kept = by_statistic[[places.index(place) for place in range(1, len(columns))]]
    parts = np.split(np.abs(kept), [pair[0].n_runs], axis=2)
    largest = n * sum(part.max(axis=2).sum(axis=1).max(initial=0) for part in parts)
    kind = np.float32 if whole and largest < EXACT_IN_FLOAT32 else np.float64
    changes: np.ndarray = np.moveaxis(kept, 0, 1).astype(kind, "C")
    changes[:, :, : pair[0].n_runs] *= -1
    return changes, np.array(places)


def score_differences(
    system: SystemStatistics, totals: Sequence[np.ndarray], gains: np.ndarray | float, n: int
) -> tuple[np.ndarray, np.ndarray]:
    """Score both sides after the first has gained what the second has lost: (difference, larger absolute score)."""
    score_a, score_b = (
        system.metric.score((total + sign * gains) / n) for total, sign in zip(totals, (1, -1), strict=True)
    )
    return score_b - score_a, np.maximum(np.abs(score_a), np.abs(score_b))


def _count_runs(chosen: np.ndarray, system: SystemStatistics) -> np.ndarray:
    """Count how often each draw has each run: (n_runs, n_draws)."""
    return np.count_nonzero(chosen[:, :, None] == np.arange(system.n_runs), axis=1).T


def summarize_draws(drawn: pd.DataFrame) -> pd.DataFrame:
    """Give the central 95 % of p over the draws (Clark et al. (2011), Table 2, n = 5 and n = 50).

    Parameters
    ----------
    drawn : DataFrame
        Of `randomize_drawn_runs`.

    Returns
    -------
    DataFrame
        One row per number of runs: ``n``, ``system_a`` and ``system_b`` ("random"), ``p_low``, ``p_high`` (of 250 draws
        the 7th and the 244th),
        ``p_median``, ``significant_percent`` (of the draws with p <= 0.05), ``n_draws``, ``n_trials`` (where known).
    """
    rows = []
    for number, part in drawn.groupby("n", sort=False):
        p_values = np.sort(part["p_value"].to_numpy())
        dropped = n_dropped(len(p_values), 0.025)
        rows.append(
            {
                "n": number,
                "system_a": RANDOM,
                "system_b": RANDOM,
                "p_low": p_values[dropped],
                "p_high": p_values[len(p_values) - 1 - dropped],
                "p_median": float(np.median(p_values)),
                "significant_percent": 100 * float((p_values <= LEVEL).mean()),
                "n_draws": len(part),
                **({"n_trials": part["n_trials"].iloc[0]} if "n_trials" in part else {}),
            }
        )
    return pd.DataFrame(rows)


def tabulate_p_values(single: pd.DataFrame, drawn: pd.DataFrame) -> pd.DataFrame:
    """Put single runs and draws into the rows of Table 2.

    Parameters
    ----------
    single, drawn : DataFrame
        Of `randomize_single_runs` and `randomize_drawn_runs`.

    Returns
    -------
    DataFrame
        ``n``, ``system_a``, ``system_b``, ``p_low``, ``p_high``: for one run each the one p, else the ends of its
        95 % range; ``n_trials`` behind it; ``baseline``, ``experimental`` and ``metric``, the same in every row.
    """
    columns = ["n", "system_a", "system_b", "p_low", "p_high", "n_trials"]
    one = single.assign(n=1, p_low=single["p_value"], p_high=single["p_value"])[columns]
    both = pd.concat([one, summarize_draws(drawn)[columns]], ignore_index=True) if len(drawn) else one
    return both.assign(**single.iloc[0][["baseline", "experimental", "metric"]])


def tabulate_both_exchanges(
    baseline: SystemStatistics,
    experimental: SystemStatistics,
    *,
    corpus: str,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> tuple[pd.DataFrame, dict[str, pd.DataFrame]]:
    """Test single runs and drawn runs of two systems with both ways to exchange (Table 2).

    Parameters
    ----------
    baseline, experimental : SystemStatistics
    corpus : str
        What the column ``corpus`` says.
    progress : callable, optional
        Wraps the draws.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    table : DataFrame
        Of `tabulate_p_values`, with ``corpus`` and ``exchange``, as `arrange_table2` takes it.
    drawn : dict of str to DataFrame
        By the way to exchange: of `randomize_drawn_runs`.
    """
    single = randomize_single_runs(baseline, experimental, rng=rng)
    drawn = {
        way: randomize_drawn_runs(baseline, experimental, exchange=way, progress=progress, rng=rng)
        for way in ("run", "unit")
    }
    tables = [tabulate_p_values(single, one).assign(corpus=corpus, exchange=way) for way, one in drawn.items()]
    return pd.concat(tables, ignore_index=True), drawn
