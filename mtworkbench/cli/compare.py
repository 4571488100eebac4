"""``mtworkbench compare``: every system against a baseline, or all pairs, on one test set or on several."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, TypeAlias

from mtworkbench.choices import CHOICES, FORMATS
from mtworkbench.cli.gates import add_gate, apply_gate, check_gate
from mtworkbench.cli.options import (
    OF_OUTPUTS,
    SOURCES_USAGES,
    add_shared,
    add_sources,
    add_test,
    check_sources,
    choose_key,
    choose_metrics,
    choose_systems,
    compute,
    compute_texts,
    directions_of,
    taken_sources,
    with_options,
)
from mtworkbench.cli.pairs import check_baseline, choose_baseline, refuse_single
from mtworkbench.cli.reading import as_option, check_repairs, repair_named, say_what_was_read, sets_of
from mtworkbench.cli.sizes import MINUTES, Size, announce_draws, announce_reading
from mtworkbench.cli.streams import make_bar
from mtworkbench.cli.values import named_margin, whole_number
from mtworkbench.cli.writing import (
    add_figure,
    add_result,
    check_written,
    choose_formats,
    draw_figure,
    is_read_now,
    write_result,
)
from mtworkbench.errors import DataWarning
from mtworkbench.wording import tally

if TYPE_CHECKING:
    from mtworkbench.inference.conventions import Conventions
    from mtworkbench.inference.equivalence import Margin
    from mtworkbench.outputs.campaign import SetFiles
    from mtworkbench.resampling import RandomKey, RngLike
    from mtworkbench.results.comparisons import AnyComparison
    from mtworkbench.statistics.segment_statistics import SegmentStatistics, StatisticsOfSets

    RulesOfPairs: TypeAlias = Sequence[Conventions] | Mapping[str, Sequence[Conventions]]

PURPOSE = "compare systems with a baseline, or all pairs of them"
USAGES = with_options("REFERENCE OUTPUT ...", *SOURCES_USAGES, "--test-sets FILE")
EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --metric chrf --baseline online-A",
    "ref.txt -i base.txt new.txt -m bleu chrf",
    "--reference ref.txt --system A='A.*' --system B='B.*'",
    "--statistics run.stats --output run.tex --output run.json",
    "--test-sets campaign.tsv --baseline base --figure sets.pdf",
)
TABLE = (
    "a table (.tsv) of several test sets; the same systems are compared on all; it has one row per set and system and "
    "the columns set, reference, system, files (also source, documents, domains); paths are relative to the table"
)
# What the help of a command says that always has several test sets.
FOR_SEVERAL_SETS = {
    "test_sets": TABLE,
    "statistics": "instead of a table: files of saved statistics that hold at least two test sets together",
    "baseline": "compare every other system with this one (default: all pairs)",
}
# What a table of files settles for each test set.
IN_TABLE = [name for name in OF_OUTPUTS if name not in ("accept", "repair", "metric", "tokenize", "lowercase")]


def add(parser: argparse.ArgumentParser, formats: Sequence[str] = (*FORMATS, "html", "bibtex")) -> None:
    """Add the options of a comparison, which is written in some of these formats."""
    add_sources(parser, "; if they are of several test sets, the same systems are compared over all of these")
    parser.add_argument("--test-sets", metavar="FILE", help=f"instead of outputs: {TABLE}")
    test = add_test(
        parser,
        baseline="the first of two systems",
        interval="kind of interval (auto: CIs of differences come from the same swaps as p; those of another kind need "
        "not agree with the verdicts)",
        trials="random swaps (default: 10,000 to 320,000, until all are decided)",
    )
    add_shared(test, all_pairs="")
    test.add_argument(
        "--runs",
        default="separate",
        choices=CHOICES["runs"],
        help="for the method: estimate how much training runs vary from each system's own runs, or from the runs of "
        "all systems together (pooled: finds more where each system has two runs)",
    )
    test.add_argument(
        "--block-length",
        type=whole_number(1),
        metavar="N",
        help="with --unit block: segments per block (default: chosen from the autocorrelation of segments)",
    )
    test.add_argument(
        "--strata",
        metavar="NAME",
        help="document, or a column such as domain: resample units within each stratum, so that sizes stay the same",
    )
    test.add_argument(
        "--adjust",
        default="max-t",
        choices=CHOICES["adjust"],
        help="adjust p on these outputs for the number of comparisons by step-down max-T, with CIs that agree with the "
        "verdicts (max-t, the default), or by Holm's method, with CIs that need not (holm); the p for the method is "
        "always adjusted by Holm's method",
    )
    test.add_argument(
        "--family",
        default="metric",
        choices=CHOICES["family"],
        help="adjust p for the comparisons of each metric, or for those of all metrics together (all: if a "
        "difference under any metric would count as a success)",
    )
    test.add_argument(
        "--margin",
        action="append",
        type=named_margin,
        metavar="[METRIC=]X",
        help="also test whether systems are equal within X points of the metric; repeatable: --margin bleu=0.5 "
        "--margin chrf=0.4",
    )
    result = add_result(parser, formats, "how to write the result; html is a report, bibtex the sources to cite")
    add_figure(result, "the comparison")
    result.add_argument(
        "--no-texts",
        action="store_true",
        help="leave the sentences out of a report: for a test set that must not become public",
    )
    add_gate(result)
    result.add_argument(
        "--conventions",
        action="store_true",
        help="show instead what the rules of published tools and papers say of each difference, side by side",
    )
    parser.set_defaults(details=False, format_report=None)


def margin_of(options: argparse.Namespace) -> Margin:
    """Return the margins that were named, as `compare` takes them."""
    named = options.margin or []
    if not named:
        return None
    if len(named) == 1 and named[0][0] is None:
        return named[0][1]
    names = [name for name, _ in named]
    if None in names or len({name.casefold() for name in names}) < len(names):
        options.usage_error("--margin was given several times: name each metric once, as in --margin bleu=0.5")
    return dict(named)


def run_compare(options: argparse.Namespace) -> str:
    """Compare systems, from outputs or from saved statistics; return what goes to standard output."""
    with taken_sources(options, check_comparison, is_read_now(options)) as notices:
        if options.test_sets is None:
            announce_pairs(options)
        statistics = read_chosen(options)
        if options.conventions:
            found = find_rules(options, statistics)
            of_all = chain(*found.values()) if isinstance(found, Mapping) else found
            notices.said.update(doubt.code for one in of_all for doubt in one.doubts)
            from mtworkbench.tables import format_conventions

            return write_result(options, format_conventions, found, notices)
        check_gate(options, sets_of(statistics)[0], margin_of(options))
        comparison = compare_and_examine(options, statistics)
        notices.said.update(doubt.code for doubt in comparison.doubts if doubt.matters or options.details)
    if options.figure is not None:
        from mtworkbench.plots import draw_comparison

        draw_figure(options.figure, lambda: draw_comparison(comparison))
    apply_gate(options, comparison)
    return write_result(options, choose_writer(options, comparison, notices), comparison, notices)


def choose_writer(
    options: argparse.Namespace, comparison: AnyComparison, notices: Sequence[DataWarning]
) -> Callable[..., str]:
    """Return what writes the comparison in a format; HTML, and whatever the command ``report`` writes, is a report."""
    plain = partial(format_found, options)
    if not options.format_report and "html" not in choose_formats(options).values():
        return plain
    from mtworkbench.cli.report import report_writer

    report = report_writer(options, comparison, notices)
    return lambda found, format, *rest, **more: (
        report(format) if options.format_report or format == "html" else plain(found, format, *rest, **more)
    )


def read_chosen(options: argparse.Namespace) -> StatisticsOfSets:
    """Read what the options name, and settle the baseline."""
    statistics = read_test_sets(options)
    say_what_was_read(options, statistics)
    options.baseline = choose_baseline(options, list(sets_of(statistics)[0][0]))
    return statistics


def compare_and_examine(options: argparse.Namespace, statistics: StatisticsOfSets) -> AnyComparison:
    """Compare systems, and say what repairs would change."""
    comparison = compare_sets(options, statistics, options.rng)
    return comparison if options.statistics or options.study is not None else examine(options, comparison)


def check_comparison(options: argparse.Namespace) -> None:
    """Refuse what could be known to be wrong before the work."""
    if options.test_sets is not None:
        refuse_outputs(options)
    else:
        check_sources(options)
    if options.block_length is not None and options.unit != "block":
        options.usage_error("--block-length needs --unit block")
    check_conventions(options)


def format_found(
    options: argparse.Namespace, comparison: AnyComparison, format: str, notices: Sequence[DataWarning], *, width: int
) -> str:
    """Return the text of a comparison in a format, of one test set or of several."""
    from mtworkbench.tables.formats import format_comparison

    if format == "bibtex":
        from mtworkbench.words.citations import write_bibtex

        return write_bibtex(comparison)
    return format_comparison(comparison, format, notices, width=width, all_columns=options.details)


def announce_pairs(options: argparse.Namespace) -> None:
    """Say before anything is read if comparing all pairs of the named systems will take long."""
    names = list(dict.fromkeys(name for name, _ in options.system or () if name is not None))
    if not options.systems and not options.conventions and choose_baseline(options, names) is None:
        size = Size.of_systems(options, len(names), len(options.metric or ()) or 1)
        announce_draws(options, size, least=MINUTES)


def compare_sets(options: argparse.Namespace, statistics: StatisticsOfSets, rng: RngLike) -> AnyComparison:
    """Compare systems on one test set or on several, as the options say."""
    from mtworkbench.inference import compare

    how = f", with --repair {','.join(options.repair)}" if options.repair else ""
    announce_draws(options, Size.of(options, sets_of(statistics)), how)
    return compare(
        statistics,
        options.baseline,
        unit=options.unit,
        strata=options.strata,
        block_length=options.block_length,
        exchange=options.exchange,
        interval=options.interval,
        adjust=options.adjust,
        family=options.family,
        margin=margin_of(options),
        n_resamples=options.resamples,
        n_trials=options.trials,
        level=options.level,
        runs=options.runs,
        rng=rng,
        progress=make_bar(f"drawing{how}", "draw") if options.study is None else None,
        study=options.study,
    )


def examine(options: argparse.Namespace, comparison: AnyComparison) -> AnyComparison:
    """Compare again without what seems wrong with the texts, doubt by doubt, with the same seed."""
    from mtworkbench.analyses.doubts import examine_comparison

    def repeat(code: str) -> AnyComparison:
        repaired = copy.copy(options)
        repaired.repair = [*(options.repair or ()), code]
        return compare_sets(repaired, read_test_sets(repaired), comparison.settings.random_key)

    return examine_comparison(comparison, repeat)


def read_test_sets(options: argparse.Namespace) -> StatisticsOfSets:
    """Compute the statistics of outputs, or load saved ones: those of several test sets by the names of these."""
    if options.test_sets is not None:
        sets: StatisticsOfSets = compute_sets(options)
    elif options.statistics:
        from mtworkbench.statistics.test_sets import load_test_sets

        sets = load_test_sets(options.statistics, directions_of(options), options.systems)
    else:
        sets = compute(options)
    if isinstance(sets, Mapping):
        return {name: choose_systems(options, own) for name, own in sets.items()}
    return choose_systems(options, sets)


def check_conventions(options: argparse.Namespace) -> None:
    """Refuse options that the rules of others have no use for."""
    given = {"exchange": "unit", "interval": "auto", "runs": "separate", "figure": None, "details": False}
    given |= {"strata": None, "adjust": "max-t", "family": "metric", "margin": None, "study": None, "fail_if": None}
    given |= {"no_texts": False}
    unused = next((name for name, usual in given.items() if getattr(options, name) != usual), None)
    if options.conventions and unused == "study":
        options.usage_error("--conventions needs no study: use mtworkbench compare")
    if options.conventions and unused is not None:
        options.usage_error(f"--conventions cannot be combined with --{as_option(unused)}: leave one of them out")
    if options.conventions and "bibtex" in choose_formats(options).values():
        options.usage_error("what other rules say has no sources as BibTeX: leave --conventions out, or the .bib file")


def find_rules(options: argparse.Namespace, statistics: StatisticsOfSets) -> RulesOfPairs:
    """Ask the published rules, on one test set or on each of several."""
    key = choose_key(options)
    if isinstance(statistics, Mapping):
        return {
            name: apply_conventions(options, own, key.sample(number))
            for number, (name, own) in enumerate(statistics.items(), start=1)
        }
    return apply_conventions(options, statistics, key)


def apply_conventions(
    options: argparse.Namespace, statistics: Sequence[SegmentStatistics], random_key: RandomKey
) -> list[Conventions]:
    """Ask the published rules about each system and the baseline, or about all pairs, under each metric."""
    from mtworkbench.analyses.conventions import conventions
    from mtworkbench.inference.families import as_families, number_pairs

    refuse_single(options, list(statistics[0]))
    systems, _, pairs = number_pairs(as_families(statistics), options.baseline)
    return [
        conventions(
            systems[a],
            systems[b],
            unit=options.unit if options.block_length is None else f"block of {options.block_length}",
            level=options.level,
            n_resamples=options.resamples,
            n_trials=options.trials,
            rng=random_key,
        )
        for a, b in make_bar("comparing", "pair")(list(chain(*pairs)))
    ]


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
    from mtworkbench.outputs.campaign import list_test_sets, read_sets_run_by_run
    from mtworkbench.outputs.checks.report import Report

    accept = options.accept or ()
    check_repairs(options)
    _check_before_work(options, list_test_sets(options.test_sets, Report(accept), options.systems))
    metrics = choose_metrics(options, None)
    sets = {}
    for files, runs in read_sets_run_by_run(options.test_sets, systems=options.systems, accept=accept):
        sets[files.name] = list(compute_texts(repair_named(options, runs), metrics, of=f" of {files.name}"))
    return sets


def _check_before_work(options: argparse.Namespace, sets: Sequence[SetFiles]) -> None:
    """Refuse what could be known to be wrong before the work."""
    read = [options.test_sets, *(file for one in sets for file in one.files)]
    check_written(options, read)
    announce_reading(tally(len(sets), "test set"), read)
    check_baseline(options, sets[0].systems)
    for option, column in (("unit", "document"), ("strata", "document"), ("strata", "domain")):
        without = next((one.name for one in sets if f"{column}s" not in one.labels), None)
        if getattr(options, option) == column and without is not None:
            problem = f"--{option} {column} needs the {column}s of the segments of every set"
            options.usage_error(f"{problem}, but set {without!r} has none: add a column '{column}s'")
