"""What comparisons have for all readers, on one test set or several: the tables of each metric, and signatures."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, CampaignSystem, SetEstimate
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, MetricComparison
from mtworkbench.wording import grouped, listed, name_some, tally
from mtworkbench.words.cells import decimals_of, leads, p_digits, say_direction, show_ends, show_p, show_p_error, show_t
from mtworkbench.words.columns import (
    DEFF_OF_DIFFERENCE,
    DIFFERENCE,
    SHORT_P,
    VERDICT,
    WITHOUT,
    list_dispensable,
    name_ci,
    name_rows,
    say_verdict,
    say_verdict_on_set,
    show_p_of,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.document import MOST_ROWS, Section, Table, name_signatures
from mtworkbench.words.frames import READABLE_NAME, Cell, Columns, Name, in_percent, number
from mtworkbench.words.scopes import (
    METHOD,
    NEW_RUNS_AND_SETS,
    NEW_SETS,
    OUTPUTS,
    Question,
    adjustment_of,
    count_sets,
    define_method,
    name_adjusted,
    name_claim,
    questions_of,
    scope_of,
)
from mtworkbench.words.sentences import comparative
from mtworkbench.words.sentences_on_equivalence import USUAL_POWER, smallest_columns
from mtworkbench.words.sentences_on_units import name_size

#: What stands after a difference on one set, by its verdict.
MARKS = {"significant": "*", "undecided": "?"}
SAID_BY_MARKS = {"*": "shown on this set", "?": "undecided"}
#: The heading of the table where it counts.
COUNTS = "What is shown, test set by test set"
# The heading of the baseline's scores.
BASELINE = "baseline score"
# What tells the name of a system from another heading that is the same.
OF_SYSTEM = " (system)"
# Least width of a column of differences or scores by set, with the gap before it.
NARROWEST = 9
LEFT_OUT = "p for new test sets when each set is left out in turn (Student's t of the other sets)"


def sign(comparison: AnyComparison) -> list[str]:
    """Write what is needed to reproduce the numbers of each metric, which is named where there are several.

    Test sets with one signature are together.
    """
    signed = dict[str, str]()
    for key, metric in comparison.metrics.items():
        sets = grouped((signature, name) for name, signature in metric.signatures.items())
        for signature, names in sets.items():
            on = f" on {name_some(names)}" if len(sets) > 1 else ""
            signed[f"{key}{on}"] = f"{signature}|{comparison.signature}"
    return name_signatures(signed)


def head_metric(comparison: AnyComparison, key: str) -> str:
    """Name the metric, its direction and the test set or sets, above its tables."""
    head = f"{key}, {say_direction(comparison.metrics[key])}; "
    if isinstance(comparison, CampaignComparison):
        n_segments = sum(one.n_segments for one in comparison.test_sets)
        return f"{head}{count_sets(comparison)}, {n_segments:,} segments in all"
    metric = comparison.metrics[key]
    scored = {pair.n_segments for pair in metric.comparisons}
    # Where comparisons rest on different segments, a table of its own says on how many.
    missing = len(scored) == 1 and not metric.rests_on_parts and scored != {comparison.n_segments}
    return f"{head}{name_size(comparison, scored.pop() if missing else None)}"


# ---- the tables of one metric


def tabulate_metric(comparison: AnyComparison, key: str) -> list[Table]:
    """Return the tables of one metric: systems, differences for each question, and the test sets one by one."""
    tables = tabulate_questions(comparison.metrics[key])
    if isinstance(comparison, CampaignComparison) and comparison.metrics[key].comparisons:
        tables.append(tabulate_sets(comparison, comparison.metrics[key]))
    return tables


def lay_out_details(comparison: AnyComparison, key: str) -> Section:
    """Lay out every column of one metric, and what no other table has."""
    metric = comparison.metrics[key]
    tables = tabulate_questions(metric)
    if isinstance(comparison, CampaignComparison):
        campaign = comparison.metrics[key]
        is_first = key == next(iter(comparison.metrics))
        tables += [tabulate_sets(comparison, campaign)] if campaign.comparisons and not is_first else []
        left_out = tabulate_left_out(campaign)
        tables += [Table(left_out, LEFT_OUT)] if left_out else []
    elif isinstance(metric, MetricComparison) and metric.comparisons:
        tables += tabulate_details(metric)
    return Section(key, ": all columns", tables=tables)


def tabulate_questions(metric: AnyMetric) -> list[Table]:
    """Return a table of the systems, and one of the differences for each question.

    Where comparisons rest on different segments, a table says on how many, and the scores on these. Of very many
    differences over several test sets one table has what the verdicts go by.
    """
    sets = tally(len(metric.signatures), "test set") if isinstance(metric, CampaignMetric) else ""
    tables = [_fitting(metric, tabulate_systems(metric), f"Systems{', mean over test sets' if sets else ''}")]
    if not metric.comparisons:
        return tables
    against = "s of all pairs" if metric.compared_with is None else f" from {metric.compared_with}"
    what = f"Difference{against}{f', mean over {sets}' if sets else ''}"
    asked = questions_of(metric)
    if isinstance(metric, MetricComparison) and metric.rests_on_parts:
        tables.append(_fitting(metric, _tabulate_means(metric), "Scores on the segments scored for both systems"))
    if isinstance(metric, CampaignMetric) and len(metric.comparisons) > MOST_ROWS:
        tables.append(_fitting(metric, _short_columns(metric), what))
        asked = [question for question in asked if question in (METHOD, NEW_RUNS_AND_SETS)]
    headings = define_method((f"{what}, {name_claim(metric, one)}" for one in asked), scope_of(metric))
    return tables + [_table_of(metric, *each) for each in zip(asked, headings, strict=True)]


def _table_of(metric: AnyMetric, question: Question, heading: str) -> Table:
    rows = metric.comparisons_from_best
    return _fitting(metric, name_rows(metric, rows) | tabulate_differences(metric, rows, question), heading)


def _fitting(metric: AnyMetric, columns: Columns, heading: str) -> Table:
    """Return a table that knows what can be left out of it; of several test sets also p, if it is adjusted."""
    return Table(
        columns,
        heading,
        n_names=sum(name in columns for name in ("system", "against")),
        dispensable=[*list_dispensable(metric, columns), *(name for name in SHORT_P if name in columns)],
        spare=("p", "p (sets)") if isinstance(metric, CampaignMetric) and metric.family_size > 1 else (),
    )


def _short_columns(metric: CampaignMetric) -> Columns:
    """Return one table of very many differences: what the verdicts go by."""
    rows, digits = metric.comparisons_from_best, decimals_of(metric)
    return name_rows(metric, rows) | {
        DIFFERENCE: [number(pair.difference, digits) for pair in rows],
        SHORT_P[0]: [show_p_of(metric, pair, OUTPUTS, "p_adjusted") for pair in rows],
        SHORT_P[1]: [show_p_of(metric, pair, NEW_SETS, "p_adjusted") for pair in rows],
        f"{VERDICT} (these)": [say_verdict(metric, pair, OUTPUTS) for pair in rows],
        f"{VERDICT} (new)": [say_verdict(metric, pair, NEW_SETS) for pair in rows],
    }


def tabulate_left_out(metric: CampaignMetric) -> Columns:
    """Return the set of each comparison whose omission makes p for new test sets largest; empty where none is left out.

    Of one comparison, the table with one row per set has p without each.
    """
    rows = [
        (pair, max(pair.sets, key=lambda one: one.new_sets_without_p_adjusted or 0.0))
        for pair in metric.comparisons_from_best
        if any(one.new_sets_without_p_adjusted is not None for one in pair.sets)
    ]
    if len(metric.comparisons) < 2 or not rows:
        return {}
    return name_rows(metric, [pair for pair, _ in rows]) | {
        SHORT_P[1]: [show_t(pair.new_sets_p_adjusted, metric.level) for pair, _ in rows],
        "largest p without a set": [show_t(one.new_sets_without_p_adjusted, metric.level) for _, one in rows],
        "without": [one.test_set for _, one in rows],
    }


def _tabulate_means(metric: MetricComparison) -> Columns:
    """Return how many segments each comparison rests on, and both systems' scores on them."""
    rows, digits = metric.comparisons_from_best, decimals_of(metric)
    other = "baseline" if metric.compared_with is not None else "the other"
    return {
        "system": [pair.a for pair in rows],
        "against": [pair.b for pair in rows],
        "segments": [Cell(f"{pair.n_segments:,}") for pair in rows],
        "score of system": [number(pair.score_a, digits) for pair in rows],
        f"score of {other}": [number(pair.score_b, digits) for pair in rows],
    }


def tabulate_details(metric: MetricComparison) -> list[Table]:
    """Return what no other table says of each comparison: errors of p, design effects, other estimates."""
    rows = metric.comparisons_from_best
    tests: Columns = {
        "segments that differ": [Cell(f"{pair.segments_differing:,}") for pair in rows],
        "MC 95 % CI of p": [show_p_error(pair.p_low, pair.p_high, p_digits(pair)) for pair in rows],
        "smallest possible p": [show_p(pair.smallest_p, p_digits(pair)) for pair in rows],
    }
    if any(pair.design_effect is not None for pair in rows):
        tests[DEFF_OF_DIFFERENCE] = [number(pair.design_effect, 1) for pair in rows]
    if any(pair.from_length is not None for pair in rows):
        tests["diff. from length"] = [number(pair.from_length, decimals_of(metric)) for pair in rows]
    others: Columns = {}
    if metric.asks_of_methods:
        others["p, separate runs"] = [show_t(pair.method_p_separate, metric.level) for pair in rows]
        others["p, pooled runs"] = [show_t(pair.method_p_pooled, metric.level) for pair in rows]
    others |= smallest_columns(metric, rows)
    smallest = f"Smallest differences that could have been shown with {in_percent(USUAL_POWER)} power"
    of_method = ", and other p for the method"
    headed = {
        "How exact p is, and what else is known of each difference": tests,
        f"{smallest}{of_method if metric.asks_of_methods else ''}": others,
    }
    names = name_rows(metric, rows)
    return [
        Table(names | columns, heading, n_names=len(names), dispensable=[*reversed(columns)])
        for heading, columns in headed.items()
        if columns
    ]


# ---- several test sets, one by one


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
    of_sets, heading, columns = _scores_by_set(metric), "Scores, test set by test set", dict(head)
    if metric.compared_with is not None:
        heading = f"Score of {rows[0].b}, and differences from it, test set by test set"
        columns |= {BASELINE: of_sets[rows[0].b]}
        of_sets = {pair.a: [mark_difference(one, decimals_of(metric)) for one in pair.sets] for pair in rows}
        needs += len(BASELINE) + 2
    for name, cells in of_sets.items():
        while name in columns:
            name += OF_SYSTEM
        columns[Name(name)] = cells
    counts = Table(head | _counts_by_set(metric, rows), COUNTS)
    return Table(columns, heading, needs=needs + NARROWEST * len(of_sets), instead=counts)


def _one_pair(metric: CampaignMetric, pair: CampaignPair) -> Columns:
    digits, sets = decimals_of(metric), pair.sets
    columns: Columns = {
        DIFFERENCE: [number(one.difference, digits) for one in sets],
        name_ci(metric): [show_ends(one.ends, digits) for one in sets],
        name_adjusted(adjustment_of(metric)): [show_p(one.p_adjusted, p_digits(one), metric.level) for one in sets],
        VERDICT: [say_verdict_on_set(metric, one) for one in sets],
    }
    if any(one.new_sets_without_p_adjusted is not None for one in sets):
        columns[WITHOUT] = [show_t(one.new_sets_without_p_adjusted, metric.level) for one in sets]
    return columns


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
