"""Results as text, Markdown, LaTeX, JSON or CSV: for each kind its document is built, and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

from mtworkbench.characters import printable
from mtworkbench.errors import DataWarning, InputError, ReadAs
from mtworkbench.inference.families import name_families
from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.segments import ListedSegments
from mtworkbench.words.document import Document
from mtworkbench.words.frames import WIDTH, wrap

if TYPE_CHECKING:
    from mtworkbench.inference import OptimizerVariance, Plan
    from mtworkbench.inference.calibrate import Calibration
    from mtworkbench.inference.conventions import Conventions
    from mtworkbench.results.inspections import Inspection
    from mtworkbench.statistics.segment_statistics import SegmentStatistics
    from mtworkbench.words.studies import StudyTables

#: In which a comparison can be written; some results have no table of a paper.
FORMATS = ("text", "json", "latex", "markdown", "csv")
OF_SEGMENTS = ("text", "json", "latex", "markdown", "tsv")
OF_INSPECTIONS = ("text", "json", "markdown", "html", "csv")
WITHOUT_PAPER = ("text", "json", "csv")
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
    "comparison": Kind("comparisons:build_comparison", "describe_metrics", "comparison_rows", FORMATS),
    "campaign": Kind("comparisons:build_comparison", "describe_metrics", "campaign_rows", FORMATS),
    "variance": Kind("variance:build_variances", "describe_metrics", "variance_rows", FORMATS),
    "conventions": Kind("conventions:build_all", "describe_conventions", "conventions_rows", FORMATS),
    "conventions of sets": Kind("conventions:build_sets", "describe_sets", "rows_of_sets", FORMATS),
    "plans": Kind("plans:build_plans", "describe_plans", "plan_rows"),
    "calibrations": Kind("calibrations:build_calibrations", "describe_calibrations", "calibration_rows"),
    "inspection": Kind("inspections:build_inspection", "describe_inspection", "inspection_rows", OF_INSPECTIONS),
    "segments": Kind("segments:build_segments", "describe_segments", "segment_rows", OF_SEGMENTS),
    "studies": Kind("studies:build_studies", "describe_studies", "study_rows"),
}


def write_result(
    kind: str,
    result: object,
    format: str,
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    all_columns: bool = False,
    coloured: bool = False,
) -> str:
    """Write a result in a format.

    Parameters
    ----------
    kind : str
        Of ``KINDS``.
    result : object
    format : str
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it, and has what was read as ``read_as``.
    width : int
        Columns that text may take.
    all_columns : bool
        Whether tables of a paper have every column, and may be wider than its page.
    coloured : bool
        Whether text may steer the colours of a terminal.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    of = KINDS[kind]
    check_format(format, of.formats)
    if format == "json" or format in SEPARATORS:
        return _write_data(of, result, format, warnings)
    module, name = of.build.split(":")
    build = getattr(import_module(f"mtworkbench.words.{module}"), name)
    documents: Document | list[Document] = build(result, format, all_columns=all_columns)
    room = width if format == "text" else UNBOUNDED if all_columns else PAGE
    several = [documents] if isinstance(documents, Document) else documents
    written = (_write_document(one, format, room, coloured=coloured) for one in several)
    return ("\n" if format == "text" else "\n\n").join(written)


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
        Text, Markdown and LaTeX begin with the headline; in LaTeX it is a comment without the assumptions, because the
        paragraph below it says them. Text has a table of the systems
        (of all pairs with ranks), with their differences from the baseline, or a table of differences with one row per
        claim; it then says how they are read, and ends with the signatures. LaTeX (package
        booktabs) and Markdown have the table of a paper: a row per system, the best first; the score and, with a
        baseline, the difference, its confidence interval and p, for the method where there are enough runs; of all
        pairs, the ranks and groups. JSON and CSV have every figure, unrounded, CSV one row per comparison.
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
    if not isinstance(comparison, Comparison):
        raise _not_a_comparison(comparison)
    return write_result("comparison", comparison, format, warnings, width=width, all_columns=all_columns)


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
        Text, Markdown and LaTeX begin with the headline, in LaTeX as `format_comparison` has it. Text has the systems;
        the differences of all test sets together, for new test sets and on these; and, for the first metric, a table
        with one row per test set. LaTeX (package booktabs) and Markdown have the tables of a paper: a row per system
        with its difference, and a row per test set. JSON and CSV have every figure, unrounded. CSV has one row per
        comparison for all test sets, and one per comparison and test set; ``row`` says which.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take. Sentences take at most 100.
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
        For another format (code ``format``), and where this is not a campaign (``not-a-comparison``).
    """
    if not isinstance(comparison, CampaignComparison):
        message = f"An object of type {type(comparison).__name__} was given, but what compare_test_sets() returned was "
        raise InputError("not-a-comparison", f"{message}expected; of one test set, use format_comparison.")
    return write_result("campaign", comparison, format, warnings, width=width, all_columns=all_columns)


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
    return write_result("variance", variance, format, warnings, width=width, all_columns=all_columns)


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
    several = plans if isinstance(plans, Sequence) else [plans]
    return write_result("plans", several, format, warnings, width=width)


def format_conventions(
    conventions: Sequence[Conventions] | Mapping[str, Sequence[Conventions]],
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
) -> str:
    """Write what the published rules say of one or several differences.

    Parameters
    ----------
    conventions : sequence of Conventions, or mapping of str to these
        One per pair of systems and metric; of several test sets, those of each set by its name: then JSON has them
        under these names, and CSV has the column ``test_set``.
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
    kind = "conventions of sets" if isinstance(conventions, Mapping) else "conventions"
    return write_result(kind, conventions, format, warnings, width=width)


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
        One per pair of systems and metric.
    format : {"text", "json", "csv"}
        Text has the headline, a row per rule and one per kind of interval. JSON and CSV have every figure, unrounded,
        CSV one row per pair, metric and rule.
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
    return write_result("calibrations", calibrations, format, warnings, width=width)


def format_inspection(
    inspection: Inspection, format: str = "text", warnings: Iterable[DataWarning] = (), *, width: int = WIDTH
) -> str:
    """Write what the checks noticed in outputs.

    Parameters
    ----------
    inspection : Inspection
    format : {"text", "json", "markdown", "html", "csv"}
        Text, Markdown and HTML have a row per system and a column per check that noticed something, the lines to look
        at, and a sentence per finding. JSON and CSV have every finding, CSV one row per finding and system.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that a table of text may take: in a narrow one, findings are rows.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    return write_result("inspection", inspection, format, warnings, width=width)


def format_segments(
    found: ListedSegments | Sequence[ListedSegments],
    format: str = "text",
    warnings: Iterable[DataWarning] = (),
    *,
    width: int = WIDTH,
    coloured: bool = False,
) -> str:
    """Write which segments make a difference.

    Parameters
    ----------
    found : ListedSegments or sequence of ListedSegments
        Of one metric, or of several.
    format : {"text", "json", "latex", "markdown", "tsv"}
        Text and LaTeX have the texts of each segment below each other, marked where they differ; Markdown has a row per
        segment. All three have the headline, the buckets and the n-grams, too. JSON has every figure, unrounded; TSV
        has one row per segment listed.
    warnings : iterable of DataWarning, optional
        What was noticed while reading: JSON lists it.
    width : int
        Columns that text may take.
    coloured : bool
        Whether text is for a terminal that shows colours; else signs mark what differs.

    Returns
    -------
    str
        Ends with a line break.

    Raises
    ------
    InputError
        For another format (code ``format``).
    """
    several = [found] if isinstance(found, ListedSegments) else found
    return write_result("segments", several, format, warnings, width=width, coloured=coloured)


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
    return write_result("studies", found, format, warnings, width=width)


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
