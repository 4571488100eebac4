"""How difference, interval and p-value change while a test set grows: what early looks see."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable, settle_unit
from mtworkbench.inference.intervals import jackknife_ends
from mtworkbench.inference.score_table import pair_table
from mtworkbench.inference.settings import check_choice, check_level, choose_n_trials
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.progress import Progress
from mtworkbench.resampling import SUBSAMPLES, RandomKey, RngLike, resolve_rng, stream_words
from mtworkbench.statistics.segment_statistics import SystemStatistics
from mtworkbench.studies.influence.parts import Test, check_units, describe_pair, take_units

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
