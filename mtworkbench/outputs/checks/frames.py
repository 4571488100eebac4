"""What holds of every outputs frame, and which of its segments all systems can be compared on."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeAlias

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.characters import check_characters
from mtworkbench.outputs.checks.known_documents import keep_note
from mtworkbench.outputs.checks.names import check_system_names
from mtworkbench.outputs.checks.report import ACCEPTABLE, Report, excerpt
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.wording import find_nearest

REQUIRED_COLUMNS = ("reference", "system", "run", "segment", "hypothesis")
TEXT_COLUMNS = ("document", "segment_id", "source", "domain", "system", "hypothesis")
#: The readers' note of the public test set from which documents were recognized; none where they were given.
KNOWN_DOCUMENTS = "known_documents"
#: The readers' note of the doubts that the user has looked at and accepts, by their codes.
ACCEPTED = "accepted_doubts"
#: The note of the repairs that were made on request: their codes, joined by ``+``, in their order. No reader makes any.
REPAIRED = "repaired"
#: Where readers of text leave the files of each system in ``attrs``, run by run: there, segments are lines.
FILES = "files"
#: What is noted of the whole: the same text in all rows.
NOTES = ("normalization", KNOWN_DOCUMENTS, ACCEPTED, REPAIRED)
_REPAIRS = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\+[a-z]+(?:-[a-z]+)*)*")
_SAME_IN_ALL_RUNS = ("document", "segment_id", "segment", "source", "domain")
# So many texts are looked at together.
_BLOCK = 100_000
_REFERENCE = re.compile(r"reference(?:_(?:[2-9]|[1-9][0-9]+))?")


class HasPandas(Protocol):
    """What can be made a DataFrame: tables of polars, pyarrow and Hugging Face."""

    def to_pandas(self) -> pd.DataFrame: ...  # noqa: D102


#: What is taken for a frame; see `as_frame`.
Tabular: TypeAlias = pd.DataFrame | HasPandas | Sequence[Mapping[str, object]]


def as_frame(table: object) -> pd.DataFrame | None:
    """Make a DataFrame of what has a method ``to_pandas``, or of a list of dicts; None where it is neither.

    What the method raises is passed on.
    """
    if isinstance(table, pd.DataFrame):
        return table
    if isinstance(table, Sequence) and table and all(isinstance(row, Mapping) for row in table):
        return pd.DataFrame([dict(row) for row in table])
    if isinstance(table, type) or not callable(getattr(table, "to_pandas", None)):
        return None
    frame = table.to_pandas()  # type: ignore[attr-defined]
    return frame if isinstance(frame, pd.DataFrame) else None


def outputs_frame(outputs: object) -> pd.DataFrame:
    """Make a DataFrame of outputs, which `check_outputs` has yet to check.

    Raises
    ------
    InputError
        ``not-a-frame``.
    """
    if (frame := as_frame(outputs)) is None:
        raise InputError("not-a-frame", f"{excerpt(outputs)} was given for outputs: a DataFrame was expected.")
    return frame


def check_outputs(outputs: Tabular) -> None:
    """Check that a frame is an outputs frame; every reader returns such a frame.

    An outputs frame has one row per (system, run, segment):

    - the rows of a system stand together, its runs in their order, counted from 1;
    - a column ``run_name`` holds what the runs are called, where that is known: the same text (or integer) in all rows
      of a run, and different ones in the runs of a system. Else it is a further column and names no runs;
    - every run has the same segments, in rising order of ``segment``, an integer that counts from 1;
    - ``document``, ``source``, ``domain`` (where they are known) and the references of a segment are the same in all
      its rows;
    - text columns hold text, never numbers; a reference may be absent, and a hypothesis that is marked as missing is
      None (see `common_segments`);
    - a column ``normalization`` is the readers' note that all text was brought into Unicode's normal form C: ``nfc``;
    - a column ``known_documents`` is the readers' note that documents were recognized, because the references are those
      of a public test set: its name and the version of the table, such as ``wmt23 en-de, table 1``;
    - a column ``repaired`` is the note of `repair_outputs` of what was repaired: the same in all rows;
    - a column ``accepted_doubts`` is the readers' note of what was noticed and accepted, such as
      ``html-entities, tokenization``;
    - further columns of numbers hold finite numbers, or NaN where there is none; a frame of judgements alone has such
      columns and neither ``hypothesis`` nor ``reference``; a column such as ``mqm_direction`` says of the scores in
      ``mqm`` whether higher (``up``) or lower (``down``) is better.

    Parameters
    ----------
    outputs : DataFrame, or what can be made one
        A part of an outputs frame is one too, if it has all rows of each of its segments. Anything with a method
        ``to_pandas``, and a list of dicts, one per row, are taken as well.

    Raises
    ------
    InputError
        ``not-a-frame``, ``columns``, ``no-segments``, ``null-segment``, ``not-text``, ``bad-number``, ``row-order``,
        ``incomplete-system``, ``text-mismatch``, ``reserved-name``, ``nul``, ``surrogate``.
    """
    outputs = outputs_frame(outputs)
    check_column_names(list(outputs.columns), _required_columns(outputs), "The outputs frame")
    if not len(outputs):
        raise InputError("no-segments", "The outputs frame has no rows: at least one segment was expected.")
    for name in ("segment", "run"):
        _check_counting(outputs[name])
    for name in outputs.columns:
        if name in TEXT_COLUMNS or is_reference(name):
            _check_texts(outputs[name])
        elif pd.api.types.is_float_dtype(outputs[name]):
            _check_finite(outputs[name])
    for note in _NOTES:
        if note in outputs.columns:
            _check_note(outputs[note])
    check_system_names(outputs["system"].unique())
    n_segments = _check_runs(outputs)
    for name in outputs.columns:
        if name in _SAME_IN_ALL_RUNS or is_reference(name):
            _check_same_in_all_runs(outputs, name, n_segments)


def common_segments(outputs: Tabular) -> pd.DataFrame:
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
    outputs = outputs_frame(outputs)
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
    DataWarning("left-out", f"{what}, are left out.", count=left_out).warn(stacklevel=2)
    return outputs[kept.loc[outputs["segment"]].to_numpy()].reset_index(drop=True)


class Runs(Protocol):
    """The rows of each run, asked for one run at a time, perhaps repeatedly: a list of frames, or made on demand."""

    def __len__(self) -> int: ...

    def __getitem__(self, position: int, /) -> pd.DataFrame: ...

    def __iter__(self) -> Iterator[pd.DataFrame]:
        return (self[position] for position in range(len(self)))


class FrameRuns(Runs):
    """The parts of an outputs frame, one per run, in its order.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    """

    def __init__(self, outputs: pd.DataFrame):
        self._outputs = outputs
        # Not by groupby, which refuses an index whose levels have the names of columns (`set_index(..., drop=False)`).
        self._n_runs = len(outputs[["system", "run"]].drop_duplicates())

    def __len__(self) -> int:
        return self._n_runs

    def __getitem__(self, position: int) -> pd.DataFrame:
        n_segments = len(self._outputs) // self._n_runs
        start = range(0, len(self._outputs), n_segments)[position]
        return self._outputs.iloc[start : start + n_segments].copy()  # the texts are not copied


def _required_columns(outputs: pd.DataFrame) -> Iterable[str]:
    judgements_alone = {"hypothesis", "reference"}.isdisjoint(outputs.columns) and any(
        pd.api.types.is_float_dtype(dtype) for dtype in outputs.dtypes
    )
    return ("system", "run", "segment") if judgements_alone else REQUIRED_COLUMNS


def is_reference(name: object) -> bool:
    """Tell whether a column is a reference: ``reference``, ``reference_2`` ..."""
    return isinstance(name, str) and _REFERENCE.fullmatch(name) is not None


def sort_references(names: Iterable[str]) -> list[str]:
    """Return those of some columns that are references, in the order of their numbers."""
    return sorted(filter(is_reference, names), key=lambda name: int(name.partition("_")[2] or 1))


def label_run(cells: Iterable[object]) -> str | None:
    """Return the text or integer that all rows of a run have as ``run_name``; None where there is no such label."""
    labels = {
        str(cell) if isinstance(cell, (str, int, np.integer)) and not isinstance(cell, bool) else None for cell in cells
    }
    label = labels.pop() if len(labels) == 1 else None
    # A file of statistics can hold no control characters and half surrogate pairs.
    odd = label is None or not label.strip() or any(unicodedata.category(one) in ("Cc", "Cs") for one in label)
    return None if odd else label


def name_labelled(labels: Sequence[str | None]) -> tuple[str, ...]:
    """Return the labels of a system's runs where each has one of its own; else none, because nothing is named so."""
    own = tuple(label for label in labels if label is not None)
    return own if len(set(own)) == len(labels) else ()


def is_missing(value: object) -> bool:
    """Tell whether a value of a column is none: None, NaN, or pandas' NA and NaT."""
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and math.isnan(value))


def check_column_names(
    names: list, required: Iterable[str], label: str, *, path: str | None = None, line: int | None = None
) -> None:
    """Refuse column names that are missing, occur twice, or have a form that is kept for references.

    Raises
    ------
    InputError
        ``columns``.
    """

    def refuse(problem: str, **fields: str | None) -> InputError:
        return InputError("columns", f"{label} {problem}.", path=path, line=line, **fields)

    for position, name in enumerate(names, start=1):
        if not isinstance(name, str) or not name.strip():
            raise refuse(f"has {excerpt(name)} as the name of column {position}: text was expected")
        if any("\ud800" <= character <= "\udfff" for character in name):
            raise refuse(f"has a column {name!a}, whose name has half a surrogate pair and is no text: rename it")
        if name in names[: position - 1]:
            raise refuse(f"has two columns {excerpt(name)}: names must differ", found=name)
        if name.startswith("reference_") and not is_reference(name):
            raise refuse(
                f"has a column {excerpt(name)}: names of this form are kept for further references, which are called "
                "'reference_2', 'reference_3' ...; rename it",
                found=name,
            )
    for number in range(2, 1 + sum(map(is_reference, names))):
        if f"reference_{number}" not in names:
            raise refuse(f"has no column 'reference_{number}', but others that count further: number them without gaps")
    for name in required:
        if name not in names:
            nearest = find_nearest(name, [str(other) for other in names if other not in required], 0.5)
            hint = f"did you mean {excerpt(nearest)}?" if nearest else None
            there = ", ".join(excerpt(other) for other in names[:20])
            problem = f"has no column {name!r}, only {there}" + (f"; {hint} Rename it" if hint else "")
            raise refuse(problem, found=there, expected=name, hint=hint)


def _row_fault(code: str, row: int, problem: str, **fields: str) -> InputError:
    """Make the error of a row counted from 0; `problem` continues the sentence after it."""
    return InputError(code, f"Row {row + 1:,} {problem}", line=int(row) + 1, **fields)


def _check_counting(column: pd.Series) -> None:
    name = column.name
    if not pd.api.types.is_integer_dtype(column) or column.isna().any():
        raise InputError(
            "bad-number",
            f"Column {name!r} is of type {column.dtype}: integers that count from 1 were expected.",
            found=str(column.dtype),
            expected="int64",
        )


def _check_texts(column: pd.Series) -> None:
    label = f"column {column.name!r}"
    texts = column.to_numpy(dtype=object)
    for row, text in enumerate(texts):
        if isinstance(text, str) or (is_missing(text) and is_reference(column.name)):
            continue
        # None marks a hypothesis as missing; NaN is what a text becomes by accident.
        if text is None and column.name == "hypothesis":
            continue
        what = "no text" if is_missing(text) else f"{excerpt(text)}, of type {type(text).__name__}"
        hint = "pandas reads 'NA' and 'null' as missing and '007' as a number unless told"
        problem = f"of {label} holds {what}: text was expected ({hint} dtype=str, keep_default_na=False)."
        code = "null-segment" if is_missing(text) else "not-text"
        raise _row_fault(code, row, problem, found=excerpt(text), expected="str")
    # Of a text that is shared by many rows, one look is enough.
    _, rows = np.unique(np.fromiter(map(id, texts), dtype=np.int64, count=len(texts)), return_index=True)
    rows.sort()
    for start in range(0, len(rows), _BLOCK):
        some = rows[start : start + _BLOCK]
        present = [None if is_missing(text) else text for text in texts[some]]
        check_characters(Segments(present, label, lines=some + 1), Report(("huge-line",)))


def _check_finite(column: pd.Series) -> None:
    infinite = np.flatnonzero(np.isinf(column.to_numpy(dtype=np.float64, na_value=np.nan)))
    if len(infinite):
        problem = f"of column {column.name!r} is infinite: a finite number was expected, or NaN where there is none."
        raise _row_fault("bad-number", infinite[0], problem)


def _check_note(notes: pd.Series) -> None:
    is_note, kept_for = _NOTES[notes.name]
    texts = notes.to_numpy(dtype=object)
    is_right = is_note(texts[0])
    odd = np.flatnonzero([not is_right or text != texts[0] for text in texts])
    if len(odd):
        problem = (
            f"of column {notes.name!r} holds {excerpt(texts[odd[0]])}: this name is kept for {kept_for}; rename the"
        )
        raise _row_fault("columns", odd[0], f"{problem} column.")


def is_note_of_repairs(note: object) -> bool:
    """Tell whether something has the form of the note of repairs: codes joined by ``+``."""
    return isinstance(note, str) and _REPAIRS.fullmatch(note) is not None


# What tells whether something is such a note, and what the name of its column is kept for.
_NOTES: dict[object, tuple[Callable[[object], bool], str]] = {
    "normalization": (lambda note: note == "nfc", "the note of the readers that all text is in form 'nfc'"),
    KNOWN_DOCUMENTS: (
        lambda note: isinstance(note, str) and note.isprintable(),
        "the readers' note of the test set from which documents were recognized, which is the same in all rows",
    ),
    REPAIRED: (
        is_note_of_repairs,
        "the note of what was repaired, such as 'html-entities', which is the same in all rows",
    ),
    ACCEPTED: (
        lambda note: isinstance(note, str) and {*ACCEPTABLE}.issuperset(note.split(", ")),
        "the readers' note of what was accepted, which is the same in all rows",
    ),
}


def note_repairs(outputs: pd.DataFrame) -> list[str]:
    """Return the codes of the repairs that were made, in their order."""
    return outputs[REPAIRED].iloc[0].split("+") if REPAIRED in outputs.columns else []


def note_known_documents(outputs: pd.DataFrame) -> str | None:
    """Return the test set from which documents were recognized; None where others have been given since."""
    if KNOWN_DOCUMENTS not in outputs.columns or "document" not in outputs.columns:
        return None
    return keep_note(outputs[KNOWN_DOCUMENTS].iloc[0], outputs["document"].unique())


def without_known_documents(outputs: pd.DataFrame) -> pd.DataFrame:
    """Return outputs without recognized documents, whose names do not occur in other files."""
    return outputs if note_known_documents(outputs) is None else outputs.drop(columns=["document", KNOWN_DOCUMENTS])


def _check_runs(outputs: pd.DataFrame) -> int:
    """Check the order of the rows; return the number of segments."""
    systems = outputs["system"].to_numpy(dtype=object)
    runs = outputs["run"].to_numpy(dtype=np.int64)
    segments = outputs["segment"].to_numpy(dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, (systems[1:] != systems[:-1]) | (runs[1:] != runs[:-1])])
    n_segments = len(outputs) if len(starts) == 1 else int(starts[1])
    expected = segments[:n_segments]
    if expected[0] < 1 or (np.diff(expected) <= 0).any():
        raise InputError(
            "row-order",
            f"The segments of system {excerpt(systems[0])}, run {runs[0]}, do not rise from 1 or more: sort the rows "
            "by system, run and segment, with each segment once.",
        )
    previous: dict[str, int] = {}
    for start, end in zip(starts, [*starts[1:], len(outputs)], strict=True):
        system, run = systems[start], int(runs[start])
        which = f"system {excerpt(system)}, run {run}"
        if run != previous.get(system, 0) + 1 or (run > 1 and systems[start - 1] != system):
            problem = f"starts {which}: the rows of a system were expected to stand together"
            raise _row_fault("row-order", int(start), f"{problem}, its runs in their order, counted from 1.")
        previous[system] = run
        if not np.array_equal(segments[start:end], expected):
            problem = f"The rows of {which} ({end - start:,}) are not those of the first run ({n_segments:,})"
            expected = "every run was expected to have the same segments in the same order."
            raise InputError("incomplete-system", f"{problem}: {expected}", line=int(start) + 1)
    return n_segments


def _check_same_in_all_runs(outputs: pd.DataFrame, name: str, n_segments: int) -> None:
    values = outputs[name].to_numpy(dtype=object)
    values = np.where(pd.isna(values), np.array(None, dtype=object), values).reshape(-1, n_segments)
    differs = values[1:] != values[0]
    if differs.any():
        run, position = (int(index[0]) for index in np.nonzero(differs))
        row = (run + 1) * n_segments + position
        here, there = (excerpt(values[row, position]) for row in (run + 1, 0))
        what = f"as {name} of segment {outputs['segment'].iloc[row]}, but row {position + 1:,} has {there}"
        raise _row_fault("text-mismatch", row, f"has {here} {what}: it must be the same in all rows of a segment.")
