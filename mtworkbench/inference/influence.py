"""Variances from influence: how much each unit moves a score or a difference."""

from __future__ import annotations

import numpy as np

from mtworkbench.inference.units import Units

# Standard errors below this share of the score are rounding: nothing varies.
NO_VARIATION = 1e-9


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
