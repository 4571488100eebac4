"""How much of a difference is length: the part that BLEU's brevity penalty adds, and which system is how long."""

from __future__ import annotations

from collections.abc import Iterator

from mtworkbench.results.comparisons import MetricComparison
from mtworkbench.wording import begin, listed, name_some, tally
from mtworkbench.words.cells import decimals_of, signed
from mtworkbench.words.frames import fixed
from mtworkbench.words.scopes import AnyComparison, AnyMetric, AnyPair, is_shown

#: From this share of a difference on, it is mostly length.
MOST = 0.5
#: A system that is shorter by less than this share is as long as the reference: it would round to 0.0 %.
SHORTER = 0.0005


def is_mostly_length(pair: AnyPair) -> bool:
    """Tell whether a difference is shown, and most of it is the brevity penalty."""
    most = pair.from_length is not None and pair.from_length * pair.difference > MOST * pair.difference**2
    return most and is_shown(pair, of_method=False)


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
