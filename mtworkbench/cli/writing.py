"""How and where a result is written: the options, what is refused before the work, and the writing."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mtworkbench.cli.reading import FILE_OPTIONS, PARALLEL_FILES
from mtworkbench.errors import InputError
from mtworkbench.outputs.files.bytes import find_files

FORMATS = ("text", "json", "latex", "markdown", "csv")


def add_result(
    parser: argparse.ArgumentParser, formats: Sequence[str], how: str = "how to write the table"
) -> argparse._ArgumentGroup:
    """Add the options that say how and where to write a result."""
    result = parser.add_argument_group("result")
    result.add_argument("--format", default="text", choices=formats, help=how)
    if {"latex", "csv"} <= {*formats}:  # tables of a paper that leave columns out
        result.add_argument(
            "--details",
            action="store_true",
            help="all columns, and what they mean",
        )
        # What it was called while text always had the details.
        result.add_argument("--all-columns", dest="details", action="store_true", help=argparse.SUPPRESS)
    result.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")
    return result


def check_written(options: argparse.Namespace, further: Sequence[str] = ()) -> None:
    """Refuse the files of a result that could not be written: see `check_output` and `check_figure`."""
    if options.output is not None:
        check_output(options, options.output, further)
    if getattr(options, "figure", None) is not None:
        check_figure(options, further)


def check_output(options: argparse.Namespace, output: str, further: Sequence[str] = ()) -> None:
    """Refuse an output file that could not be written, or that would replace an input, before the work is done.

    ``further`` names what is read besides the files of the options.
    """
    folder = os.path.dirname(os.path.realpath(output))
    if os.path.isdir(output) or not os.access(folder, os.W_OK):
        raise InputError(
            "cannot-write",
            f"{output!r} cannot be written: name a file in a folder that exists and that you may write to.",
            path=output,
        )
    inputs = [*(getattr(options, "statistics", None) or ()), *further]
    inputs += find_files(options.reference, "The reference") if options.reference else []
    for named in map(vars(options).get, ("source", *PARALLEL_FILES, *FILE_OPTIONS)):
        inputs += named if isinstance(named, list) else [] if named is None else [named]
    if options.scores:
        from mtworkbench.outputs.scores.read import find_score_files

        inputs += [file for _, named in options.scores for file in find_score_files(named)]
    for _, files in options.system or ():
        inputs += find_files(files, "A system")
    for name in inputs:
        if os.path.exists(output) and os.path.exists(name) and os.path.samefile(output, name):
            raise InputError("output-is-input", f"{output!r} is read, so it cannot be the file to write.", path=output)


def check_figure(options: argparse.Namespace, further: Sequence[str] = ()) -> None:
    """Refuse a file for the figure that has no format, could not be written, or is read or written otherwise."""
    from mtworkbench.exports import check_figure_format

    check_figure_format(options.figure)
    check_output(options, options.figure, further)
    if options.output is not None and os.path.realpath(options.output) == os.path.realpath(options.figure):
        options.usage_error(f"--output and --figure both name {options.figure!r}: give the figure a file of its own")


def text_width(options: argparse.Namespace) -> int:
    """Return the columns that a text may take: the terminal's, or the same everywhere in a pipe or a file."""
    from mtworkbench.words.frames import WIDTH

    on_terminal = options.output is None and sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size((WIDTH, 24)).columns if on_terminal else WIDTH


def write_result(options: argparse.Namespace, table: str) -> str:
    """Write the table to the file that was asked for; return what goes to standard output."""
    if options.output is None:
        return table
    from mtworkbench.writing import replace_file

    replace_file(options.output, table)
    return ""


def draw_figure(path: str, draw: Callable[[], Any]) -> None:
    """Draw a figure for a paper."""
    from mtworkbench.exports import write_figure
    from mtworkbench.plots import style

    with style("paper"):
        write_figure(draw(), path)
