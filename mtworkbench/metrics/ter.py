"""TER (Snover et al., 2006) as sacreBLEU computes it; edits are counted by a compiled search, or by its own code."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from types import ModuleType
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.compiled import load_kernels
from mtworkbench.metrics.options import check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.sacrebleu_adapter import sacrebleu_signature, search_plainly, ter_preprocessing
from mtworkbench.metrics.texts import ReferenceTexts, RunTexts, SymbolSequences, run_texts, spans
from mtworkbench.metrics.words import TERCOM, NumberedReferences, number_run
from mtworkbench.work.threads import compute_parts

# sacreBLEU takes 1 ms for 18 output and 18 reference words, 8 ms for 50 and 50: a product that it grows with roughly.
_SECONDS_PER_PRODUCT = 3e-6
# So many cells of a table take less than 0.1 seconds. The tables of a segment are filled in one go, which takes longer
# than 0.2 seconds where it has more than 300,000 words.
_CELLS_PER_CALL = 20_000_000
# A thread searches pairs of so many reference words at one time.
_WORDS_PER_PART = 2**13


@dataclass(frozen=True)
class Ter(KnownMetric):
    """Translation edit rate with sacreBLEU's options, statistics, scores and signature; lower is better.

    With numba it takes about 0.02 ms for a segment of twenty words and less than 1 ms for one of a hundred; without
    numba, sacreBLEU's own search takes 1 to 2 ms and more than 100 ms. That search for shifts is not tercom's to the
    last edit.

    Parameters
    ----------
    normalized : bool
        Whether texts are tokenized as tercom does it.
    no_punct : bool
        Whether punctuation is removed.
    asian_support : bool
        Whether Asian characters are treated as words where texts are normalized, and their punctuation as punctuation.
    case_sensitive : bool
        Whether case counts; TER's convention is that it does not.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    normalized: bool = False
    no_punct: bool = False
    asian_support: bool = False
    case_sensitive: bool = False

    name: ClassVar[str] = "TER"
    statistic_names: ClassVar[tuple[str, ...]] = ("edits", "reference_length")
    higher_is_better: ClassVar[bool] = False
    unit: ClassVar[str] = "%"
    help_line: ClassVar[str] = "ter"

    def __post_init__(self):
        check_option_types(self)

    @property
    def _options(self) -> tuple[tuple[str, object], ...]:
        return tuple(asdict(self).items())

    @property
    def _tokenizing(self) -> tuple[str, ...]:
        """The names of the tokenizer's options that are on, but for case."""
        names = ("normalized", "no_punct", "asian_support")
        return tuple(name for name in names if getattr(self, name))

    @property
    def signature(self) -> str:
        """Return sacreBLEU's signature without the number of references."""
        return sacrebleu_signature("TER", self._options)

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Compute the statistics of one run, sacreBLEU's own.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 2) ndarray of float64
            Edits (insertions, deletions, substitutions, shifts) to the nearest reference; the references' mean length.
        """
        texts = run_texts(outputs)
        tokenizer = "+".join([TERCOM, *self._tokenizing])
        hypotheses, references = number_run(self._prepare(texts), tokenizer, not self.case_sensitive)
        search = load_search(int((hypotheses.lengths * references.lengths).sum()))
        if search is None:
            return search_plainly(self._options, texts.hypotheses, texts.references)
        return np.column_stack([count_edits(search, hypotheses, references), references.mean_lengths])

    def _prepare(self, texts: RunTexts) -> RunTexts:
        # sacreBLEU tokenizes references twice, outputs once: the second time changes some that are normalized.
        if not self.normalized:
            return texts
        return replace(texts, references=tokenize_texts(self._tokenizing, not self.case_sensitive, texts.references))

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics (Snover et al. (2006), eq. 1).

        Parameters
        ----------
        totals : (..., 2) ndarray

        Returns
        -------
        (...) ndarray of float64
            Edits in % of reference words, from 0, possibly above 100; 100 where something was output for references
            without a word.
        """
        totals = np.asarray(totals, dtype=np.float64)
        edits, reference_length = totals[..., 0], totals[..., 1]
        without_reference = np.where(edits > 0, 1.0, 0.0)
        return 100.0 * np.divide(edits, reference_length, out=without_reference, where=reference_length > 0)


@lru_cache(maxsize=1)
def tokenize_texts(
    options: tuple[str, ...], lowercase: bool, references: tuple[ReferenceTexts, ...]
) -> tuple[ReferenceTexts, ...]:
    """Tokenize references for TER, once for all systems and runs."""
    tokenize = ter_preprocessing(options, lowercase)
    return tuple(tuple(None if text is None else tokenize(text) for text in column) for column in references)


def load_search(products: int) -> ModuleType | None:
    """Return the compiled search, or None where sacreBLEU is to do the work.

    Parameters
    ----------
    products : int
        The number of words of an output times that of its reference, added up over all pairs.
    """
    return load_kernels("shifts", saves=_SECONDS_PER_PRODUCT * products)


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
    outputs = np.ascontiguousarray(np.nonzero(references.present)[1])  # or it would be compiled anew for a part of one
    lengths = references.lengths[references.present]
    words = np.concatenate([sequence.symbols for sequence in references.sequences])
    ends, reference_ends = _add_up(hypotheses.lengths), _add_up(lengths)
    edits = np.zeros(len(outputs), dtype=np.int64)

    def count(part: slice) -> None:
        pairs = hypotheses.symbols, ends, outputs[part], words, reference_ends[part.start : part.stop + 1]
        room = search.make_room(hypotheses.lengths[outputs[part]], lengths[part])
        state, moves = np.zeros(search.STATE, dtype=np.int64), np.zeros((search.MOVES, 3), dtype=np.int32)
        while not search.search(*pairs, edits[part], state, moves, *room, _CELLS_PER_CALL):
            pass  # an interrupt is answered between two calls, or, in other threads, after the parts that have begun

    compute_parts(count, [slice(first, last) for first, last in spans(reference_ends[1:], _WORDS_PER_PART)])
    found = np.full(references.present.shape, np.iinfo(np.int64).max)
    found[references.present] = edits
    return found.min(axis=0)


def _add_up(lengths: np.ndarray) -> np.ndarray:
    """Return where texts that follow each other begin and, with the next number, end."""
    return np.concatenate([[0], np.cumsum(lengths)])
