"""Who is at the top, and what bold means: in headlines, titles of figures, and captions.

`Ranked.may_be_first` and `Ranked.top` decide it; here are the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from mtworkbench.results.campaigns import CampaignMetric
from mtworkbench.results.comparisons import AnyMetric, MetricComparison
from mtworkbench.results.rankings import CampaignRank
from mtworkbench.wording import NAMED, begin, grouped, listed, name_some
from mtworkbench.words.scopes import scope_of


def where_shown(metric: AnyMetric) -> str:
    """Say what it is shown for that a system is better: ranks, letters and bold go by it."""
    of_method = not isinstance(metric, CampaignMetric) and is_of_method(metric)
    return "for the method" if of_method else scope_of(metric).on


def is_of_method(metric: MetricComparison) -> bool:
    """Tell whether ranks, letters or standing are those of the method: where every pair was tested for it."""
    return metric.asks_of_methods if metric.ranking is None else metric.ranking_of == "method"


def describe_top(metric: AnyMetric, most: int = NAMED) -> str:
    """Say who is at the top of a ranking, of many so many by name; empty where this is not tested."""
    first = metric.may_be_first
    if not first:
        return ""
    if not metric.top:
        return "no system is shown to be better than another"
    if len(first) == 1 and rank_of(metric, first[0]).rank_high == 1:
        return f"{first[0]} is shown to be better than every other system"
    return f"{'only ' if len(first) == 1 else ''}{name_some(first, most=most)} may be the best"


def describe_tops(metrics: Mapping[str, AnyMetric]) -> Iterable[str]:
    """Say in a sentence who is at the top of each ranking, rankings of which the same is said together."""
    ranked = [(name, metric) for name, metric in metrics.items() if metric.ranking is not None and metric.may_be_first]
    tops = grouped((f"{describe_top(metric)} {_where_first(metric)}", name) for name, metric in ranked)
    if tops:
        said = "; ".join(f"by {listed(names)}, {top}" for top, names in tops.items())
        yield f"{begin(said)}."


def rank_of(metric: AnyMetric, system: str) -> Any:
    """Return a system's place in the ranking."""
    return next(one for one in metric.ranking or () if one.system == system)


def _where_first(metric: AnyMetric) -> str:
    """Say where `describe_top` holds: for new test sets where one system is better than all others there."""
    alone = isinstance(metric, CampaignMetric) and len(metric.top) == 1
    first = rank_of(metric, metric.top[0]) if alone else None
    of_new = isinstance(first, CampaignRank) and first.new_sets_rank_high == 1
    return "for new test sets like these" if of_new else where_shown(metric)


def explain_ranks_out_of_order(metrics: Iterable[AnyMetric]) -> Iterator[str]:
    """Say why a system has better ranks than one with a better score: of the first two of which this is true."""
    for metric in (one for one in metrics if one.has_ranks):
        of_method = where_shown(metric) == "for the method"
        pairs = [pair for pair in metric.comparisons_from_best if pair.is_shown(of_method=of_method)]
        shown = {(pair.a, pair.b): None for pair in pairs}
        ranks = [(one.system, one.rank_low or 0, one.rank_high or 0) for one in metric.ranking or ()]
        for (one, low, high), (other, *own) in combinations(ranks, 2):
            if own == [low, high] or own[0] > low or own[1] > high:
                continue
            beaten = [last for first, last in shown if first == other and (one, last) not in shown]
            beating = [first for first, last in shown if last == one and (first, other) not in shown]
            only, word, names = (other, "better", beaten) if beaten else (one, "worse", beating)
            yield (
                f"{other} has better ranks than {one}, whose score is better, because only {only} is shown to be "
                f"{word} than {name_some(names)}."
            )
            return


def name_meaning_of_bold(metrics: Iterable[AnyMetric]) -> str:
    """Say what bold means, and of a metric under which nothing is bold, why; empty where none of them can have bold."""
    return "; ".join(_meanings_of_bold(metrics))


def explain_bold(metrics: Iterable[AnyMetric]) -> str:
    """Say what bold means, in a sentence of its own, and under which metrics if not under all; empty without bold."""
    return " ".join(f"{begin(said)}." for said in _meanings_of_bold(metrics) if said.startswith("bold"))


def _meanings_of_bold(metrics: Iterable[AnyMetric]) -> list[str]:
    said: dict[tuple[bool, str], list[str]] = {}
    for metric in metrics:
        if metric.may_be_first:
            meaning = "systems that no other is shown to beat" if metric.top else describe_top(metric)
            said.setdefault((bool(metric.top), f"{meaning} {where_shown(metric)}"), []).append(metric.name)
    if len(said) == 1:
        [(has_bold, meaning)] = said
        return [f"bold: {meaning}" if has_bold else meaning]
    return [
        f"bold ({listed(names)}): {meaning}" if has_bold else f"by {listed(names)}, {meaning}"
        for (has_bold, meaning), names in said.items()
    ]
