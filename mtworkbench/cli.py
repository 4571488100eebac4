"""The workbench from a terminal, where no notebook is at hand.

Exit status: 0 whatever the verdict; 2 for bad input or usage, told in one sentence on standard error; 130 when
interrupted; 1, with a traceback, only for a defect of the workbench.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shutil
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, TextIO

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError

if TYPE_CHECKING:
    from mtworkbench.segment_statistics import SegmentStatistics

UNITS = ("auto", "segment", "document")
EXCHANGES = ("unit", "run")
INTERVALS = ("auto", "percentile", "basic", "bca", "jackknife")
FORMATS = ("text", "json", "latex", "markdown", "csv")
OUTPUTS_USAGE = "--reference FILE --system NAME=FILES ..."
# Options of outputs, which statistics no longer have.
OF_OUTPUTS = ("reference", "system", "source", "documents", "accept", "metric", "tokenize", "lowercase")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program.

    Parameters
    ----------
    arguments : sequence of str, optional
        Those of the command line by default.

    Returns
    -------
    int
        The exit status.
    """
    try:
        try:
            options = make_parser().parse_args(arguments)
            return _deliver(options.command(options))
        except SystemExit as end:  # argparse has said what there is to say
            return _deliver("") or int(end.code or 0)
    except KeyboardInterrupt:
        _tell("interrupted.")
        return 130
    except BrokenPipeError:  # the reader of a pipe has had enough (``| head``)
        _discard(sys.stdout)
        return 0
    except InputError as error:
        return _refuse(str(error))
    except MemoryError:
        return _refuse("The memory is not enough: ask for fewer draws, systems or metrics at once.")
    except OSError as error:
        where = "" if error.filename is None else f"{os.fspath(error.filename)!r}: "
        return _refuse(f"{where}{error.strerror or error}.")


def make_parser() -> argparse.ArgumentParser:
    """Make the parser of the command line."""
    parser = argparse.ArgumentParser(
        prog="mtworkbench",
        description="System B scores higher than system A on this test set: may I believe it?",
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"mtworkbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    _add_compare(commands)
    _add_statistics(commands)
    lab = _add_command(commands, "lab", run_lab, "copy the notebooks and data to a folder and open them in JupyterLab")
    lab.add_argument("folder", nargs="?", default="mtworkbench-lab", help="made where missing (mtworkbench-lab)")
    figures = _add_command(commands, "figures", run_figures, "run every notebook and write its figures and tables")
    figures.add_argument("folder", nargs="?", default="figures", help="made where missing (figures)")
    return parser


def run_compare(options: argparse.Namespace) -> str:
    """Compare systems, from outputs or from saved statistics; return what goes to standard output."""
    _check_compare_options(options)
    with _collect_notices(shown=options.format != "json") as notices:
        if options.output is not None:
            _check_output(options)
        from mtworkbench.inference import compare
        from mtworkbench.tables import format_comparison

        statistics = _load(options.statistics) if options.statistics else _compute(options)
        comparison = compare(
            statistics,
            options.baseline,
            unit=options.unit,
            exchange=options.exchange,
            interval=options.interval,
            n_resamples=options.resamples,
            n_trials=options.trials,
            level=options.level,
            rng=options.rng,
            progress=_make_bar("drawing", "draw"),
        )
        table = format_comparison(comparison, options.format, notices)
    if options.output is None:
        return table
    from mtworkbench.writing import replace_file

    replace_file(options.output, table)
    return ""


def run_statistics(options: argparse.Namespace) -> str:
    """Compute statistics of segments and save them."""
    from mtworkbench.statistics_files import save_statistics

    with _collect_notices():
        _check_output(options)
        save_statistics(options.output, *_compute(options))
    return ""


def run_lab(options: argparse.Namespace) -> str:
    """Open JupyterLab on a copy of the notebooks."""
    from mtworkbench.notebooks import open_lab

    with _collect_notices():
        open_lab(options.folder)
    return ""


def run_figures(options: argparse.Namespace) -> str:
    """Run the notebooks and gather their figures and tables."""
    from mtworkbench.notebooks import make_figures

    with _collect_notices():
        make_figures(options.folder)
    return ""


def _add_command(
    commands: argparse._SubParsersAction,
    name: str,
    command: Callable[[argparse.Namespace], str],
    purpose: str,
    usage: str = "[FOLDER]",
) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=purpose,
        description=f"{purpose[0].upper()}{purpose[1:]}.",
        usage=f"mtworkbench {name} {usage}",
        allow_abbrev=False,  # what is short for one option today would be ambiguous with tomorrow's
    )
    parser.set_defaults(command=command, usage_error=parser.error)
    return parser


def _add_statistics(commands: argparse._SubParsersAction) -> None:
    parser = _add_command(
        commands,
        "statistics",
        run_statistics,
        "save the segment statistics of outputs to a file",
        f"{OUTPUTS_USAGE} --output FILE [OPTION ...]",
    )
    _add_outputs(parser, required=True)
    parser.add_argument("--output", required=True, metavar="FILE", help="file of statistics to write")


def _add_compare(commands: argparse._SubParsersAction) -> None:
    parser = _add_command(
        commands,
        "compare",
        run_compare,
        "compare systems with a baseline, or all pairs of them",
        f"({OUTPUTS_USAGE} | --statistics FILE ...) [OPTION ...]",
    )
    _add_outputs(parser, required=False)
    parser.add_argument(
        "--statistics", action="append", metavar="FILE", help="instead of outputs: saved statistics (repeatable)"
    )
    test = parser.add_argument_group("test")
    test.add_argument("--baseline", metavar="NAME", help="the system that each other is compared with (all pairs)")
    test.add_argument("--unit", default="auto", choices=UNITS, help="unit that is drawn and exchanged")
    test.add_argument("--exchange", default="unit", choices=EXCHANGES, help="unit: its runs change sides together")
    test.add_argument("--interval", default="auto", choices=INTERVALS, help="kind of interval")
    test.add_argument(
        "--resamples", type=_whole_number(1), default=1000, metavar="N", help="bootstrap resamples (1000)"
    )
    test.add_argument(
        "--trials", type=_whole_number(1), default=10_000, metavar="N", help="trials of the randomization (10000)"
    )
    test.add_argument("--level", type=_level, default=0.95, metavar="X", help="level of the intervals (0.95)")
    test.add_argument(
        "--rng", type=_whole_number(0, 39), metavar="SEED", help="seed of all draws; without it one is drawn and named"
    )
    result = parser.add_argument_group("result")
    result.add_argument("--format", default="text", choices=FORMATS, help="how to write the table")
    result.add_argument("--output", metavar="FILE", help="write to a file instead of standard output")


def _add_outputs(parser: argparse.ArgumentParser, *, required: bool) -> None:
    """Add the options that name outputs and metrics."""
    outputs = parser.add_argument_group("outputs")
    outputs.add_argument(
        "--reference", action="append", required=required, metavar="FILE", help="reference (repeatable: several)"
    )
    outputs.add_argument(
        "--system",
        action="append",
        required=required,
        type=_named_files,
        metavar="NAME=FILES",
        help="a system and its outputs; each file of a quoted glob, or of the name given again, is a run",
    )
    outputs.add_argument("--source", metavar="FILE", help="source text")
    outputs.add_argument("--documents", metavar="FILE", help="document id of each segment, one a line")
    outputs.add_argument(
        "--accept", action="append", metavar="CODE", help="a fault that you have looked at and take (repeatable)"
    )
    metrics = parser.add_argument_group("metrics")
    metrics.add_argument(
        "--metric",
        action="append",
        metavar="NAME[:OPTION=VALUE,...]",
        help="bleu (without this option), chrf, chrf:word_order=2, ter, length (repeatable)",
    )
    metrics.add_argument("--tokenize", metavar="NAME", help="tokenizer of every metric that has one to choose")
    metrics.add_argument("--lowercase", action="store_true", help="ignore case in every metric that can")


def _named_files(text: str) -> tuple[str, str]:
    name, equals, files = text.partition("=")
    if not equals or not files:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=FILES, a system's name and its outputs")
    return name, files


def _whole_number(least: int, digits: int = 9) -> Callable[[str], int]:
    def whole_number(text: str) -> int:
        if not re.fullmatch(f"[0-9]{{1,{digits}}}", text) or int(text) < least:
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number of at least {least} and at most {digits} digits"
            )
        return int(text)

    return whole_number


def _level(text: str) -> float:
    if not re.fullmatch(r"0?\.[0-9]*[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number between 0 and 1, such as 0.95")
    return float(text)


def _check_compare_options(options: argparse.Namespace) -> None:
    """Refuse a mixture of outputs and statistics, neither, and what could be known to be wrong before the work."""
    given = [name for name in OF_OUTPUTS if getattr(options, name)]
    if options.statistics and given:
        options.usage_error(f"--{given[0]} has been settled when the statistics were made: leave it out")
    if not options.statistics and not (options.reference and options.system):
        options.usage_error("--reference and --system are needed, or --statistics")
    if options.system and options.unit == "document" and not options.documents:
        options.usage_error("--unit document needs the documents of the segments: give --documents")
    names = dict(options.system or ())
    if names and options.baseline is not None and options.baseline not in names:
        known = ", ".join(map(repr, names))
        options.usage_error(f"the baseline {options.baseline!r} is not among the systems: name one of {known}")


def _check_output(options: argparse.Namespace) -> None:
    """Refuse an output file that could not be written, or that would replace an input, before the work is done."""
    output = options.output
    folder = os.path.dirname(os.path.realpath(output))
    if os.path.isdir(output) or not os.access(folder, os.W_OK):
        raise InputError(
            "cannot-write",
            f"{output!r} cannot be written: name a file in a folder that exists and that you may write to.",
            path=output,
        )
    from mtworkbench.outputs.files import find_files

    inputs = [*(options.reference or ()), *(getattr(options, "statistics", None) or ())]
    inputs += [name for name in (options.source, options.documents) if name is not None]
    for _, files in options.system or ():
        inputs += find_files(files, "A system")
    for name in inputs:
        if os.path.exists(output) and os.path.exists(name) and os.path.samefile(output, name):
            raise InputError("output-is-input", f"{output!r} is read, so it cannot be the file to write.", path=output)


def _load(paths: Sequence[str]) -> Sequence[SegmentStatistics]:
    from mtworkbench.statistics_files import load_statistics

    return load_statistics(*paths)


def _compute(options: argparse.Namespace) -> list[SegmentStatistics]:
    from mtworkbench.metrics import make_metric
    from mtworkbench.outputs import read_outputs
    from mtworkbench.segment_statistics import compute_statistics

    metrics = [
        make_metric(spec, tokenize=options.tokenize, lowercase=options.lowercase) for spec in options.metric or ["bleu"]
    ]
    outputs = read_outputs(
        options.reference,
        options.system,
        source=options.source,
        documents=options.documents,
        accept=options.accept or (),
    )
    return [compute_statistics(outputs, metric, progress=_make_bar(metric.name, "run")) for metric in metrics]


def _make_bar(work: str, unit: str) -> Callable[[Iterable], Iterable]:
    """Return what shows on a terminal, and in no pipe, how far a piece of long work has come."""
    from tqdm import tqdm

    size = shutil.get_terminal_size()  # tqdm alone shows nothing on a terminal that does not tell its size
    shape = {"ncols": size.columns, "nrows": size.lines}
    return partial(tqdm, desc=work, unit=unit, unit_scale=unit == "draw", disable=None, leave=False, delay=0.5, **shape)


@contextlib.contextmanager
def _collect_notices(shown: bool = True) -> Iterator[list[DataWarning]]:
    """Collect what is noticed in the data, each once; where it is not part of the result, say it at once."""
    notices: list[DataWarning] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        show_other = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: object, **more: object) -> None:
            if not isinstance(message, DataWarning):
                show_other(message, category, *place, **more)
            elif str(message) not in map(str, notices):
                notices.append(message)
                if shown:
                    _tell(f"warning: {message}")

        warnings.showwarning = show
        yield notices


def _deliver(text: str) -> int:
    """Write the result to standard output; return the exit status."""
    try:
        _write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        _discard(sys.stdout)
        return _refuse(f"The result cannot be written to standard output: {error.strerror}.")
    return 0


def _refuse(sentence: str) -> int:
    _tell(f"error: {sentence}")
    return 2


def _tell(sentence: str) -> None:
    if not sentence.isprintable():
        from mtworkbench.tables import printable

        sentence = printable(sentence)
    try:
        _write(sys.stderr, f"mtworkbench: {sentence}\n")
    except OSError:  # where nobody listens, the work is done all the same
        _discard(sys.stderr)


def _write(stream: TextIO | None, text: str) -> None:
    """Write to a standard stream now; what its encoding lacks is written as an escape."""
    if stream is None:  # closed by whoever started the program
        return
    if isinstance(stream, io.TextIOWrapper) and text:
        stream.reconfigure(errors="backslashreplace")
    stream.write(text)
    stream.flush()


def _discard(stream: TextIO) -> None:
    """Send what is still in a standard stream's buffer nowhere, or Python would complain of it when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
