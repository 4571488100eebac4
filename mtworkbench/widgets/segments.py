"""A browser of segments: which sentences make the difference between two systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import traitlets
from IPython.display import display

from mtworkbench.errors import InputError
from mtworkbench.inference import paired_bootstrap
from mtworkbench.inference.results import PairedBootstrap
from mtworkbench.inference.units import name_units
from mtworkbench.plots.systems import styles_of
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import printable
from mtworkbench.tables.cells import signed
from mtworkbench.widgets.segment_pages import QUERY, SegmentPages, make_pages
from mtworkbench.widgets.segments_exports import (
    COPIES,
    in_order,
    ngrams_to_latex,
    notes_to_csv,
    notes_to_frame,
    segments_to_html,
    write_call,
)

#: Rows that the page holds at a time, and by how many it moves on.
WINDOW, STEP = 60, 30


class SegmentBrowser(anywidget.AnyWidget):
    """Segments with both systems' outputs, which can be sorted, searched, selected and left out.

    Use `explore_segments` to make one. The page shows what it is sent, and sends back what the reader does; everything
    is computed in Python.

    Parameters
    ----------
    pages : SegmentPages
    rng : int or RandomKey
        For the interval without the segments left out.
    view : mapping
        What to begin with: see `explore_segments`.

    Attributes
    ----------
    query : dict
        Which segments are shown, and in what order; may be set.
    selection, left_out : list of int
        Numbers of segments; may be set.
    """

    _esm = Path(__file__).with_name("segments.js")
    _css = Path(__file__).with_name("segments.css")

    about = traitlets.Dict().tag(sync=True)
    query = traitlets.Dict().tag(sync=True)
    page = traitlets.Dict().tag(sync=True)
    selection = traitlets.List(traitlets.Int()).tag(sync=True)
    left_out = traitlets.List(traitlets.Int()).tag(sync=True)
    exploratory = traitlets.Dict().tag(sync=True)
    ngrams = traitlets.Dict().tag(sync=True)
    written = traitlets.Dict().tag(sync=True)
    unit = traitlets.Unicode("auto")  # that is resampled for the interval without the segments left out

    def __init__(self, pages: SegmentPages, rng: RngLike, view: Mapping[str, object]):
        self._pages, self._rng, self._random_key = pages, rng, resolve_rng(rng)
        self._answers, self._asked = 0, ""
        self._positions = np.arange(0)
        styles = styles_of(pages.statistics)
        colors = [styles[one]["color"] for one in (pages.a, pages.b)]
        super().__init__(about=pages.describe() | {"colors": colors})
        given = dict(view)
        if pages.difference < 0 and not {"sort", "descending"} & given.keys():
            given["descending"] = False  # what makes the difference comes first
        self.selection = given.pop("selection", [])
        self.left_out = given.pop("left_out", [])
        self.query = given
        self.on_msg(self._receive)

    @property
    def frame(self) -> pd.DataFrame:
        """The segments that pass the filter, in the order shown."""
        return self._pages.frame.iloc[self._positions].reset_index(drop=True)

    @property
    def notes(self) -> pd.DataFrame:
        """Notes and tags, one row per segment that has any, with its contribution and texts."""
        return notes_to_frame(self._pages, self.written)

    def save_notes(self, path: str | Path) -> None:
        """Save notes and tags as CSV."""
        Path(path).write_text(notes_to_csv(self.notes), encoding="utf-8")

    @property
    def call(self) -> str:
        """The Python call that brings the present view back."""
        view = {name: value for name, value in self.query.items() if value != QUERY[name]}
        view |= {name: getattr(self, name) for name in ("selection", "left_out") if getattr(self, name)}
        return write_call(self._pages, view, self._rng)

    @traitlets.validate("query")
    def _complete(self, proposal: Mapping[str, object]) -> dict[str, object]:
        return self._pages.check_query(proposal["value"])

    @traitlets.validate("selection", "left_out")
    def _check_segments(self, proposal: Mapping[str, object]) -> list[int]:
        known = {*self._pages.frame["segment"].tolist()}
        strangers = [one for one in proposal["value"] if one not in known]
        if strangers:
            raise InputError(
                "unknown-segment", f"There is no segment {strangers[0]} among the {len(known):,} segments."
            )
        return sorted({int(one) for one in proposal["value"]})

    @traitlets.observe("query")
    def _filter(self, _: object) -> None:
        self._positions = self._pages.select(self.query, self.selection)
        self._show(0)

    @traitlets.observe("selection")
    def _selected(self, _: object) -> None:
        if self.query.get("selected"):
            self._filter(None)

    @traitlets.observe("left_out", "unit")
    def _leave_out(self, _: object) -> None:
        found: dict[str, str] = {}
        try:
            if self.left_out:
                found = self._without(self.left_out)
        finally:
            self.exploratory = found  # what went wrong must not leave a statement on other segments

    def _without(self, left_out: Sequence[int]) -> dict[str, str]:
        """Estimate the difference without some segments."""
        pages = self._pages
        kept = ~np.isin(pages.frame["segment"], left_out)
        if not kept.any():
            return {"difference": "not known", "count": f"{len(left_out):,}", "by": "no segment is left"}
        part = pages.compared.take(kept)
        with warnings.catch_warnings(record=True) as noticed:
            warnings.simplefilter("always")
            found = paired_bootstrap(part[pages.a], part[pages.b], unit=self.unit, rng=self._random_key)
        digits = pages.difference_digits
        difference = f"{signed(found.difference, digits)} {printable(found.metric)}"
        if found.low is None or found.high is None:
            left = f"{found.n_units:,} {name_units(found.unit, found.n_units)}"
            by = f"{left} {'gives' if found.n_units == 1 else 'give'} no interval"
            return {"count": f"{len(left_out):,}", "difference": difference, "by": printable(by)}
        ends = f"[{signed(found.low, digits)}, {signed(found.high, digits)}]"
        return {
            "count": f"{len(left_out):,}",
            "difference": f"{difference}, 95 % CI {ends}",
            # Of what is noticed, only what concerns intervals: there is no win % here, and no p to go by.
            "noticed": printable(
                " ".join(str(one.message) for one in noticed if getattr(one.message, "code", None) != "few-units")
            ),
            "by": _say_method(found),
        }

    def _show(self, start: int, complaint: str = "") -> None:
        """Send a window of rows."""
        total = len(self._positions)
        start = max(0, min(start, total - WINDOW))
        self._answers += 1
        self.page = {
            "answer": self._answers,
            "asked": self._asked,
            "start": start,
            "total": total,
            "everything": len(self._pages.frame),
            "rows": self._pages.rows(self._positions[start : start + WINDOW]),
            "complaint": printable(complaint),
        }

    def _receive(self, _: object, content: dict[str, object], buffers: object = None) -> None:
        """Do what the page asks for; what goes wrong is shown there, for nobody would see it otherwise."""
        try:
            self._answer(**content)
        except InputError as error:
            self._show(self.page.get("start", 0), str(error))
        except Exception as error:  # noqa: BLE001
            self._show(self.page.get("start", 0), f"{type(error).__name__}: {error}")

    def _answer(self, kind: str, **asked: Any) -> None:
        if kind == "query":
            before, self._asked = self.query, asked["asked"]
            self.query = asked["query"]
            if self.query == before:
                self._show(0)
        elif kind == "window":
            self._show(asked["start"])
            # What is likely to be asked for next is ready by then.
            self._pages.rows(self._positions[self.page["start"] + WINDOW :][:STEP])
        elif kind in ("selection", "left_out"):
            changed = {*asked["segments"]}
            kept = {*getattr(self, kind)} - changed
            setattr(self, kind, sorted(kept | changed if asked["on"] else kept))
        elif kind == "first":
            first = self._pages.frame["segment"].to_numpy()[self._positions[: asked["count"]]]
            self.selection = sorted({*self.selection, *first.tolist()})
        elif kind == "none":
            setattr(self, asked["of"], [])
        elif kind == "note":
            written = {"note": asked["note"], "tags": asked["tags"]}
            others = {number: one for number, one in self.written.items() if number != str(asked["segment"])}
            self.written = others | ({str(asked["segment"]): written} if any(written.values()) else {})
        elif kind == "ngrams":
            self._count_ngrams(asked["of"], asked["order"])
        elif kind == "copy":
            chosen = in_order(self._pages, self.query, self.selection)
            text, what = COPIES[asked["form"]](self._pages, chosen), f"the selection as {asked['form']}"
            self.send({"kind": "copy", "what": what, "text": text})
        elif kind == "copy ngrams":
            text = ngrams_to_latex(self._pages, self.ngrams)
            self.send({"kind": "copy", "what": "these n-grams as LaTeX", "text": text})
        elif kind == "call":
            self.send({"kind": "copy", "what": "the call that brings this view back", "text": self.call})
        elif kind == "notes":
            self.send({"kind": "notes", "text": notes_to_csv(self.notes)})
        else:
            raise InputError("unknown-question", f"The page asked for {kind!r}, which there is not.")

    def _count_ngrams(self, of: str, order: int) -> None:
        shown = self._pages.frame["segment"].to_numpy()[self._positions]
        segments = {"all": None, "shown": shown, "selection": np.array(self.selection)}[of]
        self._answers += 1
        counted = self._pages.count_ngrams(segments, order)
        self.ngrams = {"answer": self._answers, "of": of, "order": order} | counted

    def __repr__(self) -> str:
        """Say what is shown."""
        pages = self._pages
        return f"SegmentBrowser({pages.a!r} and {pages.b!r}: {len(self._positions):,} of {len(pages.frame):,} segments)"

    def _ipython_display_(self) -> None:
        data, metadata = self._repr_mimebundle_()
        display(data, metadata=metadata, raw=True)
        # For readers without a kernel; where the browser lives, its style hides this.
        display({"text/html": segments_to_html(self._pages), "text/plain": repr(self)}, raw=True)


def _say_method(found: PairedBootstrap) -> str:
    """Say in a phrase how an interval was computed, and from which units."""
    if found.method == "jackknife":
        return f"jackknife by {found.unit}"
    return f"{found.method} bootstrap, {found.n_resamples:,} resamples by {found.unit}"


def explore_segments(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    *,
    view: Mapping[str, object] | None = None,
    runs: tuple[int, int] | None = None,
    rng: int | np.random.Generator | None = None,
) -> SegmentBrowser:
    """Explore which segments make the difference between two systems.

    Segments can be sorted by what they contribute to the difference, filtered by their texts, their length, their
    document, flags and n-grams, selected for a paper, and left out for a try.

    Parameters
    ----------
    outputs : DataFrame
        As `read_outputs` returns it.
    statistics : SegmentStatistics
        Of one metric, computed from these outputs.
    a, b : str
        The new system and the baseline.
    view : mapping, optional
        What to begin with, as the browser itself writes it for a view that is to be kept: ``sort`` (a column),
        ``descending``, ``text``, ``pattern`` (whether the text is a regular expression), ``within`` (a column of
        texts), ``document``, ``shortest`` and ``longest`` (words of the reference), ``flag`` and ``flagged`` (the
        system that has it), ``ngram``, ``segments``, ``selected`` (the selected segments alone), ``selection`` and
        ``left_out`` (numbers of segments). By default, segments are sorted by contribution, those first that make the
        difference what it is: the smallest first where the difference is below 0.
    runs : (int, int), optional
        One run of each system, counted from 1; by default all of them, with the texts of each system's median run.
    rng : int, numpy.random.Generator or None
        For the interval of the difference without the segments left out.

    Returns
    -------
    SegmentBrowser

    Raises
    ------
    InputError
        Where ``view`` asks for what there is not (``unknown-query``, ``unknown-column``, ``bad-pattern``,
        ``unknown-segment``), and those of `segment_contributions`.
    """
    return SegmentBrowser(make_pages(outputs, statistics, a, b, runs), rng, view or {})
