"""How systems look and are called in every figure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from mtworkbench.plots.letters import escape_dollars
from mtworkbench.words.frames import shorten

#: Width of one column of a paper, in inches.
COLUMN_WIDTH = 3.03
#: Longer names are shortened.
NAME_LENGTH = 45
#: How something is drawn: keywords of matplotlib's, which alone knows what it takes.
Look = dict[str, Any]
#: Colour and marker of each system by its name; see `styles_of`.
Styles = Mapping[str, dict[str, str]]
Looks = Mapping[str, Look]

# Okabe and Ito's colours without their yellow, which vanishes on white; seven colours and eight markers make 56 systems
# that differ, neighbours in both.
COLORS = ("#0072B2", "#D55E00", "#009E73", "#000000", "#CC79A7", "#56B4E9", "#E69F00")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "<")


def system_style(position: int) -> dict[str, str]:
    """Return colour and marker of the system at a position, counted from 0, in the order of the systems' names.

    The colours are told apart by colour-blind readers, the markers also in grey.
    """
    return {"color": COLORS[position % len(COLORS)], "marker": MARKERS[position % len(MARKERS)]}


def styles_of(names: Iterable[str]) -> dict[str, dict[str, str]]:
    """Return colour and marker of each system of a family, whatever the order in which they are named.

    A figure that shows a few of the systems passes this on, so each looks the same in every view of the same systems.
    """
    names = list(dict.fromkeys(names))
    places = {name: place for place, name in enumerate(sorted(names))}
    return {name: system_style(places[name]) for name in names}


def label_systems(names: Sequence[str], length: int = NAME_LENGTH) -> dict[str, str]:
    """Return each system's name as a figure shows it: shortened where it is longer than ``length``, and escaped."""
    return {name: escape_dollars(short) for name, short in shorten(names, length).items()}
