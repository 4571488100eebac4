"""What tables and figures of Clark et al. (2011) show, in sentences and in titles of figures, computed from them.

Each function takes the frame that it speaks of and returns what is so on that data, whatever the systems, their numbers
of runs or the metric.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.papers.clark2011.published import show_value
from mtworkbench.papers.clark2011.randomization import LEVEL, is_one_experiment
from mtworkbench.papers.clark2011.scores import Test, choose_pairs, summarize_overlap
from mtworkbench.papers.clark2011.variance import deviation, ratio_ends
from mtworkbench.papers.common.claims import read_real_claims
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.variance import OptimizerVariance
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.wording import be, listed, tally
from mtworkbench.words.cells import EXACT_DIGITS, decimals_for, digits_of_trials, name_p, say_span
from mtworkbench.words.frames import in_percent, signed
from mtworkbench.words.lines import wrap
from mtworkbench.words.sentences_on_runs import advise_spending

#: What the corpora of real runs are called in data/real, and in words.
REAL_CORPORA = {"cs-en": "Czech-English translation", "E2E NLG": "Generated descriptions of restaurants"}
REAL_RUNS = "Real runs of two systems (only the numbers ship, in data/real):"


def describe_pairs(test: Test) -> str:
    """Say which two systems of each corpus are compared, and how many runs they have."""
    lines = []
    for corpus, (a, b) in choose_pairs(test).items():
        families = test[corpus]
        family = families if isinstance(families, SegmentStatistics) else families[0]
        named = [
            f"{'' if letter == system.system else f'{letter} is '}{system.system} ({tally(system.n_runs, 'run')})"
            for letter, system in (("A", a), ("B", b))
        ]
        line = f"{corpus}: {', '.join(named)}"
        others = len(list(family)) - 2
        left_out = (
            f"; {others} more system{'s are' if others > 1 else ' is'} not in the figures and tests" if others else ""
        )
        lines.append(f"{line}{left_out}.")
    return wrap(lines, indent="  ", finding=False)


def describe_variance(table: pd.DataFrame) -> str:
    """Say which standard deviations are larger: s_sel or s_test, and s_test or s_dev.

    Parameters
    ----------
    table : DataFrame
        Of `tabulate_variance`.
    """
    n_rows, lines = len(table), []
    known = table[table["s_test"].notna()]
    if len(known) < n_rows:
        names = list(dict.fromkeys(table[table["s_test"].isna()]["system"]))
        lines.append(f"s_test is unknown for {listed(names)}: one run does not show how much runs vary.")
    if len(known):
        larger = int((known["s_sel"] > known["s_test"]).sum())
        line = f"s_sel is larger than s_test in {larger} of {tally(len(known), 'row')}"
        if larger:
            line += (
                ": there, another test set of the same kind and source changes a score more than another training run "
                "does"
            )
        lines.append(f"{line}.")
    both = known[known["s_dev"].notna()]
    if table["s_dev"].isna().all():
        return wrap([*lines, "s_dev is unknown: there is no tuning set with several runs."], indent="  ")
    if not len(both):
        return wrap([*lines, "No row has both s_test and s_dev, so the two cannot be compared."], indent="  ")
    above = both[both["s_test"] > both["s_dev"]]
    line = f"s_test is larger than s_dev in {len(above)} of {tally(len(both), 'row')}"
    if len(above):
        with_ratio = above[above["s_dev"] > 0]
        clear = sum(
            row.s_test / row.s_dev * ratio_ends(row.runs, row.dev_runs)[0] > 1 for row in with_ratio.itertuples()
        )
        line += f"; in {clear} of them the 95 % CI of the ratio s_test / s_dev lies above 1"
        if len(with_ratio) < len(above):
            line += f", and in {len(above) - len(with_ratio)} the ratio is undefined, because s_dev is 0"
    return wrap([*lines, f"{line}."], indent="  ")


def describe_overlap(test: Test) -> str:
    """Say for each corpus how often one run of each system shows another order than the means."""
    lines = [f"{corpus}: {describe_runs_of_pair(a, b)}" for corpus, (a, b) in choose_pairs(test).items()]
    return wrap(lines, indent="  ", finding=False)


def describe_runs_of_pair(a: SystemStatistics, b: SystemStatistics) -> str:
    """Say which difference the runs of two systems show, and how often one run of each shows another order."""
    row = summarize_overlap(a, b).iloc[0]
    difference, metric = row["difference"], a.metric.name
    runs = _runs_of_both(a, b)
    if difference == 0:
        return f"over {runs}, {a.system} and {b.system} have the same mean {metric}, so neither order is wrong."
    size, more = show_value(abs(difference), 2), "higher" if difference > 0 else "lower"
    n_pairs = a.n_runs * b.n_runs
    if n_pairs == 1:
        return (
            f"the {metric} of {b.system} is {size} {more} than that of {a.system}. Each has one run, so the order that "
            "other runs would show is unknown."
        )
    said = f"over {runs}, the mean {metric} of {b.system} is {size} {more} than that of {a.system}."
    if row["wrong_order_percent"] == 0:
        return f"{said} None of the {n_pairs:,} pairs of runs shows the opposite order."
    share = show_value(row["wrong_order_percent"], 2)
    return f"{said} {share} % of the {n_pairs:,} pairs of runs show the opposite order (a tie counts half)."


def describe_differences(found: pd.DataFrame, a: SystemStatistics, b: SystemStatistics) -> str:
    """Say how far observed differences scatter with the fewest and with the most replications (Fig. 2).

    Parameters
    ----------
    found : DataFrame
        Of `summarize_differences`.
    a, b : SystemStatistics
        The baseline and the experimental system.
    """
    metric, single = a.metric.name, [system.system for system in (a, b) if system.n_runs == 1]
    first, last = found.iloc[0], found.iloc[-1]
    if len(single) == 2:
        sentence = (
            f"{a.system} and {b.system} have one run each, so there is one difference ({first['mean']:+.2f} {metric}); "
            "how far the differences of other runs would scatter is unknown."
        )
        return wrap([sentence], indent="  ")
    lines = []
    for row in (first, last) if len(found) > 1 else (first,):
        share = row["wrong_sign_percent"]
        wrong = f"; {show_value(share, 2)} % have the wrong sign" if share else "; none has the wrong sign"
        low, high = (f"{row[end]:+.2f}" for end in ("low", "high"))
        span = f"are {low}" if low == high else f"lie between {low} and {high}"
        lines.append(
            f"With {tally(int(row['replications']), 'run')} of each system, 95 % of the differences {span} "
            f"{metric}{'' if np.isnan(share) else wrong}."
        )
    if np.isnan(first["wrong_sign_percent"]):
        lines.append(f"Over all runs, {a.system} and {b.system} have the same mean {metric}, so neither sign is wrong.")
    if single:
        lines.append(f"{single[0]} has one run: the scatter of its runs is missing here.")
    return wrap(lines, indent="  ")


def describe_other_runs(differences: Sequence[float], expected: float, metric: str) -> str:
    """Say how the mean difference of a few runs comes out, where the runs are drawn again and again.

    Parameters
    ----------
    differences : sequence of float
        One for each draw.
    expected : float
        The difference of the means of all runs.
    metric : str
    """
    n, ends = len(differences), (min(differences), max(differences))
    digits = decimals_for(ends[1] - ends[0])
    low, high, whole = (signed(value, digits) for value in (*ends, expected))
    span = f"is {low}" if low == high else f"lies between {low} and {high}"
    said = f"{tally(n, 'draw')}: the difference of the means {span} {metric}"
    if not expected:
        return f"{said}; over all runs, the means are equal."
    wrong = int(np.sum(np.sign(differences) == -np.sign(expected)))
    return f"{said} (all runs: {whole}); {wrong} of {n} ({100 * wrong / n:.0f} %) have the opposite sign."


def describe_wrong_signs(shares: pd.DataFrame) -> str:
    """Say how many experiments have the wrong sign, where they are drawn again and again.

    Parameters
    ----------
    shares : DataFrame
        One row per draw, in percent; a column for each number of runs.
    """
    ranges = [f"{say_span(ones.min(), ones.max(), 1)} % with {runs}" for runs, ones in shares.items()]
    return f"{tally(len(shares), 'draw')}: the wrong sign comes out in {listed(ranges)} of each system."


def describe_other_deviations(ratios: pd.DataFrame) -> str:
    """Say how s_test of a few runs compares with that of all, where the runs are drawn again and again.

    Parameters
    ----------
    ratios : DataFrame
        One row per draw, a column for each system.
    """
    ranges = [f"{say_span(ones.min(), ones.max(), 2)} times for {name}" for name, ones in ratios.items()]
    return f"{tally(len(ratios), 'draw')}: compared with all runs, s_test is {listed(ranges)}."


def describe_drawn_tests(p_values: pd.DataFrame, expected: float, *, has_winner: bool = True) -> str:
    """Say how often two single runs, drawn again and again, differ significantly, and how often for the wrong system.

    Parameters
    ----------
    p_values : DataFrame
        One row per draw; two columns, for the baseline and for the experimental system: p where this system has the
        better run, else NaN.
    expected : float
        How much better the experimental system is over all runs; below 0 where it is worse.
    has_winner : bool
        Whether the metric has a direction; without one, no system is better, and the columns are of the higher run.
    """
    n, (for_baseline, for_experimental) = len(p_values), (p_values <= LEVEL).sum()
    found, wrong = for_baseline + for_experimental, (for_baseline, for_experimental)[expected < 0]
    worse = f"for {p_values.columns[int(expected < 0)]}, which scores worse over all runs"
    said = f"{tally(n, 'draw')}: p is "
    if n == 1:
        said += f"{'at most' if found else 'above'} {LEVEL}"
        details = f", {worse}" if wrong else ""
    else:
        said += f"at most {LEVEL} in {found or 'none'}"
        details = f", of which {wrong or 'none'} {be(wrong)} {worse}" if found else ""
    if not has_winner:
        return f"{said}: {for_baseline} with the higher run of {p_values.columns[0]}, {for_experimental} of " + (
            f"{p_values.columns[1]}. Neither direction is better, so no system wins."
        )
    if not expected:
        return f"{said}; over all runs, the means are equal{', so no such difference is real' if found else ''}."
    return f"{said}{details}."


def describe_tunings(scores: pd.DataFrame) -> str:
    """Say how far the scores of several runs of the optimizer scatter.

    Parameters
    ----------
    scores : DataFrame
        One row per run: ``dev`` and ``test``.
    """
    said = tally(len(scores), "tuning run")
    if len(scores) < 2:
        return f"{said}: tune again to see another score."
    spreads = [
        f"{name} {deviation(scores[part].to_numpy()):.2f}" for name, part in (("s_dev", "dev"), ("s_test", "test"))
    ]
    return f"{said}: test scores from {scores['test'].min():.2f} to {scores['test'].max():.2f}; {', '.join(spreads)}."


def describe_cuts(cuts: pd.DataFrame) -> str:
    """Say how s_sel compares with the spread over test sets drawn at random, and over consecutive ones.

    Parameters
    ----------
    cuts : DataFrame
        Of `compare_cuts`.
    """
    names = {"random": "drawn at random from all segments", "consecutive": "made of consecutive segments"}
    lines = []
    for cut, part in cuts.groupby("cut", sort=False):
        head, ratio = part.iloc[0], part["ratio"].dropna()
        sets = f"{head['test_sets']} test sets of {tally(round(head['segments']), 'segment')}, {names[cut]}"
        if ratio.empty:
            lines.append(f"{sets}: s_sel is 0, so their spread cannot be compared with it.")
            continue
        undefined = f" ({len(ratio)} of {len(part)} systems; for the others, s_sel is 0)"
        lines.append(
            f"{sets}: their spread is {say_span(ratio.min(), ratio.max(), 2)} times s_sel"
            f"{undefined if len(ratio) < len(part) else ''}."
        )
    ratios = cuts.groupby("cut")["ratio"].mean()
    random, consecutive = ratios["random"], ratios["consecutive"]
    if not random > 0 or not consecutive > 0:
        return wrap(lines, indent="  ", finding=False)
    # How far a standard deviation over so many test sets may be off.
    n_sets = int(cuts["test_sets"].min())
    low, high = ratio_ends(n_sets, n_sets)
    if low <= consecutive / random <= high:
        found = f"With {n_sets} test sets of each kind, no difference between the two spreads is shown."
    else:
        more = "more" if consecutive > random else "less"
        found = (
            f"Consecutive test sets differ {more} from one another than random ones do "
            f"(by a factor of {consecutive / random:.2g}), and s_sel does not include this."
        )
    return wrap([found, *lines], indent="  ")


def describe_tests(tests: pd.DataFrame) -> str:
    """Say which tests reject with the most runs, and why some cannot with one.

    Parameters
    ----------
    tests : DataFrame
        Of `tabulate_tests`.
    """
    most = tests["n_runs"].max()
    last = tests[(tests["n_runs"] == most) & tests["p_value"].notna()]
    rejecting = list(last[last["p_value"] <= LEVEL]["test"])
    others = list(last[last["p_value"] > LEVEL]["test"])
    said = [f"rejected at 5 % by these tests: {', '.join(rejecting)}"] if rejecting else []
    said += [f"not rejected by these: {', '.join(others)}"] if others else []
    lines = [f"With {tally(int(most), 'run')} of each system, the hypothesis of no difference is {'; '.join(said)}."]
    if most == 1:
        lines.append(
            "With one run of each, the two exchanges are the same test. The t-test and the crossed analysis need at "
            "least two runs of each system."
        )
    return wrap(lines, indent="  ")


def describe_real_runs() -> str:
    """Say how much real runs vary, from the numbers that ship in ``data/real``."""
    ratios, opposite = _read_real("s_test_to_s_sel"), _read_real("wrong_order_1")
    lines = [
        f"{name}: s_test is {ratios[name]:.2f} times s_sel; {opposite[name]:.0f} % of the pairs of runs show the "
        "opposite order."
        for name in ratios.index
    ]
    return wrap([REAL_RUNS, *lines], indent="  ", finding=False)


def describe_real_exchanges() -> str:
    """Say how often each exchange finds a difference of real runs, from the numbers that ship in ``data/real``."""
    lines = []
    for name in _read_real("s_test_to_s_sel").index:
        (n_runs,) = re.findall(r"(\d+) runs", name)
        by_run, by_unit = (_read_real(f"significant_{exchange}_{n_runs}")[name] for exchange in ("run", "unit"))
        lines.append(
            f"{name}, drawn as for Table 2: p is at most {LEVEL} in {by_run:.0f} % of the draws by run, and in "
            f"{by_unit:.0f} % by unit."
        )
    return wrap([REAL_RUNS, *lines], indent="  ", finding=False)


def _read_real(key: str) -> pd.Series:
    """Return a number of each real corpus with several runs, by its name in words."""
    claims = read_real_claims("clark2011")
    chosen = claims[claims["key"] == key]
    names = [f"{REAL_CORPORA[corpus]} ({runs})" for corpus, runs in chosen["corpus"].str.split(", ")]
    return pd.Series(chosen["here"].to_numpy(), names)


def describe_spending(analysis: CrossedAnalysis) -> str:
    """Say whether more runs or more segments would help: `advise_spending`, in lines of a readable length."""
    return wrap([advise_spending(analysis)], indent="  ")


def describe_median_runs(variance: OptimizerVariance) -> str:
    """Say which run of each system to read, and on which set it is the median (§5), by the first metric.

    Parameters
    ----------
    variance : OptimizerVariance
        Of `mtworkbench.optimizer_variance`, best with a tuning set.
    """
    lines, metric = [], next(iter(variance.metrics.values()))
    for system in metric.systems:
        if system.runs == 1:
            lines.append(f"{system.system}: read its only run.")
            continue
        chosen, score, where = system.dev_median_run, system.dev_median_score, "the tuning set"
        if chosen is None or score is None:
            chosen, score, where = system.median_run, system.median_score, "the test set itself"
        higher = sum(one > score for one in system.scores)
        have = "has" if higher == 1 else "have"
        lines.append(
            f"{system.system}: read run {system.run_names[chosen - 1]}, the median on {where}. Its {metric.name} on "
            f"the test set is {score:.2f}; {higher} of {tally(system.runs, 'run')} {have} a higher one."
        )
    if any(system.dev_median_run is None and system.runs > 1 for system in metric.systems):
        lines.append("If you have other data, choose the median run on them rather than on the test set.")
    return wrap(lines, indent="  ", finding=False)


def _runs_of_both(a: SystemStatistics, b: SystemStatistics) -> str:
    return f"{tally(a.n_runs, 'run')} of each" if a.n_runs == b.n_runs else f"{a.n_runs} and {b.n_runs} runs"


# ---- as titles of figures


def title_overlap(found: pd.DataFrame, baseline: str, experimental: str) -> str:
    """Say whether the scores of two systems' runs overlap (a frame of `summarize_overlap`)."""
    row = found.iloc[0]
    overlap = "do not overlap" if np.isnan(row["low"]) else "overlap"
    said = f"The scores of the runs of {baseline} and {experimental} {overlap}"
    if max(row["baseline_runs"], row["experimental_runs"]) == 1:
        return f"{baseline} and {experimental} have one run each"
    if np.isnan(row["wrong_order_percent"]):
        return said
    if row["wrong_order_percent"] == 0:
        return f"{said}, and no pair of runs is in the wrong order"
    share = show_value(row["wrong_order_percent"], 1)
    return f"{said}: {share} % of the pairs of runs are in the wrong order"


def title_replications(found: pd.DataFrame) -> str:
    """Say how often experiments have the wrong sign, with the fewest and most runs (of `summarize_differences`)."""
    first, last = found.iloc[0], found.iloc[-1]
    if np.isnan(first["wrong_sign_percent"]):
        return "The means of all runs are equal, so no sign is wrong"
    if first["low"] == last["high"]:
        return f"These runs have only one difference: {first['mean']:+.2f}"
    shares = [show_value(row["wrong_sign_percent"], 1) for row in (first, last)]
    runs = tally(int(first["replications"]), "run")
    said = f"{shares[0]} % of the experiments with {runs} of each system have the wrong sign"
    return f"{said}, {shares[1]} % with {last['replications']:.0f}" if len(found) > 1 else said


def title_p_values(drawn: pd.DataFrame) -> str:
    """Say how many experiments reach the level, with the fewest and the most runs (of `randomize_drawn_runs`)."""
    if is_one_experiment(drawn):
        shown = name_p(drawn["p_value"].iloc[0], digits_of_trials(drawn["n_trials"].iloc[0]))
        return f"With one run of each system, all {tally(len(drawn), 'experiment')} give {shown}"
    shares = (100 * (drawn["p_value"] <= LEVEL)).groupby(drawn["n"]).mean()
    fewest, most = shares.index[0], shares.index[-1]
    runs = tally(int(fewest), "run")
    said = f"p is at most {LEVEL:g} in {shares[fewest]:.0f} % of the experiments with {runs} of each system"
    return f"{said}, {shares[most]:.0f} % with {most}" if most != fewest else said


def title_optima(frame: pd.DataFrame) -> str:
    """Say how the optimum that was taken compares with the others on the test set (a frame of `arrange_optima`)."""
    taken, others = frame["test"][frame["taken"]].iloc[0], frame["test"][~frame["taken"]]
    if others.empty:
        return "One starting point leads to one local optimum"
    higher = int((others > taken).sum())
    return f"On the test set, {higher} of {tally(len(others), 'other start')} led to a higher score"


def title_test_sizes(sizes: pd.DataFrame) -> str:
    """Name the tests that nowhere reject clearly too often (a frame of `measure_sizes`)."""
    level = in_percent(LEVEL)
    too_often = (sizes["low"] > 100 * LEVEL).groupby(sizes["test"], sort=False).any()
    kept = list(too_often[~too_often].index)
    if not kept:
        return f"Each test rejects clearly more than {level} in some setting"
    if len(kept) == len(too_often):
        return f"No test rejects clearly more than {level} in any setting"
    return f"Tests that never reject clearly more than {level}: {listed(kept)}"


def title_projection(frame: pd.DataFrame, unit: str) -> str:
    """Say what the most runs and the longest test set would save (a frame of `project_errors`)."""
    errors = frame.pivot(index="n_units", columns="n_runs", values="standard_error")
    (units, most_units), (runs, most_runs) = ((axis.min(), axis.max()) for axis in (errors.index, errors.columns))
    start = errors.loc[units, runs]
    if not start > 0 or units == most_units or runs == most_runs:
        return "Standard error of the difference with more runs and longer test sets"
    by_runs, by_units = (
        100 * (1 - one / start) for one in (errors.loc[units, most_runs], errors.loc[most_units, runs])
    )
    return (
        f"{most_runs} runs instead of {runs} reduce the standard error by {by_runs:.0f} %, {most_units:,} "
        f"{name_units(unit)} instead of {units:,} by {by_units:.0f} %"
    )


# ---- several test sets


def describe_each_test_set(summary: pd.DataFrame) -> list[str]:
    """Say how far the sets' differences lie apart, and for how many pairs a difference is shown, one sentence each.

    Parameters
    ----------
    summary : DataFrame
        As of `read_real_test_sets`, of one metric.
    """
    n_pairs, n_sets, ratio = len(summary), int(summary["test_sets"].iloc[0]), summary["ratio"].dropna()
    lines = []
    if len(ratio):
        lines.append(
            f"The difference between two systems spreads {say_span(ratio.min(), ratio.max(), 1)} times as much over "
            f"the {n_sets} test sets as the standard errors within the sets say."
        )
    shown, for_new = summary[summary["shown"]], summary[summary["shown_for_new"]]
    pairs = tally(n_pairs, "pair")
    sentence = f"For these test sets, a difference is shown for {len(shown)} of {pairs} of systems"
    if len(shown):
        sentence += f"; for new test sets like these, it is shown for {len(for_new)}"
    lines.append(f"{sentence}.")
    only_here = [
        f"{one.a} - {one.b} ({one.difference:+.2f}; for new test sets, 95 % CI [{one.new_sets_low:.2f}, "
        f"{one.new_sets_high:.2f}], {name_p(one.new_sets_p_adjusted, EXACT_DIGITS, 'p (Holm)')})"
        for one in shown[~shown["shown_for_new"]].itertuples()
    ]
    if only_here:
        lines.append(f"Shown for these test sets only: {listed(only_here)}.")
    return lines


def read_real_test_sets() -> pd.DataFrame:
    """Read what ``scripts/examine_real_test_sets.py`` found of five engines on 14 test sets, German-English, by BLEU.

    Returns
    -------
    DataFrame
        One row per pair: ``metric``, ``a``, ``b``, ``test_sets``, ``difference`` (mean over sets of a's score - b's),
        ``low``, ``high`` (on these sets), ``shown`` (whether a difference is shown on these sets), ``new_sets_low``,
        ``new_sets_high``, ``new_sets_p_adjusted``, ``shown_for_new`` (whether it is shown for new sets), ``spread``
        (standard deviation of the differences over sets), ``standard_error`` (root mean square of those of single sets)
        and ``ratio`` (of these two; NaN where the standard error is 0 or unknown).
    """
    return pd.read_csv(find_shipped("data/real/test_sets.csv"))


def describe_real_test_sets() -> str:
    """Say what separate real test sets show of s_sel, from the numbers that ship in ``data/real``."""
    claims = read_real_claims("clark2011").set_index("key")
    whole, halves = claims.loc["spread_of_test_sets"], claims.loc["spread_of_halves"]
    sentence = (
        f"On real outputs ({whole['corpus']}; data/real/clark2011_claims.csv), the scores on separate test sets spread "
        f"{whole['here']:.1f} times as much as s_sel says, those on two random halves of one test set "
        f"{halves['here']:.2f} times as much."
    )
    return wrap([sentence], indent="  ", finding=False)


def describe_real_differences() -> str:
    """Say what the real test sets of `describe_real_test_sets` show of the differences between systems."""
    found = read_real_test_sets()
    n_systems = len({*found["a"], *found["b"]})
    head = f"Real outputs of {n_systems} systems (de-en; data/real/test_sets.csv):"
    return wrap([" ".join([head, *describe_each_test_set(found)])], indent="  ", finding=False)
