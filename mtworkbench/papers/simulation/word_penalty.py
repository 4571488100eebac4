"""A setting for the length of made-up systems' outputs, like a decoder's word penalty (Koehn (2004), §2.3, Fig. 1)."""

from __future__ import annotations

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.corpus import MadeUpCorpus
from mtworkbench.papers.simulation.draws import Part
from mtworkbench.papers.simulation.noisy_channel import burst_noise
from mtworkbench.papers.simulation.pseudotext import TokenArray

# A system knows only little of which of its words are wrong: its confidence is what makes words wrong plus this doubt,
# whose sd is in the same units and which comes in bursts, as errors do. Both set by hand: at a ratio of 0.85 BLEU loses
# about a fifth and GTM 3 to 5 %.
DOUBT_SD, DOUBT_BURSTS = 6.0, 0.6
LENGTH_RATIOS = (0.5, 2.0)


def translate_at_length(
    corpus: MadeUpCorpus, system: str, ratio: float, run: int = 1, *, at_random: bool = False
) -> TokenArray:
    """Make a system's output shorter or longer.

    Shorter output leaves out the words of which the system is least confident, wherever they are; longer output has
    further words where the system is most in trouble, each drawn as substitutions are. One threshold serves the whole
    test set, as a word penalty does; a segment keeps at least one word.

    Parameters
    ----------
    corpus : MadeUpCorpus
    system : str
    ratio : float
        Words of the output in relation to those of the reference, from 0.5 to 2.
    run : int
        Counted from 1.
    at_random : bool
        Whether shorter output leaves out words at random instead, which does not redraw the paper's figure.

    Returns
    -------
    TokenArray

    Raises
    ------
    InputError
        For a ratio out of range.
    """
    if not LENGTH_RATIOS[0] <= ratio <= LENGTH_RATIOS[1]:
        raise InputError(
            "length-ratio",
            f"A length ratio of {ratio!r} was asked for, but one from {LENGTH_RATIOS[0]} to {LENGTH_RATIOS[1]} was "
            "expected: 1 is the length of the reference.",
        )
    hypothesis, origins = corpus.translate_aligned(system, run)
    number, n_reference_words = corpus.system_number(system), len(corpus.reference.words)
    latent = corpus.latent(corpus.design.systems[number], run)
    n_further = round(ratio * n_reference_words) - len(hypothesis.words)
    if n_further >= 0:
        further = corpus.draws.words(n_reference_words, Part.LENGTHENING, number, run - 1)
        return _lengthen(hypothesis, latent[origins], corpus.word_table[further >> np.uint64(48)][origins], n_further)
    doubt = corpus.draws.normals(n_reference_words, Part.CONFIDENCES, number, run - 1)
    confidence = -doubt if at_random else -(latent + DOUBT_SD * burst_noise(doubt, DOUBT_BURSTS))
    return _shorten(hypothesis, confidence[origins], -n_further)


def _shorten(hypothesis: TokenArray, confidence: np.ndarray, n_left_out: int) -> TokenArray:
    """Leave out the least confident words, but never a segment's most confident one."""
    best = np.maximum.reduceat(confidence, hypothesis.starts[:-1])
    safe = confidence == np.repeat(best, hypothesis.lengths)
    kept = np.ones(len(confidence), dtype=bool)
    kept[np.argsort(np.where(safe, np.inf, confidence), kind="stable")[:n_left_out]] = False
    lengths = np.add.reduceat(kept.astype(np.int64), hypothesis.starts[:-1])
    return TokenArray(hypothesis.words[kept], np.concatenate([[0], np.cumsum(lengths)]))


def _lengthen(hypothesis: TokenArray, trouble: np.ndarray, further: np.ndarray, n_further: int) -> TokenArray:
    """Put further words behind the words with most trouble, one behind each, and again from the start if need be."""
    rank = np.empty(len(trouble), dtype=np.int64)
    rank[np.argsort(-trouble, kind="stable")] = np.arange(len(trouble))
    rounds, rest = divmod(n_further, len(trouble))
    copies = 1 + rounds + (rank < rest)
    origins = np.repeat(np.arange(len(trouble)), copies)
    is_copy = np.concatenate([[False], origins[1:] == origins[:-1]])
    lengths = np.add.reduceat(copies, hypothesis.starts[:-1])
    words = np.where(is_copy, further[origins], hypothesis.words[origins])
    return TokenArray(words, np.concatenate([[0], np.cumsum(lengths)]))
