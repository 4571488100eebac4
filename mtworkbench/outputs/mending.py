"""Texts as they are after something in them was mended; what has nothing to mend stays as it is."""

from __future__ import annotations

import html
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence

from mtworkbench.outputs.checks.affixes import HALF_AS_OFTEN
from mtworkbench.outputs.checks.profiles import AFFIXES
from mtworkbench.outputs.checks.segments import Texts
from mtworkbench.outputs.checks.traits import ENTITY, MOJIBAKE


def unescape(text: str) -> str:
    """Replace the entities that the check looks for: other ampersands stay as they are."""
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text


def decode_again(text: str) -> str:
    """Decode UTF-8 that was read as cp1252 or Latin-1; a text that is not that throughout stays as it is."""
    if text.isascii() or not MOJIBAKE.search(text):
        return text
    try:
        return b"".join(map(_encode_character, text)).decode("utf-8")
    except UnicodeError:
        return text


def _encode_character(character: str) -> bytes:
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")  # cp1252 leaves five bytes open


def join_sentencepieces(text: str) -> str:
    """Join the pieces of SentencePiece to words; a text without its mark stays as it is."""
    return text.replace(" ", "").replace("\u2581", " ").strip() if "\u2581" in text else text


_CLOSING = re.compile(r" +(?=[.,;:!?%)\]}\u00bb\u201d\u2019\u2026\u3002\uff0c\u3001\u060c\u0964]+(?: |$))")
_OPENING = re.compile(r"((?:^| )[(\[{\u00ab\u201c\u201e\u00bf\u00a1]) +")
_CLITIC = re.compile(r"(?<=\w) (?='(?:s|re|ve|ll|d|m)\b|n't\b)", re.IGNORECASE)
_QUOTED = re.compile(r'(^| )" *([^"]*?) *"(?=$|[ .,;:!?)])')


def detokenize(text: str) -> str:
    """Take away the blanks that a tokenizer puts around marks; text that has none stays as it is."""
    text = text.replace(" @-@ ", "-")
    text = _OPENING.sub(r"\1", _CLOSING.sub("", text))
    text = _CLITIC.sub("", text)
    return _QUOTED.sub(r'\1"\2"', text)


_ENCLOSING = re.compile(r"""\s*["'`\u00b4\u201c\u201d\u201e\u201f\u00ab\u00bb\u2018\u2019*_#<>()\[\]{}|~]+""")


def open_line(text: str) -> str:
    """Take away the quotation marks, brackets or signs that are both first and last."""
    begin, end = _ENCLOSING.match(text), _ENCLOSING.match(text[::-1])
    return text[begin.end() : len(text) - end.end()].strip() if begin and end else text


def strip_punctuation(text: str) -> str:
    """Take out all punctuation marks, and the blanks that are then too many."""
    kept = "".join(" " if unicodedata.category(one)[0] == "P" else one for one in text)
    return " ".join(kept.split())


def strip_end_mark(text: str) -> str:
    """Take away the marks at the end; a text of nothing else stays as it is."""
    end = len(text)
    while end and unicodedata.category(text[end - 1])[0] in "PZ":
        end -= 1
    return text[:end] or text


def strip_beginnings(texts: Texts, positions: Sequence[int]) -> list[str | None]:
    """Take away what many of some lines begin with; of those that are left, again, while many have it in common."""
    stripped = list(texts)
    fewest = max(_FEWEST_ALIKE, _SHARE_ALIKE * len(positions))
    rest = {position: texts[position] or "" for position in positions}
    while common := _find_common(list(rest.values()), fewest):
        alike = [position for position, text in rest.items() if text.startswith(common)]
        for position in alike:
            stripped[position] = rest.pop(position)[len(common) :].lstrip()
    return stripped


def strip_ends(texts: Texts, positions: Sequence[int]) -> list[str | None]:
    """Take away what many of some lines end with, as `strip_beginnings` does."""
    turned = [None if text is None else text[::-1] for text in texts]
    return [None if text is None else text[::-1] for text in strip_beginnings(turned, positions)]


# So many lines begin alike, at least. What they have in common goes on while nearly all of them have it.
_FEWEST_ALIKE, _SHARE_ALIKE, _NEARLY_ALL = 3, 0.1, 0.98


# A single word without a mark may be the beginning of a translation.
_IS_ADDED = re.compile(r"\w\W+\w|[^\w\s]")


def _find_common(texts: Sequence[str], fewest: float) -> str:
    """Return the longest beginning that many texts have in common, as far as it holds whole words."""
    common = _find_start(texts)
    alike = [text for text in texts if text.startswith(common)]
    if len(alike) < fewest:
        return ""
    while alike:
        following = Counter(text[len(common)] for text in alike if len(text) > len(common)).most_common(1)
        if not following or following[0][1] < max(fewest, _NEARLY_ALL * len(alike)):
            break
        common += following[0][0]
        alike = [text for text in alike if text.startswith(common)]
    while common and common[-1].isalnum() and any(text[len(common) :][:1].isalnum() for text in alike):
        common = common[:-1]
    return common if _IS_ADDED.search(common) else ""


def _find_start(texts: Sequence[str]) -> str:
    """Return what most begin with: as the check does, the longest of its sizes that is about as frequent as the first.

    So a few lines that begin in the same way by nature do not hide what was added to the others.
    """
    starts = [Counter(text[:size] for text in texts if len(text) >= size).most_common(1) for size in AFFIXES]
    found = [one[0] for one in starts if one]
    often = [start for start, count in found if count > HALF_AS_OFTEN * found[0][1]]
    return max(often, key=len, default="")
