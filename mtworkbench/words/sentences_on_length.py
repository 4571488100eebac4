"""How much of a difference is length: the part that BLEU's brevity penalty adds, and which system is how long."""

from __future__ import annotations

from collections.abc import Iterator

from mtworkbench.results.comparisons import MetricComparison
from mtworkbench.wording import listed, name_some
from mtworkbench.words.cells import decimals_of, signed
from mtworkbench.words.frames import fixed
from mtworkbench.words.scopes import AnyComparison, AnyMetric, AnyPair, is_shown

#: From this share of a difference on, it is mostly length.
MOST = 0.5


def is_mostly_length(pair: AnyPair) -> bool:
    """Tell whether the brevity penalty makes most of a difference."""
    return pair.from_length is not None and pair.from_length * pair.difference > MOST * pair.difference**2


def describe_lengths(comparison: AnyComparison, most: int) -> Iterator[str]:
    """Say of which differences most is length; of more than ``most`` pairs, those that are shown are named together."""
    for key, metric in comparison.metrics.items():
        pairs = [pair for pair in metric.comparisons if is_mostly_length(pair)]
        if len(metric.comparisons) <= most:
            yield from (_say_most(key, metric, pair) for pair in pairs)
            continue
        shown = [pair for pair in pairs if is_shown(pair, of_method=False)]
        if shown:
            names = name_some([f"{pair.a} - {pair.b}" for pair in shown])
            what = "is one difference" if len(shown) == 1 else f"are {len(shown)} differences"
            yield f"By {key}, there {what} that the brevity penalty makes for the most part: {names}."


def describe_parts_of(key: str, metric: AnyMetric, pair: AnyPair) -> Iterator[str]:
    """Say of one difference how much of it is precision and how much length, if any of it is."""
    digits = decimals_of(metric)
    if pair.from_length is None or not round(pair.from_length, digits):
        return
    precision, length = (signed(part, digits) for part in (pair.difference - pair.from_length, pair.from_length))
    parts = f"{precision} are n-gram precision and {length} the brevity penalty"
    yield f"Of this difference in {key}, {parts}{_why(metric, pair)}."


def _say_most(key: str, metric: AnyMetric, pair: AnyPair) -> str:
    digits, length = decimals_of(metric), abs(pair.from_length or 0.0)
    part, whole = fixed(length, digits), fixed(abs(pair.difference), digits)
    where = "" if len(metric.comparisons) == 1 else f" between {pair.a} and {pair.b}"
    why = _why(metric, pair)
    if part != whole and length > abs(pair.difference):
        back = f"n-gram precision takes back {fixed(length - abs(pair.difference), digits)} of them"
        return f"The difference in {key}{where} is length: the brevity penalty makes {part} points{why}, and {back}."
    of = f"{part} of {whole}" if part != whole else f"all {whole}"
    return f"Most of the difference in {key}{where} is length: {of} points are the brevity penalty{why}."


def _why(metric: AnyMetric, pair: AnyPair) -> str:
    """Say which of the two systems is shorter than the reference; over several test sets that is not one number."""
    if not isinstance(metric, MetricComparison):
        return ""
    ratios = {one.system: one.length_ratio for one in metric.systems}
    short = [(name, 1 - ratio) for name in (pair.a, pair.b) if (ratio := ratios.get(name)) is not None and ratio < 1]
    said = [f"{name} is {100 * less:.1f} % shorter than the reference" for name, less in short]
    return f" ({listed(said)})" if said else ""
