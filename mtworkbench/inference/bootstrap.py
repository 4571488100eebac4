"""Bootstrap resampling of one system and of two (Koehn (2004), §5 and §6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.families import (
    check_comparable,
    check_is_system,
    name_pair,
    settle_unit,
    warn_of_few_differing_units,
    warn_of_few_effective_units,
    warn_of_few_units,
)
from mtworkbench.inference.intervals import TIE, Drawn, design_effect, interval_ends
from mtworkbench.inference.score_table import Places, ScoreTable, pair_table, scored_segments
from mtworkbench.inference.units import Units, sum_resamples
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import Metric
from mtworkbench.progress import ignore
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.estimates import Interval, PairedBootstrap
from mtworkbench.results.settings import Settings, choose_n_resamples
from mtworkbench.statistics.segment_statistics import SystemStatistics


def resample(
    table: ScoreTable,
    n_resamples: int,
    random_key: RandomKey,
    advance: Callable[[int], object] = ignore,
) -> list[np.ndarray]:
    """Score the same bootstrap resamples with every run of every system of a table.

    Parameters
    ----------
    table : ScoreTable
    n_resamples : int
    random_key : RandomKey
    advance : callable, optional
        Called after each batch with the number of resamples in it.

    Returns
    -------
    list of (n_resamples, n_runs) ndarray
        One array per system.

    Raises
    ------
    InputError
        Where a resample has no score.
    """
    drawn = table.with_units(table.units.drawn)
    sums = sum_resamples(table.units, drawn.summed, n_resamples, random_key, dtype=drawn.weight_type)
    resampled = drawn.score_batches(sums, advance)
    check_scored(table.systems, resampled)
    return resampled


def check_scored(systems: Sequence[SystemStatistics], resampled: Sequence[np.ndarray]) -> None:
    """Refuse resamples without a score.

    Parameters
    ----------
    systems : sequence of SystemStatistics
    resampled : sequence of (n_resamples, n_runs) ndarray
        One array per system.

    Raises
    ------
    InputError
        ``no-scores``
    """
    for system, scores in zip(systems, resampled, strict=True):
        finite = np.isfinite(scores)
        if not finite.all():
            unscored = int(np.count_nonzero(~finite.all(axis=1)))
            raise InputError(
                "no-scores",
                f"{unscored} of {len(scores)} virtual test sets have no {system.metric.name} for {system.system!r}: "
                "too few of its segments can be scored to resample them.",
            )


class Resampled(NamedTuple):
    """What is kept of the bootstrap resamples of a table.

    Parameters
    ----------
    averages : (n_systems, n_resamples) ndarray
        The scores of the resamples, means over runs.
    s_sel : (n_systems,) ndarray
        See `Interval`; NaN for one resample.
    """

    averages: np.ndarray
    s_sel: np.ndarray

    @classmethod
    def of(
        cls, table: ScoreTable, n_resamples: int, random_key: RandomKey, advance: Callable[[int], object] = ignore
    ) -> Resampled:
        """Resample a table: see `resample`."""
        scores = resample(table, n_resamples, random_key, advance)
        s_sel = [one.std(axis=0, ddof=1).mean() if n_resamples > 1 else np.nan for one in scores]
        return cls(np.array([one.mean(axis=1) for one in scores]), np.array(s_sel))


@dataclass(frozen=True, eq=False)
class Bootstrap:
    """The bootstrap resamples of all systems of a table, with methods for intervals and differences.

    Parameters
    ----------
    table : ScoreTable
    settings : Settings
        The signatures of the results name only those of the bootstrap.
    resampled : Resampled
    """

    table: ScoreTable
    settings: Settings
    resampled: Resampled = field(repr=False)

    @classmethod
    def of(cls, table: ScoreTable, settings: Settings, resampled: Resampled) -> Bootstrap:
        """Make it of resamples that were drawn with these settings."""
        settings = replace(
            settings,
            test="bs",
            exchange=None,
            n_trials=None,
            runs=None,
            adjust=None,
            family=None,
            margins=(),
            interval_of_differences=None,
        )
        return cls(table, settings, resampled)

    def interval(self, place: int) -> Interval:
        """Estimate the score of one system with its confidence interval."""
        system, scores = self.table.systems[place], self.table.scores[place]
        score, averages = self.table.means[place], self.resampled.averages[place]
        settings, metric = self.settings, system.metric.name
        name = f"the {metric} of {system.system!r}"
        drawn = Drawn(score, averages, self.table.influence[place], abs(score), self.table.units.df)
        low, high = interval_ends(drawn, settings.interval, settings.level, name)
        return Interval(
            system=system.system,
            metric=metric,
            score=score,
            low=low,
            high=high,
            method=settings.interval,
            level=settings.level,
            scores=tuple(float(run) for run in scores),
            s_sel=float(self.resampled.s_sel[place]) if settings.n_resamples > 1 else None,
            s_test=float(scores.std(ddof=1)) if len(scores) > 1 else None,
            design_effect=self._design_effect(lambda table: table.influence[place], abs(score)),
            unit=self.table.units.name,
            n_units=self.table.units.count,
            n_effective_units=self.table.units.effective_count,
            n_resamples=settings.n_resamples,
            rng=settings.rng,
            signature=settings.sign(system.signature),
            resampled=averages,
        )

    def difference(self, pair: Places) -> PairedBootstrap:
        """Estimate the difference of two systems with its confidence interval, and count who wins."""
        table, settings = self.table, self.settings
        a, b = (table.systems[place] for place in pair)
        averages_a, averages_b = (self.resampled.averages[place] for place in pair)
        wins, losses, ties = count_wins(averages_a, averages_b, a.metric)
        metric, difference, scale = a.metric.name, table.difference(pair), table.scale(pair)
        drawn = Drawn(difference, averages_a - averages_b, table.influence_on(pair), scale, table.units.df)
        name = f"the difference in {metric} of {a.system!r} and {b.system!r}"
        low, high = interval_ends(drawn, settings.interval, settings.level, name)
        return PairedBootstrap(
            **name_pair(a, b),
            difference=difference,
            low=low,
            high=high,
            method=settings.interval,
            level=settings.level,
            wins=None if wins is None else int(wins),
            losses=None if losses is None else int(losses),
            ties=int(ties),
            confidence=None if wins is None else int(wins) / settings.n_resamples,
            design_effect=self._design_effect(lambda table: table.influence_on(pair), scale),
            unit=table.units.name,
            n_units=table.units.count,
            n_effective_units=table.units.effective_count,
            units_differing=table.count_differing(pair),
            n_resamples=settings.n_resamples,
            rng=settings.rng,
            signature=settings.sign(a.signature),
            resampled=(averages_a, averages_b),
        )

    def _design_effect(self, influence_of: Callable[[ScoreTable], np.ndarray], scale: float) -> float | None:
        if self.table.by_group is None:
            return None
        return design_effect(influence_of(self.table.by_segment), influence_of(self.table.by_group), scale)


def bootstrap(table: ScoreTable, settings: Settings, advance: Callable[[int], object] = ignore) -> Bootstrap:
    """Resample a table."""
    resampled = Resampled.of(table, settings.n_resamples, settings.random_key, advance)
    return Bootstrap.of(table, settings, resampled)


def choose_resampling(test: str, units: Units, interval: str, level: float, n_resamples: int, rng: RngLike) -> Settings:
    """Choose the settings of what is resampled by these units: see `Settings.settled`."""
    chosen = Settings(
        test, interval=interval, level=level, n_resamples=n_resamples, random_key=resolve_rng(rng), **units.of_settings
    )
    return chosen.settled(units.effective_count)


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
    if not has_direction(metric):
        return None, None, ties
    larger = np.count_nonzero((difference > 0) & ~tied, axis=-1)
    smaller = difference.shape[-1] - ties - larger
    return (larger, smaller, ties) if sign_of(metric) == 1 else (smaller, larger, ties)


def bootstrap_interval(
    a: SystemStatistics,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    method: str = "auto",
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    rng: RngLike = None,
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
        ``auto`` is percentile from 100 effective units on, below it the delete-one jackknife with Student's t, because
        the bootstrap's intervals then cover the truth less often than they say, those of BCa least of all; the rates
        that were measured are in docs/validity.md. Documents of unequal size count for fewer than there are
        (`Units.effective_count`); where they count for fewer than 10, a warning says that the interval is too narrow.
    unit : str
        What is drawn. ``"auto"`` takes documents where they are known and there are at least 6 of them, else segments;
        ``"segment"``; ``"document"``; the name of a column of the outputs, such as ``"domain"``; ``"block"``, runs of
        consecutive segments, for test sets whose documents are unknown. Blocks may begin at any segment and go round
        the end of the test set (Künsch, 1989; Politis & Romano, 1992).
    strata : str, optional
        ``"document"``, or the name of a column: each resample has as many units of every stratum (domain, say) as the
        test set. The jackknife is then the stratified one, with a degree of freedom less for each stratum.
    block_length : int, optional
        Segments in a block; without it, as many as `choose_block_length` finds.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded.

    Returns
    -------
    Interval
        Segments, documents or other units are resampled; the runs are fixed.

    Raises
    ------
    InputError
        Where an argument is not what it should be, or no segment has a score.
    """
    check_is_system(a)
    n_resamples = choose_n_resamples(n_resamples, level)
    unit = settle_unit([a], [], unit, strata=strata, block_length=block_length)
    table = ScoreTable.of([a], unit, scored_segments(a), strata)
    settings = choose_resampling("bs", table.units, method, level, n_resamples, rng)
    warn_of_few_effective_units(table.units)
    return bootstrap(table, settings).interval(0)


def paired_bootstrap(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    method: str = "auto",
    unit: str = "auto",
    strata: str | None = None,
    block_length: int | None = None,
    rng: RngLike = None,
) -> PairedBootstrap:
    """Count on how many resamples of the test set one system beats another (Koehn (2004), §6).

    The paper calls at least 95 % of wins "better with 95 % statistical significance". As a two-sided test that rule
    errs about twice as often as it says, because either system may win (docs/validity.md has the rates), so the share
    is given as `confidence`, never as a p-value.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    n_resamples, level, method, unit, strata, block_length, rng
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
    unit = settle_unit([a, b], [(0, 1)], unit, strata=strata, block_length=block_length)
    table = pair_table(a, b, unit, strata)
    settings = choose_resampling("bs", table.units, method, level, n_resamples, rng)
    found = bootstrap(table, settings).difference((0, 1))
    warn_of_few_effective_units(table.units)
    warn_of_few_differing_units([found])
    if has_direction(a.metric):
        warn_of_few_units([table.units])
    return found
