"""Scores of segments as mt-metrics-eval has them: a system, a tab and a score per line, system by system.

Source: google-research/mt-metrics-eval, README.md, "File organization and naming convention".
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Collection, Mapping, Sequence
from itertools import accumulate, chain

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.names import find_slip
from mtworkbench.outputs.checks.report import Report, excerpt, fault
from mtworkbench.outputs.checks.segments import Lines, Segments
from mtworkbench.outputs.files.lines import read_segments
from mtworkbench.outputs.files.naming import COMPRESSED
from mtworkbench.outputs.files.numbers import MISSING, NUMBER_OR_NONE, interpret_score
from mtworkbench.outputs.scores.kinds import is_taken, notice_missing
from mtworkbench.outputs.scores.scored_runs import ScoredRun, ScoresOf, lay_out_runs
from mtworkbench.outputs.tabular.rows import note_direction
from mtworkbench.wording import find_nearest, name_some, tally

SEG_SCORE = ".seg.score"
# Scores of other things, whose lines look alike or have one more column.
_NOT_OF_SEGMENTS = {".sys.score": "systems", ".doc.score": "documents", ".domain.score": "domains"}
_LANGUAGE_PAIR = re.compile(r"[a-z]{2,3}(?:_[A-Z]{2})?-[a-z]{2,3}(?:_[A-Z]{2})?\.")
_FIRST_LINE = re.compile(rf"[^\t\r\n]+\t(?:{MISSING}|[+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\r?(?:\n|$)")


def is_seg_score(path: str, beginning: str) -> bool:
    """Tell by its name or its first line whether a file has a system, a tab and a score per line."""
    named_so = COMPRESSED.sub("", path).endswith((SEG_SCORE, *_NOT_OF_SEGMENTS))
    return named_so or _FIRST_LINE.match(beginning) is not None


def read_seg_score(path: str, report: Report) -> pd.DataFrame:
    """Read a file of segment scores of mt-metrics-eval; its name says what the scores are.

    Such as ``en-de.mqm.seg.score``, whose scores are called ``mqm``. ``None`` means that a score is missing.

    Returns
    -------
    DataFrame
        As `read_scores` returns it. MQM scores without a positive number, as mt-metrics-eval has them, come with a
        column ``mqm_direction`` that says ``up``.

    Raises
    ------
    InputError
        ``score-file`` for a line that is not a system, a tab and a score, and for scores of systems, documents or
        domains; ``bad-number``, ``interleaved-systems``; ``count-mismatch`` for a system with fewer or more scores
        than the first one.
    """
    _check_level(path)
    lines = read_segments(path, report)
    found = _read_blocks(lines, None, None)
    n_segments = len(next(iter(found.values())))
    if n_segments == 1 and len(found) > 1:
        raise _not_of_segments(lines, found)
    name = name_of_scores(lines.path)
    runs = {system: ScoredRun(own) for system, own in found.items()}
    scores = lay_out_runs(runs, {system: (system, 1) for system in found}, ScoresOf(name, path, {}), report)
    if name == "mqm" and not (scores["mqm"] > 0).any():
        note_direction(scores, "mqm", "up")
    return scores


def _check_level(path: str) -> None:
    """Refuse a file that has scores of something else by its name."""
    for ending, what in _NOT_OF_SEGMENTS.items():
        if COMPRESSED.sub("", path).endswith(ending):
            problem = f"has scores of {what}, as its name says: scores of segments were expected."
            raise fault(path, "score-file", problem)


def _not_of_segments(lines: Segments, found: Collection[str]) -> InputError:
    """Make the error of a file with one score for each of several names."""
    problem = "has one score per system, as a .sys.score file has: scores of segments were expected"
    if all(name.isdecimal() for name in found):
        problem = "begins its lines with the numbers of segments, not with names of systems"
        problem += ": write a system, a tab and a score per line"
    return fault(str(lines.path), "score-file", f"{problem}.")


def name_of_scores(path: str) -> str:
    """Name scores by their file: without its folder, its language pair and its ending."""
    name = COMPRESSED.sub("", os.path.basename(path)).removesuffix(SEG_SCORE)
    name = _LANGUAGE_PAIR.sub("", name, count=1) if _LANGUAGE_PAIR.match(name) else name
    name = name if COMPRESSED.sub("", path).endswith(SEG_SCORE) else os.path.splitext(name)[0]
    return "score" if is_taken(name) else name


def interpret_scores(lines: Lines, systems: Sequence[str], n_segments: int, report: Report) -> np.ndarray:
    """Interpret the lines of a file of segment scores of known systems.

    Returns
    -------
    (n_systems * n_segments,) ndarray of float64
        In the order of ``systems``; NaN where there is no score.

    Raises
    ------
    InputError
        As `read_seg_score`, and ``unknown-system``.
    """
    found = _read_blocks(lines, systems, n_segments)
    missing = sum(map(math.isnan, chain(*found.values())))
    notice_missing(report, lines.path, lines.label, missing, len(lines))
    unrated = [system for system in systems if system not in found]
    if unrated:
        names = name_some(map(excerpt, unrated))
        message = f"{lines.label} has no scores of {len(unrated):,} of {len(systems):,} systems: {names}."
        together = "{places} files of scores lack systems, {count} in all: {list}."
        lines.notice(report, "unrated-system", message, None, len(unrated), together)
    nothing = [math.nan] * n_segments
    return np.array([score for system in systems for score in found.get(system, nothing)])


def _read_blocks(lines: Lines, systems: Sequence[str] | None, n_segments: int | None) -> dict[str, list[float]]:
    """Read the scores of each system; those of the first say how many there are, unless that is known."""
    found: dict[str, list[float]] = {}
    current = None
    for position, line in enumerate(lines.texts):
        system, score = _split_score(lines, position, line)
        if system != current:
            if system in found:
                _refuse_slip(lines, found)
            _check_block(lines, position, system, systems, found)
            _check_length(lines, position, current, found, n_segments)
            current = system
        found.setdefault(system, []).append(score)
    _check_length(lines, len(lines) - 1, current, found, n_segments)
    return found


def _split_score(lines: Segments, position: int, line: str) -> tuple[str, float]:
    system, tab, score = line.partition("\t")
    if not tab or not system:
        raise lines.fault("score-file", position, f"{excerpt(line)}: a system, a tab and a score were expected.")
    return system, interpret_score(lines, position, score, NUMBER_OR_NONE)


def _check_block(
    lines: Segments, position: int, system: str, systems: Sequence[str] | None, found: dict[str, list[float]]
) -> None:
    if systems is not None and system not in systems:
        there = ", ".join(map(excerpt, systems))
        problem = f"there are scores of {excerpt(system)}, but the systems with outputs are {there}"
        if meant := find_nearest(system, systems):
            problem += f" (did you mean {excerpt(meant)}?)"
        raise lines.fault("unknown-system", position, f"{problem}: rename the system, or remove its scores.")
    if system in found:
        problem = f"the scores of {excerpt(system)} are interrupted by those of another system"
        raise lines.fault("interleaved-systems", position, f"{problem}: put all scores of a system together.")


def _refuse_slip(lines: Segments, found: Mapping[str, Sequence[float]]) -> None:
    """Refuse scores in the wrong place or number where the name of their system looks like a slip."""
    starts = dict(zip(found, [0, *accumulate(map(len, found.values()))], strict=False))
    places = {system: range(start, start + len(found[system])) for system, start in starts.items()}
    if (slip := find_slip(places)) is None or len(places[slip[0]]) == len(places[slip[1]]):
        return
    system, meant = slip
    count = len(places[system])
    hint = f"did you mean {excerpt(meant)}?"
    problem = f"system {excerpt(system)} has {tally(count, 'score')} here: {hint} Every system was "
    problem += "expected to have one score per segment: correct the name, or add the missing scores."
    raise lines.fault("count-mismatch", places[system][0], problem, found=system, expected=meant, hint=hint)


def _check_length(
    lines: Segments, position: int, system: str | None, found: dict[str, list[float]], n_segments: int | None
) -> None:
    if system is None:
        return
    first = next(iter(found))
    wanted = f"there are {n_segments:,} segments" if n_segments is not None else ""
    if n_segments is None:
        n_segments = len(found[first])
        wanted = f"there are {n_segments:,} for {excerpt(first)}"
    if len(found[system]) != n_segments:
        _refuse_slip(lines, found)
        count, expected = len(found[system]), "write one score per segment, and None where there is no score"
        problem = f"the scores of {excerpt(system)} end here after {count:,}, but {wanted}: {expected}."
        raise lines.fault("count-mismatch", position, problem, found=str(count), expected=str(n_segments))
