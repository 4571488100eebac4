"""``mtworkbench verify``: whether a report says what its data say."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from mtworkbench.cli.options import add_command
from mtworkbench.cli.streams import collect_notices, hushed, make_bar
from mtworkbench.errors import InputError

if TYPE_CHECKING:
    from mtworkbench.reports import Report
    from mtworkbench.reports.report import InputFile

#: Commands that write reports.
REPORTING = ("report", "compare")
#: Options that name what was written, which is not written again.
WRITTEN = ("--output", "--figure")
#: Words that would show help, or load something from a network: public test sets, and models of tokenizers.
NOT_FOLLOWED = re.compile(r"-h|--help|--help-all|--version|-t|--test-set|-l|--language-pair|.*(?:flores\d|spm).*", re.I)


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
    parser.add_argument("report", metavar="REPORT", help="a page or JSON that mtworkbench report wrote")
    parser.add_argument(
        "--folder",
        metavar="FOLDER",
        help="where the files are that were compared (default: the folder of the report); without them the result is "
        "computed from the statistics in the report",
    )


def run_verify(options: argparse.Namespace) -> str:
    """Compute a report again; the exit status is 1 where something differs."""
    from mtworkbench.reports.verify import list_unchecked, summarize, verify_report
    from mtworkbench.words.frames import fill

    folder = options.folder or os.path.dirname(options.report) or "."
    found = verify_report(
        options.report,
        folder=folder,
        compare_again=lambda command, files: compare_again(command, files, folder),
        progress=make_bar("drawing", "draw"),
    )
    if not found.reproduced:
        options.failed = f"{options.report} is not reproduced."
    lines = [summarize(found), *found.differences, *found.found, list_unchecked(found)]
    return "".join(f"{fill(line, 100, indent='  ')}\n" for line in lines if line)


def compare_again(command: Sequence[str], files: Sequence[InputFile], folder: str) -> Report:
    """Compare as a command line says, from these files in a folder; no others are read, and none is written.

    Raises
    ------
    InputError
        ``not-repeated`` for a command that is not followed, with the reason.
    """
    from mtworkbench.cli.compare import compare_and_examine, read_chosen, take_sources
    from mtworkbench.cli.parser import parse
    from mtworkbench.cli.program import make_parser
    from mtworkbench.cli.reading import name_repairs
    from mtworkbench.cli.report import gather_report, list_files

    refuse_command(command)
    try:
        with contextlib.chdir(folder), hushed(True):
            options = parse(make_parser, command)
            options.arguments, options.study = [*command], None
            with collect_notices(False, name_repairs(options)) as notices:
                take_sources(options)
                named = {one.path for one in files}
                if other := next((file for file in list_files(options) if file not in named), None):
                    raise _not_repeated(f"reads {other!r}, which is none of the files of the report")
                comparison = compare_and_examine(options, read_chosen(options))
            return gather_report(options, comparison, notices)
    except (SystemExit, AttributeError) as error:
        raise _not_repeated("is none that writes a report") from error


def refuse_command(command: Sequence[str]) -> None:
    """Refuse a command that would do something else than compare files of the folder."""
    if command[0] not in REPORTING or "--conventions" in command:
        raise _not_repeated("is none that writes a report")
    for before, word in pairwise(command):
        if before in WRITTEN or word.startswith(tuple(f"{one}=" for one in WRITTEN)):
            continue
        value = word.partition("=")[2] or word
        if NOT_FOLLOWED.fullmatch(word):
            raise _not_repeated(f"has {word!r}, which may need a network")
        if os.path.isabs(value) or ".." in value.split(os.sep) or "**" in value:
            raise _not_repeated(f"names {value!r}, which is not in the folder")


def _not_repeated(why: str) -> InputError:
    return InputError("not-repeated", f"the command and what it reads, because the command {why}")
