"""Length of the output in % of the references', as MultEval prints it with every score."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.metrics.bleu import closest_length
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.metrics.texts import ReferenceTexts, present_references, run_texts


@dataclass(frozen=True)
class Length(KnownMetric):
    """Hypothesis words in % of reference words, split at white space (Clark et al. (2011), Table 1; MultEval).

    Neither longer nor shorter is better: wins, losses and confidence are absent.
    """

    name: ClassVar[str] = "Length"
    statistic_names: ClassVar[tuple[str, ...]] = ("hypothesis_length", "reference_length")
    higher_is_better: ClassVar[None] = None
    unit: ClassVar[str] = "% of reference"
    help_line: ClassVar[str] = "length"
    signature: ClassVar[str] = "ref:closest|tok:none"

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Count the words of one run.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 2) ndarray of int64
            Words of the hypothesis, and of the reference that BLEU takes: the closest in length, of two equally close
            ones the shorter.
        """
        texts = run_texts(outputs)
        hypotheses = np.fromiter((len(text.split()) for text in texts.hypotheses), np.int64, len(texts.hypotheses))
        references = count_reference_words(texts.references)
        closest = closest_length(hypotheses, references, present_references(texts.references))
        return np.column_stack([hypotheses, closest])

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics.

        Parameters
        ----------
        totals : (..., 2) ndarray

        Returns
        -------
        (...) ndarray of float64
            In %; 0 where the references have no word.
        """
        totals = np.asarray(totals, dtype=np.float64)
        hypothesis, reference = totals[..., 0], totals[..., 1]
        return np.divide(100.0 * hypothesis, reference, out=np.zeros_like(hypothesis), where=reference > 0)


@lru_cache(maxsize=2)
def count_reference_words(references: tuple[ReferenceTexts, ...]) -> np.ndarray:
    """Count the words of each reference, 0 where absent, as (n_references, n_segments) ndarray of int64."""
    return np.array([[len(text.split()) if text is not None else 0 for text in column] for column in references])
