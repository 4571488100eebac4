"""How a result looks: results say what was found, and ask the room above them, which writes, for their looks."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mtworkbench.assumptions import Assumption, Concerns, Doubt

# The module whose LOOKS say how each result looks. It is named, and not imported, because it stands above the results.
WRITERS = "mtworkbench.tables.looks"


def look(result: object, aspect: str) -> Any:
    """Return an aspect of a result, such as its HTML.

    Parameters
    ----------
    result : object
        Of a class in ``LOOKS``, or of one that is derived from it.
    aspect : str
        ``text``, ``html``, ``headline``, or another that the class has there.
    """
    looks = import_module(WRITERS).LOOKS
    named = next(looks[base.__name__] for base in type(result).__mro__ if aspect in looks.get(base.__name__, ()))
    return _find_function(named[aspect])(result)


@cache
def _find_function(place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(import_module(module), name)


class Shown:
    """Base of everything that a notebook shows as HTML."""

    def _repr_html_(self) -> str:
        return str(look(self, "html"))


class Headed(Shown):
    """Base of the results that begin with sentences."""

    @property
    def headline(self) -> list[str]:
        """What was found, in at most five sentences, followed by what it rests on."""
        return list(look(self, "headline"))


class Doubted(Shown):
    """Base of the results of data that may be in doubt: every view of them says so."""

    doubts: tuple[Doubt, ...]

    @property
    def concerns(self) -> Concerns:
        """What every view says besides what was found: before it, after it, and below the tables."""
        found: Concerns = look(self, "concerns")
        return found


class Assuming(Headed, Doubted):
    """Base of the results that rest on assumptions, which every view of them says."""

    @property
    def assumptions(self) -> list[Assumption]:
        """What the result rests on, the gravest first."""
        return list(look(self, "assumptions"))
