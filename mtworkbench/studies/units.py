"""What other units change: how much the variance of scores and of differences grows, and which verdicts flip."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain

import pandas as pd

from mtworkbench.errors import InputError, name_some
from mtworkbench.inference.families import (
    EstimatedPart,
    as_families,
    divide_segments,
    name_families,
    number_pairs,
    settle_unit,
)
from mtworkbench.inference.intervals import design_effect
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.results import Randomization
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.settings import check_level, choose_n_trials
from mtworkbench.inference.units import MIN_DOCUMENTS, choose_units, name_units
from mtworkbench.inference.verdicts import judge_family
from mtworkbench.progress import Progress
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.studies.common.wording import count, wrap

EFFECTS = ("design_effect", "design_effect_a", "design_effect_b")


def compare_units(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
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
    units : iterable of str, optional
        As the ``unit`` of `compare`; segments always come first. By default documents where they are known, the columns
        with at least 6 different values, and blocks.
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
        ``p_adjusted`` (Holm, over the metric's pairs) and ``verdict`` of the randomization test; ``flips``: whether it
        is significant by this unit and not by segment, or the other way round.

    Raises
    ------
    InputError
        ``few-systems`` where there are no two systems, and those of `compare`.

    Warns
    -----
    DataWarning
        ``too-few-units``.
    """
    families = as_families(statistics)
    check_level(level)
    systems, _, pairs = number_pairs(families, baseline)
    if not any(pairs):
        raise InputError(
            "few-systems", "There is only one system, but units are compared by differences: give at least two systems."
        )
    test_set, names = families[0].test_set, name_families(families)
    n_trials, random_key = choose_n_trials(n_trials, max(map(len, pairs)), level), resolve_rng(rng)
    asked = list(dict.fromkeys(["segment", *(list_units(test_set) if units is None else units)]))
    # All are looked at before the first is computed.
    settled = list(dict.fromkeys(settle_unit(systems, chain(*pairs), unit) for unit in asked))
    rows = []
    for unit in progress(settled) if progress else settled:
        tests: dict[Places, tuple[Randomization, float | None]] = {}
        effects: dict[int, float | None] = {}
        for part in divide_segments(systems, chain(*pairs), unit):
            effects |= {number: _inflation(part.table, place) for number, place in part.systems.items()}
            tests |= _test_pairs(part, n_trials, random_key)
        for name, compared in zip(names, pairs, strict=True):
            rows += _judge_pairs(name, compared, tests, effects, level)
    frame = pd.DataFrame(rows).astype(dict.fromkeys(EFFECTS, float))
    by_segment = frame["verdict"].iloc[: len(frame) // len(settled)].tolist() * len(settled)
    frame["flips"] = [
        {one, other} == {"significant", "not significant"}
        for one, other in zip(frame["verdict"], by_segment, strict=True)
    ]
    return frame


def list_units(test_set: TestSet) -> list[str]:
    """List the units that a test set can be compared by, apart from segments."""
    documents = [] if test_set.documents is None else ["document"]
    columns = [name for name in test_set.columns if choose_units(test_set, name).count >= MIN_DOCUMENTS]
    return [*documents, *columns, "block"]


def _test_pairs(
    part: EstimatedPart, n_trials: int, random_key: RandomKey
) -> dict[Places, tuple[Randomization, float | None]]:
    """Return, for each pair of a part, its randomization test and its design effect."""
    table, pairs = part.table, list(part.pairs.values())
    tests = randomize(table, pairs, exchange="unit", n_trials=n_trials, random_key=random_key, keep_differences=False)
    found = [(test, _inflation(table, *pair)) for test, pair in zip(tests, pairs, strict=True)]
    return dict(zip(part.pairs, found, strict=True))


def _judge_pairs(
    metric: str,
    pairs: Sequence[Places],
    found: Mapping[Places, tuple[Randomization, float | None]],
    effects: Mapping[int, float | None],
    level: float,
) -> list[dict[str, object]]:
    """Judge one metric's pairs as one family; return a row of each."""
    tests = [found[pair][0] for pair in pairs]
    judged = judge_family(
        [test.p_value for test in tests],
        [test.p_low for test in tests],
        [test.p_high for test in tests],
        [test.exact for test in tests],
        level,
        max((test.n_trials for test in tests), default=1),
    )
    return [
        {
            "metric": metric,
            "a": test.a,
            "b": test.b,
            "unit": test.unit,
            "n_units": test.n_units,
            "difference": test.difference,
            "design_effect": found[pair][1],
            "design_effect_a": effects[pair[0]],
            "design_effect_b": effects[pair[1]],
            "p_value": test.p_value,
            "p_adjusted": verdict.p_adjusted,
            "verdict": verdict.verdict,
        }
        for pair, test, verdict in zip(pairs, tests, judged, strict=True)
    ]


def _inflation(table: ScoreTable, a: int, b: int | None = None) -> float | None:
    """Return the design effect of a system's score, or of the difference of two systems."""
    by_segment = table.with_units(choose_units(table.systems[0].test_set, "segment"))
    of_units, of_segments = (
        one.influence[a] if b is None else one.influence[a] - one.influence[b] for one in (table, by_segment)
    )
    return design_effect(of_segments, of_units, max(abs(table.means[place]) for place in (a, b) if place is not None))


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
        is significant by segment, and by this unit; ``flips``.
    """
    rows = []
    keys = ["metric", "a", "b"]
    shown = frame[(frame["unit"] == "segment") & (frame["verdict"] == "significant")]
    for (metric, unit), part in frame[frame["unit"] != "segment"].groupby(["metric", "unit"], sort=False):
        sides = [
            part[[side, f"design_effect_{side}"]].set_axis(["system", "design_effect"], axis=1) for side in ("a", "b")
        ]
        singles = pd.concat(sides).drop_duplicates("system")["design_effect"]
        rows.append(
            {
                "metric": metric,
                "unit": unit,
                "n_units": int(part["n_units"].min()),
                "pairs": len(part),
                "differences_median": part["design_effect"].median(),
                "differences_max": part["design_effect"].max(),
                "scores_median": singles.median(),
                "scores_max": singles.max(),
                "shown_by_segment": len(part[keys].merge(shown[keys])),
                "shown": int((part["verdict"] == "significant").sum()),
                "flips": int(part["flips"].sum()),
            }
        )
    return pd.DataFrame(rows)


def describe_units(frame: pd.DataFrame) -> str:
    """Say how much each unit inflates variances, and which verdicts it turns (a frame of `compare_units`)."""
    lines = []
    for row in summarize_units(frame).itertuples():
        units, are = name_units(row.unit), "is" if row.shown_by_segment == 1 else "are"
        shown = f"{row.shown_by_segment} of {count(row.pairs, 'difference')} {are} shown by segment"
        of_differences = f"{row.differences_median:.2f} times as large"
        of_differences += f" (median; maximum {row.differences_max:.2f})" if row.pairs > 1 else ""
        lines.append(
            f"With {units} in place of segments, the estimated variance of a difference in {row.metric} is "
            f"{of_differences}, that of one system's {row.metric} {row.scores_median:.2f} times (median). "
            f"{shown}, {row.shown} by {row.unit}."
        )
        turned = frame[(frame["metric"] == row.metric) & (frame["unit"] == row.unit) & frame["flips"]]
        if len(turned):
            names = name_some([f"{one.a} - {one.b} ({one.verdict})" for one in turned.itertuples()])
            lines[-1] += f" {count(row.flips, 'verdict')} {'flips' if row.flips == 1 else 'flip'}: {names}."
    return wrap(lines)
