"""Controls for the published rules: they show what `conventions` says, and hide the answers until asked for them."""

import matplotlib as mpl
import numpy as np
import pytest

from mtworkbench.analyses.conventions import conventions
from mtworkbench.analyses.rules import copy_but_for
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.widgets import explore_conventions, predict_conventions


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


@pytest.fixture(scope="module")
def statistics():
    draws = np.random.default_rng(1)
    shared = draws.normal(0, 1, 60)
    values = {name: shared + draws.normal(shift, 1, 60) for name, shift in zip("abc", (0, 0.3, 0.6), strict=True)}
    documents = np.array([f"document {segment // 3}" for segment in range(60)], dtype=object)
    test_set = TestSet(np.arange(1, 61), documents, "references", 1)
    means = {name: np.stack([scores[None], np.ones((1, 60))], axis=-1) for name, scores in values.items()}
    return [
        SegmentStatistics(MeanScore(name, higher_is_better=True), means, test_set) for name in ("adequacy", "fluency")
    ]


def drawn_p(explorer):
    """The p at which each mark stands, by its row."""
    return {int(mark.get_ydata()[0]): mark.get_xdata()[0] for mark in explorer.figure.axes[0].get_lines()[1:]}


def expected_p(found):
    values = {row: one.p_value if one.confidence is None else 1 - one.confidence for row, one in enumerate(found.rules)}
    return {row: pytest.approx(value) for row, value in values.items() if value}


@pytest.mark.long
def test_every_control_shows_what_the_rules_say(statistics):
    explorer = explore_conventions(statistics, rng=1)
    controls, families = explorer.controls, {one.metric.name: one for one in statistics}
    assert controls["differing"].value == 60
    for name, value in [
        ("system", "c"),
        ("metric", "fluency"),
        ("unit", "segment"),
        ("differing", 1),
        ("baseline", "b"),
    ]:
        controls[name].value = value
        chosen = {key: control.value for key, control in controls.items()}
        a, b = (families[chosen["metric"]][chosen[key]] for key in ("system", "baseline"))
        found = conventions(a, copy_but_for(a, b, chosen["differing"]), unit=chosen["unit"], rng=1)
        assert explorer.sentence == " ".join(found.headline)
        assert expected_p(found).items() <= drawn_p(explorer).items()
    texts = explorer._links["figure"].texts
    assert [text.partition(": ")[0] for text in texts] == [one.name for one in found.rules]
    for text, one in zip(texts, found.rules, strict=True):
        assert text.endswith(f"verdict {one.verdict or '-'}")
    exec(explorer.code["figure"], space := {"statistics": statistics})
    assert space["frame"].equals(explorer.frames["figure"])
    assert explorer.frames["figure"].equals(found.to_frame())


def test_without_documents_there_is_one_unit(statistics):
    test_set = TestSet(np.arange(1, 61), None, "references", 1)
    explorer = explore_conventions(SegmentStatistics(statistics[0].metric, statistics[0].values, test_set), rng=1)
    assert explorer.controls["unit"].options == ("segment",)


def test_answers_are_folded_away_until_they_are_revealed(statistics):
    a, b = statistics[0]["a"], statistics[0]["b"]
    found = conventions(a, copy_but_for(a, b, 1), rng=1)
    assert (found["sacrebleu-ar"].verdict, found["ar"].verdict) == ("significant", "not significant")
    quiz = predict_conventions(found)
    assert "not significant" not in quiz._screen.html.split("<details>")[0] + quiz.sentence
    assert "<summary>The answers</summary>" in quiz._screen.html
    assert quiz.figure is None
    quiz.controls["sacrebleu-ar"].value = "significant"
    quiz.controls["ar"].value = quiz.controls["multeval"].value = "not significant"
    assert "significant at 5 %" not in quiz.sentence
    quiz.controls["reveal"].value = True
    assert quiz.sentence == " ".join(["You predicted 2 of 3 verdicts right.", *found.headline])
    assert quiz._screen.html.count("(wrong)") == 1
    assert "<b>not significant (wrong)</b>" in quiz._screen.html
    assert "<details>" not in quiz._screen.html


def test_rules_that_cannot_be_applied_are_not_asked_for(statistics):
    metric, test_set = statistics[0].metric, statistics[0].test_set
    runs = {name: np.repeat(values, 2, axis=0) for name, values in statistics[0].values.items()}
    twice = SegmentStatistics(metric, runs, test_set)
    quiz = predict_conventions(conventions(twice["a"], twice["b"], rng=1))
    assert list(quiz.controls) == ["koehn2004", "multeval", "ar", "reveal"]
    quiz.controls["reveal"].value = True
    assert quiz.sentence.startswith("You made no prediction. ")
