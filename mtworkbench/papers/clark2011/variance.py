"""How much scores vary over test sets and over runs: Clark et al. (2011), §4.1, Table 1.

What makes an optimizer unstable is asked on made-up n-best lists and a real MERT.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Meteor, Metric
from mtworkbench.metrics.directions import sign_of
from mtworkbench.metrics.meteor import MODULES
from mtworkbench.papers.clark2011.scores import Families
from mtworkbench.papers.simulation.mert import Tuning
from mtworkbench.papers.simulation.replications import TuningLists
from mtworkbench.progress import Progress
from mtworkbench.resampling import SUBSAMPLES, RandomKey, RngLike, resolve_rng, stream_words
from mtworkbench.results.settings import check_choice
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

#: Ways to cut a large test set into smaller ones.
CUTS = ("random", "consecutive")
#: What each setting counts.
SETTING_NAMES = {
    "restarts": "random restarts",
    "random_directions": "random directions",
    "n_hypotheses": "hypotheses per list",
    "n_features": "features",
    "n_dev": "segments in the tuning set",
    "n_references": "references",
}


def tabulate_variance(
    test: Families, dev: Families | None = None, *, n_resamples: int = 1000, rng: RngLike = None
) -> pd.DataFrame:
    """Measure the variability of test sets and of the optimizer (Clark et al. (2011), Table 1).

    Parameters
    ----------
    test : mapping of str to sequence of SegmentStatistics
        By corpus; one statistics object per metric, each of all runs of all systems on the test set.
    dev : mapping, optional
        The same on the tuning set, for the metrics that were tuned for.
    n_resamples : int
        Of the test set's sentences, for s_sel.
    rng : int, numpy.random.Generator or None
        The same resamples for every row of one corpus.

    Returns
    -------
    DataFrame
        One row per corpus, metric and system: ``corpus``, ``metric`` (see `name_metric`), ``system``, ``runs``,
        ``average`` (mean of the runs' scores), ``s_sel`` (standard deviation over bootstrap resamples, averaged over
        runs), ``s_dev`` and ``s_test`` (standard deviations over runs, n - 1; NaN where there is one run, or no tuning
        set), ``dev_runs`` (runs on the tuning set, behind ``s_dev``; 0 where there is none).
    """
    random_key = resolve_rng(rng)
    rows = []
    for corpus, families in test.items():
        tuned = {family.metric: family for family in (dev or {}).get(corpus, ())}
        for family in families:
            for name in family:
                scores = family[name].score()[0]
                tuning = tuned.get(family.metric)
                dev_scores = tuning[name].score()[0] if tuning and name in tuning else np.empty(0)
                rows.append(
                    {
                        "corpus": corpus,
                        "metric": name_metric(family.metric),
                        "system": name,
                        "runs": len(scores),
                        "average": scores.mean(),
                        "s_sel": selection_deviation(family[name], n_resamples, random_key),
                        "s_dev": deviation(dev_scores),
                        "s_test": deviation(scores),
                        "dev_runs": len(dev_scores),
                    }
                )
    return pd.DataFrame(rows)


def name_metric(metric: Metric) -> str:
    """Return the name of a metric in Table 1: METEOR with some of its modules only is not the paper's METEOR.

    Parameters
    ----------
    metric : Metric
    """
    if isinstance(metric, Meteor) and set(metric.listed("modules")) != set(MODULES):
        return f"{metric.name} ({', '.join(metric.listed('modules'))})"
    return metric.name


def deviation(scores: np.ndarray) -> float:
    """Return the standard deviation with n - 1; NaN of a single score, 0 where all are equal."""
    if len(scores) < 2:
        return np.nan
    return clear_rounding(np.std(scores, ddof=1), scores)


def clear_rounding(spread: float, scores: np.ndarray) -> float:
    """Return a standard deviation of scores as 0 where it is nothing but the rounding of equal numbers."""
    return 0.0 if spread <= TIE * np.abs(scores).max() else float(spread)


def ratio_ends(n: int, other_n: int) -> tuple[float, float]:
    """Return the 95 % interval of the ratio of two standard deviations, in multiples of the ratio that was found.

    The F interval: it holds for independent, normally distributed runs. Six runs of each: 0.37 to 2.7; 20: 0.63 to 1.6.

    Parameters
    ----------
    n, other_n : int
        Runs behind the numerator and behind the denominator.

    Returns
    -------
    low, high : float
        NaN where either has fewer than two runs.
    """
    if min(n, other_n) < 2:
        return np.nan, np.nan
    from mtworkbench.distributions import fdtri

    low, high = (fdtri(other_n - 1, n - 1, share) for share in (0.025, 0.975))
    return float(low) ** 0.5, float(high) ** 0.5


def selection_deviation(system: SystemStatistics, n_resamples: int, random_key: RandomKey) -> float:
    """Return s_sel: the standard deviation over resamples of the sentences, averaged over runs (4.1)."""
    [scores] = resample(ScoreTable.of([system]), n_resamples, random_key)
    return clear_rounding(scores.std(axis=0, ddof=1).mean(), scores)


def separate_test_sets(
    statistics: SegmentStatistics, size: int, *, cut: str = "random", rng: RngLike = None
) -> list[SegmentStatistics]:
    """Cut a large test set into smaller ones that do not overlap.

    Parameters
    ----------
    statistics : SegmentStatistics
    size : int
        Segments in each; a remainder is left out.
    cut : {"random", "consecutive"}
        Whether the segments of each are drawn at random from the whole test set or follow one another in it.
    rng : int, numpy.random.Generator or None

    Raises
    ------
    InputError
        Where there are not at least two (``sample-size``).
    """
    check_choice("cut", cut, CUTS)
    n = len(statistics.test_set)
    if not 1 <= size <= n // 2:
        raise InputError(
            "sample-size",
            f"Test sets of {size} segments were asked for, but {n} segments do not make two of them: ask for at most "
            f"{n // 2}.",
        )
    order = np.arange(n)
    if cut == "random":
        order = np.argsort(stream_words(resolve_rng(rng).stream(SUBSAMPLES), 0, n), kind="stable")
    return [statistics.take(np.sort(order[first : first + size])) for first in range(0, n - size + 1, size)]


def compare_with_separate_sets(
    test_sets: Sequence[SegmentStatistics],
    *,
    n_resamples: int = 1000,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Ask whether s_sel is what separate test sets would show (Clark et al. (2011), §4.1 and footnote 6).

    Parameters
    ----------
    test_sets : sequence of SegmentStatistics
        Of the same systems and metric on test sets that have no segment in common, at least two.
    n_resamples : int
    progress : callable, optional
        Wraps the systems, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per system: ``system``, ``test_sets``, ``segments`` (their mean size), ``mean_score``, ``s_sel`` (mean
        over test sets and runs), ``spread`` (standard deviation of the score over the test sets, mean over runs),
        ``ratio`` (spread / s_sel; NaN where s_sel is 0), ``bootstrap_shift`` (mean over resamples - score, of the mean
        test set: the bootstrap does not re-estimate the score, footnote 6).

    Raises
    ------
    InputError
        For fewer than two test sets (``too-few-test-sets``).
    """
    if len(test_sets) < 2:
        raise InputError(
            "too-few-test-sets", f"{len(test_sets)} test sets were given, but a spread needs at least two."
        )
    random_key = resolve_rng(rng)
    rows = []
    names = list(test_sets[0])
    for name in progress(names) if progress else names:
        scores, within, shifts = [], [], []
        for number, one in enumerate(test_sets, start=1):
            system = one[name]
            [resampled] = resample(ScoreTable.of([system]), n_resamples, random_key.sample(number))
            scores.append(system.score()[0])
            within.append(clear_rounding(resampled.std(axis=0, ddof=1).mean(), resampled))
            shifts.append(resampled.mean() - system.score().mean())
        spread = clear_rounding(np.std(scores, axis=0, ddof=1).mean(), np.asarray(scores))
        s_sel = np.mean(within)
        rows.append(
            {
                "system": name,
                "test_sets": len(test_sets),
                "segments": np.mean([len(one.test_set) for one in test_sets]),
                "mean_score": np.mean(scores),
                "s_sel": s_sel,
                "spread": spread,
                "ratio": spread / s_sel if s_sel else np.nan,
                "bootstrap_shift": np.mean(shifts),
            }
        )
    return pd.DataFrame(rows)


def compare_cuts(
    statistics: SegmentStatistics,
    size: int,
    *,
    n_resamples: int = 1000,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Compare s_sel with the spread over separate test sets: drawn at random, and of consecutive segments.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of a test set that is large enough for two of that size.
    size : int
        Segments in each test set.
    n_resamples : int
    progress : callable, optional
        Wraps the systems, once for each cut, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        As of `compare_with_separate_sets`, one row per cut and system, with ``cut`` first.
    """
    random_key = resolve_rng(rng)
    found = []
    for cut in CUTS:
        sets = separate_test_sets(statistics, size, cut=cut, rng=random_key)
        frame = compare_with_separate_sets(sets, n_resamples=n_resamples, progress=progress, rng=random_key)
        found.append(frame.assign(cut=cut)[["cut", *frame.columns]])
    return pd.concat(found, ignore_index=True)


def arrange_optima(lists: TuningLists, tuning: Tuning) -> pd.DataFrame:
    """Arrange the local optima that one run of the optimizer found, of which it took the best.

    Parameters
    ----------
    lists : TuningLists
        Of one system, as of `mtworkbench.papers.simulation.replications.make_pair_lists`.
    tuning : Tuning
        Of `mtworkbench.papers.simulation.mert.tune`, on the lists of the tuning set.

    Returns
    -------
    DataFrame
        One row per starting point: ``start`` (0 is the given one, the others are random), ``dev`` and ``test`` (scores
        with the weights of its local optimum), ``taken`` (whether these are the weights of the run).
    """
    return pd.DataFrame(
        {
            "start": np.arange(len(tuning.optima)),
            "dev": tuning.optima,
            "test": [lists.test.score(weights) for weights in tuning.points],
            "taken": np.arange(len(tuning.optima)) == np.argmax(sign_of(lists.dev.metric) * tuning.optima),
        }
    )


def compare_settings(frame: pd.DataFrame) -> pd.DataFrame:
    """Compare the deviations at the largest value of each setting with those at its smallest.

    Parameters
    ----------
    frame : DataFrame
        As of ``read_computed("settings")``: one row per setting, value and system.

    Returns
    -------
    DataFrame
        One row per setting, system and deviation: ``setting``, ``system``, ``smallest``, ``largest`` (its values),
        ``quantity`` ("s_dev" or "s_test"), ``ratio`` (at the largest / at the smallest value), ``low`` and ``high``:
        its confidence interval, see `ratio_ends`. NaN where a deviation is 0 or unknown. A setting with one value has
        no row.
    """
    rows = []
    for (setting, system), part in frame.groupby(["setting", "system"], sort=False):
        first, last = part.iloc[part["value"].argmin()], part.iloc[part["value"].argmax()]
        if first["value"] == last["value"]:
            continue
        for column in ("s_dev", "s_test"):
            low, high = ratio_ends(last["runs"], first["runs"])
            ratio = last[column] / first[column] if first[column] and last[column] else np.nan
            head = (setting, system, first["value"], last["value"], column)
            rows.append((*head, ratio, ratio * low, ratio * high))
    columns = ["setting", "system", "smallest", "largest", "quantity", "ratio", "low", "high"]
    return pd.DataFrame(rows, columns=columns)
