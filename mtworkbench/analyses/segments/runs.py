"""The rows of an outputs frame that belong to a system's runs."""

from __future__ import annotations

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.wording import tally


def rows_of_runs(outputs: pd.DataFrame, system: str, run: int | None = None) -> list[pd.DataFrame]:
    """Return the rows of each run of a system, or of one run.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    system : str
    run : int, optional
        Counted from 1; by default all of them.

    Raises
    ------
    InputError
        ``unknown-system``, ``unknown-run``, and those of `check_outputs` for what is no outputs frame.
    """
    if not isinstance(outputs, pd.DataFrame) or not {"system", "run"} <= {*outputs.columns}:
        check_outputs(outputs)
    rows = outputs[outputs["system"] == system] if isinstance(system, str) else outputs[:0]
    if not len(rows):
        known = ", ".join(map(repr, outputs["system"].unique()))
        message = f"The outputs have no system {system!r}, but only {known}."
        raise InputError("unknown-system", message, found=system, expected=known)
    runs = [part for number, part in rows.groupby("run", sort=True) if run is None or number == run]
    if not runs:
        n_runs = rows["run"].nunique()
        runs_of = tally(n_runs, "run")
        message = f"Run {run!r} of {system!r} was asked for, but it has {runs_of}, counted from 1."
        raise InputError("unknown-run", message, found=str(run), expected=f"1 to {n_runs}")
    return runs
