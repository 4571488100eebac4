"""A made-up corpus in the place of Koehn's (2004): 30,000 sentences, six systems, one reference.

The paper's sentences and systems are not available. Fitted to the paper are: each system's three parameters, to Table
1; the correlations between systems, to the rows of Table 3; the lengths and difficulties of documents, to the spread of
Figs. 2, 3 and 6. Not fitted, and so evidence: one number per pair fits the conclusions at every sample size, also the
wrong ones, and Table 4 is met.

For references (§2.3) there is a smaller test set: people who say the same in other words, and systems that err.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import numpy as np
import pandas as pd

from mtworkbench.papers.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.papers.simulation.noisy_channel import ErrorKinds, MadeUpSystem
from mtworkbench.papers.simulation.pseudotext import name_reference
from mtworkbench.resampling import RngLike
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
# Of the test set with several references, set by hand. People and systems go through the same channel; people change
# fewer words. What nobody sees is the text that all start from.
PEOPLE_OFFSET, SYSTEM_OFFSETS = -0.55, {"careful": -0.12, "plain": 0.0, "hasty": 0.12}
N_PEOPLE, CORRELATION = 5, 0.5


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


def make_several_references(*, rng: RngLike = None) -> pd.DataFrame:
    """Make up three systems' outputs of 1,000 segments, and five references.

    Parameters
    ----------
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        An outputs frame with the columns ``reference``, ``reference_2`` ...
    """
    people = [f"person {number}" for number in range(1, N_PEOPLE + 1)]
    offsets = dict.fromkeys(people, PEOPLE_OFFSET) | SYSTEM_OFFSETS
    n = len(offsets)
    design = CorpusDesign(
        n_segments=1000,
        systems=tuple(MadeUpSystem(name, offset, bursts=0.5, deletions=0.08) for name, offset in offsets.items()),
        correlations=tuple(map(tuple, (CORRELATION + (1 - CORRELATION) * np.eye(n)).tolist())),
        difficulty=Difficulty(document_sd=0.1, segment_sd=0.2),
        segment_length=(20.0, 0.5),
        document_length=(20.0, 0.4),
    )
    rows = MadeUpCorpus(design, rng=rng).to_frame()
    outputs = rows[rows["system"].isin(list(SYSTEM_OFFSETS))].reset_index(drop=True)
    for number, person in enumerate(people, start=1):
        texts = rows.loc[rows["system"] == person, "hypothesis"].to_numpy()
        # Objects, as in every other frame of outputs: the texts of columns of pandas' own strings are read more slowly.
        outputs[name_reference(number)] = pd.Series(np.tile(texts, len(SYSTEM_OFFSETS)), dtype=object)
    return outputs
