"""One question, answered by the reader first and then by the figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from numbers import Real

import ipywidgets
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.figure import Figure
from matplotlib.spines import Spine

from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.plots.style import LINE_HEIGHT, current_medium, figure_of
from mtworkbench.plots.systems import COLORS, escape_dollars
from mtworkbench.tables.html import fold, paragraph, show_html
from mtworkbench.widgets.controls import Menu, Slider, Switch
from mtworkbench.widgets.explorer import Answer, Explorer
from mtworkbench.widgets.figures import write_image
from mtworkbench.wording import name_some

# What the control says before there is a prediction.
NOTHING_YET = "?"
# A slider offers at most about so many numbers, so that the arrow keys reach each of them.
N_NUMBERS = 100
PREDICTED, TRUE = COLORS[1], "black"


class Prediction(Explorer):
    """A question, a control for the prediction, and a figure that shows the truth only after a prediction.

    Once the truth is shown, the prediction cannot be changed; ``reset`` begins again. Without a kernel, the question
    stands above the empty axes, and the truth is folded away below them. See `predict`.
    """

    def __init__(self, question: str, sheet: Sheet, control: ipywidgets.Widget):
        self._question, self._sheet = printable(str(question)), sheet
        switch = Switch("show the truth")

        def draw(prediction: str, reveal: bool) -> tuple[Figure, str]:
            is_made = prediction != NOTHING_YET
            switch.disabled, control.disabled = not is_made, is_made and reveal
            return self._draw_sheet(prediction, is_made and reveal)

        super().__init__(draw, prediction=control, reveal=switch)

    def _draw_sheet(self, prediction: str, is_revealed: bool) -> tuple[Figure, str]:
        figure = self._sheet.show(prediction, is_revealed)
        is_made, parts = prediction != NOTHING_YET, [self._question]
        if is_revealed:
            parts += [f"You predicted {prediction}."] * is_made + [f"The truth is {self._sheet.answer}."]
        else:
            parts += [f"You predict {prediction}." if is_made else "Predict, then press “show the truth”."]
        return figure, " ".join(parts)

    def _make_copy(self) -> tuple[str, str]:
        (_, asked), empty = self._draw_sheet(NOTHING_YET, False), self._write_copy(False)
        (_, answer), full = self._draw_sheet(NOTHING_YET, True), self._write_copy(True)
        self._draw_sheet(self.controls["prediction"].value, self.controls["reveal"].value)
        return show_html(paragraph(self._question), empty, fold("The answer", paragraph(answer), full)), asked

    def _write_copy(self, is_revealed: bool) -> str:
        return write_image(Answer(*self._draw_sheet(NOTHING_YET, is_revealed)).picture)


class Sheet:
    """A figure whose content can be hidden, with room for a prediction and the truth.

    Parameters
    ----------
    figure : Figure
    ax : Axes
        Where the two are marked.
    truth : float or str
        A number has its place on the horizontal axis, as its predictions have.
    answer : str
        The truth in words.
    """

    def __init__(self, figure: Figure, ax: Axes, truth: float | str, answer: str):
        self.figure, self.answer = figure, answer
        self._ax, self._truth = ax, truth
        frame = {part.patch for part in figure.axes}
        inside = [one for part in figure.axes for one in part.get_children() if not isinstance(one, (Spine, Axis))]
        content = [*inside, *figure.texts, *figure.legends]
        self._content = [one for one in content if one.get_visible() and one not in frame]
        # Axes that became larger while their title is hidden would move under the reader's eyes.
        figure.draw_without_rendering()
        figure.set_layout_engine("none")
        self._marks: list = []

    def show(self, prediction: str, is_revealed: bool) -> Figure:
        """Show what is asked for; return the figure."""
        for artist in self._content:
            artist.set_visible(is_revealed)
        for mark in self._marks:
            mark.remove()
        self._marks = []
        if prediction != NOTHING_YET:
            place = None if isinstance(self._truth, str) else float(prediction.replace(",", ""))
            self._mark(f"your prediction: {prediction}", place, PREDICTED, 0)
        if is_revealed:
            self._mark(f"truth: {self.answer}", None if isinstance(self._truth, str) else self._truth, TRUE, 1)
        return self.figure

    def _mark(self, text: str, place: float | None, color: str, row: int) -> None:
        """Draw a vertical line with its name, or the name alone; each has a row of its own below the upper edge."""
        low, high = self._ax.get_xlim()
        is_left = place is None or abs(place - low) < abs(place - high)
        gap, size = 4 if is_left else -4, current_medium().text
        name = self._ax.annotate(
            escape_dollars(text),
            (0 if place is None else place, 1),
            xycoords=("axes fraction" if place is None else "data", "axes fraction"),
            xytext=(gap, -4 - row * 1.5 * LINE_HEIGHT * size),
            textcoords="offset points",
            ha="left" if is_left else "right",
            va="top",
            size=size,
            color=color,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
            zorder=10,
        )
        line = [] if place is None else [self._ax.axvline(place, color=color, linestyle=("--", "-")[row], zorder=9)]
        self._marks += [name, *line]


def predict(question: str, truth: float | str, figure: Axes | Figure, *, choices: Sequence[str] = ()) -> Prediction:
    """Ask for a prediction, then show the truth in the same figure with the prediction marked.

    Until there is a prediction, the figure has its axes only: what is drawn in them, the title and the legend are
    hidden. (Limits, labels and ticks are seen: choose them so that they do not give the truth away.)

    Parameters
    ----------
    question : str
    truth : float or str
        A number is marked on the horizontal axis of the figure's first Axes, and predicted within its limits. A text is
        one of the choices, and is written into these Axes.
    figure : matplotlib Axes or Figure
        What shows the truth. It becomes part of the widget.
    choices : sequence of str
        What can be predicted, if it is not a number.

    Returns
    -------
    Prediction

    Raises
    ------
    InputError
        Where the truth is not one of the choices (``truth-not-a-choice``), or does not lie on the horizontal axis
        (``truth-off-axis``); where the choices are not different texts (``choices``); where there are no Axes
        (``no-axes``).

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> mtw.predict("How many of 100 coins show heads?", 50, ax)  # doctest: +SKIP
    """
    ax = next(iter(figure.axes), None) if isinstance(figure, Figure) else figure
    if not isinstance(ax, Axes):
        raise InputError(
            "no-axes",
            "The figure of a prediction must be matplotlib Axes, or a Figure that has some, but "
            f"{'an empty Figure' if ax is None and figure is not None else f'a {type(figure).__name__}'} was given.",
        )
    whole = figure_of(ax)
    if len(choices):
        labels, answer = _write_choices(choices), printable(str(truth))
        if answer not in labels:
            raise InputError(
                "truth-not-a-choice", f"The truth is {answer!r}, but the choices are {name_some(labels, 'and')}."
            )
        control: Menu | Slider = Menu("prediction", [NOTHING_YET, *labels], NOTHING_YET)
    else:
        labels, answer = _write_numbers(*ax.get_xlim(), truth)
        control = Slider("prediction", [NOTHING_YET, *labels], NOTHING_YET)
    return Prediction(question, Sheet(whole, ax, str(truth) if choices else float(truth), answer), control)


def _write_choices(choices: Sequence[str]) -> list[str]:
    labels = [choices] if isinstance(choices, str) else [printable(str(one)) for one in choices]
    if isinstance(choices, str) or NOTHING_YET in labels or len(set(labels)) < len(labels):
        raise InputError(
            "choices",
            f"The choices of a prediction must be a list of different texts other than {NOTHING_YET!r}, but they are "
            f"{name_some(labels, 'and')}.",
        )
    return labels


def _write_numbers(low: float, high: float, truth: float | str) -> tuple[list[str], str]:
    """Return the round numbers between the limits of an axis, and the truth with one decimal more than they have."""
    low, high = sorted((low, high))
    if not isinstance(truth, Real) or not low <= truth <= high:
        raise InputError(
            "truth-off-axis",
            f"The truth is {truth!r}, but the horizontal axis reaches from {low:g} to {high:g}: give a number on the "
            "axis, other limits, or choices.",
        )
    exponent = math.ceil(math.log10((high - low) / N_NUMBERS) - 1e-9)
    step, decimals = 10.0**exponent, max(0, -exponent)
    numbers = step * np.arange(math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) + 1)
    answer = f"{truth:,.{decimals + 1}f}"
    return [f"{number + 0.0:,.{decimals}f}" for number in numbers], answer.removesuffix(".0")
