"""What was measured where document ids are withheld, as it ships."""

import warnings

import numpy as np
import pandas as pd
import pytest

from benchmarks import withheld_documents as command
from mtworkbench.analyses.calibration import band_of_errors
from mtworkbench.errors import DataWarning
from mtworkbench.inference.intervals import monte_carlo_ends


@pytest.fixture(scope="module")
def rates():
    return pd.read_csv(command.PATH)


def test_every_pair_is_there_under_every_rule(rates):
    assert set(rates["test_set"]) == set(command.SOURCES)
    assert set(rates["repetitions"]) == {command.REPETITIONS} and command.REPETITIONS >= 400
    rules = {command.SEGMENTS, command.RECOGNIZED, command.BLOCKS}
    assert all(set(own["rule"]) == rules and len(own) == 3 for _, own in rates.groupby(command.KEY))
    assert rates.groupby("test_set")["metric"].nunique().eq(len(command.METRICS)).all()
    ends = [monte_carlo_ends(count, command.REPETITIONS) for count in rates["count"]]
    np.testing.assert_allclose(rates[["low", "high"]], 100 * np.array(ends), rtol=1e-12)


def test_recognized_documents_keep_the_level_where_segments_do_not(rates):
    enough = rates[rates["n_recognized"] >= 6]
    summed = enough.groupby(["rule", "test_set", "metric"])[["count", "repetitions"]].sum()
    errs = summed["count"] > [band_of_errors(number)[1] for number in summed["repetitions"]]
    assert not errs[command.RECOGNIZED].any()
    assert errs[command.SEGMENTS].mean() > 0.5
    few = rates[rates["n_recognized"] < 6].pivot_table("count", command.KEY, "rule")
    assert (few[command.RECOGNIZED] == few[command.SEGMENTS]).all()  # the default takes segments there


@pytest.mark.long
def test_a_real_pair_gives_what_ships(shared, rates, monkeypatch):
    monkeypatch.setattr(command, "tqdm", lambda steps, **options: steps)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        outputs = command.read_set("wmt23 en-de", shared / "realdata")
        found = next(command.measure_set("wmt23 en-de", outputs, "bleu", set()))
    shipped = rates[rates["test_set"] == "wmt23 en-de"].head(3)
    # The version is that which measured what ships.
    shipped = shipped.reset_index(drop=True).assign(version=found["version"])
    pd.testing.assert_frame_equal(found, shipped)
