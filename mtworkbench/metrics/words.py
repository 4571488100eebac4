"""Texts as words: split by a tokenizer that is called by its name, mteval's too, and numbered once for all systems.

Most tokenizers look no farther than the white space around a word. With them, each distinct word of all systems and
references is split once, which takes a fraction of the time that their lines take.
"""

from __future__ import annotations

import string
from array import array
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, islice
from threading import Lock

import numpy as np

from mtworkbench.metrics.ngram_matches import join_sequences
from mtworkbench.metrics.sacrebleu_adapter import bleu_preprocessing, chrf_words, plain_tokenizer, ter_preprocessing
from mtworkbench.metrics.texts import ReferenceTexts, RunTexts, SymbolSequences, present_references

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
#: Stand for the ways in which chrF++ and TER split texts, in addition to the names of tokenizers.
CHRF_WORDS, TERCOM = "chrf++", "tercom"
# These split a word alike wherever it stands. Others look at the ends of the text, or do not split at all white space.
WORD_BY_WORD = {"none", "13a", "mteval-13a", "mteval-none", CHRF_WORDS, TERCOM, f"{TERCOM}+no_punct"}
# So many texts are split into words at one time: their words take many times the memory of their numbers.
BATCH_TEXTS = 2**14
# Marks the ends of texts: it, or the next character that is in no text and no word that is known. A tokenizer leaves
# characters out, but makes none.
MARK = "\ue000"

# GTM splits there and nowhere else: a no-break space is an ordinary character for it.
BLANKS = str.maketrans("\t\r\n\f", "    ")


def word_splitter(tokenize: str, lowercase: bool) -> Callable[[str], list[str]]:
    """Return the function that splits a text into words.

    Parameters
    ----------
    tokenize : str
        One of `SACREBLEU_TOKENIZERS` or `MTEVAL_TOKENIZERS`; `CHRF_WORDS`; `TERCOM`, followed by options such as
        ``+normalized``; or ``blanks`` to split at blanks as GTM does.
    lowercase : bool
        Whether case is ignored.
    """
    if tokenize in MTEVAL_TOKENIZERS:
        return mteval_splitter(tokenize.removeprefix("mteval-"), lowercase)
    if tokenize == "blanks":
        return lambda text: _split_at_blanks(text.lower() if lowercase else text)
    if tokenize == CHRF_WORDS:
        return lambda text: chrf_words(text.lower() if lowercase else text)
    if tokenize.startswith(TERCOM):
        preprocess = ter_preprocessing(tuple(tokenize.split("+")[1:]), lowercase)
    else:
        preprocess = bleu_preprocessing(tokenize, lowercase)
    return lambda text: preprocess(text).split()


class Vocabulary:
    """Words by number, in the order in which they first occur, and how texts are split into them.

    Parameters
    ----------
    split : callable
        Splits a text into words.
    word_by_word : bool
        Whether it splits what stands between white space alike in every text: then that is split once.
    """

    def __init__(self, split: Callable[[str], list[str]], word_by_word: bool = False):
        self._split = split
        self._word_by_word = word_by_word
        self._words: defaultdict[str, int] = defaultdict()
        self._words.default_factory = self._words.__len__  # a new word gets the next number
        self._pieces: defaultdict[str, int] = defaultdict()  # what stands between white space
        self._pieces.default_factory = self._pieces.__len__
        self._split_pieces = join_sequences([])
        self._lock = Lock()  # a vocabulary is kept for all systems, and these may be in several threads

    def __len__(self) -> int:
        return len(self._words)

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def number(self, texts: Sequence[str | None]) -> SymbolSequences:
        """Split texts into words and return their numbers, from 1; a text that is absent has no words."""
        number = self._number_by_pieces if self._word_by_word else self._number_texts
        with self._lock:
            return join_sequences([number(texts[i : i + BATCH_TEXTS]) for i in range(0, len(texts), BATCH_TEXTS)])

    def _number_by_pieces(self, texts: Sequence[str | None]) -> SymbolSequences:
        n_pieces = array("q")

        def cut() -> Iterator[Sequence[str]]:
            for text in texts:
                # Some tokenizers join words that were divided at the end of a line.
                pieces = () if text is None else (text,) if "\n" in text else text.split()
                n_pieces.append(len(pieces))
                yield pieces

        numbers = np.fromiter(map(self._pieces.__getitem__, chain.from_iterable(cut())), np.int64)
        # Those that are not split yet: the new ones, and those of a call that was interrupted.
        if new := list(islice(self._pieces, len(self._split_pieces.lengths), None)):
            self._split_pieces = join_sequences([self._split_pieces, self._number_texts(new)])
        found = self._split_pieces.take(numbers)
        ends = np.append(0, np.cumsum(found.lengths))[np.cumsum(n_pieces)]
        return SymbolSequences(found.symbols, np.diff(ends, prepend=0))

    def _number_texts(self, texts: Sequence[str | None]) -> SymbolSequences:
        given = [text or "" for text in texts]
        joined = "\n".join(given)
        mark = MARK
        while mark in joined or mark in self._words:
            mark = chr(ord(mark) + 1)
        if self._word_by_word and joined.count("\n") < len(given):
            words = self._split(f"\t{mark}\t".join([*given, ""]))  # no blank: 13a takes long to replace it
        else:
            words = [word for text in texts for word in (*(() if text is None else self._split(text)), mark)]
        self._words[mark] = 0
        try:
            numbers = np.fromiter(map(self._words.__getitem__, words), np.int32, len(words))
        finally:
            del self._words[mark]
        return SymbolSequences(numbers[numbers > 0], np.diff(np.flatnonzero(numbers == 0), prepend=-1) - 1)


def make_vocabulary(tokenize: str, lowercase: bool) -> Vocabulary:
    """Make an empty vocabulary for texts that are split in this way: see `word_splitter`."""
    return Vocabulary(word_splitter(tokenize, lowercase), tokenize in WORD_BY_WORD)


@dataclass(frozen=True)
class NumberedReferences:
    """References whose words are numbered, for any number of runs.

    Parameters
    ----------
    sequences : list of SymbolSequences
        One per reference; empty where a segment has no such reference.
    n_words : int
        How many distinct words they have: the numbers are from 1 to this.
    present : (n_references, n_segments) ndarray of bool
        Which references there are.
    vocabulary : Vocabulary
        Those words, then those of hypotheses.
    """

    sequences: list[SymbolSequences] = field(repr=False)
    n_words: int
    present: np.ndarray = field(repr=False)
    vocabulary: Vocabulary = field(repr=False)

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
    found = references.vocabulary.number(texts.hypotheses)
    known = np.where(found.symbols <= references.n_words, found.symbols, np.int32(0))
    return SymbolSequences(known, found.lengths), references


@lru_cache(maxsize=2)
def number_references(tokenize: str, lowercase: bool, references: tuple[ReferenceTexts, ...]) -> NumberedReferences:
    """Split and number the references, once for all systems and runs that are compared with them."""
    vocabulary = make_vocabulary(tokenize, lowercase)
    sequences = [vocabulary.number(texts) for texts in references]
    return NumberedReferences(sequences, len(vocabulary), present_references(references), vocabulary)


def _split_at_blanks(text: str) -> list[str]:
    return [word for word in text.translate(BLANKS).split(" ") if word]
