"""The names of systems, from the names of their files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

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
