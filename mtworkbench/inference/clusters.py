"""WMT's clusters of systems and rank ranges, from human scores of segments, by two of WMT's own rules."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import MeanScore
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.estimates import Estimate
from mtworkbench.results.settings import check_choice, write_signature
from mtworkbench.shown import Shown
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import name_some, tally

#: WMT calls a difference significant below this p, without adjustment for the number of pairs.
SIZE = 0.05


@dataclass(frozen=True, repr=False, eq=False)
class ClusteredSystem(Estimate):
    """One system's place among WMT's clusters.

    Parameters
    ----------
    system : str
    score : float
        Mean of the segments that have a score.
    n_segments : int
        The number of these segments.
    rank_low, rank_high : int
        The rank range, which WMT prints as ``1-3``.
    cluster : int
        Counted from 1, the best systems' first.
    """

    system: str
    score: float
    n_segments: int
    rank_low: int
    rank_high: int
    cluster: int


@dataclass(frozen=True, repr=False, eq=False)
class ClusterTest(Estimate):
    """The test of one pair of systems.

    Parameters
    ----------
    a, b : str
        The system with the better mean, and the other.
    difference : float
        Mean of a - mean of b, each over all its segments with a score.
    p_value : float
        One-sided: small where a is better. It is not adjusted.
    significant : bool
        Whether p is below 0.05 and a's mean is better.
    n_segments : int
        Segments that the test rests on: those that both have scores for (``wmt25-preliminary``), or at least one
        (``wmt21``).
    """

    a: str
    b: str
    difference: float
    p_value: float
    significant: bool
    n_segments: int


@dataclass(frozen=True, eq=False)
class Clusters(Shown):
    """What `cluster_systems` found.

    Parameters
    ----------
    metric : str
    rule : {"wmt25-preliminary", "wmt21"}
    higher_is_better : bool
    systems : tuple of ClusteredSystem
        The best mean first.
    comparisons : tuple of ClusterTest
        All pairs, in the order of the systems.
    signature : str
    """

    metric: str
    rule: str
    higher_is_better: bool
    systems: tuple[ClusteredSystem, ...] = field(repr=False)
    comparisons: tuple[ClusterTest, ...] = field(repr=False)
    signature: str

    def __repr__(self) -> str:
        count = self.systems[-1].cluster
        in_clusters = f"{len(self.systems)} systems in {tally(count, 'cluster')}"
        return f"Clusters({self.metric}: {in_clusters}; {self.signature})"

    def to_frame(self) -> pd.DataFrame:
        """Return one row per system, the best mean first, unrounded."""
        return pd.DataFrame([one.shown() for one in self.systems], columns=ClusteredSystem.keys())

    def pairs_frame(self) -> pd.DataFrame:
        """Return one row per pair of systems, unrounded."""
        return pd.DataFrame([one.shown() for one in self.comparisons], columns=ClusterTest.keys())


def cluster_systems(statistics: SegmentStatistics, *, rule: str = "wmt25-preliminary") -> Clusters:
    """Rank systems and put them into clusters as WMT's general translation task does with human scores.

    Systems are ordered by their mean score. Each is tested against every system below it, one-sided at 5 %.

    These are not the ranks and letters of `compare`. WMT tests each pair in the direction that the means already show,
    so that two equal systems are called different in about 10 % of cases, and it does not adjust p for the number of
    pairs: among ten equal systems at least one pair is called different in most cases. The letters and ranks of
    `compare` rest on two-sided p, adjusted over all pairs; whole documents are swapped where enough are known; and a
    pair is left undecided where more trials could still change its verdict. The two displays also say different things.
    A line between clusters speaks of groups of systems, and two systems in the same cluster may differ significantly;
    two systems share a letter if and only if no difference of these two is shown. Use the clusters to compare with a
    table of WMT, and `compare` for claims of your own.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of a `MeanScore` with a direction: one human score per segment, such as ESA, MQM or standardized DA; some may be
        missing. The scores of several runs are averaged.
    rule : {"wmt25-preliminary", "wmt21"}
        ``wmt25-preliminary``, from a script written for WMT25; the published table was made by another script (see the
        notes): Wilcoxon's signed-rank test on the segments that both systems have scores for. A system's ranks
        run up and down from its own place to the last one before the first significant difference.
        A cluster ends where no range of ranks crosses.

        ``wmt21`` (direct assessment into English): Wilcoxon's rank-sum test, normal approximation with continuity
        correction, on all segments that each system has scores for; give it scores that were standardized by rater
        (``da_z`` of `read_da`). The best rank is 1 + the number of systems that are significantly better, the
        worst one the number of systems - the number that are significantly worse. A cluster ends where every system
        above is significantly better than every system below.

    Returns
    -------
    Clusters

    Raises
    ------
    InputError
        ``not-a-mean``, ``direction``, ``too-few-systems``, ``no-scores`` where a system has no score at all,
        ``no-common-scores`` where a pair has none in common (``wmt25-preliminary``), ``unknown-option``.

    Warns
    -----
    DeprecationWarning
        For ``rule="wmt25"``, the earlier name of ``wmt25-preliminary``.

    Notes
    -----
    WMT24 made a p of each domain, combined these by Stouffer's method, and ordered systems by the mean of their domain
    means. It is not offered: the p that its program combines are two-sided, so that opposite differences in two domains
    add up to a significant one.

    The script that writes WMT25's published table has another rule than ``wmt25-preliminary``: it pairs the two ratings
    of a segment also crosswise, so that they make four differences, and calls p below 0.025 significant. WMT26 has yet
    another rule. Neither is offered. The preliminary script counts a segment with two ratings as two segments; here it
    has their mean. Of two systems with exactly the same mean, neither is called better, whatever p is; the script tests
    those, too. Not all published clusters follow from these rules: docs/rankings.md names those that do not.

    References
    ----------
    wmt-conference/wmt25-general-mt, humeval/05-compute_clusters.py (preliminary) and humeval/08-compute_clusters.py
    (published); wmt-conference/wmt26-general-mt, humeval/02b-analyze_results.py; wmt-conference/wmt21-news-systems,
    humaneval; wmt-conference/wmt24-news-systems, humeval/tools.py.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> scores = mtw.read_table(mtw.find_shipped("data/wmt23-en-de") / "scores.tsv.gz")
    >>> judged = scores.groupby("system")["mqm"].transform("count") > 0
    >>> statistics = mtw.compute_statistics(scores[judged], mtw.MeanScore("mqm"))
    >>> mtw.inference.cluster_systems(statistics).to_frame()["cluster"].tolist()
    [1, 2, 2, 3, 4, 4, 5, 5, 6, 6, 6, 7, 8]
    """
    if rule == "wmt25":
        warnings.warn(
            "rule='wmt25' is now called 'wmt25-preliminary', because WMT25 published its clusters by another rule.",
            DeprecationWarning,
            stacklevel=2,
        )
        rule = "wmt25-preliminary"
    check_choice("rule", rule, [*RULES])
    scores = _read_scores(statistics)
    chosen, sign = RULES[rule], sign_of(statistics.metric)
    means = {system: float(np.nanmean(one)) for system, one in scores.items()}
    ordered = sorted(means, key=lambda system: -sign * means[system])
    beats = np.zeros((len(ordered), len(ordered)), dtype=bool)
    tests = []
    for i, j in combinations(range(len(ordered)), 2):
        a, b = ordered[i], ordered[j]
        there = [~np.isnan(scores[one]) for one in (a, b)]
        n_segments = int(np.count_nonzero(there[0] & there[1] if chosen.is_paired else there[0] | there[1]))
        if not n_segments:
            name = statistics.metric.name
            raise InputError("no-common-scores", f"There is no segment for which both {a!r} and {b!r} have {name}.")
        p_value = chosen.test(sign * scores[a], sign * scores[b])
        beats[i, j] = p_value < SIZE and means[a] != means[b]
        tests.append(ClusterTest(a, b, means[a] - means[b], p_value, bool(beats[i, j]), n_segments))
    lows, highs, ends = chosen.rank(beats)
    return Clusters(
        metric=statistics.metric.name,
        rule=rule,
        higher_is_better=bool(statistics.metric.higher_is_better),
        systems=tuple(
            ClusteredSystem(
                system=system,
                score=means[system],
                n_segments=int(np.count_nonzero(~np.isnan(scores[system]))),
                rank_low=int(lows[place]),
                rank_high=int(highs[place]),
                cluster=1 + sum(end <= place for end in ends),
            )
            for place, system in enumerate(ordered)
        ),
        comparisons=tuple(tests),
        signature=write_signature("clusters", None, metric=statistics.signature, rule=rule),
    )


def _read_scores(statistics: SegmentStatistics) -> dict[str, np.ndarray]:
    """Return the scores of all segments by system, NaN where missing, averaged over runs."""
    if not isinstance(statistics, SegmentStatistics):
        raise InputError(
            "not-a-mean",
            f"An object of type {type(statistics).__name__} was given, but statistics of human scores were expected: "
            "make them with compute_statistics(outputs, MeanScore(column)).",
        )
    metric = statistics.metric
    if not isinstance(metric, MeanScore):
        raise InputError(
            "not-a-mean",
            f"The statistics are of {metric.name}, but WMT's clusters need one score per segment, of which a system's "
            "score is the mean: make statistics with compute_statistics(outputs, MeanScore(column)).",
        )
    if not has_direction(metric):
        raise InputError(
            "direction",
            f"Nothing says whether higher {metric.name} is better, so systems cannot be ranked: give "
            f"higher_is_better=True or False in MeanScore({metric.column!r}).",
        )
    if len(statistics) < 2:
        raise InputError(
            "too-few-systems", f"The only system is {[*statistics][0]!r}, but at least two were expected, to rank them."
        )
    segments = {system: metric.segment_score(statistics[system].values.sum(axis=0)) for system in statistics}
    unscored = [system for system, scores in segments.items() if np.isnan(scores).all()]
    if unscored:
        raise InputError(
            "no-scores",
            f"No segment of {name_some(list(map(repr, unscored)))} has a score ({metric.name}): leave out systems that "
            "were not judged, as in outputs[outputs['system'] != 'refA'], before computing statistics.",
        )
    return segments


def rank_sum(better: np.ndarray, worse: np.ndarray) -> float:
    """Return the one-sided p of Wilcoxon's rank-sum test, as R's ``wilcox.test`` does for many segments.

    Parameters
    ----------
    better, worse : (n_segments,) ndarray
        NaN where there is no score.
    """
    from scipy.stats import mannwhitneyu

    better, worse = better[~np.isnan(better)], worse[~np.isnan(worse)]
    if np.ptp(np.concatenate([better, worse])) == 0:
        return 1.0
    return float(mannwhitneyu(better, worse, alternative="greater", method="asymptotic").pvalue)


def signed_rank(better: np.ndarray, worse: np.ndarray) -> float:
    """Return the one-sided p of Wilcoxon's signed-rank test, without the segments that score the same.

    Parameters
    ----------
    better, worse : (n_segments,) ndarray
        NaN where there is no score: a segment needs both.
    """
    from scipy.stats import wilcoxon

    differences = better - worse
    differences = differences[~np.isnan(differences)]
    if not differences.any():
        return 1.0
    return float(wilcoxon(differences, alternative="greater").pvalue)


def count_ranks(beats: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Rank by how many systems are significantly better and worse; a cluster ends where all above beat all below.

    Parameters
    ----------
    beats : (n_systems, n_systems) ndarray of bool
        Whether the system of the row is significantly better than that of the column, which stands below it.

    Returns
    -------
    lows, highs : (n_systems,) ndarray of int
    ends : list of int
        How many systems stand above each line between clusters.
    """
    n_systems = len(beats)
    ends = [end for end in range(1, n_systems) if beats[:end, end:].all()]
    return 1 + beats.sum(axis=0), n_systems - beats.sum(axis=1), ends


def walk_ranks(beats: np.ndarray) -> tuple[np.ndarray, np.ndarray, list[int]]:
    """Rank by the nearest systems that are significantly better and worse; a cluster ends where no range crosses.

    See `count_ranks`.
    """
    n_systems = len(beats)
    lows, highs = np.empty(n_systems, dtype=np.int64), np.empty(n_systems, dtype=np.int64)
    for place in range(n_systems):
        better, worse = np.flatnonzero(beats[:place, place]), np.flatnonzero(beats[place])
        lows[place] = better[-1] + 2 if len(better) else 1
        highs[place] = worse[0] if len(worse) else n_systems
    ends = [end for end in range(1, n_systems) if highs[:end].max() <= end and lows[end:].min() > end]
    return lows, highs, ends


class Rule(NamedTuple):
    """How a year of WMT tests and ranks."""

    test: Callable[[np.ndarray, np.ndarray], float]
    is_paired: bool
    rank: Callable[[np.ndarray], tuple[np.ndarray, np.ndarray, list[int]]]


RULES = {"wmt25-preliminary": Rule(signed_rank, True, walk_ranks), "wmt21": Rule(rank_sum, False, count_ranks)}
