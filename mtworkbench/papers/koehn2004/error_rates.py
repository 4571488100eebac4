"""Three rates that are easily mixed: type I error, wrong conclusions, wrong sign (Koehn (2004), §6-7).

The paper expects "1 conclusion in 20" to be wrong at 95 %. That is none of the three: the level of a test bounds its
type I error, and how many conclusions are wrong depends on how different the compared systems are.

Tuning on the test set has a price of the same kind: what it brings there and on fresh segments (§8 advises against it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import count_wins, resample
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers.common.systems import direction
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE
from mtworkbench.progress import Progress
from mtworkbench.resampling import COINS, SIMULATION, RngLike, exchange_coins, random_samples, resolve_rng, uniforms
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: The share of resamples that makes a conclusion in one direction; 1 - the largest p that does so in either direction.
LEVEL = 0.95
#: Two ways to tune on a test set.
UNRELATED, IN_A_ROW = TUNINGS = ("unrelated variants", "changes in a row")
#: The share of a system's segments whose coin a change tosses again.
CHANGED_SHARE = 0.3


def conclude_under_null(
    a: SystemStatistics,
    b: SystemStatistics,
    size: int,
    *,
    n_repetitions: int = 2000,
    n_resamples: int = 1000,
    n_trials: int = 999,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Ask the paired bootstrap and approximate randomization which of two equally good systems is better.

    In each repetition a sample is drawn without replacement from the whole test set and a coin decides for every
    segment which of its two outputs goes to which side, so the two sides differ only by chance.

    Parameters
    ----------
    a, b : SystemStatistics
        If a system has several runs, the first is taken.
    size : int
        Segments in a sample.
    n_repetitions, n_resamples : int
    n_trials : int
        Exchanges of approximate randomization, per repetition.
    progress : callable, optional
        Wraps the repetitions, such as ``tqdm``.
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of the study; its randomization test draws as sample 1 of that.

    Returns
    -------
    DataFrame
        One row per repetition: ``repetition`` (from 1), ``difference``, ``confidence`` (share of resamples that the
        first side wins), ``against`` (that the second wins), ``p_value`` of approximate randomization.
    """
    direction(a.metric)
    random_key = resolve_rng(rng)
    rows = []
    repetitions = range(1, n_repetitions + 1)
    for repetition in progress(repetitions) if progress else repetitions:
        own = random_key.sample(repetition)
        sample = random_samples(a.n_segments, size, 1, rng=own)[0]
        test_set = a.test_set.take(sample)
        coins = exchange_coins(size, 0, 1, key=own.stream(COINS))[0].astype(bool)[:, None]
        left, right = a.values[0, sample], b.values[0, sample]
        sides = [
            SystemStatistics(a.metric, "first", np.where(coins, right, left)[None], test_set),
            SystemStatistics(b.metric, "second", np.where(coins, left, right)[None], test_set),
        ]
        drawn = resample(ScoreTable.of(sides), n_resamples, own)
        wins, losses, _ = count_wins(drawn[0][:, 0], drawn[1][:, 0], a.metric)
        test = approximate_randomization(*sides, n_trials=n_trials, unit="segment", rng=own.sample(1))
        rows.append(
            {
                "repetition": repetition,
                "difference": test.difference,
                "confidence": np.nan if wins is None else wins / n_resamples,
                "against": np.nan if losses is None else losses / n_resamples,
                "p_value": test.p_value,
            }
        )
    return pd.DataFrame(rows)


def check_truth(
    statistics: SegmentStatistics, pairs: Iterable[tuple[str, str]], *, rng: RngLike = None
) -> pd.DataFrame:
    """Ask whether the whole test set, which is taken as the truth, shows which system of each pair is better.

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
    rng : int, numpy.random.Generator or None
        All pairs have the same coins.

    Returns
    -------
    DataFrame
        One row per pair: ``a``, ``b``, ``difference`` on the whole test set, ``p_value`` of `approximate_randomization`
        with 1,000 trials, by document where `choose_units` takes documents.
    """
    random_key = resolve_rng(rng)
    rows = []
    for a, b in pairs:
        test = approximate_randomization(statistics[a], statistics[b], n_trials=1000, rng=random_key)
        rows.append({"a": a, "b": b, "difference": test.difference, "p_value": test.p_value})
    return pd.DataFrame(rows)


def tabulate_error_rates(conclusions: pd.DataFrame, null: pd.DataFrame) -> pd.DataFrame:
    """Tabulate three rates: type I error on equal systems, wrong conclusions, and wrong sign of the difference.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude_on_sizes` at 95 %, on systems whose true difference is known. Pairs without a true difference are
        left out, because neither of their systems is the worse.
    null : DataFrame
        Of `conclude_under_null`.

    Returns
    -------
    DataFrame
        One row per rate and rule: ``rate``, ``rule``, ``definition`` (in words, with the denominator), ``events``,
        ``of``, ``percent``, ``low``, ``high``: Clopper-Pearson interval (95 %) in %, where the counted samples are
        independent, else NaN; ``lowest_pair``, ``highest_pair``: smallest and largest rate of a single pair, in %.
    """
    different = conclusions[conclusions["true_difference"] != 0]
    pairs = [different["a"], different["b"]]
    drawn = different["conclusion"] != ""
    wrong = ~different["correct"][drawn]
    opposite = np.sign(different["difference"]) == -np.sign(different["true_difference"])
    worse = "conclusions for the truly worse system, of all conclusions drawn"
    higher = "comparisons in which the truly worse system has the better score, of all comparisons (pair and sample)"
    rows = [
        ("wrong conclusions", "95 % of resamples", worse, wrong, False),
        ("wrong sign", "better score", higher, opposite, False),
    ]
    return pd.DataFrame([*count_type_i(null), *(_count_errors(*row, pairs) for row in rows)])


def count_type_i(null: pd.DataFrame) -> list[dict]:
    """Count how often each rule calls equal systems different: the first rows of `tabulate_error_rates`."""
    bootstrap = (null[["confidence", "against"]] >= LEVEL - ROUNDING).any(axis=1)
    randomization = null["p_value"] <= 1 - LEVEL + ROUNDING
    equal = "samples of equally good systems on which the rule calls one of them better, of all such samples"
    rules = [("95 % of resamples", bootstrap), ("approximate randomization, p <= 0.05", randomization)]
    return [_count_errors("type I error", rule, equal, errors, True, []) for rule, errors in rules]


def arrange_error_rates(table: pd.DataFrame) -> pd.DataFrame:
    """Arrange `tabulate_error_rates` for reading: percentages with their counts, intervals and ranges as text.

    Returns
    -------
    DataFrame
        One row per rate and rule: ``rate``, ``rule``, ``percent``, ``95 % CI``, ``by pair``, ``definition``.
    """
    rows = []
    for row in table.itertuples():
        interval = f"{row.low:.1f} to {row.high:.1f} %" if np.isfinite(row.low) else "none: samples share sentences"
        ends = list(dict.fromkeys(f"{end:.1f}" for end in (row.lowest_pair, row.highest_pair) if np.isfinite(end)))
        rows.append(
            {
                "rate": row.rate,
                "rule": row.rule,
                "percent": f"{row.percent:.2f} % ({row.events:,} of {row.of:,})" if row.of else "nothing to count",
                "95 % CI": interval if row.of else "",
                "by pair": f"{' to '.join(ends)} %" if ends else "",
                "definition": row.definition,
            }
        )
    return pd.DataFrame(rows)


def _count_errors(
    rate: str, rule: str, definition: str, errors: pd.Series, independent: bool, pairs: list[pd.Series]
) -> dict:
    """Count errors, overall and by pair of systems where the samples are of pairs."""
    n, events = len(errors), int(errors.sum())
    low, high = monte_carlo_ends(events, n) if independent and n else (np.nan, np.nan)
    by_pair = pd.Series(dtype=float) if independent else errors.groupby([one[errors.index] for one in pairs]).mean()
    return {
        "rate": rate,
        "rule": rule,
        "definition": definition,
        "events": events,
        "of": n,
        "percent": 100 * events / n if n else np.nan,
        "low": 100 * low,
        "high": 100 * high,
        "lowest_pair": 100 * by_pair.min(),
        "highest_pair": 100 * by_pair.max(),
    }


def randomize_samples(
    a: SystemStatistics, b: SystemStatistics, samples: Sequence[np.ndarray], *, n_trials: int = 999, rng: RngLike = None
) -> pd.DataFrame:
    """Test on each sample whether two systems differ, with segments as units.

    Parameters
    ----------
    a, b : SystemStatistics
    samples : sequence of ndarray
        Positions of segments, one array per sample.
    n_trials : int
        Random exchanges per sample.
    rng : int, numpy.random.Generator or None
        All samples have the same coins.

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``difference`` (a - b on the sample),
        ``true_difference`` (on the whole test set), ``p_value``.
    """
    random_key = resolve_rng(rng)
    truth = float(a.score().mean() - b.score().mean())
    rows = []
    for number, sample in enumerate(samples, 1):
        pair = a.take(sample), b.take(sample)
        test = approximate_randomization(*pair, n_trials=n_trials, unit="segment", rng=random_key)
        rows.append((number, len(sample), test.difference, truth, test.p_value))
    return pd.DataFrame(rows, columns=["sample", "segments", "difference", "true_difference", "p_value"])


def reuse_test_set(
    a: SystemStatistics,
    b: SystemStatistics,
    size: int | None = None,
    *,
    counts: Sequence[int] = (1, 2, 5, 10, 20),
    n_repetitions: int = 1000,
    n_resamples: int = 500,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Tune a system on a test set, then compare it with its baseline on the same test set.

    A baseline and its variants are equally good by construction: a coin per segment decides whether a variant's output
    is that of ``a`` or of ``b``. In each repetition a test set and as many fresh segments are drawn, without
    replacement. There are two ways to tune on the test set: to try k unrelated variants (new coins for all segments)
    and take the best one; or to make k changes in a row, each of which tosses the coins of 30 % of the segments of the
    current system again, and to keep each change that raises the score. The result is compared with the baseline on the
    test set, by the paired bootstrap, and scored on the fresh segments.

    Parameters
    ----------
    a, b : SystemStatistics
        If a system has several runs, the first is taken.
    size : int, optional
        Segments in the test set. By default 300, or half of all segments if there are fewer than 600.
    counts : sequence of int
        How many variants are tried, and how many changes are made.
    n_repetitions, n_resamples : int
    progress : callable, optional
        Wraps the repetitions, such as ``tqdm``.
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of the study.

    Returns
    -------
    DataFrame
        One row per (repetition, tuning, count): ``repetition`` (from 1), ``segments``, ``tuning`` ("unrelated
        variants" or "changes in a row"), ``variants`` (how many were tried), ``gain`` of the result over the baseline
        on the test set and ``fresh_gain`` on the fresh segments (in points of the metric, positive: better),
        ``confidence`` (share of the test set's resamples that it wins).

    Raises
    ------
    InputError
        If there are too few segments for a test set and fresh ones, or the metric has no direction.
    """
    sign = direction(a.metric)
    size = min(FIGURE_SIZE, a.n_segments // 2) if size is None else size
    if not 1 <= 2 * size <= a.n_segments:
        raise InputError(
            "sample-size",
            f"A test set of {size} segments and {size} fresh ones were asked for, but there are {a.n_segments}: "
            f"take at most {a.n_segments // 2}.",
        )
    random_key = resolve_rng(rng)
    rows = []
    repetitions = range(1, n_repetitions + 1)
    for repetition in progress(repetitions) if progress else repetitions:
        own = random_key.sample(repetition)
        drawn = random_samples(a.n_segments, 2 * size, 1, rng=own)[0]
        tested = random_samples(2 * size, size, 1, rng=own.sample(1))[0]
        fresh = np.setdiff1d(np.arange(2 * size), tested)
        coins = exchange_coins(2 * size, 0, 1 + max(counts), key=own.stream(COINS)).astype(np.float64)
        outputs = a.values[0, drawn].astype(np.float64), b.values[0, drawn].astype(np.float64)
        score, score_fresh = (_score_mixtures(a, outputs, sign, part) for part in (tested, fresh))
        scores = score(coins)
        best = {(UNRELATED, count): coins[1 + int(np.argmax(scores[1 : count + 1]))] for count in counts}
        systems = _change_in_a_row(coins[0], score, max(counts), own.stream(SIMULATION))
        best |= {(IN_A_ROW, count): systems[count] for count in counts}
        # The baseline first; equal mixtures are resampled once.
        mixtures = np.array([coins[0], *best.values()])
        as_bytes = [row.tobytes() for row in np.packbits(mixtures == 1, axis=1)]
        _, firsts, places = np.unique(as_bytes, return_index=True, return_inverse=True)
        gains, fresh_gains = (each(mixtures)[1:] - each(mixtures[:1]) for each in (score, score_fresh))
        test_set = a.test_set.take(drawn[tested])
        left, right = (one[tested] for one in outputs)
        variants = [
            SystemStatistics(a.metric, str(n), np.where(mixtures[n, tested, None] == 1, right, left)[None], test_set)
            for n in firsts
        ]
        resampled = resample(ScoreTable.of(variants), n_resamples, own)
        baseline, *chosen = (resampled[place][:, 0] for place in places)
        rows += [
            {
                "repetition": repetition,
                "segments": size,
                "tuning": tuning,
                "variants": count,
                "gain": gain,
                "fresh_gain": fresh_gain,
                "confidence": np.nan
                if (wins := count_wins(one, baseline, a.metric)[0]) is None
                else wins / n_resamples,
            }
            for (tuning, count), gain, fresh_gain, one in zip(best, gains, fresh_gains, chosen, strict=True)
        ]
    return pd.DataFrame(rows)


def summarize_reuse(frame: pd.DataFrame) -> pd.DataFrame:
    """Count how often the tuned system is called better than its baseline, and average what it gains.

    Parameters
    ----------
    frame : DataFrame
        Of `reuse_test_set`.

    Returns
    -------
    DataFrame
        One row per way of tuning and number: ``tuning``, ``variants``, ``segments``, ``test_sets``,
        ``called_better_percent`` with ``low``, ``high`` (Clopper-Pearson, 95 %), ``gain``, ``fresh_gain`` (means) and
        ``fresh_error``, the standard error of the latter.
    """
    rows = []
    for (tuning, variants), part in frame.groupby(["tuning", "variants"], sort=False):
        n, called = len(part), int((part["confidence"] >= LEVEL - ROUNDING).sum())
        low, high = monte_carlo_ends(called, n)
        rows.append(
            {
                "tuning": tuning,
                "variants": variants,
                "segments": part["segments"].iloc[0],
                "test_sets": n,
                "called_better_percent": 100 * called / n,
                "low": 100 * low,
                "high": 100 * high,
                "gain": part["gain"].mean(),
                "fresh_gain": part["fresh_gain"].mean(),
                "fresh_error": part["fresh_gain"].std(ddof=1) / np.sqrt(n),
            }
        )
    return pd.DataFrame(rows)


def _score_mixtures(
    system: SystemStatistics, outputs: tuple[np.ndarray, np.ndarray], sign: int, part: np.ndarray
) -> Callable[[np.ndarray], np.ndarray]:
    """Return what scores mixtures, given by their coins, on some of the segments, so that more is better."""
    left, right = (one[part] for one in outputs)
    total, changes = left.sum(axis=0), right - left
    return lambda coins: sign * system.metric.score(total + coins[:, part] @ changes)


def _change_in_a_row(
    baseline: np.ndarray, score: Callable[[np.ndarray], np.ndarray], n_changes: int, key: int
) -> list[np.ndarray]:
    """Change a system again and again, keep what raises the score; return the system after 0, 1, ... changes."""
    systems = [baseline]
    for number in range(n_changes):
        drawn = uniforms(key, number * len(baseline), len(baseline))
        changed = np.where(drawn < CHANGED_SHARE, drawn < CHANGED_SHARE / 2, systems[-1])
        before, after = score(np.array([systems[-1], changed]))
        systems.append(changed if after > before else systems[-1])
    return systems
