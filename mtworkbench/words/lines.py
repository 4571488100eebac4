"""What the sentences of all studies share: sizes of samples, and lines that a notebook shows as a list."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mtworkbench.shown import Shown
from mtworkbench.words.frames import WIDTH, fill


def name_sizes(sizes: Iterable[int]) -> str:
    """Write the sizes that samples have, once each: "300", "302 or 303", "290 to 310"."""
    distinct = sorted(set(sizes))
    if len(distinct) > 2:
        return f"{distinct[0]:,} to {distinct[-1]:,}"
    return " or ".join(f"{size:,}" for size in distinct)


class Sentences(Shown, str):
    """Text that a notebook shows as HTML: what was found in bold, the other lines as a list.

    Parameters
    ----------
    text : str
        What it is for everybody else, such as ``print``.
    lines : sequence of str, optional
        The text before it was broken; the whole text if not given.
    finding : bool
        Whether the first sentence says what was found.
    """

    lines: Sequence[str]
    finding: bool

    def __new__(cls, text: str, lines: Sequence[str] = (), *, finding: bool = True) -> Sentences:
        """Make a string that knows its lines."""
        made = super().__new__(cls, text)
        made.lines, made.finding = lines or [text], finding
        return made

    def __repr__(self) -> str:
        return str(self)


def wrap(lines: Iterable[str], *, indent: str = "", finding: bool = True) -> Sentences:
    """Join lines; those that are too long are broken at spaces, and go on after ``indent``. See `fill`."""
    lines = list(lines)
    return Sentences("\n".join(fill(line, WIDTH, indent=indent) for line in lines), lines, finding=finding)


def join_lines(text: str) -> str:
    """Return sentences as one line, whatever lines a notebook shows them in."""
    return " ".join((" ".join(text.lines) if isinstance(text, Sentences) else text).split())
