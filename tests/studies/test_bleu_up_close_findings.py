"""What the page on metrics says of its tables, on both outcomes of everything it compares."""

import pandas as pd
import pytest

from mtworkbench.metrics import make_metric
from mtworkbench.outputs import make_outputs
from mtworkbench.segment_statistics import compute_statistics
from mtworkbench.studies import koehn2004 as study


def orders_frame(no_match=(5.0, 6.4), **scores):
    rows = [(name, order, score) for name, values in scores.items() for order, score in enumerate(values, start=1)]
    frame = pd.DataFrame(rows, columns=["system", "order", "score"])
    return frame.assign(no_match_percent=frame["system"].map(dict(zip(scores, no_match, strict=False))))


def test_orders_that_change_places_are_named():
    frame = orders_frame(a=(50, 40, 30, 20.5, 10), b=(51, 39, 29, 20.1, 11), c=(9, 8, 7, 6, 5), no_match=(5, 6.4, 41.7))
    assert study.describe_orders(frame).split("\n") == [
        "a and b, 0.40 BLEU apart with n-grams up to 4, change places with n-grams up to 1 and 5.",
        "With n-grams up to any order from 1 to 5, all other pairs of systems keep the same order.",
        "Each further order lowers the score of every system.",
        "Depending on the system, 5 to 42 % of the segments have no matching 4-gram.",
    ]


def test_orders_that_change_nothing():
    assert study.describe_orders(orders_frame(a=(50, 40, 30), b=(40, 30, 31), no_match=(5.0, 5.4))).split("\n")[:3] == [
        "b and a, 1.00 BLEU apart with n-grams up to 3, change places with n-grams up to 1 and 2.",
        "With n-grams up to any order from 1 to 3, all other pairs of systems keep the same order.",
        "Each further order lowers the score of 1 of 2 systems.",
    ]
    lines = study.describe_orders(orders_frame(a=(50, 40), b=(40, 30), no_match=(5.0, 5.4))).split("\n")
    assert lines[0] == "With n-grams up to any order from 1 to 2, every pair of systems keeps the same order."
    assert lines[-1] == "5 % of the segments have no matching 2-gram."
    (first, _) = study.describe_orders(orders_frame(a=(50, 40))).split("\n")
    assert first == "Each further order lowers the score of every system."


@pytest.fixture(scope="module")
def contradictory():
    """One system has the reference's words in another order and adds some, the other lacks words."""
    reference = ["one two three four five six seven eight"] * 3
    longer = ["eight seven six five four three two one nine ten"] * 3
    shorter = ["one two three four"] * 3
    return make_outputs([reference], {"longer": longer, "shorter": shorter})


def test_rankings_are_grouped_by_what_they_say(contradictory):
    statistics = {
        name: compute_statistics(contradictory, make_metric(name)) for name in ("bleu", "ter", "gtm", "length")
    }
    assert study.describe_rankings([*statistics.values()]) == (
        "BLEU and TER rank the systems: shorter, longer.\nGTM-1 ranks the systems: longer, shorter."
    )
    alike = [statistics[name] for name in ("bleu", "ter", "length")]
    assert study.describe_rankings(alike) == "BLEU and TER rank the systems in the same order: shorter, longer."
    assert study.describe_rankings(alike[:1]) == "BLEU ranks the systems: shorter, longer."


def test_numbers_of_references():
    rows = [("a", 1, 20.04), ("a", 1, 22.0), ("a", 2, 30.0), ("b", 1, 10.0), ("b", 1, 10.0), ("b", 2, 15.06)]
    frame = pd.DataFrame(rows, columns=["system", "references", "score"])
    assert study.describe_reference_counts(frame).split("\n") == [
        "a: 21.0 with one reference (20.0 to 22.0, depending on which), 30.0 with all 2.",
        "b: 10.0 with one reference (10.0 to 10.0, depending on which), 15.1 with all 2.",
    ]
    single = frame[frame["references"] == 1]
    assert study.describe_reference_counts(single) == "There is one reference, so its number cannot vary."
