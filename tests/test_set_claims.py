"""How often claims over test sets err where the truth is made up, and that docs/validity.md has what was counted."""

import numpy as np
import pytest
import scipy.stats
from packaging.version import Version

from benchmarks import set_claims
from benchmarks.set_claims import (
    BOTH,
    CELLS,
    METHOD,
    N_SETS,
    NEW,
    SETS_OF_CLAIMS,
    SKEWNESS,
    THESE,
    ClaimCell,
    draw_sets,
    draw_skewed,
    load_claims,
    load_skewed_sets,
    measure_claims,
)
from mtworkbench import __version__
from mtworkbench.resampling import resolve_rng


@pytest.mark.parametrize("skewness", [0.0, 1.0, 2.0])
def test_made_up_sets_have_the_skewness_that_is_said(skewness):
    drawn = draw_skewed(skewness, (20_000, 5), resolve_rng(1)).ravel()
    assert drawn.mean() == pytest.approx(0, abs=0.01) and drawn.std() == pytest.approx(1, abs=0.01)
    assert scipy.stats.skew(drawn) == pytest.approx(skewness, abs=0.1)


def test_scores_vary_with_sets_and_runs_as_it_is_said():
    """Of very many sets, whose true differences and whose runs' are told apart by a two-way table."""
    cell = ClaimCell(by_set=2.0, by_run=3.0, by_run_and_set=1.5)
    sets = draw_sets(cell, 400, resolve_rng(3))
    means = np.array([[one.values[name][..., 0].mean(axis=1) for name in "ab"] for one in sets.values()])
    by_run_and_set = means - means.mean(axis=2, keepdims=True)
    by_run_and_set -= by_run_and_set.mean(axis=0)
    assert by_run_and_set.std() * np.sqrt(3 / 2) == pytest.approx(np.sqrt(1.5**2 + 1 / 40), rel=0.05)
    gains = means.mean(axis=2) @ [1, -1]
    assert gains.std() == pytest.approx(np.sqrt(2 * (2.0**2 + (1.5**2 + 1 / 40) / 3)), rel=0.1)
    first = next(iter(sets.values()))
    assert set(map(len, sets["set 1"].values.values())) == {3} and len(first.test_set) == set_claims.N_SEGMENTS


def test_only_claims_whose_null_hypothesis_is_true_are_counted():
    claims = {cell.name: set(measure_claims(cell, 3, 2)["claim"]) for cell in CELLS}
    assert claims == {
        "0 / 0 / 0": {THESE, NEW, METHOD, BOTH},
        "0.5 / 0 / 0": {NEW, BOTH},
        "0 / 0.3 / 0": {METHOD, BOTH},
        "0.3 / 0.3 / 0.3": {BOTH},
    }


def test_what_ships_is_what_is_asked():
    skewed, claims = load_skewed_sets(), load_claims()
    assert set(zip(skewed["skewness"], skewed["n_sets"], strict=True)) == {(s, n) for s in SKEWNESS for n in N_SETS}
    assert set(claims["varies"]) == {cell.name for cell in CELLS} and set(claims["n_sets"]) == set(SETS_OF_CLAIMS)
    for frame in (skewed, claims):
        [version] = set(frame["version"])  # of the mtworkbench that counted
        assert Version(version) <= Version(__version__) and set(frame["seed"]) == {set_claims.SEED}
        np.testing.assert_allclose(frame["percent"], 100 * frame["count"] / frame["repetitions"])
    again = set_claims.measure_skewed_sets(50)
    assert again["count"].sum() == pytest.approx(50 * (skewed["count"] / skewed["repetitions"]).sum(), rel=0.25)


def test_claims_err_no_more_often_than_they_say():
    claims = load_claims()
    assert "errs too often" not in set(claims["finding"])
    normal = load_skewed_sets().query("skewness == 0")
    assert "errs too often" not in set(normal["finding"])
