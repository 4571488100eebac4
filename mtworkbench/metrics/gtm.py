"""GTM, the General Text Matcher (Melamed, Green and Turian, 2003), as its released version 1.4 computes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.metrics.options import bad_value, check_choice, check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.texts import SymbolSequences, run_texts
from mtworkbench.metrics.words import SACREBLEU_TOKENIZERS, NumberedReferences, number_run

# Segments are matched in batches of about this many hits, which bounds the memory.
BATCH_HITS = 2**20
# So many are sorted at once, because an interruption waits until numpy has sorted.
SORTED_HITS = 2**18


@dataclass(frozen=True)
class Gtm(KnownMetric):
    """The GTM F-measure: runs of words in common, longer runs rewarded by the exponent (Melamed et al. (2003), §3-4).

    The search for the best set of runs is the greedy one of the released program, not the exact maximum of the paper,
    which differs from it for exponents above 1.

    Parameters
    ----------
    exponent : float
        Weight of long runs: with 1 the order of words does not matter; the paper goes up to 3.
    tokenize : str
        ``none`` splits at blanks only, as the program does, whose input is tokenized text; for raw text one of
        sacreBLEU's tokenizers.
    lowercase : bool
        Whether case is ignored, which the program never does.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    exponent: float = 1.0
    tokenize: str = "none"
    lowercase: bool = False

    higher_is_better: ClassVar[bool] = True
    scale: ClassVar[tuple[float, float]] = (0.0, 100.0)
    help_line: ClassVar[str] = "gtm"
    statistic_names: ClassVar[tuple[str, ...]] = ("match_size", "hypothesis_length", "reference_length")

    def __post_init__(self):
        check_option_types(self)
        check_choice("Gtm", "tokenize", self.tokenize, SACREBLEU_TOKENIZERS)
        if not 0 < self.exponent < float("inf"):
            raise bad_value("Gtm", "exponent", self.exponent, "a number above 0")

    @property
    def name(self) -> str:
        """``GTM-1``, ``GTM-1.5``: with the exponent."""
        return f"GTM-{self.exponent:g}"

    @property
    def signature(self) -> str:
        """Options in sacreBLEU's manner."""
        case = "lc" if self.lowercase else "mixed"
        return f"case:{case}|tok:{self.tokenize}|exponent:{self.exponent:g}|search:greedy|version:gtm-1.4"

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 3) ndarray of float64
            The maximum match size, the length of the hypothesis and the mean length of the references.
        """
        tokenize = "blanks" if self.tokenize == "none" else self.tokenize
        hypotheses, references = number_run(run_texts(outputs), tokenize, self.lowercase)
        sizes = match_sizes(hypotheses, references, self.exponent)
        return np.column_stack([sizes, hypotheses.lengths, references.mean_lengths])

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics.

        Parameters
        ----------
        totals : (..., 3) ndarray

        Returns
        -------
        (...) ndarray of float64
            F-measure, 0-100.
        """
        totals = np.asarray(totals, dtype=np.float64)
        # 2PR / (P + R) with P = size / hypothesis length and R = size / reference length.
        lengths = totals[..., 1] + totals[..., 2]
        return np.divide(200 * totals[..., 0], lengths, out=np.zeros_like(lengths), where=lengths > 0)


def match_sizes(hypotheses: SymbolSequences, references: NumberedReferences, exponent: float) -> np.ndarray:
    """Compute the maximum match size of every segment.

    Returns
    -------
    (n_segments,) ndarray of float64
        The root of the sum of the chosen runs' lengths, each to the power of the exponent (Melamed et al. (2003), §4).
    """
    left = np.minimum(hypotheses.lengths, references.mean_lengths)
    powers = np.zeros(len(left))
    for segments, rows, columns in find_hits(hypotheses, references):
        choose_runs(segments, rows, columns, left, powers, exponent)
    return powers ** (1 / exponent)


def find_hits(
    hypotheses: SymbolSequences, references: NumberedReferences
) -> Iterator[tuple[np.ndarray, np.ndarray, np.ndarray]]:
    """Find all pairs of equal words of a hypothesis and its references, in batches of whole segments.

    Yields
    ------
    segments, rows, columns : (n_hits,) ndarray of int64
        The segment, the place of the word in the hypotheses and that in the references. Places are numbered through
        all texts, with one number left free behind each text, so that no run goes beyond its text.
    """
    n_segments = len(hypotheses.lengths)
    n_words = references.n_words + 1
    segment_of = np.repeat(np.arange(n_segments), hypotheses.lengths)
    rows = np.arange(len(segment_of)) + segment_of
    text_of = np.repeat(np.arange(references.present.size), references.lengths.reshape(-1))
    columns = np.arange(len(text_of)) + text_of
    # A word of one segment is another than the same word of another segment.
    words = segment_of * n_words + hypotheses.symbols
    reference_words = np.concatenate([sequence.symbols for sequence in references.sequences])
    reference_words = text_of % n_segments * n_words + reference_words
    order = np.argsort(reference_words, kind="stable")
    reference_words, columns = reference_words[order], columns[order]
    begins = np.searchsorted(reference_words, words, side="left")
    n_hits = np.searchsorted(reference_words, words, side="right") - begins
    ends = np.cumsum(hypotheses.lengths)
    hits_until = np.append(0, np.cumsum(n_hits))[ends]
    last_segments = np.flatnonzero(np.diff(hits_until // BATCH_HITS, append=-1))
    for first, last in pairwise(np.append(0, ends[last_segments])):
        hits = n_hits[first:last]
        found = spread(begins[first:last], hits)
        yield np.repeat(segment_of[first:last], hits), np.repeat(rows[first:last], hits), columns[found]


def choose_runs(
    segments: np.ndarray, rows: np.ndarray, columns: np.ndarray, left: np.ndarray, powers: np.ndarray, exponent: float
) -> None:
    """Choose runs greedily in all segments of a batch at once, one run per segment in each round.

    The longest run comes first; of equally long ones that furthest on in the hypothesis, then that furthest on in the
    references. A run ends before a word that an earlier one used. This chooses the runs of the released program, which
    goes once through a sorted list of all runs and all their beginnings.

    Parameters
    ----------
    segments, rows, columns : (n_hits,) ndarray of int64
        As of `find_hits`, row by row and in each row column by column.
    left : (n_segments,) ndarray of float64
        How many words may still be matched: at first the smaller of the hypothesis's length and the references' mean
        length; a run that is longer than what is left counts with what is left. Changed in place.
    powers : (n_segments,) ndarray of float64
        The sum of the runs' lengths to the power of the exponent. Changed in place.
    exponent : float
    """
    # How far on a hit is: of equally long runs that with the larger number is taken.
    place = sort_along_diagonals(segments, rows, columns)
    segments, rows, columns = segments[place], rows[place], columns[place]
    used_rows, used_columns = (np.zeros(places.max(initial=0) + 2, dtype=bool) for places in (rows, columns))
    n_places = len(rows) + 1
    while len(rows):
        lengths = run_lengths(rows, columns)
        firsts = np.flatnonzero(np.diff(segments, prepend=-1))
        best = np.maximum.reduceat(lengths * n_places + place, firsts)
        chosen = np.flatnonzero(lengths * n_places + place == np.repeat(best, np.diff(firsts, append=len(rows))))
        matched = np.minimum(lengths[chosen], left[segments[chosen]])
        powers[segments[chosen]] += matched**exponent
        left[segments[chosen]] -= matched
        used_rows[spread(rows[chosen], lengths[chosen])] = True
        used_columns[spread(columns[chosen], lengths[chosen])] = True
        keep = ~(used_rows[rows] | used_columns[columns]) & (left[segments] > 0)
        segments, rows, columns, place = segments[keep], rows[keep], columns[keep], place[keep]


def sort_along_diagonals(segments: np.ndarray, rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Return the order that brings hits, given row by row, segment by segment and diagonal by diagonal.

    Parameters
    ----------
    segments, rows, columns : (n_hits,) ndarray of int64
        See `choose_runs`.

    Returns
    -------
    (n_hits,) ndarray of int64
    """
    if not len(rows):
        return np.arange(0)
    diagonals = columns - rows
    diagonals -= diagonals.min()
    n_diagonals = int(diagonals.max()) + 1
    keys = (segments - segments[0]) * n_diagonals + diagonals
    n_parts = len(keys) // SORTED_HITS + 1
    part_of = keys * n_parts // (int(keys.max()) + 1)
    parts = (np.flatnonzero(part_of == part) for part in range(n_parts))
    return np.concatenate([part[np.argsort(keys[part], kind="stable")] for part in parts])


def run_lengths(rows: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Count the hits that follow each other on a diagonal from each hit on, itself included.

    Parameters
    ----------
    rows, columns : (n_hits,) ndarray of int64
        Diagonal by diagonal, and along the diagonal.

    Returns
    -------
    (n_hits,) ndarray of int64
    """
    breaks = np.flatnonzero((np.diff(rows) != 1) | (np.diff(columns) != 1))
    ends = np.append(breaks, len(rows) - 1) + 1
    return np.repeat(ends, np.diff(ends, prepend=0)) - np.arange(len(rows))


def spread(starts: np.ndarray, lengths: np.ndarray) -> np.ndarray:
    """Return all places from each start on, as many as its length says."""
    return np.repeat(starts - np.cumsum(lengths) + lengths, lengths) + np.arange(lengths.sum())
