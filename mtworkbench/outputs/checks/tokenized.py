"""Tokenized text: full stops and commas that stand alone, as tokenizers leave them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mtworkbench.outputs.checks.report import Report
from mtworkbench.outputs.checks.segments import Segments

# Only marks that no language sets apart by a blank: French does so with ?, !, : and ;.
_MARKS = ".,。，、।،"
_APART = re.compile(rf"(?<=\S) [{_MARKS}](?= |$)")
_ATTACHED = re.compile(rf"(?<=[^\W\d_])[{_MARKS}](?= |$)")  # marks are rarer than letters, so they are looked for
# In the real files at hand, at least 97 % of these marks stand alone where text is tokenized, and at most 1.5 % where
# it is not (0.5 % of most files). Case does not matter, nor whether lines end in a full stop.
_SHARE = 0.5
_FEWEST = 10
_SAMPLE = 1000


def share_of_marks_apart(texts: Sequence[str | None]) -> float | None:
    """Return which share of the full stops and commas has a blank before it; None where there are too few to tell.

    Of many texts it is that of 1,000, taken at equal distances.
    """
    step = max(1, len(texts) // _SAMPLE)
    present = [text for text in texts[::step] if text]
    apart = sum(len(_APART.findall(text)) for text in present)
    total = apart + sum(len(_ATTACHED.findall(text)) for text in present)
    return apart / total if total >= _FEWEST else None


def is_tokenized(texts: Sequence[str | None]) -> bool:
    """Tell whether texts are tokenized: whether most full stops and commas have a blank before them."""
    return (share_of_marks_apart(texts) or 0.0) > _SHARE


def first_mark_apart(texts: Sequence[str | None]) -> int:
    """Return the position of the first text with a full stop or comma after a blank."""
    return next(i for i, text in enumerate(texts) if text and _APART.search(text))


def notice_tokenization(references: Sequence[Segments], runs: Sequence[Segments], report: Report) -> None:
    """Notice outputs that are tokenized while no reference is, and outputs that are not while all references are."""
    shares = [share for one in references if (share := share_of_marks_apart(one.texts)) is not None]
    if not shares:
        return
    advice = "detokenize what is tokenized, and compare raw text with raw text"
    for run in runs:
        share = share_of_marks_apart(run.texts)
        if share is None:
            continue
        if share > _SHARE >= max(shares):
            what = ("is tokenized but its reference is not", "are tokenized but their references are not")
            position = first_mark_apart(run.texts)
        elif share <= _SHARE < min(shares):
            what = ("is not tokenized but its reference is", "are not tokenized but their references are")
            position = None
        else:
            continue
        message = (
            f"{run.label} {what[0]}: a blank stands before {share:.0%} of its full stops and commas, and before "
            f"{max(shares):.0%} of those of the reference; {advice}."
        )
        together = f"{{places}} outputs {what[1]}, as the blanks before full stops and commas show: {{list}}; {advice}."
        run.notice(report, "tokenization", message, position, None, together)
