"""Scores of segments added to outputs, or joined without any: aligned by name, never by chance."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import Tabular, check_outputs, outputs_frame
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.scores.align import (
    align,
    check_unique,
    counts,
    key_rows,
    keys_of,
    name_by_numbers,
    notice_names,
    notice_positions,
    other_names,
    other_size,
)
from mtworkbench.outputs.scores.kinds import COUNTS, RENAME, check_models, directions_of, number_columns
from mtworkbench.outputs.scores.systems import name_as_outputs
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.rows import lay_out_judgements, note_direction
from mtworkbench.wording import find_nearest, name_some


def add_scores(outputs: Tabular, *scores: pd.DataFrame, accept: Collection[str] = ()) -> pd.DataFrame:
    """Add segment scores to the outputs.

    The system of scores is the one of this name; where the outputs are files, also the one whose file they name, by its
    path, by its name, or by this without an ending such as ``txt``.

    Rows are aligned by system, run and segment: by segment id, and document, where both frames have them, else by the
    number of the segment.

    - Numbers 1, 2, ... n without gaps count the segments in order, and must cover all of them.
    - Numbers with gaps, or that do not begin at 1, are names. Where the outputs have a column ``segment_id``, they are
      looked up there (17 as ``"17"``), and all must be found. Where the outputs only count their segments, such numbers
      are taken as counted from 1, with a warning unless a text in each row confirms them.
    - Scores with a column ``segment_id`` are aligned by number only if a text in each row confirms that it is the right
      one.

    Texts in the scores (COMET's JSON) must be those of the outputs, apart from blanks at their ends; with several
    references, they must be those of one reference, the same in all rows.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`; without texts, too, such as scores that `read_scores` returned: the scores in another frame
        are then added to them.
    *scores : DataFrame
        At least one, as `read_scores` returns it. The same kind of score may come in several frames for different
        systems.
    accept : collection of str, default ()
        ``"unknown-system"`` leaves out the scores of systems that have no outputs, such as a reference that was rated
        like a system.

    Returns
    -------
    DataFrame
        The outputs with each column of numbers of the scores, and its ``<column>_direction``; NaN where there is no
        score.

    Raises
    ------
    InputError
        ``columns`` for a column that is there already or no column of numbers, ``unknown-system``, ``run-mismatch``,
        ``count-mismatch``, ``unknown-segment``, ``unknown-identity`` where the scores name their segments and the
        outputs do not, or name them otherwise, ``duplicate-segment``, ``text-mismatch`` for scores of other texts, or
        with other references in two frames, ``direction`` where frames differ in which way is better, and those of
        `check_outputs`.

    Warns
    -----
    DataWarning
        ``unknown-system`` where that was accepted, ``unrated-system`` for systems and ``missing-score`` for segments
        without a score; ``unknown-identity`` where only their order or their numbers say which score belongs to which
        segment.

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
    >>> outputs = mtw.add_scores(outputs, mtw.read_scores("comet.json"))
    >>> comparison = mtw.compare(mtw.compute_statistics(outputs, ["bleu", "comet"]), "base")
    """
    outputs = outputs_frame(outputs)
    check_outputs(outputs)
    if not scores:
        raise InputError("columns", "No scores were given: give at least one frame, as read_scores returns it.")
    report = Report(accept)
    for frame in scores:
        check_outputs(frame)
    scores = tuple(name_as_outputs(outputs, frame) for frame in scores)
    scores = tuple(_of_systems(outputs, frame, _scored(scores, frame), report) for frame in scores)
    directions = directions_of(scores)
    check_models(scores)
    added: dict[str, np.ndarray] = {}
    rated: dict[str, set[str]] = {}
    lacking: dict[str, np.ndarray] = {}
    references: dict[str, dict[int, str]] = {}
    for frame in scores:
        rows = align(outputs, frame, report)
        there = rows >= 0
        systems = set(frame["system"])
        for name in number_columns(frame):
            _check_new(outputs, name, rated.get(name, set()) & systems)
            _check_references(outputs, frame, rows, name, references)
            values = frame[name].to_numpy(dtype=np.float64, na_value=np.nan)
            column = added.setdefault(name, np.full(len(outputs), np.nan))
            column[there] = values[rows[there]]
            of_systems = outputs["system"].isin(systems).to_numpy()
            lacking[name] = lacking.get(name, 0) + np.array([(of_systems & ~there).sum(), of_systems.sum()])
            rated[name] = rated.get(name, set()) | systems
    _notice_missing(outputs, rated, lacking, report)
    report.warn()
    outputs = outputs.assign(**added)
    for name, direction in directions.items():
        note_direction(outputs, name, direction)
    return outputs


def _check_new(outputs: pd.DataFrame, name: str, systems: Collection[str]) -> None:
    """Refuse a column that the outputs have, or that another frame has for the same systems."""
    if systems:
        whose = f"system{'' if len(systems) == 1 else 's'} {name_some(sorted(map(excerpt, systems)))}"
        raise InputError("columns", f"Two files of scores have {excerpt(name)} of {whose}: {RENAME}.", found=name)
    if name in outputs.columns:
        problem = f"Both the outputs and the scores have a column {excerpt(name)}"
        remedy = RENAME.replace("one", "the scores")
        raise InputError("columns", f"{problem}: {remedy}.", found=name)


def _check_references(
    outputs: pd.DataFrame, scores: pd.DataFrame, rows: np.ndarray, name: str, known: dict[str, dict[int, str]]
) -> None:
    """Refuse scores of one name that were computed with different references of a segment."""
    if "ref" not in scores.columns:
        return
    there = rows >= 0
    of_name = known.setdefault(name, {})
    references = scores["ref"].to_numpy(dtype=object)[rows[there]]
    for segment, text in zip(outputs["segment"].to_numpy()[there], references, strict=True):
        if isinstance(text, str) and of_name.setdefault(segment, text.strip()) != text.strip():
            problem = f"Two files have scores {excerpt(name)} of segment {segment:,} with different references, "
            problem += f"{excerpt(of_name[segment])} and {excerpt(text)}: {RENAME}."
            raise InputError("text-mismatch", problem, found=excerpt(text), expected=excerpt(of_name[segment]))


def _scored(scores: Iterable[pd.DataFrame], frame: pd.DataFrame) -> set[str]:
    """Return the systems that have scores of a kind that a frame has, in this one or another."""
    kinds = set(number_columns(frame))
    return {system for one in scores if not kinds.isdisjoint(number_columns(one)) for system in one["system"]}


def _of_systems(outputs: pd.DataFrame, scores: pd.DataFrame, scored: Collection[str], report: Report) -> pd.DataFrame:
    """Return the scores of systems that have outputs; refuse others, unless it was accepted to leave them out.

    A name is taken for a slip only where the system that may be meant has no scores of this kind.
    """
    systems = outputs["system"].unique()
    known = scores["system"].isin(systems)
    if known.all():
        return scores
    unknown = scores.loc[~known, "system"].unique()
    whose = name_some([excerpt(system) for system in unknown])
    if report.accepts("unknown-system") and known.any():
        message = f"Scores of systems without outputs were left out, as accepted: {whose}."
        report.notice("unknown-system", message, count=len(unknown))
        return scores[known].reset_index(drop=True)
    there = name_some([excerpt(system) for system in systems])
    problem = f"There are scores of {whose}, but the systems with outputs are {there}"
    free = [system for system in systems if system not in scored]
    alike = [(one, other) for one in unknown for other in free if _simplify(one) == _simplify(other)]
    if alike:
        problem += f" ({name_some([_describe_difference(one, other) for one, other in alike])})"
    elif alike := [(one, meant) for one in unknown if (meant := find_nearest(one, free))]:
        problem += f" (did you mean {excerpt(alike[0][1])} by {excerpt(alike[0][0])}?)"
    problem += ": rename the systems, or leave out scores of systems without outputs with --accept unknown-system (in "
    message, hint = f"{problem}Python, accept=['unknown-system']).", str(alike[0][1]) if alike else None
    raise InputError("unknown-system", message, found=str(unknown[0]), hint=hint)


def _simplify(system: str) -> str:
    return "".join(system.split()).casefold()


def _describe_difference(one: str, other: str) -> str:
    """Say that two names differ only in case or blanks."""
    same_blanks, same_case = one.casefold() == other.casefold(), "".join(one.split()) == "".join(other.split())
    what = "in case" if same_blanks else "in blanks" if same_case else "in case and blanks"
    return f"{excerpt(one)} differs from {excerpt(other)} only {what}"


def _notice_missing(
    outputs: pd.DataFrame, rated: Mapping[str, set[str]], lacking: Mapping[str, np.ndarray], report: Report
) -> None:
    """Say which systems have no score at all, and how many outputs of the others the scores do not have.

    ``lacking`` holds both counts: of outputs that lack each kind of score, and of all outputs of the rated systems.
    Outputs that the scores have, without a number, were counted when they were read.
    """
    unrated: dict[tuple[str, ...], list[str]] = {}
    missing: dict[tuple[int, int], list[str]] = {}
    for name, systems in rated.items():
        if name in COUNTS:
            continue
        if without := tuple(system for system in outputs["system"].unique() if system not in systems):
            unrated.setdefault(without, []).append(excerpt(name))
        count, total = map(int, lacking[name])
        if count:
            missing.setdefault((count, total), []).append(excerpt(name))
    for without, names in unrated.items():
        named = name_some(list(map(excerpt, without)))
        whose = f"System {named} has" if len(without) == 1 else f"Systems {named} have"
        message = f"{whose} no score {name_some(names, 'or')}."
        report.notice("unrated-system", message, count=len(without))
    for (count, total), names in missing.items():
        message = (
            f"{count:,} of {total:,} outputs (one per system, run and segment) {'has' if count == 1 else 'have'} no "
            f"score {name_some(names, 'or')}."
        )
        report.notice("missing-score", message, count=count)


# What describes a segment, whatever system it is of.
_OF_SEGMENTS = ("document", "segment_id", "source", "ref", "domain")
# What says that a segment is the right one.
_TEXTS = ("source", "ref")


def join_scores(*scores: pd.DataFrame, accept: Collection[str] = ()) -> pd.DataFrame:
    """Join frames of scores without outputs: each row has what any frame says of its system, run and segment.

    Numbers 1, 2, ... n without gaps count the segments in order; numbers with gaps, or that do not begin at 1, are
    names. Where some frames have ``segment_id``, such numbers are looked up there; where one frame counts its segments
    and another has numbers with gaps, these are taken as counted from 1, with a warning unless a text confirms it.

    Parameters
    ----------
    *scores : DataFrame
        As `read_scores` returns them. A frame with hypotheses is taken for the outputs; see `add_scores`.
    accept : collection of str, default ()
        Of `add_scores`.

    Raises
    ------
    InputError
        ``columns`` where two frames have the same score of a segment, ``unknown-identity`` where some name their
        segments and others count them, ``count-mismatch`` and ``unknown-segment`` where they come from different test
        sets, ``text-mismatch``, ``direction``, and those of `add_scores`.

    Warns
    -----
    DataWarning
        ``unknown-segment`` where two frames share only some of their segments, ``unknown-identity`` where nothing but
        the rule says what numbers mean, ``missing-score``.
    """
    with_texts = next((place for place, frame in enumerate(scores) if "hypothesis" in frame.columns), None)
    if len(scores) == 1:
        return scores[0]
    if with_texts is not None:
        others = (*scores[:with_texts], *scores[with_texts + 1 :])
        return add_scores(scores[with_texts], *others, accept=accept)
    report = Report()
    scores = _name_by_numbers(scores, report)
    directions = directions_of(scores)
    check_models(scores)
    keys = keys_of(scores)
    check_unique([(f"scores {_kinds(frame)}", frame) for frame in scores], keys)
    if keys == ["segment"]:
        _check_numbers(scores, report)
    for frame in scores[1:]:
        _check_segments(scores[0], frame, keys, report)
    numbers = {name for frame in scores for name in number_columns(frame)}
    joined = _lay_out(_join(scores, keys, numbers), numbers, directions)
    report.warn()
    return joined


def _kinds(frame: pd.DataFrame) -> str:
    return name_some([excerpt(name) for name in number_columns(frame) if name not in COUNTS])


def _name_by_numbers(scores: Sequence[pd.DataFrame], report: Report) -> tuple[pd.DataFrame, ...]:
    """Take numbers that do not count for names where a frame has names; refuse numbers that count beside names."""
    names = next((frame for frame in scores if "segment_id" in frame.columns), None)
    if names is None:
        return tuple(scores)
    if any("segment_id" not in frame.columns and counts(frame) for frame in scores):
        problem = "Some files of scores name their segments and others number them, so nothing says which is which"
        remedy = "use the same names in all files, or numbers from 1 in all"
        raise InputError("unknown-identity", f"{problem}: {remedy}.")
    named = [name_by_numbers(frame, names) for frame in scores]
    for frame, by_name in zip(scores, named, strict=True):
        if by_name is frame:
            continue
        keys = keys_of((names, by_name))
        positions = {key[2:]: number for key, number in zip(key_rows(names, keys), names["segment"], strict=True)}
        numbers = {
            number: positions.get(key[2:], number)
            for key, number in zip(key_rows(by_name, keys), frame["segment"], strict=True)
        }
        if not set(numbers) <= set(names["segment"]):
            continue  # they cannot be positions
        if (unknown := next((key for key in key_rows(by_name, keys) if key[2:] not in positions), None)) is not None:
            raise other_names(frame, names, unknown[-1], f"the scores {_kinds(names)}")
        elsewhere = next((number for number, position in numbers.items() if number != position), None)
        if elsewhere is not None:
            notice_names(report, elsewhere, numbers[elsewhere], f"the scores {_kinds(names)}")
    return tuple(named)


def _check_numbers(scores: Sequence[pd.DataFrame], report: Report) -> None:
    """Refuse numbers that count to another end, or go beyond it; notice those that only seem to count from 1."""
    counted = next(filter(counts, scores), None)
    if counted is None:
        return
    n_segments = counted["segment"].nunique()
    for frame in scores:
        size, last = frame["segment"].nunique(), frame["segment"].max()
        if last != n_segments and (last > n_segments or counts(frame)):
            problem = f"The scores {_kinds(counted)} cover {n_segments:,} segments, but the scores {_kinds(frame)}"
            problem += f" cover {size:,}" if last == size else f" have segment {last:,}"
            raise other_size(problem, last, n_segments)
        if not counts(frame) and not _share_texts(counted, frame):
            notice_positions(report, f"The scores {_kinds(frame)}", frame, n_segments)


def _share_texts(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Tell whether a text of every segment is in both frames; that it is the same one is checked where they meet."""
    return any(name in one.columns and name in other.columns and other[name].notna().all() for name in _TEXTS)


def _check_segments(one: pd.DataFrame, other: pd.DataFrame, keys: Sequence[str], report: Report) -> None:
    """Refuse two frames of different test sets; notice where only some segments are in both."""
    names, others = ({key[2:]: None for key in key_rows(frame, keys)} for frame in (one, other))
    first, second = next(iter(names)), next(iter(others))
    if not names.keys() & others.keys():
        problem = f"The scores {_kinds(one)} and {_kinds(other)} have no segment in common: one file has segments such"
        problem += (
            f" as {_name(first)}, the other {_name(second)}: give scores of the same test set, with the same names."
        )
        raise InputError("unknown-segment", problem, found=excerpt(second[-1]), expected=excerpt(first[-1]))
    only_one = [key for key in names if key not in others]
    only_other = [key for key in others if key not in names]
    if not only_one or not only_other:
        return  # scores of some of the segments: what is missing is counted
    message = (
        f"The scores {_kinds(one)} and {_kinds(other)} have only {len(names) - len(only_one):,} segments in common: "
        f"{_name(only_one[0])} is missing in the second file, {_name(only_other[0])} in the first."
    )
    report.notice("unknown-segment", message, count=len(only_one) + len(only_other))


def _name(key: Sequence[Hashable]) -> str:
    return excerpt(key[-1]) if len(key) == 1 else f"{excerpt(key[-1])} of document {excerpt(key[0])}"


def _join(scores: Sequence[pd.DataFrame], keys: list[str], numbers: Collection[str]) -> pd.DataFrame:
    """Put what frames say of the same system, run and segment into one row, and what they say of a segment into all."""
    row = ["system", "run", *keys]
    frames = [frame.drop(columns="segment") if "segment_id" in keys else frame for frame in scores]
    rows = pd.concat(frames, ignore_index=True)
    further = [name for name in rows.columns if name not in row]
    for name in further:
        _refuse_others(rows, name, row, is_score=name in numbers)
    joined = rows.groupby(row, sort=False, as_index=False, dropna=False).first()
    for name in filter(_OF_SEGMENTS.__contains__, further):
        _refuse_others(joined, name, keys)
        joined[name] = joined.groupby(keys, sort=False)[name].transform("first")
    names = joined[keys[-1]].astype(str)
    return joined.drop(columns="segment_id", errors="ignore").assign(segment=names)


def _refuse_others(rows: pd.DataFrame, name: str, keys: list[str], *, is_score: bool = False) -> None:
    """Refuse two scores of one name, or different values of anything else, in rows with the same keys."""
    there = rows[rows[name].notna()]
    again = there.duplicated(keys)
    if not is_score:
        again &= ~there.duplicated([*keys, name])
    if not again.any():
        return
    [*key, value] = there.loc[again, [*keys, name]].astype(object).iloc[0]
    before = excerpt(there.loc[(there[keys] == key).all(axis=1), name].iloc[0])
    place = f"segment {excerpt(key[-1])} of system {excerpt(key[0])}" if "system" in keys else f"segment {_name(key)}"
    if is_score:
        problem = f"Two files have a score {excerpt(name)} for {place}"
        raise InputError("columns", f"{problem}: leave one file out, or rename one of the columns.", found=name)
    problem = f"Two files have different values of {excerpt(name)} for {place}, {before} and {excerpt(value)}"
    raise InputError("text-mismatch", f"{problem}: correct one of the files.", found=excerpt(value), expected=before)


def _lay_out(joined: pd.DataFrame, numbers: Collection[str], directions: Mapping[str, str]) -> pd.DataFrame:
    """Lay out scores as a frame of judgements; columns that not all rows have are left out, but for scores."""
    columns: dict[str, Column] = {
        name: values.to_numpy() if name in numbers else values.tolist()
        for name, values in joined.items()
        if name in numbers or values.notna().all()
    }
    columns |= {f"{name}_direction": [direction] * len(joined) for name, direction in directions.items()}
    report = Report()
    laid_out = lay_out_judgements(Table(columns, "The scores"), report)
    for warning in report.noticed:
        if warning.code != "segments-renumbered":  # which was said when the files were read
            warnings.warn(warning, stacklevel=3)
    return laid_out
