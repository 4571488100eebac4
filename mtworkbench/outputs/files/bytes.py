"""Files: which are meant, and their bytes, whatever program compressed them."""

from __future__ import annotations

import glob
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, BinaryIO

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.files.archives import kind_of_archive, unpack

Path = str | os.PathLike[str]

LARGEST_FILE = 2 * 1024**3
LARGEST_EXPANSION = 200
INSTALL_FORMATS = "install the extra 'formats' (pip install 'mtworkbench[formats]')"
_DECODER_MEMORY = 128 * 1024**2
# So many bytes tell what a file is; before the first tag of SGML may be comments and a DTD.
_BEGINNING = 2**16

# A compressed file is fed in slices: one of this size never makes more than some 30 MB of text in any codec.
_SLICE = 1024
_HELD_UNCOUNTED = 64 * 1024**2

_MAGIC = (
    ("gzip", re.compile(rb"\x1f\x8b")),
    ("xz", re.compile(rb"\xfd7zXZ\x00")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("zstandard", re.compile(rb"\x28\xb5\x2f\xfd")),
)


def natural_order(path: str) -> list[tuple[int, int, str]]:
    """Return a sort key under which ``opt2`` comes before ``opt10``."""
    parts = re.split(r"([0-9]+)", path)
    return [(0, int(part), part) if i % 2 else (1, 0, part) for i, part in enumerate(parts)]


def find_files(named: Path | Iterable[Path], whose: str) -> list[str]:
    """Find the files that a path, a glob, or a list of these names.

    Parameters
    ----------
    named : path, or iterable of paths
        A name with ``*``, ``?`` or ``[`` that is not itself a file is a glob; its files come in natural order.
    whose : str
        What the files are, for messages.

    Raises
    ------
    InputError
        ``not-a-path``, ``no-match`` for a glob or a list without any file, ``duplicate-file``.
    """
    if isinstance(named, (str, bytes, os.PathLike)):
        named = [named]
    if not isinstance(named, Iterable):
        problem = f"{whose}: a path, a glob or a list of these was expected, not {excerpt(named)}."
        raise InputError("not-a-path", problem)
    files = [file for one in named for file in _expand(one, whose)]
    if not files:
        raise InputError("no-match", f"{whose}: no file was named; give at least one.")
    first_name: dict[str, str] = {}
    for file in files:
        place = os.path.realpath(file)
        if place in first_name:
            message = f"{whose}: {shown(file)} is the same file as {shown(first_name[place])}; name each file once."
            raise InputError("duplicate-file", message, path=file)
        first_name[place] = file
    return files


def find_file(named: Path, whose: str) -> str:
    """Find the one file that is named, as `find_files` does.

    Raises
    ------
    InputError
        ``one-file`` for several, and those of `find_files`.
    """
    found = find_files(named, whose)
    if len(found) > 1:
        raise InputError("one-file", f"{whose}: one file was expected, but {len(found):,} were named.")
    return found[0]


def _expand(named: Path, whose: str) -> list[str]:
    try:
        path = os.fsdecode(named)
    except TypeError:
        raise InputError("not-a-path", f"{whose}: a path was expected, not {excerpt(named)}.") from None
    if "\0" in path or not path:
        raise InputError("not-a-file", f"{whose}: {excerpt(path)} cannot be the name of a file.", path=path)
    folder = _current_folder()
    if folder is None and not os.path.isabs(path):
        problem = f"{whose}: {shown(path)} cannot be found, because the current folder was deleted"
        remedy = "change to a folder that exists, or give an absolute path"
        raise InputError("not-a-file", f"{problem}: {remedy}.", path=path)
    if os.path.lexists(path) or not glob.has_magic(path):
        return [path]
    matches = sorted(glob.glob(path, recursive=True), key=natural_order)
    if not matches:
        seen = f"seen from the folder {shown(folder)}" if folder else "the current folder was deleted"
        message = f"{whose}: no file matches {shown(path)} ({seen}); check the pattern."
        raise InputError("no-match", message, path=path)
    return matches


def _current_folder() -> str | None:
    """Return the folder that names of files begin in; None where it was deleted."""
    try:
        return os.getcwd()
    except FileNotFoundError:
        return None


def read_bytes(path: str, report: Report) -> bytes | bytearray:
    """Read a file; gzip, xz, bzip2 and zstandard are known by their first bytes, not by the file's name.

    Of a zip or tar archive that holds one file, this is read.

    Raises
    ------
    InputError
        ``not-a-file``, ``empty-file``, ``too-large``, ``truncated``, ``corrupt``, ``codec-missing``, ``archive``,
        ``unsafe-archive``.
    """
    size = _size_of_ordinary_file(path)
    if size == 0:
        raise fault(path, "empty-file", "is empty: at least one line was expected.")
    if size > LARGEST_FILE and not report.accepts("too-large"):
        raise _too_large(path, f"{size:,} bytes")
    try:
        with open(path, "rb") as stream:
            codec = _find_codec(stream)
            data = stream.read() if codec is None else _decompress(stream, codec, path, size, report)
    except OSError as error:
        raise fault(path, "not-a-file", f"cannot be read: {error.strerror}.") from None
    kind = kind_of_archive(data)
    if kind is not None:
        data = unpack(data, kind, path, find_limit(size, report))
    if not data:
        raise fault(path, "empty-file", "holds nothing: at least one line was expected.")
    return data


def read_beginning(path: str) -> str:
    """Return the beginning of a file as text, without a byte-order mark; what is not UTF-8 is replaced.

    Raises
    ------
    InputError
        Those of `read_bytes`.
    """
    return _read_beginning(path, version_of(path))


def peek(path: str) -> str:
    """Return the beginning of a file; nothing where it cannot be read, which is told when it is read."""
    try:
        return read_beginning(path)
    except InputError:
        return ""


@lru_cache(maxsize=32)  # each format asks for it
def _read_beginning(path: str, version: tuple[int, ...] | None) -> str:
    _size_of_ordinary_file(path)
    beginning = bytearray()
    try:
        with open(path, "rb") as stream:
            if (codec := _find_codec(stream)) is None:
                beginning += stream.read(_BEGINNING)
            else:
                pieces = _decompressed_pieces(stream, codec, path, float("inf"))
                while len(beginning) < _BEGINNING and (piece := next(pieces, None)) is not None:
                    beginning += piece
    except OSError as error:
        raise fault(path, "not-a-file", f"cannot be read: {error.strerror}.") from None
    if not beginning or kind_of_archive(beginning) is not None:
        beginning = bytearray(read_bytes(path, Report()))
    return beginning[:_BEGINNING].decode("utf-8", "replace").removeprefix("\ufeff")


def version_of(path: str) -> tuple[int, ...] | None:
    """Return what changes when a file is written to or replaced; None where there is no such file."""
    try:
        status = os.stat(path)
    except (OSError, ValueError):
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns


def _find_codec(stream: BinaryIO) -> str | None:
    """Tell how a file is compressed by its first bytes; the stream is then at its beginning again."""
    start = stream.read(16)
    stream.seek(0)
    return next((name for name, magic in _MAGIC if magic.match(start)), None)


def _size_of_ordinary_file(path: str) -> int:
    # A pipe or a device must not even be opened: that may block, or never end.
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "the name is not usable"
        raise fault(path, "not-a-file", f"cannot be read: {reason}.") from None
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a pipe, socket or device"
        raise fault(path, "not-a-file", f"is {kind}: an ordinary file was expected.")
    return status.st_size


def _too_large(path: str, how_much: str) -> InputError:
    bound = f"a file may hold 2 GiB, and {LARGEST_EXPANSION} times its own size when it is compressed"
    return fault(path, "too-large", f"holds {how_much}: {bound}; accept 'too-large' if this is meant.")


def find_limit(size: int, report: Report) -> float:
    """Return how many bytes a compressed file of this size may hold."""
    return float("inf") if report.accepts("too-large") else min(LARGEST_FILE, LARGEST_EXPANSION * size)


def _decompress(stream: BinaryIO, codec: str, path: str, size: int, report: Report) -> bytearray:
    limit = find_limit(size, report)
    # What becomes large is first counted to its end, so that a bomb is refused before it fills the memory.
    data, size = bytearray(), 0
    for piece in _decompressed_pieces(stream, codec, path, limit):
        size += len(piece)
        if size <= _HELD_UNCOUNTED:
            data += piece
    if size > len(data):
        data.clear()
        stream.seek(0)
        for piece in _decompressed_pieces(stream, codec, path, limit):
            data += piece
    return data


def _decompressed_pieces(stream: BinaryIO, codec: str, path: str, limit: float) -> Iterator[bytes]:
    start, errors = _decoder(codec, path)
    decoder, size = None, 0
    try:
        for compressed in iter(lambda: stream.read(_SLICE), b""):
            while compressed:
                if decoder is None:
                    compressed = compressed.lstrip(b"\0")  # padding between and after the members of a file
                    if not compressed:
                        break
                    decoder = start()
                piece = decoder.decompress(compressed)
                size += len(piece)
                if size > limit:
                    raise _too_large(path, f"more than {int(limit):,} bytes once decompressed")
                yield piece
                compressed = decoder.unused_data if decoder.eof else b""
                if decoder.eof:
                    decoder = None
    except errors as error:
        problem = f"starts like a {codec} file but cannot be decompressed ({excerpt(str(error))})"
        raise fault(path, "corrupt", f"{problem} after {size:,} bytes of text; copy or make it again.") from None
    if decoder is not None:
        problem = f"ends in the middle of its {codec} data, after {size:,} bytes of text; copy it again."
        raise fault(path, "truncated", problem)


def _decoder(codec: str, path: str) -> tuple[Callable[[], Any], tuple[type[Exception], ...]]:
    """Return what starts a decoder, and the exceptions that it raises on bad bytes."""
    try:
        if codec == "gzip":
            return lambda: zlib.decompressobj(wbits=31), (zlib.error,)
        if codec == "bzip2":
            import bz2

            return bz2.BZ2Decompressor, (OSError, EOFError)
        if codec == "xz":
            import lzma

            xz = lzma.FORMAT_XZ
            return lambda: lzma.LZMADecompressor(xz, memlimit=_DECODER_MEMORY), (lzma.LZMAError, EOFError)
        import zstandard

        frames = zstandard.ZstdDecompressor(max_window_size=_DECODER_MEMORY)
        return frames.decompressobj, (zstandard.ZstdError,)
    except ImportError:
        remedy = INSTALL_FORMATS if codec == "zstandard" else "this Python was built without it"
        raise fault(path, "codec-missing", f"is a {codec} file, which cannot be read here: {remedy}.") from None
