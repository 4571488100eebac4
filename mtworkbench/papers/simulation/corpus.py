"""Made-up corpora: a reference and the outputs of systems whose errors are related, as text.

Nothing here draws a score: BLEU is computed from the text by the ordinary route.

The length of the outputs can be set, as by a decoder's word penalty (Koehn (2004), §2.3, Fig. 1).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.papers.simulation.draws import Draws, Part
from mtworkbench.papers.simulation.noisy_channel import (
    ErrorKinds,
    MadeUpSystem,
    burst_noise,
    run_chain,
    send_through_channel,
)
from mtworkbench.papers.simulation.pseudotext import (
    Language,
    TokenArray,
    divide_into_documents,
    lognormal_lengths,
    outputs_frame,
    write_column,
    write_reference,
)
from mtworkbench.resampling import RngLike

# A system knows only little of which of its words are wrong: its confidence is what makes words wrong plus this doubt,
# whose sd is in the same units and which comes in bursts, as errors do. Both set by hand: at a ratio of 0.85 BLEU loses
# about a fifth and GTM 3 to 5 %.
DOUBT_SD, DOUBT_BURSTS = 6.0, 0.6
LENGTH_RATIOS = (0.5, 2.0)
# Number of the draws of the one run that systems have here.
FIRST_RUN = 0


@dataclass(frozen=True)
class Difficulty:
    """What makes words wrong besides the system: standard deviations in units of the noise from word to word.

    Parameters
    ----------
    document_sd, segment_sd : float
        Of the effects of documents and of segments.
    document_memory : float
        Correlation of the effects of a document and the next.
    document_correlation : float
        Correlation of two systems' effects of the same document.
    """

    document_sd: float
    segment_sd: float
    document_memory: float = 0.3
    document_correlation: float = 0.92


@dataclass(frozen=True)
class CorpusDesign:
    """Everything about a made-up corpus but its random draws.

    Parameters
    ----------
    n_segments : int
    systems : tuple of MadeUpSystem
    correlations : tuple of tuple of float
        Correlation between systems of the segments' effects and of the noise, one row per system.
    difficulty : Difficulty
    segment_length, document_length : tuple of float
        Mean (in words; in segments) and standard deviation of the logarithm.
    segment_limits : tuple of int
        Shortest and longest segment, in words.
    """

    n_segments: int
    systems: tuple[MadeUpSystem, ...]
    correlations: tuple[tuple[float, ...], ...]
    difficulty: Difficulty
    segment_length: tuple[float, float] = (30.0, 0.5)
    segment_limits: tuple[int, int] = (3, 100)
    document_length: tuple[float, float] = (100.0, 0.5)
    kinds: ErrorKinds = field(default_factory=ErrorKinds)
    language: Language = field(default_factory=Language)


class MadeUpCorpus:
    """A made-up corpus: `reference`, `document_of_segment` and, on demand, each system's hypotheses.

    Parameters
    ----------
    design : CorpusDesign
    rng : int, numpy.random.Generator or None
        See `mtworkbench.resampling.resolve_rng`.
    """

    def __init__(self, design: CorpusDesign, *, rng: RngLike = None):
        self.design = design
        self.draws = Draws(rng)
        n_segments = design.n_segments
        normals = self.draws.normals(n_segments, Part.SEGMENT_LENGTHS)
        lengths = lognormal_lengths(*design.segment_length, design.segment_limits, normals)
        self.reference = write_reference(lengths, design.language, self.draws)
        self.document_of_segment = divide_into_documents(n_segments, *design.document_length, self.draws)
        self.word_table = design.language.word_table

    @property
    def documents(self) -> np.ndarray:
        """Name of each segment's document, as (n_segments,) ndarray of str."""
        width = len(str(self.document_of_segment[-1] + 1))
        names = np.array([f"doc{number + 1:0{width}d}" for number in range(self.document_of_segment[-1] + 1)], object)
        return names[self.document_of_segment]

    def system_number(self, name: str) -> int:
        """Return a system's place among the systems, counted from 0."""
        names = [system.name for system in self.design.systems]
        if name not in names:
            raise InputError("unknown-system", f"There is no made-up system {name!r}; there are {', '.join(names)}.")
        return names.index(name)

    @cached_property
    def segment_effects(self) -> np.ndarray:
        """Effects of document and segment together, as (n_systems, n_segments) ndarray.

        Means, variances and correlations are those of the design exactly, not only on average: otherwise the
        differences between systems would vary by 0.2 BLEU from one seed to the next.
        """
        difficulty, n_systems = self.design.difficulty, len(self.design.systems)
        memory, shared = difficulty.document_memory, difficulty.document_correlation
        n_documents = int(self.document_of_segment[-1]) + 1
        document_normals = self._normals(n_documents, Part.DOCUMENT_EFFECTS)
        chains = np.stack([run_chain(one, memory) for one in document_normals])[:, self.document_of_segment]
        same = np.full((n_systems, n_systems), shared) + (1 - shared) * np.eye(n_systems)
        segment_normals = self._normals(self.design.n_segments, Part.SEGMENT_EFFECTS)
        return difficulty.document_sd * standardize(chains, same) + difficulty.segment_sd * standardize(
            segment_normals, np.array(self.design.correlations)
        )

    @cached_property
    def innovations(self) -> np.ndarray:
        """Innovations of the noise from word to word, related between systems: (n_systems, n_words) ndarray."""
        root = np.linalg.cholesky(np.array(self.design.correlations))
        return root @ self._normals(len(self.reference.words), Part.WORD_NOISE)

    def _normals(self, count: int, part: Part) -> np.ndarray:
        return np.stack([self.draws.normals(count, part, number) for number in range(len(self.design.systems))])

    def latent(self, system: MadeUpSystem) -> np.ndarray:
        """Return what makes a word wrong where it exceeds 0.

        Parameters
        ----------
        system : MadeUpSystem
            One of the design's, or one of the same name with other parameters.

        Returns
        -------
        (n_words,) ndarray
        """
        number = self.system_number(system.name)
        effects = np.repeat(self.segment_effects[number], self.reference.lengths)
        return system.offset + effects + burst_noise(self.innovations[number], system.bursts)

    def translate(self, system: str | MadeUpSystem) -> TokenArray:
        """Return the hypotheses of a system, one per segment.

        Parameters
        ----------
        system : str or MadeUpSystem
            A system's name; or a system of that name with other parameters.

        Returns
        -------
        TokenArray
        """
        return self.translate_aligned(system)[0]

    def translate_aligned(self, system: str | MadeUpSystem) -> tuple[TokenArray, np.ndarray]:
        """Return what `translate` returns, and where each word comes from.

        Returns
        -------
        hypothesis : TokenArray
        origins : (n_hypothesis_words,) ndarray of int64
            For each word of the hypothesis the word of the reference that it stands for, in the whole text.
        """
        if isinstance(system, str):
            system = self.design.systems[self.system_number(system)]
        return self.send(system, self.latent(system), FIRST_RUN)

    def send(self, system: MadeUpSystem, latent: np.ndarray, run: int) -> tuple[TokenArray, np.ndarray]:
        """Send the reference through the channel: what happens to wrong words is drawn anew for each run."""
        errors = self.draws.words(len(latent), Part.ERRORS, self.system_number(system.name), run)
        return send_through_channel(
            self.reference, latent, errors, self.word_table, system.deletions, self.design.kinds
        )

    def to_frame(self, systems: Iterable[str] | None = None, segments: np.ndarray | None = None) -> pd.DataFrame:
        """Write hypotheses out as an outputs frame, one row per (system, segment).

        Parameters
        ----------
        systems : iterable of str, optional
            All of them unless given.
        segments : ndarray, optional
            Positions, counted from 0; all of them unless given.

        Returns
        -------
        DataFrame
            With the columns document, segment, reference, system, run and hypothesis.
        """
        names = [system.name for system in self.design.systems] if systems is None else systems
        places = np.arange(self.design.n_segments) if segments is None else segments
        references = write_column(self.reference.take(places))[:, None]
        frames = [outputs_frame(references, name, 1, write_column(self.translate(name).take(places))) for name in names]
        for frame in frames:
            frame["segment"] = places + 1
            frame.insert(0, "document", pd.Series(self.documents[places], dtype=object))
        return pd.concat(frames, ignore_index=True)


def standardize(normals: np.ndarray, correlation: np.ndarray) -> np.ndarray:
    """Give random numbers mean 0, variance 1 and these correlations exactly.

    Parameters
    ----------
    normals : (n_rows, n_columns) ndarray
    correlation : (n_rows, n_rows) ndarray

    Returns
    -------
    (n_rows, n_columns) ndarray
    """
    centred = normals - normals.mean(axis=1, keepdims=True)
    root = np.linalg.cholesky(centred @ centred.T / centred.shape[1])
    return np.linalg.cholesky(correlation) @ np.linalg.solve(root, centred)


class OutputAtLengths:
    """A system's output, made shorter or longer.

    Shorter output leaves out the words of which the system is least confident, wherever they are; longer output has
    further words where the system is most in trouble, each drawn as substitutions are. One threshold serves the whole
    test set, as a word penalty does; a segment keeps at least one word. The order of the words is the same for all
    lengths, so it is found once.

    Parameters
    ----------
    corpus : MadeUpCorpus
    system : str
    """

    def __init__(self, corpus: MadeUpCorpus, system: str):
        self._corpus, self._number = corpus, corpus.system_number(system)
        own = corpus.design.systems[self._number]
        self._latent = corpus.latent(own)
        self._hypothesis, self._origins = corpus.send(own, self._latent, FIRST_RUN)

    def translate(self, ratio: float) -> TokenArray:
        """Return the output.

        Parameters
        ----------
        ratio : float
            Words of the output in relation to those of the reference, from 0.5 to 2.

        Returns
        -------
        TokenArray

        Raises
        ------
        InputError
            For a ratio out of range.
        """
        check_length_ratio(ratio)
        n_further = round(ratio * len(self._latent)) - len(self._hypothesis.words)
        return self._lengthen(n_further) if n_further >= 0 else self._shorten(-n_further)

    @cached_property
    def _least_confident(self) -> np.ndarray:
        """The words, the least confident first, but at the end each segment's most confident one."""
        doubt = self._corpus.draws.normals(len(self._latent), Part.CONFIDENCES, self._number, FIRST_RUN)
        confidence = -(self._latent + DOUBT_SD * burst_noise(doubt, DOUBT_BURSTS))[self._origins]
        best = np.maximum.reduceat(confidence, self._hypothesis.starts[:-1])
        safe = confidence == np.repeat(best, self._hypothesis.lengths)
        return np.argsort(np.where(safe, np.inf, confidence), kind="stable")

    def _shorten(self, n_left_out: int) -> TokenArray:
        """Leave out the least confident words, but never a segment's most confident one."""
        hypothesis = self._hypothesis
        kept = np.ones(len(hypothesis.words), dtype=bool)
        kept[self._least_confident[:n_left_out]] = False
        lengths = np.add.reduceat(kept.astype(np.int64), hypothesis.starts[:-1])
        return TokenArray(hypothesis.words[kept], np.concatenate([[0], np.cumsum(lengths)]))

    @cached_property
    def _rank_of_trouble(self) -> np.ndarray:
        rank = np.empty(len(self._origins), dtype=np.int64)
        rank[np.argsort(-self._latent[self._origins], kind="stable")] = np.arange(len(rank))
        return rank

    @cached_property
    def _further_words(self) -> np.ndarray:
        drawn = self._corpus.draws.words(len(self._latent), Part.LENGTHENING, self._number, FIRST_RUN)
        return self._corpus.word_table[drawn >> np.uint64(48)][self._origins]

    def _lengthen(self, n_further: int) -> TokenArray:
        """Put further words behind those with most trouble, one behind each, and again from the start if need be."""
        hypothesis, n_words = self._hypothesis, len(self._origins)
        rounds, rest = divmod(n_further, n_words)
        copies = 1 + rounds + (self._rank_of_trouble < rest)
        origins = np.repeat(np.arange(n_words), copies)
        is_copy = np.concatenate([[False], origins[1:] == origins[:-1]])
        lengths = np.add.reduceat(copies, hypothesis.starts[:-1])
        words = np.where(is_copy, self._further_words[origins], hypothesis.words[origins])
        return TokenArray(words, np.concatenate([[0], np.cumsum(lengths)]))


def check_length_ratio(ratio: float) -> None:
    """Refuse a length that no output is given."""
    if not LENGTH_RATIOS[0] <= ratio <= LENGTH_RATIOS[1]:
        raise InputError(
            "length-ratio",
            f"A length ratio of {ratio!r} was asked for, but one from {LENGTH_RATIOS[0]:g} to {LENGTH_RATIOS[1]:g} was "
            "expected: 1 is the length of the reference.",
        )
