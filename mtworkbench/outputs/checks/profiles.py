"""What the checks of meaning look at: the words, characters and digests of the lines of one file, as arrays.

Every file is gone through once, and its texts are not needed again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto

import numpy as np

from mtworkbench.outputs.checks.segments import Segments

# So many lines are looked at together: their temporary arrays take about 100 bytes a character.
_BLOCK = 1000


class Count(IntEnum):
    """What is counted in each line: characters of a kind first, then other things."""

    OTHER = 0
    LOWER = auto()
    UPPER = auto()
    LOWER_MARKED = auto()  # with a mark that is lost where text becomes ASCII
    UPPER_MARKED = auto()
    LETTER = auto()  # without case
    MARK = auto()  # of its own
    ZERO = auto()
    DIGIT = auto()
    SPACE = auto()
    OTHER_SPACE = auto()  # tabs, no-break spaces ...
    STOP = auto()  # ends a sentence or a part of it
    PUNCTUATION = auto()
    QUOTE = auto()
    SIGN = auto()  # of markup, code and escapes
    CHARACTERS = auto()
    WORDS = auto()
    CAPITALIZED = auto()  # words that begin with an upper-case letter
    DOUBLE_SPACES = auto()
    LOOPS = auto()  # words that end a phrase which is there three times in succession, or twice if it is long
    BEGINS_LOW = auto()  # 1 where the first character is a lower-case letter
    ENDS_OPEN = auto()  # 1 where the last character is a letter or a digit
    IS_ENCLOSED = auto()  # 1 where quotation marks, brackets or signs are first and last
    IS_DOUBLED = auto()  # 1 where the second half is the first again


_KINDS = Count.CHARACTERS  # the number of kinds of characters
_STOPS = set(".!?…。！？．।؟۔:;")
_QUOTES = set("\"'“”„‟«»‹›‘’‚‛「」『』´`")
SIGNS = set("<>#*_|\\~^@={}[]\u2581\u2047")
_UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"}
_N_CODE_POINTS = 0x110000
_N_SCRIPTS = 32
_MULTIPLIER = 0x9E3779B97F4A7C15
_MASK = 2**64 - 1
#: Beginnings and ends of so many characters are compared.
AFFIXES = (1, 2, 4, 8, 16)
# The buckets that words fall into, to tell how many two lines share: of 20 words, 1 or 2 share one by chance.
BUCKETS = 256
_LONGEST_LOOP = 8


def bucket_of(words: np.ndarray) -> np.ndarray:
    """Return the buckets that words fall into."""
    return (words >> np.uint64(56)).astype(np.int64)


class _Table:
    """What is known of each character that was met: filled as texts are read, for most characters never occur."""

    def __init__(self) -> None:
        self.known = np.zeros(_N_CODE_POINTS, dtype=bool)
        self.kind = np.zeros(_N_CODE_POINTS, dtype=np.uint8)
        self.script = np.zeros(_N_CODE_POINTS, dtype=np.uint8)  # 0 is no letter
        self.unspaced = np.zeros(_N_CODE_POINTS, dtype=bool)
        self.folded = np.zeros(_N_CODE_POINTS, dtype=np.uint32)  # the same for both cases of a letter
        self.code = np.zeros(_N_CODE_POINTS, dtype=np.uint64)  # so is this; 0: in no word
        self._scripts: dict[str, int] = {}

    def learn(self, codes: np.ndarray) -> None:
        if self.known[codes].all():
            return
        for code in np.unique(codes).tolist():
            if not self.known[code]:
                self._learn_one(code)

    def _learn_one(self, code: int) -> None:
        character = chr(code)
        category = unicodedata.category(character)
        self.known[code] = True
        self.kind[code] = _find_kind(character, category)
        lower = character.lower()
        self.folded[code] = ord(lower) if len(lower) == 1 else code
        if category[0] in "LMN":
            self.code[code] = _mix(int(self.folded[code]) + 1)
        if category[0] == "L":
            name = unicodedata.name(character, "UNKNOWN").split()[0].partition("-")[0]
            self.unspaced[code] = name in _UNSPACED
            script = "CJK" if name in ("HIRAGANA", "KATAKANA") else name
            self.script[code] = min(self._scripts.setdefault(script, len(self._scripts) + 1), _N_SCRIPTS - 1)


def _mix(number: int) -> int:
    number = number * 0xBF58476D1CE4E5B9 & _MASK
    number = (number ^ number >> 31) * 0x94D049BB133111EB & _MASK
    return number ^ number >> 29


def _find_kind(character: str, category: str) -> Count:
    for kind, members in ((Count.STOP, _STOPS), (Count.SIGN, SIGNS), (Count.QUOTE, _QUOTES)):
        if character in members:
            return kind
    if category in ("Lu", "Lt", "Ll"):
        is_marked = len(unicodedata.normalize("NFD", character)) > 1
        if category == "Ll":
            return Count.LOWER_MARKED if is_marked else Count.LOWER
        return Count.UPPER_MARKED if is_marked else Count.UPPER
    if category == "Nd":
        return Count.ZERO if unicodedata.digit(character) == 0 else Count.DIGIT
    if character.isspace():
        return Count.SPACE if character in " \n" else Count.OTHER_SPACE
    return {"L": Count.LETTER, "M": Count.MARK, "P": Count.PUNCTUATION}.get(category[0], Count.OTHER)


_TABLE = _Table()


@dataclass(frozen=True, eq=False)
class Profile:
    """The lines of one file, as arrays.

    Parameters
    ----------
    segments : Segments
    is_text : (n_lines,) ndarray of bool
        False where there is no text.
    digests : (n_lines,) ndarray of int64
        Equal for equal lines.
    counts : (n_lines, n_counts) ndarray of int32
        See `Count`.
    scripts : (n_lines, 32) ndarray of int32
        How many letters of each script a line has.
    numbers : (n_lines,) ndarray of uint64
        Equal where lines have the same digits, whatever their order.
    words : (n_words,) ndarray of uint64
        The words of all lines, one after another; equal for words that differ in nothing but case.
    beginnings, ends : (n_lines, 5) ndarray of uint64
        Equal for lines that begin or end with the same 1, 2, 4, 8 and 16 characters, whatever their case, and whatever
        digits are in them.
    """

    segments: Segments
    is_text: np.ndarray = field(repr=False)
    digests: np.ndarray = field(repr=False)
    counts: np.ndarray = field(repr=False)
    scripts: np.ndarray = field(repr=False)
    numbers: np.ndarray = field(repr=False)
    words: np.ndarray = field(repr=False)
    beginnings: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)

    def __len__(self) -> int:
        return len(self.digests)

    def count_words(self, wanted: np.ndarray) -> np.ndarray:
        """Count, in each line, the words that are wanted, by the buckets that they fall into.

        Parameters
        ----------
        wanted : (n_words,) ndarray of bool

        Returns
        -------
        (n_lines, 256) ndarray of uint8
        """
        line_of = np.repeat(np.arange(len(self)), self.counts[:, Count.WORDS])[wanted]
        cells = line_of * BUCKETS + bucket_of(self.words[wanted])
        found = np.zeros(len(self) * BUCKETS, dtype=np.uint8)
        np.add.at(found, cells, 1)
        return found.reshape(len(self), BUCKETS)

    def digest_parts(self, n_words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return digests of the first and of the last so many words of each line."""
        lengths = self.counts[:, Count.WORDS].astype(np.int64)
        ends = np.cumsum(lengths)
        from_start = np.arange(len(self.words)) - np.repeat(ends - lengths, lengths)
        from_end = np.repeat(lengths, lengths) - 1 - from_start
        wanted = np.repeat(n_words, lengths)
        found = []
        for place in (from_start, from_end):
            weights = (2 * place.astype(np.uint64) + np.uint64(1)) * np.uint64(_MULTIPLIER)
            sums = np.zeros(len(self.words) + 1, dtype=np.uint64)
            np.cumsum(np.where(place < wanted, self.words * weights, np.uint64(0)), out=sums[1:])
            found.append(sums[ends] - sums[ends - lengths])
        return found[0], found[1]


def read_profile(segments: Segments) -> Profile:
    """Go through the lines of a file."""
    given = list(segments.texts)
    texts = [text or "" for text in given]
    is_text = np.fromiter((text is not None for text in given), dtype=bool, count=len(given))
    digests = np.fromiter(map(hash, texts), dtype=np.int64, count=len(texts))
    parts = [_look_at(texts[start : start + _BLOCK]) for start in range(0, len(texts), _BLOCK)]
    return Profile(segments, is_text, digests, *(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))


def _look_at(texts: Sequence[str]) -> tuple[np.ndarray, ...]:
    n = len(texts)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=n)
    codes = np.frombuffer("\n".join([*texts, ""]).encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    _TABLE.learn(codes)
    after = np.cumsum(lengths + 1)  # each line has an end of its own
    starts, last = after - lengths - 1, after - 2
    line_of = np.repeat(np.arange(n, dtype=np.int32), lengths + 1)
    kind, values = _TABLE.kind[codes], _TABLE.code[codes]
    counts = np.zeros((n, len(Count)), dtype=np.int32)
    counts[:, :_KINDS] = np.bincount(line_of * np.int32(_KINDS) + kind, minlength=n * _KINDS).reshape(n, _KINDS)
    counts[:, Count.SPACE] -= 1
    of_entities = np.flatnonzero((codes[1:] == ord("#")) & (codes[:-1] == ord("&"))) + 1
    counts[:, Count.SIGN] -= np.bincount(line_of[of_entities], minlength=n)  # these are noticed elsewhere
    counts[:, Count.CHARACTERS] = lengths
    words, begins = _hash_words(values, _TABLE.unspaced[codes])
    of_line = line_of[begins]
    counts[:, Count.WORDS] = np.bincount(of_line, minlength=n)
    is_upper = (kind[begins] == Count.UPPER) | (kind[begins] == Count.UPPER_MARKED)
    counts[:, Count.CAPITALIZED] = np.bincount(of_line[is_upper], minlength=n)
    spaces = np.flatnonzero(kind[1:-1] == Count.SPACE) if n else np.empty(0, dtype=np.int64)
    doubled = spaces[(kind[spaces] == Count.SPACE) & (codes[spaces] != 10) & (codes[spaces + 1] != 10)]
    counts[:, Count.DOUBLE_SPACES] = np.bincount(line_of[doubled], minlength=n)
    counts[:, Count.LOOPS] = _count_loops(words, of_line, n)
    is_filled = lengths > 0
    first_kind, last_kind = kind[starts], kind[np.maximum(last, 0)]
    counts[:, Count.BEGINS_LOW] = is_filled & ((first_kind == Count.LOWER) | (first_kind == Count.LOWER_MARKED))
    counts[:, Count.ENDS_OPEN] = is_filled & (last_kind >= Count.LOWER) & (last_kind <= Count.DIGIT)
    opens, closes = _is_mark(first_kind, codes[starts]), _is_mark(last_kind, codes[np.maximum(last, 0)])
    counts[:, Count.IS_ENCLOSED] = (lengths > 2) & opens & closes
    halves = starts + (lengths + 1) // 2  # where the first half may begin again
    for i in np.flatnonzero((lengths > 20) & (codes[halves] == codes[starts])).tolist():
        counts[i, Count.IS_DOUBLED] = _is_doubled(texts[i])
    scripts = _count_scripts(_TABLE.script[codes], line_of, counts)
    digits = np.flatnonzero((kind == Count.DIGIT) | (kind == Count.ZERO))
    numbers = np.zeros(n, dtype=np.uint64)
    np.add.at(numbers, line_of[digits], values[digits])
    affixes = (_hash_affixes(_TABLE.folded[codes], kind, starts, after - 1, step) for step in (1, -1))
    return counts, scripts, numbers, words, *affixes


def _count_scripts(script: np.ndarray, line_of: np.ndarray, counts: np.ndarray) -> np.ndarray:
    present = np.flatnonzero(np.bincount(script, minlength=_N_SCRIPTS)[1:]) + 1
    scripts = np.zeros((len(counts), _N_SCRIPTS), dtype=np.int32)
    if len(present) == 1:  # as in most texts
        scripts[:, present[0]] = counts[:, Count.LOWER : Count.MARK].sum(axis=1)
    elif len(present):
        found = np.bincount(line_of * np.int32(_N_SCRIPTS) + script, minlength=len(counts) * _N_SCRIPTS)
        scripts[:] = found.reshape(len(counts), _N_SCRIPTS)
    return scripts


def _is_mark(kind: np.ndarray, codes: np.ndarray) -> np.ndarray:
    is_bracket = np.isin(codes, [ord(character) for character in "()（）【】"])
    return (kind == Count.QUOTE) | (kind == Count.SIGN) | is_bracket


def _is_doubled(text: str) -> bool:
    half = len(text) // 2
    return half > 10 and (text[:half] == text[-half:] or text[: half - 1] == text[half + 1 :])


def _hash_words(values: np.ndarray, unspaced: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return a digest of each word, and where it begins; scripts without blanks count by characters."""
    inside = values != 0
    begins = inside.copy()
    begins[1:] &= ~inside[:-1] | unspaced[1:] | unspaced[:-1]
    where = np.flatnonzero(inside)
    if not len(where):
        return np.empty(0, dtype=np.uint64), where
    first = np.flatnonzero(begins[where])
    in_word = np.arange(len(where)) - np.repeat(first, np.diff(first, append=len(where)))
    powers = np.cumprod(np.full(int(in_word.max()) + 1, _MULTIPLIER, dtype=np.uint64))
    return np.add.reduceat(values[where] * powers[in_word], first), where[first]


def _count_loops(words: np.ndarray, line_of: np.ndarray, n_lines: int) -> np.ndarray:
    counts = np.zeros(n_lines, dtype=np.int64)
    for period in range(1, min(_LONGEST_LOOP, len(words) - 1) + 1):
        again = (words[period:] == words[:-period]) & (line_of[period:] == line_of[:-period])
        fewest = 2 * period if period < 4 else period
        if len(again) < fewest:
            continue
        before = np.concatenate([[0], np.cumsum(again)])
        whole = np.flatnonzero(before[fewest:] - before[:-fewest] == fewest)
        counts += np.bincount(line_of[whole + period], minlength=n_lines)
    return counts


def _hash_affixes(codes: np.ndarray, kind: np.ndarray, starts: np.ndarray, after: np.ndarray, step: int) -> np.ndarray:
    """Return digests of the beginnings of lines, or of their ends if the step is -1; 0 where a line is shorter."""
    edge = starts if step == 1 else after - 1
    places = edge[:, None] + step * np.arange(max(AFFIXES))
    inside = (places >= starts[:, None]) & (places < after[:, None])
    places = np.where(inside, places, 0)
    found = np.where((kind[places] == Count.DIGIT) | (kind[places] == Count.ZERO), ord("0"), codes[places])
    powers = np.cumprod(np.full(max(AFFIXES), _MULTIPLIER, dtype=np.uint64))
    sums = np.cumsum((found.astype(np.uint64) + np.uint64(1)) * powers, axis=1)
    lengths = np.array(AFFIXES)
    return np.where(inside[:, lengths - 1], sums[:, lengths - 1], np.uint64(0))
