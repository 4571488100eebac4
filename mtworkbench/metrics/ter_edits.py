"""TER's edits, counted by the compiled search; its plain reference is sacreBLEU's own code."""

from __future__ import annotations

from types import ModuleType

import numpy as np

from mtworkbench.compiled import load_kernels
from mtworkbench.metrics.ngram_matches import SymbolSequences
from mtworkbench.metrics.words import NumberedReferences

# sacreBLEU takes 1 ms for 18 output and 18 reference words, 8 ms for 50 and 50: a product that it grows with roughly.
_SECONDS_PER_PRODUCT = 3e-6
# So many cells of a table take less than 0.1 seconds. The tables of a segment are filled in one go, which takes longer
# than 0.2 seconds where it has more than 300,000 words.
_CELLS_PER_CALL = 20_000_000


def load_search(products: int) -> ModuleType | None:
    """Return the compiled search, or None where sacreBLEU is to do the work.

    Parameters
    ----------
    products : int
        The number of words of an output times that of its reference, added up over all pairs.
    """
    return load_kernels("shifts", saves=_SECONDS_PER_PRODUCT * products)


def count_products(hypotheses: SymbolSequences, references: NumberedReferences) -> int:
    """Return what `load_search` is asked with."""
    return int((hypotheses.lengths * references.lengths).sum())


def count_edits(search: ModuleType, hypotheses: SymbolSequences, references: NumberedReferences) -> np.ndarray:
    """Count the edits from each output to the nearest of its references.

    Parameters
    ----------
    search : module
        What `load_search` returned.
    hypotheses : SymbolSequences
    references : NumberedReferences

    Returns
    -------
    (n_segments,) ndarray of int64
    """
    outputs = np.nonzero(references.present)[1]
    lengths = references.lengths[references.present]
    words = np.concatenate([sequence.symbols for sequence in references.sequences])
    pairs = hypotheses.symbols, _add_up(hypotheses.lengths), outputs, words, _add_up(lengths)
    room = search.make_room(hypotheses.lengths[outputs], lengths)
    state, moves = np.zeros(search.STATE, dtype=np.int64), np.zeros((search.MOVES, 3), dtype=np.int32)
    edits = np.zeros(len(outputs), dtype=np.int64)
    while not search.search(*pairs, edits, state, moves, *room, _CELLS_PER_CALL):
        pass  # an interrupt is answered between two calls
    found = np.full(references.present.shape, np.iinfo(np.int64).max)
    found[references.present] = edits
    return found.min(axis=0)


def _add_up(lengths: np.ndarray) -> np.ndarray:
    """Return where texts that follow each other begin and, with the next number, end."""
    return np.concatenate([[0], np.cumsum(lengths)])
