"""MultEval's table has the p of each comparison alone, as MultEval has, and not the one adjusted for the others."""

import re
from dataclasses import replace

import numpy as np
import pytest

from mtworkbench.inference import approximate_randomization, compare
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import format_multeval

from .hand_made import changed, comparison, pair, system

pytestmark = pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
SYSTEMS = {"base": 0.0, "first": 0.1, "second": 0.3, "third": 0.45}
OPTIONS = {"exchange": "run", "n_trials": 500, "rng": 3}


@pytest.fixture(scope="module")
def statistics():
    draws = np.random.default_rng(12)
    values = {}
    for name, gain in SYSTEMS.items():
        scores = draws.normal(gain, 1, (3, 60))
        values[name] = np.stack([scores, np.ones((3, 60))], axis=-1)
    return SegmentStatistics(MeanScore(higher_is_better=True), values, TestSet(np.arange(1, 61), None, "made up", 1))


@pytest.fixture(scope="module")
def alone(statistics):
    """The p of each system against the baseline, as if nothing else had been compared."""
    return {
        name: approximate_randomization(statistics[name], statistics["base"], **OPTIONS).p_value
        for name in list(SYSTEMS)[1:]
    }


def two_decimals(p):
    return "<0.01" if p < 0.005 else f"{p:.2f}"


def test_p_is_that_of_each_comparison_alone(statistics, alone):
    comparison = compare(statistics, "base", n_resamples=50, adjust="holm", **OPTIONS)
    adjusted = {pair.a: pair.p_adjusted for pair in comparison.metrics["score"].comparisons}
    shown = {name: two_decimals(p) for name, p in alone.items()}
    assert sum(shown[name] != two_decimals(adjusted[name]) for name in shown) >= 2  # or this test could see nothing
    of_tool = {"base": "-"}
    for line in format_multeval(comparison).splitlines()[2:5]:
        name, p = re.fullmatch(r"(\S+)\s+\S+ \([^/]+/[^/]+/([^)]+)\)", line.strip()).groups()
        of_tool[name] = p
    assert of_tool == {"base": "-"} | shown
    rows = format_multeval(comparison, latex=True).split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()
    cells = [[cell.strip(" \\") for cell in row.split("&")] for row in rows]
    assert {row[1]: row[-1].replace("$<$", "<") for row in cells} == {"base": "-"} | shown


@pytest.mark.parametrize(("modules", "label"), [("exact", "METEOR (exact)"), ("exact-stem", "METEOR")])
def test_meteor_by_the_exact_module_alone_is_labelled(modules, label):
    found = comparison([system("old", 27.0), system("new", 28.0)], [pair("new", "old", 1.0)], "METEOR", baseline="old")
    metric = replace(found.metrics["METEOR"], signature=f"lang:en|mod:{modules}|w:1")
    found = changed(found, metrics={"METEOR": metric})
    assert f"  {label} (s_sel/s_opt/p)" in format_multeval(found).splitlines()[0]
    rows = format_multeval(found, latex=True).split("\\midrule\n")[1].splitlines()
    first = rows[0].replace("\\multicolumn{6}{@{}l@{}}{", "").split("&")[0]
    assert first.strip(" \\}") == label


@pytest.mark.parametrize(
    ("scale", "shown"), [(100, ["55.2", "0.4", "0.4"]), (1, ["0.552", "0.004", "0.004"])], ids=["100", "1"]
)
def test_scores_from_0_to_1_have_decimals_that_tell_them_apart(scale, shown):
    """With MultEval's one decimal, systems of 0.552 and 0.573 had 0.6 (0.0/0.0), beside p < 0.01."""
    parts = {"low": 0.545 * scale, "high": 0.559 * scale, "s_sel": 0.0036 * scale, "s_test": 0.0041 * scale}
    systems = [system(name, score * scale, runs=3, **parts) for name, score in (("base", 0.552), ("a", 0.573))]
    found = comparison(systems, [pair("a", "base", 0.021 * scale)], name="share", baseline="base")
    assert "{} ({}/{}/-)".format(*shown) in format_multeval(found)
    of_paper = format_multeval(found, latex=True).split("base &")[1].split("&")
    assert [cell.strip() for cell in of_paper[:3]] == shown
