"""What a verdict depends on, in sentences: single units, the decisive ones, a test set that grows, and early looks.

Every sentence is computed from a frame of `mtworkbench.analyses.influence`. Names are as they are in the data: whoever
shows the sentences escapes them.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.results.estimates import smallest_p
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.wording import begin
from mtworkbench.words.cells import decimals_of_intervals, digits_of_trials, name_p, say_close
from mtworkbench.words.frames import in_percent, interval_of, signed
from mtworkbench.words.lines import Sentences
from mtworkbench.words.sentences_on_units import describe_documents


def _naming_documents(describe: Callable[[pd.DataFrame], str]) -> Callable[[pd.DataFrame], Sentences]:
    """Have a description say after its finding that the units are recognized documents."""

    @wraps(describe)
    def describe_fully(frame: pd.DataFrame) -> Sentences:
        return Sentences(" ".join([describe(frame), *describe_documents(frame.attrs.get("known_documents"))]))

    return describe_fully


@_naming_documents
def describe_decisive_units(frame: pd.DataFrame) -> str:
    """Say in one sentence without how many units the verdict changes, or that it stays the same.

    Parameters
    ----------
    frame : DataFrame
        Of `find_decisive_units`.
    """
    first, last = frame.iloc[0], frame.iloc[-1]
    size = in_percent(1 - first["level"])
    difference = f"{_name_difference(frame)}{_in_favour(first, first['difference'], ', ', ',')}"
    if last["removed"] == 0 and first["verdict"] == "undecided":
        why = say_close("p", first["level"], first["n_trials"])
        return f"The verdict on {difference} is undecided ({_name_p(first)}), because {why}."
    if first["differing"] == 0:
        return f"{first['a']} and {first['b']} do not differ in any {first['unit']}, so none of them is decisive."
    significant = first["verdict"] == "significant"
    if not significant and cannot_reject(first["differing"], first["level"]):
        return f"With {_count_differing(first, first['units_left'])} no difference can be significant at {size}."
    left_out = _without(frame)
    now = f"({_name_p(last)}; with all {name_units(first['unit'])} {_name_p(first)})"
    if cannot_reject(last["differing"], first["level"]):
        now += f", because with {_count_differing(last, last['units_left'])} no difference can be"
    if last["verdict"] == first["verdict"]:
        return f"Even {left_out}, {difference} is still {last['verdict']} at {size} {now}."
    no_longer = "no longer " if significant and last["verdict"] == "not significant" else ""
    verdict = "significant" if no_longer else last["verdict"]
    return f"{begin(left_out)}, {difference} is {no_longer}{verdict} at {size} {now}."


@_naming_documents
def describe_growth(frame: pd.DataFrame) -> str:
    """Say at how many points of a growing test set the difference was significant, and what holds on all of it.

    Parameters
    ----------
    frame : DataFrame
        Of `grow_test_set`.
    """
    last = frame.iloc[-1]
    digits, size = decimals_of_growth(frame), in_percent(1 - last["level"])
    favour = _in_favour(last, last["difference"], " ")
    whole = f"{_name_difference(frame)} is {signed(last['difference'], digits)}{favour}"
    interval = interval_of(last["low"], last["high"], digits)
    details = f"{in_percent(last['level'])} CI {interval}, {_name_p(last)}" if pd.notna(last["low"]) else _name_p(last)
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
    return f"At {some}, the difference is significant at {size}{first}{_count_directions(shown, last)}. {end}"


def _count_directions(shown: pd.DataFrame, last: Any) -> str:
    """Say in how many early looks the difference had which sign, unless all have that of the whole test set."""
    signs = np.sign(shown["difference"])
    if (signs == np.sign(last["difference"])).all():
        return ""
    counts = {
        _in_favour(last, sign) or ("above 0" if sign > 0 else "below 0"): int((signs == sign).sum())
        for sign in ((-1, 1) if last["difference"] > 0 else (1, -1))
    }
    [(direction, number), *others] = [(direction, number) for direction, number in counts.items() if number]
    if not others:
        return f", {'each time ' * (number > 1)}{direction}"
    [(other_direction, other)] = others
    return f": {number} of them {direction}, {other} {other_direction}"


@_naming_documents
def describe_peeking(frame: pd.DataFrame) -> str:
    """Say how often a test rejects at least once when it is repeated, although there is no difference.

    Parameters
    ----------
    frame : DataFrame
        Of `simulate_peeking`.
    """
    row = frame.loc[frame["looks"].idxmax()]
    size = in_percent(1 - row["level"])
    if cannot_reject(row["differing"], row["level"]):
        return f"With {_count_differing(row, row['units'])} no test can reject at {size}, however often it is repeated."
    looks = "one look" if row["looks"] == 1 else f"{row['looks']:,} looks"
    rejected, low, high = (f"{100 * row[name]:.1f}" for name in ("rejected", "low", "high"))
    normal = "" if pd.isna(row["normal_mean"]) else f"; a normal mean: {100 * row['normal_mean']:.1f} %"
    return (
        f"Where neither system is better, a test at {size} with {looks} rejects at least once in {rejected} % of "
        f"{row['n_repetitions']:,} simulated test sets (95 % CI {low} to {high} %{normal})."
    )


def decimals_of_growth(frame: pd.DataFrame) -> int:
    """Choose the decimals of the differences of `grow_test_set`: two digits of the width of the last interval."""
    low, high = frame["low"].iloc[-1], frame["high"].iloc[-1]
    return decimals_of_intervals([(low, high)] if pd.notna(low) else [])


def cannot_reject(n_differing: int, level: float) -> bool:
    """Tell whether differing units are so few that even the smallest p of all exchanges is above 1 - level."""
    return smallest_p(n_differing, 0, True) > 1 - level + ROUNDING


def _count_differing(row: Any, n_units: int) -> str:
    """Count the units that differ, and say that it is these where there are others."""
    differing = "" if row["differing"] == n_units else "differing "
    return f"{row['differing']} {differing}{name_units(row['unit'], row['differing'])}"


def _name_one(unit: str, label: str) -> str:
    """Name one unit: a segment by its number, a block by those of its segments, a document by its label."""
    if unit.startswith("block of "):
        return f"segments {label}"
    return f"segment {label}" if unit == "segment" else label


def _name_difference(frame: pd.DataFrame) -> str:
    first = frame.iloc[0]
    return f"the difference {first['a']} - {first['b']} in {first['metric']}"


def _in_favour(row: Any, difference: float, before: str = "", after: str = "") -> str:
    """Say which system a difference speaks for; nothing at 0, and where the metric has no direction."""
    if pd.isna(row["higher_is_better"]) or difference == 0:
        return ""
    return f"{before}in favour of {row['a'] if (difference > 0) == bool(row['higher_is_better']) else row['b']}{after}"


def _without(frame: pd.DataFrame) -> str:
    """Write what is left out: a single unit by its name, several by their number."""
    first, last = frame.iloc[0], frame.iloc[-1]
    if last["removed"] == 1:
        one = _name_one(first["unit"], last["label"])
        return f"without one of {first['units_left']:,} {name_units(first['unit'])} ({one})"
    return (
        f"without {last['removed']:,} of {first['units_left']:,} {name_units(first['unit'])} (each time the one that "
        "the verdict depends on most)"
    )


def _name_p(row: Any) -> str:
    digits = digits_of_trials(None if pd.isna(row["n_trials"]) else int(row["n_trials"]))
    return name_p(row["p_value"], digits, level=row["level"])
