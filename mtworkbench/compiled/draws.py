"""Draws of resamples and sums over them, compiled; the plain functions are `bootstrap_indices` and `count_draws`."""

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types, uint64
from numba.core import cgutils
from numba.extending import intrinsic

from mtworkbench.compiled.kernel import kernel

GAMMA, LOW_HALF = 0x9E3779B97F4A7C15, 0xFFFFFFFF
#: Rows are added as vectors of 16 or 8 numbers of 32 bits: a line of the processor's cache, or half of one.
WIDE, NARROW = 16, 8


@kernel
def draw_units(state: np.uint64, n_units: int, drawn: np.ndarray) -> np.uint64:
    """Draw the units of one resample.

    They are drawn before they are used: this loop has no branch and no look-up, so that it works on several words at a
    time. Then a product of 32 bits by 32 takes one step, and one of 64 by 64 takes many: only the two of SplitMix64 are
    such products.

    Parameters
    ----------
    state : uint64
        The state of the word before this resample.
    n_units : int
    drawn : ((n_units + 1) // 2,) ndarray of uint64
        Receives the units, two in a number: in its lower half the one that the lower half of the word draws, in its
        upper half the other.

    Returns
    -------
    uint64
        The state of the last word.
    """
    low_half, half = uint64(LOW_HALF), uint64(32)
    bound = uint64(n_units) & low_half  # so the compiler knows that it has 32 bits
    for number in range(len(drawn)):
        # The SplitMix64 word of a state (docs/draws.md).
        state += uint64(GAMMA)
        word = (state ^ (state >> uint64(30))) * uint64(0xBF58476D1CE4E5B9)
        word = (word ^ (word >> uint64(27))) * uint64(0x94D049BB133111EB)
        word = word ^ (word >> uint64(31))
        drawn[number] = ((word & low_half) * bound >> half) | ((word >> half) * bound & ~low_half)
    return state


@kernel
def count_units(key: int, first: int, counts: np.ndarray, drawn: np.ndarray) -> None:
    """Count how often each unit occurs in the resamples that follow one another from `first` on.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first resample, from 0.
    counts : (n_resamples, n_units) ndarray
        Receives the counts.
    drawn : ((n_units + 1) // 2,) ndarray of uint64
        Working space, overwritten.
    """
    low_half, half = uint64(LOW_HALF), uint64(32)
    n_resamples, n_units = counts.shape
    n_pairs = n_units // 2
    state = uint64(key) + uint64(first) * uint64(len(drawn)) * uint64(GAMMA)
    for resample in range(n_resamples):
        state = draw_units(state, n_units, drawn)
        row = counts[resample]
        row[:] = 0
        for number in range(n_pairs):
            both = drawn[number]
            row[both & low_half] += 1
            row[both >> half] += 1
        if n_units % 2:
            row[drawn[n_pairs] & low_half] += 1


@kernel
def sum_units(key: int, first: int, columns: np.ndarray, sums: np.ndarray, drawn: np.ndarray) -> None:
    """Sum columns over the resamples that follow one another from `first` on: units are neither counted nor multiplied.

    Parameters
    ----------
    key : uint64
    first : int
        Number of the first resample, from 0.
    columns : (n_units, n_columns) ndarray of float64
        Whole numbers; sums of n_units rows must stay below 2**31 in absolute value.
    sums : (n_columns, n_resamples) ndarray of float64
        Receives the sums.
    drawn : ((n_units + 1) // 2,) ndarray of uint64
        Working space, overwritten.
    """
    n_units, n_columns = columns.shape
    varying, n_varying = np.empty(n_columns, np.int64), 0
    for column in range(n_columns):
        varying[n_varying] = column
        for unit in range(1, n_units):
            if columns[unit, column] != columns[0, column]:
                n_varying += 1
                break
        else:
            for resample in range(sums.shape[1]):
                sums[column, resample] = n_units * np.int64(columns[0, column])  # never -0.0, just as from counts
    # Each sixteen columns that vary make one table with a row per unit; eight or fewer at the end make a narrow one.
    n_places = (n_varying + NARROW - 1) // NARROW * NARROW
    rows = np.zeros(n_units * n_places + WIDE, np.int32)
    rows = rows[(-rows.ctypes.data & 63) // 4 :]  # so that no row lies in two lines of the cache
    for place in range(n_varying):
        begin = place // WIDE * WIDE
        width = min(n_places - begin, WIDE)
        for unit in range(n_units):
            rows[n_units * begin + unit * width + place - begin] = columns[unit, varying[place]]
    totals = np.empty(n_places, np.int32)
    state = uint64(key) + uint64(first) * uint64(len(drawn)) * uint64(GAMMA)
    for resample in range(sums.shape[1]):
        state = draw_units(state, n_units, drawn)
        for begin in range(0, n_places, WIDE):
            if n_places - begin >= WIDE:
                add_rows(WIDE, rows[n_units * begin :], n_units, drawn, totals[begin:])
            else:
                add_rows(NARROW, rows[n_units * begin :], n_units, drawn, totals[begin:])
        for place in range(n_varying):
            sums[varying[place], resample] = totals[place]


@intrinsic
def add_rows(context: Any, width: Any, rows: Any, n_units: Any, drawn: Any, totals: Any) -> Any:
    """Add up the rows of the units drawn, each row as one vector.

    numba adds numbers one by one here, so this function writes the instructions itself. A processor whose vectors are
    shorter adds each row in parts.

    Parameters
    ----------
    width : literal int
        Numbers in a row.
    rows : (at least n_units * width,) ndarray of int32
    n_units : int64
    drawn : ((n_units + 1) // 2,) ndarray of uint64
        Of `draw_units`.
    totals : (at least width,) ndarray of int32
        Receives the sums.
    """
    if not isinstance(width, types.IntegerLiteral):
        return None  # numba then asks again, with the literal
    word, row = ir.IntType(64), ir.VectorType(ir.IntType(32), width.literal_value)
    signature = types.void(width, rows, n_units, drawn, totals)

    def write(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        rows, drawn, totals = (
            builder.bitcast(
                context.make_array(signature.args[at])(context, builder, values[at]).data, kind.as_pointer()
            )
            for at, kind in ((1, row), (3, word), (4, row))
        )
        n_units = values[2]
        # Two sums, because an addition waits for the one before it.
        one, other = (cgutils.alloca_once_value(builder, ir.Constant(row, None)) for _ in range(2))

        def add(total: Any, unit: Any) -> None:
            added = builder.load(builder.gep(rows, [unit]), align=4)
            builder.store(builder.add(builder.load(total), added), total)

        n_pairs = builder.lshr(n_units, ir.Constant(word, 1))
        with cgutils.for_range(builder, n_pairs) as loop:
            both = builder.load(builder.gep(drawn, [loop.index]))
            add(one, builder.and_(both, ir.Constant(word, LOW_HALF)))
            add(other, builder.lshr(both, ir.Constant(word, 32)))
        with builder.if_then(builder.trunc(n_units, ir.IntType(1))):
            both = builder.load(builder.gep(drawn, [n_pairs]))
            add(one, builder.and_(both, ir.Constant(word, LOW_HALF)))
        builder.store(builder.add(builder.load(one), builder.load(other)), totals, align=4)
        return context.get_dummy_value()

    return signature, write
