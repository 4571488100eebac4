"""``mtworkbench calibrate``: how often published rules err on two systems' own outputs, made equal by swapping."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mtworkbench.choices import WITHOUT_PAPER
from mtworkbench.cli.options import (
    SOURCES_USAGES,
    add_shared,
    add_sources,
    choose_key,
    read_statistics,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import choose_pair, choose_pairs, refuse_several
from mtworkbench.cli.streams import SECONDS_BETWEEN_LINES, make_lines
from mtworkbench.cli.values import whole_number
from mtworkbench.cli.writing import add_figure, add_result, draw_figure, write_result

if TYPE_CHECKING:
    from mtworkbench.inference.calibrate import Calibration
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

PURPOSE = "measure how often published rules call equal systems different, on your own outputs"
USAGES = with_options("REFERENCE OUTPUT OUTPUT", *SOURCES_USAGES)
EXAMPLES = (
    "ref.txt base.txt new.txt --documents docs.txt",
    "ref.txt sys/* --pair online-A online-B -m chrf",
    "--statistics run.stats --figure levels.pdf",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of a calibration."""
    add_sources(parser)
    test = parser.add_argument_group("test")
    pair = "the two systems to make equal by swapping (default: the only two)"
    add_shared(test, baseline="none; one pair is calibrated", all_pairs="", pair=pair, unit="")
    for name, what in (
        ("repetitions", "how many pairs of equal systems to make (default: 500)"),
        ("segments", "segments in each repetition, drawn from the test set (default: all)"),
        ("resamples", "bootstrap resamples in each repetition (default: 1,000, more for levels above 0.98)"),
        ("trials", "random exchanges in each repetition (default: 1,000)"),
    ):
        test.add_argument(f"--{name}", type=whole_number(1), metavar="N", help=what)
    add_shared(test, level="level of the rules (default: 0.95)", rng="")
    add_figure(add_result(parser, WITHOUT_PAPER), "the p of each rule")


def run_calibrate(options: argparse.Namespace) -> str:
    """Calibrate the rules on two systems, from outputs or from saved statistics; return the standard output."""
    with taken_sources(options) as notices:
        from mtworkbench.tables import format_calibration

        found = calibrate_each(options, read_statistics(options))
    if options.figure is not None:
        from mtworkbench.plots.conventions import draw_levels

        draw_figure(options.figure, lambda: draw_levels(found[0].p_values, level=found[0].level))
    return write_result(options, format_calibration, found, notices)


def calibrate_each(options: argparse.Namespace, statistics: Sequence[SegmentStatistics]) -> list[Calibration]:
    """Calibrate the rules on each pair under each metric."""
    from mtworkbench.inference.calibrate import calibrate

    names = choose_pair(options, list(statistics[0]))
    if options.baseline is None and not options.all_pairs:
        refuse_several(options, names, ", or several pairs with --baseline NAME or --all-pairs")
    pairs = [(names[0], names[1])] if len(names) == 2 and options.baseline is None else choose_pairs(options, names)
    if options.figure is not None and len(statistics) * len(pairs) > 1:
        options.usage_error(f"--figure draws one pair under one metric, but there are {len(statistics) * len(pairs)}")
    random_key = choose_key(options)
    named = ("repetitions", "segments", "resamples", "trials")
    counts = {f"n_{name}": count for name in named if (count := getattr(options, name)) is not None}
    return [
        calibrate(
            family[a],
            family[b],
            unit=options.unit,
            level=options.level,
            rng=random_key,
            progress=None
            if options.study is not None
            else make_lines(family.metric.name, "repetition", delay=SECONDS_BETWEEN_LINES),
            study=options.study,
            **counts,
        )
        for family in statistics
        for a, b in pairs
    ]
