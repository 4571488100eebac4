"""A prediction comes before the truth, and both are marked in one figure."""

import io
import re

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure
from PIL import Image

from mtworkbench import plot_count, predict
from mtworkbench.errors import InputError
from mtworkbench.plots.words import write_picture

QUESTION = "What percentage of the coins show heads?"


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def ask(heads=37):
    return predict(QUESTION, float(heads), plot_count(np.arange(100) < heads, event="heads", of="coins"))


def drawn(asked):
    """What a reader sees in the figure: how many dots, the title, and the places of the two marks by their names."""
    ax = asked.figure.axes[0]
    dots = sum(len(line.get_xdata()) for line in ax.lines if line.get_visible() and line.get_marker() == "o")
    names = [text.get_text() for text in ax.texts if text.get_visible()]
    lines = [line.get_xdata()[0] for line in ax.lines if line.get_visible() and line.get_marker() == "None"]
    titles = [text.get_text() for text in asked.figure.texts if text.get_visible()]
    return dots, titles, dict(zip(names, lines, strict=True))


def picture(asked):
    return np.asarray(Image.open(io.BytesIO(write_picture(asked.figure))).convert("L"))


def displayed(asked, monkeypatch):
    outputs = []
    monkeypatch.setattr("mtworkbench.widgets.screen.display", lambda data, **options: outputs.append(data))
    asked._ipython_display_()
    return outputs[1]


def test_the_truth_is_nowhere_before_there_is_a_prediction():
    asked = ask()
    assert drawn(asked) == (0, [], {})
    assert asked.sentence == f"{QUESTION} Predict, then press “show the truth”."
    assert asked.controls["reveal"].disabled
    asked.controls["reveal"].value = True  # as no page can
    assert drawn(asked) == (0, [], {})
    assert "37" not in asked.sentence


def test_a_prediction_is_marked_and_then_the_truth():
    asked = ask()
    asked.controls["prediction"].value = "50"
    assert drawn(asked) == (0, [], {"your prediction: 50": 50})
    assert asked.sentence == f"{QUESTION} You predict 50."
    assert not asked.controls["reveal"].disabled
    asked.controls["reveal"].value = True
    title = "heads: 37 of 100 coins (37.0 %)"
    assert drawn(asked) == (100, [title], {"your prediction: 50": 50, "truth: 37": 37})
    assert asked.sentence == f"{QUESTION} You predicted 50. The truth is 37."


def test_a_prediction_cannot_be_changed_once_the_truth_is_shown():
    asked = ask()
    asked.controls["prediction"].value, asked.controls["reveal"].value = "50", True
    assert asked.controls["prediction"].disabled
    asked.reset()
    assert not asked.controls["prediction"].disabled
    assert asked.controls["prediction"].value == "?"
    assert drawn(asked) == (0, [], {})


def test_the_axes_stay_where_they_are():
    asked = ask()
    before = asked.figure.axes[0].get_position().bounds
    asked.controls["prediction"].value, asked.controls["reveal"].value = "99", True
    picture(asked)
    assert asked.figure.axes[0].get_position().bounds == before


@pytest.mark.parametrize("prediction", ["0", "49", "51", "100"])
def test_marks_have_names_inside_the_figure_that_do_not_meet(prediction):
    asked = ask(50)
    asked.controls["prediction"].value, asked.controls["reveal"].value = prediction, True
    asked.figure.draw_without_rendering()
    first, second = (text.get_window_extent() for text in asked.figure.axes[0].texts)
    assert not first.overlaps(second)
    for box in (first, second):
        assert asked.figure.bbox.contains(*box.min)
        assert asked.figure.bbox.contains(*box.max)


def test_one_of_several_choices_is_predicted():
    plt.plot([1, 2])
    asked = predict("Which is better?", "B & <C>", plt.gcf(), choices=["A", "B & <C>"])
    assert asked.controls["prediction"].options == ("?", "A", "B & <C>")
    asked.controls["prediction"].value, asked.controls["reveal"].value = "A", True
    names = [text.get_text() for text in asked.figure.axes[0].texts]
    assert names == ["your prediction: A", "truth: B & <C>"]
    assert asked.sentence == "Which is better? You predicted A. The truth is B & <C>."


@pytest.mark.parametrize(
    ("limits", "truth", "first", "last", "answer"),
    [
        ((0, 100), 37.04, "0", "100", "37"),
        ((24, 34), 28.976, "24.0", "34.0", "28.98"),
        ((-0.5, 0.5), -0.25, "-0.50", "0.50", "-0.250"),
        ((0, 30000), 12345, "0", "30,000", "12,345"),
        ((2, -2), 0.5, "-2.0", "2.0", "0.50"),
    ],
)
def test_numbers_are_those_of_the_axis(limits, truth, first, last, answer):
    ax = plt.figure().subplots()
    ax.set_xlim(limits)
    asked = predict("Where?", truth, ax)
    offered = asked.controls["prediction"].options
    assert (offered[1], offered[-1]) == (first, last)
    assert len(offered) <= 302
    asked.controls["prediction"].value, asked.controls["reveal"].value = last, True
    assert asked.sentence == f"Where? You predicted {last}. The truth is {answer}."


def test_without_a_kernel_the_truth_is_folded_away(monkeypatch):
    asked = ask()
    copy = displayed(asked, monkeypatch)
    assert "37" not in copy["text/plain"]
    before, folded = copy["text/html"].split("<details>")
    words = re.sub('base64,[^"]*', "", before)
    assert QUESTION in words
    assert "37" not in words.replace('width="614"', "")
    assert "The truth is 37." in folded
    assert copy["text/html"].count("<img") == 2
    assert drawn(asked) == (0, [], {})  # the widget is still at its beginning


def test_a_cell_that_is_run_again_keeps_what_is_shown(monkeypatch):
    asked = ask()
    asked.controls["prediction"].value, asked.controls["reveal"].value = "50", True
    before = picture(asked)
    displayed(asked, monkeypatch)
    assert np.array_equal(picture(asked), before)


def test_no_figure_stays_open():
    plt.close("all")
    ask()
    assert plt.get_fignums() == []


@pytest.mark.parametrize(
    ("truth", "options", "sentence"),
    [
        ("C", {"choices": ["A", "B"]}, "The truth is 'C', but the choices are A and B."),
        (
            101.0,
            {},
            "The truth is 101.0, but the horizontal axis reaches from 0 to 100: give a number on the axis, other "
            "limits, or choices.",
        ),
        (
            float("nan"),
            {},
            "The truth is nan, but the horizontal axis reaches from 0 to 100: give a number on the axis, other limits, "
            "or choices.",
        ),
    ],
)
def test_a_truth_that_cannot_be_predicted_is_refused(truth, options, sentence):
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        predict(QUESTION, truth, plot_count([True, False]), **options)


@pytest.mark.parametrize("truth", [None, np.array([1, 2])])
def test_a_truth_that_is_no_number_is_refused_in_a_sentence(truth):
    with pytest.raises(InputError, match=r"^The truth is .*, but the horizontal axis reaches from 0 to 100: "):
        predict(QUESTION, truth, plot_count([True, False]))


@pytest.mark.parametrize(("choices", "named"), [("up", "up"), (["up", "up"], "up and up"), (["up", "?"], r"up and \?")])
def test_choices_that_cannot_be_told_apart_are_refused(choices, named):
    sentence = (
        rf"^The choices of a prediction must be a list of different texts other than '\?', but they are {named}\.$"
    )
    with pytest.raises(InputError, match=sentence):
        predict(QUESTION, "up", plot_count([True, False]), choices=choices)


@pytest.mark.parametrize(("figure", "named"), [(None, "a NoneType"), (Figure(), "an empty Figure"), ("ax", "a str")])
def test_a_prediction_needs_axes(figure, named):
    with pytest.raises(InputError, match=f"^The figure of a prediction must be .*, but {named} was given.$"):
        predict(QUESTION, 1, figure)


def test_choices_may_be_numbers():
    asked = predict(QUESTION, 300, plot_count([True, False]), choices=[100, 300])
    assert list(asked.controls["prediction"].options) == ["?", "100", "300"]


def test_two_predictions_on_one_page_do_not_share_anything():
    one, other = ask(heads=37), ask(heads=64)
    one.controls["prediction"].value = "50"
    one.controls["reveal"].value = True
    assert "The truth is 37." in one.sentence
    assert other.controls["prediction"].value == "?"
    assert "64" not in other.sentence
    assert other.controls["reveal"].disabled
