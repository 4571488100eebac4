"""What BLEU is made of: Koehn (2004), §2, Table 1, and its dependence on references (§2.3)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import comb

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.one_set import measure_lengths
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import Bleu
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.papers.common.systems import mean_scores
from mtworkbench.papers.simulation.pseudotext import name_reference
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, random_samples, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, compute_statistics, reference_columns
from mtworkbench.wording import listed
from mtworkbench.words.lines import wrap


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
            columns = _columns_up_to(order, orders)
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


def _columns_up_to(order: int, orders: int) -> list[int]:
    """Return which of BLEU's statistics are those with n-grams up to an order: lengths, matches, n-grams."""
    return [0, 1, *range(2, 2 + order), *range(2 + orders, 2 + orders + order)]


def tabulate_systems(statistics: SegmentStatistics) -> pd.DataFrame:
    """Score each system on the whole test set as Koehn (2004), Table 1, does.

    Returns
    -------
    DataFrame
        One row per system: ``system``, ``precision_1``, ``precision_4`` (%), ``length_ratio``, ``brevity_penalty``
        (which the paper does not print; means over runs), ``bleu``.
    """
    orders = score_orders(statistics)
    precision = orders.pivot(index="system", columns="order", values="precision")
    table = ScoreTable.of([statistics[name] for name in statistics])
    lengths = [measure_lengths(table, place) for place in range(len(statistics))]
    return pd.DataFrame(
        {
            "system": list(statistics),
            "precision_1": precision.loc[list(statistics), 1].to_numpy(),
            "precision_4": precision.loc[list(statistics), 4].to_numpy(),
            "length_ratio": [ratio for ratio, _ in lengths],
            "brevity_penalty": [penalty for _, penalty in lengths],
            "bleu": list(mean_scores(statistics).values()),
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
    columns = {one.metric.name: mean_scores(one) for one in statistics}
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
        if has_direction(one.metric):
            scores, sign = mean_scores(one), sign_of(one.metric)
            ranking = tuple(sorted(scores, key=lambda name: -sign * scores[name]))
            metrics.setdefault(ranking, []).append(one.metric.name)
    if len(metrics) == 1 and len(names := next(iter(metrics.values()))) > 1:
        (ranking,) = metrics
        return wrap([f"{listed(names)} rank the systems in the same order: {', '.join(ranking)}."])
    lines = [
        f"{listed(names)} {'rank' if len(names) > 1 else 'ranks'} the systems: {', '.join(ranking)}."
        for ranking, names in metrics.items()
    ]
    return wrap(lines, finding=False)


def share_references(outputs: pd.DataFrame) -> pd.DataFrame:
    """Keep references and segments such that every segment has every reference.

    References are ordered by how many segments have them. The first references are kept, as many as at least half of
    the segments have in common, but at least two. Then the segments that have all of these are kept, and the columns
    are renamed `reference`, `reference_2` ...

    Parameters
    ----------
    outputs : DataFrame
        With reference columns.

    Returns
    -------
    DataFrame
        The outputs themselves if nothing is missing.

    Raises
    ------
    InputError
        If no segment has two of the references that cover most segments (``no-common-references``).

    Warns
    -----
    DataWarning
        Where references or segments were left out (code ``"left-out"``).
    """
    names = reference_columns(outputs)
    present = outputs.drop_duplicates("segment").set_index("segment")[names].notna()
    if present.to_numpy().all():
        return outputs
    by_cover = present.mean().sort_values(ascending=False, kind="stable").index
    complete = present[by_cover].cumprod(axis=1).astype(bool)
    n_kept = max(min(2, len(names)), int((complete.mean() >= 0.5).sum()))
    kept = [name for name in names if name in by_cover[:n_kept]]
    segments = complete.index[complete.iloc[:, n_kept - 1]]
    if not len(segments):
        raise InputError(
            "no-common-references",
            f"No segment has both {listed(kept)}, the references that cover most segments, so several references "
            "cannot be compared: give outputs with one reference, or with references that share segments.",
        )
    warnings.warn(
        DataWarning(
            "left-out",
            f"Some segments lack one or more of the {len(names)} references. This section uses only {listed(kept)}, "
            f"and only the {len(segments):,} of {len(present):,} segments that have "
            f"{'both' if n_kept == 2 else 'all of these'}.",
            count=len(present) - len(segments),
        ),
        stacklevel=2,
    )
    return _keep_references(outputs[outputs["segment"].isin(segments)], kept)


def _keep_references(outputs: pd.DataFrame, kept: Sequence[str]) -> pd.DataFrame:
    """Leave out the other references, and number those that are kept."""
    renamed = {old: name_reference(number) for number, old in enumerate(kept, start=1)}
    others = [name for name in reference_columns(outputs) if name not in kept]
    return outputs.drop(columns=others).rename(columns=renamed)


def score_reference_counts(
    outputs: pd.DataFrame,
    metric: Bleu | None = None,
    *,
    n_choices: int = 10,
    progress: Progress | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Score systems with one reference, two, three ... (Koehn (2004), §2.3).

    Parameters
    ----------
    outputs : DataFrame
        With several reference columns; if some segments lack a reference, see `share_references`.
    metric : Metric, optional
        BLEU unless given.
    n_choices : int
        The largest number of choices that are drawn for each number of references; all are taken if there are fewer.
        All choices of one and of two references are taken.
    progress : callable, optional
        Wraps the choices of references, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (system, references, choice): ``system``, ``references`` (how many), ``choice`` (their columns),
        ``score``.
    """
    outputs = share_references(outputs)
    columns = reference_columns(outputs)
    random_key = resolve_rng(rng)
    rows = []
    choices = [
        choice
        for count in range(1, len(columns) + 1)
        for choice in _choose_references(len(columns), count, n_choices, random_key.sample(count))
    ]
    for choice in progress(choices) if progress else choices:
        chosen = [columns[position] for position in choice]
        statistics = compute_statistics(_keep_references(outputs, chosen), metric or Bleu())
        rows += [
            {"system": name, "references": len(chosen), "choice": "+".join(chosen), "score": score}
            for name, score in mean_scores(statistics).items()
        ]
    return pd.DataFrame(rows)


def score_references(outputs: pd.DataFrame, metric: Bleu | None = None) -> pd.DataFrame:
    """Score each human reference, and all systems, against the other references (Koehn (2004), §2.3).

    "Relative human BLEU" divides a system's score by a human's; the paper finds such numbers unrealistically high.

    Parameters
    ----------
    outputs : DataFrame
        With several reference columns; if some segments lack a reference, see `share_references`.
    metric : Metric, optional
        BLEU unless given.

    Returns
    -------
    DataFrame
        One row per (held-out reference, scored): ``held_out``, ``scored`` ("human" or the system's name), ``score``,
        ``relative_to_human`` (%).
    """
    outputs = share_references(outputs)
    columns = reference_columns(outputs)
    if len(columns) < 2:
        raise InputError(
            "one-reference",
            f"A reference is scored against the others, but there are {len(columns)}: give at least two.",
        )
    systems = list(dict.fromkeys(outputs["system"]))
    rows = []
    for held_out in columns:
        part = _keep_references(outputs, [column for column in columns if column != held_out])
        first = part[(part["system"] == systems[0]) & (part["run"] == part["run"].min())]
        human = first.assign(system="human", hypothesis=outputs.loc[first.index, held_out])
        scores = mean_scores(compute_statistics(pd.concat([human, part], ignore_index=True), metric or Bleu()))
        relative = {name: 100 * score / scores["human"] for name, score in scores.items()}
        rows += [
            {"held_out": held_out, "scored": name, "score": score, "relative_to_human": relative[name]}
            for name, score in scores.items()
        ]
    return pd.DataFrame(rows)


def _choose_references(n_references: int, count: int, n_choices: int, random_key) -> Sequence[Sequence[int]]:
    """Return all choices of that many references, or, of three and more, ``n_choices`` different random ones."""
    if count <= 2 or comb(n_references, count) <= n_choices:
        return list(combinations(range(n_references), count))
    drawn: dict[tuple[int, ...], None] = {}
    for sample in random_samples(n_references, count, 20 * n_choices, rng=random_key):
        drawn.setdefault(tuple(int(position) for position in sample))
        if len(drawn) == n_choices:
            break
    return list(drawn)
