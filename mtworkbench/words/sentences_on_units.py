"""What is said of units: how many there are, what they count as, and what is known of segments of one document."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from mtworkbench.outputs.checks.known_documents import name_text
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair, CampaignTestSet, SetEstimate
from mtworkbench.results.comparisons import AnyComparison, AnyPair, Comparison, MetricComparison
from mtworkbench.results.design_effects import count_larger
from mtworkbench.results.names_of_units import count_units, counts_for_fewer, say_effective
from mtworkbench.wording import begin, tally
from mtworkbench.words.scopes import METHOD, OUTPUTS, Question, name_claim, questions_of

#: What to do where recognized documents are not those of the user.
GIVE_YOURS = "If yours are others, give their ids (--documents)."
#: What becomes of a verdict if sentences are alike: above these shares of public design effects that are larger.
LIKELY_TO_FALL = {0.5: "would then probably not hold", 0.1: "might then not hold"}
#: A smaller design effect is only said to be smaller.
LEAST = 1.1


class Tipping(NamedTuple):
    """How much the weakest verdict tolerates, for sentences.

    Parameters
    ----------
    which : str
        ``the weakest verdict, new - base by BLEU,``.
    falls : str
        ``would then probably not hold``; empty where that is not likely.
    holds : str
        ``holds if the design effect ... is at most 1.4 ...``, without a full stop.
    """

    which: str
    falls: str
    holds: str


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


def find_tipping_point(comparison: AnyComparison, *, single_sets: bool = False) -> Tipping | None:
    """Find which design effect the weakest verdict tolerates, where segments of unknown or few documents are the units.

    It is rounded down, and compared with the design effects that were measured on test sets with known documents. None
    where no difference is shown. Over several test sets, this is about the mean differences, and about the sets whose
    documents are unknown or few; or it is about differences on single sets.
    """
    # In the order of the tables, so that a difference has one sign.
    pairs = [(name, pair) for name, metric in comparison.metrics.items() for pair in metric.comparisons_from_best]
    judged: list[tuple[float | None, str, AnyPair | SetEstimate, Question]] = [
        (question.answer(pair, "tolerated_design_effect"), name, pair, question)
        for question in (OUTPUTS, METHOD)
        for name, pair in pairs
    ]
    if single_sets:
        on_sets = [(name, one) for name, pair in pairs if isinstance(pair, CampaignPair) for one in pair.sets]
        judged = [(one.tolerated_design_effect, name, one, OUTPUTS) for name, one in on_sets]
    known = [(tolerated, name, one, asked) for tolerated, name, one, asked in judged if tolerated is not None]
    if not known:
        return None
    tolerated, name, weakest, question = min(known, key=lambda one: one[0])
    metric, of_what = comparison.metrics[name], "the variance of the difference"
    on = f" {name_claim(metric, question)}" * (len(questions_of(metric)) > 1)
    if isinstance(weakest, SetEstimate):
        on = f" on {weakest.test_set}"
    elif isinstance(comparison, CampaignComparison):
        of_segments = [one.name for one in comparison.test_sets if one.unit == "segment"]
        if len(of_segments) < len(comparison.test_sets):
            which = of_segments[0] if len(of_segments) == 1 else "such sets"
            of_what = f"the part of the variance that comes from {which}"
    whose = f"{weakest.a} - {weakest.b}{f' by {name}' * (len(comparison.metrics) > 1)}{on}"
    several = single_sets or len(pairs) > 1
    size = round_down(tolerated)
    larger = count_larger(max(size, LEAST))
    most = f"at most {size:g}" if size >= LEAST else f"below {LEAST:g}"
    return Tipping(
        f"the weakest verdict{' on a single set' * single_sets}, {whose}," if several else f"the verdict{on}",
        next((said for most, said in LIKELY_TO_FALL.items() if larger.share > most), ""),
        f"holds if the design effect (the factor by which alike sentences multiply {of_what}) is {most}, as it was for "
        f"{_name_share(1 - larger.share)} on {tally(larger.n_sets, 'public test set')} outside this comparison",
    )


def round_down(design_effect: float) -> float:
    """Round a tolerated design effect down: 2.4, 3.5, 45, 100. Simulation leaves some 4 % of it uncertain."""
    of_two_digits = 10.0 ** (1 - math.floor(math.log10(design_effect)))
    steps = 10 if design_effect < 3 else 2 if design_effect < 10 else of_two_digits  # per unit
    return math.floor(round(steps * design_effect, 6)) / steps


def describe_tipping_point(comparison: CampaignComparison) -> Iterator[str]:
    """Say which design effect the weakest verdict on a single set tolerates; nothing where there is none."""
    if found := find_tipping_point(comparison, single_sets=True):
        first = f"{found.which} {found.falls}: it" if found.falls else found.which
        yield f"{begin(first)} {found.holds}."


def _name_share(share: float) -> str:
    """Name a share of many: it is all or none only if it is exactly so."""
    if share in (0, 1):
        return "all differences" if share else "no difference"
    percent = "fewer than 1" if share < 0.01 else "more than 99" if share > 0.99 else f"{100 * share:.0f}"
    return f"{percent} % of the differences"
