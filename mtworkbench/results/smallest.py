"""The smallest p that a comparison could have had."""

from __future__ import annotations


def smallest_p(n_coins: int, n_trials: int, exact: bool) -> float:
    """Return the smallest p that a comparison could have had, whatever its scores.

    Parameters
    ----------
    n_coins : int
        k, the coins whose exchange changes the summed statistics.
    n_trials : int
        Trials that were drawn; ignored where exact.
    exact : bool

    Returns
    -------
    float
        ``2**(1 - k)`` where all exchanges are enumerated (the observed difference and its mirror image are two of
        them), but 1 where nothing differs; else ``1 / (n_trials + 1)``.
    """
    return min(1.0, 2.0 ** (1 - n_coins)) if exact else 1 / (n_trials + 1)
