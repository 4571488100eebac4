"""How numbers and tables are written on the pages on speed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

WIDTH = 120
NOTHING = "-"


def write_seconds(seconds: float) -> str:
    """Write seconds with three digits that count."""
    if np.isnan(seconds):
        return NOTHING
    return f"{seconds:,.0f}" if seconds >= 100 else f"{seconds:#.3g}".rstrip(".")


def tabulate(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Write rows of cells as Markdown."""
    lines = [heads, ("---",) * len(heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
