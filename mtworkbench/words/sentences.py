"""What is said about a comparison in sentences, here about each one by itself: what was found, in words and phrases.

Every sentence is made from the numbers that it speaks of. The headline is in `headlines`, what is said below a table in
`explanations`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignPair
from mtworkbench.results.comparisons import MetricComparison, PairEstimate
from mtworkbench.results.verdicts import ROUNDING, holm_adjust
from mtworkbench.words.cells import (
    ADJUSTMENTS,
    adjustment_of,
    decimals_of,
    family_of,
    in_percent,
    label_of_p,
    leads,
    name_of_p,
    name_p,
    name_t,
    p_digits,
    signed,
)
from mtworkbench.words.frames import fixed
from mtworkbench.words.scopes import NEW, SAME, AnyMetric, AnyPair, name_others, scope_of
from mtworkbench.words.sentences_on_equivalence import conclude_with_margin, margin_of

# Another level is named where something is called shown.
USUAL_LEVEL = 0.95
#: What the tables say in place of "not shown" where the interval of a comparison excludes 0.
ONLY_BY_CI = "only by CI"
#: The same where plain pooling of the runs shows a difference for the method.
IF_ALIKE = "shown only if runs vary alike"
#: What is said where a test for more than what was compared shows a difference that the test on it does not.
SHOWN_ON_BOTH = "A difference is called shown for {} only if it is also shown {}."


def describe_pair(pair: PairEstimate, metric: MetricComparison) -> str:
    """Write one comparison in words: difference, interval, p adjusted for its family, conclusion."""
    difference = signed(pair.difference, decimals_of(metric))
    said = f"{pair.a} - {pair.b} = {difference}{bracket(metric, pair)}, {say_p(pair, metric)}"
    if pair.method_p_adjusted is not None:
        said += f"; for the method {say_method_p(pair, metric)}"
    return f"{said}: {conclusion_of(pair, metric)}"


def name_level(level: float) -> str:
    """Name the level of a claim in brackets, after it; the usual one is not named."""
    return "" if level == USUAL_LEVEL else f" (at {in_percent(1 - level)})"


def conclusion_of(pair: AnyPair, metric: AnyMetric) -> str:
    """Say in a phrase what a reader may take away from one comparison, with its direction."""
    better, scope = f"{winner_of(pair, metric)} is {comparative(metric)}", scope_of(metric)
    if margin_of(pair) is not None:
        return conclude_with_margin(pair, metric, better) + name_level(metric.level)
    if pair.conclusion in SAME:
        copies = pair.conclusion == "copies"
        return "the systems are copies of each other" if copies else "their scores are identical in every segment"
    if pair.conclusion == "undecided":
        said = "undecided; more trials are needed"
    elif pair.conclusion == "not shown":
        said = _describe_why_not(pair, metric)
    else:
        said = f"{better} {scope.concluded[pair.conclusion]}"
    first, *more = said.split("; ", 1)
    return "; ".join([first + name_level(metric.level), *more])


def _describe_why_not(pair: AnyPair, metric: AnyMetric) -> str:
    """Say that no difference is shown, and why, where p or the interval suggests one."""
    return {
        not_after(metric): f"on its own, the difference would be shown; among {family_of(metric)} it is not",
        ONLY_BY_CI: f"no difference is shown, although {describe_ci_alone(metric)}",
        None: "no difference is shown",
    }[row_note(pair, metric)]


def describe_ci_alone(metric: AnyMetric) -> str:
    """Say of an interval that excludes 0 why it may do so where p shows no difference."""
    return f"the CI{', which is not adjusted,' if metric.family_size > 1 else ''} excludes 0"


def say_p(pair: AnyPair, metric: AnyMetric) -> str:
    """Write the adjusted p on these outputs or test sets."""
    return name_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))


def say_method_p(pair: AnyPair, metric: AnyMetric) -> str:
    """Write the adjusted p for the method, where it was tested."""
    return name_t(pair.method_p_adjusted, metric.level, label_of_p(metric, of_method=True))


def say_new_p(pair: CampaignPair, metric: AnyMetric) -> str:
    """Write the adjusted p for new test sets, where they were tested."""
    return name_t(pair.new_sets_p_adjusted, metric.level, name_of_p(metric, of_method=True))


def say_interval(metric: AnyMetric, low: float | None, high: float | None) -> str:
    """Write an interval; an absent one is empty."""
    if low is None or high is None:
        return ""
    digits = decimals_of(metric)
    return f"{in_percent(metric.level)} CI {fixed(low, digits)} to {fixed(high, digits)}"


def bracket(metric: AnyMetric, one: Any) -> str:
    """Write the interval of a score or a difference in brackets, after the number that it belongs to."""
    interval = say_interval(metric, one.low, one.high)
    return f" ({interval})" if interval else ""


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


def describe_needed_trials(undecided: Sequence[AnyPair]) -> str:
    """Say how many trials would decide; an exact p that waits for others in its family needs none of its own."""
    return ""


def not_after(metric: AnyMetric, *, of_method: bool = False) -> str:
    """Say that a difference is not shown only because p is adjusted: ``not after Holm``."""
    return f"not after {ADJUSTMENTS[adjustment_of(metric, of_method=of_method)]}"


def row_note(pair: AnyPair, metric: AnyMetric) -> str | None:
    """Say in a phrase why no difference is shown on these outputs, although p on its own or the interval suggests one.

    Its own p does so if it is at most 1 - level with all of its simulation error; the interval, if it excludes 0. None
    in all other cases.
    """
    if pair.verdict != "not significant":
        return None
    if metric.family_size > 1 and pair.p_high <= 1 - metric.level + ROUNDING:
        return not_after(metric)
    return ONLY_BY_CI if _excludes_zero(pair.low, pair.high) else None


def method_note(pair: PairEstimate, metric: MetricComparison) -> str | None:
    """Say the same for the method, where interval and p are of one test, or that the runs would have to vary alike."""
    if is_shown_if_alike(pair, metric):
        return IF_ALIKE
    if pair.method_verdict != "not significant" or not _excludes_zero(pair.method_low, pair.method_high):
        return None
    return not_after(metric, of_method=True)


def is_shown_if_alike(pair: AnyPair, metric: AnyMetric) -> bool:
    """Tell whether plain pooling shows a difference for the method that is not shown if one system's runs vary more.

    The p of plain pooling are adjusted by Holm's method. Comparisons of other metrics in the family count as if they
    had the p of this one, with which its adjusted p is largest.
    """
    own = pair.method_p_pooled
    if own is None or (pair.runs, pair.verdict, pair.method_verdict) != ("pooled", "significant", "not significant"):
        return False
    known = [one.method_p_pooled for one in metric.comparisons if one.method_p_pooled is not None]
    adjusted = holm_adjust([*known, *[own] * (metric.method_family_size - len(known))])
    return bool(adjusted[known.index(own)] <= 1 - metric.level + ROUNDING)


def names_of_p(metrics: Sequence[AnyMetric], joint: str = "or") -> str:
    """Name the p that verdicts go by; where others are adjusted otherwise, both."""
    outputs, others = name_of_p(metrics[0]), name_of_p(metrics[0], of_method=True)
    both = outputs != others and name_others(metrics)
    return f"{outputs} {joint}, for {both}, {others}" if both else outputs


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and not low <= 0 <= high


def is_shown_alone(pair: AnyPair) -> bool:
    """Tell whether the test for the method or for new test sets shows a difference that is not shown otherwise."""
    if isinstance(pair, CampaignPair):
        return pair.new_sets_verdict == "significant" and pair.conclusion != NEW
    return pair.method_verdict == "significant" and pair.conclusion != "shown for the method"


def is_shown_despite_ci(pair: PairEstimate) -> bool:
    """Tell whether a difference that is shown on these outputs has an interval that includes 0."""
    known = pair.low is not None and pair.high is not None
    return pair.verdict == "significant" and known and not _excludes_zero(pair.low, pair.high)
