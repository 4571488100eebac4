"""The join of the published rules with what was measured of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench import conventions, find_shipped, load_statistics
from mtworkbench.studies import calibration
from mtworkbench.studies.conventions import add_error_rates
from mtworkbench.tables import format_conventions


@pytest.fixture
def measured(monkeypatch):
    """Two settings of BLEU and one of chrF, in which moses and ar were counted."""
    rows = []
    for metric, n_units, of_moses, of_ar in (("bleu", 50, 300, 100), ("bleu", 500, 220, 90), ("chrf", 500, 100, 80)):
        for test, count in (("moses", of_moses), ("ar", of_ar)):
            rows.append(
                {"test": test, "metric": metric, "n_units": n_units, "count": count, "repetitions": 2000}
                | {"quantity": "size", "unit": "segment", "independent": "segment", "runs_a": 1, "differing": 1.0}
            )
    frame = pd.DataFrame(rows)
    monkeypatch.setattr(calibration, "load_calibration", lambda: frame.assign(percent=0.05 * frame["count"]))


@pytest.fixture(scope="module")
def two_systems():
    [statistics] = load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    first, second, *_ = statistics
    return [statistics[name].take(np.arange(400)) for name in (first, second)]


def test_each_rule_has_the_rate_of_the_nearest_setting(two_systems, measured):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    assert {one.error_percent for one in found.rules} == {None}
    assert "errs %" not in format_conventions([found])
    with_rates = add_error_rates(found)
    assert (with_rates["moses"].error_percent, with_rates["ar"].error_percent) == (11.0, 4.5)
    assert with_rates["koehn2004"].error_percent is None
    text = format_conventions([with_rates])
    [row] = [line for line in text.splitlines() if line.startswith("moses ")]
    assert "11.0" in row.split()
    said = "in the settings of docs/validity.md whose number of independent segments is nearest to 400."
    assert said in text.replace("\n", " ")
    assert list(with_rates.to_frame()["error_percent"].dropna()) == [11.0, 4.5]


def test_nothing_is_added_where_nothing_was_measured(two_systems, measured):
    two_runs = [replace(one, values=np.concatenate([one.values, one.values])) for one in two_systems]
    found = add_error_rates(conventions(*two_runs, n_resamples=400, n_trials=200, unit="segment", rng=1))
    assert {one.error_percent for one in found.rules} == {None}
    other_level = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", level=0.9, rng=1)
    assert add_error_rates(other_level) is other_level
