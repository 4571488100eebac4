"""``mtworkbench compare``: every system against a baseline, or all pairs."""

from __future__ import annotations

import argparse

from mtworkbench.cli.options import (
    FORMATS,
    OUTPUTS_USAGE,
    add_command,
    add_outputs,
    add_result,
    add_saved,
    add_test,
    check_output,
    check_sources,
    read_statistics,
    write_result,
)
from mtworkbench.cli.streams import collect_notices, make_bar


def add_compare(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "compare",
        run_compare,
        "compare systems with a baseline, or all pairs of them",
        f"({OUTPUTS_USAGE} | --statistics FILE ...) [OPTION ...]",
    )
    add_outputs(parser, required=False)
    add_saved(parser)
    add_test(parser, baseline="all pairs")
    add_result(parser, FORMATS)


def run_compare(options: argparse.Namespace) -> str:
    """Compare systems, from outputs or from saved statistics; return what goes to standard output."""
    check_sources(options)
    with collect_notices(shown=options.format != "json") as notices:
        if options.output is not None:
            check_output(options)
        from mtworkbench.inference import compare
        from mtworkbench.tables import format_comparison

        comparison = compare(
            read_statistics(options),
            options.baseline,
            unit=options.unit,
            exchange=options.exchange,
            interval=options.interval,
            n_resamples=options.resamples,
            n_trials=options.trials,
            level=options.level,
            rng=options.rng,
            progress=make_bar("drawing", "draw"),
        )
        table = format_comparison(comparison, options.format, notices, all_columns=options.all_columns)
    return write_result(options, table)
