"""The keys of ``--format json``, from the classes of the results: what each is comes from their docstrings."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from functools import cache

from numpydoc.docscrape import NumpyDocString

from mtworkbench.assumptions import Assumption, Doubt, Without
from mtworkbench.errors import DataWarning
from mtworkbench.inference.calibrate import Calibration, IntervalCoverage, RuleErrors
from mtworkbench.inference.conventions import Convention, Conventions
from mtworkbench.inference.planning import Plan
from mtworkbench.inference.power import Power
from mtworkbench.results.campaigns import (
    CampaignComparison,
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    CampaignTestSet,
    SetEstimate,
)
from mtworkbench.results.comparisons import (
    OF_MAX_T,
    SHOWN_LAST,
    Comparison,
    MetricComparison,
    PairEstimate,
    SystemEstimate,
)
from mtworkbench.results.equivalence import Equivalence
from mtworkbench.results.estimates import Estimate, Of
from mtworkbench.results.inspections import DoubtfulLine, Inspection
from mtworkbench.results.rankings import CampaignRank, RankedSystem
from mtworkbench.results.segments import MatchedNgram
from mtworkbench.results.settings import Settings
from mtworkbench.results.variance import MetricVariance, OptimizerVariance, SystemVariance
from mtworkbench.tables.data import OF_METRICS, OF_RESULTS, PARTS, SCHEMAS

#: Keys without a class, and fields whose docstring says only the type.
SAID = {
    "schema": ("integer", "Rises if a key of this kind of object is changed or taken away."),
    "metrics": ("object", "One object per metric, by its name."),
    "label": ("string", "The metric as tables name it, such as `chrF++`."),
    "warnings": ("list of objects", "What was noticed: see Warnings."),
    "headline": ("string or list of strings", "The finding, in sentences."),
    "repaired": ("list of strings", "The codes of what `--repair` repaired before anything was scored."),
    "assumptions": ("list of objects", "What the result rests on: see Assumptions."),
    "doubts": ("list of objects", "What seems wrong with the data: see Doubts."),
    "read_as": (
        "object",
        "How the files were read: numbers of `systems`, `runs`, `documents`, `segments`, a `sentence`.",
    ),
    "systems": ("list of objects", "One per system: see there."),
    "comparisons": ("list of objects", "One per comparison: see there."),
    "ranking": ("list of objects or null", "One per system: see Ranking."),
    "test_sets": ("list of objects", "One per test set: see there."),
    "sets": ("list of objects", "One per test set: see there."),
    "system": ("string", "The system."),
    "metric": ("string", "The metric."),
    "a": ("string", "The system that is compared."),
    "b": ("string", "The system that it is compared with."),
    "level": ("number", "The level of intervals and verdicts, such as 0.95."),
    "unit": ("string", "What is resampled and swapped, such as `segment` or `document`."),
    "signature": ("string", "What is needed to compute the numbers again."),
    "signatures": ("object", "The metric's signature on each test set."),
    "n_segments": ("integer", "The number of segments."),
    "n_references": ("integer", "The number of references."),
    "n_units": ("integer", "The number of units."),
    "n_resamples": ("integer", "The number of bootstrap resamples."),
    "n_trials": ("integer or null", "The number of random swaps, at most."),
    "n_sets": ("integer", "The number of test sets."),
    "rng": ("integer or null", "The seed of the random draws."),
    "method": ("string", "How the interval was computed."),
    "runs": ("integer or string", "The number of runs; in settings, whether runs are pooled."),
    "runs_a": ("integer", "The number of runs of a."),
    "runs_b": ("integer", "The number of runs of b."),
    "higher_is_better": ("boolean or null", "Whether a higher score is better; null if that is unknown."),
    "exchange": (
        "string or null",
        "Whether all runs of a unit are swapped together (`unit`), or each by itself (`run`).",
    ),
    "interval": ("string", "The kind of interval of scores."),
    "adjust": ("string or null", "How p is adjusted for several comparisons: `max-t` or `holm`."),
    "family": ("string or null", "Which comparisons p is adjusted for: those of one `metric`, or of `all`."),
    "verdict": ("string", "What the test says."),
    "better": ("string or null", "The system that is shown to be better."),
    "test_set": ("string", "The test set."),
    "name": ("string", "The name."),
    "segment": ("integer", "The number of the segment, counted from 1."),
    "text": ("string", "Its text."),
    "gravity": ("string or null", "How much it matters; null if nothing was found."),
    "code": ("string", "Its code: see [Messages](messages.md)."),
    "message": ("string", "Its sentence."),
    "path": ("string or null", "The file."),
    "line": ("integer or null", "The first line, counted from 1."),
    "count": ("integer or null", "How many lines, segments or systems it is about."),
    "share": ("number", "The share of the segments in which it was found."),
    "repair": ("string or null", "The code that `--repair` takes, if it can be repaired."),
    "verdict_changes": ("boolean", "Whether the repair changes the verdict, or which system is better."),
    "ngram": ("string", "The n-gram."),
    "known_documents": ("string or null", "The public test set from which documents were recognized."),
    "n_documents": ("integer or null", "The number of documents; null where they are not known."),
    "low": ("number or null", "The lower end of the interval."),
    "high": ("number or null", "The upper end of the interval."),
    "dev_mean": ("number or null", "The mean of the runs' scores on the dev set."),
    "power": ("number", "The power that the plan is for."),
    "n_repetitions": ("integer", "How often two equal systems were made."),
    "n_covered": ("integer", "How often the interval covered the truth."),
    "source": ("string", "Where the rule is published."),
    "segments": ("list of integers", "Segments to look at."),
}
#: What the docstrings describe for Python, as objects.
NESTED = (
    "systems",
    "comparisons",
    "ranking",
    "test_sets",
    "sets",
    "metrics",
    "headline",
    "assumptions",
    "doubts",
    "n_units",
)


@dataclass(frozen=True)
class Section:
    """An object of JSON: its heading, what it is, its keys, and what it may also have."""

    heading: str
    text: str
    keys: Iterable[str]
    classes: tuple[type, ...]
    said: Mapping[str, tuple[str, str]] | None = None


def _keys(one: type) -> tuple[str, ...]:
    """Return the keys of a record: the fields that it shows, or all."""
    return one.keys() if issubclass(one, Estimate) else tuple(item.name for item in fields(one))


def _result(kind: str) -> tuple[str, ...]:
    names = ("schema", *_settings(kind), *OF_RESULTS[kind], "metrics", "warnings")
    return (
        (*names, "read_as")
        if kind == "OptimizerVariance"
        else (
            *names,
            "repaired",
            "headline",
            "assumptions",
            "doubts",
            "read_as",
        )
    )


def _settings(kind: str) -> tuple[str, ...]:
    of_compare = ("exchange", "n_trials", "runs", "strata", "adjust", "family")
    return tuple(key for key in (*Settings.keys(),) if kind != "OptimizerVariance" or key not in of_compare)


def _of_pairs(pair: type[Estimate]) -> tuple[str, ...]:
    return (*pair.keys(), *OF_MAX_T, *SHOWN_LAST, *Equivalence.keys())


POWERS = {
    "n_units": ("integer", "The number of units."),
    "n_segments": ("integer", "The number of segments."),
    "n_runs": ("integer", "The number of runs of each system."),
    "standard_error": ("number", "The standard error of the difference on such a test set."),
    "df": ("number", "Its degrees of freedom."),
    "power": ("number", "How often the difference is shown."),
    "smallest_difference": ("number", "The smallest difference that is shown with the power asked for."),
    "wrong_sign": ("number", "The share of significant differences that have the wrong sign."),
    "exaggeration": ("number", "How many times as large as the true difference a significant one is on average."),
    "smallest_margin": (
        "number",
        "In place of the last three in a plan of equality: the smallest margin within which equality is shown.",
    ),
}
LISTED = {
    "contribution": ("number", "How much the segment contributes to the difference of the scores, in points."),
    "change": ("number", "The difference of the segment's own scores."),
    "length": ("integer", "Words of a's output."),
    "length_baseline": ("integer", "Words of b's output."),
    "length_reference": ("integer", "Words of the reference."),
    "reference": ("string", "The reference."),
    "hypothesis": ("string", "a's output; with several runs, that of the median run."),
    "hypothesis_baseline": ("string", "b's output."),
}
BUCKETS = {
    "bucket": ("string", "The bucket, such as `10-19` words."),
    "segments": ("integer", "The number of its segments."),
    "difference": ("number or null", "The difference of the scores on these segments."),
    "level": SAID["level"],
    "low": ("number or null", "The lower end of its interval."),
    "high": ("number or null", "The upper end of its interval."),
    "unit": SAID["unit"],
    "n_units": SAID["n_units"],
    "method": SAID["method"],
    "contribution": (
        "number",
        "How much the segments of the bucket contribute to the difference of the whole test set.",
    ),
}
SCORES = {
    "system": SAID["system"],
    "run": ("integer", "The run, counted from 1."),
    "score": ("number or null", "The score."),
    "documents": ("list of objects or null", "The `score` of each `document`; null unless `--by document`."),
    "segments": ("list of objects or null", "The `score` of each `segment`; null unless `--by segment`."),
}
SYSTEMS_OF_SEGMENTS = {
    "signature": SAID["signature"],
    "difference": ("number", "Score of a - score of b."),
    "headline": SAID["headline"],
    "n_segments": SAID["n_segments"],
    "segments": ("list of objects", "The segments listed, with `contribution`, texts and lengths."),
    "buckets": ("list of objects", "The difference in buckets of segments."),
    "ngrams": ("list of objects", "The n-grams that one system gets right more often."),
}
REPORT = {
    "format": ("string", "`mtworkbench report`."),
    "schema": SAID["schema"],
    "mtworkbench": ("string", "The version that wrote the report."),
    "comparison": ("object", "The comparison, as `compare --format json` writes it."),
    "asked": ("object", "The settings that were asked for, with the seed."),
    "command": ("list of strings or null", "The command line."),
    "files": ("list of objects", "The input files: `path`, `size` in bytes, `sha256`."),
    "statistics": ("object or null", "The statistics of the segments, by test set: compressed, base64."),
    "segments": ("object or null", "The texts of the segments, if the report has them: compressed, base64."),
}


RECORDS = {
    "schema": SAID["schema"],
    "plans": ("list of objects", "Of `plan`: see Plans."),
    "comparisons": ("list of objects", "Of `compare --conventions`: see Rules of other tools."),
    "test_sets": ("object", "Of `compare --conventions --test-sets`: such a list per test set, by its name."),
    "calibrations": ("list of objects", "Of `calibrate`: see Calibration."),
    "warnings": SAID["warnings"],
    "read_as": SAID["read_as"],
}


def list_sections() -> list[Section]:
    """Return all objects, in the order of the page."""
    return [
        Section("A comparison", "`compare`, on one test set.", _result("Comparison"), (Comparison, Settings)),
        Section("Its metrics", "`metrics.NAME`.", (*OF_METRICS["Comparison"], "label"), (MetricComparison,)),
        Section("Its systems", "`metrics.NAME.systems[]`.", SystemEstimate.keys(), (SystemEstimate,)),
        Section(
            "Its comparisons",
            "`metrics.NAME.comparisons[]`: system a compared with system b.",
            _of_pairs(PairEstimate),
            (PairEstimate, Equivalence),
        ),
        Section("Ranking", "`metrics.NAME.ranking[]`, the best system first.", RankedSystem.keys(), (RankedSystem,)),
        Section("Assumptions", "`assumptions[]`.", _keys(Assumption), (Assumption,)),
        Section(
            "Doubts",
            "`doubts[]`.",
            (*(one for one in _keys(Doubt) if one != "what"), "share", "repair"),
            (Doubt,),
            {"without": ("list of objects", "What each comparison finds after the repair: see After a repair.")},
        ),
        Section("After a repair", "`doubts[].without[]`.", (*_keys(Without), "verdict_changes"), (Without,)),
        Section(
            "Warnings", "`warnings[]`, in every object.", ("code", "message", "path", "line", "count"), (DataWarning,)
        ),
        Section(
            "Several test sets",
            "`compare --test-sets`.",
            _result("CampaignComparison"),
            (CampaignComparison, Settings),
        ),
        Section("Their test sets", "`test_sets[]`.", CampaignTestSet.keys(), (CampaignTestSet,)),
        Section("Their metrics", "`metrics.NAME`.", (*OF_METRICS["CampaignComparison"], "label"), (CampaignMetric,)),
        Section("Their systems", "`metrics.NAME.systems[]`.", CampaignSystem.keys(), (CampaignSystem,)),
        Section(
            "Their comparisons",
            "`metrics.NAME.comparisons[]`: means over the test sets.",
            (*_of_pairs(CampaignPair), "sets"),
            (CampaignPair, Equivalence),
        ),
        Section(
            "Their comparisons on one test set",
            "`metrics.NAME.comparisons[].sets[]`.",
            SetEstimate.keys(),
            (SetEstimate,),
        ),
        Section("Their ranking", "`metrics.NAME.ranking[]`.", CampaignRank.keys(), (CampaignRank,)),
        Section("Variance", "`variance`.", _result("OptimizerVariance"), (OptimizerVariance, Settings)),
        Section(
            "Metrics of variance", "`metrics.NAME`.", (*OF_METRICS["OptimizerVariance"], "label"), (MetricVariance,)
        ),
        Section("Systems of variance", "`metrics.NAME.systems[]`.", SystemVariance.keys(), (SystemVariance,)),
        Section(
            "Plans, rules and calibrations",
            "`plan`, `compare --conventions` and `calibrate`: a list of records, one per metric and pair.",
            RECORDS,
            (),
            RECORDS,
        ),
        _records("plans", "Plans", "`plan`: `plans[]`.", Plan),
        Section("Power", "`plans[].powers[]`: one per number of units and of runs.", POWERS, (Plan, Power), POWERS),
        _records("comparisons", "Rules of other tools", "`compare --conventions`: `comparisons[]`.", Conventions),
        Section("One rule", "`comparisons[].rules[]`.", Convention.keys(), (Convention,)),
        _records("calibrations", "Calibration", "`calibrate`: `calibrations[]`.", Calibration),
        Section("Errors of a rule", "`calibrations[].rules[]`.", RuleErrors.keys(), (RuleErrors,)),
        Section(
            "Intervals of a calibration", "`calibrations[].intervals[]`.", IntervalCoverage.keys(), (IntervalCoverage,)
        ),
        Section(
            "Checks",
            "`check`.",
            ("schema", "n_segments", "n_references", "systems", "doubts", "lines", "warnings", "read_as"),
            (Inspection,),
            {"systems": ("list of objects", "Each `system` with the `gravity` of the gravest doubt.")},
        ),
        Section("Lines to look at", "`lines[]`.", _keys(DoubtfulLine), (DoubtfulLine,)),
        Section("Segments", "`segments`.", ("schema", "a", "b", "rng", "metrics", "warnings", "read_as"), ()),
        Section("Metrics of segments", "`metrics.NAME`.", SYSTEMS_OF_SEGMENTS, (), SYSTEMS_OF_SEGMENTS),
        Section(
            "Segments listed",
            "`metrics.NAME.segments[]`; also columns such as `document` and `run`, where there are some.",
            ("segment", *LISTED),
            (),
            LISTED,
        ),
        Section("Buckets", "`metrics.NAME.buckets[]`.", BUCKETS, (), BUCKETS),
        Section("N-grams", "`metrics.NAME.ngrams[]`.", _keys(MatchedNgram), (MatchedNgram,)),
        Section("Scores", "`score`: `metrics.NAME.systems[]`.", SCORES, (), SCORES),
        Section("A report", "`report --output report.json`, and the data within a report's page.", REPORT, (), REPORT),
    ]


def _records(name: str, heading: str, text: str, one: type[Estimate]) -> Section:
    said = {part: ("list of objects", "See below.") for part in PARTS[one.__name__] if part != "headline"}
    schema = f" Schema {SCHEMAS[name]}." if name in SCHEMAS else ""
    return Section(heading, f"{text}{schema}", (*one.keys(), *PARTS[one.__name__]), (one,), said)


def write() -> str:
    """Return one table per kind of object."""
    parts = []
    for one in list_sections():
        rows = [f"| `{key}` | {kind} | {meaning} |" for key, (kind, meaning) in describe_keys(one).items()]
        table = "\n".join(["| key | type | meaning |", "| --- | --- | --- |", *rows])
        parts += [f"## {one.heading}", one.text, table]
    return "\n\n".join(parts)


def describe_keys(section: Section) -> dict[str, tuple[str, str]]:
    """Return the type and the meaning of each key of an object."""
    return {key: _describe(section, key) for key in dict.fromkeys(section.keys)}


def _describe(section: Section, key: str) -> tuple[str, str]:
    if key in (section.said or {}):
        return section.said[key]
    if key in NESTED:
        return SAID[key]
    for one in section.classes:
        kind, meaning = find_field(one, key)
        if meaning:
            return kind or SAID.get(key, ("",))[0], meaning
    if key not in SAID:
        raise LookupError(f"{section.heading}: nothing says what {key!r} is")
    return SAID[key]


def find_field(owner: type, key: str) -> tuple[str, str]:
    """Return the type and the meaning of a field, as the docstring says it, or that of the part that has it."""
    for base in owner.__mro__:
        kind, meaning = _entries(base).get(key, ("", ""))
        elsewhere = re.match(r"(?:See|As in) `(\w+)`", meaning)
        if meaning and not elsewhere:
            return _as_json(kind or vars(base).get("__annotations__", {}).get(key, "")), _as_markdown(meaning)
        if elsewhere and inspect.isclass(other := getattr(sys.modules[base.__module__], elsewhere[1], None)):
            kind, meaning = find_field(other, key) if other is not owner else ("", "")
            if meaning:
                return kind, meaning
    value = inspect.getattr_static(owner, key, None)
    if isinstance(value, Of):
        home = next(base for base in owner.__mro__ if value.part in vars(base).get("__annotations__", {}))
        return find_field(getattr(sys.modules[home.__module__], home.__annotations__[value.part]), value.name)
    if isinstance(value, property) and value.__doc__:
        kind = str(inspect.get_annotations(value.fget).get("return", ""))
        return _as_json(kind), _as_markdown(value.__doc__.split("\n\n")[0])
    return "", ""


@cache
def _entries(one: type) -> dict[str, tuple[str, str]]:
    """Return the type and the text of each parameter and attribute that a docstring names."""
    if not one.__doc__:
        return {}
    read = NumpyDocString(inspect.cleandoc(one.__doc__))
    found: dict[str, tuple[str, str]] = {}
    for entry in [*read["Parameters"], *read["Attributes"]]:
        for name in entry.name.replace("\n", " ").split(","):
            found[name.strip()] = (entry.type, " ".join(entry.desc))
    return found


def _as_json(kind: str) -> str:
    """Return a type as JSON has it."""
    if kind.startswith("{"):
        values = re.findall(r'"([^"]+)"', kind)
        return " or ".join(f"`{one}`" for one in values) + (" or null" if "None" in kind else "")
    kind = kind.replace(" | ", " or ").replace("None", "null").replace(", optional", " or null")
    kind = re.sub(r"\bstr\b", "string", kind)
    kind = re.sub(r"\bfloat\b", "number", kind)
    kind = re.sub(r"\bint\b", "integer", kind)
    kind = re.sub(r"\bbool\b", "boolean", kind)
    kind = re.sub(r"\btuple of (?=[A-Z(])", "list of ", kind)
    kind = re.sub(r"\btuple of (\w+)", r"list of \1s", kind)
    return re.sub(r"\bdict of \w+ to \w+", "object", kind)


def _as_markdown(text: str) -> str:
    """Return a sentence of a docstring for a cell of a table."""
    text = " ".join(text.replace("``", "`").replace("|", "\\|").split())
    text = re.sub(r"(^|[.:] )None\b", r"\1Null", text)
    return re.sub(r"\bNone\b", "null", text)
