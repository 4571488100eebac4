"""Three rates that are easily mixed: type I error, wrong conclusions, wrong sign (Koehn (2004), §6-7).

The paper expects "1 conclusion in 20" to be wrong at 95 %. That is none of the three: the level of a test bounds its
type I error, and how many conclusions are wrong depends on how different the compared systems are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.inference.bootstrap import count_wins, resample
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers.common.directions import direction
from mtworkbench.progress import Progress
from mtworkbench.resampling import COINS, RngLike, exchange_coins, random_samples, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: The share of resamples that makes a conclusion in one direction; 1 - the largest p that does so in either direction.
LEVEL = 0.95


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
    statistics: SegmentStatistics, pairs: Iterable[tuple[str, str]], *, n_trials: int = 1000, rng: RngLike = None
) -> pd.DataFrame:
    """Ask whether the whole test set, which is taken as the truth, shows which system of each pair is better.

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
    n_trials : int
        Of `approximate_randomization`, by document where `choose_units` takes documents.
    rng : int, numpy.random.Generator or None
        All pairs have the same coins.

    Returns
    -------
    DataFrame
        One row per pair: ``a``, ``b``, ``difference`` on the whole test set, ``p_value``.
    """
    random_key = resolve_rng(rng)
    rows = []
    for a, b in pairs:
        test = approximate_randomization(statistics[a], statistics[b], n_trials=n_trials, rng=random_key)
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
    bootstrap = (null["confidence"] >= LEVEL - 1e-12) | (null["against"] >= LEVEL - 1e-12)
    randomization = null["p_value"] <= 1 - LEVEL + 1e-12
    different = conclusions[conclusions["true_difference"] != 0]
    pairs = [different["a"], different["b"]]
    drawn = different["conclusion"] != ""
    wrong = ~different["correct"][drawn]
    opposite = np.sign(different["difference"]) == -np.sign(different["true_difference"])
    equal = "samples of equally good systems on which the rule calls one of them better, of all such samples"
    worse = "conclusions for the truly worse system, of all conclusions drawn"
    higher = "comparisons in which the truly worse system has the better score, of all comparisons (pair and sample)"
    rows = [
        ("type I error", "95 % of resamples", equal, bootstrap, True),
        ("type I error", "approximate randomization, p <= 0.05", equal, randomization, True),
        ("wrong conclusions", "95 % of resamples", worse, wrong, False),
        ("wrong sign", "better score", higher, opposite, False),
    ]
    return pd.DataFrame([_count_errors(*row, pairs) for row in rows])


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
        rows.append(
            {
                "sample": number,
                "segments": len(sample),
                "difference": test.difference,
                "true_difference": truth,
                "p_value": test.p_value,
            }
        )
    return pd.DataFrame(rows)
