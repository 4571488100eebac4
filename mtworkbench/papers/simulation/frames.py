"""Frames of outputs that studies make up, and what their columns of references are called."""

from __future__ import annotations

import numpy as np
import pandas as pd


def name_reference(number: int) -> str:
    """Return the column of a reference, counted from 1."""
    return "reference" if number == 1 else f"reference_{number}"


def outputs_frame(references: np.ndarray, system: str, run: int, texts: np.ndarray) -> pd.DataFrame:
    """Put the outputs of one run into an outputs frame.

    Parameters
    ----------
    references : (n_segments, n_references) ndarray of str
    system : str
    run : int
    texts : (n_segments,) ndarray of str
    """
    columns: dict[str, object] = {"segment": np.arange(1, len(texts) + 1)}
    for number, column in enumerate(references.T, start=1):
        columns[name_reference(number)] = pd.Series(column, dtype=object)
    columns["system"] = pd.Series([system] * len(texts), dtype=object)
    columns["run"] = run
    columns["hypothesis"] = pd.Series(texts, dtype=object)
    return pd.DataFrame(columns)
