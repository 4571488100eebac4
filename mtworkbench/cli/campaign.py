"""``mtworkbench compare`` on several test sets: from the table of a campaign, or from files of statistics."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from mtworkbench.cli.options import (
    OF_OUTPUTS,
    check_figure,
    check_output,
    choose_metrics,
    compute_texts,
    text_width,
    write_result,
)
from mtworkbench.cli.reading import as_option
from mtworkbench.cli.streams import collect_notices, make_bar
from mtworkbench.errors import DataWarning

if TYPE_CHECKING:
    from mtworkbench.inference.campaign_results import CampaignComparison
    from mtworkbench.outputs.campaign import SetFiles
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

# Of what compare takes, with its usual values, what several test sets have no use for.
OF_ONE_SET = {
    "strata": None,
    "block_length": None,
    "adjust": "holm",
    "family": "metric",
    "margin": None,
    "runs": "separate",
    "conventions": False,
}
TABLE = (
    "a table (.tsv) of several test sets on which the same systems are compared; it has one row per set and system and "
    "the columns set, reference, system, files (also source, documents, domains); paths are relative to the table"
)
# What the help of a command says that always has several test sets.
FOR_SEVERAL_SETS = {
    "test_sets": TABLE,
    "statistics": "instead of a table: files of saved statistics that hold at least two test sets together",
    "baseline": "compare every other system with this one (default: all pairs)",
}
# What a table of files settles for each test set.
IN_TABLE = [name for name in OF_OUTPUTS if name not in ("accept", "metric", "tokenize", "lowercase")]


def add_test_sets(parser: argparse.ArgumentParser) -> None:
    """Add the option that names the table of a campaign, and say what cannot be combined with it."""
    *names, last = [f"--{as_option(name)}" for name in OF_ONE_SET]
    parser.add_argument(
        "--test-sets",
        metavar="FILE",
        help=f"instead of outputs: {TABLE}. {', '.join(names)} and {last} apply to one test set only",
    )


def show_for_several_sets(parser: argparse.ArgumentParser) -> None:
    """Leave out of the help of a comparison what is refused for several test sets."""
    hidden = dict.fromkeys(("files", "hypotheses", *IN_TABLE, *OF_ONE_SET), argparse.SUPPRESS)
    for action in parser._actions:
        action.help = (hidden | FOR_SEVERAL_SETS).get(action.dest, action.help)


def run_campaign(options: argparse.Namespace) -> str:
    """Compare systems on the test sets of a table; return what goes to standard output."""
    given = next((name for name in ("files", "hypotheses", "statistics", *IN_TABLE) if getattr(options, name)), None)
    if given in ("files", "hypotheses"):
        file = (options.files or options.hypotheses)[0]
        options.usage_error(f"--test-sets names all files in a table: leave {file!r} out")
    if given == "scores":
        remedy = "save the statistics of each test set (mtworkbench statistics --scores), and give these files"
        options.usage_error(f"--test-sets reads texts, not --scores: {remedy} with --statistics")
    if given is not None:
        options.usage_error(f"--test-sets names all files in a table: leave --{as_option(given)} out")
    refuse_options_of_one_set(options)
    with collect_notices(shown=options.format != "json") as notices:
        from mtworkbench.metrics.long_segments import FILES
        from mtworkbench.outputs.campaign import list_test_sets, read_sets_run_by_run
        from mtworkbench.outputs.checks.report import Report

        accept = options.accept or ()
        _check_before_work(options, list_test_sets(options.test_sets, Report(accept)))
        metrics = choose_metrics(options, None)
        sets = {}
        for files, runs in read_sets_run_by_run(options.test_sets, accept=accept):
            runs.attrs[FILES] = files.systems
            sets[files.name] = compute_texts(runs, metrics, of=f" of {files.name}")
        return compare_sets(options, sets, notices)


def _check_before_work(options: argparse.Namespace, sets: Sequence[SetFiles]) -> None:
    """Refuse what could be known to be wrong before the work."""
    read = [options.test_sets, *(file for one in sets for file in one.files)]
    if options.output is not None:
        check_output(options, read)
    if options.figure is not None:
        check_figure(options, read)
    systems = list(sets[0].systems)
    if options.baseline is not None and options.baseline not in systems:
        known = ", ".join(map(repr, systems))
        options.usage_error(f"the baseline {options.baseline!r} is not among the systems: name one of {known}")
    without = next((one.name for one in sets if "documents" not in one.labels), None)
    if options.unit == "document" and without is not None:
        options.usage_error(
            f"--unit document needs the documents of the segments of every set, but set {without!r} has none: add a "
            "column 'documents'"
        )


def refuse_options_of_one_set(options: argparse.Namespace) -> None:
    """Refuse options that a comparison over several test sets has no use for."""
    unused = next((name for name, usual in OF_ONE_SET.items() if getattr(options, name) != usual), None)
    if unused is not None:
        options.usage_error(f"--{as_option(unused)} applies to one test set, but several are compared: leave it out")


def compare_sets(
    options: argparse.Namespace,
    sets: Mapping[str, Sequence[SegmentStatistics]],
    notices: Sequence[DataWarning],
) -> str:
    """Compare systems on several test sets; return what goes to standard output."""
    from mtworkbench.inference.campaigns import compare_test_sets
    from mtworkbench.tables import format_campaign

    refuse_options_of_one_set(options)
    comparison = compare_test_sets(
        sets,
        options.baseline,
        unit=options.unit,
        exchange=options.exchange,
        interval=options.interval,
        n_resamples=options.resamples,
        n_trials=options.trials,
        level=options.level,
        rng=options.rng,
        progress=make_bar("drawing", "draw") if options.study is None else None,
        study=options.study,
    )
    table = format_campaign(
        comparison, options.format, notices, width=text_width(options), all_columns=options.all_columns
    )
    if options.figure is not None:
        _draw_figure(comparison, options.figure)
    return write_result(options, table)


def _draw_figure(comparison: CampaignComparison, path: str) -> None:
    """Draw a campaign for a paper."""
    from mtworkbench.exports import write_figure
    from mtworkbench.plots import draw_campaign, style

    with style("paper"):
        write_figure(draw_campaign(comparison), path)
