"""What is said of units: how many there are, and what they count as."""

from __future__ import annotations

from mtworkbench.results.campaigns import CampaignTestSet
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.names_of_units import count_units, counts_for_fewer, say_effective
from mtworkbench.wording import tally
from mtworkbench.words.scopes import AnyComparison


def name_size(comparison: Comparison) -> str:
    """Write the numbers of segments and of documents, if known; of units of unequal size also what they count as."""
    documents = "" if comparison.n_documents is None else f" in {tally(comparison.n_documents, 'document')}"
    size = f"{tally(comparison.n_segments, 'segment')}{documents}"
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
