"""The page of a report: one file of HTML that opens from disk, without a network and without a kernel."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mtworkbench.plots import draw_comparison, style
from mtworkbench.plots.words import describe_figure, make_image, shrink, write_picture
from mtworkbench.reports.segments import segments_to_html, write_scripts
from mtworkbench.shown import look
from mtworkbench.tables import format_comparison, write_bibtex
from mtworkbench.tables.html import (
    bullets,
    clean,
    document_to_html,
    fold,
    paragraph,
    show_html,
    show_result,
    side_by_side,
    table_to_html,
)
from mtworkbench.words.document import Document, Section
from mtworkbench.words.frames import Cell, with_minus
from mtworkbench.words.paragraphs import describe_comparison
from mtworkbench.words.reports import advise, introduce_rules, name_rules, title_report

if TYPE_CHECKING:
    from mtworkbench.reports.report import Report

LOOKS = Path(__file__).with_name("report.css")
#: How a page begins, and the element that holds the report for programs.
BEGINNING = '<!DOCTYPE html>\n<html lang="en">\n'
DATA = '<script type="application/json" id="mtworkbench-report">'


def write_page(report: Report, written: Mapping[str, Any]) -> str:
    """Write a report as a page.

    Parameters
    ----------
    report : Report
    written : mapping
        The same report as the object that programs read.
    """
    title = clean(title_report(report.comparison))
    sections = "".join(
        f'<section id="{name}"><h2>{heading}</h2>{inside}</section>'
        for name, heading, inside in list_sections(report)
        if inside
    )
    # What could end the element is written as an escape, which JSON reads as the same.
    data = json.dumps({**written, "segments": None}, allow_nan=False).replace("<", "\\u003c")
    return (
        f'{BEGINNING}<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; img-src data:; '
        "style-src 'unsafe-inline'; script-src 'unsafe-inline'\">\n"
        f"<title>{title}</title>\n<style>\n{LOOKS.read_text(encoding='utf-8')}</style>\n</head>\n"
        f"<body>\n<main>\n<h1>{title}</h1>\n{sections}\n</main>\n{DATA}{data}</script>\n</body>\n</html>\n"
    )


def list_sections(report: Report) -> Iterator[tuple[str, str, str]]:
    """Write the sections of a page: each has a name, a heading and HTML, which is empty where there is nothing."""
    comparison = report.comparison
    yield "result", "Result", show_result(comparison)
    yield "figure", "Figure", _draw(report)
    yield "advice", "What would help", show_html(bullets(advise(comparison, report.plans)))
    yield "sentences", "Which sentences", "".join(_show_sentences(report))
    yield "rules", "What the rules of other tools say", "".join(_show_rules(report))
    yield "paper", "For a paper", _write_for_paper(report)
    yield "check", "How to check this report", _say_how_to_check(report)


def _draw(report: Report) -> str:
    with style("screen"):
        figure = draw_comparison(report.comparison)
        return make_image(shrink(write_picture(figure)), figure, describe_figure(figure))


def _show_sentences(report: Report) -> Iterator[str]:
    for test_set, segments in report.segments:
        shown = segments_to_html(segments)
        yield fold(test_set, shown) if test_set else shown
    if report.segments:
        yield write_scripts()


def _show_rules(report: Report) -> Iterator[str]:
    if report.rules and (said := introduce_rules(report.comparison, len(report.rules))):
        yield show_html(paragraph(said))
    asked = dict[str, Section]()
    for test_set, found in report.rules:
        document = look(found, "document")
        asked |= {str(one): one for one in document.details}
        # The line that is folded away under says the first sentence; what the rules ask is below, once.
        notes = [*document.headline[1:], *document.notes]
        rest = replace(document, headline=(), details=(), notes=notes)
        yield fold(with_minus(name_rules(found, test_set)), document_to_html(rest))
    if asked:
        yield document_to_html(Document(details=list(asked.values())))


def _write_for_paper(report: Report) -> str:
    comparison = report.comparison
    latex = format_comparison(comparison, "latex")
    parts = {"Sources, as BibTeX": write_bibtex(comparison), "Table and paragraph, as LaTeX": latex}
    folds = side_by_side(*(fold(heading, _code(text)) for heading, text in parts.items()))
    return show_html(paragraph(with_minus(describe_comparison(comparison))), folds)


def _say_how_to_check(report: Report) -> str:
    parts = [paragraph(one) for one in _list_steps(report)]
    if report.command:
        parts.append(_code(f"mtworkbench {shlex.join(report.command)}"))
    if report.files:
        columns: dict[str, list[str]] = {
            "file": [one.path for one in report.files],
            "bytes": [Cell(f"{one.n_bytes:,}") for one in report.files],
            "sha256": [one.sha256 for one in report.files],
        }
        parts.append(table_to_html(columns, "Files that were read"))
    parts.append(fold("What was noticed in the data", bullets(map(str, report.warnings))))
    return show_html(*parts)


def _list_steps(report: Report) -> Iterable[str]:
    yield (
        "The command mtworkbench verify, with the name of this file, computes the result again from the statistics of "
        "the segments, which this file holds, and says whether it is the same. No program can check where outputs come "
        "from, whether runs or systems were left out, or whether the metric measures what people call quality."
    )
    if report.command:
        yield (
            "If the files below are in the same folder, everything is computed from them. Only then are the texts of "
            "the segments checked, too. This command made the report:"
        )


def _code(text: str) -> str:
    lines = "\n".join(map(clean, text.rstrip("\n").split("\n")))
    return f'<pre class="mtw-code" tabindex="0">{lines}</pre>'
