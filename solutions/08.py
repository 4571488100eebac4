"""The solution of exercise 8, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

blocks = mtw.resampling.block_samples(30_000, 1000)
system = statistics["Spanish"]
missed = ~koehn2004.interval_samples(system, blocks, unit="segment", rng=1)["covers"]

ax = mtw.plot_count(missed, event="the interval misses", of="blocks")
shown = 100 * missed.mean()
mtw.predict("What percentage of the 95 % intervals miss?", shown, ax)

# The answer
missed = ~koehn2004.interval_samples(system, blocks, unit="document", rng=1)["covers"]
answer = 100 * missed.mean()

# The check. Unfold it when you have answered: its code is the solution.
by_document = ~koehn2004.interval_samples(system, blocks, unit="document", rng=1)["covers"]
right = 100 * by_document.mean()
misreadings = {"the unit makes no difference": shown, "the right unit is enough": 5}
print(mtw.check_answer(answer, right, misreadings, within=5, n_cases=len(blocks)))
