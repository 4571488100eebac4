"""``mtworkbench lab``: the notebooks in JupyterLab."""

from __future__ import annotations

import argparse

from mtworkbench.cli.streams import collect_notices

PURPOSE = "copy the notebooks, exercises and data to a folder and open them in JupyterLab"
USAGES = ("[FOLDER]",)
EXAMPLES = ("", "my-folder")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "folder",
        nargs="?",
        default="mtworkbench-lab",
        help="the folder; it is created if it does not exist (default: %(default)s)",
    )


def run_lab(options: argparse.Namespace) -> str:
    """Open JupyterLab on a copy of the notebooks."""
    from mtworkbench.notebooks import open_lab

    with collect_notices():
        open_lab(options.folder)
    return ""
