"""Files of statistics of one test set or of several: which of them belong together."""

from __future__ import annotations

import os
import re
import warnings
from collections.abc import Mapping, Sequence

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import excerpt, shown
from mtworkbench.statistics.files import Loaded, merge_loaded, read_files
from mtworkbench.statistics.identity import align_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import name_some

#: The refusals that say that two files are of different test sets.
OF_OTHER_SETS = ("different-segments", "different-references", "different-sources")

Statistics = tuple[SegmentStatistics, ...]


def load_test_sets(
    paths: Sequence[str], directions: Mapping[str, bool] | None = None, systems: Sequence[str] | None = None
) -> Statistics | dict[str, Statistics]:
    """Load statistics from files of one test set, or from files of several test sets that hold the same systems.

    Parameters
    ----------
    paths : sequence of str
    directions, systems : optional
        As of `load_statistics`.

    Returns
    -------
    tuple of SegmentStatistics, or dict of str to tuple of SegmentStatistics
        Of one test set what `load_statistics` returns; of several, that of each by its name. A set is named after its
        file, without the ending; after several files, by what their names share; by the path of its first file where
        two would have one name.

    Raises
    ------
    InputError
        Those of `load_statistics`, also for several test sets that do not hold the same systems.

    Warns
    -----
    DataWarning
        ``test-sets`` where the files are of several, and those of `load_statistics`.
    """
    loaded = read_files(paths, directions, systems)
    try:
        return merge_loaded(loaded)
    except InputError as error:
        if error.code not in OF_OTHER_SETS:
            raise
        refused = error
    groups = [(list(dict.fromkeys(one.path for one in group)), merge_loaded(group)) for group in _group(loaded)]
    found = [{system for one in statistics for system in one} for _, statistics in groups]
    unlike = next((place for place, own in enumerate(found) if own != found[0]), None)
    if unlike is not None:
        first, other = (f"{shown(groups[place][0][0])} holds {_list(found[place])}" for place in (0, unlike))
        hint = "To compare over several test sets, give files that hold the same systems"
        raise InputError(refused.code, f"{refused} {hint}: {first}, but {other}.", hint=hint) from None
    names = _name_sets([files for files, _ in groups])
    said = [
        f"{excerpt(name)} ({name_some(list(map(shown, files)))})"
        for name, (files, _) in zip(names, groups, strict=True)
    ]
    message = f"The files are of {len(groups):,} test sets, over which systems are compared: {name_some(said)}."
    DataWarning("test-sets", message, count=len(groups)).warn()
    return {name: statistics for name, (_, statistics) in zip(names, groups, strict=True)}


def _group(loaded: Sequence[Loaded]) -> list[list[Loaded]]:
    """Put the statistics of one test set together, in the order of the first of each."""
    groups: list[list[Loaded]] = []
    for one in loaded:
        for group in groups:
            if _agree([*group, one]):
                group.append(one)
                break
        else:
            groups.append([one])
    return groups


def _agree(loaded: Sequence[Loaded]) -> bool:
    """Whether statistics are of one test set, as far as is known; what else is wrong with them is told when merging."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            align_statistics([one.statistics for one in loaded], [one.origin for one in loaded])
    except InputError as error:
        return error.code not in OF_OTHER_SETS
    return True


def _list(systems: set[str]) -> str:
    return name_some([excerpt(name) for name in sorted(systems)])


def _name_sets(groups: Sequence[Sequence[str]]) -> list[str]:
    """Name each set after its file, or by what its files share; with folder, then ending, where names are the same."""
    first = [os.path.normpath(files[0]) for files in groups]
    names = [_share([_stem(os.path.basename(file)) for file in files]) for files in groups]
    for others in (list(map(_stem, first)), first):
        if len(set(names)) < len(names):
            names = others
    return names


def _stem(file: str) -> str:
    return os.path.splitext(file)[0] or file


def _share(stems: Sequence[str]) -> str:
    """Return the words that all names have, or else the first name."""
    first, *others = ([word for word in re.split(r"[._\-]", stem) if word] for stem in stems)
    shared = [word for word in first if all(word in words for words in others)] if others else []
    return "-".join(shared) or stems[0]
