"""What the page on metrics says of its tables, on both outcomes of everything it compares."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mtworkbench import make_outputs
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics import make_metric
from mtworkbench.papers import koehn2004 as study
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import compute_statistics


def orders_frame(no_match=(5.0, 6.4), **scores):
    rows = [(name, order, score) for name, values in scores.items() for order, score in enumerate(values, start=1)]
    frame = pd.DataFrame(rows, columns=["system", "order", "score"])
    return frame.assign(no_match_percent=frame["system"].map(dict(zip(scores, no_match, strict=False))))


def pairs_of(frame, error=0.01):
    """Differences of all pairs of a frame of orders, with a standard error."""
    scores = frame.pivot(index="system", columns="order", values="score").loc[list(dict.fromkeys(frame["system"]))]
    rows = [
        (a, b, order, 2000, scores[order][a] - scores[order][b], error)
        for a, b in itertools.combinations(scores.index, 2)
        for order in scores
    ]
    return pd.DataFrame(rows, columns=["a", "b", "order", "segments", "difference", "standard_error"])


def describe(frame, error=0.01):
    return study.describe_orders(frame, pairs_of(frame, error)).replace(",\n", ", ").split("\n")


CHANGING = {"a": (50, 40, 30, 20.5, 10), "b": (51, 39, 29, 20.1, 11), "c": (9, 8, 7, 6, 5)}


def test_orders_that_change_places_are_named():
    assert describe(orders_frame(**CHANGING, no_match=(5, 6.4, 41.7))) == [
        "a and b, 0.40 BLEU apart with n-grams up to 4, change places with n-grams up to 1 and 5.",
        "With n-grams up to any order from 1 to 5, all other pairs of systems keep the same order.",
        "Each further order lowers the score of every system.",
        "Depending on the system, 5 to 42 % of the segments have no matching 4-gram.",
    ]


@pytest.mark.parametrize(("error", "clear"), [(0.2, True), (0.21, False), (np.nan, False)])
def test_differences_within_noise_change_no_places(error, clear):
    """0.40 is 1.96 standard errors of 0.204."""
    (first, *_) = describe(orders_frame(**CHANGING), error)
    assert ("change places" in first) == clear
    if not clear:
        assert first.startswith("On these 2,000 segments, a and b are too close to call: a - b is +0.40 BLEU with")
    if error == 0.21:
        frame = orders_frame(**CHANGING)
        said = " ".join(study.describe_orders(frame, pairs_of(frame, error)).split())
        assert "+0.40 BLEU with n-grams up to 4 (95 % CI -0.01 to +0.81) and -1.00 BLEU with n-grams up to 1" in said


def test_only_clear_changes_are_named():
    frame = orders_frame(**CHANGING)
    pairs = pairs_of(frame)
    pairs.loc[(pairs["order"] == 5), "standard_error"] = 1.0
    assert "change places with n-grams up to 1." in study.describe_orders(frame, pairs)
    reversed_names = pairs.rename(columns={"a": "b", "b": "a"}).assign(difference=-pairs["difference"])
    assert study.describe_orders(frame, reversed_names) == study.describe_orders(frame, pairs)


def test_orders_that_change_nothing():
    assert describe(orders_frame(a=(50, 40, 30), b=(40, 30, 31), no_match=(5.0, 5.4)))[:3] == [
        "b and a, 1.00 BLEU apart with n-grams up to 3, change places with n-grams up to 1 and 2.",
        "With n-grams up to any order from 1 to 3, all other pairs of systems keep the same order.",
        "Each further order lowers the score of 1 of 2 systems.",
    ]
    lines = describe(orders_frame(a=(50, 40), b=(40, 30), no_match=(5.0, 5.4)))
    assert lines[0] == "With n-grams up to any order from 1 to 2, every pair of systems keeps the same order."
    assert lines[-1] == "5 % of the segments have no matching 2-gram."
    (first, _) = describe(orders_frame(a=(50, 40)))
    assert first == "Each further order lowers the score of every system."


def test_standard_errors_of_orders_are_those_of_the_bootstrap():
    """The delete-one jackknife's error against the spread of 2,000 resampled differences."""
    random = np.random.default_rng(4)
    words = np.array(list("abcdef"))
    reference = [" ".join(random.choice(words, 12)) for _ in range(150)]
    noisy = {
        name: [" ".join(w if keep > rate else "z" for w, keep in zip(text.split(), random.random(12), strict=True))
               for text in reference]
        for name, rate in (("x", 0.2), ("y", 0.3))
    }  # fmt: skip
    statistics = compute_statistics(make_outputs([reference], noisy), "bleu:tokenize=none,max_ngram_order=3")
    pairs = study.compare_orders(statistics)
    assert pairs[["a", "b", "segments"]].drop_duplicates().values.tolist() == [["x", "y", 150]]
    assert pairs["order"].tolist() == [1, 2, 3]
    for order in (1, 2, 3):
        metric = f"bleu:tokenize=none,max_ngram_order={order}"
        own = compute_statistics(make_outputs([reference], noisy), metric)
        table = ScoreTable.of([own["x"], own["y"]])
        drawn = [scores[:, 0] for scores in resample(table, 2000, resolve_rng(1))]
        row = pairs.set_index("order").loc[order]
        assert row["difference"] == pytest.approx(float(own.score()["x"][0, 0] - own.score()["y"][0, 0]))
        assert row["standard_error"] == pytest.approx(np.std(drawn[0] - drawn[1]), rel=0.1)


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
