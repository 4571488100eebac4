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
from mtworkbench.inference.intervals import (
    NO_VARIATION,
    TIE,
    interval_ends,
    jackknife_variance,
    judge_by_t,
)
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.trials import Tested
from mtworkbench.inference.verdicts import Estimated, OnSet
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.campaigns import CampaignSystem, NewSets
from mtworkbench.results.crossed import CrossedAnalysis
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
    n_sets_a_better, n_sets_b_better : int or None
        Sets on which either has the better score; None where the metric has no direction.
    """

    resampled: np.ndarray
    new_sets: NewSets
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
    name = f"the {table.metrics[place]} of {table.systems[place].system!r}"
    variance = VarianceOfMean.of([(table, table.influence[place]) for table, place in found])
    low, high = variance.find_ends(score, averages, abs(score), settings, name)
    return CampaignSystem(
        system=table.systems[place].system,
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
        return 1 / sum((one / sum(known)) ** 2 / df for one, df in zip(known, self.dfs, strict=True))

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
            return interval_ends(settings.interval, settings.level, mean, resampled, joined, scale, name)
        from scipy.special import stdtrit

        known = self._known
        if known is None:
            return None, None
        if sum(known) == 0:
            return mean, mean
        half = float(stdtrit(self.df, (1 + settings.level) / 2)) * math.sqrt(sum(known)) / len(known)
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
        return [max(abs(one.score_a), abs(one.score_b)) for one in self.found]

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
                (part.table, part.table.influence[a] - part.table.influence[b])
                for part, (a, b) in zip(self.parts, self.places, strict=True)
            ]
        )
        resampled = np.mean([one.bootstrap.differences for one in self.found], axis=0)
        first = self.found[0].bootstrap
        name = f"the difference in {first.metric} of {first.a!r} and {first.b!r}"
        test, method = self._test(mean, tested, settings), self._cross(mean, scale, pooled, settings)
        further: tuple[FurtherResult, ...] = ()
        if settings.margins:
            further = (
                find_equivalence(method, variance.total, variance.df, scale, settings, tested, n_coins=test.n_coins),
            )
        low, high = tested.low, tested.high
        if settings.interval_of_differences != "exchanges":
            low, high = variance.find_ends(mean, resampled, scale, settings, name)
        n_sets_a_better, n_sets_b_better = self.n_better
        return OverSets(
            metric=self.found[0].metric,
            randomization=test,
            method=method,
            further=further,
            score_a=float(np.mean([one.score_a for one in self.found])),
            score_b=float(np.mean([one.score_b for one in self.found])),
            n_segments=sum(one.n_segments for one in self.found),
            segments_differing=sum(one.segments_differing for one in self.found),
            low=low,
            high=high,
            tested=tested,
            assumes_independence=all(one.assumes_independence for one in self.found),
            resampled=resampled,
            new_sets=expect_new_sets(differences, variance.of_sets, settings.level, scale),
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

    def _cross(
        self, mean: float, scale: float, pooled: tuple[float, int] | None, settings: Settings
    ) -> CrossedAnalysis:
        """Ask whether new training runs would show the difference on these sets.

        There is no answer where a system has one run, or different numbers of runs on the sets.
        """
        tables = [part.table for part in self.parts]
        runs = [(table.scores[a], table.scores[b]) for table, (a, b) in zip(tables, self.places, strict=True)]
        n_runs = [(len(of_a), len(of_b)) for of_a, of_b in runs]
        variance = None
        if len(set(n_runs)) == 1 and min(n_runs[0]) > 1:
            variances = [
                cross_variances(scores, (influence[a], influence[b]), own_scale, table.units.effective_count)
                for table, influence, (a, b), scores, own_scale in zip(
                    tables, [table.run_influence for table in tables], self.places, runs, self.scales, strict=True
                )
            ]
            of_a, of_b = (np.mean([scores[side] for scores in runs], axis=0) for side in (0, 1))
            variance = average_variances(variances, (of_a, of_b))
        a, b = self.places[0]
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


def expect_new_sets(differences: np.ndarray, variances: Sequence[float | None], level: float, scale: float) -> NewSets:
    """Ask of new test sets what several sets have shown.

    The model is one of random effects: set s has a true difference of its own, and its observed difference d_s varies
    about that with its segments. Each set counts the same. With S sets, d their mean, and s their standard deviation:

    - the mean over all sets like these: Student's t with S - 1 degrees of freedom, d +- t s / sqrt(S). With equal
      weights, this is the interval of Hartung & Knapp (2001). It needs no estimate of the spread between sets. It rests
      on differences of sets that are about normally distributed: where a few sets lie far from the others on one side,
      it rejects too often. docs/validity.md has the rates that were measured.
    - the difference that is observed on one new set, of a size like theirs: d +- t s sqrt(1 + 1/S).
    - the spread between sets, by the method of moments for equal weights: s^2 less the mean of the sets' own variances,
      or 0 (Hedges & Olkin, 1985; Cochran's ANOVA estimate).
    - Cochran's (1954) Q = sum of w_s (d_s - d_w)^2 with w_s = 1 / variance and d_w the mean weighted by these, against
      chi-squared with S - 1 degrees of freedom: do the sets differ more than their segments explain?

    Parameters
    ----------
    differences : (n_sets,) ndarray
    variances : sequence of float or None
        Squared standard error of each.
    level : float
    scale : float
        The larger absolute score, against which variation is told from rounding.

    Returns
    -------
    NewSets
    """
    from scipy.special import chdtrc, stdtrit

    n_sets, mean = len(differences), float(differences.mean())
    spread = float(differences.std(ddof=1))
    p_value, low, high, df = judge_by_t(mean, spread / math.sqrt(n_sets), n_sets - 1, level, scale)
    one_low, one_high = low, high
    if df is not None:
        half = float(stdtrit(df, (1 + level) / 2)) * spread * math.sqrt(1 + 1 / n_sets)
        one_low, one_high = mean - half, mean + half
    known = [variance for variance in variances if variance is not None]
    between, spread_p_value = None, None
    if len(known) == n_sets:
        between = math.sqrt(max(0.0, spread**2 - float(np.mean(known))))
        if min(known) > (NO_VARIATION * scale) ** 2:
            weights = 1 / np.array(known)
            q = float(np.sum(weights * (differences - np.average(differences, weights=weights)) ** 2))
            spread_p_value = max(float(chdtrc(n_sets - 1, q)), float(np.finfo(np.float64).tiny))
    return NewSets(p_value, low, high, df, one_low, one_high, between, spread_p_value)


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
