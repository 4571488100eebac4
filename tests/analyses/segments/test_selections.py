"""What some segments have in common."""

import numpy as np
import pandas as pd
import pytest

from mtworkbench.analyses.segments.contributions import compare_selection, rows_of_runs
from mtworkbench.analyses.segments.ngrams import match_ngrams, tabulate_matches
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
    assert facts([2], plain, None) == {("segments", ""): (1, 4), ("contribution", ""): (-0.25, 1.25)}


def test_nothing_selected_has_no_lengths():
    found = facts([])
    assert found["segments", ""] == (0, 4)
    assert found["contribution", ""] == (0, 1.25)
    assert np.isnan(found["length", ""][0])


def test_unknown_segments_are_refused():
    with pytest.raises(InputError, match=r"^There is no segment 4 among the 4 segments\.$"):
        compare_selection(FRAME, [9, 4])


@pytest.mark.parametrize(("frame", "segments", "code"), [(None, [1], "columns"), ("good", 3, "unknown-segment")])
def test_selections_of_the_wrong_kind(frame, segments, code):
    good = pd.DataFrame({"segment": [1, 2], "contribution": [0.5, 0.1]})
    with pytest.raises(InputError) as caught:
        compare_selection(good if frame else None, segments)
    assert caught.value.code == code


def test_runs_of_what_is_no_frame_or_system():
    outputs = pd.DataFrame({"system": ["a"], "run": [1]})
    with pytest.raises(InputError):
        rows_of_runs(None, "a")
    with pytest.raises(InputError, match="The outputs have no system"):
        rows_of_runs(outputs, ["a"])


def test_ngrams_of_runs_of_the_wrong_kind():
    outputs = pd.DataFrame({"system": ["a"], "run": [1]})
    with pytest.raises(InputError, match="given for orders"):
        tabulate_matches(match_ngrams(outputs, "bleu", "a", "b", orders=3))
    for runs in ((1,), 1, {1, 2}):
        with pytest.raises(InputError, match="a run of 'a' and a run of 'b' was expected"):
            tabulate_matches(match_ngrams(outputs, "bleu", "a", "b", runs=runs))
