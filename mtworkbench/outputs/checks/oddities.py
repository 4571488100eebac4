"""What is odd about the texts of a system or a reference: what every check of meaning returns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mtworkbench.assumptions import MAY_CHANGE
from mtworkbench.outputs.checks.segments import Segments


@dataclass(frozen=True, eq=False)
class Oddity:
    """What is odd about one file or column: it becomes a warning of the reader and a doubt of the result.

    Parameters
    ----------
    code : str
        The one that ``accept`` takes.
    segments : Segments
        The texts of one run, of a reference or of the source.
    what : str
        What they do; continues "3 of 100 segments of X".
    positions : sequence of int
        Of the segments that do it, counted from 0, in rising order; none where it is not a matter of single segments.
        The sentence is then "X " and what it does.
    consequence : str
        What is wrong with the scores if this is what it seems, in sentences.
    advice : str
        What to do about it, in sentences.
    gravity : {"breaks the comparison", "may change the verdict", "for information"}
    """

    code: str
    segments: Segments
    what: str
    positions: Sequence[int] = ()
    consequence: str = ""
    advice: str = ""
    gravity: str = MAY_CHANGE
