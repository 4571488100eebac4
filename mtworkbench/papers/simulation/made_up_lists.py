"""Made-up n-best lists: what a decoder might offer for each sentence, and what its features might say of it.

Everything here is made up. A sentence is a row of pseudo-words; a hypothesis is that sentence after a noisy channel; a
feature sees how many n-grams of a hypothesis match the references, through noise. What is real is the optimizer that
works on the lists (`mtworkbench.papers.simulation.mert`), and BLEU, which is that of the texts.

Word j of hypothesis h of sentence s is wrong where

    offset + difficulty * d_s + word_difficulty * d_sj + own_difficulty * o_sj + spread * q_sh + n_shj  >  0

with standard normal draws d, o, q, n: d belongs to the sentence and is the same for every system, o belongs to the
system, q and n to the hypothesis. Draws are nested: lists of 20 hypotheses begin lists of 50, a tuning set of 200
sentences begins one of 500, and so do features and references.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mtworkbench.metrics.bleu import Bleu
from mtworkbench.papers.simulation.draws import Draws, Part
from mtworkbench.papers.simulation.nbest import NBestLists
from mtworkbench.papers.simulation.noisy_channel import ErrorKinds, send_through_channel
from mtworkbench.papers.simulation.pseudotext import (
    ORDERS,
    Language,
    TokenArray,
    lognormal_lengths,
    match_words,
    write_column,
    write_reference,
)
from mtworkbench.resampling import RngLike

# Written out, so that the shipped runs can always be made again.
LANGUAGE = Language(n_words=20_000, exponent=1.05, shift=2.7, order=0.5)
DELETIONS = 0.12  # share of the wrong words that are left out
ERROR_KINDS = ErrorKinds(insertions=0.08, moves=0.15, longest_move=4)
# Features differ in how much they know: standard deviation of the logarithm of their noise.
NOISE_SPREAD = 0.7


@dataclass(frozen=True)
class Task:
    """What is translated: the same for all systems.

    Parameters
    ----------
    sentence_length, length_spread : float
        Mean length in words, and standard deviation of its logarithm.
    n_references : int
    paraphrases : float
        Share of its words that a reference says in another way.
    difficulty, word_difficulty : float
        How much sentences, and words, differ in difficulty, in units of the noise from word to word.
    """

    sentence_length: float
    length_spread: float
    n_references: int
    paraphrases: float
    difficulty: float
    word_difficulty: float


@dataclass(frozen=True)
class Decoder:
    """What offers the hypotheses of one system.

    Parameters
    ----------
    error_rate : float
        Share of words that are wrong in an average hypothesis.
    own_difficulty : float
        How much words differ in difficulty for this system alone.
    spread : float
        How much the hypotheses of a list differ in quality.
    n_hypotheses : int
        Size of the n-best lists.
    n_features : int
        The length of the hypothesis, and noisy views of its quality.
    feature_noise : float
        Median over features of the standard deviation of a feature's noise, for a sentence of one word; it grows with
        the root of the length.
    """

    error_rate: float
    own_difficulty: float
    spread: float
    n_hypotheses: int
    n_features: int
    feature_noise: float

    @property
    def start(self) -> np.ndarray:
        """Hand-set weights from which tuning starts: no view of quality before another, and nothing for length."""
        return np.concatenate([[0.0], np.full(self.n_features - 1, 1 / (self.n_features - 1))])


@dataclass(frozen=True, eq=False)
class Sentences:
    """The sentences of a dev or a test set.

    Parameters
    ----------
    text : TokenArray
        What a faultless translation would say.
    references : tuple of TokenArray
    difficulty : (n_words,) ndarray
        Of each word, for every system.
    variance : float
        Of the difficulties, as designed.
    draws : Draws
        Of this set.
    """

    text: TokenArray
    references: tuple[TokenArray, ...]
    difficulty: np.ndarray
    variance: float
    draws: Draws


def make_sentences(task: Task, n_segments: int, *, rng: RngLike = None) -> Sentences:
    """Make up the sentences of a dev or a test set, and their references.

    Parameters
    ----------
    task : Task
    n_segments : int
    rng : int, numpy.random.Generator, RandomKey or None
        See `mtworkbench.resampling.resolve_rng`.
    """
    draws = Draws(rng)
    normals = draws.normals(n_segments, Part.SENTENCE_LENGTHS)
    limits = (3, round(4 * task.sentence_length))
    lengths = lognormal_lengths(task.sentence_length, task.length_spread, limits, normals)
    text = write_reference(lengths, LANGUAGE, draws)
    n_words, table = len(text.words), LANGUAGE.word_table
    references = []
    for number in range(task.n_references):
        words = draws.words(n_words, Part.PARAPHRASES, number)
        otherwise = (words >> np.uint64(11)) * 2.0**-53 < task.paraphrases
        references.append(TokenArray(np.where(otherwise, table[words & np.uint64(0xFFFF)], text.words), text.starts))
    sentence_effects = draws.normals(n_segments, Part.SENTENCE_DIFFICULTY)[text.segment_of_word]
    word_effects = draws.normals(n_words, Part.WORD_DIFFICULTY)
    return Sentences(
        text=text,
        references=tuple(references),
        difficulty=task.difficulty * sentence_effects + task.word_difficulty * word_effects,
        variance=task.difficulty**2 + task.word_difficulty**2,
        draws=draws,
    )


def make_lists(
    sentences: Sentences,
    decoder: Decoder,
    number: int = 0,
    *,
    rng: RngLike = None,
) -> NBestLists:
    """Make up the n-best lists of one system.

    Parameters
    ----------
    sentences : Sentences
    decoder : Decoder
    number : int
        Which of the systems that translate these sentences, counted from 0: each has draws of its own.
    rng : int, numpy.random.Generator, RandomKey or None
        For what each feature sees: to be the same for the dev and the test set.
    """
    hypotheses = [translate_once(sentences, decoder, number, place) for place in range(decoder.n_hypotheses)]
    statistics = np.stack([match_words(text, *sentences.references) for text in hypotheses], axis=1)
    return NBestLists(
        features=make_features(statistics, sentences, decoder, number, Draws(rng)),
        statistics=statistics,
        metric=Bleu(tokenize="none"),
        hypotheses=np.column_stack([write_column(text) for text in hypotheses]),
        references=np.column_stack([write_column(reference) for reference in sentences.references]),
    )


def translate_once(sentences: Sentences, decoder: Decoder, number: int, place: int) -> TokenArray:
    """Make up the hypotheses that stand at one place, counted from 0, of each list."""
    from mtworkbench.distributions import ndtri

    draws, text = sentences.draws, sentences.text
    n_words = len(text.words)
    own = draws.normals(n_words, Part.OWN_DIFFICULTY, number)
    quality = draws.normals(len(text), Part.HYPOTHESIS_QUALITY, number, place)[text.segment_of_word]
    noise = draws.normals(n_words, Part.HYPOTHESIS_NOISE, number, place)
    variance = sentences.variance + decoder.own_difficulty**2 + decoder.spread**2 + 1
    offset = ndtri(decoder.error_rate) * np.sqrt(variance)
    latent = offset + sentences.difficulty + decoder.own_difficulty * own + decoder.spread * quality + noise
    errors = draws.words(n_words, Part.HYPOTHESIS_ERRORS, number, place)
    hypotheses, _ = send_through_channel(text, latent, errors, LANGUAGE.word_table, DELETIONS, ERROR_KINDS)
    return hypotheses


def make_features(
    statistics: np.ndarray, sentences: Sentences, decoder: Decoder, number: int, sight: Draws
) -> np.ndarray:
    """Make up what the features say: the length, and views of the matched n-grams through noise.

    Parameters
    ----------
    statistics : (n_segments, n_hypotheses, 10) ndarray
    sentences : Sentences
    decoder : Decoder
    number : int
        Which of the systems, counted from 0.
    sight : Draws
        For how much each view makes of matches of each order, and for how much noise it has.

    Returns
    -------
    (n_features, n_segments, n_hypotheses) ndarray
    """
    n_segments, n_hypotheses = statistics.shape[:2]
    features = np.empty((decoder.n_features, n_segments, n_hypotheses))
    features[0] = statistics[..., 0]
    for view in range(1, decoder.n_features):
        *orders, clouding = sight.normals(ORDERS + 1, Part.FEATURE_SIGHT, view)
        matches = sum(abs(weight) * statistics[..., 1 + order] for order, weight in enumerate(orders, start=1))
        noise_sd = decoder.feature_noise * np.exp(NOISE_SPREAD * clouding) * np.sqrt(sentences.text.lengths)
        for place in range(n_hypotheses):
            noise = sentences.draws.normals(n_segments, Part.FEATURE_NOISE, number, view, place)
            features[view, :, place] = matches[:, place] + noise_sd * noise
    return features
