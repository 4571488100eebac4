"""What other units change: how much the variance of scores and of differences grows, and which verdicts flip."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.draws import DividedSet, Source, draw_sets, run_here
from mtworkbench.inference.families import (
    as_families,
    divide_segments,
    name_families,
    number_pairs,
    settle_unit,
)
from mtworkbench.inference.intervals import design_effect
from mtworkbench.inference.randomization import record
from mtworkbench.inference.units import MIN_DOCUMENTS, choose_units
from mtworkbench.inference.verdicts import judge_trials, split_like
from mtworkbench.outputs.wmt_xml import count_test_suites
from mtworkbench.progress import Progress, ignore
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.results.estimates import Randomization
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import Settings, check_level, warn_of_few_trials
from mtworkbench.results.verdicts import ROUNDING, Verdict
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.wording import agree, name_some, tally
from mtworkbench.words.frames import in_percent
from mtworkbench.words.lines import wrap
from mtworkbench.words.sentences_on_units import describe_documents

EFFECTS = ("design_effect", "design_effect_a", "design_effect_b")


def compare_units(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    units: Iterable[str] | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Compare systems with one unit after another, to see how p depends on what is swapped together.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric, all of one test set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    systems : sequence of str, optional
        As of `compare`.
    units : iterable of str, optional
        As the ``unit`` of `compare`; segments always come first. By default documents, or blocks where documents are
        not known, and the columns with at least 6 different values.
    n_trials, level, rng
        As of `compare`.
    progress : callable, optional
        Wraps the units and shows how far one has come, such as ``tqdm``.

    Returns
    -------
    DataFrame
        One row per (metric, pair, unit): ``metric``, ``a``, ``b``, ``unit``, ``n_units``, ``difference`` (a - b);
        ``design_effect`` of the difference, and of the scores of both, ``design_effect_a`` and ``design_effect_b``:
        the jackknife variance by this unit divided by that by segment (NaN where nothing varies); ``p_value``,
        ``p_adjusted`` (max-T, over the metric's pairs) and ``verdict`` of the randomization test, as of `compare`;
        ``n_trials_to_decide``, which is always missing; ``verdict_by_segment`` of the same pair;
        ``flips``: whether one of these two is significant and the other is not significant. An undecided verdict is no
        flip, nor is one of so few units that they cannot show anything; ``n_comparisons``: the metric's pairs, for
        which p is adjusted.

    Raises
    ------
    InputError
        ``few-systems`` where there are no two systems, and those of `compare`.

    Warns
    -----
    DataWarning
        ``too-few-units`` and ``few-trials``, as in `compare`; ``columns-left-out`` where, by default, columns are left
        out because they have fewer than 6 different values; ``test-suites`` where some of the segments belong to test
        suites.
    """
    families = as_families(statistics, systems)
    check_level(level)
    numbered, _, pairs = number_pairs(families, baseline)
    if not any(pairs):
        raise InputError(
            "few-systems", "There is only one system, but units are compared by differences: give at least two systems."
        )
    test_set, names = families[0].test_set, name_families(families)
    largest = max(map(len, pairs))
    settings = Settings("ar", "segment", "jackknife", level, 1, resolve_rng(rng), "unit", n_trials, adjust="max-t")
    settings = settings.settled(len(test_set), largest)
    metric_of = [name for name, compared in zip(names, pairs, strict=True) for _ in compared]
    _warn_of_test_suites(test_set)
    if units is None:
        _warn_of_columns_left_out(test_set)
    asked = list(dict.fromkeys(["segment", *(list_units(test_set) if units is None else units)]))
    # All are looked at before the first is computed.
    settled = list(dict.fromkeys(settle_unit(numbered, chain(*pairs), unit) for unit in asked))
    rows: list[dict[str, object]] = []
    are_exact = True
    groups = split_like(range(sum(map(len, pairs))), pairs)
    for unit in progress(settled) if progress else settled:
        divided = DividedSet(numbered, list(chain(*pairs)), divide_segments(numbered, chain(*pairs), unit))
        source = Source(divided, "unit", settings.random_key)
        tests, verdicts = _test_pairs(source, groups, settings)
        are_exact &= all(test.exact for test in tests)
        spots = [(part.table, place) for part, place in divided.find_systems()]
        effects = [
            design_effect(table.by_segment.influence[place], table.influence[place], abs(table.means[place]))
            for table, place in spots
        ]
        found = zip(metric_of, divided.find_pairs(), divided.pairs, tests, verdicts, strict=True)
        for metric, (part, pair), (one, other), test, verdict in found:
            by_segment, by_unit = part.table.by_segment.influence_on(pair), part.table.influence_on(pair)
            inflation = design_effect(by_segment, by_unit, part.table.scale(pair)), effects[one], effects[other]
            row = {"metric": metric, "a": test.a, "b": test.b, "unit": test.unit, "n_units": test.n_units}
            row |= {"difference": test.difference, **dict(zip(EFFECTS, inflation, strict=True))}
            row |= {"p_value": test.p_value, "p_adjusted": verdict.p_adjusted, "verdict": verdict.verdict}
            rows.append(row | {"n_trials_to_decide": verdict.n_trials_to_decide})
    if not are_exact:
        warn_of_few_trials(settings, largest)
    frame = pd.DataFrame(rows).astype(dict.fromkeys((*EFFECTS, "n_trials_to_decide"), float))
    by_segment = frame["verdict"].iloc[: len(frame) // len(settled)].tolist() * len(settled)
    frame["verdict_by_segment"] = by_segment
    frame["flips"] = [
        {one, other} == {"significant", "not significant"}
        for one, other in zip(frame["verdict"], by_segment, strict=True)
    ]
    frame["n_comparisons"] = frame.groupby(["metric", "unit"])["unit"].transform("size")
    frame["flips"] &= _smallest_p(frame) <= 1 - level + ROUNDING
    frame.attrs["level"] = float(level)
    frame.attrs["known_documents"] = test_set.known_documents if "document" in settled else None
    return frame


def list_units(test_set: TestSet) -> list[str]:
    """List the units that a test set is compared by, apart from segments; blocks only stand in for documents."""
    documents = ["document"] if test_set.documents is not None else []
    columns = [name for name, count in _count_values(test_set).items() if count >= MIN_DOCUMENTS]
    return [*documents, *columns, *([] if documents else ["block"])]


def _count_values(test_set: TestSet) -> dict[str, int]:
    """Count the different values of each column."""
    return {name: choose_units(test_set, name).count for name in test_set.columns}


def _warn_of_columns_left_out(test_set: TestSet) -> None:
    """Warn of the columns that are left out because they have too few values, unless they have only one."""
    # Test suites have a warning of their own.
    counts = {name: count for name, count in _count_values(test_set).items() if name != "testsuite"}
    few = {name: count for name, count in counts.items() if 1 < count < MIN_DOCUMENTS}
    if few:
        listed = ", ".join(f"{name!r} ({count} values)" for name, count in few.items())
        one = len(few) == 1
        DataWarning(
            "columns-left-out",
            f"{'Column' if one else 'Columns'} {listed} {'is' if one else 'are'} left out: fewer than "
            f"{MIN_DOCUMENTS} units cannot show a difference at 5 %. To see {'its' if one else 'their'} variances, "
            f"ask for {'it' if one else 'them'} (units=[{next(iter(few))!r}], --unit {next(iter(few))}).",
            count=len(few),
        ).warn(stacklevel=3)


def _warn_of_test_suites(test_set: TestSet) -> None:
    """Warn of segments that belong to test suites, as those of WMT do: they are of another kind than the rest."""
    suites = test_set.columns.get("testsuite")
    if suites is not None and (warning := count_test_suites(suites)) is not None:
        warnings.warn(warning, stacklevel=3)


def _test_pairs(
    source: Source, groups: Sequence[Sequence[int]], settings: Settings
) -> tuple[list[Randomization], list[Verdict]]:
    """Return the randomization test of each pair, and what `compare` says of it by this unit."""
    tested = draw_sets([source], groups, settings, run_here([source]), ignore).sets[0].tested
    tests = [
        record(pair, said, "unit", settings.trials, settings.random_key)
        for pair, said in zip(source.exchanges.pairs, tested, strict=True)
    ]
    return tests, judge_trials(tests, tested, settings)


def summarize_units(frame: pd.DataFrame) -> pd.DataFrame:
    """Summarize by how much each unit inflates variances, and how many verdicts it turns.

    Parameters
    ----------
    frame : DataFrame
        Of `compare_units`, or several of them stacked.

    Returns
    -------
    DataFrame
        One row per (metric, unit) other than segments: ``metric``, ``unit``, ``n_units`` (the smallest), ``pairs``;
        ``differences_median`` and ``differences_max``: of the design effects of the differences; ``scores_median`` and
        ``scores_max``: of those of single systems' scores; ``shown_by_segment`` and ``shown``: pairs whose difference
        is significant by segment, and by this unit; ``undecided_by_segment`` and ``undecided``: pairs whose verdict is
        undecided, because p lies too close to the level for so few trials; ``flips``, which is absent where so few
        units cannot show anything, so that verdicts are not compared.
    """
    rows = []
    for (metric, unit), part in frame[frame["unit"] != "segment"].groupby(["metric", "unit"], sort=False):
        sides = [
            part[[side, f"design_effect_{side}"]].set_axis(["system", "design_effect"], axis=1) for side in ("a", "b")
        ]
        singles = pd.concat(sides).drop_duplicates()["design_effect"]
        by_segment, by_unit = part["verdict_by_segment"], part["verdict"]
        rows.append(
            {
                "metric": metric,
                "unit": unit,
                "n_units": int(part["n_units"].min()),
                "pairs": len(part),
                "differences_median": part["design_effect"].dropna().median(),  # of none, older pandas warns
                "differences_max": part["design_effect"].max(),
                "scores_median": singles.dropna().median(),
                "scores_max": singles.max(),
                "shown_by_segment": int((by_segment == "significant").sum()),
                "undecided_by_segment": int((by_segment == "undecided").sum()),
                "shown": int((by_unit == "significant").sum()),
                "undecided": int((by_unit == "undecided").sum()),
                "flips": int(part["flips"].sum()) if _can_show(part) else None,
            }
        )
    return pd.DataFrame(rows).astype({"flips": "Int64"})


def _level(frame: pd.DataFrame) -> float:
    """Return the level of a frame of `compare_units`."""
    return frame.attrs.get("level", 0.95)


def _smallest_p(frame: pd.DataFrame) -> pd.Series:
    """Return the smallest adjusted p of each row: swapping all units or none is always as extreme, so 2 / 2**n."""
    return np.minimum(2.0 ** (1 - frame["n_units"]), 1.0)


def _can_show(part: pd.DataFrame) -> bool:
    """Tell whether the units of some pairs are so many that a difference can be shown at all."""
    return bool((_smallest_p(part) <= 1 - _level(part) + ROUNDING).any())


def describe_units(frame: pd.DataFrame) -> str:
    """Say how much each unit inflates variances, and which verdicts it turns (a frame of `compare_units`)."""
    lines = []
    for row in summarize_units(frame).itertuples():
        part = frame[(frame["metric"] == row.metric) & (frame["unit"] == row.unit)]
        if row.unit == "block of 1":
            lines.append(f"In {row.metric}, neighbouring segments show no dependence, so no blocks are needed.")
        elif _can_show(part):
            lines.append(f"{_describe_variances(row)} {_describe_verdicts(row, part)}")
        else:
            lines.append(f"{_describe_variances(row)} {_describe_not_compared(row, part)}")
    if (frame["verdict"] == "undecided").any():
        lines.append(
            "Undecided verdicts are counted neither as shown nor as flips: their p is too close to the level "
            "to decide with this number of trials."
        )
    return wrap([*lines, *describe_documents(frame.attrs.get("known_documents"))])


def _describe_variances(row: Any) -> str:
    """Say by how much a unit inflates variances (a row of `summarize_units`)."""
    of_differences = f"{row.differences_median:.2f} times as large"
    of_differences += f" (median; maximum {row.differences_max:.2f})" if row.pairs > 1 else ""
    return (
        f"With {name_units(row.unit)} in place of segments, the estimated variance of a difference in {row.metric} is "
        f"{of_differences}; the variance of one system's {row.metric} is {row.scores_median:.2f} times as large "
        "(median)."
    )


def _describe_verdicts(row: Any, part: pd.DataFrame) -> str:
    """Say how many differences are shown by segment and by a unit, and which verdicts flip."""
    verb = "is" if 1 in (row.shown_by_segment, row.pairs) else "are"
    said = (
        f"With {_name_threshold(part)}, {row.shown_by_segment} of {tally(row.pairs, 'difference')} "
        f"{verb} shown by segment{_undecided(row.undecided_by_segment)}, "
        f"{row.shown} by {row.unit}{_undecided(row.undecided)}."
    )
    words = {"significant": "shown", "not significant": "not shown"}
    turned = [
        f"{one.a} against {one.b} ({words[one.verdict_by_segment]} by segment, {words[one.verdict]} by {row.unit})"
        for one in part[part["flips"]].itertuples()
    ]
    if not turned:
        return said
    return f"{said} {tally(row.flips, 'verdict')} {agree(row.flips, 'flip')}: {name_some(turned)}."


def _describe_not_compared(row: Any, part: pd.DataFrame) -> str:
    """Say why the verdicts of so few units are not compared with those by segment."""
    units, numbers = f"{row.n_units} {name_units(row.unit, row.n_units)}", part["n_comparisons"]
    p = "p" if numbers.max() == 1 else f"p (max-T) of {numbers.min()} comparisons"
    return (
        f"Verdicts are not compared, because {units} cannot show anything at {in_percent(1 - _level(part))}: {p} "
        f"cannot be below {_smallest_p(part).min():.3g}. Ratios from {units} are rough."
    )


def describe_rule(frame: pd.DataFrame) -> str:
    """Say when a difference counts as shown: "p (max-T) at most 0.05, 45 comparisons" (a frame of `compare_units`)."""
    numbers = sorted(set(frame["n_comparisons"]))
    compared = f", {' or '.join(map(str, numbers))} comparisons" if numbers[-1] > 1 else ""
    return f"{_name_threshold(frame)}{compared}"


def _name_threshold(frame: pd.DataFrame) -> str:
    """Write the largest p that counts as shown."""
    adjusted = " (max-T)" if frame["n_comparisons"].max() > 1 else ""
    return f"p{adjusted} at most {1 - _level(frame):.4g}"


def _undecided(number: int) -> str:
    """Write how many verdicts are undecided, if any."""
    return f" ({number} undecided)" if number else ""
