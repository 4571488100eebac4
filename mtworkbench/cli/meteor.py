"""``mtworkbench meteor``: METEOR 1.5 and, where there is none, a Java runtime."""

from __future__ import annotations

import argparse

from mtworkbench.cli.streams import collect_notices, mention

PURPOSE = "set up METEOR 1.5, which the metric 'meteor' needs"
USAGES = ("[PACKAGE]",)
EXAMPLES = ("", "pycocoevalcap-1.2-py3-none-any.whl")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "package", nargs="?", metavar="PACKAGE", help="pycocoevalcap-1.2-py3-none-any.whl, if it is here (downloaded)"
    )


def run_meteor(options: argparse.Namespace) -> str:
    """Set METEOR up; say what it runs with."""
    from mtworkbench.metrics.meteor_setup import set_up_meteor
    from mtworkbench.tables import printable

    with collect_notices():
        jar, java = set_up_meteor(options.package, report=mention)
    return f"METEOR 1.5 is ready: {printable(str(jar))}, run by {printable(java)}.\n"
