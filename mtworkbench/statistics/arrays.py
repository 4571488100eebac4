"""Arrays as bytes in numpy's own format, npy, without pickles; what is read back may come from anybody."""

from __future__ import annotations

import io

import numpy as np


def write_array(array: np.ndarray) -> bytes:
    """Write an array as npy, integers in the smallest signed type that holds them."""
    if np.issubdtype(array.dtype, np.integer):
        low, high = int(array.min(initial=0)), int(array.max(initial=0))
        kinds = (np.int8, np.int16, np.int32, np.int64)
        array = array.astype(next(kind for kind in kinds if np.iinfo(kind).min <= low and high <= np.iinfo(kind).max))
    stream = io.BytesIO()
    np.lib.format.write_array(stream, np.ascontiguousarray(array), allow_pickle=False)
    return stream.getvalue()


def read_array(content: bytes, shape: tuple[int, ...]) -> np.ndarray:
    """Read an array of this shape, of finite numbers whose sum is finite, as int64 or float64.

    Raises
    ------
    ValueError
        Saying what it is instead.
    """
    _check_announced(content, shape)
    array = np.lib.format.read_array(io.BytesIO(content), allow_pickle=False)
    if not np.isfinite(array).all():
        raise ValueError("numbers that are not finite")
    if array.dtype.kind == "f":
        with np.errstate(over="ignore"):
            if not np.isfinite(np.abs(array).sum(dtype=np.float64)):
                raise ValueError("numbers whose sum is not finite")
    return array.astype(np.int64 if array.dtype.kind == "i" else np.float64)


def _check_announced(content: bytes, shape: tuple[int, ...]) -> None:
    """Check what an array says of itself, before numpy takes the memory that it asks for."""
    stream = io.BytesIO(content)
    if np.lib.format.read_magic(stream) != (1, 0):
        raise ValueError("an array in another version of numpy's format")
    found, _, kind = np.lib.format.read_array_header_1_0(stream)
    if found != shape or kind.kind not in ("i" if len(shape) == 1 else "if"):
        raise ValueError(f"an array of shape {found} and type {kind} instead of shape {shape}")
    if len(content) - stream.tell() < kind.itemsize * int(np.prod(shape, dtype=object)):
        raise ValueError("an array that is cut off")
