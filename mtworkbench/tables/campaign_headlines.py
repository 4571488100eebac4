"""The headline of a campaign: at most five sentences on what all test sets say together, and how far they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from mtworkbench.errors import name_some
from mtworkbench.inference.campaign_results import CampaignComparison, CampaignMetric, CampaignPair
from mtworkbench.metrics.directions import has_direction
from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    leads,
    listed,
    name_of_p,
    p_digits,
    say_p,
    signed,
)
from mtworkbench.tables.frames import fixed
from mtworkbench.tables.metric_names import label_campaign
from mtworkbench.tables.sentences import USUAL_LEVEL, comparative, winner_of
from mtworkbench.tables.sentences_on_runs import ASK_FOR_RUNS, is_withheld, say_tested
from mtworkbench.tables.sentences_on_top import tell_top

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
MAX_SENTENCES = 5
#: With so few sets, hardly any difference can be shown for new ones.
FEW_SETS = 4
NEW, THESE = "shown for new test sets", "shown on these test sets only"
SAME = {
    "copies": "they are copies of each other, with the same statistics in every segment",
    "identical scores": "their scores are identical in every segment",
}
# How a count of a conclusion is said, of pairs and of systems that are compared with a baseline.
_COUNTED = {
    "undecided": "undecided",
    "not shown": "not shown to differ",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}

Found = list[tuple[str, CampaignMetric, CampaignPair]]


def write_campaign_headline(comparison: CampaignComparison) -> list[str]:
    """Say in at most five sentences what was found.

    Up to three pairs of systems have a sentence each, which names all metrics; of more there are counts, and the
    systems at the top. Then come the sets on which the other system is better, how far the sets differ, and what few
    sets cannot show.

    Parameters
    ----------
    comparison : CampaignComparison

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    comparison = label_campaign(comparison)
    if not any(metric.comparisons for metric in comparison.metrics.values()):
        [system, *_] = next(iter(comparison.metrics.values())).systems
        return [f"There is one system, {system.system}, so there is nothing to compare it with."]
    pairs = pairs_of(comparison)
    if len(pairs) <= MAX_PAIRS:
        sentences = [_describe_pair(comparison, *pair) for pair in pairs]
    else:
        sentences = [_count_all(comparison, len(pairs)), *tell_top(comparison.metrics)]
    few, spread = list(_tell_few_sets(comparison)), list(_tell_spread(comparison, pairs))
    sentences += _tell_other_ways(comparison, pairs)
    # What few sets cannot show is more important than how far they lie apart.
    sentences += [*spread, *few] if len(sentences) + len(spread) + len(few) <= MAX_SENTENCES else few
    if any(pairs_that_differ(metric) for metric in comparison.metrics.values()) and not any(
        metric.asks_of_methods for metric in comparison.metrics.values()
    ):
        sentences.append(ASK_FOR_RUNS)
    return sentences[:MAX_SENTENCES]


def pairs_of(comparison: CampaignComparison) -> list[tuple[str, str]]:
    """Return the pairs that are compared, each once."""
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for metric in comparison.metrics.values():
        for pair in metric.comparisons:
            pairs.setdefault(frozenset((pair.a, pair.b)), (pair.a, pair.b))
    return list(pairs.values())


def pairs_that_differ(metric: CampaignMetric) -> list[CampaignPair]:
    """Return the comparisons apart from those whose scores are the same in every segment."""
    return [pair for pair in metric.comparisons if pair.conclusion not in SAME]


def count_sets(comparison: CampaignComparison) -> str:
    """Write the number of test sets."""
    return f"{len(comparison.test_sets):,} test set{'' if len(comparison.test_sets) == 1 else 's'}"


def say_df(pairs: Iterable[CampaignPair]) -> str:
    """Say the degrees of freedom of the test for new sets; empty where there are none."""
    known = {pair.new_sets_df for pair in pairs if pair.new_sets_df is not None}
    if len(known) != 1:
        return ""
    df = known.pop()
    return f"{df:g} degree{'' if df == 1 else 's'} of freedom"


# ---- a sentence per pair


def _describe_pair(comparison: CampaignComparison, a: str, b: str) -> str:
    """Say what all metrics find of one pair over all sets: for new test sets first, then on these."""
    found = _found(comparison, a, b)
    level = "" if comparison.level == USUAL_LEVEL else f" (at {in_percent(1 - comparison.level)})"
    new, only, undecided, open_ones = (
        [one for one in found if one[2].conclusion == said] for said in (NEW, THESE, "undecided", "not shown")
    )
    clauses = []
    df = say_df(pair for *_, pair in found)
    if new:
        clauses.append(f"for new test sets like these ({df}), {_who_is_better(new, _with_new_p)}")
    if only:
        not_new = f"this is not shown for new ones{f' ({df})' if not new and df else ''}"
        if all(pair.new_sets_verdict is None for *_, pair in only):
            not_new = "for new ones this was not tested, because the difference is the same on every set"
        clauses.append(f"on these test sets, {_who_is_better(only, _with_p)}; {not_new}")
    if undecided:
        clauses.append(f"{_differences(undecided)} {'is' if len(undecided) == 1 else 'are'} undecided: use more trials")
    if open_ones:
        clauses.append(f"no difference is shown by {_differences(open_ones)}")
    for conclusion, phrase in SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        clauses += [f"by {listed(same)}, {phrase}"] if same else []
    clauses += _for_method(found)
    return f"{a} against {b}{level}, mean over {count_sets(comparison)}: {'; '.join(clauses)}."


def _for_method(found: Found) -> Iterable[str]:
    """Say whether new training runs would show the difference, too, where that was tested."""
    for shown in (True, False):
        tested = [
            (name, say_p(pair.method_p_adjusted, T_DIGITS, _name_of_method_p(metric)))
            for name, metric, pair in found
            if pair.method_p_adjusted is not None and pair.conclusion not in SAME
            if shown == (pair.method_verdict == "significant" and pair.conclusion in (NEW, THESE))
        ]
        if tested:
            named = listed(f"{name} ({p})" for name, p in tested)
            verb = "it is shown, too," if shown else "no difference is shown"
            yield f"for the method (new training runs on these test sets), {verb} by {named}"


def _name_of_method_p(metric: CampaignMetric) -> str:
    return "p" if metric.method_family_size == 1 else name_of_p(metric, of_method=True)


def _found(comparison: CampaignComparison, a: str, b: str) -> Found:
    return [
        (name, metric, pair if pair.a == a else pair.turned())
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons
        if {pair.a, pair.b} == {a, b}
    ]


def _who_is_better(found: Found, write: Callable[[str, CampaignMetric, CampaignPair], str]) -> str:
    """Say which system is better by which metrics."""
    clauses: dict[tuple[str, str], list[str]] = {}
    for name, metric, pair in found:
        who = winner_of(pair, metric), comparative(metric)
        clauses.setdefault(who, []).append(write(name, metric, pair))
    return "; ".join(f"{who} is shown to be {word} by {listed(said)}" for (who, word), said in clauses.items())


def _difference(metric: CampaignMetric, pair: CampaignPair) -> str:
    """Write a difference; where the system that leads is not the first, it is said whose score is subtracted."""
    of = "" if leads(pair, metric) else f"{pair.a} - {pair.b} = "
    return of + signed(pair.difference, decimals_of(metric))


def _with_new_p(name: str, metric: CampaignMetric, pair: CampaignPair) -> str:
    p = say_p(pair.new_sets_p_adjusted, T_DIGITS, name_of_p(metric, of_method=True))
    return f"{name} ({_difference(metric, pair)}, {p})"


def _with_p(name: str, metric: CampaignMetric, pair: CampaignPair) -> str:
    p = say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), name_of_p(metric))
    return f"{name} ({_difference(metric, pair)}, {p})"


def _differences(found: Found) -> str:
    """List metrics under which no system leads: the first difference says which system's score is subtracted."""
    said = []
    for place, (name, metric, pair) in enumerate(found):
        of = f"{pair.a} - {pair.b} = " if place == 0 else ""
        p = say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), name_of_p(metric))
        tested = f"; {say_tested(pair, metric)}" if is_withheld(pair, metric) else ""
        said.append(f"{name} ({of}{signed(pair.difference, decimals_of(metric))}, {p}{tested})")
    return listed(said)


# ---- counts of many pairs


def _count_all(comparison: CampaignComparison, n_pairs: int) -> str:
    """Count the conclusions under each metric, metrics with the same counts together."""
    level = "" if comparison.level == USUAL_LEVEL else f", at {in_percent(1 - comparison.level)}"
    others = f"Of the {n_pairs} other systems, compared with {comparison.baseline} over {count_sets(comparison)}{level}"
    pairs = f"Of {n_pairs} pairs, over {count_sets(comparison)}{level}"
    said: dict[str, list[str]] = {}
    for name, metric in comparison.metrics.items():
        if metric.comparisons:
            said.setdefault(_count(comparison, metric), []).append(name)
    clauses = "; ".join(f"by {listed(names)}, {counts}" for counts, names in said.items())
    df = say_df(pair for metric in comparison.metrics.values() for pair in metric.comparisons)
    ending = f" (test for new test sets: {df})" if df else ""
    return f"{pairs if comparison.baseline is None else others}: {clauses}{ending}."


def _count(comparison: CampaignComparison, metric: CampaignMetric) -> str:
    pairs = metric.comparisons
    counts = []
    for conclusion, where in ((NEW, "for new test sets like these"), (THESE, "on these test sets only")):
        shown = [pair for pair in pairs if pair.conclusion == conclusion]
        if comparison.baseline is None or not has_direction(metric):
            counts.append((len(shown), f"shown to differ {where}", ""))
            continue
        winners = [pair.a for pair in sorted(shown, key=lambda pair: -abs(pair.difference)) if leads(pair, metric)]
        named = f" ({name_some(winners)})" if 0 < len(winners) < len(pairs) else ""
        counts.append((len(winners), f"shown to be {comparative(metric)} {where}", named))
        counts.append((len(shown) - len(winners), f"shown to be {comparative(metric, False)} {where}", ""))
    merged: dict[str, int] = {}
    for conclusion, words in _COUNTED.items():
        merged[words] = merged.get(words, 0) + sum(pair.conclusion == conclusion for pair in pairs)
    counts += [(count, words, "") for words, count in merged.items()]
    said = [_say_count(count, len(pairs), words, named) for count, words, named in counts if count]
    if any(pair.method_verdict is not None for pair in pairs):
        also = sum(pair.method_verdict == "significant" and pair.conclusion in (NEW, THESE) for pair in pairs)
        return (
            f"{listed(said)} ({also if also else 'none'} {_are(also)} also shown for new training runs on these sets)"
        )
    return listed(said)


def _say_count(count: int, n_pairs: int, words: str, named: str) -> str:
    if count < n_pairs:
        return f"{count}{named} {_are(count)} {words}"
    return f"none is {words.removeprefix('not ')}" if words.startswith("not ") else f"all {_are(count)} {words}"


def _are(count: int) -> str:
    return "is" if count == 1 else "are"


# ---- how sets differ


def _tell_other_ways(comparison: CampaignComparison, pairs: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Say on how many sets the system with the worse mean has the better score."""
    counted = [
        (name, pair, _n_other_way(pair, metric))
        for name, metric in comparison.metrics.items()
        if has_direction(metric)
        for pair in pairs_that_differ(metric)
        if pair.n_sets_a_better is not None
    ]
    # Where the means are the same, no system has the worse one.
    if len(pairs) > 1:
        counted = [one for one in counted if one[1].difference]
    if not counted:
        return
    n_sets = len(comparison.test_sets)
    # A set on which both scores are the same goes neither way.
    if all(_agrees(pair) for _, pair, _ in counted):
        whose = (
            "the system with the better mean has"
            if len(pairs) > 1 or len(counted) > 1
            else f"{_winner(counted[0])} has"
        )
        yield f"On each of the {n_sets} test sets, {whose} the better score."
    elif len(pairs) == 1:
        said = [f"{count} of {n_sets} by {name}" for name, _, count in counted]
        whose = "the system with the worse mean"
        winners = {pair.a if count == pair.n_sets_b_better else pair.b for _, pair, count in counted}
        if len(winners) == 1:
            [whose] = {*pairs[0]} - winners
        ties = [f"{_n_ties(pair)} by {name}" for name, pair, _ in counted if _n_ties(pair)]
        same = f"; on which both have the same score: {listed(ties)}" if ties else ""
        yield f"Test sets on which {whose} has the better score: {listed(said)}{same}."
    else:
        name, pair, count = max(counted, key=lambda one: one[2])
        none = sum(_agrees(one) for _, one, _ in counted)
        by_metrics = f" ({len(comparison.metrics)} metrics)" if len(comparison.metrics) > 1 else ""
        have = f"{'has' if none == 1 else 'have'} the same direction on every set"
        agree = f"; {none} of {len(counted)} differences{by_metrics} {have}" if none else ""
        where = f"at most {count} of {n_sets} test sets ({pair.a} against {pair.b} by {name})"
        where = where if count else f"none of the {n_sets} test sets"
        yield f"The system with the worse mean has the better score on {where}{agree}."


def _n_ties(pair: CampaignPair) -> int:
    return pair.n_sets - (pair.n_sets_a_better or 0) - (pair.n_sets_b_better or 0)


def _agrees(pair: CampaignPair) -> bool:
    """Tell whether one system has the better score on every set."""
    return pair.n_sets in (pair.n_sets_a_better, pair.n_sets_b_better)


def _winner(counted: tuple[str, CampaignPair, int]) -> str:
    _, pair, count = counted
    return pair.a if count == pair.n_sets_b_better else pair.b


def _n_other_way(pair: CampaignPair, metric: CampaignMetric) -> int:
    return pair.n_sets_b_better if leads(pair, metric) else pair.n_sets_a_better


def _tell_spread(comparison: CampaignComparison, pairs: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Say how far the true differences of the sets lie apart, and what to expect on one new set."""
    said, largest = [], 0.0
    for name, metric in comparison.metrics.items():
        known = [pair.spread_between_sets for pair in pairs_that_differ(metric)]
        spreads = [spread for spread in known if spread is not None]
        if spreads:
            largest = max(largest, *spreads)
            low, high = (fixed(end, decimals_of(metric)) for end in (min(spreads), max(spreads)))
            said.append(f"{low if low == high else f'{low} to {high}'} {name}")
    if not said:
        return
    expected = _expect_one(comparison) if len(pairs) == 1 else ""
    if not largest:
        yield f"The differences on the test sets lie no further apart than their segments explain{expected}."
        return
    one = "the true difference" if len(pairs) == 1 else "true differences"
    varies = f"Between test sets, {one} {'varies' if len(pairs) == 1 else 'vary'} with a standard deviation of about "
    yield f"{varies}{listed(said)}{expected}."


def _expect_one(comparison: CampaignComparison) -> str:
    """Say where the difference on one new set is expected, by the first metric."""
    name, metric = next((name, metric) for name, metric in comparison.metrics.items() if pairs_that_differ(metric))
    pair, digits = metric.comparisons[0], decimals_of(metric)
    if pair.one_new_set_low is None or pair.one_new_set_high is None:
        return ""
    ends = f"{signed(pair.one_new_set_low, digits)} to {signed(pair.one_new_set_high, digits)} {name}"
    of = "" if leads(pair, metric) else f"{pair.a} - {pair.b} = "
    return f"; on one new test set, a difference of {of}{ends} is expected ({in_percent(comparison.level)})"


def _tell_few_sets(comparison: CampaignComparison) -> Iterable[str]:
    """Say that few sets show little of new ones: where nothing is shown of these, and where something is."""
    n_sets = len(comparison.test_sets)
    pairs = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    if n_sets <= FEW_SETS and any(pair.conclusion == THESE and pair.new_sets_verdict is not None for pair in pairs):
        yield f"With only {n_sets} test sets, only large differences can be shown for new ones: add test sets."
    elif n_sets <= FEW_SETS and any(pair.conclusion == NEW for pair in pairs):
        yield f"What is said of new test sets rests on only {n_sets} test sets: add test sets."
