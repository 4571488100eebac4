"""The join of the published rules with what was measured of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mtworkbench
from mtworkbench import find_shipped, load_statistics
from mtworkbench.inference.conventions import conventions
from mtworkbench.studies import calibration
from mtworkbench.studies import conventions as joined
from mtworkbench.studies.conventions import add_error_rates
from mtworkbench.tables import format_conventions

SETTINGS = (("bleu", 50, 300, 100), ("bleu", 500, 220, 90), ("chrf", 500, 100, 80))


@pytest.fixture
def measured(monkeypatch):
    """Two settings of BLEU and one of chrF, in which moses and ar were counted; and how often they were loaded."""
    rows, loaded = [], []
    for metric, n_units, of_moses, of_ar in SETTINGS:
        for test, count in (("moses", of_moses), ("ar", of_ar)):
            rows.append(
                {"test": test, "metric": metric, "n_units": n_units, "count": count, "repetitions": 2000}
                | {"quantity": "size", "unit": "segment", "independent": "segment", "differing": 1.0}
                | {"runs_a": 1, "runs_b": 1, "cell": f"{metric}-{n_units}", "null": "outputs were swapped"}
                | {"finding": calibration.find("size", count, 2000)}
            )
    frame = pd.DataFrame(rows)

    def load():
        loaded.append(1)
        return frame.assign(percent=0.05 * frame["count"])

    monkeypatch.setattr(calibration, "load_calibration", load)
    joined._load_sizes.cache_clear()
    yield loaded
    joined._load_sizes.cache_clear()


@pytest.fixture(scope="module")
def two_systems():
    [statistics] = load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    first, second, *_ = statistics
    return [statistics[name].take(np.arange(400)) for name in (first, second)]


def test_each_rule_has_the_rate_of_the_nearest_setting(two_systems, measured):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    assert {one.error_percent for one in found.rules} == {None}
    text = format_conventions([found])
    assert "errs %" not in text and "mtworkbench.studies.conventions.add_error_rates adds it." in text
    with_rates = add_error_rates(found)
    assert (with_rates["moses"].error_percent, with_rates["ar"].error_percent) == (11.0, 4.5)
    assert (with_rates["moses"].error_finding, with_rates["ar"].error_finding) == ("errs too often", "keeps its level")
    assert (with_rates["ar"].error_cell, with_rates["koehn2004"].error_finding) == ("bleu-500", "not measured")
    assert with_rates["koehn2004"].error_percent is None
    text = " ".join(format_conventions([with_rates]).split())
    assert "Measured on equal systems: ar keeps its level of 5 %; moses errs more often; 13 rules were not" in text
    assert (
        "errs %: how often the rule called equal systems different at 5 % in the nearest setting of docs/validity.md: "
        "BLEU, 500 segments (outputs were swapped). –: not measured."
    ) in text
    assert list(with_rates.to_frame()["error_percent"].dropna()) == [11.0, 4.5]


def test_another_metric_counts_as_much_as_four_times_the_units(two_systems, measured):
    found = replace(conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1), metric="chrF")
    cells = [add_error_rates(replace(found, n_units=n))["ar"].error_cell for n in (400, 100, 60)]
    assert cells == ["chrf-500", "chrf-500", "bleu-50"]


def test_the_counts_are_loaded_once(two_systems, measured):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    assert add_error_rates(add_error_rates(found))["ar"].error_percent == 4.5
    assert measured == [1]


def test_the_public_function_has_the_rates_by_itself(two_systems, measured):
    options = {"n_resamples": 400, "n_trials": 200, "unit": "segment", "rng": 1}
    found = mtworkbench.conventions(*two_systems, **options)
    pd.testing.assert_frame_equal(found.to_frame(), add_error_rates(conventions(*two_systems, **options)).to_frame())
    html = found._repr_html_()
    assert "errs %" in html and "BLEU, 500 segments (outputs were swapped)" in html


def test_nothing_is_added_where_nothing_was_measured(two_systems, measured):
    options = {"n_resamples": 400, "n_trials": 200, "unit": "segment", "rng": 1}
    two_runs = [replace(one, values=np.concatenate([one.values, one.values])) for one in two_systems]
    first, second = two_systems
    alike = first.values.copy()
    alike[:, :100] = second.values[:, :100]
    for found, where in (
        (conventions(*two_runs, **options), "for systems with several runs"),
        (conventions(*two_systems, level=0.9, **options), "at 10 %"),
        (conventions(first, replace(second, values=alike), **options), "where most segments are the same"),
        (replace(conventions(*two_systems, **options), unit="domain"), "for data like these"),
    ):
        with_rates = add_error_rates(found)
        assert {one.error_percent for one in with_rates.rules} == {None}
        assert {one.error_finding for one in with_rates.rules} == {"not measured"} or where == "for data like these"
        text = " ".join(format_conventions([with_rates]).split())
        assert (
            f"Whether these rules keep their level was not measured {where}" in text or where == "for data like these"
        )
