"""The one frame of all explorers: controls, a sentence, a figure, what a click on it opens, and how draws come out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.plots.outcomes import plot_outcomes, stack_outcomes
from mtworkbench.plots.style import figure_of, style
from mtworkbench.widgets.controls import Button, Draws
from mtworkbench.widgets.figures import LinkedFigure, make_picture, write_image
from mtworkbench.widgets.following import Follower
from mtworkbench.widgets.segments.browser import SegmentBrowser

# Inches: the figure, and that of the outcomes beside it, in a notebook whose list of files is open (1400 pixels).
WIDE, BESIDE = (5.7, 2.9), (3.8, 2.9)
ROW = {"display": "flex", "flex_flow": "row wrap", "width": "100%"}


@dataclass(frozen=True, eq=False)
class Outcome:
    """How one draw came out, and what is said of all draws.

    Parameters
    ----------
    values : mapping of str to float
        A number for each row of the figure of outcomes.
    label : str
        Of its horizontal axis.
    describe : callable
        Called with a frame of all draws so far (``seed`` and one column per row); returns a sentence.
    expected : float, optional
        Where a line is drawn.
    """

    values: Mapping[str, float]
    label: str
    describe: Callable[[pd.DataFrame], str]
    expected: float | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """What an explorer shows for one position of its controls, or for one mark that was chosen.

    Parameters
    ----------
    figure : matplotlib Figure or Axes, str, or None
        HTML (str) is shown as it is.
    sentence : str
        What it shows; stands above the figure and is its alternative text.
    marks : DataFrame, optional
        One row per mark that answers to mouse and keyboard: ``x``, ``y`` (in the data of the figure's first Axes) and
        ``text``; for rows also ``top`` and ``bottom``.
    frame : DataFrame, optional
        What the figure shows, to be copied.
    code : str
        The Python calls that make the frame and the figure again.
    along : {"xy", "x", "y"}
        Which coordinates say how near a mark is: see `LinkedFigure`.
    open : callable, optional
        Called with the position of a mark that was chosen; returns the `Answer` to be shown below.
    browser : SegmentBrowser, optional
        The sentences that belong to this answer.
    outcome : Outcome, optional
        Where one of the controls is `Draws`.
    """

    figure: Figure | Axes | str | None
    sentence: str
    marks: pd.DataFrame | None = None
    frame: pd.DataFrame | None = None
    code: str = ""
    along: str = "xy"
    open: Callable[[int], Answer] | None = None
    browser: SegmentBrowser | None = None
    outcome: Outcome | None = None


class Explorer(Follower):
    """Controls above a sentence and a figure, which are drawn again when a control is moved.

    A mark of the figure that is clicked, or chosen by the keyboard, opens what lies behind it: a second figure, and
    the sentences. Where a control ``seed`` is `Draws`, each draw leaves a dot in a figure of outcomes, and a click on
    a dot brings its draw back; the dots go when another control is moved.

    The figures belong to the widget. Besides, its cell keeps a copy of what was shown first, which is hidden for as
    long as the widget is there, and is seen where the notebook is read without a kernel. What goes wrong while
    drawing is shown below the controls, which go back to what is shown.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns an `Answer`, or a tuple of its first fields; None
        where there is nothing new to show.
    **controls : ipywidgets.Widget
        Such as those of `mtworkbench.widgets.controls`; whatever has a ``value``. `Draws` is called ``seed``.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
    figure : matplotlib Figure
        As it is shown at present.
    sentence : str
        What it shows, in words.
    figures : dict of str to Figure
        ``figure``, ``outcomes`` and ``opened``: those that are shown.
    frames : dict of str to DataFrame
        What each of them shows.
    code : dict of str to str
        The Python calls that make each of them again.
    browser : SegmentBrowser or None
        The sentences of what was opened.
    """

    def __init__(self, draw: Callable[..., Answer | tuple | None], **controls: ipywidgets.Widget):
        super().__init__(controls)
        self._draw, self._shown = draw, Answer(None, "")
        self._log: list[dict[str, float]] = []
        self.browser: SegmentBrowser | None = None
        self.figures: dict[str, Figure] = {}
        self.frames: dict[str, pd.DataFrame] = {}
        self.code: dict[str, str] = {}
        self._links = {
            "figure": LinkedFigure("Figure", "figure"),
            "outcomes": LinkedFigure("Outcomes, one dot per draw", "outcomes"),
            "opened": LinkedFigure("What was opened", "opened", along="x"),
        }
        self._links["figure"].observe(self._open, "clicked")
        self._links["outcomes"].observe(self._return_to_draw, "clicked")
        self._below = ipywidgets.VBox([])
        self._box = self._lay_out()
        self._begin()

    def _lay_out(self) -> ipywidgets.Widget:
        back = Button("reset", self.reset, tooltip="bring all controls back to where they started")
        controls = ipywidgets.Box([*self.controls.values(), back], layout=ipywidgets.Layout(**ROW, grid_gap="0 20px"))
        figures = ipywidgets.Box(
            [self._links["figure"], self._links["outcomes"]],
            layout=ipywidgets.Layout(**ROW, align_items="flex-start", grid_gap="8px 20px"),
        )
        return ipywidgets.VBox([controls, self._screen, self._complaints, figures, self._links["opened"], self._below])

    @property
    def figure(self) -> Figure | None:
        """The figure as it is shown at present; None where there is a table."""
        return self.figures.get("figure")

    def _answer(self, asked: dict[str, Any], change: dict[str, Any] | None) -> bool:
        result = self._draw(**asked)
        if result is None:
            return False
        self._shown = answer = result if isinstance(result, Answer) else Answer(*result)
        self.sentence = answer.sentence
        self._close()
        if not isinstance(answer.figure, str):
            self._show("figure", answer)
        with self._screen.hold_sync():  # or the page would show a sentence about another table for a moment
            self._screen.html = answer.figure if isinstance(answer.figure, str) else ""
            self._screen.sentence = answer.sentence
        if answer.outcome is not None:
            self._count(answer.outcome, asked)
        elif "outcomes" in self.figures:
            self._log = []
            self._take_back("outcomes")
        return True

    def _show(self, name: str, answer: Answer, caption: str = "", chosen: int = -1) -> None:
        """Show a figure under a name, with its marks, its frame and its code."""
        drawn = answer.figure
        figure = figure_of(drawn) if isinstance(drawn, Axes) else drawn
        plt.close(figure)  # or the cell would show it a second time
        link = self._links[name]
        link.along = answer.along
        link.show(make_picture(figure, answer.sentence, answer.marks), chosen=chosen)
        link.caption, link.code, link.table = caption, answer.code, answer.frame
        self.figures[name], self.code[name] = figure, answer.code
        if answer.frame is not None:
            self.frames[name] = answer.frame

    def _take_back(self, name: str, sentence: str = "") -> None:
        """Show a sentence, or nothing, in place of a figure."""
        self._links[name].say(sentence)
        for shown in (self.figures, self.frames, self.code):
            shown.pop(name, None)

    def _open(self, change: dict[str, Any]) -> None:
        """Show below what lies behind the mark that was chosen."""
        if change["new"] < 0 or self._shown.open is None:
            return
        with self._complaints:
            self._complaints.outputs = ()
            link = self._links["figure"]
            link.chosen = change["new"]
            opened = self._shown.open(change["new"])
            if opened.figure is None:
                self._take_back("opened", opened.sentence)
            else:
                self._show("opened", opened, opened.sentence)
            self._browse(opened.browser)

    def _close(self) -> None:
        """Take back what was opened."""
        if self._links["opened"].picture and (self._links["opened"].source or self._links["opened"].caption):
            self._take_back("opened")
            self._browse(None)

    def _browse(self, browser: SegmentBrowser | None) -> None:
        """Show other sentences below, or none."""
        before, self.browser = self.browser, browser
        self._below.children = () if browser is None else (browser,)
        if before is not None and before is not browser:
            before.close()

    def _count(self, outcome: Outcome, asked: dict[str, Any]) -> None:
        """Add how this draw came out to those of the same position of all other controls."""
        if any(
            asked[name] != value for name, value in (self._drawn_for or {}).items() if name not in ("seed", "paper")
        ):
            self._log = []
        if asked["seed"] not in [one["seed"] for one in self._log]:
            self._log.append({"seed": asked["seed"], **outcome.values})
        frame = pd.DataFrame(self._log)
        with style():
            stacked = stack_outcomes(frame)
            axes = plt.figure(figsize=BESIDE).subplots()
            plot_outcomes(stacked, axes, label=outcome.label, expected=outcome.expected)
        answer = Answer(axes, outcome.describe(frame), stacked, frame)
        chosen = stacked.index[stacked["seed"] == asked["seed"]][-1]
        self._show("outcomes", answer, answer.sentence, int(chosen))

    def _return_to_draw(self, change: dict[str, Any]) -> None:
        """Bring back the draw whose dot was chosen."""
        if change["new"] >= 0:
            self.controls["seed"].value = int(self._links["outcomes"].marks["seed"].iloc[change["new"]])

    def _dim(self, change: dict[str, Any] | None) -> None:
        super()._dim(change)
        self._links["figure"].waiting = True

    def _brighten(self) -> None:
        super()._brighten()
        self._links["figure"].waiting = False
        for control in self.controls.values():
            if isinstance(control, Draws):
                control.answers += 1

    def _make_copy(self) -> tuple[str, str]:
        if self.figure is None:
            return self._screen.html, self.sentence
        return write_image(make_picture(self.figure, self.sentence)), self.sentence
