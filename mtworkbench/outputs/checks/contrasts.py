"""Lines that differ from their references in case, marks, numbers, length, script ...: one table of all."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np

from mtworkbench.assumptions import BREAKS, INFORMS
from mtworkbench.outputs.checks.background import (
    Background,
    find_background,
    is_among,
    share_of_words,
)
from mtworkbench.outputs.checks.characters import strip_diacritics
from mtworkbench.outputs.checks.oddities import KINDS, Kind, Oddity
from mtworkbench.outputs.checks.profiles import SIGNS, Count, Profile, count_cells, find_cells, sum_counts
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.wording import listed

_LETTERS = (Count.LOWER, Count.UPPER, Count.LOWER_MARKED, Count.UPPER_MARKED)
_UPPER = (Count.UPPER, Count.UPPER_MARKED)
_MARKED = (Count.LOWER_MARKED, Count.UPPER_MARKED)
_DIGITS = (Count.ZERO, Count.DIGIT)
_WRITTEN = (*_LETTERS, Count.LETTER, Count.MARK, *_DIGITS)
_SPACES = (Count.SPACE, Count.OTHER_SPACE)
_MARKS = (Count.STOP, Count.PUNCTUATION, Count.QUOTE)
# Fewer than this share of all lines is not worth a warning, however few lines could show it.
_SMALLEST_SHARE = 0.005
_FEWEST_LINES = 3.5
_GATHERED, _MOST_GATHERED = 25, 3.0
# Of written text, more than this share of the lines has a full stop; text that was spoken, or made up, may have none.
_WRITTEN_SHARE = 0.5


@dataclass(frozen=True, eq=False)
class Compared:
    """The lines of an output beside what the references say of them.

    Parameters
    ----------
    profile : Profile
    of : Background
    """

    profile: Profile
    of: Background

    def count(self, *which: Count) -> np.ndarray:
        """Return how many of some things each line has."""
        return sum_counts(self.profile.counts, which)

    @cached_property
    def is_frequent(self) -> np.ndarray:
        """Which words are among the most frequent of the references."""
        return is_among(self.profile.words, self.of.frequent)

    @cached_property
    def n_frequent(self) -> np.ndarray:
        """How many of the words of each line these are."""
        return self.profile.count_in_lines(self.is_frequent)

    @cached_property
    def shared(self) -> np.ndarray:
        """The share of the words that a line shares with its references; NaN where there are too few to tell."""
        is_content = ~self.is_frequent
        n_own, n_theirs = self.count(Count.WORDS) - self.n_frequent, self.of.n_content
        n_shared = np.empty(len(n_own))
        for block, place, lines in self.profile.split():
            wanted, content = np.flatnonzero(is_content[place]), self.of.content[block]
            cells = find_cells(self.profile.words[place].take(wanted), lines.take(wanted))
            own = count_cells(cells, content.size, np.uint8 if n_own[block].max() < 256 else np.uint16)
            n_shared[block] = np.minimum(own.reshape(content.shape), content).sum(axis=1, dtype=np.uint16)
        has_words = (n_own >= 3) & (n_theirs >= 5)
        return np.where(has_words, n_shared / np.maximum(1, np.minimum(n_own, n_theirs)), np.nan)

    @cached_property
    def can_be_unrelated(self) -> bool:
        """Whether typical lines share much with the references: else nothing follows from one that shares little."""
        shared = self.shared[~np.isnan(self.shared)]
        return len(shared) > 0 and bool(np.median(shared) >= _LEAST_SHARED)


#: A line, and the lines that it is compared with.
Beside = tuple[str, Sequence[str]]
#: Whether something could be seen in each line, and whether it is there.
Can = Callable[[Background], np.ndarray]
Has = Callable[[Compared], np.ndarray]


@dataclass(frozen=True, eq=False)
class Contrast(Kind):
    """Something that is in lines of an output but not in their references.

    Parameters
    ----------
    natural : float
        The largest share of the lines where it could be seen, in a real output that is in order, rounded up.
    can : callable
        Tells of each line from the `Background` whether it could be seen there.
    has : callable
        Tells of each line of an output whether it is there.
    of_references : bool
        Whether a reference is looked at as well: whether it is there, but not in the outputs.
    if_few : float
        As `natural`, of a reference beside one or two outputs, which may have something in common that is odd about
        them and not about the reference; where it was not measured, so large that most of the lines are needed.
    of_all : str
        What is odd about the first reference if every output has it there; nothing where that is empty.
    whoever : bool
        Whether it is odd even where most other outputs have it.
    confirms : callable or None
        Tells from the text of a line and the texts that it is compared with whether it is really there: for what
        counts cannot tell. Asked where there are too many such lines.
    detail : callable or None
        Says of these lines, each with the texts that it is compared with, what was found; see `Oddity`.
    """

    natural: float
    can: Can
    has: Has
    of_references: bool = False
    if_few: float = 0.3
    of_all: str = ""
    whoever: bool = False
    confirms: Callable[[str, Sequence[str]], bool] | None = None
    detail: Callable[[Sequence[Beside]], str] | None = None


def most_expected(n_lines: int, natural: float, *, times: float = 2.0) -> float:
    """Return how many lines may have something that is in a share of the lines of files in order.

    So many standard deviations are added, and as many lines, so that a few lines of a short file are no sign: two, or
    more where many such things are looked for. What is natural gathers in documents, so as many are added as a document
    has.
    """
    mean = natural * n_lines
    return max(_FEWEST_LINES, mean + times * (mean**0.5 + 1) + min(_MOST_GATHERED, _GATHERED * natural))


def _appears(*which: Count) -> tuple[Can, Has]:
    """Tell where lines have something that no reference has."""
    return lambda of: of.is_text & (of.most(*which) == 0), lambda one: one.count(*which) > 0


def _share_upper(counts: np.ndarray) -> np.ndarray:
    return sum_counts(counts, _UPPER) / np.maximum(1, sum_counts(counts, _LETTERS))


def _is_title(one: Compared) -> np.ndarray:
    n_words = one.count(Count.WORDS)
    are_capitalized = (one.count(Count.CAPITALIZED) >= 0.9 * n_words) & (n_words >= 5)
    return are_capitalized & (_share_upper(one.profile.counts) <= 0.7)


def _has_signs(one: Compared) -> np.ndarray:
    known = one.of.most(Count.SIGN)
    if one.of.source is not None:
        known = np.maximum(known, one.of.source.counts[:, Count.SIGN])
    return one.count(Count.SIGN) > known


def _name_signs(lines: Sequence[Beside]) -> str:
    """Name up to three signs, those that most lines have more often than what they are compared with."""
    found = Counter(
        sign
        for text, others in lines
        for sign in SIGNS.intersection(text)
        if text.count(sign) > min(other.count(sign) for other in others)
    )
    names = [sign for sign, _ in sorted(found.items(), key=lambda one: (-one[1], one[0]))]
    return f"{'the character' if len(names) == 1 else 'such as'} {listed(names[:_MOST_SIGNS])}" if names else ""


def _has_foreign_script(one: Compared) -> np.ndarray:
    known, scripts = one.profile.known_scripts, one.profile.scripts
    letters = scripts[:, known].sum(axis=1)
    foreign = scripts[:, known].sum(axis=1, where=~one.of.scripts[:, known])
    return (letters >= 5) & (foreign > 0.5 * letters)


def _has_foreign_words(one: Compared) -> np.ndarray:
    share = one.n_frequent / np.maximum(1, one.count(Count.WORDS))
    has = share <= 0.08
    if len(one.of.frequent_in_source):
        has |= (share <= 0.2) & (
            share_of_words(one.profile, is_among(one.profile.words, one.of.frequent_in_source)) > 1.5 * share
        )
    return has & (one.count(Count.WORDS) >= 6)


def _has_other_numbers(one: Compared) -> np.ndarray:
    n_digits = one.count(*_DIGITS)
    same_length = np.any([sum_counts(other.counts, _DIGITS) == n_digits for other in one.of.references], axis=0)
    differs = np.all([one.profile.numbers != other.numbers for other in one.of.references], axis=0)
    return same_length & differs & (n_digits >= 1)


def _is_unrelated(one: Compared) -> np.ndarray:
    return (one.shared <= 0.1) & one.can_be_unrelated


def _is_unrelated_for_long(one: Compared) -> np.ndarray:
    """Tell which lines are in a stretch of lines that share hardly any words: of real outputs, three are at most."""
    found = np.zeros(len(one.profile), dtype=bool)
    if one.can_be_unrelated:
        where = np.flatnonzero(~np.isnan(one.shared))
        edges = np.flatnonzero(np.diff(np.concatenate([[False], one.shared[where] <= 0.15, [False]])))
        for start, end in edges.reshape(-1, 2)[np.diff(edges)[::2] >= _UNRELATED_IN_SUCCESSION].tolist():
            found[where[start:end]] = True
    return found


def _repeats(one: Compared) -> np.ndarray:
    times = one.profile.times
    # A generator of formulaic texts may well say the same of two things, but not the same of all.
    is_stuck = times >= max(5, _STUCK * len(times))
    return (is_stuck | (times > 1) & (one.shared <= 0.25)) & (one.count(Count.WORDS) >= 2)


def _can_repeat(of: Background) -> np.ndarray:
    can = of.is_text.copy()
    for one in (*of.references, of.source):
        if one is not None:
            can &= (one.times == 1) | ~one.is_text
    return can


def _can_lose_diacritics(of: Background) -> np.ndarray:
    """Leave out languages without diacritics, in which only names have them: systems write these as they like."""
    can = of.fewest(*_MARKED) >= 1
    return can & (can.sum() >= 0.2 * len(can))


def _lost_diacritics(text: str, others: Sequence[str]) -> bool:
    """Tell whether a word of a line is that of another line without its diacritics: "Tur" or "Tuer" for "Tür"."""
    text = text.lower()
    marked = {piece for other in others for piece in other.split() if not piece.isascii()}
    likely = [form for piece in marked for form in _find_plain(piece) if form in text]
    return bool(likely) and not set(_WORD.findall(text)).isdisjoint(likely)


@lru_cache(maxsize=30_000)  # the same words occur again and again
def _find_plain(text: str) -> list[str]:
    """Return the words that have diacritics, without them and spelled out."""
    words = [word for word in _WORD.findall(unicodedata.normalize("NFC", text).lower()) if not word.isascii()]
    plain = [(word, strip_diacritics(word)) for word in words]
    return [form for word, bare in plain if bare != word for form in (bare, word.translate(_SPELLED_OUT))]


def _can_separate(of: Background) -> np.ndarray:
    """Tell which lines have a reference with a number such as 1,000 or 2.5."""
    may, can = of.most(*_DIGITS) >= 2, np.zeros(len(of.is_text), dtype=bool)
    for one in of.references:
        texts = one.segments.texts
        for i in np.flatnonzero(may & ~can).tolist():
            can[i] = _SEPARATOR.search(texts[i] or "") is not None
    return can


def _has_same_numbers(one: Compared) -> np.ndarray:
    """Tell which lines have the digits of a reference, and as many marks of all kinds, but other ones."""
    marks = one.count(Count.STOP), one.count(Count.PUNCTUATION)
    has = np.zeros(len(one.profile), dtype=bool)
    for other in one.of.references:
        theirs = other.counts[:, Count.STOP], other.counts[:, Count.PUNCTUATION]
        has |= (one.profile.numbers == other.numbers) & (marks[0] != theirs[0]) & (marks[1] != theirs[1])
    return has


def _exchanged_separators(text: str, others: Sequence[str]) -> bool:
    """Tell whether the numbers of a line are those of another line with points for commas and commas for points."""
    own = "".join(_SEPARATOR.findall(text)).translate(_EXCHANGED)
    return own != "" and own in ("".join(_SEPARATOR.findall(other)) for other in others)


def _mixes_scripts(text: str, others: Sequence[str]) -> bool:
    """Tell whether a word has Latin letters beside Greek or Cyrillic ones, and no word of another line has."""
    return _is_mixed(text) and not any(map(_is_mixed, others))


def _is_mixed(text: str) -> bool:
    return any(len({match.lastgroup for match in _ALPHABET.finditer(word)}) > 1 for word in _WORD.findall(text))


def _is_at_limit(one: Compared) -> np.ndarray:
    at_limit = np.zeros(len(one.profile), dtype=bool)
    for count in (Count.SPACE, Count.CHARACTERS):  # spaces count what most software calls words
        lengths = one.count(count)
        if 1 + np.count_nonzero(np.diff(np.sort(lengths))) >= _FEWEST_LENGTHS:
            at_limit |= (lengths == lengths.max(initial=0)) & (one.of.most(count) > lengths)
    return at_limit


_MOST_SIGNS = 3
_LEAST_SHARED = 0.45
_RELATED = 0.35
_UNRELATED_IN_SUCCESSION = 6
_NATURAL_OF_REFERENCES = 0.014
_STUCK = 0.01
_FEWEST_LENGTHS = 12
_WORD = re.compile(r"\w+")
_SPELLED_OUT = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue", "ß": "ss"})
_FEWEST_TO_JUDGE_REFERENCES = 3
_SEPARATOR = re.compile(r"(?<=\d)[.,](?=\d)")
_EXCHANGED = str.maketrans(".,", ",.")
# Alphabets that have letters in common, as they look.
_ALPHABET = re.compile("(?P<latin>[A-Za-z\u00c0-\u024f])|[\u0370-\u03ff\u0400-\u04ff]")


_CASE = (
    "Case-sensitive metrics count every word in the wrong case as an error.",
    "Restore the case, or score all systems case-insensitively.",
)
_NOT_TRANSLATED = (
    "They may be untranslated, or in another language.",
    "Look at these lines, and translate them into the language of the references.",
)
_RAISE_LIMIT = "If they reach the maximum output length, raise it."

#: What explains a line best comes first. What is natural was measured on 34 test sets with 260 outputs, but for those
#: judged to be odd.
CONTRASTS = (
    Contrast("only-marks", "have neither a letter nor a digit, but their references do",
             "These segments were not translated.", "Translate these lines again.",
             0.002, lambda of: of.fewest(*_WRITTEN) >= 1,
             lambda one: (one.count(*_WRITTEN) == 0) & (one.count(Count.CHARACTERS) > one.count(*_SPACES)),
             of_references=True, if_few=0.01),
    Contrast("repeated-lines", "have the same text as other segments, but their references differ",
             "The decoder may have been stuck, or lines may have been copied.", "Translate these lines again.",
             0.004, _can_repeat, _repeats, gravity=BREAKS, of_references=True, if_few=0.004, whoever=True),
    Contrast("loops", "repeat a phrase, but their references do not",
             "The decoder may have been caught in a loop.",
             "Look at these lines, and translate them again if the decoder failed.",
             0.015, *_appears(Count.LOOPS, Count.IS_DOUBLED), of_references=True, if_few=0.015),
    Contrast("other-script", "are in a different script from their references", *_NOT_TRANSLATED,
             0.005, lambda of: of.fewest(*_LETTERS, Count.LETTER) >= 5, _has_foreign_script,
             of_all="are in a script that no output is in"),
    Contrast("mixed-scripts", "have words with letters of two alphabets, but their references do not",
             "Letters that look alike do not match.", "Replace the letters of the other alphabet.",
             0.002, lambda of: of.is_text,
             lambda one: np.count_nonzero(one.profile.scripts[:, one.profile.known_scripts], axis=1) > 1,
             confirms=_mixes_scripts),
    Contrast("other-language", "have hardly any of the words that are frequent in the references",
             *_NOT_TRANSLATED,
             0.012, lambda of: of.is_text & (of.share_frequent >= 0.25) & (of.fewest(Count.WORDS) >= 8),
             _has_foreign_words, of_all="are in a language that no output is in"),
    Contrast("length-limit", "are exactly as long as the longest line, and shorter than their references",
             "Lines seem to have been cut off at this length.",
             "Raise the maximum output length, and translate these lines again.",
             0.002, lambda of: of.is_text, _is_at_limit),
    Contrast("zeros", "have no digit except 0, but their references have other digits",
             "All digits seem to have been replaced by 0, as is sometimes done for training.",
             "Export the output with its original numbers.", 0.002, lambda of: of.fewest(Count.DIGIT) >= 1,
             lambda one: (one.count(Count.DIGIT) == 0) & (one.count(Count.ZERO) >= 1),
             of_references=True, if_few=0.002),
    Contrast("enclosed-lines", "are enclosed in quotation marks, brackets or other marks, but their references are not",
             "These marks are scored as words.", "Remove them if the system's software added them.",
             0.02, *_appears(Count.IS_ENCLOSED), of_references=True, if_few=0.06),
    Contrast("signs",
             "have characters that may come from markup, code or a subword model, and that their references lack",
             "Such characters are scored as words or parts of words.",
             "Look at these lines, and export plain text.",
             0.011, lambda of: of.is_text, _has_signs, of_references=True, if_few=0.055, detail=_name_signs),
    Contrast("no-spaces", "have no space between words, but their references do",
             "Such a line may be scored as one word.",
             "Bring outputs and references into one form, with spaces between words or without.",
             0.002, lambda of: (of.fewest(Count.SPACE) >= 4) & (of.fewest(Count.SPACE) >= 0.2 * of.fewest(Count.WORDS)),
             lambda one: (one.count(*_SPACES) == 0) & (one.count(Count.CHARACTERS) >= 10),
             of_references=True, if_few=0.002, of_all="have spaces between words, but no output has any there"),
    Contrast("other-spaces", "have unusual spaces, such as no-break spaces, but their references do not",
             "Some metrics read the words on both sides of such a space as one word.",
             "Replace them by ordinary spaces.", 0.006, *_appears(Count.OTHER_SPACE)),
    Contrast("double-spaces", "have two spaces in a row, but their references do not",
             "Most metrics ignore this, but it is a sign that something was removed or inserted.",
             "Look at these lines.", 0.008, *_appears(Count.DOUBLE_SPACES), gravity=INFORMS),
    Contrast("upper-case", "are in capital letters, but their references are not", *_CASE, 0.002,
             lambda of: (_share_upper(of.high) < 0.4) & (of.fewest(*_LETTERS) >= 10),
             lambda one: (_share_upper(one.profile.counts) > 0.7) & (one.count(*_LETTERS) >= 10),
             of_references=True, if_few=0.002),
    Contrast("lower-case", "have no capital letter, but their references do", *_CASE, 0.02,
             lambda of: (of.fewest(*_UPPER) >= 1) & (of.fewest(*_LETTERS) >= 10),
             lambda one: (one.count(*_UPPER) == 0) & (one.count(*_LETTERS) >= 10), of_references=True, if_few=0.06),
    Contrast("title-case", "begin every word with a capital letter, but their references do not", *_CASE, 0.003,
             lambda of: (of.most(Count.CAPITALIZED) <= 0.7 * of.fewest(Count.WORDS)) & (of.fewest(Count.WORDS) >= 5),
             _is_title, of_references=True, if_few=0.003),
    Contrast("no-diacritics", "have no letter with a diacritic, but words that have one in their references",
             "Every word that lost its diacritics is scored as wrong.",
             "Save the output as Unicode, not as ASCII.", 0.015, _can_lose_diacritics,
             lambda one: (one.count(*_MARKED) == 0) & (one.count(*_LETTERS) >= 10),
             of_references=True, confirms=_lost_diacritics),
    Contrast("no-punctuation", "have no punctuation mark, but their references have two or more",
             "Every missing mark is scored as a missing word.", "Restore the punctuation of the output.",
             0.009, lambda of: of.fewest(*_MARKS) >= 2,
             lambda one: (one.count(*_MARKS) == 0) & (one.count(Count.WORDS) >= 4), of_references=True, if_few=0.06),
    Contrast("short-lines", "are less than half as long as their references",
             "The ends of the lines may have been cut off, or parts may have been left out.",
             f"Look at these lines. {_RAISE_LIMIT}",
             0.008, lambda of: of.fewest(*_WRITTEN) >= 20,  # what is empty is noticed elsewhere
             lambda one: (one.count(*_WRITTEN) < 0.5 * one.of.fewest(*_WRITTEN)) & (one.count(*_WRITTEN) > 0),
             of_references=True, if_few=0.008),
    Contrast("no-end-mark", "end without a punctuation mark, but their references end with one",
             "The ends of the lines may have been cut off.", f"Look at the ends of these lines. {_RAISE_LIMIT}",
             0.025, lambda of: of.is_text & (of.most(Count.ENDS_OPEN) == 0) & (of.fewest(Count.WORDS) >= 4),
             lambda one: one.count(Count.ENDS_OPEN) > 0, of_references=True),
    Contrast("low-beginnings", "begin with a lower-case letter, but their references do not",
             "The beginnings of the lines may have been cut off.", "Look at the beginnings of these lines.",
             0.025, lambda of: of.is_text & (of.most(Count.BEGINS_LOW) == 0) & (of.fewest(Count.UPPER) > 0),
             lambda one: one.count(Count.BEGINS_LOW) > 0, of_references=True, if_few=0.09),
    Contrast("long-lines", "are more than 1.8 times as long as their references",
             "They may contain text that is not a translation.", "Look at these lines.",
             0.005, lambda of: of.most(*_WRITTEN) >= 20,
             lambda one: one.count(*_WRITTEN) > 1.8 * one.of.most(*_WRITTEN)),
    Contrast("number-separators", "have points for commas in numbers, or commas for points",
             "Every such number is scored as wrong.",
             "Look at the numbers in these lines, and write them as the references do.",
             0.15, _can_separate, _has_same_numbers, confirms=_exchanged_separators),
    Contrast("unrelated-lines", "share hardly any words with their references, one after another",
             "They may be translations of other lines, or of another test set.", "Align the file again.",
             0.0, lambda of: of.is_text, _is_unrelated_for_long, gravity=BREAKS),
    Contrast("unrelated-lines", "share hardly any words with their references",
             "Refusals, comments of a language model and translations of other lines look like this.",
             "Look at these lines, and translate them again if they are not translations.",
             0.022, lambda of: of.is_text, _is_unrelated),
    Contrast("numbers", "have as many digits as their references, but other ones",
             "Numbers seem to have been replaced.", "Look at the numbers in these lines.",
             0.022, lambda of: of.fewest(*_DIGITS) >= 1, _has_other_numbers),
)  # fmt: skip


class _Having(NamedTuple):
    """The lines of an output that have a contrast, as bits, because they are kept for every run; and how many."""

    bits: np.ndarray
    n_lines: int

    @classmethod
    def of(cls, lines: np.ndarray) -> _Having:
        return cls(np.packbits(lines), int(np.count_nonzero(lines)))


class Contrasts:
    """The contrasts of all outputs with the references, and of the references with the outputs.

    Parameters
    ----------
    background : Background
    """

    def __init__(self, background: Background):
        self._background = background
        self._can = [contrast.can(background) for contrast in CONTRASTS]
        self._runs: list[Segments] = []
        self._found: list[list[_Having]] = []
        self._low, self._high = background.low, background.high
        self._can_repeat = background.is_text

    def look_at(self, compared: Compared) -> None:
        """Look for all contrasts in an output."""
        run = compared.profile
        self._found.append(
            [_Having.of(can & contrast.has(compared)) for can, contrast in zip(self._can, CONTRASTS, strict=True)]
        )
        first = not self._runs
        self._low = run.counts.copy("K") if first else np.minimum(self._low, run.counts, out=self._low)
        self._high = run.counts.copy("K") if first else np.maximum(self._high, run.counts, out=self._high)
        self._can_repeat = self._can_repeat & (run.times == 1)
        if first:
            # Its words are asked for, not its profile and counts, which would be held: the counts are of all outputs.
            self._of_first = replace(find_background([run], None), references=(), low=self._low, high=self._high)
        elif len(self._runs) == 1:
            self._agree = Compared(run, self._of_first).shared > _RELATED
        self._runs.append(run.segments)

    def judge(self) -> Iterator[Oddity]:
        """Yield the contrasts that more lines have than files in order.

        What a line has in most of the other outputs as well is hardly ever odd about one of them.
        """
        if not self._runs:
            return
        n_others = len(self._runs) - 1
        references = [one.segments for one in self._background.references]
        for contrast, can, found in zip(CONTRASTS, self._can, zip(*self._found, strict=True), strict=True):
            many = [one.n_lines > _most_expected(contrast, can) for one in found]
            if not any(many):
                continue
            have = [np.unpackbits(one.bits, count=len(can)).astype(bool) for one in found]
            n_having = np.sum(have, axis=0)
            if contrast.of_all and n_others > 0:
                of_reference = replace(contrast, what=contrast.of_all)
                yield from _judge(of_reference, references[0], can, n_having > n_others, self._runs)
            for run, has, is_many in zip(self._runs, have, many, strict=True):
                if is_many:
                    own = has if contrast.whoever or not n_others else has & ~(n_having - 1 > 0.5 * n_others)
                    yield from _judge(contrast, run, can, own, references)
        yield from self._judge_references()
        if len(self._runs) > 1:
            yield from self._find_unrelated_references()

    def _find_unrelated_references(self) -> Iterator[Oddity]:
        """Yield references that share hardly any words with lines of which two outputs share many."""
        *_, contrast = (one for one in CONTRASTS if one.code == "unrelated-lines")
        of_reference = replace(contrast, what="share hardly any words with the outputs", natural=_NATURAL_OF_REFERENCES)
        for one in self._background.references:
            can, has = self._agree & one.is_text, _is_unrelated(Compared(one, self._of_first))
            yield from _judge(of_reference, one.segments, can, has, self._runs)

    def find_lower_case(self) -> Iterator[Oddity]:
        """Yield that texts of sentences are all in lower case, which is not odd about any of them."""
        first, *others = [*self._runs, *(one.segments for one in self._background.references)]
        most = np.maximum(self._background.high, self._high)
        has_case = sum_counts(most, _LETTERS).sum() > most[:, Count.LETTER].sum()
        if has_case and (most[:, Count.STOP] > 0).mean() > _WRITTEN_SHARE and not sum_counts(most, _UPPER).any():
            yield KINDS["all-lower-case"].found_in(first, range(len(most)), alike=others)

    def _judge_references(self) -> Iterator[Oddity]:
        outputs = replace(self._background, low=self._low, high=self._high, references=())
        are_few = len(self._runs) < _FEWEST_TO_JUDGE_REFERENCES
        for reference in self._background.references:
            compared = Compared(reference, self._with_others(reference, outputs) if are_few else outputs)
            for contrast in CONTRASTS:
                if contrast.of_references:
                    can = contrast.can(compared.of) & reference.is_text
                    if contrast.whoever:
                        can &= self._can_repeat
                    of_reference = replace(
                        contrast,
                        what=contrast.what.replace("their references", "the outputs"),
                        natural=contrast.if_few if are_few else contrast.natural,
                    )
                    yield from _judge(of_reference, reference.segments, can, contrast.has(compared), self._runs)

    def _with_others(self, reference: Profile, outputs: Background) -> Background:
        """Add the other references to the outputs that one of them is compared with."""
        low, high = outputs.low.copy(), outputs.high.copy()
        for one in self._background.references:
            if one is not reference:
                np.minimum(low, one.counts, out=low, where=one.is_text[:, None])
                np.maximum(high, one.counts, out=high)
        return replace(outputs, low=low, high=high)


def _most_expected(contrast: Contrast, can: np.ndarray) -> float:
    return max(most_expected(int(np.count_nonzero(can)), contrast.natural), _SMALLEST_SHARE * len(can))


def _judge(
    contrast: Contrast,
    segments: Segments,
    can: np.ndarray,
    has: np.ndarray,
    others: Sequence[Segments],
) -> Iterator[Oddity]:
    """Yield a contrast that more lines have than files in order."""
    most = _most_expected(contrast, can)
    positions = np.flatnonzero(can & has).tolist()
    if contrast.confirms is not None and len(positions) > most:
        lines = zip(positions, _read_beside(segments, positions, others), strict=True)
        positions = [position for position, line in lines if contrast.confirms(*line)]
    if len(positions) > most:
        detail = "" if contrast.detail is None else contrast.detail(_read_beside(segments, positions, others))
        yield contrast.found_in(segments, positions, detail=detail)


def _read_beside(segments: Segments, positions: Sequence[int], others: Sequence[Segments]) -> list[Beside]:
    """Return lines with those of others: each file is gone through once more."""
    texts, *beside = ([one.texts[i] or "" for i in positions] for one in (segments, *others))
    return list(zip(texts, zip(*beside, strict=True), strict=True))
