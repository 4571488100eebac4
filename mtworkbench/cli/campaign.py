"""``mtworkbench compare --test-sets``: the table of several test sets, and what it settles."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mtworkbench.cli.options import OF_OUTPUTS, check_figure, check_output, choose_metrics, compute_texts
from mtworkbench.cli.reading import as_option

if TYPE_CHECKING:
    from mtworkbench.outputs.campaign import SetFiles
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

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
    """Add the option that names the table of a campaign."""
    parser.add_argument("--test-sets", metavar="FILE", help=f"instead of outputs: {TABLE}")


def show_for_several_sets(parser: argparse.ArgumentParser) -> None:
    """Leave out of the help of a comparison what a study of several test sets has no use for."""
    hidden = dict.fromkeys(("files", "hypotheses", *IN_TABLE, "conventions"), argparse.SUPPRESS)
    for action in parser._actions:
        action.help = (hidden | FOR_SEVERAL_SETS).get(action.dest, action.help)


def refuse_outputs(options: argparse.Namespace) -> None:
    """Refuse options that name what the table of test sets names."""
    given = next((name for name in ("files", "hypotheses", "statistics", *IN_TABLE) if getattr(options, name)), None)
    if given in ("files", "hypotheses"):
        file = (options.files or options.hypotheses)[0]
        options.usage_error(f"--test-sets names all files in a table: leave {file!r} out")
    if given == "scores":
        remedy = "save the statistics of each test set (mtworkbench statistics --scores), and give these files"
        options.usage_error(f"--test-sets reads texts, not --scores: {remedy} with --statistics")
    if given is not None:
        options.usage_error(f"--test-sets names all files in a table: leave --{as_option(given)} out")


def compute_sets(options: argparse.Namespace) -> dict[str, list[SegmentStatistics]]:
    """Compute the statistics of the test sets of a table, by their names."""
    from mtworkbench.metrics.cautions import FILES
    from mtworkbench.outputs.campaign import list_test_sets, read_sets_run_by_run
    from mtworkbench.outputs.checks.report import Report

    accept = options.accept or ()
    _check_before_work(options, list_test_sets(options.test_sets, Report(accept)))
    metrics = choose_metrics(options, None)
    sets = {}
    for files, runs in read_sets_run_by_run(options.test_sets, accept=accept):
        runs.attrs[FILES] = files.systems
        sets[files.name] = list(compute_texts(runs, metrics, of=f" of {files.name}"))
    return sets


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
    for option, column in (("unit", "document"), ("strata", "document"), ("strata", "domain")):
        without = next((one.name for one in sets if f"{column}s" not in one.labels), None)
        if getattr(options, option) == column and without is not None:
            options.usage_error(
                f"--{option} {column} needs the {column}s of the segments of every set, but set {without!r} has none: "
                f"add a column '{column}s'"
            )
