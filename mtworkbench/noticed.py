"""How a notebook shows what was noticed in the data: a quiet line, where a terminal has a warning."""

from __future__ import annotations

import warnings
from typing import Any

from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning
from mtworkbench.progress import is_in_notebook
from mtworkbench.shown import look


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
