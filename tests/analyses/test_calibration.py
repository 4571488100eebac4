"""What was measured, as it is loaded and looked up; the measuring itself is in tests/test_calibration_cells.py."""

import numpy as np
import pandas as pd
import pytest

from benchmarks.calibration.sentences import describe_errors
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


def make_rows(*rows):
    names = ("cell", "test", "percent", "finding", "runs_a", "n_units", "quantity")
    frame = pd.DataFrame([(*row, "size")[:7] for row in rows], columns=names)
    return frame.assign(unit="segment", independent="segment")


def test_errors_are_said_with_the_settings_in_which_a_test_errs_too_often():
    right, too_often, of_score, of_difference = (
        *("keeps its level", "errs too often"),
        *("coverage of a score", "coverage of a difference"),
    )
    frame = make_rows(
        ("few", "ar", 0.0, "conservative", 1, 5),  # 2 of 32 exchanges: p cannot be 0.05
        ("six", "ar", 3.4, "conservative", 1, 6),
        ("many", "ar", 5.5, right, 1, 50),
        ("3 runs", "crossed", 4.0, right, 3, 20),
        ("3 runs", "crossed pooled", 4.5, right, 3, 20),
        ("2 runs", "crossed", 9.9, too_often, 2, 20),
        ("six", "jackknife", 95.5, right, 1, 6, of_score),
        ("six", "percentile", 80.0, too_often, 1, 6, of_score),  # not what "auto" takes
        *((f"cell {number}", "percentile", 93.0 - number, too_often, 1, 100, of_score) for number in range(4)),
        ("six", "jackknife", 94.0, right, 1, 6, of_difference),
        ("hundred", "percentile", 95.0, right, 1, 100, of_difference),
        ("six", "tost (a better)", 2.0, "conservative", 1, 6, calibration.AT_THE_MARGIN),
        ("six", "tost (a worse)", 9.0, too_often, 1, 6, calibration.AT_THE_MARGIN),
        ("3 runs", "tost (a better)", 5.2, right, 3, 50, calibration.AT_THE_MARGIN),
    )
    wrong = make_rows(("ids unknown", "ar", 12.0, too_often, 1, 50), ("few", "ar", 29.0, too_often, 1, 6))
    frame = pd.concat([frame, wrong.assign(independent="document")])
    counts = [("weak null", "false", 3), ("weak null", "experiments", 50), ("5 of 5", "false", 9)]
    engine = pd.DataFrame(counts, columns=["cell", "quantity", "new"])
    assert describe_errors(frame, engine) == (
        "A 5 % test should call equal systems different in 5 % of all experiments. "
        "With one run, approximate randomization called equal systems different in 3.4 to 5.5 % of the experiments, "
        "depending on the setting (2 settings). "
        "These units were independent. Where documents are independent, but are not known, so that segments are "
        "swapped, it called equal systems different in 12.0 to 29.0 % of the experiments (2 settings). "
        "Where two systems differ, but score alike on the population from which test sets are drawn (a weak null), it "
        "called them different in 6.0 to 6.0 % of the experiments (1 setting). "
        "With several runs, the crossed analysis called equal methods different in 4.0 to 4.0 % of the experiments, "
        "depending on the setting (1 setting), and too often in 1 other setting: 9.9 % in `2 runs`. "
        "With pooled runs, it called equal methods different in 4.5 to 4.5 % of the experiments, depending on the "
        "setting (1 setting). "
        "With one run, the 95 % interval of a score missed the truth in 4.5 to 4.5 % of the experiments, depending on "
        "the setting (1 setting), and too often in 4 other settings: up to 10.0 % in `cell 3`. "
        "The 95 % interval of a difference missed it in 5.0 to 6.0 % of the experiments, depending on the setting "
        "(2 settings). "
        "If the true difference is exactly the margin, the test of equivalence should call the systems (or methods) "
        "equal in 5 % of all experiments. At the worse end of the margin, it did so in 5.2 to 5.2 % of the "
        "experiments, depending on the setting (1 setting), and too often in 1 other setting: 9.0 % in `six`."
    )
