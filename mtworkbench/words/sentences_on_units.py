"""What is said of units: how many count, in how many of them systems differ, and what is taken for independent."""

from __future__ import annotations

from collections.abc import Iterable

from mtworkbench.inference.units import MIN_DIFFERING, MIN_DOCUMENTS, MIN_EFFECTIVE, RARE, differ_rarely
from mtworkbench.results.campaigns import CampaignComparison, CampaignTestSet
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.names_of_units import count_units, counts_for_fewer, name_units, say_effective
from mtworkbench.wording import NAMED, listed, name_some, tally
from mtworkbench.words.cells import in_percent
from mtworkbench.words.document import say_once
from mtworkbench.words.scopes import AnyComparison, AnyMetric

#: What is said where nothing tells which sentences belong together.
UNKNOWN_DOCUMENTS = (
    "The documents are not known, so segments are treated as independent: where the sentences of one document are "
    "alike, p is then too small and the intervals are too short. Give document ids, or use blocks of segments as units."
)


def name_size(comparison: Comparison) -> str:
    """Write the numbers of segments and of documents, if known; of units of unequal size also what they count as."""
    documents = "" if comparison.n_documents is None else f" in {tally(comparison.n_documents, 'document')}"
    size = f"{tally(comparison.n_segments, 'segment')}{documents}"
    fewest = min(comparison.metrics.values(), key=lambda metric: metric.n_effective_units)
    if not counts_for_fewer(fewest.n_units, fewest.n_effective_units):
        return size
    if comparison.unit == "document" and fewest.n_units == comparison.n_documents:
        return f"{size} ({say_effective(fewest.n_effective_units, in_strata=comparison.strata is not None)})"
    return f"{size} ({_count(comparison, fewest)})"


def _count(comparison: AnyComparison, counted: MetricComparison | CampaignTestSet) -> str:
    """Count the units of a comparison, or of one of its test sets."""
    unit = counted.unit if isinstance(counted, CampaignTestSet) else counted.settings.unit
    in_strata = comparison.strata is not None
    return count_units(unit, counted.n_units, counted.n_effective_units, in_strata=in_strata)


def describe_units(comparison: AnyComparison) -> list[str]:
    """Say where units count for fewer, and where systems differ in few of them: each once for all metrics."""
    differing = {key: describe_differing(metric) for key, metric in comparison.metrics.items()}
    return [*describe_few_effective(comparison), *say_once(differing)]


def describe_few_effective(comparison: AnyComparison) -> Iterable[str]:
    """Say where units of unequal size count for so few that the intervals of scores are too short.

    Of several test sets, all are counted whose units count for noticeably fewer; headings have this of one test set.
    """
    too_short = "too short: they cover the true score less often than their level says"
    if isinstance(comparison, Comparison):
        fewest = min(comparison.metrics.values(), key=lambda metric: metric.n_effective_units)
        if _are_few(comparison, fewest):
            yield f"With {_count(comparison, fewest)}, CIs of scores are {too_short}."
        return
    uneven = [one for one in comparison.test_sets if counts_for_fewer(one.n_units, one.n_effective_units)]
    if uneven:
        counted = [f"{one.name} has {_count(comparison, one)}" for one in uneven]
        if len(counted) > NAMED:
            counted[NAMED - 1 :] = [f"and so on for {len(counted) - NAMED + 1} more"]
        yield f"Units of unequal size count for fewer: {'; '.join(counted)}."
    few = [one.name for one in uneven if _are_few(comparison, one)]
    if few:
        yield f"With so few units of equal size, CIs of scores on {name_some(few)} are {too_short}."


def _are_few(comparison: AnyComparison, counted: MetricComparison | CampaignTestSet) -> bool:
    """Tell whether the effective number is too small because of unequal sizes; strata lower it for another reason."""
    uneven = counts_for_fewer(counted.n_units, counted.n_effective_units)
    return uneven and comparison.strata is None and counted.n_effective_units < MIN_EFFECTIVE


def describe_differing(metric: AnyMetric) -> Iterable[str]:
    """Say in how many units systems differ, where these are few of them, and what too few of them mean for the CI."""
    rarely = [pair for pair in metric.comparisons if differ_rarely(pair.units_differing, pair.n_units)]
    if not rarely:
        return
    least = min(rarely, key=lambda pair: pair.units_differing / pair.n_units)
    who = "The systems" if len(metric.comparisons) == 1 else f"{least.a} and {least.b}"
    counted = f"{least.units_differing:,} of {least.n_units:,} {name_units(least.unit, least.n_units)}"
    others = ""
    if len(rarely) > 1:
        n_others = len(rarely) - 1
        others = f"; {tally(n_others, 'other pair')} {'differs' if n_others == 1 else 'differ'} in at most "
        others += f"{in_percent(RARE)} of them"
    few = f" With fewer than {MIN_DIFFERING}, the CI of a difference is too short: go by p."
    yield f"{who} differ in {counted}{others}.{few * (least.units_differing < MIN_DIFFERING)}"


def describe_few_documents(comparison: AnyComparison, least: int = 1) -> Iterable[str]:
    """Say what verdicts by segment assume where documents are known, but too few to be units.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
    least : int
        Test sets with fewer documents are not spoken of.
    """
    few = range(least, MIN_DOCUMENTS)
    if isinstance(comparison, CampaignComparison):
        names = [one.name for one in comparison.test_sets if one.unit == "segment" and one.n_documents in few]
        yield from _treat_as_independent(comparison, names, "there are too few documents")
    elif comparison.unit == "segment" and (n_documents := comparison.n_documents or 0) in few:
        yield (
            f"With only {tally(n_documents, 'document')}, segments are treated as independent: where the "
            "sentences of one document are alike, p is then too small and the intervals are too short."
        )


def describe_known_documents(comparison: AnyComparison) -> Iterable[str]:
    """Say that the documents that units are were recognized, and as whose."""
    if (known := comparison.settings.known_documents) is not None:
        yield f"Documents were recognized by the references: {known}."


def describe_units_of_sets(comparison: CampaignComparison) -> Iterable[str]:
    """Say which sets treat segments as independent because documents are not known or too few, and which blocks."""
    unknown = [one.name for one in comparison.test_sets if one.unit == "segment" and one.n_documents is None]
    yield from _treat_as_independent(comparison, unknown, "the documents are not known")
    yield from describe_few_documents(comparison)
    blocks = dict.fromkeys(one.unit for one in comparison.test_sets if one.unit.startswith("block of "))
    if blocks:
        yield f"Units are {listed([name_units(one) for one in blocks], 'or')} consecutive segments."


def _treat_as_independent(comparison: CampaignComparison, names: list[str], why: str) -> Iterable[str]:
    if names:
        whose = "" if len(names) == len(comparison.test_sets) else f" of {name_some(names)}"
        yield (
            f"Segments{whose} are treated as independent, because {why}: where the sentences of one document are "
            "alike, p on these test sets is then too small, and the spread too large. CI and p for new test sets do "
            "not depend on this."
        )
