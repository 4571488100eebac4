"""Which way is better: what a metric's ``higher_is_better`` means, and how the user sets it for mean scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.mean_score import DIRECTIONS, MeanScore, direction_by_name
from mtworkbench.metrics.protocol import Metric

if TYPE_CHECKING:
    import pandas as pd


class Directed(Protocol):
    """Anything that has a direction: a metric, or the result of one."""

    @property
    def higher_is_better(self) -> bool | None:
        """None where there is no direction."""


def has_direction(metric: Directed) -> bool:
    """Tell whether the metric has a direction. Without one, no wins are counted and no system is ranked."""
    return metric.higher_is_better is not None


def sign_of(metric: Directed) -> int:
    """Return 1 if higher is better, -1 if lower is better: of two scores multiplied by it, the larger is the better.

    Without a direction it is 1, so rows that need an order begin with the highest score. Before calling a system
    better, ask `has_direction`.
    """
    return -1 if has_direction(metric) and not metric.higher_is_better else 1


def describe_direction(metric: Directed) -> str:
    """Say which way is better; empty without a direction."""
    if not has_direction(metric):
        return ""
    return "higher is better" if metric.higher_is_better else "lower is better"


def tell_directions(metrics: Sequence[Metric], directions: Mapping[str, bool]) -> list[Metric]:
    """Set the directions of mean scores as the user gave them.

    Parameters
    ----------
    metrics : sequence of Metric
    directions : mapping of str to bool
        Whether higher is better, by the name that the mean score has in tables, in any case.

    Returns
    -------
    list of Metric
        In their order.

    Raises
    ------
    InputError
        ``direction`` where there is no mean score of a name, where it names a metric with a direction of its own, and
        where the directions are not True or False, one for each name.
    """
    told = _by_key(directions)
    for name in directions:
        _check_mean_score(name, metrics)
    return [
        replace(metric, higher_is_better=told[_key(metric.name)])
        if isinstance(metric, MeanScore) and _key(metric.name) in told
        else metric
        for metric in metrics
    ]


def _key(name: str) -> str:
    """Return what names are compared by: they are the same whatever their case."""
    return name.strip().casefold()


def _by_key(directions: Mapping[str, bool]) -> dict[str, bool]:
    if not isinstance(directions, Mapping) or not all(isinstance(name, str) for name in directions):
        raise InputError(
            "direction",
            f"The directions are {directions!r}, but a dictionary from the names of scores to True or False was "
            "expected, such as {'score': True}.",
        )
    told: dict[str, bool] = {}
    for name, higher in directions.items():
        if not isinstance(higher, bool):
            raise InputError("direction", f"The direction of {name!r} is {higher!r}, but True or False was expected.")
        if told.setdefault(_key(name), higher) != higher:
            raise InputError(
                "direction", f"The directions say both True and False of {name!r}: give each name once, in any case."
            )
    return told


def _check_mean_score(name: str, metrics: Sequence[Metric]) -> None:
    means = dict.fromkeys(metric.name for metric in metrics if isinstance(metric, MeanScore))
    if _key(name) in map(_key, means):
        return
    own = next((metric for metric in metrics if _key(metric.name) == _key(name)), None)
    if own is not None and not isinstance(own, MeanScore):
        better = {True: "higher is always better", False: "lower is always better", None: "neither direction is better"}
        problem = f"for {own.name} {better[own.higher_is_better]}: omit it"
    elif means:
        problem = f"no mean score has this name: name one of {', '.join(map(repr, means))}"
    else:
        problem = "there are no mean scores, and the direction of every other metric is fixed: omit it"
    raise InputError("direction", f"A direction was given for {name!r}, but {problem}.", found=name)


def unknown_direction(metric: MeanScore) -> DataWarning | None:
    """Make the warning that the direction of a mean score was not given; None where it is known."""
    if not metric.direction_is_unknown:
        return None
    message = (
        f"Nothing says whether higher or lower is better for the scores {metric.name!r}, so no wins are counted and "
        f"no system is called better; {how_to_tell(metric.name)}."
    )
    if "mqm" in map(_key, (metric.column, metric.name)):
        message += (
            " Look at the values: where they are negative, as in mt-metrics-eval, higher is better; where they count "
            "errors as positive numbers, lower is better."
        )
    return DataWarning("unknown-direction", message)


def negated_scores(metric: MeanScore, statistics: Iterable[np.ndarray]) -> DataWarning | None:
    """Make the warning that errors were perhaps negated, as mt-metrics-eval does, while the name says lower is better.

    Parameters
    ----------
    metric : MeanScore
    statistics : iterable of (n_runs, n_segments, 2) ndarray
        Of each system.

    Returns
    -------
    DataWarning or None
        None where some score is above 0 or all are 0, and where the direction is not that of the name.
    """
    if not metric.direction_is_by_name or metric.higher_is_better is not False:
        return None
    scores = [one[..., 0] for one in statistics]
    if max(float(one.max()) for one in scores) > 0 or min(float(one.min()) for one in scores) >= 0:
        return None
    return DataWarning(
        "opposite-direction",
        f"Lower is taken to be better for the scores {metric.name!r} because of their name, but none of them is above "
        f"0. If they were negated, so that higher is better, {how_to_tell(metric.name)}.",
    )


def assumed_direction(metric: MeanScore, origin: str) -> DataWarning:
    """Make the warning that an old file says "higher is better" because every mean score was taken so."""
    return DataWarning(
        "unknown-direction",
        f"The direction of {metric.name!r} in {origin} comes from an old version of mtworkbench, which assumed for all "
        f"scores that higher is better. If that is wrong, {how_to_tell(metric.name)}.",
    )


def opposite_direction(metric: MeanScore, origin: str) -> DataWarning:
    """Make the warning that an old file says the opposite of what the name of a mean score says."""
    said, known = ("higher", "lower") if metric.higher_is_better else ("lower", "higher")
    return DataWarning(
        "opposite-direction",
        f"{origin} says, as an old version of mtworkbench wrote, that {said} is better for {metric.name!r}. This is "
        f"followed, although for scores of this name {known} is normally better. If it is wrong, "
        f"{how_to_tell(metric.name)}.",
    )


def against_note(metric: MeanScore, outputs: pd.DataFrame) -> DataWarning | None:
    """Return the warning that a direction was given which is not the one that the outputs note.

    Where the name of the scores says which way is better, no note is trusted, and the user is asked.

    Parameters
    ----------
    metric : MeanScore
        As the user made it.
    outputs : DataFrame
        Perhaps with a column ``<column>_direction``.

    Returns
    -------
    DataWarning or None
        ``opposite-direction``.
    """
    note = f"{metric.column}_direction"
    by_name = direction_by_name(metric.column, metric.name)
    if note not in outputs.columns or by_name is not None or not has_direction(metric):
        return None
    noted = {one for one in outputs[note] if isinstance(one, str) and one in DIRECTIONS}
    if len(noted) != 1 or DIRECTIONS[noted.pop()] == metric.higher_is_better:
        return None
    given, known = ("higher", "lower") if metric.higher_is_better else ("lower", "higher")
    return DataWarning(
        "opposite-direction",
        f"The scores {metric.name!r} come with the note that {known} is better, but the direction that was given says "
        f"that {given} is better. This is followed; if it is wrong, leave the direction out.",
    )


def how_to_tell(name: str) -> str:
    """Say how to set the direction of a mean score, in Python and on the command line."""
    return (
        f"give the direction with --direction {name}=up or {name}=down (in Python, with higher_is_better=True or False "
        f"in MeanScore, or directions={{{name!r}: True or False}} in load_statistics)"
    )
