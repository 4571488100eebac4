"""Files of statistics that are damaged, or lie: they are refused or not taken, or their content is what it was."""

from __future__ import annotations

import io
import json
import resource
import warnings
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np

from mtworkbench.cache import open_store
from mtworkbench.errors import InputError
from mtworkbench.statistics import files
from mtworkbench.statistics.contents import write_array
from mtworkbench.statistics.files import load_statistics, save_statistics

from .tally import REFUSED, Tally, in_child
from .written import KEY, make_statistics

# Of memory, beyond what the program has already: enough for any small file.
ROOM = 256 * 2**20


def flip_every_byte(folder: Path, size: int) -> Tally:
    """Flip bits of every byte; ``size`` is the number of masks, of at most eight single bits and one of all."""
    masks = [0xFF, *(1 << bit for bit in range(8))][:size]
    path, content, expected = _small_file(folder)
    tally = Tally()
    for place in range(len(content)):
        for mask in masks:
            flipped = bytearray(content)
            flipped[place] ^= mask
            path.write_bytes(flipped)
            tally.count(f"byte {place} with {mask:#04x}", _refused_or_equal(path, expected))
    return tally


def cut_everywhere(folder: Path, size: int) -> Tally:
    """Cut the file at every byte; ``size`` is the step."""
    path, content, _ = _small_file(folder)
    tally = Tally()
    for length in range(0, len(content), size):
        path.write_bytes(content[:length])
        tally.count(f"cut after {length} bytes", _refused(path))
    return tally


def damage_cached(folder: Path, size: int) -> Tally:
    """Flip every byte of statistics in the cache, and cut them off everywhere; ``size`` is the step of the cuts."""
    path, array = folder / f"{KEY}.cached", write_array(make_statistics(1, 30).values["system 1"][0])
    open_store(folder).keep(KEY, array, path.name)
    content, tally = path.read_bytes(), Tally()
    flipped = [bytes([*content[:place], content[place] ^ 0xFF, *content[place + 1 :]]) for place in range(len(content))]
    for number, damaged in enumerate([*flipped, *(content[:end] for end in range(0, len(content), size)), content * 2]):
        path.write_bytes(damaged)
        tally.count(f"damage {number + 1}", _not_taken(path))
    path.write_bytes(content)
    tally.require("what was written", [] if open_store(folder).find(KEY, path.name) == array else ["other"])
    return tally


def _not_taken(path: Path) -> list[str]:
    try:
        open_store(path.parent).find(KEY, path.name)
    except ValueError:
        return []
    except Exception as error:  # noqa: BLE001
        return [f"{type(error).__name__}: {error}"]
    return ["it was read"]


def announce_too_much(folder: Path, size: int) -> Tally:
    """Read small files that announce large arrays, with little memory; ``size`` is not used."""
    path, content, _ = _small_file(folder)
    tally = Tally()
    for what, written in _announcements(content):
        path.write_bytes(written)

        def read(what: str = what) -> int:
            with open("/proc/self/statm", encoding="ascii") as file:
                taken = int(file.read().split()[0]) * resource.getpagesize()
            resource.setrlimit(resource.RLIMIT_AS, (taken + ROOM, taken + ROOM))
            faults = _refused(path)
            print(*faults)
            return 1 if faults and not (faults == ["it was read"] and what.endswith("are there")) else REFUSED

        status = in_child(read)
        tally.count(what, [] if status == REFUSED else [f"ended with {status}"])
    return tally


def _announcements(content: bytes) -> Iterator[tuple[str, bytes]]:
    """Return small files whose checksum is right and that say that something large is in them."""
    for shape in ((10**9,), (2, 10**8, 10), (10**15,)):
        array = _array_header("<f8", shape)
        yield f"an array of shape {shape}", _rewritten(content, {"metric_1_system_1.npy": array})
        yield f"segments of shape {shape}", _rewritten(content, {"segments.npy": array})
    for kind in ("<U100000000", "|S1000000000", "|V2000000000"):
        array = _array_header(kind, (2, 30, 10))
        yield f"an array of {kind}", _rewritten(content, {"metric_1_system_1.npy": array})
    for segments in (10**6, 10**7, 10**12, 10**30):

        def change(header: dict, segments: int = segments) -> None:
            header["segments"] = segments

        yield f"{segments} segments", _rewritten(content, {}, change)
        shape = (2, segments, 10)
        if segments <= 10**7:
            whole = _array_header("|i1", shape) + bytes(int(np.prod(shape)))
            numbers = _array_header("|i1", (segments,)) + bytes([1]) * segments
            members = {"metric_1_system_1.npy": whole, "segments.npy": numbers}
            yield f"{segments} segments, which are there", _rewritten(content, members, change)
    deep = b"[" * 10**6
    yield "lists in lists", _rewritten(content, {"header.json": deep})
    yield "a long text", _rewritten(content, {"header.json": b'"' + bytes([32]) * 2**27 + b'"'})


def _array_header(kind: str, shape: tuple[int, ...]) -> bytes:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(stream, {"descr": kind, "fortran_order": False, "shape": shape})
    return stream.getvalue()


def _rewritten(content: bytes, members: dict[str, bytes], change: Callable[[dict], None] | None = None) -> bytes:
    """Return a file with other members, and with the checksum that fits them."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        whole = {name: archive.read(name) for name in archive.namelist() if name != "sha256"}
    if change is not None:
        header = json.loads(whole["header.json"])
        change(header)
        whole["header.json"] = json.dumps(header).encode()
    return files._archive(whole | members)


def _small_file(folder: Path) -> tuple[Path, bytes, tuple]:
    path = folder / "small.stats"
    save_statistics(path, make_statistics(1, 30))
    return path, path.read_bytes(), load_statistics(path)


def _refused_or_equal(path: Path, expected: tuple) -> list[str]:
    try:
        return [] if load_statistics(path) == expected else ["its content is another one"]
    except InputError as error:
        return _sentence_of(error, path)
    except Exception as error:  # noqa: BLE001  (that is what must not happen)
        return [f"{type(error).__name__}: {error}"]


def _refused(path: Path) -> list[str]:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            load_statistics(path)
    except InputError as error:
        return _sentence_of(error, path)
    except Exception as error:  # noqa: BLE001
        return [f"{type(error).__name__}: {error}"]
    return ["it was read"]


def _sentence_of(error: InputError, path: Path) -> list[str]:
    told = str(error)
    return [] if repr(str(path)) in told and told.isprintable() and told.endswith(".") else [f"says {told!r}"]
