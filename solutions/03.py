"""The solution of exercise 3, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

samples = mtw.resampling.broad_samples(30_000, 100)
tests = koehn2004.randomize_samples(statistics["Portuguese"], statistics["Danish"], samples, rng=1)
missed = tests["p_value"] > 0.05

ax = mtw.plot_count(missed, event="not significant", of="samples")
shown = 100 * missed.mean()
mtw.predict("On what percentage of the samples is the difference not significant?", shown, ax)

# The answer
tests = koehn2004.randomize_samples(statistics["Danish"], statistics["Greek"], samples, rng=1)
missed = tests["p_value"] > 0.05
answer = 100 * missed.mean()

# The check. Unfold it when you have answered: its code is the solution.
pairs = [(statistics[name], statistics["Greek"], samples) for name in ("Danish", "Portuguese")]
right, other = [100 * (koehn2004.randomize_samples(*pair, rng=1)["p_value"] > 0.05).mean() for pair in pairs]
misreadings = {"a true difference is never missed": 0, "a test at 5 % misses 5 % of the true differences": 5}
misreadings |= {"the size of the true difference does not matter": shown, "Portuguese is tested against Greek": other}
print(mtw.check_answer(answer, right, misreadings, within=3))
