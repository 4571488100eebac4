"""Texts as words: split by a tokenizer that is called by its name, mteval's too, and numbered once for all systems."""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from mtworkbench.metrics.ngram_matches import SymbolSequences, number_words
from mtworkbench.metrics.sacrebleu_adapter import bleu_preprocessing, chrf_words, plain_tokenizer
from mtworkbench.metrics.texts import ReferenceTexts, RunTexts, present_references

#: mteval's tokenizations: the default of v11b to v14, ``--international-tokenization``, and ``--no-norm`` of v13m.
TOKENIZATIONS = ("13a", "intl", "none")

ASCII_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# The order matters: "&amp;lt;" becomes "<", as in mteval.
ENTITIES = (("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"))


def mteval_splitter(tokenize: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Return the function that splits a text into mteval's tokens.

    The tokens of ``13a`` are sacreBLEU's. Those of ``intl`` differ from sacreBLEU's in two ways: entities are
    replaced by their characters, and spaces at the ends of the text count: a full stop between a digit and the end of
    the text is a token of its own only where a space follows it, so that ``<seg> 10. </seg>`` and ``<seg>10.</seg>``
    differ. ``none`` splits at white space, and replaces entities.

    Parameters
    ----------
    tokenize : {"13a", "intl", "none"}
        See `TOKENIZATIONS`.
    lowercase : bool
        As mteval does it: under ``13a`` the letters A-Z only, else all letters.
    """
    if tokenize == "none":
        return lambda text: _lower(_replace_entities(text), lowercase).split()
    split = plain_tokenizer(tokenize)
    if tokenize == "13a":
        return lambda text: (split(text).translate(ASCII_LOWER) if lowercase else split(text)).split()
    return lambda text: _lower(split(_replace_entities(_join_lines(text))), lowercase).split()


def _join_lines(text: str) -> str:
    """Join words that were divided at the end of a line, which Unicode's line separator marks here."""
    return text.replace("<skipped>", "").replace("-\u2028", "")


def _replace_entities(text: str) -> str:
    if "&" in text:
        for entity, character in ENTITIES:
            text = text.replace(entity, character)
    return text


def _lower(text: str, lowercase: bool) -> str:
    # Perl, in which mteval is written, knows no final sigma; Python does.
    return text.replace("\u03a3", "\u03c3").lower() if lowercase else text


#: sacreBLEU's tokenizers.
SACREBLEU_TOKENIZERS = (
    "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K",
)  # fmt: skip
#: mteval's, which has its own ideas of entities, of spaces and of case.
MTEVAL_TOKENIZERS = tuple(f"mteval-{name}" for name in TOKENIZATIONS)
#: Stands for chrF++'s way of splitting texts, in addition to the names of tokenizers.
CHRF_WORDS = "chrf++"

# GTM splits there and nowhere else: a no-break space is an ordinary character for it.
BLANKS = str.maketrans("\t\r\n\f", "    ")


def word_splitter(tokenize: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Return the function that splits a text into words.

    Parameters
    ----------
    tokenize : str
        One of `SACREBLEU_TOKENIZERS` or `MTEVAL_TOKENIZERS`, `CHRF_WORDS`, or ``blanks`` to split at blanks as GTM
        does.
    lowercase : bool
        Whether case is ignored.
    """
    if tokenize in MTEVAL_TOKENIZERS:
        return mteval_splitter(tokenize.removeprefix("mteval-"), lowercase)
    if tokenize == "blanks":
        return lambda text: _split_at_blanks(text.lower() if lowercase else text)
    if tokenize == CHRF_WORDS:
        return lambda text: chrf_words(text.lower() if lowercase else text)
    preprocess = bleu_preprocessing(tokenize, lowercase)
    return lambda text: preprocess(text).split()


@dataclass(frozen=True)
class NumberedReferences:
    """References whose words are numbered, for any number of runs.

    Parameters
    ----------
    sequences : list of SymbolSequences
        One per reference; empty where a segment has no such reference.
    numbers : dict of str to int
        The number of each word of the references, from 1.
    present : (n_references, n_segments) ndarray of bool
        Which references there are.
    """

    sequences: list[SymbolSequences] = field(repr=False)
    numbers: dict[str, int] = field(repr=False)
    present: np.ndarray = field(repr=False)

    @property
    def lengths(self) -> np.ndarray:
        """Words of each reference, (n_references, n_segments) ndarray of int64; 0 where absent."""
        return np.stack([sequence.lengths for sequence in self.sequences])

    @property
    def mean_lengths(self) -> np.ndarray:
        """Mean number of words of each segment's references, (n_segments,) ndarray of float64."""
        return self.lengths.sum(axis=0) / self.present.sum(axis=0)


def number_run(texts: RunTexts, tokenize: str, lowercase: bool) -> tuple[SymbolSequences, NumberedReferences]:
    """Split and number the words of one run's texts.

    Returns
    -------
    hypotheses : SymbolSequences
        Words that no reference has are 0.
    references : NumberedReferences
    """
    references = number_references(tokenize, lowercase, texts.references)
    split = word_splitter(tokenize, lowercase)
    hypotheses = number_words((split(text) for text in texts.hypotheses), references.numbers, extend=False)
    return hypotheses, references


@lru_cache(maxsize=2)
def number_references(tokenize: str, lowercase: bool, references: tuple[ReferenceTexts, ...]) -> NumberedReferences:
    """Split and number the references, once for all systems and runs that are compared with them."""
    split = word_splitter(tokenize, lowercase)
    numbers: dict[str, int] = {}
    sequences = []
    for texts in references:
        words = (() if text is None else split(text) for text in texts)
        sequences.append(number_words(words, numbers, extend=True))
    return NumberedReferences(sequences, numbers, present_references(references))


def _split_at_blanks(text: str) -> list[str]:
    return [word for word in text.translate(BLANKS).split(" ") if word]
