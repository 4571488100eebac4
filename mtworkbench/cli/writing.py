"""How and where a result is written: the options, what is refused before the work, and the writing."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Sequence
from typing import Any

from mtworkbench.cli.reading import FILE_OPTIONS, PARALLEL_FILES, list_named
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.files.bytes import find_files
from mtworkbench.wording import listed

#: The format that the ending of a file's name chooses; a file with another ending, or none, is text.
ENDINGS = {
    ".txt": "text", ".json": "json", ".tex": "latex", ".md": "markdown", ".csv": "csv", ".tsv": "tsv", ".html": "html",
    ".bib": "bibtex",
}  # fmt: skip


def add_result(
    parser: argparse.ArgumentParser, formats: Sequence[str], how: str = "how to write the table"
) -> argparse._ArgumentGroup:
    """Add the options that say how and where to write a result."""
    result = parser.add_argument_group("result")
    result.add_argument("--format", choices=formats, help=how)
    if {"latex", "csv"} <= {*formats}:  # tables of a paper that leave columns out
        result.add_argument("--details", action="store_true", help="all columns, and what they mean")
        # What it was called while text always had the details.
        result.add_argument("--all-columns", dest="details", action="store_true", help=argparse.SUPPRESS)
    result.add_argument(
        "--output",
        action="append",
        metavar="FILE",
        help="write to a file, in the format of its ending unless --format is given; known endings are "
        f"{listed(_endings_of(formats))}, other files are text; nothing then goes to standard output; repeatable, to "
        "write one result in several formats",
    )
    parser.set_defaults(formats=formats)
    return result


def add_figure(result: argparse._ArgumentGroup, what: str) -> None:
    """Add the option for a figure of the result; ``what`` it draws ends the sentence begun with "also draw"."""
    result.add_argument("--figure", metavar="FILE", help=f"also draw {what} for a paper: a .pdf, .svg or .png file")


def choose_formats(options: argparse.Namespace) -> dict[str | None, str]:
    """Choose the format of each file of the result, or, under None, of standard output; refuse what cannot be meant."""
    files = options.output or ()
    if not files:
        return {None: options.format or "text"}
    if options.format is not None and len(files) > 1:
        remedy = "leave it out, so that the ending of each file names its format"
        options.usage_error(f"--format {options.format} is for one --output: {remedy}")
    return {file: options.format or _format_of(options, file) for file in files}


def _format_of(options: argparse.Namespace, file: str) -> str:
    """Return the format that the ending of a file names."""
    ending = os.path.splitext(file)[1].lower()
    if (format := ENDINGS.get(ending, "text")) not in options.formats:
        known = f"the formats of this command have the endings {listed(_endings_of(options.formats))}"
        remedy = "name one of these, or choose the format with --format"
        options.usage_error(f"{file!r} cannot be written: {known}; {remedy}")
    return format


def _endings_of(formats: Sequence[str]) -> list[str]:
    return [ending for ending, format in ENDINGS.items() if format in formats]


def is_read_now(options: argparse.Namespace) -> bool:
    """Tell whether the result is text on standard output: another format, or a file, may not be read now."""
    return choose_formats(options) == {None: "text"}


def is_json_alone(options: argparse.Namespace) -> bool:
    """Tell whether the result is written as JSON only, which lists what was noticed in the data."""
    return set(choose_formats(options).values()) == {"json"}


def check_written(options: argparse.Namespace, further: Sequence[str] = ()) -> None:
    """Refuse, before the work, files of a result that could not be written, and two of the same name.

    ``further`` names what is read besides the files of the options.
    """
    choose_formats(options)
    named = [("--output", file) for file in options.output or ()]
    further_files = ((f"--{name}", getattr(options, name, None)) for name in ("figure", "ranked"))
    named += [(option, file) for option, file in further_files if file is not None]
    places: dict[str, str] = {}
    for option, file in named:
        if option == "--figure":
            from mtworkbench.exports import check_figure_format

            check_figure_format(file)
        check_output(options, file, further)
        if (other := places.get(place := os.path.realpath(file))) is not None:
            by = listed(list(dict.fromkeys((other, option))))
            options.usage_error(f"{file!r} is named twice, by {by}: give each a file of its own")
        places[place] = option


def check_output(options: argparse.Namespace, output: str, further: Sequence[str] = ()) -> None:
    """Refuse an output file that could not be written, or that would replace an input, before the work is done.

    ``further`` names what is read besides the files of the options.
    """
    is_ordinary = os.path.isfile(output) or not os.path.exists(output)
    place = os.path.dirname(os.path.realpath(output)) if is_ordinary else output
    if os.path.isdir(output) or not os.access(place, os.W_OK):
        problem = f"{output!r} cannot be written: name a file in a folder that exists and that you may write to."
        raise InputError("cannot-write", problem, path=output)
    for name in [*list_inputs(options), *further]:
        if os.path.exists(output) and os.path.exists(name) and os.path.samefile(output, name):
            raise InputError("output-is-input", f"{output!r} is read, so it cannot be the file to write.", path=output)


def list_inputs(options: argparse.Namespace) -> list[str]:
    """Return the files that the options name to be read."""
    inputs = [*(getattr(options, "statistics", None) or ())]
    inputs += find_files(options.reference, "The reference") if options.reference else []
    for named in map(vars(options).get, ("source", *PARALLEL_FILES, *FILE_OPTIONS)):
        inputs += list_named(named)
    if options.scores:
        from mtworkbench.outputs.scores.read import find_score_files

        inputs += [file for _, named in options.scores for file in find_score_files(named)]
    for _, files in options.system or ():
        inputs += find_files(files, "A system")
    return inputs


def text_width(options: argparse.Namespace) -> int:
    """Return the columns that a text may take: the terminal's, or the same everywhere in a pipe or a file."""
    from mtworkbench.words.frames import WIDTH

    on_terminal = not options.output and sys.stdout is not None and sys.stdout.isatty()
    return shutil.get_terminal_size((WIDTH, 24)).columns if on_terminal else WIDTH


def write_result(
    options: argparse.Namespace, write: Callable[..., str], found: Any, notices: Sequence[DataWarning] = (), **more: Any
) -> str:
    """Write a result to the files that were asked for; return what goes to standard output.

    ``write`` is a function of `tables.formats`, or takes the same. The texts of all files are made before the first of
    these is written.
    """
    from mtworkbench.writing import replace_file

    formats, width = choose_formats(options), text_width(options)
    texts = {file: write(found, format, notices, width=width, **more) for file, format in formats.items()}
    for file, text in texts.items():
        if file is not None:
            replace_file(file, text)
    return texts.get(None, "")


def draw_figure(path: str, draw: Callable[[], Any]) -> None:
    """Draw a figure for a paper."""
    from mtworkbench.exports import write_figure
    from mtworkbench.plots import style

    with style("paper"):
        write_figure(draw(), path)
