"""The headline of a comparison: what was found, in at most five sentences, and what that rests on."""

from __future__ import annotations

from collections.abc import Iterable

from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import be, begin, count_of, grouped, listed, name_some
from mtworkbench.words.cells import USUAL_LEVEL, in_percent, leads, say_undecided
from mtworkbench.words.concerns import say_after, say_before
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import (
    SAME,
    AnyComparison,
    AnyMetric,
    AnyPair,
    count_sets,
    define_claims,
    pairs_from_best,
    pairs_of_all,
    scope_of,
)
from mtworkbench.words.sentences import comparative, describe_pair_by_all
from mtworkbench.words.sentences_on_doubts import (
    describe_agreement,
    describe_contradictions,
    describe_how_sets_differ,
    describe_impossible,
    describe_lengths,
)
from mtworkbench.words.sentences_on_equivalence import (
    describe_equality,
    in_margin,
    is_equal,
    margin_of,
)
from mtworkbench.words.sentences_on_runs import ADVICE
from mtworkbench.words.sentences_on_top import describe_tops

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
#: Of what was found; what that rests on comes in addition.
MAX_SENTENCES = 5
#: So many that are undecided are named.
MOST_UNDECIDED = 2
# How a count of a conclusion is said, of pairs and of systems that are compared with a baseline.
_COUNTED = {
    "undecided": "undecided",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}


def describe_briefly(
    comparison: AnyComparison | MetricComparison, *, options: bool = False, define: bool = False
) -> list[str]:
    """Say what is wrong with the data, if that is grave; in at most five sentences what was found; what it rests on.

    One sentence per pair of systems names all metrics; of more than three pairs there are counts and the systems at
    the top. Of one test set then come metrics that contradict each other, tests that could show nothing, and what would
    make a difference for the method more precise; of several the sets on which the other system is better, and how far
    the sets differ. Last come other doubts and the assumptions that matter, each with advice.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison
    options : bool
        Whether each doubt ends with its code and what the options of a command can do about it: in a terminal.
    define : bool
        Whether each claim is defined where a sentence on what was found first mentions it.

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    if isinstance(comparison, MetricComparison):
        comparison = comparison.alone
    concerns = comparison.concerns
    found = describe_findings(comparison)
    found = define_claims(found, scope_of(comparison).meanings) if define else found
    return [*say_before(concerns, options=options), *found, *say_after(concerns, options=options)]


def describe_findings(comparison: AnyComparison) -> list[str]:
    """Say in at most five sentences what was found; then, of many pairs, which are equal within a margin."""
    comparison = label_results(comparison)
    metrics = comparison.metrics
    pairs = pairs_from_best(comparison)
    if not pairs:
        names = [one.system for metric in metrics.values() for one in metric.systems]
        return [f"There is one system, {names[0]}, so there is nothing to compare it with."]
    sentences = [*_describe_found(comparison, pairs), *describe_lengths(comparison, MAX_PAIRS)]
    if isinstance(comparison, CampaignComparison):
        sentences += describe_how_sets_differ(comparison, pairs)
    else:
        against = [*describe_contradictions(metrics), *describe_impossible(comparison)]
        sentences += against or (describe_agreement(comparison) if len(pairs) > MAX_PAIRS else [])
        sentences += _advise(comparison)
    asked = comparison.baseline is None and len(pairs) > MAX_PAIRS  # else the sentence or the table of pairs has it
    return [*sentences[:MAX_SENTENCES], *(describe_equality(metrics.values()) if asked else [])]


def _describe_found(comparison: AnyComparison, pairs: list[tuple[str, str]]) -> list[str]:
    """Say what was found of each pair, or count what was found of many."""
    found = pairs_of_all(comparison.metrics.values())
    plain = all(margin_of(pair) is None and pair.method_verdict is None for pair in found)
    if len(pairs) > 1 and plain and all(pair.verdict == "undecided" for pair in found):
        compared = begin(count_of(len(found), len(found), "comparison"))
        why = listed(dict.fromkeys(map(say_undecided, comparison.metrics.values())))
        return [f"{compared} {scope_of(comparison).on} are undecided, because {why}."]
    if len(pairs) <= MAX_PAIRS:
        return [describe_pair_by_all(comparison, *pair) for pair in pairs]
    return [count_sentence(comparison, len(pairs)), *describe_tops(comparison.metrics)]


def count_sentence(comparison: AnyComparison, n_pairs: int) -> str:
    """Count the conclusions under each metric, metrics with the same counts together."""
    where = (
        f"on the mean of {count_sets(comparison)}" if isinstance(comparison, CampaignComparison) else "on these outputs"
    )
    others = f"the {n_pairs} other systems, compared with {comparison.baseline} {where}"
    counted = f"{n_pairs} pairs compared {where}" if comparison.baseline is None else others
    level = "" if comparison.level == USUAL_LEVEL else f" at {in_percent(1 - comparison.level)}"
    compared = [(name, metric) for name, metric in comparison.metrics.items() if metric.comparisons]
    said = grouped((_count(metric, comparison.baseline), name) for name, metric in compared)
    clauses = "; ".join(f"by {listed(names)}, {counts}" for counts, names in said.items())
    return f"Of {counted}{level}{':' if len(said) > 1 else ''} {clauses}."


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
        of_these = [pair for pair in metric.comparisons_from_best if _COUNTED.get(pair.conclusion) == words]
        named = [pair.a if baseline is not None else f"{pair.a} - {pair.b}" for pair in of_these]
        some = f" ({listed(named)})" if words == "undecided" and 0 < len(named) <= MOST_UNDECIDED else ""
        counts.append((len(of_these), words + some))
    said = listed(_name_count(count, len(pairs), words) for count, words in counts if count)
    if any(pair.method_verdict is not None for pair in pairs) and shown:
        also = sum(pair.method_verdict == "significant" for pair in shown)
        said += f" (of these differences, {also or 'none'} {be(max(also, 1))} also shown for the method)"
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


def _advise(comparison: Comparison) -> Iterable[str]:
    """Say what would make the differences for the method more precise, if some are not shown.

    Where this is not the same for all of them, it is said of the least settled one.
    """
    tested = [
        (name, pair, pair.method_p_adjusted, where_to_spend(pair.method_variance))
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons_from_best
        if pair.method_variance is not None and pair.method_p_adjusted is not None and pair.conclusion not in SAME
    ]
    open_ones = [one for one in tested if one[1].method_verdict != "significant"]
    if not open_ones:
        return
    name, least, _, spending = min(open_ones, key=lambda one: one[2])
    if spending not in ADVICE:
        return
    which = "a more precise difference" if len(tested) == 1 else "more precise differences"
    if any(one[3] != spending for one in tested):
        by = f" by {name}" if len(comparison.metrics) > 1 else ""
        which = f"a more precise difference {least.a} - {least.b}{by}"
    yield f"For {which} for the method, {ADVICE[spending].format(units=name_units(comparison.unit))}."
