"""``mtworkbench study``: long work that goes on where it stopped, in several processes or on a Dask cluster."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import TYPE_CHECKING

from mtworkbench.choices import WITHOUT_PAPER
from mtworkbench.cli import calibrate, compare
from mtworkbench.cli.options import (
    SOURCES_USAGES,
    add_command,
    add_shared,
    add_sources,
    choose_key,
    read_statistics,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import refuse_single
from mtworkbench.cli.streams import collect_notices, make_lines, mention
from mtworkbench.cli.values import whole_number
from mtworkbench.cli.writing import add_result, check_written, is_json_alone, write_result

if TYPE_CHECKING:
    from mtworkbench.cli.parser import Parser

PURPOSE = "long work that goes on where it stopped, with several workers"
USAGES = ("NAME [ARGUMENT ...]",)
EXAMPLES = ("calibration ref.txt base.txt new.txt --workers 4", "clark-nulls --repetitions 20 --folder nulls")
# Headings of tests in a table of text.
SHORT = {"exchange by unit": "by unit", "exchange by run": "by run", "t-test on runs": "t-test"}
OUTPUTS = with_options("REFERENCE OUTPUT ...", *SOURCES_USAGES)
TABLES = "how to write the tables (csv: every draw)"


def add(study: Parser) -> None:
    """Add one command for each study."""
    study.set_defaults(command=lambda _: study.format_help())
    names = study.add_subparsers(title="studies", metavar="NAME", prog=study.prog)
    add_one(
        names,
        "calibration",
        calibrate.run_calibrate,
        calibrate.PURPOSE,
        OUTPUTS,
        ["ref.txt base.txt new.txt --workers 4", "--statistics run.stats --repetitions 2000 --folder study"],
        calibrate.add,
    )
    add_one(
        names,
        "campaign",
        run_sets,
        "compare systems on several test sets, as compare does",
        with_options("--test-sets FILE", "--statistics FILE FILE ..."),
        ["--test-sets campaign.tsv --baseline base --workers 4"],
        add_campaign,
    )
    add_one(
        names,
        "koehn-tables",
        run_koehn,
        "how often the paired bootstrap is right about all pairs of systems: Tables 3 and 4 of Koehn (2004)",
        OUTPUTS,
        ["ref.txt sys/* --workers 4", "--statistics run.stats --sizes 100 300 --rng 1"],
        add_koehn,
    )
    add_one(
        names,
        "clark-nulls",
        run_clark,
        "how often tests find a difference between equal methods, on made-up runs after Clark et al. (2011)",
        ["[OPTION ...]"],
        ["--workers 4", "--repetitions 500 --rng 1"],
        add_clark,
    )
    study.inner = dict(names.choices)


def add_one(
    names: argparse._SubParsersAction,
    name: str,
    work: Callable[[argparse.Namespace], str],
    purpose: str,
    usages: Sequence[str],
    examples: Sequence[str],
    add_options: Callable[[Parser], None],
) -> None:
    """Add a study: its own options, and those that say where it is computed and kept."""
    parser = add_command(names, name, run_study, purpose, usages, examples)
    add_options(parser)
    place = parser.add_argument_group("work")
    place.add_argument(
        "--workers",
        type=whole_number(1, 4),
        default=1,
        metavar="N",
        help="processes on this machine that share the work (default: 1)",
    )
    place.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="a Dask scheduler whose workers do the work, such as tcp://127.0.0.1:8786",
    )
    place.add_argument(
        "--folder",
        default=f"study-{name}",
        metavar="FOLDER",
        help="where finished work is kept, so that the same command goes on after an interruption (default: "
        f"study-{name} in the current directory); without --rng, the seed is kept there, too",
    )
    parser.set_defaults(work=work, name=name)


def run_study(options: argparse.Namespace) -> str:
    """Do the work of a study; return what goes to standard output."""
    from mtworkbench.work import Study

    options.study = Study(
        options.folder,
        workers=options.workers,
        scheduler=options.scheduler,
        progress=make_lines(options.name, "unit"),
    )
    try:
        result = options.work(options)
    except KeyboardInterrupt:
        mention(f"units of work that are finished are kept in {options.folder!r}: the same command goes on from there.")
        raise
    found, computed = options.study.n_found, options.study.n_computed
    mention(f"units of work: {found:,} found in {options.folder!r}, {computed:,} computed.")
    return result


def add_campaign(parser: Parser) -> None:
    """Add the options of a comparison; the help shows only those that apply to several test sets."""
    compare.add(parser)
    compare.show_for_several_sets(parser)


def run_sets(options: argparse.Namespace) -> str:
    """Compare systems on several test sets."""
    if options.test_sets is None and not (options.statistics and len(options.statistics) > 1):
        options.usage_error("a campaign has several test sets: name their table with --test-sets FILE")
    return compare.run_compare(options)


def add_koehn(parser: Parser) -> None:
    """Add the options of Koehn's tables."""
    add_sources(parser)
    test = parser.add_argument_group("test")
    test.add_argument(
        "--sizes",
        type=whole_number(1),
        nargs="+",
        metavar="N",
        help="segments in a sample (default: those of 100, 300, 600 and 3,000 of which the test set holds two samples)",
    )
    test.add_argument(
        "--resamples",
        type=whole_number(1),
        metavar="N",
        help="bootstrap resamples of each sample (default: 1,000, more for levels above 0.98)",
    )
    add_shared(test, level="share of resamples that a system must win", rng="")
    add_result(parser, WITHOUT_PAPER, TABLES)
    parser.set_defaults(baseline=None, unit="segment")


def run_koehn(options: argparse.Namespace) -> str:
    """Draw conclusions about all pairs of systems, and count how many are right."""
    with taken_sources(options) as notices:
        from mtworkbench.papers.koehn2004 import bin_conclusions, conclude_on_sizes, tabulate_conclusions
        from mtworkbench.tables import format_study
        from mtworkbench.words.studies import StudyTables

        statistics = read_statistics(options)
        refuse_single(options, list(statistics[0]))
        pairs = list(combinations(statistics[0], 2))
        random_key = choose_key(options)
        found = []
        for family in statistics:
            drawn = conclude_on_sizes(
                family,
                pairs,
                options.sizes,
                n_resamples=options.resamples,
                level=options.level,
                rng=random_key,
                study=options.study,
            )
            tables = {
                "Conclusions by pair and size of the samples (Koehn, 2004, Table 3)": tabulate_conclusions(drawn),
                "Conclusions by confidence (Koehn, 2004, Table 4)": bin_conclusions(drawn),
            }
            found.append(StudyTables(family.metric.name, tables, drawn, random_key.seed))
    return write_result(options, format_study, found, notices)


def add_clark(parser: Parser) -> None:
    """Add the options of Clark's nulls."""
    test = parser.add_argument_group("test")
    for name, usual, what in (
        ("repetitions", 2000, "made-up experiments for each kind of variation"),
        ("segments", 500, "segments in each experiment"),
        ("trials", 199, "random exchanges in each experiment"),
    ):
        test.add_argument(
            f"--{name}", type=whole_number(1), default=usual, metavar="N", help=f"{what} (default: {usual:,})"
        )
    add_shared(test, rng="")
    add_result(parser, WITHOUT_PAPER, TABLES)
    parser.set_defaults(reference=None, system=None, scores=None)


def run_clark(options: argparse.Namespace) -> str:
    """Make equal methods, and count how often each test finds a difference."""
    with collect_notices(shown=not is_json_alone(options)) as notices:
        check_written(options)
        from mtworkbench.papers.clark2011 import arrange_sizes, measure_sizes
        from mtworkbench.tables import format_study
        from mtworkbench.words.studies import StudyTables

        random_key = choose_key(options)
        sizes = measure_sizes(
            n_repetitions=options.repetitions,
            n_segments=options.segments,
            n_trials=options.trials,
            rng=random_key,
            study=options.study,
        )
        arranged = arrange_sizes(sizes, named=True).rename(columns=SHORT)
        varying, runs = zip(*(phrase.rsplit(", ", 1) for phrase in arranged.index), strict=True)
        arranged.insert(0, "what varies", varying)
        arranged.insert(1, "each method", runs)
        title = (
            "Equal methods called different at 5 %, in %, after Clark et al. (2011): by approximate randomization that "
            "swaps all runs of a segment at once (by unit) or each run separately (by run), by a t-test on the scores "
            "of runs, and by the crossed test"
        )
        found = [StudyTables(None, {title: arranged}, sizes, random_key.seed)]
    return write_result(options, format_study, found, notices)
