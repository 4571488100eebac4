"""What fairseq-generate and fairseq-interactive write, such as ``generate-test.txt``: text among other lines.

By ``fairseq_cli/generate.py`` of facebookresearch/fairseq, sentences stand in the order in which they were
translated: ``S-17`` the source, ``T-17`` the target, for each hypothesis (the best first) ``H-17``, a score and its
tokens, and ``D-17``, a score and the detokenized text (older versions have no D), then ``P-17``, ``A-17`` and others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, takewhile
from typing import TYPE_CHECKING

from mtworkbench.outputs.checks.report import fault
from mtworkbench.outputs.files.bytes import read_beginning

if TYPE_CHECKING:
    from mtworkbench.outputs.checks.segments import Lines

_LINE = re.compile(r"([A-Z])-([0-9]{1,9})(?:_[0-9]+)?\t")
_HYPOTHESIS = re.compile(r"H-[0-9]{1,9}\t-?(?:[0-9.]+(?:e-?[0-9]+)?|inf|nan)\t")
# So many characters tell what a file is; they are in the beginning of a file, whatever its bytes are.
_TELLING = 16_000


def is_fairseq(path: str) -> bool:
    """Tell whether a file is what fairseq wrote."""
    return _are_fairseq([line.removesuffix("\r") for line in read_beginning(path).split("\n")])


def _are_fairseq(lines: Sequence[str]) -> bool:
    """Tell whether lines are fairseq's: some are hypotheses with scores, and half of them begin as its lines do."""
    ends = accumulate(len(line) + 1 for line in lines)
    first = [line for line, end in zip(lines, takewhile(lambda end: end < _TELLING, ends), strict=False) if line]
    return any(map(_HYPOTHESIS.match, first)) and 2 * sum(map(bool, map(_LINE.match, first))) >= len(first)


def count_hypotheses(lines: Sequence[str]) -> int:
    """Count the sentences that fairseq translated; 0 where the lines are not what it wrote."""
    return len({one[2] for line in lines if (one := _LINE.match(line)) and one[1] == "H"}) if _are_fairseq(lines) else 0


def take_hypotheses(lines: Lines) -> Lines:
    """Return the best hypothesis of each sentence, detokenized where it is, in the order of their numbers.

    Lines that fairseq did not write are returned as they are.

    Raises
    ------
    InputError
        ``fairseq`` where a sentence between the first and the last has no hypothesis.
    """
    return _take(lines, "DH", 3, "hypothesis (H- or D-)")


def take_targets(lines: Lines) -> Lines:
    """Return the targets among fairseq's lines, in the order of their numbers; other lines as they are.

    Raises
    ------
    InputError
        ``fairseq`` where a sentence between the first and the last has no target.
    """
    return _take(lines, "T", 2, "target (T-)")


def _find(lines: Lines, kind: str) -> dict[int, int]:
    """Return the position of the first line of a kind of each sentence, by the sentence's number."""
    found: dict[int, int] = {}
    for position, line in enumerate(lines.texts):
        if line.startswith(f"{kind}-") and (one := _LINE.match(line)) is not None:
            found.setdefault(int(one[2]), position)
    return found


def _take(lines: Lines, kinds: str, columns: int, what: str) -> Lines:
    """Return the last column of the lines of the first kind that occurs, in the order of the sentences' numbers."""
    if not _are_fairseq(lines.texts):
        return lines
    positions = next(filter(None, (_find(lines, kind) for kind in kinds)), {})
    last = max(int(one[2]) for line in lines.texts if (one := _LINE.match(line)))
    missing = next(number for number in range(len(positions) + 1) if number not in positions)
    if missing <= last:
        problem = f"is a log of fairseq-generate, but number {missing} of its {last + 1:,} sentences has no {what}"
        remedy = "write the file again, with all sentences (without --skip-invalid-size-inputs-valid-test)"
        raise fault(lines.path, "fairseq", f"{problem}: {remedy}.")
    order = [positions[number] for number in range(len(positions))]
    texts = [lines.texts[position].split("\t", columns - 1)[-1] for position in order]
    return replace(lines, texts=texts, lines=[position + 1 for position in order])
