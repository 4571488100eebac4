"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import Any

import ipywidgets
import matplotlib.pyplot as plt
import numpy as np
from IPython.display import display
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.inference import compare
from mtworkbench.plots import draw_comparison
from mtworkbench.resampling import resolve_rng
from mtworkbench.segment_statistics import SegmentStatistics
from mtworkbench.tables import describe_comparison, printable

# Pictures have more pixels than they take on the screen, for sharp screens.
FINENESS = 2
LEVELS = (0.5, 0.8, 0.9, 0.95, 0.99)
NUMBERS_OF_RESAMPLES = (100, 300, 1000, 3000, 10_000)


class Explorer:
    """Controls above a figure that is drawn again when one of them is moved.

    The figure is an output of its cell like any other, so it is still there when the notebook is read without a
    kernel. What goes wrong while drawing is shown below the controls.

    Parameters
    ----------
    draw : callable
        Called with the value of each control by its name; returns the figure (or an Axes of it) and a sentence that
        says what it shows, which stands below the controls.
    **controls : ipywidgets.Widget
        Made with ``continuous_update=False`` where drawing takes its time.
    """

    def __init__(self, draw: Callable[..., tuple[Figure | Axes, str]], **controls: ipywidgets.Widget):
        self.controls = controls
        self.figure: Figure | None = None
        self._draw = draw
        self._shown: tuple[dict[str, Any], dict[str, Any]] = ({}, {})
        self._handle = None
        self._sentence = ipywidgets.HTML()
        complaints = ipywidgets.interactive_output(self._redraw, controls)
        self._box = ipywidgets.VBox([*controls.values(), self._sentence, complaints])

    def _redraw(self, **values: Any) -> None:
        drawn, sentence = self._draw(**values)
        self.figure = drawn if isinstance(drawn, Figure) else drawn.get_figure(root=True)
        plt.close(self.figure)  # or the cell would show it a second time
        self._shown = _make_picture(self.figure, sentence)
        self._sentence.value = f'<span class="mtworkbench-sentence">{escape(sentence)}</span>'
        if self._handle is not None:
            data, metadata = self._shown
            self._handle.update(data, metadata=metadata, raw=True)

    def _ipython_display_(self) -> None:
        display(self._box)
        data, metadata = self._shown
        self._handle = display(data, metadata=metadata, raw=True, display_id=True)


def explore_comparison(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    rng: int | np.random.Generator | None = None,
) -> Explorer:
    """Explore the comparison of two systems: which, by what unit, at what level, with how many resamples.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One a metric, with at least two systems.
    baseline : str, optional
        The system to begin with as baseline; the first one by default.
    rng : int, numpy.random.Generator or None
        One seed for all positions of the controls, so that what changes is not the draws.

    Returns
    -------
    Explorer

    Raises
    ------
    InputError
        Where there is no such system (``unknown-system``).
    """
    families = [statistics] if isinstance(statistics, SegmentStatistics) else list(statistics)
    randomness = resolve_rng(rng)
    baseline = next(iter(families[0])) if baseline is None else families[0][baseline].system
    others = [system for system in families[0] if system != baseline]

    def draw(metric: int, system: str, minus: str, unit: str, level: float, resamples: int) -> tuple[Figure, str]:
        family = families[metric]
        pair = replace(family, values={name: family.values[name] for name in dict.fromkeys((minus, system))})
        found = compare(pair, minus, unit=unit, level=level, n_resamples=resamples, rng=randomness)
        (compared,) = found.metrics.values()
        return draw_comparison(compared), describe_comparison(compared)

    systems = [(printable(system), system) for system in families[0]]
    units = ["segment"] if families[0].test_set.documents is None else ["segment", "document"]
    return Explorer(
        draw,
        metric=_make_menu("metric", [(family.metric.name, place) for place, family in enumerate(families)], 0),
        system=_make_menu("system", systems, others[-1] if others else baseline),
        minus=_make_menu("minus", systems, baseline),
        unit=_make_menu("unit", units, units[-1]),
        level=_make_slider("level", LEVELS, 0.95),
        resamples=_make_slider("resamples", NUMBERS_OF_RESAMPLES, 1000),
    )


def _make_menu(name: str, options: Sequence, value: Any) -> ipywidgets.Dropdown:
    return ipywidgets.Dropdown(options=options, value=value, description=name, tooltip=name)


def _make_slider(name: str, options: Sequence[float], value: float) -> ipywidgets.SelectionSlider:
    return ipywidgets.SelectionSlider(
        options=options, value=value, description=name, tooltip=name, continuous_update=False
    )


def _make_picture(figure: Figure, sentence: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return a figure as the data and metadata of an output, as large as its own ``dpi`` makes it."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=FINENESS * figure.dpi)
    width, height = (round(figure.dpi * inches) for inches in figure.get_size_inches())
    data = {"image/png": base64.b64encode(content.getvalue()).decode("ascii"), "text/plain": sentence}
    return data, {"image/png": {"width": width, "height": height}}
