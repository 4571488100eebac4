"""The solution of exercise 10, with all of its code."""

import mtworkbench as mtw
from mtworkbench.simulation.koehn2004 import load_koehn2004_statistics
from mtworkbench.studies import koehn2004

statistics = load_koehn2004_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_trials=99, rng=1)
called = (equal["confidence"] >= 0.95) | (equal["against"] >= 0.95)

ax = mtw.plot_count(called, event="one of two equal systems is called better", of="comparisons")
mtw.predict("In how many percent of the comparisons is one of them called better?", 100 * called.mean(), ax)

# The answer
answer = 100 * ((equal["confidence"] >= 0.9) | (equal["against"] >= 0.9)).mean()

right = 100 * ((equal["confidence"] >= 0.9) | (equal["against"] >= 0.9)).mean()
one_sided = 100 * (equal["confidence"] >= 0.9).mean()
misreadings = {"the rule errs in the 10 % that it may lose": 10, "only one direction is counted": one_sided}
print(mtw.check_answer(answer, right, misreadings, within=0.5))
