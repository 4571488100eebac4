"""The solution of exercise 12, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

samples = mtw.resampling.broad_samples(30_000, 100)
tests = koehn2004.randomize_samples(statistics["Danish"], statistics["Greek"], samples, rng=1)
published = tests[tests["p_value"] <= 0.05]
too_large = published["difference"] > published["true_difference"]

ax = mtw.plot_count(too_large, event="the observed difference is too large", of="significant samples")
mtw.predict("What percentage of these samples show too large a difference?", 100 * too_large.mean(), ax)

# The answer
ratios = published["difference"] / published["true_difference"]
answer = ratios.mean()

# The check. Unfold it when you have answered: its code is the solution.
right = (published["difference"] / published["true_difference"]).mean()
misreadings = {"significant differences are right on average, as those of all samples are": 1}
misreadings["the true difference is given"] = published["true_difference"].mean()
print(mtw.check_answer(answer, right, misreadings, within=0.01))
