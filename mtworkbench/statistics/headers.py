"""What the header of a file of statistics may say: anybody can write one, so nothing is built from it unchecked."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from mtworkbench.errors import InputError

# No metric has n-grams, or anything else that is counted, of a length near this; it would be a trap for the memory.
LARGEST_OPTION = 1000
# Statistics are int64 or float64 in memory; no file may ask for more than this.
LARGEST_ARRAYS = 2 * 2**30
# What says which segments the statistics are of: texts and numbers, one per segment, where they are known.
NAMES = ("documents", "segment_ids")
DIGESTS = ("source_digests", "reference_digests")
FLAGS_OF_METRICS = ("direction_is_unknown", "direction_is_assumed")


def check_header(header: dict[str, Any]) -> None:
    """Check what a file says of its test set, and the options of its metrics.

    Raises
    ------
    ValueError
        Saying what is wrong; other errors where the header does not have the parts that are expected.
    """
    try:
        json.dumps(header, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a text that is not valid Unicode") from None
    _check_flags(header, (*NAMES, *DIGESTS, "columns"))
    if not isinstance(header["references"], str):
        raise ValueError(f"a fingerprint {header['references']!r}")
    if not isinstance(header.get("unordered_references"), (str, type(None))):
        raise ValueError(f"a fingerprint {header['unordered_references']!r}")
    if not _is_whole(header["n_references"]) or header["n_references"] < 0:
        raise ValueError(f"a number of references {header['n_references']!r}")
    if header.get("normalization") not in (None, "nfc"):
        raise ValueError(f"a normalization {header['normalization']!r}")
    for metric in header["metrics"]:
        _check_flags(metric, FLAGS_OF_METRICS)
        for option, value in metric["options"].items():
            if isinstance(value, int) and value > LARGEST_OPTION:
                raise ValueError(f"an option {option}={value}")


def array_shapes(header: dict[str, Any], name: str) -> dict[str, tuple[int, ...]]:
    """Return the shape of each array that the header promises, after a look at the memory that they take."""
    shapes: dict[str, tuple[int, ...]] = {"segments.npy": (header["segments"],)}
    shapes |= {f"{name}.npy": (header["segments"],) for name in DIGESTS if header.get(name)}
    for metric in header["metrics"]:
        for system in metric["systems"]:
            if system["statistics"] in shapes:
                raise ValueError(f"{system['statistics']} is said to hold two things")
            shapes[system["statistics"]] = (system["runs"], header["segments"], len(metric["statistic_names"]))
    size = 0
    for shape in shapes.values():
        if not all(_is_whole(length) and length >= 1 for length in shape):
            raise ValueError(f"an array of shape {shape}")
        size += 8 * int(np.prod(shape, dtype=object))
    if size > LARGEST_ARRAYS:
        raise InputError(
            "too-large",
            f"{name!r} asks for {size / 2**30:.1f} GiB of memory, but a file of statistics holds at most "
            f"{LARGEST_ARRAYS / 2**30:.0f} GiB.",
            path=name,
        )
    return shapes


def _is_whole(number: object) -> bool:
    """Return whether this is a whole number; true and false are none."""
    return isinstance(number, int) and not isinstance(number, bool)


def _check_flags(header: dict[str, Any], flags: tuple[str, ...]) -> None:
    for flag in flags:
        if not isinstance(header.get(flag, False), bool):
            raise ValueError(f"{flag} {header[flag]!r}, which is neither true nor false")
