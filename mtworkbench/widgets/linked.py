"""Where a difference comes from, on one screen: choose a system, and every picture and the segments below follow."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets
import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.inference.families import as_families
from mtworkbench.resampling import resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.comparison import check_baseline
from mtworkbench.widgets.controls import Button, Menu, name_menu, unit_menu
from mtworkbench.widgets.figures import LinkedFigure, write_image
from mtworkbench.widgets.following import Follower
from mtworkbench.widgets.linked_views import DifferenceViews, Question, View
from mtworkbench.widgets.segments.browser import SegmentBrowser
from mtworkbench.wording import tally
from mtworkbench.words.sentences import describe_pair


class DifferenceExplorer(Follower):
    """Linked pictures of the differences from one system: choose a system, and everything follows.

    Use `explore_differences` to make one.

    Parameters
    ----------
    views : DifferenceViews

    Attributes
    ----------
    controls : dict of str to Menu
        ``metric``, ``unit``, ``system`` and ``buckets``, as far as there is a choice.
    sentence : str
        What was found of the chosen pair, within the family of all comparisons.
    browser : SegmentBrowser or None
    figures : dict of str to Figure
        ``estimates``, ``resamples``, ``contributions``, ``buckets``: those that are shown.
    frames : dict of str to DataFrame
        What each of them shows.
    code : dict of str to str
        The Python calls that make each of them again.
    """

    def __init__(self, views: DifferenceViews):
        self._views = views
        super().__init__(self._make_controls())
        self.browser: SegmentBrowser | None = None
        self.figures: dict[str, Figure] = {}
        self.frames: dict[str, pd.DataFrame] = {}
        self.code: dict[str, str] = {}
        self._links = {
            "estimates": LinkedFigure("Differences from the baseline, one row per system", "estimates", along="y"),
            "resamples": LinkedFigure("Distribution of the resampled difference", "resamples", along="x"),
            "buckets": LinkedFigure("Difference in each bucket, one row per bucket", "buckets", along="y"),
            "contributions": LinkedFigure(
                "Contribution of each segment to the difference", "contributions", brushable=True
            ),
        }
        self._below = ipywidgets.VBox([])
        self._links["estimates"].observe(self._click, "clicked")
        self._links["contributions"].observe(self._brush, "brushed")
        self._box = self._lay_out()
        self._begin()

    def _make_controls(self) -> dict[str, Menu]:
        views = self._views
        others = [name for name in views.systems if name != views.baseline]
        menus = {
            "metric": name_menu("metric", views.names, views.names[0]),
            "unit": unit_menu(next(iter(views.families.values())).test_set),
            "system": name_menu("system", others, others[-1]),
        }
        self._unit = menus["unit"].value
        kept = {name: menu for name, menu in menus.items() if name == "system" or len(menu.options) > 1}
        buckets = views.name_buckets(views.names[0])
        if buckets:
            kept["buckets"] = Menu("buckets by", [(printable(label), by) for label, by in buckets], buckets[0][1])
        return kept

    def _lay_out(self) -> ipywidgets.VBox:
        """Put the segments' picture right above their list, so that both are seen while one selects."""
        wrapped = {"display": "flex", "flex_flow": "row wrap", "width": "100%"}
        above = [menu for name, menu in self.controls.items() if name != "buckets"]
        above.append(
            Button("reset", self.reset, tooltip="bring all controls and lists back to where they started; notes stay")
        )
        buckets = [*([self.controls["buckets"]] if "buckets" in self.controls else []), self._links["buckets"]]
        shrinking = ipywidgets.Layout(max_width="100%")

        def pair(*parts: ipywidgets.Widget, align: str) -> ipywidgets.Box:
            return ipywidgets.Box(parts, layout=ipywidgets.Layout(**wrapped, align_items=align, grid_gap="8px 20px"))

        return ipywidgets.VBox(
            [
                ipywidgets.Box(above, layout=ipywidgets.Layout(**wrapped, grid_gap="0 20px")),
                self._screen,
                self._complaints,
                pair(self._links["estimates"], self._links["resamples"], align="flex-start"),
                pair(ipywidgets.VBox(buckets, layout=shrinking), self._links["contributions"], align="flex-end"),
                self._below,
            ]
        )

    def reset(self) -> None:
        """Bring all controls and all lists of segments back to where they started, and draw once."""
        self._links["contributions"].brushed = []
        for browser in self._views.browsers:
            browser.reset()
        super().reset()

    @property
    def question(self) -> Question:
        """What is shown at present."""
        chosen = {name: menu.value for name, menu in self.controls.items()}
        return Question(chosen.get("metric", self._views.names[0]), chosen["system"], chosen.get("unit", self._unit))

    def _click(self, change: dict[str, Any]) -> None:
        """Follow a row of the picture that was clicked."""
        if change["new"] >= 0:
            self.controls["system"].value = self._links["estimates"].marks["system"].iloc[change["new"]]

    def _answer(self, asked: dict[str, Any], change: dict[str, Any] | None) -> bool:
        if self._is_of_buckets(change):
            self._draw_buckets(self.question)
        else:
            self._draw()
        return True

    def _is_of_buckets(self, change: dict[str, Any] | None) -> bool:
        """Tell whether the buckets alone change: where nothing is drawn of a pair, there are none."""
        is_theirs = change is not None and change["owner"] is self.controls.get("buckets")
        return is_theirs and "resamples" in self.figures

    def _go_back(self) -> None:
        """Show again what was shown before, which is at hand: half of it must not stand beside another answer."""
        super()._go_back()
        self._draw()

    def _dim(self, change: dict[str, Any] | None) -> None:
        if self._is_of_buckets(change):
            self._links["buckets"].waiting = True
            return
        super()._dim(change)
        for name, link in self._links.items():
            # The picture of all systems stays the same, whichever of them is chosen.
            link.waiting = name != "estimates" or change is None or change["owner"] is not self.controls["system"]
        self._below.add_class("mtworkbench-waits")

    def _brighten(self) -> None:
        super()._brighten()
        for link in self._links.values():
            link.waiting = False
        self._below.remove_class("mtworkbench-waits")

    def _draw(self) -> None:
        """Draw everything that depends on the pair; of copies, and without statistics, there is nothing to draw."""
        views, asked = self._views, self.question
        pair, metric = views.find_pair(asked), views.compare(asked.unit).metrics[asked.metric]
        estimates = views.draw_estimates(asked)
        if self.figures.get("estimates") is not estimates.picture.figure:
            self._show("estimates", estimates)
        self._links["estimates"].waiting = False
        systems = estimates.picture.marks["system"].tolist()
        self._links["estimates"].chosen = systems.index(asked.system) if pair is not None else -1
        if pair is None:
            self._say_instead(f"There are no statistics of {asked.metric} for {asked.system}.")
        elif pair.conclusion in ("copies", "identical scores"):
            self._say_instead(
                f"{metric.name}: {describe_pair(pair, metric)}.", "For this pair, there is nothing to show."
            )
        else:
            self._allow_buckets(True)
            self._show("resamples", views.draw_resamples(asked, pair))
            self._say(f"{metric.name}: {describe_pair(pair, metric)}.")
            # What takes longer comes after the answer; until then, the page shows that it is not there.
            self._show("contributions", views.draw_contributions(asked))
            self._draw_buckets(asked)
            self._browse(views.browse(asked))

    def _draw_buckets(self, asked: Question) -> None:
        if "buckets" in self.controls:
            self._show("buckets", self._views.draw_buckets(asked, self.controls["buckets"].value))
        else:
            self._take_back(
                "buckets",
                "Segments cannot be put into buckets: give the outputs, documents or a further column.",
            )

    def _show(self, name: str, view: View) -> None:
        link = self._links[name]
        link.show(view.picture)
        link.caption, link.note, link.code, link.table = view.caption, "", view.code, view.frame
        self.figures[name], self.frames[name], self.code[name] = view.picture.figure, view.frame, view.code

    def _take_back(self, name: str, sentence: str) -> None:
        self._links[name].say(sentence)
        for shown in (self.figures, self.frames, self.code):
            shown.pop(name, None)

    def _say_instead(self, sentence: str, caption: str = "") -> None:
        """Say in place of the pictures of a pair why there are none."""
        for name in ("resamples", "buckets", "contributions"):
            self._take_back(name, caption if name == "resamples" else "")
        self._allow_buckets(False)
        self._browse(None)
        self._say(sentence)

    def _allow_buckets(self, allowed: bool) -> None:  # noqa: FBT001
        if "buckets" in self.controls:
            self.controls["buckets"].disabled = not allowed

    def _say(self, sentence: str) -> None:
        self.sentence = self._screen.sentence = printable(sentence)
        self._screen.waiting = False

    def _browse(self, browser: SegmentBrowser | None) -> None:
        """Show the segments of another pair, all of them."""
        if self.browser is not None:
            self.browser.unobserve(self._release, "query")
        self.browser = browser
        if browser is not None:
            self._restrict(None)
            browser.observe(self._release, "query")
        self._below.children = () if browser is None else (browser,)

    def _brush(self, change: dict[str, Any]) -> None:
        """Show the segments that were selected in the picture, and no others."""
        link, brushed = self._links["contributions"], change["new"]
        if not brushed:
            link.note = ""
            self._restrict(None)
            return
        with self._complaints:
            segments = link.marks["segment"].to_numpy()[brushed].tolist()
            self._restrict(segments)
            shown = tally(len(segments), "segment")
            where = ", listed below" if self.browser is not None else ""
            link.note = f"{shown} of {len(link.marks):,} selected{where}."

    def _release(self, change: dict[str, Any]) -> None:
        """Take the selection back in the picture, too, when the list of segments drops it."""
        if change["new"].get("segments") is None:
            self._links["contributions"].brushed = []

    def _restrict(self, segments: Sequence[int] | None) -> None:
        if self.browser is not None and self.browser.query.get("segments") != segments:
            self.browser.query = {**self.browser.query, "segments": segments}

    def _make_copy(self) -> tuple[str, str]:
        pictures = [self._views.draw_estimates(self.question).picture]
        if "contributions" in self.figures:
            pictures.append(self._views.draw_contributions(self.question).picture)
        return "".join(map(write_image, pictures)), self.sentence


def explore_differences(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    rng: int | np.random.Generator | None = None,
) -> DifferenceExplorer:
    """Explore where the differences from a baseline come from: which segments, and what they have in common.

    One figure leads to the next. A row of the estimation plot chooses a system; its resampled difference, what each
    segment contributes, the difference in buckets, and the segments themselves follow. A rectangle drawn among the
    contributions restricts the segments below to those in it. Verdict and p are those of the whole family, as `compare`
    gives them.

    Parameters
    ----------
    outputs : DataFrame or None
        As `read_outputs` returns it; without it, there are no texts, so no list of segments, and no buckets by length
        or word frequency.
    statistics : SegmentStatistics or sequence of SegmentStatistics
        Of these outputs, one per metric; of at least two systems.
    baseline : str, optional
        By default the first system.
    rng : int, numpy.random.Generator or None
        One seed for all that is drawn.

    Returns
    -------
    DifferenceExplorer

    Raises
    ------
    InputError
        Where there is no such system (``unknown-system``) or only one (``one-system``), and those of `compare` and
        `segment_contributions`.
    """
    families = as_families(statistics)
    systems = list(dict.fromkeys(system for family in families for system in family))
    baseline = systems[0] if baseline is None else check_baseline(baseline, systems)
    if len(systems) < 2:
        raise InputError("one-system", f"There is no difference to explore: the only system is {baseline!r}.")
    is_one = isinstance(statistics, SegmentStatistics)
    return DifferenceExplorer(DifferenceViews(outputs, families, baseline, resolve_rng(rng), is_one=is_one))
