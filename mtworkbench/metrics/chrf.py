"""chrF (Popović, 2015) and chrF++ (Popović, 2017) with sacreBLEU's numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.compiled import load_kernels
from mtworkbench.metrics.ngram_matches import count_matches, count_ngrams
from mtworkbench.metrics.options import bad_value, check_at_least, check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.sacrebleu_adapter import sacrebleu_signature
from mtworkbench.metrics.texts import (
    KEPT_BLOCKS,
    ReferenceTexts,
    RunTexts,
    SymbolSequences,
    blocks,
    drop_spaces,
    encode,
    run_texts,
    spans,
)
from mtworkbench.metrics.word_matches import (
    MOST_WORDS,
    can_count_words,
    count_word_matches,
    split_references,
    split_texts,
)
from mtworkbench.metrics.words import CHRF_WORDS, number_run
from mtworkbench.work.threads import compute_parts

# Stands for a precision or recall that is not defined, as in chrF++.py.
EPSILON = 1e-16
# Characters of so many segments are held as numbers at one time: a number takes four times the memory of a letter.
BATCH_SEGMENTS = 10_000


@dataclass(frozen=True)
class ChrF(KnownMetric):
    """chrF, and with ``word_order=2`` chrF++, with sacreBLEU's options, statistics, scores and signature.

    Parameters
    ----------
    char_order, word_order : int
        Longest n-grams of characters and of words.
    beta : int
        How many times recall weighs as much as precision. Where it is not 2, the metric's name says so (``chrF3``),
        for sacreBLEU's signature does not.
    lowercase : bool
        Whether case is ignored.
    whitespace : bool
        Whether white space counts as characters.
    eps_smoothing : bool
        Whether the F-scores of all orders are averaged, as chrF++.py does it, instead of precision and recall over
        the orders that occur.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    char_order: int = 6
    word_order: int = 0
    beta: int = 2
    lowercase: bool = False
    whitespace: bool = False
    eps_smoothing: bool = False

    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[tuple[float, float]] = (0.0, 100.0)
    help_line: ClassVar[str] = "chrf, chrf:word_order=2"

    def __post_init__(self):
        check_option_types(self)
        check_at_least("ChrF", "char_order", self.char_order, 0)
        check_at_least("ChrF", "word_order", self.word_order, 0)
        check_at_least("ChrF", "beta", self.beta, 0)
        if self.char_order + self.word_order == 0:
            raise bad_value("ChrF", "char_order", 0, "at least 1, for word_order is 0,")

    @property
    def name(self) -> str:
        """``chrF``, with a + for each order of words, and with beta where it is not 2."""
        return f"chrF{'' if self.beta == 2 else self.beta}{'+' * self.word_order}"

    @property
    def statistic_names(self) -> tuple[str, ...]:
        """For each order of characters, then of words: n-grams of the hypothesis, of the reference, matches."""
        orders = [f"characters_{order}" for order in range(1, self.char_order + 1)]
        orders += [f"words_{order}" for order in range(1, self.word_order + 1)]
        return tuple(f"{what}_{order}" for order in orders for what in ("hypothesis", "reference", "matches"))

    @property
    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references."""
        return sacrebleu_signature("CHRF", tuple(asdict(self).items()))

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run, sacreBLEU's own integers.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 3 * (char_order + word_order)) ndarray of int64
            Of several references, those of the one with the highest score of the segment, of equals the first.
        """
        texts = run_texts(outputs)
        best = np.zeros((len(texts.hypotheses), len(self.statistic_names)), dtype=np.int64)
        best_scores = np.full(len(best), -1.0)
        for segments, statistics in self._count(texts):
            scores = self.score(statistics)
            better = scores > best_scores[segments]
            chosen = segments[better]
            best[chosen], best_scores[chosen] = statistics[better], scores[better]
        return best

    def _count(self, texts: RunTexts) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Compare hypotheses with one reference after the other.

        Yields
        ------
        segments : (n_compared,) ndarray of int64
            Some of those that have the reference.
        statistics : (n_compared, 3 * (char_order + word_order)) ndarray of int64
        """
        if not self._has_kernels(texts):
            yield from self._count_plainly(texts, np.arange(len(texts.hypotheses)))
            return

        def count(part: tuple[slice, tuple[ReferenceTexts, ...]]) -> list[tuple[np.ndarray, np.ndarray]]:
            block, references = part
            found = self._count_block(RunTexts(texts.hypotheses[block], references))
            return [(block.start + segments, statistics) for segments, statistics in found]

        for found in compute_parts(count, blocks(texts.references)):
            yield from found

    def _has_kernels(self, texts: RunTexts) -> bool:
        return can_count_characters(texts, self.char_order) and (
            self.word_order == 0 or can_count_words(texts, self.word_order)
        )

    def _counted(self, references: tuple[ReferenceTexts, ...]) -> np.ndarray:
        """Tell of which segments of a block the kernels count n-grams."""
        counted = prepare_references(self.lowercase, self.whitespace, references).counted
        if self.word_order == 0:
            return counted
        n_words = split_references(CHRF_WORDS, self.lowercase, references).lengths.reshape(len(references), -1)
        return counted & (n_words <= MOST_WORDS).all(axis=0)

    def _count_block(self, texts: RunTexts) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Do what `_count` does, of a block, with kernels where these can number what a segment has."""
        counted = self._counted(texts.references)
        for number, statistics in enumerate(self._count_with_kernels(texts)):
            present = np.array([text is not None for text in texts.references[number]])
            compared = np.flatnonzero(present & counted)
            yield compared, statistics[compared]
        if not counted.all():
            yield from self._count_plainly(texts, np.flatnonzero(~counted))

    def _count_with_kernels(self, texts: RunTexts) -> Iterator[np.ndarray]:
        """Count the n-grams of a block, one reference after the other."""
        characters = read_characters(texts.hypotheses, self.lowercase, self.whitespace)
        references = prepare_references(self.lowercase, self.whitespace, texts.references)
        matches = count_character_matches(characters, references, self.char_order)
        if self.word_order > 0:
            words = split_texts(texts.hypotheses, CHRF_WORDS, self.lowercase)
            in_references = split_references(CHRF_WORDS, self.lowercase, texts.references)
        for number in range(len(texts.references)):
            parts = [arrange(characters.lengths, references.lengths[number], matches[number])]
            if self.word_order > 0:
                reference = in_references.part(number, len(texts.references))
                matched = count_word_matches(words, reference, self.word_order)
                parts.append(arrange(words.lengths, reference.lengths, matched))
            yield np.concatenate(parts, axis=1)

    def _count_plainly(self, texts: RunTexts, segments: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Do what `_count` does, of some segments, without kernels."""
        if self.word_order > 0:
            words, references = number_run(texts, CHRF_WORDS, self.lowercase)
        for number, column in enumerate(texts.references):
            present = np.array([place for place in segments if column[place] is not None], dtype=np.int64)
            for batch in split_evenly(present):
                statistics = np.zeros((len(batch), len(self.statistic_names)), dtype=np.int64)
                if self.char_order > 0:
                    found, expected = (self._characters(one, batch) for one in (texts.hypotheses, column))
                    statistics[:, : 3 * self.char_order] = compare(found, expected, self.char_order)
                if self.word_order > 0:
                    found, expected = words.take(batch), references.sequences[number].take(batch)
                    statistics[:, 3 * self.char_order :] = compare(found, expected, self.word_order)
                yield batch, statistics

    def _characters(self, texts: Sequence[str | None], segments: np.ndarray) -> SymbolSequences:
        return read_characters([texts[segment] or "" for segment in segments], self.lowercase, self.whitespace)

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics (Popović (2015), eq. 1).

        Parameters
        ----------
        totals : (..., 3 * (char_order + word_order)) ndarray

        Returns
        -------
        (...) ndarray of float64
            From 0 to 100.
        """
        totals = np.asarray(totals, dtype=np.float64)
        in_hypothesis, in_reference, matches = totals[..., 0::3], totals[..., 1::3], totals[..., 2::3]
        undefined = np.full_like(matches, EPSILON)
        precisions = np.divide(matches, in_hypothesis, out=undefined.copy(), where=in_hypothesis > 0)
        recalls = np.divide(matches, in_reference, out=undefined.copy(), where=in_reference > 0)
        factor = self.beta**2
        if self.eps_smoothing:
            weighted = factor * precisions + recalls
            scores = np.divide((1 + factor) * precisions * recalls, weighted, out=undefined, where=weighted > 0)
            return 100.0 * sum_orders(scores) / scores.shape[-1]
        effective = (in_hypothesis > 0) & (in_reference > 0)
        n_effective = np.maximum(effective.sum(axis=-1), 1)
        precision = sum_orders(np.where(effective, precisions, 0.0)) / n_effective
        recall = sum_orders(np.where(effective, recalls, 0.0)) / n_effective
        numerator = (1 + factor) * precision * recall
        some = precision + recall > 0
        return 100.0 * np.divide(numerator, factor * precision + recall, out=np.zeros_like(numerator), where=some)


def sum_orders(values: np.ndarray) -> np.ndarray:
    """Sum over the last axis from first to last, as sacreBLEU does: another order may break ties otherwise."""
    total = np.zeros(values.shape[:-1])
    for order in range(values.shape[-1]):
        total = total + values[..., order]
    return total


def split_evenly(segments: np.ndarray) -> Iterator[np.ndarray]:
    """Split segments into batches whose characters are held as numbers at one time."""
    return (segments[first : first + BATCH_SEGMENTS] for first in range(0, len(segments), BATCH_SEGMENTS))


def compare(hypotheses: SymbolSequences, references: SymbolSequences, max_order: int) -> np.ndarray:
    """Count n-grams, as (n_segments, 3 * max_order) ndarray of int64: of each order hypothesis, reference, matches."""
    return arrange(hypotheses.lengths, references.lengths, count_matches(hypotheses, [references], max_order))


def arrange(hypothesis_lengths: np.ndarray, reference_lengths: np.ndarray, matches: np.ndarray) -> np.ndarray:
    """Return for each order the n-grams of the hypothesis, those of the reference, and matches."""
    max_order = matches.shape[1]
    in_reference = count_ngrams(reference_lengths, max_order)
    # sacreBLEU does not count a hypothesis' n-grams of an order that the reference has none of.
    in_hypothesis = np.where(in_reference > 0, count_ngrams(hypothesis_lengths, max_order), 0)
    return np.stack([in_hypothesis, in_reference, matches], axis=-1).reshape(len(matches), 3 * max_order)


# The kernel packs so many characters into one n-gram.
MOST_ORDERS = 6
# By how many seconds the kernels are faster, for each character of a hypothesis and each reference.
SAVED = 8e-7


@dataclass(frozen=True)
class PreparedReferences:
    """The n-grams of a block's references, for any number of systems.

    Parameters
    ----------
    keys : (n_characters,) ndarray of uint64
        N-grams of each text, sorted: of the first reference of all segments, of the second ...
    ends : (n_references, n_segments) ndarray of int64
        Where the n-grams of each text end.
    alphabets : (n_characters,) ndarray of uint32
        The characters of each segment's references.
    ends_of_alphabets : (n_segments,) ndarray of int64
        Where those of each segment end. Where there are more than the kernel can number, there are none.
    """

    keys: np.ndarray = field(repr=False)
    ends: np.ndarray = field(repr=False)
    alphabets: np.ndarray = field(repr=False)
    ends_of_alphabets: np.ndarray = field(repr=False)

    @property
    def lengths(self) -> np.ndarray:
        """Characters of each text, (n_references, n_segments) ndarray of int64."""
        return np.diff(self.ends.reshape(-1), prepend=0).reshape(self.ends.shape)

    @property
    def counted(self) -> np.ndarray:
        """Which segments the kernel counts, (n_segments,) ndarray of bool."""
        return (np.diff(self.ends_of_alphabets, prepend=0) > 0) | (self.lengths == 0).all(axis=0)


def can_count_characters(texts: RunTexts, max_order: int) -> bool:
    """Tell whether kernels count the n-grams of characters."""
    if max_order > MOST_ORDERS:
        return False
    saves = SAVED * len(texts.references) * sum(map(len, texts.hypotheses))
    return load_kernels("character_ngrams", saves=saves) is not None


def read_characters(texts: Sequence[str], lowercase: bool, whitespace: bool) -> SymbolSequences:
    """Return the characters of texts that chrF counts."""
    code_points = encode([text.lower() for text in texts] if lowercase else texts)
    return code_points if whitespace else drop_spaces(code_points)


@lru_cache(maxsize=KEPT_BLOCKS)
def prepare_references(lowercase: bool, whitespace: bool, references: tuple[ReferenceTexts, ...]) -> PreparedReferences:
    """Sort the n-grams of a block's references; absent references are empty."""
    from mtworkbench.compiled import character_ngrams as kernels

    texts = read_characters([text or "" for column in references for text in column], lowercase, whitespace)
    ends = texts.ends.reshape(len(references), -1)
    keys, alphabets = np.empty(len(texts.symbols), dtype=np.uint64), np.empty(len(texts.symbols), dtype=np.uint32)
    ends_of_alphabets = np.empty(ends.shape[1], dtype=np.int64)
    kernels.prepare_references(texts.symbols, ends, keys, alphabets, ends_of_alphabets)
    return PreparedReferences(keys, ends, alphabets[: ends_of_alphabets.max(initial=0)].copy(), ends_of_alphabets)


def count_character_matches(hypotheses: SymbolSequences, references: PreparedReferences, max_order: int) -> np.ndarray:
    """Count the n-grams that each hypothesis shares with each of its references.

    Parameters
    ----------
    hypotheses : SymbolSequences
    references : PreparedReferences
    max_order : int
        `MOST_ORDERS` at most.

    Returns
    -------
    (n_references, n_segments, max_order) ndarray of int64
        Meaningless for segments that ``references.counted`` leaves out.
    """
    from mtworkbench.compiled import character_ngrams as kernels

    matches = np.zeros((*references.ends.shape, max_order), dtype=np.int64)
    for span in spans(hypotheses.ends):
        kernels.count_matches(
            hypotheses.symbols,
            hypotheses.ends,
            references.keys,
            references.ends,
            references.alphabets,
            references.ends_of_alphabets,
            span,
            matches,
        )
    return matches
