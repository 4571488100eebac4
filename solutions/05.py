"""The solution of exercise 5, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
whole = mtw.approximate_randomization(*pair, n_trials=999, unit="segment", rng=1)
print(f"difference {whole.difference:.2f} BLEU, p = {whole.p_value:.3f}")

samples = mtw.resampling.broad_samples(30_000, 100)
tests = koehn2004.randomize_samples(statistics["Spanish"], statistics["Danish"], samples, rng=1)
not_shown = tests[tests["p_value"] > 0.05]

larger = not_shown["difference"] > whole.difference
ax = mtw.plot_count(larger, event="larger than 0.5 BLEU", of="samples that are not significant")
mtw.predict("On what percentage of these samples is the difference larger than 0.5 BLEU?", 100 * larger.mean(), ax)

# The answer
tests = koehn2004.randomize_samples(*pair, samples, rng=1)
answer = 100 * (tests.loc[tests["p_value"] > 0.05, "difference"] > whole.difference).mean()

# The check. Unfold it when you have answered: its code is the solution.
smaller = koehn2004.randomize_samples(*pair, samples, rng=1)
cases = smaller.loc[smaller["p_value"] > 0.05, "difference"] > whole.difference
misreadings = {"a difference that is not significant is smaller than one that is": 0}
misreadings["the significant samples are counted, too"] = 100 * (smaller["difference"] > whole.difference).mean()
print(mtw.check_answer(answer, 100 * cases.mean(), misreadings, within=1.5, n_cases=len(cases)))
