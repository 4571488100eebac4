"""``mtworkbench plan``: how many segments, documents and runs a difference needs."""

from __future__ import annotations

import argparse

from mtworkbench.choices import WITHOUT_PAPER
from mtworkbench.cli.options import (
    SOURCES_USAGES,
    add_shared,
    add_sources,
    read_statistics,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import choose_pair, choose_pairs
from mtworkbench.cli.values import points, share, whole_number
from mtworkbench.cli.writing import add_result, is_read_now, write_result

PURPOSE = "compute how many segments, documents and runs are needed to show a difference"
USAGES = with_options("REFERENCE OUTPUT OUTPUT", *SOURCES_USAGES)
EXAMPLES = (
    "ref.txt base.txt new.txt --difference 0.5 --power 0.8",
    "ref.txt base.txt new.txt --documents docs.txt --margin 0.5",
    "--reference ref.txt --system A='A.*' --system B='B.*'",
    "ref.txt sys/* --pair online-A online-B -m chrf",
)


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_sources(parser)
    plan = parser.add_argument_group("plan")
    plan.add_argument(
        "--difference",
        type=points,
        metavar="X",
        help="true difference to be shown, in points of the metric (default: the observed one)",
    )
    plan.add_argument(
        "--margin",
        type=points,
        metavar="X",
        help="in place of a difference: plan for showing that systems are equal within X points of the metric (TOST), "
        "if their true difference is 0",
    )
    plan.add_argument(
        "--power", type=share, default=0.8, metavar="X", help="probability that the test shows it (default: 0.8)"
    )
    plan.add_argument(
        "--n-runs",
        "--runs",
        dest="runs",
        type=whole_number(2),
        metavar="N",
        help="number of training runs of each system to plan for (default: as many as there are; in Python: runs=)",
    )
    add_shared(
        plan,
        baseline="the first of two systems",
        all_pairs="",
        pair="plan for these two systems only (default: all)",
        unit="",
        level="confidence level; tests reject at 1 - X (default: 0.95)",
    )
    add_result(parser, WITHOUT_PAPER, "how to write the plan")


def run_plan(options: argparse.Namespace) -> str:
    """Plan for each pair of systems under each metric; return what goes to standard output."""
    if options.difference is not None and options.margin is not None:
        options.usage_error("--difference is for showing a difference, --margin for showing equality: leave one out")
    with taken_sources(options, says_doubts=is_read_now(options)) as notices:
        from mtworkbench.inference import plan_test_set
        from mtworkbench.tables import format_plan

        families = read_statistics(options)
        systems = choose_pair(options, list(families[0]))
        for name in ("difference", "margin"):
            if getattr(options, name) is not None and len(families) > 1:
                options.usage_error(f"--{name} is in points of one metric: plan for one metric at a time")
        plans = [
            plan_test_set(
                statistics[a],
                statistics[b],
                difference=options.difference,
                margin=options.margin,
                power=options.power,
                level=options.level,
                unit=options.unit,
                runs=options.runs,
            )
            for statistics in families
            for a, b in choose_pairs(options, systems)
        ]
        notices.said.update(doubt.code for plan in plans for doubt in plan.doubts)
    return write_result(options, format_plan, plans, notices)
