"""``mtworkbench compare``: every system against a baseline, or all pairs."""

from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING

from mtworkbench.cli.options import (
    ADJUSTMENTS,
    FAMILIES,
    FORMATS,
    OUTPUTS_USAGES,
    RUNS,
    add_command,
    add_outputs,
    add_result,
    add_saved,
    add_test,
    check_output,
    check_sources,
    read_statistics,
    text_width,
    write_result,
)
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.streams import collect_notices, make_bar

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison

EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --metric chrf --baseline online-A",
    "ref.txt -i base.txt new.txt -m bleu chrf",
    "--reference ref.txt --system A='A.*' --system B='B.*'",
    "--statistics run.stats --baseline base --format latex",
)


def add_compare(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "compare",
        run_compare,
        "compare systems with a baseline, or all pairs of them",
        [f"{one} [OPTION ...]" for one in ("REFERENCE OUTPUT ...", *OUTPUTS_USAGES, "--statistics FILE ...")],
        EXAMPLES,
    )
    add_files(parser)
    add_outputs(parser, required=False)
    add_saved(parser)
    test = add_test(parser, baseline="the first output after the reference; otherwise all pairs")
    test.add_argument(
        "--runs",
        default="separate",
        choices=RUNS,
        help="for the method: estimate how much training runs vary from each system's own runs, or from the runs of "
        "all systems together (pooled: for two or three runs of systems that vary alike)",
    )
    test.add_argument(
        "--adjust",
        default="holm",
        choices=ADJUSTMENTS,
        help="adjust p on these outputs for the number of comparisons by Holm's method (holm), or by step-down max-T "
        "(max-t), which finds more where many systems are compared; p for the method is always adjusted by Holm's "
        "method",
    )
    test.add_argument(
        "--family",
        default="metric",
        choices=FAMILIES,
        help="adjust p for the comparisons of each metric, or for those of all metrics together (all: where a "
        "difference under any metric would be taken as a success)",
    )
    result = add_result(parser, FORMATS)
    result.add_argument(
        "--figure", metavar="FILE", help="also draw the comparison for a paper: a .pdf, .svg or .png file"
    )


def run_compare(options: argparse.Namespace) -> str:
    """Compare systems, from outputs or from saved statistics; return what goes to standard output."""
    short = take_files(options)
    check_sources(options)
    with collect_notices(shown=options.format != "json") as notices:
        if options.output is not None:
            check_output(options)
        if options.figure is not None:
            check_figure(options)
        from mtworkbench.inference import compare
        from mtworkbench.tables import format_comparison

        if short:
            warn_of_runs(options)
        statistics = read_statistics(options)
        if short and options.baseline is None and len(statistics[0]) > 1:
            options.baseline = next(iter(statistics[0]))
        comparison = compare(
            statistics,
            options.baseline,
            unit=options.unit,
            exchange=options.exchange,
            interval=options.interval,
            adjust=options.adjust,
            family=options.family,
            n_resamples=options.resamples,
            n_trials=options.trials,
            level=options.level,
            runs=options.runs,
            rng=options.rng,
            progress=make_bar("drawing", "draw"),
        )
        table = format_comparison(
            comparison, options.format, notices, width=text_width(options), all_columns=options.all_columns
        )
    if options.figure is not None:
        draw_figure(comparison, options.figure)
    return write_result(options, table)


def check_figure(options: argparse.Namespace) -> None:
    """Refuse a file for the figure that has no format, could not be written, or is read or written otherwise."""
    from mtworkbench.exports import check_figure_format

    check_figure_format(options.figure)
    check_output(argparse.Namespace(**vars(options) | {"output": options.figure}))
    if options.output is not None and os.path.realpath(options.output) == os.path.realpath(options.figure):
        options.usage_error(f"--output and --figure both name {options.figure!r}: give the figure a file of its own")


def draw_figure(comparison: Comparison, path: str) -> None:
    """Draw a comparison for a paper."""
    from mtworkbench.exports import write_figure
    from mtworkbench.plots import draw_comparison, style

    with style("paper"):
        write_figure(draw_comparison(comparison), path)
