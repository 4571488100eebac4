"""The one frame of all explorers: controls, a sentence, a figure, what a click on it opens, and how draws come out."""

from __future__ import annotations

import gc
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, cast

import ipywidgets
import matplotlib.pyplot as plt
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.plots.outcomes import plot_outcomes, stack_outcomes
from mtworkbench.plots.style import figure_of, style
from mtworkbench.tables import printable
from mtworkbench.widgets.controls import Button, Draws, Switch
from mtworkbench.widgets.figures import LinkedFigure, Picture, make_picture, write_image
from mtworkbench.widgets.following import Stopped, Worker
from mtworkbench.widgets.segments.browser import SegmentBrowser

# Inches: the figure, and that of the outcomes beside it, in a notebook whose list of files is open (1400 pixels).
WIDE, BESIDE = (5.7, 2.9), (3.8, 2.9)
# Nothing in it scrolls.
ROW = {"display": "flex", "flex_flow": "row wrap", "width": "100%", "overflow": "visible"}
#: In place of a figure of two systems.
SAME_SYSTEM = "System and baseline are the same: choose another system."
# Of the names of figures: the one whose sentence stands above all of them.
MAIN = "figure"


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
    line : str
        What the line is called.
    colors : sequence of str, optional
        One per row, as of `plot_outcomes`.
    """

    values: Mapping[str, float]
    label: str
    describe: Callable[[pd.DataFrame], str]
    expected: float | None = None
    line: str = "expected"
    colors: Sequence[str] | None = None


@dataclass(frozen=True, eq=False)
class Answer:
    """A figure with all that belongs to it: what an explorer shows for its controls, or for a mark that was chosen.

    Parameters
    ----------
    figure : matplotlib Figure or Axes, str, or None
        HTML (str) is shown as it is.
    sentence : str
        What it shows; stands above the figure and is its alternative text. What follows a line break is folded away.
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
    browser : SegmentBrowser or callable, optional
        The sentences that belong to this answer, or what makes them: they may take longer than the figure.
    outcome : Outcome, optional
        Where one of the controls is `Draws`.
    alt : str
        The alternative text, where the sentence does not say what the figure shows.
    """

    figure: Figure | Axes | str | None
    sentence: str
    marks: pd.DataFrame | None = None
    frame: pd.DataFrame | None = None
    code: str = ""
    along: str = "xy"
    open: Callable[[int], Answer] | None = None
    browser: SegmentBrowser | Callable[[], SegmentBrowser | None] | None = None
    outcome: Outcome | None = None
    alt: str = ""

    @cached_property
    def picture(self) -> Picture:
        """The figure as it is sent to the page: drawn when it is first asked for, and once."""
        figure = figure_of(self.figure) if isinstance(self.figure, Axes) else cast("Figure", self.figure)
        plt.close(figure)  # or the cell would show it a second time
        return make_picture(figure, self.alt or self.sentence, self.marks, self.along)


#: The first fields of an `Answer`.
Drawing = tuple[Figure | Axes | str, str] | tuple[Figure | Axes | str, str, pd.DataFrame]


@contextmanager
def _no_look_for_garbage() -> Iterator[None]:
    """Let the garbage collector rest: what an explorer makes stays, and a look through all takes 0.1 seconds."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


class Frame(Worker):
    """Controls, a sentence, named figures beside each other, and sentences of the test set below.

    All of it is made again when a control is moved. Where the work is interrupted or goes wrong, the controls go back
    to what the answer on the screen belongs to, and a sentence says so.

    The figures belong to the widget. Besides, its cell keeps a copy of some of them, which is hidden for as long as the
    widget is there, and is seen where the notebook is read without a kernel.

    Attributes
    ----------
    controls : dict of str to ipywidgets.Widget
    sentence : str
        What is shown, in words.
    browser : SegmentBrowser or None
        The sentences that are shown.
    """

    #: Figures of which the cell keeps a copy.
    _kept: tuple[str, ...] = (MAIN,)

    @_no_look_for_garbage()
    def __init__(self, **controls: ipywidgets.Widget | None):
        super().__init__()
        self.controls = {name: control for name, control in controls.items() if control is not None}
        self.sentence = ""
        self._start = self._asked
        # What the answer on the screen belongs to.
        self._drawn_for: dict[str, Any] | None = None
        self._waits = False
        for control in self.controls.values():
            control.observe(self._follow, "value")
        self._browser: SegmentBrowser | None = None
        self._answers: dict[str, Answer] = {}
        # What is drawn once the first figures are on the page, or are asked for.
        self._left: list[Callable[[], object]] = []
        self._below = ipywidgets.VBox([])
        self._links = self._make_links()
        back = Button("reset", self.reset, tooltip="bring all controls back to where they started; notes stay")
        row, figures = (
            ipywidgets.Box(parts, layout=ipywidgets.Layout(**ROW, grid_gap=gap))
            for parts, gap in (([*self.controls.values(), back], "0 14px"), ([*self._links.values()], "4px 20px"))
        )
        self._box = ipywidgets.VBox([row, self._screen, self._complaints, figures, self._below])
        self._begin()

    @abstractmethod
    def _make_links(self) -> dict[str, LinkedFigure]:
        """Make an empty place for each figure, under its name."""

    @abstractmethod
    def _changing(self, change: dict[str, Any] | None) -> set[str]:
        """Name the figures that are about to change: they are pale until they have."""

    @abstractmethod
    def _answer(self, asked: dict[str, Any]) -> None:
        """Show what is asked for."""

    @property
    def _asked(self) -> dict[str, Any]:
        """What each control is set to."""
        return {name: control.value for name, control in self.controls.items()}

    def _begin(self) -> None:
        """Answer for the first time, while the cell runs in which what goes wrong belongs."""
        try:
            self._answer_asked()
        except KeyboardInterrupt:
            raise Stopped("This was interrupted before there was anything to show: run the cell again.") from None

    def reset(self) -> None:
        """Bring all controls back to where they started, and draw once."""
        self._set_controls(self._start)
        self._follow()

    def _set_controls(self, values: Mapping[str, Any]) -> None:
        """Move the controls without an answer."""
        self._waits = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._waits = False

    def _follow(self, change: dict[str, Any] | None = None) -> None:
        """Answer what the controls ask for; if that goes wrong, go back, and say so until they are moved again."""
        if self._waits or self._asked == self._drawn_for:
            return
        self._do(self._answer_asked, partial(self._dim, change))

    def _answer_asked(self) -> None:
        asked = self._asked
        self._answer(asked)
        self._drawn_for = asked

    def _go_back(self) -> None:
        """Bring the controls back to what the answer on the screen belongs to."""
        self._left.clear()
        self._set_controls(self._drawn_for or self._start)

    def _refuse(self, sentence: str, code: str = "") -> None:
        self._complaints.append_stdout(f"{sentence} The controls are back where they were.\n")

    def _finish(self) -> None:
        """Draw what was left for later."""
        while self._left:
            work = self._left.pop(0)
            try:
                work()
            except KeyboardInterrupt:
                self._left.insert(0, work)  # it is drawn when it is asked for again
                raise

    def _do(self, work: Callable[[], object], dim: Callable[[], object]) -> None:
        def finish_and_work() -> None:
            self._finish()
            work()

        super()._do(finish_and_work, dim)

    def _draw_later(self, *works: Callable[[], object]) -> None:
        """Draw what takes longer than the figures: of the first answer, when these are on the page."""
        self._left = [*works]
        if self._drawn_for is not None:
            self._finish()

    @property
    def browser(self) -> SegmentBrowser | None:
        """The sentences that are shown."""
        self._finish()
        return self._browser

    @property
    def figures(self) -> dict[str, Figure]:
        """Those that are shown at present, by their names."""
        self._finish()
        return {name: answer.picture.figure for name, answer in self._answers.items()}

    @property
    def frames(self) -> dict[str, pd.DataFrame]:
        """What each figure shows."""
        self._finish()
        return {name: answer.frame for name, answer in self._answers.items() if answer.frame is not None}

    @property
    def code(self) -> dict[str, str]:
        """The Python calls that make each figure again, and its frame."""
        self._finish()
        return {name: answer.code for name, answer in self._answers.items()}

    def _is_of(self, change: dict[str, Any] | None, name: str) -> bool:
        return change is not None and change["owner"] is self.controls.get(name)

    def _say(self, sentence: str, html: str = "") -> None:
        self.sentence = printable(sentence)
        with self._screen.hold_sync():  # or the page would show a sentence about another table for a moment
            self._screen.html, self._screen.sentence = html, self.sentence
            self._screen.waiting = False

    def _show(self, name: str, answer: Answer, chosen: int = -1) -> None:
        """Show a figure under a name, with its marks, its frame and its code."""
        if self._answers.get(name) is not answer:
            self._answers[name] = answer
            caption = "" if name == MAIN else answer.sentence
            self._links[name].show(answer.picture, caption, answer.code, answer.frame)
        self._links[name].chosen, self._links[name].waiting = chosen, False

    def _take_back(self, name: str, sentence: str = "") -> None:
        """Show a sentence, or nothing, in place of a figure."""
        if self._answers.pop(name, None) is not None or self._links[name].caption != sentence:
            self._links[name].say(sentence)

    def _browse(self, browser: SegmentBrowser | None) -> None:
        """Show other sentences of the test set below, or none."""
        self._browser = browser
        self._below.children = () if browser is None else (browser,)

    def _dim(self, change: dict[str, Any] | None) -> None:
        """Make the old answer pale."""
        self._screen.waiting = True
        for name in self._changing(change):
            self._links[name].waiting = True
        self._below.add_class("mtworkbench-waits")

    def _brighten(self) -> None:
        super()._brighten()
        self._below.remove_class("mtworkbench-waits")
        for link in self._links.values():
            link.waiting = False
        for control in self.controls.values():
            if isinstance(control, Draws):
                control.answers += 1

    def _make_copy(self) -> tuple[str, str]:
        self._finish()
        kept = [write_image(self._answers[name].picture) for name in self._kept if name in self._answers]
        return "".join(kept) or self._screen.html, self.sentence


class Explorer(Frame):
    """Controls above a sentence and a figure, which are drawn again when a control is moved.

    A mark of the figure that is clicked, or chosen by the keyboard, opens what lies behind it: a second figure, and
    the sentences. Where a control ``seed`` is `Draws`, each draw leaves a dot in a figure of outcomes, and a click on
    a dot brings its draw back; the dots go when another control is moved.

    What goes wrong while drawing is shown below the controls, which go back to what is shown. ``figures``, ``frames``
    and ``code`` have ``figure``, ``outcomes`` and ``opened``, as far as they are shown.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns an `Answer`, or a tuple of its first fields. It draws
        in the house style, and so does what opens a mark.
    **controls : ipywidgets.Widget or None
        Such as those of `mtworkbench.widgets.controls`; whatever has a ``value``. `Draws` is called ``seed``. None
        where a control has nothing to offer.
    """

    def __init__(self, draw: Callable[..., Answer | Drawing], **controls: ipywidgets.Widget | None):
        self._draw, self._shown = draw, Answer(None, "")
        self._log: list[dict[str, float]] = []
        super().__init__(**controls)

    def _make_links(self) -> dict[str, LinkedFigure]:
        names = {MAIN: "Figure", "outcomes": "Outcomes, one dot per draw", "opened": "What was opened"}
        links = {name: LinkedFigure(title, name) for name, title in names.items()}
        wait = partial(self._below.add_class, "mtworkbench-waits")
        links[MAIN].on_click(lambda mark: self._do(partial(self._open, mark), wait))
        links["outcomes"].on_click(self._return_to_draw)
        return links

    def _changing(self, change: dict[str, Any] | None) -> set[str]:
        return {MAIN} if self._is_of(change, "seed") else {MAIN, "outcomes"}

    @property
    def figure(self) -> Figure | None:
        """As it is shown at present; None where there is a table."""
        return self.figures.get(MAIN)

    def _answer(self, asked: dict[str, Any]) -> None:
        result = style()(self._draw)(**asked)
        self._shown = answer = result if isinstance(result, Answer) else Answer(*result)
        self._take_back("opened")
        html = answer.figure if isinstance(answer.figure, str) else ""
        if html or answer.figure is None:
            self._take_back(MAIN)
        else:
            self._show(MAIN, answer)
        self._say(answer.sentence, html)
        self._draw_later(lambda: self._browse(_resolve(answer.browser)))
        if answer.outcome is not None:
            self._count(answer.outcome, asked)
        else:
            self._take_back("outcomes")

    def _open(self, mark: int) -> None:
        """Show what lies behind a mark."""
        if self._shown.open is None:
            return
        opened = style()(self._shown.open)(mark)
        self._links[MAIN].chosen = mark
        if opened.figure is None:
            self._take_back("opened", opened.sentence)
        else:
            self._show("opened", opened)
        # The figure is seen meanwhile.
        self._browse(_resolve(opened.browser))

    def _browse(self, browser: SegmentBrowser | None) -> None:
        before = self._browser
        super()._browse(browser)
        if before is not None and before is not browser:
            before.close()

    def _count(self, outcome: Outcome, asked: dict[str, Any]) -> None:
        """Add how this draw came out to those of the same position of all other controls."""
        moved = [name for name, value in (self._drawn_for or {}).items() if asked[name] != value]
        # A switch changes what is said, not what is drawn.
        if "outcomes" not in self._answers or any(
            name != "seed" and not isinstance(self.controls[name], Switch) for name in moved
        ):
            self._log = []
        if asked["seed"] not in [one["seed"] for one in self._log]:
            self._log.append({"seed": asked["seed"], **outcome.values})
        frame = pd.DataFrame(self._log)
        with style():
            stacked = stack_outcomes(frame)
            axes = new_axes(BESIDE)
            options: dict[str, Any] = {"label": outcome.label, "expected": outcome.expected, "line": outcome.line}
            options |= {} if outcome.colors is None else {"colors": [*outcome.colors]}
            plot_outcomes(stacked, axes, **options)
        chosen = max(stacked.index[stacked["seed"] == asked["seed"]], default=-1)
        code = (
            "import pandas as pd\nfrom math import nan\n"
            "from mtworkbench.plots.outcomes import plot_outcomes, stack_outcomes\n"
            f"frame = pd.DataFrame({frame.to_dict('list')})\n"
            f"plot_outcomes(stack_outcomes(frame), {', '.join(f'{name}={one!r}' for name, one in options.items())})"
        )
        self._show("outcomes", Answer(axes, outcome.describe(frame), stacked, frame, code), int(chosen))

    def _return_to_draw(self, mark: int) -> None:
        """Bring back the draw whose dot was chosen."""
        self.controls["seed"].value = int(self._links["outcomes"].marks["seed"].iloc[mark])


def new_axes(size: tuple[float, float] = WIDE) -> Axes:
    """Make a figure of so many inches, and return its Axes."""
    return plt.figure(figsize=size).subplots()


def _resolve(browser: SegmentBrowser | Callable[[], SegmentBrowser | None] | None) -> SegmentBrowser | None:
    return browser if browser is None or isinstance(browser, SegmentBrowser) else browser()
