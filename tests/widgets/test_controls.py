"""Menus, sliders and switches: what crosses to the page, and what comes back."""

import re

import numpy as np
import pytest
from ipywidgets import interactive_output

from mtworkbench.errors import InputError
from mtworkbench.widgets.controls import Draws, Menu, Slider, Switch, choose_seed

PAIRS = [("all pairs", None), ("<b>$x$</b> and abc\u202edef", ("x", "y"))]


def answer(control, **state):
    """Do what a message of the page does."""
    control.set_state(state)


def test_only_labels_and_the_index_cross_to_the_page():
    menu = Menu("pair", PAIRS, None)
    state = menu.get_state()
    assert state["labels"] == ["all pairs", r"<b>$x$</b> and abc\u202edef"]
    assert (state["index"], state["kind"], state["description"]) == (0, "menu", "pair")
    assert not {"value", "options"} & set(state)
    assert (menu.value, menu.options) == (None, tuple(PAIRS))


def test_the_page_chooses_by_index_and_python_by_value():
    slider, heard = Slider("level", (0.8, 0.9, 0.95), 0.95), []
    slider.observe(lambda change: heard.append(change["new"]), "value")
    assert (slider.index, slider.labels) == (2, ["0.8", "0.9", "0.95"])
    answer(slider, index=1)
    assert slider.value == 0.9
    slider.value = 0.8
    assert slider.index == 0
    slider.value = 0.8
    assert heard == [0.9, 0.8]


def test_numbers_are_written_as_in_the_sentences():
    assert Slider("resamples", (100, 10_000), 100).labels == ["100", "10,000"]
    assert Slider("difference", (0.1, 2.0), 2.0).labels == ["0.1", "2.0"]


def test_what_is_still_offered_stays_chosen_and_else_the_first_is():
    slider, heard = Slider("resamples", (100, 300, 1000), 300), []
    slider.observe(lambda change: heard.append(change["new"]), "value")
    slider.offer((300, 1000), slider.value)
    assert (slider.value, slider.index, slider.labels) == (300, 0, ["300", "1,000"])
    assert heard == []
    slider.offer((1000, 3000), slider.value)
    assert (slider.value, slider.index) == (1000, 0)
    assert heard == [1000]
    answer(slider, index=2)  # of the options before
    assert (slider.value, slider.index) == (3000, 1)


def test_a_value_that_is_not_offered_is_refused():
    sentence = "level cannot be 0.97: choose 0.8, 0.9 or 0.95."
    slider = Slider("level", (0.8, 0.9, 0.95), 0.95)
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as refused:
        slider.value = 0.97
    assert refused.value.code == "no-such-option"
    assert (slider.value, slider.index) == (0.95, 2)
    with pytest.raises(InputError, match="^metric cannot be 'TER': choose BLEU or chrF.$"):
        Menu("metric", ["BLEU", "chrF"], "TER")


def test_a_switch_is_pressed_or_not():
    switch = Switch("reveal")
    assert (switch.value, switch.kind) == (False, "switch")
    answer(switch, value=True)
    assert switch.value is True


def test_a_seed_can_be_named_whatever_rng_is():
    assert Draws.of(7).value == choose_seed(7) == 7
    drawn, again, other = (choose_seed(np.random.default_rng(seed)) for seed in (3, 3, 4))
    assert drawn == again != other
    for seed in (drawn, choose_seed(None)):
        assert isinstance(seed, int)
        assert 0 <= seed < 2**31  # which a page holds exactly


def test_they_drive_any_output():
    seen = []
    controls = {"pair": Menu("pair", PAIRS, None), "size": Slider("size", (1, 2), 2), "on": Switch("on", True)}
    interactive_output(lambda **values: seen.append(values), controls)
    controls["pair"].value = ("x", "y")
    answer(controls["size"], index=0)
    assert seen == [
        {"pair": None, "size": 2, "on": True},
        {"pair": ("x", "y"), "size": 2, "on": True},
        {"pair": ("x", "y"), "size": 1, "on": True},
    ]
