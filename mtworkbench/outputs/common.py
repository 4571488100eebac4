"""The segments on which all systems can be compared."""

from __future__ import annotations

import warnings

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks import check_outputs, is_reference


def common_segments(outputs: pd.DataFrame) -> pd.DataFrame:
    """Keep the segments that every run has a hypothesis for, and that have a reference.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`; judgements alone are returned as they are.

    Returns
    -------
    DataFrame
        Without the rows of the other segments; segments keep their numbers.

    Raises
    ------
    InputError
        ``no-segments`` where none is left, and those of `check_outputs`.

    Warns
    -----
    DataWarning
        ``left-out`` with the number of segments left out, if there are any.
    """
    check_outputs(outputs)
    if "hypothesis" not in outputs.columns:
        return outputs
    references = outputs[[name for name in outputs.columns if is_reference(name)]]
    usable = outputs["hypothesis"].notna() & references.notna().any(axis=1)
    kept = usable.groupby(outputs["segment"].to_numpy()).all()
    if kept.all():
        return outputs
    n_segments = len(kept)
    left_out = int((~kept).sum())
    what = f"{left_out:,} of {n_segments:,} segments, which some run has not translated or which have no reference"
    if left_out == n_segments:
        raise InputError("no-segments", f"No segment is left without {what}.")
    warnings.warn(DataWarning("left-out", f"{what}, are left out.", count=left_out), stacklevel=2)
    return outputs[kept.loc[outputs["segment"]].to_numpy()].reset_index(drop=True)
