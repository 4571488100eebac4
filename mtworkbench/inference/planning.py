"""How many segments, documents and runs are needed to show a difference, and what a test set at hand can show."""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.inference.crossed import cross
from mtworkbench.inference.equivalence import check_margin
from mtworkbench.inference.families import check_comparable, doubts_of_pair, name_pair, settle_unit
from mtworkbench.inference.intervals import NO_VARIATION, TIE, design_effect, jackknife_variance
from mtworkbench.inference.more_runs import check_numbers, variance_of
from mtworkbench.inference.power import (
    USUAL_POWER,
    Power,
    Threshold,
    check_power,
    crossed_threshold,
    power_of,
    power_within,
    smallest_margin_ratio,
    smallest_ratio,
    t_threshold,
)
from mtworkbench.inference.score_table import ScoreTable, choose_units, pair_table
from mtworkbench.results.crossed import CrossedAnalysis, CrossedVariance
from mtworkbench.results.estimates import ComparedPair
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import check_level, write_signature
from mtworkbench.shown import Headed
from mtworkbench.statistics.segment_statistics import SystemStatistics

# The numbers of runs that are always looked at; with one run a method cannot be tested.
RUNS = (2, 3, 5, 10)
# More units or runs than this are not planned.
MAX_UNITS, MAX_RUNS = 10_000_000, 1000
# Numbers of units in the frame: so many for each doubling, from a quarter of those at hand to sixteen times as many.
PER_DOUBLING, FEWEST, MOST = 3, -2, 4
# What a test set can show, apart from its power: of a difference, or of equality.
SHOWN = ("smallest_difference", "smallest_margin", "wrong_sign", "exaggeration")


@dataclass(frozen=True, repr=False, eq=False)
class Plan(ComparedPair, Headed):
    """What is needed to show a difference, and what the test set at hand can show.

    Parameters
    ----------
    a, b, metric : str
    of : {"method", "outputs"}
        Which question the plan is about: the method, where both systems have at least two runs.
    difference : float
        The true difference that is to be shown, in score points, without a sign; 0 for a plan of equality.
    power, level : float
    observed_difference : float
        Score of a - score of b on the test set at hand.
    unit : {"segment", "document"}
    n_units, n_segments, runs_a, runs_b : int
        At hand.
    n_effective_units : float
        At hand: units of equal size that would carry as much information.
    design_effect : float or None
        Of the difference: variance by document / by segment; None where documents are not known.
    standard_error, df : float
        Of the difference at hand.
    power_at_hand : float
        How often the test would show `difference` (or equality within `margin`) on a test set such as the one at hand.
    smallest_difference : float
        What it would show with `power`; NaN for a plan of equality.
    wrong_sign, exaggeration : float
        Type S and type M error at hand (Gelman & Carlin, 2014): if the true difference is `difference`, how many
        significant differences have the wrong sign, and how many times too large they are on average. NaN for a plan
        of equality, and where no difference would ever be significant.
    runs : int or None
        Runs of each system that are planned; None where the runs are as they are.
    units_needed, segments_needed : int or None
        With these runs; None where even 10 million units would not be enough. Documents are taken to be as long as
        those at hand, on average.
    documents_needed : int or None
        None also where segments are the unit.
    runs_needed : int or None
        Of each system, with the units at hand; None where 1,000 would not be enough, and for a plan of the outputs.
    margin : float or None
        Within which two equal systems are to be shown to be equal, in score points; None for a plan of a difference.
    smallest_margin : float or None
        Within which the test set at hand would show this with `power`.
    signature : str
    powers : DataFrame
        One row per number of units and of runs: ``n_units``, ``n_segments``, ``n_runs``, ``standard_error``, ``df``,
        ``power`` at `difference`, ``smallest_difference``, ``wrong_sign``, ``exaggeration``; for a plan of equality
        ``smallest_margin`` in place of the last three.
    known_documents : str or None
        Where documents are the unit: the public test set from which they were recognized, as in `Comparison`.
    doubts : tuple of Doubt
        As in `Comparison`.
    """

    of: str
    difference: float
    power: float
    level: float
    observed_difference: float
    unit: str
    n_units: int
    n_segments: int
    runs_a: int
    runs_b: int
    n_effective_units: float
    design_effect: float | None
    standard_error: float
    df: float
    power_at_hand: float
    smallest_difference: float
    wrong_sign: float
    exaggeration: float
    runs: int | None
    units_needed: int | None
    segments_needed: int | None
    documents_needed: int | None
    runs_needed: int | None
    margin: float | None
    smallest_margin: float | None
    signature: str
    powers: pd.DataFrame = field(repr=False)
    known_documents: str | None = None
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)


def plan_test_set(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    difference: float | None = None,
    margin: float | None = None,
    power: float = USUAL_POWER,
    level: float = 0.95,
    unit: str = "auto",
    runs: int | None = None,
) -> Plan:
    """Plan a test set: how many segments, documents and runs show a difference of two systems.

    The variance of the difference is that of the test set at hand (delete-one jackknife by unit), and falls as
    1 / n with the number of units. With at least two runs of each system, the plan is about the method: the variance
    has the parts of `crossed_analysis`, of which some fall with the units, some with the runs, and some with both. The
    power is that of a two-sided t-test, which is nearly that of randomization. (With fewer than eight units,
    randomization shows less than planned; with few documents of very unequal length, more.)

    With a margin, the plan is about equality: how large a test set must be so that two one-sided t-tests (TOST, as
    `compare` with the same margin) show that two systems which are truly equal are equal within the margin.

    Where documents are not known, segments are taken to be independent. If those of one document are alike, more are
    needed.

    The plan is as uncertain as the variance at hand: with 20 documents, the number needed may be wrong by a
    factor of two. And it holds for test sets of the same kind.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set; segments without a score in either are left out.
    difference : float, optional
        The true difference to be shown, in score points; its sign does not matter. By default the observed one. But an
        observed difference that was looked at because it is significant is too large on average: name one that
        matters, or that is plausible.
    margin : float, optional
        In place of a difference: the margin of equality, in score points, above 0.
    power : float
        How often a test set of the planned size should show it.
    level : float
        Of a single comparison. Among m comparisons, 1 - 0.05 / m is conservative compared with Holm's adjustment.
    unit : {"auto", "segment", "document"}
        ``auto`` takes documents where they are known and there are at least 6 of them.
    runs : int, optional
        Runs of each system that are planned, at least 2; by default as many as there are (where numbers differ, the
        smaller one). In the terminal: ``--n-runs``.

    Returns
    -------
    Plan

    Raises
    ------
    InputError
        Where the systems cannot be compared, an argument is not what it should be (``margin``: also where a difference
        is given, too), runs are planned although a system has only one (``few-runs``), or nothing varies
        (``no-variation``).
    """
    check_comparable(a, b)
    check_level(level)
    check_power(power, level)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    observed = table.difference()
    if abs(observed) <= TIE * table.scale():
        observed = 0.0  # a rest of rounding is no difference to plan for
    if margin is None:
        aim: Aim = Aim(_choose_size(observed, difference, a, b), level, power)
    else:
        aim = Equality(_choose_margin(margin, difference, a), level, power)
    [analysis] = cross(table, [(0, 1)], level)
    if runs is not None:
        check_numbers("runs", [runs], 2)
        _check_runs(runs, analysis)
    errors = _project(table, analysis, aim)
    of_method = errors.crossed is not None
    planned = runs or (min(errors.runs) if of_method else None)

    def is_enough(n_units: int, n_runs: int | None) -> bool:
        error, _, threshold = errors.at(n_units, errors.runs if n_runs is None else (n_runs, n_runs))
        return threshold is not None and aim.power_of(error, threshold) >= power

    units = _find_fewest(lambda number: is_enough(number, planned), aim.fewest_units, MAX_UNITS)
    lengths = table.n_segments / errors.n_units
    segments = None if units is None else _count_segments(units, lengths)
    by_document = table.units.name == "document"
    now = _row(errors, errors.n_units, errors.runs, aim)
    options: dict[str, Any] = {"difference" if margin is None else "margin": f"{aim.size:g}"}
    options |= {"power": f"{power:g}", "level": f"{level:.15g}"} | ({} if planned is None else {"runs": planned})
    return Plan(
        **name_pair(a, b),
        of="method" if of_method else "outputs",
        difference=0.0 if margin is not None else aim.size,
        power=float(power),
        level=float(level),
        observed_difference=observed,
        unit=table.units.name,
        n_units=errors.n_units,
        n_segments=table.n_segments,
        runs_a=errors.runs[0],
        runs_b=errors.runs[1],
        n_effective_units=errors.n_effective,
        design_effect=_design_effect(table),
        standard_error=now["standard_error"],
        df=now["df"],
        power_at_hand=now["power"],
        **{name: now.get(name, math.nan) for name in ("smallest_difference", "wrong_sign", "exaggeration")},
        runs=planned,
        units_needed=units,
        segments_needed=segments,
        documents_needed=units if by_document else None,
        runs_needed=_find_fewest(lambda number: is_enough(errors.n_units, number), 2, MAX_RUNS) if of_method else None,
        margin=None if margin is None else aim.size,
        smallest_margin=now.get("smallest_margin"),
        signature=write_signature(
            "plan",
            None,
            metric=a.signature,
            **table.units.signed,
            **options,
        ),
        powers=_tabulate_powers(errors, table.n_segments, units, planned, aim),
        known_documents=table.units.known_documents,
        doubts=doubts_of_pair(a, b),
    )


@dataclass(frozen=True)
class Aim:
    """A difference of some size that is to be shown, with some power, by a two-sided test at 1 - level."""

    size: float
    level: float
    power: float

    @property
    def threshold_level(self) -> float:
        """The level of the threshold."""
        return self.level

    @property
    def fewest_units(self) -> int:
        """How many units randomization needs to reject at all: 2**(1 - n) must not be above 1 - level."""
        return max(2, math.ceil(round(1 - math.log2(1 - self.level), 9)))

    def power_of(self, error: float, threshold: Threshold) -> float:
        """Return how often it is shown."""
        return power_of(self.size / error, threshold).power

    def describe(self, error: float, threshold: Threshold | None) -> dict[str, float]:
        """Return what a test set can show."""
        found = Power(math.nan, math.nan, math.nan) if threshold is None else power_of(self.size / error, threshold)
        smallest = math.nan if threshold is None else error * smallest_ratio(threshold, self.power)
        return found._asdict() | {"smallest_difference": smallest}


@dataclass(frozen=True)
class Equality(Aim):
    """Two truly equal systems that are to be shown to be equal within a margin, by two one-sided tests at 1 - level."""

    @property
    def threshold_level(self) -> float:
        """The level of the threshold: each test has its own error on its side, so both sides together have twice."""
        return 2 * self.level - 1

    @property
    def fewest_units(self) -> int:
        """How many units a t-test needs."""
        return 2

    def power_of(self, error: float, threshold: Threshold) -> float:
        """Return how often it is shown."""
        return power_within(self.size / error, threshold)

    def describe(self, error: float, threshold: Threshold | None) -> dict[str, float]:
        """Return what a test set can show."""
        if threshold is None:
            return {"power": math.nan, "smallest_margin": math.nan}
        smallest = error * smallest_margin_ratio(threshold, self.power)
        return {"power": self.power_of(error, threshold), "smallest_margin": smallest}


@dataclass(frozen=True)
class Errors:
    """The standard error of a difference, on the test set at hand and on others of the same kind.

    Parameters
    ----------
    n_units : int
    n_effective : float
        Units of equal size that carry as much information: see `Units.effective_count`.
    runs : (int, int)
        At hand, of both systems.
    variance : float
        Of the difference on these outputs, by unit.
    crossed : CrossedVariance or None
        Its parts, if the question is about the method.
    level : float
        Of the threshold.
    """

    n_units: int
    n_effective: float
    runs: tuple[int, int]
    variance: float
    crossed: CrossedVariance | None
    level: float

    def at(self, n_units: int, runs: tuple[int, int]) -> tuple[float, float, Threshold | None]:
        """Return the standard error that is to be expected, its degrees of freedom, and the test's threshold.

        The threshold is None where there is no test: the units are effectively fewer than two.
        """
        if self.crossed is None:
            error = math.sqrt(self.variance * self.n_units / n_units)
            df = self.n_effective * n_units / self.n_units - 1
            return error, df, t_threshold(df, self.level) if df >= 1 else None
        expected = self.crossed.expect(n_units, *runs)
        threshold = crossed_threshold(expected, self.level)
        return math.sqrt(expected.total), math.nan if threshold is None else float(expected.df), threshold


def _check_runs(runs: int, analysis: CrossedAnalysis) -> None:
    """Refuse to plan runs where it is not known how much scores vary from run to run."""
    single = [
        repr(name) for name, n_runs in ((analysis.a, analysis.runs_a), (analysis.b, analysis.runs_b)) if n_runs == 1
    ]
    if single:
        raise InputError(
            "few-runs",
            f"{runs} runs of each system were to be planned, but {' and '.join(single)} "
            f"{'has' if len(single) == 1 else 'have'} only one run, which does not tell how much scores vary from run "
            "to run: give at least two runs of each system, or omit the number of runs (runs, --n-runs) to plan for "
            "these outputs.",
        )
    variance_of(analysis)


def _project(table: ScoreTable, analysis: CrossedAnalysis, aim: Aim) -> Errors:
    """Estimate the variance of the difference of a table's two systems, or refuse what does not vary."""
    variance = jackknife_variance(table.influence_on())
    if variance is None or variance <= (NO_VARIATION * table.scale()) ** 2:
        a, b = table.systems
        count = f"{table.units.count} {name_units(table.units.name, table.units.count)}"
        raise InputError(
            "no-variation",
            f"The difference of {a.system!r} and {b.system!r} in {a.metric.name} does not vary over {count}: a plan "
            "needs two systems that differ in several of them.",
        )
    crossed = analysis.variance if analysis.n_effective_units >= 2 else None
    units, runs = table.units, (analysis.runs_a, analysis.runs_b)
    return Errors(units.count, units.effective_count, runs, variance, crossed, aim.threshold_level)


def _choose_size(observed: float, difference: float | None, a: SystemStatistics, b: SystemStatistics) -> float:
    """Return the size of the difference that is to be shown."""
    if difference is None and observed == 0:
        raise InputError(
            "difference",
            f"{a.system!r} and {b.system!r} have the same {a.metric.name}, so there is no observed difference to plan "
            "for: name the difference that is to be shown (difference=, --difference).",
        )
    size = observed if difference is None else difference
    is_number = isinstance(size, (int, float, np.number)) and not isinstance(size, bool)
    if not is_number or not 0 < abs(size) <= sys.float_info.max:
        raise InputError(
            "difference",
            f"difference is {difference!r}, but a number other than 0 was expected: the difference to be shown, in "
            f"points of {a.metric.name}, such as 0.5.",
        )
    return abs(float(size))


def _choose_margin(margin: float, difference: float | None, a: SystemStatistics) -> float:
    """Return the margin, or refuse what is none."""
    if difference is not None:
        raise InputError(
            "margin",
            f"Both a difference ({difference!r}) and a margin ({margin!r}) were given, but a plan is for showing a "
            "difference or for showing equality within a margin: leave one out.",
        )
    return check_margin(margin, a.metric.name)


def _count_segments(n_units: int, lengths: float) -> int:
    """Return how many segments so many units have, in whole segments; ``lengths`` is that of one on average."""
    return math.ceil(round(n_units * lengths, 6))


def _find_fewest(is_enough: Callable[[int], bool], least: int, most: int) -> int | None:
    """Return the smallest number that is enough; None where none up to ``most`` is.

    Numbers are doubled until one is enough: where few runs decide, power may fall a little as units become many.
    """
    low, high = least - 1, least
    while not is_enough(high):
        if high == most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_enough(middle) else (middle, high)
    return high


def _row(errors: Errors, n_units: int, runs: tuple[int, int], aim: Aim) -> dict[str, float]:
    """Return what a test set can show."""
    error, df, threshold = errors.at(n_units, runs)
    found = aim.describe(error, threshold)
    shown = {name: found[name] for name in ("power", *SHOWN) if name in found}
    return {"standard_error": error, "df": df} | shown


def _tabulate_powers(errors: Errors, n_segments: int, needed: int | None, runs: int | None, aim: Aim) -> pd.DataFrame:
    """Tabulate what test sets of other lengths and numbers of runs can show."""
    lengths = n_segments / errors.n_units
    ratio = 0.0 if needed is None else math.log2(needed / errors.n_units)
    first, last = min(FEWEST, math.floor(ratio) - 1), max(MOST, math.ceil(ratio) + 1)
    steps = range(PER_DOUBLING * first, PER_DOUBLING * last + 1)
    lengthened = {errors.n_units, *(round(errors.n_units * 2 ** (step / PER_DOUBLING)) for step in steps)}
    numbers = sorted(number for number in lengthened | {needed or errors.n_units} if number >= aim.fewest_units)
    designs: list[tuple[int, tuple[int, int]]] = [(min(errors.runs), errors.runs)]
    if errors.crossed is not None and runs is not None:
        designs = [(number, (number, number)) for number in sorted({*RUNS, runs, min(errors.runs)})]
    return pd.DataFrame(
        [
            {"n_units": number, "n_segments": _count_segments(number, lengths), "n_runs": n_runs}
            | _row(errors, number, both, aim)
            for n_runs, both in designs
            for number in numbers
        ]
    )


def _design_effect(table: ScoreTable) -> float | None:
    """Return by how much documents inflate the variance of the difference; None where they are not known."""
    test_set = table.systems[0].test_set
    if test_set.documents is None:
        return None
    by_document = table.with_units(choose_units(test_set, "document"))
    return design_effect(table.by_segment.influence_on(), by_document.influence_on(), table.scale())
