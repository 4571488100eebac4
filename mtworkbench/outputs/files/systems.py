"""Which files hold the outputs of which systems, where systems need not be named."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence

from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.files.bytes import Path, find_files
from mtworkbench.outputs.files.folders import files_in
from mtworkbench.outputs.files.naming import COMPRESSED, name_systems

#: Files, a folder or a glob, whose systems are named after them; or the files of each system by its name.
SystemFiles = Path | Sequence[Path] | Mapping[str, Path | Sequence[Path]] | Iterable[tuple[str, Path | Sequence[Path]]]


def collect_files(
    systems: SystemFiles, name: Callable[[Sequence[str]], Sequence[str]] | None = None
) -> dict[str, list[str]]:
    """Find the files of each system; those that come without names are systems that ``name`` names, or their files."""
    if isinstance(systems, (str, os.PathLike)):
        systems = files_in(os.fspath(systems), "The systems") if os.path.isdir(systems) else [systems]
    if isinstance(systems, Sequence) and all(isinstance(one, (str, os.PathLike)) for one in systems):
        files = find_files(systems, "The systems")
        return {system: [file] for system, file in zip((name or name_whole)(files), files, strict=True)}
    return {
        system: find_files(files, f"System {excerpt(system)}") for system, files in collect_systems(systems).items()
    }


def name_whole(paths: Sequence[str]) -> Sequence[str]:
    """Name systems by whole names of files, without their endings: models have dots and numbers in their names."""
    names = [os.path.splitext(os.path.basename(COMPRESSED.sub("", path)))[0] for path in paths]
    return names if len(set(names)) == len(names) else name_systems(paths)
