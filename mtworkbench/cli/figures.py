"""``mtworkbench figures``: the figures and tables of the notebooks, or of own data, in a folder."""

from __future__ import annotations

import argparse
import os
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from mtworkbench.cli.options import (
    SOURCES_USAGES,
    add_shared,
    add_sources,
    read_statistics,
    taken_sources,
)
from mtworkbench.cli.pairs import choose_baseline
from mtworkbench.cli.reading import FILE_OPTIONS, read_named_outputs
from mtworkbench.cli.streams import collect_notices, make_bar
from mtworkbench.errors import InputError

if TYPE_CHECKING:
    from mtworkbench.papers.figures_of_own_data import OwnFigures

PURPOSE = "write the figures and tables of the notebooks, or of your own data, to a folder"
USAGES = (
    "[FOLDER]",
    *(f"{one} [OPTION ...] --folder FOLDER" for one in ("REFERENCE OUTPUT ...", *SOURCES_USAGES)),
)
EXAMPLES = ("my-figures", "ref.txt base.txt new.txt --folder my-figures", "--statistics run.stats --baseline base")
#: Options that name own data; the files without an option are then one folder, or none.
NAMED = ("system", "reference", "scores", "statistics", *FILE_OPTIONS)
FOLDER = "figures"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_sources(parser)
    test = parser.add_argument_group("test")
    add_shared(test, baseline="the first of two systems", all_pairs="", rng="")
    result = parser.add_argument_group("result")
    result.add_argument(
        "--folder",
        metavar="FOLDER",
        help="for PDF, SVG, PNG, CSV and LaTeX files and, of your own data, index.html, which says what they show "
        f"(default: {FOLDER}); a FILE alone, or besides --reference and --system, is the folder, too",
    )
    parser.set_defaults(format="text", output=None)


def run_figures(options: argparse.Namespace) -> str:
    """Gather the figures and tables of the notebooks, or draw those of own data; return what was written."""
    is_own = take_folder(options)
    folder = options.folder or FOLDER
    if not is_own:
        from mtworkbench.notebooks import make_figures

        with collect_notices():
            make_figures(folder)
        return ""
    with taken_sources(options):
        check_folder(folder)
        try:
            statistics = read_statistics(options)
        except InputError as error:
            if error.code == "unknown-metric" and error.found is not None and options.folder is None:
                name = shlex.quote(error.found)
                error.args = (f"{error} If {name} is the folder, write --folder {name}.",)
            raise
        baseline = choose_baseline(options, list(statistics[0]))
        from mtworkbench.papers.figures_of_own_data import write_own_figures

        made = write_own_figures(
            statistics,
            None if options.statistics else read_named_outputs(options),
            baseline=baseline,
            folder=folder,
            progress=make_bar("drawing", "figure"),
            rng=options.rng,
        )
    return describe_figures(made, folder)


def describe_figures(made: OwnFigures, folder: str) -> str:
    """Say what each file shows, and what is left out."""
    from mtworkbench.words.frames import WIDTH, fill

    said = [f"{stem}: {sentence}" for stem, sentence in made.written.items()]
    left_out = ["", "Left out:", *made.left_out] if made.left_out else []
    page = os.path.join(folder, "index.html")
    notes = ["", *made.notes] if made.notes else []
    end = f"Figures and tables in {folder!r}: {len(made.written)}; {page!r} shows them all."
    return "\n".join(fill(line, WIDTH, indent="  ") for line in [*said, *notes, *left_out, "", end]) + "\n"


def take_folder(options: argparse.Namespace) -> bool:
    """Take a single file without an option as the folder; return whether own data is named."""
    is_named = any(getattr(options, name) for name in NAMED)
    is_reference = options.system and not options.reference
    if len(options.files) == 1 and not (is_reference or options.hypotheses or options.test_set):
        if options.folder is not None and not is_named:
            options.usage_error(f"{options.files[0]!r} and --folder both name the folder: leave one of them out")
        if options.folder is None:
            options.folder, options.files = options.files[0], []
    return is_named or bool(options.files or options.hypotheses or options.test_set)


def check_folder(folder: str) -> None:
    """Refuse a folder that could not be made or written to, before the work is done."""
    there = Path(folder).absolute()
    while not there.exists():
        there = there.parent
    if not there.is_dir() or not os.access(there, os.W_OK):
        remedy = "name one that you may write to, or one that does not exist"
        raise InputError("cannot-write", f"The folder {folder!r} cannot be written to: {remedy}.", path=folder)
