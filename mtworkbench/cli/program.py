"""The program, after it has been imported: what it does with a command line, and what becomes of its errors."""

from __future__ import annotations

import datetime  # noqa: F401  # numpy imports it from C, where an interrupt becomes an ImportError
import os
import sys
from collections.abc import Sequence

from mtworkbench.cli.calibrate import add_calibrate
from mtworkbench.cli.compare import add_compare
from mtworkbench.cli.lab import add_notebooks
from mtworkbench.cli.meteor import add_meteor
from mtworkbench.cli.parser import Parser, parse
from mtworkbench.cli.plan import add_plan
from mtworkbench.cli.score import add_score
from mtworkbench.cli.statistics import add_statistics
from mtworkbench.cli.streams import deliver, discard, refuse
from mtworkbench.cli.study import add_study
from mtworkbench.cli.units import add_units
from mtworkbench.cli.variance import add_variance
from mtworkbench.errors import InputError
from mtworkbench.version import __version__

EXAMPLES = (
    "mtworkbench compare ref.txt base.txt new.txt",
    "mtworkbench compare --reference ref.txt --system A='A.*' --system B='B.*'",
    "mtworkbench lab",
)
NO_MEMORY = "The memory is not enough: ask for fewer draws, systems or metrics at once."


def run(arguments: Sequence[str] | None = None) -> int:
    """Do what a command line says, as `mtworkbench.cli.main` does; an interrupt ends it with `KeyboardInterrupt`.

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
            parser, commands = make_parser()
            options = parse(parser, commands, arguments)
            return deliver(options.command(options))
        except SystemExit as end:  # argparse has said what there is to say
            return deliver("") or int(end.code or 0)
    except BrokenPipeError:  # the reader of a pipe has had enough (``| head``)
        discard(sys.stdout)
        return 0
    except InputError as error:
        return refuse(str(error))
    except MemoryError:
        return refuse(NO_MEMORY)
    except ImportError as error:
        # A library that is loaded late says this where there is no memory left to load it to.
        if "failed to map segment" not in str(error):
            raise
        return refuse(NO_MEMORY)
    except OSError as error:
        where = "" if error.filename is None else f"{os.fspath(error.filename)!r}: "
        return refuse(f"{where}{error.strerror or error}.")


def make_parser() -> tuple[Parser, dict[str, Parser]]:
    """Make the parser of the command line, and return it with those of the commands."""
    parser = Parser(
        prog="mtworkbench",
        usages=["mtworkbench COMMAND [ARGUMENT ...]"],
        description="System B scores higher than system A on this test set: may I believe it?",
        examples=EXAMPLES,
    )
    parser.set_defaults(command=lambda _: parser.format_help())
    parser.add_argument("--version", action="version", version=f"mtworkbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)
    add_compare(commands)
    add_variance(commands)
    add_statistics(commands)
    add_score(commands)
    add_units(commands)
    add_plan(commands)
    add_calibrate(commands)
    add_study(commands)
    add_meteor(commands)
    add_notebooks(commands)
    return parser, dict(commands.choices)
