"""What ships in data/clark2011 is what scripts/compute_clark2011.py computes: some of its rows are computed again."""

import runpy
from pathlib import Path

import pandas as pd
import pytest

from mtworkbench.papers.clark2011 import read_computed

pytestmark = pytest.mark.slow
ROUNDED = 1.5e-4  # as the files are, to four decimals


@pytest.fixture(scope="module")
def script():
    return runpy.run_path(str(Path(__file__).parents[2] / "scripts" / "compute_clark2011.py"))


@pytest.mark.parametrize(("setting", "value"), [("restarts", 0), ("n_features", 5), ("n_dev", 50)])
def test_a_setting_of_the_optimizer_comes_out_again(script, setting, value):
    """Twenty runs of MERT, scored on both sets."""
    shipped = read_computed("settings").query("setting == @setting and value == @value").reset_index(drop=True)
    assert shipped["runs"].tolist() == [20]
    computed = script["settings"]({setting: (value,)})
    pd.testing.assert_frame_equal(computed, shipped, rtol=0, atol=ROUNDED, check_dtype=False)
