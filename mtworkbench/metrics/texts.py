"""The texts that a metric reads from one run's rows of an outputs frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import is_missing, is_reference

#: The texts of one reference, one per segment; None where the segment has no such reference.
ReferenceTexts = tuple[str | None, ...]


@dataclass(frozen=True)
class RunTexts:
    """The texts of one run of one system, in segment order.

    Parameters
    ----------
    hypotheses : list of str
    references : tuple of (tuple of (str or None))
        One tuple a reference column; every segment has at least one reference.
    """

    hypotheses: list[str] = field(repr=False)
    references: tuple[ReferenceTexts, ...] = field(repr=False)


def reference_columns(outputs: pd.DataFrame) -> list[str]:
    """Return the names of the reference columns (``reference``, ``reference_2`` ...) in their order."""
    names = [name for name in outputs.columns if is_reference(name)]
    return sorted(names, key=lambda name: int(name.partition("_")[2] or 1))


def reference_texts(outputs: pd.DataFrame) -> tuple[ReferenceTexts, ...]:
    """Return the references of one run's rows, None where a segment has no such reference.

    Raises
    ------
    InputError
        ``null-segment`` where a segment has no reference at all, ``columns`` where the frame has no reference column.
    """
    names = reference_columns(outputs)
    if not names:
        raise InputError(
            "columns",
            f"The outputs have no column 'reference', but only {', '.join(map(repr, outputs.columns))}: "
            "this metric compares hypotheses with references.",
        )
    columns = tuple(_texts_or_none(outputs, name) for name in names)
    absent = np.all([[text is None for text in column] for column in columns], axis=0)
    if absent.any():
        raise InputError(
            "null-segment",
            f"{_name_segments(outputs, absent)} no reference at all, but every segment that is scored needs one: "
            "leave it out for all systems, or give it a reference.",
            found="None",
        )
    return columns


def run_texts(outputs: pd.DataFrame) -> RunTexts:
    """Return the texts of one run's rows.

    Raises
    ------
    InputError
        ``null-segment`` where a hypothesis is not a text or a segment has no reference at all; ``columns`` where the
        frame lacks a column.
    """
    if "hypothesis" not in outputs.columns:
        raise InputError(
            "columns",
            f"The outputs have no column 'hypothesis', but only {', '.join(map(repr, outputs.columns))}.",
        )
    hypotheses = list(outputs["hypothesis"])
    absent = np.array([not isinstance(text, str) for text in hypotheses], dtype=bool)
    if absent.any():
        expected = "as hypothesis, but a text was expected: an empty translation is the empty string."
        raise _no_text(outputs, hypotheses, absent, expected)
    return RunTexts(hypotheses, reference_texts(outputs))


def present_references(references: tuple[ReferenceTexts, ...]) -> np.ndarray:
    """Tell which references there are, as (n_references, n_segments) ndarray of bool."""
    return np.array([[text is not None for text in column] for column in references], dtype=bool)


def _texts_or_none(outputs: pd.DataFrame, name: str) -> ReferenceTexts:
    texts = tuple(outputs[name])
    if all(isinstance(text, str) for text in texts):
        return texts
    wrong = np.array([not isinstance(text, str) and not is_missing(text) for text in texts], dtype=bool)
    if wrong.any():
        expected = f"in column {name!r}, but a text was expected, or None where there is no such reference."
        raise _no_text(outputs, texts, wrong, expected)
    return tuple(text if isinstance(text, str) else None for text in texts)


def _no_text(outputs: pd.DataFrame, texts: Sequence[object], wrong: np.ndarray, expected: str) -> InputError:
    found = repr(texts[int(wrong.argmax())])
    return InputError("null-segment", f"{_name_segments(outputs, wrong)} {found} {expected}", found=found)


def _name_segments(outputs: pd.DataFrame, mask: np.ndarray) -> str:
    """Begin a sentence about some segments, with its verb."""
    numbers = outputs["segment"].to_numpy() if "segment" in outputs.columns else np.arange(1, len(outputs) + 1)
    first = int(np.asarray(numbers)[mask.argmax()])
    count = int(mask.sum())
    return f"Segment {first} has" if count == 1 else f"{count} segments, the first of them segment {first}, have"
