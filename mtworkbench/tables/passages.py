"""Segments to be read on a terminal: texts below each other, marked in colour, or with signs where there is none."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from mtworkbench.results.segments import NOT_IN_OTHER, NOT_IN_REFERENCE, MarkedText
from mtworkbench.tables.fitting import MIN_NAME, terminal_width
from mtworkbench.words.document import Passage, Passages, end_heading
from mtworkbench.words.frames import WIDTH, shorten, wrap

# What stands around a marked piece, by the bits of its mark: what a terminal shows in colour, and what can be read
# anywhere, as wdiff has it. Bold and underlined are told apart without colours, too.
_END = "\x1b[0m"
_RIGHT, _WRONG = NOT_IN_OTHER, NOT_IN_OTHER | NOT_IN_REFERENCE
IN_COLOUR = {_RIGHT: ("\x1b[1;32m", _END), _WRONG: ("\x1b[4;31m", _END), NOT_IN_REFERENCE: ("\x1b[3m", _END)}
IN_SIGNS = {_RIGHT: ("{+", "+}"), _WRONG: ("[-", "-]")}
# Of references, by whether there are colours: what neither output has.
OF_REFERENCES: Mapping[bool, Mapping[int, tuple[str, str]]] = {True: {_WRONG: IN_COLOUR[NOT_IN_REFERENCE]}, False: {}}
_SAY_RIGHT = "in the reference, not in the other output"
_SAY_WRONG = "neither in the reference nor in the other output"
_ALIGNED = "Texts are aligned: what stands in another place counts as not found."
#: What the marks mean, by whether there are colours, and whether outputs are compared with references, too.
LEGENDS = {
    (True, True): f"Bold green: {_SAY_RIGHT}; underlined red: {_SAY_WRONG}; italics: in both outputs but not in the "
    f"reference, or in the reference alone. {_ALIGNED}",
    (True, False): "Bold green: not in the other output.",
    (False, True): f"{{+...+}}: {_SAY_RIGHT}; [-...-]: {_SAY_WRONG}. {_ALIGNED}",
    (False, False): "{+...+}: not in the other output.",
}
# Stretches in which all texts agree are shortened to their ends where they are longer than this: texts may be long.
LONGEST_STRETCH, ENDS = 200, 80
SHORTENED = "(…) stands for words that both outputs and the reference share."
_LEFT_OUT = "(…)"
# Labels take at most this share of the width.
_SHARE = 5
# A word, spaces, or a letter of a script that has none. So many characters take 0.002 seconds to compile.
_ATOM = "[\u2e80-\U0010ffff]|[^\\s\u2e80-\U0010ffff]+|\\s+"
_JOINER = "\u200d"  # of emoji
_INDENT, _GAP = "  ", "  "

#: A piece of a text: what is shown, and what stands around it.
_Marked = tuple[str, tuple[str, str]]
_PLAIN = ("", "")


def passages_to_text(texts: Passages, width: int = WIDTH, *, coloured: bool = False) -> str:
    """Write segments with their texts below each other, in lines of a width, and say what the marks mean."""
    width = min(width, WIDTH)  # longer lines are hard to read
    passages = [_choose_texts(one) for one in texts.passages]
    labels = shorten([text.label for one in passages for text in one.texts], max(MIN_NAME, width // _SHARE))
    legend = LEGENDS[coloured, texts.have_references]
    if any((_LEFT_OUT, 0) in text.pieces for one in passages for text in one.texts):
        legend = f"{legend} {SHORTENED}"
    parts = [f"{wrap(end_heading(texts.heading), width)}\n"] if texts.heading else []
    parts += ["".join(_write_passage(one, labels, width, coloured)) for one in passages]
    return "\n".join([*parts, f"{wrap(legend, width)}\n"])


def _choose_texts(passage: Passage) -> Passage:
    """Leave out all references but the closest one, and shorten what the others have in common with the outputs."""
    return replace(passage, texts=[_shorten(text) for text in passage.texts if text.kind != "further"])


def _shorten(text: MarkedText) -> MarkedText:
    """Shorten what a text has in common with the others, where that is long; the source is compared with nothing."""
    if text.kind == "source":
        return text
    pieces: list[tuple[str, int]] = []
    for piece, code in text.pieces:
        begin = piece[: ENDS + 1].rpartition(" ")[0] or piece[:ENDS]
        end = piece[-ENDS - 1 :].partition(" ")[2] or piece[-ENDS:]
        is_long = not code and len(piece) > LONGEST_STRETCH
        pieces += [(f"{begin} ", 0), (_LEFT_OUT, 0), (f" {end}", 0)] if is_long else [(piece, code)]
    return replace(text, pieces=tuple(pieces))


def _write_passage(passage: Passage, labels: Mapping[str, str], width: int, coloured: bool) -> Iterator[str]:
    yield f"{wrap(passage.heading, width)}\n"
    own = [labels[text.label] for text in passage.texts]
    wide = max(map(terminal_width, labels.values()))
    room = max(width - len(_INDENT) - wide - len(_GAP), 2 * MIN_NAME)
    for label, text in zip(own, passage.texts, strict=True):
        lines = [*_break(_mark(text, coloured), room)] or ["(empty)"]
        for place, line in enumerate(lines):
            heading = "" if place else label
            pad = " " * (wide - terminal_width(heading))
            yield f"{_INDENT}{heading}{pad}{_GAP}{line}\n"


def _mark(text: MarkedText, coloured: bool) -> Iterator[_Marked]:
    """Yield the pieces of a text with what stands around each of them on a terminal; signs become part of the text."""
    of_outputs = IN_COLOUR if coloured else IN_SIGNS
    marks = OF_REFERENCES[coloured] if text.kind == "reference" else of_outputs
    for piece, code in text.pieces:
        around = marks.get(code, _PLAIN)
        inner = piece.strip()
        if coloured or code not in marks or not inner:
            yield piece, around if coloured else _PLAIN
            continue
        before, after = piece.split(inner)
        yield f"{before}{around[0]}{inner}{around[1]}{after}", _PLAIN


def _break(pieces: Iterable[_Marked], room: int) -> Iterator[str]:
    """Break marked pieces into lines: after words and between letters of scripts without spaces, or anywhere."""
    line: list[_Marked] = []
    filled = 0
    for word in _join_words(pieces):
        size = sum(terminal_width(text) for text, _ in word)
        if filled and filled + size > room:
            yield _write_line(line)
            line, filled = [], 0
        if not filled and all(text.isspace() for text, _ in word):
            continue
        whole = [(character, around) for text, around in word for character in text] if size > room else word
        for character, around in whole:
            wide = terminal_width(character)
            if filled + wide > room and filled:
                yield _write_line(line)
                line, filled = [], 0
            line.append((character, around))
            filled += wide
    if line:
        yield _write_line(line)


def _join_words(pieces: Iterable[_Marked]) -> Iterator[list[_Marked]]:
    """Yield what a line may not end in: a word, of one piece or several, a letter of another script, or spaces."""
    word: list[_Marked] = []
    for piece, around in pieces:
        for atom in re.findall(_ATOM, piece):
            if word and not _belongs(word[-1][0], atom):
                yield word
                word = []
            word.append((atom, around))
    if word:
        yield word


def _belongs(before: str, atom: str) -> bool:
    """Tell whether an atom goes on with the word before it."""
    if unicodedata.category(atom[0])[0] == "M" or _JOINER in (atom[0], before[-1]):
        return True
    return not (before.isspace() or atom.isspace() or before[-1] >= "\u2e80" or atom[0] >= "\u2e80")


def _write_line(line: Sequence[_Marked]) -> str:
    """Write a line; neighbours with the same mark are marked once, and spaces at the end are left out."""
    while line and line[-1][0].isspace():
        line = line[:-1]
    parts = groupby(line, key=lambda one: one[1])
    return "".join(f"{begin}{''.join(text for text, _ in part)}{end}" for (begin, end), part in parts)
