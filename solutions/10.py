"""The solution of exercise 10, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004
from mtworkbench.papers.draws.explorers import explore_draws

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_trials=99, rng=1)
called = (equal["confidence"] >= 0.95) | (equal["against"] >= 0.95)

sample = mtw.resampling.broad_samples(30_000, 100)[6]
explore_draws(*(one.take(sample) for one in pair), kind="resamples", rng=1)

ax = mtw.plot_count(called, event="one of two equal systems is called better", of="comparisons")
mtw.predict("In what percentage of the comparisons is one of them called better?", 100 * called.mean(), ax)

# The answer
answer = 100 * ((equal["confidence"] >= 0.9) | (equal["against"] >= 0.9)).mean()

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * ((equal["confidence"] >= 0.9) | (equal["against"] >= 0.9)).mean()
misreadings = {"only one of the systems can be called better: the rule then errs in about 10 % of the cases": 10}
misreadings["chance is left out: the rule errs in about 20 % of the cases, but a count varies"] = 20
print(mtw.check_answer(answer, right, misreadings, within=0.5))
