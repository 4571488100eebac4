"""The randomization test of many pairs of a table at once, all on the same coins: experiments are tested so."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mtworkbench.inference.exchanges import MAX_EXACT_COINS, Exchanges
from mtworkbench.inference.families import EstimatedPart
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.inference.trials import TrialFamily
from mtworkbench.resampling import RandomKey


def randomize_pairs(
    table: ScoreTable, pairs: Sequence[Places], *, exchange: str, n_trials: int, random_key: RandomKey
) -> list[float]:
    """Return the p of each pair, as `approximate_randomization` computes it."""
    options = {"exchange": exchange, "n_trials": n_trials, "random_key": random_key}
    part = EstimatedPart(np.ones(table.n_segments, dtype=bool), table, {}, {pair: pair for pair in pairs})
    exchanges = Exchanges.of([(part, pair) for pair in pairs], table.units, exchange)
    many = [row for row, pair in enumerate(exchanges.pairs) if pair.n_coins > MAX_EXACT_COINS]
    tested = {}
    if many:
        family = TrialFamily([exchanges.pairs[row].bare for row in many], 0.95, joint=False)
        for batch in exchanges.draw(many, 0, n_trials, random_key):
            family.count(batch[:, 0], batch[:, 1], 0)
        tested = dict(zip(many, family.test(n_trials, exact=False), strict=True))
    return [
        tested[row].tell_p(pair.n_coins)[0] if row in tested else randomize(table, pair.places, **options).p_value
        for row, pair in enumerate(exchanges.pairs)
    ]
