"""The figures and tables of the papers, and the comparison, of the reader's own systems: ``mtworkbench figures``."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd
from matplotlib import pyplot as plt

from mtworkbench.errors import InputError
from mtworkbench.exports import save_figure, save_table
from mtworkbench.inference import compare
from mtworkbench.inference.families import name_families
from mtworkbench.inference.units import choose_by_documents
from mtworkbench.papers.clark2011 import figures_of_own_data as clark2011
from mtworkbench.papers.common.figures_of_own_data import OwnData, Piece
from mtworkbench.papers.common.systems import describe_left_out, keep_common
from mtworkbench.papers.koehn2004 import figures_of_own_data as koehn2004
from mtworkbench.plots import draw_comparison, style
from mtworkbench.plots.words import describe_figure
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, resolve_rng
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.tables import format_comparison, show_table
from mtworkbench.tables.html import bullets, clean, paragraph, show_html
from mtworkbench.version import __version__
from mtworkbench.wording import grouped, listed
from mtworkbench.words.lines import join_lines
from mtworkbench.writing import move_files, replace_file

#: The page that says what each file shows.
INDEX = "index.html"
#: What is about one system at a time has all segments that this system has a score for, as the comparison's scores.
OF_EACH_SYSTEM = (
    "Only Figure 5 and Table 2 of Koehn (2004) and Table 1 of Clark et al. (2011) have all segments that a system has "
    "a score for. So a system may have another score in the other figures and tables than in the comparison."
)
BY_SEGMENT = (
    "The comparison draws documents. The figures and tables of the papers draw and swap segments, as the papers do, "
    "unless they name documents. So s_sel and p differ from those of the comparison."
)
PAPERS = {"Koehn (2004), ": koehn2004, "Clark et al. (2011), ": clark2011}
_LOOK = (
    "body{font:16px/1.5 system-ui,sans-serif;color:#222;background:#fff;max-width:60em;margin:2em auto;padding:0 1em}"
    "img{max-width:min(100%,40em);height:auto}h2{margin-top:2.5em}"
)


@dataclass(frozen=True)
class OwnFigures:
    """What was drawn of own data, and what was not.

    Parameters
    ----------
    written : dict of str to str
        By the names of files without their endings: what they show.
    left_out : list of str
        Sentences: what could not be drawn, and why.
    notes : list of str
        Sentences: which segments, and which units, the papers' figures and tables are of, where the comparison has
        others.
    """

    written: dict[str, str]
    left_out: list[str]
    notes: list[str]


@dataclass(frozen=True)
class _Task:
    """Something to be drawn.

    Parameters
    ----------
    paper : str
        "Koehn (2004), "; empty for the comparison.
    place : str
        What is drawn of the paper: "Figures 2 and 3".
    draw : callable
    data : OwnData
    metric, suffix : str
        What ends the names of figures, and those of their files, where there are several metrics.
    """

    paper: str
    place: str
    draw: Callable[[OwnData], Iterator[Piece]]
    data: OwnData
    metric: str = ""
    suffix: str = ""

    def name(self, place: str) -> str:
        """Name a figure or table with its paper and metric."""
        return f"{self.paper}{place}{self.metric and f', {self.metric}'}"


def write_own_figures(
    families: Sequence[SegmentStatistics],
    outputs: pd.DataFrame | None = None,
    *,
    baseline: str | None = None,
    folder: str | os.PathLike[str] = "figures",
    progress: Progress | None = None,
    rng: RngLike = None,
) -> OwnFigures:
    """Draw the figures and tables of both papers of own systems, and their comparison, into a folder.

    Figures are PDF, SVG and PNG with their numbers as CSV, tables are CSV and LaTeX; ``index.html`` says what each file
    shows. With several metrics, the names of files end with the metric. What the data does not allow (one run, few
    segments, no texts, a metric without a direction) is left out, and named.

    Parameters
    ----------
    families : sequence of SegmentStatistics
        One per metric, of the same systems.
    outputs : DataFrame, optional
        Their texts, for Figure 1 of Koehn (2004).
    baseline : str, optional
        Of the comparison, which has all pairs without it; system A of Clark et al. (2011).
    folder : path
        Made where it is missing. Nothing is written before everything has been drawn; files of the same names are
        replaced, others are left.
    progress : callable, optional
        Wraps what is drawn, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    OwnFigures

    Raises
    ------
    InputError
        Where nothing can be drawn (code ``"nothing-drawn"``), or the folder cannot be written to (``"cannot-write"``).
    """
    random_key = resolve_rng(rng)
    tasks = _list_tasks(OwnData(families, outputs, baseline, random_key))
    with tempfile.TemporaryDirectory() as scratch, style("paper"):
        written, left_out, pages = _draw(progress(tasks) if progress else tasks, Path(scratch))
        made = OwnFigures(written, left_out, _describe_differences_from_comparison(families))
        if not pages:
            raise InputError("nothing-drawn", f"Nothing can be drawn of this data. {' '.join(made.left_out)}")
        seed = f"Seed: --rng {random_key.seed}; mtworkbench {__version__}."
        replace_file(Path(scratch) / INDEX, _write_page(pages, made, seed))
        move_files(scratch, folder, last=INDEX)
    return made


def _draw(tasks: Iterable[_Task], folder: Path) -> tuple[dict[str, str], list[str], list[str]]:
    """Write the files of all figures and tables; return what they are, what is left out, and the parts of the page."""
    pages: list[str] = []
    written: dict[str, str] = {}
    missing: list[tuple[tuple[str, str], _Task]] = []
    for task in tasks:
        try:
            for piece in task.draw(task.data):
                pages.append(_write_piece(piece, task, folder))
                written[f"{piece.stem}{task.suffix}"] = join_lines(piece.sentence)
        except InputError as error:
            plt.close("all")  # a plot that was begun would be the background of the next one
            missing.append(((str(error), task.paper), task))
    left_out = [f"{paper}{_name_places(left)}: {reason}" for (reason, paper), left in grouped(missing).items()]
    return written, left_out, pages


def _list_tasks(data: OwnData) -> list[_Task]:
    """List what is to be drawn, in the order of the papers: the comparison, then both papers, metric by metric."""
    named = dict(zip(name_families(data.families), data.families, strict=True))
    suffixes, kept = _name_files(named), {name: keep_common(family) for name, family in named.items()}
    tasks = [_Task("", "Comparison", _compare, data)]
    for paper, module in PAPERS.items():
        tasks += [_Task(paper, place, draw, data) for place, draw in module.OF_ALL_METRICS.items()]
        for name, family in named.items():
            own, ends = (
                replace(data, families=[kept[name]], given=family),
                (name, suffixes[name]) if len(named) > 1 else (),
            )
            tasks += [_Task(paper, place, draw, own, *ends) for place, draw in module.OF_EACH_METRIC.items()]
    return tasks


def _name_files(metrics: Iterable[str]) -> dict[str, str]:
    """Give each metric what ends the names of its files; where two would be the same, they are numbered."""
    suffixes: dict[str, str] = {}
    for number, name in enumerate(metrics, start=1):
        plain = "_" + re.sub("[^A-Za-z0-9]+", "-", name.replace("+", "p")).strip("-")[:60]
        is_taken = plain.casefold() in [one.casefold() for one in suffixes.values()]
        suffixes[name] = f"{plain}_{number}" if is_taken or plain == "_" else plain
    return suffixes


def _compare(data: OwnData) -> Iterator[Piece]:
    """Compare the systems, and give what ``mtworkbench compare`` gives: figure, LaTeX and CSV."""
    comparison = compare(data.families, data.baseline, rng=data.random_key)
    texts = {ending: format_comparison(comparison, name) for ending, name in (("csv", "csv"), ("tex", "latex"))}
    yield Piece(
        "comparison",
        "Comparison",
        " ".join(comparison.headline),
        comparison.to_frame(),
        draw_comparison(comparison),
        texts=texts,
        html=comparison._repr_html_(),
    )


def _write_piece(piece: Piece, task: _Task, folder: Path) -> str:
    """Write the files of a figure or table; return its part of the page."""
    stem, said = f"{piece.stem}{task.suffix}", join_lines(piece.sentence)
    alt, html = "", piece.html
    if piece.drawn is None:
        save_table(piece.frame, stem, arranged=piece.arranged, caption=said, digits=piece.digits, folder=folder)
        html = show_table(piece.frame if piece.arranged is None else piece.arranged, digits=piece.digits)._repr_html_()
    else:
        figure = piece.drawn.figure.canvas.figure
        save_figure(figure, stem, frame=piece.frame, folder=folder)
        alt = describe_figure(figure)
        plt.close(figure)
    for ending, text in piece.texts.items():
        replace_file(folder / f"{stem}.{ending}", text)
    files = sorted(file.name for file in folder.glob(f"{stem}.*"))
    links = ", ".join(f'<a href="{name}">{name}</a>' for name in files)
    image = f'<p><img src="{stem}.png" alt="{clean(alt)}"></p>' if piece.drawn is not None else ""
    head = f"<h2>{clean(task.name(piece.place))}</h2>{'' if piece.html else paragraph(said)}"
    return f"{head}{image}{html}<p>Files: {links}</p>\n"


def _describe_differences_from_comparison(families: Sequence[SegmentStatistics]) -> list[str]:
    """Say where the figures and tables of the papers are not of what the comparison is of: other segments or units."""
    notes = [said for one in families if (said := describe_left_out(one))]
    if notes:
        notes.append(OF_EACH_SYSTEM)
    if choose_by_documents(families[0].test_set.n_documents) == "document":
        notes.append(BY_SEGMENT)
    return notes


def _write_page(pages: Sequence[str], made: OwnFigures, seed: str) -> str:
    """Write the page that shows everything, and says what is missing."""
    title = "Figures and tables"
    head = f'<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>'
    missing = f"<h2>Left out</h2>{show_html(bullets(made.left_out))}" if made.left_out else ""
    notes = show_html(bullets(made.notes)) if made.notes else ""
    body = f"<h1>{title}</h1>\n{notes}{''.join(pages)}{missing}{paragraph(seed)}"
    return f'<!DOCTYPE html>\n<html lang="en"><head>{head}<style>{_LOOK}</style></head><body>{body}</body></html>\n'


def _name_places(tasks: Sequence[_Task]) -> str:
    """Name what is left out of a paper, with the metrics."""
    metrics = grouped((task.place, task.metric) for task in tasks)
    return listed(f"{place} ({listed(left)})" if any(left) else place for place, left in metrics.items())
