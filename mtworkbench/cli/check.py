"""``mtworkbench check``: what seems wrong with outputs, before anything is scored."""

from __future__ import annotations

import argparse

from mtworkbench.cli.options import OUTPUTS_USAGES, add_command, add_texts
from mtworkbench.cli.read_as import explaining_failure, say_frames
from mtworkbench.cli.reading import check_outputs_named, name_repairs, read_named_runs
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.streams import collect_notices
from mtworkbench.cli.writing import add_result, check_written, is_json_alone, text_width, write_result

FORMATS = ("text", "json", "markdown", "html", "csv")
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --strict",
    "ref.txt sys/* --output found.json --output found.html",
)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "check",
        run_check,
        "check outputs for faults that make scores wrong, before anything is scored",
        [f"{one} [OPTION ...]" for one in ("REFERENCE OUTPUT ...", *OUTPUTS_USAGES) if not one.startswith("--scores")],
        EXAMPLES,
    )
    add_files(parser)
    add_texts(parser)
    result = add_result(parser, FORMATS, "how to write the findings")
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
    short = take_files(options)
    check_outputs_named(options)
    in_result: set[str] = set()
    with collect_notices(not is_json_alone(options), name_repairs(options), in_result=in_result) as notices:
        check_written(options)
        warn_of_runs(options, short)
        from mtworkbench.analyses.inspections import MOST_LINES, inspect_runs
        from mtworkbench.tables import format_inspection

        with explaining_failure(options):
            runs = read_named_runs(options)
        inspection = inspect_runs(runs, most_lines=None if options.details else MOST_LINES)
        say_frames(options, runs)
        in_result.update(inspection.codes)
    if options.strict and not inspection.is_clean:
        options.failed = ""
    return write_result(
        options, lambda format: format_inspection(inspection, format, notices, width=text_width(options))
    )
