"""The headline of a comparison: at most five sentences that say what was found, what speaks against it, what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import be, listed, name_some
from mtworkbench.words.cells import in_percent, leads
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import SAME, count_sets, name_df, pairs_of, pairs_that_differ, scope_of
from mtworkbench.words.sentences import USUAL_LEVEL, comparative, describe_needed_trials
from mtworkbench.words.sentences_on_doubts import (
    describe_agreement,
    describe_contradictions,
    describe_impossible,
    describe_unequal_spreads,
)
from mtworkbench.words.sentences_on_equivalence import in_margin, is_equal, margin_of
from mtworkbench.words.sentences_on_pairs import describe_pair_by_all
from mtworkbench.words.sentences_on_runs import ASK_FOR_RUNS
from mtworkbench.words.sentences_on_sets import describe_how_sets_differ
from mtworkbench.words.sentences_on_top import describe_tops

if TYPE_CHECKING:
    from mtworkbench.inference import Comparison
    from mtworkbench.words.scopes import AnyComparison, AnyMetric, AnyPair

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
MAX_SENTENCES = 5
# How a count of a conclusion is said, of pairs and of systems that are compared with a baseline.
_COUNTED = {
    "undecided": "undecided",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}


def describe_briefly(comparison: AnyComparison) -> list[str]:
    """Say in at most five sentences what was found.

    One sentence per pair of systems names all metrics; of more than three pairs there are counts and the systems at
    the top. Of one test set then come metrics that contradict each other, and tests that could show nothing; of several
    the sets on which the other system is better, how far the sets differ, and what few sets cannot show. Last comes one
    piece of advice.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    comparison = label_results(comparison)
    metrics = comparison.metrics
    pairs = pairs_of(metrics)
    if not pairs:
        names = [one.system for metric in metrics.values() for one in metric.systems]
        return [f"There is one system, {names[0]}, so there is nothing to compare it with."]
    sentences = _describe_found(comparison, pairs)
    if isinstance(comparison, CampaignComparison):
        sentences += describe_how_sets_differ(comparison, pairs, MAX_SENTENCES - len(sentences))
        sentences += _advise_on_sets(comparison, len(pairs))
    else:
        against = [*describe_contradictions(comparison.metrics), *describe_unequal_spreads(comparison.metrics)]
        against += describe_impossible(comparison)
        sentences += against or (describe_agreement(comparison.metrics) if len(pairs) > MAX_PAIRS else [])
        sentences += _advise(comparison, len(pairs))
    return sentences[:MAX_SENTENCES]


def _describe_found(comparison: AnyComparison, pairs: list[tuple[str, str]]) -> list[str]:
    """Say what was found of each pair, or count what was found of many."""
    found = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    if len(pairs) > 1 and all(pair.verdict == "undecided" for pair in found):
        size, trials = in_percent(1 - comparison.level), f"{comparison.n_trials:,} trials"
        undecided = f"All {len(found)} comparisons are undecided: p lies too close to {size} for {trials}"
        return [f"{undecided}{describe_needed_trials(found)}."]
    if len(pairs) <= MAX_PAIRS:
        return [describe_pair_by_all(comparison, *pair) for pair in pairs]
    return [count_sentence(comparison, len(pairs)), *describe_tops(comparison.metrics)]


def count_sentence(comparison: AnyComparison, n_pairs: int) -> str:
    """Count the conclusions under each metric, metrics with the same counts together."""
    where = f"over {count_sets(comparison)}" if isinstance(comparison, CampaignComparison) else "on these outputs"
    others = f"the {n_pairs} other systems, compared with {comparison.baseline} {where}"
    counted = f"{n_pairs} pairs, {where}" if comparison.baseline is None else others
    level = "" if comparison.level == USUAL_LEVEL else f", at {in_percent(1 - comparison.level)}"
    said: dict[str, list[str]] = {}
    for name, metric in comparison.metrics.items():
        if metric.comparisons:
            said.setdefault(_count(metric, comparison.baseline), []).append(name)
    clauses = "; ".join(f"by {listed(names)}, {counts}" for counts, names in said.items())
    df = name_df(pair for metric in comparison.metrics.values() for pair in metric.comparisons)
    return f"Of {counted}{level}: {clauses}{f' (test for new test sets: {df})' if df else ''}."


def _count(metric: AnyMetric, baseline: str | None) -> str:
    """Count the conclusions under one metric."""
    pairs, scope = metric.comparisons, scope_of(metric)
    shown = [pair for pair in pairs if pair.conclusion in scope.shown]
    counts: list[tuple[int, str]] = []
    for where, conclusions in scope.counted.items():
        counts += _count_shown([pair for pair in shown if pair.conclusion in conclusions], metric, baseline, where)
    equal = [pair for pair in pairs if pair.conclusion == "not shown" and is_equal(pair, of_method=False)]
    not_shown = [pair for pair in pairs if pair.conclusion == "not shown" and pair not in equal]
    within = f" within {in_margin(pairs[0], metric)}" if margin_of(pairs[0]) is not None else ""
    open_ones = f"neither shown to differ nor to be equal{within}" if within else "not shown to differ"
    counts += [(len(equal), f"shown to be equal{within}"), (len(not_shown), open_ones)]
    for words in dict.fromkeys(_COUNTED.values()):
        counts.append((sum(_COUNTED.get(pair.conclusion) == words for pair in pairs), words))
    said = listed(_name_count(count, len(pairs), words) for count, words in counts if count)
    if any(pair.method_verdict is not None for pair in pairs) and shown:
        also = sum(pair.method_verdict == "significant" for pair in shown)
        said += f" (of these differences, {also or 'none'} {be(max(also, 1))} also shown {scope.method})"
    return said


def _count_shown(shown: list[AnyPair], metric: AnyMetric, baseline: str | None, where: str) -> list[tuple[int, str]]:
    """Count the pairs that differ; with a baseline, the systems that are better, some by name, and those worse."""
    if baseline is None:
        return [(len(shown), f"shown to differ{where}")]
    by_size = sorted(shown, key=lambda pair: -abs(pair.difference))
    winners = [pair.a for pair in by_size if leads(pair, metric)]
    named = f" ({name_some(winners)})" if 0 < len(winners) < len(metric.comparisons) else ""
    better, worse = (f"shown to be {comparative(metric, first)}{where}" for first in (True, False))
    return [(len(winners), better + named), (len(shown) - len(winners), worse)]


def _name_count(count: int, n_pairs: int, words: str) -> str:
    if count < n_pairs:
        return f"{count} {be(count)} {words}"
    for negated in ("not ", "neither "):
        if words.startswith(negated):
            return f"none is {words.removeprefix(negated).replace(' nor ', ' or ')}"
    return f"all are {words}"


def _advise_on_sets(comparison: CampaignComparison, n_pairs: int) -> Iterable[str]:
    """Ask for two runs or more, where something could be shown for the method."""
    metrics = comparison.metrics.values()
    differ = any(pairs_that_differ(metric.comparisons) for metric in metrics)
    if differ and not any(metric.asks_of_methods for metric in metrics):
        yield _ask_for_runs(n_pairs)


def _advise(comparison: Comparison, n_pairs: int) -> Iterable[str]:
    """Give one piece of advice: two runs or more, or what would make the least settled difference more precise."""
    metric = next(metric for metric in comparison.metrics.values() if metric.comparisons)
    single = [system.system for system in metric.systems if system.runs < 2]
    if single and pairs_that_differ(metric.comparisons):
        if metric.asks_of_methods:
            have = "has only one training run" if len(single) == 1 else "have only one training run each"
            yield f"{name_some(single)} {have}: to ask about the method, give at least two, preferably more."
        else:
            yield _ask_for_runs(n_pairs)
        return
    open_pairs = [
        (pair.method_p_adjusted, place)
        for place, pair in enumerate(metric.comparisons)
        if pair.method_variance is not None
        and pair.method_p_adjusted is not None
        and pair.method_verdict != "significant"
        and pair.conclusion not in SAME
    ]
    if not open_pairs:
        return
    pair = metric.comparisons[min(open_pairs)[1]]
    variance = pair.method_variance
    units = name_units(comparison.unit)
    help_more = {
        "units": f"doubling the {units} would help more than doubling the training runs",
        "runs": f"doubling the training runs would help more than doubling the {units}",
        "either": f"doubling the {units} and doubling the training runs would help about equally",
    }.get("" if variance is None else where_to_spend(variance))
    if help_more is not None:
        yield (
            f"For a more precise estimate of the {metric.name} difference between {pair.a} and {pair.b}, {help_more}."
        )


def _ask_for_runs(n_pairs: int) -> str:
    """Ask for more runs; sentences on single pairs have said that the method was not tested."""
    return ASK_FOR_RUNS if n_pairs <= MAX_PAIRS else f"The method was not tested: t{ASK_FOR_RUNS[1:]}"
