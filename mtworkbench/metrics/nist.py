"""NIST (Doddington, 2002), as NIST's own mteval computes it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.metrics.ngram_matches import count_ngrams, lay_end_to_end
from mtworkbench.metrics.options import check_at_least, check_choice, check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.texts import ReferenceTexts, SymbolSequences, run_texts
from mtworkbench.metrics.words import TOKENIZATIONS, NumberedReferences, number_references, number_run

# exp(BETA * ln(2/3)**2) = 1/2: a system output of two thirds of the references' length has its score halved.
BETA = np.log(0.5) / np.log(1.5) ** 2


@dataclass(frozen=True)
class Nist(KnownMetric):
    """The NIST score: matched n-grams weighted by their information (Doddington (2002), eqs. 2-3).

    The information of an n-gram, log2(count of its first n-1 words / count of the n-gram), is counted over *all*
    references of the test set whose statistics are made, once, and held fixed from then on. So every virtual test set,
    document or subset that is scored from these statistics is scored with the whole test set's information, as mteval
    does it for documents and segments; a subset whose statistics were made from its own text alone has other weights
    and therefore another score.

    One slip of every mteval is not copied: to Perl the string "0" is false, so that mteval weights each bigram whose
    first word is "0" with the number of all words instead of the number of zeros. On news text that moves the score by
    less than 0.001.

    Parameters
    ----------
    tokenize : {"13a", "intl", "none"}
        mteval's tokenization; see `mtworkbench.metrics.words.mteval_splitter`.
    lowercase : bool
        Whether case is ignored, which is mteval's default; under ``13a`` only A-Z are lowercased, as mteval does it.
    max_ngram_order : int
        Longest n-grams, 5 in mteval.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    tokenize: str = "13a"
    lowercase: bool = True
    max_ngram_order: int = 5

    higher_is_better: ClassVar[bool] = True
    help_line: ClassVar[str] = "nist"

    def __post_init__(self):
        check_option_types(self)
        check_choice("Nist", "tokenize", self.tokenize, TOKENIZATIONS)
        check_at_least("Nist", "max_ngram_order", self.max_ngram_order, 1)

    @property
    def name(self) -> str:
        """``NIST``, with the longest n-grams where they are not 5-grams."""
        return "NIST" if self.max_ngram_order == 5 else f"NIST-{self.max_ngram_order}"

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """``reference_length`` (mean over the references), ``information_n`` and ``ngrams_n`` of each order n."""
        orders = range(1, self.max_ngram_order + 1)
        return ("reference_length", *(f"information_{n}" for n in orders), *(f"ngrams_{n}" for n in orders))

    @property
    def signature(self) -> str:
        """Options in sacreBLEU's manner; ``info:test-set``: information from all references of the test set."""
        case = "lc" if self.lowercase else "mixed"
        return f"case:{case}|tok:mteval-{self.tokenize}|info:test-set|version:mteval-v13a"

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run, with the information of all references in ``outputs``.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 1 + 2 * max_ngram_order) ndarray of float64
            See `statistic_names`; ``information_n`` is the information of the matched n-grams, each matched at most as
            often as it stands in one reference.
        """
        texts = run_texts(outputs)
        hypotheses, references = number_run(texts, f"mteval-{self.tokenize}", self.lowercase)
        tables = count_references(self.tokenize, self.lowercase, self.max_ngram_order, texts.references)
        return np.column_stack(
            [
                references.mean_lengths,
                sum_matched_information(hypotheses, tables),
                count_ngrams(hypotheses.lengths, self.max_ngram_order),
            ]
        )

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics.

        Parameters
        ----------
        totals : (..., 1 + 2 * max_ngram_order) ndarray

        Returns
        -------
        (...) ndarray of float64
            From 0, with no upper limit.
        """
        totals = np.asarray(totals, dtype=np.float64)
        information = totals[..., 1 : self.max_ngram_order + 1]
        n_ngrams = totals[..., self.max_ngram_order + 1 :]
        means = np.divide(information, n_ngrams, out=np.zeros_like(information), where=n_ngrams > 0)
        return means.sum(axis=-1) * length_factor(n_ngrams[..., 0], totals[..., 0])


def length_factor(hypothesis_length: np.ndarray, reference_length: np.ndarray) -> np.ndarray:
    """Compute the factor for outputs shorter than the references' mean length (Doddington (2002), eq. 3).

    Returns
    -------
    (...) ndarray of float64
        From 0 (nothing was output) over 1/2 (two thirds of the length) to 1.
    """
    ratio = np.divide(
        hypothesis_length, reference_length, out=np.ones_like(reference_length), where=reference_length > 0
    )
    with np.errstate(divide="ignore"):
        return np.exp(BETA * np.log(np.minimum(ratio, 1.0)) ** 2)


@dataclass(frozen=True)
class NgramTable:
    """The n-grams of one order in the references of a test set.

    Parameters
    ----------
    n_words : int
        Above the number of every word.
    keys : (n_distinct,) ndarray of int64
        Number of the first n-1 words as an n-gram of the order below, times ``n_words``, plus the number of the last
        word; rising. The position in it is the number of the n-gram.
    information : (n_distinct,) ndarray of float64
        In bits.
    pairs : (n_pairs,) ndarray of int64
        Segment times ``n_distinct``, plus the n-gram; rising.
    limits : (n_pairs,) ndarray of int64
        How often the n-gram stands in that reference of the segment which has it most often.
    """

    n_words: int
    keys: np.ndarray = field(repr=False)
    information: np.ndarray = field(repr=False)
    pairs: np.ndarray = field(repr=False)
    limits: np.ndarray = field(repr=False)


@lru_cache(maxsize=1)
def count_references(
    tokenize: str, lowercase: bool, max_order: int, references: tuple[ReferenceTexts, ...]
) -> list[NgramTable]:
    """Count the n-grams of all references and their information, once for all systems and runs.

    Returns
    -------
    list of NgramTable
        One an order, from 1.
    """
    return tabulate_ngrams(number_references(f"mteval-{tokenize}", lowercase, references), max_order)


def tabulate_ngrams(references: NumberedReferences, max_order: int) -> list[NgramTable]:
    """Tabulate the n-grams of references, one table an order; see `count_references`."""
    n_references, n_words = len(references.sequences), references.n_words + 1
    words, reference_of, segment_of, words_left = lay_end_to_end(references.sequences)
    starts = np.arange(len(words))
    prefixes = np.zeros(len(words), dtype=np.int64)  # the empty n-gram, of which there are as many as words
    prefix_counts = np.array([len(words)])
    tables = []
    for order in range(1, max_order + 1):
        long_enough = words_left[starts] >= order
        starts, prefixes = starts[long_enough], prefixes[long_enough]
        keys, first, ngrams, counts = np.unique(
            prefixes * n_words + words[starts + order - 1], return_index=True, return_inverse=True, return_counts=True
        )
        pairs = segment_of[starts] * len(keys) + ngrams
        occurrences, times = np.unique(pairs * n_references + reference_of[starts], return_counts=True)
        pairs, begins = np.unique(occurrences // n_references, return_index=True)
        limits = np.maximum.reduceat(times, begins) if len(times) else times
        tables.append(NgramTable(n_words, keys, np.log2(prefix_counts[prefixes[first]] / counts), pairs, limits))
        prefixes, prefix_counts = ngrams, counts
    return tables


def sum_matched_information(hypotheses: SymbolSequences, tables: list[NgramTable]) -> np.ndarray:
    """Sum the information of each segment's matched n-grams.

    Parameters
    ----------
    hypotheses : SymbolSequences
        With words numbered as in the tables, 0 for those that no reference has.
    tables : list of NgramTable
        One an order, from 1.

    Returns
    -------
    (n_segments, n_orders) ndarray of float64
        In bits; each n-gram is matched at most as often as it stands in one reference.
    """
    n_segments = len(hypotheses.lengths)
    sums = np.zeros((n_segments, len(tables)))
    words, _, segment_of, words_left = lay_end_to_end([hypotheses])
    starts = np.arange(len(words))
    prefixes = np.zeros(len(words), dtype=np.int64)
    for order, table in enumerate(tables, start=1):
        long_enough = words_left[starts] >= order
        starts, prefixes = starts[long_enough], prefixes[long_enough]
        ngrams, known = find_sorted(table.keys, prefixes * table.n_words + words[starts + order - 1])
        starts, prefixes = starts[known], ngrams[known]  # what no reference has is not in a longer n-gram of one either
        pairs, first, counts = np.unique(
            segment_of[starts] * len(table.keys) + prefixes, return_index=True, return_counts=True
        )
        # Summed in the order of the hypothesis: a segment's sums do not depend on which other segments there are.
        in_text = np.argsort(first)
        pairs, counts = pairs[in_text], counts[in_text]
        places, matched = find_sorted(table.pairs, pairs)
        segments, ngrams = np.divmod(pairs[matched], max(len(table.keys), 1))
        matches = np.minimum(counts[matched], table.limits[places[matched]])
        sums[:, order - 1] = np.bincount(segments, weights=matches * table.information[ngrams], minlength=n_segments)
    return sums


def find_sorted(values: np.ndarray, wanted: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find numbers among rising ones.

    Returns
    -------
    places : (n_wanted,) ndarray of int64
        Where in ``values`` each one stands; of no meaning where it does not.
    found : (n_wanted,) ndarray of bool
    """
    places = np.searchsorted(values, wanted)
    found = np.zeros(len(wanted), dtype=bool)
    inside = places < len(values)
    found[inside] = values[places[inside]] == wanted[inside]
    return places, found
