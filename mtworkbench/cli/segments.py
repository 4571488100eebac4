"""``mtworkbench segments``: which segments make the difference between two systems."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from mtworkbench.choices import OF_SEGMENTS
from mtworkbench.cli.options import (
    TEXTS_USAGES,
    add_outputs,
    add_shared,
    choose_key,
    compute_with_outputs,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import check_baseline, check_pair, choose_pairs, refuse_several, refuse_single
from mtworkbench.cli.reading import check_outputs_named, find_whole, say_what_was_read
from mtworkbench.cli.short_form import add_files
from mtworkbench.cli.streams import takes_colours
from mtworkbench.cli.values import whole_number
from mtworkbench.cli.writing import add_result, write_result

PURPOSE = "list the segments that make the difference between two systems, with their texts"
USAGES = with_options("REFERENCE OUTPUT OUTPUT", *TEXTS_USAGES)
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --pair online-A online-B -m chrf --first 20",
    "ref.txt base.txt new.txt --output segments.tex",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
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
    add_shared(segments, baseline="the first of two systems")
    segments.add_argument(
        "--pair",
        nargs=2,
        metavar=("BASELINE", "SYSTEM"),
        help="the two systems to compare (default: the only two, the first of which is the baseline)",
    )
    add_shared(segments, rng="")
    add_result(parser, OF_SEGMENTS, "how to write the segments; tsv has one row per segment")


def run_segments(options: argparse.Namespace) -> str:
    """List the segments that make the difference, metric by metric; return what goes to standard output."""
    with taken_sources(options, choose_outputs) as notices:
        named = [name for name, _ in options.system or ()]
        if named and None not in named:
            refuse_others(options, list(dict.fromkeys(named)))  # before anything is scored
        from mtworkbench.analyses import list_segments
        from mtworkbench.tables import format_segments

        outputs, families = compute_with_outputs(options)
        say_what_was_read(options, families)
        systems = list(families[0])
        refuse_others(options, systems)
        [(a, b)] = choose_pairs(options, systems)
        random_key = choose_key(options)
        found = [list_segments(outputs, one, a, b, first=options.first, rng=random_key) for one in families]
    coloured = options.output is None and takes_colours()
    return write_result(options, format_segments, found, notices, coloured=coloured)


def choose_outputs(options: argparse.Namespace) -> None:
    """Choose the outputs of the two systems that are named; refuse what cannot be compared segment by segment."""
    check_pair(options)
    options.systems = options.pair or options.systems  # others are neither read nor scored
    check_outputs_named(options)
    if options.scores and not (options.reference or find_whole(options)):
        options.usage_error("scores alone have no texts: name the reference and the outputs, too")


def refuse_others(options: argparse.Namespace, systems: Sequence[str]) -> None:
    """Refuse any number of systems but two, and a baseline that is none of them."""
    refuse_single(options, systems)
    refuse_several(options, systems, ", the baseline first")
    check_baseline(options, systems)
