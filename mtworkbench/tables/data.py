"""Results for other programs, unrounded: as JSON and as the rows of CSV."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from mtworkbench.assumptions import Assumption, Doubt
from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning, ReadAs
from mtworkbench.inference.families import name_families
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.results.campaigns import CampaignMetric
from mtworkbench.results.comparisons import AnyPair
from mtworkbench.results.segments import ListedSegments
from mtworkbench.shown import Assuming
from mtworkbench.words.concerns import doubts_of
from mtworkbench.words.frames import plain
from mtworkbench.words.metric_names import label_metric
from mtworkbench.words.scores import tabulate_scores
from mtworkbench.words.segments import describe_listed, name_outputs

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison, OptimizerVariance, Plan
    from mtworkbench.inference.calibrate import Calibration
    from mtworkbench.inference.conventions import Conventions
    from mtworkbench.results.campaigns import CampaignComparison
    from mtworkbench.results.inspections import Inspection
    from mtworkbench.statistics.segment_statistics import SegmentStatistics
    from mtworkbench.words.studies import StudyTables

#: Keys of JSON may be added later, never changed or taken away; then the number of its kind rises.
SCHEMAS = {"Comparison": 2, "CampaignComparison": 1, "OptimizerVariance": 1, "comparisons": 1, "calibrations": 1}
SCHEMAS |= {"studies": 1, "scores": 1, "inspection": 1, "segments": 1}
# What of a result of several metrics stands beside its settings, and what of each metric.
OF_RESULTS = {
    "Comparison": ("n_segments", "n_documents", "known_documents"),
    "CampaignComparison": ("baseline", "test_sets"),
    "OptimizerVariance": ("n_segments", "n_documents", "known_documents", "n_dev_segments", "baseline"),
}
UNITS = ("n_units", "n_effective_units")
OF_METRICS = {
    "Comparison": ("signature", "higher_is_better", "systems", "comparisons", "ranking", "ranking_of", *UNITS),
    "CampaignComparison": ("signatures", "higher_is_better", "systems", "comparisons", "ranking"),
    "OptimizerVariance": ("signature", "higher_is_better", "systems", "readings", "advice"),
}
# What records have in JSON besides the fields that they show.
PARTS = {
    "CampaignPair": ("sets",),
    "Conventions": ("rules", "headline"),
    "Calibration": ("rules", "intervals", "headline"),
    "Plan": ("powers",),
}
# Columns of names, which may hold anything.
NAMES = ("metric", "test_set", "system", "a", "b", "better")


def to_json(written: Mapping[str, object]) -> str:
    """Write an object as JSON; what is absent is null."""
    return json.dumps(written, indent=2, allow_nan=False) + "\n"


def as_data(value: Any) -> Any:
    """Return a value as JSON has it: a record by the fields that it shows, a frame by its rows."""
    if hasattr(value, "shown"):
        fields = {key: plain(field) for key, field in value.shown().items()}
        return fields | {part: as_data(getattr(value, part)) for part in PARTS.get(type(value).__name__, ())}
    if isinstance(value, pd.DataFrame):
        return [{str(key): plain(cell) for key, cell in row.items()} for row in value.to_dict("records")]
    return [as_data(one) for one in value] if isinstance(value, (tuple, list)) else plain(value)


def list_warnings(warnings: Iterable[DataWarning]) -> list[dict[str, Any]]:
    """Return warnings as JSON has them; what was read is none, unless it was guessed."""
    keys = ("code", "message", "path", "line", "count")
    listed = [one for one in warnings if not isinstance(one, ReadAs) or one.guessed]
    return [{key: plain(getattr(one, key)) for key in keys} for one in listed]


def list_doubts(doubts: Iterable[Doubt], repairable: Collection[str] = REPAIRS) -> list[dict[str, Any]]:
    """Return doubts as JSON has them: one per system and kind; ``repair`` is the code of what can be repaired."""
    known = [
        asdict(one)
        | {"share": one.share, "repair": one.code if one.code in repairable else None}
        | {"without": [asdict(pair) | {"verdict_changes": pair.verdict_changes} for pair in one.without]}
        for one in doubts
    ]
    return [{key: plain(field) for key, field in one.items() if key != "what"} for one in known]


def describe_metrics(
    result: Comparison | CampaignComparison | OptimizerVariance, warnings: Iterable[DataWarning] = ()
) -> dict[str, object]:
    """Return a result of several metrics as the object of ``--format json``: what is absent is None."""
    kind = type(result).__name__
    metrics: dict[str, object] = {}
    for key, metric in result.metrics.items():
        signatures = metric.signatures if isinstance(metric, CampaignMetric) else {key: metric.signature}
        described = {name: as_data(getattr(metric, name)) for name in OF_METRICS[kind]}
        metrics[key] = described | {"label": label_metric(key, next(iter(signatures.values())))}
    head: dict[str, object] = {"schema": SCHEMAS[kind]} | as_data(result.settings)
    head |= {name: as_data(getattr(result, name)) for name in OF_RESULTS[kind]}
    written = head | {"metrics": metrics, "warnings": list_warnings(warnings)}
    if not isinstance(result, Assuming):
        return written | {"doubts": list_doubts(result.doubts)}
    assumed = [{key: plain(field) for key, field in asdict(one).items()} for one in result.assumptions]
    written |= {"repaired": list(result.settings.repaired)}
    return written | {"headline": result.headline, "assumptions": assumed, "doubts": list_doubts(result.doubts)}


def describe_records(
    name: str, records: Sequence[Plan | Conventions | Calibration], warnings: Iterable[DataWarning] = ()
) -> dict[str, object]:
    """Return records of one kind, such as ``plans``, as the object of ``--format json``."""
    schema = {"schema": SCHEMAS[name]} if name in SCHEMAS else {}
    doubts = {"doubts": list_doubts(doubts_of(records))} if name != "calibrations" else {}
    return schema | {name: as_data(records)} | doubts | {"warnings": list_warnings(warnings)}


describe_plans = partial(describe_records, "plans")
describe_conventions = partial(describe_records, "comparisons")
describe_calibrations = partial(describe_records, "calibrations")


def describe_sets(sets: Mapping[str, Sequence[Conventions]], warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return the rules of several test sets as the object of ``--format json``: those of each set under its name."""
    found = {name: as_data(ones) for name, ones in sets.items()}
    doubts = [replace(doubt, test_set=name) for name, ones in sets.items() for doubt in doubts_of(ones)]
    written = {"schema": SCHEMAS["comparisons"], "test_sets": found, "doubts": list_doubts(doubts)}
    return written | {"warnings": list_warnings(warnings)}


def describe_inspection(inspection: Inspection, warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return what the checks noticed as the object of ``--format json``."""
    systems = [{"system": one, "gravity": inspection.gravity_of(one) or None} for one in inspection.systems]
    return {
        "schema": SCHEMAS["inspection"],
        "n_segments": inspection.n_segments,
        "n_references": inspection.n_references,
        "systems": systems,
        "doubts": list_doubts((*inspection.doubts, *inspection.accepted), inspection.repairable),
        "lines": [asdict(one) for one in inspection.lines],
        "warnings": list_warnings(warnings),
    }


def describe_studies(studies: Sequence[StudyTables], warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return what studies have counted as the object of ``--format json``."""
    found = [
        {"metric": one.metric, "rng": one.rng, "tables": {name: as_data(table) for name, table in one.tables.items()}}
        for one in studies
    ]
    return {"schema": SCHEMAS["studies"], "studies": found, "warnings": list_warnings(warnings)}


def describe_segments(found: Sequence[ListedSegments], warnings: Iterable[DataWarning] = ()) -> dict[str, object]:
    """Return which segments make a difference as the object of ``--format json``: by metric, unrounded."""
    names = name_families([one.statistics for one in found])
    seeds = [one.buckets.attrs["rng"] for one in found if one.buckets is not None]
    head = {"schema": SCHEMAS["segments"], "a": found[0].a, "b": found[0].b, "rng": next(iter(seeds), None)}
    metrics = {name: _describe_listed(one) for name, one in zip(names, found, strict=True)}
    return head | {"metrics": metrics, "warnings": list_warnings(warnings)}


def _describe_listed(found: ListedSegments) -> dict[str, object]:
    return {
        "signature": found.statistics.signature,
        "difference": found.difference,
        "headline": list(describe_listed(found)),
        "n_segments": len(found.frame),
        "segments": as_data(found.listed),
        "buckets": [] if found.buckets is None else as_data(found.buckets),
        "ngrams": [asdict(one) for matched in found.ngrams or () for one in matched.listed],
    }


def describe_scores(statistics: Sequence[SegmentStatistics], frame: pd.DataFrame, by: str) -> dict[str, Any]:
    """Arrange scores as JSON has them; ``documents`` and ``segments`` are null where they were not asked for."""
    whole = frame if by == "system" else tabulate_scores(statistics, "system")
    metrics: dict[str, Any] = {}
    for name, one in zip(name_families(statistics), statistics, strict=True):
        systems = [
            {"system": row.system, "run": row.run, "score": plain(row.score), "documents": None, "segments": None}
            for row in whole[whole["metric"] == name].itertuples()
        ]
        metrics[name] = {"signature": one.signature, "systems": systems}
    if by != "system":
        parts = frame.groupby(["metric", "system", "run"], sort=False)
        for (name, system, run), part in parts:
            (found,) = (one for one in metrics[name]["systems"] if (one["system"], one["run"]) == (system, run))
            columns = zip(part[by].tolist(), part["score"].tolist(), strict=True)
            found[f"{by}s"] = [{by: which, "score": plain(score)} for which, score in columns]
    return {"schema": SCHEMAS["scores"], "metrics": metrics}


# ---- CSV


def comparison_rows(comparison: Comparison) -> pd.DataFrame:
    """Return one row per comparison: ``metric`` and JSON's keys."""
    pairs = [(key, pair) for key, metric in comparison.metrics.items() for pair in metric.comparisons]
    assumptions = comparison.assumptions
    codes = pd.DataFrame([name_codes(assumptions, comparison.doubts, key, pair) for key, pair in pairs])
    return pd.concat([comparison.to_frame(), codes], axis="columns")


def name_codes(
    assumptions: Iterable[Assumption], doubts: Iterable[Doubt], key: str, pair: AnyPair, test_set: str | None = None
) -> dict[str, str]:
    """Return the codes of the assumptions and doubts that matter for a pair, as columns of CSV have them."""
    assumed = [one.code for one in assumptions if one.matters and one.is_of(key)]
    doubted = [
        one.code
        for one in doubts
        if one.matters and test_set in (None, one.test_set) and (not one.systems or {pair.a, pair.b} & {*one.systems})
    ]
    codes = {"assumptions": assumed, "doubts": doubted}
    return {name: "; ".join(dict.fromkeys(found)) for name, found in codes.items()}


def campaign_rows(comparison: CampaignComparison) -> pd.DataFrame:
    """Return of each comparison one row for all test sets (``row`` says so), then one per set."""
    rows: list[dict[str, Any]] = []
    columns = {"metric": None, "row": None, "test_set": None}
    found = comparison.assumptions, comparison.doubts
    for key, metric in comparison.metrics.items():
        columns |= dict.fromkeys(metric.to_frame().columns) | dict.fromkeys(metric.sets_frame().columns)
        for pair in metric.comparisons:
            codes = name_codes(*found, key, pair)
            rows.append({"metric": key, "row": "all test sets"} | pair.shown() | codes)
            for one in pair.sets:
                codes = name_codes(*found, key, pair, one.test_set)
                rows.append({"metric": key, "row": "one test set"} | one.shown() | codes)
    columns |= {"assumptions": None, "doubts": None}
    return pd.DataFrame([[row.get(name) for name in columns] for row in rows], columns=list(columns), dtype=object)


def variance_rows(variance: OptimizerVariance) -> pd.DataFrame:
    """Return one row per system and metric: ``metric`` and JSON's keys."""
    return pd.DataFrame(
        [{"metric": key} | as_data(one) for key, metric in variance.metrics.items() for one in metric.systems],
        dtype=object,
    )


def plan_rows(plans: Sequence[Plan]) -> pd.DataFrame:
    """Return one row per plan, number of units and number of runs."""
    frames = [plan.powers.assign(a=plan.a, b=plan.b, metric=plan.metric) for plan in plans]
    frame = pd.concat(frames, ignore_index=True)
    return frame[["metric", "a", "b", *frames[0].columns[:-3]]]


def calibration_rows(calibrations: Sequence[Calibration]) -> pd.DataFrame:
    """Return one row per pair, metric and rule: ``metric``, ``a``, ``b``, then the fields of a rule."""
    whose = ["metric", "a", "b"]
    frames = [found.to_frame().assign(**{name: getattr(found, name) for name in whose}) for found in calibrations]
    frame = pd.concat(frames, ignore_index=True)
    return frame[[*whose, *frame.columns.drop(whose)]]


def conventions_rows(conventions: Sequence[Conventions]) -> pd.DataFrame:
    """Return one row per pair and rule: ``metric``, ``a``, ``b``, ``difference``, then the fields of a rule."""
    rows = [
        {"metric": found.metric, "a": found.a, "b": found.b, "difference": found.difference} | as_data(one)
        for found in conventions
        for one in found.rules
    ]
    return pd.DataFrame(rows, dtype=object)


def rows_of_sets(sets: Mapping[str, Sequence[Conventions]]) -> pd.DataFrame:
    """Return the rows of several test sets, ``test_set`` first."""
    frames = {name: conventions_rows(ones) for name, ones in sets.items()}
    return pd.concat(frames, names=["test_set"]).reset_index(level=0).reset_index(drop=True)


def inspection_rows(inspection: Inspection) -> pd.DataFrame:
    """Return one row per finding and system; ``system`` is empty where it is about references or source."""
    columns = ["system", "code", "gravity", "n_found", "n_segments", "share", "segments", "sentence"]
    rows = [
        {name: getattr(doubt, name) for name in columns[1:6]}
        | {"system": system, "segments": " ".join(map(str, doubt.segments)), "sentence": doubt.sentence}
        for doubt in inspection.doubts
        for system in doubt.systems or ("",)
    ]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def segment_rows(found: Sequence[ListedSegments]) -> pd.DataFrame:
    """Return one row per metric and segment listed: ``metric``, then what is known of the segment, with its texts."""
    names = name_families([one.statistics for one in found])
    frames = []
    for name, one in zip(names, found, strict=True):
        frame = one.listed
        frame.insert(0, "metric", name)
        frames.append(name_outputs(one, frame))
    return pd.concat(frames, ignore_index=True)


def study_rows(studies: Sequence[StudyTables]) -> pd.DataFrame:
    """Return what the tables were made of, one row per draw."""
    frames = [one.drawn if one.metric is None else one.drawn.assign(metric=one.metric) for one in studies]
    return pd.concat(frames, ignore_index=True)


def to_csv(frame: pd.DataFrame, separator: str = ",") -> str:
    """Write rows of results as CSV; names that could break a row are written as escapes."""
    safe = frame.astype(object)
    for name in (one for one in NAMES if one in safe.columns):
        # pandas may hold an absent name as NaN
        safe[name] = [printable(one) if isinstance(one, str) else None for one in safe[name]]
    return frame_to_csv(safe, separator=separator)


def frame_to_csv(frame: pd.DataFrame, *, separator: str = ",") -> str:
    """Write a frame as CSV, unrounded; what is absent is empty. A tab as ``separator`` makes TSV.

    Text that a spreadsheet would take for a formula (it begins with ``= + - @``, a tab or a carriage return) gets an
    apostrophe before it. What could steer a terminal is written as an escape, except tabs and ends of lines.
    """
    columns = [frame[name].tolist() for name in frame.columns]
    rows = [map(str, frame.columns), *zip(*columns, strict=True)]
    return "".join((separator.join(map(_csv_cell, row)) or '""') + "\n" for row in rows)


def _csv_cell(value: Any) -> str:
    """Write a cell; the module csv would leave a lone carriage return without quotes, which ends a row."""
    value = plain(value)
    text = "" if value is None else str(value)
    if not text.isprintable():
        text = re.sub(r"[^\t\r\n]+", lambda found: printable(found[0]), text)
    if isinstance(value, str) and re.match("'*[=+\\-@\t\r]", text):  # with an apostrophe of its own, one more
        text = "'" + text
    return '"' + text.replace('"', '""') + '"' if re.search('[,"\t\r\n]', text) else text
