"""What outputs have in common with the references and with each other: copies, and ways of writing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence

from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments


def notice_copies(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], report: Report) -> None:
    """Notice a system that is a reference, and systems or runs that are byte-identical."""
    reference_of = {tuple(one.texts): one for one in reversed(references)}
    groups: dict[tuple[str | None, ...], list[tuple[str, Segments]]] = {}
    for system, run in runs:
        key = tuple(run.texts)
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


_NOTEWORTHY_SHARE = 0.001
_ENTITY = re.compile(r"&(?:amp|lt|gt|quot|apos|#[0-9]{1,7}|#x[0-9a-fA-F]{1,6});")


def notice_unlike_references(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], report: Report
) -> None:
    """Notice outputs written otherwise than the references: not in Unicode's form C, or with HTML entities."""
    traits: tuple[tuple[str, Callable[[str], bool], str, str], ...] = (
        (
            "normalization",
            lambda text: not unicodedata.is_normalized("NFC", text),
            "are not in Unicode's normal form C (NFC)",
            "characters that look alike will not match; accept 'nfc' to normalize all text",
        ),
        (
            "html-entities",
            lambda text: "&" in text and _ENTITY.search(text) is not None,
            "have HTML entities such as &quot;",
            "they will not match plain characters; unescape the file first",
        ),
    )
    for code, has_trait, what, consequence in traits:
        share_of_references = _share(references, has_trait)
        for _, run in runs:
            having = _having(run, has_trait)
            share = len(having) / max(1, len(run))
            larger, smaller = max(share, share_of_references), min(share, share_of_references)
            # A corpus that is written in one manner throughout has no problem, whatever the manner.
            if larger >= _NOTEWORTHY_SHARE and larger > 2 * smaller:
                count = f"{len(having):,} of {len(run):,} segments ({share:.1%}) of {run.label} {what}"
                message = f"{count}, but {share_of_references:.1%} of the references: {consequence}."
                together = (
                    f"{{count}} segments of {{places}} outputs ({{list}}) {what}, but {share_of_references:.1%} of the "
                    f"references: {consequence}."
                )
                run.notice(report, code, message, next(iter(having), None), len(having), together)


def _having(segments: Segments, has_trait: Callable[[str], bool]) -> list[int]:
    return [i for i, text in enumerate(segments.texts) if text is not None and has_trait(text)]


def _share(references: Sequence[Segments], has_trait: Callable[[str], bool]) -> float:
    present = sum(1 for one in references for text in one.texts if text is not None)
    return sum(len(_having(one, has_trait)) for one in references) / max(1, present)
