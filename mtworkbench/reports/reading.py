"""What the file of a report holds, read with care: anybody can write one."""

from __future__ import annotations

import base64
import json
import os
import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn

from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.comparison import Asked
from mtworkbench.reports.page import BEGINNING, DATA
from mtworkbench.reports.report import FORMAT, SCHEMA, InputFile
from mtworkbench.statistics.files import unpack_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.version import __version__

Sets = dict[str, tuple[SegmentStatistics, ...]]
#: Whole numbers of a report have at most so many digits.
MOST_DIGITS = 40
_VERSION = re.compile(r"[0-9]+(\.[0-9]+)*[a-z0-9.+-]{0,40}")
# What a report holds, and of what kind each is; warnings and files have their own.
_KEYS: dict[str, tuple[type, ...]] = {
    "format": (str,),
    "schema": (int,),
    "mtworkbench": (str,),
    "comparison": (dict,),
    "asked": (dict,),
    "command": (list, type(None)),
    "files": (list,),
    "statistics": (dict, type(None)),
    "segments": (dict, type(None)),
}
_OF_FILES = {"path": (str,), "n_bytes": (int,), "sha256": (str,)}
_OF_WARNINGS = {
    "code": (str,),
    "message": (str,),
    "path": (str, type(None)),
    "line": (int, type(None)),
    "count": (int, type(None)),
}


@dataclass(frozen=True, eq=False)
class HeldReport:
    """A report as its file holds it.

    Parameters
    ----------
    name : str
        The path of the file.
    written : dict
        The object that programs read.
    page : str or None
        The whole page; None for JSON.
    sets : dict of str to tuple of SegmentStatistics
        By the name of the test set.
    warnings : tuple of DataWarning
    files : tuple of InputFile
    """

    name: str
    written: dict[str, Any]
    page: str | None
    sets: Sets
    warnings: tuple[DataWarning, ...]
    files: tuple[InputFile, ...]

    @property
    def of_this_version(self) -> bool:
        """Whether this version of mtworkbench wrote it."""
        return bool(self.written["mtworkbench"] == __version__)


def read_report(path: str | os.PathLike[str]) -> HeldReport:
    """Read a report, a page or JSON.

    Raises
    ------
    InputError
        ``report-file`` where this is no report or it is damaged, ``newer-version``, ``no-statistics`` where it holds
        none.
    """
    name = os.fspath(path)
    try:
        content = Path(name).read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not text"
        raise InputError("report-file", f"{name!r} cannot be read ({reason}): name a report.", path=name) from error
    page = content if content.startswith(BEGINNING) else None
    written = parse_report(content, name)
    found = written["comparison"].get("warnings")
    _check(name, isinstance(found, list), "its warnings are missing")
    return HeldReport(
        name,
        written,
        page,
        _unpack(written["statistics"], name),
        tuple(DataWarning(**_take(one, _OF_WARNINGS, name)) for one in found),
        tuple(InputFile(**_take(one, _OF_FILES, name)) for one in written["files"]),
    )


def parse_report(content: str, name: str) -> dict[str, Any]:
    """Return the object that a report holds: all of JSON, or an element of a page.

    Raises
    ------
    InputError
        ``report-file``, ``newer-version``.
    """
    if content.startswith(BEGINNING):
        _, _, rest = content.partition(DATA)
        content = rest.partition("</script>")[0]
    try:
        written = json.loads(content, parse_int=_read_whole, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        written = None
    if not isinstance(written, dict) or written.get("format") != FORMAT or not _is(written.get("schema"), (int,)):
        raise InputError(
            "report-file",
            f"{name!r} is not a report: a whole file that `mtworkbench report` wrote was expected.",
            path=name,
        )
    if written["schema"] > SCHEMA:
        raise InputError(
            "newer-version",
            f"{name!r} was written by mtworkbench {printable(str(written.get('mtworkbench'))[:40])}, which is newer "
            f"than this one ({__version__}): install that version to check it.",
            path=name,
        )
    _take(written, _KEYS, name)
    _check(name, written["schema"] >= 1, "there is no such schema")
    _check(name, _VERSION.fullmatch(written["mtworkbench"]) is not None, "its version is none")
    _check(name, _VERSION.fullmatch(str(written["comparison"].get("version"))) is not None, "its version is none")
    _check(name, written["comparison"]["version"] == written["mtworkbench"], "it names two versions")
    options = {"baseline", "rng", *Asked.__annotations__}
    # An earlier version lacks options that are new.
    needed = options if written["mtworkbench"] == __version__ else {"baseline", "rng"}
    _check(name, needed <= {*written["asked"]} <= options, "it has other options")
    words = written["command"] or []
    _check(name, all(isinstance(one, str) and "\0" not in one for one in words), "its command is none")
    return written


def damaged(name: str, what: str) -> InputError:
    """Say what is wrong with a report."""
    return InputError("report-file", f"{name!r} is damaged ({what}): ask for the whole file.", path=name)


def _check(name: str, is_right: bool, what: str) -> None:
    if not is_right:
        raise damaged(name, what)


def _take(found: object, kinds: Mapping[str, tuple[type, ...]], name: str) -> dict[str, Any]:
    """Return an object that has these keys and no others, each of its kind."""
    if not isinstance(found, dict) or found.keys() != kinds.keys():
        raise damaged(name, f"{', '.join(map(repr, kinds))} were expected")
    wrong = next((key for key, kind in kinds.items() if not _is(found[key], kind)), None)
    _check(name, wrong is None, f"{wrong!r} is of the wrong type")
    return found


def _is(value: object, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds) and not isinstance(value, bool)


def _read_whole(digits: str) -> int:
    if len(digits) > MOST_DIGITS:
        raise ValueError("a number with too many digits")
    return int(digits)


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


def _unpack(packed: Mapping[str, object] | None, name: str) -> Sets:
    """Return the statistics that a report holds, by the name of the test set."""
    if not packed:
        raise InputError(
            "no-statistics",
            f"{name!r} holds no statistics, because its metric cannot be saved: compare its files again.",
            path=name,
        )
    sets: Sets = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the report has said it
        for test_set, one in packed.items():
            try:
                content = base64.b64decode(one, validate=True)  # type: ignore[arg-type]
            except (TypeError, ValueError) as error:
                raise damaged(name, "its statistics are cut off") from error
            sets[test_set] = unpack_statistics(content, name)
    return sets
