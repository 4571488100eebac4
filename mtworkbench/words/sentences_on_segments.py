"""What is said in sentences about segments and their contributions to a difference, and about buckets of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from mtworkbench.inference.contributions import largest_remainder
from mtworkbench.inference.score_table import segments_of_both
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.results.names_of_units import count_units, name_units
from mtworkbench.wording import be, tally
from mtworkbench.words.cells import decimals_for, in_percent, signed
from mtworkbench.words.lines import Sentences

if TYPE_CHECKING:
    import pandas as pd

    from mtworkbench.metrics.protocol import Metric
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: A contribution below this share of the largest is rounding.
ROUNDING = 1e-9


def describe_contributions(
    frame: pd.DataFrame, statistics: SegmentStatistics, a: str, b: str, *, runs: tuple[int, int] | None = None
) -> Sentences:
    """Say how many segments make the difference better or worse, and that their own scores do not add up to it.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, with all its rows.
    statistics : SegmentStatistics
        As it was given to `segment_contributions`.
    a, b : str
        The new system and the baseline.
    runs : (int, int), optional
        As it was given to `segment_contributions`.

    Returns
    -------
    Sentences
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    metric = statistics.metric
    unit = "segment" if "segment" in frame.columns else str(frame.columns[0])
    contributions = frame["contribution"].dropna()
    if a == b and (runs is None or runs[0] == runs[1]):
        return Sentences(f"By {metric.name}, {a} is compared with itself: no {unit} makes a difference.")
    total = float(contributions.sum())
    scores = _score(statistics, (a, b), runs)
    difference = float(scores[0].mean() - scores[1].mean())
    digits = _decimals_of(difference)
    sides = _count_sides(contributions.to_numpy(), metric, (a, b), digits)
    counted = count_units(unit, len(contributions))
    said = [f"By {metric.name}, {a} - {b} is {signed(difference, digits)}: of {counted}, {sides}."]
    left_out = len(frame) - len(contributions)
    if left_out:
        which = f"{count_units(unit, left_out)} {be(left_out)} left out"
        said.append(f"{which}, because one of the systems has no score there.")
    remainder = difference - total
    jumps = abs(remainder) > largest_remainder(np.concatenate(scores))
    if jumps:
        shown = signed(remainder, max(digits, _decimals_of(remainder)))
        said.append(
            f"{shown} of the difference cannot be assigned to {name_units(unit)}: the score jumps between the two "
            "systems, as it does if one of them has no matching n-gram of some length."
        )
    changes = frame["change"].dropna()
    change = float(changes.mean()) if len(changes) else difference
    adds_up = abs(change - difference) <= ROUNDING * max(1.0, abs(difference))
    if not adds_up:
        said.append(_compare_changes(change, difference, metric.name, unit, digits))
    elif len(changes) and not jumps and changes.any():
        said.append(f"The {metric.name} of single {name_units(unit)} adds up: its mean change equals the difference.")
    return Sentences(" ".join(said))


def describe_concentration(frame: pd.DataFrame, listed: pd.DataFrame, difference: float, does: str) -> Iterator[str]:
    """Say what the segments listed add up to, and how few segments add up to as much as the whole difference.

    Parameters
    ----------
    frame : DataFrame
        Of `segment_contributions`, with all its rows.
    listed : DataFrame
        The rows of it that have the largest contributions towards the difference, the largest first.
    difference : float
    does : str
        What they do, such as ``favour new``.
    """
    if not len(listed):
        return
    towards = frame["contribution"].dropna() * (1 if listed["contribution"].iloc[0] > 0 else -1)
    sums = np.cumsum(np.sort(towards.to_numpy())[::-1])
    digits = _decimals_of(difference)
    total = signed(float(listed["contribution"].sum()), digits)
    one = len(listed) == 1
    said = f"The segment listed contributes {total}" if one else f"The {len(listed):,} listed add up to {total}"
    whole = abs(difference) * (1 - ROUNDING)
    if not 0 < whole <= sums.max():  # equal scores, or a remainder that no segment has
        yield f"{said}."
        return
    enough = int(np.argmax(sums >= whole)) + 1
    few = f"The {enough:,} that {does} most add up" if enough > 1 else "The first alone adds up"
    yield f"{said}. {few} to as much as the whole difference."


def _score(
    statistics: SegmentStatistics, systems: tuple[str, str], runs: tuple[int, int] | None
) -> tuple[np.ndarray, np.ndarray]:
    """Score both systems on the segments that both have scores for, (n_runs,) ndarrays, or one run of each."""
    both = [statistics[name] for name in systems]
    if runs is not None:
        both = [replace(one, values=one.values[[run - 1]], given_names=()) for one, run in zip(both, runs, strict=True)]
    compared = segments_of_both(*both)
    of_a, of_b = (one.score()[0] if compared is None else one.take(compared).score()[0] for one in both)
    return of_a, of_b


def _count_sides(contributions: np.ndarray, metric: Metric, systems: tuple[str, str], digits: int) -> str:
    """Say how many units speak for each system; without a direction, how many raise the score and lower it."""
    towards_a = sign_of(metric) * contributions
    sides = [find_towards(towards_a, raises=raises) for raises in (True, False)]
    verbs, objects = (("favour", "favour"), systems) if has_direction(metric) else (("raise", "lower"), ("it", "it"))
    parts = []
    for which, verb, noun in zip(sides, verbs, objects, strict=True):
        number, together = int(np.count_nonzero(which)), signed(float(contributions[which].sum()), digits)
        parts.append(f"{number:,} {verb}{'s' if number == 1 else ''} {noun} (together {together})")
    nothing = int(np.count_nonzero(~np.any(sides, axis=0)))
    return f"{parts[0]}, {parts[1]} and {nothing:,} {'makes' if nothing == 1 else 'make'} no difference"


def find_towards(contributions: np.ndarray, *, raises: bool) -> np.ndarray:
    """Tell which contributions raise the difference, or lower it, more than by rounding; none that is missing does."""
    least = ROUNDING * np.abs(contributions[~np.isnan(contributions)]).max(initial=0.0)
    return (contributions if raises else -contributions) > least


def _compare_changes(change: float, difference: float, metric: str, unit: str, digits: int) -> str:
    """Say that the units' own scores do not add up, and by how much their mean change departs from the difference."""
    own = f"Sentence-level {metric}" if unit == "segment" else f"The {metric} of single {name_units(unit)}"
    shown = max(digits, _decimals_of(change - difference))
    return (
        f"{own} does not add up to the difference: it changes by {signed(change, shown)} on average, while the "
        f"difference on these {name_units(unit)} together is {signed(difference, shown)}."
    )


def describe_buckets(frame: pd.DataFrame) -> Sentences:
    """Say how many of the intervals of buckets exclude 0, and how many of them would by chance.

    Of buckets of words it is first said how their frequencies are counted.

    Parameters
    ----------
    frame : DataFrame
        Of `bucket_segments`, with all its rows.
    """
    level = float(frame["level"].iloc[0])
    drawn = frame.dropna(subset=["low", "high"])
    without = len(frame) - len(drawn)
    said = [_describe_frequencies(int(frame["references"].iloc[0]))] if "references" in frame.columns else []
    if not len(drawn):
        few = "The one bucket is" if without == 1 else f"All {tally(without, 'bucket')} are"
        return Sentences(" ".join([*said, f"{few} too small for an interval."]))
    excluding = int(((drawn["low"] > 0) | (drawn["high"] < 0)).sum())
    interval = f"{in_percent(level)} CI"
    if len(drawn) == 1:
        said.append(f"The one {interval} {'excludes' if excluding else 'includes'} 0.")
    else:
        chance = 1 - level ** len(drawn)
        said.append(
            f"Buckets are many comparisons: in {excluding or 'none'} of {len(drawn):,} buckets, the {interval} "
            "excludes 0. If the systems were equal in all buckets, at least one interval would still exclude 0 by "
            f"chance in up to {in_percent(round(chance, 2))} of experiments, so a bucket is a hint where to look, not "
            "a finding."
        )
    if without:
        said.append(f"{tally(without, 'bucket')} {be(without)} too small for an interval.")
    return Sentences(" ".join(said))


def _describe_frequencies(n_references: int) -> str:
    counted = "The frequency of a word is how often it occurs in the references of the whole test set"
    if n_references == 1:
        return f"{counted}."
    together = "both" if n_references == 2 else f"all {n_references}"
    return (
        f"{counted}, {together} of each segment together: a word that occurs once in each of them has frequency "
        f"{n_references}."
    )


def _decimals_of(difference: float) -> int:
    """Choose decimals that show two digits also of a very small difference."""
    return decimals_for(abs(difference), most=12)
