"""``mtworkbench segments``: which segments make the difference between two systems."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from mtworkbench.cli.options import (
    OUTPUTS_USAGES,
    add_command,
    add_outputs,
    add_rng,
    compute_with_outputs,
)
from mtworkbench.cli.pairs import add_baseline, check_baseline, choose_pairs
from mtworkbench.cli.read_as import say_what_was_read
from mtworkbench.cli.reading import FILE_OPTIONS, check_outputs_named, name_repairs
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.streams import collect_notices, takes_colours
from mtworkbench.cli.values import whole_number
from mtworkbench.cli.writing import add_result, check_written, is_json_alone, text_width, write_result
from mtworkbench.wording import name_some

FORMATS = ("text", "json", "latex", "markdown", "tsv")
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --pair online-A online-B -m chrf --first 20",
    "ref.txt base.txt new.txt --output segments.tex",
)


def add(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "segments",
        run_segments,
        "list the segments that make the difference between two systems, with their texts",
        [
            f"{one} [OPTION ...]"
            for one in ("REFERENCE OUTPUT OUTPUT", *OUTPUTS_USAGES)
            if not one.startswith("--scores")
        ],
        EXAMPLES,
    )
    add_files(parser)
    add_outputs(parser)
    segments = parser.add_argument_group("segments")
    segments.add_argument(
        "--first",
        type=whole_number(1),
        default=10,
        metavar="N",
        help="how many segments to list, and n-grams of each system (default: 10)",
    )
    add_baseline(segments, "the first of two systems")
    segments.add_argument(
        "--pair",
        nargs=2,
        metavar=("BASELINE", "SYSTEM"),
        help="the two systems to compare (default: the only two, the first of which is the baseline)",
    )
    add_rng(segments)
    add_result(parser, FORMATS, "how to write the segments; tsv has one row per segment")
    # What other commands ask for, and one pair does not.
    parser.set_defaults(all_pairs=False)


def run_segments(options: argparse.Namespace) -> str:
    """List the segments that make the difference, metric by metric; return what goes to standard output."""
    short = take_files(options)
    if options.pair:
        if options.baseline not in (None, *options.pair):
            options.usage_error(f"the baseline {options.baseline!r} is neither of the two systems of --pair")
        options.systems = options.pair  # others are neither read nor scored
    check_outputs_named(options)
    if options.scores and not (options.reference or any(getattr(options, file) for file in FILE_OPTIONS)):
        options.usage_error("scores alone have no texts: name the reference and the outputs, too")
    with collect_notices(not is_json_alone(options), name_repairs(options)) as notices:
        check_written(options)
        warn_of_runs(options, short)
        named = [name for name, _ in options.system or ()]
        if named and None not in named:
            refuse_others(options, list(dict.fromkeys(named)))  # before anything is scored
        from mtworkbench.analyses import list_segments
        from mtworkbench.resampling import resolve_rng
        from mtworkbench.tables import format_segments

        outputs, families = compute_with_outputs(options)
        say_what_was_read(options, families)
        systems = list(families[0])
        refuse_others(options, systems)
        [(a, b)] = choose_pairs(options, systems)
        random_key = resolve_rng(options.rng)
        found = [list_segments(outputs, one, a, b, first=options.first, rng=random_key) for one in families]
    width, coloured = text_width(options), options.output is None and takes_colours()
    return write_result(options, lambda format: format_segments(found, format, notices, width=width, coloured=coloured))


def refuse_others(options: argparse.Namespace, systems: Sequence[str]) -> None:
    """Refuse any number of systems but two, and a baseline that is none of them."""
    if len(systems) == 1:
        options.usage_error(f"there is one system, {systems[0]!r}: name another one to compare it with")
    if len(systems) > 2:
        options.usage_error(
            f"there are {len(systems)} systems, {name_some(systems)}, but two are compared: name them with --pair "
            "BASELINE SYSTEM"
        )
    check_baseline(options, systems)
