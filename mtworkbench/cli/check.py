"""``mtworkbench check``: what seems wrong with outputs, before anything is scored."""

from __future__ import annotations

import argparse

from mtworkbench.choices import OF_INSPECTIONS
from mtworkbench.cli.options import TEXTS_USAGES, add_texts, taken_sources, with_options
from mtworkbench.cli.reading import check_outputs_named, explaining_failure, read_named_runs, say_frames
from mtworkbench.cli.short_form import add_files
from mtworkbench.cli.writing import add_result, write_result

PURPOSE = "check outputs for faults that make scores wrong, before anything is scored"
USAGES = with_options("REFERENCE OUTPUT ...", *TEXTS_USAGES)
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --strict",
    "ref.txt sys/* --output found.json --output found.html",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_files(parser)
    add_texts(parser)
    result = add_result(parser, OF_INSPECTIONS, "how to write the findings")
    result.add_argument(
        "--details",
        action="store_true",
        help="show all lines with a finding (default: three per finding and system)",
    )
    result.add_argument(
        "--strict",
        action="store_true",
        help="end with exit status 1 if anything was found that breaks a comparison or may change a verdict; files "
        "that cannot be read always end it with 2",
    )
    # What other commands take, and nothing here has a use for.
    parser.set_defaults(metric=None, tokenize=None, lowercase=False, direction=None)


def run_check(options: argparse.Namespace) -> str:
    """Check outputs; return what goes to standard output."""
    with taken_sources(options, check_outputs_named, says_doubts=True) as notices:
        from mtworkbench.analyses.inspections import MOST_LINES, inspect_runs
        from mtworkbench.tables import format_inspection

        with explaining_failure(options):
            runs = read_named_runs(options)
        inspection = inspect_runs(runs, most_lines=None if options.details else MOST_LINES)
        say_frames(options, runs)
        notices.said.update(inspection.codes)
    if options.strict and not inspection.is_clean:
        options.failed = ""
    return write_result(options, format_inspection, inspection, notices)
