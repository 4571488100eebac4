"""BLEU (Papineni et al., 2002) with sacreBLEU's numbers."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import reduce
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.metrics.ngram_matches import count_ngrams
from mtworkbench.metrics.options import bad_value, check_at_least, check_choice, check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.sacrebleu_adapter import sacrebleu_signature
from mtworkbench.metrics.texts import present_references, run_texts
from mtworkbench.metrics.word_matches import match_words
from mtworkbench.metrics.words import MTEVAL_TOKENIZERS, SACREBLEU_TOKENIZERS

TOKENIZERS = SACREBLEU_TOKENIZERS + MTEVAL_TOKENIZERS
REFERENCE_LENGTHS = ("closest", "shortest")
# Of the quadrature along the way from one system's sums to the other's, which is smooth between kinks.
NODES, NODE_WEIGHTS = np.polynomial.legendre.leggauss(32)
NODES, NODE_WEIGHTS = (NODES + 1) / 2, NODE_WEIGHTS / 2
# Where a count of 0 begins to grow, precision has an infinite slope; with these steps it is smooth.
SHARES = NODES**4 * (35 - 84 * NODES + 70 * NODES**2 - 20 * NODES**3)
SLOPES = NODE_WEIGHTS * 140 * (NODES * (1 - NODES)) ** 3
# The value of each smoothing method that has one, where none is given (Chen and Cherry (2014), methods 1 and 2).
SMOOTH_VALUES = {"exp": None, "floor": 0.1, "add-k": 1, "none": None, "mteval": None}


@dataclass(frozen=True)
class Bleu(KnownMetric):
    """BLEU with sacreBLEU's options, statistics, scores and signature, or as mteval computes it.

    What mteval-v13a and v14 compute by default is ``Bleu("mteval-13a", lowercase=True, smooth_method="mteval")``; v11b,
    which the CMU scripts for the paired bootstrap use, computes
    ``Bleu("mteval-13a", lowercase=True, smooth_method="none", reference_length="shortest")``.

    Parameters
    ----------
    tokenize : str
        One of sacreBLEU's tokenizers; ``"none"`` for texts that are tokenized already; or one of mteval's,
        ``"mteval-13a"``, ``"mteval-intl"`` and ``"mteval-none"``: see `mtworkbench.metrics.words.mteval_splitter`.
    lowercase : bool
        Whether case is ignored; under ``mteval-13a`` that of A-Z alone, as mteval does it.
    smooth_method : {"exp", "floor", "add-k", "none", "mteval"}
        What becomes of an order of n-grams without a match (Chen and Cherry (2014)). ``mteval`` is ``exp``, except that
        outputs too short to have n-grams of some order, or without any match, do not score 0.
    smooth_value : float, optional
        Of ``floor`` (0.1 unless given) and ``add-k`` (1 unless given).
    max_ngram_order : int
        Longest n-grams. Where it is not 4, the metric's name says so (``BLEU-2``), for sacreBLEU's signature does not.
    reference_length : {"closest", "shortest"}
        The length of which of several references counts: that closest to the hypothesis', as in sacreBLEU and mteval
        from v12 on, or the shortest.

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
    reference_length: str = "closest"

    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[tuple[float, float]] = (0.0, 100.0)
    help_line: ClassVar[str] = "bleu"

    def __post_init__(self):
        check_option_types(self)
        check_choice("Bleu", "tokenize", self.tokenize, TOKENIZERS)
        check_choice("Bleu", "smooth_method", self.smooth_method, SMOOTH_VALUES)
        check_at_least("Bleu", "max_ngram_order", self.max_ngram_order, 1)
        check_choice("Bleu", "reference_length", self.reference_length, REFERENCE_LENGTHS)
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
        """Options as sacreBLEU's signature names them, without the number of references; what is mteval's, by name."""
        values = asdict(self)
        del values["reference_length"]
        in_place = {}
        if self.tokenize in MTEVAL_TOKENIZERS:
            values["tokenize"] = "none"
            in_place["tok:none"] = f"tok:{self.tokenize}"
        if self.smooth_method == "mteval":
            values["smooth_method"] = "exp"
            in_place["smooth:exp"] = "smooth:mteval"
        parts = [in_place.get(part, part) for part in sacrebleu_signature("BLEU", tuple(values.items())).split("|")]
        if in_place or self.reference_length != "closest":
            parts.insert(-1, f"ref:{self.reference_length}")
        return "|".join(parts)

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run: under sacreBLEU's options its own integers.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 2 + 2 * max_ngram_order) ndarray of int64
            Of several references, n-grams match whichever has them most often; of lengths the closest is that of the
            shorter reference where two are equally close.
        """
        texts = run_texts(outputs)
        found = match_words(texts, self.tokenize, self.lowercase, self.max_ngram_order)
        choose_length = closest_length if self.reference_length == "closest" else shortest_length
        present = present_references(texts.references)
        return np.column_stack(
            [
                found.hypothesis_lengths,
                choose_length(found.hypothesis_lengths, found.reference_lengths, present),
                found.matches,
                count_ngrams(found.hypothesis_lengths, self.max_ngram_order),
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
            From 0 to 100; 0 where there is no match at all, unless that is smoothed as in mteval.
        """
        return self._score(totals, effective_order=False)

    def segment_score(self, statistics: np.ndarray) -> np.ndarray:
        """Score single segments with sacreBLEU's effective order: of the orders that the hypothesis has n-grams of.

        With ``smooth_method="mteval"`` they are scored as mteval does it: by the formula of `score`.

        Parameters
        ----------
        statistics : (..., 2 + 2 * max_ngram_order) ndarray

        Returns
        -------
        (...) ndarray of float64
            From 0 to 100.
        """
        return self._score(statistics, effective_order=self.smooth_method != "mteval")

    def measure_lengths(self, totals: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return how long outputs are beside their references, and the brevity penalty that follows.

        Parameters
        ----------
        totals : (..., 2 + 2 * max_ngram_order) ndarray

        Returns
        -------
        ratio : (...) ndarray of float64
            Words of the outputs divided by words of the references.
        penalty : (...) ndarray of float64
            The factor of the score, from 0 to 1 (Papineni et al. (2002), §2.2.2).
        """
        own, reference = totals[..., 0].astype(np.float64), totals[..., 1].astype(np.float64)
        ratio = np.divide(own, reference, out=np.full_like(own, np.nan), where=reference > 0)
        return ratio, brevity_penalty(own, reference)

    def measure_length_part(self, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Compute how much of a difference of scores is length: what the brevity penalty adds on the way between them.

        BLEU is a product of the mean precision P and the penalty BP, so a small step changes it by P dBP + BP dP. The
        first part, summed up along the straight line between the sums of the two systems, is what length adds; the rest
        of the difference is precision. This is the line on which segments' contributions are defined.

        Parameters
        ----------
        starts, ends : (..., 2 + 2 * max_ngram_order) ndarray
            Summed statistics.

        Returns
        -------
        (...) ndarray of float64
            In score points, of the score of `ends` less that of `starts`.
        """
        starts, ends = np.asarray(starts, dtype=np.float64), np.asarray(ends, dtype=np.float64)
        way = ends - starts
        # The penalty begins where the lengths of outputs and references are equal: the line is cut there.
        gap, far_gap = starts[..., 0] - starts[..., 1], ends[..., 0] - ends[..., 1]
        cut = np.divide(gap, gap - far_gap, out=np.zeros_like(gap), where=gap * far_gap < 0)
        lines = [(starts, cut[..., None] * way)] if cut.any() else []
        lines += [(starts + cut[..., None] * way, (1 - cut)[..., None] * way)]
        return np.sum([self._sum_length_part(*line) for line in lines], axis=0)

    def _sum_length_part(self, starts: np.ndarray, way: np.ndarray) -> np.ndarray:
        """Sum up P dBP along lines on which the penalty has no kink."""
        sums = starts + np.multiply.outer(SHARES, way)
        own, reference = sums[..., 0], sums[..., 1]
        is_short = (own < reference) & (own > 0)
        rise = (reference * way[..., 0] - own * way[..., 1]) / np.where(is_short, own, 1.0) ** 2
        penalty = brevity_penalty(own, reference)
        sums[..., 1] = own  # as long as the reference: the score is the precision
        return np.tensordot(SLOPES, np.where(is_short, self.score(sums) * penalty * rise, 0.0), axes=1)

    def _score(self, totals: np.ndarray, *, effective_order: bool) -> np.ndarray:
        # Statistic by statistic, so that numpy's loops are long.
        totals = np.ascontiguousarray(np.asarray(totals, dtype=np.float64).T)
        hypothesis_length, reference_length = totals[0], totals[1]
        matches, ngrams = totals[2 : 2 + self.max_ngram_order], totals[2 + self.max_ngram_order :]
        if self.smooth_method != "add-k" and totals.min(initial=np.inf) > 0:
            # The usual case: there is nothing to smooth, and nothing to leave out.
            precisions = 100.0 * matches
            precisions /= ngrams
            means = geometric_means(precisions)
            means *= np.exp(np.minimum(1.0 - reference_length / hypothesis_length, 0.0))
        else:
            means = self._smoothed_means(hypothesis_length, matches, ngrams, effective_order)
            means *= brevity_penalty(hypothesis_length, reference_length)
        return np.asarray(means.T)

    def _smoothed_means(
        self, hypothesis_length: np.ndarray, matches: np.ndarray, ngrams: np.ndarray, effective_order: bool
    ) -> np.ndarray:
        """Compute the geometric mean of all precisions in %, 0 where the score is 0."""
        scored = hypothesis_length > 0 if self.smooth_method == "mteval" else (matches > 0).any(axis=0)
        if self.smooth_method == "add-k":
            added = np.append(0.0, np.full(self.max_ngram_order - 1, self._smooth_value))
            added = added.reshape(-1, *(1,) * scored.ndim)
            matches, ngrams = matches + added, ngrams + added
        reached = np.logical_and.accumulate(ngrams > 0)
        precisions = self._precisions(matches, ngrams, reached)
        if self.smooth_method == "mteval":
            precisions = np.where(reached, precisions, 100.0)
        counted = reached if effective_order else np.ones_like(reached)
        scored = scored & (~counted | (precisions > 0)).all(axis=0)
        precisions = np.where(counted & scored, precisions, 1.0)
        return np.where(scored, geometric_means(precisions, np.maximum(counted.sum(axis=0), 1)), 0.0)

    @property
    def _smooth_value(self) -> float:
        given = SMOOTH_VALUES[self.smooth_method] if self.smooth_value is None else self.smooth_value
        return given or 0.0  # methods without a value do not ask for it

    def _precisions(self, matches: np.ndarray, ngrams: np.ndarray, reached: np.ndarray) -> np.ndarray:
        """Compute the precision of each order in %, smoothed where there is no match."""
        unmatched = reached & (matches == 0)
        numerators = 100.0 * matches
        denominators = ngrams
        if self.smooth_method in ("exp", "mteval"):
            numerators = np.where(unmatched, 100.0, numerators)
            denominators = denominators * np.where(unmatched, 2.0 ** np.cumsum(unmatched, axis=0), 1.0)
        elif self.smooth_method == "floor":
            numerators = np.where(unmatched, 100.0 * self._smooth_value, numerators)
        return np.divide(numerators, denominators, out=np.zeros_like(numerators), where=reached)


def geometric_means(precisions: np.ndarray, n_orders: np.ndarray | None = None) -> np.ndarray:
    """Compute geometric means over the first axis.

    The mean of four is a square root of a square root, which takes a fraction of the time of logarithms. Numbers are
    multiplied or added one by one, so that one test set has the same last digits alone and among many.

    Parameters
    ----------
    precisions : (n, ...) ndarray
        Positive; 1 where an order does not count.
    n_orders : (...) ndarray of int, optional
        How many count; all unless given.
    """
    n_all = len(precisions)
    if n_orders is None and n_all == 4:
        return np.sqrt(np.sqrt(reduce(np.multiply, precisions)))
    means = np.exp(reduce(np.add, np.log(precisions)) / (n_all if n_orders is None else n_orders))
    if n_all == 4:
        means = np.where(n_orders == 4, np.sqrt(np.sqrt(reduce(np.multiply, precisions))), means)
    return means


def brevity_penalty(hypothesis_length: np.ndarray, reference_length: np.ndarray) -> np.ndarray:
    """Compute the factor for outputs shorter than their references (Papineni et al. (2002), §2.2.2)."""
    lengths = np.where(hypothesis_length > 0, hypothesis_length, 1.0)
    with np.errstate(under="ignore"):
        penalty = np.exp(1.0 - np.maximum(reference_length, lengths) / lengths)
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


def shortest_length(hypothesis_lengths: np.ndarray, reference_lengths: np.ndarray, present: np.ndarray) -> np.ndarray:
    """Choose for each segment the length of its shortest reference; the parameters are those of `closest_length`."""
    return np.where(present, reference_lengths, np.iinfo(np.int64).max).min(axis=0)
