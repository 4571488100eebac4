"""What was read, in one sentence: systems, runs, documents and segments."""

from __future__ import annotations

from collections.abc import Mapping

from mtworkbench.wording import name_some, tally


def describe_read(
    runs: Mapping[str, int], n_documents: int | None, n_segments: int, n_sets: int = 1, *, named: bool, runs_by: str
) -> str:
    """Say what was read, as in "Read as: 3 systems with 2 runs each (a, b and c; runs by 'seed'), 400 segments".

    Parameters
    ----------
    runs : mapping of str to int
        The number of runs of each system.
    n_documents : int or None
        None where they are not known.
    n_segments, n_sets : int
        The number of segments of all test sets, and the number of these.
    named : bool
        Whether the systems are named, because they got their names from their files.
    runs_by : str
        What told their runs apart, as of `say_by_what`; empty if nothing did.
    """
    names = f" ({name_some(runs)}{f'; runs by {runs_by}' if runs_by else ''})" if named else ""
    parts = [tally(n_sets, "test set")] if n_sets > 1 else []
    parts += [describe_systems(runs) + names]
    parts += [*([] if n_documents is None else [tally(n_documents, "document")]), tally(n_segments, "segment")]
    return f"Read as: {', '.join(parts)}."


def describe_systems(runs: Mapping[str, int]) -> str:
    """Count systems and their runs, which may be one for each: "3 systems with 2 runs each"."""
    fewest, most = min(runs.values()), max(runs.values())
    several = f"{fewest} to {most} runs" if fewest < most else f"{most} runs{' each' if len(runs) > 1 else ''}"
    return tally(len(runs), "system") + (f" with {several}" if most > 1 else "")
