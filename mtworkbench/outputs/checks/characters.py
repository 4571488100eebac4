"""What the characters of texts give away: what is no text, and what a reader of the text would not see."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict

from mtworkbench.assumptions import INFORMS
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.oddities import Kind, Oddity, weigh_share
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.checks.segments import Segments

LONG_SEGMENT = 100_000
LONGEST_SEGMENT = 10_000_000

_CONTROL = "\x01-\x08\n-\x1f\x7f-\x9f\u2028\u2029"
_INVISIBLE = "\xad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2069\U000e0001-\U000e007f"
_SUSPECT = re.compile(f"[\0\t{_CONTROL}{_INVISIBLE}\ufeff\ufffd\ud800-\udfff]")
IS_INVISIBLE = re.compile(f"[{_INVISIBLE}]")

_WHAT_WAS_NOTICED = {
    "control-char": "control characters or unusual line breaks",
    "invisible-chars": "invisible characters",
    "tab": "tabs",
    "inner-bom": "byte-order marks inside the text, as if files had been joined",
    "replacement-char": "replacement characters, which stand for text that could not be decoded",
}
# Words with these do not match those without; the others are like blanks to most metrics.
_DO_NOT_MATCH = ("invisible-chars", "replacement-char")


def check_characters(segments: Segments, report: Report) -> list[Oddity]:
    """Refuse what is not text, notice segments that are very long, and find what a reader of the text would not see.

    Raises
    ------
    InputError
        ``nul``, ``surrogate``, ``huge-line``.
    """
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    positions: dict[str, list[int]] = defaultdict(list)
    for position in segments.find(_SUSPECT.findall(segments.characters)):
        for character, count in Counter(_SUSPECT.findall(segments.texts[position] or "")).items():
            code = _classify(character)
            if code in ("nul", "surrogate"):
                raise _not_text(segments, position, code)
            counts[code][character] += count
            if not positions[code] or positions[code][-1] != position:
                positions[code].append(position)
    _check_lengths(segments, report)
    return [_make_oddity(segments, code, where, counts[code]) for code, where in positions.items()]


def _classify(character: str) -> str:
    if character == "\t":
        return "tab"
    if character == "\ufeff":
        return "inner-bom"
    if character == "\ufffd":
        return "replacement-char"
    if character == "\0":
        return "nul"
    if "\ud800" <= character <= "\udfff":
        return "surrogate"
    return "invisible-chars" if IS_INVISIBLE.match(character) else "control-char"


def _not_text(segments: Segments, position: int, code: str) -> InputError:
    text = excerpt(segments.texts[position])
    if code == "nul":
        return segments.fault(code, position, f"{text} has a NUL character, which no text has; the data are damaged.")
    return segments.fault(
        code,
        position,
        f"{text} has half a surrogate pair, so it is not text that can be written as UTF-8; read the original file "
        "again without errors='surrogateescape'.",
    )


def _make_oddity(segments: Segments, code: str, positions: list[int], counts: Counter[str]) -> Oddity:
    which = ", ".join(f"{count:,} U+{ord(character):04X}" for character, count in counts.most_common(5))
    gravity = weigh_share(len(positions), len(segments)) if code in _DO_NOT_MATCH else INFORMS
    kind = Kind(code, f"have {_WHAT_WAS_NOTICED[code]}", "They were kept as part of the text.", "", gravity=gravity)
    return kind.found_in(segments, positions, detail=which)


def _check_lengths(segments: Segments, report: Report) -> None:
    # A character takes at most four bytes, so most segments need not be encoded to be measured.
    long = []
    for position, text in enumerate(segments.texts if 4 * segments.longest > LONG_SEGMENT else ()):
        if text is not None and 4 * len(text) > LONG_SEGMENT:
            size = len(text.encode("utf-8"))
            if size > LONGEST_SEGMENT and not report.accepts("huge-line"):
                problem = f"{excerpt(text)} is {size:,} bytes long, more than 10 MB: one segment per line was expected"
                raise segments.fault("huge-line", position, f"{problem}; accept 'huge-line' if this is meant.")
            if size > LONG_SEGMENT:
                long.append(position)
    if long:
        where = f"the first is {segments.unit} {segments.line(long[0]):,}"
        message = f"{segments.label} has {len(long):,} segments of more than 100 kB; {where}."
        together = "{places} inputs have segments of more than 100 kB, {count} in all: {list}."
        segments.notice(report, "huge-line", message, long[0], len(long), together)


def strip_diacritics(text: str) -> str:
    """Take away the diacritics."""
    apart = unicodedata.normalize("NFD", text)
    return unicodedata.normalize("NFC", "".join(one for one in apart if unicodedata.category(one) != "Mn"))
