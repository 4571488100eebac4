"""The table of several test sets with one row per set; where it would be too wide, it counts."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, CampaignSystem, SetEstimate
from mtworkbench.wording import listed
from mtworkbench.words.cells import decimals_of, interval_of, leads, name_adjusted, p_digits, show_p
from mtworkbench.words.columns import name_ci
from mtworkbench.words.document import Table
from mtworkbench.words.frames import READABLE_NAME, Cell, Columns, Name, number
from mtworkbench.words.sentences import comparative
from mtworkbench.words.verdicts import on_set

#: What stands after a difference on one set, by its verdict.
MARKS = {"significant": "*", "undecided": "?"}
#: The heading of the table where it counts.
COUNTS = "What is shown, test set by test set"
# The heading of the baseline's scores.
BASELINE = "baseline"
# What tells the name of a system from another heading that is the same.
OF_SYSTEM = " (system)"
# Least width of a column of differences or scores by set, with the gap before it.
NARROWEST = 9


def tabulate_sets(comparison: CampaignComparison, metric: CampaignMetric) -> Table:
    """Return the table with one row per test set, and what is shown instead where it is too wide.

    Of one comparison it has difference, interval and p; of several with a baseline their differences, marked where
    they are shown; of all pairs the scores. Where that is too wide, the table counts what is shown. Names are whole:
    writers make them fit.
    """
    rows = metric.comparisons_from_best
    head: Columns = {
        "test set": [one.name for one in comparison.test_sets],
        "segments": [Cell(f"{one.n_segments:,}") for one in comparison.test_sets],
    }
    if len(rows) == 1:
        [pair] = rows
        return Table(head | _one_pair(metric, pair), f"{pair.a} against {pair.b}, test set by test set")
    longest = max(len(name) for name in head["test set"])
    needs = min(longest, 2 * READABLE_NAME) + 12
    if metric.compared_with is not None:
        heading = f"Score of {rows[0].b}, and differences from it, test set by test set"
        of_sets, needs = _differences_by_set(metric, rows), needs + len(BASELINE) + 2
        columns = head | {BASELINE: _scores_by_set(metric)[rows[0].b]}
    else:
        of_sets, heading, columns = _scores_by_set(metric), "Scores, test set by test set", dict(head)
    for name, cells in of_sets.items():
        while name in columns:
            name += OF_SYSTEM
        columns[Name(name)] = cells
    counts = Table(head | _counts_by_set(metric, rows), COUNTS)
    return Table(columns, heading, needs=needs + NARROWEST * len(of_sets), instead=counts)


def _one_pair(metric: CampaignMetric, pair: CampaignPair) -> Columns:
    digits, sets = decimals_of(metric), pair.sets
    columns: Columns = {
        "diff.": [number(one.difference, digits) for one in sets],
        name_ci(metric): [interval_of(one.low, one.high, digits) for one in sets],
        "p": [show_p(one.p_value, p_digits(one, one.n_trials)) for one in sets],
        name_adjusted("holm"): [show_p(one.p_adjusted, p_digits(one, one.n_trials)) for one in sets],
    }
    return columns | {"on this set": [on_set(one, metric) for one in sets]}


def _differences_by_set(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return each system's differences from the baseline, marked where they are shown."""
    digits = decimals_of(metric)
    return {pair.a: [mark_difference(one, digits) for one in pair.sets] for pair in rows}


def mark_difference(one: SetEstimate, digits: int) -> Cell:
    """Write a difference on one set with the mark of its verdict; without one there is a space in its place."""
    return Cell(number(one.difference, digits) + MARKS.get(one.verdict, " "))


def _scores_by_set(metric: CampaignMetric) -> Columns:
    digits = decimals_of(metric)
    return {one.system: [number(score, digits) for score in one.scores.values()] for one in metric.systems_from_best}


def _counts_by_set(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return for each set the system with the best score, and how many differences are shown."""
    digits, columns = decimals_of(metric), Columns()
    sets = [one.test_set for one in rows[0].sets]
    best = {name: _best_on(metric, name) for name in sets}
    columns["best" if has_direction(metric) else "highest"] = [
        listed(one.system for one in best[name]) if len(best[name]) <= 2 else f"{len(best[name])} systems"
        for name in sets
    ]
    columns["score"] = [number(best[name][0].scores[name], digits) for name in sets]
    of_sets = [[pair.sets[place] for pair in rows] for place in range(len(sets))]
    shown = [[one for one in ones if one.verdict == "significant"] for ones in of_sets]
    if metric.compared_with is not None:
        better = [sum(leads(one, metric) for one in ones) for ones in shown]
        columns[comparative(metric)] = [Cell(count) for count in better]
        worse = [len(ones) - count for ones, count in zip(shown, better, strict=True)]
        columns[comparative(metric, False)] = [Cell(count) for count in worse]
    else:
        columns["pairs shown"] = [Cell(f"{len(ones)} of {len(rows)}") for ones in shown]
    undecided = [sum(one.verdict == "undecided" for one in ones) for ones in of_sets]
    if any(undecided):
        columns["undecided"] = [Cell(count) for count in undecided]
    return columns


def _best_on(metric: CampaignMetric, test_set: str) -> list[CampaignSystem]:
    """Return the systems with the best score on one set: several where they have the same."""
    best = max(sign_of(metric) * one.scores[test_set] for one in metric.systems)
    return [one for one in metric.systems if sign_of(metric) * one.scores[test_set] == best]
