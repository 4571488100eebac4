"""How outputs are dealt out to two pseudo-systems, and the slip of a program that did it otherwise.

Where the runs of each sentence are permuted before a coin decides the side, the second pseudo-system must get the
outputs that the first one did not. MultEval 0.5.1 gives it the *inverse* permutation instead: the same for two runs,
but from three runs on some outputs are used twice and others never, and p comes out too small.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.inference.checks import check_draws
from mtworkbench.resampling import COINS, SUBSAMPLES, exchange_coins, resolve_rng, stream_words

PARTITION, INVERSE = "partition", "inverse permutation (MultEval 0.5.1)"


def count_uses(
    numbers: Sequence[int] = (1, 2, 3, 5, 10), *, n_trials: int = 10_000, level: float = 0.05, rng=None
) -> pd.DataFrame:
    """Count how often each output of a sentence is used by the two pseudo-systems together, and what follows for p.

    An output that is used twice is on both sides, so it cancels, as does one that is never used. So the null
    distribution of the difference has only the outputs that are used once, and its variance is their share of what it
    should be. (The outputs are taken as independent and the difference as normal.)

    Parameters
    ----------
    numbers : sequence of int
        Runs of each system.
    n_trials : int
    level : float
        Of the test.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per number of runs and shuffle: ``n_runs``, ``shuffle`` ("partition" or "inverse permutation (MultEval
        0.5.1)"), ``never_percent``, ``once_percent``, ``more_percent`` of the outputs, ``rejected_percent`` (true null
        hypotheses that a test at this level rejects).
    """
    from scipy.special import ndtr, ndtri

    check_draws("n_trials", n_trials)
    randomness = resolve_rng(rng)
    rows = []
    for n_runs in numbers:
        words = stream_words(randomness.stream(SUBSAMPLES), 0, n_trials * n_runs).reshape(n_trials, n_runs)
        order = np.argsort(words, axis=1, kind="stable")
        coins = exchange_coins(n_runs, 0, n_trials, key=randomness.stream(COINS)).astype(np.int64)
        for shuffle, other in ((PARTITION, order), (INVERSE, np.argsort(order, axis=1))):
            uses = np.zeros((n_trials, 2, n_runs), dtype=np.int64)
            trial = np.arange(n_trials)[:, None]
            np.add.at(uses, (trial, coins, order), 1)
            np.add.at(uses, (trial, 1 - coins, other), 1)
            once = float((uses == 1).mean())
            rows.append(
                {
                    "n_runs": n_runs,
                    "shuffle": shuffle,
                    "never_percent": 100 * float((uses == 0).mean()),
                    "once_percent": 100 * once,
                    "more_percent": 100 * float((uses > 1).mean()),
                    "rejected_percent": 200 * float(ndtr(ndtri(level / 2) * once**0.5)),
                }
            )
    return pd.DataFrame(rows)
