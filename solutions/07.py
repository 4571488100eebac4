"""The solution of exercise 7, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
reuse = koehn2004.reuse_test_set(*pair, 300, counts=(5, 20), n_repetitions=200, n_resamples=200, rng=1)
unrelated = reuse[reuse["tuning"] == "unrelated variants"]
called = (unrelated["confidence"] >= 0.95).groupby(unrelated["variants"]).apply(list)

ax = mtw.plot_count(called[20], event="the best of 20 is called better", of="test sets")
shown = 100 * sum(called[20]) / len(called[20])
mtw.predict("On what percentage of the test sets is the best of 20 called better?", shown, ax)

# The answer
answer = 100 * sum(called[5]) / len(called[5])

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * sum(called[5]) / len(called[5])
misreadings = {"the choice does not matter": 5, "the comparisons were independent": 100 * (1 - 0.95**5)}
misreadings["it does not matter among how many is chosen"] = shown
misreadings["a quarter of the variants errs a quarter as often"] = shown / 4
print(mtw.check_answer(answer, right, misreadings, within=0.5))
