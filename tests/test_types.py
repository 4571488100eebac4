"""What a type checker sees of the package: real types in users' code, and whole public signatures."""

import ast
import inspect
import os
import re
import subprocess
import sys
from collections import ChainMap
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import FunctionType, ModuleType
from typing import Any, get_args, get_origin, get_type_hints

import pandas as pd
import pytest

import mtworkbench
from mtworkbench.lazy import MOVED

ROOT = Path(__file__).parent.parent
USES = Path(__file__).parent / "uses_of_public_names.py"
MODULES = [import_module(found.name) for found in walk_packages(mtworkbench.__path__, "mtworkbench.")]
# These hold Any unless it is said what they hold. (What an array holds, and its shape, is in the docstring.)
HOLDING = ("builtins", "collections", "collections.abc", "os")
SPECIAL = ("__init__", "__call__", "__contains__", "__getitem__", "__iter__", "__len__")


@pytest.mark.long
def test_users_code_is_clean_to_mypy(tmp_path):
    """Strictly. The package itself is looked at by `make lint`, of which the cache makes this quick."""
    pytest.importorskip("mypy", reason="needs mypy to check types")
    pages = [ROOT / "README.md", ROOT / "docs" / "tutorial.md", *(ROOT / "docs" / "how-to").glob("*.md")]
    examples = []
    for page in pages:
        found = re.findall(r"^```python\n(.+?)^```$", page.read_text(encoding="utf-8"), re.M | re.S)
        if found:
            examples.append(tmp_path / f"examples_of_{page.stem.replace('-', '_')}.py")
            examples[-1].write_text("\n".join(found), encoding="utf-8")
    assert len(examples) > 10
    settings = ["--config-file", ROOT / "pyproject.toml", "--no-error-summary", "--hide-error-context"]
    surroundings = {name: value for name, value in os.environ.items() if not name.startswith("MYPY")}
    surroundings["MYPYPATH"] = str(ROOT)  # this package, whichever is installed
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *settings, *examples, USES],
        capture_output=True,
        text=True,
        cwd=ROOT,
        env=surroundings,
    )
    assert (done.returncode in (0, 1), done.stderr) == (True, "")
    complaints = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in complaints if not line.startswith("mtworkbench")] == []


def test_mypy_reads_a_use_of_every_public_name():
    attributes = [
        node for node in ast.walk(ast.parse(USES.read_text(encoding="utf-8"))) if isinstance(node, ast.Attribute)
    ]
    used = {node.attr for node in attributes if ast.unparse(node.value) == "mtw"}
    rooms = {name for name in used if isinstance(getattr(mtworkbench, name, None), ModuleType)}
    assert used - rooms - {"comparee"} == set(mtworkbench.__all__)  # the one that is not there
    in_rooms = {f"{ast.unparse(node.value)}.{node.attr}".replace("mtw.", "mtworkbench.", 1) for node in attributes}
    assert {f"{home}.{name}" for name, home in MOVED["mtworkbench"].items()} <= in_rooms


def names_for_checkers(module: ModuleType) -> dict[str, Any]:
    """Return the names of a module, with those that it imports for type checkers alone."""
    names = dict(vars(module))
    for node in ast.parse(inspect.getsource(module)).body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            exec(compile(ast.Module(node.body, []), module.__name__, "exec"), names)
    return names


NAMES = {module.__name__: names_for_checkers(module) for module in MODULES}


def functions_of(owner: ModuleType | type) -> list[FunctionType]:
    """Return the public functions that a module or class defines: methods, properties, compiled and cached ones."""
    home = owner.__name__ if isinstance(owner, ModuleType) else owner.__module__
    members = [member for name, member in vars(owner).items() if not name.startswith("_") or name in SPECIAL]
    for attribute in ("fget", "__func__", "func", "py_func", "__wrapped__"):
        members = [getattr(member, attribute, member) for member in members]
    return [member for member in members if inspect.isfunction(member) and member.__module__ == home]


def hints_of(function: FunctionType) -> dict[str, Any]:
    """Return what is annotated, by place; a dataclass that inherits fields has their annotations, too."""
    owner = getattr(sys.modules[function.__module__], function.__qualname__.partition(".")[0], None)
    homes = [one.__module__ for one in getattr(owner, "__mro__", ())[::-1] if one.__module__ in NAMES]
    names = dict(ChainMap(NAMES[function.__module__], *(NAMES[home] for home in homes)))
    hints = get_type_hints(function, globalns=names)
    return {f"{function.__qualname__}({name})": hint for name, hint in hints.items()}


def test_every_function_without_an_underscore_is_annotated():
    classes = [
        value
        for module in MODULES
        for name, value in vars(module).items()
        if inspect.isclass(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    functions = [function for owner in [*MODULES, *classes] for function in functions_of(owner)]
    assert len(functions) > 500
    missing = [
        f"{function.__module__}: {function.__qualname__}({name})"
        for function in functions
        for name in [*inspect.signature(function).parameters, "return"]
        if f"{function.__qualname__}({name})" not in hints_of(function)
        if name not in ("self", "cls") and (function.__name__, name) != ("__init__", "return")
    ]
    assert not missing


def parts_of(hint: Any) -> Iterator[Any]:
    """Yield a hint and all that it is made of."""
    yield hint
    for part in hint if isinstance(hint, list) else get_args(hint):
        yield from parts_of(part)


def public_hints() -> dict[str, dict[str, Any]]:
    """Return the hints of all that an `__all__` names, and of the classes that they lead to, by room and place."""
    listing = [mtworkbench, *MODULES]
    waiting = [getattr(module, name) for module in listing for name in getattr(module, "__all__", ())]
    seen: set[type | FunctionType] = set()
    found: dict[str, dict[str, Any]] = {}
    while waiting:
        value = waiting.pop()
        if not isinstance(value, (type, FunctionType)) or value in seen or value.__module__ not in NAMES:
            continue
        seen.add(value)
        hints = {}
        if inspect.isclass(value):
            # Its own alone: what bases from elsewhere annotate, only their own modules can read.
            own = type(value.__name__, (), {"__annotations__": inspect.get_annotations(value)})
            attributes = get_type_hints(own, globalns=NAMES[value.__module__])
            hints = {f"{value.__qualname__}.{name}": hint for name, hint in attributes.items() if name[0] != "_"}
            waiting += value.__bases__
        for function in functions_of(value) if inspect.isclass(value) else [value]:
            hints |= hints_of(function)
        waiting += [part for hint in hints.values() for part in parts_of(hint)]
        found.setdefault(value.__module__.split(".")[1], {}).update(hints)
    return found


HINTS = public_hints()


def is_any(hint: Any) -> bool:
    """Return whether this is Any, or holds Any because it is not said what it holds."""
    whole = isinstance(hint, type) and get_origin(hint) is None and hint.__module__ in HOLDING
    return hint is Any or (whole and hasattr(hint, "__class_getitem__"))


@pytest.mark.parametrize("room", sorted(HINTS))
def test_no_public_signature_has_any(room):
    found = [f"{place}: {hint}" for place, hint in HINTS[room].items() if any(map(is_any, parts_of(hint)))]
    assert not found


def test_what_is_any():
    for hint in (Any, list, dict[str, list], list[Any] | None, tuple[int, Any], Iterator):
        assert any(map(is_any, parts_of(hint))), hint
    for hint in (object, list[int], dict[str, list[str]], tuple[int, ...], Iterator[str] | None, str, pd.DataFrame):
        assert not any(map(is_any, parts_of(hint))), hint


def test_what_makes_a_frame_says_so():
    # To mypy a DataFrame is Any, because pandas comes without types: it cannot tell.
    names = [name for name in mtworkbench.__all__ if name.startswith("read_") and name != "read_campaign"]
    assert hints_of(mtworkbench.read_campaign)["read_campaign(return)"] == dict[str, pd.DataFrame]
    assert len(names) > 4
    in_rooms = (
        mtworkbench.outputs.common_segments,
        mtworkbench.inference.project_errors,
        mtworkbench.inference.rank_changes,
    )
    for function in (*(getattr(mtworkbench, name) for name in (*names, "make_outputs")), *in_rooms):
        assert hints_of(function)[f"{function.__name__}(return)"] is pd.DataFrame
    assert (
        hints_of(mtworkbench.statistics.SegmentStatistics.to_frame)["SegmentStatistics.to_frame(return)"]
        is pd.DataFrame
    )
