"""Tune the three parameters of a made-up system until its text has the precisions and the BLEU score wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.metrics.bleu import Bleu
from mtworkbench.simulation.corpus import MadeUpCorpus
from mtworkbench.simulation.noisy_channel import MadeUpSystem

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
