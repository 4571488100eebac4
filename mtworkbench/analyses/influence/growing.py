"""A test set that grows: how a difference and its p-value change, and how often early looks reject equal systems."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.analyses.influence.parts import PAIR, Test, check_units, count_differing, describe_pair, take_units
from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable, settle_unit
from mtworkbench.inference.intervals import TIE, jackknife_ends, monte_carlo_ends
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.progress import Progress
from mtworkbench.resampling import SUBSAMPLES, RandomKey, RngLike, exchange_masks, resolve_rng, stream_words
from mtworkbench.results.names_of_units import name_units
from mtworkbench.results.settings import check_choice, check_draws, check_level, choose_n_trials
from mtworkbench.results.verdicts import ROUNDING
from mtworkbench.statistics.segment_statistics import SystemStatistics

ORDERS = ("test set", "random")


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
    check_comparable(a, b)
    check_level(level)
    check_choice("order", order, ORDERS)
    if isinstance(n_points, bool) or not isinstance(n_points, (int, np.integer)) or n_points < 1:
        raise InputError(
            "points", f"n_points is {excerpt(n_points)}, but a number of points of at least 1 was expected."
        )
    n_trials, random_key = choose_n_trials(n_trials, 1, level), resolve_rng(rng)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    check_units(table, 2, "to see a test set grow")
    test, rows = Test(level, n_trials, random_key), []
    places, ends = _place_units(table.units.count, order, random_key), _choose_ends(table.units.count, n_points)
    for end in progress(ends) if progress else ends:
        part = take_units(table, places < end)
        difference, (of_a, of_b) = part.means[0] - part.means[1], part.influence
        low, high = jackknife_ends(level, difference, of_a - of_b, part.units.df)
        here = {"units": end, "segments": part.n_segments, "difference": difference, "low": low, "high": high}
        rows.append(describe_pair(table) | {"level": float(level), "order": order} | here | test(part))
    return pd.DataFrame(rows).astype({"low": float, "high": float, "n_trials": "Int64"})


def _place_units(n_units: int, order: str, random_key: RandomKey) -> np.ndarray:
    """Return when each unit comes in, counted from 0, (n_units,) ndarray of int64."""
    if order == "test set":
        return np.arange(n_units)
    words = stream_words(random_key.stream(SUBSAMPLES), 0, n_units)
    return np.argsort(np.argsort(words, kind="stable"), kind="stable")


def _choose_ends(n_units: int, n_points: int) -> list[int]:
    """Return how many units there are at each point: at least 2, so that an interval can be computed."""
    ends = [round(n_units * point / n_points) for point in range(1, n_points + 1)]
    return sorted({max(2, end) for end in ends})


#: Armitage, McPherson & Rowe (1969), Table 2: how often a 5 % test of a normal mean with known variance rejects at
#: least once, by the number of equally spaced looks.
NORMAL_MEAN = {1: 0.05, 2: 0.083, 3: 0.107, 4: 0.126, 5: 0.142, 10: 0.193, 20: 0.248, 50: 0.320}
ARMITAGE_LEVEL = 0.95


def simulate_peeking(
    a: SystemStatistics,
    b: SystemStatistics,
    *,
    looks: Iterable[int] = (1, 2, 5, 10),
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
    looks : iterable of int
        Numbers of looks; the last look is always at the whole test set.
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
    check_comparable(a, b)
    check_level(level)
    check_draws("n_repetitions", n_repetitions)
    random_key = resolve_rng(rng)
    table = pair_table(a, b, settle_unit([a, b], [(0, 1)], unit))
    check_units(table, 2, "to look more than once")
    ends_of = {number: _place_looks(number, table) for number in _check_looks(looks, table)}
    ends = sorted({end for some in ends_of.values() for end in some})
    rejected = _reject(table, ends, int(n_repetitions), level, random_key)
    rows = []
    for number, own in ends_of.items():
        n_rejected = int(np.count_nonzero(np.any([rejected[end] for end in own], axis=0)))
        low, high = monte_carlo_ends(n_rejected, n_repetitions)
        shares = {"n_rejected": n_rejected, "rejected": n_rejected / n_repetitions, "low": low, "high": high}
        counts = {"units": table.units.count, "differing": count_differing(table)}
        here = {"level": float(level), **counts, "looks": number} | shares
        rows.append(describe_pair(table) | here | {"n_repetitions": int(n_repetitions)})
    frame = pd.DataFrame(rows)
    known = NORMAL_MEAN if abs(level - ARMITAGE_LEVEL) < ROUNDING else {}
    frame["normal_mean"] = frame["looks"].map(known).astype(float)
    return frame


def _check_looks(looks: Iterable[int], table: ScoreTable) -> list[int]:
    numbers = list(looks) if isinstance(looks, Iterable) else []
    good = [isinstance(one, (int, np.integer)) and not isinstance(one, bool) and one >= 1 for one in numbers]
    if not numbers or not all(good):
        raise InputError(
            "looks", f"looks is {excerpt(looks)}, but a list of numbers of looks was expected, each at least 1."
        )
    count = table.units.count
    if max(numbers) > count:
        raise InputError(
            "looks",
            f"looks has {max(numbers)}, but the test set has only {count} {name_units(table.units.name, count)}: "
            "at least one must come in between two looks.",
        )
    return list(dict.fromkeys(int(number) for number in numbers))


def _place_looks(number: int, table: ScoreTable) -> list[int]:
    """Return how many units have come in at each look."""
    return [round(table.units.count * look / number) for look in range(1, number + 1)]


def _reject(
    table: ScoreTable, ends: Sequence[int], n_repetitions: int, level: float, random_key: RandomKey
) -> dict[int, np.ndarray]:
    """Return which repetitions are rejected by the test of the first units, by their number, (n_repetitions,) each."""
    numbers = np.arange(table.units.count)
    parts = {end: take_units(table, numbers < end) for end in ends}
    scores: dict[int, list[np.ndarray]] = {end: [] for end in ends}
    for masks in exchange_masks(table.units.count, n_repetitions, rng=random_key):
        for end, part in parts.items():
            scores[end].append(part.exchange(masks[:, :end, 0], [PAIR])[0])
    rejected = {}
    for end, found in scores.items():
        both = np.concatenate(found, axis=1)
        sizes = np.abs(both[0] - both[1])
        # As in `count_extreme`: differences that should tie must tie.
        at_least = sizes - TIE * np.abs(both).max(axis=0)
        n_extreme = n_repetitions - np.searchsorted(np.sort(sizes), at_least, side="left")
        rejected[end] = n_extreme / n_repetitions <= 1 - level + ROUNDING
    return rejected
