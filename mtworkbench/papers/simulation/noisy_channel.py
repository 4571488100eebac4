"""A noisy channel from a reference to a system's made-up output.

A word is wrong where a latent quantity exceeds 0: the system's offset, the difficulty of the document, the system's
trouble with the segment, and noise that comes in bursts (Koehn's Table 1 needs them: they set 4-gram precision
against 1-gram precision). What happens to a wrong word is drawn from a few kinds of error.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from mtworkbench.papers.simulation.pseudotext import TokenArray

FIELD = np.uint64(0xFFFF)  # an error's four draws are the four 16-bit fields of one word


@dataclass(frozen=True)
class MadeUpSystem:
    """What makes one made-up system differ from another.

    Parameters
    ----------
    name : str
    offset : float
        Higher: more words are wrong (1-gram precision).
    bursts : float
        Correlation of the noise from word to word, 0 to 1 (4-gram precision).
    deletions : float
        Share of the wrong words that are left out (length, and so the brevity penalty).
    """

    name: str
    offset: float
    bursts: float
    deletions: float


@dataclass(frozen=True)
class ErrorKinds:
    """What happens to wrong words, apart from a system's own share of deletions; the rest are substitutions.

    Parameters
    ----------
    insertions : float
        Share that become two other words.
    moves : float
        Share that stay as they are but move to the right, by one to `longest_move` words.
    longest_move : int
    """

    insertions: float = 0.08
    moves: float = 0.15
    longest_move: int = 4


def burst_noise(innovations: np.ndarray, bursts: float) -> np.ndarray:
    """Turn independent standard normal numbers into a chain of standard normal numbers (AR(1)).

    The chain runs on from the end of a segment into the next: a bad patch does not stop at a full stop.

    Parameters
    ----------
    innovations : (n_words,) ndarray
    bursts : float
        Correlation between neighbours.

    Returns
    -------
    (n_words,) ndarray
    """
    return run_chain(np.sqrt(1 - bursts**2) * innovations, bursts)


def run_chain(innovations: np.ndarray, memory: float) -> np.ndarray:
    """Add to each number the one before it, itself so summed, times the memory.

    `scipy.signal.lfilter` computes the same. To load that takes longer than to run some chains here.

    Parameters
    ----------
    innovations : (n,) ndarray
    memory : float

    Returns
    -------
    (n,) ndarray
    """
    factor = float(memory)
    summed = accumulate(innovations.tolist(), lambda before, innovation: factor * before + innovation)
    return np.fromiter(summed, float, len(innovations))


def send_through_channel(
    reference: TokenArray,
    latent: np.ndarray,
    draws: np.ndarray,
    table: np.ndarray,
    deletions: float,
    kinds: ErrorKinds,
) -> tuple[TokenArray, np.ndarray]:
    """Send the reference through the channel.

    Parameters
    ----------
    reference : TokenArray
    latent : (n_words,) ndarray
        A word is wrong where this exceeds 0.
    draws : (n_words,) ndarray of uint64
        A random word for each word: its four 16-bit fields, from the highest, give the kind of error, the word
        substituted, the word inserted and the distance of a move.
    table : (65536,) ndarray of int32
        See `Language.word_table`.
    deletions : float
        See `MadeUpSystem`.
    kinds : ErrorKinds

    Returns
    -------
    hypothesis : TokenArray
        No segment is empty: where all words would be left out, the first becomes a substitution.
    origins : (n_hypothesis_words,) ndarray of int64
        For each word of the hypothesis the word of the reference that it comes from, in the whole text.
    """
    wrong = latent > 0
    kind = (draws >> np.uint64(48)) * 2.0**-16
    deleted = wrong & (kind < deletions)
    inserted = wrong & ~deleted & (kind < deletions + kinds.insertions)
    moved = wrong & ~deleted & ~inserted & (kind < deletions + kinds.insertions + kinds.moves)
    lost = np.logical_and.reduceat(deleted, reference.starts[:-1])
    deleted[reference.starts[:-1][lost]] = False

    substituted = wrong & ~moved
    words = np.where(substituted, table[(draws >> np.uint64(32)) & FIELD], reference.words)
    order, copies = _new_order(reference, moved, draws & FIELD, kinds.longest_move), 1 - deleted + inserted
    origins = np.repeat(order, copies[order])
    output = words[origins]
    second = np.flatnonzero(origins[1:] == origins[:-1]) + 1
    output[second] = table[(draws[origins[second]] >> np.uint64(16)) & FIELD]
    lengths = np.add.reduceat(copies, reference.starts[:-1])
    return TokenArray(output, np.concatenate([[0], np.cumsum(lengths)])), origins


def _new_order(reference: TokenArray, moved: np.ndarray, field: np.ndarray, longest_move: int) -> np.ndarray:
    """Order the reference's words after the moves, which do not leave the segment."""
    distance = 1 + (field * np.uint64(longest_move) >> np.uint64(16)).astype(np.int64)
    last = np.repeat(reference.starts[1:] - 1, reference.lengths)
    here = np.arange(len(reference.words))
    place = np.where(moved, np.minimum(here + distance, last) * 2 + 1, here * 2)
    return np.argsort(place, kind="stable")
