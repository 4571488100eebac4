"""Calibration, Koehn's tables, Clark's nulls and campaigns with a study: the same numbers, and nothing twice."""

import pytest

import mtworkbench as mtw
from mtworkbench.work import Study
from tests.work.long_work import WORK, make_statistics

pytestmark = [pytest.mark.filterwarnings("ignore::mtworkbench.DataWarning"), pytest.mark.long]


@pytest.mark.parametrize("name", WORK)
@pytest.mark.parametrize("workers", [1, 2])
def test_the_numbers_are_those_without_a_study(name, workers, tmp_path):
    if workers > 1:
        pytest.importorskip("joblib")
    expected = WORK[name](None)
    study = Study(tmp_path, workers=workers)
    assert WORK[name](study) == expected
    assert study.n_found == 0
    assert study.n_computed > 1
    again = Study(tmp_path)
    assert WORK[name](again) == expected
    assert (again.n_found, again.n_computed) == (study.n_computed, 0)


def test_more_repetitions_use_those_that_are_there(tmp_path):
    family = make_statistics()

    def calibrate(n_repetitions, study=None):
        found = mtw.calibrate(
            family["a"], family["b"], n_repetitions=n_repetitions, n_resamples=40, n_trials=20, rng=1, study=study
        )
        return found.p_values.drop(columns="share").to_csv()

    study = Study(tmp_path)
    calibrate(20, study)
    assert calibrate(40, study) == calibrate(40)
    assert (study.n_found, study.n_computed) == (2, 4)


def test_without_a_seed_the_same_draws_are_made_again(tmp_path):
    family = make_statistics()

    def calibrate(name):
        study = Study(tmp_path / name)
        return mtw.calibrate(family["a"], family["b"], n_repetitions=10, n_resamples=40, n_trials=20, study=study).rng

    assert calibrate("one") == calibrate("one") != calibrate("two")
