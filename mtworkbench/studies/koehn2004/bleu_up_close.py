"""What BLEU is made of: Koehn (2004), §2, Table 1, and its dependence on references (§2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from math import comb
from textwrap import fill

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu
from mtworkbench.resampling import random_samples, resolve_rng
from mtworkbench.segment_statistics import SegmentStatistics, compute_statistics, reference_columns


def score_orders(statistics: SegmentStatistics) -> pd.DataFrame:
    """Take BLEU apart by the order of n-grams (Koehn (2004), Table 1; "we could go beyond 4").

    Parameters
    ----------
    statistics : SegmentStatistics
        Of `Bleu`, with n-grams up to any order.

    Returns
    -------
    DataFrame
        One row per (system, order): ``system``, ``order``, ``precision`` (%), ``score`` (BLEU with n-grams up to this
        order), ``no_match_percent``: share of segments without a single matching n-gram of this order. Statistics of
        several runs are summed.

    Raises
    ------
    InputError
        For statistics of another metric.
    """
    metric = statistics.metric
    if not isinstance(metric, Bleu):
        raise InputError(
            "different-metrics", f"Orders of n-grams were asked for, but the statistics are of {metric.name}, not BLEU."
        )
    orders = metric.max_ngram_order
    rows = []
    for name, system in statistics.items():
        totals = system.values.sum(axis=(0, 1)).astype(np.float64)
        for order in range(1, orders + 1):
            matches, ngrams = 1 + order, 1 + orders + order
            columns = [0, 1, *range(2, 2 + order), *range(2 + orders, 2 + orders + order)]
            rows.append(
                {
                    "system": name,
                    "order": order,
                    "precision": 100 * totals[matches] / totals[ngrams] if totals[ngrams] else 0.0,
                    "score": float(replace(metric, max_ngram_order=order).score(totals[columns])),
                    "no_match_percent": 100 * float((system.values[..., matches] == 0).mean()),
                }
            )
    return pd.DataFrame(rows)


def describe_orders(frame: pd.DataFrame) -> str:
    """Say whether the order of n-grams changes the scores' ranking, and how many segments lack matches.

    Parameters
    ----------
    frame : DataFrame
        Of `score_orders`.
    """
    scores = frame.pivot(index="system", columns="order", values="score")
    usual = min(4, scores.columns.max())
    changes: dict[tuple[str, str], list[int]] = {}
    for a, b in combinations(scores[usual].sort_values(ascending=False, kind="stable").index, 2):
        orders = [order for order in scores if scores[order][a] < scores[order][b]]
        if orders and scores[usual][a] > scores[usual][b]:
            changes[a, b] = orders
    lines = []
    for (a, b), orders in changes.items():
        distance = scores[usual][a] - scores[usual][b]
        lines.append(
            f"{a} and {b}, {distance:.2f} BLEU apart with n-grams up to {usual}, change places with n-grams up to "
            f"{_join(map(str, orders))}."
        )
    others = "all other pairs of systems have" if changes else "every pair of systems has"
    if len(scores) > 1:
        others = "all other pairs of systems keep" if changes else "every pair of systems keeps"
        lines.append(f"With n-grams up to any order from 1 to {scores.columns.max()}, {others} the same order.")
    n_falling = (scores.diff(axis=1).iloc[:, 1:] < 0).all(axis=1).sum()
    whose = "every system" if n_falling == len(scores) else f"{n_falling} of {len(scores)} systems"
    lines.append(f"Each further order lowers the score of {whose}.")
    without = frame[frame["order"] == usual].set_index("system")["no_match_percent"]
    low, high = without.min(), without.max()
    share = f"{low:.0f} %" if round(low) == round(high) else f"Depending on the system, {low:.0f} to {high:.0f} %"
    lines.append(f"{share} of the segments have no matching {usual}-gram.")
    return "\n".join(fill(line, 104) for line in lines)


def tabulate_systems(statistics: SegmentStatistics) -> pd.DataFrame:
    """Score each system on the whole test set as Koehn (2004), Table 1, does.

    Returns
    -------
    DataFrame
        One row per system: ``system``, ``precision_1``, ``precision_4`` (%), ``bleu``.
    """
    orders = score_orders(statistics)
    precision = orders.pivot(index="system", columns="order", values="precision")
    scores = [float(scores.mean()) for scores in statistics.score().values()]
    return pd.DataFrame(
        {
            "system": list(statistics),
            "precision_1": precision.loc[list(statistics), 1].to_numpy(),
            "precision_4": precision.loc[list(statistics), 4].to_numpy(),
            "bleu": scores,
        }
    )


def tabulate_metrics(statistics: Sequence[SegmentStatistics]) -> pd.DataFrame:
    """Score each system under several metrics.

    Parameters
    ----------
    statistics : sequence of SegmentStatistics
        One per metric, of the same systems.

    Returns
    -------
    DataFrame
        One row per system: ``system``, and one column per metric, named after the metric (mean of the runs' scores).
    """
    columns = {
        one.metric.name: {name: float(scores.mean()) for name, scores in one.score().items()} for one in statistics
    }
    return pd.DataFrame(columns).rename_axis("system").reset_index()


def describe_rankings(statistics: Sequence[SegmentStatistics]) -> str:
    """Say which metrics rank the systems in the same order.

    Parameters
    ----------
    statistics : sequence of SegmentStatistics
        One per metric, of the same systems. Metrics without a direction are left out.

    Returns
    -------
    str
        One line per ranking, the best system first.
    """
    metrics: dict[tuple[str, ...], list[str]] = {}
    for one in statistics:
        if one.metric.higher_is_better is not None:
            sign = -1 if one.metric.higher_is_better else 1
            scores = {name: sign * float(score.mean()) for name, score in one.score().items()}
            metrics.setdefault(tuple(sorted(scores, key=scores.__getitem__)), []).append(one.metric.name)
    if len(metrics) == 1 and len(names := next(iter(metrics.values()))) > 1:
        (ranking,) = metrics
        return fill(f"{_join(names)} rank the systems in the same order: {', '.join(ranking)}.", 104)
    lines = [
        f"{_join(names)} {'rank' if len(names) > 1 else 'ranks'} the systems: {', '.join(ranking)}."
        for ranking, names in metrics.items()
    ]
    return "\n".join(fill(line, 104) for line in lines)


def score_reference_counts(
    outputs: pd.DataFrame, metric: Bleu | None = None, *, n_choices: int = 10, rng=None
) -> pd.DataFrame:
    """Score systems with one reference, two, three ... (Koehn (2004), §2.2).

    Parameters
    ----------
    outputs : DataFrame
        With several reference columns.
    metric : Metric, optional
        BLEU unless given.
    n_choices : int
        The largest number of choices that are drawn for each number of references; all are taken if there are fewer.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (system, references, choice): ``system``, ``references`` (how many), ``choice`` (their columns),
        ``score``.
    """
    columns = reference_columns(outputs)
    randomness = resolve_rng(rng)
    rows = []
    for count in range(1, len(columns) + 1):
        for choice in _choose_references(len(columns), count, n_choices, randomness.sample(count)):
            chosen = [columns[position] for position in choice]
            names = {old: _reference_name(number) for number, old in enumerate(chosen, start=1)}
            part = outputs.drop(columns=[column for column in columns if column not in chosen]).rename(columns=names)
            statistics = compute_statistics(part, metric or Bleu())
            rows += [
                {"system": name, "references": count, "choice": "+".join(chosen), "score": float(scores.mean())}
                for name, scores in statistics.score().items()
            ]
    return pd.DataFrame(rows)


def describe_reference_counts(frame: pd.DataFrame) -> str:
    """Say how far the number of references moves a score, and how far the choice of one reference does.

    Parameters
    ----------
    frame : DataFrame
        Of `score_reference_counts`.
    """
    most = frame["references"].max()
    if most == 1:
        return "There is one reference, so its number cannot vary."
    lines = []
    for system, part in frame.groupby("system", sort=False):
        single, every = (part[part["references"] == count]["score"] for count in (1, most))
        lines.append(
            f"{system}: {single.mean():.1f} with one reference ({single.min():.1f} to {single.max():.1f}, depending on "
            f"which), {every.mean():.1f} with all {most}."
        )
    return "\n".join(fill(line, 104) for line in lines)


def score_references(outputs: pd.DataFrame, metric: Bleu | None = None) -> pd.DataFrame:
    """Score each human reference, and all systems, against the other references (Koehn (2004), §2.2).

    "Relative human BLEU" divides a system's score by a human's; the paper finds such numbers unrealistically high.

    Parameters
    ----------
    outputs : DataFrame
        With several reference columns.
    metric : Metric, optional
        BLEU unless given.

    Returns
    -------
    DataFrame
        One row per (held-out reference, scored): ``held_out``, ``scored`` ("human" or the system's name), ``score``,
        ``relative_to_human`` (%).
    """
    columns = reference_columns(outputs)
    if len(columns) < 2:
        raise InputError(
            "one-reference",
            f"A reference is scored against the others, but there are {len(columns)}: give at least two.",
        )
    systems = list(dict.fromkeys(outputs["system"]))
    rows = []
    for held_out in columns:
        others = [column for column in columns if column != held_out]
        names = {old: _reference_name(number) for number, old in enumerate(others, start=1)}
        part = outputs.drop(columns=[held_out]).rename(columns=names)
        first = part[(part["system"] == systems[0]) & (part["run"] == part["run"].min())]
        human = first.assign(system="human", hypothesis=outputs.loc[first.index, held_out])
        scores = compute_statistics(pd.concat([human, part], ignore_index=True), metric or Bleu()).score()
        human_score = float(scores["human"].mean())
        rows += [
            {
                "held_out": held_out,
                "scored": name,
                "score": float(score.mean()),
                "relative_to_human": 100 * float(score.mean()) / human_score,
            }
            for name, score in scores.items()
        ]
    return pd.DataFrame(rows)


def _join(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _choose_references(n_references: int, count: int, n_choices: int, randomness) -> Sequence[Sequence[int]]:
    """Return all choices of that many references, or ``n_choices`` different ones drawn at random."""
    if comb(n_references, count) <= n_choices:
        return list(combinations(range(n_references), count))
    drawn: dict[tuple[int, ...], None] = {}
    for sample in random_samples(n_references, count, 20 * n_choices, rng=randomness):
        drawn.setdefault(tuple(int(position) for position in sample))
        if len(drawn) == n_choices:
            break
    return list(drawn)


def _reference_name(number: int) -> str:
    return "reference" if number == 1 else f"reference_{number}"
