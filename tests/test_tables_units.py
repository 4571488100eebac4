"""Columns and blocks as units are called by their names in all that is shown, and strata are named."""

import re

import numpy as np
import pytest

from mtworkbench import compare, describe_comparison, format_comparison, optimizer_variance
from mtworkbench.errors import InputError
from mtworkbench.inference import crossed_analysis, project_errors
from mtworkbench.metrics import MeanScore
from mtworkbench.papers.clark2011.findings import title_projection
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import advise_spending, format_multeval, format_variance

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
ODD = "a<b_&$x"


def statistics_of(n_runs=3, *, n_segments=48):
    draws = np.random.default_rng(2)
    values = {}
    for number, name in enumerate(["old", "new"]):
        scores = draws.normal(loc=number / 4, size=(n_runs, n_segments)) + draws.normal(size=(n_runs, 1)) / 5
        values[name] = np.stack([scores, np.ones_like(scores)], axis=-1)
    columns = {"category": np.arange(n_segments) // 6, ODD: np.arange(n_segments) // 8}
    columns = {name: labels.astype(str).astype(object) for name, labels in columns.items()}
    test_set = TestSet(np.arange(1, n_segments + 1), None, "references", 1, columns=columns)
    return SegmentStatistics(MeanScore(name="quality", higher_is_better=True), values, test_set)


def said(text):
    return " ".join(text.split())


@pytest.fixture(
    scope="module", params=[("category", "categories"), ("block of 4", "blocks of 4")], ids=lambda one: one[0]
)
def unit(request):
    return request.param


def test_a_comparison_calls_its_unit_by_name(unit):
    name, several = unit
    found = compare(statistics_of(), "old", unit=name, n_trials=300, rng=1)
    text = said(format_comparison(found, "text", all_columns=True))
    assert f"95 % CI of scores: delete-one jackknife by {name}." in text
    assert f"two-sided exact randomization test by {name} (" in text
    assert f"which treats both {several} and runs as samples" in text
    assert f"the estimated variance with {several} as units divided by that with segments as units." in text
    assert ("Units are blocks of 4 consecutive segments" in text) == name.startswith("block")
    assert f"{several} and runs as samples" in describe_comparison(found)
    assert f"jackknife (Efron and Tibshirani, 1993) by {name}." in describe_comparison(found)
    paper = format_comparison(found, "latex")
    assert f"crossed analysis by {name} and run" in said(paper)
    assert f"standard deviation by {name};" in said(format_multeval(found))
    assert said(found._repr_html_()).count(f"jackknife by {name}") >= 1


def test_strata_are_named_where_intervals_are(unit):
    options = {"unit": "segment", "strata": "category", "n_trials": 300, "rng": 1}
    found = compare(statistics_of(1), "old", **options)
    by = "by segment within strata of category"
    text = said(format_comparison(found, "text", all_columns=True))
    assert f"95 % CI of scores: delete-one jackknife {by}." in text
    assert f"jackknife (Efron and Tibshirani, 1993) {by}." in describe_comparison(found)
    by_name = compare(statistics_of(1), "old", interval="jackknife", **options)
    assert f"delete-one jackknife {by})" in said(format_comparison(by_name, "latex"))
    assert f"standard deviation {by};" in said(format_multeval(found))


def test_few_units_are_named_where_nothing_could_be_shown():
    found = compare(statistics_of(1), unit=ODD, n_trials=300, rng=1, level=0.99)
    assert f"so few values of {ODD} differ that p cannot be below 0.0312" in " ".join(found.headline)
    html = found._repr_html_()
    assert ODD not in html
    assert "a&lt;b_&amp;" in html
    latex = [line for line in format_comparison(found, "latex").splitlines() if not line.startswith("%")]
    assert ODD not in "\n".join(latex)


def test_advice_names_the_units(unit):
    name, several = unit
    statistics = statistics_of()
    analysis = crossed_analysis(statistics["new"], statistics["old"], unit=name)
    advice = advise_spending(analysis)
    assert f"{analysis.n_units} {several} (" in advice
    assert f"Twice as many {several} would make it" in advice
    variance = optimizer_variance(statistics, unit=name, rng=1)
    assert f"(bootstrap by {name}, mean over runs)" in said(format_variance(variance, "text"))
    title = title_projection(project_errors(analysis, n_runs=[3, 6]), name)
    assert re.search(f", [0-9]+ {several} instead of [0-9]+ by ", title)


def test_one_unit_is_in_the_singular():
    statistics = statistics_of()
    analysis = crossed_analysis(statistics["new"], statistics["old"], unit="block", block_length=48)
    assert isinstance(analysis, CrossedAnalysis)
    assert "use more than one block of 48, because one does not show how much blocks of 48 vary" in advise_spending(
        analysis
    )
    with pytest.raises(InputError, match="runs on 1 block of 48, but the error .* at least two blocks of 48.$"):
        project_errors(analysis)
