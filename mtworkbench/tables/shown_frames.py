"""Frames as a notebook and a terminal show them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from mtworkbench.tables.html import show_html, table_to_html
from mtworkbench.tables.text import columns_to_text
from mtworkbench.words.shown_frames import tabulate_frame


class ShownTable:
    """A frame as a notebook and a terminal show it."""

    def __init__(self, columns: Mapping[str, Sequence[str]] | Mapping[tuple[str, ...], Sequence[str]], n_heads: int):
        self._columns, self._n_heads = columns, n_heads

    @property
    def flat(self) -> dict[str, list[str]]:
        """The cells by their headings, those above each other joined."""
        return {
            " ".join(name).strip() if isinstance(name, tuple) else name: list(cells)
            for name, cells in self._columns.items()
        }

    def __repr__(self) -> str:
        return columns_to_text(self.flat).rstrip("\n")

    def _repr_html_(self) -> str:
        return show_html(table_to_html(self._columns, n_heads=self._n_heads))


def show_table(frame: pd.DataFrame, *, digits: int = 2) -> ShownTable:
    """Show a frame for reading.

    Parameters
    ----------
    frame : DataFrame
        An index of integers without a name is left out: it is row numbers, also those that a selection left. Any
        other index becomes the first columns.
    digits : int
        Decimals of floating-point numbers. A p has as many as its trials carry, where their number is in the frame,
        else three; it is never 0.

    Returns
    -------
    ShownTable
        A notebook shows it as a table, ``repr`` is the same as text. The names of columns that the frames of results
        have are in words: ``p_adjusted`` is "p (Holm)" or, where ``adjust`` says so, "p (max-T)"; ``low`` and ``high``
        are one "CI" ("95 % CI" where the frame has ``level``), ``confidence`` is "win %".

    Raises
    ------
    InputError
        For anything else than a frame (code ``no-frame``).
    """
    table = tabulate_frame(frame, digits=digits)
    return ShownTable(table.columns, table.n_names)
