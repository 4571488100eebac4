"""The solution of exercise 10, with all of its code."""

import numpy as np

import mtworkbench as mtw
from mtworkbench.papers import koehn2004
from mtworkbench.papers.draws.explorers import explore_draws

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_trials=99, rng=1)
called = (equal["confidence"] >= 0.95) | (equal["against"] >= 0.95)

sample = mtw.resampling.broad_samples(30_000, 100)[34]
one, other = (system.take(sample) for system in pair)
a, b, score = one.values[0], other.values[0], one.metric.score
explore_draws(one, other, kind="resamples", rng=1)

ax = mtw.plot_count(called, event="one of two equal systems is called better", of="comparisons")
mtw.predict("In what percentage of the comparisons is one of them called better?", 100 * called.mean(), ax)

# The answer
rows = np.random.default_rng(1).integers(300, size=(2000, 300))
wins = score(a[rows].sum(axis=1)) > score(b[rows].sum(axis=1))
answer = 100 * wins.mean()

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * mtw.paired_bootstrap(one, other, n_resamples=10_000, unit="segment", rng=1).confidence
misreadings = {"the rule's own 95 % is given": 95, "rows are drawn without replacement": 100}
rows, more = np.random.default_rng(2).integers(300, size=(2, 2000, 300))
misreadings["each system gets rows of its own"] = 100 * (score(a[rows].sum(1)) > score(b[more].sum(1))).mean()
print(mtw.check_answer(answer, right, misreadings, within=1, n_cases=2000))
