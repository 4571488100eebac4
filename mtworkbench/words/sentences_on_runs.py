"""What is said about runs in sentences: how scores vary with them, what few of them cannot show, where to spend next.

Every sentence is computed from the numbers it mentions. Standard deviations are facts about one system's score; where
to spend next depends on the difference of two systems, which varies in other ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from mtworkbench.inference.more_runs import double_errors, where_to_spend
from mtworkbench.inference.runs import ENOUGH_RUNS, largest_ratio_by_chance, spread_factors
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import listed, name_some
from mtworkbench.words.metric_names import label_metric

if TYPE_CHECKING:
    from mtworkbench.inference import CrossedAnalysis, MetricVariance, OptimizerVariance, SystemVariance

#: What to do about the error of a difference: the words for each answer of `where_to_spend`.
ADVICE = {
    "units": "more {units} help more than more runs",
    "runs": "more runs help more than more {units}",
    "either": "more {units} and more runs help alike",
}


def describe_variance_briefly(variance: OptimizerVariance) -> list[str]:
    """Say in a few sentences which variation is larger, and where to spend next, metrics that agree together.

    Parameters
    ----------
    variance : OptimizerVariance

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    systems = next(iter(variance.metrics.values())).systems
    single = [one.system for one in systems if one.s_test is None]
    sentences = _compare_variations(variance)
    if single:
        verb = "has only one run" if len(single) == 1 else "have only one run each"
        whose = "All systems" if len(single) == len(systems) > 2 else name_some(single)
        sentences.append(f"{whose} {verb}, which says nothing about run-to-run variation: make at least two runs.")
    return sentences + _describe_where_to_spend(variance)


def _compare_variations(variance: OptimizerVariance) -> list[str]:
    """Say for which systems and metrics run-to-run variation is the larger one."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, metric in variance.metrics.items():
        is_larger = {
            one.system: one.s_sel <= one.s_test
            for one in metric.systems
            if one.s_test is not None and one.s_sel is not None
        }
        for words, sign in (("smaller than", False), ("at least as large as", True)):
            some = [system for system, larger in is_larger.items() if larger is sign]
            if some:
                whose = "all systems" if len(some) == len(metric.systems) > 2 else name_some(some)
                found.setdefault((words, whose), []).append(name)
    return [
        f"By {listed(names)}, the estimate of run-to-run variation (s_test) is {words} that of test-set variation "
        f"(s_sel) for {whose}."
        for (words, whose), names in found.items()
    ]


def _describe_where_to_spend(variance: OptimizerVariance) -> list[str]:
    """Say what would make the differences from the baseline more precise."""
    found: dict[tuple[str, str], list[str]] = {}
    for name, metric in variance.metrics.items():
        known = [(one.a, where_to_spend(one.variance)) for one in metric.analyses if one.variance is not None]
        for spending, words in ADVICE.items():
            some = [system for system, found_best in known if found_best == spending]
            if some:
                found.setdefault((words.format(units=name_units(variance.unit)), name_some(some)), []).append(name)
    clauses = [f"{words} ({whose}, by {listed(names)})" for (words, whose), names in found.items()]
    what = f"To estimate differences from {variance.baseline} more precisely"
    return [f"{what}, {'; '.join(clauses)}."] if clauses else []


def describe_systems(metric: MetricVariance) -> Iterator[str]:
    """Describe the standard deviations of each system, their uncertainty, and unequal numbers of runs."""
    for system in metric.systems:
        yield from describe_deviations(system)
    yield from describe_known_spread(metric.systems)
    if len({system.runs for system in metric.systems}) > 1:
        yield "The systems have different numbers of runs; each mean and deviation is over that system's runs."


def describe_deviations(system: SystemVariance) -> Iterator[str]:
    """Say what one system's deviations say (Clark et al. (2011), §4.1).

    Parameters
    ----------
    system : SystemVariance

    Yields
    ------
    str
        One sentence that compares s_sel with s_test, one that compares s_test with s_dev, where they are known.
    """
    if system.s_test is None:
        yield f"{system.system}: one run says nothing about how much the score would change with another run."
        return
    if system.s_sel is not None:
        yield f"{system.system}: {describe_selection(system.s_sel, system.s_test)}"
    if system.s_dev is not None:
        yield f"{system.system}: {describe_tuning(system.s_dev, system.s_test, system.runs)}"


def describe_selection(s_sel: float, s_test: float) -> str:
    """Say which is larger, test-set variation or run-to-run variation."""
    of_runs, of_sets = f"run-to-run variation (s_test {s_test:.2g})", f"test-set variation (s_sel {s_sel:.2g})"
    if s_sel <= s_test:
        return f"on these runs, the estimate of {of_runs} is at least as large as that of {of_sets}."
    return f"on these runs, the estimate of {of_sets} is larger than that of {of_runs}."


def describe_tuning(s_dev: float, s_test: float, n_runs: int) -> str:
    """Say whether runs differ more on the test set than on the set they were tuned on."""
    deviations = f"on the test set (s_test {s_test:.2g}) than on the dev set (s_dev {s_dev:.2g})"
    if s_test <= s_dev:
        return f"the runs differ no more {deviations}: no sign that the dev set understates how much runs differ."
    sentence = f"the runs differ more {deviations}: the dev set may understate how much runs differ."
    chance = largest_ratio_by_chance(n_runs)
    if n_runs < ENOUGH_RUNS and (s_dev == 0 or s_test / s_dev < chance):
        sentence += f" With {n_runs} runs, a ratio of s_test to s_dev below {chance:.2g} can be chance."
    return sentence


def describe_known_spread(systems: Iterable[SystemVariance]) -> Iterator[str]:
    """Say how well so few runs show s_test: of the first system of each number of runs from two to nine."""
    first = {one.runs: one for one in reversed(list(systems)) if one.s_test and one.runs < ENOUGH_RUNS}
    for n_runs, one in sorted(first.items()):
        low, high = (f"{one.s_test * factor:.2g}" for factor in spread_factors(n_runs) if one.s_test)
        yield (
            f"With {n_runs} runs, a measured s_test of {one.s_test:.2g} ({one.system}) is compatible with a true one "
            f"from {low} to {high} (95 % CI)."
        )


def _say_range(df: int) -> str:
    """Say how far the true standard deviation of runs may lie from the measured one."""
    low, high = spread_factors(df + 1)
    return f"the true standard deviation between runs can be {low:.2g} to {high:.2g} times the measured one (95 % CI)"


def describe_few_runs(runs_a: int, runs_b: int) -> str | None:
    """Say what so few runs of two systems cannot show; None if both have ten runs or more, or one has a single run."""
    fewest = min(runs_a, runs_b)
    if not 2 <= fewest < ENOUGH_RUNS:
        return None
    sentence = f"With {fewest} runs of a system, {_say_range(fewest - 1)}, so a small real difference can be missed."
    if fewest == 2:
        sentence += (
            " With 2 runs, the p for the method can also be too small if one method varies much more between runs than "
            "the other."
        )
    return sentence


def describe_pooled_runs(df: int) -> str:
    """Say what pooling the variance of runs over systems does not allow for, and how well that variance is known.

    Parameters
    ----------
    df : int
        Its degrees of freedom: the number of runs less that of systems.
    """
    sentence = "If the runs of a system vary even more, the p for the method can be too small."
    return sentence if df + 1 >= ENOUGH_RUNS else f"{sentence} With so few runs, {_say_range(df)}."


def advise_on(metric: MetricVariance) -> Iterator[str]:
    """Say of each pair where to spend next, and once for all pairs that systems with one run need more."""
    runs: dict[str, int] = {}
    for one in metric.analyses:
        runs |= {one.a: one.runs_a, one.b: one.runs_b}
    single = [name for name, n_runs in runs.items() if n_runs == 1]
    if single:
        yield f"Where to spend next: {ask_for_runs(single if len(single) < len(runs) else ['each system'])}"
    for one in metric.analyses:
        if min(one.runs_a, one.runs_b) > 1:
            yield advise_spending(one)


def advise_spending(analysis: CrossedAnalysis) -> str:
    """Say in a sentence or two what the error of the difference is made of, and where to spend next.

    Parameters
    ----------
    analysis : CrossedAnalysis
        Of two systems.

    Returns
    -------
    str
        What `where_to_spend` decides, with its numbers. Where a system has one run: to make two or more.
    """
    name, variance = f"{analysis.a} - {analysis.b}", analysis.variance
    unit, units = analysis.unit, name_units(analysis.unit)
    if variance is None:
        numbers = {analysis.a: analysis.runs_a, analysis.b: analysis.runs_b}
        single = [system for system, number in numbers.items() if number == 1]
        if single:
            return f"{name}: {ask_for_runs(single)}"
        return f"{name}: use more than one {unit}, because one does not show how much {units} vary."
    spending = where_to_spend(variance)
    if spending == "neither":
        return f"{name}: neither {units} nor runs vary, so more of them would change nothing."
    a, b, total = analysis.runs_a, analysis.runs_b, variance.total
    runs = f"{a} runs of each system" if a == b else f"{a} and {b} runs"
    of_units, of_runs, of_both = (
        f"{100 * part / total:.0f} %" for part in (variance.of_units, variance.of_runs, variance.of_both)
    )
    longer, more = double_errors(variance)
    metric = label_metric(analysis.metric, analysis.signature)
    sentence = (
        f"{name}: the standard error of the difference is {total**0.5:.2g} {metric} with {runs} on "
        f"{variance.n_units:,} {units} ({of_units} of its variance comes from {units}, {of_runs} from runs, {of_both} "
        f"from their interaction). Twice as many {units} would make it {longer:.2g}, twice as many runs {more:.2g}: "
        f"{ADVICE[spending].format(units=units)}."
    )
    if min(a, b) < ENOUGH_RUNS:
        sentence += f" With only {min(a, b)} runs this is a rough estimate."
    return sentence


def ask_for_runs(systems: Sequence[str]) -> str:
    """Ask for two or more runs of some systems."""
    return f"make at least two runs of {listed(systems)}, because one run does not show how much runs vary."
