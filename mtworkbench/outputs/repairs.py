"""Repairs of outputs: what a doubt is about is mended on all sides alike, or its segments are left out for all systems.

No reader repairs anything by itself: whoever asks for a repair finds its name in the column ``repaired``, and in every
signature.
"""

from __future__ import annotations

import html
import re
import unicodedata
import warnings
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.characters import IS_INVISIBLE
from mtworkbench.outputs.checks.corpus import find_again, text_column
from mtworkbench.outputs.checks.frames import (
    FrameRuns,
    Runs,
    check_outputs,
    is_missing,
    note_repairs,
    sort_references,
)
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.checks.segments import Texts
from mtworkbench.outputs.checks.traits import ENTITY, MOJIBAKE
from mtworkbench.wording import begin, name_some, tally

#: The texts of a run or of a reference as they are after a repair.
Change = Callable[[Texts], list[str | None]]


@dataclass(frozen=True)
class Repair:
    """What can be done about a doubt without looking at the data.

    Parameters
    ----------
    code : str
        Of the doubt, and of ``--repair``.
    what : str
        What is done; continues "on request, ".
    said : str
        Begins the sentence on a result after it: "Unescaped, the difference is ...".
    change : callable, optional
        Returns the texts of a run or of a reference as they are after it; it is made on all of them.
        Without it, the segments in which some system or reference has it are left out for all systems.
    """

    code: str
    what: str
    said: str
    change: Change | None = None


def _each(change: Callable[[str], str]) -> Change:
    return lambda texts: [None if text is None else change(text) for text in texts]


def _unescape(text: str) -> str:
    """Replace the entities that the check looks for: other ampersands stay as they are."""
    return ENTITY.sub(lambda entity: html.unescape(entity[0]), text) if "&" in text else text


def _decode_again(text: str) -> str:
    """Decode UTF-8 that was read as cp1252 or Latin-1; a text that is not that throughout stays as it is."""
    if text.isascii() or not MOJIBAKE.search(text):
        return text
    try:
        return b"".join(map(_encode_character, text)).decode("utf-8")
    except UnicodeError:
        return text


def _encode_character(character: str) -> bytes:
    try:
        return character.encode("cp1252")
    except UnicodeEncodeError:
        return character.encode("latin-1")  # cp1252 leaves five bytes open


def _join_sentencepieces(text: str) -> str:
    return text.replace(" ", "").replace("\u2581", " ").strip() if "\u2581" in text else text


_CLOSING = re.compile(r" +(?=[.,;:!?%)\]}\u00bb\u201d\u2019\u2026\u3002\uff0c\u3001\u060c\u0964]+(?: |$))")
_OPENING = re.compile(r"((?:^| )[(\[{\u00ab\u201c\u201e\u00bf\u00a1]) +")
_CLITIC = re.compile(r"(?<=\w) (?='(?:s|re|ve|ll|d|m)\b|n't\b)", re.IGNORECASE)
_QUOTED = re.compile(r'(^| )" *([^"]*?) *"(?=$|[ .,;:!?)])')


def _detokenize(text: str) -> str:
    """Take away the blanks that a tokenizer puts around marks; text that has none stays as it is."""
    text = text.replace(" @-@ ", "-")
    text = _OPENING.sub(r"\1", _CLOSING.sub("", text))
    text = _CLITIC.sub("", text)
    return _QUOTED.sub(r'\1"\2"', text)


WITHOUT_THEM = "Without these segments"
UNTRANSLATED = "of which some system says that no translation was supplied"
#: In the order in which they are made.
REPAIRS = {
    one.code: one
    for one in (
        Repair("mojibake", "UTF-8 that was read in another encoding is decoded again", "Decoded", _each(_decode_again)),
        Repair("html-entities", "HTML entities are replaced by their characters", "Unescaped", _each(_unescape)),
        Repair(
            "normalization",
            "all text is brought into Unicode's normal form C",
            "Normalized on both sides",
            _each(partial(unicodedata.normalize, "NFC")),
        ),
        Repair(
            "invisible-chars",
            "invisible characters are taken out",
            "Without invisible characters",
            _each(partial(IS_INVISIBLE.sub, "")),
        ),
        Repair(
            "bpe-pieces",
            "words are joined where they are in pieces with @@",
            "With whole words",
            _each(lambda text: re.sub(r"@@(?: |$)", "", text)),
        ),
        Repair(
            "sentencepiece-pieces",
            "words are joined where they are in pieces with U+2581",
            "With whole words",
            _each(_join_sentencepieces),
        ),
        Repair(
            "tokenization",
            "blanks before closing marks and after opening ones are taken out",
            "Detokenized on both sides",
            _each(_detokenize),
        ),
        Repair("letter-case", "all text is lower-cased", "Lower-cased on both sides", _each(str.lower)),
        Repair("repeated-segments", "segments that repeat earlier ones are left out", "Without the copies"),
        Repair("empty-hyp", "segments that some system left empty are left out for all", WITHOUT_THEM),
        Repair("no-translation", f"segments {UNTRANSLATED} are left out for all", WITHOUT_THEM),
    )
}


def repair_outputs(outputs: pd.DataFrame, codes: str | Collection[str]) -> pd.DataFrame:
    """Repair outputs, and note it.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    codes : str or collection of str
        Of ``REPAIRS``: the codes of the doubts that are to be mended, on outputs and references alike.

    Returns
    -------
    DataFrame
        With the column ``repaired``, in which all rows have the codes, joined by ``+``, in the order in which they were
        made. It goes into statistics and their signature, and statistics with different repairs are never compared.
        Segments that were left out are missing for all systems; the others keep their numbers.

    Raises
    ------
    InputError
        ``unknown-repair`` for a code without a repair, ``no-texts`` where there are scores alone, ``no-segments`` where
        no segment would be left, and those of `check_outputs`.

    Warns
    -----
    DataWarning
        ``repaired`` with what was changed or left out, for each code.
    """
    check_outputs(outputs)
    if not choose_repairs(codes):
        return outputs
    repaired = repair_runs(FrameRuns(outputs), codes, stacklevel=3)
    return pd.concat(list(repaired), ignore_index=True)


def choose_repairs(codes: str | Collection[str]) -> list[Repair]:
    """Return the repairs with these codes, in the order in which they are made.

    Raises
    ------
    InputError
        ``unknown-repair``.
    """
    asked = [codes] if isinstance(codes, str) else list(codes)
    for code in asked:
        if code not in REPAIRS:
            known = ", ".join(REPAIRS)
            raise InputError(
                "unknown-repair",
                f"{excerpt(code)} cannot be repaired without looking at the data: {known} can.",
                found=str(code),
                expected=known,
            )
    return [repair for code, repair in REPAIRS.items() if code in asked]


def repair_runs(runs: Runs, codes: str | Collection[str], *, stacklevel: int = 2) -> Runs:
    """Repair the rows of each run as they are asked for; see `repair_outputs`."""
    first = runs[0]
    if "hypothesis" not in first.columns:
        message = "Scores without texts were given, but a repair changes texts: give the outputs and references."
        raise InputError("no-texts", message)
    made = note_repairs(first)
    chosen = [one for one in choose_repairs(codes) if one.code not in made]
    n_segments = len(first)
    del first  # no run is held while the next is read
    repaired = _RepairedRuns(runs, chosen, "+".join([*made, *(one.code for one in chosen)]))
    for changed in repaired.say_changes(n_segments):
        warnings.warn(changed, stacklevel=stacklevel + 1)
    return repaired


class _RepairedRuns(Runs):
    """The rows of each run after some repairs."""

    def __init__(self, runs: Runs, repairs: Sequence[Repair], note: str):
        self._runs, self._repairs, self._note = runs, repairs, note
        self._left_out: dict[str, set[int]] = {one.code: set() for one in repairs if one.change is None}
        for odd in find_again(runs)[1] if self._left_out else ():
            if odd.code in self._left_out:
                self._left_out[odd.code].update(odd.positions)
        self._references: dict[str, tuple[list[str | None], dict[str, int]]] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, position: int) -> pd.DataFrame:
        rows = self._runs[position]
        changed = {name: self._change_reference(rows, name)[0] for name in sort_references(rows.columns)}
        changed["hypothesis"] = self._change(rows["hypothesis"])[0]
        columns = {name: text_column(texts).set_axis(rows.index) for name, texts in changed.items()}
        rows = rows.assign(**columns, repaired=self._note)
        rows["repaired"] = rows["repaired"].astype(object)
        left_out: set[int] = set().union(*self._left_out.values())
        kept = np.setdiff1d(np.arange(len(rows)), sorted(left_out))
        return rows if len(kept) == len(rows) else rows.iloc[kept]

    def _change_reference(self, rows: pd.DataFrame, name: str) -> tuple[list[str | None], dict[str, int]]:
        """Change a reference, which is the same in all runs, once."""
        if name not in self._references:
            self._references[name] = self._change(rows[name])
        return self._references[name]

    def _change(self, column: pd.Series) -> tuple[list[str | None], dict[str, int]]:
        """Return the texts of a column after all repairs, and how many each of them changed."""
        texts, counts = _texts(column), {}
        for one in self._repairs:
            if one.change is not None:
                changed = one.change(texts)
                counts[one.code] = sum(1 for new, old in zip(changed, texts, strict=True) if new != old)
                texts = changed
        return texts, counts

    def say_changes(self, n_segments: int) -> Iterator[DataWarning]:
        """Say of each repair what it changed or left out."""
        counts: dict[str, Counter[str]] = {one.code: Counter() for one in self._repairs}
        for position in range(len(self._runs)):
            rows = self._runs[position]
            of_references = {name: self._change_reference(rows, name)[1] for name in sort_references(rows.columns)}
            changed = {} if position else {name.replace("_", " "): one for name, one in of_references.items()}
            for name, by_code in (changed | {str(rows["system"].iloc[0]): self._change(rows["hypothesis"])[1]}).items():
                for code, count in by_code.items():
                    counts[code][name] += count
        for one in self._repairs:
            if one.code in self._left_out:
                n_concerned = len(self._left_out[one.code])
                found = f"{n_concerned:,} of {tally(n_segments, 'segment')}"
                if n_concerned == n_segments:
                    problem = f"{one.code}: no segment is left without these {n_segments:,}"
                    raise InputError("no-segments", f"{problem}; repair the files, or leave the system out.")
            else:
                n_concerned = counts[one.code].total()
                listed = [f"{name} ({count:,})" for name, count in counts[one.code].items() if count]
                found = f"{tally(n_concerned, 'text')}" + (f": {name_some(listed)}" if listed else "")
            message = f"{begin(one.what)}, as asked ({one.code}): {found}."
            yield DataWarning("repaired", message, count=n_concerned)


def _texts(column: pd.Series) -> list[str | None]:
    return [None if is_missing(text) else text for text in column.to_numpy(dtype=object)]
