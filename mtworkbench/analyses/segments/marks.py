"""Texts of a segment as a page shows them: in pieces, marked where outputs differ from references and each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mtworkbench.analyses.segments.tokens import Piece, pair_tokens, split_text
from mtworkbench.characters import printable
from mtworkbench.metrics.protocol import Metric
from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE

#: The columns of the two outputs.
OUTPUTS = ("hypothesis", "hypothesis_baseline")


class ComparedTexts(NamedTuple):
    """The texts of a segment in the tokens of a metric, and what each token is not found in."""

    #: By the column of a text; the source has none.
    pieces: dict[str, list[Piece]]
    #: Of the outputs and the closest reference: (n_tokens,) ndarrays of marks.
    marks: dict[str, np.ndarray]
    #: The column of the reference that has most in common with the two outputs; None where there is no reference.
    closest: str | None


def compare_texts(
    texts: Mapping[str, str], references: Sequence[str], metric: Metric, known: dict[Any, Any] | None = None
) -> ComparedTexts:
    """Compare both outputs of a segment with each other and with the closest reference.

    Parameters
    ----------
    texts : mapping of str to str
        By the columns of `segment_contributions`, those that the segment has.
    references : sequence of str
        Names of the columns of references.
    metric : Metric
        By whose tokens texts are compared.
    known : dict, optional
        What has been found by this metric, and what is found now: pairs of systems can share it.
    """
    known = {} if known is None else known

    def split(text: str) -> tuple[list[Piece], list[str]]:
        """Return the pieces of a text, and its tokens."""
        if text not in known:
            pieces = split_text(text, metric)
            known[text] = pieces, [token for _, token in pieces if token is not None]
        return known[text]

    def compare(name: str, other: str) -> tuple[np.ndarray, np.ndarray]:
        """Tell which tokens of each of two texts the other one does not have; a text that is missing has none."""
        both = texts.get(name), texts.get(other)
        if both not in known:
            known[both] = _mark_both(*([] if text is None else split(text)[1] for text in both))
        return known[both]

    pieces = {name: split(text)[0] for name, text in texts.items() if name != "source"}
    missed = {name: [compare(output, name) for output in OUTPUTS] for name in references if name in texts}
    closest = min(missed, key=lambda name: sum(int(mask.sum()) for mask, _ in missed[name]), default=None)
    marks = {}
    if closest is not None:
        (_, by_new), (_, by_old) = missed[closest]
        marks[closest] = NOT_IN_REFERENCE * by_new + NOT_IN_OTHER * by_old
    for place, (name, others) in enumerate(zip(OUTPUTS, compare(*OUTPUTS), strict=True)):
        if name in texts:
            marks[name] = NOT_IN_OTHER * others
            if closest is not None:
                marks[name] = marks[name] + NOT_IN_REFERENCE * missed[closest][place][0]
    return ComparedTexts(pieces, marks, closest)


def _mark_both(tokens: list[str], others: list[str]) -> tuple[np.ndarray, np.ndarray]:
    """Tell which tokens of one text, and of the other, have no partner in the alignment (`pair_tokens`)."""
    marked = np.ones(len(tokens), dtype=bool), np.ones(len(others), dtype=bool)
    if pairs := pair_tokens(tokens, others):
        for one, partners in zip(marked, zip(*pairs, strict=True), strict=True):
            one[list(partners)] = False
    return marked


def show_texts(
    texts: Mapping[str, str], references: Sequence[str], labels: Mapping[str, str], metric: Metric
) -> list[dict[str, object]]:
    """Show source, references, the baseline's output and the new one, in pieces with marks.

    Parameters
    ----------
    texts, references, metric
        As of `compare_texts`.
    labels : mapping of str to str
        What each column is called.

    Returns
    -------
    list of dict
        ``kind``, ``label``, and ``pieces``, each a text and its mark. The reference that has most in common with the
        two outputs comes first; the others are not compared.
    """
    compared = compare_texts(texts, references, metric)
    pieces = {name: [[printable(text), 0]] for name, text in texts.items()}
    pieces |= {name: _join(compared.pieces[name], marks) for name, marks in compared.marks.items()}
    closest = compared.closest
    ordered = [("source", "source"), *((name, "reference") for name in [closest] if name is not None)]
    ordered += [(name, "further") for name in references if name in texts and name != closest]
    ordered += [("hypothesis_baseline", "baseline"), ("hypothesis", "new")]
    return [
        {"kind": kind, "label": labels[name], "pieces": pieces.get(name, [])}
        for name, kind in ordered
        if name in texts or kind in ("baseline", "new")
    ]


def _join(pieces: Sequence[Piece], marks: np.ndarray) -> list[list[Any]]:
    """Join neighbours with the same mark; what stands between two of them, a space mostly, has their mark as well."""
    marked: list[tuple[str, int | None]] = []
    codes = iter(marks.tolist())
    for text, token in pieces:
        marked.append((printable(text), None if token is None else next(codes)))
    joined: list[list[Any]] = []
    for place, (text, code) in enumerate(marked):
        if code is None:
            after = marked[place + 1][1] if place + 1 < len(marked) else 0
            code = after if joined and joined[-1][1] == after else 0
        if joined and joined[-1][1] == code:
            joined[-1][0] += text
        else:
            joined.append([text, code])
    return joined
