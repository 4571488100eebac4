"""What some segments have in common."""

import numpy as np
import pandas as pd
import pytest

from mtworkbench.analyses.segments.contributions import compare_selection, rows_of_run
from mtworkbench.errors import InputError

FRAME = pd.DataFrame(
    {
        "segment": [1, 2, 3, 5],
        "document": ["a", "a", "b", "c"],
        "contribution": [0.5, -0.25, np.nan, 1.0],
        "length": [3.0, 5.0, np.nan, 9.0],
    }
)
FLAGS = {
    "new": pd.DataFrame({"segment": [1, 2, 3, 5], "empty": [False, False, True, False]}),
    "old": pd.DataFrame({"empty": [True, True, False, True]}),
}


def facts(segments, frame=FRAME, flags=FLAGS):
    found = compare_selection(frame, segments, flags)
    assert list(found.columns) == ["fact", "system", "selection", "all"]
    return {
        (row.fact, row.system if isinstance(row.system, str) else ""): (row.selection, row.all)
        for row in found.itertuples()
    }


def test_a_selection_is_compared_with_all_segments():
    assert facts([5, 1]) == {
        ("segments", ""): (2, 4),
        ("contribution", ""): (1.5, 1.25),
        ("documents", ""): (2, 3),
        ("length", ""): (6, 5),
        ("empty", "new"): (0, 1),
        ("empty", "old"): (2, 3),
    }


def test_what_is_not_known_is_left_out():
    plain = FRAME[["segment", "contribution"]]
    assert facts([2], plain, {}) == {("segments", ""): (1, 4), ("contribution", ""): (-0.25, 1.25)}


def test_nothing_selected_has_no_lengths():
    found = facts([])
    assert found["segments", ""] == (0, 4)
    assert found["contribution", ""] == (0, 1.25)
    assert np.isnan(found["length", ""][0])


def test_runs_of_what_is_no_frame_or_system():
    outputs = pd.DataFrame({"system": ["a"], "run": [1]})
    with pytest.raises(InputError):
        rows_of_run(None, "a", 1)
    with pytest.raises(InputError, match="The outputs have no system"):
        rows_of_run(outputs, ["a"], 1)
