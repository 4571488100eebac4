"""What a file of statistics may hold: anybody can write one, so nothing is made of what it says unchecked."""

from __future__ import annotations

import io
import json
import unicodedata
from collections.abc import Collection, Iterable, Iterator
from dataclasses import MISSING, asdict, fields
from typing import Any

import numpy as np

from mtworkbench.assumptions import GRAVITIES, Doubt
from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, MeanScore
from mtworkbench.metrics.protocol import Metric
from mtworkbench.outputs.checks.frames import is_note_of_repairs
from mtworkbench.outputs.checks.names import check_system_names
from mtworkbench.outputs.checks.report import excerpt

# No metric has n-grams, or anything else that is counted, of a length near this; it would be a trap for the memory.
LARGEST_OPTION = 1000
# Statistics are int64 or float64 in memory; no file may ask for more than this.
LARGEST_ARRAYS = 2 * 2**30
# What says which segments the statistics are of: texts and numbers, one per segment, where they are known.
NAMES = ("documents", "segment_ids")
DIGESTS = ("source_digests", "reference_digests")
FLAGS_OF_METRICS = ("direction_is_unknown", "direction_is_assumed")


def read_json(content: bytes) -> Any:
    """Read JSON in which every key occurs once and every number is finite.

    Raises
    ------
    ValueError
        Saying what is wrong.
    """
    return json.loads(content, object_pairs_hook=_refuse_double_keys, parse_constant=_refuse_constant)


def _refuse_double_keys(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("one name for two things")
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(f"the number {name}")


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
    for text in _texts(header):
        if any(unicodedata.category(character) == "Cc" for character in text):
            raise ValueError(f"a text with a control character, {excerpt(text)}")
    _check_flags(header, (*NAMES, *DIGESTS, "columns"))
    if not isinstance(header["references"], str):
        raise ValueError(f"a fingerprint {header['references']!r}")
    if not isinstance(header.get("unordered_references"), (str, type(None))):
        raise ValueError(f"a fingerprint {header['unordered_references']!r}")
    if not _is_whole(header["n_references"]) or header["n_references"] < 0:
        raise ValueError(f"a number of references {header['n_references']!r}")
    if header.get("normalization") not in (None, "nfc"):
        raise ValueError(f"a normalization {header['normalization']!r}")
    if header.get("repaired") is not None and not is_note_of_repairs(header["repaired"]):
        raise ValueError(f"a note of repairs {excerpt(header['repaired'])}")
    if not isinstance(header.get("known_documents"), (str, type(None))):
        raise ValueError(f"known documents {header['known_documents']!r}")
    for metric in header["metrics"]:
        _check_flags(metric, FLAGS_OF_METRICS)
        for option, value in metric["options"].items():
            if isinstance(value, int) and value > LARGEST_OPTION:
                raise ValueError(f"an option {option}={value}")
        if not isinstance(metric["signature"], str):
            raise ValueError(f"a signature {excerpt(metric['signature'])}")
        _check_systems([system["system"] for system in metric["systems"]])
        for system in metric["systems"]:
            _check_run_names(system.get("run_names"), system["runs"])


def check_names(names: Iterable[str], what: str) -> None:
    """Check texts that name segments, documents or groups of them.

    Raises
    ------
    ValueError
        ``what`` that have a control character or half a surrogate pair.
    """
    for name in names:
        if not name.isprintable() and any(unicodedata.category(character) in ("Cc", "Cs") for character in name):
            raise ValueError(f"{what} with a control character, {excerpt(name)}")


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


def _check_systems(names: list[object]) -> None:
    if not names:
        raise ValueError("a metric without systems")
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        raise ValueError("systems whose names are not different texts")
    for name in names:
        try:
            check_system_names([name])
        except InputError:
            raise ValueError(f"a system called {excerpt(name)}, as no system can be called") from None


def _check_run_names(names: object, n_runs: object) -> None:
    if names is None:
        return
    if not isinstance(names, list) or len(names) != n_runs or len({*map(str, names)}) < len(names):
        raise ValueError("runs whose names are not different texts, one of each run")
    if not all(isinstance(name, str) for name in names):
        raise ValueError("runs whose names are not different texts, one of each run")


def _texts(part: object) -> Iterator[str]:
    """Return all texts of a header, also those that name its parts."""
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for name, value in part.items():
            yield name
            yield from _texts(value)
    elif isinstance(part, list):
        for value in part:
            yield from _texts(value)


def _is_whole(number: object) -> bool:
    """Return whether this is a whole number; true and false are none."""
    return isinstance(number, int) and not isinstance(number, bool)


def _check_flags(header: dict[str, Any], flags: tuple[str, ...]) -> None:
    for flag in flags:
        if not isinstance(header.get(flag, False), bool):
            raise ValueError(f"{flag} {header[flag]!r}, which is neither true nor false")


#: More doubts than this are in no file that this package has written.
MOST_DOUBTS = 10_000
_TYPES: dict[str, type] = {"tuple[str, ...]": str, "tuple[int, ...]": int, "str": str, "int": int, "bool": bool}
_FIELDS = [one for one in fields(Doubt) if one.type in _TYPES]


def describe_doubts(doubts: Iterable[Doubt], systems: Collection[str]) -> list[dict[str, Any]]:
    """Describe the doubts about some systems, also together with others, and about references; without usual values.

    Files of one system each may be merged, so each keeps what it shares with others.
    """
    kept = [one for one in doubts if not one.systems or not {*one.systems}.isdisjoint(systems)]
    usual = {one.name: one.default for one in _FIELDS}
    return [
        {name: _safe(asdict(one)[name]) for name, value in usual.items() if getattr(one, name) != value} for one in kept
    ]


def _safe(value: object) -> object:
    return printable(value) if isinstance(value, str) else list(value) if isinstance(value, tuple) else value


def read_doubts(described: object) -> tuple[Doubt, ...]:
    """Make doubts of what a file says.

    Raises
    ------
    ValueError
        Saying what is wrong.
    """
    if not isinstance(described, list) or len(described) > MOST_DOUBTS:
        raise ValueError("something other than a list of doubts, or too many of them")
    return tuple(_read_doubt(one) for one in described)


def _read_doubt(described: object) -> Doubt:
    if not isinstance(described, dict):
        raise ValueError("a doubt that is not an object")
    found: dict[str, Any] = {}
    for field in _FIELDS:
        if field.name not in described and field.default is not MISSING:
            continue
        value, kind = described.get(field.name), _TYPES[str(field.type)]
        several = str(field.type).startswith("tuple")
        parts = value if several and isinstance(value, list) else [value]
        if several is not isinstance(value, list) or not all(type(part) is kind for part in parts):
            raise ValueError(f"a doubt with a {field.name} of the wrong type")
        if kind is str and any(str(part) != printable(str(part)) for part in parts):
            raise ValueError(f"a doubt with a control character in its {field.name}")
        if kind is int and not all(0 <= int(part or 0) < 2**63 for part in parts):
            raise ValueError(f"a doubt with an impossible {field.name}")
        found[field.name] = tuple(parts) if several else value
    if found.get("gravity", GRAVITIES[0]) not in GRAVITIES:
        raise ValueError("a doubt with an unknown gravity")
    return Doubt(**found)


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


# Larger whole numbers are not exact as float64, which scores are computed in.
_LARGEST = 2**53


def find_impossible(metric: Metric, values: np.ndarray) -> tuple[tuple[int, int], str] | None:
    """Find the first statistics of a segment that no text can have.

    Parameters
    ----------
    metric : Metric
    values : (n_runs, n_segments, n_statistics) ndarray
        Finite.

    Returns
    -------
    tuple of (run, segment) and str, or None
        Positions counted from 0, and what is wrong: ``matches_1 is 7, larger than ngrams_1, which is 5``. None if all
        are possible.
    """
    names = list(metric.statistic_names)
    for place, name in enumerate(names):
        column = values[..., place]
        is_score = name == "score" and isinstance(metric, MeanScore)
        if not is_score and (where := _first(column < 0)) is not None:
            return where, f"{name} is {_number(column[where])}, below 0"
        if (where := _first(np.abs(column) > _LARGEST)) is not None:
            return where, f"{name} is {_number(column[where])}, too large to be computed with exactly (2^53 at most)"
        if isinstance(metric, (Bleu, ChrF, Length)) and (where := _first(column != np.floor(column))) is not None:
            return where, f"{name} is {_number(column[where])}, but a count must be a whole number"
    of = {name: values[..., place] for place, name in enumerate(names)}
    for fewer, more in _limits(metric):
        # A root of a sum of powers, as GTM's match size, may miss a whole number by its rounding.
        if (where := _first(of[fewer] > of[more] * (1 + 1e-9))) is not None:
            numbers = _number(of[fewer][where]), _number(of[more][where])
            return where, f"{fewer} is {numbers[0]}, larger than {more}, which is {numbers[1]}"
    for one, condition in _zero_together(metric):
        if (where := _first((of[one] != 0) & (of[condition] == 0))) is not None:
            return where, f"{one} is {_number(of[one][where])}, but {condition} is 0"
    return None


def _limits(metric: Metric) -> Iterator[tuple[str, str]]:
    """Pairs of statistics of which the first is never larger than the second."""
    if isinstance(metric, Bleu):
        yield "ngrams_1", "hypothesis_length"
        yield "hypothesis_length", "ngrams_1"
        for order in range(1, metric.max_ngram_order + 1):
            yield f"matches_{order}", f"ngrams_{order}"
        for order in range(1, metric.max_ngram_order):
            yield f"ngrams_{order + 1}", f"ngrams_{order}"
    if isinstance(metric, ChrF):
        for name in metric.statistic_names:
            if name.startswith("matches_"):
                yield name, name.replace("matches", "hypothesis", 1)
                yield name, name.replace("matches", "reference", 1)
    if isinstance(metric, Gtm) and metric.exponent >= 1:
        yield "match_size", "hypothesis_length"
        yield "match_size", "reference_length"


def _zero_together(metric: Metric) -> Iterator[tuple[str, str]]:
    """Pairs of statistics of which the first is 0 where the second is."""
    if isinstance(metric, Bleu):
        # With several references more 2-grams than 1-grams can match: "a b b a a c c a" has seven 2-grams, and where
        # each of seven references has one of them, no word matches more than twice.
        for order in range(1, metric.max_ngram_order):
            yield f"matches_{order + 1}", f"matches_{order}"
    if isinstance(metric, MeanScore):
        yield "score", "count"


def _number(value: np.generic) -> str:
    """Write a number as a person does: 7, not 7.0."""
    return str(int(value)) if value == np.floor(value) else str(float(value))


def _first(wrong: np.ndarray) -> tuple[int, int] | None:
    """Return the run and the segment of the first True."""
    found = np.argwhere(wrong)
    return (int(found[0][0]), int(found[0][1])) if len(found) else None
