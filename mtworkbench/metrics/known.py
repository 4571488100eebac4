"""The metrics of this package by their names, and how a metric is made from what a user writes."""

from __future__ import annotations

import re
from dataclasses import fields

from mtworkbench.errors import InputError
from mtworkbench.metrics.bleu import Bleu
from mtworkbench.metrics.chrf import ChrF
from mtworkbench.metrics.gtm import Gtm
from mtworkbench.metrics.length import Length
from mtworkbench.metrics.mean_score import MeanScore
from mtworkbench.metrics.meteor import Meteor
from mtworkbench.metrics.nist import Nist
from mtworkbench.metrics.options import parse_options
from mtworkbench.metrics.protocol import KnownMetric, Metric
from mtworkbench.metrics.ter import Ter
from mtworkbench.wording import begin, find_nearest

#: What a metric is called on the command line and in files of statistics. A fixed table: nothing is imported by name.
METRICS: dict[str, type[KnownMetric]] = {
    "bleu": Bleu,
    "chrf": ChrF,
    "ter": Ter,
    "nist": Nist,
    "gtm": Gtm,
    "meteor": Meteor,
    "length": Length,
    "mean": MeanScore,
}

#: What users of other programs call a metric with certain options.
ALIASES = {
    "chrf++": "chrf:word_order=2",
    "chrf2++": "chrf:word_order=2",
    "chrf+": "chrf:word_order=1",
    "chrf2": "chrf",
    "bleu-4": "bleu",
    "bleu4": "bleu",
    "sacrebleu": "bleu",
}
# Metrics that other programs compute, with neural networks (source: Unbabel/COMET, README.md: ``comet-score`` and the
# names of its models). How COMET's program is told which model to use, and whether it needs references.
_COMET = {
    "xcomet": ("XCOMET", " --model Unbabel/XCOMET-XL", True),
    "cometkiwi": ("CometKiwi", " --model Unbabel/wmt22-cometkiwi-da", False),
    "comet": ("COMET", "", True),
}
# With a file per system: one number per line, what bert-score -s prints, or MetricX's JSON lines.
_OTHERS = {"bleurt": ("BLEURT", "txt"), "bertscore": ("BERTScore", "txt"), "metricx": ("MetricX", "jsonl")}


def make_metric(spec: str | Metric, *, tokenize: str | None = None, lowercase: bool = False) -> Metric:
    """Make a metric from its name and options.

    Parameters
    ----------
    spec : str or Metric
        ``NAME`` or ``NAME:option=value,...`` with the options by their names in Python, such as
        ``"chrf:word_order=2"``, which may be written ``"chrF++"`` (see `ALIASES`); a metric is returned as it is.
    tokenize : str, optional
        The tokenizer of every metric whose tokenizer can be chosen and that does not name its own.
    lowercase : bool
        True: case is ignored by every metric that has a case and does not say otherwise itself. False: each metric
        keeps its own convention (TER ignores case).

    Raises
    ------
    InputError
        ``unknown-metric``, ``unknown-option`` or ``option-value``, naming the possible ones; ``not-a-metric`` where it
        is neither a name nor a metric; ``not-computed-here`` for metrics such as COMET, saying which program to run.
    """
    if not isinstance(spec, str):
        _check_is_metric(spec)
        return spec
    name, text = _settle_alias(*spec.partition(":")[::2])
    metric_class = METRICS.get(name.strip().lower())
    if metric_class is None:
        raise not_computed_here(name) if is_not_computed_here(name) else _unknown_metric(name.strip())
    options = parse_options(metric_class, text)
    known = {field.name for field in fields(metric_class)}
    if tokenize is not None and "tokenize" in known:
        options.setdefault("tokenize", tokenize)
    if lowercase and "lowercase" in known:
        options.setdefault("lowercase", True)
    if lowercase and "case_sensitive" in known:
        options.setdefault("case_sensitive", False)
    return metric_class(**options)


def _settle_alias(name: str, text: str) -> tuple[str, str]:
    """Return the name of a metric and its options, where the name may stand for some of these."""
    name, _, options = ALIASES.get(name.strip().lower(), name).partition(":")
    return name, ",".join(filter(None, (options, text.strip())))


def name_class(metric: Metric) -> str | None:
    """Return the name in `METRICS` of a metric's class; None of one that is not of this package."""
    return next((name for name, metric_class in METRICS.items() if metric_class is type(metric)), None)


def unit_of(name: str) -> str:
    """Return the unit of the metric with this name in tables, for the axes of figures; empty if it has none."""
    return next((metric_class.unit for metric_class in METRICS.values() if metric_class().name == name), "")


def _check_is_metric(metric: object) -> None:
    if isinstance(metric, type):
        found, hint = f"the class {metric.__name__}", f"write {metric.__name__}() for a metric with the usual options"
    elif callable(getattr(metric, "segment_statistics", None)) and callable(getattr(metric, "score", None)):
        return
    else:
        found = "None" if metric is None else f"an object of type {type(metric).__name__}"
        hint = f"the known names are {', '.join(METRICS)}"
    expected = "a name such as 'bleu' or a metric such as Bleu()"
    message = f"{begin(found)} was given for a metric, but {expected} was expected: {hint}."
    raise InputError("not-a-metric", message, found=found, expected=expected, hint=hint)


def _unknown_metric(name: str) -> InputError:
    parts = [part.strip().lower() for part in name.split(",")]
    if len(parts) > 1 and {*parts} <= {*METRICS, *ALIASES}:
        hint = f"name each by itself, as in -m {' '.join(parts)} (in Python, in a list)"
    elif name.lower() == "spbleu":
        hint = "write bleu:tokenize=flores200, or bleu:tokenize=flores101"
    else:
        near = find_nearest(name.lower(), METRICS)
        hint = f"did you mean {near!r}?" if near else "write one of these"
    return InputError(
        "unknown-metric",
        f"There is no metric {name!r} among {', '.join(METRICS)}: {hint}{'' if hint.endswith('?') else '.'}",
        found=name,
        hint=hint,
    )


def is_not_computed_here(name: str) -> bool:
    """Tell whether a name is that of a metric which another program computes."""
    return bool(_family(name))


def not_computed_here(name: str) -> InputError:
    """Make the error that says what to run for such a metric, and how to bring the result in."""
    family = _family(name)
    if family in _COMET:
        title, model, has_references = _COMET[family]
        reference = " -r REFERENCE" if has_references else ""
        run = f"run 'comet-score -s SOURCE -t OUTPUT ...{reference}{model} --to_json {family}.json'"
        renamed = "" if family == "comet" else f".rename(columns={{'comet': '{family}'}})"
        file, read = f"{family}.json", f"read_scores('{family}.json'){renamed}"
        given = file if family == "comet" else f"{family}={file}"
    else:
        title, ending = _OTHERS[family]
        files = f"{family}/*.{ending}"
        given = f"{family}='{files}'"
        run = f"score each system's output with {title}'s own program, into files such as {family}/SYSTEM.{ending}"
        read = f"read_scores('{files}')" if family == "metricx" else f"read_scores('{files}', name='{family}')"
    hint = f"{run}, and add the scores with --scores {given} (in Python: add_scores(outputs, {read}))"
    return InputError("not-computed-here", f"{title} is not computed here: {hint}.", found=name, hint=hint)


def _family(name: str) -> str:
    key = re.sub(r"[^a-z0-9]", "", name.lower())
    return next((family for family in (*_COMET, *_OTHERS) if family in key), "")
