"""Comparisons as a paper prints them: a row per system, the best first, and a caption; of several sets, a row per set.

LaTeX and Markdown have these tables; what has no room in them is on demand (``all_columns``).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.wording import begin, listed, name_some, tally
from mtworkbench.words.cells import direction_of, explain_cut_ends, family_of, name_draws, name_of_p, say_undecided
from mtworkbench.words.columns import (
    DIFFERENCE,
    PAPER,
    name_ci,
    name_p,
    name_score,
    set_top_in_bold,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.concerns import say_accepted, say_before, say_briefly
from mtworkbench.words.document import MOST_ROWS, AnyColumns, Document, Section, Table, cells_of, label_table
from mtworkbench.words.explanations import explain, name_test
from mtworkbench.words.frames import Bold, Cell, Columns, in_percent, threshold_of
from mtworkbench.words.headlines import describe_briefly, describe_findings, title_result
from mtworkbench.words.metric_tables import (
    COUNTS,
    MARKS,
    SAID_BY_MARKS,
    head_metric,
    sign,
    tabulate_metric,
    tabulate_sets,
)
from mtworkbench.words.paragraphs import describe_comparison
from mtworkbench.words.scopes import (
    ADJUSTMENTS,
    METHOD,
    NEW,
    NEW_SETS,
    RUNS,
    THESE,
    Question,
    adjustment_of,
    count_sets,
    is_of_exchanges,
    name_adjusted,
    name_df,
    name_exchanged,
    name_intervals,
    questions_of,
    scope_of,
    scores_of,
)
from mtworkbench.words.sentences import NOT_TESTED, say_joint, say_of_method, say_p
from mtworkbench.words.sentences_on_equivalence import WITHIN, describe_equality_by, is_equal, margins_of, say_test
from mtworkbench.words.sentences_on_top import name_meaning_of_bold
from mtworkbench.words.sentences_on_units import name_size

SYSTEM = "system"
# A longer name takes a line of its own in LaTeX.
SHORT = 10
# What stands after a difference, by the conclusion of its comparison: on one test set, and on several.
CONCLUSIONS = {
    "shown for the method": "‡",
    "shown on these outputs only": "†",
    "shown on these outputs; new runs unknown": "†",
    NEW: "‡",
    THESE: "†",
    "undecided": "?",
    "copies": "=",
    "identical scores": "=",
}


def build_paper(comparison: AnyComparison, format: str) -> Document:
    """Lay out the tables of a paper: LaTeX has one set's metrics in one table where one caption fits them."""
    if isinstance(comparison, Comparison) and format == "latex":
        sections = [Section(tables=paper_tables(comparison))]
    else:
        sections = [
            Section(key, f", {direction_of(metric)}", tables=_papers_of(comparison, key))
            for key, metric in comparison.metrics.items()
        ]
    headline = describe_briefly(comparison, define=True)
    if format == "latex":  # the paragraph says what the result rests on
        doubts = comparison.doubts
        headline = [*say_before(comparison.concerns), *describe_findings(comparison), *say_accepted(doubts)]
    return Document(headline, sections, signatures=sign(comparison), paragraph=describe_comparison(comparison))


def _papers_of(comparison: AnyComparison, key: str) -> list[Table]:
    """Tabulate one metric: the systems, and several test sets one by one."""
    tables = [paper_table(comparison, [key])]
    if isinstance(comparison, CampaignComparison) and comparison.metrics[key].comparisons:
        tables.append(_table_of_sets(comparison, key, comparison.metrics[key]))
    return tables


def paper_tables(comparison: Comparison) -> list[Table]:
    """Tabulate all metrics: together where one caption fits them and one column of a page holds them."""
    tables: list[list[str]] = []
    said: dict[str, list[str]] = {}
    for key, metric in comparison.metrics.items():
        together = said.setdefault(_shown(comparison, metric), [])
        lines = sum(1 + (len(one.system) > SHORT) for one in metric.systems) + 1
        if not together or (len(together) + 1) * lines > MOST_ROWS:
            together = said[_shown(comparison, metric)] = []
            tables.append(together)
        together.append(key)
    return [paper_table(comparison, keys) for keys in tables]


def paper_table(comparison: AnyComparison, keys: Sequence[str]) -> Table:
    """Tabulate the systems under metrics of which the same is shown.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
    keys : sequence of str
        Of ``comparison.metrics``; of several test sets, one.
    """
    metrics: dict[str, AnyMetric] = {key: comparison.metrics[key] for key in keys}
    table = _lay_out(metrics, "baseline" if comparison.baseline is not None else "")
    if isinstance(comparison, CampaignComparison):
        shown = _shown_on_sets(comparison, comparison.metrics[keys[0]])
        table = replace(table, label=_label(f"{keys[0]}-systems", *metrics.values()))
    else:
        shown = _shown(comparison, comparison.metrics[keys[0]])
    of_all = list(metrics.values())
    said = [*_legend(of_all, table), *_equal_pairs(of_all), *_of_method(of_all), *say_briefly(comparison, *keys)]
    return replace(table, caption=" ".join([_begin_caption(metrics, shown), *said]))


def _lay_out(metrics: Mapping[str, AnyMetric], other: str) -> Table:
    """Put metrics below each other, each with the differences of its first question; a mark says what is concluded."""
    columns: Columns = {}
    marks, headings = dict[tuple[int, str], str](), {}
    for key, metric in metrics.items():
        first, own = len(columns.get(SYSTEM, ())), _columns(metric, questions_of(metric)[0], other)
        for name, cells in own.items():
            shared = "score" if len(metrics) > 1 and name == _name_of_score(metric) else name
            columns.setdefault(shared, []).extend(cells)
        for system, pair in _by_system(metric).items():
            if mark := _mark(metric, pair):
                marks[first + own[SYSTEM].index(system), DIFFERENCE] = mark
        if len(metrics) > 1:
            headings[first] = f"{key}, {direction_of(metric)}"
    return Table(columns, label=_label("-".join(metrics), *metrics.values()), marks=marks, headings=headings)


def _label(name: str, *metrics: AnyMetric) -> str:
    """Name a table of these metrics: other systems, scores or baselines make another name."""
    return label_table(name, scores_of(metrics), metrics[0].compared_with)


def _columns(metric: AnyMetric, question: Question, other: str) -> Columns:
    """Return scores, in bold at the top, and the differences of one question; of all pairs intervals and ranks."""
    tabulated = set_top_in_bold(tabulate_systems(metric), metric)
    columns: Columns = {SYSTEM: tabulated[SYSTEM], _name_of_score(metric): tabulated[name_score(metric)]}
    if metric.compared_with is None:
        columns[name_ci(metric)] = tabulated[name_ci(metric)]
        ranked = tabulate_systems(metric, PAPER)
        return columns | {name: ranked[name] for name in ranked if name not in columns}
    pairs = _by_system(metric)
    rows = [pairs.get(name) for name in tabulated[SYSTEM]]
    differences = tabulate_differences(metric, rows, question, PAPER)
    differences[DIFFERENCE] = [
        Cell(other) if pair is None else cell for pair, cell in zip(rows, differences[DIFFERENCE], strict=True)
    ]
    if question is METHOD:
        tested = zip(rows, differences[name_ci(metric)], strict=True)
        differences[name_ci(metric)] = [
            Cell(NOT_TESTED) if pair is not None and pair.method_p_value is None else cell for pair, cell in tested
        ]
    return columns | differences


def _by_system(metric: AnyMetric) -> dict[str, AnyPair]:
    """Return the comparison of each system with the one system that all are compared with; of all pairs none."""
    return {pair.a: pair for pair in metric.comparisons} if metric.compared_with is not None else {}


def _mark(metric: AnyMetric, pair: AnyPair) -> str:
    """Return what stands after a difference: its conclusion, and whether it is shown to be within the margin."""
    within = is_equal(pair, of_method=_are_of_method(metric))
    return CONCLUSIONS.get(pair.conclusion, "") + (WITHIN if within else "")


def _are_of_method(metric: AnyMetric) -> bool:
    """Tell whether marks are about the method; of several test sets, the caption names what is equal for it."""
    return isinstance(metric, MetricComparison) and metric.asks_of_methods


def _name_of_score(metric: AnyMetric) -> str:
    taken = (SYSTEM, DIFFERENCE, "ranks", "group", "p", name_of_p(metric), name_of_p(metric, of_method=True))
    return name_score(metric, taken=taken)


def build_wide_paper(comparison: AnyComparison, format: str) -> Document:
    """Lay out the wide tables for a paper; in LaTeX captions say where the numbers come from."""
    sections = [
        Section(
            key,
            f", {direction_of(metric)}",
            tables=[
                replace(
                    table,
                    caption=_caption_wide(comparison, key, table) if format == "latex" else "",
                    label=_label(f"{key}-{place}", metric),
                )
                for place, table in enumerate(tabulate_metric(comparison, key), start=1)
            ],
        )
        for key, metric in comparison.metrics.items()
    ]
    return Document(
        describe_briefly(comparison, define=True),
        sections,
        explanation=explain(comparison),
        signatures=sign(comparison),
        paragraph=describe_comparison(comparison),
    )


def _caption_wide(comparison: AnyComparison, key: str, table: Table) -> str:
    said = [f"{table.heading}: {head_metric(comparison, key)}."]
    if isinstance(comparison, Comparison):
        said.append(_name_sources(comparison, comparison.metrics[key], table.columns))
    return " ".join(filter(None, [*said, *say_briefly(comparison, key)]))


# ---- the caption


def _begin_caption(metrics: Mapping[str, AnyMetric], shown: str) -> str:
    """Say what was found, and then what the table shows; of several metrics, the table has the directions."""
    several = len(metrics) > 1
    named = {key if several else f"{key} ({direction_of(one)})": one for key, one in metrics.items()}
    finding = title_result(named)
    return f"{finding} {begin(shown)}." if finding else f"{listed(named)} of {shown}."


def _shown(comparison: Comparison, metric: MetricComparison) -> str:
    """Say what is shown of a metric, with its unit, its baseline and its test, as it is the same in one table."""
    what = f"{tally(len(metric.systems), 'system')}{_runs(metric)} on {name_size(comparison)}"
    interval = name_intervals(comparison)
    ci = f"{in_percent(metric.level)} CIs"
    of_scores = f"with {ci} ({interval})"
    if not metric.comparisons:
        return f"{what}, {of_scores}"
    test = _test_by(comparison)
    if metric.compared_with is None:
        if not metric.has_ranks:
            return f"{what}, {of_scores}"
        if metric.ranking_of == "method":
            test = f"for the method, crossed analysis by {comparison.unit} and run"
        of_method = metric.ranking_of == "method"
        ranks = f"the ranks and groups that remain possible after {_family(comparison, metric, of_method)}"
        return f"{what}, {of_scores}, and {ranks} ({test}; {ADJUSTMENTS[adjustment_of(metric, of_method=of_method)]})"
    shared = ", on the segments that both have scores for" if metric.rests_on_parts else ""
    compared = f"with differences from {metric.compared_with}{shared}"
    p = name_of_p(metric, of_method=metric.asks_of_methods)
    if (metric.method_family_size if metric.asks_of_methods else metric.family_size) > 1:
        p += f" over {_family(comparison, metric, metric.asks_of_methods)}"
    if metric.asks_of_methods:
        ci = f"simultaneous {ci}" if say_joint(metric, metric.method_family_size, of_method=True) else ci
        return (
            f"{what}, {compared}, and {ci} and {p} for the method (new training or tuning runs; crossed analysis by "
            f"{comparison.unit} and run)"
        )
    if not is_of_exchanges(metric):
        return f"{what}, {compared}, their {ci} ({interval}) and {p} ({test})"
    ci = f"simultaneous {ci}" if say_joint(metric, metric.family_size) else ci
    return f"{what}, {compared}, their {ci} and {p} ({test})"


def _test_by(comparison: Comparison) -> str:
    """Name the test on these outputs."""
    test, drawn = name_draws(pair for one in comparison.metrics.values() for pair in one.comparisons)
    return f"two-sided {test} randomization by {name_exchanged(comparison)}, {drawn}"


def _family(comparison: Comparison, metric: MetricComparison, of_method: bool) -> str:
    """Say over how many comparisons p is adjusted; of several metrics also whose these are."""
    family = family_of(metric, of_method=of_method)
    if "all metrics" in family:
        return family.replace("all metrics", "both metrics") if len(comparison.metrics) == 2 else family
    return f"{family}{' per metric' if len(comparison.metrics) > 1 else ''}"


def _name_sources(comparison: Comparison, metric: MetricComparison, columns: AnyColumns) -> str:
    """Say where the intervals and p of one of the wide tables come from; the comment above it says the rest."""
    ci, of_method = f"{in_percent(metric.level)} CI", "df" in columns
    test = f"crossed analysis by {comparison.unit} and run" if of_method else _test_by(comparison)
    if ci not in columns:
        return ""
    if "p" not in columns:
        return f"{ci}: {name_intervals(comparison)}."
    together = of_method or is_of_exchanges(metric)
    return f"{ci} and p: {test}." if together else f"{ci}: {name_intervals(comparison)}; p: {test}."


def _runs(metric: AnyMetric) -> str:
    runs = sorted({system.runs for system in metric.systems if system.runs is not None})
    if runs in ([1], []):
        return ""
    return f" (means of {runs[0] if len(runs) == 1 else f'{runs[0]} to {runs[-1]}'} runs)"


def _legend(metrics: Sequence[AnyMetric], table: Table) -> Iterator[str]:
    """Say in one sentence what bold and the marks mean: those that the table has."""
    marks, of_method = table.marks, _are_of_method(metrics[0])
    has_bold = any(isinstance(cell, Bold) for cell in cells_of([table]))
    parts = [name_meaning_of_bold(metrics)] if has_bold else []
    if any(one.has_ranks for one in metrics):
        parts.append("systems that share a letter are not shown to differ")
    untested, occur = NOT_TESTED in cells_of([table]), "".join(marks.values())
    meanings = _explain_marks(metrics, occur, untested)
    parts += [f"{mark}: {meaning}" for mark, meaning in meanings.items() if mark in occur]
    compared = [(one, pair) for one in metrics if one.compared_with is not None for pair in one.comparisons]
    if compared and margins_of(metrics):
        parts += _explain_within(metrics, marks, of_method=of_method)
    open_ones = [pair for one, pair in compared if not _mark(one, pair)]
    if any(pair.margin is None for pair in open_ones):
        parts.append("no mark: difference not shown, which does not mean equal")
    elif open_ones:
        parts.append(f"no mark: neither a difference nor equality is shown{' for the method' * of_method}")
    parts += [f"{NOT_TESTED}: there is no p for the method"] if untested else []
    parts += explain_cut_ends(cells_of([table]))
    if parts:
        said = "; ".join(parts)
        yield f"{begin(said)}."
    if isinstance(metrics[0], CampaignMetric) and {"‡", "†"} & {*occur}:
        # The table has p for new sets alone, which a difference with a dagger does not go by.
        most, own = f"at most {threshold_of(metrics[0].level)}", name_of_p(metrics[0])
        yield (
            f"Shown for these test sets: {own} on them, which is not in this table, is {most}; shown for new ones: "
            f"{name_p(metrics[0], NEW_SETS)} in this table is also {most}."
        )


def _explain_marks(metrics: Sequence[AnyMetric], occur: str, untested: bool) -> dict[str, str]:
    """Say what each mark means; where the method is not tested for all, what is not shown for it may not be tested."""
    metric = metrics[0]
    if isinstance(metric, CampaignMetric):
        return {
            "‡": "difference shown for new test sets like these",
            "†": "difference shown for these test sets only",
            "?": "undecided for these test sets",
            "=": "same score in every segment",
        }
    alone = f"({name_of_p(metric)} at most {threshold_of(metric.level)})"
    if metric.asks_of_methods:
        alone = f"{_say_p_of_others(metrics)}, not shown {'or not tested ' * untested}for the method"
    meanings = {
        "†": f"difference shown {scope_of(metric).on} {alone}",
        "‡": f"difference shown {RUNS.on} and for the method",
        "=": "same score in every segment",
    }
    if "?" in occur:  # else there may be no comparison that says why
        where = f" {RUNS.on}" * metric.asks_of_methods
        meanings["?"] = f"undecided{where}, because {say_undecided(metric)}"
    return meanings


def _say_p_of_others(metrics: Sequence[AnyMetric]) -> str:
    """Say the p on these outputs of those that are shown there alone, in brackets: the table has p for the method."""
    marked = [(pair, one) for one in metrics for pair in one.comparisons if "†" in _mark(one, pair)]
    if not marked:
        return ""
    largest = say_p(*max(marked, key=lambda one: one[0].p_adjusted))
    return f"({'largest ' if len(marked) > 1 else ''}{largest})"


def _explain_within(
    metrics: Sequence[AnyMetric], marks: Mapping[tuple[int, str], str], *, of_method: bool
) -> Iterator[str]:
    """Say what the mark of equality means, or that no two systems are equal within the margin."""
    where = " for the method" if of_method else f" {scope_of(metrics[0]).on}" * isinstance(metrics[0], CampaignMetric)
    within = f"{listed(margins_of(metrics), 'or')}{where} ({say_test(metrics[0], of_method=of_method)})"
    if any(WITHIN in mark for mark in marks.values()):
        yield f"{WITHIN}: difference shown to be smaller than {within}"
    else:
        yield f"no two systems are shown to be equal within {within}"


def _equal_pairs(metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Name the pairs that are equal within the margin, where no mark in the table says it."""
    for metric in metrics:
        no_marks = metric.compared_with is None
        if isinstance(metric, CampaignMetric):  # marks are about these sets
            asked = [False] * no_marks + [True] * metric.asks_of_methods
        else:
            asked = [metric.ranking_of == "method"] * no_marks
        for of_method in asked if margins_of([metric]) else ():
            test = say_test(metric, of_method=of_method)
            where = isinstance(metric, CampaignMetric)
            yield from describe_equality_by(metric, of_method=of_method, where=where, test=test)


# ---- several test sets


def _shown_on_sets(comparison: CampaignComparison, metric: CampaignMetric) -> str:
    """Say what is shown of a metric over several test sets, with its baseline and its test."""
    what = f"{tally(len(metric.systems), 'system')}{_runs(metric)}, mean over {count_sets(comparison)}"
    if metric.compared_with is None:
        return f"{what}{_describe_ranks(metric)} ({name_ci(metric)}: for these test sets)"
    ci = f"{'simultaneous ' * bool(say_joint(metric, metric.family_size, of_method=True))}{name_ci(metric)}s"
    return (
        f"{what}, with differences from {metric.compared_with}, their {ci} and {name_p(metric, NEW_SETS)} for new test "
        f"sets like these (Student's t of the differences on the test sets{_df(metric.comparisons)})"
    )


def _of_method(metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Say what is shown for the method over several test sets: their table has no column of it."""
    for metric in metrics:
        tested = [pair for pair in metric.comparisons if pair.method_p_adjusted is not None]
        if not tested or isinstance(metric, MetricComparison):
            continue
        shown = [f"{pair.a} - {pair.b}" for pair in tested if pair.is_shown(of_method=True)]
        named = f" ({name_some(shown)})" if shown else ""
        counted = f"a difference is shown in {len(shown)} of {tally(len(tested), 'comparison')}{named}"
        said = say_of_method(tested[0], metric) if len(tested) == 1 else counted
        yield f"For the method ({scope_of(metric).new_runs}), {said}."


def _describe_ranks(metric: CampaignMetric) -> str:
    """Say what ranks and letters are, where there are any."""
    if not metric.has_ranks:
        return ""
    holm, own = ADJUSTMENTS["holm"], ADJUSTMENTS[adjustment_of(metric)]
    return (
        ", with the ranks that remain possible, given which systems are shown to be better or worse on these test "
        "sets, or for new ones like these (new sets); these sets: "
        f"{name_test(metric.comparisons)}; new sets: Student's t of the differences on the test sets"
        f"{_df(metric.comparisons)}; p adjusted for {metric.family_size} comparisons "
        f"({own if own == holm else f'{own}; for new sets {holm}'})"
    )


def _df(pairs: Sequence[CampaignPair]) -> str:
    df = name_df(pairs)
    return f", {df}" if df else ""


def _table_of_sets(comparison: CampaignComparison, key: str, metric: CampaignMetric) -> Table:
    table = tabulate_sets(comparison, metric)
    instead = table.instead and _set_for_paper(comparison, key, metric, table.instead)
    return replace(_set_for_paper(comparison, key, metric, table), instead=instead)


def _set_for_paper(comparison: CampaignComparison, key: str, metric: CampaignMetric, table: Table) -> Table:
    """Raise the marks of a table with one row per set, and say what they mean in its caption."""
    marks = {
        (row, name): mark
        for name, cells in table.columns.items()
        for row, cell in enumerate(cells)
        for mark in MARKS.values()
        if isinstance(cell, Cell) and cell.endswith(mark)
    }
    columns = {
        name: [Cell(cell.rstrip(" *?")) if isinstance(cell, Cell) else cell for cell in cells]
        for name, cells in table.columns.items()
    }
    caption = f"{key} ({direction_of(metric)}). {table.heading}"
    if marks or name_adjusted(adjustment_of(metric)) in columns or table.heading == COUNTS:
        found = (one for pair in metric.comparisons for one in pair.sets)
        family = f"{metric.sets_family_size} comparisons on single test sets"
        caption += f"; {name_test(found)}; p adjusted for {family} ({ADJUSTMENTS[adjustment_of(metric)]})"
        joint = say_joint(metric, metric.sets_family_size) if name_ci(metric) in columns else ""
        caption += f"; {joint}" if joint else ""
    said = [f"{mark}: {meaning}" for mark, meaning in SAID_BY_MARKS.items() if mark in marks.values()]
    caption = ". ".join([caption, "; ".join(said)]) if said else caption
    caption = " ".join([f"{caption}.", *say_briefly(comparison, key)])
    return replace(
        table, columns=columns, heading="", caption=caption, label=_label(f"{key}-sets", metric), marks=marks
    )
