"""The table of MultEval, the tool of Clark et al. (2011): mean (s_sel / s_opt / p) of every system and metric."""

from __future__ import annotations

from mtworkbench.errors import InputError
from mtworkbench.results.comparisons import Comparison, MetricComparison, SystemEstimate
from mtworkbench.results.settings import shorten_signature
from mtworkbench.words.cells import decimals_of
from mtworkbench.words.concerns import say_before
from mtworkbench.words.document import Document, Section, Table, label_table
from mtworkbench.words.frames import Cell, Columns, number
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import name_exchanged, scope_of, scores_of, units_of

DIGITS = 1
# So many decimals have scores in the tables of `compare` whose intervals are wider than 0.1, as those from 0 to 100.
LARGE_SCORES = 2


def build_multeval(comparison: Comparison, *, latex: bool = False) -> Document:
    """Lay out the table of the tool, or that of the paper, whose caption is the first sentence below the other.

    Raises
    ------
    InputError
        Where all pairs were compared (code ``no-baseline``).
    """
    if comparison.baseline is None:
        raise InputError("no-baseline", "MultEval's table is one of differences from a baseline: name the baseline.")
    comparison = label_results(comparison)
    caption, *said = _prose(comparison)
    first = say_before(comparison.concerns)
    if latex:
        label = label_table("scores", scores_of(comparison.metrics.values()), comparison.baseline)
        table = Table(_paper_columns(comparison), caption=caption, label=label)
        return Document(first, sections=[Section(tables=[table])], notes=said)
    return Document(first, sections=[Section(tables=[Table(_tool_columns(comparison))])], notes=[caption, *said])


def _tool_columns(comparison: Comparison) -> Columns:
    """Return the table of the tool: a row per system, a column per metric."""
    systems = next(iter(comparison.metrics.values())).systems
    runs = sorted({system.runs for system in systems})
    count = f"n={runs[0]}" if len(runs) == 1 else f"n={runs[0]}-{runs[-1]}"
    columns: Columns = {count: [system.system for system in systems]}
    for name, metric in comparison.metrics.items():
        p_values, digits = _p_values(metric), _decimals(metric)
        columns[f"{name} (s_sel/s_opt/p)"] = [
            f"{number(one.score, digits)} ({_deviation(one.s_sel, digits)}/{_deviation(one.s_test, digits)}/"
            f"{p_values[one.system]})"
            for one in metric.systems
        ]
    return columns


def _paper_columns(comparison: Comparison) -> Columns:
    """Return the table of the paper: a row per metric and system."""
    rows: list[tuple[str, SystemEstimate, str, int]] = [
        (name, system, _p_values(metric)[system.system], _decimals(metric))
        for name, metric in comparison.metrics.items()
        for system in metric.systems
    ]
    firsts = {name: metric.systems[0].system for name, metric in comparison.metrics.items()}
    return {
        "Metric": [name if system.system == firsts[name] else "" for name, system, _, _ in rows],
        "System": [system.system for _, system, _, _ in rows],
        "Avg": [number(system.score, digits) for _, system, _, digits in rows],
        "s_sel": [_deviation(system.s_sel, digits) for _, system, _, digits in rows],
        "s_Test": [_deviation(system.s_test, digits) for _, system, _, digits in rows],
        "p-value": [Cell(p) for _, _, p, _ in rows],
    }


def _p_values(metric: MetricComparison) -> dict[str, str]:
    """Return the p of each system, the baseline's being a dash."""
    found = {pair.a: pair.p_value for pair in metric.comparisons}
    return {system.system: "-" if system.system not in found else _p(found[system.system]) for system in metric.systems}


def _p(p: float) -> str:
    return "<0.01" if p < 0.005 else f"{p:.2f}"


def _decimals(metric: MetricComparison) -> int:
    """Return MultEval's own number of decimals, unless scores could not be told apart with so few."""
    needed = decimals_of(metric)
    return needed if needed > LARGE_SCORES else DIGITS


def _deviation(deviation: float | None, digits: int) -> Cell:
    return number(deviation, digits) or Cell("-")


def _prose(comparison: Comparison) -> list[str]:
    """Say below the table what its figures are, where MultEval's own differ, and how to have them again."""
    sentences = [
        f"Mean of the runs; s_sel: bootstrap standard deviation by {units_of(comparison)}; s_opt (s_Test): "
        f"standard deviation over runs; p against {comparison.baseline}, not adjusted, about "
        f"{scope_of(comparison).what}: approximate randomization by {name_exchanged(comparison)}."
    ]
    most = max(system.runs for metric in comparison.metrics.values() for system in metric.systems)
    if most > 1:
        sentences.append("MultEval 0.5.1 takes all runs for one long output, so that its p is a little different.")
    if comparison.exchange == "run" and most > 2:
        sentences.append(
            "From three runs on, its p is also about a tenth too small (its shuffle uses some hypotheses twice and "
            "others never), and for identical systems 0.00 where p is 1."
        )
    signatures = "; ".join(f"{name} {metric.signature}" for name, metric in comparison.metrics.items())
    return [*sentences, f"Signatures: {signatures}; {shorten_signature(comparison.signature)}"]
