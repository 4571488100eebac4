"""The command line, from its parser: every command with every option."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

from mtworkbench.cli.program import make_parser

#: Default values such as the number of processors are not those of the machine that builds the site.
WIDTH = "80"
#: The title of an entry of the index may not be empty: a zero-width space. (``!`` makes it the main entry.)
INVISIBLE = "\u200b"


def write() -> str:
    """Return the commands as sections of a Markdown page."""
    os.environ["COLUMNS"] = WIDTH
    parser, commands = make_parser()
    helps = {choice.dest: choice.help or "" for action in parser._actions for choice in _choices(action)}
    rows = [f"| [`{name}`](#mtworkbench-{name}) | {_cell(helps[name])} |" for name in commands]
    parts = ["| command | what it does |\n| --- | --- |\n" + "\n".join(rows)]
    marked: set[str] = set()
    parts += [_describe(command, marked) for one in commands.values() for command in (one, *one.inner.values())]
    return "\n\n".join(parts)


def _choices(action: argparse.Action) -> list[argparse.Action]:
    return action._choices_actions if isinstance(action, argparse._SubParsersAction) else []


def _describe(command, marked: set[str]) -> str:
    level = "##" if command.prog.count(" ") == 1 else "###"
    usages = "\n".join(command.usages)
    parts = [f"{level} {command.prog}", _text(command.description or ""), f"```text\n{usages}\n```"]
    for group in command._action_groups:
        rows = [row for action in group._group_actions for row in _row(action, command, marked)]
        if rows:
            title = (group.title or "options").capitalize()
            parts.append(f"{title}:\n\n| | |\n| --- | --- |\n" + "\n".join(rows))
    if command.examples:
        parts.append("Examples:\n\n```sh\n" + "\n".join(command.examples) + "\n```")
    return "\n\n".join(parts)


def _row(action: argparse.Action, command, marked: set[str]) -> Iterator[str]:
    """Yield the row of an argument; what the help hides has none.

    The search of the site leads to the first row of an option, by an entry of the index, which shows nothing.
    """
    if action.help is argparse.SUPPRESS or isinstance(action, argparse._SubParsersAction):
        return
    formatter = command._get_formatter()
    words = formatter._format_action_invocation(action)
    said = formatter._expand_help(action) if action.help else ""
    new = [option for option in action.option_strings if option[:2] == "--" and option not in marked]
    marked.update(new)
    marks = "".join(f"{{index}}`{INVISIBLE} <!{option}>`" for option in new)
    yield f"| {marks}`{_cell(words)}` | {_cell(_text(said))} |"


def _text(text: str) -> str:
    """Return text of a terminal as Markdown that shows the same."""
    for character in "\\<>*_[]`$":
        text = text.replace(character, f"\\{character}")
    return " ".join(text.split())


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
