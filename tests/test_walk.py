"""How the script counts the walk of a comparison: on calls written by hand, and on a real comparison."""

import runpy
import sys
from pathlib import Path

SCRIPT = runpy.run_path(str(Path(__file__).parents[1] / "scripts" / "walk.py"))
CALLS = [("a", "f"), ("a", "g"), ("b", "h"), ("a", "f"), ("b", "h"), ("c", "k"), ("c", "k"), ("a", "m")]


def test_stays_and_returns_of_calls_by_hand():
    stays = SCRIPT["stays_of"](CALLS)
    assert stays == [("a", ["f", "g"]), ("b", ["h"]), ("a", ["f"]), ("b", ["h"]), ("c", ["k", "k"]), ("a", ["m"])]
    assert SCRIPT["describe_walk"](CALLS).split() == ["3", "6", "3"]
    once = SCRIPT["read_once"](CALLS)
    assert once == [("a", "f"), ("a", "g"), ("b", "h"), ("c", "k"), ("a", "m")]
    assert SCRIPT["describe_walk"](once).split() == ["3", "4", "1"]


def test_a_comparison_is_walked_from_compare_on():
    statistics = SCRIPT["sample_statistics"]({name: f"{name}.run1" for name in ("baseline", "tweaked")}, "bleu")
    calls = SCRIPT["walk"](statistics, "baseline")
    assert calls[0][1] == "compare"
    assert ("metrics/bleu.py", "Bleu.score") in calls
    assert not [function for _, function in calls if function.endswith(">")]
    assert sys.getprofile() is None
