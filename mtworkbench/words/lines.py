"""What the sentences of all studies share: sizes of samples, and lines that no notebook breaks again."""

from __future__ import annotations

from collections.abc import Iterable

from mtworkbench.words.frames import fill

#: Characters per line.
WIDTH = 100


def name_sizes(sizes: Iterable[int]) -> str:
    """Write the sizes that samples have, once each: "300", "302 or 303", "290 to 310"."""
    distinct = sorted(set(sizes))
    if len(distinct) > 2:
        return f"{distinct[0]:,} to {distinct[-1]:,}"
    return " or ".join(f"{size:,}" for size in distinct)


def wrap(lines: Iterable[str], *, indent: str = "") -> str:
    """Join lines; those that are too long are broken at spaces, and go on after ``indent``. See `fill`."""
    return "\n".join(fill(line, WIDTH, indent=indent) for line in lines)
