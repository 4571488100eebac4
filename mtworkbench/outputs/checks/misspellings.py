"""Names that look like slips for others."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Hashable, Mapping

# The parts of a name: its words and numbers, and each character between them.
_PARTS = re.compile(r"[^\W\d_]+|\d+|[\W_]")


def find_slip(places: Mapping[str, Collection[Hashable]], *, likeness: float = 0.6) -> tuple[str, str] | None:
    """Find a name that looks like a slip for another: it is never where the other is, and it is in fewer places.

    Of two names in as many places, the one that comes later is taken for the slip. Names that were numbered on purpose,
    such as ``online-A`` and ``online-B``, or ``v2`` and ``v3``, are no slips.

    Parameters
    ----------
    places : mapping of str to collection of hashable
        Where each name is, such as the test sets or the segments of a system.
    likeness : float
        How alike the names must be, from 0 to 1.

    Returns
    -------
    (str, str) or None
        The slip, and the name that was probably meant.
    """
    trust = {name: (len(own), -number) for number, (name, own) in enumerate(places.items())}
    for name, own in places.items():
        more_trusted = [other for other in places if trust[other] > trust[name]]
        for other in difflib.get_close_matches(name, more_trusted, 3, likeness):
            if set(own).isdisjoint(places[other]) and not _are_numbered(name, other):
                return name, other
    return None


def _are_numbered(name: str, other: str) -> bool:
    """Tell whether two names differ in one part alone, which is a letter or a number in both."""
    parts, others = _PARTS.findall(name), _PARTS.findall(other)
    if len(parts) != len(others):
        return False
    differ = [pair for pair in zip(parts, others, strict=True) if pair[0] != pair[1]]
    return len(differ) == 1 and all(part.isdecimal() or (len(part) == 1 and part.isalpha()) for part in differ[0])
