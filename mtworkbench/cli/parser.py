"""The parser of the command line: one sentence per mistake, "did you mean", and help that ends with examples."""

from __future__ import annotations

import argparse
import re
import shutil
import sys
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from itertools import chain
from typing import Any, NoReturn

from mtworkbench.cli.streams import refuse
from mtworkbench.wording import begin

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
