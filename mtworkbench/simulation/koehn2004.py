"""A made-up corpus in the place of Koehn's (2004): 30,000 sentences, six systems, one reference.

The paper's sentences and systems are not available. Fitted to the paper are: each system's three parameters, to Table
1; the correlations between systems, to the rows of Table 3; the lengths and difficulties of documents, to the spread of
Figs. 2, 3 and 6. Not fitted, and so evidence: one number per pair fits the conclusions at every sample size, also the
wrong ones, and Table 4 is met.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.shipped import find_shipped
from mtworkbench.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.simulation.noisy_channel import ErrorKinds, MadeUpSystem
from mtworkbench.simulation.tuning import Quality, tune_system
from mtworkbench.statistics.files import load_statistics
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


def koehn2004_targets() -> dict[str, Quality]:
    """Return what Koehn (2004), Table 1, prints for each system."""
    table = pd.read_csv(find_shipped("data/published/koehn2004_table1.csv"))
    return {row.system: Quality(row.precision_1, row.precision_4, row.bleu) for row in table.itertuples()}


def koehn2004_design(
    systems: tuple[MadeUpSystem, ...] | None = None, correlations: np.ndarray | None = None
) -> CorpusDesign:
    """Return the design of the corpus.

    Parameters
    ----------
    systems : tuple of MadeUpSystem, optional
    correlations : (n_systems, n_systems) ndarray, optional
        Without them those that ``scripts/calibrate_koehn2004.py`` found.

    Returns
    -------
    CorpusDesign
    """
    if systems is None or correlations is None:
        table = pd.read_csv(find_shipped("data/koehn2004/calibration.csv"))
        systems, correlations = _read_systems(table), table[table["system"]].to_numpy()
    return CorpusDesign(
        n_segments=30_000,
        systems=systems,
        correlations=tuple(map(tuple, correlations.tolist())),
        difficulty=DIFFICULTY,
        segment_length=SEGMENT_LENGTH,
        segment_limits=SEGMENT_LIMITS,
        document_length=DOCUMENT_LENGTH,
        kinds=KINDS,
    )


def make_koehn2004_corpus(*, rng: int | np.random.Generator | None = KOEHN2004_RNG) -> MadeUpCorpus:
    """Make the corpus, which is made up: a reference of 30,000 segments and six systems' outputs.

    Every seed's systems are tuned anew to Table 1, which takes some seconds; what that gives for the shipped seed is
    kept in a file.

    Parameters
    ----------
    rng : int, numpy.random.Generator or None
        The default gives the text of `load_koehn2004_statistics`.

    Returns
    -------
    MadeUpCorpus
    """
    corpus = MadeUpCorpus(koehn2004_design(), rng=rng)
    if corpus.draws.random_key.seed == KOEHN2004_RNG:
        return corpus.with_systems(_read_systems(pd.read_csv(find_shipped("data/koehn2004/systems.csv"))))
    targets = koehn2004_targets()
    return corpus.with_systems(
        tuple(tune_system(corpus, system, targets[system.name]) for system in corpus.design.systems)
    )


def _read_systems(table: pd.DataFrame) -> tuple[MadeUpSystem, ...]:
    return tuple(MadeUpSystem(row.system, row.offset, row.bursts, row.deletions) for row in table.itertuples())


def load_koehn2004_statistics() -> SegmentStatistics:
    """Load the shipped BLEU statistics of the six made-up systems.

    Returns
    -------
    SegmentStatistics
        Those of ``make_koehn2004_corpus()``, without making the text.
    """
    (statistics,) = load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    return statistics
