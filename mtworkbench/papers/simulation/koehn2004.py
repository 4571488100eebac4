"""A made-up corpus in the place of Koehn's (2004): 30,000 sentences, six systems, one reference.

The paper's sentences and systems are not available. Fitted to the paper are: each system's three parameters, to Table
1; the correlations between systems, to the rows of Table 3; the lengths and difficulties of documents, to the spread of
Figs. 2, 3 and 6. Not fitted, and so evidence: one number per pair fits the conclusions at every sample size, also the
wrong ones, and Table 4 is met.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics.bleu import Bleu
from mtworkbench.papers.simulation.corpus import CorpusDesign, Difficulty, MadeUpCorpus
from mtworkbench.papers.simulation.noisy_channel import ErrorKinds, MadeUpSystem
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics import files
from mtworkbench.statistics.segment_statistics import SegmentStatistics

# Columns of BLEU's statistics: matches and numbers of n-grams of order n are MATCHES + n and NGRAMS + n.
MATCHES, NGRAMS = 1, 5
# How 1-gram precision, 4-gram precision and BLEU (points) change with offset, bursts and deletions: measured once on
# Koehn's six systems, about the same for all, and corrected on the way (Broyden's method).
SLOPES = np.array([[-33.0, 0.0, 25.0], [-28.0, 17.0, 6.0], [-38.0, 18.0, 0.0]])
LOWEST, HIGHEST = np.array([-2.0, -0.5, 0.0]), np.array([2.0, 0.95, 0.8])
LONGEST_STEP = 0.1
N_STEPS = 20


@dataclass(frozen=True)
class Quality:
    """Corpus-level quality of a system's text, in %; as a target of `tune_system`, or how near it must come.

    Parameters
    ----------
    precision_1, precision_4 : float
        Precision of 1-grams and of 4-grams.
    bleu : float
    """

    precision_1: float
    precision_4: float
    bleu: float

    def to_array(self) -> np.ndarray:
        """Return the three numbers as (3,) ndarray."""
        return np.array([self.precision_1, self.precision_4, self.bleu])


#: BLEU must be met closely, for differences between systems are what the studies are about.
CLOSE_ENOUGH = Quality(precision_1=0.1, precision_4=0.04, bleu=0.005)


def measure_quality(statistics: np.ndarray) -> Quality:
    """Measure precisions and BLEU of segments together.

    Parameters
    ----------
    statistics : (n_segments, 10) ndarray
        Of `Bleu`.

    Returns
    -------
    Quality
    """
    totals = statistics.sum(axis=0)
    first, fourth = (100 * totals[MATCHES + order] / totals[NGRAMS + order] for order in (1, 4))
    return Quality(float(first), float(fourth), float(Bleu().score(totals)))


def tune_system(
    corpus: MadeUpCorpus, system: MadeUpSystem, target: Quality, close_enough: Quality = CLOSE_ENOUGH
) -> MadeUpSystem:
    """Find offset, bursts and deletions that give a system the quality wanted on this corpus.

    Parameters
    ----------
    corpus : MadeUpCorpus
    system : MadeUpSystem
        Where to start; returned as it is where it is close enough.
    target, close_enough : Quality
        What is wanted, and how far it may be missed.

    Returns
    -------
    MadeUpSystem
        With parameters of four decimals.

    Raises
    ------
    InputError
        Where 20 steps do not reach the target: the three numbers then contradict each other for such text.
    """
    point = np.array([system.offset, system.bursts, system.deletions])
    wanted, near, slopes = target.to_array(), close_enough.to_array(), SLOPES.copy()
    reached = _try(corpus, system, point)
    for _ in range(N_STEPS):
        if (np.abs(reached - wanted) <= near).all():
            return _with_parameters(system, point)
        step = np.clip(np.linalg.solve(slopes, wanted - reached), -LONGEST_STEP, LONGEST_STEP)
        step = np.round(np.clip(point + step, LOWEST, HIGHEST), 4) - point
        if not step.any():
            break
        before, point = reached, point + step
        reached = _try(corpus, system, point)
        slopes += np.outer(reached - before - slopes @ step, step) / (step @ step)
    raise InputError(
        "not-tuned",
        f"{system.name!r} was to have a 1-gram precision, a 4-gram precision and a BLEU score of "
        f"{', '.join(f'{value:.2f}' for value in wanted)}, but tuning ended at "
        f"{', '.join(f'{value:.2f}' for value in reached)}: start from a system that is nearer.",
    )


def _try(corpus: MadeUpCorpus, system: MadeUpSystem, point: np.ndarray) -> np.ndarray:
    return measure_quality(corpus.bleu_statistics(_with_parameters(system, point))).to_array()


def _with_parameters(system: MadeUpSystem, point: np.ndarray) -> MadeUpSystem:
    offset, bursts, deletions = (round(float(value), 4) for value in point)
    return replace(system, offset=offset, bursts=bursts, deletions=deletions)


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


def load_statistics() -> SegmentStatistics:
    """Load the shipped BLEU statistics of the six made-up systems.

    Returns
    -------
    SegmentStatistics
        Those of ``make_koehn2004_corpus()``, without making the text.
    """
    (statistics,) = files.load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    return statistics


load_koehn2004_statistics = load_statistics


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
    return corpus.write_part(systems, segments) if is_shipped and known.issuperset(systems) else None


@cache
def _shipped_corpus() -> tuple[MadeUpCorpus, str]:
    """Return the corpus whose statistics are shipped, and the fingerprint of its references."""
    return make_koehn2004_corpus(), load_statistics().test_set.references
