"""The tables of a campaign as columns: systems, differences over all test sets, and the test sets one by one."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.inference.campaign_results import (
    CampaignComparison,
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    SetEstimate,
)
from mtworkbench.inference.verdicts import ROUNDING
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.tables.campaign_headlines import NEW, SAME, THESE, count_sets
from mtworkbench.tables.cells import (
    ADJUSTMENTS,
    T_DIGITS,
    decimals_of,
    direction_of,
    in_percent,
    interval_of,
    leads,
    listed,
    name_adjusted,
    name_of_p,
    p_digits,
    show_p,
)
from mtworkbench.tables.frames import READABLE_NAME, WIDTH, Cell, Columns, Name, number
from mtworkbench.tables.latex import MOST_ROWS
from mtworkbench.tables.sentences import comparative
from mtworkbench.tables.sentences_on_runs import tests_otherwise

#: What stands after a difference on one set, by its verdict.
MARKS = {"significant": "*", "undecided": "?"}
# The headings of adjusted p in the one table of very many differences.
SHORT_P = ("p (these)", "p (new)")
#: The heading of the table with one row per set, where it counts.
COUNTS = "What is shown, test set by test set"
#: What is said of a difference that would be shown on its own, but not among several comparisons.
NOT_AFTER_HOLM = f"not after {ADJUSTMENTS['holm']}"
# The heading of the baseline's scores.
BASELINE = "baseline"
# What tells the name of a system from another heading that is the same.
OF_SYSTEM = " (system)"
# Least width of a column of differences or scores by set, with the gap before it.
NARROWEST = 9


def metric_heading(comparison: CampaignComparison, key: str) -> str:
    """Name the metric, its direction and the test sets, above its tables."""
    n_segments = sum(one.n_segments for one in comparison.test_sets)
    return f"{key}, {direction_of(comparison.metrics[key])}; {count_sets(comparison)}, {n_segments:,} segments in all"


def tabulate_campaign(comparison: CampaignComparison, key: str, width: int = WIDTH) -> dict[str, Columns]:
    """Return the tables of one metric by their headings.

    Parameters
    ----------
    comparison : CampaignComparison
    key : str
        Of one of its metrics.
    width : int
        Columns that the table with one row per set may take: where it would have too many, it counts.

    Returns
    -------
    dict of str to dict of str to list of str
        Systems; differences over all sets for new test sets, on these, and for the method where it was tested; and the
        sets one by one.
    """
    metric = comparison.metrics[key]
    tables = {"Ranking, mean over test sets" if metric.ranking else "Mean over test sets": tabulate_systems(metric)}
    if not metric.comparisons:
        return tables
    rows = metric.comparisons_from_best
    what = f"Difference from {metric.compared_with}" if metric.compared_with is not None else "Differences of all pairs"
    what = f"{what}, mean over {count_sets(comparison)}"
    if len(rows) > MOST_ROWS:
        tables[what] = _short_columns(metric, rows)
    else:
        tables[f"{what}, for new test sets like these"] = _new_columns(metric, rows)
        tables[f"{what}, on these test sets"] = _these_columns(metric, rows)
    if metric.asks_of_methods:
        tables[f"{what}, for the method (new training runs) on these test sets"] = _method_columns(metric, rows)
    return tables | dict([tabulate_sets(comparison, metric, width)])


def _ci(metric: CampaignMetric) -> str:
    return f"{in_percent(metric.level)} CI"


def tabulate_systems(metric: CampaignMetric) -> Columns:
    """Return the table of systems: mean score over sets with its interval on these sets, and the ranking."""
    digits, systems = decimals_of(metric), metric.systems_from_best
    columns: Columns = {"system": [one.system for one in systems]}
    if metric.ranking is not None:
        columns["rank"] = [Cell(one.rank) for one in metric.ranking]
        columns |= rank_columns(metric)
    if any(one.runs != 1 for one in systems):
        columns["runs"] = [Cell("varies" if one.runs is None else one.runs) for one in systems]
    columns[metric.name.split("|")[0]] = [number(one.score, digits) for one in systems]
    columns[_ci(metric)] = [interval_of(one.low, one.high, digits) for one in systems]
    return columns


def rank_columns(metric: CampaignMetric) -> Columns:
    """Return ranges of ranks and shares of first places, on these sets and on new ones; and letters of all pairs."""
    ranking = metric.ranking or ()
    by_verdicts = is_ranked_by_verdicts(metric)
    columns: Columns = {
        "ranks" if by_verdicts else "ranks (bootstrap)": [_range(one.rank_low, one.rank_high) for one in ranking],
        "group": [one.group or "" for one in ranking],
        "best %": [_percent(one.p_best) for one in ranking],
        "ranks (new sets)": [_range(one.new_sets_rank_low, one.new_sets_rank_high) for one in ranking],
        "group (new sets)": [one.new_sets_group or "" for one in ranking],
        "best % (new sets)": [_percent(one.new_sets_p_best) for one in ranking],
    }
    return {name: cells for name, cells in columns.items() if any(cells)}


def is_ranked_by_verdicts(metric: CampaignMetric) -> bool:
    """Tell whether the ranges of ranks are those that the verdicts on all pairs leave open."""
    return all(one.group is not None for one in metric.ranking or ())


def _range(low: int | None, high: int | None) -> Cell:
    if low is None or high is None:
        return Cell()
    return Cell(low if low == high else f"{low}-{high}")


def _percent(share: float | None) -> Cell:
    return Cell("" if share is None else f"{100 * share:.0f}")


def _names(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    columns: Columns = {"system": [pair.a for pair in rows]}
    return columns if metric.compared_with is not None else columns | {"against": [pair.b for pair in rows]}


def _new_columns(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return the differences as estimates for new test sets."""
    digits = decimals_of(metric)
    columns = _names(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        _ci(metric): [interval_of(pair.new_sets_low, pair.new_sets_high, digits) for pair in rows],
        "p": [show_p(pair.new_sets_p_value, T_DIGITS) for pair in rows],
        name_of_p(metric, of_method=True): [show_p(pair.new_sets_p_adjusted, T_DIGITS) for pair in rows],
        "one new set": [interval_of(pair.one_new_set_low, pair.one_new_set_high, digits) for pair in rows],
        "spread": [number(pair.spread_between_sets, digits) for pair in rows],
        "p (sets)": [show_p(pair.spread_p_value, T_DIGITS) for pair in rows],
    }
    return columns | {"new sets": [for_new_sets(pair, metric) for pair in rows]}


def _these_columns(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return the differences on these test sets."""
    digits, n_trials = decimals_of(metric), metric.n_trials
    columns = _names(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        _ci(metric): [interval_of(pair.low, pair.high, digits) for pair in rows],
        "p": [show_p(pair.p_value, p_digits(pair, n_trials)) for pair in rows],
        name_of_p(metric): [show_p(pair.p_adjusted, p_digits(pair, n_trials)) for pair in rows],
    }
    if has_direction(metric):
        columns["better on"] = [Cell(f"{pair.n_sets_a_better} of {pair.n_sets}") for pair in rows]
    return columns | {
        "these sets": [on_these_sets(pair, metric) for pair in rows],
        "new sets": [for_new_sets(pair, metric) for pair in rows],
    }


def _method_columns(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return the differences as estimates for new training runs on these test sets."""
    digits = decimals_of(metric)
    adjusted = "p" if metric.method_family_size == 1 else name_adjusted("holm")
    columns = _names(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        _ci(metric): [interval_of(pair.method_low, pair.method_high, digits) for pair in rows],
        "p": [show_p(pair.method_p_value, T_DIGITS) for pair in rows],
        adjusted: [show_p(pair.method_p_adjusted, T_DIGITS) for pair in rows],
        "df": [number(pair.method_df, 1) for pair in rows],
    }
    return columns | {"method": [for_method(pair, metric) for pair in rows]}


def _short_columns(metric: CampaignMetric, rows: Sequence[CampaignPair]) -> Columns:
    """Return one table of very many differences: what the verdicts go by."""
    digits, n_trials = decimals_of(metric), metric.n_trials
    return _names(metric, rows) | {
        "diff.": [number(pair.difference, digits) for pair in rows],
        SHORT_P[0]: [show_p(pair.p_adjusted, p_digits(pair, n_trials)) for pair in rows],
        SHORT_P[1]: [show_p(pair.new_sets_p_adjusted, T_DIGITS) for pair in rows],
        "these sets": [on_these_sets(pair, metric) for pair in rows],
        "new sets": [for_new_sets(pair, metric) for pair in rows],
    }


def on_these_sets(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown of a difference on these test sets."""
    if pair.conclusion in SAME:
        return pair.conclusion
    if pair.verdict == "undecided":
        return "undecided"
    if pair.verdict == "significant":
        return comparative(metric, leads(pair, metric))
    return NOT_AFTER_HOLM if _is_shown_alone(pair, metric) else "not shown"


def for_new_sets(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown for new test sets: only where it is shown on these, too."""
    if pair.conclusion == NEW:
        return comparative(metric, leads(pair, metric))
    if pair.conclusion in SAME:
        return ""
    if pair.new_sets_verdict is None:
        return "not tested"
    alone = _is_shown_alone(pair, metric) and _rejects(pair.new_sets_p_value, metric)
    return NOT_AFTER_HOLM if alone else "not shown"


def for_method(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown for the method on these test sets."""
    if pair.method_verdict is None:
        return "not tested"
    if pair.method_verdict == "significant" and pair.conclusion in (NEW, THESE):
        return comparative(metric, leads(pair, metric))
    alone = _is_shown_alone(pair, metric) and _rejects(pair.method_p_value, metric)
    return NOT_AFTER_HOLM if alone else "not shown"


def _is_shown_alone(pair: CampaignPair, metric: CampaignMetric) -> bool:
    """Tell whether a difference would be shown on these test sets if its p were not adjusted."""
    return pair.verdict == "significant" or (
        metric.family_size > 1 and not tests_otherwise(pair) and _rejects(pair.p_high, metric)
    )


def _rejects(p_value: float | None, metric: CampaignMetric) -> bool:
    """Tell whether a p that is not adjusted is at most 1 - level."""
    return p_value is not None and p_value <= 1 - metric.level + ROUNDING


# ---- one row per test set


def tabulate_sets(comparison: CampaignComparison, metric: CampaignMetric, width: int) -> tuple[str, Columns]:
    """Return heading and columns of the table with one row per test set.

    Of one comparison it has difference, interval and p; of several with a baseline their differences, marked where
    they are shown; of all pairs the scores. Where that is too wide, the table counts what is shown. Names are whole;
    callers make them fit with `shorten_headings` or `break_headings`.
    """
    rows = metric.comparisons_from_best
    columns: Columns = {
        "test set": [one.name for one in comparison.test_sets],
        "segments": [Cell(f"{one.n_segments:,}") for one in comparison.test_sets],
    }
    longest = max(len(name) for name in columns["test set"])
    room = width - min(longest, 2 * READABLE_NAME) - 12
    if len(rows) == 1:
        [pair] = rows
        return f"{pair.a} against {pair.b}, test set by test set", columns | _one_pair(metric, pair)
    if metric.compared_with is not None:
        n_columns, heading = len(rows), f"Score of {rows[0].b}, and differences from it, test set by test set"
        of_sets, room = _differences_by_set(metric, rows), room - len(BASELINE) - 2
    else:
        n_columns, heading = len(metric.systems), "Scores, test set by test set"
        of_sets = _scores_by_set(metric)
    if room // n_columns < NARROWEST:
        return COUNTS, columns | _counts_by_set(metric, rows)
    if metric.compared_with is not None:
        columns[BASELINE] = _scores_by_set(metric)[rows[0].b]
    for name, cells in of_sets.items():
        while name in columns:
            name += OF_SYSTEM
        columns[Name(name)] = cells
    return heading, columns


def _one_pair(metric: CampaignMetric, pair: CampaignPair) -> Columns:
    digits, sets = decimals_of(metric), pair.sets
    columns: Columns = {
        "diff.": [number(one.difference, digits) for one in sets],
        _ci(metric): [interval_of(one.low, one.high, digits) for one in sets],
        "p": [show_p(one.p_value, p_digits(one, one.n_trials)) for one in sets],
        name_adjusted("holm"): [show_p(one.p_adjusted, p_digits(one, one.n_trials)) for one in sets],
    }
    return columns | {"on this set": [_on_set(one, metric) for one in sets]}


def _on_set(one: SetEstimate, metric: CampaignMetric) -> str:
    if one.verdict == "significant":
        return comparative(metric, leads(one, metric))
    return "undecided" if one.verdict == "undecided" else "not shown"


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
