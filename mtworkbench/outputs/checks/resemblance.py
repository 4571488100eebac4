"""What outputs have in common with the references, the source and each other: copies."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments


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
