"""What a figure's title says: the finding of a comparison in one sentence, made from the numbers it speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mtworkbench.tables.cells import in_percent, leads, listed
from mtworkbench.tables.sentences import USUAL_LEVEL, comparative, is_shown
from mtworkbench.tables.sentences_on_equivalence import in_margin, is_equal
from mtworkbench.tables.sentences_on_top import say_top

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison, PairEstimate

# More systems are counted, not named.
MAX_NAMES = 2


def write_finding(metrics: Mapping[str, MetricComparison]) -> str:
    """Say in one sentence what was found, metrics that agree together.

    Parameters
    ----------
    metrics : mapping of str to MetricComparison
        By the names that the sentence calls them.

    Returns
    -------
    str
        Names are as they are in the data: whoever shows the sentence escapes them. Empty where nothing was compared.
    """
    return join_findings({name: _find(metric) for name, metric in metrics.items()})


def join_findings(findings: Mapping[str, str]) -> str:
    """Join what each metric finds, by its name, to one sentence; metrics that agree stand together."""
    said: dict[str, list[str]] = {}
    for name, finding in findings.items():
        if finding:
            said.setdefault(finding, []).append(name)
    clauses = [f"{_call(names, len(findings))}: {finding}" for finding, names in said.items()]
    return f"{'; '.join(clauses)}." if clauses else ""


def _call(names: list[str], n_metrics: int) -> str:
    return f"All {n_metrics} metrics" if len(names) == n_metrics > 2 else listed(names)


def _find(metric: MetricComparison) -> str:
    """Say what one metric finds, without its name."""
    pairs = metric.comparisons
    if not pairs:
        return ""
    level = "" if metric.level == USUAL_LEVEL else f" (at {in_percent(1 - metric.level)})"
    if len(pairs) == 1:
        return f"{_of_one_pair(pairs[0], metric)}{level}"
    whose = f"{'for the method' if _of_methods(metric) else 'on these outputs'}{level}"
    if len({pair.b for pair in pairs}) == 1:
        return _against_baseline(metric, whose)
    if len(pairs) == _undecided(metric):
        return f"all {len(pairs)} pairs are undecided"
    return f"{_of_all_pairs(metric)} {whose}{_equal_pairs(metric)}{_rest(metric)}"


def _of_one_pair(pair: PairEstimate, metric: MetricComparison) -> str:
    first, second = (pair.a, pair.b) if leads(pair, metric) else (pair.b, pair.a)
    shown = f"{first} is shown to be {comparative(metric)} than {second} on these outputs"
    equal = [is_equal(pair, of_method=of_method) for of_method in (False, True)]
    if pair.conclusion == "not shown" and any(equal):
        where = " and ".join(
            where for where, one in zip(("on these outputs", "for the method"), equal, strict=True) if one
        )
        but = ", but not for the method" if pair.method_verdict is not None and not equal[1] else ""
        return f"{first} and {second} are shown to be equal within {in_margin(pair, metric)} {where}{but}"
    if pair.conclusion == "shown on these outputs only" and equal[1]:
        return f"{shown}; for the method, they are shown to be equal within {in_margin(pair, metric)}"
    return {
        "copies": "the systems are copies of each other",
        "identical scores": "the scores are identical in every segment",
        "undecided": "undecided; more trials are needed",
        "not shown": "no difference is shown",
        "shown on these outputs; method not tested": shown,
        "shown on these outputs only": f"{shown}, but not for the method",
        "shown for the method": f"{shown} and for the method",
    }[pair.conclusion]


def _of_methods(metric: MetricComparison) -> bool:
    """Tell whether every pair was tested for the method, so that this is what the finding is about."""
    return all(pair.method_verdict is not None for pair in metric.comparisons)


def _against_baseline(metric: MetricComparison, whose: str) -> str:
    """Say which systems are shown to be better or worse than the baseline."""
    pairs, baseline = metric.comparisons, metric.comparisons[0].b
    shown = [pair for pair in pairs if is_shown(pair, of_method=_of_methods(metric))]
    named = {comparative(metric): [pair.a for pair in shown if leads(pair, metric)]}
    named[comparative(metric, first=False)] = [pair.a for pair in shown if not leads(pair, metric)]
    clauses = [_count(names, word, len(pairs)) for word, names in named.items() if names]
    if len(pairs) == _undecided(metric):
        return f"all {len(pairs)} comparisons with {baseline} are undecided"
    equal = [pair for pair in pairs if pair not in shown and is_equal(pair, of_method=_of_methods(metric))]
    if equal:
        to, names = "it" if clauses else baseline, [pair.a for pair in equal]
        said = _count(names, f"equal to {to} within {in_margin(equal[0], metric)}", len(pairs))
        if not clauses:
            return f"{said} {whose}{_rest(metric)}"
        clauses.append(said)
    if not clauses:
        return f"none of {len(pairs)} systems is shown to differ from {baseline} {whose}{_rest(metric)}"
    return f"{listed([f'{clauses[0]} than {baseline} {whose}', *clauses[1:]])}{_rest(metric)}"


def _equal_pairs(metric: MetricComparison) -> str:
    """Count the pairs that are shown to be equal within the margin, if any; one is named."""
    equal = [pair for pair in metric.comparisons if is_equal(pair, of_method=_of_methods(metric))]
    if not equal:
        return ""
    which = f"{equal[0].a} and {equal[0].b}" if len(equal) == 1 else f"{len(equal)} of {len(metric.comparisons)} pairs"
    return f"; {which} are shown to be equal within {in_margin(equal[0], metric)}"


def _undecided(metric: MetricComparison) -> int:
    return sum(pair.conclusion == "undecided" for pair in metric.comparisons)


def _rest(metric: MetricComparison) -> str:
    """Say how many comparisons are undecided: they are not among those that are not shown."""
    undecided = _undecided(metric)
    return f" ({undecided} of {len(metric.comparisons)} comparisons undecided)" if undecided else ""


def _count(names: list[str], word: str, n_systems: int) -> str:
    counted = f"all {n_systems} systems" if len(names) == n_systems else f"{len(names)} of {n_systems} systems"
    who = listed(names) if len(names) <= MAX_NAMES else counted
    return f"{who} {'is' if len(names) == 1 else 'are'} shown to be {word}"


def _of_all_pairs(metric: MetricComparison) -> str:
    """Say who is at the top; without a ranking, how many pairs are shown to differ."""
    pairs = metric.comparisons
    shown = sum(is_shown(pair, of_method=_of_methods(metric)) for pair in pairs)
    counted = f"{shown} of {len(pairs)} pairs {'is' if shown == 1 else 'are'} shown to differ"
    return say_top(metric, MAX_NAMES + 1) or counted
