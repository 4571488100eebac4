"""Figures and tables as files for a paper: the same bytes each time, never half a file."""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.tables import frame_to_csv, show_table
from mtworkbench.tables.latex import columns_to_latex
from mtworkbench.writing import make_folder, replace_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# What matplotlib would write differently each time, by format.
_UNDATED = {"pdf": {"CreationDate": None}, "svg": {"Date": None}, "png": {}}
# Fonts as TrueType, which publishers ask for; identifiers in SVG that do not change from run to run.
# The background is the figure's own, also where a user's style would set another. So is its layout: matplotlib gives a
# figure without one that of the style after it has written the first format.
_RC: dict[Any, object] = {
    "pdf.fonttype": 42,
    "svg.hashsalt": "mtworkbench",
    "savefig.facecolor": "auto",
    "savefig.edgecolor": "auto",
    "figure.constrained_layout.use": False,
    "figure.autolayout": False,
}
_PNG_DPI = 200
# Around the figure, in inches: what is made for one column stays about as wide.
_PAD = 0.02


def write_figure(figure: Figure | Axes, path: str | os.PathLike[str]) -> None:
    """Write a figure to one file; the same figure gives the same bytes each time.

    Parameters
    ----------
    figure : Figure or Axes
        An Axes stands for its whole figure.
    path : path
        Its ending, ``.pdf``, ``.svg`` or ``.png``, is the format.

    Raises
    ------
    InputError
        For another ending (code ``"figure-format"``), or where the file cannot be written (``"cannot-write"``).
    """
    import matplotlib

    format = check_figure_format(path)
    whole = figure.figure.canvas.figure  # the figure that a subfigure is in, too
    content = io.BytesIO()
    with matplotlib.rc_context(_RC):
        whole.savefig(
            content, format=format, metadata=_UNDATED[format], bbox_inches="tight", pad_inches=_PAD, dpi=_PNG_DPI
        )
    replace_file(path, content.getvalue())


def check_figure_format(path: str | os.PathLike[str]) -> str:
    """Return the format that the ending of a figure's file names, or refuse it (code ``"figure-format"``)."""
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in _UNDATED:
        raise InputError(
            "figure-format",
            f"{os.fspath(path)!r} cannot be the file of a figure: its name must end in .pdf, .svg or .png.",
            path=os.fspath(path),
        )
    return ending


def save_figure(
    figure: Figure | Axes,
    stem: str,
    *,
    frame: pd.DataFrame | None = None,
    folder: str | os.PathLike[str] = "figures",
) -> None:
    """Write a figure as PDF, SVG and PNG, without the title that says its finding: in a paper, the caption does.

    In a notebook, the folder is next to it; ``make figures`` gathers what all notebooks write into one.

    Parameters
    ----------
    figure : Figure or Axes
        An Axes stands for its whole figure.
    stem : str
        File name without its ending: letters, digits, ``-`` and ``_``.
    frame : DataFrame, optional
        What the figure shows, one row per mark; written as CSV next to it.
    folder : path
        Made where it is missing.

    Raises
    ------
    InputError
        For another file name (code ``"stem"``), or where a file cannot be written (``"cannot-write"``).
    """
    from mtworkbench.plots.style import untitled

    path = _path_in(folder, stem)
    with untitled(figure.figure.canvas.figure):  # the figure that a subfigure is in, too
        for ending in _UNDATED:
            write_figure(figure, f"{path}.{ending}")
    if frame is not None:
        replace_file(f"{path}.csv", frame_to_csv(_with_index_as_columns(frame)))


def save_table(
    frame: pd.DataFrame,
    stem: str,
    *,
    arranged: pd.DataFrame | None = None,
    caption: str = "",
    digits: int = 2,
    folder: str | os.PathLike[str] = "figures",
) -> None:
    """Write a table as CSV, unrounded, and as LaTeX, rounded and in the words of `show_table`.

    Parameters
    ----------
    frame : DataFrame
        An index that is more than row numbers is written as the first columns.
    stem : str
        File name without its ending, and the label in LaTeX: letters, digits, ``-`` and ``_``.
    arranged : DataFrame, optional
        The table as LaTeX has it, such as one row per pair with all sizes, where that is not the frame itself.
    caption : str, optional
        Caption in LaTeX.
    digits : int
        Decimals of floating-point columns in LaTeX.
    folder : path
        Made where it is missing.

    Raises
    ------
    InputError
        For another file name (code ``"stem"``), or where a file cannot be written (``"cannot-write"``).
    """
    path = _path_in(folder, stem)
    replace_file(f"{path}.csv", frame_to_csv(_with_index_as_columns(frame)))
    printed = show_table(frame if arranged is None else arranged, digits=digits)
    replace_file(f"{path}.tex", columns_to_latex(printed.flat, caption, f"tab:{stem}"))


def _path_in(folder: str | os.PathLike[str], stem: str) -> Path:
    if not re.fullmatch(r"[A-Za-z0-9_-]+", stem):
        raise InputError(
            "stem",
            f"{stem!r} cannot name a figure or table: use letters, digits, - and _, without a folder or an ending.",
            found=stem,
        )
    make_folder(folder)
    return Path(folder) / stem


def _with_index_as_columns(frame: pd.DataFrame) -> pd.DataFrame:
    return frame if isinstance(frame.index, pd.RangeIndex) else frame.reset_index()
