"""``mtworkbench variance``: how much scores vary with the test set and from run to run."""

from __future__ import annotations

import argparse
import copy
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from mtworkbench.choices import FORMATS
from mtworkbench.cli.options import (
    SOURCES_USAGES,
    add_sources,
    add_test,
    check_sources,
    compute_texts,
    read_statistics,
    taken_sources,
    with_options,
)
from mtworkbench.cli.reading import FILE_OPTIONS, PARALLEL_FILES, choose_files, read_named_outputs, read_named_runs
from mtworkbench.cli.streams import make_bar
from mtworkbench.cli.values import named_files
from mtworkbench.cli.writing import add_result, check_written, is_read_now, write_result
from mtworkbench.errors import DataWarning

if TYPE_CHECKING:
    from mtworkbench.results.comparisons import Comparison
    from mtworkbench.results.variance import OptimizerVariance
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

PURPOSE = "tell how much scores vary with the test set and from run to run"
USAGES = with_options("REFERENCE OUTPUT ...", *SOURCES_USAGES)
EXAMPLES = ("--reference ref.txt --system A='A.*' --system B='B.*'", "--statistics run.stats --format multeval")
MULTEVAL_FORMATS = ("multeval", "multeval-latex")


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    add_sources(parser)
    dev = parser.add_argument_group("dev set")
    dev.add_argument(
        "--dev-reference", action="append", metavar="FILE", help="reference of the set on which the runs were tuned"
    )
    dev.add_argument(
        "--dev-system",
        action="append",
        type=named_files,
        metavar="NAME=FILES",
        help="a system's outputs on that set, with its runs in the same order as in --system",
    )
    add_test(parser, baseline="the first", exchange=None)
    result = add_result(parser, (*FORMATS, *MULTEVAL_FORMATS))
    result.add_argument(
        "--ranked",
        metavar="FILE",
        help="write the segments to a CSV file, sorted by change from the baseline's median run, to be read by hand",
    )


def run_variance(options: argparse.Namespace) -> str:
    """Measure the variance of systems, from outputs or from saved statistics; return what goes to standard output."""
    # What is doubtful about the dev set is no part of the result.
    with taken_sources(options, check_dev, not options.dev_system and is_read_now(options)) as notices:
        statistics = read_statistics(options)
        dev = compute_dev(options, statistics)
        found = measure(options, statistics, dev)
        notices.said.update(doubt.code for doubt in found.doubts)
        if options.ranked is not None:
            write_ranking(options, statistics, dev)
    from mtworkbench.tables import format_multeval, format_variance

    if options.format not in MULTEVAL_FORMATS:
        return write_result(options, format_variance, found, notices, all_columns=options.details)
    is_latex = options.format == "multeval-latex"
    return write_result(options, lambda found, *_, width: format_multeval(found, latex=is_latex, width=width), found)


def check_dev(options: argparse.Namespace) -> None:
    """Refuse half a dev set, and one that the format has no place for, besides what is refused of a test set."""
    check_sources(options)
    if bool(options.dev_reference) != bool(options.dev_system):
        options.usage_error("--dev-reference and --dev-system go together")
    if options.dev_system and options.format in MULTEVAL_FORMATS:
        options.usage_error(f"MultEval's table has no place for a dev set: leave it out, or --format {options.format}")
    if options.dev_system and options.scores:
        options.usage_error(
            "--scores cannot be combined with a dev set: leave out --scores, or --dev-reference and --dev-system"
        )
    if options.dev_system:
        check_written(dev_options(options))


def dev_options(options: argparse.Namespace) -> argparse.Namespace:
    """Return the options as if the dev set were the test set."""
    of_dev = copy.copy(options)
    of_dev.reference, of_dev.system = options.dev_reference, options.dev_system
    vars(of_dev).update(dict.fromkeys(("statistics", "source", "scores", *PARALLEL_FILES, *FILE_OPTIONS)))
    of_dev.own_outputs = {}
    choose_files(of_dev)
    return of_dev


def compute_dev(options: argparse.Namespace, statistics: Sequence[SegmentStatistics]) -> list[SegmentStatistics] | None:
    """Compute the statistics of the dev set under the metrics of the test set."""
    if not options.dev_system:
        return None
    return compute_texts(read_named_runs(dev_options(options)), [one.metric for one in statistics], ", dev set")


def measure(
    options: argparse.Namespace,
    statistics: Sequence[SegmentStatistics],
    dev: Sequence[SegmentStatistics] | None,
) -> OptimizerVariance | Comparison:
    """Measure the variance of systems; for MultEval's table, compare with the baseline as MultEval does."""
    from mtworkbench.inference import compare, optimizer_variance

    how: dict[str, Any] = {
        "unit": options.unit,
        "interval": options.interval,
        "n_resamples": options.resamples,
        "level": options.level,
        "rng": options.rng,
        "progress": make_bar("drawing", "draw"),
    }
    if options.format not in MULTEVAL_FORMATS:
        return optimizer_variance(statistics, dev, options.baseline, **how)
    baseline = options.baseline or next(iter(statistics[0]))
    exchange = options.exchange or choose_exchange(statistics[0])
    return compare(statistics, baseline, exchange=exchange, n_trials=options.trials, **how)


def choose_exchange(statistics: SegmentStatistics) -> str:
    """Choose MultEval's exchange, by run, or say why it cannot be."""
    runs = {name: statistics[name].n_runs for name in statistics}
    if len(set(runs.values())) == 1:
        return "run"
    listed = ", ".join(f"{name!r} has {count}" for name, count in runs.items())
    problem = f"Numbers of runs differ ({listed}), so they cannot be paired by number as MultEval does"
    remedy = "p is that of whole units, all runs of one changing sides together"
    DataWarning("unequal-runs", f"{problem}: {remedy}.").warn(stacklevel=2)
    return "unit"


def write_ranking(
    options: argparse.Namespace,
    statistics: Sequence[SegmentStatistics],
    dev: Sequence[SegmentStatistics] | None,
) -> None:
    """Write the segments ranked by their change from the baseline's median run, metric by metric."""
    import pandas as pd

    from mtworkbench.inference import rank_changes
    from mtworkbench.inference.families import name_families
    from mtworkbench.tables import frame_to_csv
    from mtworkbench.writing import replace_file

    # Only here are the texts of all systems needed at the same time.
    outputs = None if options.statistics else read_named_outputs(options)
    baseline, frames = options.baseline, []
    for place, name in enumerate(name_families(statistics)):
        on_dev = None if dev is None else dev[place]
        frame = rank_changes(statistics[place], baseline, dev=on_dev, outputs=outputs)
        frame.insert(0, "metric", name)
        called = {system: statistics[place][system].run_names for system in statistics[place]}
        own = [called[system][run - 1] for system, run in zip(frame["system"], frame["run"], strict=True)]
        others = [called[baseline or next(iter(called))][run - 1] for run in frame["baseline_run"]]
        frames.append(frame.assign(run_name=own, baseline_run_name=others))
    replace_file(options.ranked, frame_to_csv(pd.concat(frames, ignore_index=True)))
