"""Parts of a test set, made of whole units: which system leads on them, and whether that is significant."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.units import labels_of
from mtworkbench.inference.verdicts import judge_tests
from mtworkbench.resampling import RandomKey
from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import ROUNDING

# The two systems of every table here.
PAIR = (0, 1)


@dataclass(frozen=True)
class Test:
    """How parts of a test set are tested.

    Parameters
    ----------
    level : float
    n_trials : int
    random_key : RandomKey
    """

    __test__ = False  # not a test for pytest to collect

    level: float
    n_trials: int
    random_key: RandomKey

    def __call__(self, table: ScoreTable) -> dict[str, object]:
        """Run the randomization test on a table of two systems; return what a row says of it.

        It is the test of `approximate_randomization`, with the same coins for the same ``rng``.
        """
        [found] = randomize(
            table,
            [PAIR],
            exchange="unit",
            n_trials=self.n_trials,
            random_key=self.random_key,
            keep_differences=False,
        )
        [judged] = judge_tests([found], self.level)
        return {
            "p_value": found.p_value,
            "n_trials": None if found.exact else self.n_trials,
            "verdict": judged.verdict,
        }


def describe_pair(table: ScoreTable) -> dict[str, object]:
    """Return what all rows on a table of two systems have in common."""
    a, b = table.systems
    return {
        "metric": a.metric.name,
        "higher_is_better": a.metric.higher_is_better,
        "a": a.system,
        "b": b.system,
        "unit": table.units.name,
    }


def count_differing(table: ScoreTable) -> int:
    """Count the units in which the statistics of the two systems differ: the others' coins change nothing."""
    return int(np.count_nonzero(table.differing(PAIR)))


def cannot_reject(n_differing: int, level: float) -> bool:
    """Tell whether differing units are so few that even the smallest p of all exchanges is above 1 - level."""
    return smallest_p(n_differing, 0, True) > 1 - level + ROUNDING


def check_units(table: ScoreTable, at_least: int, purpose: str) -> None:
    """Raise an `InputError` (``few-units``) where a table has too few units."""
    count = table.units.count
    if count < at_least:
        raise InputError(
            "few-units",
            f"There {'is' if count == 1 else 'are'} only {count} {name_units(table.units.name, count)}, but at least "
            f"{at_least} are needed {purpose}: use smaller units (unit).",
        )


def take_units(table: ScoreTable, kept: np.ndarray) -> ScoreTable:
    """Return the table of some units.

    Parameters
    ----------
    table : ScoreTable
        Without strata.
    kept : (n_units,) ndarray of bool
    """
    segments = kept[table.units.of_segment]
    numbers = np.cumsum(kept) - 1
    units = replace(table.units, count=int(kept.sum()), of_segment=numbers[table.units.of_segment[segments]])
    return ScoreTable(tuple(system.take(segments) for system in table.systems), units)


def label_units(table: ScoreTable) -> list[str]:
    """Return what each unit is called: its document; the number of its segment; the first and last of a block."""
    test_set, units = table.systems[0].test_set, table.units
    firsts = np.unique(units.of_segment, return_index=True)[1]
    if units.name == "segment":
        return [str(number) for number in test_set.segments]
    if units.block_length is not None:
        lasts = [*firsts[1:] - 1, len(test_set) - 1]
        return [f"{test_set.segments[one]}-{test_set.segments[last]}" for one, last in zip(firsts, lasts, strict=True)]
    return [str(label) for label in labels_of(test_set, "unit", units.name)[firsts]]


def count_segments(table: ScoreTable) -> np.ndarray:
    """Return the number of segments of each unit, (n_units,) ndarray of int64."""
    return np.bincount(table.units.of_segment, minlength=table.units.count)


def differences_without(table: ScoreTable) -> np.ndarray:
    """Return the difference of two systems without each unit, (n_units,) ndarray: the total minus a row, scored.

    With several runs it is that of the mean scores.
    """
    score_a, score_b = (
        np.mean([system.metric.score(sums.sum(axis=0) - sums) for sums in map(table.units.sum, floats)], axis=0)
        for system, floats in ((one, one.values.astype(np.float64)) for one in table.systems)
    )
    return score_a - score_b
