"""Bootstrap resampling of one system and of two (Koehn (2004), §5 and §6)."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.checks import check_comparable, check_resamples, choose_n_resamples
from mtworkbench.inference.influence import design_effect, segment_influence, unit_influence
from mtworkbench.inference.intervals import TIE, choose_method, interval_ends, share_below
from mtworkbench.inference.results import Interval, PairedBootstrap, write_signature
from mtworkbench.inference.units import Units, choose_units, scored_segments, take_common, take_segments, unit_table
from mtworkbench.metrics.protocol import Metric
from mtworkbench.resampling import RESAMPLES, Randomness, batches, bootstrap_counts, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics, TestSet

#: Below so many units the share of wins is anti-conservative: 13.6 % errors at 5 % were measured with 11 documents.
MIN_CONFIDENCE_UNITS = 30


def resample_scores(
    systems: Sequence[SystemStatistics],
    units: Units,
    n_resamples: int,
    randomness: Randomness,
    *,
    advance: Callable[[int], object] | None = None,
) -> list[np.ndarray]:
    """Score the same bootstrap resamples with every run of every system.

    One weight matrix serves all systems, runs and metrics, so that every comparison is paired. It is made in batches
    of bounded memory, and its units are summed before it is applied.

    Parameters
    ----------
    systems : sequence of SystemStatistics
        On one test set; metrics may differ.
    units : Units
        What is drawn.
    n_resamples : int
    randomness : Randomness
    advance : callable, optional
        Told the number of resamples after each batch.

    Returns
    -------
    list of (n_resamples, n_runs) ndarray
        One array per system, in the order given.

    Raises
    ------
    InputError
        Where a resample has no score.
    """
    return resample_table(unit_table(systems, units), systems, n_resamples, randomness, advance)


def resample_table(
    table: np.ndarray,
    systems: Sequence[SystemStatistics],
    n_resamples: int,
    randomness: Randomness,
    advance: Callable[[int], object] | None = None,
) -> list[np.ndarray]:
    """Score resamples of the rows of a table of all systems' statistics, as `unit_table` makes it."""
    key = randomness.stream(RESAMPLES)
    resampled = [np.empty((n_resamples, system.n_runs)) for system in systems]
    for first, count in batches(n_resamples, max(table.shape)):
        totals = bootstrap_counts(len(table), first, count, key=key) @ table
        for system, columns, scores in zip(systems, split_columns(systems, totals), resampled, strict=True):
            scores[first : first + count] = system.metric.score(columns)
        if advance is not None:
            advance(count)
    for system, scores in zip(systems, resampled, strict=True):
        check_scores(system, scores)
    return resampled


def split_columns(systems: Sequence[SystemStatistics], totals: np.ndarray) -> list[np.ndarray]:
    """Take the sums of all systems apart: (n, n_columns) -> (n, n_runs, n_statistics), one array a system."""
    widths = [system.n_runs * system.values.shape[2] for system in systems]
    parts = np.split(totals, np.cumsum(widths)[:-1], axis=1)
    return [part.reshape(len(part), system.n_runs, -1) for part, system in zip(parts, systems, strict=True)]


def check_scores(system: SystemStatistics, scores: np.ndarray) -> None:
    """Raise an `InputError` where a virtual test set has no score."""
    unscored = int(np.count_nonzero(~np.isfinite(scores).all(axis=-1)))
    if unscored:
        raise InputError(
            "no-scores",
            f"{unscored} of {len(scores)} virtual test sets have no {system.metric.name} for {system.system!r}: too "
            "few of its segments can be scored to resample them.",
        )


@dataclass(frozen=True)
class BootstrapPlan:
    """What is drawn, how often, and which interval is made of it.

    Parameters
    ----------
    units : Units
    documents : Units or None
        For the design effect, whatever is drawn; None where documents are not known.
    method : {"percentile", "basic", "bca", "jackknife"}
    level : float
    n_resamples : int
    randomness : Randomness
    """

    units: Units
    documents: Units | None
    method: str
    level: float
    n_resamples: int
    randomness: Randomness

    def ends(
        self, score: float, resampled: np.ndarray, influence: np.ndarray, scale: float, *, name: str
    ) -> tuple[float | None, float | None]:
        """Return the end points of an interval; ``name`` says of what, where BCa has to do without its bias."""
        if self.method == "bca" and share_below(resampled, score, scale) in (0, 1):
            warnings.warn(
                DataWarning(
                    "bca-one-sided",
                    f"All {self.n_resamples} resamples of {name} lie on one side of it, so that BCa's bias cannot be "
                    "estimated: its percentile interval is given.",
                ),
                stacklevel=4,
            )
        return interval_ends(self.method, self.level, score, resampled, unit_influence(influence, self.units), scale)

    @classmethod
    def make(
        cls, test_set: TestSet, unit: str, method: str, level: float, n_resamples: int, randomness: Randomness
    ) -> BootstrapPlan:
        """Plan for a test set, ``unit`` and ``method`` being possibly ``auto``."""
        units = choose_units(test_set, unit)
        documents = None if test_set.documents is None else choose_units(test_set, "document")
        return cls(units, documents, choose_method(method, units.count), level, n_resamples, randomness)

    def signature(self, test: str, metric: str) -> str:
        """Write the signature of a result."""
        return write_signature(
            test,
            self.randomness,
            metric=metric,
            unit=self.units.name,
            interval=self.method,
            level=f"{self.level:g}",
            resamples=self.n_resamples,
        )


def count_wins(
    resampled_a: np.ndarray, resampled_b: np.ndarray, metric: Metric
) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray]:
    """Count the resamples in which a is better, worse, equal (within 1e-9 of the larger absolute score).

    Parameters
    ----------
    resampled_a, resampled_b : (..., n_resamples) ndarray
        Scores of the same resamples.
    metric : Metric
        Says which way is better.

    Returns
    -------
    wins, losses, ties : (...) ndarray of int64
        Wins and losses are None where the metric has no direction.
    """
    difference = resampled_a - resampled_b
    tied = np.abs(difference) <= TIE * np.maximum(np.abs(resampled_a), np.abs(resampled_b))
    ties = np.count_nonzero(tied, axis=-1)
    if metric.higher_is_better is None:
        return None, None, ties
    larger = np.count_nonzero((difference > 0) & ~tied, axis=-1)
    smaller = difference.shape[-1] - ties - larger
    return (larger, smaller, ties) if metric.higher_is_better else (smaller, larger, ties)


def describe_system(
    system: SystemStatistics, resampled: np.ndarray, influence: np.ndarray, plan: BootstrapPlan
) -> Interval:
    """Describe one system from its resampled scores, (n_resamples, n_runs), and its segments' influence."""
    scores = system.score()[0]
    score = float(scores.mean())
    averages = resampled.mean(axis=1)
    low, high = plan.ends(score, averages, influence, abs(score), name=f"the {system.metric.name} of {system.system!r}")
    return Interval(
        system=system.system,
        metric=system.metric.name,
        score=score,
        low=low,
        high=high,
        method=plan.method,
        level=plan.level,
        scores=tuple(float(run) for run in scores),
        s_sel=float(resampled.std(axis=0, ddof=1).mean()) if plan.n_resamples > 1 else None,
        s_test=float(scores.std(ddof=1)) if system.n_runs > 1 else None,
        design_effect=design_effect(influence, plan.documents, abs(score)),
        unit=plan.units.name,
        n_units=plan.units.count,
        n_resamples=plan.n_resamples,
        rng=plan.randomness.seed,
        signature=plan.signature("bs", system.signature),
        resampled=averages,
    )


def describe_pair(
    a: SystemStatistics,
    b: SystemStatistics,
    resampled: tuple[np.ndarray, np.ndarray],
    influence: tuple[np.ndarray, np.ndarray],
    plan: BootstrapPlan,
) -> PairedBootstrap:
    """Describe the difference of two systems from their scores on the same resamples and their influences."""
    score_a, score_b = (float(system.score().mean()) for system in (a, b))
    averages_a, averages_b = (scores.mean(axis=1) for scores in resampled)
    difference, differences = score_a - score_b, averages_a - averages_b
    scale = max(abs(score_a), abs(score_b))
    influences = influence[0] - influence[1]
    name = f"the difference in {a.metric.name} of {a.system!r} and {b.system!r}"
    low, high = plan.ends(difference, differences, influences, scale, name=name)
    wins, losses, ties = count_wins(averages_a, averages_b, a.metric)
    return PairedBootstrap(
        a=a.system,
        b=b.system,
        metric=a.metric.name,
        difference=difference,
        low=low,
        high=high,
        method=plan.method,
        level=plan.level,
        wins=None if wins is None else int(wins),
        losses=None if losses is None else int(losses),
        ties=int(ties),
        confidence=None if wins is None else int(wins) / plan.n_resamples,
        design_effect=design_effect(influences, plan.documents, scale),
        unit=plan.units.name,
        n_units=plan.units.count,
        n_resamples=plan.n_resamples,
        rng=plan.randomness.seed,
        signature=plan.signature("bs", a.signature),
        differences=differences,
    )


def warn_of_few_units(n_units: int, unit: str) -> None:
    """Warn that the share of wins is anti-conservative with so few units."""
    if n_units < MIN_CONFIDENCE_UNITS:
        warnings.warn(
            DataWarning(
                "few-units",
                f"Only {n_units} {unit}{'' if n_units == 1 else 's'} can be resampled. Below {MIN_CONFIDENCE_UNITS}, "
                "win % is anti-conservative (it calls equal systems different too often): go by the p-value.",
                count=n_units,
            ),
            stacklevel=3,
        )


def bootstrap_interval(
    a: SystemStatistics,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    method: str = "auto",
    unit: str = "auto",
    rng: int | np.random.Generator | Randomness | None = None,
) -> Interval:
    """Estimate a system's score with its confidence interval.

    Parameters
    ----------
    a : SystemStatistics
        Segments without a score are left out.
    n_resamples : int, optional
        Bootstrap resamples (Koehn (2004), §5); by default 1,000, or 20 / (1 - level) where that is more.
    level : float
    method : {"auto", "percentile", "basic", "bca", "jackknife"}
        ``auto`` is percentile from 100 units on, below it the infinitesimal jackknife with Student's t, which keeps
        its level where the bootstrap's intervals fall short.
    unit : {"auto", "segment", "document"}
        ``auto`` takes documents where they are known and there are at least 10 of them.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded.

    Returns
    -------
    Interval
        Units are resampled, runs stay as they are.

    Raises
    ------
    InputError
        Where an argument is not what it should be, or no segment has a score.
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    unit = choose_units(a.test_set, unit).name
    system = take_segments(a, scored_segments(a))
    plan = BootstrapPlan.make(system.test_set, unit, method, level, n_resamples, resolve_rng(rng))
    check_resamples(n_resamples, level, plan.method)
    [resampled] = resample_scores([system], plan.units, n_resamples, plan.randomness)
    return describe_system(system, resampled, segment_influence(system), plan)


def paired_bootstrap(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    method: str = "auto",
    unit: str = "auto",
    rng: int | np.random.Generator | Randomness | None = None,
) -> PairedBootstrap:
    """Count on how many resamples of the test set one system beats another (Koehn (2004), §6).

    The paper calls at least 95 % of wins "better with 95 % statistical significance"; as a two-sided test that rule
    errs about 10 % of the time, so the share is given as `confidence`, never as a p-value.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    n_resamples, level, method, unit, rng
        As of `bootstrap_interval`; the interval is that of the difference a - b.

    Returns
    -------
    PairedBootstrap

    Raises
    ------
    InputError
        Where the systems cannot be compared, or an argument is not what it should be.
    """
    check_comparable(a, b)
    n_resamples = choose_n_resamples(n_resamples, level)
    unit = choose_units(a.test_set, unit).name
    pair = take_common(a, b)
    plan = BootstrapPlan.make(pair[0].test_set, unit, method, level, n_resamples, resolve_rng(rng))
    check_resamples(n_resamples, level, plan.method)
    resampled = resample_scores(pair, plan.units, n_resamples, plan.randomness)
    if a.metric.higher_is_better is not None:
        warn_of_few_units(plan.units.count, plan.units.name)
    influence = tuple(segment_influence(system) for system in pair)
    return describe_pair(*pair, tuple(resampled), influence, plan)
