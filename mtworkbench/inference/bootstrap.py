"""Bootstrap resampling of one system and of two (Koehn (2004), §5 and §6)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.checks import check_comparable, check_resamples, choose_n_resamples
from mtworkbench.inference.influence import design_effect, unit_influence
from mtworkbench.inference.intervals import TIE, choose_method, interval_ends, share_below
from mtworkbench.inference.results import Interval, PairedBootstrap
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table, scored_segments
from mtworkbench.inference.settings import Settings
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.metrics.protocol import Metric
from mtworkbench.resampling import Randomness, bootstrap_weights, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Below so many units the share of wins is anti-conservative: 13.6 % errors at 5 % were measured with 11 documents.
MIN_CONFIDENCE_UNITS = 30


def resample(
    table: ScoreTable,
    n_resamples: int,
    randomness: Randomness,
    advance: Callable[[int], object] | None = None,
) -> list[np.ndarray]:
    """Score the same bootstrap resamples with every run of every system of a table.

    Parameters
    ----------
    table : ScoreTable
    n_resamples : int
    randomness : Randomness
    advance : callable, optional
        Told the number of resamples after each batch.

    Returns
    -------
    list of (n_resamples, n_runs) ndarray
        One array a system.

    Raises
    ------
    InputError
        Where a resample has no score.
    """
    batches = []
    for weights in bootstrap_weights(table.units.count, n_resamples, rng=randomness):
        batches.append(table.score(weights))
        if advance is not None:
            advance(len(weights))
    resampled = [np.concatenate(scores) for scores in zip(*batches, strict=True)]
    for system, scores in zip(table.systems, resampled, strict=True):
        check_scores(system, scores)
    return resampled


def check_scores(system: SystemStatistics, scores: np.ndarray) -> None:
    """Raise an `InputError` where a virtual test set has no score."""
    unscored = int(np.count_nonzero(~np.isfinite(scores).all(axis=-1)))
    if unscored:
        raise InputError(
            "no-scores",
            f"{unscored} of {len(scores)} virtual test sets have no {system.metric.name} for {system.system!r}: too "
            "few of its segments can be scored to resample them.",
        )


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The same resamples of all systems of a table, and what they say of each and of each pair.

    Parameters
    ----------
    table : ScoreTable
    settings : Settings
    resampled : list of (n_resamples, n_runs) ndarray
        One array a system.
    """

    table: ScoreTable
    settings: Settings
    resampled: list[np.ndarray] = field(repr=False)

    @cached_property
    def documents(self) -> Units | None:
        """The documents, for the design effect, whatever is drawn; None where they are not known."""
        test_set = self.table.systems[0].test_set
        return None if test_set.documents is None else choose_units(test_set, "document")

    def interval(self, place: int) -> Interval:
        """Estimate the score of one system with its interval."""
        system, scores, resampled = self.table.systems[place], self.table.scores[place], self.resampled[place]
        influence, settings = self.table.influence[place], self.settings
        score, averages = float(scores.mean()), resampled.mean(axis=1)
        low, high = self._ends(score, averages, influence, abs(score), f"the {system.metric.name} of {system.system!r}")
        return Interval(
            system=system.system,
            metric=system.metric.name,
            score=score,
            low=low,
            high=high,
            method=settings.interval,
            level=settings.level,
            scores=tuple(float(run) for run in scores),
            s_sel=float(resampled.std(axis=0, ddof=1).mean()) if settings.n_resamples > 1 else None,
            s_test=float(scores.std(ddof=1)) if system.n_runs > 1 else None,
            design_effect=design_effect(influence, self.documents, abs(score)),
            unit=self.table.units.name,
            n_units=self.table.units.count,
            n_resamples=settings.n_resamples,
            rng=settings.rng,
            signature=self._sign(system),
            resampled=averages,
        )

    def compare(self, pair: Places) -> PairedBootstrap:
        """Estimate the difference of two systems with its interval, and count who wins."""
        (a, b), settings = (self.table.systems[place] for place in pair), self.settings
        score_a, score_b = (float(self.table.scores[place].mean()) for place in pair)
        averages_a, averages_b = (self.resampled[place].mean(axis=1) for place in pair)
        difference, differences, scale = score_a - score_b, averages_a - averages_b, max(abs(score_a), abs(score_b))
        influence = self.table.influence[pair[0]] - self.table.influence[pair[1]]
        name = f"the difference in {a.metric.name} of {a.system!r} and {b.system!r}"
        low, high = self._ends(difference, differences, influence, scale, name)
        wins, losses, ties = count_wins(averages_a, averages_b, a.metric)
        return PairedBootstrap(
            a=a.system,
            b=b.system,
            metric=a.metric.name,
            difference=difference,
            low=low,
            high=high,
            method=settings.interval,
            level=settings.level,
            wins=None if wins is None else int(wins),
            losses=None if losses is None else int(losses),
            ties=int(ties),
            confidence=None if wins is None else int(wins) / settings.n_resamples,
            design_effect=design_effect(influence, self.documents, scale),
            unit=self.table.units.name,
            n_units=self.table.units.count,
            n_resamples=settings.n_resamples,
            rng=settings.rng,
            signature=self._sign(a),
            differences=differences,
        )

    def _sign(self, system: SystemStatistics) -> str:
        return replace(self.settings, test="bs", exchange=None, n_trials=None).sign(system.signature)

    def _ends(
        self, score: float, resampled: np.ndarray, influence: np.ndarray, scale: float, name: str
    ) -> tuple[float | None, float | None]:
        """Return the end points of an interval; ``name`` says of what, where BCa has to do without its bias."""
        method, level = self.settings.interval, self.settings.level
        if method == "bca" and share_below(resampled, score, scale) in (0, 1):
            warnings.warn(
                DataWarning(
                    "bca-one-sided",
                    f"All {len(resampled)} resamples of {name} lie on one side of it, so that BCa's bias cannot be "
                    "estimated: its percentile interval is given.",
                ),
                stacklevel=4,
            )
        return interval_ends(method, level, score, resampled, unit_influence(influence, self.table.units), scale)


def bootstrap(table: ScoreTable, settings: Settings, advance: Callable[[int], object] | None = None) -> Bootstrap:
    """Resample a table: see `resample`."""
    return Bootstrap(table, settings, resample(table, settings.n_resamples, settings.randomness, advance))


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
    table = ScoreTable.of([a], unit, scored_segments(a))
    return _draw(table, n_resamples, level, method, rng).interval(0)


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
    table = pair_table(a, b, unit)
    drawn = _draw(table, n_resamples, level, method, rng)
    if a.metric.higher_is_better is not None:
        warn_of_few_units(table.units.count, table.units.name)
    return drawn.compare((0, 1))


def _draw(
    table: ScoreTable,
    n_resamples: int,
    level: float,
    method: str,
    rng: int | np.random.Generator | Randomness | None,
) -> Bootstrap:
    method = choose_method(method, table.units.count)
    settings = Settings("bs", table.units.name, None, method, level, n_resamples, None, resolve_rng(rng))
    check_resamples(n_resamples, level, method)
    return bootstrap(table, settings)
