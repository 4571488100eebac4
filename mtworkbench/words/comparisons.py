"""Comparisons as documents for reading, in a terminal and in a notebook, of one test set and of several.

First comes what every reader needs: the headline, the systems, the differences, and how the tables are read. The
details have every column, and what it means: a notebook folds them away, and text has them on demand. Papers are in
`papers`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from mtworkbench.results.campaigns import CampaignComparison, CampaignPair
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.wording import begin, grouped, listed
from mtworkbench.words.cells import decimals_of, explain_cut_ends, name_of_p, say_direction
from mtworkbench.words.columns import (
    DIFFERENCE,
    SHORT,
    VERDICT,
    is_campaign,
    list_dispensable,
    name_ci,
    name_p,
    name_score,
    set_top_in_bold,
    tabulate_differences,
    tabulate_systems,
)
from mtworkbench.words.document import MORE, Document, Section, Table, cells_of, foot
from mtworkbench.words.explanations import (
    ADJUSTED,
    explain,
    explain_adjusted,
    explain_left_out,
    explain_ranks,
    explain_untested,
    explain_verdicts,
)
from mtworkbench.words.frames import Cell, fixed
from mtworkbench.words.headlines import MAX_PAIRS, describe_briefly, describe_findings
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.metric_tables import SAID_BY_MARKS, head_metric, lay_out_details, sign, tabulate_sets
from mtworkbench.words.papers import build_paper, build_wide_paper
from mtworkbench.words.scopes import OUTPUTS, Question, name_claim, pairs_of_all, questions_of, scope_of
from mtworkbench.words.sentences import explain_missing_cis, explain_other_cis, explain_overlap, name_exchanges
from mtworkbench.words.sentences_on_doubts import describe_parts
from mtworkbench.words.sentences_on_equivalence import explain_wider_cis
from mtworkbench.words.sentences_on_top import explain_bold

#: A table of differences with more rows than this is in the details alone: the headline has counted them.
MAX_ROWS = 16
# They say nothing new where the headline has a sentence for each pair.
RANKS = ("ranks", "ranks (new sets)", "group")
# So many metrics stand side by side in one table.
MAX_WIDE = 2
#: What a difference is claimed for, in a table that has several claims.
CLAIM = "claim"


def build_comparison(
    comparison: AnyComparison | MetricComparison, format: str = "html", *, all_columns: bool = False
) -> Document:
    """Lay out a comparison for the readers of a format.

    Parameters
    ----------
    comparison : Comparison, CampaignComparison or MetricComparison
    format : {"html", "text", "markdown", "latex"}
    all_columns : bool
        Whether text has the details, and a paper the wide tables.
    """
    comparison = label_results(comparison.alone if isinstance(comparison, MetricComparison) else comparison)
    if format in ("markdown", "latex"):
        return (build_wide_paper if all_columns else build_paper)(comparison, format)
    return _lay_out(comparison, format, with_details=format == "html" or all_columns)


def _lay_out(comparison: AnyComparison, format: str, *, with_details: bool) -> Document:
    differences = _differences(comparison, format)
    tables = [*_systems(comparison, bool(differences)), *differences, *_first_sets(comparison)]
    legend = [*_define_others(comparison), *_legend(comparison, tables)]
    if format == "html":  # text has nothing in bold
        legend += filter(None, [explain_bold(comparison.metrics.values())])
    headline = describe_briefly(comparison, options=format == "text", define=True)
    if not with_details:  # of many pairs they take far longer than what is shown
        return Document(headline, [Section(tables=tables, legend=legend, notes=[MORE])], signatures=sign(comparison))
    return Document(
        headline,
        [Section(tables=tables, legend=legend)],
        details=[lay_out_details(comparison, key) for key in comparison.metrics],
        # Perhaps as the end of a sentence.
        explanation=[
            one
            for one in explain(comparison)
            if one not in legend and not any(said.endswith(one[1:]) for said in headline)
        ],
        signatures=sign(comparison),
    )


# ---- the systems


def _systems(comparison: AnyComparison, with_differences: bool) -> list[Table]:
    """Lay out the systems under each two metrics: the best under the first of them at the top.

    Next to differences or above them, scores have no intervals: these may overlap although the difference is shown.
    """
    metrics, joined = list(comparison.metrics), _is_joined(comparison)
    several_claims = any(len(questions_of(metric)) > 1 for metric in comparison.metrics.values())
    wide = 1 if joined and several_claims else MAX_WIDE
    of_each = (metrics[first : first + wide] for first in range(0, len(metrics), wide))
    return [_table_of_systems(comparison, keys, joined, joined or with_differences) for keys in of_each]


def _is_joined(comparison: AnyComparison) -> bool:
    """Tell whether differences stand next to scores: from one system, if there is one claim or many systems."""
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    one_claim = all(len(questions_of(metric)) == 1 for metric in metrics)
    from_one = len({metric.compared_with for metric in metrics} - {None}) == 1
    return from_one and (one_claim or _count_rows(metrics) > MAX_ROWS)


def _count_rows(metrics: Iterable[AnyMetric]) -> int:
    """Count the rows of a table of differences: one per metric, pair and claim."""
    return sum(len(metric.comparisons) * len(questions_of(metric)) for metric in metrics)


def _table_of_systems(comparison: AnyComparison, keys: Sequence[str], joined: bool, without_ci: bool) -> Table:
    """Lay out one row per system, with what some metrics say of it."""
    metrics, columns = {key: comparison.metrics[key] for key in keys}, dict[Any, list[str]]()
    names = columns["system"] = list(
        dict.fromkeys(one.system for metric in metrics.values() for one in metric.systems_from_best)
    )
    for key, metric in metrics.items():
        found: dict[Any, list[str]] = {**set_top_in_bold(tabulate_systems(metric, SHORT), metric)}
        rows = found.pop("system")
        if without_ci:
            left_out = [name_ci(metric), *(RANKS if len(metric.comparisons) <= MAX_PAIRS else ())]
            found = {heading: cells for heading, cells in found.items() if heading not in left_out}
        if joined:
            found |= _against_baseline(metric, rows)
        for heading, cells in found.items():
            own = dict(zip(rows, cells, strict=True))
            name = "score" if heading == name_score(metric) else heading
            alone = len(metrics) == 1 or heading == "runs" or not found.keys() - {"runs", heading}
            whole = heading if alone else (key, name)
            columns.setdefault(whole, [own.get(system, Cell()) for system in names])
    metric = next(iter(metrics.values()))
    of_p = [name_p(metric, question) for question in questions_of(metric)]
    declared = list_dispensable(metric, map(foot, columns))
    left_out = [*declared, "p", *of_p, name_ci(metric), "runs"] if joined else [*declared, name_ci(metric)]
    return Table(columns, _head_systems(comparison, keys, joined), dispensable=left_out)


def _against_baseline(metric: AnyMetric, systems: Sequence[str]) -> dict[Any, list[str]]:
    """Return the columns of the differences from one system: of several claims, those of the first two."""
    pairs, asked = {pair.a: pair for pair in metric.comparisons}, questions_of(metric)
    rows = [pairs.get(name) for name in systems]
    of_outputs = tabulate_differences(metric, rows, OUTPUTS, SHORT)
    columns: dict[Any, list[str]] = {**of_outputs}
    if len(asked) > 1:
        columns = {DIFFERENCE: of_outputs[DIFFERENCE]}
        for question in asked[:2]:  # those that the headline is about
            found, claim = tabulate_differences(metric, rows, question, SHORT), name_claim(metric, question)
            columns |= {(claim, name): found[name] for name in (name_ci(metric), name_p(metric, question), VERDICT)}
    return columns


def _head_systems(comparison: AnyComparison, keys: Sequence[str], joined: bool) -> str:
    """Say what the scores are of, which way is better, and what the differences are from."""
    first, head = comparison.metrics[keys[0]], head_metric(comparison, keys[0])
    if len(comparison.metrics) > 1:
        ways = grouped((say_direction(comparison.metrics[key]), key) for key in keys)
        said = "; ".join(f"{listed(names)}, {direction}" for direction, names in ways.items())
        head = f"{said}{head[head.rindex(';') :]}"
    head += "; means over the test sets" if is_campaign(first) else ""
    where = f" {scope_of(first).on}" if len(questions_of(first)) == 1 else ""
    return f"{head}; differences from {first.compared_with}{where}" if joined else head


# ---- the differences


def _differences(comparison: AnyComparison, format: str) -> list[Table]:
    """Lay out one row per metric, pair and claim; of many pairs in the details alone.

    Text has no heading that says no more than the columns do.
    """
    metrics: dict[str, AnyMetric] = {key: metric for key, metric in comparison.metrics.items() if metric.comparisons}
    if not metrics or _is_joined(comparison) or _count_rows(metrics.values()) > MAX_ROWS:
        return []
    several_claims = any(len(questions_of(metric)) > 1 for metric in metrics.values())
    rows = list[dict[str, str]]()
    for key, metric in metrics.items():
        for pair in metric.comparisons_from_best:
            named = {"metric": key, "system": pair.a, "against": pair.b}
            for question in questions_of(metric):
                rows.append(named | _row(metric, pair, question))
                named = dict.fromkeys(named, "")
            key = ""
    first = next(iter(metrics.values()))
    unneeded = {
        "metric": len(comparison.metrics) == 1,
        "against": first.compared_with is not None,
        CLAIM: not several_claims,
    }
    headings = [one for one in dict.fromkeys(chain.from_iterable(rows)) if not unneeded.get(one) and one != VERDICT]
    columns = {name: [row.get(name, Cell()) for row in rows] for name in [*headings, VERDICT]}
    heading = f"Difference from {first.compared_with}" if unneeded["against"] else "Differences of all pairs"
    heading += "" if several_claims else f", {scope_of(first).on}"
    heading = "" if format == "text" and several_claims and not unneeded["against"] else heading
    n_names = sum(name in columns for name in ("metric", "system", "against"))
    left_out = [*list_dispensable(first, columns), ADJUSTED, "p", name_of_p(first)]
    return [Table(columns, heading, n_names=n_names, dispensable=left_out)]


def _row(metric: AnyMetric, pair: AnyPair, question: Question) -> dict[str, str]:
    """Return what one claim about a pair rests on: difference, interval, p, and the verdict."""
    found, p = tabulate_differences(metric, [pair], question, SHORT), name_p(metric, question)
    same = len({name_p(metric, one) for one in questions_of(metric)}) == 1
    shared = {p: p if same else ADJUSTED}
    return {CLAIM: name_claim(metric, question)} | {shared.get(name, name): cell for name, [cell] in found.items()}


def _first_sets(comparison: AnyComparison) -> list[Table]:
    """Lay out several test sets one by one, by the first metric; the others are in the details."""
    if not isinstance(comparison, CampaignComparison):
        return []
    key, metric = next(iter(comparison.metrics.items()))
    if not metric.comparisons:
        return []
    by = f", by {key}" if len(comparison.metrics) > 1 else ""
    table = tabulate_sets(comparison, metric)
    marked = [
        (mark, said) for mark, said in SAID_BY_MARKS.items() if any(one.endswith(mark) for one in cells_of([table]))
    ]
    allowing = f", adjusted for all {metric.sets_family_size} differences" if metric.sets_family_size > 1 else ""
    marks = f" ({', '.join(f'{mark} {said}' for mark, said in marked)}{allowing})" if marked else ""
    return [replace(table, heading=f"{table.heading}{by}{marks}")]


# ---- how the tables are read


def _define_others(comparison: AnyComparison) -> Iterator[str]:
    """Say what claims mean that tables name, and no sentence of the headline."""
    headline, meanings = " ".join(describe_findings(comparison)).lower(), scope_of(comparison).meanings
    asked = (name_claim(metric, one) for metric in comparison.metrics.values() for one in questions_of(metric))
    if any(pair.differs for pair in pairs_of_all(comparison.metrics.values())):
        for claim in dict.fromkeys(asked):
            if claim in meanings and claim not in headline:
                yield f'"{begin(claim)}": {meanings[claim]}.'


def _legend(comparison: AnyComparison, tables: Sequence[Table]) -> list[str]:
    """Say below the tables what verdicts allow for, and what is most easily misread of what is in their cells."""
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not metrics:
        return []
    cells = list(cells_of(tables))
    headings = {
        foot(heading) for table in tables for heading in table.columns if DIFFERENCE in map(foot, table.columns)
    }
    has_differences = bool(headings)
    said = [*explain_adjusted(comparison, metrics, headings)]
    if not has_differences:
        said.append("The differences of all pairs are in the details.")
        said += explain_overlap(metrics)
    if name_ci(metrics[0]) in headings:
        said += [explain_other_cis(metrics[0]), *dict.fromkeys(map(explain_missing_cis, metrics))]
    said += [f"{one}." for one in explain_cut_ends(cells)]
    said += [*explain_verdicts(metrics, cells), *explain_wider_cis(metrics)]
    if has_differences and any(map(_has_rounded_apart, metrics)):
        said.append("Differences were computed before rounding.")
    said += explain_untested(metrics) if has_differences else []
    if has_differences and any(metric.higher_is_better is False for metric in metrics):
        said.append("Where lower is better, a negative difference is good.")
    said += _name_tests(comparison, metrics)
    if any(foot(heading) == "ranks" for table in tables for heading in table.columns):
        said += explain_ranks(metrics)
    said += describe_parts(comparison) if isinstance(comparison, Comparison) else []
    said += explain_left_out(metrics)
    return list(filter(None, said))


def _has_rounded_apart(metric: AnyMetric) -> bool:
    """Tell whether a difference is not that of the rounded scores, at which readers stop."""
    if isinstance(metric, MetricComparison) and metric.rests_on_parts:
        return False  # differences are those of other scores
    digits, scores = decimals_of(metric), {one.system: one.score for one in metric.systems}
    return any(
        fixed(round(scores[pair.a], digits) - round(scores[pair.b], digits), digits) != fixed(pair.difference, digits)
        for pair in metric.comparisons
    )


def _name_tests(comparison: AnyComparison, metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Name the tests that verdicts come from, where there is something to test.

    Where the method is tested, too, this would take more than a line: the details name all tests.
    """
    compared = [pair for pair in pairs_of_all(metrics) if pair.differs]
    if not compared or any(metric.asks_of_methods for metric in metrics):
        return
    where = f" {scope_of(metrics[0]).on}" if isinstance(comparison, CampaignComparison) else ""
    asks_new = any(isinstance(pair, CampaignPair) and pair.new_sets_verdict is not None for pair in compared)
    new = "; for new ones: Student's t" if asks_new else ""
    yield f"Test{where}: {name_exchanges(comparison)}{new}."
