"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they notice depends on nothing but the texts and what these are
called, so a second look would notice the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from mtworkbench.cache import Cache, digest_code
from mtworkbench.outputs.checks.order import notice_order
from mtworkbench.outputs.checks.report import Notice, Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.traits import notice_tokenization, notice_traits

# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)


def notice_relations(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None, report: Report
) -> None:
    """Notice files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None
    report : Report
    """
    cache = Cache("check results")
    look = partial(_look, references, runs, source)
    if not cache.is_on or _CODE is None:
        report.add(look())
        return
    described = _describe(references, runs, source)
    noticed = cache.find(described, _read)
    if noticed is None:
        noticed = cache.make(described, look, _write)
    report.add(noticed)
    for warning in cache.warnings():
        report.notice(warning.code, str(warning), path=warning.path, count=warning.count)


def _look(
    references: Sequence[Segments], named_runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Notice]:
    report = Report()
    runs = [run for _, run in named_runs]
    notice_traits(references, runs, report)
    notice_tokenization(references, runs, report)
    notice_copies(references, named_runs, report)
    if source is not None:
        notice_untranslated(source, runs, report)
    notice_order(references[0], runs, report)
    return report.notices


def _describe(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None) -> bytes:
    """Return everything that the notices depend on."""
    every = [*references, *(run for _, run in runs), *([] if source is None else [source])]
    # A file that is given twice is one thing, and noticed once.
    number = {one: i for i, one in enumerate(dict.fromkeys(every))}
    described = {
        "code": [_CODE, sys.version],
        "segments": [
            [one.label, one.path, one.digest.hex(), None if one.lines is None else list(map(int, one.lines))]
            for one in number
        ],
        "references": [number[one] for one in references],
        "runs": [[system, number[run]] for system, run in runs],
        "source": None if source is None else number[source],
    }
    return json.dumps(described).encode()


def _write(notices: Sequence[Notice]) -> bytes:
    return json.dumps([vars(one) for one in notices]).encode()


def _read(content: bytes) -> list[Notice]:
    return [Notice(**one) for one in json.loads(content)]


def notice_copies(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], report: Report) -> None:
    """Notice a system that is a reference, and systems or runs that are byte-identical."""
    reference_of = {one.digest: one for one in reversed(references)}
    groups: dict[bytes, list[tuple[str, Segments]]] = {}
    for system, run in runs:
        key = run.digest
        groups.setdefault(key, []).append((system, run))
        if key in reference_of:
            what = f"{_named(run, system)} equals {_reference(reference_of[key])}"
            message = f"{what}: was a reference given in place of an output?"
            together = (
                "{places} outputs equal a reference, so references may have been given in place of outputs: {list}."
            )
            run.notice(report, "hyp-is-ref", message, None, 1, together)
    for group in groups.values():
        by_system = {system: [run for name, run in group if name == system] for system, _ in group}
        for system, same in by_system.items():
            if len(same) > 1:
                labels = ", ".join(run.label for run in same)
                message = f"{len(same)} runs of system {excerpt(system)} are identical ({labels}): runs should differ."
                together = "{places} systems have identical runs, although runs should differ: {list}."
                report.notice(
                    "identical-runs",
                    message,
                    path=same[1].path,
                    count=len(same),
                    whose=excerpt(system),
                    together=together,
                )
        if len(by_system) > 1:
            labels = ", ".join(_named(same[0], system) for system, same in by_system.items())
            message = f"{len(by_system)} systems have identical outputs: {labels}. No test will tell them apart."
            together = (
                "{count} systems are in {places} groups with identical outputs; no test can distinguish the "
                "systems of a group: {list}."
            )
            report.notice(
                "identical-systems",
                message,
                path=group[1][1].path,
                count=len(by_system),
                whose=" = ".join(map(excerpt, by_system)),
                together=together,
            )


def _named(run: Segments, system: str) -> str:
    """Name a run; the label of a list or a column says already whose it is."""
    return run.label if excerpt(system) in run.label else f"{run.label} (system {excerpt(system)})"


def _reference(reference: Segments) -> str:
    return reference.label if "reference" in reference.label else f"{reference.label}, the reference"


# In the real files at hand, at most 2 % of the segments of an output are the source: names, numbers.
_NOTEWORTHY_SHARE = 0.25


def notice_untranslated(source: Segments, runs: Sequence[Segments], report: Report) -> None:
    """Notice outputs of which many segments are the source."""
    n_filled = sum(1 for text in source.texts if text and text.strip())
    for run in runs:
        same = [
            i
            for i, (text, original) in enumerate(zip(run.texts, source.texts, strict=True))
            if text == original and text and text.strip()
        ]
        if same and len(same) >= _NOTEWORTHY_SHARE * n_filled:
            message = (
                f"{len(same):,} of {len(run):,} segments of {run.label} are the source, untranslated, the first in "
                f"{run.unit} {run.line(same[0]):,}: was the source given in place of an output?"
            )
            together = (
                "{count} segments of {places} outputs are the source, untranslated, so the source may have been given "
                "in place of outputs: {list}."
            )
            run.notice(report, "hyp-is-source", message, same[0], len(same), together)
