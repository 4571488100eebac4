"""How often each published rule errs on a user's own data, where it is known that there is nothing to find."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.choices import METHODS
from mtworkbench.errors import InputError
from mtworkbench.inference.conventions import DrawnDifferences
from mtworkbench.inference.families import check_comparable, name_pair, settle_unit
from mtworkbench.inference.intervals import NO_VARIATION, Drawn, jackknife_variance, monte_carlo_ends
from mtworkbench.inference.rules import RULES, Rule, find_rule
from mtworkbench.inference.score_table import ScoreTable, Units, choose_units, pair_table
from mtworkbench.progress import Progress
from mtworkbench.resampling import SIMULATION, SUBSAMPLES, RandomKey, RngLike, exchange_coins, resolve_rng, stream_words
from mtworkbench.results.estimates import ComparedPair, Estimate
from mtworkbench.results.settings import check_draws, check_resamples, choose_n_resamples, write_signature
from mtworkbench.shown import Headed
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.wording import tally
from mtworkbench.work import Study, choose_seed

#: Repetitions in a unit of a study: some seconds of work.
REPETITIONS_PER_UNIT = 10


@dataclass(frozen=True, repr=False, eq=False)
class RuleErrors(Estimate):
    """How often one rule called equal systems different.

    Parameters
    ----------
    name, source : str
        See `Convention`.
    unit : {"segment", "document"}
        What the rule draws or exchanges.
    n_rejected, n_repetitions : int
        Repetitions in which it called the difference significant, of those in which it could be applied.
    rejected : float
        Their share. A rule that does what its level says rejects 1 - level.
    low, high : float
        95 % interval of this share (Clopper-Pearson).
    """

    name: str
    source: str
    unit: str
    n_rejected: int
    n_repetitions: int
    rejected: float
    low: float
    high: float


@dataclass(frozen=True, repr=False, eq=False)
class IntervalCoverage(Estimate):
    """How often one kind of interval of the difference covered the truth, 0.

    Parameters
    ----------
    method : {"percentile", "basic", "bca", "jackknife"}
    unit : {"segment", "document"}
    n_covered, n_repetitions : int
    covered : float
        Share of the repetitions; the level, if the interval does what it says.
    low, high : float
        95 % interval of this share (Clopper-Pearson).
    """

    method: str
    unit: str
    n_covered: int
    n_repetitions: int
    covered: float
    low: float
    high: float


@dataclass(frozen=True, repr=False, eq=False)
class Calibration(ComparedPair, Headed):
    """How often rules and intervals err where two systems are equally good, on the user's own data.

    Parameters
    ----------
    a, b, metric : str
    level : float
    unit : {"segment", "document"}
        What was swapped to make the systems equal, and what the rules of this package draw.
    n_units, n_segments : int
        Of the whole test set.
    size : int or None
        Segments that each repetition asked for; None: the whole test set.
    n_repetitions, n_resamples, n_trials : int
    rng : int or None
        The seed given or drawn; None where a Generator was given: the signature then has its key.
    signature : str
    rules : tuple of RuleErrors
        One per rule that can be applied, in the order of `mtworkbench.inference.rules.RULES`.
    intervals : tuple of IntervalCoverage
        One per kind of interval.
    n_documents : int or None
        None where documents are not known.
    added_variance : float or None
        What the systems' own difference adds to the variance of the difference between swapped units, as a share of
        that variance: the squared difference divided by its squared standard error and the effective number of units.
        Where it is large, rules that draw smaller units err here for this reason, too. None where nothing varies.
    p_values : DataFrame
        One row per repetition and rule: ``repetition`` (from 1), ``rule``, ``unit``, ``p_value``, ``rejected``, and
        ``share``: that of the repetitions in which the rule's p is at most this one. Of rules that give no p, p is the
        smallest 1 - level at which they would call the difference significant.
    known_documents : str or None
        The public test set from which documents were recognized, where these are the units.
    """

    level: float
    unit: str
    n_units: int
    n_segments: int
    size: int | None
    n_repetitions: int
    n_resamples: int
    n_trials: int
    rng: int | str | None
    signature: str
    rules: tuple[RuleErrors, ...] = field(repr=False)
    intervals: tuple[IntervalCoverage, ...] = field(repr=False)
    n_documents: int | None = field(repr=False)
    added_variance: float | None
    p_values: pd.DataFrame = field(repr=False)
    known_documents: str | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> RuleErrors:
        """Return the row of a rule by its name."""
        return find_rule(self.rules, name)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule, unrounded: the fields of `RuleErrors`."""
        return pd.DataFrame([one.shown() for one in self.rules])

    def intervals_frame(self) -> pd.DataFrame:
        """Return one row per kind of interval, unrounded: the fields of `IntervalCoverage`."""
        return pd.DataFrame([one.shown() for one in self.intervals])


def calibrate(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_repetitions: int = 500,
    n_segments: int | None = None,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    n_trials: int = 1000,
    rng: RngLike = None,
    progress: Progress | None = None,
    study: Study | None = None,
) -> Calibration:
    """Measure on two systems' own outputs how often each published rule calls equal systems different.

    In every repetition a coin per unit decides whether the two systems swap all of their outputs of that unit. The two
    sides then differ by chance alone, whatever the systems are, and each rule judges them (see `conventions`). As the
    swaps are those of approximate randomization by this unit, ``ar`` keeps its level here by construction: this is
    not a finding, but a reference for the others. If documents are swapped, rules that draw segments show what it
    costs to treat the sentences of a document as independent. Two systems that differ clearly exaggerate this cost,
    because their difference swaps sides with the document: see `Calibration.added_variance`.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set, with equal numbers of runs. Segments without a score in either are left out.
    n_repetitions : int
    n_segments : int, optional
        Each repetition draws a sample of so many segments of the test set without replacement: whole units, in random
        order, until there are at least so many. By default the whole test set.
    unit : {"auto", "segment", "document"}
        What is swapped, and what the rules of this package draw; ``auto`` takes documents where they are known and
        there are enough of them.
    level : float
    n_resamples : int, optional
        Bootstrap resamples in each repetition; by default 1,000, or 20 / (1 - level) where that is more.
    n_trials : int
        Random exchanges in each repetition.
    rng : int, numpy.random.Generator or None
        Repetition r draws as sample r of a study: see docs/draws.md.
    progress : callable, optional
        Wraps the repetitions and shows how far one has come, such as ``tqdm``; with a study, units of 10 repetitions.
    study : Study, optional
        Where the work is done, and kept; the numbers are the same.

    Returns
    -------
    Calibration

    Raises
    ------
    InputError
        Where the systems cannot be compared, have different numbers of runs (``unequal-runs``), are not that large
        (``sample-size``), or an argument is not what it should be.
    """
    check_comparable(a, b)
    check_draws("n_repetitions", n_repetitions)
    check_draws("n_trials", n_trials)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_resamples(n_resamples, level, "percentile")
    if a.n_runs != b.n_runs:
        raise InputError(
            "unequal-runs",
            f"{a.system!r} has {tally(a.n_runs, 'run')} and {b.system!r} has {b.n_runs}, but to make equal systems all "
            "runs of a unit are swapped: give equal numbers of runs.",
        )
    random_key = resolve_rng(choose_seed(rng, study))
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    check_size(n_segments, table.n_segments)
    whole = DrawnDifferences(table, n_resamples, n_trials, random_key)
    rules = [rule for rule in RULES if not whole.why_not(rule)]
    asked = EqualSystems(
        # Without what was computed of it above, so that it is small when it is sent.
        ScoreTable(table.systems, table.units),
        tuple(rule.name for rule in rules),
        n_segments,
        n_resamples,
        int(n_trials),
        float(level),
        random_key,
    )
    size = 1 if study is None else REPETITIONS_PER_UNIT
    parts = [(first, min(size, n_repetitions - first)) for first in range(0, int(n_repetitions), size)]
    judged = (study or Study()).run(judge_equal_systems, asked, parts, progress=progress, about=a.metric.name)
    values = np.concatenate([unit["values"] for unit in judged])
    covered = np.concatenate([unit["covered"] for unit in judged])
    unit = table.units.name
    rejected = np.array(
        [[rule.rejects(value, level) for rule, value in zip(rules, row, strict=True)] for row in values]
    )
    options: dict[str, Any] = {} if n_segments is None else {"segments": n_segments}
    options |= {"repetitions": n_repetitions, **table.units.signed, "trials": n_trials, "level": f"{level:g}"}
    return Calibration(
        **name_pair(a, b),
        level=float(level),
        unit=unit,
        n_units=table.units.count,
        n_segments=table.n_segments,
        size=n_segments,
        n_repetitions=int(n_repetitions),
        n_resamples=n_resamples,
        n_trials=int(n_trials),
        rng=random_key.rng,
        signature=write_signature("calibrate", random_key, metric=a.signature, **options, resamples=n_resamples),
        rules=tuple(
            RuleErrors(rule.name, rule.source, unit if rule.by_unit else "segment", *count_share(column[judged]))
            for rule, column, judged in zip(rules, rejected.T, np.isfinite(values).T, strict=True)
        ),
        intervals=tuple(
            IntervalCoverage(method, unit, *count_share(column))
            for method, column in zip(METHODS, covered.T, strict=True)
        ),
        n_documents=table.systems[0].test_set.n_documents,
        added_variance=find_added_variance(whole),
        p_values=list_p_values(rules, unit, values, rejected),
        known_documents=table.units.known_documents,
    )


@dataclass(frozen=True, eq=False)
class EqualSystems:
    """What all repetitions of a calibration share.

    Parameters
    ----------
    table : ScoreTable
        Of the two systems.
    rules : tuple of str
        Names of the rules that can be applied.
    n_segments : int or None
    n_resamples, n_trials : int
    level : float
    random_key : RandomKey
        Of the calibration.
    """

    table: ScoreTable
    rules: tuple[str, ...]
    n_segments: int | None
    n_resamples: int
    n_trials: int
    level: float
    random_key: RandomKey


def judge_equal_systems(asked: EqualSystems, part: tuple[int, int]) -> dict[str, np.ndarray]:
    """Make two systems equal, and judge them, in some repetitions: a unit of a study.

    Parameters
    ----------
    asked : EqualSystems
    part : (int, int)
        The first repetition, counted from 0, and how many.

    Returns
    -------
    dict of str to ndarray
        ``values``: the value of each rule, (n_repetitions, n_rules); ``covered``: whether each kind of interval covers
        the truth, (n_repetitions, n_methods).
    """
    first, count = part
    rules = [find_rule(RULES, name) for name in asked.rules]
    values, covered = np.empty((count, len(rules))), np.empty((count, len(METHODS)), dtype=bool)
    for place in range(count):
        own = asked.random_key.sample(first + place + 1)
        swapped = swap_units(asked.table, asked.n_segments, own)
        drawn = DrawnDifferences(swapped, asked.n_resamples, asked.n_trials, own, single_precision=False)
        values[place] = [drawn.value(rule) for rule in rules]
        covered[place] = cover_truth(drawn, asked.level)
    return {"values": values, "covered": covered}


def list_p_values(rules: Sequence[Rule], unit: str, values: np.ndarray, rejected: np.ndarray) -> pd.DataFrame:
    """Return the p of each repetition and rule, (n_repetitions, n_rules) ndarrays, as `Calibration` describes it."""
    n_repetitions, n_rules = values.shape
    shares = [np.searchsorted(np.sort(column), column, side="right") / n_repetitions for column in values.T]
    return pd.DataFrame(
        {
            "repetition": np.repeat(np.arange(1, n_repetitions + 1), n_rules),
            "rule": [rule.name for rule in rules] * n_repetitions,
            "unit": [unit if rule.by_unit else "segment" for rule in rules] * n_repetitions,
            "p_value": values.ravel(),
            "rejected": rejected.ravel(),
            "share": np.column_stack(shares).ravel(),
        }
    )


def find_added_variance(drawn: DrawnDifferences) -> float | None:
    """Return what the difference of two systems adds to the variance between swapped units: see `Calibration`."""
    observed, variance = drawn.observed, jackknife_variance(drawn.influence)
    if variance is None or variance <= (NO_VARIATION * observed.scale) ** 2:
        return None
    return observed.difference**2 / (variance * drawn.table.units.effective_count)


def check_size(n_segments: int | None, available: int) -> None:
    """Raise an `InputError` unless so many segments can be drawn."""
    if n_segments is None:
        return
    check_draws("n_segments", n_segments)
    if n_segments > available:
        raise InputError(
            "sample-size",
            f"Samples of {n_segments} segments were asked for, but the test set has {available} segments.",
        )


def swap_units(table: ScoreTable, n_segments: int | None, random_key: RandomKey) -> ScoreTable:
    """Make two systems that are equally good: a coin decides for each unit whether they swap their outputs of it.

    Parameters
    ----------
    table : ScoreTable
        Of two systems with equal numbers of runs.
    n_segments : int or None
        Units are drawn without replacement until they have so many segments; None takes all.
    random_key : RandomKey
        Units are drawn with that of its sample 1; the coins are the first of its stream of simulation.
    """
    systems, units = table.systems, table.units
    if n_segments is not None:
        positions = draw_units(units, n_segments, random_key.sample(1))
        test_set = systems[0].test_set.take(positions)
        systems = tuple(replace(one, values=one.values[:, positions], test_set=test_set) for one in systems)
        units = choose_units(test_set, units.name)
    coins = exchange_coins(units.count, 0, 1, key=random_key.stream(SIMULATION))[0].astype(bool)
    swapped = coins[units.of_segment][:, None]
    a, b = systems
    sides = np.where(swapped, b.values, a.values), np.where(swapped, a.values, b.values)
    return ScoreTable(tuple(replace(one, values=values) for one, values in zip(systems, sides, strict=True)), units)


def draw_units(units: Units, n_segments: int, random_key: RandomKey) -> np.ndarray:
    """Draw units without replacement until they have at least so many segments.

    Returns
    -------
    (n,) ndarray of int64
        The positions of their segments, in the order of the test set.
    """
    order = np.argsort(stream_words(random_key.stream(SUBSAMPLES), 0, units.count), kind="stable")
    n_needed = int(np.searchsorted(np.cumsum(units.sizes[order]), n_segments)) + 1
    return np.flatnonzero(np.isin(units.of_segment, order[:n_needed]))


def cover_truth(drawn: DrawnDifferences, level: float) -> list[bool]:
    """Tell which intervals of the difference, by unit, cover 0; the methods are in the order of `METHODS`."""
    observed = drawn.observed
    found = Drawn(observed.difference, drawn.unit_resampled, drawn.influence, observed.scale, observed.df)
    return [
        low is None or high is None or bool(low <= observed.tolerance and -observed.tolerance <= high)
        for low, high in (found.find_ends(method, level) for method in METHODS)
    ]


def count_share(events: np.ndarray) -> tuple[int, int, float, float, float]:
    """Return how many there are, of how many, their share, and its 95 % interval (Clopper-Pearson)."""
    count, n = int(np.count_nonzero(events)), len(events)
    return (count, n, count / n, *monte_carlo_ends(count, n)) if n else (0, 0, math.nan, 0.0, 1.0)
