"""Scores joined without outputs: one row per system, run and segment."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.scores.add import add_scores
from mtworkbench.outputs.scores.align import (
    check_unique,
    counts,
    key_rows,
    keys_of,
    name_by_numbers,
    other_names,
    other_size,
    taken_as_names,
    taken_as_positions,
)
from mtworkbench.outputs.scores.kinds import COUNTS, check_models, directions_of, number_columns
from mtworkbench.outputs.tabular.columns import Column, Table
from mtworkbench.outputs.tabular.judgements import lay_out_judgements
from mtworkbench.wording import name_some

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
    scores, found = _name_by_numbers(scores)
    directions = directions_of(scores)
    check_models(scores)
    keys = keys_of(scores)
    check_unique([(f"scores {_kinds(frame)}", frame) for frame in scores], keys)
    if keys == ["segment"]:
        found += _check_numbers(scores)
    found += [warning for frame in scores[1:] for warning in _check_segments(scores[0], frame, keys)]
    numbers = {name for frame in scores for name in number_columns(frame)}
    joined = _lay_out(_join(scores, keys, numbers), numbers, directions)
    for warning in found:
        warnings.warn(warning, stacklevel=2)
    return joined


def _kinds(frame: pd.DataFrame) -> str:
    return name_some([excerpt(name) for name in number_columns(frame) if name not in COUNTS])


def _name_by_numbers(scores: Sequence[pd.DataFrame]) -> tuple[tuple[pd.DataFrame, ...], list[DataWarning]]:
    """Take numbers that do not count for names where a frame has names; refuse numbers that count beside names."""
    names = next((frame for frame in scores if "segment_id" in frame.columns), None)
    if names is None:
        return tuple(scores), []
    if any("segment_id" not in frame.columns and counts(frame) for frame in scores):
        problem = "Some files of scores name their segments and others number them, so nothing says which is which"
        remedy = "use the same names in all files, or numbers from 1 in all"
        raise InputError("unknown-identity", f"{problem}: {remedy}.")
    found = []
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
            found.append(taken_as_names(elsewhere, numbers[elsewhere], f"the scores {_kinds(names)}"))
    return tuple(named), found


def _check_numbers(scores: Sequence[pd.DataFrame]) -> list[DataWarning]:
    """Refuse numbers that count to another end, or go beyond it; notice those that only seem to count from 1."""
    counted = next(filter(counts, scores), None)
    if counted is None:
        return []
    n_segments = counted["segment"].nunique()
    found = []
    for frame in scores:
        size, last = frame["segment"].nunique(), frame["segment"].max()
        if last != n_segments and (last > n_segments or counts(frame)):
            problem = f"The scores {_kinds(counted)} cover {n_segments:,} segments, but the scores {_kinds(frame)}"
            problem += f" cover {size:,}" if last == size else f" have segment {last:,}"
            raise other_size(problem, last, n_segments)
        if not counts(frame) and not _share_texts(counted, frame):
            found.append(taken_as_positions(f"The scores {_kinds(frame)}", frame, n_segments))
    return found


def _share_texts(one: pd.DataFrame, other: pd.DataFrame) -> bool:
    """Tell whether a text of every segment is in both frames; that it is the same one is checked where they meet."""
    return any(name in one.columns and name in other.columns and other[name].notna().all() for name in _TEXTS)


def _check_segments(one: pd.DataFrame, other: pd.DataFrame, keys: Sequence[str]) -> list[DataWarning]:
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
        return []  # scores of some of the segments: what is missing is counted
    message = (
        f"The scores {_kinds(one)} and {_kinds(other)} have only {len(names) - len(only_one):,} segments in common: "
        f"{_name(only_one[0])} is missing in the second file, {_name(only_other[0])} in the first."
    )
    return [DataWarning("unknown-segment", message, count=len(only_one) + len(only_other))]


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
