"""Which files hold the outputs of which systems, where systems need not be named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.files.bytes import Path, find_files
from mtworkbench.outputs.files.folders import outputs_in
from mtworkbench.outputs.files.naming import name_systems
from mtworkbench.outputs.files.runs import describe_runs, name_runs
from mtworkbench.wording import grouped

#: Files, a folder or a glob, whose systems are named after them; or the files of each system by its name.
SystemFiles = Path | Sequence[Path] | Mapping[str, Path | Sequence[Path]] | Iterable[tuple[str, Path | Sequence[Path]]]


def collect_files(
    systems: SystemFiles, report: Report, name: Callable[[Sequence[str]], Sequence[str]] | None = None
) -> dict[str, list[str]]:
    """Find the files of each system; those without names are named by ``name``, or else as `name_files` does."""
    if isinstance(systems, (str, os.PathLike)):
        if os.path.isdir(systems):
            return name_folder(os.fspath(systems), (), report)
        systems = [systems]
    if isinstance(systems, Sequence) and all(isinstance(one, (str, os.PathLike)) for one in systems):
        files = find_files(systems, "The systems")
        return _say_runs(name_files(files), report) if name is None else grouped(zip(name(files), files, strict=True))
    return {
        system: find_files(files, f"System {excerpt(system)}") for system, files in collect_systems(systems).items()
    }


def name_folder(folder: str, beside: Sequence[str], report: Report) -> dict[str, list[str]]:
    """Return the outputs in a folder by their systems, without the files ``beside``, and say how they were taken."""
    found, said = outputs_in([folder], "The outputs", beside)
    if not found:
        only = "contains only files that were given as reference, source, documents or domains"
        message = f"The outputs: {folder!r} {only}: add the outputs, or name another folder."
        raise InputError("no-match", message, path=folder)
    return _say_runs(name_files(found), report, said)


def _say_runs(named: dict[str, list[str]], report: Report, said: str = "") -> dict[str, list[str]]:
    if said := f"{said} {describe_runs(named)}".strip():
        report.notice("files-by-name", said)
    return named


def name_files(files: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of each system, run by run: `name_runs`, or else a system for each file, `name_systems`."""
    return grouped(name_runs(files) or zip(name_systems(files), files, strict=True))
