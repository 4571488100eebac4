"""A made-up corpus in the place of Koehn's (2004): 30,000 sentences, six systems, one reference.

The paper's sentences and systems are not available. Fitted to the paper are: each system's three parameters, to Table
1; the correlations between systems, to the rows of Table 3; the lengths and difficulties of documents, to the spread of
Figs. 2, 3 and 6. Not fitted, and so evidence: one number per pair fits the conclusions at every sample size, also the
wrong ones, and Table 4 is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from mtworkbench.papers.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.papers.simulation.noisy_channel import ErrorKinds, MadeUpSystem
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics import files
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: Seed of the shipped statistics: the first, from 1 on, on which every demand of the data card is met.
KOEHN2004_RNG = 1
# Set by hand. Documents' lengths and sd: the spread of blocks (Fig. 2). Segments' sd and the spread of their lengths:
# the spread of broad samples and the intervals (Figs. 3 and 6). Moves: so that all six rows of Table 1 can be met.
# The correlation between systems' effects of a document is so high that counting documents instead of segments widens
# differences less than scores, as it does on real test sets.
DIFFICULTY = Difficulty(document_sd=0.09, segment_sd=0.17, document_memory=0.3, document_correlation=0.92)
KINDS = ErrorKinds(insertions=0.08, moves=0.02)
SEGMENT_LENGTH, SEGMENT_LIMITS = (30.5, 0.7), (3, 120)
DOCUMENT_LENGTH = (250.0, 0.5)


def koehn2004_design() -> CorpusDesign:
    """Return the design of the corpus, with the systems that ``scripts/calibrate_koehn2004.py`` tuned to its seed."""
    table = pd.read_csv(find_shipped("data/koehn2004/systems.csv"))
    return CorpusDesign(
        n_segments=30_000,
        systems=tuple(MadeUpSystem(row.system, row.offset, row.bursts, row.deletions) for row in table.itertuples()),
        correlations=tuple(map(tuple, table[table["system"]].to_numpy().tolist())),
        difficulty=DIFFICULTY,
        segment_length=SEGMENT_LENGTH,
        segment_limits=SEGMENT_LIMITS,
        document_length=DOCUMENT_LENGTH,
        kinds=KINDS,
    )


def make_koehn2004_corpus() -> MadeUpCorpus:
    """Make the corpus, which is made up: a reference of 30,000 segments and six systems' outputs.

    Returns
    -------
    MadeUpCorpus
        The text of `load_statistics`.
    """
    return MadeUpCorpus(koehn2004_design(), rng=KOEHN2004_RNG)


def load_statistics() -> SegmentStatistics:
    """Load the shipped BLEU statistics of the six made-up systems.

    Returns
    -------
    SegmentStatistics
        Those of ``make_koehn2004_corpus()``, without making the text.
    """
    (statistics,) = files.load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    return statistics


def find_sentences(statistics: SegmentStatistics, systems: Iterable[str], segments: np.ndarray) -> pd.DataFrame | None:
    """Write out some sentences of the made-up systems, which are not shipped but made again.

    Parameters
    ----------
    statistics : SegmentStatistics
    systems : iterable of str
    segments : ndarray
        Positions in the test set, counted from 0.

    Returns
    -------
    DataFrame or None
        As of `read_outputs`; None where the statistics are not of the shipped test set.
    """
    corpus, references = _shipped_corpus()
    systems = list(systems)
    is_shipped = statistics.test_set.references == references and len(statistics.test_set) == corpus.design.n_segments
    known = {system.name for system in corpus.design.systems}
    return corpus.to_frame(systems, segments) if is_shipped and known.issuperset(systems) else None


@cache
def _shipped_corpus() -> tuple[MadeUpCorpus, str]:
    """Return the corpus whose statistics are shipped, and the fingerprint of its references."""
    return make_koehn2004_corpus(), load_statistics().test_set.references
