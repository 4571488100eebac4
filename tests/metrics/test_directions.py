"""Which way mean scores get better: by name, by a reader's note, or as the user says; never taken for granted."""

import copy
import pickle
import re
import warnings
from dataclasses import asdict, replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench import read_mt_metrics_eval, read_table
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, Length, MeanScore, Ter, make_metric
from mtworkbench.metrics.directions import tell_directions
from mtworkbench.statistics.segment_statistics import compute_statistics

UP = "comet xcomet cometkiwi bleurt bertscore bleu chrf meteor adequacy fluency correct da da-sqm esa"
DOWN = "ter hter wer cer metricx mqm_penalty"
HOW = (
    "give the direction with --direction NAME=up or NAME=down (in Python, with higher_is_better=True or False in "
    "MeanScore, or directions={'NAME': True or False} in load_statistics)."
)


def table(column, **more):
    draws = np.random.default_rng(0)
    return pd.DataFrame(
        {
            "system": ["base"] * 100 + ["new"] * 100,
            "segment": [*range(1, 101)] * 2,
            column: [*draws.uniform(40, 60, 100), *draws.uniform(45, 65, 100)],
        }
        | more
    )


def noticed(call, *arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", DataWarning)
        return call(*arguments, **options), [warning.message for warning in caught]


def test_a_worse_system_is_not_called_better_by_a_column_ter():
    statistics = compute_statistics(read_table(table("ter")), MeanScore("ter"))
    found = compare(statistics, "base", rng=1).metrics["ter"]
    assert found.higher_is_better is False
    [pair] = found.comparisons
    assert pair.difference > 3 and pair.verdict == "significant"
    assert pair.confidence < 0.01 and pair.wins < pair.losses


def test_without_a_known_direction_nobody_wins():
    statistics, _ = noticed(compute_statistics, read_table(table("score")), MeanScore("score"))
    [pair] = compare(statistics, "base", rng=1).metrics["score"].comparisons
    assert pair.wins is pair.losses is pair.confidence is None


@pytest.mark.parametrize(
    ("name", "direction"),
    [
        *((name, True) for name in UP.split()),
        *((name, False) for name in DOWN.split()),
        *((name, True) for name in ("COMET", "ChrF", " DA ")),
        *((name, False) for name in ("TER", "MetricX", "MQM_penalty")),
        *((name, None) for name in ("score", "mqm", "comets", "mycomet", "comet-rank", "ter2", "da-z", "")),
        # As mt-metrics-eval writes the references.
        *(
            (name, True)
            for name in ("BLEU-refA", "COMET-refA", "chrF-refPE", "BLEU-ref", "BERTScore-refb", "xCOMET-src")
        ),
        *((name, True) for name in ("BLEURT-all", "COMET-ref0", "METEOR-refa.refb", "BLEU-synthetic_ref")),
        # With the model.
        *((name, True) for name in ("COMET-22", "comet-22-refA", "wmt22-comet-da", "Unbabel/wmt23-cometkiwi-da-xxl")),
        *((name, True) for name in ("XCOMET-XL", "wmt20-comet-qe-da-v2", "COMETKiwi-22", "BLEURT-20-D12")),
        *((name, False) for name in ("metricx-24-hybrid-xl", "google/metricx-23-qe-large-v2p0", "MetricX-25")),
        # What it negates and what it does not is not known.
        *((name, None) for name in ("TER-refA", "MetricX-refA", "mqm_penalty-src")),
        *(
            (name, None)
            for name in ("metricx-24-refA", "comet-refined", "BLEU-refA-refB", "BLEU refA", "BLEU-", "-refA")
        ),
    ],
)
def test_names_are_known_whole_and_without_case(name, direction):
    for metric in (MeanScore(name or "score"), MeanScore("score", name), make_metric(f"mean:column={name or 'score'}")):
        assert metric.higher_is_better is direction
        assert metric.direction_is_unknown == (direction is None)
    assert MeanScore(name or "x", higher_is_better=True).higher_is_better is True
    assert MeanScore(name or "x", higher_is_better=False).higher_is_better is False
    told = MeanScore(name or "x", higher_is_better=None)
    assert (told.higher_is_better, told.direction_is_unknown) == (None, False)


def test_the_names_of_column_and_table_both_count():
    assert MeanScore("column 3", "COMET").higher_is_better is True
    assert MeanScore("ter", "edits").higher_is_better is False
    assert MeanScore("da", "adequacy").higher_is_better is True
    assert MeanScore("comet", "TER").higher_is_better is None
    assert MeanScore("comet", "TER").direction_is_unknown
    assert MeanScore("TER-refA", "comet").higher_is_better is None
    assert MeanScore("TER-refA", "ter").higher_is_better is False


def test_the_direction_is_resolved_once():
    metric = MeanScore("ter")
    assert asdict(metric) == {"column": "ter", "name": "ter", "higher_is_better": False}
    assert metric == MeanScore("ter", higher_is_better=False)
    assert hash(metric) == hash(MeanScore("ter", higher_is_better=False))
    assert replace(metric, name="comet") == MeanScore("ter", "comet", higher_is_better=False)
    unknown = MeanScore("score")
    assert unknown == MeanScore("score", higher_is_better=None)
    for twin in (copy.copy(unknown), copy.deepcopy(unknown), pickle.loads(pickle.dumps(unknown))):
        assert twin == unknown and twin.direction_is_unknown
    assert not replace(unknown, higher_is_better=True).direction_is_unknown


def test_an_unknown_direction_is_said_once_for_each_computation():
    runs = pd.concat([table("score", run=run) for run in (1, 2, 3)], ignore_index=True)
    outputs = read_table(runs)
    metric = MeanScore("score")
    sentence = (
        "Nothing says whether higher or lower is better for the scores 'score', so no wins are counted and no system "
        f"is called better; {HOW.replace('NAME', 'score')}"
    )
    with pytest.warns(DataWarning, match=f"^{re.escape(sentence)}$") as caught:
        statistics = compute_statistics(outputs, metric)
    assert [warning.message.code for warning in caught] == ["unknown-direction"]
    assert caught[0].filename == __file__
    statistics.take(range(50))["new"].take(range(20))  # nothing more is said of it
    compare(statistics, n_resamples=100, n_trials=100, interval="jackknife", unit="segment", rng=1)
    compute_statistics(outputs, MeanScore("score", higher_is_better=None))
    compute_statistics(outputs, replace(metric, higher_is_better=False))


def test_of_mqm_the_warning_says_what_to_look_at():
    outputs = read_table(table("mqm"))
    for metric in (MeanScore("mqm"), MeanScore("mqm", "error score")):
        _, [warning] = noticed(compute_statistics, outputs, metric)
        assert warning.code == "unknown-direction"
        assert str(warning).endswith(
            "Look at the values: where they are negative, as in mt-metrics-eval, higher is better; where they count "
            "errors as positive numbers, lower is better."
        )
    _, [warning] = noticed(compute_statistics, read_table(table("score")), MeanScore("score"))
    assert "Look at" not in str(warning)


@pytest.mark.parametrize(
    ("notes", "direction"),
    [
        (["up"] * 200, True),
        (["down"] * 200, False),
        (["up"] * 199 + [None], True),
        ([None] * 200, None),
    ],
)
def test_a_reader_can_note_the_direction(notes, direction):
    outputs = read_table(table("mqm")).assign(mqm_direction=pd.Series(notes, dtype=object))
    statistics, warned = noticed(compute_statistics, outputs, MeanScore("mqm"))
    assert statistics.metric.higher_is_better is direction
    assert [warning.code for warning in warned] == ["unknown-direction"] * (direction is None)
    # What is told goes before the note.
    statistics, warned = noticed(compute_statistics, outputs, MeanScore("mqm", higher_is_better=False))
    assert statistics.metric.higher_is_better is False
    assert [warning.code for warning in warned] == ["opposite-direction"] * (direction is True)


REMEDY = "correct the column, or say which is right with higher_is_better=True or False in MeanScore({!r})."


@pytest.mark.parametrize(
    ("notes", "held"),
    [
        (["up"] * 199 + ["down"], "'up' and 'down'"),
        (["UP"] * 200, "'UP'"),
        ([None] * 199 + ["sideways"], "'sideways'"),
        ([1] * 200, "'1'"),
        ([[1]] * 200, "'[1]'"),
    ],
)
@pytest.mark.parametrize("column", ["mqm", "comet"])
def test_a_note_that_says_nothing_is_named(column, notes, held):
    outputs = read_table(table(column)).assign(**{f"{column}_direction": pd.Series(notes, dtype=object)})
    sentence = (
        f"Column '{column}_direction' holds {held}, but 'up' (higher is better) or 'down' (lower is better) was "
        f"expected, the same in all rows: {REMEDY.format(column)}"
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        compute_statistics(outputs, MeanScore(column))
    assert caught.value.code == "direction"
    told = compute_statistics(outputs, MeanScore(column, higher_is_better=False))
    assert told.metric.higher_is_better is False


@pytest.mark.parametrize(("column", "note", "known"), [("comet", "down", "higher"), ("TER", "up", "lower")])
def test_a_note_that_contradicts_the_name_is_refused(column, note, known):
    outputs = read_table(table(column)).assign(**{f"{column}_direction": note})
    sentence = (
        f"Column '{column}_direction' holds {note!r}, but for scores named {column!r} {known} is better: "
        f"{REMEDY.format(column)}"
    )
    for metric in (MeanScore(column), pickle.loads(pickle.dumps(MeanScore(column)))):
        with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
            compute_statistics(outputs, metric)
        assert caught.value.code == "direction"
    for told in (True, False):
        metric = MeanScore(column, higher_is_better=told)
        assert compute_statistics(outputs, metric).metric.higher_is_better is told
    agrees = outputs.assign(**{f"{column}_direction": "up" if note == "down" else "down"})
    assert compute_statistics(agrees, MeanScore(column)).metric == MeanScore(column)


@pytest.mark.parametrize(
    ("scores", "metric", "is_noticed"),
    [
        ([-1.0, 0.0], "metricx", True),
        ([-1.0, 1.0], "metricx", False),
        ([0.0, 0.0], "metricx", False),
        ([-1.0, 0.0], "comet", False),
        ([-1.0, 0.0], MeanScore("metricx", higher_is_better=False), False),
    ],
)
def test_errors_that_were_negated_are_noticed(scores, metric, is_noticed):
    column = "metricx" if isinstance(metric, MeanScore) else metric
    outputs = read_table(pd.DataFrame({"system": "a", "segment": [1, 2], column: scores}))
    _, found = noticed(compute_statistics, outputs, metric)
    found = {warning.code: warning for warning in found}
    assert ("opposite-direction" in found) == is_noticed
    if is_noticed:
        assert str(found["opposite-direction"]).startswith(
            "Lower is taken to be better for the scores 'metricx' because of their name, but none of them is above 0. "
            "If they were negated, so that higher is better, give the direction with "
        )


def test_mqm_of_mt_metrics_eval_is_up(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    outputs, _ = noticed(read_mt_metrics_eval, root, "en-de", references=["refA"])
    assert outputs["mqm"].max() <= 0
    statistics = compute_statistics(outputs, "mean:column=mqm")
    assert statistics.metric.higher_is_better is True


@pytest.mark.long
def test_of_scores_of_mt_metrics_eval_none_lacks_a_direction(shared):
    root = shared / "realdata" / "mt-metrics-eval" / "wmt23"
    outputs, _ = noticed(read_mt_metrics_eval, root, "en-de", references=["refA"])
    for name in ("mqm", "da-sqm", "BLEU-refA", "chrF-refA", "COMET-refA"):
        statistics, warned = noticed(compute_statistics, outputs, MeanScore(name))
        assert statistics.metric.higher_is_better is True
        assert not [one for one in warned if one.code.endswith("direction")]


METRICS = [Bleu(), MeanScore("score"), Length(), MeanScore("column", "comet kiwi")]


def test_directions_are_told_by_name():
    told = tell_directions(METRICS, {"score": False, "comet kiwi": True})
    assert told == [
        Bleu(),
        MeanScore("score", higher_is_better=False),
        Length(),
        MeanScore("column", "comet kiwi", higher_is_better=True),
    ]
    assert tell_directions(METRICS, {}) == METRICS
    assert tell_directions(METRICS, {" Score": False, "score": False, "COMET kiwi": True}) == told


@pytest.mark.parametrize(
    ("metrics", "directions", "problem"),
    [
        (METRICS, {"scores": True}, "'scores', but no mean score has this name: name one of 'score', 'comet kiwi'."),
        (METRICS, {"column": True}, "'column', but no mean score has this name: name one of 'score', 'comet kiwi'."),
        (METRICS, {"score": True, "bleu": True}, "'bleu', but for BLEU higher is always better: omit it."),
        ([Ter()], {"TER": True}, "'TER', but for TER lower is always better: omit it."),
        ([Length()], {"Length": True}, "'Length', but for Length neither direction is better: omit it."),
        (
            [Bleu()],
            {"score": True},
            "'score', but there are no mean scores, and the direction of every other metric is fixed: omit it.",
        ),
    ],
)
def test_a_direction_that_cannot_be_told_is_refused(metrics, directions, problem):
    with pytest.raises(InputError, match=f"^{re.escape(f'A direction was given for {problem}')}$") as caught:
        tell_directions(metrics, directions)
    assert caught.value.code == "direction"


def test_a_direction_is_true_or_false():
    with pytest.raises(InputError, match="^The direction of 'score' is 'up', but True or False was expected.$"):
        tell_directions(METRICS, {"score": "up"})
    sentence = "The directions say both True and False of 'Score': give each name once, in any case."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        tell_directions(METRICS, {"score": True, "Score": False})


@pytest.mark.parametrize("directions", [[("score", True)], "score=up", {1: True}])
def test_directions_are_a_dictionary_of_names(directions):
    sentence = (
        f"The directions are {directions!r}, but a dictionary from the names of scores to True or False was expected, "
        "such as {'score': True}."
    )
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as caught:
        tell_directions(METRICS, directions)
    assert caught.value.code == "direction"


def test_a_direction_against_the_note_is_followed_with_a_warning():
    outputs = read_table(table("mqm")).assign(mqm_direction="down")
    said = "The scores 'mqm' come with the note that lower is better, but the direction that was given says that higher"
    with pytest.warns(DataWarning, match=said) as caught:
        found = compute_statistics(outputs, MeanScore("mqm", higher_is_better=True))
    assert [warning.message.code for warning in caught] == ["opposite-direction"]
    assert found.metric.higher_is_better
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for told in (False, None):
            compute_statistics(outputs, MeanScore("mqm", higher_is_better=told))
