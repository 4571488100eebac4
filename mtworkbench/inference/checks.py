"""What every test asks of its arguments before it draws anything."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.segment_identity import check_same_segments
from mtworkbench.segment_statistics import SystemStatistics


def check_draws(name: str, number: int) -> None:
    """Raise an `InputError` unless ``number`` of resamples or trials is an integer of at least 1."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError("draws", f"{name} is {number!r}, but an integer of at least 1 was expected.")


def check_level(level: float) -> None:
    """Raise an `InputError` unless the level lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise InputError("level", f"level is {level!r}, but a number between 0 and 1, such as 0.95, was expected.")


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
