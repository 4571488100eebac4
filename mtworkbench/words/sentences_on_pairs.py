"""What is found of one pair of systems: in a headline by all metrics with their p, in a paragraph by one metric."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import NamedTuple

from mtworkbench.results.campaigns import CampaignComparison, CampaignPair
from mtworkbench.results.comparisons import MetricComparison, PairEstimate
from mtworkbench.wording import begin, grouped, listed
from mtworkbench.words.cells import USUAL_LEVEL, decimals_of, in_percent, say_undecided, signed
from mtworkbench.words.columns import ONLY_ALONE
from mtworkbench.words.scopes import (
    METHOD,
    NEW,
    NEW_SETS,
    NOTHING_SHOWN,
    OUTPUTS,
    RUNS,
    SAME,
    THESE,
    AnyComparison,
    AnyMetric,
    AnyPair,
    Found,
    Question,
    count_sets,
    find_pair,
    is_shown,
    scope_of,
)
from mtworkbench.words.sentences import bracket, comparative, is_shown_alone, name_level, say_p, winner_of
from mtworkbench.words.sentences_on_equivalence import (
    describe_equal,
    describe_no_difference,
    is_equal,
    margin_of,
    name_equality_p,
)


class Style(NamedTuple):
    """How clauses are written.

    Parameters
    ----------
    named : bool
        Whether metrics are named after what they show.
    with_p : bool
        Whether p is said, and what the test set could have shown; a claim of equality always has its p.
    """

    named: bool = False
    with_p: bool = True


def describe_pair(pair: PairEstimate, metric: MetricComparison) -> str:
    """Write one comparison in words: difference, interval, p adjusted for its family, conclusion."""
    difference = signed(pair.difference, decimals_of(metric))
    said = f"{pair.a} - {pair.b} = {difference}{bracket(metric, pair.ends)}, {say_p(pair, metric)}"
    if pair.method_p_adjusted is not None:
        said += f"; for the method {say_p(pair, metric, METHOD)}"
    return f"{said}: {conclusion_of(pair, metric)}"


def conclusion_of(pair: AnyPair, metric: AnyMetric) -> str:
    """Say in a phrase what a reader may take away from one comparison, with its direction."""
    if margin_of(pair) is not None:
        said = "; ".join(_list_clauses([(metric.name, metric, pair)], Style(with_p=False)))
        return said + name_level(metric.level)
    better = f"{winner_of(pair, metric)} is shown to be {comparative(metric)}"
    said = NOTHING_SHOWN.get(pair.conclusion) or f"{better} {scope_of(metric).shown[pair.conclusion]}"
    said += f", because {say_undecided(metric)}" if pair.conclusion == "undecided" else ""
    return said if pair.conclusion in SAME else said + name_level(metric.level)


def describe_pair_by_all(comparison: AnyComparison, a: str, b: str) -> str:
    """Say how one pair differs by each metric, and what is shown: for more than what was compared, and on that."""
    found = find_pair(comparison.metrics, a, b)
    differ = [one for one in found if one[2].conclusion not in SAME]
    clauses = _list_clauses(differ, Style(named=len(differ) > 1))
    where = f", mean over {count_sets(comparison)}" if isinstance(comparison, CampaignComparison) else ""
    where += "" if comparison.level == USUAL_LEVEL else f", tested at {in_percent(1 - comparison.level)}"
    differences = [f"{signed(pair.difference, decimals_of(metric))} {name}" for name, metric, pair in differ]
    which = f"{a} - {b} = {listed(differences)}" if differ else f"{a} against {b}"
    return f"{which}{where}: {'; '.join([*clauses, *_same(found)])}."


def _list_clauses(found: Found, style: Style) -> list[str]:
    """Say what is shown of one pair by metrics under which its scores differ, and for what."""
    if found and isinstance(found[0][2], CampaignPair):
        return [*_on_sets(found, style)]
    return _on_outputs(found, style) if found else []


def _on_outputs(found: Found, style: Style) -> list[str]:
    """Say what is shown for the method, where it was tested, and on these outputs: in one clause where it is alike."""
    tested = [one for one in found if one[2].method_verdict is not None]
    first, *more = _claim(found, OUTPUTS, style, smallest=not tested)
    if not tested:
        return [f"{scope_of(found[0][1]).on}, {first}", *more]
    alike = "" if style.named else _say_alike(found, style)
    of_method = "; ".join(_claim(tested, METHOD, style, smallest=True))
    return [alike] if alike else [f"for the method, {of_method}. {begin(RUNS.on)}, {first}", *more]


def _say_alike(found: Found, style: Style) -> str:
    """Say what is shown for the method and on these outputs, too; empty where these differ, or equality is asked."""
    [(_, metric, pair)] = found
    shown = pair.verdict == "significant"
    equal = any(is_equal(pair, of_method=of_method) for of_method in (False, True))
    if pair.verdict != pair.method_verdict or equal or not (shown or margin_of(pair) is None):
        return ""
    said = f"{winner_of(pair, metric)} is shown to be {comparative(metric)}" if shown else "no difference is shown"
    joined = "and" if shown else "or"
    of_method, of_outputs = (_by(found, question, style) for question in (METHOD, OUTPUTS))
    return f"{said} for the method{of_method} {joined} {RUNS.on}{of_outputs}"


def _on_sets(found: Found, style: Style) -> Iterable[str]:
    """Say what is shown for new test sets, what on these alone, and what for the method, where it was tested."""
    new, only = ([one for one in found if one[2].conclusion == said] for said in (NEW, THESE))
    if new:
        yield f"for new test sets like these, {_who_is_better(new, NEW_SETS, style)}"
    if less := [one for one in new if is_equal(one[2], of_method=False)]:
        margins = listed(describe_equal(pair, metric, of_method=False) for _, metric, pair in less)
        yield f"for these test sets, the difference is less than {margins}"
    if only:
        not_new = ", but this is not shown for new test sets"
        if all(isinstance(pair, CampaignPair) and pair.new_sets_verdict is None for *_, pair in only):
            not_new = ", but for new test sets this was not tested, because the difference is the same on every set"
        yield f"for these test sets, {_who_is_better(only, OUTPUTS, style)}{not_new}"
    tested = [one for one in found if one[2].method_p_adjusted is not None]
    if others := [one for one in found if one not in (*new, *only)]:
        new_too = all(isinstance(one[2], CampaignPair) and one[2].new_sets_verdict is not None for one in others)
        plain = all(one[2].conclusion == "not shown" and margin_of(one[2]) is None for one in others)
        nor = ", nor for new ones" if new_too and plain else ""
        yield f"for these test sets, {'; '.join(_claim(others, OUTPUTS, style, smallest=not tested))}{nor}"
    if tested:
        yield f"for the method, {'; '.join(_claim(tested, METHOD, style, also='also '))}"


def _claim(found: Found, question: Question, style: Style, *, smallest: bool = False, also: str = "") -> list[str]:
    """Say what is shown by one p, metrics with one answer together: a difference, equality, or neither.

    Parameters
    ----------
    found : sequence of (str, AnyMetric, AnyPair)
    question : Question
        On these outputs, or for the method.
    style : Style
    smallest : bool
        Whether to say what the test set could have shown.
    also : str
        What stands before "shown".
    """
    of_method = question.of_method
    clauses: list[str] = []
    shown = [one for one in found if is_shown(one[2], of_method=of_method)]
    withheld = [one for one in found if of_method and is_shown_alone(one[2])]
    undecided = [one for one in found if not of_method and one[2].verdict == "undecided"]
    if shown:
        clauses.append(_who_is_better(shown, question, style, also))
    if withheld:
        own, on = _by(withheld, question, style), scope_of(withheld[0][1]).on
        clauses.append(f"{ONLY_ALONE}: its own test shows a difference{own}, but none is shown {on}")
    for name, metric, pair in undecided:
        by = f" by {name}" if style.named else ""
        clauses.append(f"undecided{by}, because {say_undecided(metric, say_p(pair, metric, question))}")
    others = [one for one in found if one not in (*shown, *withheld, *undecided)]
    others += [one for one in undecided if is_equal(one[2], of_method=False)]
    write = partial(_by, question=question, style=style, last="or")
    return clauses + describe_no_difference(others, write, of_method=of_method, smallest=smallest and style.with_p)


def _same(found: Found) -> Iterable[str]:
    """Say under which metrics the two systems cannot be told apart, and why."""
    for conclusion, phrase in SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        if same:
            yield f"by {listed(same)}, {phrase}"


def _by(found: Found, question: Question, style: Style, last: str = "and") -> str:
    """Write the p of metrics after what is shown by them: `` by BLEU (p = 0.01)``; a single one is not named again."""
    ps = [
        (name, "; ".join((*[say_p(pair, metric, question)] * style.with_p, *_say_less(pair, metric, question))))
        for name, metric, pair in found
    ]
    if style.named:
        return f" by {listed((f'{name} ({said})' for name, said in ps), last)}"
    return f" ({ps[0][1]})" if ps[0][1] else ""


def _say_less(pair: AnyPair, metric: AnyMetric, question: Question) -> Iterable[str]:
    """Say of a difference that is shown that it is smaller than the margin, if that is shown, too."""
    of_method = question.of_method
    tested = question in (OUTPUTS, METHOD) and is_equal(pair, of_method=of_method)
    if tested and is_shown(pair, of_method=of_method):
        yield f"less than {margin_of(pair):g}, {name_equality_p(pair, metric, of_method=of_method)}"


def _who_is_better(found: Found, question: Question, style: Style, also: str = "") -> str:
    """Say which system is better by which metrics; of Length, which is longer."""
    clauses = grouped(((winner_of(one[2], one[1]), comparative(one[1])), one) for one in found)
    return "; ".join(
        f"{who} is {also}shown to be {word}{_by(some, question, style)}" for (who, word), some in clauses.items()
    )
