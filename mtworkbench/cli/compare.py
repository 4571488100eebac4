"""``mtworkbench compare``: every system against a baseline, or all pairs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from mtworkbench.cli.campaign import add_test_sets, compute_sets, refuse_outputs
from mtworkbench.cli.options import (
    ADJUSTMENTS,
    FAMILIES,
    FORMATS,
    OUTPUTS_USAGES,
    RUNS,
    add_command,
    add_outputs,
    add_result,
    add_saved,
    add_test,
    check_figure,
    check_output,
    check_sources,
    compute,
    directions_of,
    points,
    text_width,
    whole_number,
    write_result,
)
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.streams import collect_notices, make_bar
from mtworkbench.errors import DataWarning, InputError

if TYPE_CHECKING:
    from mtworkbench.inference import CampaignComparison, Comparison
    from mtworkbench.inference.conventions import Conventions
    from mtworkbench.inference.equivalence import Margin
    from mtworkbench.resampling import RandomKey
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

EXAMPLES = (
    "ref.txt base.txt new.txt",
    "ref.txt sys/* --metric chrf --baseline online-A",
    "ref.txt -i base.txt new.txt -m bleu chrf",
    "--reference ref.txt --system A='A.*' --system B='B.*'",
    "--statistics run.stats --baseline base --format latex",
    "--test-sets campaign.tsv --baseline base --figure sets.pdf",
)


def add_compare(commands: argparse._SubParsersAction) -> None:
    """Add the command."""
    parser = add_command(
        commands,
        "compare",
        run_compare,
        "compare systems with a baseline, or all pairs of them",
        [
            f"{one} [OPTION ...]"
            for one in ("REFERENCE OUTPUT ...", *OUTPUTS_USAGES, "--statistics FILE ...", "--test-sets FILE")
        ],
        EXAMPLES,
    )
    add_comparison(parser)


def add_comparison(parser: argparse.ArgumentParser) -> None:
    """Add the options of a comparison."""
    add_files(parser)
    add_outputs(parser, required=False)
    add_saved(parser, "; if they are of several test sets, the same systems are compared over all of these")
    add_test_sets(parser)
    test = add_test(parser, baseline="the first output after the reference; otherwise all pairs")
    test.add_argument(
        "--runs",
        default="separate",
        choices=RUNS,
        help="for the method: estimate how much training runs vary from each system's own runs, or from the runs of "
        "all systems together (pooled: for two or three runs of systems that vary alike)",
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
        default="holm",
        choices=ADJUSTMENTS,
        help="adjust p on these outputs for the number of comparisons by Holm's method (holm), or by step-down max-T, "
        "which often finds more where many systems are compared (max-t); the p for the method is always adjusted by "
        "Holm's method",
    )
    test.add_argument(
        "--family",
        default="metric",
        choices=FAMILIES,
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
    result = add_result(parser, FORMATS)
    result.add_argument(
        "--figure", metavar="FILE", help="also draw the comparison for a paper: a .pdf, .svg or .png file"
    )
    result.add_argument(
        "--conventions",
        action="store_true",
        help="show instead what the rules of published tools and papers say of each difference, side by side",
    )
    parser.set_defaults(study=None)


def named_margin(text: str) -> tuple[str | None, float]:
    """Take METRIC=X apart; X alone is of the only metric."""
    name, equals, number = text.rpartition("=")
    try:
        return name or None, points(number if bool(equals) == bool(name) else text)
    except argparse.ArgumentTypeError as error:
        raise argparse.ArgumentTypeError(
            f"{text!r} should be a number above 0, or METRIC=X, such as bleu=0.5"
        ) from error


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
    in_table = options.test_sets is not None
    short = not in_table and take_files(options)
    if in_table:
        refuse_outputs(options)
    else:
        check_sources(options)
    if options.block_length is not None and options.unit != "block":
        options.usage_error("--block-length needs --unit block")
    check_conventions(options)
    with collect_notices(shown=options.format != "json") as notices:
        if options.output is not None and not in_table:
            check_output(options)
        if options.figure is not None and not in_table:
            check_figure(options)
        from mtworkbench.inference import CampaignComparison, compare
        from mtworkbench.tables import format_campaign, format_comparison

        if short:
            warn_of_runs(options)
        statistics = compute_sets(options) if in_table else read_test_sets(options)
        if short and options.baseline is None and not isinstance(statistics, dict) and len(statistics[0]) > 1:
            options.baseline = next(iter(statistics[0]))
        if options.conventions:
            return write_result(options, format_rules(options, statistics, notices))
        comparison = compare(
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
            rng=options.rng,
            progress=make_bar("drawing", "draw") if options.study is None else None,
            study=options.study,
        )
        shown = {"width": text_width(options), "all_columns": options.all_columns}
        if isinstance(comparison, CampaignComparison):
            table = format_campaign(comparison, options.format, notices, **shown)
        else:
            table = format_comparison(comparison, options.format, notices, **shown)
    if options.figure is not None:
        draw_figure(comparison, options.figure)
    return write_result(options, table)


def read_test_sets(
    options: argparse.Namespace,
) -> Sequence[SegmentStatistics] | dict[str, tuple[SegmentStatistics, ...]]:
    """Compute the statistics of outputs, or load saved ones: those of several test sets by the names of these."""
    if not options.statistics:
        return compute(options)
    from mtworkbench.statistics.test_sets import load_test_sets

    return load_test_sets(options.statistics, directions_of(options))


def check_conventions(options: argparse.Namespace) -> None:
    """Refuse options that the rules of others have no use for."""
    given = {"exchange": "unit", "interval": "auto", "runs": "separate", "figure": None, "all_columns": False}
    given |= {"strata": None, "adjust": "holm", "family": "metric", "margin": None, "study": None}
    unused = next((name for name, usual in given.items() if getattr(options, name) != usual), None)
    if options.conventions and unused == "study":
        options.usage_error("--conventions needs no study: use mtworkbench compare")
    if options.conventions and unused is not None:
        options.usage_error(
            f"--conventions cannot be combined with --{unused.replace('_', '-')}: leave one of them out"
        )


def format_rules(
    options: argparse.Namespace,
    statistics: Sequence[SegmentStatistics] | Mapping[str, Sequence[SegmentStatistics]],
    notices: Sequence[DataWarning],
) -> str:
    """Write what the published rules say, on one test set or on each of several."""
    from mtworkbench.resampling import resolve_rng
    from mtworkbench.tables import format_conventions

    key, width = resolve_rng(options.rng), text_width(options)
    if not isinstance(statistics, Mapping):
        return format_conventions(apply_conventions(options, statistics, key), options.format, notices, width=width)
    found = {
        name: apply_conventions(options, own, key.sample(number))
        for number, (name, own) in enumerate(statistics.items(), start=1)
    }
    return format_conventions(found, options.format, notices, width=width)


def apply_conventions(
    options: argparse.Namespace, statistics: Sequence[SegmentStatistics], random_key: RandomKey
) -> list[Conventions]:
    """Ask the published rules about each system and the baseline, or about all pairs, under each metric."""
    from mtworkbench.analyses.conventions import conventions
    from mtworkbench.inference.families import as_families, number_pairs

    systems, _, pairs = number_pairs(as_families(statistics), options.baseline)
    if not any(pairs):
        raise InputError(
            "one-system", f"There is one system, {systems[0].system!r}: name another one to compare it with."
        )
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


def draw_figure(comparison: Comparison | CampaignComparison, path: str) -> None:
    """Draw a comparison for a paper."""
    from mtworkbench.exports import write_figure
    from mtworkbench.inference import Comparison
    from mtworkbench.plots import draw_campaign, draw_comparison, style

    with style("paper"):
        if isinstance(comparison, Comparison):
            write_figure(draw_comparison(comparison), path)
        else:
            write_figure(draw_campaign(comparison), path)
