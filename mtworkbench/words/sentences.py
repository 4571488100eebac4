"""What is said about a comparison in sentences, here about each one by itself: what was found, in words and phrases.

Every sentence is made from the numbers that it speaks of. The headline is in `headlines`, what is said below a table in
`explanations`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignMetric
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import Ends
from mtworkbench.wording import be, tally
from mtworkbench.words.cells import (
    USUAL_LEVEL,
    adjustment_of,
    decimals_of,
    in_percent,
    is_of_exchanges,
    leads,
    name_draws,
    name_of_p,
    name_p,
    name_t,
    p_digits,
    say_ends,
)
from mtworkbench.words.frames import fixed
from mtworkbench.words.scopes import (
    METHOD,
    OUTPUTS,
    AnyComparison,
    AnyMetric,
    AnyPair,
    Question,
    is_shown,
    name_exchanged,
    name_others,
    pairs_that_differ,
    scope_of,
    within_sets,
)

#: Where the intervals of differences come from, if they come from the exchanges.
BY_EXCHANGES = "the CI contains the differences that this test does not reject"
#: Who has described the test on what was compared, with random exchanges and with all of them.
SOURCES_OF_TESTS = {"approximate": "Noreen, 1989; Riezler and Maxwell, 2005", "exact": "Noreen, 1989"}
#: What the tables say in place of "not shown" where plain pooling of the runs shows a difference for the method.
IF_ALIKE = "shown only if runs vary alike"
#: How the CI and p for new test sets depend on the CI and p on these.
RESTS_ON_THESE = (
    "the standard error is that between the sets or, if that is larger, that within them (Knapp and Hartung, 2003); "
    "the CI for new sets includes the CI on these sets, and p is at least as large as p on these sets"
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
    count = sum(pair.ends.low is None for pair in pairs_that_differ(metric.comparisons))
    if not count or not is_of_exchanges(metric):
        return ""
    what = f"{tally(count, 'difference')} {'has' if count == 1 else 'have'}"
    what = "The difference has" if len(metric.comparisons) == 1 else what
    return f"{what} no CI {scope_of(metric).on}: the units that differ are too few for this test to give one."


def say_joint(metric: AnyMetric, count: int, *, of_method: bool = False) -> str:
    """Say that intervals hold together for all comparisons of a family; empty where they do not, or there is one."""
    holds = adjustment_of(metric) == "max-t" and (of_method or is_of_exchanges(metric)) and count > 1
    whole = "both" if count == 2 else f"all {count}"
    in_one_step = "" if of_method else ", in one step, and so are wider than p, which goes step by step, suggests"
    return f"the CIs hold for {whole} comparisons together{in_one_step}" if holds else ""


def explain_overlap(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """Say that the intervals of two scores overlap although their difference is shown, where they do."""
    for metric in metrics:
        known = [one for one in metric.systems if one.low is not None]
        ends = {one.system: (one.low or 0.0, one.high or 0.0) for one in known}
        for pair in metric.comparisons_from_best:
            # An interval that was chosen by name need not agree with the verdict, so it decides nothing.
            if pair.ends is not None and is_shown(pair, of_method=False) and {pair.a, pair.b} <= ends.keys():
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
    return pair.method_verdict == "significant" and not is_shown(pair, of_method=True)
