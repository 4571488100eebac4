"""How systems look and are called in every figure, in letters that its fonts have."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

from mtworkbench.tables import printable
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
#: The font of figures, and of those in a paper: they come with matplotlib.
FONT, TIMES = "DejaVu Sans", "STIXGeneral"
# Fonts of other scripts, as systems have them; of these, the installed ones stand in for letters that ours lacks.
FALLBACKS = (
    *("Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "Noto Sans SC", "Noto Sans JP", "Noto Sans KR"),
    *("Source Han Sans SC", "WenQuanYi Zen Hei", "Droid Sans Fallback", "IPAexGothic", "NanumGothic"),
    *("PingFang SC", "Hiragino Sans", "Apple SD Gothic Neo", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic"),
    *("Noto Sans Arabic", "Noto Sans Hebrew", "Noto Sans Devanagari", "Noto Sans Bengali", "Noto Sans Tamil"),
    *("Noto Sans Thai", "Noto Sans Ethiopic", "Nirmala UI", "Leelawadee UI", "Segoe UI", "Arial Unicode MS"),
)
# Fonts that stand in may have no bold face: matplotlib then takes the usual one, and need not say so on every figure.
logging.getLogger("matplotlib.font_manager").addFilter(
    lambda record: not record.getMessage().startswith("findfont: Failed to find font weight")
)


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


def tell_apart(shown: Iterable[str], styles: Styles) -> dict[str, dict[str, str]]:
    """Return the looks of those systems of a family that one figure shows, in colours that differ.

    A large family has more systems than there are colours. Where two of those shown share one, the first by name keeps
    it, and the other takes the next that is free; markers stay. More systems than colours are told apart by both.
    """
    names = sorted(set(shown))
    looks = {name: styles[name] for name in names}
    if len(names) > len(COLORS):
        return looks
    free = [color for color in COLORS if color not in [look["color"] for look in looks.values()]]
    taken: set[str] = set()
    for name in names:
        if looks[name]["color"] in taken:
            looks[name] = looks[name] | {"color": free.pop(0)}
        taken.add(looks[name]["color"])
    return looks


def color_pair(names: Iterable[str], a: str, b: str) -> list[str]:
    """Return the colours of two systems of a family on a page; black is that of its text, also on dark pages."""
    looks = tell_apart((a, b), styles_of(names))
    colors = [looks[one]["color"] for one in (a, b)]
    return ["currentColor" if color == "#000000" else color for color in colors]


def label_systems(names: Sequence[str], length: int = NAME_LENGTH) -> dict[str, str]:
    """Return each system's name as a figure shows it: shortened where it is longer than ``length``, and escaped."""
    return {name: escape_dollars(short) for name, short in shorten(names, length).items()}


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    names = {font.name for font in fontManager.ttflist}
    return tuple(name for name in FALLBACKS if name in names)


def font_families(font: str = FONT) -> list[str]:
    """Return the font of figures, and those that stand in for letters that it lacks."""
    return [*dict.fromkeys((font, FONT)), *_installed()]


@lru_cache(maxsize=4096)
def _has_letter(families: tuple[str, ...], letter: str) -> bool:
    fonts = (findfont(FontProperties(family=[family])) for family in families)
    return any(get_font(font).get_char_index(ord(letter)) for font in fonts)


def readable(text: str) -> str:
    """Write what no font has as its number (U+767E), and what could steer a terminal as an escape."""
    text = printable(text)
    if text.isascii():
        return text
    families = (*mpl.rcParams["font.family"],)
    lacking = {letter for letter in text if not letter.isascii() and not _has_letter(families, letter)}
    if not lacking:
        return text
    runs = re.compile(f"[{''.join(map(re.escape, sorted(lacking)))}]+")
    return runs.sub(lambda run: " ".join(f"U+{ord(letter):04X}" for letter in run.group()), text)


def escape_dollars(text: str) -> str:
    """Escape text from data for matplotlib, which would take what lies between two ``$`` for mathematics."""
    return readable(text).replace("$", r"\$")
