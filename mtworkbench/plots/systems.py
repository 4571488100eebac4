"""How systems look and are called in every figure."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.tables import printable
from mtworkbench.tables.frames import shorten

#: Width of one column of a paper, in inches.
COLUMN_WIDTH = 3.03
NAME_LENGTH = 18

# Okabe and Ito's colours without their yellow, which vanishes on white; seven colours and eight markers make 56 systems
# that differ, neighbours in both.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")


def system_style(position: int) -> dict[str, str]:
    """Return colour and marker of the system at a position, counted from 0, in the order in which systems are given.

    The colours are told apart by colour-blind readers, the markers also in grey.
    """
    return {"color": COLORS[position % len(COLORS)], "marker": MARKERS[position % len(MARKERS)]}


def escape_dollars(text: str) -> str:
    """Escape text from data for matplotlib, which would take what lies between two ``$`` for mathematics."""
    return printable(text).replace("$", r"\$")


def label_systems(names: Sequence[str], length: int = NAME_LENGTH) -> dict[str, str]:
    """Return each system's name as a figure shows it: shortened where it is longer than ``length``, and escaped."""
    return {name: escape_dollars(short) for name, short in shorten(names, length).items()}
