"""What some segments have in common, compared with all segments."""

from __future__ import annotations

from collections.abc import Collection, Mapping

import pandas as pd

from mtworkbench.errors import InputError

_LENGTHS = ("length_reference", "length_baseline", "length")


def compare_selection(
    frame: pd.DataFrame, segments: Collection[int], flags: Mapping[str, pd.DataFrame] | None = None
) -> pd.DataFrame:
    """Compare some segments with all segments: their contribution, documents, lengths and flags.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, one row per segment.
    segments : collection of int
        Numbers of the segments that are selected.
    flags : mapping of str to DataFrame, optional
        By system, the flags of `flag_segments`: columns of bool, in the order of the frame.

    Returns
    -------
    DataFrame
        One row per fact: ``fact``, ``system`` (whose flag it is; else missing), ``selection`` and ``all``. The facts
        are ``segments`` (their number), ``contribution`` (the sum), ``documents`` (from how many they are, where
        documents are known), ``length_reference``, ``length_baseline`` and ``length`` (medians, in words; NaN where no
        segment has one), and the number of segments with each flag.

    Raises
    ------
    InputError
        ``unknown-segment``, and ``columns`` for another frame.
    """
    if not isinstance(frame, pd.DataFrame) or not {"segment", "contribution"} <= {*frame.columns}:
        raise InputError("columns", "The frame was expected to be that of segment_contributions, one row per segment.")
    if not isinstance(segments, Collection) or isinstance(segments, str):
        raise InputError("unknown-segment", f"segments is {segments!r}, but a list of segment numbers was expected.")
    strangers = {*segments} - {*frame["segment"].tolist()}
    if strangers:
        raise InputError("unknown-segment", f"There is no segment {min(strangers)} among the {len(frame):,} segments.")
    chosen = frame["segment"].isin(list(segments)).to_numpy()
    facts: list[tuple[str, str | None, float, float]] = [("segments", None, int(chosen.sum()), len(frame))]

    def add(fact: str, column: pd.Series, how: str, system: str | None = None) -> None:
        facts.append((fact, system, getattr(column[chosen], how)(), getattr(column, how)()))

    add("contribution", frame["contribution"], "sum")
    if "document" in frame.columns:
        add("documents", frame["document"], "nunique")
    for name in _LENGTHS:
        if name in frame.columns:
            add(name, frame[name], "median")
    for system, raised in (flags or {}).items():
        for name in raised.columns:
            if name != "segment":
                add(name, raised[name], "sum", system)
    return pd.DataFrame(facts, columns=["fact", "system", "selection", "all"])
