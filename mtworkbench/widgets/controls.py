"""Menus, sliders, switches, buttons and draws as HTML's own: named for a screen reader, moved by keys, in any theme."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import anywidget
import traitlets

from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.inference.score_table import choose_units
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.widgets.pages import LOOKS, read_script
from mtworkbench.wording import name_some

# Seeds are shown and counted up: numbers that a page holds exactly.
LARGEST = 2**31


class Control(anywidget.AnyWidget):
    """What menus, sliders, switches and buttons share: a name in front or on them, and whether it can be used.

    Attributes
    ----------
    description : str
        The name, as text: nothing in it is HTML or mathematics.
    disabled : bool
    """

    _esm = read_script("controls.js")
    _css = LOOKS
    kind = traitlets.Unicode().tag(sync=True)
    description = traitlets.Unicode().tag(sync=True)
    disabled = traitlets.Bool(False).tag(sync=True)


class Choice(Control):
    """One out of a few values, of which the page knows only how they are called and which of them is chosen.

    Parameters
    ----------
    description : str
    options : sequence
        Values of any kind, or pairs of a label (str) and a value.
    value
        The one that is chosen at first.

    Attributes
    ----------
    value
        Another one can be assigned; `InputError` (``no-such-option``) where it is not offered.
    """

    labels = traitlets.List(traitlets.Unicode()).tag(sync=True)
    index = traitlets.Int(0).tag(sync=True)
    value = traitlets.Any()

    def __init__(self, description: str, options: Iterable[Any], value: Any):
        super().__init__(description=printable(description))
        self.offer(options, None)
        self.value = value

    @property
    def options(self) -> tuple[Any, ...]:
        """What is offered."""
        return self._options

    def offer(self, options: Iterable[Any], value: Any) -> None:
        """Offer other values, and choose one of them at once; the first where that one is not offered."""
        self._options = tuple(options)
        pairs = [_label_option(option) for option in self._options]
        self._values = [value for _, value in pairs]
        place = self._values.index(value) if value in self._values else 0
        with self.hold_sync():
            self.labels = [label for label, _ in pairs]
            self.index = place
            self.value = self._values[place]  # the index may be what it was

    @traitlets.validate("value")
    def _check_value(self, proposal: dict[str, Any]) -> Any:
        if proposal["value"] not in self._values:
            raise InputError(
                "no-such-option",
                f"{self.description} cannot be {proposal['value']!r}: choose {name_some(self.labels, 'or')}.",
            )
        return self._values[self._values.index(proposal["value"])]

    @traitlets.validate("index")
    def _check_index(self, proposal: dict[str, Any]) -> int:
        # The page may still speak of options that have just been taken away.
        return min(max(proposal["value"], 0), len(self._values) - 1)

    @traitlets.observe("value")
    def _follow_value(self, change: dict[str, Any]) -> None:
        self.index = self._values.index(self.value)

    @traitlets.observe("index")
    def _follow_index(self, change: dict[str, Any]) -> None:
        self.value = self._values[self.index]


class Menu(Choice):
    """A menu, as wide as its longest option: names may differ only at their end."""

    kind = traitlets.Unicode("menu").tag(sync=True)


def name_given(statistics: SegmentStatistics | Sequence[SegmentStatistics]) -> list[str]:
    """Return how code calls the statistics of each metric that a user gave."""
    is_one = isinstance(statistics, SegmentStatistics)
    return ["statistics"] if is_one else [f"statistics[{place}]" for place in range(len(statistics))]


def name_menu(description: str, names: Iterable[str], value: str) -> Menu:
    """Make a menu of names that come from data."""
    return Menu(description, [(printable(one), one) for one in names], value)


def first_other(systems: Sequence[str], baseline: str) -> str:
    """Return the system that is compared with a baseline at first: the last one given that is not the baseline."""
    return next((system for system in reversed(systems) if system != baseline), baseline)


def unit_menu(test_set: TestSet, *, columns: bool = True) -> Menu:
    """Make the menu of the units of a test set, with the one that is chosen by itself; columns are units, too."""
    units = ["segment", *(["document"] if test_set.documents is not None else [])]
    return Menu("unit", [*units, *(test_set.columns if columns else ())], choose_units(test_set, "auto").name)


class Slider(Choice):
    """A slider over a few values, which it shows and speaks as they are written; it sends one when it is let go."""

    kind = traitlets.Unicode("slider").tag(sync=True)


class Switch(Control):
    """A button that stays pressed until it is pressed again.

    Parameters
    ----------
    description : str
        What is written on it.
    value : bool
        Whether it is pressed.
    """

    kind = traitlets.Unicode("switch").tag(sync=True)
    value = traitlets.Bool(False).tag(sync=True)

    def __init__(self, description: str, value: bool = False):
        super().__init__(description=printable(description), value=value)


class Button(Control):
    """A button that does something whenever it is pressed.

    Parameters
    ----------
    description : str
        What is written on it.
    action : callable
        Called without arguments. What it raises is seen by nobody: it has to show it itself.
    tooltip : str, optional
        What is said of it where the mouse rests on it.
    """

    kind = traitlets.Unicode("button").tag(sync=True)
    tooltip = traitlets.Unicode().tag(sync=True)

    def __init__(self, description: str, action: Callable[[], object], tooltip: str = ""):
        super().__init__(description=printable(description), tooltip=tooltip)
        self._action = action
        self.on_msg(self._receive)

    def click(self) -> None:
        """Do what the button is for."""
        self._action()

    def _receive(self, _: object, content: object, buffers: object) -> None:
        self.click()


class Draws(Control):
    """The seed of what is drawn, with a button that draws again and one that does so many times, until it is stopped.

    Each draw has the next seed. The page asks for one, shows it, and asks for the next: so that every draw is seen, and
    the page can stop at any of them.

    Parameters
    ----------
    value : int
        The first seed.

    Attributes
    ----------
    value : int
    answers : int
        Goes up by one whenever what was asked for is shown, or could not be.
    """

    kind = traitlets.Unicode("draws").tag(sync=True)
    value = traitlets.Int().tag(sync=True)
    answers = traitlets.Int(0).tag(sync=True)
    #: How many times the second button draws.
    many = traitlets.Int(100).tag(sync=True)

    def __init__(self, value: int):
        super().__init__(description="seed", value=value)

    @classmethod
    def of(cls, rng: RngLike) -> Draws:
        """Make the control for a keyword ``rng``, with its seed."""
        return cls(choose_seed(rng))


def choose_seed(rng: RngLike) -> int:
    """Return the seed of a keyword ``rng``, or one drawn from a Generator, so that code can name it."""
    key = resolve_rng(rng)
    return key.key % LARGEST if key.seed is None or rng is None else key.seed


def _label_option(option: Any) -> tuple[str, Any]:
    """Return how an option is called, and its value."""
    if isinstance(option, Sequence) and len(option) == 2 and isinstance(option[0], str) and not isinstance(option, str):
        return show_name(option[0]), option[1]
    is_whole = isinstance(option, int) and not isinstance(option, bool)
    return (f"{option:,}" if is_whole else show_name(str(option))), option


def show_name(name: str) -> str:
    """Return a name with something to see: a system may be called by a blank, and a menu would look empty."""
    is_seen = any(character.isprintable() and not character.isspace() for character in name)
    return printable(name) if is_seen else repr(name)
