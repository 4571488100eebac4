"""What is said of what a verdict hangs on follows from the frame, in every case that a frame can show."""

import pandas as pd
import pytest

from mtworkbench.words.sentences_on_influence import (
    describe_decisive_units,
    describe_growth,
    describe_peeking,
)

COMMON = {"metric": "BLEU", "higher_is_better": True, "a": "X", "b": "Y", "unit": "document", "level": 0.95}


def decisive(*steps, n_units=81, n_same=0, unit="document", n_trials=10_000):
    """Steps are (p, verdict); in `n_same` units both systems are the same."""
    rows = [
        {
            "removed": number,
            "label": None if number == 0 else f"d{number}",
            "units_left": n_units - number,
            "differing": n_units - n_same - number,
            "difference": 1.0,
            "p_value": p,
            "n_trials": n_trials,
            "verdict": verdict,
        }
        for number, (p, verdict) in enumerate(steps)
    ]
    return pd.DataFrame(rows).assign(**COMMON | {"unit": unit}).astype({"n_trials": "Int64"})


YES, NO, OPEN = "significant", "not significant", "undecided"


@pytest.mark.parametrize(
    ("frame", "said"),
    [
        (
            decisive((0.01, YES), (0.02, YES), (0.0478, OPEN), (0.08, NO)),
            "Without 3 of 81 documents (each time the one that the verdict depends on most), the difference X - Y in "
            "BLEU, in favour of X, is no longer significant at 5 % (p = 0.0800; with all documents p = 0.0100).",
        ),
        (
            decisive((0.08, NO), (0.00001, YES)),
            "Without one of 81 documents (d1), the difference X - Y in BLEU, in favour of X, is significant at 5 % "
            "(p < 0.0001; with all documents p = 0.0800).",
        ),
        (
            decisive((0.3, NO), (0.2, NO), (0.1, NO)),
            "Even without 2 of 81 documents (each time the one that the verdict depends on most), the difference X - Y "
            "in BLEU, in favour of X, is still not significant at 5 % (p = 0.1000; with all documents p = 0.3000).",
        ),
        (
            decisive((0.01, YES), (0.0495, OPEN), unit="segment", n_trials=100),
            "Without one of 81 segments (segment d1), the difference X - Y in BLEU, in favour of X, is undecided at "
            "5 % (p = 0.05; with all segments p = 0.01).",
        ),
        (
            decisive((0.05, OPEN)),
            "The verdict on the difference X - Y in BLEU, in favour of X, is undecided (p = 0.0500), because p is "
            "too close to 0.05 to decide with 10,000 trials.",
        ),
        (
            decisive((1, NO), n_same=81, n_trials=None),
            "X and Y do not differ in any document, so none of them is decisive.",
        ),
        (
            decisive((0.03125, YES), (0.0625, NO), n_units=6, n_trials=None),
            "Without one of 6 documents (d1), the difference X - Y in BLEU, in favour of X, is no longer significant "
            "at 5 % (p = 0.0625; with all documents p = 0.0312), because with 5 documents no difference can be.",
        ),
        (
            decisive((0.0625, NO), n_units=5, n_trials=None),
            "With 5 documents no difference can be significant at 5 %.",
        ),
        (
            decisive((1.0, NO), n_units=30, n_same=27, unit="segment", n_trials=None),
            "With 3 differing segments no difference can be significant at 5 %.",
        ),
    ],
)
def test_decisive_units(frame, said):
    assert describe_decisive_units(frame) == said


def growth(*steps):
    """Steps are (segments, difference, p, verdict)."""
    frame = pd.DataFrame(steps, columns=["segments", "difference", "p_value", "verdict"])
    ends = {"low": frame["difference"] - 1, "high": frame["difference"] + 1, "n_trials": 10_000}
    return frame.assign(**COMMON | ends)


END = "On the whole test set, the difference X - Y in BLEU is +1.2 in favour of X (95 % CI [0.2, 2.2], p = 0.0200)."


@pytest.mark.parametrize(
    ("early", "said"),
    [
        ([], ""),
        ([(10, 1, 0.2, NO)], "At the one early look, the difference is not significant at 5 %. "),
        (
            [(10, 1, 0.01, YES)],
            "At the one early look, the difference is significant at 5 %, first after 10 segments. ",
        ),
        ([(10, 1, 0.2, NO), (20, 1, 0.05, OPEN)], "At none of 2 early looks is the difference significant at 5 %. "),
        (
            [(10, 1, 0.2, NO), (1020, -1, 0.01, YES), (2000, 1, 0.2, NO)],
            "At 1 of 3 early looks, the difference is significant at 5 %, first after 1,020 segments, in favour of Y. ",
        ),
        (
            [(10, 1, 0.01, YES), (20, -1, 0.01, YES), (30, -2, 0.01, YES), (40, 1, 0.2, NO)],
            "At 3 of 4 early looks, the difference is significant at 5 %, first after 10 segments: 2 of them in favour "
            "of Y, 1 in favour of X. ",
        ),
        (
            [(10, -1, 0.01, YES), (20, -1, 0.01, YES)],
            "At 2 of 2 early looks, the difference is significant at 5 %, first after 10 segments, each time in favour "
            "of Y. ",
        ),
    ],
)
def test_growing_test_set(early, said):
    frame = growth(*early, (3000, 1.2, 0.02, YES))
    assert describe_growth(frame) == said + END.replace("1.2", "1.20").replace("0.2,", "0.20,").replace("2.2]", "2.20]")


def peeking(*rows, n_units=100, n_same=0):
    frame = pd.DataFrame(rows, columns=["looks", "rejected", "low", "high", "normal_mean"])
    return frame.assign(**COMMON, units=n_units, differing=n_units - n_same, n_repetitions=10_000)


def test_repeated_looks():
    rows = [(1, 0.05, 0.046, 0.054, 0.05), (10, 0.186, 0.178, 0.194, 0.193)]
    assert describe_peeking(peeking(*rows)) == (
        "Where neither system is better, a test at 5 % with 10 looks rejects at least once in 18.6 % of 10,000 "
        "simulated test sets (95 % CI 17.8 to 19.4 %; a normal mean: 19.3 %)."
    )
    assert describe_peeking(peeking((1, 0.05, 0.046, 0.054, None))) == (
        "Where neither system is better, a test at 5 % with one look rejects at least once in 5.0 % of 10,000 "
        "simulated test sets (95 % CI 4.6 to 5.4 %)."
    )
    assert describe_peeking(peeking(*rows, n_units=5)) == (
        "With 5 documents no test can reject at 5 %, however often it is repeated."
    )
    assert describe_peeking(peeking(*rows, n_same=98)) == (
        "With 2 differing documents no test can reject at 5 %, however often it is repeated."
    )
