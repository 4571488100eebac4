"""``mtworkbench verify``: whether a report says what its data say."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mtworkbench.cli.streams import collect_notices, hushed, make_bar
from mtworkbench.errors import InputError

if TYPE_CHECKING:
    from mtworkbench.reports import Report
    from mtworkbench.reports.report import InputFile

PURPOSE = "compute the result of a report again, and say whether it is the same"
USAGES = ("REPORT [--folder FOLDER]",)
EXAMPLES = ("report.html", "supplement/report.json --folder outputs")
#: Commands that write reports.
REPORTING = ("report", "compare")
#: Options that name what was written, which is not written again, and the words themselves.
NOT_READ = ("output", "figure", "arguments")
#: Tokenizers that load their models from a network.
MODELS = re.compile(r"\b(?:flores\d+|spm)\b")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
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
    from mtworkbench.cli.compare import check_comparison, compare_and_examine, read_chosen
    from mtworkbench.cli.options import take_sources
    from mtworkbench.cli.program import parse
    from mtworkbench.cli.reading import name_repairs
    from mtworkbench.cli.report import gather_report, list_files

    try:
        with contextlib.chdir(folder), hushed(True):
            with contextlib.redirect_stdout(io.StringIO()):  # where help would go
                options = parse(command)
            refuse_options(options)
            with collect_notices(False, name_repairs(options)) as notices:
                take_sources(options, check_comparison)
                named = {one.path for one in files}
                if other := next((file for file in list_files(options) if file not in named), None):
                    raise _not_repeated(f"reads {other!r}, which is none of the files of the report")
                comparison = compare_and_examine(options, read_chosen(options))
            return gather_report(options, comparison, notices)
    except SystemExit as error:
        raise _not_repeated("is none that writes a report") from error


def refuse_options(options: argparse.Namespace) -> None:
    """Refuse a command that would do something else than compare files of the folder."""
    if options.arguments[0] not in REPORTING or options.conventions:
        raise _not_repeated("is none that writes a report")
    named = [options.tokenize or "", *(options.metric or ())]
    if options.test_set is not None or any(map(MODELS.search, named)):
        raise _not_repeated("may need a network")
    for name, value in vars(options).items():
        for word in [] if name in NOT_READ else _find_words(value):
            if os.path.isabs(word) or ".." in word.split(os.sep) or "**" in word:
                raise _not_repeated(f"names {word!r}, which is not in the folder")


def _find_words(value: object) -> Iterator[str]:
    """Return the texts in what an option was given."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (list, tuple)):
        for one in value:
            yield from _find_words(one)


def _not_repeated(why: str) -> InputError:
    return InputError("not-repeated", f"the command and what it reads, because the command {why}")
