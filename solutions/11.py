"""The solution of exercise 11, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004
from mtworkbench.papers.draws.explorers import explore_draws

statistics = koehn2004.load_statistics()

pair = statistics["Portuguese"], statistics["Danish"]
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_resamples=50, n_trials=9, rng=1)
none_reached = equal["p_value"] < 0.15

sample = mtw.resampling.broad_samples(30_000, 100)[6]
explore_draws(*(one.take(sample) for one in pair), kind="swaps", rng=1)

ax = mtw.plot_count(none_reached, event="no trial reaches the observed difference", of="tests of equal systems")
shown = 100 * none_reached.mean()
mtw.predict("In what percentage of these tests does no trial reach the difference?", shown, ax)

# The answer
equal = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_resamples=50, n_trials=4, rng=1)
none_reached = equal["p_value"] < 0.3
answer = 100 * none_reached.mean()

# The check. Unfold it when you have answered: its code is the solution.
fewer = koehn2004.conclude_under_null(*pair, 300, n_repetitions=300, n_resamples=50, n_trials=4, rng=1)
right = 100 * (fewer["p_value"] < 0.3).mean()
misreadings = {"this never happens to equal systems": 0, "the number of trials does not matter": shown}
misreadings["chance is left out: it happens in about 20 % of the cases, but a count varies"] = 20
print(mtw.check_answer(answer, right, misreadings, within=0.5))
