"""``mtworkbench score``: scores again from files of statistics, as a check, or those that another program counted."""

from __future__ import annotations

import argparse
import os
import zipfile

from mtworkbench.choices import WITHOUT_PAPER
from mtworkbench.cli.options import add_shared, choose_systems, warn_of_doubts
from mtworkbench.cli.parser import READS_STATISTICS
from mtworkbench.cli.streams import collect_notices

PURPOSE = "score systems, documents or segments from saved statistics"
USAGES = ("FILE ... [--by PART] [--format FORMAT]",)
EXAMPLES = ("run.stats", "run.stats --by segment --format csv")
PARTS = ("system", "document", "segment")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "files",
        nargs="*",
        metavar="FILE",
        help="files of statistics, merged if there are several; or a table (TSV) with the columns metric, system, "
        "segment and the statistics of the metric",
    )
    add_shared(parser, systems="")
    parser.add_argument("--by", default="system", choices=PARTS, help="what is scored (default: system)")
    parser.add_argument(
        "--format", default="text", choices=WITHOUT_PAPER, help="how to write the scores (default: text)"
    )


def run_score(options: argparse.Namespace) -> str:
    """Return the scores."""
    if not options.files:
        options.usage_error(f"a file of statistics is needed: {READS_STATISTICS}")
    if folder := next(filter(os.path.isdir, options.files), None):
        options.usage_error(
            f"{folder!r} is a folder: a folder of outputs is for compare; score takes files of statistics"
        )
    from mtworkbench.statistics.files import load_statistics
    from mtworkbench.statistics.plain_tables import is_plain_table, why_no_statistics

    for file in filter(os.path.isfile, options.files):
        if not zipfile.is_zipfile(file) and not is_plain_table(file):
            reason = why_no_statistics(file) or f"{file!r} is not a file of statistics: {READS_STATISTICS}"
            options.usage_error(reason)
    from mtworkbench.tables import format_scores

    # A score needs no direction.
    with collect_notices(ignored=("unknown-direction", "opposite-direction")):
        statistics = choose_systems(options, load_statistics(*options.files, systems=options.systems))
        warn_of_doubts(statistics)
        return format_scores(statistics, options.by, options.format)
