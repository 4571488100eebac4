"""Add what is new to tests/promised.txt: python scripts/write_promises.py, once per release.

What stands there is promised to stay (docs/reference/stability.md), so nothing is taken away from it.
"""

import argparse
import inspect
from collections.abc import Mapping
from dataclasses import is_dataclass
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import mtworkbench
from mtworkbench import results
from mtworkbench.cli.program import make_parser
from mtworkbench.writing import replace_file

PROMISED = Path(__file__).resolve().parent.parent / "tests/promised.txt"


def list_parameters(value: object) -> set[str]:
    """Return the names of the parameters of a function or a class; of anything else, none."""
    is_called = inspect.isfunction(value) or (inspect.isclass(value) and not issubclass(value, BaseException))
    return set(inspect.signature(value).parameters) if is_called else set()


def list_names() -> dict[str, set[str]]:
    """Return what there is: parameters of the front's names, options of commands, JSON's keys by kind of record."""
    names: dict[str, set[str]] = {}
    for name in mtworkbench.__all__:
        names[f"mtworkbench.{name}"] = list_parameters(getattr(mtworkbench, name))
    for command, parser in make_parser()[1].items():
        names[f"mtworkbench {command}"] = {*parser._option_string_actions}
    for module in iter_modules(results.__path__, f"{results.__name__}."):
        for kind in vars(import_module(module.name)).values():
            if is_dataclass(kind) and kind.__module__ == module.name and hasattr(kind, "keys"):
                names[f"JSON of {kind.__name__}"] = set(kind.keys())
    return names


def read_promises() -> dict[str, set[str]]:
    """Return what is promised."""
    lines = PROMISED.read_text(encoding="utf-8").splitlines()
    return {name: set(words.split()) for name, words in (line.split(":") for line in lines)}


def write_promises(promises: Mapping[str, set[str]]) -> None:
    """Write one line per name or command."""
    lines = (" ".join([f"{name}:", *sorted(promises[name])]) for name in sorted(promises))
    replace_file(PROMISED, "".join(f"{line}\n" for line in lines))


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    now, before = list_names(), read_promises()
    write_promises({name: now.get(name, set()) | before.get(name, set()) for name in now.keys() | before})
