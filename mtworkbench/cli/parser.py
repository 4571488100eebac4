"""The parser of the command line: one sentence per mistake, "did you mean", and help that ends with examples."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from mtworkbench.cli.streams import refuse
from mtworkbench.wording import begin, find_nearest

# Lines of help are not longer than this, however wide the terminal is.
WIDEST = 100
READS_STATISTICS = "score reads saved statistics; to score and compare outputs, call mtworkbench compare"
# What is said of options that other programs have.
HINTS = {
    "--paired-bs": "every comparison here is paired, with an interval and a test of its difference: leave it out",
    "--paired-ar": "every comparison here is paired and tested by randomization: leave it out",
    "--paired-bs-n": "the number of bootstrap resamples is --resamples N",
    "--paired-ar-n": "the number of trials of the randomization is --trials N",
    "--confidence": "every score here has an interval: leave it out",
    "-ci": "every score here has an interval: leave it out",
    "--confidence-n": "the number of bootstrap resamples is --resamples N",
    "--chrf-word-order": "chrF++ is --metric chrf:word_order=2",
    "--seed": "the seed of all draws is --rng SEED",
    "--input": "outputs come after the reference, or after -i",
}


class Help(argparse.RawDescriptionHelpFormatter):
    """Help of a readable width, whose examples stay as they are written."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, **({"width": min(shutil.get_terminal_size().columns, WIDEST) - 2} | more))

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the names of commands, whose indentation argparse forgets."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are told in one sentence, and whose help ends with examples."""

    def __init__(self, *, examples: Sequence[str] = (), **more: Any) -> None:
        shown = "".join(f"\n  {example}" for example in examples)
        # An abbreviation that is unique today would be ambiguous with tomorrow's option.
        super().__init__(
            epilog=f"examples:{shown}" if examples else None, formatter_class=Help, allow_abbrev=False, **more
        )
        self.examples = tuple(examples)
        self.inner: Mapping[str, Parser] = {}

    def error(self, message: str) -> NoReturn:
        """Tell a mistake in one sentence; end with exit status 2."""
        raise SystemExit(refuse(f"{begin(message)} (see {self.prog} --help)."))


def parse(parser: Parser, commands: Mapping[str, Parser], arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """Parse a command line; whatever follows no option is among the files of a command that takes some."""
    arguments = sys.argv[1:] if arguments is None else arguments
    name = next((one for one in arguments if not one.startswith("-")), None)
    if name is not None and name not in commands:
        parser.error(f"there is no command {name!r}{_suggest_command(name, commands)}")
    command = parser if name is None else _find_inner(commands[name], arguments)
    for argument in arguments:  # argparse would read -metric as the metric "etric"
        if argument[:1] == "-" and f"-{argument.partition('=')[0]}" in command._option_string_actions:
            command.error(f"there is no option {argument}; did you mean -{argument}?")
    options, rest = parser.parse_known_args(arguments)
    for argument in rest:
        if argument.startswith("-") and argument not in ("-", "--"):
            command.error(_say_unknown(argument.partition("=")[0], command, commands))
    if rest and not hasattr(options, "files"):
        command.error(f"{rest[0]!r} is one argument too many")
    if rest:  # files after an option
        options.files = [*options.files, *rest]
    return options


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


def _say_unknown(name: str, command: Parser, commands: Mapping[str, Parser]) -> str:
    """Say that a command has no such option, and what could be meant."""
    if name in HINTS:
        return f"there is no option {name}: {HINTS[name]}"
    own = [one[2:] for one in command._option_string_actions if one.startswith("--")]
    other = next((one for one in commands.values() if name in one._option_string_actions), None)
    near = find_nearest(name.strip("-"), own, 0.76)
    if command is commands.get("score") and other is not None:
        return f"there is no option {name} here: {READS_STATISTICS}"
    if near:
        return f"there is no option {name}; did you mean --{near}?"
    return f"there is no option {name}" + (f" here; {other.prog} has one" if other is not None else "")
