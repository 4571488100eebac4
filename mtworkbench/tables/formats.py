"""Results as text, Markdown, LaTeX, JSON or CSV: for each kind its document is built, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.campaign_results import CampaignComparison
from mtworkbench.inference.comparison_results import Comparison, MetricComparison
from mtworkbench.tables.data import (
    calibration_rows,
    campaign_rows,
    comparison_rows,
    conventions_rows,
    describe_metrics,
    describe_records,
    describe_studies,
    plan_rows,
    study_rows,
    to_csv,
    to_json,
    variance_rows,
)
from mtworkbench.tables.frames import WIDTH
from mtworkbench.tables.latex import document_to_latex
from mtworkbench.tables.markdown import document_to_markdown
from mtworkbench.tables.text import document_to_text
from mtworkbench.words.document import Document

if TYPE_CHECKING:
    import pandas as pd

    from mtworkbench.inference import OptimizerVariance, Plan
    from mtworkbench.inference.calibrate import Calibration
    from mtworkbench.inference.conventions import Conventions
    from mtworkbench.words.studies import StudyTables

#: In which a comparison can be written; some results have no table of a paper.
FORMATS = ("text", "json", "latex", "markdown", "csv")
WITHOUT_PAPER = ("text", "json", "csv")
WRITERS: Mapping[str, Callable[[Document, int], str]] = {
    "text": document_to_text,
    "latex": document_to_latex,
    "markdown": document_to_markdown,
}
# Characters that a table of a paper may take, before it counts; every column has as many as it needs.
PAGE, UNBOUNDED = 105, 10**6


def write_result(
    format: str,
    *,
    describe: Callable[[], Mapping[str, object]],
    rows: Callable[[], pd.DataFrame],
    build: Callable[[str], Iterable[Document]],
    formats: Sequence[str] = FORMATS,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a result in a format.

    Parameters
    ----------
    format : str
    describe, rows, build : callable
        Return the object of JSON, the rows of CSV, and the documents for readers of a format; the one that the format
        needs is asked.
    formats : sequence of str
        Those that there are of the result.
    width : int
        Columns that text may take.
    all_columns : bool
        Whether tables of a paper may be wider than its page.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    check_format(format, formats)
    if format == "json":
        return to_json(describe())
    if format == "csv":
        return to_csv(rows())
    room = width if format == "text" else UNBOUNDED if all_columns else PAGE
    joint = "\n" if format == "text" else "\n\n"
    return joint.join(WRITERS[format](document, room) for document in build(format))


def check_format(format: object, formats: Sequence[str]) -> None:
    """Refuse a format that is not among those that a result can be written in."""
    if format not in formats:
        raise InputError("format", f"The format {format!r} is not known: choose one of {', '.join(formats)}.")


def format_comparison(
    comparison: Comparison,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a comparison as a table.

    Parameters
    ----------
    comparison : Comparison
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX begin with the headline, which in LaTeX is a comment. Text has, for each metric, a
        table of systems (from three systems on a ranking) and one of differences for each question; it then explains
        the columns, and ends with the signatures. LaTeX (package booktabs) and Markdown have the table of a paper: a
        row per system, the best first; the score and, with a baseline, the difference, its confidence interval and p,
        for the method where there are enough runs; of all pairs, the ranks and groups. JSON and CSV have every figure,
        unrounded, CSV one row per comparison.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take: in a narrow one names are shortened, and the columns that the verdicts
        do not need are left out. Sentences take at most 100.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the tables of the text instead, with every column.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and where this is not a whole comparison (``not-a-comparison``).
    """
    if not isinstance(comparison, Comparison):
        raise _not_a_comparison(comparison)
    from mtworkbench.words.comparisons import build_comparison

    return write_result(
        format,
        describe=lambda: describe_metrics(comparison, warnings),
        rows=lambda: comparison_rows(comparison),
        build=lambda form: [build_comparison(comparison, form, all_columns=all_columns)],
        width=width,
        all_columns=all_columns,
    )


def _not_a_comparison(given: object) -> InputError:
    if isinstance(given, MetricComparison):
        found = f"The results of one metric, {given.name}, were"
        hint = "pass the comparison itself, or write one metric in words with describe_comparison"
    elif isinstance(given, CampaignComparison):
        found, hint = "A comparison of several test sets was", "use format_campaign"
    else:
        found, hint = f"An object of type {type(given).__name__} was", "pass what compare() returned"
    return InputError("not-a-comparison", f"{found} given, but a whole comparison was expected: {hint}.", hint=hint)


def format_campaign(
    comparison: CampaignComparison,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write a campaign as a table.

    Parameters
    ----------
    comparison : CampaignComparison
        What `compare_test_sets` returned.
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX begin with the headline, which in LaTeX is a comment. Text has, for each metric, the
        systems; the differences of all test sets together, for new test sets and on these; and a table with one row
        per test set. LaTeX (package booktabs) and Markdown have the tables of a paper: a row per system with its
        difference, and a row per test set. JSON and CSV have every figure, unrounded. CSV has one row per comparison
        for all test sets, and one per comparison and test set; ``row`` says which.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take. Sentences take at most 100.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the tables of the text instead, with every column.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``), and where this is not a campaign (``not-a-comparison``).
    """
    if not isinstance(comparison, CampaignComparison):
        message = f"An object of type {type(comparison).__name__} was given, but what compare_test_sets() returned was "
        raise InputError("not-a-comparison", f"{message}expected; of one test set, use format_comparison.")
    from mtworkbench.words.comparisons import build_comparison

    return write_result(
        format,
        describe=lambda: describe_metrics(comparison, warnings),
        rows=lambda: campaign_rows(comparison),
        build=lambda form: [build_comparison(comparison, form, all_columns=all_columns)],
        width=width,
        all_columns=all_columns,
    )


def format_variance(
    variance: OptimizerVariance,
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
) -> str:
    """Write what `optimizer_variance` found as a table.

    Parameters
    ----------
    variance : OptimizerVariance
    format : {"text", "json", "latex", "markdown", "csv"}
        Text has a headline, a table for each metric, what the tables say, and the signatures. LaTeX (package booktabs)
        and Markdown have the table of a paper and its reading: the best system first, means and standard deviations
        alone; in LaTeX the reading is a comment. JSON and CSV have every figure, unrounded, CSV one row per system
        and metric.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take; see `format_comparison`.
    all_columns : bool, default False
        Whether LaTeX and Markdown have the ranges and median runs, too.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    from mtworkbench.words.variance import build_variance, build_variance_papers

    return write_result(
        format,
        describe=lambda: describe_metrics(variance, warnings),
        rows=lambda: variance_rows(variance),
        build=lambda form: (
            [build_variance(variance, form)] if form == "text" else build_variance_papers(variance, form, all_columns)
        ),
        width=width,
        all_columns=all_columns,
    )


def format_plan(
    plans: Plan | Sequence[Plan], format: str = "text", warnings: Iterable[DataWarning] = (), *, width: int = WIDTH
) -> str:
    """Write plans of a test set.

    Parameters
    ----------
    plans : Plan or sequence of Plan
    format : {"text", "json", "csv"}
        Text has the headline and a small table of power; JSON every figure, with the whole frame of powers; CSV that
        frame, one row per plan, number of units and number of runs.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that text may take.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    from mtworkbench.words.plans import build_plan

    several = plans if isinstance(plans, Sequence) else [plans]
    return write_result(
        format,
        describe=lambda: describe_records("plans", several, warnings),
        rows=lambda: plan_rows(several),
        build=lambda _: map(build_plan, several),
        formats=WITHOUT_PAPER,
        width=width,
    )


def format_conventions(
    conventions: Sequence[Conventions],
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
) -> str:
    """Write what the published rules say of one or several differences.

    Parameters
    ----------
    conventions : sequence of Conventions
        One per pair of systems and metric.
    format : {"text", "json", "latex", "markdown", "csv"}
        Text, Markdown and LaTeX have for each pair the headline and a row per rule, at the end what each rule asks.
        JSON and CSV have every figure, unrounded, CSV one row per pair and rule.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    from mtworkbench.words.conventions import build_conventions, build_conventions_paper

    return write_result(
        format,
        describe=lambda: {
            "comparisons" if key == "conventions" else key: value
            for key, value in describe_records("conventions", conventions, warnings).items()
        },
        rows=lambda: conventions_rows(conventions),
        build=lambda form: (
            map(build_conventions_paper, conventions) if form == "latex" else [build_conventions(conventions, form)]
        ),
        width=width,
    )


def format_calibration(
    calibrations: Sequence[Calibration],
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
) -> str:
    """Write how often rules and intervals err on a user's own data.

    Parameters
    ----------
    calibrations : sequence of Calibration
        One per metric.
    format : {"text", "json", "csv"}
        Text has the headline, a row per rule and one per kind of interval. JSON and CSV have every figure, unrounded,
        CSV one row per metric and rule.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    from mtworkbench.words.calibrations import build_calibrations

    return write_result(
        format,
        describe=lambda: describe_records("calibrations", calibrations, warnings),
        rows=lambda: calibration_rows(calibrations),
        build=lambda _: [build_calibrations(calibrations)],
        formats=WITHOUT_PAPER,
        width=width,
    )


def format_study(
    found: Sequence[StudyTables], format: str = "text", warnings: Iterable[DataWarning] = (), *, width: int = WIDTH
) -> str:
    """Write what a study has counted.

    Parameters
    ----------
    found : sequence of StudyTables
        One per metric.
    format : {"text", "json", "csv"}
        Text and JSON have the tables; CSV has what they were made of, one row per draw, unrounded.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a sentence may take.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    from mtworkbench.words.studies import build_studies

    return write_result(
        format,
        describe=lambda: describe_studies(found, warnings),
        rows=lambda: study_rows(found),
        build=lambda _: [build_studies(found)],
        formats=WITHOUT_PAPER,
        width=width,
    )


def format_multeval(comparison: Comparison, *, latex: bool = False, width: int = WIDTH) -> str:
    """Write a comparison with a baseline as MultEval does.

    Scores and deviations have one decimal and p has two, as there; a p that would be 0.00 is ``<0.01``. Scores whose
    intervals are narrower than 0.1, such as those from 0 to 1, have as many decimals as in the tables of `compare`.
    Where MultEval 0.5.1 itself has another p, that is an error of MultEval: see the sentence below the table.

    Parameters
    ----------
    comparison : Comparison
        With a baseline; MultEval's p is that of ``exchange="run"``.
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
    return document_to_latex(document, UNBOUNDED) if latex else document_to_text(document, width)
