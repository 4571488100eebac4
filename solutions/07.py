"""The solution of exercise 7, with all of its code."""

import numpy as np

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
reuse = koehn2004.reuse_test_set(*pair, 300, counts=(20,), n_repetitions=200, n_resamples=200, rng=1)
best = reuse[reuse["tuning"] == "unrelated variants"]
called = best["confidence"] >= 0.95

ax = mtw.plot_count(called, event="the best of 20 is called better", of="test sets")
shown = 100 * called.mean()
mtw.predict("On what percentage of the test sets is the best of 20 called better?", shown, ax)

# The answer
p = np.random.default_rng(1).random((10_000, 20))
answer = 100 * (p.min(axis=1) <= 0.05).mean()

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * (1 - 0.95**20)
misreadings = {"the choice of the best does not matter": 5, "the error rates of the 20 tests add up": 100}
misreadings["unrelated tests err as often as tests with the same baseline"] = shown
print(mtw.check_answer(answer, right, misreadings, within=1.5, n_cases=10_000))
