"""The program, after it has been imported: what it does with a command line, and what becomes of its errors."""

from __future__ import annotations

import argparse
import datetime  # noqa: F401  # numpy imports it from C, where an interrupt becomes an ImportError
import os
import sys
from collections.abc import Mapping, Sequence
from importlib import import_module

from mtworkbench.cli.options import add_command
from mtworkbench.cli.parser import READS_STATISTICS, Parser
from mtworkbench.cli.streams import deliver, discard, fail, hushed, refuse
from mtworkbench.errors import InputError
from mtworkbench.version import __version__
from mtworkbench.wording import find_nearest

EXAMPLES = (
    "mtworkbench compare ref.txt base.txt new.txt",
    "mtworkbench compare --reference ref.txt --system A='A.*' --system B='B.*'",
    "mtworkbench lab",
)
# Each has a module of its name, in the order of the help. There, `PURPOSE`, `USAGES` and `EXAMPLES` are arguments of
# `add_command`, `add` adds the arguments of the command, and a function such as `run_compare` does what it is for.
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
            options = parse(sys.argv[1:] if arguments is None else arguments)
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
    for one in [name] if name in COMMANDS else COMMANDS:
        command = import_module(f"mtworkbench.cli.{one}")
        run_it = getattr(command, f"run_{one}")
        command.add(add_command(commands, one, run_it, command.PURPOSE, command.USAGES, command.EXAMPLES))
    return parser, dict(commands.choices)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; whatever follows no option is among the files of a command that takes some."""
    name = next((one for one in arguments if not one.startswith("-")), None)
    parser, commands = make_parser(name)
    if name is not None and name not in commands:
        parser.error(f"there is no command {name!r}{_suggest_command(name, commands)}")
    command = parser if name is None else _find_inner(commands[name], arguments)
    if command is not parser:
        _take_rng(command)
    for argument in arguments:  # argparse would read -metric as the metric "etric"
        if argument[:1] == "-" and f"-{argument.partition('=')[0]}" in command._option_string_actions:
            command.error(f"there is no option {argument}; did you mean -{argument}?")
    options, rest = parser.parse_known_args(arguments)
    for argument in rest:
        if argument.startswith("-") and argument not in ("-", "--"):
            command.error(_describe_unknown(argument.partition("=")[0], command, make_parser(None)[1]))
    if rest and not hasattr(options, "files"):
        command.error(f"{rest[0]!r} is one argument too many")
    if rest:  # files after an option
        options.files = [*options.files, *rest]
    options.arguments = [*arguments]  # a report says how it was made
    return options


def _take_rng(command: Parser) -> None:
    """Let a command that draws nothing take ``--rng`` too, so that a script may give one seed to all commands."""
    from mtworkbench.cli.values import seed

    if "--rng" not in command._option_string_actions:
        command.add_argument("--rng", type=seed, help=argparse.SUPPRESS)


def _find_inner(command: Parser, arguments: Sequence[str]) -> Parser:
    """Return the command of a command that is meant, such as ``study calibration``, or the command itself."""
    if not command.inner:
        return command
    words = [one for one in arguments if not one.startswith("-")]
    if len(words) < 2:
        return command
    if words[1] not in command.inner:
        near = find_nearest(words[1], command.inner)
        hint = f"; did you mean {near}?" if near else f": choose one of {', '.join(command.inner)}, and name it first"
        command.error(f"there is no {command.prog.split()[-1]} {words[1]!r}{hint}")
    return command.inner[words[1]]


def _suggest_command(name: str, commands: Mapping[str, Parser]) -> str:
    """Say which command could be meant."""
    near = find_nearest(name, commands)
    if near:
        return f"; did you mean {near}?"
    if os.path.exists(name):
        return f"; to compare outputs: mtworkbench compare {name} ..."
    return f": choose one of {', '.join(commands)}"


def _describe_unknown(name: str, command: Parser, commands: Mapping[str, Parser]) -> str:
    """Say that a command has no such option, and what could be meant."""
    from mtworkbench.cli.habits import hint_at

    if (hint := hint_at(name)) is not None:
        return f"there is no option {name}: {hint}"
    own = [one[2:] for one in command._option_string_actions if one.startswith("--")]
    other = next((one for one in commands.values() if name in one._option_string_actions), None)
    near = find_nearest(name.strip("-"), own, 0.76)
    if command.prog == commands["score"].prog and other is not None:
        return f"there is no option {name} here: {READS_STATISTICS}"
    if near:
        return f"there is no option {name}; did you mean --{near}?"
    return f"there is no option {name}" + (f" here; {other.prog} has one" if other is not None else "")
