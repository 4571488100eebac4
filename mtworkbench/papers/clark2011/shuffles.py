"""How outputs are dealt out to two pseudo-systems, and the slip of a program that did it otherwise.

Where the runs of each sentence are permuted before a coin decides the side, the second pseudo-system must get the
outputs that the first one did not. MultEval 0.5.1 gives it the *inverse* permutation instead: the same for two runs,
but from three runs on some outputs are used twice and others never, and p comes out too small.
"""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from mtworkbench.resampling import RngLike

PARTITION, INVERSE = "partition", "inverse permutation (MultEval 0.5.1)"


def count_uses(
    numbers: Sequence[int] = (1, 2, 3, 5, 10), *, n_trials: int | None = None, level: float = 0.05, rng: RngLike = None
) -> pd.DataFrame:
    """Compute how often each output of a sentence is used by the two pseudo-systems together, and what follows for p.

    With the inverse permutation, the two outputs of a run are used once each if the run lies in a cycle of one or two
    runs of the permutation (chance 2 / n), because then both sides ask the same coin. Otherwise two coins are asked,
    and each output is used once with chance 1/2, else twice or never. So the share used once is 1/2 + 1/n for n >= 2.

    An output that is used twice is on both sides, so it cancels, as does one that is never used. So the null
    distribution of the difference has only the outputs that are used once, and its variance is their share of what it
    should be. (The outputs are taken as independent and the difference as normal.)

    Parameters
    ----------
    numbers : sequence of int
        Runs of each system.
    n_trials, rng : optional
        Without effect: the shares were drawn in earlier versions, and are computed exactly now.
    level : float
        Of the test.

    Returns
    -------
    DataFrame
        One row per number of runs and shuffle: ``n_runs``, ``shuffle`` ("partition" or "inverse permutation (MultEval
        0.5.1)"), ``never_percent``, ``once_percent``, ``more_percent`` of the outputs, ``rejected_percent`` (true null
        hypotheses that a test at this level rejects).
    """
    from scipy.special import ndtr, ndtri

    rows = []
    for n_runs in numbers:
        for shuffle, once in ((PARTITION, 1.0), (INVERSE, min(1.0, 0.5 + 1 / n_runs))):
            other = 50 * (1 - once)  # on average each output is used once
            rows.append(
                {
                    "n_runs": n_runs,
                    "shuffle": shuffle,
                    "never_percent": other,
                    "once_percent": 100 * once,
                    "more_percent": other,
                    "rejected_percent": 200 * float(ndtr(ndtri(level / 2) * once**0.5)),
                }
            )
    return pd.DataFrame(rows)
