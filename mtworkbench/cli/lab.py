"""``mtworkbench lab`` and ``mtworkbench figures``: the notebooks."""

from __future__ import annotations

import argparse

from mtworkbench.cli.options import add_command
from mtworkbench.cli.streams import collect_notices


def add(commands: argparse._SubParsersAction) -> None:
    """Add the two commands."""
    lab = add_command(
        commands,
        "lab",
        run_lab,
        "copy the notebooks, exercises and data to a folder and open them in JupyterLab",
        ["[FOLDER]"],
        ["", "my-folder"],
    )
    made = "the folder; it is created if it does not exist (default: %(default)s)"
    lab.add_argument("folder", nargs="?", default="mtworkbench-lab", help=made)
    figures = add_command(
        commands,
        "figures",
        run_figures,
        "run all notebooks and write their figures (PDF, SVG, PNG) and tables (CSV, LaTeX) to a folder",
        ["[FOLDER]"],
        ["", "my-figures"],
    )
    figures.add_argument("folder", nargs="?", default="figures", help=made)


def run_lab(options: argparse.Namespace) -> str:
    """Open JupyterLab on a copy of the notebooks."""
    from mtworkbench.notebooks import open_lab

    with collect_notices():
        open_lab(options.folder)
    return ""


def run_figures(options: argparse.Namespace) -> str:
    """Run the notebooks and gather their figures and tables."""
    from mtworkbench.notebooks import make_figures

    with collect_notices():
        make_figures(options.folder)
    return ""
