"""The solution of exercise 6, with all of its code."""

import mtworkbench as mtw
from mtworkbench.papers import clark2011
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods

methods = make_equal_methods(VarianceComponents(0.0, run=0.5, residual=0.3), 1000, 100, rng=1)

runs = [[clark2011.take_runs(methods[name], [run]) for name in methods] for run in range(1, 101)]
tests = [mtw.approximate_randomization(*pair, n_trials=999, unit="segment", rng=1) for pair in runs]
claimed = [test.p_value <= 0.05 for test in tests]

ax = mtw.plot_count(claimed, event="p is at most 0.05", of="pairs of single runs")
shown = sum(claimed)
mtw.predict("The methods are equal. In what percentage of the comparisons is p at most 0.05?", shown, ax)

# The answer
wild = make_equal_methods(VarianceComponents(0.0, run=1.0, residual=0.3), 1000, 100, rng=1)
pairs = [[clark2011.take_runs(wild[name], [run]) for name in wild] for run in range(1, 101)]
tests = [mtw.approximate_randomization(*pair, n_trials=999, unit="segment", rng=1) for pair in pairs]
answer = sum(test.p_value <= 0.05 for test in tests)

# The check. Unfold it when you have answered: its code is the solution.
unlike = make_equal_methods(VarianceComponents(0.0, run=1.0, residual=0.3), 1000, 100, rng=1)
pairs = [[clark2011.take_runs(unlike[name], [run]) for name in unlike] for run in range(1, 101)]
tests = [mtw.approximate_randomization(*pair, n_trials=999, unit="segment", rng=1) for pair in pairs]
misreadings = {"runs do not matter": 5, "the spread of runs does not matter": shown, "the rate doubles": 2 * shown}
print(mtw.check_answer(answer, sum(test.p_value <= 0.05 for test in tests), misreadings))
