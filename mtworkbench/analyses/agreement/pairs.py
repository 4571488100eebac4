"""On which pairs of systems a metric comes to the same conclusion as humans."""

from __future__ import annotations

import pandas as pd

from mtworkbench.analyses.agreement.scores import check_direction
from mtworkbench.errors import InputError
from mtworkbench.inference import Comparison, MetricComparison, PairEstimate
from mtworkbench.metrics.directions import sign_of
from mtworkbench.wording import be, tally
from mtworkbench.words.lines import wrap

#: What a metric and humans say of a pair; "show": significantly different. Undecided: p is too close to the level.
OUTCOMES = (
    "both show a difference, same order",
    "both show a difference, opposite order",
    "only humans show a difference",
    "only the metric shows a difference",
    "neither shows a difference",
    "undecided",
)


def tabulate_pairs(comparison: Comparison, human: str) -> pd.DataFrame:
    """Lay what metrics say of each pair of systems next to what humans say.

    Parameters
    ----------
    comparison : Comparison
        Of human scores and at least one metric, on all pairs or with a baseline: `mtworkbench.compare`. Verdicts are
        its own, adjusted for the number of comparisons, on these outputs.
    human : str
        The name of the human scores in the comparison.

    Returns
    -------
    DataFrame
        One row per metric and pair: ``human`` and ``metric`` (names), ``a``, ``b`` (a has the better human score),
        ``human_difference``, ``human_low``, ``human_high``, ``human_verdict``, ``difference``, ``low``, ``high``,
        ``verdict`` (of the metric), ``level`` (of both intervals, which are those that tables print), ``same_order``,
        ``outcome`` (one of `OUTCOMES`). All differences are positive where a is better, also where lower scores are
        better. The outcome is undecided where one of the two verdicts is.

    Raises
    ------
    InputError
        ``unknown-metric`` where the comparison has no scores of that name, ``no-pairs`` where they are compared with
        no other metric or for no pair, ``direction`` where scores have no direction.
    """
    named = {metric.name: metric for metric in comparison.metrics.values()}
    if human not in named:
        there = ", ".join(map(repr, named))
        problem = f"The comparison has no scores {human!r}, only {there}: give the name of the human scores."
        raise InputError("unknown-metric", problem, found=human)
    for metric in named.values():
        check_direction(metric)
    judged = {frozenset((pair.a, pair.b)): pair for pair in named[human].comparisons}
    rows = [
        _lay_beside(named[human], judged[systems], metric, pair)
        for metric in named.values()
        if metric is not named[human]
        for pair in metric.comparisons
        if (systems := frozenset((pair.a, pair.b))) in judged
    ]
    if not rows:
        raise InputError(
            "no-pairs",
            f"The comparison has no pair of systems with scores of {human!r} and of a metric: compare human scores "
            "and at least one metric on the same systems.",
        )
    return pd.DataFrame(rows)


def _lay_beside(humans: MetricComparison, judged: PairEstimate, metric: MetricComparison, pair: PairEstimate) -> dict:
    if sign_of(humans) * judged.difference < 0:
        judged = judged.turned()
    if pair.a != judged.a:
        pair = pair.turned()
    by_humans, by_metric = _oriented(humans, judged), _oriented(metric, pair)
    same_order = (by_humans[0] > 0) == (by_metric[0] > 0) and (by_humans[0] == 0) == (by_metric[0] == 0)
    return {
        "human": humans.name,
        "metric": metric.name,
        "a": judged.a,
        "b": judged.b,
        **dict(zip(("human_difference", "human_low", "human_high"), by_humans, strict=True)),
        "human_verdict": judged.verdict,
        **dict(zip(("difference", "low", "high"), by_metric, strict=True)),
        "verdict": pair.verdict,
        "level": metric.settings.level,
        "same_order": same_order,
        "outcome": _outcome(judged.verdict, pair.verdict, same_order),
    }


def _oriented(metric: MetricComparison, pair: PairEstimate) -> tuple[float, float | None, float | None]:
    """Return difference and interval, such that it is positive where a is better."""
    sign = sign_of(metric)
    low, high, _ = pair.ends if sign > 0 else pair.ends.turned()
    return sign * pair.difference, low, high


def _outcome(human_verdict: str, verdict: str, same_order: bool) -> str:
    if "undecided" in (human_verdict, verdict):
        return OUTCOMES[5]
    by_humans, by_metric = human_verdict == "significant", verdict == "significant"
    if by_humans and by_metric:
        return OUTCOMES[0 if same_order else 1]
    return OUTCOMES[2 if by_humans else 3 if by_metric else 4]


def describe_pairs(frame: pd.DataFrame) -> str:
    """Say of each metric how many pairs it orders as humans do, and which ones both show in opposite order.

    Parameters
    ----------
    frame : DataFrame
        Of `tabulate_pairs`.
    """
    lines = []
    for metric, part in frame.groupby("metric", sort=False):
        same, opposite, only_humans, only_metric, neither, undecided = (
            int((part["outcome"] == outcome).sum()) for outcome in OUTCOMES
        )
        sentences = [
            f"{metric} orders {_share(part)} as humans do.",
            f"Both show a difference in {tally(same + opposite, 'pair')}, only humans in {tally(only_humans, 'pair')}, "
            f"only {metric} in {tally(only_metric, 'pair')}, and neither in {tally(neither, 'pair')}.",
        ]
        if undecided:
            sentences.append(f"{tally(undecided, 'pair')} {be(undecided)} undecided.")
        if opposite:
            names = (f"{row.a} and {row.b}" for row in part[part["outcome"] == OUTCOMES[1]].itertuples())
            sentences.append(f"Both show a difference, but in opposite directions: {'; '.join(names)}.")
        elif same:
            sentences.append("Where both show a difference, the order is the same.")
        lines.append(" ".join(sentences))
    return wrap(lines, indent="  ", finding=False)


def title_pairs(frame: pd.DataFrame) -> str:
    """Say how many pairs each metric orders as humans do."""
    shares = [f"{_share(part)} by {metric}" for metric, part in frame.groupby("metric", sort=False)]
    if frame.groupby("metric").size().nunique() == 1:  # "pairs" is said once
        shares[1:] = [share.replace(" pairs by", " by", 1).replace(" pair by", " by", 1) for share in shares[1:]]
    return f"Same order as humans: {', '.join(shares)}"


def _share(part: pd.DataFrame) -> str:
    return f"{int(part['same_order'].sum())} of {tally(len(part), 'pair')}"
