"""What the cells of a table say of a difference: on these outputs or test sets, for the method, for new test sets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.words.cells import ADJUSTMENTS, leads
from mtworkbench.words.scopes import NEW, SAME, THESE
from mtworkbench.words.sentences import comparative, method_note, row_note
from mtworkbench.words.sentences_on_equivalence import equality_note, is_equal, margin_of

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison, PairEstimate
    from mtworkbench.results.campaigns import CampaignMetric, CampaignPair, SetEstimate

#: What is said of a difference that would be shown on its own, but not among several comparisons.
NOT_AFTER_HOLM = f"not after {ADJUSTMENTS['holm']}"


def on_outputs(pair: PairEstimate, metric: MetricComparison) -> str:
    """Say in a word what is shown of a difference on these outputs."""
    if not pair.segments_differing:
        return pair.conclusion
    if pair.verdict == "significant":
        return comparative(metric, leads(pair, metric)) + _less_than_margin(pair, of_method=False)
    if is_equal(pair, of_method=False):
        return equality_note(pair, of_method=False) or ""
    if pair.verdict == "undecided":
        return "undecided"
    return row_note(pair, metric) or equality_note(pair, of_method=False) or "not shown"


def for_method_on_outputs(pair: PairEstimate, metric: MetricComparison) -> str:
    """Say in a word what is shown of a difference for the method."""
    if pair.method_verdict is None:
        return "not tested"
    if pair.method_verdict == "significant":
        return comparative(metric, leads(pair, metric)) + _less_than_margin(pair, of_method=True)
    if is_equal(pair, of_method=True):
        return equality_note(pair, of_method=True) or ""
    return method_note(pair, metric) or equality_note(pair, of_method=True) or "not shown"


def _less_than_margin(pair: PairEstimate, *, of_method: bool) -> str:
    """Say of a difference that is shown that it is also shown to be smaller than the margin."""
    return f" by <{margin_of(pair):g}" if is_equal(pair, of_method=of_method) else ""


def on_these_sets(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown of a difference on these test sets."""
    if pair.conclusion in SAME:
        return pair.conclusion
    if pair.verdict == "undecided":
        return "undecided"
    if pair.verdict == "significant":
        return comparative(metric, leads(pair, metric))
    return NOT_AFTER_HOLM if _is_shown_alone(pair, metric) else "not shown"


def for_new_sets(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown for new test sets: only where it is shown on these, too."""
    if pair.conclusion == NEW:
        return comparative(metric, leads(pair, metric))
    if pair.conclusion in SAME:
        return ""
    if pair.new_sets_verdict is None:
        return "not tested"
    alone = _is_shown_alone(pair, metric) and _rejects(pair.new_sets_p_value, metric)
    return NOT_AFTER_HOLM if alone else "not shown"


def for_method(pair: CampaignPair, metric: CampaignMetric) -> str:
    """Say in a word what is shown for the method on these test sets."""
    if pair.method_verdict is None:
        return "not tested"
    if pair.method_verdict == "significant" and pair.conclusion in (NEW, THESE):
        return comparative(metric, leads(pair, metric))
    alone = _is_shown_alone(pair, metric) and _rejects(pair.method_p_value, metric)
    return NOT_AFTER_HOLM if alone else "not shown"


def _is_shown_alone(pair: CampaignPair, metric: CampaignMetric) -> bool:
    """Tell whether a difference would be shown on these test sets if its p were not adjusted."""
    return pair.verdict == "significant" or (metric.family_size > 1 and _rejects(pair.p_high, metric))


def _rejects(p_value: float | None, metric: CampaignMetric) -> bool:
    """Tell whether a p that is not adjusted is at most 1 - level."""
    return p_value is not None and p_value <= 1 - metric.level + ROUNDING


def on_set(one: SetEstimate, metric: CampaignMetric) -> str:
    """Say in a word what is shown of a difference on one of the test sets."""
    if one.verdict == "significant":
        return comparative(metric, leads(one, metric))
    return "undecided" if one.verdict == "undecided" else "not shown"
