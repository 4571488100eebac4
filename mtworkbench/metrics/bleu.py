"""BLEU (Papineni et al., 2002) with sacreBLEU's numbers."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.metrics.ngram_matches import SymbolSequences, count_matches, count_ngrams, number_words
from mtworkbench.metrics.options import bad_value, check_at_least, check_choice, check_option_types
from mtworkbench.metrics.sacrebleu_adapter import bleu_preprocessing, sacrebleu_signature
from mtworkbench.metrics.texts import ReferenceTexts, present_references, run_texts

TOKENIZERS = (
    "none", "zh", "13a", "intl", "char", "ja-mecab", "ko-mecab", "spm", "flores101", "flores200", "spBLEU-1K",
)  # fmt: skip
# The value of each smoothing method that has one, where none is given (Chen and Cherry (2014), methods 1 and 2).
SMOOTH_VALUES = {"exp": None, "floor": 0.1, "add-k": 1, "none": None}


@dataclass(frozen=True)
class Bleu:
    """BLEU with sacreBLEU's options, statistics, scores and signature.

    Parameters
    ----------
    tokenize : str
        One of sacreBLEU's tokenizers, `TOKENIZERS`; ``"none"`` for texts that are tokenized already.
    lowercase : bool
        Whether case is ignored.
    smooth_method : {"exp", "floor", "add-k", "none"}
        What becomes of an order of n-grams without a match (Chen and Cherry (2014)).
    smooth_value : float, optional
        Of ``floor`` (0.1 unless given) and ``add-k`` (1 unless given).
    max_ngram_order : int
        Longest n-grams. Where it is not 4, the metric's name says so (``BLEU-2``), for sacreBLEU's signature does not.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    tokenize: str = "13a"
    lowercase: bool = False
    smooth_method: str = "exp"
    smooth_value: float | None = None
    max_ngram_order: int = 4

    higher_is_better: ClassVar[bool] = True
    may_be_missing: ClassVar[bool] = False

    def __post_init__(self):
        check_option_types(self)
        check_choice("Bleu", "tokenize", self.tokenize, TOKENIZERS)
        check_choice("Bleu", "smooth_method", self.smooth_method, SMOOTH_VALUES)
        check_at_least("Bleu", "max_ngram_order", self.max_ngram_order, 1)
        if self.smooth_value is not None:
            if SMOOTH_VALUES[self.smooth_method] is None:
                expected = f"none, for smooth_method={self.smooth_method!r} has no value,"
                raise bad_value("Bleu", "smooth_value", self.smooth_value, expected)
            check_at_least("Bleu", "smooth_value", self.smooth_value, 0)

    @property
    def name(self) -> str:
        """``BLEU``, with the longest n-grams where they are not 4-grams."""
        return "BLEU" if self.max_ngram_order == 4 else f"BLEU-{self.max_ngram_order}"

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """Lengths in tokens, then matches and numbers of n-grams, order by order."""
        orders = range(1, self.max_ngram_order + 1)
        return (
            "hypothesis_length",
            "reference_length",
            *(f"matches_{order}" for order in orders),
            *(f"ngrams_{order}" for order in orders),
        )

    @property
    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references."""
        options = ("tokenize", "lowercase", "smooth_method", "smooth_value", "max_ngram_order")
        return sacrebleu_signature("BLEU", tuple((option, getattr(self, option)) for option in options))

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run, sacreBLEU's own integers.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 2 + 2 * max_ngram_order) ndarray of int64
            Of several references, n-grams match whichever has them most often, and the length is that of the reference
            closest in length, of two equally close ones the shorter.
        """
        texts = run_texts(outputs)
        references = prepare_references(self.tokenize, self.lowercase, texts.references)
        preprocess = bleu_preprocessing(self.tokenize, self.lowercase)
        words = (preprocess(text).split() for text in texts.hypotheses)
        hypotheses = number_words(words, references.numbers, extend=False)
        lengths = np.stack([reference.lengths for reference in references.sequences])
        closest = closest_length(hypotheses.lengths, lengths, references.present)
        return np.column_stack(
            [
                hypotheses.lengths,
                closest,
                count_matches(hypotheses, references.sequences, self.max_ngram_order),
                count_ngrams(hypotheses.lengths, self.max_ngram_order),
            ]
        )

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics (Papineni et al. (2002), §2.3).

        Parameters
        ----------
        totals : (..., 2 + 2 * max_ngram_order) ndarray

        Returns
        -------
        (...) ndarray of float64
            From 0 to 100; 0 where there is no match at all.
        """
        return self._score(totals, effective_order=False)

    def segment_score(self, statistics: np.ndarray) -> np.ndarray:
        """Score single segments with sacreBLEU's effective order: of the orders that the hypothesis has n-grams of.

        Parameters
        ----------
        statistics : (..., 2 + 2 * max_ngram_order) ndarray

        Returns
        -------
        (...) ndarray of float64
            From 0 to 100.
        """
        return self._score(statistics, effective_order=True)

    def _score(self, totals: np.ndarray, *, effective_order: bool) -> np.ndarray:
        totals = np.asarray(totals, dtype=np.float64)
        hypothesis_length, reference_length = totals[..., 0], totals[..., 1]
        matches, ngrams = np.split(totals[..., 2:], 2, axis=-1)
        any_match = (matches > 0).any(axis=-1)
        if self.smooth_method == "add-k":
            added = np.append(0.0, np.full(self.max_ngram_order - 1, self._smooth_value))
            matches, ngrams = matches + added, ngrams + added
        reached = np.logical_and.accumulate(ngrams > 0, axis=-1)
        precisions = self._precisions(matches, ngrams, reached)
        counted = reached if effective_order else np.ones_like(reached)
        positive = any_match & (~counted | (precisions > 0)).all(axis=-1)
        logs = np.log(precisions, out=np.zeros_like(precisions), where=counted & positive[..., None])
        means = logs.sum(axis=-1) / np.maximum(counted.sum(axis=-1), 1)
        return np.where(positive, brevity_penalty(hypothesis_length, reference_length) * np.exp(means), 0.0)

    @property
    def _smooth_value(self) -> float | None:
        return SMOOTH_VALUES[self.smooth_method] if self.smooth_value is None else self.smooth_value

    def _precisions(self, matches: np.ndarray, ngrams: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Compute the precision of each order in %, smoothed where there is no match."""
        unmatched = reached & (matches == 0)
        numerators = 100.0 * matches
        denominators = ngrams
        if self.smooth_method == "exp":
            numerators = np.where(unmatched, 100.0, numerators)
            denominators = denominators * np.where(unmatched, 2.0 ** np.cumsum(unmatched, axis=-1), 1.0)
        elif self.smooth_method == "floor":
            numerators = np.where(unmatched, 100.0 * self._smooth_value, numerators)
        return np.divide(numerators, denominators, out=np.zeros_like(numerators), where=reached)


def brevity_penalty(hypothesis_length: np.ndarray, reference_length: np.ndarray) -> np.ndarray:
    """Compute the factor for outputs shorter than their references (Papineni et al. (2002), §2.2.2)."""
    shorter = (hypothesis_length < reference_length) & (hypothesis_length > 0)
    ratios = np.divide(reference_length, hypothesis_length, out=np.ones_like(hypothesis_length), where=shorter)
    with np.errstate(under="ignore"):
        penalty = np.exp(1.0 - ratios)
    return np.where((hypothesis_length <= 0) & (reference_length > 0), 0.0, penalty)


def closest_length(hypothesis_lengths: np.ndarray, reference_lengths: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Choose for each segment the reference length closest to the hypothesis', of two equally close ones the shorter.

    Parameters
    ----------
    hypothesis_lengths : (n_segments,) ndarray of int64
    reference_lengths : (n_references, n_segments) ndarray of int64
    present : (n_references, n_segments) ndarray of bool
        Which references there are; at least one for each segment.

    Returns
    -------
    (n_segments,) ndarray of int64
    """
    lengths = np.where(present, reference_lengths, np.iinfo(np.int64).max // 4)
    distances = np.abs(lengths - hypothesis_lengths)
    closest = distances == distances.min(axis=0)
    return np.where(closest, lengths, np.iinfo(np.int64).max).min(axis=0)


@dataclass(frozen=True)
class PreparedReferences:
    """References that are tokenized and numbered, for any number of runs.

    Parameters
    ----------
    sequences : list of SymbolSequences
        One a reference.
    numbers : dict of str to int
        The number of each word of the references.
    present : (n_references, n_segments) ndarray of bool
        Which references there are.
    """

    sequences: list[SymbolSequences] = field(repr=False)
    numbers: dict[str, int] = field(repr=False)
    present: np.ndarray = field(repr=False)


@lru_cache(maxsize=2)
def prepare_references(tokenize: str, lowercase: bool, references: tuple[ReferenceTexts, ...]) -> PreparedReferences:
    """Tokenize and number the references, once for all systems and runs that are compared with them."""
    preprocess = bleu_preprocessing(tokenize, lowercase)
    numbers: dict[str, int] = {}
    sequences = []
    for texts in references:
        words = (() if text is None else preprocess(text).split() for text in texts)
        sequences.append(number_words(words, numbers, extend=True))
    return PreparedReferences(sequences, numbers, present_references(references))
