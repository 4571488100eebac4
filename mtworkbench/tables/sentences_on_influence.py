"""What a verdict hangs on, in sentences: single units, the decisive ones, a test set that grows, and early looks.

Every sentence is computed from a frame of `mtworkbench.studies.influence`. Names are as they are in the data: whoever
shows the sentences escapes them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.inference.units import name_units
from mtworkbench.tables.cells import (
    EXACT_DIGITS,
    decimals_of_intervals,
    digits_of_trials,
    in_percent,
    interval_of,
    say_p,
    signed,
    threshold_of,
)

DIAGNOSIS = "This is a diagnosis: what is reported is always the test on the whole test set."


def describe_left_out(frame: pd.DataFrame) -> str:
    """Say within which limits the difference stays when one unit is left out, and whether it changes its sign.

    Parameters
    ----------
    frame : DataFrame
        Of `leave_out_units`.
    """
    whole, count = frame["whole"].iloc[0], len(frame)
    digits = decimals_of_left_out(frame)
    ends = [frame.loc[frame["difference"].idxmin()], frame.loc[frame["difference"].idxmax()]]
    low, high = (f"{signed(end['difference'], digits)} (without {name_one(end['unit'], end['label'])})" for end in ends)
    one, all_units = frame["unit"].iloc[0], f"{count:,} {name_units(frame['unit'].iloc[0], count)}"
    turned = frame[np.sign(frame["difference"]) != np.sign(whole)]
    said = f"{_begin(_name_difference(frame))} is {signed(whole, digits)} with all {all_units}"
    if signed(ends[0]["difference"], digits) == signed(ends[1]["difference"], digits) == signed(whole, digits):
        return f"{said}, and no single {one} changes that."
    if turned.empty:
        sign = f"Its sign is the same without any one {one}."
    elif len(turned) == 1:
        sign = f"Leaving out {name_one(one, turned['label'].iloc[0])} changes its sign."
    else:
        sign = f"Leaving out any one of {len(turned):,} {name_units(one)} changes its sign."
    return f"{said}; without one {one} it lies between {low} and {high}. {sign}"


def describe_decisive(frame: pd.DataFrame) -> str:
    """Say without how many units the verdict is another, and what that is good for.

    Parameters
    ----------
    frame : DataFrame
        Of `find_decisive_units`.
    """
    first, last = frame.iloc[0], frame.iloc[-1]
    said = say_decisive(frame)
    if last["removed"] == 0:
        return said
    changed = last["verdict"] not in (first["verdict"], "undecided")
    fewer = (
        " Fewer may suffice, because the search removes one after another." if changed and last["removed"] > 1 else ""
    )
    return f"{said}{fewer} {DIAGNOSIS}"


def say_decisive(frame: pd.DataFrame) -> str:
    """Say in one sentence without how many units the verdict is another, or that it is the same without all tried.

    Parameters
    ----------
    frame : DataFrame
        Of `find_decisive_units`.
    """
    first, last = frame.iloc[0], frame.iloc[-1]
    size, difference = in_percent(1 - first["level"]), _name_difference(frame)
    if last["removed"] == 0 and first["verdict"] == "undecided":
        return (
            f"The verdict on {difference} is undecided ({_say_p(first)}), because p lies too close to "
            f"{threshold_of(first['level'])} for {first['n_trials']:,} trials: use more trials (n_trials)."
        )
    if last["removed"] == 0:
        return f"{first['a']} and {first['b']} do not differ in any {first['unit']}, so none of them is decisive."
    significant = first["verdict"] == "significant"
    if not significant and _cannot_reject(first["units_left"], first["level"]):
        return f"With {first['units_left']} {name_units(first['unit'])} no difference can be significant at {size}."
    left_out = _without(frame, "that contribute most to it" if significant else "that count most against it")
    now = f"({_say_p(last)}; with all {name_units(first['unit'])} {_say_p(first)})"
    if _cannot_reject(last["units_left"], first["level"]):
        left = f"{last['units_left']} {name_units(first['unit'], last['units_left'])}"
        now += f", because with {left} no difference can be"
    if last["verdict"] == first["verdict"]:
        return f"Even {left_out}, {difference} is still {last['verdict']} at {size} {now}."
    no_longer = "no longer " if significant and last["verdict"] == "not significant" else ""
    verdict = "significant" if no_longer else last["verdict"]
    return f"{_begin(left_out)}, {difference} is {no_longer}{verdict} at {size} {now}."


def describe_growth(frame: pd.DataFrame) -> str:
    """Say at how many points of a growing test set the difference was significant, and what holds on all of it.

    Parameters
    ----------
    frame : DataFrame
        Of `grow_test_set`.
    """
    last = frame.iloc[-1]
    digits, size = decimals_of_growth(frame), in_percent(1 - last["level"])
    whole = f"{_name_difference(frame)} is {signed(last['difference'], digits)}"
    interval = interval_of(last["low"], last["high"], digits)
    details = f"{in_percent(last['level'])} CI {interval}, {_say_p(last)}" if pd.notna(last["low"]) else _say_p(last)
    end = f"On the whole test set, {whole} ({details})."
    early = frame.iloc[:-1]
    if early.empty:
        return end
    shown = early[early["verdict"] == "significant"]
    looks = f"{len(early)} early looks" if len(early) > 1 else "the one early look"
    if shown.empty:
        where = f"none of {looks} is the difference" if len(early) > 1 else f"{looks}, the difference is not"
        return f"At {where} significant at {size}. {end}"
    some = f"{len(shown)} of {looks}" if len(early) > 1 else looks
    first = f", first after {shown['segments'].iloc[0]:,} segments"
    turned = "" if (shown["difference"] > 0).iloc[0] == (last["difference"] > 0) else " and in the other direction"
    return f"At {some}, the difference is significant at {size}{first}{turned}. {end}"


def describe_peeking(frame: pd.DataFrame) -> str:
    """Say how often a test rejects at least once when it is repeated, although there is no difference.

    Parameters
    ----------
    frame : DataFrame
        Of `simulate_peeking`.
    """
    row = frame.loc[frame["looks"].idxmax()]
    size = in_percent(1 - row["level"])
    if _cannot_reject(row["units"], row["level"]):
        units = f"{row['units']} {name_units(row['unit'], row['units'])}"
        return f"With {units} no test can reject at {size}, however often it is repeated."
    looks = "one look" if row["looks"] == 1 else f"{row['looks']:,} looks"
    limits = f"95 % CI {_percent(row['low'])} to {_percent(row['high'])} %"
    normal = "" if pd.isna(row["normal_mean"]) else f"; a normal mean: {_percent(row['normal_mean'])} %"
    return (
        f"Where neither system is better, a test at {size} with {looks} rejects at least once in "
        f"{_percent(row['rejected'])} % of {row['n_repetitions']:,} simulated test sets ({limits}{normal})."
    )


def decimals_of_left_out(frame: pd.DataFrame) -> int:
    """Choose the decimals of the differences of `leave_out_units`: two digits of their range."""
    return decimals_of_intervals([(frame["difference"].min(), frame["difference"].max())])


def decimals_of_growth(frame: pd.DataFrame) -> int:
    """Choose the decimals of the differences of `grow_test_set`: two digits of the width of the last interval."""
    low, high = frame["low"].iloc[-1], frame["high"].iloc[-1]
    return decimals_of_intervals([(low, high)] if pd.notna(low) else [])


def _cannot_reject(n_units: int, level: float) -> bool:
    """Tell whether units are so few that even the smallest p, 2**(1 - n), is above 1 - level."""
    return bool(2.0 ** (1 - n_units) > 1 - level)


def name_one(unit: str, label: str) -> str:
    """Name one unit: a segment by its number, a block by those of its segments, a document by its label."""
    if unit.startswith("block of "):
        return f"segments {label}"
    return f"segment {label}" if unit == "segment" else label


def _name_difference(frame: pd.DataFrame) -> str:
    first = frame.iloc[0]
    return f"the difference in {first['metric']} of {first['a']} and {first['b']}"


def _without(frame: pd.DataFrame, which: str) -> str:
    """Write what is left out: a single unit by its name, several by their number."""
    first, last = frame.iloc[0], frame.iloc[-1]
    if last["removed"] == 1:
        one = name_one(first["unit"], last["label"])
        return f"without one of {first['units_left']:,} {name_units(first['unit'])} ({one})"
    return f"without the {last['removed']:,} of {first['units_left']:,} {name_units(first['unit'])} {which}"


def _say_p(row: Any) -> str:
    return say_p(row["p_value"], EXACT_DIGITS if pd.isna(row["n_trials"]) else digits_of_trials(int(row["n_trials"])))


def _percent(share: float) -> str:
    return f"{100 * share:.1f}"


def _begin(words: str) -> str:
    """Write words as the beginning of a sentence; names within them keep their letters."""
    return words[0].upper() + words[1:]
