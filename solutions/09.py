"""The solution of exercise 9, with all of its code."""

import mtworkbench as mtw
from mtworkbench.analyses import simulate_peeking
from mtworkbench.papers import koehn2004

statistics = koehn2004.load_statistics()

pair = [statistics[name].take(range(2000)) for name in ("Portuguese", "Danish")]
peeking = simulate_peeking(*pair, looks=(5, 10), n_repetitions=1000, unit="segment", rng=1).set_index("looks")
rejected = [number < peeking.loc[10, "n_rejected"] for number in range(1000)]

ax = mtw.plot_count(rejected, event="at least one of 10 looks is significant", of="experiments")
shown = sum(rejected) / 10
mtw.predict("In what percentage of the experiments is at least one look significant?", shown, ax)

# The answer
answer = 100 * peeking.loc[5, "n_rejected"] / 1000

# The check. Unfold it when you have answered: its code is the solution.
right = 100 * peeking.loc[5, "rejected"]
misreadings = {"looking does not matter": 5, "the looks were independent": 100 * (1 - 0.95**5)}
misreadings["half as many looks err half as often"] = shown / 2
print(mtw.check_answer(answer, right, misreadings, within=0.5))
