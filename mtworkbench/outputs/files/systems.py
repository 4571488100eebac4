"""Which files hold the outputs of which systems, where systems need not be named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.files.bytes import Path, find_files
from mtworkbench.outputs.files.folders import files_in
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
        systems = files_in(os.fspath(systems), "The systems") if os.path.isdir(systems) else [systems]
    if isinstance(systems, Sequence) and all(isinstance(one, (str, os.PathLike)) for one in systems):
        files = find_files(systems, "The systems")
        if name is not None:
            return grouped(zip(name(files), files, strict=True))
        named = name_files(files)
        if said := describe_runs(named):
            report.notice("files-by-name", said)
        return named
    return {
        system: find_files(files, f"System {excerpt(system)}") for system, files in collect_systems(systems).items()
    }


def name_files(files: Sequence[str]) -> dict[str, list[str]]:
    """Return the files of each system, run by run: `name_runs`, or else a system for each file, `name_systems`."""
    return grouped(name_runs(files) or zip(name_systems(files), files, strict=True))
