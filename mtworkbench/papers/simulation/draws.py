"""The random draws of made-up data: every part of it has a stream of its own."""

from __future__ import annotations

from enum import IntEnum

import numpy as np

from mtworkbench.resampling import SIMULATION, RngLike, resolve_rng, stream_words, uniforms


class Part(IntEnum):
    """Number of the stream of each part of what is made up; numbers are never given anew.

    Those from 32 on are of n-best lists, those from 64 on of equal methods.
    """

    LANGUAGE = 0
    SEGMENT_LENGTHS = 1
    DOCUMENT_LENGTHS = 2
    FRESH_WORDS = 3
    FOLLOWED_WORDS = 4
    DOCUMENT_EFFECTS = 5
    SEGMENT_EFFECTS = 6
    WORD_NOISE = 7
    RUN_NOISE = 8
    RUN_SHIFTS = 9
    ERRORS = 10
    CONFIDENCES = 11
    LENGTHENING = 12
    SENTENCE_LENGTHS = 32
    PARAPHRASES = 33
    SENTENCE_DIFFICULTY = 34
    WORD_DIFFICULTY = 35
    OWN_DIFFICULTY = 36
    HYPOTHESIS_QUALITY = 37
    HYPOTHESIS_NOISE = 38
    HYPOTHESIS_ERRORS = 39
    FEATURE_SIGHT = 40
    FEATURE_NOISE = 41
    NULL_LENGTHS = 64
    NULL_DIFFICULTY = 65
    METHOD_BY_SEGMENT = 66
    NULL_RUNS = 67
    NULL_RESIDUAL = 68


class Draws:
    """Counter-based draws of one made-up corpus.

    The simulation stream of the call's K is word 3 of K (`mtworkbench.resampling.SIMULATION`); the stream of a part
    has as its key word number `part` of that stream, and a part's stream of a system (and of a run) the word with
    the system's (the run's) number, counted from 0, of the stream above it.

    Parameters
    ----------
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`.
    """

    def __init__(self, rng: RngLike):
        self.random_key = resolve_rng(rng)

    def key(self, part: Part, *numbers: int) -> int:
        """Return the key of a part's stream, or of one of its systems or runs."""
        key = self.random_key.stream(SIMULATION)
        for number in (part, *numbers):
            key = int(stream_words(key, int(number), 1)[0])
        return key

    def words(self, count: int, part: Part, *numbers: int) -> np.ndarray:
        """Draw raw words, as (count,) ndarray of uint64."""
        return stream_words(self.key(part, *numbers), 0, count)

    def uniforms(self, count: int, part: Part, *numbers: int) -> np.ndarray:
        """Draw numbers between 0 and 1, as (count,) ndarray."""
        return uniforms(self.key(part, *numbers), 0, count)

    def normals(self, count: int, part: Part, *numbers: int) -> np.ndarray:
        """Draw standard normal numbers, as (count,) ndarray."""
        from mtworkbench.distributions import ndtri

        return ndtri(self.uniforms(count, part, *numbers))
