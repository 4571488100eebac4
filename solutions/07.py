"""The solution of exercise 7, with all of its code."""

import mtworkbench as mtw
from mtworkbench.simulation.koehn2004 import load_koehn2004_statistics
from mtworkbench.studies import koehn2004

statistics = load_koehn2004_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
reuse = koehn2004.reuse_test_set(*pair, 300, counts=(5, 20), n_repetitions=200, n_resamples=200, rng=1)
unrelated = reuse[reuse["tuning"] == "unrelated variants"]
called = (unrelated["confidence"] >= 0.95).groupby(unrelated["variants"]).apply(list)

ax = mtw.plot_count(called[20], event="the best of 20 is called better", of="test sets")
mtw.predict("On how many percent is the best of 20 called better?", 100 * sum(called[20]) / len(called[20]), ax)

# The answer
answer = 100 * sum(called[5]) / len(called[5])

right = 100 * sum(called[5]) / len(called[5])
misreadings = {"the number of variants does not matter": 5, "only having chosen matters": 100 * sum(called[20]) / 200}
print(mtw.check_answer(answer, right, misreadings, within=0.5))
