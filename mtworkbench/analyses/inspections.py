"""Inspect outputs before anything is scored: what seems wrong with which system, and which lines to look at."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import chain

import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.errors import InputError
from mtworkbench.metrics.bleu import Bleu
from mtworkbench.metrics.cautions import doubt_tokens
from mtworkbench.outputs.checks.corpus import find_again, look_again
from mtworkbench.outputs.checks.frames import FrameRuns, Runs, check_outputs
from mtworkbench.outputs.checks.oddities import Oddity
from mtworkbench.outputs.repairs import find_repairable
from mtworkbench.results.inspections import DoubtfulLine, Inspection

#: So many lines of each finding are shown unless all are asked for.
MOST_LINES = 3


def inspect_outputs(outputs: pd.DataFrame, *, most_lines: int | None = MOST_LINES) -> Inspection:
    """Find what seems wrong with outputs, before anything is scored.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    most_lines : int or None
        How many lines of each finding and system are kept; None keeps all, and names all segments of each doubt.

    Returns
    -------
    Inspection
        Shown as a table with one row per system and one column per check that found something.

    Raises
    ------
    InputError
        ``no-texts`` where there are scores alone, and those of `check_outputs`.
    """
    check_outputs(outputs)
    return inspect_runs(FrameRuns(outputs), most_lines=most_lines)


def inspect_runs(runs: Runs, *, most_lines: int | None = MOST_LINES) -> Inspection:
    """Inspect the rows of each run, as `inspect_outputs` does."""
    first = runs[0]
    if "hypothesis" not in first.columns:
        message = "Scores without texts were given, but the checks need texts: give the outputs and references."
        raise InputError("no-texts", message)
    twice = doubt_tokens(Bleu(), runs)  # BLEU is what is scored unless another metric is named
    noticed = (*look_again(runs), *([] if twice is None else [twice]))
    numbers = first["segment"].tolist()
    corpus, oddities = find_again(runs)
    others = [one.label for one in (*corpus.references, corpus.source) if one is not None]
    if most_lines is None:
        noticed = tuple(
            replace(doubt, segments=_find_all(doubt, oddities, others, numbers) or doubt.segments) for doubt in noticed
        )
    doubts = tuple(doubt for doubt in noticed if not doubt.accepted)
    lines: dict[tuple[str, str], list[DoubtfulLine]] = {
        (doubt.code, who): [] for doubt in doubts for who in doubt.systems or others
    }
    for odd in oddities:
        who = odd.segments.label
        for position in odd.positions if most_lines is None else odd.find_telling(most_lines):
            found = lines.get((odd.code, who))
            if found is not None and (most_lines is None or len(found) < most_lines):
                text = odd.segments.texts[position] or ""
                found.append(DoubtfulLine(odd.code, who, numbers[position], text))
    return Inspection(
        len(numbers),
        len(corpus.references),
        tuple(corpus.systems),
        doubts,
        tuple(chain.from_iterable(lines.values())),
        tuple(find_repairable(runs, dict.fromkeys(doubt.code for doubt in noticed))),
        tuple(doubt for doubt in noticed if doubt.accepted),
    )


def _find_all(
    doubt: Doubt, oddities: Iterable[Oddity], others: Collection[str], numbers: Sequence[int]
) -> tuple[int, ...]:
    """Return the numbers of all segments of a doubt, not only of the first few."""
    found = {
        position
        for odd in oddities
        if (odd.code, odd.what) == (doubt.code, doubt.what)
        and {one.label for one in odd.of} - {*others} == {*doubt.systems}
        for position in odd.positions
    }
    return tuple(int(numbers[position]) for position in sorted(found))
