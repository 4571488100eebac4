"""What goes against a simple reading of a headline: metrics that disagree, unequal sets, too little data, length."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.wording import begin, count_of, grouped, listed, name_some, tally
from mtworkbench.words.cells import decimals_of, is_exact, leads, name_of_p, name_t, p_digits, show_p
from mtworkbench.words.frames import fixed, in_percent, signed
from mtworkbench.words.scopes import NEW, adjustment_of, pairs_from_best, scope_of

#: Of comparisons in which metrics differ, three and how many more.
MOST_NAMED = 4


def describe_contradictions(metrics: Mapping[str, AnyMetric]) -> Iterable[str]:
    """Say where metrics call different systems of one pair significantly better, and on which numbers of segments."""
    better: dict[frozenset[str], dict[str, dict[str, int]]] = {}
    for name, metric in metrics.items():
        for pair in metric.comparisons:
            if pair.better is not None:
                found_better = better.setdefault(frozenset((pair.a, pair.b)), {})
                found_better.setdefault(pair.better, {})[name] = pair.measured.n_segments
    found = [systems for systems in better.values() if len(systems) > 1]
    if not found:
        return
    (one, by_one), (other, by_other) = found[0].items()
    where = f"{one} and {other}" if len(found) == 1 else f"{len(found)} pairs, among them {one} and {other}"
    two = len(found) == 1 and len(by_one) == len(by_other) == 1
    who = f"{next(iter(by_one))} and {next(iter(by_other))}" if two else "metrics"
    on_same = len({*by_one.values(), *by_other.values()}) == 1
    says_one, says_other = (_name_with_segments(names, on_same) for names in (by_one, by_other))
    on = scope_of(next(iter(metrics.values()))).on
    if two and on_same and all(len(metric.comparisons) == 1 for metric in metrics.values()):
        yield f"{begin(on)}, {who} contradict each other."  # the sentence on the pair has said how
        return
    yield (
        f"{begin(on)}, {who} contradict each other on {where}: by {says_one} {one} is better, by {says_other} "
        f"{other} is better."
    )


def _name_with_segments(n_segments: dict[str, int], on_same: bool) -> str:
    """Name metrics, each with its number of segments unless all have the same."""
    if on_same:
        return listed(n_segments)
    counts = {name: tally(n, "segment") for name, n in n_segments.items()}
    return listed(f"{name} ({count})" for name, count in counts.items())


def describe_agreement(comparison: Comparison) -> Iterable[str]:
    """Say in how many comparisons the metrics that have a direction give the same verdict, and name the others."""
    directed = {name: one for name, one in comparison.metrics.items() if has_direction(one) and one.comparisons}
    if len(directed) == 1:
        return
    said = grouped(
        (frozenset((pair.a, pair.b)), (pair.conclusion, pair.better))
        for metric in directed.values()
        for pair in metric.comparisons
    )
    of_all = {pair for pair, by_metric in said.items() if len(by_metric) == len(directed)}
    others = [
        f"{a} against {b}" if comparison.baseline is None else a
        for a, b in pairs_from_best(comparison)
        if {a, b} in of_all and len(set(said[frozenset((a, b))])) > 1
    ]
    if len(of_all) > 1:
        but = f", but not on {name_some(others, most=MOST_NAMED)}" if others else ""
        agree = count_of(len(of_all) - len(others), len(of_all), "comparison")
        yield f"{listed(directed)} give the same verdict in {agree}{but}."


def describe_impossible(comparison: Comparison) -> Iterable[str]:
    """Say where no difference could have been shown, because too little can be exchanged."""
    size = 1 - comparison.level
    stuck: dict[str, list[str]] = {}
    of_all = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    for name, metric in comparison.metrics.items():
        factor = metric.family_size if adjustment_of(metric) == "holm" else 1
        needed = comparison.settings.min_trials(metric.family_size)
        family = of_all if comparison.family == "all" else metric.comparisons
        differing = (pair for pair in family if pair.segments_differing)
        best = min(differing, key=lambda pair: pair.smallest_p, default=None)
        if best is None or (best.smallest_p * factor <= size + ROUNDING if is_exact(best) else best.n_trials >= needed):
            continue
        times = "" if factor == 1 else f" (before Holm's factor of {factor})"
        lowest = show_p(best.smallest_p, p_digits(best))
        why = (
            f"so few {name_units(comparison.unit)} differ that p cannot be below {lowest}{times}"
            if is_exact(best)
            else f"{best.n_trials:,} trials are too few, at least {needed:,} are needed"
        )
        stuck.setdefault(why, []).append(name)
    if stuck:
        everywhere = len(stuck) == 1 and len(comparison.metrics) == len(next(iter(stuck.values())))
        clauses = [why if everywhere else f"by {listed(names)} {why}" for why, names in stuck.items()]
        yield f"No difference could have been shown at {in_percent(size)}: {'; '.join(clauses)}."


def describe_parts(comparison: Comparison) -> Iterable[str]:
    """Say on how many segments the differences rest, where systems lack scores of different segments."""
    parts = [(name, metric) for name, metric in comparison.metrics.items() if metric.rests_on_parts]
    said = grouped((tuple(sorted({pair.n_segments for pair in metric.comparisons})), name) for name, metric in parts)
    for counts, names in said.items():
        numbers = listed([f"{count:,}" for count in counts], "or")
        numbers = numbers if len(counts) < 3 else f"{counts[0]:,} to {counts[-1]:,}"
        each = "Each" if any(len(comparison.metrics[name].comparisons) > 1 for name in names) else "The"
        yield (
            f"{each} difference by {listed(names)} is on the segments scored for both systems ({numbers} of "
            f"{comparison.n_segments:,})."
        )


# ---- several test sets


def describe_how_sets_differ(comparison: CampaignComparison, pairs: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Say on which sets the other system is better, whether claims rest on one set, and how far the sets lie apart.

    Parameters
    ----------
    comparison : CampaignComparison
    pairs : sequence of (str, str)
        The systems of all pairs.
    """
    yield from _describe_other_ways(comparison, pairs)
    yield from _describe_dependence(comparison, len(pairs))
    yield from _describe_spread(comparison, pairs)


def _describe_other_ways(comparison: CampaignComparison, pairs: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Say on how many sets the system with the worse mean has the better score."""
    counted = [
        (name, pair, _n_other_way(pair, metric))
        for name, metric in comparison.metrics.items()
        if has_direction(metric)
        for pair in metric.comparisons
        if pair.differs
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
        whose = _winner(counted[0]) if len(pairs) == len(counted) == 1 else "the system with the better mean"
        yield f"On each of the {n_sets} test sets, {whose} has the better score."
    elif len(pairs) == 1:
        by = len(comparison.metrics) > 1
        said = [f"{count} of {n_sets}{f' by {name}' * by}" for name, _, count in counted]
        others = {*pairs[0]} - {*map(_winner, counted)}
        whose = others.pop() if others else "the system with the worse mean"
        ties = [f"{_n_ties(pair)}{f' by {name}' * by}" for name, pair, _ in counted if _n_ties(pair)]
        same = f"; on which both have the same score: {listed(ties)}" if ties else ""
        yield f"Test sets on which {whose} has the better score: {listed(said)}{same}."


def _n_ties(pair: CampaignPair) -> int:
    return pair.n_sets - (pair.n_sets_a_better or 0) - (pair.n_sets_b_better or 0)


def _agrees(pair: CampaignPair) -> bool:
    """Tell whether one system has the better score on every set."""
    return pair.n_sets in (pair.n_sets_a_better, pair.n_sets_b_better)


def _winner(counted: tuple[str, CampaignPair, int]) -> str:
    _, pair, count = counted
    return pair.a if count == pair.n_sets_b_better else pair.b


def _n_other_way(pair: CampaignPair, metric: CampaignMetric) -> int:
    return (pair.n_sets_b_better if leads(pair, metric) else pair.n_sets_a_better) or 0


def _describe_spread(comparison: CampaignComparison, pairs: Sequence[tuple[str, str]]) -> Iterable[str]:
    """Say how far the true differences of the sets lie apart, and what to expect on one new set."""
    said, possible, varies = [], [], False
    for name, metric in comparison.metrics.items():
        differing = [pair for pair in metric.comparisons_from_best if pair.differs]
        known, digits = [pair for pair in differing if pair.spread_between_sets is not None], decimals_of(metric)
        if known:
            varies |= any(_may_vary(pair, metric) for pair in known)
            said.append(_name_spreads(known, metric, name) + _bracket_spread(known, metric))
            ends = [pair.spread_high for pair in known if pair.spread_high is not None]
            possible += [f"{fixed(max(ends), digits)} {name}"] if ends else []
    if not said:
        return
    expected = _expect_one(comparison) if len(pairs) == 1 else ""
    if not varies:
        no_more = "The differences vary from test set to test set no more than the choice of segments explains"
        if possible:
            up_to = f"up to {listed(possible)} ({in_percent(comparison.level)} CI)"
            no_more += f", but the true differences may still vary with a standard deviation of {up_to}"
        yield f"{no_more}{expected}."
        return
    varies_by = "The true difference varies from test set to test set, with an estimated standard deviation of "
    yield f"{varies_by}{listed(said)}{expected}."


def _name_spreads(pairs: Sequence[CampaignPair], metric: CampaignMetric, name: str) -> str:
    """Write the spreads of up to two pairs, or the smallest and the largest, with their pairs where they differ."""
    by_spread = sorted(pairs, key=lambda pair: pair.spread_between_sets or 0.0)
    ends, joined = (pairs, "and") if len(pairs) == 2 else ([by_spread[0], by_spread[-1]], "up to")
    first, last = (fixed(pair.spread_between_sets or 0.0, decimals_of(metric)) for pair in ends)
    if first == last:
        return f"{first} {name}"
    of_first, of_last = (f"{pair.a} - {pair.b}" for pair in ends)
    return f"{first} {name} for {of_first} {joined} {last} for {of_last}"


def _may_vary(pair: CampaignPair, metric: CampaignMetric) -> bool:
    """Tell whether anything says that the sets' differences vary more than the choice of segments explains."""
    is_significant = pair.spread_p_value is not None and pair.spread_p_value <= 1 - metric.level + ROUNDING
    return bool(pair.spread_between_sets or pair.spread_low) or is_significant


def _bracket_spread(pairs: Sequence[CampaignPair], metric: CampaignMetric) -> str:
    """Write the interval of the spread in brackets; of several pairs, tables have them."""
    low, high = (pairs[0].spread_low, pairs[0].spread_high) if len(pairs) == 1 else (None, None)
    if low is None or high is None:
        return ""
    return f" ({in_percent(metric.level)} CI {fixed(low, decimals_of(metric))} to {fixed(high, decimals_of(metric))})"


def _describe_dependence(comparison: CampaignComparison, n_pairs: int) -> Iterable[str]:
    """Say what is shown for new test sets, but not without one of these."""
    shown = [
        (name, metric, pair, _list_needed(pair, metric))
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons
        if pair.conclusion == NEW
    ]
    found = [one for one in shown if one[3]]
    if not found:
        return
    name, metric, pair, needed = max(found, key=lambda one: _p_without(one[3][0]))
    worst, *others = needed
    p = name_t(_p_without(worst), metric.level, name_of_p(metric, of_method=True))
    which = "" if len(comparison.metrics) == 1 else f" by {name}"
    if len(found) == 1:
        which = f"{'' if n_pairs == 1 else f' between {pair.a} and {pair.b}'}{which}"
        any_of = f"{'either' if len(others) == 2 else 'any'} of {len(others)} others"
        nor = f", nor without {others[0].test_set if len(others) == 1 else any_of}" if others else ""
        yield f"Without {worst.test_set}, the difference{which} is not shown for new test sets ({p}){nor}."
        return
    yield (
        f"{begin(count_of(len(found), len(shown), 'difference'))} shown for new test sets are no longer shown if one "
        f"of the sets is left out: for example, {pair.a} against {pair.b}{which} without {worst.test_set} ({p})."
    )


def _list_needed(pair: CampaignPair, metric: CampaignMetric) -> list[SetEstimate]:
    """Return the sets without which a difference is not shown for new ones, that with the largest p first."""
    needed = (one for one in pair.sets if _p_without(one) > 1 - metric.level + ROUNDING)
    return sorted(needed, key=_p_without, reverse=True)


def _p_without(one: SetEstimate) -> float:
    return one.new_sets_without_p_adjusted or 0.0


def _expect_one(comparison: CampaignComparison) -> str:
    """Say where the difference on one new set is expected, by the first metric."""
    differing = (one for one in comparison.metrics.items() if any(pair.differs for pair in one[1].comparisons))
    name, metric = next(differing)
    pair, digits = metric.comparisons[0], decimals_of(metric)
    low, high, _ = pair.one_new_set_ends
    if pair.n_sets == 2:
        return "; two test sets are too few to say what to expect on a new one"
    if low is None or high is None:
        return ""
    ends = f"{signed(low, digits)} to {signed(high, digits)} {name}"
    of = "" if leads(pair, metric) else f"{pair.a} - {pair.b} = "
    return f"; on one new test set, a difference of {of}{ends} is expected ({in_percent(comparison.level)})"


# ---- the part of a difference that BLEU's brevity penalty adds


#: From this share of a difference on, it is mostly length.
MOST = 0.5
#: A system that is shorter by less than this share is as long as the reference: it would round to 0.0 %.
SHORTER = 0.0005


def is_mostly_length(pair: AnyPair) -> bool:
    """Tell whether a difference is shown, and most of it is the brevity penalty."""
    most = pair.from_length is not None and pair.from_length * pair.difference > MOST * pair.difference**2
    return most and pair.is_shown(of_method=False)


def describe_lengths(comparison: AnyComparison, most: int) -> Iterator[str]:
    """Say which of the differences that are shown come mostly from length; more than ``most`` are named together."""
    for key, metric in comparison.metrics.items():
        pairs = [pair for pair in metric.comparisons if is_mostly_length(pair)]
        if len(metric.comparisons) <= most:
            yield from (_say_most(key, metric, pair) for pair in pairs)
        elif pairs:
            names, come = name_some([f"{pair.a} - {pair.b}" for pair in pairs]), "comes" if len(pairs) == 1 else "come"
            yield f"{tally(len(pairs), 'difference')} in {key} {come} mostly from the brevity penalty: {names}."


def describe_parts_of(key: str, metric: AnyMetric, pair: AnyPair) -> Iterator[str]:
    """Say of one difference how much of it is precision and how much length, if any of it is."""
    if pair.from_length is not None and round(pair.from_length, decimals_of(metric)):
        yield f"Of this difference in {key}, {_both(metric, pair, pair.from_length)}{_why(metric, pair)}."


def _both(metric: AnyMetric, pair: AnyPair, from_length: float) -> str:
    digits = decimals_of(metric)
    precision, length = (signed(part, digits) for part in (pair.difference - from_length, from_length))
    return f"n-gram precision contributes {precision} and the brevity penalty {length}"


def _say_most(key: str, metric: AnyMetric, pair: AnyPair) -> str:
    digits, from_length = decimals_of(metric), pair.from_length or 0.0
    what = f"the difference in {key}" + ("" if len(metric.comparisons) == 1 else f" between {pair.a} and {pair.b}")
    if abs(from_length) > abs(pair.difference):  # precision speaks for the other system
        return f"{begin(what)} comes from length: {_both(metric, pair, from_length)}{_why(metric, pair)}."
    parts = f"{fixed(abs(from_length), digits)} of {fixed(abs(pair.difference), digits)} points"
    return f"Most of {what} comes from length: {parts} come from the brevity penalty{_why(metric, pair)}."


def _why(metric: AnyMetric, pair: AnyPair) -> str:
    """Say which of the two systems is shorter than the reference; over several test sets that is not one number."""
    if not isinstance(metric, MetricComparison):
        return ""
    ratios = {one.system: one.length_ratio for one in metric.systems}
    less = {name: 1 - ratio for name in (pair.a, pair.b) if (ratio := ratios.get(name)) is not None}
    said = [f"{name} is {100 * one:.1f} % shorter than the reference" for name, one in less.items() if one >= SHORTER]
    return f" ({listed(said)})" if said else ""
