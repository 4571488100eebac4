"""Paired bootstrap on many samples of one large test set: Koehn (2004), §6-7, Figs. 7-8, Tables 3-4.

All draw sentences, as the paper did, unless they are told to draw documents.

Table 3 can be predicted: how often samples lead to a conclusion follows from a difference and its error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtworkbench.inference.intervals import jackknife_variance, monte_carlo_ends
from mtworkbench.inference.samples import SCORED_TOGETHER, resample_samples
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers.common.systems import direction, mean_scores, names_in
from mtworkbench.papers.koehn2004.samples import check_sample_size, choose_samples, do_overlap
from mtworkbench.progress import Progress
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.work import Study, choose_seed

#: Koehn (2004), Table 4: lower ends of the bins of confidence, in %.
CONFIDENCE_BINS = (100, 99, 98, 95, 90, 80, 70, 60, 50)
#: Koehn (2004), Table 3: sample sizes; the 30,000 sentences make 300, 100, 50 and 10 samples.
SAMPLE_SIZES = (100, 300, 600, 3000)
#: Batches of samples in a unit of a study: about a second of work.
UNIT_BATCHES = 2
#: The kinds of cells: conclusions for the truly better and for the truly worse system.
KINDS = ("correct", "wrong")


def conclude(
    statistics: SegmentStatistics,
    pairs: Iterable[tuple[str, str]],
    samples: Sequence[np.ndarray],
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    unit: str = "segment",
    progress: Progress | None = None,
    rng: RngLike = None,
    study: Study | None = None,
) -> pd.DataFrame:
    """Draw a conclusion about each pair of systems on each sample by paired bootstrap (Koehn (2004), §6, Figs. 7-8).

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
        Names of systems; the paper names the better first.
    samples : sequence of ndarray
        Positions of segments, one array per sample.
    n_resamples : int, optional
        Resamples of each sample; by default 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).
    level : float
        The share of resamples that a system must win.
    unit : {"segment", "document", "auto"}
        What is drawn within a sample; the paper draws segments.
    progress : callable, optional
        Wraps the samples, such as ``tqdm``; with a study, units of some samples.
    rng : int, numpy.random.Generator or None
        All pairs share the draws of a sample.
    study : Study, optional
        Where the work is done, and kept; the numbers are the same.

    Returns
    -------
    DataFrame
        One row per (pair, sample): ``a``, ``b``, ``overlapping`` (whether these samples share segments), ``sample``
        (from 1), ``segments``, ``difference`` (a - b on the sample), ``true_difference`` (on the whole test set),
        ``confidence`` (share of resamples that a wins), ``wins``, ``losses``, ``ties``, ``conclusion`` (the system
        concluded to be better; empty where none is), ``correct`` (whether the one that wins more resamples is the truly
        better).
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    pairs = list(pairs)
    names = names_in(pairs)
    systems = [statistics[name] for name in names]
    sign = direction(statistics.metric)
    asked = PairedSamples(
        tuple(systems), tuple(pairs), tuple(samples), n_resamples, unit, resolve_rng(choose_seed(rng, study))
    )
    if study is None:
        drawn = draw_wins(asked, (0, len(samples)), progress)
    else:
        size = UNIT_BATCHES * -(-SCORED_TOGETHER // n_resamples)
        parts = [(first, min(size, len(samples) - first)) for first in range(0, len(samples), size)]
        about = f"{statistics.metric.name}, samples of {len(samples[0]):,} segments"
        units = study.run(draw_wins, asked, parts, progress=progress, about=about)
        drawn = {name: np.concatenate([found[name] for found in units], axis=1) for name in units[0]}
    true_scores = mean_scores(statistics)
    overlapping = do_overlap(samples)
    frames = []
    for place, (a, b) in enumerate(pairs):
        wins, losses, ties = (drawn[name][place] for name in ("wins", "losses", "ties"))
        truth = true_scores[a] - true_scores[b]
        frame = pd.DataFrame(
            {
                "a": a,
                "b": b,
                "overlapping": overlapping,
                "sample": np.arange(1, len(samples) + 1),
                "segments": [len(sample) for sample in samples],
                "difference": drawn["scores"][names.index(a)] - drawn["scores"][names.index(b)],
                "true_difference": truth,
                "confidence": wins / n_resamples,
                "wins": wins,
                "losses": losses,
                "ties": ties,
                "conclusion": "",
                "correct": (wins >= losses) == (sign * truth >= 0),
            }
        )
        frames.append(frame)
    return conclude_at(pd.concat(frames, ignore_index=True), level)


def conclude_at(conclusions: pd.DataFrame, level: float) -> pd.DataFrame:
    """Draw conclusions at another level from the same resamples.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude` or `conclude_on_sizes`.
    level : float
        The share of resamples that a system must win.

    Returns
    -------
    DataFrame
        What `conclude` gives at this level with as many resamples: another ``conclusion``.
    """
    wins, losses = (conclusions[name] for name in ("wins", "losses"))
    enough = level * (wins + losses + conclusions["ties"])
    chosen = np.select([wins >= enough, losses >= enough], [conclusions["a"], conclusions["b"]], "")
    return conclusions.assign(conclusion=chosen)


@dataclass(frozen=True, eq=False)
class PairedSamples:
    """What all units of a study of samples share.

    Parameters
    ----------
    systems : tuple of SystemStatistics
    pairs : tuple of (str, str)
    samples : tuple of ndarray
        Positions of segments.
    n_resamples : int
    unit : str
    random_key : RandomKey
    """

    systems: tuple[SystemStatistics, ...]
    pairs: tuple[tuple[str, str], ...]
    samples: tuple[np.ndarray, ...]
    n_resamples: int
    unit: str
    random_key: RandomKey


def draw_wins(asked: PairedSamples, part: tuple[int, int], progress: Progress | None = None) -> dict[str, np.ndarray]:
    """Resample some samples, and count the resamples that the systems of each pair win: a unit of a study.

    Parameters
    ----------
    asked : PairedSamples
    part : (int, int)
        The first sample, counted from 0, and how many.
    progress : callable, optional

    Returns
    -------
    dict of str to ndarray
        ``scores`` of the samples, (n_systems, n_samples), and ``wins``, ``losses``, ``ties``, (n_pairs, n_samples).
    """
    first, count = part
    drawn = resample_samples(
        asked.systems,
        asked.samples[first : first + count],
        n_resamples=asked.n_resamples,
        unit=asked.unit,
        rng=asked.random_key,
        progress=progress,
        first=first + 1,
    )
    counts = [drawn.wins(a, b) for a, b in asked.pairs]
    return {"scores": drawn.scores} | {
        name: np.array(column)
        for name, column in zip(("wins", "losses", "ties"), zip(*counts, strict=True), strict=True)
    }


def conclude_on_sizes(
    statistics: SegmentStatistics,
    pairs: Iterable[tuple[str, str]],
    sizes: Sequence[int] | None = None,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    progress: Progress | None = None,
    rng: RngLike = None,
    study: Study | None = None,
) -> pd.DataFrame:
    """Draw conclusions on broad samples of several sizes (Koehn (2004), §7, the draws behind Tables 3 and 4).

    Parameters
    ----------
    statistics, pairs, n_resamples, level, progress, rng, study
        As of `conclude`.
    sizes : sequence of int, optional
        Segments in a sample: of the paper's 100, 300, 600 and 3,000 those of which the test set holds at least two
        samples, unless given. A single sample would be the test set itself, which is taken as the truth. If the test
        set is smaller than the paper's, samples overlap (see `choose_samples`).

    Returns
    -------
    DataFrame
        The rows of `conclude` for each size, with ``size`` (that was asked for: samples may have some segments more)
        after the names. The same ``rng`` gives the rows of one size the same numbers, whichever other sizes are asked
        for.
    """
    pairs = list(pairs)
    random_key = resolve_rng(choose_seed(rng, study))
    n = len(statistics.test_set)
    if sizes is None:
        sizes = [size for size in SAMPLE_SIZES if 2 * size <= n] or SAMPLE_SIZES[:1]
    frames = []
    for size in sizes:
        check_sample_size(size, n)
        samples = choose_samples(n, size, "broad", rng=random_key)
        frame = conclude(
            statistics,
            pairs,
            samples,
            n_resamples=n_resamples,
            level=level,
            progress=progress,
            rng=random_key,
            study=study,
        )
        frame.insert(2, "size", size)
        frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def tabulate_conclusions(conclusions: pd.DataFrame) -> pd.DataFrame:
    """Count correct and wrong conclusions by pair and sample size (Koehn (2004), Table 3).

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude_on_sizes`.

    Returns
    -------
    DataFrame
        One row per (pair, size): ``a``, ``b``, ``true_difference``, ``size``, ``samples``, ``correct_percent``,
        ``wrong_percent`` of the samples.
    """
    drawn = conclusions["conclusion"] != ""
    marked = conclusions.assign(right=drawn & conclusions["correct"], wrong=drawn & ~conclusions["correct"])
    table = (
        marked.groupby(["a", "b", "true_difference", "size"], sort=False)
        .agg(samples=("sample", "size"), correct_percent=("right", "mean"), wrong_percent=("wrong", "mean"))
        .reset_index()
    )
    table[["correct_percent", "wrong_percent"]] *= 100
    return table


def bin_conclusions(conclusions: pd.DataFrame, bins: Sequence[float] = CONFIDENCE_BINS) -> pd.DataFrame:
    """Sort all conclusions into bins of confidence and ask how many were right (Koehn (2004), Table 4).

    The confidence is that of the system that wins more resamples, so at least 50 % but for ties.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude` or `conclude_on_sizes`.
    bins : sequence of float
        Lower ends in %, from the highest; what lies below the last is counted there.

    Returns
    -------
    DataFrame
        One row per bin: ``bin`` ("95%-97.9%"), ``lowest``, ``mean_confidence`` (%), ``conclusions``,
        ``correct_percent``, ``low``, ``high``: Clopper-Pearson interval (95 %) of the share correct, in %; NaN where
        samples of the bin overlap, because it would be too narrow, and in empty bins where all samples overlap.
    """
    overlapping = conclusions.get("overlapping", pd.Series(False, index=conclusions.index))
    resamples = conclusions[["wins", "losses", "ties"]].sum(axis=1)
    confidence = 100 * conclusions[["wins", "losses"]].max(axis=1) / resamples
    uppers = [None, *bins[:-1]]
    rows = []
    for lowest, upper in zip(bins, uppers, strict=True):
        inside = (confidence >= lowest - 1e-9) if lowest > bins[-1] else np.ones(len(confidence), dtype=bool)
        if upper is not None:
            inside &= confidence < upper - 1e-9
        n, right = int(inside.sum()), int(conclusions["correct"][inside].sum())
        low, high = monte_carlo_ends(right, n) if n else (0.0, 1.0)
        if overlapping[inside].any() or (not n and overlapping.all()):
            low = high = np.nan
        rows.append(
            {
                "bin": "100%" if lowest == 100 else f"{lowest:g}%-{100 if upper is None else upper - 0.1:g}%",
                "lowest": lowest,
                "mean_confidence": confidence[inside].mean() if n else np.nan,
                "conclusions": n,
                "correct_percent": 100 * right / n if n else np.nan,
                "low": 100 * low,
                "high": 100 * high,
            }
        )
    return pd.DataFrame(rows)


def bin_by_difference(conclusions: pd.DataFrame, edges: Sequence[float] = (0, 1, 2, np.inf)) -> pd.DataFrame:
    """Ask of close and of clear differences apart how often conclusions of a confidence are right.

    Parameters
    ----------
    conclusions : DataFrame
        Of `conclude` or `conclude_on_sizes`.
    edges : sequence of float
        Of the classes of absolute true differences, in points of the metric.

    Returns
    -------
    DataFrame
        The rows of `bin_conclusions` (from 95, 80 and 50 %) for each class that has conclusions, with
        ``true_difference`` ("1 to 2") before them.
    """
    size = conclusions["true_difference"].abs()
    frames = []
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        part = conclusions[(size >= low) & (size < high)]
        if len(part):
            name = f"{low:g} to {high:g}" if np.isfinite(high) else f"{low:g} or more"
            frame = bin_conclusions(part, (95, 80, 50))
            frame.insert(0, "true_difference", name)
            frames.append(frame)
    return pd.concat(frames, ignore_index=True)


def project_conclusions(percent: float, size: int, sizes: Sequence[int]) -> pd.DataFrame:
    """Compute how often other sizes of samples should lead to a conclusion, from how often one size does.

    The observed difference is taken as normally distributed around the true one, with a variance that falls as
    1 / size. The rule "95 % of the resamples" is then met if it is at least z(0.95) standard errors above 0.

    Parameters
    ----------
    percent : float
        Share of samples of ``size`` segments that conclude for the better system, in %: between 0 and 100.
    size : int
    sizes : sequence of int

    Returns
    -------
    DataFrame
        One row per size: ``size``, ``correct_percent``, ``wrong_percent``.
    """
    from mtworkbench.distributions import ndtr, ndtri

    critical = float(ndtri(0.95))
    standardized = (critical + float(ndtri(percent / 100))) * np.sqrt(np.asarray(sizes) / size)
    return pd.DataFrame(
        {
            "size": list(sizes),
            "correct_percent": 100 * ndtr(standardized - critical),
            "wrong_percent": 100 * ndtr(-standardized - critical),
        }
    )


def predict_conclusions(statistics: SegmentStatistics, counts: pd.DataFrame, *, level: float = 0.95) -> pd.DataFrame:
    """Predict the shares of right and wrong conclusions, and compare them with those that were counted (Table 3).

    Nothing is drawn. The difference on a sample of n segments is taken as normally distributed around the true one; its
    standard error is that of the whole test set (delete-one jackknife by segment), times sqrt(N / n). A system wins a
    share ``level`` of the resamples if it leads by at least z(level) standard errors. Samples are parts of the test set
    that is taken as the truth, so they vary less, by the factor sqrt(1 - n / N).

    Parameters
    ----------
    statistics : SegmentStatistics
    counts : DataFrame
        Of `tabulate_conclusions`: the pairs, sizes, and shares that were counted.
    level : float
        Of the conclusions that were counted.

    Returns
    -------
    DataFrame
        One row per cell of Table 3: ``a``, ``b``, ``true_difference``, ``size``, ``kind`` ("correct", "wrong"),
        ``samples``, ``counted_percent``, ``predicted_percent``, ``difference`` (predicted - counted), ``low``,
        ``high``: Clopper-Pearson interval (95 %) of the counted share, in %, as if samples were independent.
    """
    from mtworkbench.distributions import ndtr, ndtri

    names = list(dict.fromkeys([*counts["a"], *counts["b"]]))
    table = ScoreTable.of([statistics[name] for name in names])
    n_segments, critical = table.n_segments, float(ndtri(level))
    rows = []
    for row in counts.itertuples():
        influence = table.influence[names.index(row.a)] - table.influence[names.index(row.b)]
        error = math.sqrt((jackknife_variance(influence) or 0.0) * n_segments / row.size)
        spread = max(math.sqrt(1 - row.size / n_segments), 1e-9)
        ratio = abs(row.true_difference) / error if error > 0 else math.inf
        for kind, lead in zip(KINDS, (ratio, -ratio), strict=True):
            counted = float(getattr(row, f"{kind}_percent"))
            ends = monte_carlo_ends(round(counted * row.samples / 100), int(row.samples))
            predicted = 100 * float(ndtr((lead - critical) / spread))
            rows.append(
                {
                    "a": row.a,
                    "b": row.b,
                    "true_difference": row.true_difference,
                    "size": row.size,
                    "kind": kind,
                    "samples": row.samples,
                    "counted_percent": counted,
                    "predicted_percent": predicted,
                    "difference": predicted - counted,
                    "low": 100 * ends[0],
                    "high": 100 * ends[1],
                }
            )
    return pd.DataFrame(rows)
