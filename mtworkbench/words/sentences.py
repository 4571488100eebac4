"""What is said about a comparison in sentences, here about each one by itself: what was found, in words and phrases.

Every sentence is made from the numbers that it speaks of. The headline is in `headlines`, what is said below a table in
`explanations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, MetricComparison, PairEstimate
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import Ends
from mtworkbench.wording import be, begin, grouped, listed, tally
from mtworkbench.words.cells import (
    decimals_of,
    leads,
    name_draws,
    name_of_p,
    name_p,
    name_t,
    p_digits,
    say_ends,
    say_undecided,
)
from mtworkbench.words.frames import USUAL_LEVEL, fixed, in_percent, signed
from mtworkbench.words.scopes import (
    METHOD,
    NEW,
    NEW_SETS,
    NOTHING_SHOWN,
    OUTPUTS,
    RUNS,
    SAME,
    THESE,
    Found,
    Question,
    adjustment_of,
    count_sets,
    find_pair,
    is_of_exchanges,
    name_exchanged,
    name_others,
    scope_of,
    within_sets,
)
from mtworkbench.words.sentences_on_equivalence import describe_equal, describe_no_difference, is_equal, name_equality_p

#: Where the intervals of differences come from, if they come from the exchanges.
BY_EXCHANGES = "the CI contains the differences that this test does not reject"
#: Who has described the test on what was compared, with random exchanges and with all of them.
SOURCES_OF_TESTS = {"approximate": "Noreen, 1989; Riezler and Maxwell, 2005", "exact": "Noreen, 1989"}
#: What a verdict says where neither a difference nor equality is shown, and where only the test of its own question,
#: taken alone, would show a difference, which is not shown on what was compared.
NOT_SHOWN, ONLY_ALONE, NOT_TESTED = "not shown", "not shown (only alone)", "not tested"
#: What the tables say in place of "not shown" where plain pooling of the runs shows a difference for the method.
IF_ALIKE = "shown only if runs vary alike"
#: How the CI and p for new test sets depend on the CI and p on these.
RESTS_ON_THESE = (
    "the standard error is that between the sets or, if that is larger, that within them (Knapp and Hartung, 2003); "
    "the CI for new sets includes the CI for these sets, and p is at least as large as p for these sets"
)
#: The limit of Student's t over sets.
SKEWED = (
    "If a few sets lie far from the others on one side, this test calls equal systems different too often "
    "(docs/validity.md)."
)
#: Besides a p that is small enough: what "undecided" lacks.
CERTAIN = "more random swaps would hardly change that"
#: What is said where the test for the method shows a difference that the test on these outputs does not.
SHOWN_ON_BOTH = "A difference is called shown for {} only if it is also shown {}."


def name_level(level: float) -> str:
    """Name the level of a claim in brackets, after it; the usual one is not named."""
    return "" if level == USUAL_LEVEL else f" (at {in_percent(1 - level)})"


def say_p(pair: AnyPair, metric: AnyMetric, question: Question = OUTPUTS) -> str:
    """Write the adjusted p of a question that was tested; where there is one comparison, it is not adjusted."""
    p = question.answer(pair, "p_adjusted")
    if question is OUTPUTS:
        return name_p(p, p_digits(pair), name_of_p(metric), metric.level)
    is_alone = question is METHOD and metric.method_family_size <= 1
    return name_t(p, metric.level, "p" if is_alone else name_of_p(metric, of_method=True))


def say_interval(metric: AnyMetric, one: Any) -> str:
    """Write the interval of a difference, or of a score; an absent one is empty."""
    if one.low is None or one.high is None:
        return ""
    digits = decimals_of(metric)
    said = say_ends(one, digits) if isinstance(one, Ends) else f"{fixed(one.low, digits)} to {fixed(one.high, digits)}"
    return f"{in_percent(metric.level)} CI {said}"


def bracket(metric: AnyMetric, one: Any) -> str:
    """Write the interval of a score or a difference in brackets, after the number that it belongs to."""
    interval = say_interval(metric, one)
    return f" ({interval})" if interval else ""


def name_exchanges(comparison: AnyComparison, *, with_sources: bool = False) -> str:
    """Name the test on what was compared, and say how many exchanges it rests on."""
    test, drawn = name_draws(pair for metric in comparison.metrics.values() for pair in metric.comparisons)
    sources = f" ({SOURCES_OF_TESTS[test]})" if with_sources else ""
    exchanged = f"{name_exchanged(comparison)}{within_sets(comparison)}"
    return f"two-sided {test} randomization test{sources} by {exchanged} ({drawn})"


def explain_exchanges(comparison: AnyComparison) -> str:
    """Say where p on what was compared comes from, and the intervals of differences."""
    exchanges = name_exchanges(comparison)
    ours = is_of_exchanges(comparison)
    return f"CI and p: {exchanges}; {BY_EXCHANGES}." if ours else f"CI: computed as for scores; p: {exchanges}."


def name_crossed(metric: AnyMetric) -> str:
    """Name the analysis that p and CI for the method come from."""
    if isinstance(metric, CampaignMetric):
        return "crossed analysis of the scores of the runs, averaged over the test sets"
    return f"crossed analysis, which treats both {name_units(metric.settings.unit)} and runs as samples"


def explain_copies(comparison: AnyComparison, metric: AnyMetric) -> Iterator[str]:
    """Say that comparisons of copies are not counted in a family; one metric of a larger family cannot tell."""
    of_family = comparison.metrics.values() if metric.settings.family == "all" else [metric]
    n_copies = sum(len(one.comparisons) for one in of_family) - metric.family_size
    if n_copies > 0:
        what = f"{tally(n_copies, 'comparison')} of systems with the same statistics in every unit"
        yield f"{what} {be(n_copies)} not counted."


def explain_other_cis(metric: AnyMetric) -> str:
    """Say that the interval of a difference may contradict the verdict; empty where both come from the exchanges."""
    if is_of_exchanges(metric):
        return ""
    several = metric.family_size > 1 and adjustment_of(metric) == "holm"
    adjusted = "is not adjusted for the number of comparisons, and " if several else ""
    source = f"{scope_of(metric).on}{' it' if several else ''} comes from another method than p"
    return f"The CI of a difference {adjusted}{source}, so it need not agree with the verdict."


def explain_missing_cis(metric: AnyMetric) -> str:
    """Say why differences have no interval; empty where all of them have one."""
    count = sum(pair.differs and pair.ends.low is None for pair in metric.comparisons)
    if not count or not is_of_exchanges(metric):
        return ""
    what = f"{tally(count, 'difference')} {'has' if count == 1 else 'have'}"
    what = "The difference has" if len(metric.comparisons) == 1 else what
    return f"{what} no CI {scope_of(metric).on}: the units that differ are too few for this test to give one."


def say_joint(metric: AnyMetric, count: int, *, of_method: bool = False) -> str:
    """Say that intervals hold together for all comparisons of a family; empty where they do not, or there is one."""
    holds = adjustment_of(metric) == "max-t" and (of_method or is_of_exchanges(metric)) and count > 1
    whole = "both" if count == 2 else f"all {count}"
    steps = "" if of_method else " (computed in one step, and p step by step, so a CI can be wider than p suggests)"
    return f"the CIs hold for {whole} comparisons together{steps}" if holds else ""


def explain_overlap(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """Say that the intervals of two scores overlap although their difference is shown, where they do."""
    for metric in metrics:
        known = [one for one in metric.systems if one.low is not None]
        ends = {one.system: (one.low or 0.0, one.high or 0.0) for one in known}
        for pair in metric.comparisons_from_best:
            # An interval that was chosen by name need not agree with the verdict, so it decides nothing.
            if pair.ends is not None and pair.is_shown(of_method=False) and {pair.a, pair.b} <= ends.keys():
                (low, high), (other_low, other_high) = ends[pair.a], ends[pair.b]
                if low <= other_high and other_low <= high:
                    which = f"({pair.a}, {pair.b})"
                    yield f"CIs of scores can overlap although a difference is shown {which}: its own CI decides."
                    return


def comparative(metric: AnyMetric, first: bool = True) -> str:
    """Return the word for a shown difference: of the system that leads, or of the other."""
    if has_direction(metric):
        return "better" if first else "worse"
    if metric.name.split("|")[0] == "Length":
        return "longer" if first else "shorter"
    return "higher" if first else "lower"


def winner_of(pair: AnyPair, metric: AnyMetric) -> str:
    """Name the system that has the better score; under Length, the longer one."""
    return pair.a if leads(pair, metric) else pair.b


def names_of_p(metrics: Sequence[AnyMetric]) -> str:
    """Name the p that verdicts go by; where others are adjusted otherwise, both."""
    outputs, others = name_of_p(metrics[0]), name_of_p(metrics[0], of_method=True)
    both = outputs != others and name_others(metrics)
    return f"{outputs} or, for {both}, {others}" if both else outputs


def is_shown_alone(pair: AnyPair) -> bool:
    """Tell whether the test for the method shows a difference that is not shown on what was compared."""
    return pair.method_verdict == "significant" and not pair.is_shown(of_method=True)


# ---- one pair of systems: in a headline by all metrics with their p, in a paragraph by one metric


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
    if pair.margin is not None:
        said = "; ".join(_list_clauses([(metric.name, metric, pair)], Style(with_p=False)))
        return said + name_level(metric.level)
    better = f"{winner_of(pair, metric)} is shown to be {comparative(metric)}"
    said = NOTHING_SHOWN.get(pair.conclusion) or f"{better} {scope_of(metric).shown[pair.conclusion]}"
    said += f", because {say_undecided(metric)}" if pair.conclusion == "undecided" else ""
    return said if not pair.differs else said + name_level(metric.level)


def describe_pair_by_all(comparison: AnyComparison, a: str, b: str) -> str:
    """Say how one pair differs by each metric, and what is shown: for more than what was compared, and on that."""
    found = find_pair(comparison.metrics, a, b)
    differ = [one for one in found if one[2].differs]
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
    if pair.verdict != pair.method_verdict or equal or not (shown or pair.margin is None):
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
        plain = all(one[2].conclusion == "not shown" and one[2].margin is None for one in others)
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
    shown = [one for one in found if one[2].is_shown(of_method=of_method)]
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


def say_of_method(pair: AnyPair, metric: AnyMetric) -> str:
    """Say what is shown of one pair for the method, where it was tested."""
    return "; ".join(_claim([(metric.name, metric, pair)], METHOD, Style()))


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
    if tested and pair.is_shown(of_method=of_method):
        yield f"less than {pair.margin:g}, {name_equality_p(pair, metric, of_method=of_method)}"


def _who_is_better(found: Found, question: Question, style: Style, also: str = "") -> str:
    """Say which system is better by which metrics; of Length, which is longer."""
    clauses = grouped(((winner_of(one[2], one[1]), comparative(one[1])), one) for one in found)
    return "; ".join(
        f"{who} is {also}shown to be {word}{_by(some, question, style)}" for (who, word), some in clauses.items()
    )
