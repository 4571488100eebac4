"""What the names of files and folders say: the names of systems, which files are runs of one, and which run each is."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from mtworkbench.wording import grouped, name_some, tally

COMPRESSED = re.compile(r"(?<=[^/])\.(gz|xz|bz2|zst)$")
# Where names are cut: never inside a number, as in gpt-4.1 and qwen2.5.
_CUT = re.compile(r"((?<![0-9])\.|\.(?![0-9])|/)")
# What a file's name ends with is not what tells systems apart.
ENDINGS = ("txt", "text", "tok", "detok", "sgm", "sgml", "xml", "tsv", "csv")


def name_systems(files: Sequence[str]) -> list[str]:
    """Name systems by their files: the file names without what all share at both ends, cut at dots.

    A dot in a number, as in ``gpt-4.1``, is no place to cut. What a compressed file's name adds is left out first.
    Files of one name in several folders are named by their folders. Where nothing, no letter, an ending, or the same
    would be left of some, all keep what they begin with, are named by their folders (``base/00026000.hyps``,
    ``new/00045000.hyps``), or keep their whole file names.

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
        return shortest_paths(files)
    parts = [_CUT.split(name) for name in shortest_paths(plain)]
    begin, end = _count_shared(parts), _count_shared([one[::-1] for one in parts])
    for first in (begin, 0):
        names = ["".join(one[first : len(one) - end]) for one in parts]
        if len(set(names)) == len(names) and all(map(_can_be_a_name, names)):
            return names
    folders = [os.path.dirname(name) for name in plain]
    if len(set(folders)) == len(folders) and all(folders) and all(map(_can_be_a_name, names := name_systems(folders))):
        return names
    return shortest_paths(files)


def shortest_paths(files: Sequence[str]) -> list[str]:
    """Return the file names, or where some are alike the paths from the folder that all share."""
    names = [os.path.basename(file) for file in files]
    return names if len(set(names)) == len(names) else inner_paths(files)


def inner_paths(files: Sequence[str]) -> list[str]:
    """Return the paths from the folder that all files share."""
    paths = list(map(os.path.abspath, files))
    shared = os.path.commonpath(map(os.path.dirname, paths))
    return [os.path.relpath(path, shared).replace(os.sep, "/") for path in paths]


def _can_be_a_name(text: str) -> bool:
    """Tell whether something with a letter is left of a file's name, and more than its ending."""
    return re.search(r"[^\W\d_]", text) is not None and text.casefold() not in ENDINGS


def _count_shared(parts: Sequence[list[str]]) -> int:
    """Count the parts that all begin with, each word with the separator after it."""
    count = len(os.path.commonprefix(parts))
    return count - count % 2


# What MultEval and others call the runs of a system: hyps.base.opt0, base.run1.txt, base_seed2, base/seed-11/pred.txt.
_MARKED = re.compile(
    r"(?:^|[./_-])(?P<word>opt|run|rep|replica|seed|trial)[._=-]?(?P<digits>[0-9]{1,9})(?=[./_-]|$)", re.IGNORECASE
)
# A number between separators: base-1111.hyp, base/1/test.hyps; but neither part of 0.5.
_BARE = re.compile(r"(?:^|(?<![0-9])\.|[/_-])(?P<word>)(?P<digits>[0-9]{1,9})(?=[/_-]|\.(?![0-9])|$)")
# What comes before a number that is a setting or the state of one training run, not a seed.
_SETTING = re.compile(
    r"(?:^|[./_-])(?:beam|bpe|checkpoint|ckpt|dim|doc|epochs?|fold|iter|k|layers?|lr|nbest|part|p|set|shard|shots?|"
    r"size|steps?|temp|temperature|top|updates?|v|version|vocab)$",
    re.IGNORECASE,
)
# Dates as models have them in their names: 2025, 2407, 1106, 0613, 250115, 202501, 20240620.
_DATE = re.compile(r"(?:(?:19|20)[0-9]{2}|(?:(?:20)?2[0-9])?(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])?)")
#: What is asked of runs on several test sets, and what to do where they are others.
SAME_RUNS = (
    "run k must be the same trained system on every set; give the outputs of the same runs, or give the files of one "
    "trained system the same number"
)


class Run(NamedTuple):
    """What the name of a file says of its run."""

    rest: str  #: the path without it: what the files of one system share
    word: str  #: the word before the number, such as ``seed``; empty without one
    digits: str
    alone: bool  #: whether a folder or a file, but for its ending, is called by the number alone

    @property
    def number(self) -> int:
        """The number."""
        return int(self.digits)


def name_runs(files: Sequence[str]) -> list[tuple[str, str]] | None:
    """Take files for runs of systems, where the names of files and folders leave no doubt: see `find_runs`.

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
    if (found := find_runs(files)) is None:
        return None
    systems = grouped((run.rest, (run.number, file)) for run, file in zip(found, files, strict=True))
    names = name_systems(list(systems))
    return [(name, file) for name, runs in zip(names, systems.values(), strict=True) for _, file in sorted(runs)]


def find_runs(files: Sequence[str]) -> list[Run] | None:
    """Return the run of each file where the files are runs of at least two systems beyond doubt; else None.

    Every path has one part with a run's number and the same word, such as ``opt0``, and the numbers of each system
    count from 0 or 1 without a gap, or are the same in all: MultEval's ``hyps.base.opt0``, ``hyps.base.opt1``,
    ``hyps.new.opt0`` ..., ``base/seed1111/pred.txt`` ... A number without such a word is a run's only where all systems
    have the same numbers, two at least, and these look like seeds (``base-1111.hyp``) or count files or folders that
    are called by nothing else (``base/1/test.hyps``). In ``newstest2017.online-A.0.en-de`` the 0 is no run.
    """
    paths = _inner_paths(files)
    marked = [run for path in paths if (run := _find_run(path)) is not None]
    if len(marked) < len(files):
        return None if marked or not (bare := _find_bare(paths)) or not _are_bare_runs(bare) else bare
    systems = _numbers_of_systems(marked)
    fits = all(map(_counts, systems)) or _all_alike(systems)
    several = len(systems) > 1 and max(map(len, systems)) > 1
    return marked if fits and several and len({run.word for run in marked}) == 1 else None


def _inner_paths(files: Sequence[str]) -> list[str]:
    """Return the paths from the folder that all files share, without what a compressed file's name adds."""
    return inner_paths([COMPRESSED.sub("", file) for file in files])


def _find_run(path: str) -> Run | None:
    """Find the one run's number with a word in a file's name, or in its folders where the name has none."""
    name = path.rpartition("/")[2]
    found = list(_MARKED.finditer(path))
    in_name = [one for one in found if one.end() > len(path) - len(name)]
    return _make_run(path, (in_name or found)[0]) if len(in_name or found) == 1 else None


def _find_bare(paths: Sequence[str]) -> list[Run] | None:
    """Find in each path the one number that not all paths have; None where it is no run's."""
    found = [list(_BARE.finditer(path)) for path in paths]
    shared = set.intersection(*({one["digits"] for one in numbers} for numbers in found))
    varying = [[one for one in numbers if one["digits"] not in shared] for numbers in found]
    if any(len(one) != 1 for one in varying):
        return None
    if any(_SETTING.search(path[: one.start()]) for path, [one] in zip(paths, varying, strict=True)):
        return None
    return [_make_run(path, one) for path, [one] in zip(paths, varying, strict=True)]


def _make_run(path: str, found: re.Match[str]) -> Run:
    before, after = path[: found.start()], path[found.end() :]
    begins = found.start() == 0 and path[0].isalnum() or path[found.start()] == "/"
    alone = begins and (after[:1] in ("", "/") or re.fullmatch(r"\.[^./]+", after) is not None)
    rest = f"{before}/{after[1:]}" if begins else before + after  # A/seed1/x is A/x, and A_seed1/x, too
    return Run(rest.strip("/"), found["word"].lower(), found["digits"], alone)


def _are_bare_runs(runs: Sequence[Run]) -> bool:
    """Tell whether numbers without a word can be nothing but runs."""
    systems = _numbers_of_systems(runs)
    if len(systems) < 2 or len(systems[0]) < 2 or not _all_alike(systems):
        return False
    return _look_like_seeds({run.digits for run in runs}) or (all(run.alone for run in runs) and _counts(systems[0]))


def _look_like_seeds(digits: Iterable[str]) -> bool:
    """Tell whether numbers look like seeds: not like dates, sizes, versions, or steps of training."""
    telling = [one for one in digits if len(one) > 2]
    if any(one[0] == "0" or _DATE.fullmatch(one) for one in telling if len(set(one)) > 1):
        return False
    numbers = sorted(map(int, digits))
    evenly = numbers[0] > 9 and all(number % numbers[0] == 0 for number in numbers)
    if evenly and any(len(set(one)) > 1 for one in telling):  # 1111, 2222 are seeds; 756, 1512 are steps
        return False
    return any(int(one) % 10 and int(one) & (int(one) - 1) for one in telling)


def _numbers_of_systems(runs: Iterable[Run]) -> list[list[int]]:
    return [sorted(numbers) for numbers in grouped((run.rest, run.number) for run in runs).values()]


def _counts(numbers: list[int]) -> bool:
    """Tell whether numbers count from 0 or 1 without a gap."""
    return numbers in (list(range(len(numbers))), list(range(1, len(numbers) + 1)))


def _all_alike(systems: Sequence[list[int]]) -> bool:
    """Tell whether all systems have the same numbers, each once."""
    return all(numbers == sorted(set(systems[0])) for numbers in systems)


def is_called_after_run(folder: str) -> bool:
    """Tell whether the name of a folder is that of a run alone, such as ``seed1``, or a number."""
    return folder.isdecimal() or _MARKED.fullmatch(folder) is not None


def hide_run(name: str) -> str:
    """Put ``*`` in place of the number of a run in the name of a file."""
    run = _find_run(name)
    stem, dot, ending = name.partition(".")
    if run is None:
        return f"*{dot}{ending}" if stem.isdecimal() and "." not in ending else name
    return re.sub(rf"{run.digits}(?![0-9])", "*", name, count=1)


def tell_apart(files: Sequence[str]) -> list[str]:
    """Return the names of a system's files, or where all are equal the paths from the last folders that differ."""
    paths = [os.path.normpath(COMPRESSED.sub("", file)).split(os.sep) for file in files]
    shared = len(os.path.commonprefix([path[::-1] for path in paths]))
    if len(files) == 1 or shared == min(map(len, paths)):
        shared = 0
    return ["/".join(path[-1 - shared :]) for path in paths]


def number_runs(files: Sequence[str]) -> list[int] | None:
    """Read the numbers of a system's runs from the names of its files, such as ``base.run2`` and ``base.run3``.

    Where all files have one name, their folders tell them apart: ``run2/out.txt`` and ``run3/out.txt``. Numbers without
    a word count where they look like seeds: ``base-1111.hyp`` and ``base-2222.hyp``.

    Returns
    -------
    list of int, or None
        None where a name has no such number or several, or where two have the same or other words before them.
    """
    names = [name.partition("/")[0] for name in tell_apart(files)]
    found = [run for name in names if (run := _find_run(name)) is not None]
    if not found and len(files) > 1:
        bare = _find_bare(names) or []
        found = bare if len({run.rest for run in bare}) == 1 and _look_like_seeds({one.digits for one in bare}) else []
    if len(found) < len(files) or len({run.word for run in found}) > 1:
        return None
    numbers = [run.number for run in found]
    return numbers if len(set(numbers)) == len(numbers) else None


def sort_runs(files: Sequence[str]) -> list[str]:
    """Return the files of a system's runs in the order of their numbers, or as they are where these are not known."""
    numbers = number_runs(files)
    return list(files) if numbers is None else [file for _, file in sorted(zip(numbers, files, strict=True))]


def say_by_what(files: Sequence[str]) -> str:
    """Say what tells the runs of `name_runs` apart: a word in their names, such as 'seed', or numbers alone.

    Empty where the files are no runs.
    """
    runs = find_runs(files)
    return "" if runs is None else repr(runs[0].word) if runs[0].word else "number"


def describe_runs(named: Mapping[str, Sequence[str]]) -> str:
    """Say which files were taken for runs, and what to do for systems; nothing where each is a system."""
    counts = {system: len(files) for system, files in named.items()}
    if max(counts.values()) == 1:
        return ""
    systems = name_some([f"{system} ({tally(count, 'run')})" for system, count in counts.items()])
    treated = f"{sum(counts.values()):,} files are treated as runs of {len(counts):,} systems"
    instead = "To compare files as systems, give a mapping of names to files."
    return f"Because of the numbers in their names, {treated}: {systems}. {instead}"


def why_no_runs(files: Sequence[str]) -> str | None:
    """Say why files are no runs by `name_runs`, though some have numbers of runs in their names; None where none has.

    Two runs at least must be of one system, or numbers such as ``opt0`` may name systems.
    """
    groups: dict[str, set[int]] = {}
    without = []
    paths = _inner_paths(files)
    named = [_find_run(path) for path in paths]
    if not any(named) and (bare := _find_bare(paths)) and _look_like_seeds({run.digits for run in bare}):
        named = [*bare]
    for file, found in zip(files, named, strict=True):
        if found is None:
            without.append(os.path.basename(COMPRESSED.sub("", file)))
        else:
            groups.setdefault(found.rest, set()).add(found.number)
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
