"""The solution of exercise 6, with all of its code."""

from scipy.stats import ttest_ind

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
x, y = methods["first"].score().reshape(20, 5), methods["second"].score().reshape(20, 5)
p = ttest_ind(x, y + 0.5, axis=1).pvalue
answer = 100 * (p <= 0.05).mean()

# The check. Unfold it when you have answered: its code is the solution.
x, y = (methods[name].score().reshape(20, 5) for name in methods)
right, other = (100 * (ttest_ind(x, y + points, axis=1).pvalue <= 0.05).mean() for points in (0.5, -0.5))
misreadings = {"the methods stay equal": 5, "five runs show every true difference": 100}
misreadings |= {"single runs are tested on sentences": shown, "the first method is made better": other}
print(mtw.check_answer(answer, right, misreadings, within=0.5, n_cases=20))
