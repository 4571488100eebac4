"""What was found, in short: the headline of a comparison, the title of a figure, and what a script may ask."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import be, begin, count_of, grouped, listed, name_some
from mtworkbench.words.cells import leads, say_undecided
from mtworkbench.words.concerns import say_after, say_before
from mtworkbench.words.frames import USUAL_LEVEL, in_percent
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import (
    NEW,
    NOTHING_SHOWN,
    RUNS,
    THESE,
    count_sets,
    define_claims,
    pairs_from_best,
    pairs_of_all,
    scope_of,
)
from mtworkbench.words.sentences import comparative, describe_pair_by_all, name_level
from mtworkbench.words.sentences_on_doubts import (
    describe_agreement,
    describe_contradictions,
    describe_how_sets_differ,
    describe_impossible,
    describe_lengths,
)
from mtworkbench.words.sentences_on_equivalence import describe_equality, in_margin, is_equal
from mtworkbench.words.sentences_on_runs import ADVICE
from mtworkbench.words.sentences_on_top import describe_top, describe_tops, where_shown

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
    plain = all(pair.margin is None and pair.method_verdict is None for pair in found)
    if len(pairs) > 1 and plain and all(pair.verdict == "undecided" for pair in found):
        compared = begin(count_of(len(found), len(found), "comparison"))
        why = listed(dict.fromkeys(map(say_undecided, comparison.metrics.values())))
        return [f"{compared} {scope_of(comparison).on} are undecided, because {why}."]
    if len(pairs) <= MAX_PAIRS:
        return [describe_pair_by_all(comparison, *pair) for pair in pairs]
    return [count_sentence(comparison, len(pairs)), *describe_tops(comparison.metrics)]


def count_sentence(comparison: AnyComparison, n_pairs: int) -> str:
    """Count the conclusions under each metric, metrics with the same counts together."""
    where = scope_of(comparison).on
    if isinstance(comparison, CampaignComparison):
        where = f"on the mean of {count_sets(comparison)}"
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
    within = f" within {in_margin(pairs[0], metric)}" if pairs[0].margin is not None else ""
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
        if pair.method_variance is not None and pair.method_p_adjusted is not None and pair.differs
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


# ---- the title of a figure: what was found in one sentence


# More systems are counted, not named.
MAX_NAMES = 2


def title_result(metrics: Mapping[str, AnyMetric]) -> str:
    """Say in one sentence what was found, metrics that agree together.

    Parameters
    ----------
    metrics : mapping of str to MetricComparison or CampaignMetric
        By the names that the sentence calls them.

    Returns
    -------
    str
        Names are as they are in the data: whoever shows the sentence escapes them. Empty where nothing was compared.
    """
    compared = [(name, metric) for name, metric in metrics.items() if metric.comparisons]
    said = grouped((_find(metric) + name_level(metric.level), name) for name, metric in compared)
    clauses = [f"{_call(names, len(compared))}: {finding}" for finding, names in said.items()]
    return f"{'; '.join(clauses)}." if clauses else ""


def _call(names: list[str], n_metrics: int) -> str:
    return f"All {n_metrics} metrics" if len(names) == n_metrics > 2 else listed(names)


def _find(metric: AnyMetric) -> str:
    """Say what one metric finds, without its name."""
    pairs, baseline = metric.comparisons, metric.compared_with
    if len(pairs) == 1:
        return _of_one_pair(pairs[0], metric)
    undecided = sum(pair.conclusion == "undecided" for pair in pairs)
    if undecided == len(pairs):
        return f"{count_of(undecided, undecided, 'comparison')} are undecided"
    if all(not pair.differs for pair in pairs):
        noun, have = ("system", f"the scores of {baseline}") if baseline is not None else ("pair", "the same scores")
        return f"{count_of(len(pairs), len(pairs), noun)} have {have} in every segment"
    shown, where, more = _shown(metric)
    said = _of_all_pairs(metric, shown, where) if baseline is None else _against_baseline(metric, shown, where)
    said += f"; {more} more {be(more)} shown to differ for these test sets only" if more else ""
    # They are not among those that are not shown.
    return said + (f"; {undecided} {be(undecided)} undecided" if undecided else "")


def _shown(metric: AnyMetric) -> tuple[list[AnyPair], str, int]:
    """Return what the finding is about: pairs that are shown to differ, where, and how many more on these sets only.

    It is about the method where every pair was tested for it, and about new test sets where any is shown for them.
    """
    pairs = metric.comparisons
    new, only = ([pair for pair in pairs if pair.conclusion == said] for said in (NEW, THESE))
    if new:
        return new, "for new test sets like these", len(only)
    if only:
        return only, "for these test sets only", 0
    of_method = _are_of_method(metric)
    where = "for the method" if of_method else scope_of(metric).on
    return [pair for pair in pairs if pair.is_shown(of_method=of_method)], where, 0


def _are_of_method(metric: AnyMetric) -> bool:
    """Tell whether the finding is about the method: of one test set, where every pair was tested for it."""
    return all(_is_of_method(pair, metric) for pair in metric.comparisons)


def _is_of_method(pair: AnyPair, metric: AnyMetric) -> bool:
    return scope_of(metric) is RUNS and pair.method_verdict is not None


def _of_one_pair(pair: AnyPair, metric: AnyMetric) -> str:
    first, second = (pair.a, pair.b) if leads(pair, metric) else (pair.b, pair.a)
    shown = f"{first} is shown to be {comparative(metric)} than {second}"
    on_outputs, of_method = (is_equal(pair, of_method=one) for one in (False, True))
    if pair.conclusion == "not shown" and (on_outputs or of_method):
        places = {scope_of(metric).on: on_outputs, "for the method": of_method}
        where = " and ".join(place for place, equal in places.items() if equal)
        but = ", but not for the method" if pair.method_verdict is not None and not of_method else ""
        return f"{first} and {second} are shown to be equal within {in_margin(pair, metric)} {where}{but}"
    if pair.conclusion == "shown on these outputs only" and of_method:
        equal = f"they are shown to be equal within {in_margin(pair, metric)}"
        return f"{shown} {scope_of(metric).on}; for the method, {equal}"
    if pair.conclusion in scope_of(metric).shown:
        return f"{shown} {scope_of(metric).shown[pair.conclusion]}"
    return NOTHING_SHOWN[pair.conclusion]


def _against_baseline(metric: AnyMetric, shown: Sequence[AnyPair], where: str) -> str:
    """Say which systems are shown to be better or worse than the baseline, or equal to it."""
    pairs, baseline = metric.comparisons, metric.comparisons[0].b
    named = {comparative(metric): [pair.a for pair in shown if leads(pair, metric)]}
    named[comparative(metric, first=False)] = [pair.a for pair in shown if not leads(pair, metric)]
    clauses = [_say_count(names, word, len(pairs)) for word, names in named.items() if names]
    both = len(clauses) > 1  # both are shown there
    if clauses:
        clauses[0] = f"{where}, {clauses[0]} than {baseline}" if both else f"{clauses[0]} than {baseline} {where}"
    equal = [pair for pair in pairs if pair not in shown and is_equal(pair, of_method=_are_of_method(metric))]
    if equal:
        to = f"equal to {'it' if clauses else baseline} within {in_margin(equal[0], metric)}"
        said = _say_count([pair.a for pair in equal], to, len(pairs))
        clauses.append(said if clauses else f"{said} {where}")
    return listed(clauses) if clauses else f"none of {len(pairs)} systems is shown to differ from {baseline} {where}"


def _say_count(names: list[str], word: str, n_systems: int) -> str:
    counted = f"all {n_systems} systems" if len(names) == n_systems else f"{len(names)} of {n_systems} systems"
    who = listed(names) if len(names) <= MAX_NAMES else counted
    return f"{who} {be(len(names))} shown to be {word}"


def _of_all_pairs(metric: AnyMetric, shown: Sequence[AnyPair], where: str) -> str:
    """Say who is at the top, or how many pairs are shown to differ, and how many to be equal within the margin."""
    n_pairs, n_shown = len(metric.comparisons), len(shown)
    # The ranking may go by another question.
    said = describe_top(metric, MAX_NAMES + 1) if where == where_shown(metric) else ""
    if not said:
        counted = f"all {n_pairs}" if n_shown == n_pairs else f"{n_shown or 'none'} of {n_pairs}"
        said = f"{counted} pairs {be(n_shown or 1)} shown to differ"
    said = f"{said} {where}"
    equal = [pair for pair in metric.comparisons if is_equal(pair, of_method=_are_of_method(metric))]
    if not equal:
        return said
    which = f"{equal[0].a} and {equal[0].b}" if len(equal) == 1 else f"{len(equal)} of {n_pairs} pairs"
    return f"{said}; {which} are shown to be equal within {in_margin(equal[0], metric)}"


# ---- what a script asks


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


def _fails(pair: AnyPair, metric: AnyMetric, condition: str) -> bool:
    """Tell whether a pair fails: identical scores are equal, and what is undecided is not shown."""
    of_method = _is_of_method(pair, metric)
    if condition == "not-equal":
        return pair.differs and not is_equal(pair, of_method=of_method)
    shown, better = pair.is_shown(of_method=of_method), leads(pair, metric)
    return shown and not better if condition == "worse" else not (shown and better)
