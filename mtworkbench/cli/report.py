"""``mtworkbench report``: a comparison as one file, which a reviewer can read and check."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from mtworkbench.cli import compare
from mtworkbench.cli.reading import read_named_outputs
from mtworkbench.cli.streams import collect_notices
from mtworkbench.cli.writing import list_inputs
from mtworkbench.errors import DataWarning

if TYPE_CHECKING:
    import pandas as pd

    from mtworkbench.cli.parser import Parser
    from mtworkbench.reports import Report
    from mtworkbench.results.comparisons import AnyComparison

PURPOSE = "compare systems, and write one file that a reviewer can read and check"
USAGES = compare.USAGES
FORMATS = ("html", "json")
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --output report.html --output report.json",
    "--statistics run.stats --output supplement.html",
)
USUAL = "report.html"


def add(parser: Parser) -> None:
    """Add the arguments."""
    parser.rare -= {"--no-texts"}
    compare.add(parser, FORMATS)
    parser.set_defaults(format_report=True)


def run_report(options: argparse.Namespace) -> str:
    """Compare systems, and write the report."""
    options.output = options.output or [USUAL]
    compare.run_compare(options)
    return "".join(f"{file}\n" for file in options.output)


def report_writer(
    options: argparse.Namespace, comparison: AnyComparison, notices: Sequence[DataWarning]
) -> Callable[[str], str]:
    """Return what writes a report in a format: it is gathered once for all formats."""
    from mtworkbench.reports.report import write_as

    gather = cache(partial(gather_report, options, comparison, notices))
    return lambda format: write_as(gather(), format)


def gather_report(options: argparse.Namespace, comparison: AnyComparison, notices: Sequence[DataWarning]) -> Report:
    """Gather what a report holds, with what is needed to make it again."""
    from mtworkbench.reports.report import make_report

    seed = [] if "--rng" in options.arguments else ["--rng", str(comparison.settings.random_key.named)]
    return make_report(
        comparison,
        None if options.statistics else read_texts(options),
        texts=not options.no_texts,
        warnings=notices,
        command=[*options.arguments, *seed],
        files=list_files(options),
    )


def read_texts(options: argparse.Namespace) -> pd.DataFrame | Mapping[str, pd.DataFrame] | None:
    """Read the texts that were compared, of several test sets by the names of these; None where there are none."""
    with collect_notices(shown=False):  # the first reading has said them
        if options.test_sets is None:
            outputs = read_named_outputs(options)
            return outputs if "hypothesis" in outputs else None
        from mtworkbench.outputs.campaign import read_campaign

        sets = read_campaign(options.test_sets, systems=options.systems, accept=options.accept or ())
        if not options.repair:
            return sets
        from mtworkbench.outputs.repairs import repair_outputs

        return {name: repair_outputs(one, options.repair) for name, one in sets.items()}


def list_files(options: argparse.Namespace) -> list[str]:
    """Return the files that were read."""
    if options.test_sets is None:
        return list_inputs(options)
    from mtworkbench.outputs.campaign import list_test_sets
    from mtworkbench.outputs.checks.report import Report

    sets = list_test_sets(options.test_sets, Report(options.accept or ()), options.systems)
    return [options.test_sets, *dict.fromkeys(file for one in sets for file in one.files)]
