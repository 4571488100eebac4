"""Made-up text: words out of syllables, Zipf's law, a little order between neighbours, documents."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mtworkbench.metrics.bleu import closest_length
from mtworkbench.metrics.ngram_matches import count_matches, count_ngrams
from mtworkbench.metrics.texts import SymbolSequences
from mtworkbench.papers.simulation.draws import Draws, Part

# Words are numbered by frequency, so that the frequent ones are short: word w is w + 1 in bijective base 75.
SYLLABLES = [consonant + vowel for consonant in "bdfghjklmnprstv" for vowel in "aeiou"]
N_SUCCESSORS = 8
ORDERS = 4  # of the n-grams that BLEU counts and features see


@dataclass(frozen=True, eq=False)
class TokenArray:
    """The segments of a text as one flat array of word numbers.

    Parameters
    ----------
    words : (n_words,) ndarray of int32
        Word numbers, segment after segment.
    starts : (n_segments + 1,) ndarray of int64
        Where each segment begins; the last entry is the number of words.
    """

    words: np.ndarray
    starts: np.ndarray

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def lengths(self) -> np.ndarray:
        """Words in each segment, as (n_segments,) ndarray of int64."""
        return np.diff(self.starts)

    @property
    def segment_of_word(self) -> np.ndarray:
        """Position of each word's segment, as (n_words,) ndarray of int64."""
        return np.repeat(np.arange(len(self)), self.lengths)

    def take(self, segments: np.ndarray) -> TokenArray:
        """Return some of the segments: positions counted from 0."""
        parts = [self.words[self.starts[position] : self.starts[position + 1]] for position in segments]
        return TokenArray(np.concatenate(parts), np.cumsum([0, *map(len, parts)]))


@dataclass(frozen=True)
class Language:
    """How made-up text is made.

    Parameters
    ----------
    n_words : int
        Size of the vocabulary.
    exponent, shift : float
        Zipf's law as Mandelbrot has it: word number w (from 0) is as frequent as (w + 1 + shift) ** -exponent.
    order : float
        Share of words that depend on the word before: they are one of its eight successors, which themselves follow
        Zipf's law.
    """

    n_words: int = 20_000
    exponent: float = 1.05
    shift: float = 2.7
    order: float = 0.5

    @cached_property
    def word_table(self) -> np.ndarray:
        """Word numbers by frequency, as (65536,) ndarray of int32: a random row of the table is a random word."""
        frequencies = (np.arange(self.n_words) + 1 + self.shift) ** -self.exponent
        shares = np.cumsum(frequencies) / frequencies.sum()
        middles = (np.arange(2**16) + 0.5) * 2.0**-16
        return np.minimum(np.searchsorted(shares, middles), self.n_words - 1).astype(np.int32)


def lognormal_lengths(mean: float, spread: float, limits: tuple[int, int], normals: np.ndarray) -> np.ndarray:
    """Turn standard normal numbers into lengths whose logarithm is normal.

    Parameters
    ----------
    mean, spread : float
        Mean length before it is limited, and standard deviation of its logarithm.
    limits : tuple of int
        Shortest and longest length.
    normals : (n_lengths,) ndarray

    Returns
    -------
    (n_lengths,) ndarray of int64
    """
    lengths = np.exp(np.log(mean) - spread**2 / 2 + spread * normals)
    return np.clip(np.rint(lengths), *limits).astype(np.int64)


def write_reference(lengths: np.ndarray, language: Language, draws: Draws) -> TokenArray:
    """Write the reference text.

    Parameters
    ----------
    lengths : (n_segments,) ndarray of int64
        Words in each segment.
    language : Language
    draws : Draws

    Returns
    -------
    TokenArray
    """
    starts = np.concatenate([[0], np.cumsum(lengths)])
    n_words = int(starts[-1])
    table = language.word_table
    successors = table[draws.words(language.n_words * N_SUCCESSORS, Part.LANGUAGE) >> np.uint64(48)]
    words = table[draws.words(n_words, Part.FRESH_WORDS) >> np.uint64(48)]
    chance = draws.words(n_words, Part.FOLLOWED_WORDS)
    follows = (chance >> np.uint64(11)) * 2.0**-53 < language.order
    which = (chance % np.uint64(N_SUCCESSORS)).astype(np.int64)
    for position in range(1, int(lengths.max(initial=1))):
        here = starts[:-1][lengths > position] + position
        here = here[follows[here]]
        words[here] = successors[words[here - 1].astype(np.int64) * N_SUCCESSORS + which[here]]
    return TokenArray(words, starts)


def divide_into_documents(n_segments: int, mean: float, spread: float, draws: Draws) -> np.ndarray:
    """Divide the segments into documents one after another.

    Parameters
    ----------
    n_segments : int
    mean, spread : float
        Mean number of segments in a document, and standard deviation of its logarithm; the last document may be cut.
    draws : Draws

    Returns
    -------
    (n_segments,) ndarray of int64
        The document of each segment, counted from 0.
    """
    normals = draws.normals(n_segments, Part.DOCUMENT_LENGTHS)
    sizes = lognormal_lengths(mean, spread, (1, n_segments), normals)
    return np.searchsorted(np.cumsum(sizes), np.arange(n_segments), side="right")


def spell(word: int) -> str:
    """Spell a word number; different numbers have different spellings.

    The letters are lower-case ASCII only, so that every tokenizer and every case setting leaves the word as it is.
    """
    letters, syllable, rest = [], 0, int(word) + 1
    while rest:
        rest, digit = divmod(rest - 1, len(SYLLABLES))
        syllable = (digit + 29 * syllable) % len(SYLLABLES)  # else all words of two syllables would end alike
        letters.append(SYLLABLES[syllable])
    return "".join(letters)


def write_text(tokens: TokenArray) -> list[str]:
    """Write the segments out, words separated by single blanks.

    Returns
    -------
    list of (n_segments,) str
    """
    numbers, which = np.unique(tokens.words, return_inverse=True)
    words = np.array([spell(number) for number in numbers], dtype=object)[which].tolist()
    starts = tokens.starts.tolist()
    return [" ".join(words[first:last]) for first, last in zip(starts[:-1], starts[1:], strict=True)]


def write_column(tokens: TokenArray) -> np.ndarray:
    """Write the segments out as `write_text` does, as (n_segments,) ndarray of str."""
    return np.array(write_text(tokens), dtype=object)


def name_reference(number: int) -> str:
    """Return the column of a reference, counted from 1."""
    return "reference" if number == 1 else f"reference_{number}"


def outputs_frame(references: np.ndarray, system: str, run: int, texts: np.ndarray) -> pd.DataFrame:
    """Put the outputs of one run into an outputs frame.

    Parameters
    ----------
    references : (n_segments, n_references) ndarray of str
    system : str
    run : int
    texts : (n_segments,) ndarray of str
    """
    columns: dict[str, object] = {"segment": np.arange(1, len(texts) + 1)}
    for number, column in enumerate(references.T, start=1):
        columns[name_reference(number)] = pd.Series(column, dtype=object)
    columns["system"] = pd.Series([system] * len(texts), dtype=object)
    columns["run"] = run
    columns["hypothesis"] = pd.Series(texts, dtype=object)
    return pd.DataFrame(columns)


def match_words(hypothesis: TokenArray, *references: TokenArray) -> np.ndarray:
    """Compute BLEU's segment statistics from words' numbers: the same integers as from the written text.

    Parameters
    ----------
    hypothesis : TokenArray
    *references : TokenArray
        Of the same number of segments.

    Returns
    -------
    (n_segments, 10) ndarray of int64
        As `mtworkbench.metrics.Bleu` has them.
    """
    text, *others = (SymbolSequences(one.words, one.lengths) for one in (hypothesis, *references))
    lengths = np.stack([one.lengths for one in others])
    closest = closest_length(text.lengths, lengths, np.ones_like(lengths, dtype=bool))
    matches = count_matches(text, others, ORDERS)
    return np.column_stack([text.lengths, closest, matches, count_ngrams(text.lengths, ORDERS)])
