"""From which difference on rules say "significant": against formulas; and systems that hardly differ, by hand."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from mtworkbench.analyses.conventions import conventions
from mtworkbench.analyses.rules import copy_but_for, describe_thresholds, tabulate_thresholds, tabulate_verdicts
from mtworkbench.errors import InputError
from mtworkbench.inference.rules import RULES
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SystemStatistics, TestSet

ONE_SIDED, SIGNS_DROPPED = ("koehn2004", "cmu", "berg-kirkpatrick"), ("moses", "sacrebleu-bs")
SMALL_SAMPLES = {"compare-mt": 0.5, "comet-compare": 0.4}


def folded_mean(difference):
    """Mean of abs(d), where d is normal around the difference with standard deviation 1."""
    return 2 * norm.pdf(difference) + difference * (1 - 2 * norm.cdf(-difference))


def excess_without_signs(difference):
    """Probability that abs(d) exceeds its mean by the difference."""
    bound = difference + folded_mean(difference)
    return norm.sf(bound - difference) + norm.cdf(-bound - difference)


@pytest.mark.parametrize("level", [0.9, 0.95, 0.99])
def test_thresholds_are_those_of_formulas(level):
    found = tabulate_thresholds(level).set_index("rule")
    assert list(found.index) == [rule.name for rule in RULES]
    one_sided, two_sided = norm.isf(1 - level), norm.isf((1 - level) / 2)
    expected = dict.fromkeys(found.index, two_sided) | dict.fromkeys(ONE_SIDED, one_sided)
    expected |= dict.fromkeys(SIGNS_DROPPED, brentq(lambda d: excess_without_signs(d) - (1 - level), 0.1, 5))
    expected |= {name: one_sided / share**0.5 for name, share in SMALL_SAMPLES.items()}
    assert found["standard_errors"].to_dict() == pytest.approx(expected, abs=0.01)
    assert found["rejected_percent"].to_numpy() == pytest.approx(200 * norm.sf(found["standard_errors"]))


def test_rates_of_the_rules_are_those_that_were_measured_elsewhere():
    """At 5 %, on real outputs with known truth: 10 to 11, 5, 2 and 1 %."""
    found = tabulate_thresholds().set_index("rule")["rejected_percent"].round()
    assert found[[*ONE_SIDED]].tolist() == [10, 10, 10]
    assert found[[*SIGNS_DROPPED]].tolist() == [11, 11]
    assert found[["riezler-maxwell", "ar", "compare-mt", "comet-compare"]].tolist() == [5, 5, 2, 1]


def test_rules_that_err_equally_are_named_together():
    frame = tabulate_thresholds()
    said = describe_thresholds(frame[frame["rule"].isin(["koehn2004", "cmu", "compare-mt", "ar"])])
    assert said.replace("\n  ", " ").split("\n") == [
        "The smallest difference that a rule calls significant, and how often equal systems differ by as much or more "
        "(it should be 5 %):",
        "1.64 standard errors, 10.0 %: koehn2004 and cmu.",
        "1.96 standard errors, 5.0 %: ar.",
        "2.33 standard errors, 2.0 %: compare-mt.",
    ]
    assert "(it should be 10 %)" in describe_thresholds(tabulate_thresholds(0.9), level=0.9)


def test_verdicts_of_several_comparisons_are_side_by_side():
    draws = np.random.default_rng(1)
    a, b = (system(name, *draws.normal(shift, 1, (2, 4))) for name, shift in (("a", 9), ("b", 0)))
    first = {name: replace(one, values=one.values[:1]) for name, one in (("a", a), ("b", b))}
    single, of_runs = conventions(first["a"], first["b"], rng=1), conventions(a, b, rng=1)
    table = tabulate_verdicts({"one run": single, "all runs": of_runs}).set_index("rule")
    assert list(table) == ["one run", "all runs"]
    assert list(table.index) == [rule.name for rule in RULES]
    for name, row in table.iterrows():
        assert row.dropna().to_dict() == {
            heading: said[name].verdict.replace("not significant", "no")
            for heading, said in (("one run", single), ("all runs", of_runs))
            if said[name].verdict
        }
    assert table.loc["koehn2004"].tolist() == ["significant", "significant"]
    assert table.isna().loc["cmu"].tolist() == [False, True]  # a program that reads one output of each system


def system(name, *runs):
    values = np.array([[[score, not np.isnan(score)] for score in run] for run in runs], dtype=float)
    test_set = TestSet(np.array([3, 4, 7, 8]), None, "references", 1)
    return SystemStatistics(MeanScore("score", higher_is_better=True), name, values, test_set)


def test_a_copy_differs_in_the_first_segments_that_differ():
    a, b = system("a", [1, 2, 3, np.nan], [1, 2, 3, 4]), system("b", [1, 5, 6, np.nan], [1, 2, 3, 9])
    copy = copy_but_for(a, b, 0)
    assert (copy.system, copy.test_set) == ("its copy", a.test_set)
    np.testing.assert_array_equal(copy.values, a.values)
    copy = copy_but_for(a, b, 1)
    assert copy.system == "its copy (1 segment changed)"
    np.testing.assert_array_equal(copy.values, system("", [1, 5, 3, np.nan], [1, 2, 3, 4]).values)
    copy = copy_but_for(a, b, 2)
    assert copy.system == "its copy (2 segments changed)"
    np.testing.assert_array_equal(copy.values, system("", [1, 5, 6, np.nan], [1, 2, 3, 4]).values)
    assert copy_but_for(a, b, 3) is b
    assert copy_but_for(a, b, 100) is b
    np.testing.assert_array_equal(a.values, system("", [1, 2, 3, np.nan], [1, 2, 3, 4]).values)


def test_unequal_numbers_of_runs_are_refused():
    sentence = (
        r"^'a' has 2 runs and 'b' has 1, but their outputs are compared run by run: give equal numbers of runs\.$"
    )
    with pytest.raises(InputError, match=sentence) as refused:
        copy_but_for(system("a", [1, 2, 3, 4], [1, 2, 3, 4]), system("b", [1, 2, 3, 4]), 1)
    assert refused.value.code == "unequal-runs"
