"""How scores and differences scatter over runs, and which runs to take: Clark et al. (2011), §4.2, Figs. 1 and 2.

The paper's system A is the baseline, B the experimental system; a difference is experimental - baseline.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.replications import median_run
from mtworkbench.metrics.directions import sign_of
from mtworkbench.resampling import (
    RESAMPLES,
    SUBSAMPLES,
    RandomKey,
    RngLike,
    bootstrap_indices,
    resolve_rng,
    stream_words,
)
from mtworkbench.results.settings import check_draws
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.wording import tally

Pair = tuple[SystemStatistics, SystemStatistics]
#: By corpus: one object per metric, each of all runs of all systems; of one metric alone, the object itself.
Families = Mapping[str, Sequence[SegmentStatistics]]
Test = Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]]
#: Numbers of some runs of each system of a pair, counted from 1.
Runs = tuple[list[int], list[int]]
#: Clark et al. (2011), Table 2: names of single runs, by their score.
NAMED_RUNS = ("low", "median", "high")
#: Numbers of replications that are averaged, unless others are asked for.
REPLICATIONS = (1, 2, 3, 5, 10, 25, 50)
#: A histogram of fewer runs than these shows the bins and not the runs; a curve of fewer shows single differences.
MIN_RUNS_OF_HISTOGRAM, MIN_RUNS_OF_CURVE = 10, 20
#: Most bins of a histogram of scores, and of a curve of differences; pairs of runs behind each bin of a curve.
MOST_BINS, MOST_CURVE_BINS, PAIRS_OF_A_BIN = 40, 50, 20


def choose_pairs(test: Test) -> dict[str, Pair]:
    """Return the pair of each corpus that the figures and tests look at: its first two systems, by its first metric.

    Parameters
    ----------
    test : mapping of str to SegmentStatistics or sequence of SegmentStatistics
        By corpus; a sequence has one object per metric.

    Returns
    -------
    dict of str to (SystemStatistics, SystemStatistics)
        By corpus: the baseline (the paper's system A) and the experimental system (B).

    Raises
    ------
    InputError
        Where a corpus has a single system (``too-few-systems``).
    """
    pairs = {}
    for corpus, families in test.items():
        family = families if isinstance(families, SegmentStatistics) else families[0]
        names = list(family)[:2]
        if len(names) < 2:
            raise InputError(
                "too-few-systems", f"{corpus!r} has {len(names)} system, but two are needed to compare their runs."
            )
        pairs[corpus] = (family[names[0]], family[names[1]])
    return pairs


def figure_pairs(test: Test) -> tuple[Pair, Pair]:
    """Return the pairs of Figures 1 and 2: that of the first and that of the last corpus (see `choose_pairs`)."""
    pairs = list(choose_pairs(test).values())
    return pairs[0], pairs[-1]


def rank_runs(system: SystemStatistics) -> np.ndarray:
    """Sort the runs of a system by their score, the worst first; equal ones stay in their order.

    Returns
    -------
    (n_runs,) ndarray of int64
        Positions of runs, counted from 0.
    """
    return np.argsort(sign_of(system.metric) * system.score()[0], kind="stable")


def find_run(system: SystemStatistics, which: str) -> int:
    """Find a run by its rank (Clark et al. (2011), Table 2).

    Parameters
    ----------
    system : SystemStatistics
    which : {"low", "median", "high"}
        The run with the worst, the median (see `median_run`) or the best score.

    Returns
    -------
    int
        Its number, counted from 1.
    """
    if which not in NAMED_RUNS:
        raise InputError(
            "named-run", f"A run can be named {', '.join(map(repr, NAMED_RUNS))}, but {which!r} was asked."
        )
    if which == "median":
        return median_run(system.score()[0])
    return int(rank_runs(system)[0 if which == "low" else -1]) + 1


def take_runs(system: SystemStatistics, runs: Sequence[int]) -> SystemStatistics:
    """Return the statistics of some runs, numbered from 1; a run may be taken more than once.

    Raises
    ------
    InputError
        ``unknown-run``.
    """
    for run in runs:
        if not 1 <= run <= system.n_runs:
            raise InputError(
                "unknown-run",
                f"There is no run {run} of {system.system!r}: its runs are numbered 1 to {system.n_runs}.",
            )
    return replace(system, values=system.values[np.asarray(runs, dtype=np.int64) - 1], given_names=())


def take_first(system: SystemStatistics, number: int) -> SystemStatistics:
    """Return the statistics of the first runs, all of them where there are no more than ``number``."""
    return take_runs(system, range(1, min(number, system.n_runs) + 1))


def choose_runs(
    baseline: SystemStatistics, experimental: SystemStatistics, n_runs: int, *, anew: bool = True, rng: RngLike = None
) -> Runs:
    """Choose some runs of each of two systems, such as another experiment would have had.

    Parameters
    ----------
    baseline, experimental : SystemStatistics
        Numbers of runs may differ.
    n_runs : int
        Of each, none of them twice; all runs of a system that has no more.
    anew : bool
        Draw them at random; otherwise, take the first ones.
    rng : int, numpy.random.Generator or None
        For runs that are drawn.

    Returns
    -------
    runs_of_baseline, runs_of_experimental : list of int
        Their numbers, counted from 1, in rising order.

    Raises
    ------
    InputError
        ``draws`` where ``n_runs`` is below 1.
    """
    check_draws("n_runs", n_runs)
    key = resolve_rng(rng)
    orders = [np.arange(system.n_runs) for system in (baseline, experimental)]
    if anew:
        keys = [key.sample(place).stream(SUBSAMPLES) for place in (1, 2)]
        orders = [
            np.argsort(stream_words(own, 0, len(one)), kind="stable") for own, one in zip(keys, orders, strict=True)
        ]
    of_baseline, of_experimental = ((np.sort(one[:n_runs]) + 1).tolist() for one in orders)
    return of_baseline, of_experimental


def _score_runs(pair: Pair, runs: Runs | None) -> list[tuple[str, Sequence[int], np.ndarray]]:
    """Return each system, and the numbers and scores of all or of its named runs."""
    check_comparable(*pair)
    chosen = runs or [range(1, system.n_runs + 1) for system in pair]
    return [
        (system.system, ones, take_runs(system, ones).score()[0]) for system, ones in zip(pair, chosen, strict=True)
    ]


def draw_runs(system: SystemStatistics, number: int, n_draws: int, random_key: RandomKey) -> np.ndarray:
    """Draw runs of a system with replacement, many times.

    Draw d takes the first ``number`` indices of resample d of all runs, so that draws of five runs begin draws of
    fifty.

    Parameters
    ----------
    system : SystemStatistics
    number : int
        Runs a draw, at most those that there are.
    n_draws : int
    random_key : RandomKey

    Returns
    -------
    (n_draws, number) ndarray of int64
        Positions of runs, counted from 0.

    Raises
    ------
    InputError
        Where more runs are asked for than there are (``too-few-runs``).
    """
    if not 1 <= number <= system.n_runs:
        raise InputError(
            "too-few-runs",
            f"{number} runs were to be drawn from {system.system!r}, which has {system.n_runs}: ask for 1 to "
            f"{system.n_runs}.",
        )
    return bootstrap_indices(system.n_runs, 0, n_draws, key=random_key.stream(RESAMPLES))[:, :number]


def possible_replications(
    baseline: SystemStatistics, experimental: SystemStatistics, numbers: Sequence[int] = REPLICATIONS
) -> list[int]:
    """Return those numbers of replications that both systems have."""
    fewest = min(baseline.n_runs, experimental.n_runs)
    return [number for number in numbers if number <= fewest]


def arrange_scores(
    baseline: SystemStatistics, experimental: SystemStatistics, *, runs: Runs | None = None
) -> pd.DataFrame:
    """Arrange the scores of both systems' runs for Fig. 1: bins, or single runs where a system has fewer than ten.

    Parameters
    ----------
    baseline, experimental : SystemStatistics
        Numbers of runs may differ.
    runs : two sequences of int, optional
        The numbers of the runs of each, as of `choose_runs`; all unless given.

    Returns
    -------
    DataFrame
        Of `bin_scores`, or one row per run: ``system``, ``run`` (from 1), ``score``.
    """
    scored = _score_runs((baseline, experimental), runs)
    if min(len(scores) for _, _, scores in scored) >= MIN_RUNS_OF_HISTOGRAM:
        return bin_scores(baseline, experimental, runs=runs)
    frames = [pd.DataFrame({"system": name, "run": ones, "score": scores}) for name, ones, scores in scored]
    return pd.concat(frames, ignore_index=True)


def bin_scores(
    baseline: SystemStatistics,
    experimental: SystemStatistics,
    *,
    runs: Runs | None = None,
    bins: int | None = None,
) -> pd.DataFrame:
    """Count the runs of both systems by their score (Clark et al. (2011), Fig. 1).

    Parameters
    ----------
    baseline, experimental : SystemStatistics
        Numbers of runs may differ.
    runs : two sequences of int, optional
        The numbers of the runs of each, as of `choose_runs`; all unless given. The bins are those of all runs.
    bins : int, optional
        Of equal width, over the scores of both; unless given, the fewer the fewer runs there are, at most 40.

    Returns
    -------
    DataFrame
        One row per system and bin: ``system``, ``low``, ``high`` (ends of the bin, in points of the metric), ``runs``.
    """
    scored = _score_runs((baseline, experimental), runs)
    if bins is None:
        n_counted = sum(len(scores) for _, _, scores in scored)
        bins = min(MOST_BINS, math.ceil(2 * math.sqrt(n_counted)))
    everything = np.concatenate([baseline.score()[0], experimental.score()[0]])
    edges = np.histogram_bin_edges(everything, bins=bins)
    counted = [
        pd.DataFrame({"system": name, "low": edges[:-1], "high": edges[1:], "runs": np.histogram(scores, edges)[0]})
        for name, _, scores in scored
    ]
    return pd.concat(counted, ignore_index=True)


def summarize_overlap(
    baseline: SystemStatistics, experimental: SystemStatistics, *, runs: Runs | None = None
) -> pd.DataFrame:
    """Ask how far the scores of two systems' runs overlap (Clark et al. (2011), Fig. 1 and its text).

    Parameters
    ----------
    baseline, experimental, runs
        As of `bin_scores`.

    Returns
    -------
    DataFrame
        One row: ``runs`` (of the system that has fewer), ``baseline_runs``, ``experimental_runs``, ``baseline_mean``,
        ``experimental_mean``, ``difference`` (experimental - baseline), ``low`` and ``high`` (the range that the scores
        of both systems span: from the larger minimum to the smaller maximum; NaN where they do not overlap),
        ``inside_percent`` (of all runs), ``wrong_order_percent``: the chance that one run of each does not show the
        order of the means, over all pairs of runs, a tie counting half; NaN where the means are equal and so have no
        order.
    """
    a, b = (scores for _, _, scores in _score_runs((baseline, experimental), runs))
    low, high = max(a.min(), b.min()), min(a.max(), b.max())
    both = np.concatenate([a, b])
    inside = ((both >= low) & (both <= high)).mean() if low <= high else 0.0
    difference = float(subtract(b.mean(), a.mean()))
    pairs = np.sign(subtract(b[:, None], a)) * np.sign(difference)
    wrong = (np.count_nonzero(pairs < 0) + 0.5 * np.count_nonzero(pairs == 0)) / pairs.size if difference else np.nan
    row = {
        "runs": min(len(a), len(b)),
        "baseline_runs": len(a),
        "experimental_runs": len(b),
        "baseline_mean": a.mean(),
        "experimental_mean": b.mean(),
        "difference": difference,
        "low": low if low <= high else np.nan,
        "high": high if low <= high else np.nan,
        "inside_percent": 100 * inside,
        "wrong_order_percent": 100 * wrong,
    }
    return pd.DataFrame([row])


def subtract(scores: np.ndarray | float, others: np.ndarray | float) -> np.ndarray:
    """Return scores - others, exactly 0 where they are equal but for the rounding of floats."""
    difference = np.subtract(scores, others)
    return np.where(np.abs(difference) <= TIE * np.maximum(np.abs(scores), np.abs(others)), 0.0, difference)


def draw_differences(
    baseline: SystemStatistics,
    experimental: SystemStatistics,
    replications: Sequence[int] | None = None,
    *,
    n_draws: int = 10_000,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Draw the differences that experiments with few replications would observe (Clark et al. (2011), Fig. 2).

    Parameters
    ----------
    baseline, experimental : SystemStatistics
        Numbers of runs may differ.
    replications : sequence of int, optional
        How many runs of each system an experiment averages, drawn with replacement; unless given, those of
        `REPLICATIONS` that both systems have.
    n_draws : int
        Experiments of each kind.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per experiment: ``replications``, ``draw`` (from 1), ``difference`` (experimental - baseline),
        ``expected`` (the difference of the means of all runs, the same in every row).

    Raises
    ------
    InputError
        Where more replications are asked for than there are (``too-few-runs``).
    """
    check_comparable(baseline, experimental)
    check_draws("n_draws", n_draws)
    random_key = resolve_rng(rng)
    if replications is None:
        replications = possible_replications(baseline, experimental)
    expected = float(subtract(experimental.score()[0].mean(), baseline.score()[0].mean()))
    frames = []
    for number in replications:
        means = [
            system.score()[0][draw_runs(system, number, n_draws, random_key.sample(place))].mean(axis=1)
            for place, system in enumerate((baseline, experimental), start=1)
        ]
        frames.append(
            pd.DataFrame(
                {
                    "replications": number,
                    "draw": np.arange(1, n_draws + 1),
                    "difference": subtract(means[1], means[0]),
                    "expected": expected,
                }
            )
        )
    return pd.concat(frames, ignore_index=True)


def arrange_differences(
    differences: pd.DataFrame, baseline: SystemStatistics, experimental: SystemStatistics
) -> pd.DataFrame:
    """Arrange drawn differences for Fig. 2: frequencies, or central 95 % where a system has fewer than twenty runs.

    A few runs have few different differences, so that a curve would show single ones as spikes.

    Parameters
    ----------
    differences : DataFrame
        Of `draw_differences`.
    baseline, experimental : SystemStatistics
        Whose runs were drawn.

    Returns
    -------
    DataFrame
        Of `bin_differences`, or of `summarize_differences`.
    """
    if min(baseline.n_runs, experimental.n_runs) < MIN_RUNS_OF_CURVE:
        return summarize_differences(differences)
    n_pairs = baseline.n_runs * experimental.n_runs
    return bin_differences(differences, bins=min(MOST_CURVE_BINS, n_pairs // PAIRS_OF_A_BIN))


def bin_differences(differences: pd.DataFrame, *, bins: int = MOST_CURVE_BINS) -> pd.DataFrame:
    """Turn differences into relative frequencies (Clark et al. (2011), Fig. 2).

    Parameters
    ----------
    differences : DataFrame
        Of `draw_differences`.
    bins : int
        Of equal width, the same for every number of replications.

    Returns
    -------
    DataFrame
        One row per number of replications and bin: ``replications``, ``low``, ``high``, ``frequency`` (shares of the
        experiments, which sum to 1 for each number of replications).
    """
    edges = np.histogram_bin_edges(differences["difference"], bins=bins)
    frames = [
        pd.DataFrame(
            {
                "replications": number,
                "low": edges[:-1],
                "high": edges[1:],
                "frequency": np.histogram(part["difference"], edges)[0] / len(part),
            }
        )
        for number, part in differences.groupby("replications", sort=False)
    ]
    return pd.concat(frames, ignore_index=True)


def summarize_differences(differences: pd.DataFrame) -> pd.DataFrame:
    """Say how far observed differences scatter, by the number of replications (Clark et al. (2011), Fig. 2).

    Parameters
    ----------
    differences : DataFrame
        Of `draw_differences`.

    Returns
    -------
    DataFrame
        One row per number of replications: ``replications``, ``mean``, ``standard_deviation``, ``low`` and ``high``
        (the central 95 % of the experiments), ``wrong_sign_percent`` (experiments whose difference does not have the
        sign of the difference of all runs' means, a zero counting half; NaN where those means are equal).
    """
    rows = []
    for number, part in differences.groupby("replications", sort=False):
        observed = part["difference"].to_numpy()
        expected = part["expected"].iloc[0]
        agreeing = np.sign(observed) * np.sign(expected)
        low, high = np.quantile(observed, [0.025, 0.975], method="inverted_cdf")
        rows.append(
            {
                "replications": number,
                "mean": observed.mean(),
                "standard_deviation": observed.std(ddof=1),
                "low": low,
                "high": high,
                "wrong_sign_percent": 100 * float(((1 - agreeing) / 2).mean()) if expected else np.nan,
            }
        )
    return pd.DataFrame(rows)


def project_wrong_order(table: pd.DataFrame, *, rounding: float = 0.0) -> pd.DataFrame:
    """Compute from averages and s_test how often one run of each system would show the wrong order.

    Scores of runs are taken as independent and normally distributed. The result is the probability that a normal
    difference with mean avg(B) - avg(A) and variance s_test(A)^2 + s_test(B)^2 has the other sign.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`, or the paper's Table 1; the first two systems of each corpus and metric are compared.
    rounding : float
        How far each number of the table may be from the true one: 0.05 for numbers printed with one decimal.

    Returns
    -------
    DataFrame
        One row per corpus and metric: ``corpus``, ``metric``, ``difference``, ``deviation`` (of the difference of two
        single runs), ``wrong_order_percent``, ``low``, ``high`` (the least and the most that the rounding allows). NaN
        where a system has one run, and where the averages are equal and so have no order.
    """
    rows = []
    for (corpus, metric), part in table.groupby(["corpus", "metric"], sort=False):
        if len(part) < 2:
            continue
        averages, deviations = (part[name].to_numpy(dtype=float)[:2] for name in ("average", "s_test"))
        difference = float(subtract(averages[1], averages[0]))
        size = abs(difference) if difference else np.nan
        smallest = np.hypot(*np.maximum(deviations - rounding, 0))
        largest = np.hypot(*(deviations + rounding))
        rows.append(
            {
                "corpus": corpus,
                "metric": metric,
                "difference": difference,
                "deviation": np.hypot(*deviations),
                "wrong_order_percent": _wrong_order(size, np.hypot(*deviations)),
                "low": _wrong_order(size + 2 * rounding, smallest),
                "high": _wrong_order(np.maximum(size - 2 * rounding, 0), largest),  # keeps NaN
            }
        )
    columns = ["corpus", "metric", "difference", "deviation", "wrong_order_percent", "low", "high"]
    return pd.DataFrame(rows, columns=columns)


def _wrong_order(size: float, spread: float) -> float:
    """Return the chance in percent that a normal difference of this mean and spread has the other sign."""
    from mtworkbench.distributions import ndtr

    if np.isnan(size) or np.isnan(spread):
        return np.nan
    if spread == 0:
        return 0.0 if size else 50.0
    return 100 * float(ndtr(-size / spread))


def median_elsewhere(chosen_on: SystemStatistics, read_on: SystemStatistics) -> pd.DataFrame:
    """Ask where the median run of one set ranks on another (Clark et al. (2011), §5: read the median's output).

    Parameters
    ----------
    chosen_on : SystemStatistics
        Where the median is chosen, such as the tuning set.
    read_on : SystemStatistics
        The same runs on the set whose output is read, in the same order.

    Returns
    -------
    DataFrame
        One row per run, in order of its score on the first set: ``run`` (from 1), ``chosen_on`` and ``read_on`` (its
        scores), ``rank_chosen_on``, ``rank_read_on`` (1 the worst).

    Raises
    ------
    InputError
        Where the numbers of runs differ (``unequal-runs``).
    """
    if chosen_on.n_runs != read_on.n_runs:
        raise InputError(
            "unequal-runs",
            f"{chosen_on.system!r} has {tally(chosen_on.n_runs, 'run')} on one set and "
            f"{read_on.n_runs} on the other, but runs are matched by number: give the same runs on both sets.",
        )
    frame = pd.DataFrame(
        {
            "run": np.arange(1, chosen_on.n_runs + 1),
            "chosen_on": chosen_on.score()[0],
            "read_on": read_on.score()[0],
            # The order of an order is the ranks.
            "rank_chosen_on": np.argsort(rank_runs(chosen_on)) + 1,
            "rank_read_on": np.argsort(rank_runs(read_on)) + 1,
        }
    )
    return frame.sort_values("rank_chosen_on", ignore_index=True)
