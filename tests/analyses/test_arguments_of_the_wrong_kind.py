"""What is given in place of an argument is refused in one sentence, whatever it is, where verdicts are examined."""

import inspect

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench import InputError

N_SEGMENTS = 12
FUNCTIONS = {
    "bucket_segments": {"by": "length", "n_resamples": 400, "rng": 1},
    "find_decisive_units": {"rng": 1, "n_trials": 40},
    "grow_test_set": {"rng": 1, "n_trials": 40, "n_points": 2},
    "leave_out_units": {},
    "segment_contributions": {},
    "simulate_peeking": {"rng": 1, "n_repetitions": 40},
}
#: What an argument may be besides what it is in the calls above.
ALLOWED = {
    ("at_most", "None"),
    ("at_most", "3"),
    ("n_points", "3"),
    ("n_repetitions", "3"),
    ("n_resamples", "None"),
    ("n_resamples", "3"),
    ("n_trials", "None"),
    ("n_trials", "3"),
    ("outputs", "frame"),
    ("rng", "0"),
    ("rng", "3"),
    ("rng", "None"),
    ("runs", "None"),
    ("runs", "[1, 1]"),
    ("looks", "None"),
    ("looks", "[1, 1]"),
    ("statistics", "statistics"),
    ("a", "system"),
    ("b", "system"),
}


@pytest.fixture(scope="module")
def outputs():
    draws = np.random.default_rng(1)
    texts = [[" ".join(draws.choice(list("abcdefgh"), 6)) for _ in range(N_SEGMENTS)] for _ in range(3)]
    return mtw.make_outputs(texts[0], {"x": texts[1], "y": texts[2]})


@pytest.fixture(scope="module")
def odd(outputs):
    """Things of many kinds, by what they are called here."""
    statistics = mtw.compute_statistics(outputs, "chrf")
    plain = [None, "zzz", "", 0, 3, -1, 1.5, float("nan"), float("inf"), True, [1, 1], [], [[1], [2]], {"a": 1}, b"x"]
    return {repr(one): one for one in plain} | {
        "statistics": statistics,
        "system": statistics["x"],
        "system of another metric": mtw.compute_statistics(outputs, "ter")["x"],
        "system of other segments": mtw.compute_statistics(outputs[outputs["segment"] < 9], "chrf")["x"],
        "list of statistics": [statistics],
        "frame": outputs,
        "frame without rows": outputs.iloc[:0],
        "column": outputs["hypothesis"],
        "array": np.arange(3),
        "function": len,
    }


def arguments_of(function):
    return [name for name in inspect.signature(getattr(mtw.analyses, function)).parameters if name != "progress"]


@pytest.mark.filterwarnings("ignore::mtworkbench.DataWarning")
@pytest.mark.parametrize(("function", "name"), [(one, name) for one in FUNCTIONS for name in arguments_of(one)])
def test_it_is_refused_in_one_sentence(outputs, odd, function, name):
    statistics = odd["statistics"]
    names = arguments_of(function)
    given = (outputs, statistics, "x", "y") if names[0] == "outputs" else (statistics["x"], statistics["y"])
    good = dict(zip(names, given, strict=False)) | FUNCTIONS[function]
    accepted = []
    for what, value in odd.items():
        if (name, what) == ("outputs", "None") and function == "segment_contributions":
            continue
        try:
            getattr(mtw.analyses, function)(**good | {name: value})
            accepted.append((name, what))
        except InputError as refused:
            sentence = str(refused)
            assert "\n" not in sentence and sentence.endswith("."), (what, sentence)
            assert len(sentence) < 300, (what, sentence)
    assert set(accepted) <= ALLOWED


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (
            lambda outputs, statistics: mtw.analyses.leave_out_units(outputs, statistics),
            "An object of type DataFrame was given where statistics of one system were expected: take them by the "
            "system's name, as in statistics['base'].",
        ),
        (
            lambda outputs, statistics: mtw.analyses.find_decisive_units(statistics, statistics["y"]),
            "Statistics of several systems were given where statistics of one system were expected: take them by the "
            "system's name, as in statistics['x'].",
        ),
        (
            lambda outputs, statistics: mtw.analyses.segment_contributions(statistics, outputs, "x", "y"),
            "An object of type DataFrame was given where SegmentStatistics of one metric were expected: give the "
            "outputs first, then the statistics.",
        ),
        (
            lambda outputs, statistics: mtw.analyses.segment_contributions(outputs, statistics, ["x"], "y"),
            "There is no system ['x'] among the statistics, which have 'x', 'y'.",
        ),
        (
            lambda outputs, statistics: mtw.analyses.leave_out_units(statistics["x"], statistics["y"], unit=outputs),
            "unit is an object of type DataFrame, but 'auto', 'segment', 'document', 'block' or the name of a column "
            "was expected: these statistics have no columns.",
        ),
        (
            lambda outputs, statistics: mtw.analyses.bucket_segments(outputs, statistics, "x", "y", by=3),
            "by is 3, but 'length', 'document', 'frequency', the name of a column or the label of each segment was "
            "expected.",
        ),
        (
            lambda outputs, statistics: mtw.analyses.simulate_peeking(
                statistics["x"], statistics["y"], looks=[[1], [2]]
            ),
            "looks is [[1], [2]], but a list of numbers of looks was expected, each at least 1.",
        ),
        (
            lambda outputs, statistics: mtw.analyses.grow_test_set(statistics["x"], statistics["y"], level=outputs),
            "level is an object of type DataFrame, but a number between 0 and 1, such as 0.95, was expected.",
        ),
    ],
)
def test_the_sentence_says_what_was_found_and_what_is_expected(outputs, odd, call, sentence):
    with pytest.raises(InputError) as refused:
        call(outputs, odd["statistics"])
    assert str(refused.value) == sentence
