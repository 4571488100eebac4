"""Archives in place of a file: zip and tar that hold exactly one text are read, and nothing is ever written."""

from __future__ import annotations

import io
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import suppress
from typing import IO

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt, fault

_PIECE = 2**20
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
#: What zip files that are no archives of texts have among their members, and what they are.
_DOCUMENTS = {
    "[Content_Types].xml": "an Office file (such as .xlsx or .docx): save it as plain text or as CSV UTF-8",
    "mimetype": "an OpenDocument file or an e-book: save it as plain text or as CSV in UTF-8",
    "header.json": "a file of statistics, it seems: read it with load_statistics, or give it to --statistics",
}
_DAMAGE = (
    tarfile.TarError, zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError,
    NotImplementedError, ValueError, OverflowError, IndexError, KeyError,
)  # fmt: skip


def kind_of_archive(data: bytes | bytearray) -> str | None:
    """Tell whether bytes are those of a ``zip`` or ``tar`` archive; None where they are neither."""
    if data.startswith(_ZIP):
        return "zip"
    with suppress(tarfile.TarError, ValueError):
        tarfile.TarInfo.frombuf(bytes(data[:512]), "utf-8", "surrogateescape")  # its checksum says whether it is one
        return "tar"
    return None


def unpack(data: bytes | bytearray, kind: str, path: str, limit: float) -> bytes:
    """Return the one text that an archive holds.

    Parameters
    ----------
    data : bytes
    kind : {"zip", "tar"}
    path : str
        The archive, for messages.
    limit : float
        Bytes that the text may have.

    Raises
    ------
    InputError
        ``unsafe-archive`` for names that lead elsewhere, links and devices; ``archive`` unless there is exactly one
        ordinary file, which is neither encrypted nor an archive itself; ``too-large``, ``corrupt``.
    """
    try:
        content = _unpack_zip(data, path, limit) if kind == "zip" else _unpack_tar(data, path, limit)
    except InputError:
        raise
    except _DAMAGE as error:
        problem = f"is a {kind} archive that is cut off or damaged ({excerpt(str(error))}); copy or make it again."
        raise fault(path, "corrupt", problem) from None
    if kind_of_archive(content) is not None:
        raise _not_one_text(path, kind, "holds another archive")
    return content


def _unpack_zip(data: bytes | bytearray, path: str, limit: float) -> bytes:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        infos = archive.infolist()
        for info in infos:
            # `orig_filename` still has the backslashes that Python changes on Windows.
            _check_name(info.orig_filename, path, "zip")
        names = [info.filename for info in infos]
        what = next((what for member, what in _DOCUMENTS.items() if member in names and len(names) > 1), None)
        if what is not None:
            raise fault(path, "archive", f"is {what}.")
        texts = [one for one in infos if not one.is_dir() and not one.filename.startswith("__MACOSX/")]
        _check_number(len(texts), path, "zip")
        [info] = texts
        if info.flag_bits & 1:
            raise _not_one_text(path, "zip", "is encrypted")
        with archive.open(info) as stream:
            return _read_bounded(stream, path, limit)


def _unpack_tar(data: bytes | bytearray, path: str, limit: float) -> bytes:
    with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
        number, content = 0, b""
        for member in _members(archive):
            _check_name(member.name, path, "tar")
            if member.isdir():
                continue
            if not member.isreg() or member.issparse():
                what = "a link" if member.issym() or member.islnk() else "a device or the like"
                raise _unsafe(path, "tar", f"{excerpt(member.name)} is {what}")
            number += 1
            if number == 1:
                with archive.extractfile(member) or io.BytesIO() as stream:
                    content = _read_bounded(stream, path, limit)
            else:
                break
        _check_number(number, path, "tar")
        return content


def _members(archive: tarfile.TarFile) -> Iterator[tarfile.TarInfo]:
    # `next` also remembers all members, which a million of them would make expensive.
    while (member := archive.next()) is not None:
        vars(archive)["members"].clear()
        yield member


def _check_name(name: str, path: str, kind: str) -> None:
    if "\\" in name or name.startswith("/") or re.match("[A-Za-z]:", name) or ".." in name.split("/"):
        raise _unsafe(path, kind, f"the name {excerpt(name)} leads out of it")


def _check_number(number: int, path: str, kind: str) -> None:
    if number != 1:
        raise _not_one_text(path, kind, f"holds {'no file' if number == 0 else 'several files'}")


def _read_bounded(stream: IO[bytes], path: str, limit: float) -> bytes:
    content = bytearray()
    for piece in iter(lambda: stream.read(_PIECE), b""):
        content += piece
        if len(content) > limit:
            problem = f"holds more than {int(limit):,} bytes once unpacked; accept 'too-large' if this is meant."
            raise fault(path, "too-large", problem)
    return bytes(content)


def _not_one_text(path: str, kind: str, what: str) -> InputError:
    expected = "a text was expected, or an archive of one; unpack it and name the text"
    return fault(path, "archive", f"is a {kind} archive that {what}: {expected}.")


def _unsafe(path: str, kind: str, what: str) -> InputError:
    problem = f"is a {kind} archive that is not safe to unpack, because {what}; unpack it with a program you trust."
    return fault(path, "unsafe-archive", problem)
