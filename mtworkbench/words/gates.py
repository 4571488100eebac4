"""What a script may ask of the verdicts of a comparison, such as whether any system is worse than the baseline."""

from __future__ import annotations

from mtworkbench.wording import be, grouped, listed, name_some
from mtworkbench.words.cells import leads
from mtworkbench.words.scopes import RUNS, SAME, AnyComparison, AnyMetric, AnyPair, is_shown, scope_of
from mtworkbench.words.sentences_on_equivalence import in_margin, is_equal

#: What a system does that fails, by the name of the condition.
CONDITIONS = {
    "worse": "shown to be worse than",
    "not-better": "not shown to be better than",
    "not-equal": "not shown to be equal to",
}


def describe_failures(comparison: AnyComparison, condition: str) -> str:
    """Say which systems fail a condition against the baseline, by which metrics, and of which claim; empty where none.

    A system is judged for the method where that was tested on one test set, else on what was compared.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
        With a baseline, and under metrics that have what the condition needs: a direction or, for ``not-equal``, a
        margin.
    condition : {"worse", "not-better", "not-equal"}
    """
    claims: list[tuple[str, str]] = []
    for name, metric in comparison.metrics.items():
        failed = [pair for pair in metric.comparisons if _fails(pair, metric, condition)]
        by = f"within {in_margin(failed[0], metric)}" if failed and condition == "not-equal" else f"by {name}"
        for where, pairs in grouped((_claim_of(pair, metric), pair) for pair in failed).items():
            systems = f"{name_some([pair.a for pair in pairs])} {be(len(pairs))}"
            claims.append((f"{where}, {systems} {CONDITIONS[condition]} {pairs[0].b}", by))
    joint = "or" if condition.startswith("not") else "and"
    return "; ".join(f"{claim} {listed(metrics, joint)}" for claim, metrics in grouped(claims).items())


def _claim_of(pair: AnyPair, metric: AnyMetric) -> str:
    """Name the claim that comes first: for the method, or on what was compared."""
    return "for the method" if _is_of_method(pair, metric) else scope_of(metric).on


def _is_of_method(pair: AnyPair, metric: AnyMetric) -> bool:
    return scope_of(metric) is RUNS and pair.method_verdict is not None


def _fails(pair: AnyPair, metric: AnyMetric, condition: str) -> bool:
    """Tell whether a pair fails: identical scores are equal, and what is undecided is not shown."""
    of_method = _is_of_method(pair, metric)
    if condition == "not-equal":
        return pair.conclusion not in SAME and not is_equal(pair, of_method=of_method)
    shown, better = is_shown(pair, of_method=of_method), leads(pair, metric)
    return shown and not better if condition == "worse" else not (shown and better)
