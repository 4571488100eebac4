"""Segments to take away from the browser: as tables for a paper, with notes, as a call, as a page without a kernel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.pages import SegmentPages, as_matched
from mtworkbench.analyses.segments.queries import QUERY
from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.tables import frame_to_csv
from mtworkbench.tables.html import paragraph, show_html, table_to_html
from mtworkbench.tables.latex import document_to_latex
from mtworkbench.tables.markdown import document_to_markdown
from mtworkbench.words.document import Document, Section
from mtworkbench.words.frames import cut_middle, is_figures, with_minus
from mtworkbench.words.segments import build_list, find_towards, name_effect, name_outputs, tabulate_ngrams

#: Of the page without a kernel, so many segments that speak for each system.
N_STATIC = 3
#: Characters: the middle of a text that is longer is not on that page, which is what is printed.
LONGEST = 600
#: What it has of a segment where texts are left out.
WITHOUT_TEXTS = ("segment", "document", "contribution")
#: The forms that segments are copied in, besides TSV. Tables are as wide as they are.
_COPIES = {"Markdown": document_to_markdown, "LaTeX": document_to_latex}
FORMS = ("TSV", *_COPIES)
WIDEST = 10**6


def write_segments(pages: SegmentPages, chosen: pd.DataFrame, form: str) -> str:
    """Write segments: as TSV or Markdown, one row per segment; or as LaTeX, their texts below each other, with marks.

    Raises
    ------
    InputError
        ``unknown-form``.
    """
    if form not in FORMS:
        raise InputError(
            "unknown-form", f"Segments can be written as {', '.join(FORMS)}, but {excerpt(form)} was asked for."
        )
    found = pages.list_segments(pd.Index(pages.frame["segment"]).get_indexer(chosen["segment"]))
    if form == "TSV":
        return frame_to_csv(name_outputs(found, found.listed), separator="\t")
    return _COPIES[form](Document(sections=[build_list(found, form.casefold())]), WIDEST)


def ngrams_to_latex(pages: SegmentPages, counted: Mapping[str, Any]) -> str:
    """Write n-grams as a LaTeX table: those that either system gets right more often, as the browser lists them.

    Parameters
    ----------
    pages : SegmentPages
    counted : mapping
        Of `SegmentPages.count_ngrams`, with ``of``, the segments that it counts in.
    """
    where = {"all": "in all segments", "shown": "in the segments found", "selection": "in the segments selected"}
    table = tabulate_ngrams(pages.a, pages.b, as_matched(counted), where[counted["of"]])
    return document_to_latex(Document(sections=[Section(tables=[table])]), WIDEST)


def in_order(pages: SegmentPages, query: Mapping[str, object], segments: Sequence[int]) -> pd.DataFrame:
    """Return some segments, whether they pass the filter or not, in the order in which the browser sorts them."""
    order = {name: query[name] for name in ("sort", "descending")}
    return pages.frame.iloc[pages.select(QUERY | order | {"segments": list(segments)})]


def notes_to_frame(pages: SegmentPages, written: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """List the segments that have notes or tags, with these, in the order of the test set."""
    notes = {int(number): one for number, one in written.items()}
    frame = pages.frame[pages.frame["segment"].isin(notes)].reset_index(drop=True)
    for place, name in enumerate(("note", "tags"), start=1):
        frame.insert(place, name, [notes[number][name] for number in frame["segment"]])
    return frame


class Part(NamedTuple):
    """What was taken of statistics before their pages were made: one run of each system, and some segments."""

    runs: tuple[int, int] | None
    positions: list[int] | None


def write_call(pages: SegmentPages, view: Mapping[str, object], seed: int | None, part: Part | None = None) -> str:
    """Write the call that brings a view back; without a seed, ``rng`` stands for the Generator that was given.

    Of a part, the call names the statistics of the whole: `explore_part` takes segments out of them.
    """
    runs, positions = part or Part(pages.runs, None)
    called = "explore_segments" if positions is None else "widgets.segments.browser.explore_part"
    given = [repr(pages.a), repr(pages.b)]
    given += [repr(positions)] if positions is not None else []
    given += [f"view={dict(view)!r}"] if view else []
    given += [f"runs={runs!r}"] if runs else []
    given += ["rng=rng" if seed is None else f"rng={seed}"]
    return f"mtw.{called}(outputs, statistics, {', '.join(given)})"


def segments_to_html(pages: SegmentPages, *, texts: bool = True) -> str:
    """Write the segments with the largest contributions each way as HTML, for readers without a kernel.

    Parameters
    ----------
    pages : SegmentPages
    texts : bool
        False leaves out the texts.
    """
    metric = pages.statistics.metric
    difference = with_minus(str(pages.describe()["difference"]))
    parts = [paragraph(f"{pages.a} - {pages.b} = {difference} {metric.name}", bold=True)]
    for raises in (True, False):
        of = np.count_nonzero(find_towards(pages.frame["contribution"].to_numpy(), raises=raises))
        listed = pages.find_largest(N_STATIC, raises=raises)
        if len(listed):
            does = name_effect(metric, pages.a, pages.b, raises=raises)
            caption = f"Segments that {does} most ({len(listed)} of {of:,} that do; {len(pages.frame):,} in all)"
            [table] = build_list(pages.list_segments(listed), "html").tables
            columns = {
                name: [cell if is_figures([cell]) else cut_middle(cell, LONGEST) for cell in cells]
                for name, cells in table.columns.items()
                if texts or name in WITHOUT_TEXTS
            }
            parts.append(table_to_html(columns, caption))
    return f'<div class="mtw-segments-static">{show_html(*parts)}</div>'
