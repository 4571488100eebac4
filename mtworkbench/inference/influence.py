"""How much each unit moves the score: the delta method that needs no sentence scores.

Koehn (2004), §5, notes that BLEU has no analytical error. What the delta method needs are derivatives of the score by
the *sums* of the statistics, and those every metric here has.
"""

from __future__ import annotations

import numpy as np

from mtworkbench.inference.units import Units
from mtworkbench.metrics.protocol import Metric
from mtworkbench.statistics.segment_statistics import SystemStatistics

# Near the best of a central difference in float64: truncation and rounding are both about 5e-11 of the score. A larger
# step would reach over the kink of BLEU's brevity penalty more often.
RELATIVE_STEP = 1e-5
# Standard errors below this share of the score are rounding: nothing varies.
NO_VARIATION = 1e-9


def score_gradient(metric: Metric, totals: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Differentiate the score by each summed statistic, through central differences.

    Parameters
    ----------
    metric : Metric
    totals : (n_statistics,) ndarray
        Where the derivative is taken.
    sizes : (n_statistics,) ndarray
        The sums of the absolute statistics, to which the steps are relative. A statistic that is 0 in every segment
        needs no step: its derivative is given as 0.

    Returns
    -------
    (n_statistics,) ndarray
        Score points for each unit of the statistic. Where the score has a kink (a system exactly as long as its
        reference), the mean of the derivatives on both sides.
    """
    steps = RELATIVE_STEP * sizes
    # At a kink a central difference errs in proportion to its step: twice that of half the step, less it, does not.
    return 2 * central_difference(metric, totals, steps / 2) - central_difference(metric, totals, steps)


def central_difference(metric: Metric, totals: np.ndarray, steps: np.ndarray) -> np.ndarray:
    """Differentiate the score by each summed statistic with the steps given, (n_statistics,); 0 where there is none."""
    shifts = np.diag(steps)
    above, below = metric.score(totals + shifts), metric.score(totals - shifts)
    return np.divide(above - below, 2 * steps, out=np.zeros_like(steps), where=steps > 0)


def run_influence(system: SystemStatistics) -> np.ndarray:
    """Return the derivative of each run's score with respect to each segment's weight.

    Returns
    -------
    (n_runs, n_segments) ndarray
        In score points; a row sums to 0 where the score does not change when all weights grow alike.
    """
    influence = np.empty((system.n_runs, system.n_segments))
    for run, row in zip(system.values, influence, strict=True):
        sizes = np.abs(run).sum(axis=0, dtype=np.float64)
        row[:] = run @ score_gradient(system.metric, run.sum(axis=0, dtype=np.float64), sizes)
    return influence


def segment_influence(system: SystemStatistics) -> np.ndarray:
    """Return the derivative of a system's score with respect to each segment's weight.

    Of several runs the mean, as the system's score is the mean of its runs' scores.

    Returns
    -------
    (n_segments,) ndarray
        In score points.
    """
    return run_influence(system).mean(axis=0)


def unit_influence(influence: np.ndarray, units: Units) -> np.ndarray:
    """Sum the influence of segments over units: (..., n_segments) -> (..., n_units) ndarray."""
    return units.sum(influence[..., None])[..., 0]


def jackknife_variance(influence: np.ndarray) -> float | None:
    """Return the infinitesimal jackknife's variance of a score or of a difference.

    With u_i the derivative by unit i's weight, n / (n - 1) * sum of u_i**2; None for one unit.
    """
    n_units = len(influence)
    if n_units < 2:
        return None
    return float(n_units / (n_units - 1) * np.sum(influence**2))


def design_effect(influence: np.ndarray, documents: Units | None, scale: float) -> float | None:
    """Return by how much documents inflate the variance: jackknife variance by document / by segment.

    Parameters
    ----------
    influence : (n_segments,) ndarray
        Of a score, or of a difference.
    documents : Units or None
        None where documents are not known.
    scale : float
        The larger absolute score, against which a variance is told from rounding.

    Returns
    -------
    float or None
        None where documents are not known, there is only one, or nothing varies.
    """
    if documents is None:
        return None
    by_segment, by_document = jackknife_variance(influence), jackknife_variance(unit_influence(influence, documents))
    if by_document is None or by_segment <= (NO_VARIATION * scale) ** 2:
        return None
    return by_document / by_segment
