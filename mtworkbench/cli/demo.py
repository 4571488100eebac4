"""``mtworkbench demo``: a first comparison, on the made-up sample that ships."""

from __future__ import annotations

import argparse
import os
import shlex
import sys
import webbrowser
from glob import escape
from pathlib import Path

from mtworkbench.characters import printable
from mtworkbench.cli.program import parse
from mtworkbench.cli.streams import collect_notices, hushed, mention, write
from mtworkbench.errors import InputError
from mtworkbench.outputs.files.bytes import find_files
from mtworkbench.shipped import copy_files, warn_of_kept

PURPOSE = "try it: compare the systems of a made-up sample; write a figure, a table and a report"
USAGES = ("[FOLDER]",)
EXAMPLES = ("", "my-folder")
FOLDER = "mtworkbench-demo"
SAMPLE = ("reference.txt", "*.run?.txt", "documents.txt")
WRITTEN = {
    "comparison.png": "the figure",
    "table.tex": "a table for a paper; its comments have a paragraph and its sources",
    "report.html": "a report for a reviewer, which opens in any browser",
}
FIRST = """\
A made-up sample of three systems, with three training runs of each, is now in {folder}.

$ {command}

"""
LAST = """
{written}
Now with your own files, one segment per line:

$ mtworkbench compare ref.txt base.txt new.txt
"""


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder",
        nargs="?",
        default=FOLDER,
        help="where the sample and its results go; it is created if it does not exist (default: %(default)s)",
    )


def run_demo(options: argparse.Namespace) -> str:
    """Copy the sample, show the command that compares its systems and what it says, and open the report."""
    folder = options.folder if options.folder and not options.folder.startswith("-") else f"./{options.folder}"
    _refuse_other_folder(folder)
    with collect_notices():
        warn_of_kept(copy_files("data/sample", folder), folder)
    paths = {name: os.path.join(folder, name) for name in (*SAMPLE, *WRITTEN)}
    shown, given = _command(paths)
    write(sys.stdout, FIRST.format(folder=printable(folder), command=shown))
    write(sys.stdout, _run(given))
    mention(f"The figure, the table and the report are being written to {folder} (up to a minute) ...")
    figure, *files = (paths[name] for name in WRITTEN)
    with hushed(True):
        _run([*given, "--figure", figure, *(part for file in files for part in ("--output", file))])
    open_page(files[-1])
    width = max(len(paths[name]) for name in WRITTEN)
    return LAST.format(written="".join(f"{paths[name]:{width}}  {what}\n" for name, what in WRITTEN.items()))


def _refuse_other_folder(folder: str) -> None:
    """Refuse a folder with other files than those of the demo: results would take the place of somebody's own."""
    if os.path.isdir(folder) and os.listdir(folder) and not os.path.exists(os.path.join(folder, SAMPLE[0])):
        problem = f"The folder {folder!r} has other files than those of the demo"
        raise InputError("not-empty", f"{problem}: name one that is empty or does not exist.", path=folder)


def _command(paths: dict[str, str]) -> tuple[str, list[str]]:
    """Return the command as it is typed in a shell, which knows patterns, and its arguments."""
    reference, outputs, documents = (paths[name] for name in SAMPLE)
    further = ["--documents", documents, "--baseline", "baseline", "--rng", "1"]
    folder, pattern = os.path.split(outputs)
    typed = f"mtworkbench compare {shlex.quote(reference)} {shlex.quote(folder)}{os.sep}{pattern}"
    found = find_files(os.path.join(escape(folder), pattern), "A system")
    return f"{typed} \\\n    {shlex.join(further)}", ["compare", reference, *found, *further]


def _run(arguments: list[str]) -> str:
    """Do what a command line says; return what goes to standard output."""
    options = parse(arguments)
    said: str = options.command(options)
    return said


def open_page(path: str) -> None:
    """Open a page in the browser of whoever sits at a terminal with a screen."""
    has_screen = sys.platform in ("darwin", "win32") or os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if sys.stdout is not None and sys.stdout.isatty() and has_screen:
        webbrowser.open(Path(path).resolve().as_uri())
