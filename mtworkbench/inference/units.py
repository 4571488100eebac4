"""What is drawn or exchanged: segments, or whole documents."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.checks import check_choice
from mtworkbench.resampling import number_units
from mtworkbench.statistics.segment_statistics import SystemStatistics, TestSet

#: From so many documents on, ``unit="auto"`` takes documents.
MIN_DOCUMENTS = 10


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a test set, numbered in the order of the reference file.

    Parameters
    ----------
    name : {"segment", "document"}
    count : int
        Number of units.
    of_segment : (n_segments,) ndarray of int64
        The unit of each segment, counted from 0.
    """

    name: str
    count: int
    of_segment: np.ndarray = field(repr=False)

    def sum(self, values: np.ndarray) -> np.ndarray:
        """Sum statistics over the segments of each unit.

        Parameters
        ----------
        values : (..., n_segments, n_statistics) ndarray

        Returns
        -------
        (..., n_units, n_statistics) ndarray
            Of the same type: sums of integers are exact.
        """
        if self.name == "segment":
            return values
        order = np.argsort(self.of_segment, kind="stable")
        starts = np.searchsorted(self.of_segment[order], np.arange(self.count))
        return np.add.reduceat(values[..., order, :], starts, axis=-2)


def choose_units(test_set: TestSet, unit: str) -> Units:
    """Choose what is drawn or exchanged.

    Parameters
    ----------
    test_set : TestSet
    unit : {"auto", "segment", "document"}
        ``auto`` takes documents where they are known and there are at least 10 of them.

    Raises
    ------
    InputError
        For ``document`` where documents are not known, or another word.
    """
    check_choice("unit", unit, ("auto", "segment", "document"))
    if unit == "document" and test_set.documents is None:
        raise InputError(
            "no-documents",
            "unit='document' was asked for, but the documents of the test set are not known: give document ids "
            "(documents=... or --documents), or use unit='segment'.",
        )
    if unit == "auto":
        unit = "document" if (test_set.n_documents or 0) >= MIN_DOCUMENTS else "segment"
    count, of_segment = number_units(test_set.documents if unit == "document" else len(test_set))
    return Units(unit, count, of_segment)


def unit_table(systems: list[SystemStatistics], units: Units) -> np.ndarray:
    """Put the statistics of all runs of all systems side by side, so that one matrix product serves them all.

    Returns
    -------
    (n_units, n_columns) ndarray of float64
        System by system, run by run; counts stay exact, for their sums are far below 2**53.
    """
    columns = [units.sum(run) for system in systems for run in system.values]
    return np.concatenate(columns, axis=1, dtype=np.float64)


def scored_segments(system: SystemStatistics) -> np.ndarray | None:
    """Return the mask of the segments that at least one run of the system has a score for; None for all."""
    if not system.metric.may_be_missing:
        return None
    scored = (system.values[..., -1] != 0).any(axis=0)
    if not scored.any():
        raise InputError("no-scores", f"{system.system!r} has no {system.metric.name} for any segment.")
    return None if scored.all() else scored


def common_segments(a: SystemStatistics, b: SystemStatistics) -> np.ndarray | None:
    """Return the mask of the segments that all runs of both systems have scores for; None for all.

    Raises
    ------
    InputError
        Where there is no such segment.
    """
    missing = a.missing | b.missing
    if missing.all():
        raise InputError(
            "no-common-scores",
            f"There is no segment for which both {a.system!r} and {b.system!r} have {a.metric.name}.",
        )
    return ~missing if missing.any() else None


def take_segments(system: SystemStatistics, segments: np.ndarray | None) -> SystemStatistics:
    """Return the system's statistics of the segments of a mask; of all where it is None."""
    return system if segments is None else system.take(segments)


def take_common(a: SystemStatistics, b: SystemStatistics) -> tuple[SystemStatistics, SystemStatistics]:
    """Return both systems' statistics of their common segments; the others are counted in a `DataWarning`."""
    segments = common_segments(a, b)
    if segments is None:
        return a, b
    count = int(np.count_nonzero(~segments))
    warnings.warn(
        DataWarning(
            "missing-scores",
            f"{count} of {len(segments)} segments have no {a.metric.name} in {a.system!r} or {b.system!r} and leave "
            "the comparison for both.",
            count=count,
        ),
        stacklevel=3,
    )
    return a.take(segments), b.take(segments)
