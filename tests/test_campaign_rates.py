"""What was measured of the tests over several test sets, as it ships: computed by benchmarks/campaigns.py."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.stats
from packaging.version import Version

from benchmarks import campaigns as command
from benchmarks.campaign_sizes import (
    BY_SET,
    ON_THESE,
    RULES,
    TURNED,
    WITHIN_SETS,
    leave_sets_out,
    load_campaign_sizes,
    load_sets_left_out,
    measure_campaign_sizes,
)
from mtworkbench import __version__, find_shipped
from mtworkbench.errors import DataWarning
from mtworkbench.inference.intervals import monte_carlo_ends


def test_every_rate_that_ships_is_of_2000_repetitions():
    shipped = pd.read_csv(find_shipped("data/calibration/campaigns.csv"))
    expected = [
        (a, b, size, null, number, rule)
        for (a, b, size, null), n_sets in command.JOBS.items()
        for number in n_sets
        for rule in RULES[null]
    ]
    keys = shipped[["a", "b", "n_segments", "null", "n_sets", "rule"]].itertuples(index=False, name=None)
    assert [(a, b, None if np.isnan(size) else size, *rest) for a, b, size, *rest in keys] == expected
    assert set(shipped["repetitions"]) == {command.REPETITIONS} == {2000}
    assert set(shipped["seed"]) == {command.SEED}
    [version] = set(shipped["version"])  # of the mtworkbench that counted
    assert Version(version) <= Version(__version__)
    ends = [monte_carlo_ends(count, 2000) for count in shipped["count"]]
    np.testing.assert_allclose(shipped[["low", "high"]], 100 * np.array(ends), rtol=1e-12)
    np.testing.assert_allclose(shipped["percent"], shipped["count"] / 20, rtol=1e-12)
    left_out = load_sets_left_out()
    assert (len(left_out), set(left_out["n_sets"])) == (50, {2, 3, 4, 5, 13})
    assert left_out["narrower"].sum() == 0 < left_out["narrower_before"].sum()
    assert (left_out["count"] >= left_out["count_before"]).all()
    np.testing.assert_allclose(left_out["percent"], 100 * left_out["count"] / left_out["choices"], rtol=1e-12)


def test_both_tests_keep_their_level_where_their_null_hypothesis_is_as_they_assume():
    frame = load_campaign_sizes()
    within = frame[(frame["null"] == WITHIN_SETS) & (frame["rule"] == ON_THESE)]
    turned = frame[frame["null"] == TURNED]
    assert (len(within), len(turned)) == (10, 6)
    assert "errs too often" not in {*within["finding"], *turned["finding"]}
    by_set = frame[(frame["null"] == BY_SET) & (frame["rule"] == ON_THESE)]
    assert set(by_set["finding"]) == {""}


@pytest.mark.long
def test_real_sets_give_what_ships(shared):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        sets = command.read_sets(shared / "realdata", engines=["microsoft", "google"])
    found = leave_sets_out(sets, "microsoft", "google")
    shipped = load_sets_left_out().query("a == 'microsoft' and b == 'google'")
    pd.testing.assert_frame_equal(found, shipped[found.columns].reset_index(drop=True))
    fresh = measure_campaign_sizes(
        sets,
        "microsoft",
        "google",
        nulls=[WITHIN_SETS],
        n_sets=[3],
        n_segments=300,
        unit="segment",
        n_repetitions=100,
        rng=2,
    )
    rates = load_campaign_sizes().query(
        f"a == 'microsoft' and n_segments == 300 and n_sets == 3 and null == '{WITHIN_SETS}'"
    )
    for row, rate in zip(fresh.itertuples(), rates.itertuples(), strict=True):
        low, high = scipy.stats.binom.interval(1 - 1e-4, 100, rate.percent / 100)
        assert row.rule == rate.rule and low <= row.count <= high, row.rule
