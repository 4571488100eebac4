"""The solution of exercise 4, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

samples = mtw.resampling.broad_samples(30_000, 100)
one, other = (koehn2004.interval_samples(statistics[name], samples, rng=1) for name in ("Spanish", "Danish"))
overlap = (one["low"] <= other["high"]) & (other["low"] <= one["high"])
tests = koehn2004.randomize_samples(statistics["Spanish"], statistics["Danish"], samples, rng=1)
significant = tests["p_value"] <= 0.05

ax = mtw.plot_count(overlap[significant], event="the intervals overlap", of="significant samples")
shown = 100 * overlap[significant].mean()
mtw.predict("On what percentage of these samples do the intervals overlap?", shown, ax)

# The answer
one, other = (koehn2004.interval_samples(statistics[name], samples, rng=1) for name in ("German", "Finnish"))
tests = koehn2004.randomize_samples(statistics["German"], statistics["Finnish"], samples, rng=1)
overlap = (one["low"] <= other["high"]) & (other["low"] <= one["high"])
answer = 100 * overlap[tests["p_value"] <= 0.05].mean()

# The check. Unfold it when you have answered: its code is the solution.
a, b = (koehn2004.interval_samples(statistics[name], samples, rng=1) for name in ("German", "Finnish"))
found = koehn2004.randomize_samples(statistics["German"], statistics["Finnish"], samples, rng=1)["p_value"] <= 0.05
right = 100 * ((a["low"] <= b["high"]) & (b["low"] <= a["high"]))[found].mean()
misreadings = {"significance excludes overlap": 0, "the pair does not matter": shown}
print(mtw.check_answer(answer, right, misreadings, within=3, n_cases=found.sum()))
