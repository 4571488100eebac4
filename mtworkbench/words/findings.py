"""What was found, in a sentence: the title of a figure, and what a script may ask, as whether any system is worse."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtworkbench.wording import be, count_of, grouped, listed, name_some
from mtworkbench.words.cells import leads
from mtworkbench.words.scopes import (
    NEW,
    NOTHING_SHOWN,
    ONE_SET,
    SAME,
    THESE,
    AnyComparison,
    AnyMetric,
    AnyPair,
    is_shown,
    scope_of,
)
from mtworkbench.words.sentences import comparative, name_level
from mtworkbench.words.sentences_on_equivalence import in_margin, is_equal
from mtworkbench.words.sentences_on_top import describe_top, where_shown

# More systems are counted, not named.
MAX_NAMES = 2


def title_result(metrics: Mapping[str, AnyMetric]) -> str:
    """Say in one sentence what was found, metrics that agree together.

    Parameters
    ----------
    metrics : mapping of str to MetricComparison or CampaignMetric
        By the names that the sentence calls them.

    Returns
    -------
    str
        Names are as they are in the data: whoever shows the sentence escapes them. Empty where nothing was compared.
    """
    compared = [(name, metric) for name, metric in metrics.items() if metric.comparisons]
    said = grouped((_find(metric) + name_level(metric.level), name) for name, metric in compared)
    clauses = [f"{_call(names, len(compared))}: {finding}" for finding, names in said.items()]
    return f"{'; '.join(clauses)}." if clauses else ""


def _call(names: list[str], n_metrics: int) -> str:
    return f"All {n_metrics} metrics" if len(names) == n_metrics > 2 else listed(names)


def _find(metric: AnyMetric) -> str:
    """Say what one metric finds, without its name."""
    pairs, baseline = metric.comparisons, metric.compared_with
    if len(pairs) == 1:
        return _of_one_pair(pairs[0], metric)
    undecided = sum(pair.conclusion == "undecided" for pair in pairs)
    if undecided == len(pairs):
        return f"{count_of(undecided, undecided, 'comparison')} are undecided"
    if all(pair.conclusion in SAME for pair in pairs):
        noun, have = ("system", f"the scores of {baseline}") if baseline is not None else ("pair", "the same scores")
        return f"{count_of(len(pairs), len(pairs), noun)} have {have} in every segment"
    shown, where, more = _shown(metric)
    said = _of_all_pairs(metric, shown, where) if baseline is None else _against_baseline(metric, shown, where)
    said += f"; {more} more {be(more)} shown to differ on these test sets only" if more else ""
    # They are not among those that are not shown.
    return said + (f"; {undecided} {be(undecided)} undecided" if undecided else "")


def _shown(metric: AnyMetric) -> tuple[list[AnyPair], str, int]:
    """Return what the finding is about: pairs that are shown to differ, where, and how many more on these sets only.

    It is about the method where every pair was tested for it, and about new test sets where any is shown for them.
    """
    pairs = metric.comparisons
    new, only = ([pair for pair in pairs if pair.conclusion == said] for said in (NEW, THESE))
    if new:
        return new, "for new test sets like these", len(only)
    if only:
        return only, "on these test sets only", 0
    of_method = _are_of_method(metric)
    where = "for the method" if of_method else scope_of(metric).on
    return [pair for pair in pairs if is_shown(pair, of_method=of_method)], where, 0


def _are_of_method(metric: AnyMetric) -> bool:
    """Tell whether the finding is about the method: of one test set, where every pair was tested for it."""
    return all(_is_of_method(pair, metric) for pair in metric.comparisons)


def _is_of_method(pair: AnyPair, metric: AnyMetric) -> bool:
    return scope_of(metric) is ONE_SET and pair.method_verdict is not None


def _of_one_pair(pair: AnyPair, metric: AnyMetric) -> str:
    first, second = (pair.a, pair.b) if leads(pair, metric) else (pair.b, pair.a)
    shown = f"{first} is shown to be {comparative(metric)} than {second}"
    on_outputs, of_method = (is_equal(pair, of_method=one) for one in (False, True))
    if pair.conclusion == "not shown" and (on_outputs or of_method):
        places = {scope_of(metric).on: on_outputs, "for the method": of_method}
        where = " and ".join(place for place, equal in places.items() if equal)
        but = ", but not for the method" if pair.method_verdict is not None and not of_method else ""
        return f"{first} and {second} are shown to be equal within {in_margin(pair, metric)} {where}{but}"
    if pair.conclusion == "shown on these outputs only" and of_method:
        equal = f"they are shown to be equal within {in_margin(pair, metric)}"
        return f"{shown} on these outputs; for the method, {equal}"
    if pair.conclusion in scope_of(metric).shown:
        return f"{shown} {scope_of(metric).shown[pair.conclusion]}"
    return NOTHING_SHOWN[pair.conclusion]


def _against_baseline(metric: AnyMetric, shown: Sequence[AnyPair], where: str) -> str:
    """Say which systems are shown to be better or worse than the baseline, or equal to it."""
    pairs, baseline = metric.comparisons, metric.comparisons[0].b
    named = {comparative(metric): [pair.a for pair in shown if leads(pair, metric)]}
    named[comparative(metric, first=False)] = [pair.a for pair in shown if not leads(pair, metric)]
    clauses = [_count(names, word, len(pairs)) for word, names in named.items() if names]
    both = len(clauses) > 1  # both are shown there
    if clauses:
        clauses[0] = f"{where}, {clauses[0]} than {baseline}" if both else f"{clauses[0]} than {baseline} {where}"
    equal = [pair for pair in pairs if pair not in shown and is_equal(pair, of_method=_are_of_method(metric))]
    if equal:
        to = f"equal to {'it' if clauses else baseline} within {in_margin(equal[0], metric)}"
        said = _count([pair.a for pair in equal], to, len(pairs))
        clauses.append(said if clauses else f"{said} {where}")
    return listed(clauses) if clauses else f"none of {len(pairs)} systems is shown to differ from {baseline} {where}"


def _count(names: list[str], word: str, n_systems: int) -> str:
    counted = f"all {n_systems} systems" if len(names) == n_systems else f"{len(names)} of {n_systems} systems"
    who = listed(names) if len(names) <= MAX_NAMES else counted
    return f"{who} {be(len(names))} shown to be {word}"


def _of_all_pairs(metric: AnyMetric, shown: Sequence[AnyPair], where: str) -> str:
    """Say who is at the top, or how many pairs are shown to differ, and how many to be equal within the margin."""
    n_pairs, n_shown = len(metric.comparisons), len(shown)
    # The ranking may go by another question.
    said = describe_top(metric, MAX_NAMES + 1) if where == where_shown(metric) else ""
    if not said:
        counted = f"all {n_pairs}" if n_shown == n_pairs else f"{n_shown or 'none'} of {n_pairs}"
        said = f"{counted} pairs {be(n_shown or 1)} shown to differ"
    said = f"{said} {where}"
    equal = [pair for pair in metric.comparisons if is_equal(pair, of_method=_are_of_method(metric))]
    if not equal:
        return said
    which = f"{equal[0].a} and {equal[0].b}" if len(equal) == 1 else f"{len(equal)} of {n_pairs} pairs"
    return f"{said}; {which} are shown to be equal within {in_margin(equal[0], metric)}"


# ---- what a script asks


#: What a system does that fails, by the name of the condition.
CONDITIONS = {
    "worse": "shown to be worse than",
    "not-better": "not shown to be better than",
    "not-equal": "not shown to be equal to",
}


def describe_failures(comparison: AnyComparison, condition: str) -> str:
    """Say which systems fail a condition against the baseline, by which metrics, and of which claim; empty where none.

    A system is judged for the method where that was tested on one test set, else on what was compared.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
        With a baseline, and under metrics that have what the condition needs: a direction or, for ``not-equal``, a
        margin.
    condition : {"worse", "not-better", "not-equal"}
    """
    claims: list[tuple[str, str]] = []
    for name, metric in comparison.metrics.items():
        failed = [pair for pair in metric.comparisons if _fails(pair, metric, condition)]
        by = f"within {in_margin(failed[0], metric)}" if failed and condition == "not-equal" else f"by {name}"
        for where, pairs in grouped((_claim_of(pair, metric), pair) for pair in failed).items():
            systems = f"{name_some([pair.a for pair in pairs])} {be(len(pairs))}"
            claims.append((f"{where}, {systems} {CONDITIONS[condition]} {pairs[0].b}", by))
    joint = "or" if condition.startswith("not") else "and"
    return "; ".join(f"{claim} {listed(metrics, joint)}" for claim, metrics in grouped(claims).items())


def _claim_of(pair: AnyPair, metric: AnyMetric) -> str:
    """Name the claim that comes first: for the method, or on what was compared."""
    return "for the method" if _is_of_method(pair, metric) else scope_of(metric).on


def _fails(pair: AnyPair, metric: AnyMetric, condition: str) -> bool:
    """Tell whether a pair fails: identical scores are equal, and what is undecided is not shown."""
    of_method = _is_of_method(pair, metric)
    if condition == "not-equal":
        return pair.conclusion not in SAME and not is_equal(pair, of_method=of_method)
    shown, better = is_shown(pair, of_method=of_method), leads(pair, metric)
    return shown and not better if condition == "worse" else not (shown and better)
