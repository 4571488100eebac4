"""What is drawn or exchanged: segments, or whole documents."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.checks import check_choice
from mtworkbench.resampling import number_units
from mtworkbench.statistics.segment_statistics import TestSet

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
