"""The options that several commands share, and what they are turned into."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from mtworkbench.choices import CHOICES, INTERVALS
from mtworkbench.cli.pairs import check_baseline, check_pairs
from mtworkbench.cli.reading import (
    FILE_OPTIONS,
    PARALLEL_FILES,
    SHOWN_OPTIONS,
    as_option,
    check_outputs_named,
    explaining_failure,
    find_whole,
    name_repairs,
    read_named_outputs,
    read_named_runs,
    say_what_was_read,
)
from mtworkbench.cli.short_form import add_files, take_files, warn_of_runs
from mtworkbench.cli.sizes import announce_scoring
from mtworkbench.cli.streams import Notices, collect_notices, make_bar
from mtworkbench.cli.test_sets import add_test_set, name_tokenizer
from mtworkbench.cli.values import draws, named_direction, named_outputs, named_scores, named_weights, seed, share
from mtworkbench.cli.writing import check_written, is_json_alone
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import DOUBTS
from mtworkbench.outputs.formats import FORMATS as OUTPUT_FORMATS
from mtworkbench.wording import begin, listed

if TYPE_CHECKING:
    import pandas as pd

    from mtworkbench.cli.parser import Parser
    from mtworkbench.metrics import Metric
    from mtworkbench.outputs.checks.frames import Runs
    from mtworkbench.resampling import RandomKey
    from mtworkbench.statistics.segment_statistics import SegmentStatistics

TRIALS = "trials of the randomization (default: 10,000, more for many comparisons)"
TEXTS_USAGES = (
    "--reference FILE --system NAME=FILES ...",
    "--test-set NAME --language-pair PAIR [OUTPUT ...]",
    *(f"--{as_option(name)} {FILE_OPTIONS[name][0].options[name]['metavar']}" for name in SHOWN_OPTIONS),
)
OUTPUTS_USAGES = (*TEXTS_USAGES, "--scores FILE ...")
SOURCES_USAGES = (*OUTPUTS_USAGES, "--statistics FILE ...")
# Options of outputs, which statistics no longer have.
OF_OUTPUTS = (
    "test_set", "reference", "system", *(name for one in OUTPUT_FORMATS for name in one.options), "source",
    *PARALLEL_FILES, "scores", "weights", "accept", "repair", "metric", "tokenize", "lowercase",
)  # fmt: skip

# The short names of options of formats, where sacreBLEU has them.
SHORT = {"language_pair": "-l"}

# What most people do not need: --help leaves these out, --help-all shows them.
RARE = (
    "-i", *(f"--{as_option(name)}" for one in OUTPUT_FORMATS for name in one.options), "--weights", "--test-set",
    "--domains", "--lowercase", "--direction", "--exchange", "--interval", "--resamples",
    "--systems", "--all-pairs", "--level", "--runs", "--block-length", "--strata", "--adjust", "--family",
    "--conventions", "--fail-if", "--no-texts",
)  # fmt: skip


#: What argparse is told of options that several commands have. The command says the rest of some helps: ``{}``.
SHARED: dict[str, dict[str, Any]] = {
    "baseline": {"metavar": "NAME", "help": "compare the others with this one (default: {})"},
    "all_pairs": {"action": "store_true", "help": "compare all pairs, also of outputs after -i"},
    "pair": {"nargs": 2, "metavar": "NAME", "help": "{}"},
    "systems": {
        "nargs": "+",
        "action": "extend",
        "metavar": "NAME",
        "help": "use only these systems: names, or quoted patterns such as 'online-*'",
    },
    "statistics": {
        "nargs": "+",
        "action": "extend",
        "metavar": "FILE",
        "help": "instead of outputs: saved statistics, in one file or several{}",
    },
    "unit": {
        "default": "auto",
        "metavar": "NAME",
        "help": "what is resampled and swapped as a whole: segment, document, a column such as domain, or block (of "
        "neighbouring segments); default: document where at least 6 are known, else segment",
    },
    "trials": {"type": draws, "metavar": "N", "help": "{}"},
    "level": {"type": share, "default": 0.95, "metavar": "X", "help": "{}"},
    "rng": {
        "type": seed,
        "metavar": "SEED",
        "help": "seed of all draws (default: a new one, which the signature names); 1/2 draws as the second of several "
        "test sets does with seed 1",
    },
}


def add_shared(group: argparse._ActionsContainer, **said: str) -> None:
    """Add options that several commands have, each with what this command says of it."""
    for name, own in said.items():
        shared = SHARED[name]
        group.add_argument(f"--{as_option(name)}", **(shared | {"help": shared["help"].format(own)}))


def add_command(
    commands: argparse._SubParsersAction,
    name: str,
    command: Callable[[argparse.Namespace], str],
    purpose: str,
    usages: Sequence[str],
    examples: Sequence[str],
) -> Parser:
    """Add a command; ``purpose`` is its help, and, begun with a capital, its description.

    ``usages`` and ``examples`` come without the name of the program and of the command.
    """
    program = commands._prog_prefix  # ``mtworkbench``, or ``mtworkbench study``
    parser: Parser = commands.add_parser(
        name,
        help=purpose,
        description=f"{begin(purpose)}.",
        usages=[f"{program} {name} {usage}" for usage in usages],
        examples=[f"{program} {name} {example}".rstrip() for example in examples],
        rare=RARE,
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="store_true",
        default=argparse.SUPPRESS,
        help="show only errors, no warnings and no progress; doubts about the data stay in the result",
    )
    parser.set_defaults(command=command, usage_error=parser.error, study=None, all_pairs=False)
    return parser


def with_options(*usages: str) -> list[str]:
    """Return usages with any options after them."""
    return [f"{one} [OPTION ...]" for one in usages]


def add_outputs(parser: argparse.ArgumentParser) -> None:
    """Add the options that name outputs and metrics."""
    add_texts(parser)
    add_metrics(parser)


def add_texts(parser: argparse.ArgumentParser) -> None:
    """Add the options that name outputs."""
    outputs = parser.add_argument_group("outputs")
    add_test_set(outputs)
    outputs.add_argument(
        "--reference",
        action="append",
        metavar="FILE",
        help=f"reference: {listed([one.help for one in OUTPUT_FORMATS if one.help], 'or')} (repeatable)",
    )
    outputs.add_argument(
        "--system",
        action="append",
        type=named_outputs,
        metavar="NAME=FILES",
        help="a system and its outputs, one file per training or tuning run; FILES may be a quoted glob, and NAME "
        "may be repeated; without NAME=, systems are named after files, such as those of a folder, or as an SGML file "
        "names them",
    )
    for one in OUTPUT_FORMATS:
        for name, arguments in one.options.items():
            outputs.add_argument(*filter(None, [SHORT.get(name)]), f"--{as_option(name)}", **arguments)
    add_shared(outputs, systems="")
    outputs.add_argument(
        "--scores",
        action="append",
        type=named_scores,
        metavar="FILES",
        help="segment scores, FILES or NAME=FILES, with outputs or alone (repeatable); these are JSON or printed "
        "output of comet-score, WMT's MQM ratings or DA scores, a .seg.score file, a table with the columns system, "
        "segment and scores, or a file per system with one number per line, as in comet='scores/*.txt'; NAME= names "
        "the scores",
    )
    outputs.add_argument(
        "--weights",
        action="append",
        type=named_weights,
        metavar="WEIGHTS",
        help="table of MQM weights: freitag2021 (default) or marot; or the weight of one error, "
        "CATEGORY:SEVERITY=NUMBER (* matches any other; repeatable)",
    )
    outputs.add_argument("--source", metavar="FILE", help="source text: with it, more faults are found")
    outputs.add_argument("--documents", metavar="FILE", help="document ids, one line per segment")
    outputs.add_argument("--domains", metavar="FILE", help="domains, one line per segment (for --unit and --strata)")
    outputs.add_argument(
        "--accept",
        action="append",
        metavar="CODE",
        help="accept this known problem in the data (repeatable); these are trailing-blank, empty-ref (score it as "
        "empty text), absent-ref (an empty line means that there is no such reference), nfc, huge-line, too-large, "
        "non-contiguous, incomplete-system, unknown-system (leave out scores of systems without outputs), quoted or "
        "literal-quotes (quotation marks around fields of TSV were added, or are part of the text); or a doubt about "
        f"the data that you have looked at, which is then named in the signature only: {', '.join(DOUBTS)}",
    )
    repair = outputs.add_argument(
        "--repair",
        action="append",
        metavar="CODE",
        help="repair this in memory, in outputs and references alike (repeatable); these are %(repairs)s. "
        "The signature names it. Without this option, compare only says whether a verdict would change, which takes "
        "one more comparison per problem, unless you --accept it",
    )
    vars(repair)["repairs"] = RepairsList()


def add_metrics(parser: argparse.ArgumentParser) -> None:
    """Add the options that name metrics."""
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument(
        "--metric",
        action="append",
        metavar="NAME[:OPTION=VALUE,...]",
        # As the metrics' classes say, too; these would load numpy and pandas for a page of help.
        help="bleu, chrf, chrf:word_order=2, ter, nist, gtm, meteor, length, or a column of scores (repeatable; "
        "default: bleu for texts, all columns of scores)",
    )
    metrics.add_argument(
        "-m", "--metrics", dest="metric", nargs="+", action="extend", metavar="NAME", help="several metrics at once"
    )
    metrics.add_argument(
        "-tok", "--tokenize", metavar="NAME", help="tokenizer of every metric whose tokenizer can be chosen"
    )
    metrics.add_argument("-lc", "--lowercase", action="store_true", help="ignore case in every metric that can do so")
    metrics.add_argument(
        "--direction",
        action="append",
        type=named_direction,
        metavar="NAME=up|down",
        help="direction of a mean score, such as a human judgement: up if higher is better, down if lower is better "
        "(repeatable)",
    )


class RepairsList:
    """The repairs as the help names them, asked only when it is shown."""

    def __str__(self) -> str:
        from mtworkbench.outputs.repairs import REPAIRS

        return ", ".join(REPAIRS)


def add_sources(parser: argparse.ArgumentParser, of_several_sets: str = "") -> None:
    """Add what names outputs, as files or by options, or saved statistics in their place."""
    add_files(parser)
    add_outputs(parser)
    add_shared(parser, statistics=of_several_sets)


def add_test(
    parser: argparse.ArgumentParser,
    *,
    baseline: str,
    exchange: str | None = "unit",
    interval: str = "kind of interval",
    trials: str = TRIALS,
) -> argparse._ArgumentGroup:
    """Add the options of the test; ``baseline`` says which one it is without the option."""
    test = parser.add_argument_group("test")
    add_shared(test, baseline=baseline, unit="")
    test.add_argument(
        "--exchange",
        default=exchange,
        choices=CHOICES["exchange"],
        help="unit: swap all runs of a segment or other unit at once; run: swap each run separately",
    )
    test.add_argument("--interval", default="auto", choices=INTERVALS, help=interval)
    test.add_argument(
        "--resamples",
        type=draws,
        metavar="N",
        help="bootstrap resamples (default: 1,000, more for levels above 0.98)",
    )
    add_shared(test, trials=trials, level="level of the intervals (default: 0.95)", rng="")
    return test


def check_sources(options: argparse.Namespace) -> None:
    """Refuse a mixture of outputs and statistics, neither, and what could be known to be wrong before the work."""
    given = [name for name in OF_OUTPUTS if getattr(options, name)]
    if options.statistics and given:
        name = as_option(given[0])
        options.usage_error(f"--{name} has been settled when the statistics were made: leave it out")
    if not options.statistics:
        check_outputs_named(options)
    names = dict(options.system or ())
    if names and None not in names:
        check_baseline(options, names)


def take_sources(options: argparse.Namespace, check: Callable[[argparse.Namespace], None] = check_sources) -> bool:
    """Take outputs or statistics as they were named, and ``check`` them; return whether the short form was used."""
    short = options.test_sets is None and take_files(options)
    check_pairs(options)
    check(options)
    return short


@contextmanager
def taken_sources(
    options: argparse.Namespace,
    check: Callable[[argparse.Namespace], None] = check_sources,
    says_doubts: bool = False,
) -> Iterator[Notices]:
    """Take outputs or statistics as they were named, see that the result can be written, and collect what is noticed.

    Whatever is known to be wrong is refused by ``check`` before the work, which is done in this context. What a table
    of test sets names is known only when it has been read. ``says_doubts`` is of `collect_notices`.
    """
    short = take_sources(options, check)
    with collect_notices(not is_json_alone(options), name_repairs(options), says_doubts) as notices:
        if options.test_sets is None:
            check_written(options)
            warn_of_runs(options, short)
        yield notices


def read_statistics(options: argparse.Namespace) -> Sequence[SegmentStatistics]:
    """Load saved statistics, or compute those of outputs; of the systems that are chosen."""
    if not options.statistics:
        computed = choose_systems(options, compute(options))
        say_what_was_read(options, computed)
        return computed
    from mtworkbench.statistics.files import load_statistics

    further = {"directions": directions_of(options), "systems": options.systems}
    loaded = choose_systems(options, load_statistics(*options.statistics, **further))
    say_what_was_read(options, loaded)
    warn_of_doubts(loaded)
    return loaded


def choose_systems(options: argparse.Namespace, statistics: Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Choose the systems that the options name; without them, all."""
    return [one.choose(options.systems) if options.systems else one for one in statistics]


def warn_of_doubts(statistics: Iterable[SegmentStatistics]) -> None:
    """Warn of the doubts that matter and that saved statistics came with, where the result does not say them."""
    from mtworkbench.words.concerns import join_doubts

    for doubt in join_doubts(dict.fromkeys(doubt for one in statistics for doubt in one.doubts if doubt.matters)):
        DataWarning(doubt.code, doubt.say(advise=True), count=doubt.n_found or None).warn(stacklevel=2)


def choose_key(options: argparse.Namespace) -> RandomKey:
    """Return the key of all draws: of the seed that is named, or that a study keeps, or of a new one."""
    from mtworkbench.resampling import resolve_rng
    from mtworkbench.work import choose_seed

    return resolve_rng(choose_seed(options.rng, options.study))


def directions_of(options: argparse.Namespace) -> dict[str, bool]:
    """Return whether higher is better, by the names of mean scores."""
    directions: dict[str, bool] = {}
    for name, higher in options.direction or ():
        if any(name.casefold() == other.casefold() and higher != directions[other] for other in directions):
            options.usage_error(f"--direction gives both up and down for {name!r}")
        directions[name] = higher
    return directions


def compute(options: argparse.Namespace) -> list[SegmentStatistics]:
    """Read the outputs, and compute the statistics of each metric."""
    if options.scores or ((file := find_whole(options)) and FILE_OPTIONS[file][0].has_scores):
        return compute_with_outputs(options)[1]
    metrics = choose_metrics(options, None)  # mistakes are found before the outputs are read
    with explaining_failure(options):
        return compute_texts(read_named_runs(options), metrics)


def compute_texts(runs: Runs, metrics: Sequence[Metric], of: str = "") -> list[SegmentStatistics]:
    """Compute the statistics of each metric from texts, run by run; ``of`` ends what the progress bars are called."""
    from mtworkbench.compiled import work_to_come
    from mtworkbench.statistics.segment_statistics import DescribedRuns, compute_run_by_run

    described = DescribedRuns(runs)
    found: list[SegmentStatistics] = []
    for metric in metrics:
        announce_scoring(metric, len(described.systems), len(described.test_set), of)
        with work_to_come((len(metrics) - len(found) - 1) * len(described.systems)):
            found.append(compute_run_by_run(described, metric, progress=make_bar(f"{metric.name}{of}", "run")))
    return found


def compute_with_outputs(options: argparse.Namespace) -> tuple[pd.DataFrame, list[SegmentStatistics]]:
    """Read the outputs, which may have columns of scores; return them with the statistics of each metric."""
    from mtworkbench.metrics.columns import leave_out_unrated
    from mtworkbench.statistics.segment_statistics import compute_statistics

    with explaining_failure(options):
        outputs = read_named_outputs(options)
    metrics = choose_metrics(options, outputs)
    # A published test set has references among its systems, which no metric scores.
    accepts = bool(options.mt_metrics_eval) or "incomplete-system" in (options.accept or ())
    outputs = leave_out_unrated(outputs, metrics, accepts=accepts)
    return outputs, [compute_statistics(outputs, metric, progress=make_bar(metric.name, "run")) for metric in metrics]


def choose_metrics(options: argparse.Namespace, outputs: pd.DataFrame | None) -> list[Metric]:
    """Choose the metrics: those named, and all columns of scores that the outputs have, unless some are named.

    Raises
    ------
    InputError
        ``duplicate-metric``, and those of `make_metric`, `choose_metric` and `tell_directions`.
    """
    from mtworkbench.metrics import MeanScore, make_metric
    from mtworkbench.metrics.columns import choose_metric, score_columns
    from mtworkbench.metrics.directions import tell_directions
    from mtworkbench.outputs.tabular.shapes import is_label

    specs = options.metric or ([] if outputs is not None and "hypothesis" not in outputs.columns else ["bleu"])
    specs = name_tokenizer(options, specs)
    for_texts = {"tokenize": options.tokenize, "lowercase": options.lowercase}
    if outputs is None:
        metrics = [make_metric(spec, **for_texts) for spec in specs]
    else:
        metrics = [choose_metric(spec, outputs, **for_texts) for spec in specs]
        if not any(isinstance(metric, MeanScore) for metric in metrics):
            metrics += [MeanScore(name) for name in score_columns(outputs) if not is_label(name)]
    metrics = tell_directions(metrics, directions_of(options))
    for place, metric in enumerate(metrics):
        if metric in metrics[:place]:
            twice = f"--metric {specs[place]} is the same as {specs[metrics.index(metric)]}"
            raise InputError("duplicate-metric", f"{twice}: name each metric with its options once.")
    return metrics
