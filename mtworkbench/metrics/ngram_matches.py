"""Matches of n-grams, counted for all segments at once.

sacreBLEU counts them segment by segment in dictionaries; here every n-gram of a block of segments gets a number, so
that counting is sorting. The counts are the same integers, at a third (words) or a fifth (characters) of the time and
without keeping dictionaries of all references in memory.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtworkbench.metrics.texts import SymbolSequences, spans

# Segments are counted in blocks of about so many symbols: some 60 MiB of working memory.
BLOCK_SYMBOLS = 2**19


def join_sequences(parts: Sequence[SymbolSequences]) -> SymbolSequences:
    """Lay the texts of several sequences end to end."""
    symbols = [np.zeros(0, dtype=np.int32), *(part.symbols for part in parts)]
    return SymbolSequences(
        np.concatenate(symbols), np.concatenate([np.zeros(0, dtype=np.int64), *(part.lengths for part in parts)])
    )


def lay_end_to_end(texts: Sequence[SymbolSequences]) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Lay texts of the same segments end to end.

    Returns
    -------
    symbols, text_of, segment_of, left : (n_symbols,) ndarrays of int64
        The text and the segment of each symbol, and how many symbols its segment has in that text from it on.
    """
    symbols = np.concatenate([text.symbols for text in texts]).astype(np.int64)
    lengths = np.concatenate([text.lengths for text in texts])
    text_of = np.repeat(np.arange(len(texts)), [len(text.symbols) for text in texts])
    segment_of = np.repeat(np.tile(np.arange(len(texts[0].lengths)), len(texts)), lengths)
    return symbols, text_of, segment_of, np.repeat(np.cumsum(lengths), lengths) - np.arange(len(symbols))


def count_ngrams(lengths: np.ndarray, max_order: int) -> np.ndarray:
    """Count the n-grams of sequences of these lengths.

    Returns
    -------
    (n_segments, max_order) ndarray of int64
        Column n - 1: how many n-grams, repeated ones included.
    """
    return np.maximum(lengths[:, None] - np.arange(max_order), 0)


def count_matches(hypotheses: SymbolSequences, references: Sequence[SymbolSequences], max_order: int) -> np.ndarray:
    """Count the n-grams of each hypothesis that its references have as well (Papineni et al. (2002), §2.1.1).

    Parameters
    ----------
    hypotheses : SymbolSequences
    references : sequence of SymbolSequences
        With a sequence for every segment, empty where a segment has no such reference.
    max_order : int

    Returns
    -------
    (n_segments, max_order) ndarray of int64
        Column n - 1: matches of n-grams, each counted at most as often as in the reference that has it most often.
    """
    matches = np.zeros((len(hypotheses.lengths), max_order), dtype=np.int64)
    texts = [hypotheses, *references]
    for first, last in spans(np.sum([text.ends for text in texts], axis=0), BLOCK_SYMBOLS):
        matches[first:last] = _count_block([text.part(first, last) for text in texts], max_order)
    return matches


def _count_block(texts: Sequence[SymbolSequences], max_order: int) -> np.ndarray:
    n_segments = len(texts[0].lengths)
    symbols, text_of, segment_of, symbols_left = lay_end_to_end(texts)
    positions = np.arange(len(symbols))
    n_symbols = int(symbols.max(initial=0)) + 1

    matches = np.zeros((n_segments, max_order), dtype=np.int64)
    ngrams = segment_of  # the number of the empty n-gram at each position: one per segment, so that segments never mix
    for order in range(1, max_order + 1):
        long_enough = symbols_left[positions] >= order
        positions, ngrams = positions[long_enough], ngrams[long_enough]
        keys = ngrams * n_symbols + symbols[positions + order - 1]
        distinct, ngrams = np.unique(keys, return_inverse=True)
        counts = np.bincount(text_of[positions] * len(distinct) + ngrams, minlength=len(texts) * len(distinct))
        counts = counts.reshape(len(texts), len(distinct))
        matched = np.minimum(counts[0], counts[1:].max(axis=0, initial=0))
        segments = np.empty(len(distinct), dtype=np.int64)
        segments[ngrams] = segment_of[positions]
        matches[:, order - 1] = np.bincount(segments, weights=matched, minlength=n_segments)
        extendable = matched[ngrams] > 0  # a longer n-gram matches only where its beginning does
        positions, ngrams = positions[extendable], ngrams[extendable]
    return matches
