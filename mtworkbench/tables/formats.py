"""Results as text, Markdown, LaTeX, JSON or CSV: for each kind its document is built, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any

from mtworkbench.characters import printable
from mtworkbench.choices import FORMATS, OF_INSPECTIONS, OF_SEGMENTS, WITHOUT_PAPER
from mtworkbench.errors import DataWarning, InputError, ReadAs
from mtworkbench.inference.families import name_families
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.words.document import Document
from mtworkbench.words.frames import WIDTH, wrap

if TYPE_CHECKING:
    from mtworkbench.results.comparisons import AnyComparison
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

# What stands between the cells of a row.
SEPARATORS = {"csv": ",", "tsv": "\t"}
# Characters that a table of a paper may take, before it counts; every column has as many as it needs.
PAGE, UNBOUNDED = 105, 10**6


@dataclass(frozen=True)
class Kind:
    """How results of a kind are written; functions are named, because only what is asked for is imported.

    Parameters
    ----------
    build : str
        The module and function of words that lays out a result for the readers of a format: as one document or more.
    describe, rows : str
        The functions of data that return the object of JSON, given warnings, and the rows of CSV.
    formats : tuple of str
    """

    build: str
    describe: str
    rows: str
    formats: tuple[str, ...] = WITHOUT_PAPER


KINDS = {
    "Comparison": Kind("comparisons:build_comparison", "describe_metrics", "comparison_rows", FORMATS),
    "CampaignComparison": Kind("comparisons:build_comparison", "describe_metrics", "campaign_rows", FORMATS),
    "OptimizerVariance": Kind("variance:build_variances", "describe_metrics", "variance_rows", FORMATS),
    "Conventions": Kind("conventions:build_all", "describe_conventions", "conventions_rows", FORMATS),
    "test sets": Kind("conventions:build_sets", "describe_sets", "rows_of_sets", FORMATS),
    "Plan": Kind("plans:build_plans", "describe_plans", "plan_rows"),
    "Calibration": Kind("calibrations:build_calibrations", "describe_calibrations", "calibration_rows"),
    "Inspection": Kind("inspections:build_inspection", "describe_inspection", "inspection_rows", OF_INSPECTIONS),
    "ListedSegments": Kind("segments:build_segments", "describe_segments", "segment_rows", OF_SEGMENTS),
    "StudyTables": Kind("studies:build_studies", "describe_studies", "study_rows"),
}
# Of these, several are written together.
ONE_OR_SEVERAL = ("Conventions", "Plan", "Calibration", "ListedSegments", "StudyTables")


def format_result(
    result: object,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
    coloured: bool = False,
) -> str:
    """Write a result, or several of a kind, in a format.

    Parameters
    ----------
    result : object
        A Comparison, CampaignComparison, OptimizerVariance or Inspection; one or a sequence of Plan, Conventions,
        Calibration, ListedSegments or StudyTables. A mapping has the Conventions of several test sets, those of each
        set by its name: then JSON has them under these names, and CSV has the column ``test_set``.
    format : {"text", "json", "latex", "markdown", "html", "csv", "tsv"}
        Text has the headline, a table or more, what these say, and the signatures; JSON and CSV have every figure,
        unrounded. A row of CSV is a comparison (of several test sets, ``row`` says whether it is of all or of one), a
        system and metric of OptimizerVariance, a rule of Conventions and Calibration, a finding and system of
        Inspection, a draw of StudyTables; of Plan it is a number of units and of runs. ListedSegments have TSV in place
        of CSV, one row per segment. LaTeX (package booktabs) and Markdown have the tables of a paper, and what these
        say: there are none of Plan, Calibration and StudyTables. Of Inspection there is HTML in place of LaTeX.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it, and has what was read as ``read_as``.
    width : int
        Columns that a table of text may take: in a narrow one names are shortened, and the columns that are not needed
        are left out. Sentences take at most 100.
    all_columns : bool
        Whether text of a comparison has the details, too, and tables of a paper have every column, and may be wider
        than its page.
    coloured : bool
        Whether text may steer the colours of a terminal; else signs mark what differs.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and for what is no result, or an empty list (``not-a-result``).
    """
    several: Any = result
    kind = "test sets" if isinstance(result, Mapping) else _name_kind(result)
    if kind in ONE_OR_SEVERAL:
        several = [result]
    elif kind is None and isinstance(result, Iterable):
        several = list(result)
        kind = _name_kind(several[0]) if several else None
    if kind is None:
        what = "An empty list" if several == [] else f"An object of type {type(result).__name__}"
        raise InputError("not-a-result", f"{what} was given, but a result was expected, such as compare() returns.")
    of = KINDS[kind]
    check_format(format, of.formats)
    if format == "json" or format in SEPARATORS:
        return _write_data(of, several, format, warnings)
    module, name = of.build.split(":")
    build = getattr(import_module(f"mtworkbench.words.{module}"), name)
    documents: Document | list[Document] = build(several, format, all_columns=all_columns)
    room = width if format == "text" else UNBOUNDED if all_columns else PAGE
    written = (
        _write_document(one, format, room, coloured=coloured)
        for one in ([documents] if isinstance(documents, Document) else documents)
    )
    return ("\n" if format == "text" else "\n\n").join(written)


def _name_kind(result: object) -> str | None:
    """Return the kind of a result, or of what it is derived from; None if it is no result."""
    return next((one.__name__ for one in type(result).__mro__ if one.__name__ in KINDS), None)


#: The same: each kind of result has had a function of its own.
format_variance = format_plan = format_conventions = format_calibration = format_result
format_inspection = format_segments = format_study = format_result


def _write_document(document: Document, format: str, room: int, *, coloured: bool) -> str:
    write = writer(format)
    if format == "html":
        return f"{write(document)}\n"
    return write(document, room, coloured=coloured) if format == "text" else write(document, room)


def writer(format: str) -> Callable[..., str]:
    """Return the function that writes a document in a format: of the module of that name."""
    write: Callable[..., str] = getattr(import_module(f"mtworkbench.tables.{format}"), f"document_to_{format}")
    return write


def _write_data(kind: Kind, result: object, format: str, warnings: Iterable[DataWarning]) -> str:
    from mtworkbench.tables import data

    if format in SEPARATORS:
        return data.to_csv(getattr(data, kind.rows)(result), SEPARATORS[format])
    noticed = list(warnings)
    read = [one.found | {"sentence": one.message} for one in noticed if isinstance(one, ReadAs)]
    described = getattr(data, kind.describe)(result, noticed)
    return data.to_json({**described, **({"read_as": read[-1]} if read else {})})


def check_format(format: object, formats: Sequence[str]) -> None:
    """Refuse a format that is not among those that a result can be written in."""
    if format not in formats:
        raise InputError("format", f"The format {format!r} is not known: choose one of {', '.join(formats)}.")


def format_comparison(
    comparison: AnyComparison,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a comparison as a table, on one test set or several.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
        What `compare` or `compare_test_sets` returned.
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX begin with the headline; in LaTeX it is a comment without the assumptions, because the
        paragraph below it says them. Text has a table of the systems
        (of all pairs with ranks), with their differences from the baseline, or a table of differences with one row per
        claim; it then says how they are read, and ends with the signatures. Of several test sets it has for the first
        metric a table with one row per test set, too. LaTeX (package
        booktabs) and Markdown have the table of a paper: a row per system, the best first; the score and, with a
        baseline, the difference, its confidence interval and p, for the method where there are enough runs; of all
        pairs, the ranks and groups; of several test sets, also a row per test set. JSON and CSV have every figure,
        unrounded, CSV one row per comparison. Of several test sets CSV has one row per comparison for all test sets,
        and one per comparison and test set; ``row`` says which.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take: in a narrow one names are shortened, and the columns that the verdicts
        do not need are left out. Sentences take at most 100.
    all_columns : bool, default False
        Whether text also has all other columns, and what they mean; LaTeX and Markdown have these wide tables instead
        of those of a paper.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and where this is not a whole comparison (``not-a-comparison``).
    """
    if not isinstance(comparison, (Comparison, CampaignComparison)):
        raise _not_a_comparison(comparison)
    return format_result(comparison, format, warnings, width=width, all_columns=all_columns)


#: The same: what `compare_test_sets` found has had a function of its own.
format_campaign = format_comparison


def _not_a_comparison(given: object) -> InputError:
    if isinstance(given, MetricComparison):
        found = f"The results of one metric, {given.name}, were"
        hint = "pass the comparison itself, or write one metric in words with describe_comparison"
    else:
        found, hint = f"An object of type {type(given).__name__} was", "pass what compare() returned"
    return InputError("not-a-comparison", f"{found} given, but a whole comparison was expected: {hint}.", hint=hint)


def format_multeval(comparison: Comparison, *, latex: bool = False, width: int = WIDTH) -> str:
    """Write a comparison with a baseline as MultEval does.

    Scores and deviations have one decimal and p has two, as there; a p that would be 0.00 is ``<0.01``. Scores whose
    intervals are narrower than 0.1, such as those from 0 to 1, have as many decimals as in the tables of `compare`.
    MultEval 0.5.1 itself has another p with several runs: see the sentences below the table, and `conventions`.

    Parameters
    ----------
    comparison : Comparison
        With a baseline; MultEval exchanges outputs as ``exchange="run"`` does.
    latex : bool
        The table of the paper (Table 1), with a row per metric and system, instead of a row per system.
    width : int
        Columns that the sentences of a text may take; names are shortened to fit, too.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        Where all pairs were compared (code ``no-baseline``).
    """
    from mtworkbench.words.multeval import build_multeval

    document = build_multeval(comparison, latex=latex)
    return writer("latex")(document, UNBOUNDED) if latex else writer("text")(document, width)


def format_scores(statistics: Sequence[SegmentStatistics], by: str = "system", format: str = "text") -> str:
    """Write scores as text, JSON or CSV.

    Parameters
    ----------
    statistics, by
        As of `tabulate_scores`.
    format : {"text", "json", "csv"}
        Text rounds; JSON and CSV do not.

    Raises
    ------
    InputError
        ``format`` for another one, and those of `tabulate_scores`.
    """
    from mtworkbench.tables import data
    from mtworkbench.tables.text import frame_to_text
    from mtworkbench.words.scores import tabulate_scores

    check_format(format, WITHOUT_PAPER)
    frame = tabulate_scores(statistics, by)
    if format == "csv":
        return data.frame_to_csv(frame)
    if format == "json":
        return data.to_json(data.describe_scores(statistics, frame, by))
    signatures = dict(zip(name_families(statistics), (one.signature for one in statistics), strict=True))
    return "\n".join(
        f"{printable(name)}\n{frame_to_text(part.drop(columns='metric'), digits=4)}{wrap(signatures[name])}\n"
        for name, part in frame.groupby("metric", sort=False)
    )
