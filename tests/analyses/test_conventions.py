"""The join of the published rules with what was measured of them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import mtworkbench
from mtworkbench import find_shipped, load_statistics
from mtworkbench.analyses import calibration
from mtworkbench.analyses import conventions as joined
from mtworkbench.analyses.conventions import add_error_rates, conventions
from mtworkbench.tables import format_conventions

#: Metric, units, what is independent, share that differs, rejections by moses and by ar.
SETTINGS = (
    ("bleu", 50, "segment", 1.0, 300, 100),
    ("bleu", 500, "segment", 1.0, 220, 90),
    ("chrf", 500, "segment", 1.0, 100, 80),
    ("bleu", 100, "segment", 0.05, 60, 20),
    ("bleu", 20, "document", 1.0, 400, 230),
)


@pytest.fixture
def measured(monkeypatch):
    """Settings in which moses and ar were counted; and how often they were loaded."""
    rows, loaded = [], []
    for metric, n_units, independent, differing, of_moses, of_ar in SETTINGS:
        for test, count in (("moses", of_moses), ("ar", of_ar)):
            rows.append(
                {"test": test, "metric": metric, "n_units": n_units, "count": count, "repetitions": 2000}
                | {"quantity": "size", "unit": "segment", "independent": independent, "differing": differing}
                | {"runs_a": 1, "runs_b": 1, "cell": f"{metric}-{n_units}", "null": "outputs were swapped"}
                | {"scores": "normal"}
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
    found = [statistics[name].take(np.arange(400)) for name in (first, second)]
    return [replace(one, test_set=replace(one.test_set, documents=None)) for one in found]


def test_each_rule_has_the_rate_of_the_nearest_setting(two_systems, measured):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    unknown = dict.fromkeys(("error_percent", "error_finding", "error_cell", "error_setting"))
    found = replace(found, rules=tuple(replace(one, **unknown) for one in found.rules))
    text = format_conventions([found])
    assert "errs %" not in text and "mtworkbench.analyses.conventions.add_error_rates adds it." in text
    with_rates = add_error_rates(found)
    assert (with_rates["moses"].error_percent, with_rates["ar"].error_percent) == (11.0, 4.5)
    assert (with_rates["moses"].error_finding, with_rates["ar"].error_finding) == ("errs too often", "keeps its level")
    assert (with_rates["ar"].error_cell, with_rates["koehn2004"].error_finding) == ("bleu-500", "not measured")
    assert with_rates["koehn2004"].error_percent is None
    text = " ".join(format_conventions([with_rates]).split())
    assert (
        "Measured on equal systems, in the nearest settings: ar keeps its level of 5 %; moses errs more often; 13 rules"
        in text
    )
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
        (conventions(first, replace(second, values=alike), **options), "where so many segments are the same"),
        (replace(conventions(*two_systems, **options), unit="domain"), "for data like these"),
    ):
        with_rates = add_error_rates(found)
        assert {one.error_percent for one in with_rates.rules} == {None}
        assert {one.error_finding for one in with_rates.rules} == {"not measured"} or where == "for data like these"
        text = " ".join(format_conventions([with_rates]).split())
        assert (
            f"Whether these rules keep their level was not measured {where}" in text or where == "for data like these"
        )


def test_where_documents_are_known_the_rate_is_that_of_independent_documents(two_systems, measured):
    """A test by segment errs more often there, and a setting with independent segments would hide it."""
    options = {"n_resamples": 400, "n_trials": 200, "unit": "segment", "rng": 1}
    found = replace(conventions(*two_systems, **options), n_documents=25)
    assert (add_error_rates(found)["ar"].error_cell, add_error_rates(found)["ar"].error_percent) == ("bleu-20", 11.5)
    few = add_error_rates(replace(found, n_documents=5))
    assert {one.error_finding for one in few.rules} == {"not measured"}


def test_where_hardly_any_segment_differs_the_rate_is_that_of_near_copies(two_systems, measured):
    options = {"n_resamples": 400, "n_trials": 200, "unit": "segment", "rng": 1}
    first, second = two_systems
    alike = first.values.copy()
    alike[:, 20:] = second.values[:, 20:]
    found = add_error_rates(conventions(replace(first, values=alike), second, **options))
    assert (found["moses"].error_cell, found["moses"].error_percent) == ("bleu-100", 3.0)


def test_of_settings_equally_near_the_one_with_more_errors_is_taken(two_systems, measured, monkeypatch):
    options = {"n_resamples": 400, "n_trials": 200, "unit": "segment", "rng": 1}
    frame = calibration.load_calibration()
    worse = frame[frame["cell"] == "bleu-500"].assign(cell="worse", count=600, percent=30.0)
    monkeypatch.setattr(calibration, "load_calibration", lambda: pd.concat([frame, worse]))
    joined._load_sizes.cache_clear()
    assert add_error_rates(conventions(*two_systems, **options))["ar"].error_cell == "worse"


def test_very_few_units_are_like_nothing_that_was_measured(two_systems, measured):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    assert add_error_rates(replace(found, n_units=30))["ar"].error_finding == "not measured"
    assert add_error_rates(replace(found, n_units=34))["ar"].error_cell == "bleu-50"


def test_rates_of_another_metric_are_said_to_be_so(two_systems, measured, monkeypatch):
    found = conventions(*two_systems, n_resamples=400, n_trials=200, unit="segment", rng=1)
    for changes, said in (
        ({}, "in the nearest settings: "),
        ({"metric": "TER"}, "in the nearest settings, by another metric than TER: "),
        ({"metric": "COMET", "is_mean": True}, "in the nearest settings, by another metric than COMET: "),
    ):
        assert said in add_error_rates(replace(found, **changes)).headline[1]
    means = replace(found, metric="COMET", is_mean=True, n_units=10)
    joined._load_sizes.cache_clear()
    of_means = calibration.load_calibration().assign(metric="mean", n_units=10, cell="mean-10", independent="segment")
    monkeypatch.setattr(calibration, "load_calibration", lambda: of_means.assign(differing=1.0))
    assert "in the nearest settings: " in add_error_rates(means).headline[1]
