"""``mtworkbench score``: scores again from files of statistics, as a check."""

from __future__ import annotations

import argparse

from mtworkbench.cli.options import add_command
from mtworkbench.cli.streams import collect_notices

PARTS = ("system", "document", "segment")
FORMATS = ("text", "json", "csv")


def add_score(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "score",
        run_score,
        "score systems, documents or segments from saved statistics",
        "FILE [FILE ...] [--by PART] [--format FORMAT]",
    )
    parser.add_argument("statistics", nargs="+", metavar="FILE", help="saved statistics; those of several files merge")
    parser.add_argument("--by", default="system", choices=PARTS, help="what is scored (system)")
    parser.add_argument("--format", default="text", choices=FORMATS, help="how to write the scores (text)")


def run_score(options: argparse.Namespace) -> str:
    """Return the scores."""
    from mtworkbench.statistics.files import load_statistics
    from mtworkbench.tables import format_scores

    # A score needs no direction.
    with collect_notices(ignored=("unknown-direction", "opposite-direction")):
        return format_scores(load_statistics(*options.statistics), options.by, options.format)
