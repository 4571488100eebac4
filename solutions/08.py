"""The solution of exercise 8, with all of its code."""

import mtworkbench as mtw
from mtworkbench.simulation.koehn2004 import load_koehn2004_statistics
from mtworkbench.studies import koehn2004

statistics = load_koehn2004_statistics()

blocks = mtw.block_samples(30_000, 1000)
system = statistics["Spanish"]
missed = ~koehn2004.interval_samples(system, blocks, unit="segment", rng=1)["covers"]

ax = mtw.plot_count(missed, event="the interval misses", of="blocks")
mtw.predict("How many percent of the 95 % intervals miss?", 100 * missed.mean(), ax)

# The answer
answer = 100 * (~koehn2004.interval_samples(system, blocks, unit="document", rng=1)["covers"]).mean()

by_document = ~koehn2004.interval_samples(system, blocks, unit="document", rng=1)["covers"]
misreadings = {"the unit makes no difference": 100 * missed.mean(), "the right unit makes every interval right": 5}
print(mtw.check_answer(answer, 100 * by_document.mean(), misreadings, within=0.5))
