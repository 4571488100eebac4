"""The published rules side by side: what each says of one difference, and how often it errs on data like these."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache

import numpy as np
import pandas as pd

from mtworkbench.analyses import calibration
from mtworkbench.choices import METHODS
from mtworkbench.inference.conventions import MULTEVAL_SLIPS_FROM, Convention, Conventions, DrawnDifferences
from mtworkbench.inference.families import check_comparable, doubts_of_pair, name_pair, settle_unit
from mtworkbench.inference.intervals import Drawn
from mtworkbench.inference.rules import RULES, Rule
from mtworkbench.inference.score_table import pair_table
from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.inference.verdicts import judge_tests
from mtworkbench.metrics import METRICS, MeanScore
from mtworkbench.metrics.directions import has_direction
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import check_resamples, choose_n_resamples, choose_n_trials, write_signature
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.words.frames import in_percent

#: What is found of a rule that was not measured with anything like these data.
NOT_MEASURED = "not measured"
#: Rules were measured where practically all segments differ, and where one in twenty does: this holds for data in which
#: at least, or at most, so many do.
MOST, FEW = 0.5, 0.2
#: How many times fewer units than in any setting there may be.
TOO_FEW = 1.5
#: A setting of another metric is as far away as one with so many times the number of units.
OTHER_METRIC = 4


def conventions(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_resamples: int | None = None,
    n_trials: int | None = None,
    unit: str = "auto",
    level: float = 0.95,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> Conventions:
    """Ask each published rule whether the difference between two systems is significant, and how often it errs.

    The tools of the field disagree about what p is. Here their rules see the same scores and, as far as their draws
    allow it, the same draws, so that only the rules differ. None of these rules is a default: `compare` uses
    ``ar``. Nothing is adjusted for several comparisons.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both. Rules of papers
        take several runs by their mean score, MultEval pools them; programs that read one output of each system have no
        answer there.
    n_resamples : int, optional
        Bootstrap resamples; by default 1,000, or 20 / (1 - level) where that is more.
    n_trials : int, optional
        Random exchanges; by default 10,000.
    unit : {"auto", "segment", "document"}
        Of the rules of this package (``percentile``, ``shift``, ``jackknife``, ``ar``); ``auto`` takes documents where
        they are known and there are enough of them. All others draw segments, as their programs do.
    level : float
        A rule calls a difference significant where its p is at most 1 - level, or its share of wins at least the level.
    progress : callable, optional
        Wraps the rules and shows how far one has come, such as ``tqdm``.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. sacreBLEU's rows have its own draws, whatever the seed.

    Returns
    -------
    Conventions
        One row per rule, with its measured rate of errors where something like these data was measured (see
        `add_error_rates`). ``sacrebleu-bs`` and ``sacrebleu-ar`` are sacreBLEU 2.6.0's own p to the last digit, under
        its own metrics (TER with three or more references, whose mean length is no whole number, excepted).

    Raises
    ------
    InputError
        Where the systems cannot be compared, or an argument is not what it should be.

    Warns
    -----
    DataWarning
        ``few-resamples``, ``few-documents``, ``missing-scores``.
    """
    check_comparable(a, b)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_resamples(n_resamples, level, "percentile")
    n_trials = choose_n_trials(n_trials, 1, level)
    random_key = resolve_rng(rng)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    drawn = DrawnDifferences(table, n_resamples, n_trials, random_key)
    found = Conventions(
        **name_pair(a, b),
        difference=table.difference(),
        score_a=table.means[0],
        score_b=table.means[1],
        level=float(level),
        unit=table.units.name,
        n_units=table.units.count,
        n_segments=table.n_segments,
        n_resamples=n_resamples,
        n_trials=n_trials,
        runs_a=a.n_runs,
        runs_b=b.n_runs,
        rng=random_key.rng,
        signature=write_signature(
            "conventions",
            random_key,
            metric=a.signature,
            **table.units.signed,
            trials=n_trials,
            level=f"{level:g}",
            resamples=n_resamples,
        ),
        rules=tuple(apply_rule(rule, drawn, float(level)) for rule in (progress(RULES) if progress else RULES)),
        is_mean=isinstance(a.metric, MeanScore),
        segments_differing=drawn.table.by_segment.count_differing((0, 1)),
        n_documents=table.systems[0].test_set.n_documents,
        known_documents=table.units.known_documents,
        doubts=doubts_of_pair(a, b),
    )
    return add_error_rates(found)


def apply_rule(rule: Rule, drawn: DrawnDifferences, level: float) -> Convention:
    """Apply a rule to what was drawn."""
    note = drawn.why_not(rule)
    value = math.nan if note else drawn.value(rule)
    if not note and math.isnan(value):
        note = "nothing varies"
    verdict = None if math.isnan(value) else "significant" if rule.rejects(value, level) else "not significant"
    ends: tuple[float | None, float | None] = (None, None)
    if verdict is not None:
        ends = _interval(rule, drawn, level)
        if rule.name == "ar":
            # As in `compare`, this allows for the simulation error of p.
            verdict = judge_tests([drawn.randomization], level)[0].verdict
        if rule.name == "multeval" and drawn.table.n_runs[0] >= MULTEVAL_SLIPS_FROM:
            note = "its shuffle uses some outputs twice and others never"
    observed, (a, b) = drawn.observed, drawn.table.systems
    better = a.system if observed.difference > 0 else b.system
    shows_better = verdict == "significant" and has_direction(a.metric) and observed.size > observed.tolerance
    return Convention(
        name=rule.name,
        source=rule.source,
        asks=rule.asks.format(level=in_percent(level), size=in_percent(1 - level)),
        unit=drawn.table.units.name if rule.by_unit else "segment",
        n_drawn=None if verdict is None else _n_drawn(rule, drawn),
        p_value=value if verdict is not None and rule.gives == "p" else None,
        confidence=1 - value if verdict is not None and rule.gives == "confidence" else None,
        low=ends[0],
        high=ends[1],
        verdict=verdict,
        better=better if shows_better else None,
        note=note,
    )


def _interval(rule: Rule, drawn: DrawnDifferences, level: float) -> tuple[float | None, float | None]:
    """Return the interval of the difference a - b that a rule goes by."""
    if rule.name not in METHODS:
        return None, None
    sign, observed = drawn.sign, drawn.observed
    turned = Drawn(
        sign * observed.difference, sign * drawn.unit_resampled, sign * drawn.influence, observed.scale, observed.df
    )
    return turned.find_ends(rule.name, level)


def _n_drawn(rule: Rule, drawn: DrawnDifferences) -> int | None:
    return None if rule.draws in ("influence", "segment_scores") else len(getattr(drawn, rule.draws))


def add_error_rates(found: Conventions) -> Conventions:
    """Add to each rule how often it was measured to call equal systems different at 5 %.

    Parameters
    ----------
    found : Conventions

    Returns
    -------
    Conventions
        With `Convention.error_percent` and `Convention.error_finding` of the nearest setting, which
        `Convention.error_setting` describes. Where documents are known, it is one in which documents are independent,
        whatever a rule takes for independent. Its number of units is as nearly the same as there is, and so is the
        metric: another one counts as much as four times the number of units. Of settings that are equally near, the
        one is taken in which the rules err most. "not measured" stands where there is no such setting: at another level
        than 0.95, for systems with several runs (what was measured there depends on how runs vary), for very few
        units, and where between a fifth and half of the segments differ.
    """
    rates = _choose_settings(found)
    return replace(found, rules=tuple(_with_rate(one, rates) for one in found.rules))


@cache
def _load_sizes() -> pd.DataFrame:
    """Load the rates of errors of systems with one run each, but those of scores that mostly tie, once."""
    frame = calibration.load_calibration()
    single = (frame["runs_a"] == 1) & (frame["runs_b"] == 1)
    return frame[(frame["quantity"] == "size") & single & (frame["scores"] != "sparse")]


def _choose_settings(found: Conventions) -> pd.DataFrame | None:
    """Return the rates of the settings that are like these data, the nearest first; None where there are none."""
    if round(1 - found.level, 9) != calibration.NOMINAL or max(found.runs_a, found.runs_b) > 1:
        return None
    independent, n_units = found.unit, found.n_units
    if found.n_documents is not None and found.unit == "segment":
        independent, n_units = "document", found.n_documents
    differing = 1.0 if found.segments_differing is None else found.segments_differing / found.n_segments
    rates = _load_sizes()
    rates = rates[rates["independent"] == independent]
    if differing >= MOST:
        rates = rates[rates["differing"] == 1]
    else:
        rates = rates[rates["differing"] < (1 if differing <= FEW else 0)]
    if rates.empty or n_units < max(MIN_DOCUMENTS, rates["n_units"].min() / TOO_FEW):
        return None
    metric = "mean" if found.is_mean else found.metric.lower()
    distance = np.abs(np.log(rates["n_units"] / n_units)) + math.log(OTHER_METRIC) * (rates["metric"] != metric)
    errors = rates.groupby("cell")["percent"].transform("mean")
    return rates.assign(distance=distance.round(9), errors=-errors).sort_values(["distance", "errors"], kind="stable")


def _with_rate(one: Convention, rates: pd.DataFrame | None) -> Convention:
    """Add what was measured of a rule in the nearest setting."""
    if rates is not None:
        rates = rates[(rates["test"] == one.name) & (rates["unit"] == one.unit)]
    if rates is None or rates.empty:
        return replace(one, error_percent=None, error_finding=NOT_MEASURED, error_cell=None, error_setting=None)
    row = rates.iloc[0]
    return replace(
        one,
        error_percent=float(100 * row["count"] / row["repetitions"]),
        error_finding=str(row["finding"]),
        error_cell=str(row["cell"]),
        error_setting=_describe(row),
    )


def _describe(row: pd.Series) -> str:
    """Describe a setting: metric, number of units, null hypothesis."""
    metric, n_units = str(row["metric"]), int(row["n_units"])
    name = "mean scores" if metric == "mean" else METRICS[metric]().name
    return f"{name}, {n_units:,} {name_units(str(row['independent']), n_units)} ({row['null']})"
