"""What is resampled and exchanged: segments, documents, the groups of a column such as ``domain``, or blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.errors import InputError
from mtworkbench.inference.weighted_sums import one_thread_each, sum_weighted
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.resampling import (
    RESAMPLES,
    RngLike,
    batches,
    choose_counter,
    number_strata,
    number_units,
    resolve_rng,
    rows_in_cache,
    rows_of_batch,
    split_rows,
)
from mtworkbench.results.names_of_units import BLOCKS, counts_for_fewer
from mtworkbench.statistics.segment_statistics import TestSet
from mtworkbench.work.threads import yield_parts

#: From so many documents on, ``unit="auto"`` takes documents: with 6, p can be 2**(1 - 6) = 0.031; with 5, it is at
#: least 0.063, and nothing can be shown.
MIN_DOCUMENTS = 6
#: Below so many effective units of unequal size, intervals of scores fall short of their level, even with Student's t.
MIN_EFFECTIVE = 10
#: Where two systems differ in fewer units than this, and rarely, the interval of their difference may fall short of its
#: level.
MIN_DIFFERING = 20
# With more columns, or more numbers in all of them, counts and a matrix product are faster.
MOST_COLUMNS, MOST_NUMBERS = 32, 2**16
# So many resamples are multiplied together, if that is more than the processor's cache holds.
ROWS_TOGETHER = 2**5
#: They differ rarely in at most this share of the units.
RARE = 0.1
#: What an option that names a column can be, and what to do where documents are not known.
EXPECTED = {
    "unit": "'auto', 'segment', 'document', 'block' or the name of a column",
    "strata": "'document' or the name of a column",
    "by": "'length', 'document', 'frequency', the name of a column or the label of each segment",
}
INSTEAD = {"unit": ", or use unit='segment'", "strata": ", or leave out the strata"}


@dataclass(frozen=True, eq=False)
class Units:
    """The units of a test set, numbered in the order of the reference file.

    Parameters
    ----------
    name : str
        ``segment``, ``document``, the name of a column, or ``block of 7``.
    count : int
        Number of units.
    of_segment : (n_segments,) ndarray of int64
        The unit of each segment, counted from 0.
    strata : str, optional
        The column within whose groups units are drawn.
    stratum_of_unit : (n_units,) ndarray of int64, optional
        The stratum of each unit, counted from 0 in the order in which strata first occur.
    block_length : int, optional
        The number of segments in a block, where units are blocks. These are exchanged and left out block by block; a
        bootstrap draws moving blocks of the same length.
    known_documents : str, optional
        The public test set from which documents were recognized, where units or strata are documents.
    """

    name: str
    count: int
    of_segment: np.ndarray = field(repr=False)
    strata: str | None = None
    stratum_of_unit: np.ndarray | None = field(default=None, repr=False)
    block_length: int | None = None
    known_documents: str | None = None

    @property
    def signed(self) -> dict[str, str]:
        """What a signature says of them."""
        return {"unit": self.name} | ({"documents": self.known_documents} if self.known_documents else {})

    @property
    def of_settings(self) -> dict[str, Any]:
        """What `Settings` say of them."""
        return {"unit": self.name, "strata": self.strata, "known_documents": self.known_documents}

    @property
    def n_strata(self) -> int:
        """Number of strata; 1 where there are none."""
        return 1 if self.stratum_of_unit is None else int(self.stratum_of_unit.max()) + 1

    @property
    def df(self) -> float:
        """Degrees of freedom of a variance over units: their effective number less one for each stratum."""
        return self.effective_count - 1

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

    @cached_property
    def sizes(self) -> np.ndarray:
        """Number of segments of each unit, (count,) ndarray of int64."""
        return np.bincount(self.of_segment, minlength=self.count)

    @cached_property
    def effective_count(self) -> float:
        """How many units of equal size carry as much information: 1 / sum of the squared shares of segments.

        It is the number of units where all are equally long, and less where a few hold most of the segments. Each
        stratum after the first costs one unit more, so that this number less 1 is that of the degrees of freedom.
        """
        # Of integers, so that it is exactly the count where all are equally long.
        return float(len(self.of_segment) ** 2 / np.sum(self.sizes**2)) - (self.n_strata - 1)

    @property
    def are_few_of_equal_size(self) -> bool:
        """Whether they count for too few because they are of unequal size, whatever strata cost."""
        effective = self.effective_count + self.n_strata - 1
        return effective < MIN_EFFECTIVE and counts_for_fewer(self.count, effective)

    @property
    def drawn(self) -> Units:
        """The units that weights of a bootstrap are of: segments where blocks are drawn, else these units."""
        n_segments = len(self.of_segment)
        return self if self.block_length is None else Units("segment", n_segments, np.arange(n_segments))

    def draw(self, n_resamples: int, rng: RngLike) -> Iterator[np.ndarray]:
        """Draw bootstrap resamples, in batches: how often each of the units `drawn` occurs in each resample.

        Yields
        ------
        (n_batch, n_units) ndarray of float64
            A row sums to the number of units.
        """
        count_batch = self.choose_counter(rng)
        return (count_batch(*batch) for batch in split_rows(n_resamples, rows_in_cache(self.drawn.count)))

    def choose_counter(self, rng: RngLike, *, dtype: type = np.float64) -> Callable[[int, int], np.ndarray]:
        """Return what gives batches of such resamples: see `mtworkbench.resampling.choose_counter`."""
        return choose_counter(
            self.drawn.count,
            stratum_of_unit=self.stratum_of_unit,
            block_length=self.block_length,
            dtype=dtype,
            rng=rng,
        )


def sum_resamples(
    units: Units, columns: np.ndarray, n_resamples: int, rng: RngLike, *, dtype: type
) -> Iterator[np.ndarray]:
    """Draw bootstrap resamples, and sum columns over each of them, in batches.

    There are two ways, and sums of whole numbers are the same in both to the last bit. One counts how often each unit
    occurs, and multiplies. The other, for few columns of whole numbers, adds the rows of the units drawn.

    Parameters
    ----------
    units : Units
    columns : (n_units, n_columns) ndarray of float64 or `dtype`
        Of the units that are `drawn`.
    n_resamples : int
    rng : int, numpy.random.Generator, RandomKey or None
    dtype : {float32, float64}
        Of the product. float32 says that the columns are whole numbers whose sums are exact in it.

    Yields
    ------
    (n_columns, n_batch) ndarray
    """
    plain = units.stratum_of_unit is None and units.block_length is None
    few = columns.shape[1] <= MOST_COLUMNS and columns.size <= MOST_NUMBERS
    # The time that kernels save (`saves`) is added up where units are counted.
    kernels = load_kernels("draws", saves=0) if plain and few and dtype is np.float32 else None
    if kernels is None:
        typed: np.ndarray = columns.astype(dtype, copy=False)
        count_batch = units.choose_counter(rng, dtype=dtype)
        # Sums that are exact are the same in batches of any size: these take less time where there are many units.
        least = min(ROWS_TOGETHER, rows_of_batch(len(columns))) if dtype is np.float32 else 1
        parts = list(split_rows(n_resamples, max(least, rows_in_cache(len(columns)))))
        yield from yield_parts(lambda part: sum_weighted(count_batch(*part), typed).T, parts, one_thread_each)
        return
    # Because numba compiles for each type and order of memory anew.
    columns = np.ascontiguousarray(columns, dtype=np.float64)
    key, drawn = np.uint64(resolve_rng(rng).stream(RESAMPLES)), np.empty((len(columns) + 1) // 2, np.uint64)
    for first, count in batches(n_resamples, max(columns.shape)):
        sums = np.empty((columns.shape[1], count))
        kernels.sum_units(key, first, columns, sums, drawn)
        yield sums


def differ_rarely(n_differing: int, n_units: int) -> bool:
    """Tell whether two systems differ in few of their units, but in some."""
    return 0 < n_differing <= RARE * n_units


def choose_by_documents(n_documents: int | None) -> str:
    """Return what ``auto`` takes: documents from 6 on, by their plain number, however unequal they are.

    An exchange of few unequal documents keeps its size; one of dependent segments rejects far too often.
    """
    return "document" if (n_documents or 0) >= MIN_DOCUMENTS else "segment"


def choose_units(test_set: TestSet, unit: str, strata: str | None = None) -> Units:
    """Choose what is resampled and exchanged.

    Parameters
    ----------
    test_set : TestSet
    unit : str
        ``"segment"``; ``"document"``; ``"auto"``, which is documents where they are known and there are at least 6 of
        them; the name of a column of the outputs, such as ``"domain"``; ``"block of 7"``.
    strata : str, optional
        ``"document"``, or the name of a column.

    Raises
    ------
    InputError
        ``no-documents`` where documents are not known, ``unknown-column`` for another word, ``block-length``,
        ``strata-of-blocks``, ``strata-of-one`` where no stratum has two units, ``unit-in-two-strata``.
    """
    if not isinstance(unit, str):
        raise _unknown_column(test_set, "unit", unit)
    if unit == "auto":
        unit = choose_by_documents(test_set.n_documents)
    if unit == "block":
        raise InputError("block-length", "Blocks need a length here: name it, as in unit='block of 10'.")
    blocks = BLOCKS.fullmatch(unit)
    if blocks is not None:
        length = int(blocks[1])
        if strata is not None:
            raise InputError(
                "strata-of-blocks",
                f"Blocks may begin at any segment, so they cannot be drawn within strata ({excerpt(strata)}): use "
                "another unit, or leave out the strata.",
            )
        of_segment = np.arange(len(test_set)) // length
        return Units(unit, int(of_segment[-1]) + 1, of_segment, block_length=length)
    count, of_segment = number_units(len(test_set) if unit == "segment" else labels_of(test_set, "unit", unit))
    known_documents = test_set.known_documents if "document" in (unit, strata) else None
    if strata is None:
        return Units(unit, count, of_segment, known_documents=known_documents)
    stratum_of_unit = number_strata(of_segment, labels_of(test_set, "strata", strata))
    if count == stratum_of_unit.max() + 1:
        raise InputError(
            "strata-of-one",
            f"Each stratum of {strata!r} has only one {unit}, so that nothing can be drawn: use a smaller unit, or "
            "other strata.",
        )
    return Units(unit, count, of_segment, strata, stratum_of_unit, known_documents=known_documents)


def labels_of(test_set: TestSet, option: str, name: str) -> np.ndarray:
    """Return the label of each segment in a column, (n_segments,) ndarray of str.

    Parameters
    ----------
    test_set : TestSet
    option : {"unit", "strata"}
        What the column was named for.
    name : str
        ``"document"``, or that of a further column.

    Raises
    ------
    InputError
        ``no-documents``, ``unknown-column``.
    """
    if not isinstance(name, str) or name not in ("document", *test_set.columns):
        raise _unknown_column(test_set, option, name)
    if name == "document":
        if test_set.documents is None:
            raise InputError(
                "no-documents",
                f"{option}='document' was asked for, but the documents of the test set are not known: give document "
                f"ids (documents=... or --documents){INSTEAD.get(option, '')}.",
            )
        return test_set.documents
    return test_set.columns[name]


def _unknown_column(test_set: TestSet, option: str, name: object) -> InputError:
    columns = ", ".join(excerpt(column) for column in test_set.columns)
    there = f"the columns of these statistics are {columns}" if columns else "these statistics have no columns"
    return InputError("unknown-column", f"{option} is {excerpt(name)}, but {EXPECTED[option]} was expected: {there}.")


def label_units(test_set: TestSet, units: Units) -> list[str]:
    """Return what each unit is called: its document; the number of its segment; the first and last of a block."""
    firsts = np.unique(units.of_segment, return_index=True)[1]
    if units.name == "segment":
        return [str(number) for number in test_set.segments]
    if units.block_length is not None:
        lasts = [*firsts[1:] - 1, len(test_set) - 1]
        return [f"{test_set.segments[one]}-{test_set.segments[last]}" for one, last in zip(firsts, lasts, strict=True)]
    return [str(label) for label in labels_of(test_set, "unit", units.name)[firsts]]
