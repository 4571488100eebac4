"""What the headline says of one pair of systems: what all metrics find of it, on one test set or on several."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, TypeAlias

from mtworkbench.results.campaigns import CampaignComparison, CampaignPair
from mtworkbench.wording import be, begin, listed
from mtworkbench.words.cells import T_DIGITS, decimals_of, label_of_p, leads, name_of_p, name_p, p_digits, signed
from mtworkbench.words.scopes import NEW, SAME, THESE, count_sets, name_df, scope_of
from mtworkbench.words.sentences import comparative, describe_needed_trials, name_level, winner_of
from mtworkbench.words.sentences_on_equivalence import describe_no_difference, is_equal, margin_of, name_equality_p

if TYPE_CHECKING:
    from mtworkbench.words.scopes import AnyComparison, AnyMetric, AnyPair

    #: What metrics, by their names, find of one pair.
    Found: TypeAlias = Sequence[tuple[str, AnyMetric, AnyPair]]


def describe_pair_by_all(comparison: AnyComparison, a: str, b: str) -> str:
    """Say what all metrics find of one pair: first for the method or for new test sets, then on what was compared."""
    found, pair = find_pair(comparison.metrics, a, b), f"{a} against {b}{name_level(comparison.level)}"
    if isinstance(comparison, CampaignComparison):
        return f"{pair}, mean over {count_sets(comparison)}: {'; '.join(_on_sets(found))}."
    first, *more = filter(None, (_for_method(found), _on_outputs(found), _untested(found)))
    return f"{pair}: {'. '.join([first, *map(begin, more)])}."


def find_pair(metrics: Mapping[str, AnyMetric], a: str, b: str) -> Found:
    """Return what each metric finds of one pair, turned so that a comes first."""
    return [
        (name, metric, pair if pair.a == a else pair.turned())
        for name, metric in metrics.items()
        for pair in metric.comparisons
        if {pair.a, pair.b} == {a, b}
    ]


def _on_outputs(found: Found) -> str:
    """Say what is shown on these outputs, metrics with one verdict together."""
    shown = [one for one in found if one[2].conclusion in scope_of(one[1]).shown]
    clauses = [_who_is_better(shown, _with_difference)] if shown else []
    clauses += _not_shown(found)
    if clauses:
        clauses[0] = f"on these outputs, {clauses[0]}"
    return "; ".join([*clauses, *_same(found)])


def _on_sets(found: Found) -> Iterable[str]:
    """Say what is shown for new test sets, and what on these alone, metrics with one verdict together."""
    new, only = ([one for one in found if one[2].conclusion == said] for said in (NEW, THESE))
    df = name_df(pair for *_, pair in found)
    if new:
        yield f"for new test sets like these ({df}), {_who_is_better(new, _with_new_p)}"
    if only:
        not_new = f"this is not shown for new ones{f' ({df})' if not new and df else ''}"
        if all(isinstance(pair, CampaignPair) and pair.new_sets_verdict is None for *_, pair in only):
            not_new = "for new ones this was not tested, because the difference is the same on every set"
        yield f"on these test sets, {_who_is_better(only, _with_difference)}; {not_new}"
    yield from _not_shown(found)
    yield from _same(found)
    found = [one for one in _not_same(found) if one[2].method_p_adjusted is not None]
    shown = [one for one in found if one[2].method_verdict == "significant" and one[2].conclusion in (NEW, THESE)]
    of_method = {"it is shown, too,": shown, "no difference is shown": [one for one in found if one not in shown]}
    for verb, some in of_method.items():
        if some:
            yield f"for the method (new training runs on these test sets), {verb} by {_with_method_ps(some)}"


def _not_shown(found: Found) -> list[str]:
    """Say what is undecided, and of what no difference is shown."""
    undecided, not_shown = ([one for one in found if one[2].conclusion == said] for said in ("undecided", "not shown"))
    clauses = []
    if undecided:
        needed = describe_needed_trials([one[2] for one in undecided])
        clauses.append(f"{_with_differences(undecided)} {be(len(undecided))} undecided{needed}")
    also_equal = [one for one in undecided if is_equal(one[2], of_method=False)]
    # Where the method was tested, it has been said before what could have been shown for it.
    smallest = all(one[2].method_verdict is None for one in found)
    others = [*also_equal, *not_shown]
    return clauses + describe_no_difference(others, _with_differences, of_method=False, smallest=smallest)


def _same(found: Found) -> Iterable[str]:
    """Say under which metrics the two systems cannot be told apart, and why."""
    for conclusion, phrase in SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        if same:
            yield f"by {listed(same)}, {phrase}"


def _not_same(found: Found) -> Found:
    """Leave out the metrics under which the two systems cannot be told apart."""
    return [one for one in found if one[2].conclusion not in SAME]


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
    clauses += describe_no_difference(neither, _with_method_ps, of_method=True, smallest=True)
    if alone:
        names = _with_method_ps(alone)
        clauses.append(f"the test, taken alone, would show a difference by {names}, but none is shown on these outputs")
    untested = [name for name, _, pair in found if pair.method_verdict is None]
    clauses += [f"by {listed(untested)}, the method was not tested"] if untested else []
    return f"for the method (new training runs), {'; '.join(clauses)}"


def _untested(found: Found) -> str:
    """Say of a difference that is shown on these outputs that the method was not tested.

    Where some systems have several runs, it is said which system has one only; else the advice says that all need more.
    """
    pairs = [pair for *_, pair in found]
    _, metric, pair = found[0]
    shown = scope_of(metric).shown
    if any(one.method_verdict is not None for one in pairs) or all(one.conclusion not in shown for one in pairs):
        return ""
    runs = {system.system: system.runs or 0 for system in metric.systems}
    single = [name for name in (pair.a, pair.b) if runs[name] < 2]
    why = ""
    if single and max(runs.values()) > 1:
        why = f", because {listed(single)} {'has only one run' if len(single) == 1 else 'have only one run each'}"
    elif not single and not isinstance(pair, CampaignPair) and pair.method.n_effective_units < 2:
        why = f", because most segments belong to one {pair.method.unit}"
    return f"the method was not tested{why}"


def _listed(found: Found, write: Callable[[str, AnyMetric, AnyPair], str]) -> str:
    return listed([write(*one) for one in found])


def _with_difference(name: str, metric: AnyMetric, pair: AnyPair, of: str = "") -> str:
    p = name_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))
    less = ""
    if pair.conclusion in scope_of(metric).shown:
        of = _subtracted(metric, pair)
        if is_equal(pair, of_method=False):
            less = f"; less than {margin_of(pair):g}, {name_equality_p(pair, metric, of_method=False)}"
    return f"{name} ({of}{signed(pair.difference, decimals_of(metric))}, {p}{less})"


def _subtracted(metric: AnyMetric, pair: AnyPair) -> str:
    """Say whose score is subtracted, where the sign is not that of the system just named."""
    return "" if leads(pair, metric) else f"{pair.a} - {pair.b} = "


def _with_differences(found: Found) -> str:
    """List metrics under which no system leads: the first difference says which system's score is subtracted."""
    first, *others = found
    pair = first[2]
    return listed([_with_difference(*first, f"{pair.a} - {pair.b} = "), *(_with_difference(*one) for one in others)])


def _with_new_p(name: str, metric: AnyMetric, pair: AnyPair) -> str:
    adjusted = pair.new_sets_p_adjusted if isinstance(pair, CampaignPair) else None
    p = name_p(adjusted, T_DIGITS, name_of_p(metric, of_method=True))
    return f"{name} ({_subtracted(metric, pair)}{signed(pair.difference, decimals_of(metric))}, {p})"


def _with_method_p(name: str, metric: AnyMetric, pair: AnyPair) -> str:
    return f"{name} ({name_p(pair.method_p_adjusted, T_DIGITS, label_of_p(metric, of_method=True))})"


def _with_method_ps(found: Found) -> str:
    return _listed(found, _with_method_p)


def _who_is_better(found: Found, write: Callable[[str, AnyMetric, AnyPair], str]) -> str:
    """Say which system is better by which metrics; of Length, which is longer. Differences are the table's."""
    clauses: dict[tuple[str, str], list[tuple[str, AnyMetric, AnyPair]]] = {}
    for name, metric, pair in found:
        clauses.setdefault((winner_of(pair, metric), comparative(metric)), []).append((name, metric, pair))
    return "; ".join(f"{who} is shown to be {word} by {_listed(some, write)}" for (who, word), some in clauses.items())
