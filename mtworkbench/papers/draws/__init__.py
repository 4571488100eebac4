"""Resampling and randomization one draw at a time: what was drawn, and what followed from it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import check_comparable
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.score_table import pair_table
from mtworkbench.resampling import RngLike, bootstrap_weights, resolve_rng, swap_matrix
from mtworkbench.results.settings import check_choice, check_draws
from mtworkbench.statistics.segment_statistics import SystemStatistics

RESAMPLES, SWAPS = KINDS = ("resamples", "swaps")


def follow_draws(
    a: SystemStatistics, b: SystemStatistics, kind: str = "resamples", *, n_draws: int = 200, rng: RngLike = None
) -> pd.DataFrame:
    """Follow the draws of the paired bootstrap or of approximate randomization one by one, with segments as units.

    They are the draws that `paired_bootstrap` and `approximate_randomization` make with the same ``rng``. (Where few
    outputs differ, that test goes through all exchanges instead of drawing some, and its p is exact.)

    Parameters
    ----------
    a, b : SystemStatistics
        Of one metric on one test set. The scores of several runs are averaged.
    kind : {"resamples", "swaps"}
        ``resamples``: segments are drawn with replacement. ``swaps``: a coin decides for each segment whether the two
        systems' outputs are swapped.
    n_draws : int
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per draw: ``draw`` (from 1), ``kind``, ``drawn`` ((n_segments,) ndarray: how often each segment was
        drawn, or 1 where its outputs were swapped), ``difference`` (a - b), ``observed`` (a - b on the test set),
        ``counts`` (whether a resample has the other sign than the observed difference, or none; whether the difference
        after swaps is at least as large as the observed one, in either direction), ``share`` (of the draws so far that
        count; of swaps, p).
    """
    check_comparable(a, b)
    check_choice("kind", kind, KINDS)
    check_draws("n_draws", n_draws)
    table, random_key = pair_table(a, b, "segment"), resolve_rng(rng)
    if kind == RESAMPLES:
        drawn = np.concatenate(list(bootstrap_weights(table.n_segments, n_draws, rng=random_key)))
        scores = [one.mean(axis=1) for one in table.score(drawn)]
        observed: Sequence[float] | np.ndarray = table.means
    else:
        drawn = swap_matrix(table.n_segments, n_draws, rng=random_key)
        scores = table.exchange(drawn, [(0, 1)])[0]
        observed = table.exchange(np.zeros((1, table.n_segments)), [(0, 1)])[0, :, 0]
    difference, whole = scores[0] - scores[1], float(observed[0] - observed[1])
    tolerance = TIE * np.abs(observed).max()
    if kind == RESAMPLES:
        counts = difference * np.sign(whole) <= tolerance
        share = np.cumsum(counts) / np.arange(1, n_draws + 1)
    else:
        counts = np.abs(difference) >= abs(whole) - tolerance
        share = (np.cumsum(counts) + 1) / np.arange(2, n_draws + 2)
    return pd.DataFrame(
        {
            "draw": np.arange(1, n_draws + 1),
            "kind": kind,
            "drawn": list(drawn),
            "difference": difference,
            "observed": whole,
            "counts": counts,
            "share": share,
        }
    )


def take_draw(frame: pd.DataFrame, draw: int) -> pd.Series:
    """Return the row of a draw of `follow_draws`, counted from 1."""
    if not 1 <= draw <= len(frame):
        raise InputError("draw", f"Draw {draw} was asked for, but the draws have the numbers 1 to {len(frame):,}.")
    return frame.iloc[draw - 1]


def describe_draw(frame: pd.DataFrame, draw: int) -> str:
    """Say in two sentences what a draw was and what the draws so far amount to.

    Parameters
    ----------
    frame : DataFrame
        Of `follow_draws`.
    draw : int
        Counted from 1.
    """
    row = take_draw(frame, draw)
    count, drawn = int(frame["counts"].iloc[:draw].sum()), row["drawn"]
    if row["kind"] == RESAMPLES:
        absent = int(np.count_nonzero(drawn == 0))
        return (
            f"Resample {draw:,} leaves out {absent:,} of {len(drawn):,} segments and repeats others: difference "
            f"{row['difference']:+.2f} (observed {row['observed']:+.2f}). Of {draw:,} resamples, {count:,} have no "
            f"difference or one of the other sign ({100 * row['share']:.1f} %)."
        )
    swapped = int(drawn.sum())
    return (
        f"Trial {draw:,} swaps the outputs of {swapped:,} of {len(drawn):,} segments: difference "
        f"{row['difference']:+.2f} (observed {row['observed']:+.2f}). Of {draw:,} trials, {count:,} have a difference "
        f"at least as large as the observed one: p = ({count:,} + 1) / ({draw:,} + 1) = {row['share']:.3f}."
    )
