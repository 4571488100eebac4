"""What is said of units: how many there are, what they count as, and what is known of segments of one document."""

from __future__ import annotations

import math
from collections.abc import Iterable

from mtworkbench.outputs.checks.known_documents import name_text
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair, CampaignTestSet, SetEstimate
from mtworkbench.results.comparisons import Comparison, MetricComparison, PairEstimate
from mtworkbench.results.design_effects import count_larger
from mtworkbench.results.names_of_units import count_units, counts_for_fewer, say_effective
from mtworkbench.wording import tally
from mtworkbench.words.scopes import AnyComparison, scope_of

#: What to do where recognized documents are not those of the user.
GIVE_YOURS = "Document ids (--documents) would replace the recognized documents."
#: What becomes of a verdict if documents are known: above these shares of public ones with larger effects.
LIKELY_TO_FALL = {0.5: "would probably not hold", 0.1: "might not hold"}


def say_recognized(known: str, of: str = "") -> str:
    """Say that references, or those ``of`` some sets alone, were recognized, as ``wmt23 en-de``."""
    return f"The references{of} were recognized as {name_text(known)}, whose documents are known."


def describe_documents(known: str | None) -> list[str]:
    """Say that the units are recognized documents, and what to do if these are not the user's; nothing if not."""
    return [] if known is None else [f"{say_recognized(known)} {GIVE_YOURS}"]


def name_size(comparison: Comparison, scored: int | None = None) -> str:
    """Write the numbers of segments and of documents, if known; of units of unequal size also what they count as.

    ``scored`` is how many segments have scores, where the same ones have none under any system.
    """
    documents = "" if comparison.n_documents is None else f" in {tally(comparison.n_documents, 'document')}"
    missing = 0 if scored is None else comparison.n_segments - scored
    size = tally(comparison.n_segments, "segment")
    if missing:
        others = "the other has no score" if missing == 1 else f"the other {missing:,} have no scores"
        size = f"{scored:,} of {size} ({others})"
    size += documents
    fewest = min(comparison.metrics.values(), key=lambda metric: metric.n_effective_units)
    if not counts_for_fewer(fewest.n_units, fewest.n_effective_units):
        return size
    if comparison.unit == "document" and fewest.n_units == comparison.n_documents:
        return f"{size} ({say_effective(fewest.n_effective_units, in_strata=comparison.strata is not None)})"
    return f"{size} ({count_units_of(comparison, fewest)})"


def count_units_of(comparison: AnyComparison, counted: MetricComparison | CampaignTestSet) -> str:
    """Count the units of a comparison, or of one of its test sets."""
    unit = counted.unit if isinstance(counted, CampaignTestSet) else counted.settings.unit
    in_strata = comparison.strata is not None
    return count_units(unit, counted.n_units, counted.n_effective_units, in_strata=in_strata)


def describe_tipping_point(comparison: AnyComparison, *, single_sets: bool = False) -> Iterable[str]:
    """Say which design effect the weakest verdict tolerates, where segments of unknown documents are the units.

    It is rounded down to 0.1, or below 1.1 to 0.01, and compared with the design effects that were measured on test
    sets with known documents. Nothing is said where no difference is shown. Over several test sets, this is about the
    mean differences, and about the sets whose documents are unknown; or it is about differences on single sets.
    """
    # In the order of the tables, so that a difference has one sign.
    pairs = [(name, pair) for name, metric in comparison.metrics.items() for pair in metric.comparisons_from_best]
    judged: list[tuple[str, PairEstimate | CampaignPair | SetEstimate]] = [*pairs]
    if single_sets:
        judged = [(name, one) for name, pair in pairs if isinstance(pair, CampaignPair) for one in pair.sets]
    known = [(tolerated, *one) for one in judged if (tolerated := one[1].tolerated_design_effect) is not None]
    if known:
        tolerated, name, weakest = min(known, key=lambda one: one[0])
        asks = any(metric.asks_of_methods for metric in comparison.metrics.values())
        on = f" {scope_of(comparison).on}" if asks or isinstance(weakest, CampaignPair) else ""
        whose = f"{weakest.a} - {weakest.b}{f' by {name}' if len(comparison.metrics) > 1 else ''}"
        if isinstance(weakest, SetEstimate):
            on, whose = " on a single set", f"{whose} on {weakest.test_set}"
        which = f"weakest verdict{on}, {whose}," if len(judged) > 1 else f"verdict{on}"
        # One decimal would leave nothing below 1.1: 1 is what is assumed.
        digits = 1 if tolerated >= 1.1 else 2
        least = max(math.floor(round(10**digits * tolerated, 6)) / 10**digits, 1.01)
        larger = count_larger(least)
        follows = next(
            (f", so with documents it {said}" for most, said in LIKELY_TO_FALL.items() if larger.share > most), ""
        )
        there = ""
        if isinstance(comparison, CampaignComparison) and not isinstance(weakest, SetEstimate):
            there = " there" * any(one.unit != "segment" or one.n_documents for one in comparison.test_sets)
        share = f"{_name_share(1 - larger.share)} {larger.n_all:,} public comparisons"
        yield (
            f"The {which} holds up to a design effect of about {least:.{digits}f} (by which alike sentences multiply "
            f"the variance of the difference{there}); {share} have less{follows}."
        )


def _name_share(share: float) -> str:
    """Name a share of many: it is all or none only if it is exactly so."""
    if share in (0, 1):
        return "all" if share else "none of"
    return f"{'fewer than 1' if share < 0.01 else 'more than 99' if share > 0.99 else f'{100 * share:.0f}'} % of"
