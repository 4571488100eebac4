"""What a verdict depends on: single units left out, the few that decide, a growing test set, and looking too early."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable, settle_unit
from mtworkbench.inference.intervals import TIE, jackknife_ends, monte_carlo_ends
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.inference.units import label_units
from mtworkbench.inference.verdicts import judge_tests
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import SUBSAMPLES, RandomKey, RngLike, exchange_masks, resolve_rng, stream_words
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import check_choice, check_draws, check_level, choose_n_trials
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.wording import be
from mtworkbench.words.sentences_on_influence import cannot_reject

#: A verdict depends on "few" units where these are at most a tenth of all, and at most so many.
MOST_UNITS = 50
# Without one of them, a standard error of the others must still exist.
MIN_UNITS = 3
ORDERS = ("test set", "random")
#: Armitage, McPherson & Rowe (1969), Table 2: how often a 5 % test of a normal mean with known variance rejects at
#: least once, by the number of equally spaced looks.
NORMAL_MEAN = {1: 0.05, 2: 0.083, 3: 0.107, 4: 0.126, 5: 0.142, 10: 0.193, 20: 0.248, 50: 0.320}
ARMITAGE_LEVEL = 0.95
#: How often `simulate_peeking` looks, where nobody says it.
LOOKS = (1, 2, 5, 10)


def leave_out_units(a: SystemStatistics, b: SystemStatistics, *, unit: str = "auto") -> pd.DataFrame:
    """Leave out each document (or segment) in turn, and see how the difference of two systems changes.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    unit : str
        What is left out: see `bootstrap_interval`. By default documents where at least 6 are known, else segments.

    Returns
    -------
    DataFrame
        One row per unit, in the order of the test set: ``metric``, ``higher_is_better``, ``a``, ``b``, ``unit`` (such
        as ``document``); ``label``: which one, a segment by its number in the reference file; ``segments`` that it has;
        ``difference`` of the scores, a - b, without it; ``change``: this minus the difference on all segments;
        ``whole``: the difference on all segments.

    Raises
    ------
    InputError
        Where the systems cannot be compared, ``unit`` is not known, or there is only one unit (``few-units``).

    Notes
    -----
    These are the values that the delete-one jackknife is computed from (Efron & Tibshirani, 1993, §11.2). Do not report
    a result without some unit because of what this table shows.
    """
    table = _lay_out(a, b, unit, 2, "to leave one out")
    whole, without = table.difference(), table.score_without(0) - table.score_without(1)
    frame = pd.DataFrame(
        describe_pair(table)
        | {
            "label": label_units(table.systems[0].test_set, table.units),
            "segments": table.units.sizes,
            "difference": without,
            "change": without - whole,
            "whole": whole,
        }
    )
    return note_documents(frame, table)


def find_decisive_units(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    level: float = 0.95,
    unit: str = "auto",
    at_most: int | None = None,
    n_trials: int | None = None,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Find a few documents (or segments) without which the verdict on two systems would change.

    Units are left out one after another, each time the one that the verdict depends on most, until the verdict
    changes. This shows on how few units a verdict depends. It is a diagnosis, never an analysis: if you leave out
    data after seeing them, you can reach any verdict. p is that of this one comparison, not adjusted for others, so
    where `compare` adjusts p for several systems, its verdict may be another one to begin with.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    level : float
        The difference is significant where p is at most 1 - level.
    unit : str
        What is left out and swapped: see `bootstrap_interval`.
    at_most : int, optional
        When to give up; by default at a tenth of the units, at least 1 and at most 50.
    n_trials : int, optional
        Of each randomization test; by default 10,000, or more where the level needs more.
    rng : int, numpy.random.Generator or None
        Seed; None draws one. All tests take the same.
    progress : callable, optional
        Wraps the units to leave out and shows how far one has come, such as ``tqdm``.

    Returns
    -------
    DataFrame
        The first row has nothing left out, each later row one unit more, in the order in which they go: ``metric``,
        ``higher_is_better``, ``a``, ``b``, ``unit``, ``level``; ``removed``: the number of units left out so far;
        ``label`` of the last one and its ``segments`` (missing in the first row); ``units_left``, ``segments_left``
        and ``differing``: the units left in which the two systems' statistics differ; ``difference`` (a - b),
        ``p_value`` and ``verdict`` of `approximate_randomization` on what is left; ``n_trials``, missing where all
        exchanges were enumerated. The last row has the other verdict, or else the search was given up there: because
        ``at_most`` was reached; because a difference that is not significant cannot become so, with as few differing
        units as are left; or at once because the verdict is undecided.

    Raises
    ------
    InputError
        Where the systems cannot be compared, an argument is not what it should be, or there are fewer than 3 units
        (``few-units``).

    Notes
    -----
    The search is greedy: the unit that the verdict depends on most is the one without which the jackknife's t, the
    difference divided by its standard error, is the smallest where the difference is significant, and the largest where
    it is not. That is not always the unit with the largest contribution (`segment_contributions`). The standard error
    without a unit is taken from the influences of all of them, which is exact for a mean over units of equal size, else
    close. A smaller set may exist; finding it for certain would take all subsets.
    """
    check_level(level)
    table = _lay_out(a, b, unit, MIN_UNITS, "to leave out the decisive ones")
    n_trials, random_key = choose_n_trials(n_trials, 1, level), resolve_rng(rng)
    at_most = _choose_most(at_most, table.units.count)
    test = partial(randomize_part, level=level, n_trials=n_trials, random_key=random_key)
    common = describe_pair(table) | {"level": float(level)}
    labels, sizes = label_units(table.systems[0].test_set, table.units), table.units.sizes
    kept = np.ones(table.units.count, dtype=bool)
    rows = [common | _describe_rest(table, 0) | test(table)]
    begun = rows[0]["verdict"]
    if begun == "undecided" or _is_settled(rows[0]):
        at_most = 0
    # Towards 0 where the difference is significant, else away from it.
    towards = (-1 if begun == "significant" else 1) * (np.sign(table.difference()) or 1.0)
    rest = table
    with shown_steps(progress if at_most else None, at_most) as advance:
        for step in range(1, at_most + 1):
            number = np.flatnonzero(kept)[np.argmax(towards * _t_without(rest))]
            kept[number] = False
            rest = take_units(table, kept)
            one = {"label": labels[number], "segments": sizes[number]}
            rows.append(common | one | _describe_rest(rest, step) | test(rest))
            advance(1)
            if rows[-1]["verdict"] not in (begun, "undecided") or _is_settled(rows[-1]):
                break
    columns = [*common, "removed", "label", "segments", "units_left", "segments_left", "differing", "difference"]
    frame = pd.DataFrame(rows, columns=[*columns, "p_value", "n_trials", "verdict"])
    return note_documents(frame.astype({"segments": "Int64", "n_trials": "Int64"}), table)


def _choose_most(at_most: int | None, n_units: int) -> int:
    """Return when to give up. Two units are always left, so that there is something to test."""
    if at_most is None:
        at_most = min(max(1, n_units // 10), MOST_UNITS)
    elif isinstance(at_most, bool) or not isinstance(at_most, (int, np.integer)) or at_most < 1:
        raise InputError(
            "at-most",
            f"at_most is {excerpt(at_most)}, but the largest number of units to leave out was expected, at least 1.",
        )
    return min(int(at_most), n_units - 2)


def _is_settled(row: Mapping[str, Any]) -> bool:
    """Tell whether the difference is not significant and cannot become so by leaving out more."""
    return row["verdict"] == "not significant" and cannot_reject(row["differing"], row["level"])


def _describe_rest(table: ScoreTable, removed: int) -> dict[str, object]:
    return {
        "removed": removed,
        "units_left": table.units.count,
        "segments_left": table.n_segments,
        "differing": table.count_differing(),
        "difference": table.difference(),
    }


def _t_without(table: ScoreTable) -> np.ndarray:
    """Return the difference over its jackknife standard error without each unit, (n_units,) ndarray."""
    n, without = table.units.count, table.score_without(0) - table.score_without(1)
    # Squared deviations of each unit's own difference from their mean, were the score a mean over units.
    squares = ((n - 1) * (without.mean() - without)) ** 2
    variance = np.maximum(squares.sum() - n / (n - 1) * squares, 0) / ((n - 1) * max(n - 2, 1))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(without / np.sqrt(variance), nan=0.0)


def grow_test_set(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    n_points: int = 20,
    order: str = "test set",
    level: float = 0.95,
    unit: str = "auto",
    n_trials: int | None = None,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Compare two systems on more and more documents (or segments), as if the test set were still growing.

    The curve shows what you would have concluded if you had stopped early. If you look again and again, and stop at the
    first p below 0.05, you reject too often: see `simulate_peeking`.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    n_points : int
        Points of the curve, as far apart as the number of units allows; the last one is the whole test set.
    order : {"test set", "random"}
        In which order units come in: that of the test set (a document comes where its first segment is), or a random
        one.
    level : float
        Of the intervals; a difference is significant where p is at most 1 - level.
    unit : str
        What comes in, and is swapped: see `bootstrap_interval`.
    n_trials : int, optional
        Of each randomization test; by default 10,000, or more where the level needs more.
    rng : int, numpy.random.Generator or None
        Seed; None draws one. All tests take the same.
    progress : callable, optional
        Wraps the points and shows how far one has come, such as ``tqdm``.

    Returns
    -------
    DataFrame
        One row per point: ``metric``, ``higher_is_better``, ``a``, ``b``, ``unit``, ``level``, ``order``; ``units`` and
        ``segments`` so far; ``difference`` (a - b) with the ends ``low`` and ``high`` of its delete-one jackknife
        interval (the same method at every point; missing where there are too few units); ``p_value`` and ``verdict`` of
        `approximate_randomization`; ``n_trials``, missing where all exchanges were enumerated.

    Raises
    ------
    InputError
        Where the systems cannot be compared, an argument is not what it should be, or there is only one unit
        (``few-units``).
    """
    check_level(level)
    check_choice("order", order, ORDERS)
    if isinstance(n_points, bool) or not isinstance(n_points, (int, np.integer)) or n_points < 1:
        raise InputError(
            "points", f"n_points is {excerpt(n_points)}, but a number of points of at least 1 was expected."
        )
    table = _lay_out(a, b, unit, 2, "to see a test set grow")
    n_trials, random_key = choose_n_trials(n_trials, 1, level), resolve_rng(rng)
    test = partial(randomize_part, level=level, n_trials=n_trials, random_key=random_key)
    rows = []
    places, ends = _place_units(table.units.count, order, random_key), _choose_ends(table.units.count, n_points)
    for end in progress(ends) if progress else ends:
        part = take_units(table, places < end)
        difference = part.difference()
        low, high = jackknife_ends(level, difference, part.influence_on(), part.units.df)
        here = {"units": end, "segments": part.n_segments, "difference": difference, "low": low, "high": high}
        rows.append(describe_pair(table) | {"level": float(level), "order": order} | here | test(part))
    return note_documents(pd.DataFrame(rows).astype({"low": float, "high": float, "n_trials": "Int64"}), table)


def _place_units(n_units: int, order: str, random_key: RandomKey) -> np.ndarray:
    """Return when each unit comes in, counted from 0, (n_units,) ndarray of int64."""
    if order == "test set":
        return np.arange(n_units)
    words = stream_words(random_key.stream(SUBSAMPLES), 0, n_units)
    return np.argsort(np.argsort(words, kind="stable"), kind="stable")


def _choose_ends(n_units: int, n_points: int) -> list[int]:
    """Return how many units there are at each point: at least 2, so that an interval can be computed."""
    return sorted({max(2, end) for end in _divide_evenly(n_units, n_points)})


def simulate_peeking(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    looks: Iterable[int] | None = None,
    n_repetitions: int = 10_000,
    level: float = 0.95,
    unit: str = "auto",
    rng: RngLike = None,
) -> pd.DataFrame:
    """Measure how often a test that is repeated while the test set grows rejects although no system is better.

    In each repetition, the outputs of a and b are swapped at random, unit by unit, so that both pseudo-systems are
    equally good on these segments with these scores. The randomization test is made at equally spaced looks, on the
    units that have come in by then, in the order of the test set.

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. Segments without a score in either leave the comparison for both.
    looks : iterable of int, optional
        Numbers of looks; the last look is always at the whole test set. 1, 2, 5 and 10 by default, as far as there are
        so many units.
    n_repetitions : int
    level : float
        A look rejects where p is at most 1 - level.
    unit : str
        What comes in, and is swapped: see `bootstrap_interval`.
    rng : int, numpy.random.Generator or None
        Seed; None draws one.

    Returns
    -------
    DataFrame
        One row per number of looks: ``metric``, ``higher_is_better``, ``a``, ``b``, ``unit``, ``level``, ``units`` and
        ``differing``: those in which the systems' statistics differ; ``looks``;
        ``n_rejected``: repetitions in which at least one look rejects, and their share ``rejected`` with the ends
        ``low`` and ``high`` of its 95 % interval (Clopper-Pearson); ``n_repetitions``; ``normal_mean``: the share that
        Armitage, McPherson & Rowe (1969) give for a normal mean (missing for other numbers of looks, and other levels).

    Raises
    ------
    InputError
        Where the systems cannot be compared, an argument is not what it should be, or there are more looks than units
        (``looks``).

    Notes
    -----
    Swapping outputs that have been swapped already gives the same set of differences, so one distribution serves the
    tests of all repetitions at a look: p is the share of repetitions whose difference is at least as large there. The
    repetitions are each other's trials; no normal distribution is assumed. The shares come close to those of a normal
    mean where each look adds as much information as the last; where some units weigh much more than others, they do
    not, and with a few units early looks cannot reject at all.
    """
    check_level(level)
    check_draws("n_repetitions", n_repetitions)
    table = _lay_out(a, b, unit, 2, "to look more than once")
    random_key = resolve_rng(rng)
    ends_of = {number: _divide_evenly(table.units.count, number) for number in _check_looks(looks, table)}
    ends = sorted({end for some in ends_of.values() for end in some})
    rejected = _reject(table, ends, int(n_repetitions), level, random_key)
    rows = []
    for number, own in ends_of.items():
        n_rejected = int(np.count_nonzero(np.any([rejected[end] for end in own], axis=0)))
        low, high = monte_carlo_ends(n_rejected, n_repetitions)
        shares = {"n_rejected": n_rejected, "rejected": n_rejected / n_repetitions, "low": low, "high": high}
        counts = {"units": table.units.count, "differing": table.count_differing()}
        here = {"level": float(level), **counts, "looks": number} | shares
        rows.append(describe_pair(table) | here | {"n_repetitions": int(n_repetitions)})
    frame = pd.DataFrame(rows)
    known = NORMAL_MEAN if abs(level - ARMITAGE_LEVEL) < ROUNDING else {}
    frame["normal_mean"] = frame["looks"].map(known).astype(float)
    return note_documents(frame, table)


def _check_looks(looks: Iterable[int] | None, table: ScoreTable) -> list[int]:
    count = table.units.count
    if looks is None:
        return [number for number in LOOKS if number <= count]
    numbers = list(looks) if isinstance(looks, Iterable) else []
    good = [isinstance(one, (int, np.integer)) and not isinstance(one, bool) and one >= 1 for one in numbers]
    if not numbers or not all(good):
        raise InputError(
            "looks", f"looks is {excerpt(looks)}, but a list of numbers of looks was expected, each at least 1."
        )
    if max(numbers) > count:
        raise InputError(
            "looks",
            f"looks has {max(numbers)}, but the test set has only {count} {name_units(table.units.name, count)}: "
            "at least one must come in between two looks.",
        )
    return list(dict.fromkeys(int(number) for number in numbers))


def _divide_evenly(n_units: int, n_points: int) -> list[int]:
    """Return how many units have come in at each of some points."""
    return [round(n_units * point / n_points) for point in range(1, n_points + 1)]


def _reject(
    table: ScoreTable, ends: Sequence[int], n_repetitions: int, level: float, random_key: RandomKey
) -> dict[int, np.ndarray]:
    """Return which repetitions are rejected by the test of the first units, by their number, (n_repetitions,) each."""
    numbers = np.arange(table.units.count)
    parts = {end: take_units(table, numbers < end) for end in ends}
    scores: dict[int, list[np.ndarray]] = {end: [] for end in ends}
    for masks in exchange_masks(table.units.count, n_repetitions, rng=random_key):
        for end, part in parts.items():
            scores[end].append(part.exchange(masks[:, :end, 0], [(0, 1)])[0])
    rejected = {}
    for end, found in scores.items():
        both = np.concatenate(found, axis=1)
        sizes = np.abs(both[0] - both[1])
        # As in `TrialFamily`: differences that should tie must tie.
        at_least = sizes - TIE * np.abs(both).max(axis=0)
        n_extreme = n_repetitions - np.searchsorted(np.sort(sizes), at_least, side="left")
        rejected[end] = n_extreme / n_repetitions <= 1 - level + ROUNDING
    return rejected


def randomize_part(table: ScoreTable, level: float, n_trials: int, random_key: RandomKey) -> dict[str, object]:
    """Run the randomization test on a table of two systems; return what a row says of it.

    It is the test of `approximate_randomization`, with the same coins for the same ``rng``.
    """
    found = randomize(table, n_trials=n_trials, random_key=random_key)
    [judged] = judge_tests([found], level)
    return {
        "p_value": found.p_value,
        "n_trials": None if found.exact else n_trials,
        "verdict": judged.verdict,
    }


def describe_pair(table: ScoreTable) -> dict[str, object]:
    """Return what all rows on a table of two systems have in common."""
    a, b = table.systems
    return {
        "metric": a.metric.name,
        "higher_is_better": a.metric.higher_is_better,
        "a": a.system,
        "b": b.system,
        "unit": table.units.name,
    }


def note_documents(frame: pd.DataFrame, table: ScoreTable) -> pd.DataFrame:
    """Note on a frame from which public test set the documents were recognized, where these are the units."""
    frame.attrs["known_documents"] = table.units.known_documents
    return frame


def _lay_out(a: SystemStatistics, b: SystemStatistics, unit: str, at_least: int, purpose: str) -> ScoreTable:
    """Return the table of two systems; raise an `InputError` (``few-units``) where it has too few units."""
    check_comparable(a, b)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    count = table.units.count
    if count < at_least:
        raise InputError(
            "few-units",
            f"There {be(count)} only {count} {name_units(table.units.name, count)}, but at least "
            f"{at_least} are needed {purpose}: use smaller units (unit).",
        )
    return table


def take_units(table: ScoreTable, kept: np.ndarray) -> ScoreTable:
    """Return the table of some units.

    Parameters
    ----------
    table : ScoreTable
        Without strata.
    kept : (n_units,) ndarray of bool
    """
    segments = kept[table.units.of_segment]
    numbers = np.cumsum(kept) - 1
    units = replace(table.units, count=int(kept.sum()), of_segment=numbers[table.units.of_segment[segments]])
    return ScoreTable(tuple(system.take(segments) for system in table.systems), units)
