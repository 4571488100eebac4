"""Flags by rules: outputs in which something simple went wrong, whatever the metric says."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cached_property
from itertools import pairwise
from operator import eq

import pandas as pd

from mtworkbench.analyses.segments.contributions import take_run
from mtworkbench.analyses.segments.tokens import is_unspaced, split_unspaced
from mtworkbench.metrics.texts import reference_texts, run_texts
from mtworkbench.metrics.words import word_splitter

#: So many words of the source that stand together in the output are more than a name where all but one of them are in
#: lower case: "Lady Olena Zelenska in" and "National Council of State" are not ...
KEPT_WORDS = 4
#: ... and in scripts without case so many.
KEPT_WORDS_WITHOUT_CASE = 6
#: So many words that stand together twice are more than a set phrase ...
REPEATED_WORDS = 6
#: ... unless the source has so many twice: languages say the same in more or fewer words.
REPEATED_SOURCE_WORDS = 3
#: In text without blanks between words, this many characters stand for a word.
CHARACTERS_PER_WORD = 2
#: A single word that directly follows itself is a repetition only with so many letters: "die die" is good German.
DOUBLED_LETTERS = 4
#: Outputs are too short or too long where their characters (white space left out) are less than this share of the
#: shortest reference's, or more than this multiple of the longest's ...
SHORTEST, LONGEST = 0.5, 2.0
#: ... and differ from them by at least so many characters: of very short texts, good translations differ so much.
LENGTH_MARGIN = 30

# Thousands in groups of three, or digits with separators between them.
_NUMBER = re.compile(
    r"(?<!\d)\d{1,3}(?:(?P<blank>[ \u00a0\u2009\u202f'\u2019])\d{3}(?:(?P=blank)\d{3})*)(?!\d)(?:[.,]\d+)?"
    r"|(?:(?<!\S)\.)?\d+(?:[.,\u066b\u066c]\d+)*"
)
_DIGIT = re.compile(r"\d")
_TIME = re.compile(r"(?<!\d)([12]?\d):(\d\d)(?!\d)")
_YEAR = re.compile("(1[5-9]|20)[0-9]{2}")
_HYPHENS = frozenset("-\u2010\u2011\u2012\u2013")
_SCALES = (3, 4, 6, 8, 9, 12)  # thousand, ten thousand, million, hundred million, billion, trillion
# Up to twenty, and with one digit before the zeros, numbers are often written as words.
_LARGEST_WORD = 20


def flag_segments(outputs: pd.DataFrame, system: str, *, run: int = 1) -> pd.DataFrame:
    """Flag the segments of one run of a system in which a rule finds a fault.

    The rules know nothing about any language. They are made to raise few false alarms, so they miss many errors.

    - ``number_changed``: a number is missing in the output that the source and a reference have (without a source: that
      all references have). 1,000, 1.000, 1 000, 1 thousand and digits of other scripts are the same. A number up to 20,
      or with one digit before its zeros, may have become a word: it counts as changed only where the output has as many
      numbers as a reference, one of which is in neither source nor references. Units are not known: 10 miles that
      became 16 km are flagged unless a reference has 16 as well.
    - ``copied_source``: the output has the words of the source, and no reference has.
    - ``untranslated``: the output keeps a run of four (`KEPT_WORDS`) words of the source that no reference keeps, at
      least three of them in lower case: others may be names. In scripts without case it is a run of six.
    - ``repetition``: two or more words, or one of at least four (`DOUBLED_LETTERS`) letters, directly follow themselves
      ("of the of the") and do so in no reference, hyphens left out, and nothing does in the source; or a run of six
      (`REPEATED_WORDS`) words occurs more than once, and more often than in any reference, and than any run of three in
      the source.
    - ``too_short``: the output has less than half (`SHORTEST`) of the shortest reference's characters, and at least
      `LENGTH_MARGIN` less; white space does not count.
    - ``too_long``: it has more than twice (`LONGEST`) the longest reference's, and at least `LENGTH_MARGIN` more.
    - ``empty``: the output has nothing but white space, and no reference is empty.

    In text without blanks between words (see `split_text`), two characters (`CHARACTERS_PER_WORD`) count as a word.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`; every segment of the run with a hypothesis and a reference (see `common_segments`).
    system : str
    run : int
        Counted from 1.

    Returns
    -------
    DataFrame
        One row per segment, in the order of the test set: ``segment`` and a column of bool for each flag;
        ``copied_source`` and ``untranslated`` only where a source is known.

    Raises
    ------
    InputError
        ``null-segment``.
    """
    rows = take_run(outputs, system, run)
    texts = list(zip(map(_Text, run_texts(rows).hypotheses), *_read_test_set(rows), strict=True))
    left_out = () if "source" in rows.columns else ("copied_source", "untranslated")
    rules = {name: rule for name, rule in _RULES.items() if name not in left_out}
    flags = {name: [rule(*one) for one in texts] for name, rule in rules.items()}
    return pd.DataFrame({"segment": rows["segment"].to_numpy(), **flags})


class _Text:
    """A text, and what rules look at in it, each made when it is first looked at."""

    def __init__(self, text: str):
        self.text = text

    @cached_property
    def cased_tokens(self) -> list[str]:
        """Words and punctuation marks; characters where there are no blanks between words."""
        tokens = word_splitter("intl", False)(self.text)
        return [part for token in tokens for part in split_unspaced(token)] if is_unspaced(self.text) else tokens

    @cached_property
    def tokens(self) -> list[str]:
        """The same in lower case."""
        return [token.lower() for token in self.cased_tokens]

    @cached_property
    def words(self) -> list[str]:
        """Tokens with a letter, without punctuation and numbers."""
        return [token for token in self.tokens if _has_letter(token)]

    @cached_property
    def runs(self) -> set[tuple[str, ...]]:
        """Runs of words, with nothing else between them, as long as those that are kept."""
        return {tuple(map(str.lower, run)) for run in self._cased_runs}

    @cached_property
    def kept_runs(self) -> set[tuple[str, ...]]:
        """Those that are hardly names."""
        return {tuple(map(str.lower, run)) for run in self._cased_runs if _is_no_name(run)}

    @cached_property
    def _cased_runs(self) -> set[tuple[str, ...]]:
        tokens = self.cased_tokens
        between = [place for place, token in enumerate(tokens) if not _has_letter(token)]
        parts = [tokens[last + 1 : end] for last, end in pairwise([-1, *between, len(tokens)])]
        return {
            run
            for part in parts
            for n_words in (KEPT_WORDS, KEPT_WORDS_WITHOUT_CASE)
            for run in _find_runs(part, n_words)
        }

    @cached_property
    def most_repeated(self) -> int:
        """How often the run of words occurs that occurs most often, of runs that count in a source."""
        return max(Counter(_find_runs(self.words, REPEATED_SOURCE_WORDS)).values(), default=0)

    @cached_property
    def long_runs(self) -> Counter[tuple[str, ...]]:
        """How often each run of words occurs that is as long as none that good text repeats."""
        return Counter(_find_runs(self.words, REPEATED_WORDS))

    @cached_property
    def may_repeat(self) -> bool:
        """Whether some run of words that counts as a repetition occurs more than once: hardly any text has one."""
        if len(self.tokens) - len(set(self.tokens)) < REPEATED_WORDS:
            return False
        runs = list(zip(*(self.words[start:] for start in range(REPEATED_WORDS)), strict=False))
        return len(set(runs)) < len(runs)

    @cached_property
    def doubled(self) -> set[tuple[str, ...]]:
        """What directly follows itself."""
        return set(_find_doubled(self.tokens))

    @cached_property
    def doubled_without_hyphens(self) -> set[tuple[str, ...]]:
        """What directly follows itself where hyphens are left out: "Zoom-Zoom"."""
        return self.doubled | set(_find_doubled([token for token in self.tokens if token not in _HYPHENS]))

    @cached_property
    def numbers(self) -> list[str]:
        """Numbers as they stand, with the digits of 0 to 9."""
        text = _with_plain_digits(self.text)
        # Most texts have no digit, which is seen at once.
        return [match[0] for match in _NUMBER.finditer(text)] if _DIGIT.search(text) else []

    @cached_property
    def values(self) -> set[Decimal]:
        """The values of the numbers."""
        return {_value(number) for number in self.numbers}

    @cached_property
    def digits(self) -> set[str]:
        """Runs of digits, without leading zeros; times of day also joined, for 12:00 may be 1200, years also short."""
        times = {hour + minute for hour, minute in _TIME.findall(_with_plain_digits(self.text))}
        parts = {part for number in self.numbers for part in _digit_runs(number)}
        return times | parts | {part[2:].lstrip("0") or "0" for part in parts if _YEAR.fullmatch(part)}

    @cached_property
    def n_characters(self) -> int:
        """Characters without white space."""
        return len("".join(self.text.split()))

    def has_number(self, number: str) -> bool:
        """Tell whether a number of another text is in this one, in whatever way it is written."""
        value = _value(number)
        if value in self.values or self._has_digits(_digit_runs(number)):
            return True
        return any(value.scaleb(scale) in self.values or value.scaleb(-scale) in self.values for scale in _SCALES)

    def _has_digits(self, parts: list[str]) -> bool:
        """Tell whether digits are in this text: an hour with or without noon, a year in short, a month as a word."""
        missing = [part for part in parts if not self.digits & _other_ways(part)]
        return not missing or (len(parts) == 3 > len(missing) == 1 and len(missing[0]) <= 2 and int(missing[0]) <= 12)


def _read_test_set(rows: pd.DataFrame) -> tuple[list[_Text | None], list[list[_Text]]]:
    """Read the source of each segment, None where it is not known, and the segment's references."""
    sources = rows["source"] if "source" in rows.columns else [None] * len(rows)
    columns = reference_texts(rows)
    return (
        [None if text is None else _Text(text) for text in sources],
        [[_Text(text) for text in texts if text is not None] for texts in zip(*columns, strict=True)],
    )


def _number_changed(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    known = references if source is None else [source, *references]
    expected = [one for one in known[0].numbers if all(other.has_number(one) for other in known[1:])]
    missing = [number for number in expected if not output.has_number(number)]
    if not missing:
        return False
    if not all(_may_be_a_word(number) for number in missing):
        return True
    new = any(not any(text.has_number(number) for text in known) for number in output.numbers)
    return new and any(len(output.numbers) == len(one.numbers) for one in references)


def _copied_source(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    if source is None or not source.words or output.words != source.words:
        return False
    return all(one.words != source.words for one in references)


def _untranslated(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    if source is None:
        return False
    return any(all(run not in one.runs for one in references) for run in output.kept_runs & source.runs)


def _repetition(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    if source is None or not source.doubled_without_hyphens:
        known = [one.doubled_without_hyphens for one in references] if output.doubled else []
        if any(all(unit not in one for one in known) for unit in output.doubled):
            return True
    repeated = [(run, count) for run, count in output.long_runs.items() if count > 1] if output.may_repeat else []
    if source is not None and repeated:
        repeated = [(run, count) for run, count in repeated if count > source.most_repeated]
    return any(all(count > one.long_runs[run] for one in references) for run, count in repeated)


def _too_short(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    shortest = min(one.n_characters for one in references)
    n_characters = output.n_characters
    return 0 < n_characters < SHORTEST * shortest and shortest - n_characters >= LENGTH_MARGIN


def _too_long(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    longest = max(one.n_characters for one in references)
    return output.n_characters > LONGEST * longest and output.n_characters - longest >= LENGTH_MARGIN


def _empty(output: _Text, source: _Text | None, references: list[_Text]) -> bool:
    return not output.n_characters and all(one.n_characters for one in references)


_RULES: dict[str, Callable[[_Text, _Text | None, list[_Text]], bool]] = {
    "number_changed": _number_changed,
    "copied_source": _copied_source,
    "untranslated": _untranslated,
    "repetition": _repetition,
    "too_short": _too_short,
    "too_long": _too_long,
    "empty": _empty,
}


def _find_runs(words: Sequence[str], n_words: int) -> Iterator[tuple[str, ...]]:
    """Find all runs of so many words, or of as many characters as count as so many words where one of them is one."""
    unspaced = [is_unspaced(word) for word in words]
    for begin in range(len(words) - n_words + 1):
        length = CHARACTERS_PER_WORD * n_words if any(unspaced[begin : begin + n_words]) else n_words
        if begin + length <= len(words):
            yield tuple(words[begin : begin + length])


def _find_doubled(tokens: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """Find runs of words and numbers, with a letter in them, that directly follow themselves."""
    longest = CHARACTERS_PER_WORD * REPEATED_WORDS  # longer ones are found as runs that occur twice
    if len(set(tokens)) == len(tokens):
        return
    for length in range(1, longest + 1):
        # A run of so many that follows itself has as many at that distance from themselves; hardly any text has.
        if sum(map(eq, tokens, tokens[length:])) < length:
            continue
        equal = 0
        for place in range(len(tokens) - length):
            same = tokens[place] == tokens[place + length] and any(map(str.isalnum, tokens[place]))
            equal = equal + 1 if same else 0
            if equal >= length and _is_no_set_phrase(unit := tuple(tokens[place - length + 1 : place + 1])):
                yield unit


def _is_no_name(run: Sequence[str]) -> bool:
    """Tell whether a run of words is hardly a name: all but one are in lower case, or there are many without case."""
    cased = [word for word in run if word.lower() != word.upper()]
    if cased:
        return sum(word.islower() and len(word) > 1 for word in cased) >= len(run) - 1
    return len(run) >= KEPT_WORDS_WITHOUT_CASE * (CHARACTERS_PER_WORD if any(map(is_unspaced, run)) else 1)


def _is_no_set_phrase(unit: Sequence[str]) -> bool:
    """Tell whether a run that directly follows itself is hardly meant to."""
    if not any(map(_has_letter, unit)):
        return False
    if any(map(is_unspaced, unit)):
        return len(unit) >= 2 * CHARACTERS_PER_WORD
    return len(unit) > 1 or len(unit[0]) >= DOUBLED_LETTERS


def _has_letter(token: str) -> bool:
    return any(map(str.isalpha, token))


def _with_plain_digits(text: str) -> str:
    """Write the decimal digits of all scripts as 0 to 9."""
    return text if text.isascii() else _DIGIT.sub(lambda one: str(unicodedata.decimal(one[0])), text)


def _digit_runs(number: str) -> list[str]:
    return [digits.lstrip("0") or "0" for digits in re.findall(r"\d+", number)]


def _other_ways(digits: str) -> set[str]:
    """Write digits as they stand, as an hour twelve hours before or after, and a year without its century."""
    ways = {digits}
    if len(digits) <= 2 and int(digits) <= 24:
        ways |= {str(int(digits) + 12), str(int(digits) - 12)}
    if _YEAR.fullmatch(digits):
        ways.add(digits[2:].lstrip("0") or "0")
    return ways


def _value(number: str) -> Decimal:
    """Read a number: what groups three digits each is a separator of thousands, else it begins the decimals."""
    *groups, last = re.split(r"\D", number)
    separators = re.findall(r"\D", number)
    if not groups:
        return Decimal(last)
    grouped = len(last) == 3 and 0 < len(groups[0]) <= 3 and groups[0] != "0"
    if len(groups) > 1 and separators[-1] == separators[0] or len(groups) == 1 and grouped:
        return Decimal("".join(groups) + last)
    return Decimal(f"{''.join(groups)}.{last}")


def _may_be_a_word(number: str) -> bool:
    value = _value(number)
    return value == int(value) and (value <= _LARGEST_WORD or len(value.normalize().as_tuple().digits) == 1)
