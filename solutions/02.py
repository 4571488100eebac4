"""The solution of exercise 2, with all of its code."""

import numpy as np

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_resamples=50, rng=1)
different = koehn2004.randomize_samples(*pair, mtw.resampling.broad_samples(30_000, 100), rng=1)
false, true = equal["p_value"] <= 0.05, different["p_value"] <= 0.05

n_significant = false.sum() + true.sum()
shown = 100 * false.sum() / n_significant
is_equal = np.arange(n_significant) < false.sum()
ax = mtw.plot_count(is_equal, event="the systems are equal", of="significant results")
mtw.predict("What percentage of the significant results come from equal systems?", shown, ax)

# The answer
n_false = false[:100].sum()
answer = 100 * n_false / (n_false + true.sum())

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * false[:100].sum() / (false[:100].sum() + true.sum())
misreadings = {"p is the probability that there is no difference": 5, "it does not matter how many ideas work": shown}
misreadings["all equal pairs are the cases, not all significant results"] = 100 * false[:100].mean()
print(mtw.check_answer(answer, right, misreadings, within=0.5, n_cases=false[:100].sum() + true.sum()))
