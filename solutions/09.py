"""The solution of exercise 9, with all of its code."""

import numpy as np

import mtworkbench as mtw
from mtworkbench.analyses import simulate_peeking
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = [statistics[name].take(range(2000)) for name in ("Portuguese", "Danish")]
peeking = simulate_peeking(*pair, looks=(10,), n_repetitions=1000, unit="segment", rng=1)
rejected = [number < peeking["n_rejected"].item() for number in range(1000)]

ax = mtw.plot_count(rejected, event="at least one of 10 looks is significant", of="experiments")
shown = sum(rejected) / 10
mtw.predict("In what percentage of the experiments is at least one look significant?", shown, ax)

# The answer
sums = np.random.default_rng(1).normal(size=(10_000, 5)).cumsum(axis=1)
significant = abs(sums) > 1.96 * np.sqrt(np.arange(1, 6))
answer = 100 * significant.any(axis=1).mean()

# The check. Unfold it when you have answered: its code is the solution.
many = np.random.default_rng(2).normal(size=(100_000, 5)).cumsum(axis=1)
right = 100 * (abs(many) > 1.96 * np.sqrt(np.arange(1, 6))).any(axis=1).mean()
misreadings = {"looking does not matter": 5, "the looks were independent": 100 * (1 - 0.95**5)}
misreadings |= {"half as many looks err half as often": shown / 2, "only one direction is counted": right / 2}
print(mtw.check_answer(answer, right, misreadings, within=1.2, n_cases=10_000))
