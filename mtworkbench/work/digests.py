"""What work depends on, as a digest that is the same in every process and on every machine."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from mtworkbench.cache import digest_code
from mtworkbench.errors import InputError
from mtworkbench.version import __version__

# The code that may change a result. What shows it, or keeps it, is not among this.
ROOMS = ("compiled", "metrics", "statistics", "results", "inference", "analyses", "papers")


def digest_unit(
    compute: Callable[..., object],
    shared: object,
    parts: Sequence[object],
    reads: Callable[[Any, Any], Sequence[object]] | None = None,
) -> list[str]:
    """Return a key for each part: a SHA-256 of the function, the program, the shared data and the part.

    With ``reads``, only those of the shared data count that ``reads(shared, part)`` returns.

    Raises
    ------
    InputError
        As `digest`.
    """
    head = f"{compute.__module__}.{compute.__qualname__}:{digest_program()}:"
    read = [[shared] if reads is None else reads(shared, part) for part in parts]
    digests = {place: digest(one) for place, one in {id(one): one for ones in read for one in ones}.items()}
    return [
        hashlib.sha256(f"{head}{':'.join(digests[id(one)] for one in ones)}:{digest(part)}".encode()).hexdigest()
        for ones, part in zip(read, parts, strict=True)
    ]


@lru_cache
def digest_program() -> str:
    """Return what stands for the version of this package, and for its code, which may change between two versions."""
    package = Path(__file__).parent.parent
    folders = [path for room in ROOMS for path in (package / room).glob("**/") if path.name != "__pycache__"]
    return f"{__version__}:{digest_code(package, *sorted(folders)) or 'unknown'}"


def digest(value: object) -> str:
    """Return the SHA-256 of a value's content.

    Parameters
    ----------
    value : object
        None, a number, a text, bytes, an array, a list, a tuple, a mapping or a dataclass, or made of these. The
        fields of a dataclass count that are given to make one and that are compared. The order of a mapping counts.

    Raises
    ------
    InputError
        Where the value is anything else (``no-digest``).
    """
    found = hashlib.sha256()
    for piece in _encode(value):
        found.update(piece)
    return found.hexdigest()


def _encode(value: object) -> Iterator[bytes | memoryview]:
    """Yield bytes that no other value has."""
    if value is None or isinstance(value, (bool, int, float)):
        yield _head(value, repr(value))
    elif isinstance(value, (str, bytes)):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        yield _head(value, len(content))
        yield content
    elif isinstance(value, (np.ndarray, np.generic)):
        yield from _encode_array(np.asarray(value))
    elif isinstance(value, Mapping):
        yield _head({}, len(value))
        for pair in value.items():
            yield from _encode(pair)
    elif isinstance(value, (list, tuple)):
        yield _head(value, len(value))
        for one in value:
            yield from _encode(one)
    elif is_dataclass(value) and not isinstance(value, type):
        names = [one.name for one in fields(value) if one.init and one.compare]
        yield _head(value, len(names))
        for name in names:
            yield from _encode((name, getattr(value, name)))
    else:
        raise InputError(
            "no-digest",
            f"A study cannot tell whether a {type(value).__name__} is the same as the last time: numbers, texts, "
            "arrays, lists and dataclasses of these were expected; make it a dataclass.",
        )


def _encode_array(array: np.ndarray) -> Iterator[bytes | memoryview]:
    if array.dtype.kind == "O":
        yield _head(array, array.shape)
        for one in array.ravel():
            yield from _encode(one)
        return
    if sys.byteorder == "big":
        array = array.astype(array.dtype.newbyteorder("<"))
    yield _head(array, (array.dtype.str, array.shape))
    yield np.ascontiguousarray(array).data if array.dtype.kind in "biuf" else array.tobytes()


def _head(value: object, content: object) -> bytes:
    return f"{type(value).__module__}.{type(value).__qualname__}:{content};".encode()
