"""Words and their n-grams as BLEU and chrF++ count them, with kernels where that pays."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.metrics.ngram_matches import count_matches
from mtworkbench.metrics.sacrebleu_adapter import bleu_preprocessing
from mtworkbench.metrics.texts import KEPT_BLOCKS, ReferenceTexts, RunTexts, blocks, encode, spans, white_space
from mtworkbench.metrics.words import CHRF_WORDS, SACREBLEU_TOKENIZERS, number_run
from mtworkbench.work.threads import compute_parts

# By how many seconds the kernels are faster, for each character of a hypothesis.
SAVED = 8e-8
# The kernel packs so many words, numbered within a segment in 16 bits, into one n-gram.
MOST_ORDERS, MOST_WORDS = 4, 2**16 - 1
# 13a sets blanks around these wherever they occur.
MARKS = set(string.punctuation) - set("'-.,")
# It does more with texts that hold these than set blanks.
BEYOND_BLANKS = ("&", "<skipped>", "\n")


@dataclass(frozen=True)
class WordMatches:
    """What BLEU counts.

    Parameters
    ----------
    hypothesis_lengths : (n_segments,) ndarray of int64
        In words.
    reference_lengths : (n_references, n_segments) ndarray of int64
        In words; 0 where a segment has no such reference.
    matches : (n_segments, max_order) ndarray of int64
        N-grams that the references have as well, as `count_matches` counts them.
    """

    hypothesis_lengths: np.ndarray = field(repr=False)
    reference_lengths: np.ndarray = field(repr=False)
    matches: np.ndarray = field(repr=False)


def match_words(texts: RunTexts, tokenize: str, lowercase: bool, max_order: int) -> WordMatches:
    """Split the texts of one run into words, and count the n-grams that hypotheses share with their references."""
    if tokenize not in SACREBLEU_TOKENIZERS or not can_count_words(texts, max_order):
        return match_plainly(texts, tokenize, lowercase, max_order)

    def match(part: tuple[slice, tuple[ReferenceTexts, ...]]) -> WordMatches:
        block, references = part
        return _match_block(RunTexts(texts.hypotheses[block], references), tokenize, lowercase, max_order)

    parts = compute_parts(match, blocks(texts.references))
    return WordMatches(
        np.concatenate([part.hypothesis_lengths for part in parts]),
        np.concatenate([part.reference_lengths for part in parts], axis=1),
        np.concatenate([part.matches for part in parts]),
    )


def can_count_words(texts: RunTexts, max_order: int) -> bool:
    """Tell whether kernels count the n-grams of words."""
    if max_order > MOST_ORDERS or not texts.hypotheses:
        return False
    saves = SAVED * sum(map(len, texts.hypotheses))
    return load_kernels("word_splitting", saves=saves) is not None and load_kernels("word_ngrams", saves=0) is not None


def match_plainly(texts: RunTexts, tokenize: str, lowercase: bool, max_order: int) -> WordMatches:
    """Do what `match_words` does without kernels."""
    hypotheses, references = number_run(texts, tokenize, lowercase)
    matches = count_matches(hypotheses, references.sequences, max_order)
    return WordMatches(hypotheses.lengths, references.lengths, matches)


def _match_block(texts: RunTexts, tokenize: str, lowercase: bool, max_order: int) -> WordMatches:
    references = split_references(tokenize, lowercase, texts.references)
    lengths = references.lengths.reshape(len(texts.references), -1)
    if lengths.sum(axis=0).max(initial=0) > MOST_WORDS:
        return match_plainly(texts, tokenize, lowercase, max_order)
    hypotheses = split_texts(texts.hypotheses, tokenize, lowercase)
    return WordMatches(hypotheses.lengths, lengths, count_word_matches(hypotheses, references, max_order))


@dataclass(frozen=True)
class SplitTexts:
    """Texts split into words.

    Parameters
    ----------
    words : (n_characters,) ndarray of uint32
        Code points of the words of all texts, with a blank after each word.
    ends : (n_texts,) ndarray of int64
        Where each text ends.
    lengths : (n_texts,) ndarray of int64
        Words of each text.
    """

    words: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    lengths: np.ndarray = field(repr=False)

    def part(self, number: int, n_parts: int) -> SplitTexts:
        """Return one of equal parts of the texts."""
        n_texts = len(self.ends) // n_parts
        texts = slice(number * n_texts, (number + 1) * n_texts)
        begin = self.ends[texts.start - 1] if number else 0
        return SplitTexts(self.words[begin:], self.ends[texts] - begin, self.lengths[texts])


@lru_cache(maxsize=KEPT_BLOCKS)
def split_references(tokenize: str, lowercase: bool, references: tuple[ReferenceTexts, ...]) -> SplitTexts:
    """Split the references of a block into words: the first of all segments, the second ...; absent ones are empty."""
    return split_texts([text or "" for column in references for text in column], tokenize, lowercase)


def split_texts(texts: Sequence[str], tokenize: str, lowercase: bool) -> SplitTexts:
    """Split texts into words with the kernel, and with sacreBLEU what the kernel does not split.

    Parameters
    ----------
    texts : sequence of str
    tokenize : str
        One of `SACREBLEU_TOKENIZERS`, or `CHRF_WORDS`.
    lowercase : bool
        Whether case is ignored.
    """
    from mtworkbench.compiled import word_splitting as kernels

    if lowercase:  # first, as sacreBLEU does: <SKIPPED> is <skipped> then
        texts = [text.lower() for text in texts]
    rules = np.full(len(texts), kernels.AT_SPACES)
    if tokenize == CHRF_WORDS:
        rules[:] = kernels.AS_CHRF
    elif tokenize != "none":
        preprocess = bleu_preprocessing(tokenize, lowercase=False)
        if tokenize == "13a":
            rules[:] = kernels.AS_13A
            together = " ".join(texts)
            if held := [one for one in BEYOND_BLANKS if one in together]:
                texts = list(texts)
                for place, text in enumerate(texts):
                    if any(one in text for one in held):
                        texts[place], rules[place] = preprocess(text), kernels.AT_SPACES
        else:
            texts = [preprocess(text) for text in texts]
    code_points = encode(texts)
    words = np.empty(2 * len(code_points.symbols), dtype=np.uint32)
    found = np.empty((2, len(texts)), dtype=np.int64)
    for span in spans(code_points.ends):
        kernels.split_texts(code_points.symbols, code_points.ends, rules, kinds_of_characters(), span, words, found)
    return SplitTexts(words[: found[0].max(initial=0)].copy(), *found)


@lru_cache(maxsize=1)
def kinds_of_characters() -> np.ndarray:
    """Return the kinds of the first characters as the kernel needs them."""
    from mtworkbench.compiled import word_splitting as kernels

    kinds = np.where(white_space(), kernels.SPACE, 0).astype(np.uint8)
    of_kind = {
        kernels.MARK: MARKS,
        kernels.POINT: ".,",
        kernels.DIGIT: string.digits,
        kernels.HYPHEN: "-",
        kernels.PUNCTUATION: string.punctuation,
    }
    for kind, characters in of_kind.items():
        kinds[[ord(character) for character in characters]] |= kind
    return kinds


def count_word_matches(hypotheses: SplitTexts, references: SplitTexts, max_order: int) -> np.ndarray:
    """Do with the kernel what `count_matches` does.

    Parameters
    ----------
    hypotheses : SplitTexts
    references : SplitTexts
        The first reference of all segments, the second ...; a segment's have `MOST_WORDS` at most together.
    max_order : int
        `MOST_ORDERS` at most.
    """
    from mtworkbench.compiled import word_ngrams as kernels

    n_segments = len(hypotheses.ends)
    n_words = references.lengths.reshape(-1, n_segments).sum(axis=0)
    matches = np.zeros((n_segments, max_order), dtype=np.int64)
    for span in spans(hypotheses.ends):
        kernels.count_matches(
            hypotheses.words, hypotheses.ends, references.words, references.ends, n_words, span, matches
        )
    return matches
