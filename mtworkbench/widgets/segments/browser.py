"""A browser of segments: which sentences make the difference between two systems."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import anywidget
import numpy as np
import pandas as pd
import traitlets

from mtworkbench.analyses.segments.exports import (
    Part,
    in_order,
    ngrams_to_latex,
    notes_to_frame,
    segments_to_html,
    write_call,
    write_segments,
)
from mtworkbench.analyses.segments.pages import SegmentPages, make_pages
from mtworkbench.analyses.segments.queries import LISTS, QUERY, check_count, check_segments, check_view, check_written
from mtworkbench.errors import InputError
from mtworkbench.inference import paired_bootstrap
from mtworkbench.plots.systems import color_pair
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.results.estimates import PairedBootstrap
from mtworkbench.results.names_of_units import name_units
from mtworkbench.statistics.segment_statistics import SegmentStatistics, describe_test_set
from mtworkbench.tables import frame_to_csv, printable
from mtworkbench.widgets.pages import read_files
from mtworkbench.widgets.screen import show_copy, show_widget
from mtworkbench.wording import agree
from mtworkbench.words.frames import signed

#: Rows that the page holds at a time, and by how many it moves on.
WINDOW, STEP = 60, 30
#: Where an explorer would open sentences.
NO_TEXTS = "Give outputs=... of two systems to read the sentences."
#: Warnings that concern scores and win %.
OF_OTHERS = ("few-units", "few-effective-units")


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
    written : dict
        Notes and tags by the number of their segment, such as ``{3: {"note": "wrong tense", "tags": "grammar"}}``; may
        be set. They live in the kernel until they are saved: see `save_notes`.
    """

    _esm = read_files("segments/segments.js")
    _css = read_files("segments/segments.css")

    about = traitlets.Dict().tag(sync=True)
    # Of any type, because they are checked below, in sentences.
    query = traitlets.Any({}).tag(sync=True)
    selection = traitlets.Any([]).tag(sync=True)
    left_out = traitlets.Any([]).tag(sync=True)
    written = traitlets.Any({}).tag(sync=True)
    page = traitlets.Dict().tag(sync=True)
    common: traitlets.List[object] = traitlets.List().tag(sync=True)
    exploratory = traitlets.Dict().tag(sync=True)
    ngrams = traitlets.Dict().tag(sync=True)
    unit = traitlets.Unicode("auto")  # that is resampled for the interval without the segments left out

    def __init__(self, pages: SegmentPages, rng: RngLike, view: Mapping[str, object] | None):
        self._pages, self._random_key = pages, resolve_rng(rng)
        self._part: Part | None = None
        self._answers, self._asked = 0, ""
        self._positions = np.arange(0)
        given = check_view(view)
        if pages.difference < 0 and not {"sort", "descending"} & given.keys():
            given["descending"] = False  # what makes the difference comes first
        # What cannot be shown is refused before there is a widget.
        lists = {name: check_segments(name, given.pop(name, []), pages.known) for name in LISTS}
        query = pages.check_query(given)
        super().__init__(about=pages.describe() | {"colors": color_pair(pages.statistics, pages.a, pages.b)})
        self._start = lists | {"query": query}
        self.reset()
        self.on_msg(self._receive)

    def reset(self) -> None:
        """Show what was shown at first: filters, order, selection and what is left out; notes stay."""
        for name, value in self._start.items():
            setattr(self, name, value)

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
        Path(path).write_text(frame_to_csv(self.notes), encoding="utf-8")

    @property
    def call(self) -> str:
        """The Python call that brings the present view back."""
        view = {name: value for name, value in self.query.items() if value != QUERY[name]}
        view |= {name: getattr(self, name) for name in LISTS if getattr(self, name)}
        return write_call(self._pages, view, self._random_key.seed, self._part)

    def write(self, form: str = "LaTeX", *, first: int | None = None) -> str:
        """Write the selected segments for a paper, as the page copies them.

        Parameters
        ----------
        form : {"LaTeX", "Markdown", "TSV"}
            In LaTeX, tables span the page and have its marks; segments that would fill more than one go into several.
        first : int, optional
            Write this many of the first segments shown, whether they are selected or not.

        Raises
        ------
        InputError
            ``unknown-form``, ``not-a-number``, ``nothing-selected``.
        """
        if first is not None:
            chosen = self.frame.head(check_count(first))
        elif self.selection:
            chosen = in_order(self._pages, self.query, self.selection)
        else:
            raise InputError(
                "nothing-selected", "No segment is selected: select some, or say how many of the first are meant."
            )
        return write_segments(self._pages, chosen, form)

    @traitlets.validate("query")
    def _complete(self, proposal: Mapping[str, object]) -> dict[str, object]:
        return self._pages.check_query(proposal["value"])

    @traitlets.validate("written")
    def _check_written(self, proposal: Mapping[str, object]) -> dict[str, dict[str, str]]:
        return check_written(proposal["value"], self._pages.known)

    @traitlets.validate("selection", "left_out")
    def _check_segments(self, proposal: Mapping[str, Any]) -> list[int]:
        return sorted({*check_segments(proposal["trait"].name, proposal["value"], self._pages.known)})

    @traitlets.observe("query")
    def _filter(self, _: object) -> None:
        self._positions = self._pages.select(self.query, self.selection)
        self._show(0)

    @traitlets.observe("selection")
    def _selected(self, _: object) -> None:
        self.common = [*self._pages.describe_selection(self.selection)] if self.selection else []
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
            by = f"{left} {agree(found.n_units, 'give')} no interval"
            return {"count": f"{len(left_out):,}", "difference": difference, "by": printable(by)}
        ends = f"[{signed(found.low, digits)}, {signed(found.high, digits)}]"
        return {
            "count": f"{len(left_out):,}",
            "difference": f"{difference}, 95 % CI {ends}",
            # Of what is noticed, only what concerns the interval of the difference.
            "noticed": printable(
                " ".join(str(one.message) for one in noticed if getattr(one.message, "code", None) not in OF_OTHERS)
            ),
            "by": _describe_method(found),
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

    def _receive(self, _: object, content: dict[str, Any], buffers: object = None) -> None:
        """Do what the page asks for; what goes wrong is shown there, for nobody would see it otherwise."""
        try:
            self._answer(**content)
        except KeyboardInterrupt:
            self._show(self.page.get("start", 0), "This was interrupted.")
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
            first = self._pages.frame["segment"].to_numpy()[self._positions[: check_count(asked["count"])]]
            self.selection = sorted({*self.selection, *first.tolist()})
        elif kind == "none":
            setattr(self, asked["of"], [])
        elif kind == "note":
            self.written = self.written | {str(asked["segment"]): {"note": asked["note"], "tags": asked["tags"]}}
        elif kind == "ngrams":
            self._count_ngrams(asked["of"], asked["order"])
        elif kind == "copy":
            text = self.write(asked["form"])
            self.send({"kind": "copy", "what": f"the selection as {asked['form']}", "text": text})
        elif kind == "copy ngrams":
            text = ngrams_to_latex(self._pages, self.ngrams)
            self.send({"kind": "copy", "what": "these n-grams as LaTeX", "text": text})
        elif kind == "call":
            self.send({"kind": "copy", "what": "the call that brings this view back", "text": self.call})
        elif kind == "notes":
            self.send({"kind": "notes", "text": frame_to_csv(self.notes)})
        else:
            raise InputError("unknown-question", f"The page asked for {kind!r}, which does not exist.")

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
        # Where the browser lives, its style hides the copy.
        show_widget(self)
        show_copy(segments_to_html(self._pages), repr(self))


def _describe_method(found: PairedBootstrap) -> str:
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
    rng: RngLike = None,
) -> SegmentBrowser:
    """Explore which segments make the difference between two systems.

    Segments can be sorted by what they contribute to the difference, filtered by their texts, their length, their
    document, flags and n-grams, selected for a paper, and left out to see the difference without them.

    Parameters
    ----------
    outputs : DataFrame
        As `read_outputs` returns it.
    statistics : SegmentStatistics
        Of one metric, computed from these outputs.
    a, b : str
        The new system and the baseline.
    view : mapping, optional
        What to begin with, as ``.call`` of the browser writes it for a view to come back to: ``sort`` (a column),
        ``descending``, ``text``, ``pattern`` (whether the text is a regular expression), ``within`` (a column of
        texts), ``document`` (None for all of them), ``shortest`` and ``longest`` (words of the reference), ``flag`` and
        ``flagged`` (the system that has it), ``ngram``, ``segments``, ``selected`` (the selected segments alone),
        ``selection`` and ``left_out`` (numbers of segments). By default, segments are sorted by contribution, and
        those that make the difference come first: the smallest contributions where the difference is below 0.
    runs : (int, int), optional
        One run of each system, counted from 1; by default all of them, with the texts of each system's median run.
    rng : int, numpy.random.Generator or None
        For the interval of the difference without the segments left out; None draws a seed, which ``.call`` names.

    Returns
    -------
    SegmentBrowser

    Raises
    ------
    InputError
        Where ``view`` has an unknown name or value (``unknown-query``, ``unknown-column``, ``bad-pattern``,
        ``unknown-segment``) or a value of the wrong type (``not-a-text``, ``not-a-number``, ``not-a-switch``,
        ``not-segments``), and those of `segment_contributions`.
    """
    return SegmentBrowser(make_pages(outputs, statistics, a, b, runs), rng, view)


def has_texts(outputs: pd.DataFrame | None) -> bool:
    """Tell whether there are outputs with texts."""
    return outputs is not None and "hypothesis" in outputs.columns


def explore_part(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    positions: Sequence[int] | np.ndarray | None = None,
    *,
    view: Mapping[str, object] | None = None,
    runs: tuple[int, int] | None = None,
    rng: RngLike = None,
) -> SegmentBrowser | None:
    """Explore the segments of a part of the test set, with what each contributes to the difference there.

    Parameters
    ----------
    outputs : DataFrame or None
        Of the whole test set, in any order; None, or outputs without texts, where there is nothing to read.
    statistics : SegmentStatistics
        Of the whole test set.
    a, b : str
        The new system and the baseline.
    positions : sequence of int, optional
        Of segments, counted from 0; by default all of them.
    runs : (int, int), optional
        As of `explore_segments`; the others are then not looked at, of which there may be hundreds.
    view, rng
        As of `explore_segments`.

    Returns
    -------
    SegmentBrowser or None
    """
    if outputs is None or not has_texts(outputs):
        return None
    part = statistics if positions is None else statistics.take(np.unique(positions))
    own = outputs[outputs["system"].isin((a, b)) & outputs["segment"].isin(part.test_set.segments)]
    # An error would name the rows of the part, which nobody sees.
    own = own.sort_values(["system", "run", "segment"], kind="stable")
    if runs is not None:
        chosen = dict(zip((a, b), runs, strict=True))
        part = replace(part, values={name: part[name].values[[run - 1]] for name, run in chosen.items()}, run_names={})
        own = own[own["run"] == own["system"].map(chosen)].assign(run=1)
    # The references of a part have a fingerprint of their own. That the texts are those of the statistics is checked.
    part = replace(part, test_set=describe_test_set(own.drop_duplicates("segment")))
    browser = explore_segments(own, part, a, b, view=view, rng=rng)
    browser._part = Part(runs, None if positions is None else np.unique(positions).tolist())
    return browser
