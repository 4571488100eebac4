"""What goes against a simple reading of a headline: metrics that disagree, runs of unequal spread, too little data."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from mtworkbench.inference.crossed import varies_most
from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignPair
from mtworkbench.results.comparisons import Comparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import in_percent, is_exact, p_digits, show_p
from mtworkbench.words.scopes import scope_of

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison
    from mtworkbench.words.scopes import AnyMetric, AnyPair


def describe_contradictions(metrics: Mapping[str, AnyMetric]) -> Iterable[str]:
    """Say where metrics call different systems of one pair significantly better, and on which numbers of segments."""
    better: dict[frozenset[str], dict[str, dict[str, int]]] = {}
    for name, metric in metrics.items():
        for pair in metric.comparisons:
            if pair.better is not None:
                found_better = better.setdefault(frozenset((pair.a, pair.b)), {})
                found_better.setdefault(pair.better, {})[name] = _count_segments(pair)
    found = [systems for systems in better.values() if len(systems) > 1]
    if not found:
        return
    (one, by_one), (other, by_other) = found[0].items()
    where = f"{one} and {other}" if len(found) == 1 else f"{len(found)} pairs, among them {one} and {other}"
    two = len(found) == 1 and len(by_one) == len(by_other) == 1
    who = f"{next(iter(by_one))} and {next(iter(by_other))}" if two else "metrics"
    on_same = len({*by_one.values(), *by_other.values()}) == 1
    says_one, says_other = (_name_with_segments(names, on_same) for names in (by_one, by_other))
    [on] = {scope_of(metric).what for metric in metrics.values()}
    yield (
        f"On {on}, {who} contradict each other on {where}: by {says_one} {one} is better, by {says_other} "
        f"{other} is better."
    )


def _count_segments(pair: AnyPair) -> int:
    """Count the segments that a comparison rests on, of all test sets together."""
    return sum(one.n_segments for one in pair.sets) if isinstance(pair, CampaignPair) else pair.n_segments


def _name_with_segments(n_segments: dict[str, int], on_same: bool) -> str:
    """Name metrics, each with its number of segments unless all have the same."""
    if on_same:
        return listed(n_segments)
    counts = {name: tally(n, "segment") for name, n in n_segments.items()}
    return listed(f"{name} ({count})" for name, count in counts.items())


def describe_unequal_spreads(metrics: Mapping[str, MetricComparison]) -> Iterable[str]:
    """Say where runs were pooled whose spreads differ by more than chance, so that a p for the method is wrong."""
    found: dict[str, list[str]] = {}
    for name, metric in metrics.items():
        scores = {system.system: np.array(system.scores) for system in metric.systems}
        if metric.asks_of_methods and metric.settings.runs == "pooled" and (most := varies_most(scores)) is not None:
            found.setdefault(most, []).append(name)
    for most, names in found.items():
        yield (
            f"By {listed(names)}, the runs of {most} vary more than those of other systems, so with pooled runs the p "
            f"for the method is too small where {most} is compared: use separate runs (--runs separate)."
        )


def describe_agreement(metrics: Mapping[str, MetricComparison]) -> Iterable[str]:
    """Say in how many comparisons the metrics that have a direction give the same verdict, of those that all decide."""
    directed = [name for name, metric in metrics.items() if has_direction(metric) and metric.comparisons]
    if len(directed) < 2:
        return
    verdicts: dict[frozenset[str], list[tuple[str, str | None]]] = {}
    for name in directed:
        for pair in metrics[name].comparisons:
            verdicts.setdefault(frozenset((pair.a, pair.b)), []).append((pair.conclusion, pair.better))
    of_all = [found for found in verdicts.values() if len(found) == len(directed)]
    decided = [found for found in of_all if all(conclusion != "undecided" for conclusion, _ in found)]
    same = sum(len(set(found)) == 1 for found in decided)
    if len(decided) > 1:
        which = "" if len(decided) == len(verdicts) else " that all of them decide"
        yield f"{listed(directed)} come to the same verdict in {same} of {len(decided)} comparisons{which}."


def describe_impossible(comparison: Comparison) -> Iterable[str]:
    """Say where no difference could have been shown, because too little can be exchanged."""
    size = 1 - comparison.level
    stuck: dict[str, list[str]] = {}
    of_all = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    for name, metric in comparison.metrics.items():
        count, needed = metric.family_size, comparison.settings.min_trials(metric.family_size)
        family = of_all if comparison.family == "all" else metric.comparisons
        best = min(
            (pair for pair in family if pair.segments_differing),
            key=lambda pair: pair.smallest_p,
            default=None,
        )
        if best is None or (
            best.smallest_p * count <= size + ROUNDING if is_exact(best) else metric.n_trials >= needed
        ):
            continue
        times = "" if count == 1 else f" (before Holm's factor of {count})"
        lowest = show_p(best.smallest_p, p_digits(best, metric.n_trials))
        why = (
            f"so few {name_units(comparison.unit)} differ that p cannot be below {lowest}{times}"
            if is_exact(best)
            else f"{metric.n_trials:,} trials are too few, at least {needed:,} are needed"
        )
        stuck.setdefault(why, []).append(name)
    if stuck:
        everywhere = len(stuck) == 1 and len(comparison.metrics) == len(next(iter(stuck.values())))
        clauses = [why if everywhere else f"by {listed(names)} {why}" for why, names in stuck.items()]
        yield f"No difference could have been shown at {in_percent(size)}: {'; '.join(clauses)}."
