"""How a result looks: results say what was found, and ask the room above them, which writes, for their looks."""

from __future__ import annotations

import warnings
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning
from mtworkbench.progress import is_in_notebook

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


class Assuming(Headed):
    """Base of the results that rest on assumptions, and on data that may be in doubt: every view of them says so."""

    doubts: tuple[Doubt, ...]

    @property
    def concerns(self) -> Concerns:
        """What every view says besides what was found: before it, after it, and below the tables."""
        found: Concerns = look(self, "concerns")
        return found

    @property
    def assumptions(self) -> list[Assumption]:
        """What the result rests on, the gravest first."""
        return list(look(self, "assumptions"))


def show_warnings_quietly() -> None:
    """In a notebook, show each `DataWarning` as a line of HTML from now on, and not in red with a line of the cell.

    They remain warnings: filters and `warnings.catch_warnings` see them as before, and other warnings look as before.
    """
    if not is_in_notebook():
        return
    show_before = warnings.showwarning

    def show(message: Any, category: type[Warning], *place: Any, **more: Any) -> None:
        if not isinstance(message, DataWarning):
            show_before(message, category, *place, **more)
            return
        from IPython.display import display

        display({"text/html": look(message, "html"), "text/plain": printable(f"Warning: {message}")}, raw=True)

    warnings.showwarning = show
