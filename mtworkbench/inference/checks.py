"""What every test asks of its arguments before it draws anything."""

from __future__ import annotations

import math
import warnings
from collections.abc import Sequence

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.segment_statistics import SystemStatistics, TestSet


def check_draws(name: str, number: int) -> None:
    """Raise an `InputError` unless ``number`` of resamples or trials is an integer of at least 1."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError("draws", f"{name} is {number!r}, but an integer of at least 1 was expected.")


def choose_n_resamples(n_resamples: int | None, level: float) -> int:
    """Return the number of resamples: the one asked for, or 1,000, or 20 / (1 - level) where that is more.

    Raises
    ------
    InputError
        Where ``n_resamples`` is neither None nor an integer of at least 1.
    """
    if n_resamples is None:
        return max(1000, math.ceil(round(20 / (1 - level), 9)))
    check_draws("n_resamples", n_resamples)
    return int(n_resamples)


#: An interval whose ends are resamples needs one resample beyond each end, and is steady with ten.
LEAST_BEYOND, ENOUGH_BEYOND = 1, 10


def resamples_beyond(n_resamples: int, level: float) -> float:
    """Return how many resamples lie beyond each end of an interval: n (1 - level) / 2, rounded to 9 decimals."""
    return round(n_resamples * (1 - level) / 2, 9)


def enough_resamples(numbers: Sequence[int], level: float) -> list[int]:
    """Return those numbers of resamples that are enough for a steady interval at a level: what a control offers."""
    return [number for number in numbers if resamples_beyond(number, level) >= ENOUGH_BEYOND]


def check_resamples(n_resamples: int, level: float, method: str) -> None:
    """Check that there are enough resamples for an interval whose ends are resamples.

    Raises
    ------
    InputError
        ``few-resamples`` where less than one resample lies beyond each end, so that the ends would be the smallest and
        the largest.

    Warns
    -----
    DataWarning
        ``few-resamples`` where fewer than ten do.
    """
    beyond = resamples_beyond(n_resamples, level)
    if method == "jackknife" or beyond >= ENOUGH_BEYOND:
        return
    interval = f"a {method} interval at {100 * level:g} %"
    steady = math.ceil(round(2 * ENOUGH_BEYOND / (1 - level), 9))
    if beyond < LEAST_BEYOND:
        least = math.ceil(round(2 * LEAST_BEYOND / (1 - level), 9))
        raise InputError(
            "few-resamples",
            f"{n_resamples:,} resamples are too few for {interval}: at least {least:,} are needed, and {steady:,} or "
            "more are better.",
        )
    warnings.warn(
        DataWarning(
            "few-resamples",
            f"{n_resamples:,} resamples are few for {interval}: only {beyond:.3g} of them lie beyond each end. With "
            f"{steady:,} or more it is steadier.",
            count=n_resamples,
        ),
        stacklevel=3,
    )


def check_level(level: float) -> None:
    """Raise an `InputError` unless the level lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise InputError("level", f"level is {level!r}, but a number between 0 and 1, such as 0.95, was expected.")


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise an `InputError` unless ``value`` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise InputError("unknown-option", f"{name} is {value!r}, but one of {expected} was expected.")


def check_same_test_set(a: TestSet, b: TestSet, name_a: str, name_b: str) -> None:
    """Raise an `InputError` that says in what two test sets differ; ``name_a``, ``name_b`` say whose they are."""
    if len(a) != len(b) or not np.array_equal(a.segments, b.segments):
        raise InputError(
            "different-segments",
            f"{name_a} and {name_b} are not on the same segments ({len(a)} and {len(b)} of them): "
            "compare outputs of one test set, taking the same segments of both.",
        )
    if a.normalization != b.normalization:
        raise InputError(
            "different-normalization",
            f"{name_a} and {name_b} differ in that only one of them was read with accept='nfc': read both alike.",
        )
    if a.references != b.references or a.n_references != b.n_references:
        raise InputError(
            "different-references",
            f"{name_a} and {name_b} were scored with different references: compute both with the same reference files.",
        )
    if a != b:
        raise InputError(
            "different-documents",
            f"{name_a} and {name_b} do not have the same documents: compute both with the same document ids.",
        )


def check_comparable(a: SystemStatistics, b: SystemStatistics) -> None:
    """Raise an `InputError` unless two systems have statistics of one metric on one test set."""
    signatures = [system.metric_signature or system.metric.signature for system in (a, b)]
    if a.metric != b.metric or signatures[0] != signatures[1]:
        raise InputError(
            "different-metrics",
            f"{a.system!r} has statistics of {a.metric.name} ({signatures[0]}), but {b.system!r} of {b.metric.name} "
            f"({signatures[1]}): compute both under the same metric.",
        )
    check_same_test_set(a.test_set, b.test_set, repr(a.system), repr(b.system))


def check_exchange(a: SystemStatistics, b: SystemStatistics, exchange: str) -> None:
    """Raise an `InputError` where runs cannot be paired by number."""
    if exchange == "run" and a.n_runs != b.n_runs:
        raise InputError(
            "unequal-runs",
            f"{a.system!r} has {a.n_runs} runs and {b.system!r} has {b.n_runs}, but exchange='run' pairs runs by "
            "number: give equal numbers of runs, or use exchange='unit'.",
        )
