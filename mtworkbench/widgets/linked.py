"""Where a difference comes from, on one screen: choose a system, and every picture and the segments below follow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import as_families, name_systems
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.widgets.comparison import check_baseline
from mtworkbench.widgets.controls import Menu, choose_seed, first_other, name_given, name_menu, unit_menu
from mtworkbench.widgets.explorer import Frame
from mtworkbench.widgets.figures import LinkedFigure
from mtworkbench.widgets.linked_views import DifferenceViews, Question
from mtworkbench.widgets.segments.browser import SegmentBrowser
from mtworkbench.wording import tally
from mtworkbench.words.sentences import describe_pair

NO_BUCKETS = "Segments cannot be put into buckets: give the outputs, documents or a further column."


class DifferenceExplorer(Frame):
    """Linked pictures of the differences from one system: choose a system, and everything follows.

    Use `explore_differences` to make one. ``figures``, ``frames`` and ``code`` have ``estimates``, ``resamples``,
    ``contributions`` and ``buckets``, as far as they are shown.

    Parameters
    ----------
    views : DifferenceViews
    """

    _kept = ("estimates", "contributions")

    def __init__(self, views: DifferenceViews):
        self._views = views
        super().__init__(**self._make_controls())

    def _make_controls(self) -> dict[str, Menu]:
        views = self._views
        others = [name for name in views.systems if name != views.baseline]
        menus = {
            "metric": name_menu("metric", views.names, views.names[0]),
            "unit": unit_menu(next(iter(views.families.values())).test_set),
            "system": name_menu("system", others, first_other(others, views.baseline)),
        }
        self._unit = menus["unit"].value
        kept = {name: menu for name, menu in menus.items() if name == "system" or len(menu.options) > 1}
        buckets = views.name_buckets(views.names[0])
        if buckets:
            kept["buckets"] = Menu("buckets by", [(printable(label), by) for label, by in buckets], buckets[0][1])
        return kept

    def _make_links(self) -> dict[str, LinkedFigure]:
        names = {
            "estimates": "Differences from the baseline, one row per system",
            "resamples": "Distribution of the resampled difference",
            "contributions": "Contribution of each segment to the difference",
            "buckets": "Difference in each bucket, one row per bucket",
        }
        links = {name: LinkedFigure(title, name, brushable=name == "contributions") for name, title in names.items()}
        links["estimates"].on_click(self._choose)
        links["buckets"].on_click(self._brush_bucket)
        links["contributions"].observe(self._brush, "brushed")
        return links

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

    def _choose(self, row: int) -> None:
        """Follow a row of the picture that was clicked."""
        self.controls["system"].value = self._links["estimates"].marks["system"].iloc[row]

    def _go_back(self) -> None:
        """Show again what was shown before, which is at hand: half of it must not stand beside another answer."""
        super()._go_back()
        self._answer(self._asked)

    def _changing(self, change: dict[str, Any] | None) -> set[str]:
        if self._is_of(change, "buckets"):
            return {"buckets"}
        # The picture of all systems stays the same, whichever of them is chosen.
        return {*self._links} - ({"estimates"} if self._is_of(change, "system") else set())

    def _answer(self, asked: dict[str, Any]) -> None:
        """Draw everything that depends on the pair; of copies, and without statistics, there is nothing to draw."""
        views, question = self._views, self.question
        pair, metric = views.find_pair(question), views.compare(question.unit).metrics[question.metric]
        estimates = views.draw_estimates(question.metric, question.unit)
        systems = estimates.picture.marks["system"].tolist()
        self._show("estimates", estimates, systems.index(question.system) if pair is not None else -1)
        if pair is None:
            self._say_instead(f"There are no statistics of {question.metric} for {question.system}.")
        elif pair.conclusion in ("copies", "identical scores"):
            self._say_instead(
                f"{metric.name}: {describe_pair(pair, metric)}.", "For this pair, there is nothing to show."
            )
        else:
            views.match(question.metric, question.system)  # other outputs are refused now, and not when they are drawn
            self._allow_buckets(True)
            self._say(f"{metric.name}: {describe_pair(pair, metric)}.")
            # What takes longer comes after the answer; until then, the page shows that it is not there.
            self._draw_later(
                lambda: self._show("resamples", views.draw_resamples(question)),
                lambda: self._show("contributions", views.draw_contributions(question.metric, question.system)),
                partial(self._show_buckets, question),
                lambda: self._browse(views.browse(question)),
            )

    def _show_buckets(self, asked: Question) -> None:
        if "buckets" in self.controls:
            by = self.controls["buckets"].value
            self._show("buckets", self._views.draw_buckets(asked.metric, asked.system, by))
        else:
            self._take_back("buckets", NO_BUCKETS)

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

    def _browse(self, browser: SegmentBrowser | None) -> None:
        """Show the segments of another pair, all of them."""
        if browser is self._browser:
            return
        if self._browser is not None:
            self._browser.unobserve(self._release, "query")
        super()._browse(browser)
        if browser is not None:
            self._restrict(None)
            browser.observe(self._release, "query")

    def _brush_bucket(self, row: int) -> None:
        """Select the segments of a bucket that was clicked; buckets of words have none."""
        segments, link = self._links["buckets"].marks.get("segments"), self._links["contributions"]
        if segments is not None:
            link.brushed = np.flatnonzero(np.isin(link.marks["segment"], segments[row])).tolist()

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


def explore_differences(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    rng: RngLike = None,
) -> DifferenceExplorer:
    """Explore where the differences from a baseline come from: which segments, and what they have in common.

    One figure leads to the next. A row of the estimation plot chooses a system; its resampled difference, what each
    segment contributes, the difference in buckets, and the segments themselves follow. A rectangle drawn among the
    contributions, or a bucket that is clicked, restricts the segments below to those in it. Verdict and p are those of
    the whole family, as `compare` gives them.

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
    systems = name_systems(families)
    baseline = check_baseline(baseline, systems)
    if len(systems) < 2:
        raise InputError("one-system", f"There is no difference to explore: the only system is {baseline!r}.")
    return DifferenceExplorer(DifferenceViews(outputs, families, name_given(statistics), baseline, choose_seed(rng)))
