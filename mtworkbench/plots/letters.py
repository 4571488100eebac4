"""The letters of names in figures: fonts that have them, and numbers in their place where no installed font does."""

from __future__ import annotations

import logging
import re
from functools import lru_cache

import matplotlib as mpl
from matplotlib.font_manager import FontProperties, findfont, fontManager, get_font

from mtworkbench.tables import printable

#: The font of all figures: it comes with matplotlib.
FONT = "DejaVu Sans"
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


@lru_cache(maxsize=1)
def _installed() -> tuple[str, ...]:
    names = {font.name for font in fontManager.ttflist}
    return tuple(name for name in FALLBACKS if name in names)


def font_families() -> list[str]:
    """Return the font of the figures, and those that stand in for letters that it lacks."""
    return [FONT, *_installed()]


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
