"""What each figure of Clark et al. (2011) shows, as a title: one sentence, computed from the frame that is drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.papers.clark2011.published import show_value
from mtworkbench.papers.clark2011.randomization import LEVEL, is_one_experiment
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import digits_of_trials, name_p
from mtworkbench.words.frames import in_percent


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
