"""The words for units: documents, domains, blocks of 7."""

from __future__ import annotations

import re

BLOCKS = re.compile(r"block of ([1-9][0-9]{0,8})")


def name_units(unit: str, count: int = 2) -> str:
    """Return the word for so many units: "document", "documents"; "domains"; "blocks of 7"."""
    if count == 1:
        return unit
    if BLOCKS.fullmatch(unit):
        return unit.replace("block", "blocks")
    if not re.fullmatch(r"[^\W\d_]+([ _-][^\W\d_]+)*", unit):  # it is no word
        return f"values of {unit}"
    if re.search("[^aeiou]y$", unit):
        return f"{unit[:-1]}ies"
    return f"{unit}es" if re.search("(s|x|ch|sh)$", unit) else f"{unit}s"
