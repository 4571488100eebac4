"""``mtworkbench verify``: whether a report says what its data say."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mtworkbench.cli.options import add_command
from mtworkbench.cli.streams import collect_notices, hushed, make_bar
from mtworkbench.errors import InputError

if TYPE_CHECKING:
    from mtworkbench.reports import Reread, Verification


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "verify",
        run_verify,
        "compute the result of a report again, and say whether it is the same",
        ["REPORT [--folder FOLDER]"],
        ["report.html", "supplement/report.json --folder outputs"],
    )
    parser.add_argument("report", metavar="REPORT", help="a .html or .json file that mtworkbench report wrote")
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        help="where the compared files are (default: the folder of the report); without these files, the result is "
        "computed from the statistics in the report",
    )


def run_verify(options: argparse.Namespace) -> str:
    """Compute a report again; the exit status is 1 where something differs."""
    from mtworkbench.reports import verify_report

    folder = options.folder or os.path.dirname(options.report) or "."
    found = verify_report(
        options.report,
        folder=folder,
        read_again=lambda command, files: read_again(command, files, folder),
        progress=make_bar("drawing", "draw"),
    )
    if not found.reproduced:
        options.failed = f"{options.report} is not reproduced."
    return describe_verification(found)


def describe_verification(found: Verification) -> str:
    """Say what came of it, one sentence per line."""
    from mtworkbench.words.frames import fill

    first = "Reproduced." if found.reproduced else "Not reproduced:"
    return "\n".join(fill(line, 100, indent="  ") for line in (first, *found.differences, *found.found)) + "\n"


def read_again(command: Sequence[str], files: Sequence[str], folder: str) -> Reread:
    """Read as a command line says, from these files in a folder; no others are read, and none is written."""
    from mtworkbench.cli.compare import read_test_sets, take_sources
    from mtworkbench.cli.parser import parse
    from mtworkbench.cli.program import make_parser
    from mtworkbench.cli.report import list_files, read_texts
    from mtworkbench.reports import Reread

    with contextlib.chdir(folder), hushed(True), collect_notices(shown=False):
        options = parse(make_parser, command)
        take_sources(options)
        if other := next((file for file in list_files(options) if file not in files), None):
            raise InputError("report-file", f"The command of the report reads {other!r}, which is not among its files.")
        sets = read_test_sets(options)
        outputs = None if options.statistics else read_texts(options)
    return Reread(sets if isinstance(sets, Mapping) else {"": sets}, outputs, not options.no_texts)
