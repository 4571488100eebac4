r"""Lines of a text file: UTF-8, ended by ``\n`` or ``\r\n`` and by nothing else."""

from __future__ import annotations

import codecs
import re
import unicodedata
from contextlib import suppress

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.alignment import trim_trailing_blanks
from mtworkbench.outputs.checks.report import Report, excerpt, fault, shown
from mtworkbench.outputs.checks.segments import Lines
from mtworkbench.outputs.files.bytes import read_bytes

_FOREIGN_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32LE"),
    (codecs.BOM_UTF32_BE, "UTF-32BE"),
    (codecs.BOM_UTF16_LE, "UTF-16LE"),
    (codecs.BOM_UTF16_BE, "UTF-16BE"),
)

_END_OF_DOS = "\x1a"
_TELLING = 16
_ASCII_LETTER = re.compile(rb"[A-Za-z]")


def notice_file(
    report: Report, code: str, path: str, what: str, together: str, line: int | None = None, count: int | None = None
) -> None:
    """Notice something of one file, of which ``what`` continues the sentence; see `Report.notice`."""
    message, whose = f"{shown(path)} {what}", shown(path)
    report.notice(code, message, path=path, line=line, count=count, whose=whose, together=together)


def read_text(path: str, report: Report) -> str:
    """Read a UTF-8 file, compressed or not, without a byte-order mark at its beginning and Ctrl-Z at its end.

    Raises
    ------
    InputError
        ``encoding``, ``nul``, and those of `read_bytes`.
    """
    data = read_bytes(path, report)
    _refuse_other_encodings(data, path)
    if data.startswith(codecs.BOM_UTF8):
        together = "{places} files start with a byte-order mark, which was left out: {list}."
        notice_file(report, "bom", path, "starts with a byte-order mark, which was left out.", together, 1)
        data = data[len(codecs.BOM_UTF8) :]
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _not_utf8(data, error, path) from None
    if text.endswith(_END_OF_DOS):
        what = "the end-of-file mark of DOS (Ctrl-Z, U+001A), which was left out"
        notice_file(report, "ctrl-z", path, f"ends with {what}.", f"{{places}} files end with {what}: {{list}}.")
        text = text.rstrip(_END_OF_DOS)
    if not text:
        raise fault(path, "empty-file", "holds nothing: at least one line was expected.")
    return text


def read_lines(path: str, report: Report) -> list[str]:
    r"""Read the lines of a UTF-8 file.

    Lines end at ``\n`` or ``\r\n``: a lone ``\r``, U+2028, a form feed and the like stay inside their line.

    Raises
    ------
    InputError
        ``cr-only``, and those of `read_text`.
    """
    text = read_text(path, report)
    if "\n" not in text and "\r" in text:
        problem = "ends its lines with a carriage return alone, as old Macs did: line feeds were expected"
        remedy = "convert it first, for instance with: tr '\\r' '\\n'."
        raise InputError("cr-only", f"{shown(path)} {problem}; {remedy}", path=path, line=1)
    lines = text.split("\n")
    ended = len(lines) - 1
    if not lines[-1]:
        lines.pop()
    if "\r" in text:
        _strip_carriage_returns(lines, ended, path, report)
    return lines


def read_segments(path: str, report: Report) -> Lines:
    """Read the lines of a UTF-8 file as segments, named by the file; see `read_lines`."""
    return Lines(read_lines(path, report), shown(path), path)


def read_rows(path: str, report: Report) -> Lines:
    """Read the lines of a table, the first of which names the columns; where that was accepted, without empty ends.

    Raises
    ------
    InputError
        ``empty-file`` where nothing is left, and those of `read_lines`.
    """
    [lines] = trim_trailing_blanks([read_segments(path, report)], report)
    if not len(lines):
        raise fault(path, "empty-file", "holds nothing but empty lines: at least one line was expected.")
    return lines


def _strip_carriage_returns(lines: list[str], ended: int, path: str, report: Report) -> None:
    found = [i for i in range(ended) if lines[i].endswith("\r")]
    for i in found:
        lines[i] = lines[i][:-1]
    if found:
        ends = f"{len(found):,} of its {len(lines):,} lines with carriage return and line feed"
        what = f"ends {ends}: both were taken for the end of the line."
        together = "{places} files end {count} lines with carriage return and line feed: both were taken for the end "
        notice_file(report, "crlf", path, what, f"{together}of the line, in {{list}}.", found[0] + 1, len(found))


def _refuse_other_encodings(data: bytes | bytearray, path: str) -> None:
    name = next((name for mark, name in _FOREIGN_MARKS if data.startswith(mark)), None)
    nul = data.find(0)
    if name is None and nul >= 0:
        head = data[:4096]
        even, odd = head[::2].count(0), head[1::2].count(0)
        if max(even, odd) * 8 > len(head) and max(even, odd) > 8 * min(even, odd):
            name = "UTF-16LE" if odd > even else "UTF-16BE"
        name = _wide_encoding(head) or name
    if name is not None:
        problem = f"{shown(path)} looks like {name}: UTF-8 was expected; convert it first, for instance with: "
        message = f"{problem}iconv -f {name} -t UTF-8."
        raise InputError("encoding", message, path=path, line=1, found=name, expected="UTF-8")
    if nul >= 0:
        line = data.count(b"\n", 0, nul) + 1
        problem = f"byte {nul:,} is NUL, which no text has: {_line_around(data, nul)}"
        raise fault(path, "nul", f"{problem}; the file is damaged or is not text.", line)


def _wide_encoding(head: bytes | bytearray) -> str | None:
    """Tell in which encoding of two or four bytes a text without a mark is, if in any.

    In a wrong one, spaces and line feeds become characters that do not exist, or are too rare. What is mostly letters
    of ASCII, or UTF-8 that goes beyond ASCII, is no such text; a few bytes tell nothing.
    """
    if len(head) < _TELLING or 5 * len(_ASCII_LETTER.findall(head)) > 3 * len(head):
        return None
    with suppress(UnicodeDecodeError):
        if not codecs.getincrementaldecoder("utf-8")().decode(bytes(head)).isascii():
            return None
    for _, name in _FOREIGN_MARKS:
        try:
            text = codecs.getincrementaldecoder(name)().decode(bytes(head))
        except UnicodeDecodeError:
            continue
        between = text.count(" ") + text.count("\n")
        strange = any(unicodedata.category(character) in ("Cc", "Cn") for character in set(text) - set("\t\n\r"))
        if not strange and 4 * between > head.count(b" ") + head.count(b"\n"):
            return name
    return None


def _not_utf8(data: bytes | bytearray, error: UnicodeDecodeError, path: str) -> InputError:
    line = data.count(b"\n", 0, error.start) + 1
    found = f"0x{data[error.start]:02X}"
    problem = f"byte {error.start:,} of the file, {found}, is not UTF-8 ({error.reason})"
    remedy = f"{_line_around(data, error.start)}; convert the file to UTF-8 first{_hint_at_windows(data, error.start)}."
    return fault(path, "encoding", f"{problem}: {remedy}", line, found=found, expected="UTF-8")


def _hint_at_windows(data: bytes | bytearray, position: int) -> str:
    """Say how the first line that is not UTF-8 reads in the encoding of Western Windows, if it is text there."""
    if not data[:position].isascii():
        return ""  # until here it was UTF-8, so the file is damaged
    start = max(data.rfind(b"\n", 0, position) + 1, position - 20)
    try:
        text = data[start : start + 40].decode("cp1252").partition("\n")[0].rstrip("\r")
    except UnicodeDecodeError:
        return ""
    if not text.replace("\t", "").isprintable():
        return ""
    reading = f"as Windows-1252, the encoding of many spreadsheets, it reads {excerpt(text)}"
    return f" ({reading}; if that is right: iconv -f CP1252 -t UTF-8, or save it from Excel as CSV UTF-8)"


def _line_around(data: bytes | bytearray, position: int) -> str:
    start = max(data.rfind(b"\n", 0, position) + 1, position - 20)
    end = data.find(b"\n", position)
    return excerpt(data[start : end if end >= 0 else len(data)][:50])
