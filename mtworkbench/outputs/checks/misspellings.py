"""Names that look like slips for others."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Hashable, Mapping


def find_slip(places: Mapping[str, Collection[Hashable]], *, likeness: float = 0.6) -> tuple[str, str] | None:
    """Find a name that looks like a slip for another: it is never where the other is, and it is in fewer places.

    Of two names in as many places, the one that comes later is taken for the slip.

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
            if set(own).isdisjoint(places[other]):
                return name, other
    return None


def find_meant(name: str, known: Collection[str]) -> str | None:
    """Return the known name that was probably meant by one that is not known."""
    return next(iter(difflib.get_close_matches(name, known, 1, 0.6)), None)
