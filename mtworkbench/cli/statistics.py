"""``mtworkbench statistics``: the statistics of segments, computed once, into a file or one for each system."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mtworkbench.cli.options import OUTPUTS_USAGES, add_outputs, compute
from mtworkbench.cli.reading import check_outputs_named, name_repairs, say_what_was_read
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.streams import collect_notices
from mtworkbench.cli.writing import check_output
from mtworkbench.errors import InputError
from mtworkbench.writing import name_for_file

if TYPE_CHECKING:
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

PURPOSE = "save the segment statistics of outputs to a file"
USAGES = [f"{one} --output FILE [OPTION ...]" for one in ("REFERENCE OUTPUT ...", *OUTPUTS_USAGES)]
EXAMPLES = ("ref.txt base.txt new.txt --output run.stats", "ref.txt base.txt new.txt --output '{system}.stats'")
SYSTEM = "{system}"


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_files(parser)
    add_outputs(parser)
    result = parser.add_argument_group("result")
    result.add_argument(
        "--output",
        metavar="FILE",
        help="file of statistics to write; {system} in its name stands for the system: one file each",
    )
    result.add_argument(
        "--tsv",
        action="store_true",
        help="write a plain table (TSV) with one column per statistic, which other programs and mtworkbench can read",
    )


def run_statistics(options: argparse.Namespace) -> str:
    """Compute statistics of segments and save them."""
    short = take_files(options)
    check_outputs_named(options)
    if options.output is None:
        options.usage_error("--output FILE is needed: the file of statistics to write")
    with collect_notices(ignored=name_repairs(options)):
        check_output(options, options.output)
        warn_of_runs(options, short)
        statistics = compute(options)
        say_what_was_read(options, statistics)
        if SYSTEM not in options.output:
            _save(options.output, statistics, tsv=options.tsv)
            return ""
        systems = list(statistics[0])
        files = _name_files(options.output, systems)
        for system in systems:
            check_output(options, files[system])
        for system in systems:
            only = [replace(one, values={system: one.values[system]}) for one in statistics]
            _save(files[system], only, tsv=options.tsv)
    return ""


def _name_files(pattern: str, systems: Sequence[str]) -> dict[str, str]:
    """Name each system's file; what file systems do not take in names becomes an underscore."""
    files: dict[str, str] = {}
    taken: dict[str, str] = {}
    for system in systems:
        files[system] = pattern.replace(SYSTEM, name_for_file(system))
        other = taken.setdefault(files[system].casefold(), system)
        if other != system:
            problem = f"The statistics of systems {other!r} and {system!r} would both be written to {files[system]!r}"
            raise InputError("duplicate-file", f"{problem}: give the systems other names.", path=files[system])
    return files


def _save(path: str, statistics: Sequence[SegmentStatistics], *, tsv: bool) -> None:
    if not tsv:
        from mtworkbench.statistics.files import save_statistics

        return save_statistics(path, *statistics)
    from mtworkbench.tables import frame_to_csv, tabulate_statistics
    from mtworkbench.writing import replace_file

    return replace_file(path, frame_to_csv(tabulate_statistics(statistics), separator="\t"))
