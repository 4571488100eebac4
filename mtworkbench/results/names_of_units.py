"""The words for units: documents, domains, blocks of 7; and how they are counted."""

from __future__ import annotations

import re

BLOCKS = re.compile(r"block of ([1-9][0-9]{0,8})")
#: The effective number of units is named where it is smaller than their number by at least this share.
UNEQUAL = 0.2


def name_units(unit: str, count: int = 2) -> str:
    """Return the word for so many units: "document", "documents"; "domains"; "blocks of 7".

    Of test sets with different ones, chosen by ``auto``, it is "units".
    """
    unit = "unit" if unit == "auto" else unit
    if count == 1:
        return unit
    if BLOCKS.fullmatch(unit):
        return unit.replace("block", "blocks")
    if not re.fullmatch(r"[^\W\d_]+([ _-][^\W\d_]+)*", unit):  # it is no word
        return f"values of {unit}"
    if re.search("[^aeiou]y$", unit):
        return f"{unit[:-1]}ies"
    return f"{unit}es" if re.search("(s|x|ch|sh)$", unit) else f"{unit}s"


def counts_for_fewer(count: int, effective: float) -> bool:
    """Tell whether units are of so unequal size that their effective number is noticeably smaller than their number."""
    return effective <= (1 - UNEQUAL) * count


def count_units(unit: str, count: int, effective: float | None = None, *, in_strata: bool = False) -> str:
    """Count units: "92 documents"; "20 documents, by their sizes worth 4.4 equally large ones" where they count less.

    Parameters
    ----------
    unit : str
    count : int
    effective : float, optional
        See `Units.effective_count`; without it, nothing is said of what they count as.
    in_strata : bool
        Whether units are drawn within strata, which lower the effective number, too.
    """
    counted = f"{count:,} {name_units(unit, count)}"
    if effective is None or not counts_for_fewer(count, effective):
        return counted
    return f"{counted}, {say_effective(effective, in_strata=in_strata)}"


def say_effective(effective: float, *, in_strata: bool = False) -> str:
    """Say what units count as: see `count_units`."""
    return f"by their sizes worth {show_effective(effective)} equally large ones{' without strata' * in_strata}"


def show_effective(effective: float) -> str:
    """Write an effective number of units: "4.4", "31"."""
    return f"{effective:.1f}" if effective < 9.95 else f"{effective:.0f}"
