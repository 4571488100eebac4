"""The headline of a comparison: at most five sentences that say what was found, what speaks against it, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mtworkbench.errors import name_some
from mtworkbench.inference.comparison_results import Comparison
from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.inference.units import name_units
from mtworkbench.tables.cells import in_percent, leads, listed
from mtworkbench.tables.metric_names import label_results
from mtworkbench.tables.sentences import USUAL_LEVEL, comparative, say_needed_trials
from mtworkbench.tables.sentences_on_doubts import (
    tell_agreement,
    tell_contradictions,
    tell_impossible,
    tell_unequal_spreads,
)
from mtworkbench.tables.sentences_on_equivalence import in_margin, is_equal, margin_of
from mtworkbench.tables.sentences_on_pairs import describe_pair_by_all
from mtworkbench.tables.sentences_on_runs import ASK_FOR_RUNS
from mtworkbench.tables.sentences_on_top import tell_top

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
MAX_SENTENCES = 5


def write_headline(comparison: Comparison) -> list[str]:
    """Say in at most five sentences what was found.

    One sentence per pair of systems names all metrics; of more than three pairs there are counts and the systems at
    the top. Then come metrics that contradict each other, tests that could show nothing, and one piece of advice.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    comparison = label_results(comparison)
    metrics = comparison.metrics
    first = next(iter(metrics.values()))
    if not any(metric.comparisons for metric in metrics.values()):
        return [f"There is one system, {first.systems[0].system}, so there is nothing to compare it with."]
    pairs = pairs_of(metrics)
    if len(pairs) > 1 and _all_undecided(comparison):
        sentences = [_undecided_sentence(comparison)]
    elif len(pairs) <= MAX_PAIRS:
        sentences = [describe_pair_by_all(comparison, *pair) for pair in pairs]
    else:
        sentences = [count_sentence(comparison, len(pairs)), *tell_top(metrics)]
    against = [*tell_contradictions(metrics), *tell_unequal_spreads(metrics), *tell_impossible(comparison)]
    if len(pairs) > MAX_PAIRS and not against:
        against = list(tell_agreement(metrics))
    sentences += [*against, *_advice(comparison)]
    return sentences[:MAX_SENTENCES]


def pairs_of(metrics: dict[str, MetricComparison]) -> list[tuple[str, str]]:
    """Return the pairs that are compared, each once: metrics may have their systems in different order."""
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for metric in metrics.values():
        for pair in metric.comparisons:
            pairs.setdefault(frozenset((pair.a, pair.b)), (pair.a, pair.b))
    return list(pairs.values())


def count_sentence(comparison: Comparison, n_pairs: int) -> str:
    """Count the conclusions under each metric."""
    clauses = [_count(comparison, name, metric) for name, metric in comparison.metrics.items() if metric.comparisons]
    others = f"the {n_pairs} other systems, compared with {comparison.baseline} on these outputs"
    counted = f"{n_pairs} pairs, on these outputs" if comparison.baseline is None else others
    level = "" if comparison.level == USUAL_LEVEL else f", at {in_percent(1 - comparison.level)}"
    return f"Of {counted}{level}: {'; '.join(clauses)}."


def _count(comparison: Comparison, name: str, metric: MetricComparison) -> str:
    pairs = metric.comparisons
    shown = [pair for pair in pairs if pair.verdict == "significant"]
    equal = [pair for pair in pairs if pair.conclusion == "not shown" and is_equal(pair, of_method=False)]
    not_shown = [pair for pair in pairs if pair.conclusion == "not shown" and pair not in equal]
    within = f" within {in_margin(pairs[0], metric)}" if margin_of(pairs[0]) is not None else ""
    open_ones = f"neither shown to differ nor to be equal{within}" if within else "not shown to differ"
    counts = [(len(equal), f"shown to be equal{within}"), (len(not_shown), open_ones)]
    counts += [(sum(pair.conclusion == said for pair in pairs), words) for said, words in _COUNTED.items()]
    if comparison.baseline is None:
        counts = [(len(shown), "shown to differ"), *counts]
    else:
        by_size = sorted(shown, key=lambda pair: -abs(pair.difference))
        winners = [pair.a for pair in by_size if leads(pair, metric)]
        first = f"shown to be {comparative(metric)} ({name_some(winners)})" if winners else ""
        other = f"shown to be {comparative(metric, False)}"
        counts = [(len(winners), first), (len(shown) - len(winners), other), *counts]
    said = f"by {name}, {listed([f'{_are(count)} {words}' for count, words in counts if count])}"
    if any(pair.method_verdict is not None for pair in pairs) and shown:
        also = sum(pair.conclusion == "shown for the method" for pair in pairs)
        said += f" (of these differences, {_are(also)} also shown for the method)"
    return said


_COUNTED = {
    "undecided": "undecided",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def _all_undecided(comparison: Comparison) -> bool:
    return all(pair.verdict == "undecided" for metric in comparison.metrics.values() for pair in metric.comparisons)


def _undecided_sentence(comparison: Comparison) -> str:
    pairs = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    size = in_percent(1 - comparison.level)
    said = f"All {len(pairs)} comparisons are undecided: p lies too close to {size} for {comparison.n_trials:,} trials"
    return said + say_needed_trials(pairs) + "."


def _advice(comparison: Comparison) -> Iterable[str]:
    """Give one piece of advice: two runs or more, or what would make the least settled difference more precise."""
    metric = next(metric for metric in comparison.metrics.values() if metric.comparisons)
    single = [system.system for system in metric.systems if system.runs < 2]
    if single and any(pair.conclusion not in ("copies", "identical scores") for pair in metric.comparisons):
        if metric.asks_of_methods:
            have = "has only one training run" if len(single) == 1 else "have only one training run each"
            yield f"{name_some(single)} {have}: to ask about the method, give at least two, preferably more."
        else:
            # Sentences on single pairs have said it.
            said = len(pairs_of(comparison.metrics)) <= MAX_PAIRS
            yield ASK_FOR_RUNS if said else f"The method was not tested: t{ASK_FOR_RUNS[1:]}"
        return
    open_pairs = [
        pair
        for pair in metric.comparisons
        if pair.method_variance is not None
        and pair.method_p_adjusted is not None
        and pair.method_verdict != "significant"
        and pair.conclusion not in ("copies", "identical scores")
    ]
    if not open_pairs:
        return
    pair = min(open_pairs, key=lambda one: one.method_p_adjusted)
    units = name_units(comparison.unit)
    help_more = {
        "units": f"doubling the {units} would help more than doubling the training runs",
        "runs": f"doubling the training runs would help more than doubling the {units}",
        "either": f"doubling the {units} and doubling the training runs would help about equally",
    }.get(where_to_spend(pair.method_variance))
    if help_more is not None:
        yield (
            f"For a more precise estimate of the {metric.name} difference between {pair.a} and {pair.b}, {help_more}."
        )
