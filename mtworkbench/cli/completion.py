"""``mtworkbench completion``: what the Tab key completes in bash, zsh and fish.

The package shtab turns the parser into a shell script, so that pressing Tab starts no Python.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from importlib import import_module

from mtworkbench.errors import InputError

PURPOSE = "print a script with which the Tab key completes commands, options and metrics"
USAGES = ("SHELL",)
EXAMPLES = SHELLS = ("bash", "zsh", "fish")  # docs/scripts.md says where each shell looks for the script


def add(parser: argparse.ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("shell", metavar="SHELL", choices=SHELLS, help=f"{', '.join(SHELLS[:-1])} or {SHELLS[-1]}")


def run_completion(options: argparse.Namespace) -> str:
    """Return the script."""
    try:
        import shtab
    except ImportError:
        problem = "The script is made by the package shtab, which is not installed"
        remedy = "install it with pip install 'mtworkbench[completion]'"
        raise InputError("no-shtab", f"{problem}: {remedy}.") from None
    from mtworkbench.cli.program import make_parser

    parser, commands = make_parser()
    for command in commands.values():
        for one in (command, *command.inner.values()):
            _describe_arguments(one, shtab.FILE, shtab.DIRECTORY)
    # For zsh, shtab writes "any number of files" as if it were one file.
    return shtab.complete(parser, options.shell).replace('"(*)::', '"*:')


def _describe_arguments(parser: argparse.ArgumentParser, file: object, folder: object) -> None:
    """Say what the values of each argument are, where argparse does not know: words, files or folders."""
    for action in parser._actions:
        named = str(action.metavar or "")
        if action.dest in WORDS:
            action.choices = list(WORDS[action.dest]())
        elif re.search("FILE|PACKAGE", named):
            action.complete = file  # type: ignore[attr-defined]
        elif named == "FOLDER" or action.dest == "folder":
            action.complete = folder  # type: ignore[attr-defined]


def _metrics() -> Iterable[str]:
    from mtworkbench.metrics import METRICS

    return [name for name, metric in METRICS.items() if metric.help_line]


def _keys(module: str, name: str) -> Callable[[], Iterable[str]]:
    return lambda: getattr(import_module(f"mtworkbench.outputs.{module}"), name)


#: Words that an argument takes, among others, by its name in the parser; zsh cannot read words with a colon.
WORDS: dict[str, Callable[[], Iterable[str]]] = {
    "metric": _metrics,
    "repair": _keys("repairs", "REPAIRS"),
    "accept": _keys("checks.report", "ACCEPTABLE"),
    "weights": _keys("scores.mqm_weights", "MQM_WEIGHTS"),
    "unit": lambda: ("segment", "document", "domain", "block"),
    "strata": lambda: ("document", "domain"),
}
