"""The solution of exercise 11, with all of its code."""

import numpy as np

import mtworkbench as mtw
from mtworkbench.papers import koehn2004
from mtworkbench.papers.draws.explorers import explore_draws

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_resamples=50, n_trials=9, rng=1)
none_reached = equal["p_value"] < 0.15

sample = mtw.resampling.broad_samples(30_000, 100)[44]
one, other = (system.take(sample) for system in pair)
a, b, score = one.values[0], other.values[0], one.metric.score
observed = score(a.sum(axis=0)) - score(b.sum(axis=0))
explore_draws(one, other, kind="swaps", rng=1)

ax = mtw.plot_count(none_reached, event="no trial reaches the observed difference", of="tests of equal systems")
shown = 100 * none_reached.mean()
mtw.predict("In what percentage of the 300 tests of equal systems does no trial reach the difference?", shown, ax)

# The answer
coins = np.random.default_rng(1).random((1999, 300, 1)) < 0.5
first, second = np.where(coins, b, a).sum(axis=1), np.where(coins, a, b).sum(axis=1)
count = (abs(score(first) - score(second)) >= abs(observed)).sum()
answer = (count + 1) / (1999 + 1)

# The check. Unfold it when you have answered: its code is the solution.
right = mtw.approximate_randomization(one, other, n_trials=9_999, unit="segment", rng=1).p_value
watched = mtw.approximate_randomization(one, other, n_trials=200, unit="segment", rng=1).p_value
misreadings = {"only the 200 trials above count: toss 1,999 times": watched, "both sides get the same rows": 1 / 2000}
misreadings |= {"only one direction counts": right / 2, "p is the level of the test": 0.05, "no trial is counted": 0}
print(mtw.check_answer(answer, right, misreadings, within=0.037, n_cases=2000))
