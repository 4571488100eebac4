"""``--fail-if``: the exit status 1 for a script that should stop if the verdicts are not what it needs."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mtworkbench.inference.equivalence import Margin
    from mtworkbench.results.comparisons import AnyComparison
    from mtworkbench.statistics.segment_statistics import SegmentStatistics


def add_gate(group: argparse._ArgumentGroup) -> None:
    """Add the option."""
    group.add_argument(
        "--fail-if",
        choices=("worse", "not-better", "not-equal"),
        help="end with exit status 1 if, by any metric, any system is shown to be worse than the baseline, is not "
        "shown to be better, or is not shown to be equal within --margin; for the method where systems have several "
        "runs",
    )


def check_gate(options: argparse.Namespace, families: Sequence[SegmentStatistics], margin: Margin) -> None:
    """Refuse a condition that no verdict can answer, before systems are compared."""
    if options.fail_if is None:
        return
    from mtworkbench.metrics.directions import has_direction

    if len(families[0]) < 2 or (options.baseline is None and len(families[0]) > 2):
        options.usage_error(
            "--fail-if compares systems with a baseline: name two systems, or the baseline with --baseline NAME"
        )
    metrics = [family.metric for family in families]
    if options.fail_if == "not-equal":
        from mtworkbench.inference.equivalence import choose_margins

        given = dict(choose_margins(margin, [metric.name for metric in metrics]))
        if missing := next((metric.name for metric in metrics if metric.name not in given), None):
            options.usage_error(f"--fail-if not-equal needs a margin for {missing}: give it with --margin {missing}=X")
    elif undirected := next((metric.name for metric in metrics if not has_direction(metric)), None):
        problem = f"needs to know which scores are better, but nothing says so for {undirected}"
        remedy = f"leave this metric out or, if it is your own score, add --direction {undirected}=up (or =down)"
        options.usage_error(f"--fail-if {options.fail_if} {problem}: {remedy}")


def apply_gate(options: argparse.Namespace, comparison: AnyComparison) -> None:
    """Have the program end with exit status 1 if a system fails, and say which."""
    if options.fail_if is None:
        return
    from mtworkbench.words.headlines import describe_failures

    if failed := describe_failures(comparison, options.fail_if):
        options.failed = f"--fail-if {options.fail_if}: {failed}."
