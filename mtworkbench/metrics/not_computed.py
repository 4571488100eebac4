"""Metrics that other programs compute, with neural networks: what to run, and how to bring their scores in.

Source: Unbabel/COMET, README.md (``comet-score`` and the names of its models).
"""

from __future__ import annotations

import re

from mtworkbench.errors import InputError

# How COMET's program is told which model to use, and whether it needs references.
_COMET = {
    "xcomet": ("XCOMET", " --model Unbabel/XCOMET-XL", True),
    "cometkiwi": ("CometKiwi", " --model Unbabel/wmt22-cometkiwi-da", False),
    "comet": ("COMET", "", True),
}
# With a file per system: one number per line, what bert-score -s prints, or MetricX's JSON lines.
_OTHERS = {"bleurt": ("BLEURT", "txt"), "bertscore": ("BERTScore", "txt"), "metricx": ("MetricX", "jsonl")}


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
