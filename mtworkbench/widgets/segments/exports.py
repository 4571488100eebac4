"""Segments to take away from the browser: as tables for a paper, with notes, as a call, as a page without a kernel."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.tables import frame_to_csv, frame_to_markdown
from mtworkbench.tables.html import paragraph, show_html, table_to_html
from mtworkbench.tables.latex import (
    PAGE_WIDTH,
    break_text,
    columns_to_latex,
    comment,
    count_lines,
    end_float,
    escape_latex,
    preamble,
    sentence_to_latex,
)
from mtworkbench.widgets.segments.marks import NOT_IN_OTHER, NOT_IN_REFERENCE
from mtworkbench.widgets.segments.pages import SegmentPages
from mtworkbench.widgets.segments.queries import QUERY
from mtworkbench.words.cells import signed
from mtworkbench.words.frames import Cell

#: Of the page without a kernel, so many segments that speak for each system.
N_STATIC = 3
#: Lines of segments that a page of a paper holds, with the caption below them.
MOST_LINES = 50
#: What the marks in LaTeX mean.
LEGEND = (
    " Bold: in the reference, not in the other output; underlined: neither in the reference nor in the other output; "
    "italics: in both outputs but not in the reference, or in the reference alone."
)
# By the bits of the mark, as the page has it in other ways.
_OF_OUTPUTS = {NOT_IN_OTHER: r"\textbf", NOT_IN_REFERENCE: r"\textit", NOT_IN_OTHER | NOT_IN_REFERENCE: r"\underline"}
_OF_REFERENCES = {NOT_IN_REFERENCE | NOT_IN_OTHER: r"\textit"}
# A word, or a letter of a script that has no spaces.
_WORD = re.compile("[\u2e80-\U0010ffff]|[^\\s\u2e80-\U0010ffff]+")
# The columns, as shares of the width of a page, and in em.
_LABEL, _TEXT = 0.17 * PAGE_WIDTH, 0.81 * PAGE_WIDTH
_BEGIN = (
    r"\begin{table*}",
    r"\centering\footnotesize\setlength{\tabcolsep}{3pt}",
    r"\begin{tabular}{@{}p{0.17\textwidth}p{0.81\textwidth}@{}}",
    r"\toprule",
)


def selection_to_tsv(pages: SegmentPages, chosen: pd.DataFrame) -> str:
    """Write segments as TSV, one row per segment, unrounded."""
    return frame_to_csv(_name_systems(pages, chosen), separator="\t")


def selection_to_markdown(pages: SegmentPages, chosen: pd.DataFrame) -> str:
    """Write segments as a Markdown table, one row per segment."""
    names = [name for name in ("segment", "document", "contribution", *pages.texts) if name in chosen]
    return frame_to_markdown(_name_systems(pages, chosen[names]), digits=pages.digits)


def selection_to_latex(pages: SegmentPages, chosen: pd.DataFrame) -> str:
    """Write segments as LaTeX, their texts below each other, with the marks of the page.

    The tables span the page. Segments that would fill more than one go into several.
    """
    metric, parts, filled = pages.statistics.metric.name, [[*_BEGIN]], 0.0
    for row in pages.rows(pd.Index(pages.frame["segment"]).get_indexer(chosen["segment"])):
        rows, n_lines = _segment_to_latex(row, metric)
        if filled and filled + n_lines > MOST_LINES:
            parts.append([*_BEGIN])
            filled = 0.0
        parts[-1] += rows
        filled += n_lines
    caption = f"Segments and their contributions to the difference in {metric}, {pages.a} − {pages.b}"
    for part, rows in enumerate(parts, start=1):
        number, label = (f" ({part} of {len(parts)})", f"segments-{part}") if len(parts) > 1 else ("", "segments")
        said = f"{caption}{number}.{'' if part > 1 else LEGEND}"
        rows += [r"\bottomrule", r"\end{tabular}", *end_float(said, label, "table*"), ""]
    return _say_needs("\n".join(map("\n".join, parts)))


def _say_needs(latex: str) -> str:
    """Write above LaTeX what it needs, as a comment."""
    return f"{comment(preamble(latex))}\n{latex}"


def _segment_to_latex(row: Mapping[str, Any], metric: str) -> tuple[list[str], float]:
    """Write a segment as rows of a table; return them and how many lines they take."""
    heading = sentence_to_latex(f"Segment {row['segment']}: {row['contribution']} {metric}")
    rows, n_lines = [rf"\addlinespace\multicolumn{{2}}{{@{{}}l@{{}}}}{{\itshape {heading}}} \\"], 1.5
    for text in row["texts"]:
        marks = _OF_REFERENCES if text["kind"] == "reference" else _OF_OUTPUTS
        shown = "".join(_mark(piece, marks.get(code, "")) for piece, code in text["pieces"])
        rows.append(rf"{break_text(text['label'], _LABEL)} & {shown or '(empty)'} \\")
        whole = "".join(piece for piece, _ in text["pieces"])
        n_lines += max(count_lines(text["label"], _LABEL), count_lines(whole, _TEXT))
    return rows, n_lines


def _mark(piece: str, command: str) -> str:
    """Write a piece of a text with its mark; words are underlined one by one, so that lines can end between them."""
    if command == r"\underline":
        return _WORD.sub(lambda word: rf"\underline{{{escape_latex(word[0])}}}", piece)
    return rf"{command}{{{escape_latex(piece)}}}" if command else escape_latex(piece)


def ngrams_to_latex(pages: SegmentPages, counted: Mapping[str, Any]) -> str:
    """Write n-grams as a LaTeX table: those that either system gets right more often, as the browser lists them.

    Parameters
    ----------
    pages : SegmentPages
    counted : mapping
        Of `SegmentPages.count_ngrams`, with ``of``, the segments that it counts in.
    """
    rows: list[dict[str, Any]] = []
    headings: dict[int, str] = {}
    for side, system in (("new", pages.a), ("baseline", pages.b)):
        if counted[side]:
            n_listed, n_all = len(counted[side]), counted[f"n_{side}"]
            part = "" if n_listed == n_all else f" ({n_listed:,} of {n_all:,} n-grams)"
            headings[len(rows)] = f"{system} gets right more often{part}"
            rows += counted[side]
    names = ["n-gram", pages.a, pages.b, "segments"]
    if len({*names}) < len(names):
        names[1:3] = ["new", "baseline"]
    columns: dict[str, list[str]] = {names[0]: [row["ngram"] for row in rows]}
    for name, count in zip(names[1:], ("new", "baseline", "segments"), strict=True):
        columns[name] = [Cell(f"{row[count]:,}") for row in rows]
    where = {"all": "in all segments", "shown": "in the segments found", "selection": "in the segments selected"}
    caption = (
        f"N-grams that {pages.a} and {pages.b} match differently {where[counted['of']]}: how often each gets them "
        "right, and in how many segments they differ. The largest differences come first; among equal ones, the "
        "longest n-grams."
    )
    return _say_needs(columns_to_latex(columns, caption, "ngrams", headings=headings))


_COPIES = {"TSV": selection_to_tsv, "Markdown": selection_to_markdown, "LaTeX": selection_to_latex}


def write_segments(pages: SegmentPages, chosen: pd.DataFrame, form: str) -> str:
    """Write segments as TSV, Markdown or LaTeX.

    Raises
    ------
    InputError
        ``unknown-form``.
    """
    if form not in _COPIES:
        raise InputError(
            "unknown-form", f"Segments can be written as {', '.join(_COPIES)}, but {excerpt(form)} was asked for."
        )
    return _COPIES[form](pages, chosen)


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


def write_call(pages: SegmentPages, view: Mapping[str, object], seed: int | None) -> str:
    """Write the call that brings a view back; without a seed, ``rng`` stands for the Generator that was given."""
    given = [repr(pages.a), repr(pages.b)]
    given += [f"view={dict(view)!r}"] if view else []
    given += [f"runs={pages.runs!r}"] if pages.runs else []
    given += ["rng=rng" if seed is None else f"rng={seed}"]
    return f"mtw.explore_segments(outputs, statistics, {', '.join(given)})"


def segments_to_html(pages: SegmentPages, *, texts: bool = True) -> str:
    """Write the segments with the largest contributions each way as HTML, for readers without a kernel.

    Parameters
    ----------
    pages : SegmentPages
    texts : bool
        False leaves out the texts, and shows the documents in their place.
    """
    frame = pages.frame.dropna(subset="contribution").sort_values("contribution", ascending=False, kind="stable")
    about = pages.describe()
    parts = [paragraph(f"{pages.a} - {pages.b}: {about['difference']} {pages.statistics.metric.name}", bold=True)]
    metric, favoured = pages.statistics.metric, [pages.a, pages.b][:: int(sign_of(pages.statistics.metric))]
    does = [f"favour {system}" for system in favoured] if has_direction(metric) else ["raise it", "lower it"]
    for part, do in zip((frame[frame["contribution"] > 0], frame[frame["contribution"] < 0][::-1]), does, strict=True):
        shown = part.head(N_STATIC)
        if len(shown):
            caption = f"Segments that {do} most ({len(shown)} of {len(part):,} that do; {len(pages.frame):,} in all)"
            parts.append(table_to_html(_static_columns(pages, shown, texts), caption))
    return f'<div class="mtw-segments-static">{show_html(*parts)}</div>'


def _static_columns(pages: SegmentPages, shown: pd.DataFrame, with_texts: bool) -> dict[str, list[str]]:
    columns: dict[str, list[str]] = {
        "segment": [str(number) for number in shown["segment"]],
        "contribution": [Cell(signed(value, pages.digits)) for value in shown["contribution"]],
    }
    if not with_texts:
        return columns | ({"document": list(map(str, shown["document"]))} if "document" in shown else {})
    chosen = shown[list(pages.texts)]
    if len(pages.references) > 1:
        # A column per reference would push the outputs off the page.
        closest = [_find_closest(pages, position) for position in shown.index]
        heading = f"closest of {len(pages.references)} references"
        chosen = chosen.drop(columns=pages.references[1:]).assign(reference=closest)
        chosen = chosen.rename(columns={"reference": heading})
    named = _name_systems(pages, chosen)
    return columns | {
        name: [text if isinstance(text, str) else "" for text in named[name]] for name in named.columns
    }


def _find_closest(pages: SegmentPages, position: int) -> str:
    """Return the reference that has most in common with the two outputs, which the browser shows first."""
    row: dict[str, Any] = pages.rows([position])[0]
    texts = row["texts"]
    return next(("".join(text for text, _ in one["pieces"]) for one in texts if one["kind"] == "reference"), "")


def _name_systems(pages: SegmentPages, frame: pd.DataFrame) -> pd.DataFrame:
    """Name the columns of outputs by their systems, as long as that leaves no two columns with one name."""
    names = {"hypothesis": pages.a, "hypothesis_baseline": pages.b}
    renamed = frame.rename(columns=names)
    return renamed if renamed.columns.is_unique else frame
