"""What the names of files say: the systems, the runs of each, and in a folder which files are references."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from mtworkbench.errors import InputError
from mtworkbench.outputs.files.bytes import natural_order
from mtworkbench.wording import name_some

COMPRESSED = re.compile(r"(?<=[^/])\.(gz|xz|bz2|zst)$")
# What a file's name ends with is not what tells systems apart.
ENDINGS = ("txt", "text", "tok", "detok", "sgm", "sgml", "xml", "tsv", "csv")
# What MultEval and others call the runs of a system: hyps.base.opt0, base.run1.txt, base_seed2.
_RUN = re.compile(r"(?:^|[._-])(opt|run|rep|seed)[._-]?([0-9]{1,9})(?=[._-]|$)", re.IGNORECASE)
#: What is asked of runs on several test sets, and what to do where they are others.
SAME_RUNS = (
    "run k must be the same trained system on every set; give the outputs of the same runs, or give the files of one "
    "trained system the same number"
)
# A role is a whole part of a name between dots, perhaps with a number or letter: no-ref.txt is an output.
_REFERENCE = re.compile(r"(refs?|references?)([-_]?([0-9]+|[a-d]))?")
_SOURCE = re.compile(r"(src|source)([-_]?[0-9]+)?")
_NO_OUTPUT = re.compile(r"docs?|documents?|docids?|ids?|readme")
_BACKUP = re.compile(r"(~|\.bak)$")


def files_in(folder: str, whose: str) -> list[str]:
    """Return the files of a folder in natural order; hidden ones are left out, as by a glob.

    Raises
    ------
    InputError
        ``folder`` where a folder is in it, ``no-match`` where no file is.
    """
    paths = [os.path.join(folder, name) for name in os.listdir(folder) if not name.startswith(".")]
    inner = next((path for path in sorted(paths, key=natural_order) if os.path.isdir(path)), None)
    if inner is not None:
        message = (
            f"{whose}: {folder!r} contains a folder {os.path.basename(inner)!r}: name the files, or a folder that "
        )
        raise InputError("folder", f"{message}contains only files.", path=folder)
    if not paths:
        raise InputError("no-match", f"{whose}: there is no file in {folder!r}: name a folder with files.", path=folder)
    return sorted(paths, key=natural_order)


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
        has = [any(map(role.fullmatch, parts)) for role in (_REFERENCE, _SOURCE, _NO_OUTPUT)]
        has[2] = has[2] or _BACKUP.search(name) is not None
        role = 2 if _BACKUP.search(name) else has.index(True) if any(has) else 3
        sorted_files[role].append(file)
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


def name_runs(files: Sequence[str]) -> list[tuple[str, str]] | None:
    """Take files for runs of systems, where their names leave no doubt.

    Every name has one part with a run's number, such as ``opt0``, with the same word; the files of at least two
    systems differ in it, and the numbers of each count from 0 or 1 without a gap, or are the same in all: MultEval's
    ``hyps.base.opt0``, ``hyps.base.opt1``, ``hyps.new.opt0`` ... In ``newstest2017.online-A.0.en-de`` the 0 is no run,
    because it has no such word.

    Parameters
    ----------
    files : sequence of str
        Different files.

    Returns
    -------
    list of (str, str), or None
        System and file; the systems in the order of their first files, runs in the order of their numbers. None where
        each file is to be taken for a system.
    """
    groups: dict[str, dict[int, str]] = {}
    words = set()
    for file in files:
        if (found := _find_run(file)) is None:
            return None
        rest, word, number = found
        words.add(word)
        if groups.setdefault(rest, {}).setdefault(number, file) != file:
            return None
    counted = all(sorted(runs) in (list(range(len(runs))), list(range(1, len(runs) + 1))) for runs in groups.values())
    counted = counted or len({frozenset(runs) for runs in groups.values()}) == 1
    if len(words) > 1 or len(groups) < 2 or max(map(len, groups.values())) < 2 or not counted:
        return None
    names = name_systems(list(groups))
    return [
        (system, runs[number]) for system, runs in zip(names, groups.values(), strict=True) for number in sorted(runs)
    ]


def _find_run(file: str) -> tuple[str, str, int] | None:
    """Take a file's name apart: what is left without the run, its word and its number; None without one such part."""
    folder, name = os.path.split(COMPRESSED.sub("", file))
    found = list(_RUN.finditer(name))
    if len(found) != 1:
        return None
    [run] = found
    return os.path.join(folder, name[: run.start()] + name[run.end() :]), run[1].lower(), int(run[2])


def tell_apart(files: Sequence[str]) -> list[str]:
    """Return the names of a system's files, or where all are equal the paths from the last folders that differ."""
    paths = [os.path.normpath(COMPRESSED.sub("", file)).split(os.sep) for file in files]
    shared = len(os.path.commonprefix([path[::-1] for path in paths]))
    if len(files) == 1 or shared == min(map(len, paths)):
        shared = 0
    return ["/".join(path[-1 - shared :]) for path in paths]


def number_runs(files: Sequence[str]) -> list[int] | None:
    """Read the numbers of a system's runs from the names of its files, such as ``base.run2`` and ``base.run3``.

    Where all files have one name, their folders tell them apart: ``run2/out.txt`` and ``run3/out.txt``.

    Returns
    -------
    list of int, or None
        None where a name has no such number or several, or where two have the same or other words before them.
    """
    found = [run for name in tell_apart(files) if (run := _find_run(name.partition("/")[0])) is not None]
    if len(found) < len(files) or len({word for _, word, _ in found}) > 1:
        return None
    numbers = [number for _, _, number in found]
    return numbers if len(set(numbers)) == len(numbers) else None


def sort_runs(files: Sequence[str]) -> list[str]:
    """Return the files of a system's runs in the order of their numbers, or as they are where these are not known."""
    numbers = number_runs(files)
    return list(files) if numbers is None else [file for _, file in sorted(zip(numbers, files, strict=True))]


def group_files(named: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    """Return the files of each system, where each file comes with the name of its system: several are its runs."""
    files: dict[str, list[str]] = {}
    for system, file in named:
        files.setdefault(system, []).append(file)
    return files


def describe_runs(named: Sequence[tuple[str, str]]) -> str:
    """Say which files were taken for runs."""
    counts = {system: len(files) for system, files in group_files(named).items()}
    systems = name_some([f"{system} ({count} {'run' if count == 1 else 'runs'})" for system, count in counts.items()])
    treated = f"{len(named):,} files are treated as runs of {len(counts):,} systems"
    return f"Because of the numbers in their names, {treated}: {systems}."


def why_no_runs(files: Sequence[str]) -> str | None:
    """Say why files are no runs by `name_runs`, though some have numbers of runs in their names; None where none has.

    Two runs at least must be of one system, or numbers such as ``opt0`` may name systems.
    """
    groups: dict[str, set[int]] = {}
    without = []
    for file in files:
        if (found := _find_run(file)) is None:
            without.append(os.path.basename(COMPRESSED.sub("", file)))
        else:
            groups.setdefault(found[0], set()).add(found[2])
    if not groups or max(map(len, groups.values())) < 2 or len(groups) + len(without) < 2:
        return None
    if without:
        return f"{name_some([repr(one) for one in without])} {'has' if len(without) == 1 else 'have'} no such number"
    systems = name_systems(list(groups))
    largest = set.union(*groups.values())
    for system, runs in zip(systems, groups.values(), strict=True):
        lacking = sorted((set(range(min(largest), max(runs))) if max(largest) < 100 else largest) - runs)
        if lacking:
            has = name_some([str(one) for one in sorted(runs)])
            one_or_more = "run" if len(runs) == 1 else "runs"
            return f"{system} has {one_or_more} {has}, but no run {lacking[0]}"
    return "their names differ in more than the system and the number"


def name_systems(files: Sequence[str]) -> list[str]:
    """Name systems by their files: the file names without what all share at both ends, cut at dots.

    What a compressed file's name adds is left out first. Files of one name in several folders are named by their
    folders. Where nothing, no letter, an ending, or the same would be left of some, all keep what they begin with, or
    their whole file names.

    Parameters
    ----------
    files : sequence of str
        Different files.

    Returns
    -------
    list of str
        Different names, in the order of the files.
    """
    plain = [COMPRESSED.sub("", file) for file in files]
    if len(files) == 1:
        return [os.path.splitext(os.path.basename(plain[0]))[0]]
    if len(set(map(os.path.abspath, plain))) < len(plain):  # one of them is another one, compressed
        return _shortest_paths(files)
    parts = [re.split(r"([./])", name) for name in _shortest_paths(plain)]
    begin, end = _count_shared(parts), _count_shared([one[::-1] for one in parts])
    for first in (begin, 0):
        names = ["".join(one[first : len(one) - end]) for one in parts]
        if len(set(names)) == len(names) and all(map(_can_be_a_name, names)):
            return names
    return _shortest_paths(files)


def _shortest_paths(files: Sequence[str]) -> list[str]:
    """Return the file names, or where some are alike the paths from the folder that all share."""
    names = [os.path.basename(file) for file in files]
    if len(set(names)) == len(names):
        return names
    paths = [os.path.abspath(file) for file in files]
    shared = os.path.commonpath(map(os.path.dirname, paths))
    return [os.path.relpath(path, shared).replace(os.sep, "/") for path in paths]


def _can_be_a_name(text: str) -> bool:
    """Tell whether something with a letter is left of a file's name, and more than its ending."""
    return re.search(r"[^\W\d_]", text) is not None and text.casefold() not in ENDINGS


def _count_shared(parts: Sequence[list[str]]) -> int:
    """Count the parts that all begin with, each word with the separator after it."""
    count = len(os.path.commonprefix(parts))
    return count - count % 2
