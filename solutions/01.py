"""The solution of exercise 1, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

samples = mtw.resampling.broad_samples(30_000, 300)
frame = koehn2004.conclude(statistics, [("Portuguese", "Danish")], samples, rng=1)
concluded = frame[frame["conclusion"] != ""]

ax = mtw.plot_count(concluded["correct"], event="the conclusion is right", of="conclusions")
mtw.predict("What percentage of these conclusions are right?", 100 * concluded["correct"].mean(), ax)

# The answer
wins = frame["confidence"]
concluded_at_80 = (wins >= 0.8) | (wins <= 0.2)
answer = 100 * (wins[concluded_at_80] >= 0.8).mean()

# The check. Unfold it when you have answered: its code is the solution.
at_80 = koehn2004.conclude(statistics, [("Portuguese", "Danish")], samples, level=0.8, rng=1)
has_one, correct = at_80["conclusion"] != "", at_80["correct"]
misreadings = {"a conclusion at 80 % is right with a probability of 80 %": 80, "the wins of Danish are left out": 100}
misreadings["samples without a conclusion are counted as wrong"] = 100 * (has_one & correct).mean()
print(mtw.check_answer(answer, 100 * correct[has_one].mean(), misreadings, within=2.5, n_cases=has_one.sum()))
