"""The parser of the command line: one sentence per mistake, "did you mean", and help that ends with examples."""

from __future__ import annotations

import argparse
import os
import re
import shutil
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Any, NoReturn

from mtworkbench.cli.streams import refuse
from mtworkbench.wording import begin, find_nearest

# Lines of help are not longer than this, however wide the terminal is.
WIDEST = 100
READS_STATISTICS = "score reads saved statistics; to score and compare outputs, call mtworkbench compare"


class Help(argparse.RawDescriptionHelpFormatter):
    """Help of a readable width, whose examples stay as they are written."""

    def __init__(self, prog: str, **more: Any) -> None:
        super().__init__(prog, **({"width": min(shutil.get_terminal_size().columns, WIDEST) - 2} | more))

    def add_argument(self, action: argparse.Action) -> None:
        """Leave room for the names of commands, whose indentation argparse forgets."""
        super().add_argument(action)
        if isinstance(action, argparse._SubParsersAction):
            self._action_max_length += self._indent_increment


class HelpAll(argparse.Action):
    """Show all options and exit."""

    def __call__(self, parser: Any, *_: Any) -> NoReturn:
        """Print the help, as ``--help`` does."""
        parser._print_message(parser.format_help_all(), sys.stdout)
        raise SystemExit(0)


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are told in one sentence, and whose help has two parts.

    ``--help`` leaves out the options that most people do not need (``rare``), the usages and examples with one of
    these, and what follows a semicolon in a text; ``--help-all`` shows all.
    """

    def __init__(
        self, *, usages: Sequence[str], examples: Sequence[str], rare: Collection[str] = (), **more: Any
    ) -> None:
        # An abbreviation that is unique today would be ambiguous with tomorrow's option.
        super().__init__(usage="\n       ".join(usages), formatter_class=Help, allow_abbrev=False, **more)
        self.usages, self.examples, self.rare = tuple(usages), tuple(examples), frozenset(rare)
        self.inner: Mapping[str, Parser] = {}
        self.add_argument("--help-all", action=HelpAll, nargs=0, help=argparse.SUPPRESS)

    def format_help(self) -> str:
        """Return the help that most people need, in one list."""
        if not any(map(self._is_rare, self._actions)):
            return self.format_help_all()
        usages, examples = (
            [line for line in lines if self.rare.isdisjoint(line.split())] for lines in (self.usages, self.examples)
        )
        files, *options = (group._group_actions for group in self._action_groups)
        usual = [_shorten(one) for one in chain(*options) if not self._is_rare(one)]
        sections = {"positional arguments": list(map(_shorten, files)), "options": usual}
        more = f"These are the options that most people need. {self.prog} --help-all shows every option."
        return f"{self._format(usages, sections, examples)}\n{more}\n"

    def format_help_all(self) -> str:
        """Return the help with all options, in groups."""
        groups = {group.title or "": group._group_actions for group in self._action_groups}
        return self._format(self.usages, groups, self.examples)

    def _is_rare(self, action: argparse.Action) -> bool:
        """Tell whether the first long name of an option, or its only one, is that of a rare option."""
        names = [name for name in action.option_strings if name.startswith("--")] or action.option_strings
        return bool(names) and names[0] in self.rare

    def _format(
        self, usages: Sequence[str], sections: Mapping[str, Sequence[argparse.Action]], examples: Sequence[str]
    ) -> str:
        formatter = self._get_formatter()
        formatter.add_usage("\n       ".join(usages), self._actions, self._mutually_exclusive_groups)
        formatter.add_text(self.description)
        for title, actions in sections.items():
            formatter.start_section(title)
            formatter.add_arguments(actions)
            formatter.end_section()
        formatter.add_text("\n  ".join(["examples:", *examples]) if examples else None)
        return formatter.format_help()

    def error(self, message: str) -> NoReturn:
        """Tell a mistake in one sentence; end with exit status 2."""
        raise SystemExit(refuse(f"{begin(message)} (see {self.prog} --help)."))


def _shorten(action: argparse.Action) -> argparse.Action:
    """Return an option whose help is the first clause of its help."""
    short = copy(action)
    short.help = action.help and re.split(r"; (?![^(]*\))", action.help)[0]
    return short


def parse(
    make_parser: Callable[[str | None], tuple[Parser, Mapping[str, Parser]]], arguments: Sequence[str]
) -> argparse.Namespace:
    """Parse a command line; whatever follows no option is among the files of a command that takes some.

    ``make_parser`` makes the parser of the command line, and those of the command that is named, or of all.
    """
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
