"""Repairs of outputs: what a doubt is about is mended on all sides alike, or its segments are left out for all systems.

No reader repairs anything by itself: whoever asks for a repair finds its name in the column ``repaired``, and in every
signature.
"""

from __future__ import annotations

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
from mtworkbench.outputs import mending
from mtworkbench.outputs.checks.characters import IS_INVISIBLE, strip_diacritics
from mtworkbench.outputs.checks.corpus import find_again, text_column
from mtworkbench.outputs.checks.frames import (
    FrameRuns,
    Runs,
    check_outputs,
    is_missing,
    note_repairs,
    sort_references,
)
from mtworkbench.outputs.checks.report import DOUBTS, excerpt
from mtworkbench.outputs.checks.segments import Segments, Texts
from mtworkbench.wording import begin, find_nearest, name_some, tally

#: The texts of a run or of a reference as they are after a repair.
Change = Callable[[Texts], list[str | None]]
#: The same, given the positions of the lines in which something was found.
Mend = Callable[[Texts, Sequence[int]], list[str | None]]


@dataclass(frozen=True)
class Repair:
    """How a doubt is repaired automatically.

    Parameters
    ----------
    code : str
        Of the doubt, and of ``--repair``.
    tells : str
        What is done, with its verb in braces.
    said : str
        Begins the sentence on a result after it: "With HTML entities unescaped, the difference is ...".
    change : callable, optional
        Returns the texts of a run or of a reference as they are after it; it is made on all of them.
    mend : callable, optional
        The same, given the positions of the lines in which it was found; it is made where it was found.
        With neither, the segments in which some system or reference has it are left out for all systems.
    """

    code: str
    tells: str
    said: str
    change: Change | None = None
    mend: Mend | None = None

    @property
    def what(self) -> str:
        """What is done; continues "With --repair CODE, "."""
        return re.sub("[{}]", "", self.tells)

    @property
    def done(self) -> str:
        """What was done; continues "Before scoring, "."""
        done = re.sub(r"\{(\w+)\}", lambda verb: _PAST[verb[1]], self.tells)
        return done if self.change is None else f"{done}, in outputs and references alike"

    @property
    def leaves_out(self) -> bool:
        """Whether segments are left out for all systems."""
        return self.change is None and self.mend is None


_PAST = {"is": "was", "are": "were", "become": "became"}


def _each(change: Callable[[str], str]) -> Change:
    return lambda texts: [None if text is None else change(text) for text in texts]


WITHOUT_THEM = "With such segments left out for all systems"
#: What is left out for all systems, by what some system has in these segments.
LEFT_OUT = {
    "empty-hyp": "some system has no text",
    "only-marks": "some system has neither a letter nor a digit",
    "no-translation": "some system says that no translation was supplied",
    "reference-lines": "a line of some system seems to be copied from a reference",
    "hyp-is-source": "some system left the source untranslated",
    "lines-of-another": "a line of one system seems to be copied from another system",
    "repeated-lines": "a line of some system occurs too often in its file",
    "loops": "some system repeats a phrase",
    "other-language": "some system seems to be in another language",
    "other-script": "some system is in another script",
    "unrelated-lines": "a line of some system shares hardly any words with its references",
}
_MADE = (
    Repair("mojibake", "UTF-8 that was read in another encoding {is} decoded again", "With the text decoded again",
           _each(mending.decode_again)),
    Repair("html-entities", "HTML entities {are} replaced by their characters", "With HTML entities unescaped",
           _each(mending.unescape)),
    Repair("normalization", "all text {is} brought into Unicode's normal form C", "With all text in normal form C",
           _each(partial(unicodedata.normalize, "NFC"))),
    Repair("invisible-chars", "invisible characters {are} removed", "Without invisible characters",
           _each(partial(IS_INVISIBLE.sub, ""))),
    Repair("bpe-pieces", "pieces of words that end in @@ {are} joined", "With the pieces joined into words",
           _each(partial(re.compile(r"@@(?: |$)").sub, ""))),
    Repair("sentencepiece-pieces", "pieces of words that SentencePiece marked with U+2581 {are} joined",
           "With the pieces joined into words", _each(mending.join_sentencepieces)),
    Repair("tokenization", "spaces before closing marks and after opening marks {are} removed",
           "With all text detokenized", _each(mending.detokenize)),
    *(Repair(code, "all text {is} lower-cased", "With all text in lower case", _each(str.lower))
      for code in ("lower-case", "upper-case", "title-case")),
    Repair("double-spaces", "several spaces in a row {become} one", "With single spaces",
           _each(partial(re.compile(" {2,}").sub, " "))),
    Repair("no-diacritics", "diacritics {are} removed", "Without any diacritics", _each(strip_diacritics)),
    Repair("no-punctuation", "punctuation marks {are} removed", "Without any punctuation",
           _each(mending.strip_punctuation)),
    Repair("no-end-mark", "punctuation marks at the ends of lines {are} removed",
           "Without punctuation at the ends of lines", _each(mending.strip_end_mark)),
    Repair("zeros", "all digits {become} 0", "With 0 for every digit", _each(partial(re.compile(r"\d").sub, "0"))),
    Repair("enclosed-lines", "quotation marks, brackets and other marks around a whole line {are} removed",
           "Without the marks around lines", _each(mending.open_line)),
    Repair("same-beginnings", "the text with which too many lines of a file begin {is} removed from them",
           "Without these beginnings", mend=mending.strip_beginnings),
    Repair("same-ends", "the text with which too many lines of a file end {is} removed from them",
           "Without these endings", mend=mending.strip_ends),
    Repair("repeated-segments", "segments that repeat earlier ones {are} left out", "Without the copies"),
    *(Repair(code, f"segments in which {what} {{are}} left out for all systems", WITHOUT_THEM)
      for code, what in LEFT_OUT.items()),
)  # fmt: skip
#: In the order in which they are made.
REPAIRS = {one.code: one for one in _MADE}


def repair_outputs(outputs: pd.DataFrame, codes: str | Collection[str]) -> pd.DataFrame:
    """Repair outputs and references alike, and note which repairs were made.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    codes : str or collection of str
        The codes of the doubts to repair, from ``REPAIRS``; one string may hold several with commas between them.

    Returns
    -------
    DataFrame
        With the column ``repaired``: in all rows the codes, joined by ``+``, in the order of the repairs. They are
        noted in statistics and their signature, and statistics with different repairs are never compared. Segments that
        were left out are missing for all systems; the others keep their numbers.

    Raises
    ------
    InputError
        ``unknown-repair`` for a code without a repair, ``no-texts`` where there are scores alone, ``no-segments`` where
        no segment would be left, and those of `check_outputs`.

    Warns
    -----
    DataWarning
        ``repaired`` with what was changed or left out, for each code; a repair that changes nothing is not noted.
    """
    check_outputs(outputs)
    if not choose_repairs(codes):
        return outputs
    runs = FrameRuns(outputs)
    repaired = repair_runs(runs, codes, stacklevel=3)
    return outputs if repaired is runs else pd.concat(list(repaired), ignore_index=True)


def _explain_unknown(code: object, known: str) -> str:
    """Say why there is no repair of this code: it is no code at all, or of a doubt that needs a look."""
    if code in DOUBTS:
        return f"{excerpt(code)} cannot be repaired automatically. These can: {known}."
    nearest = find_nearest(str(code), REPAIRS, 0.3)
    hint = f", did you mean {excerpt(nearest)}?" if nearest else "."
    return f"{excerpt(code)} is not the code of a repair{hint} The codes are {known}."


def choose_repairs(codes: str | Collection[str]) -> list[Repair]:
    """Return the repairs with these codes, in the order in which they are made.

    Raises
    ------
    InputError
        ``unknown-repair``.
    """
    listed = [codes] if isinstance(codes, str) else list(codes)
    asked = [one.strip() for code in listed for one in str(code).split(",")]
    for code in asked:
        if code not in REPAIRS:
            known = ", ".join(REPAIRS)
            raise InputError(
                "unknown-repair",
                _explain_unknown(code, known),
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
    repaired = _RepairedRuns(runs, chosen)
    changes = list(repaired.say_changes(n_segments))
    for changed in changes:
        warnings.warn(changed, stacklevel=stacklevel + 1)
    effective = [one.code for one, changed in zip(chosen, changes, strict=True) if changed.count]
    repaired.note = "+".join([*made, *effective])
    return repaired if effective else runs


def find_repairable(runs: Runs, codes: Collection[str]) -> list[str]:
    """Return those of some doubts whose repair changes a text, or leaves out segments: only these are offered."""
    return [
        code
        for code in codes
        if code in REPAIRS and (REPAIRS[code].leaves_out or _RepairedRuns(runs, [REPAIRS[code]]).changes_any)
    ]


class _RepairedRuns(Runs):
    """The rows of each run after some repairs."""

    def __init__(self, runs: Runs, repairs: Sequence[Repair]):
        self._runs, self._repairs = runs, repairs
        self.note = ""  # of the repairs that change something
        self._left_out: dict[str, set[int]] = {one.code: set() for one in repairs if one.leaves_out}
        # Where something was found: by code, and by the number of the run or the name of the reference.
        self._found: dict[tuple[str, int | str], set[int]] = {}
        looked_for = {one.code for one in repairs if one.change is None}
        if looked_for:
            corpus, oddities = find_again(runs)
            places: dict[Segments, int | str] = {run: number for number, (_, run) in enumerate(corpus.runs)}
            places |= {one: one.label for one in corpus.references}
            for odd in oddities:
                if odd.code in self._left_out:
                    self._left_out[odd.code].update(odd.positions)
                elif odd.code in looked_for:
                    for one in odd.of:
                        self._found.setdefault((odd.code, places[one]), set()).update(odd.positions)
        self._references: dict[str, tuple[list[str | None], dict[str, int]]] = {}

    def __len__(self) -> int:
        return len(self._runs)

    def __getitem__(self, position: int) -> pd.DataFrame:
        rows = self._runs[position]
        changed = {name: self._change_reference(rows, name)[0] for name in sort_references(rows.columns)}
        changed["hypothesis"] = self._change(rows["hypothesis"], position)[0]
        columns = {name: text_column(texts).set_axis(rows.index) for name, texts in changed.items()}
        rows = rows.assign(**columns, repaired=self.note)
        rows["repaired"] = rows["repaired"].astype(object)
        left_out: set[int] = set().union(*self._left_out.values())
        kept = np.setdiff1d(np.arange(len(rows)), sorted(left_out))
        return rows if len(kept) == len(rows) else rows.iloc[kept]

    def _change_reference(self, rows: pd.DataFrame, name: str) -> tuple[list[str | None], dict[str, int]]:
        """Change a reference, which is the same in all runs, once."""
        if name not in self._references:
            self._references[name] = self._change(rows[name], name)
        return self._references[name]

    def _change(self, column: pd.Series, place: int | str) -> tuple[list[str | None], dict[str, int]]:
        """Return the texts of a column after all repairs, and how many each of them changed."""
        texts, counts = _texts(column), {}
        for one in self._repairs:
            if one.leaves_out:
                continue
            found = sorted(self._found.get((one.code, place), ()))
            changed = one.change(texts) if one.change is not None else one.mend(texts, found) if one.mend else texts
            counts[one.code] = sum(1 for new, old in zip(changed, texts, strict=True) if new != old)
            texts = changed
        return texts, counts

    def _count_changes(self) -> Iterator[tuple[str, dict[str, int]]]:
        """Yield each reference and each system, with how many texts each repair changes; one run after another."""
        for position in range(len(self._runs)):
            rows = self._runs[position]
            for name in [] if position else sort_references(rows.columns):
                yield name.replace("_", " "), self._change_reference(rows, name)[1]
            yield str(rows["system"].iloc[0]), self._change(rows["hypothesis"], position)[1]

    @property
    def changes_any(self) -> bool:
        """Whether any text is another after it."""
        return any(any(counts.values()) for _, counts in self._count_changes())

    def say_changes(self, n_segments: int) -> Iterator[DataWarning]:
        """Say of each repair what it changed or left out."""
        counts: dict[str, Counter[str]] = {one.code: Counter() for one in self._repairs}
        for name, by_code in self._count_changes():
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
            if not n_concerned:
                message = f"{one.code} was to be repaired, but that changes nothing here, so no signature names it."
            yield DataWarning("repaired", message, count=n_concerned)


def _texts(column: pd.Series) -> list[str | None]:
    return [None if is_missing(text) else text for text in column.to_numpy(dtype=object)]
