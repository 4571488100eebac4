"""Estimates over several test sets, each counting the same."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from mtworkbench.inference.crossed import average_variances, cross_variances, judge_methods, pool_runs, score_runs
from mtworkbench.inference.draws import DividedSet
from mtworkbench.inference.equivalence import find_equivalence
from mtworkbench.inference.families import EstimatedPart
from mtworkbench.inference.intervals import TIE, Drawn, interval_ends, jackknife_variance, reach_of_t, satterthwaite_df
from mtworkbench.inference.new_sets import cross_sets, expect_new_sets, rest_on
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.trials import Tested
from mtworkbench.inference.verdicts import Estimated, OnSet
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.campaigns import CampaignSystem, Claim, NewSets
from mtworkbench.results.comparisons import Measured
from mtworkbench.results.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.results.estimates import FurtherResult, Randomization
from mtworkbench.results.settings import Settings


@dataclass(frozen=True, eq=False, kw_only=True)
class OverSets(Estimated):
    """What was drawn and computed of two systems over several sets, before a verdict.

    Parameters
    ----------
    resampled : (n_resamples,) ndarray
        The mean difference on each resample.
    new_sets : NewSets
    new_runs_and_sets : Claim
    n_sets_a_better, n_sets_b_better : int or None
        Sets on which either has the better score; None where the metric has no direction.
    """

    resampled: np.ndarray
    new_sets: NewSets
    new_runs_and_sets: Claim
    n_sets_a_better: int | None
    n_sets_b_better: int | None


def estimate_system(
    test_sets: Sequence[str], found: Sequence[tuple[ScoreTable, int]], resampled: np.ndarray, settings: Settings
) -> CampaignSystem:
    """Average the score of a system over sets.

    Parameters
    ----------
    test_sets : sequence of str
    found : sequence of (ScoreTable, int)
        The table of each set and the system's place there.
    resampled : (n_sets, n_resamples) ndarray
    settings : Settings
    """
    table, place = found[0]
    scores = [table.means[place] for table, place in found]
    runs = {table.n_runs[place] for table, place in found}
    averages, score = resampled.mean(axis=0), float(np.mean(scores))
    system = table.systems[place]
    name = f"the {system.metric.name} of {system.system!r}"
    variance = VarianceOfMean.of([(table, table.influence[place]) for table, place in found])
    low, high = variance.find_ends(score, averages, abs(score), settings, name)
    return CampaignSystem(
        system=system.system,
        runs=runs.pop() if len(runs) == 1 else None,
        score=score,
        low=low,
        high=high,
        scores=dict(zip(test_sets, scores, strict=True)),
        resampled=averages,
    )


@dataclass(frozen=True, eq=False)
class VarianceOfMean:
    """How much a mean over sets varies with their segments, or other units.

    The sets are strata of equal weight: a unit contributes its influence on its set's score, divided by the number of
    sets S. The variance is the sum of the sets' own / S^2, and the jackknife's degrees of freedom are Satterthwaite's.

    Parameters
    ----------
    influences : list of (n_units,) ndarray
        One array per set.
    of_sets : list of float or None
        The delete-one jackknife's variance on each set.
    dfs : list of float
        Degrees of freedom of each set's variance.
    """

    influences: list[np.ndarray]
    of_sets: list[float | None]
    dfs: list[float]

    @classmethod
    def of(cls, found: Sequence[tuple[ScoreTable, np.ndarray]]) -> VarianceOfMean:
        """Find it, given the table of each set, and what each unit contributes to what is averaged."""
        influences = [influence for _, influence in found]
        return cls(influences, list(map(jackknife_variance, influences)), [table.units.df for table, _ in found])

    @property
    def total(self) -> float | None:
        """The variance of the mean; None where that of a set is not known."""
        known = self._known
        return None if known is None else sum(known) / len(known) ** 2

    @property
    def df(self) -> float:
        """Satterthwaite's degrees of freedom; 0 where nothing varies, or nothing is known."""
        known = self._known
        if known is None or sum(known) == 0:
            return 0.0
        return satterthwaite_df(known, self.dfs)

    @property
    def _known(self) -> list[float] | None:
        known = [one for one in self.of_sets if one is not None]
        return known if len(known) == len(self.of_sets) and min(self.dfs) >= 1 else None

    def find_ends(
        self, mean: float, resampled: np.ndarray, scale: float, settings: Settings, name: str
    ) -> tuple[float | None, float | None]:
        """Return the interval of the mean, on these test sets.

        Parameters
        ----------
        mean : float
        resampled : (n_resamples,) ndarray
        scale : float
            The larger absolute score.
        settings : Settings
        name : str
            Says of what, in warnings.
        """
        if settings.interval != "jackknife":
            joined = np.concatenate(self.influences) / len(self.influences)
            return interval_ends(Drawn(mean, resampled, joined, scale), settings.interval, settings.level, name)
        known = self._known
        if known is None:
            return None, None
        if sum(known) == 0:
            return mean, mean
        half = reach_of_t(self.df, settings.level) * math.sqrt(sum(known)) / len(known)
        return mean - half, mean + half


@dataclass(frozen=True, eq=False)
class PairOnSets:
    """One pair of systems on each test set, as it is estimated there.

    Parameters
    ----------
    found : list of OnSet
    parts : list of EstimatedPart
        Those of each set that the pair rests on.
    places : list of (int, int)
        In the tables of these parts.
    """

    found: Sequence[OnSet]
    parts: Sequence[EstimatedPart]
    places: Sequence[Places]

    @property
    def scales(self) -> list[float]:
        """The larger absolute score on each set."""
        return [max(abs(one.measured.score_a), abs(one.measured.score_b)) for one in self.found]

    @property
    def n_better(self) -> tuple[int | None, int | None]:
        """On how many sets a, and b, has the better score; None where the metric has no direction."""
        metric = self.found[0].metric
        if not has_direction(metric):
            return None, None
        signs = [
            0.0 if abs(one.bootstrap.difference) <= TIE * scale else sign_of(metric) * np.sign(one.bootstrap.difference)
            for one, scale in zip(self.found, self.scales, strict=True)
        ]
        return signs.count(1), signs.count(-1)

    def average(self, tested: Tested, pooled: tuple[float, int] | None, settings: Settings) -> OverSets:
        """Average over sets.

        Parameters
        ----------
        tested : Tested
            What the trials say of the mean difference.
        pooled : (float, int), or None
            The variance of the mean score of one run over sets, pooled over systems: see `pool_over_sets`.
        settings : Settings
        """
        differences = np.array([one.bootstrap.difference for one in self.found])
        mean, scale = float(differences.mean()), float(np.mean(self.scales))
        variance = VarianceOfMean.of(
            [
                (part.table, part.table.influence_on(places))
                for part, places in zip(self.parts, self.places, strict=True)
            ]
        )
        resampled = np.mean([one.bootstrap.differences for one in self.found], axis=0)
        first = self.found[0].bootstrap
        name = f"the difference in {first.metric} of {first.a!r} and {first.b!r}"
        test, runs = self._test(mean, tested, settings), self._runs
        method = self._cross(None if runs is None else self._vary_on_these(runs), mean, scale, pooled, settings)
        further: tuple[FurtherResult, ...] = ()
        if settings.margins:
            further = (
                find_equivalence(method, variance.total, variance.df, scale, settings, tested, n_coins=test.n_coins),
            )
        low, high = tested.low, tested.high
        if settings.interval_of_differences != "exchanges":
            low, high = variance.find_ends(mean, resampled, scale, settings, name)
        new_sets = expect_new_sets(differences, variance.of_sets, settings.level, scale)
        new_sets = rest_on(new_sets, [(test.p_value, low, high)])
        crossed = None if runs is None else cross_sets(runs, variance.of_sets, scale)
        both = self._cross(crossed, mean, scale, pooled, settings)
        n_sets_a_better, n_sets_b_better = self.n_better
        return OverSets(
            metric=self.found[0].metric,
            randomization=test,
            method=method,
            further=further,
            measured=Measured.over_sets([one.measured for one in self.found]),
            low=low,
            high=high,
            tested=tested,
            share_independent=_share_independent(self.found),
            resampled=resampled,
            new_sets=new_sets,
            new_runs_and_sets=rest_on(
                Claim(
                    t_p_value=both.method_p_value,
                    low=both.method_low,
                    high=both.method_high,
                    df=both.method_df,
                    errors=both.errors,
                ),
                [
                    (new_sets.p_value, new_sets.low, new_sets.high),
                    (method.method_p_value, method.method_low, method.method_high),
                ],
            ),
            n_sets_a_better=n_sets_a_better,
            n_sets_b_better=n_sets_b_better,
        )

    def _test(self, mean: float, tested: Tested, settings: Settings) -> Randomization:
        tests = [one.randomization for one in self.found]
        n_coins = sum(test.n_coins for test in tests)
        p_value, p_low, p_high = tested.tell_p(n_coins)
        return replace(
            tests[0],
            difference=mean,
            p_value=p_value,
            p_low=p_low,
            p_high=p_high,
            n_coins=n_coins,
            exact=tested.exact,
            n_trials=settings.trials if tested.exact else tested.n_trials,
            unit=settings.unit,
            n_units=sum(test.n_units for test in tests),
            rng=settings.rng,
            signature=settings.signature,
        )

    @property
    def _runs(self) -> tuple[np.ndarray, np.ndarray] | None:
        """The scores of both systems' runs on the sets, two (n_runs, n_sets) ndarrays.

        None where a system has one run, or different numbers of runs on the sets.
        """
        pairs = list(zip(self.parts, self.places, strict=True))
        of_a, of_b = ([part.table.scores[own[side]] for part, own in pairs] for side in (0, 1))
        n_runs = {(len(a), len(b)) for a, b in zip(of_a, of_b, strict=True)}
        if len(n_runs) > 1 or min(n_runs.pop()) < 2:
            return None
        return np.stack(of_a, axis=1), np.stack(of_b, axis=1)

    def _vary_on_these(self, runs: tuple[np.ndarray, np.ndarray]) -> CrossedVariance | None:
        """Return the variance of the mean where units of these sets are samples, and training runs."""
        of_sets = []
        for number, (part, (a, b), scale) in enumerate(zip(self.parts, self.places, self.scales, strict=True)):
            influence, units = part.table.run_influence, part.table.units
            scores = runs[0][:, number], runs[1][:, number]
            of_sets.append(cross_variances(scores, (influence[a], influence[b]), scale, units.effective_count))
        return average_variances(of_sets, (runs[0].mean(axis=1), runs[1].mean(axis=1)))

    def _cross(
        self,
        variance: CrossedVariance | None,
        mean: float,
        scale: float,
        pooled: tuple[float, int] | None,
        settings: Settings,
    ) -> CrossedAnalysis:
        """Ask whether new training runs would show the difference: on these sets or, by their variance, on new ones."""
        tables, (a, b) = [part.table for part in self.parts], self.places[0]
        return judge_methods(
            variance,
            pooled,
            mean,
            scale,
            settings.level,
            settings.runs or "separate",
            systems=(tables[0].systems[a], tables[0].systems[b]),
            n_units=sum(table.units.count for table in tables),
            n_effective_units=0.0 if variance is None else variance.unit_df + 1,
            unit=settings.unit,
            strata=settings.strata,
            signature=settings.signature,
        )


def _share_independent(found: Sequence[OnSet]) -> float | None:
    """Return the share of the variance of the mean difference that takes segments for independent: each set's own.

    None where the segments of known documents are the units of a set.
    """
    variances = [(one.standard_error or 0.0) ** 2 for one in found]
    shares = [one.share_independent for one in found if one.share_independent is not None]
    if len(shares) < len(found):
        return None
    of_these = sum(share * variance for share, variance in zip(shares, variances, strict=True))
    return of_these / sum(variances) if any(variances) else min(shares)


def pool_over_sets(parts: Sequence[EstimatedPart], divided: Sequence[DividedSet]) -> dict[int, np.ndarray]:
    """Score the runs of all systems that have the same several runs on all sets: means over sets, by their numbers.

    Parameters
    ----------
    parts : sequence of EstimatedPart
        On the segments of which they are scored, of each set: see `score_runs`.
    divided : sequence of DividedSet
    """
    found = [score_runs(part, one.systems) for part, one in zip(parts, divided, strict=True)]
    numbers = [
        number
        for number in found[0]
        if all(number in scores and len(scores[number]) == len(found[0][number]) for scores in found)
    ]
    return {number: np.mean([scores[number] for scores in found], axis=0) for number in numbers}


def average_pairs(
    divided: Sequence[DividedSet], found: Sequence[Sequence[OnSet]], tested: Sequence[Tested], settings: Settings
) -> list[OverSets]:
    """Average each pair over sets; ``found`` has the pairs of each set."""
    places = [one.find_pairs() for one in divided]
    # By the parts that pairs rest on: as a rule all pairs rest on the same.
    pooled: dict[tuple[int, ...], dict[tuple[str, str], tuple[float, int]]] = {}
    averaged = []
    for number, (spots, ones) in enumerate(zip(zip(*places, strict=True), zip(*found, strict=True), strict=True)):
        parts = [part for part, _ in spots]
        key = tuple(map(id, parts))
        systems = divided[0].systems
        if key not in pooled:
            pooled[key] = pool_runs((systems[one], runs) for one, runs in pool_over_sets(parts, divided).items())
        system = systems[divided[0].pairs[number][0]]
        pair = PairOnSets(ones, parts, [own for _, own in spots])
        averaged.append(pair.average(tested[number], pooled[key].get((system.metric.name, system.signature)), settings))
    return averaged
