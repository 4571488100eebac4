"""The program, after it has been imported: what it does with a command line, and what becomes of its errors."""

from __future__ import annotations

import datetime  # noqa: F401  # numpy imports it from C, where an interrupt becomes an ImportError
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from mtworkbench.cli.parser import Parser, parse
from mtworkbench.cli.streams import deliver, discard, fail, hushed, refuse
from mtworkbench.errors import InputError
from mtworkbench.version import __version__

EXAMPLES = (
    "mtworkbench compare ref.txt base.txt new.txt",
    "mtworkbench compare --reference ref.txt --system A='A.*' --system B='B.*'",
    "mtworkbench lab",
)
# Each has a module of its name, whose `add` adds it, in the order of the help.
COMMANDS = [
    *("compare", "report", "verify", "segments", "check", "variance", "statistics", "score", "units", "plan"),
    *("calibrate", "study", "demo", "meteor", "lab", "figures", "completion"),
]
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
            given = sys.argv[1:] if arguments is None else arguments
            options = parse(make_parser, given)
            options.arguments = [*given]  # a report says how it was made
            with hushed(options.quiet):
                return deliver(options.command(options)) or fail(options.failed)
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


def make_parser(name: str | None = None) -> tuple[Parser, dict[str, Parser]]:
    """Make the parser of the command line, and return it with those of the commands, or of the one that is named."""
    parser = Parser(
        prog="mtworkbench",
        usages=["mtworkbench COMMAND [ARGUMENT ...]"],
        description="System B scores higher than system A on this test set: may I believe it?",
        examples=EXAMPLES,
    )
    # A command that has found what a script asks for sets `failed`: to a sentence, or to nothing more to say.
    parser.set_defaults(command=lambda _: parser.format_help(), failed=None, quiet=False)
    parser.add_argument("--version", action="version", version=f"mtworkbench {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", prog=parser.prog)
    for module in [name] if name in COMMANDS else COMMANDS:
        import_module(f"mtworkbench.cli.{module}").add(commands)
    return parser, dict(commands.choices)
