"""What differs between the sentences about one test set and those about several: the phrases, chosen in one place.

Both ask first whether a difference is shown on what was compared, then whether it is shown for more than that: for the
method, if there is one test set; for new test sets like these, if there are several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.results.names_of_units import BLOCKS
from mtworkbench.results.settings import RESAMPLED_INTERVALS
from mtworkbench.wording import grouped, listed, tally

#: What metrics, by their names, find of one pair.
Found: TypeAlias = Sequence[tuple[str, AnyMetric, AnyPair]]

#: The conclusions on several test sets.
NEW, THESE = "shown for new test sets", "shown on these test sets only"
#: What a view says of a pair of which no difference is shown, by the conclusion.
NOTHING_SHOWN = {
    "copies": "the systems are copies of each other",
    "identical scores": "the scores are identical in every segment",
    "undecided": "undecided",
    "not shown": "no difference is shown",
}
#: What is said of two systems that no metric can tell apart, by the conclusion.
SAME = {
    "copies": "they are copies of each other, with the same statistics in every segment",
    "identical scores": "their scores are identical in every segment",
}
#: How readers call the ways to adjust p for the number of comparisons.
ADJUSTMENTS = {"holm": "Holm", "max-t": "max-T"}


@dataclass(frozen=True)
class Scope:
    """How sentences call what was compared, and what else a difference may be shown for.

    Parameters
    ----------
    on : str
        What a difference is shown for first: ``on these outputs``.
    what : str
        ``these outputs``: what is exchanged.
    data : str
        ``this test set``: what could show a difference.
    new_runs : str
        What "the method" means, where only that is defined.
    meanings : mapping of str to str
        What each claim means, where it is first mentioned.
    shown : mapping of str to str
        Where a difference is shown, by the conclusions that show one.
    counted : mapping of str to tuple of str
        The same as counts have it, with the conclusions that are counted together.
    """

    on: str
    what: str
    data: str
    new_runs: str
    meanings: Mapping[str, str]
    shown: Mapping[str, str]
    counted: Mapping[str, tuple[str, ...]]


ONE_SET = Scope(
    on="on these outputs",
    what="these outputs",
    data="this test set",
    new_runs="new training or tuning runs",
    meanings={},  # there is one claim
    shown={"shown on these outputs; new runs unknown": "on these outputs"},
    counted={"": ("shown on these outputs; new runs unknown",)},
)
#: Where the method is tested, too: readers take "these outputs" for these sentences, and the claim is about others.
RUNS = replace(
    ONE_SET,
    on="for these runs",
    what="these runs",
    meanings={"for these runs": "new sentences", "for the method": "new runs, new sentences"},
    shown={
        "shown for the method": "for these runs and for the method",
        "shown on these outputs only": "for these runs, but not for the method",
        "shown on these outputs; new runs unknown": "for these runs",
    },
    counted={"": ("shown for the method", "shown on these outputs only", "shown on these outputs; new runs unknown")},
)
SEVERAL_SETS = Scope(
    on="for these test sets",
    what="these test sets",
    data="these test sets",
    new_runs="new training or tuning runs on these test sets",
    meanings={
        "for these test sets": "new sentences like theirs",
        "for new test sets": "other sets like these",
        "for the method": "new training or tuning runs on these test sets",
    },
    shown={NEW: "for new test sets like these", THESE: "for these test sets, but not shown for new ones"},
    counted={" for new test sets like these": (NEW,), " for these test sets only": (THESE,)},
)


@dataclass(frozen=True)
class Question:
    """What differences are tested for.

    Parameters
    ----------
    fields : str
        How the fields of a pair begin that answer it.
    """

    fields: str

    def answer(self, pair: AnyPair, field: str) -> Any:
        """Return a field of a pair: its p, for example."""
        return getattr(pair, self.fields + field)

    @property
    def of_method(self) -> bool:
        """Whether it is about new training runs."""
        return self is METHOD


#: On these outputs, or for these test sets; for the method; for new test sets.
OUTPUTS, METHOD, NEW_SETS = Question(""), Question("method_"), Question("new_sets_")
#: For new training runs on new test sets.
NEW_RUNS_AND_SETS = Question("new_runs_and_sets_")
#: All, from the nearest to the furthest.
QUESTIONS = (OUTPUTS, NEW_SETS, METHOD, NEW_RUNS_AND_SETS)


def scope_of(result: AnyComparison | AnyMetric) -> Scope:
    """Choose the phrases for a result, or for one metric of it."""
    if isinstance(result, (CampaignComparison, CampaignMetric)):
        return SEVERAL_SETS
    metrics = [result] if isinstance(result, MetricComparison) else result.metrics.values()
    return RUNS if any(metric.asks_of_methods for metric in metrics) else ONE_SET


def name_claim(metric: AnyMetric, question: Question) -> str:
    """Name what differences are tested for."""
    return {OUTPUTS: scope_of(metric).on, METHOD: "for the method", NEW_SETS: "for new test sets"}.get(
        question, "for new runs on new sets"
    )


def questions_of(metric: AnyMetric) -> list[Question]:
    """Return what the differences of a metric are tested for, the question first that the verdicts are about."""
    method = [METHOD] if metric.asks_of_methods else []
    both = [NEW_RUNS_AND_SETS] if asks_of_both(metric) else []
    return [NEW_SETS, OUTPUTS, *method, *both] if isinstance(metric, CampaignMetric) else [*method, OUTPUTS]


def claims_shown(conclusion: str) -> list[str]:
    """Return the claims that a conclusion shows: of both, first that on what was compared."""
    return {
        "shown for the method": [RUNS.on, "for the method"],
        "shown on these outputs only": [RUNS.on],
        "shown on these outputs; new runs unknown": [ONE_SET.on],
        NEW: [SEVERAL_SETS.on, "for new ones"],
        THESE: [SEVERAL_SETS.on],
    }.get(conclusion, [])


def claim_open(conclusion: str) -> str:
    """Return the claim that a conclusion tested and does not show, beside one that it shows; empty if there is none."""
    return {"shown on these outputs only": "for the method", THESE: "for new ones"}.get(conclusion, "")


def scores_of(metrics: Iterable[AnyMetric]) -> list[tuple[str, float]]:
    """Return the scores of all systems under these metrics."""
    return [(one.system, one.score) for metric in metrics for one in metric.systems]


def count_sets(comparison: CampaignComparison) -> str:
    """Write the number of test sets."""
    return tally(len(comparison.test_sets), "test set")


def units_of(comparison: AnyComparison) -> str:
    """Name what is resampled: "document", "document within strata of domain", or what it is within each test set."""
    if isinstance(comparison, Comparison):
        return comparison.unit + ("" if comparison.strata is None else f" within strata of {comparison.strata}")
    units = list(dict.fromkeys(one.unit for one in comparison.test_sets))
    lengths = sorted(int(found[1]) for one in units if (found := BLOCKS.fullmatch(one)))
    if len(lengths) > 1:
        units = [*(one for one in units if not BLOCKS.fullmatch(one)), f"block of {lengths[0]} to {lengths[-1]}"]
    return listed(units, "or") + (", depending on the test set" if len(units) > 1 or len(lengths) > 1 else "")


def name_exchanged(comparison: AnyComparison) -> str:
    """Say what is exchanged: "document", or "document and run"."""
    units = comparison.unit if isinstance(comparison, Comparison) else units_of(comparison)
    return units + (" and run" if comparison.exchange == "run" else "")


def within_sets(comparison: AnyComparison) -> str:
    """Say of several test sets that draws are made within each."""
    return "" if isinstance(comparison, Comparison) else ", within each test set"


def name_intervals(comparison: AnyComparison) -> str:
    """Name the method of the intervals, and what is resampled."""
    method = comparison.interval
    method = "delete-one jackknife" if method == "jackknife" else f"{RESAMPLED_INTERVALS[method]} bootstrap"
    return f"{method} by {units_of(comparison)}{within_sets(comparison)}"


def name_df(pairs: Iterable[AnyPair]) -> str:
    """Say the degrees of freedom of the test for new sets; empty where there are none."""
    known = {pair.new_sets_df for pair in pairs if isinstance(pair, CampaignPair) and pair.new_sets_df is not None}
    if len(known) != 1:
        return ""
    df = known.pop()
    return f"{df:g} degree{'' if df == 1 else 's'} of freedom"


def define_claims(sentences: Iterable[str], meanings: Mapping[str, str]) -> list[str]:
    """Say what each claim means where it is first mentioned: ``for the method (new training or tuning runs, ...)``.

    What follows a claim in brackets goes on after its meaning. New test sets "like these" are defined by that.
    """
    said = list(sentences)
    for claim, meaning in meanings.items():
        mention = re.compile(rf"\b([{claim[0]}{claim[0].upper()}]{claim[1:]}(?: only)?)(?! like these)( \()?")
        place = next((place for place, one in enumerate(said) if claim in one.lower()), None)
        found = None if place is None else mention.search(said[place])
        if place is not None and found is not None:
            before, after = said[place][: found.end(1)], said[place][found.end() :]
            said[place] = f"{before} ({meaning}{'; ' if found[2] else ')'}{after}"
    return said


def define_method(sentences: Iterable[str], scope: Scope) -> list[str]:
    """Say what the method is where it is first mentioned, and nothing of other claims."""
    return define_claims(sentences, {"for the method": scope.new_runs})


def pairs_of_all(metrics: Iterable[AnyMetric]) -> list[AnyPair]:
    """Return the comparisons under all metrics, in the order given."""
    return [pair for metric in metrics for pair in metric.comparisons]


def pairs_from_best(comparison: AnyComparison) -> list[tuple[str, str]]:
    """Return the systems of each pair as tables and figures have them: the first is the one whose sign it is."""
    return pairs_of(pair for metric in comparison.metrics.values() for pair in metric.comparisons_from_best)


def pairs_of(pairs: Iterable[AnyPair]) -> list[tuple[str, str]]:
    """Return the systems of each pair once, as they are first named: metrics may have them in different order."""
    return [names[0] for names in grouped((frozenset((one.a, one.b)), (one.a, one.b)) for one in pairs).values()]


def count_methods(metrics: Iterable[AnyMetric]) -> str:
    """Say for how many comparisons the p for the method is adjusted, where those are fewer; ends a sentence."""
    asked = [metric for metric in metrics if metric.asks_of_methods]
    if all(metric.method_family_size == metric.family_size for metric in asked):
        return ""
    counts = sorted({metric.method_family_size for metric in asked})
    if counts == [1]:
        return "; for the method there is one, which is not adjusted"
    return f"; for the method there are {listed(map(str, counts))}"


def name_others(metrics: Iterable[AnyMetric], *, adjusted: bool = False) -> str:
    """Name what differences are tested for besides what was compared, or only that whose p is adjusted; or nothing."""
    metrics = list(metrics)
    new = ["new test sets"] if any(isinstance(metric, CampaignMetric) for metric in metrics) else []
    asked = [one for one in metrics if one.asks_of_methods and (not adjusted or one.method_family_size > 1)]
    method = ["the method"] if asked else []
    both = ["new runs on new sets"] if any(map(asks_of_both, metrics)) else []
    return listed([*new, *method, *both]) if new or method else ""


def asks_of_both(metric: AnyMetric) -> bool:
    """Tell whether differences are tested for new runs on new test sets."""
    pairs = metric.comparisons
    return any(isinstance(one, CampaignPair) and one.new_runs_and_sets_verdict is not None for one in pairs)


def find_pair(metrics: Mapping[str, AnyMetric], a: str, b: str) -> Found:
    """Return what each metric finds of one pair, turned so that a comes first."""
    return [
        (name, metric, pair if pair.a == a else pair.turned())
        for name, metric in metrics.items()
        for pair in metric.comparisons
        if {pair.a, pair.b} == {a, b}
    ]


def name_adjusted(adjust: str) -> str:
    """Name a p by how it was adjusted for the number of comparisons: ``p (Holm)`` or ``p (max-T)``."""
    return f"p ({ADJUSTMENTS[adjust]})"


def adjustment_of(metric: AnyMetric, *, of_method: bool = False) -> str:
    """Return how p was adjusted; that of the method is always Holm's."""
    return "max-t" if metric.settings.adjust == "max-t" and not of_method else "holm"


def is_of_exchanges(result: AnyMetric | AnyComparison) -> bool:
    """Tell whether the intervals of differences come from the exchanges that give p, and agree with the verdicts."""
    return result.settings.interval_of_differences == "exchanges"
