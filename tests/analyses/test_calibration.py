"""What was measured, as it is loaded and looked up; the measuring itself is in tests/test_calibration_cells.py."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.calibration import page
from mtworkbench import find_shipped
from mtworkbench.analyses import calibration

KEY = ["cell", "quantity", "unit", "test"]


@pytest.fixture(scope="module")
def loaded():
    return calibration.load_calibration()


@pytest.fixture(scope="module")
def rates():
    return pd.read_csv(find_shipped("data/calibration/rates.csv"))


@pytest.mark.parametrize(
    ("quantity", "count", "finding"),
    [
        ("size", 133, "keeps its level"),
        ("size", 134, "errs too often"),
        ("size", 69, "keeps its level"),
        ("size", 68, "conservative"),
        ("coverage of a score", 1867, "keeps its level"),
        ("coverage of a score", 1866, "errs too often"),
        ("coverage of a difference", 1932, "conservative"),
        ("called equal at the margin", 134, "errs too often"),
        ("power", 5, ""),
    ],
)
def test_findings(quantity, count, finding):
    assert calibration.find(quantity, count, 2000) == finding


def test_the_second_count_is_given_where_there_is_one(loaded, rates):
    assert len(loaded) == len(rates.drop_duplicates(KEY))
    repeated = rates[rates["repetitions"] == 10_000].set_index(KEY)["count"]
    assert len(repeated) > 10
    assert loaded[loaded["repetitions"] == 10_000].set_index(KEY)["count"].equals(repeated)


def test_shares_have_their_intervals_and_findings(loaded):
    assert np.allclose(loaded["percent"], 100 * loaded["count"] / loaded["repetitions"])
    assert (loaded["low"] <= loaded["percent"]).all() and (loaded["percent"] <= loaded["high"]).all()
    assert set(loaded.loc[loaded["quantity"] == "power", "finding"]) == {""}
    sizes = loaded[(loaded["quantity"] == "size") & (loaded["repetitions"] == 2000)]
    assert sizes.loc[sizes["finding"] == "errs too often", "count"].min() >= 134


RIGHT, TOO_OFTEN, CONSERVATIVE = "keeps its level", "errs too often", "conservative"
OF_SCORE, OF_DIFFERENCE = "coverage of a score", "coverage of a difference"


def make_rows(*rows):
    names = ("cell", "test", "percent", "finding", "runs_a", "n_units", "quantity")
    frame = pd.DataFrame([(*row, "size")[:7] for row in rows], columns=names)
    rest = {"metric": "bleu", "source": "flores", "scores": "normal", "differing": 1.0, "documents": "", "n_systems": 2}
    rest |= {"method_by_unit": 0.5, "run": 0.4, "residual": 0.3, "run_effects": "normal", "first_varies": 1.0}
    return frame.assign(unit="segment", independent="segment", runs_b=frame["runs_a"], **rest)


def make_calibration():
    frame = make_rows(
        ("few", "ar", 0.0, CONSERVATIVE, 1, 5),  # 2 of 32 exchanges: p cannot be 0.05
        ("six", "ar", 3.4, CONSERVATIVE, 1, 6),
        ("many", "ar", 5.5, RIGHT, 1, 50),
        ("many", "koehn2004", 10.5, TOO_OFTEN, 1, 50),
        ("hundred", "koehn2004", 9.5, TOO_OFTEN, 1, 100),
        ("many", "multeval", 22.0, TOO_OFTEN, 1, 50),
        ("hundred", "multeval", 5.0, RIGHT, 1, 100),
        ("many", "compare-mt", 1.5, CONSERVATIVE, 1, 50),
        ("3 runs", "crossed", 4.0, RIGHT, 3, 20),
        ("3 runs", "crossed pooled", 0.5, CONSERVATIVE, 3, 20),
        ("2 runs", "crossed", 9.9, TOO_OFTEN, 2, 20),
        ("4 runs", "crossed", 2.9, CONSERVATIVE, 4, 20),
        ("3 runs", "ar", 30.0, TOO_OFTEN, 3, 20),
        ("3 runs", "t-test on runs", 44.0, TOO_OFTEN, 3, 20),
        ("six", "jackknife", 95.5, RIGHT, 1, 6, OF_SCORE),
        ("six", "percentile", 80.0, TOO_OFTEN, 1, 6, OF_SCORE),  # not what "auto" takes
        *(("hundred", "percentile", 93.0 - number, TOO_OFTEN, 1, 100 + number, OF_SCORE) for number in range(4)),
        ("six", "jackknife", 94.0, RIGHT, 1, 6, OF_DIFFERENCE),
        ("six", "percentile", 81.0, TOO_OFTEN, 1, 6, OF_DIFFERENCE),
        ("hundred", "percentile", 95.0, RIGHT, 1, 100, OF_DIFFERENCE),
        ("six", "tost (a better)", 2.0, CONSERVATIVE, 1, 6, calibration.AT_THE_MARGIN),
        ("six", "tost (a worse)", 9.0, TOO_OFTEN, 1, 6, calibration.AT_THE_MARGIN),
        ("3 runs", "tost (a better)", 5.2, RIGHT, 3, 50, calibration.AT_THE_MARGIN),
    )
    wrong = make_rows(("ids unknown", "ar", 12.0, TOO_OFTEN, 1, 50), ("few", "ar", 29.0, TOO_OFTEN, 1, 6))
    wrong = pd.concat([wrong, make_rows(("few", "moses", 35.0, TOO_OFTEN, 1, 6))])
    return pd.concat([frame, wrong.assign(independent="document")], ignore_index=True)


def make_engine():
    """Of 200 test sets, more than 22 are too many errors."""
    counts = [
        *(("weak null", "experiments", 200), ("weak null", "false", 12), ("weak null", "intervals", 400)),
        *(("weak null", "covered", 380), ("5 of 5", "experiments", 200), ("5 of 5", "false", 31)),
        *(("5 of 5", "intervals", 400), ("5 of 5", "covered", 300)),
    ]
    return pd.DataFrame(counts, columns=["cell", "quantity", "new"])


def find_made_up_errors():
    sizes = [
        ("a", "b", "swapped within sets", 3, "these test sets", 300, 4.0, RIGHT),
        ("a", "b", "swapped within sets", 3, "new test sets", 300, 0.1, CONSERVATIVE),
        ("a", "b", "swapped by set", 5, "these test sets", 300, 50.0, ""),  # the systems differ on these sets
        ("a", "b", "swapped by set", 5, "new test sets", np.nan, 9.0, TOO_OFTEN),
        ("a", "b", "centred", 5, "new test sets", np.nan, 6.0, RIGHT),
        ("a", "b", "centred and turned", 5, "new test sets", np.nan, 4.0, RIGHT),
    ]
    sizes = pd.DataFrame(sizes, columns=["a", "b", "null", "n_sets", "rule", "n_segments", "percent", "finding"])
    skewed = [(0.0, 3, 4.7, RIGHT), (2.0, 3, 11.0, TOO_OFTEN), (2.0, 2, 1.8, CONSERVATIVE)]
    skewed = pd.DataFrame(skewed, columns=["skewness", "n_sets", "percent", "finding"])
    return [*page.find_errors(make_calibration(), make_engine()), *page.find_errors_over_sets(sizes, skewed)]


def test_the_answer_has_a_row_for_each_error_and_tells_where_it_happens_too_often():
    assert [line.partition("](")[2] for line in page.tabulate(find_made_up_errors())][2:-1] == [
        "tables/validity-one-run.md) | 2 (3.4 to 5.5) | 0 |",
        "tables/validity-one-run.md) | 0 | 2 (12.0 to 29.0) |",
        "tables/validity-engines.md) | 1 (6.0) | 0 |",
        "tables/validity-several-runs.md) | 2 (2.9 to 4.0) | 1 (9.9) |",
        "tables/validity-several-runs.md) | 1 (0.5) | 0 |",
        "tables/validity-engines.md) | 0 | 1 (15.5) |",
        "tables/validity-engines.md) | 1 (5.0) | 1 (25.0) |",
        "tables/validity-intervals.md) | 2 (5.0 to 6.0) | 0 |",
        "tables/validity-intervals.md) | 1 (4.5) | 4 (7.0 to 10.0) |",
        "tables/validity-equivalence.md) | 1 (5.2) | 1 (9.0) |",
        "tables/validity-test-sets.md) | 1 (4.0) | 0 |",
        "tables/validity-test-sets.md) | 1 (0.1) | 0 |",
        "tables/validity-test-sets.md) | 2 (4.0 to 6.0) | 0 |",
        "tables/validity-test-sets.md) | 0 | 1 (9.0) |",
        "tables/validity-test-sets.md) | 1 (1.8) | 1 (11.0) |",
    ]


def test_the_answer_is_computed():
    assert page.describe_answer(find_made_up_errors()) == (
        "On one test set, with independent units, this package's tests of a difference err no more often than they may "
        "in 5 of 6 cases (a setting and a test): in 3.4 to 5.5 % of the experiments with one run, in 2.9 to 9.9 % with "
        "several runs, and in 0.5 % with pooled runs. If documents are ignored, the same test errs in 12.0 to 29.0 %. "
        "For new test sets, the test errs too often in 2 of 6 settings: if a coin decides which system is better on a "
        "set, or if sets are skewed (skewness 1 or more). Of the 15 errors in the table, 8 happen too often in some "
        "settings, up to 29.0 %."
    )


def test_what_errs_too_often_is_named_by_what_it_ignores():
    rows = [("x", 9, "segments", 20.0), ("x", 9, "recognized documents", 5.0), ("y", 5, "segments", 12.0)]
    withheld = pd.DataFrame(
        [*rows, ("y", 5, "recognized documents", 12.0)], columns=["test_set", "n_documents", "rule", "percent"]
    ).assign(metric="BLEU")
    documents, runs, rules, others, intervals, *ours = page.describe_too_often(
        make_calibration(), withheld, find_made_up_errors()
    )
    assert "swaps segments errs in 12.0 to 29.0 % " in documents and "`moses` errs in up to 35.0 %" in documents
    assert "swapped segments gave 12.0 to 20.0 %" in documents and "recognizes gave 5.0 %" in documents
    assert "approximate randomization errs in up to 30.0 %" in runs and "errs in up to 44.0 %" in runs
    assert "`koehn2004` 9.5 to 10.5 % (" in rules and "multeval" not in rules
    assert others.endswith("up to 22.0 % (`multeval`).")
    assert intervals.endswith("in up to 19.0 % (`percentile`).")
    assert f"  - *{page.OF_METHODS}:* 2 and 2 runs, BLEU, 0.5 / 0.4 / 0.3 (9.9 %)." in ours
    assert any("BLEU, 103 segments (10.0 %), and 3 more." in one for one in ours)
    assert any("a and b, 5 whole sets (9.0 %)" in one for one in ours)
    assert not any(page.IGNORED in one for one in ours)


def test_what_is_conservative_is_named():
    outputs, methods, pooled, rules, sets = page.describe_conservative(make_calibration(), find_made_up_errors())
    assert outputs.startswith("`ar` in 1 of 2 settings, down to 3.4 % ([table](tables/validity-one-run.md)). With 5")
    assert methods.startswith("`crossed` in 1 of 3 settings, down to 2.9 % ([table](tables/validity-several-runs.md)).")
    assert pooled.startswith("`crossed pooled` in 1 of 1 settings, down to 0.5 %")
    assert rules.endswith(": `compare-mt` 1.5 %.")
    assert ": 0.1 %. It must allow" in sets
