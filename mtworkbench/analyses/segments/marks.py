"""Texts of a segment as a page shows them: in pieces, marked where outputs differ from references and each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mtworkbench.analyses.segments.tokens import mark_differences, split_text
from mtworkbench.characters import printable
from mtworkbench.metrics.protocol import Metric
from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE


def show_texts(
    texts: Mapping[str, str], references: Sequence[str], labels: Mapping[str, str], metric: Metric
) -> list[dict[str, object]]:
    """Show source, references, the baseline's output and the new one, in pieces with marks.

    Parameters
    ----------
    texts : mapping of str to str
        By the columns of `segment_contributions`, those that the segment has.
    references : sequence of str
        Names of the columns of references.
    labels : mapping of str to str
        What each column is called.
    metric : Metric
        By whose tokens texts are compared.

    Returns
    -------
    list of dict
        ``kind``, ``label``, and ``pieces``, each a text and its mark. The reference that has most in common with the
        two outputs comes first; the others are not compared.
    """
    split = {name: split_text(text, metric) for name, text in texts.items() if name != "source"}
    tokens = {name: [token for _, token in pieces if token is not None] for name, pieces in split.items()}
    new, old = tokens.get("hypothesis", []), tokens.get("hypothesis_baseline", [])
    wrong = {name: _compare(new, old, tokens[name]) for name in references if name in tokens}
    best = min(wrong, key=lambda name: sum(int(mask.sum()) for mask in wrong[name]), default=None)
    pieces = {name: [[printable(text), 0]] for name, text in texts.items()}
    if best is not None:
        missed = [mark_differences(tokens[best], output) for output in (new, old)]
        pieces[best] = _join(split[best], NOT_IN_REFERENCE * missed[0] + NOT_IN_OTHER * missed[1])
    for place, (name, other) in enumerate((("hypothesis", old), ("hypothesis_baseline", new))):
        if name in texts:
            marks = NOT_IN_OTHER * mark_differences(tokens[name], other)
            marks += 0 if best is None else NOT_IN_REFERENCE * wrong[best][place]
            pieces[name] = _join(split[name], marks)
    # The best reference comes first.
    ordered = [("source", "source"), *((name, "reference") for name in [best] if name is not None)]
    ordered += [(name, "further") for name in wrong if name != best]
    ordered += [("hypothesis_baseline", "baseline"), ("hypothesis", "new")]
    return [
        {"kind": kind, "label": labels[name], "pieces": pieces.get(name, [])}
        for name, kind in ordered
        if name in texts or kind in ("baseline", "new")
    ]


def _compare(new: Sequence[str], old: Sequence[str], reference: Sequence[str]) -> tuple[np.ndarray, np.ndarray]:
    return mark_differences(new, reference), mark_differences(old, reference)


def _join(pieces: Sequence[tuple[str, str | None]], marks: np.ndarray) -> list[list[Any]]:
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
