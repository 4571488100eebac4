"""Which files hold the outputs of which systems, where systems need not be named; of folders, which files are meant."""

from __future__ import annotations

import filecmp
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.names import collect_systems
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.files.bytes import Path, find_files, natural_order, read_bytes
from mtworkbench.outputs.files.fairseq import count_hypotheses
from mtworkbench.outputs.files.naming import (
    COMPRESSED,
    describe_runs,
    hide_run,
    is_called_after_run,
    name_runs,
    name_systems,
)
from mtworkbench.wording import grouped, name_some

# A role is a whole part of a name between dots, perhaps with a number or letter: no-ref.txt is an output.
_REFERENCE = re.compile(r"(refs?|references?)([-_]?([0-9]+|[a-d]))?")
_SOURCE = re.compile(r"(src|source)([-_]?[0-9]+)?")
_NO_OUTPUT = re.compile(r"docs?|documents?|docids?|ids?|readme")
_BACKUP = re.compile(r"(~|\.bak)$")
# What trainers leave beside outputs (settings, logs, models), by the endings of names.
_NO_TEXT = re.compile(
    r"\.(json|jsonl|ya?ml|toml|cfg|log|md|py|sh|pt|pth|bin|npz|npy|h5|ckpt|safetensors|model|vocab|spm|html|pdf|png)$"
)
# So many bytes tell text from other files.
_BEGINNING = 4096


def outputs_in(folders: Sequence[str], beside: Sequence[str] = ()) -> tuple[list[str], str]:
    """Return the outputs in folders, or in the folders in them, and what to say of their choice.

    Parameters
    ----------
    folders : sequence of str
        Several that have one file each that can be meant, of the same name, stand for these files.
    beside : sequence of str
        References, source and so on, which are no outputs; the first is a reference.

    Raises
    ------
    InputError
        ``folder`` where the files that are meant in folders are not clear, ``no-match`` where no file is there.
    """
    if len(folders) > 1 and len(meant := _find_meant(folders, "The outputs", beside)[0]) == 1:
        [(name, files)] = meant.items()
        return sorted(files, key=_by_parts), f"The outputs are {name!r}."
    found, said = [], []
    for folder in folders:
        files = [file for file in files_in(folder, "The outputs", beside[:1]) if not is_one_of(file, beside)]
        *left_out, outputs = sort_by_role(files)
        if others := [file for files_of_role in left_out for file in files_of_role]:
            said.append(describe_left_out(folder, others))
        inner = [file for file in outputs if os.path.dirname(file) != os.path.join(folder, "").rstrip(os.sep)]
        if inner:
            said.append(f"The outputs are {name_some([*map(repr, _group_by_pattern(folder, inner))], most=3)}.")
        found += outputs
    return found, " ".join(said)


def put_files_for_folders(named: Sequence[str], beside: Sequence[str]) -> tuple[list[str], str]:
    """Put the outputs in the folders among ``named`` in the place of the first folder; see `outputs_in`."""
    folders = [one for one in named if os.path.isdir(one)]
    if not folders:
        return list(named), ""
    found, said = outputs_in(folders, beside)
    at = named.index(folders[0])
    return [*named[:at], *found, *(file for file in named[at:] if file not in folders)], said


def files_in(folder: str, whose: str, references: Sequence[str] = ()) -> list[str]:
    """Return the files of a folder in natural order; hidden ones are left out, as by a glob.

    Where all outputs are in folders in it, such as ``base/pred.txt`` and ``new/pred.txt``, these are returned: see
    `_files_of_one_name`.

    Raises
    ------
    InputError
        ``folder`` where the files that are meant in folders are not clear, ``no-match`` where no file is there.
    """
    paths, inner = sorted(_visible(folder), key=natural_order), folders_in(folder)
    files = [path for path in paths if not os.path.isdir(path)]
    if inner and (sort_by_role(files)[3] or any(sort_by_role(inner)[:2])):
        problem = f"{whose}: {folder!r} contains a folder {os.path.basename(inner[0])!r}"
        raise InputError("folder", f"{problem}: name the files, or a folder that contains only files.", path=folder)
    if not paths:
        raise InputError("no-match", f"{whose}: there is no file in {folder!r}: name a folder with files.", path=folder)
    return files + (_files_of_one_name(folder, inner, whose, [*references, *sort_by_role(files)[0]]) if inner else [])


def put_all_for_folders(named: Iterable[str], whose: str) -> list[str]:
    """Put all files in a folder in the place of the folder; see `files_in`."""
    return [file for one in named for file in (files_in(one, whose) if os.path.isdir(one) else [one])]


def folders_in(folder: str) -> list[str]:
    """Return the folders in a folder in natural order; hidden ones are left out."""
    return sorted(filter(os.path.isdir, _visible(folder)), key=natural_order)


def _visible(folder: str) -> list[str]:
    return [os.path.join(folder, name) for name in os.listdir(folder) if not name.startswith(".")]


def _files_of_one_name(folder: str, inner: Sequence[str], whose: str, references: Sequence[str]) -> list[str]:
    """Return the files of the one name that can be meant in each of several folders, at any depth: see `_find_meant`.

    Folders that are called after runs, such as ``seed1``, hold one file per system, and so does a folder alone.
    """
    meant, names = _find_meant(inner, whose, references)
    alone = inner[0] if len(inner) == 1 else None
    if alone and len(meant) != 1 and (deeper := folders_in(alone)):
        return _files_of_one_name(alone, deeper, whose, references)
    if len(meant) == 1 or (
        meant and all(path == alone or is_called_after_run(os.path.basename(path)) for path in inner)
    ):
        return sorted((file for ones in meant.values() for file in ones), key=_by_parts)
    if meant:
        could = name_some([repr(name) for name in meant], "or", most=3)
        problem = f"it is not clear which files in {folder!r} you mean: name one of the patterns {could}"
    elif names:
        name, ones = max(names.items(), key=lambda pair: sum(_is_in(path, pair[1]) for path in inner))
        without = next(path for path in inner if not _is_in(path, ones))
        problem = f"{without!r} has no file like {ones[0]!r}: name the files, as in {name!r}"
    else:
        problem = f"there is no text in the folders of {folder!r}: name the files"
    raise InputError("folder", f"{whose}: {problem}.", path=folder)


def _find_meant(
    inner: Sequence[str], whose: str, references: Sequence[str]
) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return the files that can be meant by their patterns, and all texts; those meant have one name in every folder.

    Of several names, the reference's is meant, or those whose files have as many segments as the reference; but never
    copies of the reference.
    """
    inner = [path.rstrip(os.sep) for path in inner]
    files = [file for path in inner for file in _all_files(path) if not _NO_TEXT.search(file)]
    names = _group_by_pattern(os.path.commonpath(map(os.path.dirname, inner)), sort_by_role(files)[3])
    _refuse_lost_runs(inner, names, references, whose)
    meant = {name: ones for name, ones in names.items() if all(_is_in(path, ones) for path in inner)}
    if len(meant) < 2 or not references:
        return meant, names
    no_copies = {name: ones for name, ones in meant.items() if not all(_is_copy(one, references[0]) for one in ones)}
    called = os.path.basename(references[0])
    alike = {name: ones for name, ones in no_copies.items() if os.path.basename(name) == called}
    length = count_segments(references[0])
    as_long = {name: ones for name, ones in no_copies.items() if {*map(count_segments, ones)} == {length}}
    return alike or as_long or no_copies or meant, names


def _refuse_lost_runs(
    folders: Sequence[str], names: Mapping[str, Sequence[str]], references: Sequence[str], whose: str
) -> None:
    """Refuse folders of runs of which only some have the output of a system: the others would be read without it."""
    if not references or not all(is_called_after_run(os.path.basename(os.path.normpath(path))) for path in folders):
        return
    length = count_segments(references[0])
    for ones in names.values():
        lost = next((path for path in folders if not _is_in(path, ones)), None)
        if lost is not None and {*map(count_segments, ones)} == {length}:
            problem = f"{lost!r} has no file like {ones[0]!r}, so a run of a system seems to be missing"
            raise InputError("folder", f"{whose}: {problem}: add it, or name the files that are meant.", path=lost)


def _is_copy(file: str, reference: str) -> bool:
    return os.path.samefile(file, reference) or filecmp.cmp(file, reference, shallow=False)


def _group_by_pattern(folder: str, files: Iterable[str]) -> dict[str, list[str]]:
    return grouped((_pattern(folder, file), file) for file in files)


def _by_parts(path: str) -> list[list[tuple[int, int, str]]]:
    """Return a sort key under which the files of a folder ``base`` come before those of ``base-2``."""
    return [natural_order(part) for part in path.split(os.sep)]


def _all_files(folder: str) -> list[str]:
    """Return all files in a folder and in the folders in it."""
    return [file for path in _visible(folder) for file in (_all_files(path) if os.path.isdir(path) else [path])]


def _is_in(folder: str, files: Iterable[str]) -> bool:
    return any(file.startswith(os.path.join(folder, "")) for file in files)


def _pattern(folder: str, file: str) -> str:
    """Return the pattern of a file and of those like it in other folders, such as ``outputs/*/seed*/pred.txt``."""
    system, *parts = os.path.relpath(file, folder).split(os.sep)
    name = ".".join("*" if one == system else one for one in parts.pop().split("."))
    parts = ["*" if part == system else re.sub("[0-9]+", "*", part) for part in parts]
    return os.path.join(folder, "*", *parts, hide_run(name))


def count_segments(path: str) -> int:
    """Count the lines of a text, or the hypotheses that fairseq wrote into it; 0 where a file is no text."""
    with open(path, "rb") as stream:
        if b"\0" in stream.read(_BEGINNING) and not COMPRESSED.search(path):
            return 0
    data = read_bytes(path, Report())
    n_lines = data.count(b"\n") + (not data.endswith(b"\n"))
    return count_hypotheses(data.decode("utf-8", "replace").split("\n")) or n_lines


def is_one_of(file: str, others: Sequence[str]) -> bool:
    """Tell whether a file is one of others, by whatever names."""
    return any(os.path.exists(one) and os.path.exists(file) and os.path.samefile(one, file) for one in others)


def sort_by_role(files: Sequence[str]) -> tuple[list[str], list[str], list[str], list[str]]:
    """Sort the files of a folder into references, sources, files that are no texts, and outputs, by their names.

    A reference has a part such as ``ref`` between dots (``newstest2017.ref.de``, ``refs.test2010.lc.tok.en.0``), a
    source ``src`` or ``source``. No texts of systems are ``documents.txt``, ``ids.txt``, ``README`` and backups.
    """
    sorted_files: tuple[list[str], ...] = ([], [], [], [])
    for file in files:
        name = COMPRESSED.sub("", os.path.basename(file)).lower()
        parts = name.split(".")
        roles = (i for i, one in enumerate((_REFERENCE, _SOURCE, _NO_OUTPUT)) if any(map(one.fullmatch, parts)))
        sorted_files[2 if _BACKUP.search(name) else next(roles, 3)].append(file)
    references, sources, others, outputs = sorted_files
    return references, sources, others, outputs


def describe_left_out(folder: str, files: Sequence[str]) -> str:
    """Say which files of a folder were left out, because their names say that they are no outputs."""
    names = name_some([repr(os.path.basename(file)) for file in files])
    reason = "was left out, because its name is not that of an output"
    if len(files) > 1:
        reason = "were left out, because their names are not those of outputs"
    documents = any("doc" in os.path.basename(file).lower() for file in files)
    return f"In {folder!r}, {names} {reason}{'; name documents with --documents' if documents else ''}."


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
    found, said = outputs_in([folder], beside)
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
