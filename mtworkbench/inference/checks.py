"""What every test asks of its arguments before it draws anything."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.statistics.identity import check_same_segments
from mtworkbench.statistics.segment_statistics import SystemStatistics

#: Resamples are drawn unless the level needs more, or another number is asked for.
USUAL_RESAMPLES = 1000
#: So many resamples should lie beyond each end of an interval; with fewer its ends are rough.
ENOUGH_BEYOND_AN_END = 10
#: The intervals whose ends are read off the sorted resamples, as sentences call them.
RESAMPLED_INTERVALS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


def check_draws(name: str, number: int) -> None:
    """Raise an `InputError` unless ``number`` of resamples or trials is an integer of at least 1."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError("draws", f"{name} is {number!r}, but an integer of at least 1 was expected.")


def check_level(level: float) -> None:
    """Raise an `InputError` unless the level lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise InputError("level", f"level is {level!r}, but a number between 0 and 1, such as 0.95, was expected.")


def count_needed_resamples(level: float, beyond: int = ENOUGH_BEYOND_AN_END) -> int:
    """Return how many resamples put ``beyond`` of them beyond each end of an interval: 400 for 10 at 95 %."""
    needed = math.floor(2 * beyond / (1 - level))
    return needed if round(needed * (1 - level) / 2, 9) >= beyond else needed + 1


def enough_resamples(numbers: Sequence[int], level: float) -> list[int]:
    """Return those numbers of resamples that suffice for an interval at a level: what a control offers."""
    return [number for number in numbers if number >= count_needed_resamples(level)]


def choose_n_resamples(n_resamples: int | None, level: float) -> int:
    """Return the number of resamples to draw.

    Parameters
    ----------
    n_resamples : int or None
        What was asked for; None leaves the choice to the level.
    level : float
        Of the intervals that are made of the resamples.

    Returns
    -------
    int
        The number that was asked for, or else 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).

    Raises
    ------
    InputError
        Where the number is not an integer of at least 1 (``draws``), or the level does not lie between 0 and 1
        (``level``).
    """
    check_level(level)
    if n_resamples is None:
        return max(USUAL_RESAMPLES, count_needed_resamples(level))
    check_draws("n_resamples", n_resamples)
    return int(n_resamples)


def check_resamples(n_resamples: int, level: float, method: str) -> None:
    """Refuse an interval whose ends would be the smallest and the largest of its resamples; warn of a rough one.

    Parameters
    ----------
    n_resamples : int
    level : float
    method : str
        Methods that do not read their ends off the sorted resamples, such as ``jackknife``, are not checked.

    Raises
    ------
    InputError
        Where less than one resample lies beyond each end (``few-resamples``).

    Warns
    -----
    DataWarning
        Where fewer than 10 do (``few-resamples``).
    """
    if method not in RESAMPLED_INTERVALS:
        return
    beyond = round(n_resamples * (1 - level) / 2, 9)
    if beyond >= ENOUGH_BEYOND_AN_END:
        return
    interval = f"{100 * level:.10g} % {RESAMPLED_INTERVALS[method]} interval"
    enough, how = count_needed_resamples(level), "(n_resamples, --resamples)"
    if beyond < 1:
        raise InputError(
            "few-resamples",
            f"{n_resamples:,} {'resample is' if n_resamples == 1 else 'resamples are'} too few for the {interval}, "
            f"because less than one lies beyond each end: use at least {count_needed_resamples(level, 1):,}, "
            f"preferably {enough:,} {how}.",
        )
    warnings.warn(
        DataWarning(
            "few-resamples",
            f"{n_resamples:,} resamples give only a rough {interval}, because only {int(beyond)} of them "
            f"{'lies' if int(beyond) == 1 else 'lie'} beyond each end: use at least {enough:,} {how}.",
            count=n_resamples,
        ),
        stacklevel=3,
    )


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise an `InputError` unless ``value`` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise InputError("unknown-option", f"{name} is {value!r}, but one of {expected} was expected.")


def check_comparable(a: SystemStatistics, b: SystemStatistics) -> None:
    """Raise an `InputError` unless two systems have statistics of one metric on one test set."""
    signatures = [system.metric_signature or system.metric.signature for system in (a, b)]
    if a.metric != b.metric or signatures[0] != signatures[1]:
        raise InputError(
            "different-metrics",
            f"{a.system!r} has statistics of {a.metric.name} ({signatures[0]}), but {b.system!r} of {b.metric.name} "
            f"({signatures[1]}): compute both under the same metric.",
        )
    check_same_segments(repr(a.system), a.test_set, repr(b.system), b.test_set)


def check_exchange(a: SystemStatistics, b: SystemStatistics, exchange: str) -> None:
    """Raise an `InputError` where runs cannot be paired by number."""
    if exchange == "run" and a.n_runs != b.n_runs:
        raise InputError(
            "unequal-runs",
            f"{a.system!r} has {a.n_runs} runs and {b.system!r} has {b.n_runs}, but exchange='run' pairs runs by "
            "number: give equal numbers of runs, or use exchange='unit'.",
        )
