"""Names that differ by what cannot be seen: blanks at the ends, invisible characters, letters of another script."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from mtworkbench.errors import name_some
from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments

# Letters of Cyrillic and Greek, and signs, that look like those of ASCII in common typefaces.
_LIKE_ASCII = str.maketrans(
    "АВЕЅІЈКМНОРСТХУԌԚԜаеѕіјорсухһԁԛԝѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧοϲν\u2010\u2011\u2212\u02bc\u2019",  # noqa: RUF001
    "ABESIJKMHOPCTXYGQWaesijopcyxhdqwvABEZHIKMNOPTYXocv---''",
)


def group_look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Return the groups of different names that look the same, in the order of their first names."""
    groups: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        groups.setdefault(_what_is_seen(name), []).append(name)
    return [group for group in groups.values() if len(group) > 1]


def _what_is_seen(name: str) -> str:
    if name.isascii() and name.isprintable():
        return " ".join(name.split())
    seen = unicodedata.normalize("NFC", name)
    # Blanks of all kinds become one; format characters and variation selectors leave no mark.
    seen = "".join(
        " " if character.isspace() else character
        for character in seen
        if character.isspace() or not (unicodedata.category(character) in ("Cf", "Cc") or _is_selector(character))
    )
    return " ".join(seen.translate(_LIKE_ASCII).split())


def _is_selector(character: str) -> bool:
    return "\ufe00" <= character <= "\ufe0f"


def notice_look_alikes(names: Iterable[str], what: str, report: Report, segments: Segments | None = None) -> None:
    """Notice different names that look the same.

    Parameters
    ----------
    names : iterable of str
    what : str
        What has these names: ``systems``, ``documents`` or ``domains``.
    report : Report
    segments : Segments, optional
        The file or column with one name per segment.
    """
    groups = group_look_alikes(names)
    if not groups:
        return
    # As escapes, for what differs cannot be seen.
    named = name_some([" and ".join(map(ascii, group)) for group in groups], last="as well as")
    count = sum(map(len, groups))
    message = (
        f"{count:,} {what} have names that look the same but are not: {named}. They are treated as different "
        f"{what}; if they are the same, give them one name."
    )
    path = line = None
    if segments is not None:
        message = f"{segments.label}: {message}"
        path, line = segments.path, segments.line(list(segments.texts).index(groups[0][1]))
    report.notice("look-alike-names", message, path=path, line=line, count=count)
