"""What the checks of meaning look at: the words, characters and digests of the lines of one file, as arrays.

Every file is gone through once, and its texts are not needed again.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import IntEnum, auto
from functools import cached_property, lru_cache, reduce
from itertools import pairwise

import numpy as np

from mtworkbench.outputs.checks.segments import Segments, code_points

# So many lines are looked at together, or fewer if they are long: temporary arrays take about 50 bytes a character, and
# those that are used again and again then stay in the processor's cache.
_BLOCK, _MOST_CHARACTERS = 1500, 250_000
_EVERY = 100  # so many characters tell which script is the usual one


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
    ENDS_OPEN = auto()  # 1 where the last character that is no blank is a letter or a digit
    IS_ENCLOSED = auto()  # 1 where quotation marks, brackets or signs are first and last
    IS_DOUBLED = auto()  # 1 where the second half is the first again


_KINDS = Count.CHARACTERS  # the number of kinds of characters
_STOPS = set(".!?…。！？．।؟۔:;")
_QUOTES = set("\"'“”„‟«»‹›‘’‚‛「」『』´`")
SIGNS = set("<>#*_|\\~^@={}[]\u2581\u2047")
_UNSPACED = {"CJK", "HIRAGANA", "KATAKANA", "THAI", "LAO", "KHMER", "MYANMAR"}
_ENCLOSING = "()（）【】"  # beside quotation marks and signs
_N_CODE_POINTS = 0x110000
_N_SCRIPTS = 32
# What is known of a character, in 16 bits: its kind is in the first four, its script in the next five (0: no letter).
_KIND, _SCRIPT, _FIRST_OF_SCRIPT = 0b1111, 31 << 4, 4
_IS_UNSPACED, _IN_WORD, _ENCLOSES, _IS_UPPER, _IS_DIGIT, _IS_KNOWN = (1 << bit for bit in range(9, 15))
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


def sum_counts(counts: np.ndarray, which: Sequence[Count]) -> np.ndarray:
    """Return the sum of some counts of each line."""
    return reduce(np.add, [counts[:, one] for one in which])


def find_cells(words: np.ndarray, lines: np.ndarray) -> np.ndarray:
    """Return the cell of each word: the bucket that it falls into, of the line that it is in."""
    return lines * BUCKETS + bucket_of(words)


def count_cells(cells: np.ndarray, n_cells: int, dtype: type = np.uint8) -> np.ndarray:
    """Count the words in each cell."""
    counts: np.ndarray = np.zeros(n_cells, dtype=dtype)
    np.add.at(counts, cells, dtype(1))  # of one type, which is many times as fast
    return counts


def count_equal(values: np.ndarray) -> np.ndarray:
    """Return how often each of some digests occurs: most occur once, which few of their bits tell."""
    n_bits = len(values).bit_length() + 1
    few = (values & ((1 << n_bits) - 1)).astype(np.intp)
    some = np.flatnonzero(np.bincount(few).take(few) > 1)
    _, which, times = np.unique(values.take(some), return_inverse=True, return_counts=True)
    counts = np.ones(len(values), dtype=np.int64)
    counts[some] = times[which]
    return counts


class _Table:
    """What is known of each character that was met: filled as texts are read, for most characters never occur."""

    def __init__(self) -> None:
        self.traits = np.zeros(_N_CODE_POINTS, dtype=np.uint16)
        self.folded = np.zeros(_N_CODE_POINTS, dtype=np.uint64)  # the same for both cases, and for all digits; not 0
        self.code = np.zeros(_N_CODE_POINTS, dtype=np.uint64)  # the same for both cases of a letter; 0: in no word
        self._scripts: dict[str, int] = {}

    def find_traits(self, codes: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Return the traits of characters; from then on all else is known of them, too."""
        traits = self.traits.take(codes, out=out, mode="clip")
        if traits.min(initial=_IS_KNOWN):
            return traits
        for code in np.flatnonzero(np.bincount(codes[traits == 0])).tolist():
            self._learn(code)
        return self.traits.take(codes, out=out, mode="clip")

    def _learn(self, code: int) -> None:
        character = chr(code)
        category = unicodedata.category(character)
        kind = _find_kind(character, category)
        lower = character.lower()
        folded = ord(lower) if len(lower) == 1 else code
        is_digit = kind in (Count.ZERO, Count.DIGIT)
        self.folded[code] = 1 + (ord("0") if is_digit else folded)
        traits = kind | _IS_UPPER * (kind in (Count.UPPER, Count.UPPER_MARKED)) | _IS_DIGIT * is_digit | _IS_KNOWN
        if kind in (Count.QUOTE, Count.SIGN) or character in _ENCLOSING:
            traits |= _ENCLOSES
        if category[0] in "LMN":
            self.code[code] = _mix(folded + 1)
            traits |= _IN_WORD
        if category[0] == "L":
            name = unicodedata.name(character, "UNKNOWN").split()[0].partition("-")[0]
            script = "CJK" if name in ("HIRAGANA", "KATAKANA") else name
            number = min(self._scripts.setdefault(script, len(self._scripts) + 1), _N_SCRIPTS - 1)
            traits |= number << _FIRST_OF_SCRIPT | _IS_UNSPACED * (name in _UNSPACED)
        self.traits[code] = traits


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


class Space:
    """Arrays for what is known of every character of a block: memory is not asked for again with each block."""

    def __init__(self) -> None:
        self._arrays: dict[type, np.ndarray] = {}

    def find(self, n: int, dtype: type) -> np.ndarray:
        """Return an array of a type; it is the same one each time, with what was left in it."""
        if len(self._arrays.get(dtype, ())) < n:
            self._arrays[dtype] = np.empty(n + n // 4, dtype=dtype)
        return self._arrays[dtype][:n]


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

    @cached_property
    def times(self) -> np.ndarray:
        """How often the text of each line occurs."""
        return count_equal(self.digests)

    @cached_property
    def known_scripts(self) -> np.ndarray:
        """The numbers of the scripts that any line has."""
        return 1 + np.flatnonzero(self.scripts[:, 1:].any(axis=0))

    def split(self) -> Iterator[tuple[slice, slice, np.ndarray]]:
        """Yield blocks of lines, each with where its words are and their lines, counted from the first of the block."""
        ends = np.append(0, np.cumsum(self.counts[:, Count.WORDS]))
        for block in _split_lines(len(self)):
            lines = np.repeat(np.arange(block.stop - block.start), self.counts[block, Count.WORDS])
            yield block, slice(ends[block.start], ends[block.stop]), lines

    def count_in_lines(self, wanted: np.ndarray) -> np.ndarray:
        """Count, in each line, the words that are wanted."""
        sums = np.zeros(len(wanted) + 1, dtype=np.int32)
        np.cumsum(wanted, out=sums[1:])
        ends = np.cumsum(self.counts[:, Count.WORDS])
        return sums[ends] - sums[ends - self.counts[:, Count.WORDS]]

    def digest_parts(self, n_words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return digests of the first and of the last so many words of each line."""
        first, last = np.empty((2, len(self)), dtype=np.uint64)
        for block, place, _ in self.split():
            words = self.words[place]
            ends = np.cumsum(self.counts[block, Count.WORDS])
            starts = ends - self.counts[block, Count.WORDS]
            # Each word counts as often as its place tells, from either end: 1, 3, 5 ...
            sums = np.append(np.uint64(0), np.cumsum(words))
            weighted = np.append(np.uint64(0), np.cumsum(words * np.arange(0, 2 * len(words), 2, dtype=np.uint64)))
            stops, begins = np.minimum(starts + n_words[block], ends), np.maximum(ends - n_words[block], starts)
            first[block] = (
                weighted[stops] - weighted[starts] - (sums[stops] - sums[starts]) * _to_digest(2 * starts - 1)
            )
            last[block] = (sums[ends] - sums[begins]) * _to_digest(2 * ends - 1) - weighted[ends] + weighted[begins]
        return first, last


def _to_digest(numbers: np.ndarray) -> np.ndarray:
    return numbers.astype(np.uint64)  # -1 becomes the largest, for sums wrap around


def _split_lines(n: int, n_characters: int = 0) -> Iterator[slice]:
    """Yield blocks of lines that are about as long as each other."""
    n_blocks = max(1, round(n / _BLOCK), min(n, n_characters // _MOST_CHARACTERS))
    for start, stop in pairwise(n * i // n_blocks for i in range(n_blocks + 1)):
        yield slice(start, stop)


def read_profile(segments: Segments, space: Space | None = None) -> Profile:
    """Go through the lines of a file, in a space that may be that of another one before."""
    space = space or Space()
    texts = [text or "" for text in segments.texts]
    n = len(texts)
    is_text = np.ones(n, dtype=bool)
    is_text[segments.absent] = False
    digests = np.fromiter(map(hash, texts), dtype=np.int64, count=n)
    counts = np.empty((len(Count), n), dtype=np.int32).T  # one count of all lines after another
    scripts = np.zeros((_N_SCRIPTS, n), dtype=np.int32).T  # scripts that do not occur then take no memory
    numbers = np.empty(n, dtype=np.uint64)
    beginnings, ends = (np.empty((len(AFFIXES), n), dtype=np.uint64).T for _ in range(2))
    words = []
    for block in _split_lines(n, sum(map(len, texts))):
        of_block = _look_at(texts[block], counts[block], scripts[block], space)
        words.append(of_block[0])
        numbers[block], beginnings[block], ends[block] = of_block[1:]
    return Profile(segments, is_text, digests, counts, scripts, numbers, np.concatenate(words), beginnings, ends)


def _look_at(texts: Sequence[str], counts: np.ndarray, scripts: np.ndarray, space: Space) -> tuple[np.ndarray, ...]:
    """Return the words of some lines, digests of their digits, beginnings and ends; fill in their counts."""
    n = len(texts)
    lengths = np.fromiter(map(len, texts), dtype=np.int64, count=n)
    together = "\n".join([*texts, ""])
    codes = space.find(len(together), np.intp)
    codes[:] = code_points(together)
    after = np.cumsum(lengths + 1)  # each line has an end of its own
    starts, last = after - lengths - 1, after - 2
    line_of = np.repeat(np.arange(n, dtype=np.int32), lengths + 1)
    traits = _TABLE.find_traits(codes, space.find(len(codes), np.uint16))
    # Most characters are the same kind of letters of one script: what is counted of these need not be looked for.
    usual = int(np.bincount(traits[::_EVERY]).argmax())
    places = np.flatnonzero(traits != (usual if usual & _SCRIPT else 0))
    of_others, lines = traits.take(places), line_of.take(places)
    _count_kinds(usual, of_others, lines, lengths, counts, scripts)
    apart = np.compress(of_others & _IN_WORD == 0, places)
    is_unspaced = ((of_others | usual) & _IS_UNSPACED).any()
    words, begins = _hash_words(codes, apart, traits if is_unspaced else None, space)
    of_words = line_of.take(begins)
    counts[:, Count.WORDS] = np.bincount(of_words, minlength=n)
    is_upper = traits.take(begins) & _IS_UPPER != 0
    counts[:, Count.CAPITALIZED] = np.bincount(np.compress(is_upper, of_words), minlength=n)
    doubled = np.compress(apart[1:] - apart[:-1] == 1, apart[:-1])
    doubled = doubled[(codes[doubled] == ord(" ")) & (codes[doubled + 1] == ord(" "))]
    counts[:, Count.DOUBLE_SPACES] = np.bincount(line_of[doubled], minlength=n)
    if counts[:, Count.SIGN].any():
        of_entities = np.flatnonzero((codes[1:] == ord("#")) & (codes[:-1] == ord("&"))) + 1
        counts[:, Count.SIGN] -= np.bincount(line_of[of_entities], minlength=n)  # these are noticed elsewhere
    counts[:, Count.CHARACTERS] = lengths
    counts[:, Count.LOOPS] = _count_loops(words, of_words, n)
    first, final = traits[starts], traits[np.maximum(last, 0)]
    is_filled = lengths > 0
    counts[:, Count.BEGINS_LOW] = is_filled & ((first & _KIND == Count.LOWER) | (first & _KIND == Count.LOWER_MARKED))
    counts[:, Count.IS_ENCLOSED] = (lengths > 2) & (first & final & _ENCLOSES > 0)
    for i in np.flatnonzero(is_filled & (final & _KIND == Count.SPACE)).tolist():  # of lines cut after a word, too
        final[i] = traits[starts[i] + max(0, len(texts[i].rstrip(" ")) - 1)]
    final &= _KIND
    counts[:, Count.ENDS_OPEN] = is_filled & (final >= Count.LOWER) & (final <= Count.DIGIT)
    counts[:, Count.IS_DOUBLED] = 0
    halves = starts + (lengths + 1) // 2  # where the first half may begin again
    for i in np.flatnonzero((lengths > 20) & (codes[halves] == codes[starts])).tolist():
        counts[i, Count.IS_DOUBLED] = _is_doubled(texts[i])
    digits = np.flatnonzero(of_others & _IS_DIGIT != 0)
    numbers = np.zeros(n, dtype=np.uint64)
    np.add.at(numbers, lines[digits], _TABLE.code[codes[places[digits]]])
    return words, numbers, _hash_affixes(codes, starts, 1, lengths), _hash_affixes(codes, last, -1, lengths)


def _count_kinds(
    usual: int, of_others: np.ndarray, lines: np.ndarray, lengths: np.ndarray, counts: np.ndarray, scripts: np.ndarray
) -> None:
    """Count characters by kind and script: those with other traits than the usual ones, and then the rest."""
    n = len(lengths)
    kinds = np.bincount(lines * _KINDS + (of_others & _KIND), minlength=n * _KINDS).reshape(n, _KINDS)
    counts[:, :_KINDS] = kinds
    if usual & _SCRIPT:
        counts[:, usual & _KIND] += lengths + 1 - kinds.sum(axis=1)
    counts[:, Count.SPACE] -= 1  # the end of the line
    scripts[:, usual >> _FIRST_OF_SCRIPT & 31] = counts[:, Count.LOWER : Count.MARK].sum(axis=1)
    of_script = of_others & _SCRIPT
    foreign = np.flatnonzero((of_script != usual & _SCRIPT) & (of_script != 0))
    np.add.at(scripts, (lines[foreign], of_script[foreign] >> _FIRST_OF_SCRIPT), np.int32(1))
    scripts[:, usual >> _FIRST_OF_SCRIPT & 31] -= np.bincount(lines[foreign], minlength=n)


def _is_doubled(text: str) -> bool:
    half = len(text) // 2
    return half > 10 and (text[:half] == text[-half:] or text[: half - 1] == text[half + 1 :])


@lru_cache(maxsize=4)
def _make_powers(n: int) -> tuple[np.ndarray, np.ndarray]:
    powers, inverses = (
        np.cumprod(np.full(n, base, dtype=np.uint64)) for base in (_MULTIPLIER, pow(_MULTIPLIER, -1, _MASK + 1))
    )
    return powers, inverses * np.uint64(_MULTIPLIER)


def _find_powers(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return so many powers of the multiplier from the first on, and their inverses from that of the 0th on."""
    powers, inverses = _make_powers(1 << n.bit_length())
    return powers[:n], inverses[:n]


def _hash_words(
    codes: np.ndarray, apart: np.ndarray, traits: np.ndarray | None, space: Space
) -> tuple[np.ndarray, np.ndarray]:
    """Return a digest of each word, and where it begins.

    Words end at the characters that are in none of them, where ``apart`` says; with the traits of the characters given,
    scripts without blanks also count by characters.
    """
    if traits is None:
        apart = np.append(-1, apart)
        spans = np.flatnonzero(apart[1:] - apart[:-1] > 1)
        begins, ends = apart.take(spans) + 1, apart[1:].take(spans)
    else:
        inside, unspaced = traits & _IN_WORD > 0, traits & _IS_UNSPACED > 0
        inside[1:] &= ~inside[:-1] | unspaced[1:] | unspaced[:-1]
        begins = np.flatnonzero(inside)
        ends = np.append(begins, len(codes))[1:]
    powers, inverses = _find_powers(len(codes))
    n_pairs = (len(codes) + 1) // 2
    sums = space.find(2 * n_pairs, np.uint64)
    sums[-1] = 0  # where the last character is in no pair
    _TABLE.code.take(codes, out=sums[: len(codes)], mode="clip")
    sums[: len(codes)] *= powers  # in place, which is many times as fast
    if traits is None:
        # A character whose code is 0 follows each word, so every other sum is enough: adding takes longest of all.
        sums = np.add(sums[::2], sums[1::2], out=sums[:n_pairs])
        ends = (ends + 1) // 2
    np.cumsum(sums, out=sums)
    words = sums.take(ends - 1)
    words[1:] -= words[:-1]
    words *= inverses.take(begins)
    return words, begins


def _count_loops(words: np.ndarray, line_of: np.ndarray, n_lines: int) -> np.ndarray:
    counts = np.zeros(n_lines, dtype=np.int64)
    buckets = (words >> np.uint64(56)).astype(np.uint8)  # most words that differ do so in these, too
    for period in range(1, min(_LONGEST_LOOP, len(words) - 1) + 1):
        n_again = 2 * period if period < 4 else period  # so many words in succession must be there again
        likely = buckets[period:] == buckets[:-period]
        likely = likely[1:] & likely[:-1]
        if n_again >= 4:
            likely = likely[2:] & likely[:-2]
        begins = np.flatnonzero(likely[: max(0, len(words) - period - n_again + 1)])
        here = begins[:, None] + np.arange(n_again)
        is_loop = (words[here + period] == words[here]) & (line_of[here + period] == line_of[here])
        counts += np.bincount(line_of[begins[is_loop.all(axis=1)]], minlength=n_lines)
    return counts


def _hash_affixes(codes: np.ndarray, edges: np.ndarray, step: int, lengths: np.ndarray) -> np.ndarray:
    """Return digests of the beginnings of lines, or of their ends if the step is -1; 0 where a line is shorter."""
    places = edges + step * np.arange(max(AFFIXES))[:, None]
    sums = _TABLE.folded.take(codes.take(places, mode="clip"))
    sums *= _find_powers(max(AFFIXES))[0][:, None]
    for before, here in pairwise(sums):
        here += before
    sizes = np.array(AFFIXES)
    return np.where(lengths >= sizes[:, None], sums[sizes - 1], np.uint64(0)).T
