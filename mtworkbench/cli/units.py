"""``mtworkbench units``: what documents, domains or blocks change in place of segments."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from mtworkbench.cli.options import (
    SOURCES_USAGES,
    TRIALS,
    add_shared,
    add_sources,
    choose_key,
    read_statistics,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import choose_baseline
from mtworkbench.cli.streams import make_bar
from mtworkbench.cli.writing import add_result, write_result

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "show how much documents and other units inflate variances, and which verdicts change"
USAGES = with_options("REFERENCE OUTPUT ...", *SOURCES_USAGES)
FORMATS = ("text", "csv")
# The summary is two tables, because one is wider than a terminal.
VARIANCES = ["metric", "unit", "n_units", "differences_median", "differences_max", "scores_median", "scores_max"]
VERDICTS = ["metric", "unit", "pairs", "shown_by_segment", "undecided_by_segment", "shown", "undecided", "flips"]
EXAMPLES = ("ref.txt base.txt new.txt --unit block", "--statistics run.stats --output units.csv")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_sources(parser)
    test = parser.add_argument_group("test")
    add_shared(test, baseline="the first of two systems", all_pairs="")
    test.add_argument(
        "--unit",
        dest="units",
        action="append",
        metavar="NAME",
        help="a unit to compare with segments: document, a column such as domain, block (repeatable; default: "
        "document, or block where documents are not known, and the columns with at least 6 values)",
    )
    add_shared(test, trials=TRIALS, level="level; tests reject at 1 - X (default: 0.95)", rng="")
    add_result(parser, FORMATS, "a summary as text, or every comparison as csv")
    parser.set_defaults(unit="auto")


def run_units(options: argparse.Namespace) -> str:
    """Compare units, from outputs or from saved statistics; return what goes to standard output."""
    if options.units and set(options.units) == {"segment"}:
        options.usage_error("--unit segment is what other units are compared with: name another one")
    with taken_sources(options):
        from mtworkbench.analyses.units import compare_units
        from mtworkbench.tables import frame_to_csv

        random_key = choose_key(options)
        statistics = read_statistics(options)
        frame = compare_units(
            statistics,
            choose_baseline(options, list(statistics[0])),
            units=options.units,
            n_trials=options.trials,
            level=options.level,
            rng=random_key,
            progress=make_bar("comparing", "unit"),
        )

    def write(frame: pd.DataFrame, format: str, *_: object, **more: object) -> str:
        return frame_to_csv(frame) if format == "csv" else summarize(frame, random_key.seed)

    return write_result(options, write, frame)


def summarize(frame: pd.DataFrame, seed: int | str | None) -> str:
    """Return the summary that is the text: how much units inflate variances, and which verdicts change."""
    from mtworkbench.analyses.units import describe_rule, describe_units, summarize_units
    from mtworkbench.tables import show_table

    summary = summarize_units(frame)
    parts = [
        f"Variance by unit / variance by segment (deff: median, and maximum):\n{show_table(summary[VARIANCES])!r}",
        f"Differences that are shown ({describe_rule(frame)}):\n{show_table(summary[VERDICTS])!r}",
        describe_units(frame),
        f"Seed: --rng {seed}",
    ]
    return "\n\n".join(parts) + "\n"
