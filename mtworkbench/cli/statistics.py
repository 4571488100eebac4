"""``mtworkbench statistics``: the statistics of segments, computed once, into a file."""

from __future__ import annotations

import argparse

from mtworkbench.cli.options import OUTPUTS_USAGE, add_command, add_outputs, check_output, compute
from mtworkbench.cli.streams import collect_notices


def add_statistics(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "statistics",
        run_statistics,
        "save the segment statistics of outputs to a file",
        f"{OUTPUTS_USAGE} --output FILE [OPTION ...]",
    )
    add_outputs(parser, required=True)
    parser.add_argument("--output", required=True, metavar="FILE", help="file of statistics to write")


def run_statistics(options: argparse.Namespace) -> str:
    """Compute statistics of segments and save them."""
    from mtworkbench.statistics_files import save_statistics

    with collect_notices():
        check_output(options)
        save_statistics(options.output, *compute(options))
    return ""
