"""What is said where no difference is shown: equal within the margin, cannot tell, and what could have been shown.

Without a margin nothing is said of equality: only how large a difference the test set could have shown.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from mtworkbench.inference.power import USUAL_POWER
from mtworkbench.results.campaigns import CampaignMetric
from mtworkbench.results.comparisons import AnyMetric, AnyPair, MetricComparison, PairEstimate
from mtworkbench.results.equivalence import Within
from mtworkbench.wording import NAMED, listed, name_some
from mtworkbench.words.cells import EXACT_DIGITS, decimals_of, family_of, name_p, p_digits, show_p
from mtworkbench.words.frames import Cell, Columns, fixed, in_percent, number, threshold_of
from mtworkbench.words.scopes import Found, adjustment_of, scope_of

#: What the tables say in place of "not shown" where there is a margin, but neither a difference nor equality is shown.
CANNOT_TELL = "cannot tell"
#: What stands after a difference that is shown to be smaller than the margin, where there is no room for words.
WITHIN = "≈"
#: Below so many effective units, the test of equivalence was measured to err too often: see docs/validity.md.
ENOUGH_UNITS = 50
#: What a smallest difference for the method takes into account besides the standard error (`power.crossed_threshold`).
SMALLEST_OF_METHOD = (
    " For the method, the smallest difference can be larger than the width of the CI suggests: with few runs, the "
    "measured run-to-run variation differs from experiment to experiment."
)


def is_equal(pair: AnyPair, *, of_method: bool) -> bool:
    """Tell whether two systems are shown to be equal within the margin."""
    return pair.margin is not None and _answer(pair, of_method).verdict == "equivalent"


def in_margin(pair: AnyPair, metric: AnyMetric) -> str:
    """Write the margin with the metric: ``0.5 BLEU``."""
    return f"{pair.margin:g} {metric.name.split('|')[0]}"


def margins_of(metrics: Iterable[AnyMetric]) -> list[str]:
    """Write the margin of each metric that has one."""
    found = [(metric, next((pair for pair in metric.comparisons if pair.margin), None)) for metric in metrics]
    return [in_margin(pair, metric) for metric, pair in found if pair is not None]


def say_test(metric: AnyMetric, *, of_method: bool) -> str:
    """Name the test of equivalence, with its level: ``two one-sided randomization tests, TOST, at 5 %, Holm``."""
    holm = ", Holm" if _n_tests(metric.comparisons, of_method) > 1 else ""
    # The tests of a difference may be one family of all metrics; those of equality never are.
    if holm and metric.settings.family == "all" and metric.family_size > len(metric.comparisons):
        holm += " over the comparisons of each metric"
    tests = "randomization tests" if _is_by_exchanges(metric, of_method) else "t-tests"
    return f"two one-sided {tests}, TOST, at {in_percent(1 - metric.level)}{holm}"


def _is_by_exchanges(metric: AnyMetric, of_method: bool) -> bool:
    return adjustment_of(metric, of_method=of_method) == "max-t"


def explain_margin_test(metric: MetricComparison) -> str:
    """Say below a figure what its mark of equality means, and that its bars are not the intervals of the test."""
    by = f"{say_test(metric, of_method=metric.asks_of_methods)}; bars are {in_percent(metric.level)} CIs"
    if any(is_equal(pair, of_method=of_method) for pair in metric.comparisons for of_method in (False, True)):
        return f"{WITHIN} shown to be equal within the margin ({by})"
    return f"no equality within the margin is shown ({by})"


def equality_note(pair: AnyPair, *, of_method: bool) -> str | None:
    """Say in a cell what becomes of "not shown" where there is a margin."""
    if pair.margin is None:
        return None
    return f"equal within {pair.margin:g}" if is_equal(pair, of_method=of_method) else CANNOT_TELL


def describe_equal(pair: AnyPair, metric: AnyMetric, *, of_method: bool) -> str:
    """Say within what a pair is equal: ``0.5 BLEU (p (equiv.) = 0.012)``."""
    return f"{in_margin(pair, metric)} ({name_equality_p(pair, metric, of_method=of_method)})"


def name_equality_p(pair: AnyPair, metric: AnyMetric, *, of_method: bool) -> str:
    """Write the p of the test of equivalence, adjusted for its family."""
    name = name_of_equality_p(metric.comparisons, of_method=of_method)
    return name_p(*_p_and_digits(pair, metric, of_method), name, metric.level)


def _p_and_digits(pair: AnyPair, metric: AnyMetric, of_method: bool) -> tuple[float | None, int]:
    digits = p_digits(pair) if _is_by_exchanges(metric, of_method) else EXACT_DIGITS
    return _answer(pair, of_method).p_adjusted, digits


def name_of_equality_p(pairs: Sequence[AnyPair], *, of_method: bool) -> str:
    """Name the p of the test of equivalence, in tables and sentences; ``pairs`` are all of one metric."""
    return "p (equiv., Holm)" if _n_tests(pairs, of_method) > 1 else "p (equiv.)"


def names_of_equality_p(metrics: Iterable[AnyMetric]) -> list[str]:
    """Name each p of equivalence that occurs: that of the method may be adjusted otherwise."""
    asked = [(metric.comparisons, of_method) for metric in metrics for of_method in (False, True)]
    names = {name_of_equality_p(pairs, of_method=of_method) for pairs, of_method in asked if _n_tests(pairs, of_method)}
    return sorted(names)


def _n_tests(pairs: Sequence[AnyPair], of_method: bool) -> int:
    return sum(_answer(one, of_method).p_value is not None for one in pairs)


def describe_equality(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """Name the pairs that are equal within the margin, for each metric that has one and each question asked."""
    for metric in metrics:
        if any(pair.margin is not None for pair in metric.comparisons):
            for of_method in (False, True)[: 1 + metric.asks_of_methods]:
                yield from describe_equality_by(metric, of_method=of_method, where=True)


def describe_equality_by(metric: AnyMetric, *, of_method: bool, where: bool, test: str = "") -> Iterator[str]:
    """Name the pairs that are equal within the margin; those that are shown to differ as well have their own sentence.

    Parameters
    ----------
    metric : MetricComparison
        With a margin.
    of_method : bool
    where : bool
        Whether "on these outputs", or "for these test sets", is said; "for the method" always is.
    test : str
        What stands in brackets after the first sentence.
    """
    pairs = [pair for pair in metric.comparisons if is_equal(pair, of_method=of_method)]
    alone = [
        pair
        for pair in pairs
        if not pair.conclusion.startswith("shown") or (of_method and pair.method_verdict != "significant")
    ]
    differ = [pair for pair in pairs if pair not in alone]
    margin = in_margin(next(pair for pair in metric.comparisons if pair.margin is not None), metric)
    place = " for the method" if of_method else f" {scope_of(metric).on}" if where else ""
    test = f" ({test})" if test else ""
    if alone:
        yield f"Shown to be equal within {margin}{place}{test}: {name_pairs(alone, metric)}."
        test = ""
    if differ:
        yield f"Shown to differ, but by less than {margin}{place}{test}: {name_pairs(differ, metric)}."
    if not pairs:
        yield f"No two systems are shown to be equal within {margin}{place}{test}."


def name_pairs(pairs: Sequence[AnyPair], metric: AnyMetric) -> str:
    """Name pairs: with one baseline by the other system; of more than six the rest is counted."""
    baselines = {pair.b for pair in metric.comparisons}
    if len(baselines) == 1:
        return f"{name_some([pair.a for pair in pairs])}, compared with {baselines.pop()}"
    names = [f"{pair.a} and {pair.b}" for pair in pairs]
    if len(names) > NAMED:
        names[NAMED - 1 :] = [f"and {len(names) - NAMED + 1:,} more pairs"]
    return "; ".join(names)


def describe_no_difference(
    found: Found, write: Callable[[Found], str], *, of_method: bool, smallest: bool
) -> list[str]:
    """Say of one pair, and the metrics under which no difference is shown, whether equality is.

    Parameters
    ----------
    found : sequence of (str, AnyMetric, AnyPair)
        Names of metrics, each with what it found of the pair.
    write : callable
        Lists metrics after what is said of them, each with its p.
    of_method : bool
    smallest : bool
        Whether to say what the test set could have shown.

    Returns
    -------
    list of str
        Clauses: of metrics that show equality, of those that show neither, and of those without a margin.
    """
    equal = [one for one in found if is_equal(one[2], of_method=of_method)]
    others = [one for one in found if one not in equal]
    cannot_tell = [one for one in others if one[2].margin is not None]
    no_margin = [one for one in others if one[2].margin is None]
    clauses = []
    if equal:
        within = listed(describe_equal(pair, metric, of_method=of_method) for _, metric, pair in equal)
        clauses.append(f"{equal[0][2].a} and {equal[0][2].b} are shown to be equal within {within}")
    if cannot_tell:
        margins = listed(in_margin(pair, metric) for _, metric, pair in cannot_tell)
        clause = f"no difference is shown{write(cannot_tell)}, nor is equality within {margins}"
        known = [_name_smallest(pair, metric, of_method) for _, metric, pair in cannot_tell]
        known = [one for one in known if one]
        if known and smallest:
            noun, are = ("difference", "is") if len(known) == 1 else ("differences", "are")
            data = scope_of(cannot_tell[0][1]).data
            clause += f"; the smallest {noun} that {data} could have shown with {in_percent(USUAL_POWER)} power"
            clause += f"{_among(cannot_tell[0][1], of_method)} {are} {listed(known)}"
        clauses.append(clause)
    return clauses + ([f"no difference is shown{write(no_margin)}"] if no_margin else [])


def _among(metric: AnyMetric, of_method: bool) -> str:
    """Say among how many comparisons the smallest difference could have been shown."""
    if len(metric.comparisons) == 1 or metric.family_size <= 1:
        return ""
    return f" among {family_of(metric)}" if _is_by_exchanges(metric, of_method) else " in a single comparison"


def _name_smallest(pair: AnyPair, metric: AnyMetric, of_method: bool) -> str:
    """Write the smallest difference that could have been shown, with the metric; empty where there is none."""
    found = _answer(pair, of_method).smallest_difference
    return "" if found is None else f"{fixed(found, decimals_of(metric))} {metric.name.split('|')[0]}"


def describe_smallest(metric: MetricComparison) -> Iterator[str]:
    """Say in one sentence what the test set could have shown of the pairs whose difference is not shown."""
    clauses: dict[bool, str] = {}
    for of_method, what in ((False, scope_of(metric).on), (True, "for the method")):
        found = [pair for pair in metric.comparisons if _is_open(pair, of_method) and pair.differs]
        known = [(pair, one) for pair in found if (one := _answer(pair, of_method).smallest_difference) is not None]
        what += _among(metric, of_method)
        if len(known) == 1:
            [(pair, one)] = known
            clauses[of_method] = f"{_name_smallest(pair, metric, of_method)} between {pair.a} and {pair.b} {what}"
        elif known:
            digits, sizes = decimals_of(metric), sorted(one for _, one in known)
            ends = dict.fromkeys(fixed(size, digits) for size in (sizes[0], sizes[-1]))
            whose = f"{'each of ' * (len(ends) == 1)}the {len(known)} pairs whose difference is not shown"
            clauses[of_method] = f"{listed(ends, 'to')} {metric.name.split('|')[0]} {what}, for {whose}"
    if clauses:
        yield (
            f"The smallest difference that this test set could have shown with {in_percent(USUAL_POWER)} power: "
            f"{'; '.join(clauses.values())}.{SMALLEST_OF_METHOD if True in clauses else ''}"
        )


def explain_equivalence(metric: AnyMetric, unit: str) -> Iterator[str]:
    """Explain below a table what "equal within" and "cannot tell" mean, where there is a margin."""
    pairs = [pair for pair in metric.comparisons if pair.margin is not None]
    if not pairs:
        return
    # This must not begin with the name of a column: text leaves out what is said of columns that have no room.
    yield (
        f"Equality: {listed(names_of_equality_p([metric]), 'or')} is from two one-sided tests (TOST) of the "
        f"hypothesis that the systems differ by the margin or more ({name_equality_analysis([metric], unit)})"
        f"{', adjusted for the number of comparisons (Holm)' if len(metric.comparisons) > 1 else ''}. Systems are "
        f"called equal within the margin if this p is at most {threshold_of(metric.level)}; for a single comparison, "
        f"this means that its {in_percent(2 * metric.level - 1)} CI lies within the margin. "
        f'"{CANNOT_TELL.capitalize()}": neither a difference nor equality is shown.'
    )
    by_less = any(
        pair.verdict == "significant"
        and is_equal(pair, of_method=False)
        or pair.method_verdict == "significant"
        and is_equal(pair, of_method=True)
        for pair in pairs
    )
    meaning = f'; "by <{pairs[0].margin:g}": a difference is shown, and it is shown to be smaller than the margin'
    yield f"The margin is {in_margin(pairs[0], metric)}{meaning if by_less else ''}."


def explain_wider_cis(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """Say why the CI of systems that are shown to be equal can reach beyond the margin, where one does."""
    for metric in metrics:
        for pair in metric.comparisons:
            margin = pair.margin
            for of_method, ends in ((False, pair.ends), (True, pair.method_ends)):
                if margin is None or ends is None or not is_equal(pair, of_method=of_method):
                    continue
                if max(-(ends.low or 0.0), ends.high or 0.0) > margin:
                    tested = f"equality is tested on each side at {in_percent(1 - metric.level)}"
                    yield f"A {in_percent(metric.level)} CI can reach beyond the margin of equal systems: {tested}."
                    return


def name_equality_analysis(metrics: Sequence[AnyMetric], unit: str) -> str:
    """Say what the tests of equivalence are made of."""
    of_methods = any(metric.asks_of_methods for metric in metrics)
    within = " within each test set," if any(isinstance(metric, CampaignMetric) for metric in metrics) else ""
    by_exchanges = _is_by_exchanges(metrics[0], False)
    own = "randomization tests" if by_exchanges else f"t-tests with the jackknife{within} by {unit}"
    return f"{own}{'; for the method, t-tests from the crossed analysis' if of_methods else ''}"


def show_equality_p(pair: AnyPair, metric: AnyMetric, *, of_method: bool) -> Cell:
    """Write the adjusted p of equivalence in a cell; empty where there is none."""
    return show_p(*_p_and_digits(pair, metric, of_method), metric.level)


def smallest_columns(metric: MetricComparison, rows: Sequence[PairEstimate]) -> Columns:
    """Return the columns of the smallest differences that could have been shown, for the details."""
    headings = {False: "smallest diff.", True: "smallest diff., method"}
    columns: Columns = {}
    for of_method, heading in headings.items():
        found = [_answer(pair, of_method).smallest_difference for pair in rows]
        if any(one is not None for one in found):
            columns[heading] = [number(one, decimals_of(metric)) for one in found]
    return columns


def _answer(pair: AnyPair, of_method: bool) -> Within:
    """Return what is known of one question; nothing where no test of equivalence is registered."""
    found = pair.equivalence
    if found is None:
        return Within()
    return found.for_method if of_method else found.on_outputs


def _is_open(pair: AnyPair, of_method: bool) -> bool:
    return (pair.method_verdict if of_method else pair.verdict) == "not significant"
