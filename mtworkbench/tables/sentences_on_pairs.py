"""What the headline says of one pair of systems: what all metrics find, for the method and on these outputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mtworkbench.inference.comparison_results import Comparison
from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    label_of_p,
    leads,
    listed,
    p_digits,
    say_p,
    signed,
)
from mtworkbench.tables.sentences import USUAL_LEVEL, comparative, say_needed_trials, winner_of
from mtworkbench.tables.sentences_on_equivalence import is_equal, margin_of, say_equality_p, say_no_difference
from mtworkbench.tables.sentences_on_runs import is_withheld, say_tested
from mtworkbench.wording import begin

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison, PairEstimate

Found = list[tuple[str, "MetricComparison", "PairEstimate"]]

_SHOWN = ("shown for the method", "shown on these outputs only", "shown on these outputs; method not tested")
_SAME = {
    "copies": "they are copies of each other, with the same statistics in every segment",
    "identical scores": "their scores are identical in every segment",
}


def describe_pair_by_all(comparison: Comparison, a: str, b: str) -> str:
    """Say what all metrics find of one pair: first for the method, where it was tested, then on these outputs."""
    found = [
        (name, metric, pair if pair.a == a else pair.turned())
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons
        if {pair.a, pair.b} == {a, b}
    ]
    level = "" if comparison.level == USUAL_LEVEL else f" (at {in_percent(1 - comparison.level)})"
    first, *more = filter(None, (_for_method(found), _on_outputs(found), _untested(found)))
    return f"{a} against {b}{level}: {'. '.join([first, *map(begin, more)])}."


def _on_outputs(found: Found) -> str:
    """Say what is shown on these outputs, metrics with one verdict together."""
    shown, undecided, not_shown = (
        [one for one in found if one[2].conclusion in said] for said in (_SHOWN, ("undecided",), ("not shown",))
    )
    clauses = [_who_is_better(shown, _with_difference)] if shown else []
    if undecided:
        are = "is" if len(undecided) == 1 else "are"
        needed = say_needed_trials([one[2] for one in undecided])
        clauses.append(f"{_with_differences(undecided)} {are} undecided{needed}")
    also_equal = [one for one in undecided if is_equal(one[2], of_method=False)]
    # Where the method was tested, it has been said before what could have been shown for it.
    smallest = all(one[2].method_verdict is None for one in found)
    clauses += say_no_difference([*also_equal, *not_shown], _with_differences, of_method=False, smallest=smallest)
    if clauses:
        clauses[0] = f"on these outputs, {clauses[0]}"
    for conclusion, phrase in _SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        clauses += [f"by {listed(same)} {phrase}"] if same else []
    return "; ".join(clauses)


def _not_same(found: Found) -> Found:
    """Leave out the metrics under which the two systems cannot be told apart."""
    return [one for one in found if one[2].conclusion not in _SAME]


def _for_method(found: Found) -> str:
    """Say what is shown for the method, where it was tested."""
    found = _not_same(found)
    tested = [one for one in found if one[2].method_verdict is not None]
    if not tested:
        return ""
    shown = [one for one in tested if one[2].conclusion == "shown for the method"]
    alone = [one for one in tested if one[2].method_verdict == "significant" and one not in shown]
    neither = [one for one in tested if one[2].method_verdict != "significant"]
    clauses = [_who_is_better(shown, _with_method_p)] if shown else []
    clauses += say_no_difference(neither, lambda some: _listed(some, _with_method_p), of_method=True, smallest=True)
    if alone:
        names = _listed(alone, _with_method_p)
        clauses.append(f"the test, taken alone, would show a difference by {names}, but none is shown on these outputs")
    untested = [name for name, _, pair in found if pair.method_verdict is None]
    clauses += [f"by {listed(untested)}, the method was not tested"] if untested else []
    return f"for the method (new training runs), {'; '.join(clauses)}"


def _untested(found: Found) -> str:
    """Say of a difference that is shown on these outputs that the method was not tested.

    Where some systems have several runs, it is said which system has one only; else the advice says that all need more.
    """
    pairs = [pair for *_, pair in found]
    if any(one.method_verdict is not None for one in pairs) or all(one.conclusion not in _SHOWN for one in pairs):
        return ""
    _, metric, pair = found[0]
    runs = {system.system: system.runs for system in metric.systems}
    single = [name for name in (pair.a, pair.b) if runs[name] < 2]
    why = ""
    if single and max(runs.values()) > 1:
        why = f", because {listed(single)} {'has only one run' if len(single) == 1 else 'have only one run each'}"
    elif not single and pair.method.n_effective_units < 2:
        why = f", because most segments belong to one {pair.method.unit}"
    return f"the method was not tested{why}"


def _listed(found: Found, write: Callable[[str, MetricComparison, PairEstimate], str]) -> str:
    return listed([write(*one) for one in found])


def _with_difference(name: str, metric: MetricComparison, pair: PairEstimate, of: str = "") -> str:
    p = say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))
    less = ""
    if pair.conclusion in _SHOWN and is_equal(pair, of_method=False):
        less = f"; less than {margin_of(pair):g}, {say_equality_p(pair, metric, of_method=False)}"
    if pair.conclusion in _SHOWN and not leads(pair, metric):
        of = f"{pair.a} - {pair.b} = "  # the sign is not that of the system just named
    if is_withheld(pair, metric):
        less += f"; {say_tested(pair, metric)}"
    return f"{name} ({of}{signed(pair.difference, decimals_of(metric))}, {p}{less})"


def _with_differences(found: Found) -> str:
    """List metrics under which no system leads: the first difference says which system's score is subtracted."""
    first, *others = found
    pair = first[2]
    return listed([_with_difference(*first, f"{pair.a} - {pair.b} = "), *(_with_difference(*one) for one in others)])


def _with_method_p(name: str, metric: MetricComparison, pair: PairEstimate) -> str:
    return f"{name} ({say_p(pair.method_p_adjusted, T_DIGITS, label_of_p(metric, of_method=True))})"


def _who_is_better(found: Found, write: Callable[[str, MetricComparison, PairEstimate], str]) -> str:
    """Say which system is better by which metrics; of Length, which is longer. Differences are the table's."""
    clauses: dict[tuple[str, str], Found] = {}
    for name, metric, pair in found:
        clauses.setdefault((winner_of(pair, metric), comparative(metric)), []).append((name, metric, pair))
    return "; ".join(f"{who} is shown to be {word} by {_listed(some, write)}" for (who, word), some in clauses.items())
