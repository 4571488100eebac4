"""What the file of a report holds, read with care: anybody can write one."""

from __future__ import annotations

import base64
import json
import re
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.reports.page import DATA
from mtworkbench.reports.report import FORMAT, SCHEMA, InputFile
from mtworkbench.statistics.files import unpack_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.version import __version__

Sets = dict[str, tuple[SegmentStatistics, ...]]
#: Where a page holds the report for programs.
ELEMENT = re.compile(rf'<script type="application/json" id="{DATA}">(.*?)</script>', re.DOTALL)


def read_text(name: str) -> str:
    """Return the content of a file of a report."""
    try:
        return Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = (isinstance(error, OSError) and error.strerror) or "it is not text"
        raise InputError("report-file", f"{name!r} cannot be read ({reason}): name a report.", path=name) from error


def parse_report(content: str, name: str) -> dict[str, Any]:
    """Return the object that a report holds.

    Raises
    ------
    InputError
        ``report-file``, ``newer-version``.
    """
    element = ELEMENT.search(content)
    try:
        written = json.loads(element[1] if element else content)
    except (ValueError, RecursionError):
        written = None
    if not isinstance(written, dict) or written.get("format") != FORMAT or not isinstance(written.get("schema"), int):
        raise InputError(
            "report-file",
            f"{name!r} is not a report: a whole file that `mtworkbench report` wrote was expected.",
            path=name,
        )
    if written["schema"] > SCHEMA:
        raise InputError(
            "newer-version",
            f"{name!r} was written by mtworkbench {written.get('mtworkbench')}, which is newer than this one "
            f"({__version__}): install that version to check it.",
            path=name,
        )
    expected = {"comparison": dict, "asked": dict, "files": list}
    if wrong := next((key for key, kind in expected.items() if not isinstance(written.get(key), kind)), None):
        raise damaged(name, f"its {wrong!r} is missing")
    return written


def damaged(name: str, what: str) -> InputError:
    """Say what is wrong with a report."""
    return InputError("report-file", f"{name!r} is damaged ({what}): ask for the whole file.", path=name)


def unpack(written: Mapping[str, Any], name: str) -> Sets:
    """Return the statistics that a report holds, by the name of the test set.

    Raises
    ------
    InputError
        ``no-statistics``, ``report-file``, and those of `unpack_statistics`.
    """
    packed = written.get("statistics")
    if not isinstance(packed, dict) or not packed:
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
                content = base64.b64decode(one, validate=True)
            except (TypeError, ValueError) as error:
                raise damaged(name, "its statistics are cut off") from error
            sets[test_set] = unpack_statistics(content, name)
    return sets


def read_warnings(written: Mapping[str, Any]) -> list[DataWarning]:
    """Return what was noticed while reading."""
    listed = written["comparison"].get("warnings") or []
    names = ("path", "line", "count")
    return [DataWarning(one["code"], one["message"], **{name: one[name] for name in names}) for one in listed]


def read_files(written: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """Return the files that a report names."""
    return tuple(InputFile(one["path"], one["n_bytes"], one["sha256"]) for one in written["files"])
