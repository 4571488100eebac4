"""Seed one defect after another into a copy of the package, and see whether the tests that it names catch it.

    make defects                          all of tests/defects/*.patch
    python tests/defects/run.py 25 30     those whose names begin so

Exit status 0 where all are caught, else 1. README.md says how to add a defect.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import cache_from_source
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent.parent
COPIED = ("mtworkbench", "benchmarks", "scripts", "data", "docs", "notebooks", "tests", "pyproject.toml", "action.yml")
OPTIONS = ["-q", "-rA", "--tb=short", "-p", "no:cacheprovider", "--override-ini=addopts=--import-mode=importlib"]
# Plugins that are not needed (no notebook is run) take longer to load than most tests take.
OPTIONS += ["-p", "pytest_timeout"]
ENVIRONMENT = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "OPENBLAS_NUM_THREADS": "1"}


class PatchError(Exception):
    """The patch is not one, or its lines are not in the package."""


class Hunk(NamedTuple):
    """Lines of a file, and what the defect makes of them."""

    file: str
    old: list[str]
    new: list[str]


@dataclass(frozen=True)
class Defect:
    """A patch file: what is wrong, the tests that must catch it, and the change that brings it about."""

    name: str
    what: str
    tests: tuple[str, ...]
    hunks: tuple[Hunk, ...]


def read_defects(folder: Path = FOLDER, beginnings: Sequence[str] = ("",)) -> list[Defect]:
    """Read the patches whose names begin in one of these ways, in the order of their names."""
    paths = sorted(path for path in folder.glob("*.patch") if path.name.startswith(tuple(beginnings)))
    return [read_defect(path) for path in paths]


def read_defect(path: Path) -> Defect:
    """Read a patch: a sentence, ``Caught by:`` with a test in each line, and a unified diff."""
    lines = path.read_text(encoding="utf-8").splitlines()
    start = next((number for number, line in enumerate(lines) if line.startswith(("diff ", "--- "))), len(lines))
    what, _, named = "\n".join(lines[:start]).partition("Caught by:")
    defect = Defect(path.stem, " ".join(what.split()), tuple(named.split()), tuple(_read_hunks(lines[start:])))
    if not (defect.what and defect.tests and defect.hunks):
        raise PatchError(f"{path.name} lacks its sentence, its line 'Caught by:', or its diff")
    return defect


def _read_hunks(lines: Iterable[str]) -> list[Hunk]:
    hunks: list[Hunk] = []
    file, inside = "", False
    for line in lines:
        if line.startswith(("diff ", "--- ")):
            inside = False
        elif line.startswith("+++ b/"):
            file = line.removeprefix("+++ b/").split("\t")[0]
        elif line.startswith("@@"):
            hunks.append(Hunk(file, [], []))
            inside = True
        elif inside:
            if not line.startswith("+"):
                hunks[-1].old.append(line[1:])
            if not line.startswith("-"):
                hunks[-1].new.append(line[1:])
    return hunks


def seed(defect: Defect, root: Path) -> dict[str, str]:
    """Return the files that the defect changes, as it leaves them; nothing is written.

    Lines are found by their text alone, so that a patch outlives changes elsewhere in its file.

    Raises
    ------
    PatchError
        Where the lines that it changes are not there, or not only once.
    """
    changed: dict[str, str] = {}
    for file, old, new in defect.hunks:
        path = root / file
        if not path.is_file():
            raise PatchError(f"there is no {file}")
        text = "\n" + changed.get(file, path.read_text(encoding="utf-8"))
        before, after = ("\n" + "".join(f"{line}\n" for line in lines) for lines in (old, new))
        if text.count(before) != 1:
            raise PatchError(f"its lines occur {text.count(before)} times in {file}")
        changed[file] = text.replace(before, after)[1:]
    return changed


class Tree:
    """A copy of what the tests need, and the process that runs them on it: see serve.py."""

    def __init__(self, path: Path) -> None:
        self.path = path
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._server = subprocess.Popen(
            [sys.executable, "-P", str(FOLDER / "serve.py")],
            cwd=path,
            env=environment | ENVIRONMENT | {"PYTHONPATH": str(path)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def close(self) -> None:
        """End the process."""
        self._server.communicate()

    def run_tests(self, tests: Iterable[str]) -> tuple[dict[str, set[str]], str]:
        """Run tests; return how each ended ("passed", "failed", "error"), and all that was said.

        A test with parameters ends in several ways if they do.
        """
        tests = list(dict.fromkeys(tests))
        print(json.dumps([*OPTIONS, *tests]), file=self._server.stdin, flush=True)
        said = json.loads(self._server.stdout.readline())
        outcomes: dict[str, set[str]] = {test: set() for test in tests}
        for line in said.splitlines():
            outcome, _, node = line.partition(" ")
            if outcome in ("PASSED", "FAILED", "ERROR"):
                for test in tests:
                    if node == test or node.startswith((f"{test}[", f"{test} ")):
                        outcomes[test].add(outcome.lower())
        return outcomes, said

    def check(self, defect: Defect) -> str:
        """Seed a defect, run the tests that it names, and take it out again."""
        try:
            changed = seed(defect, self.path)
        except PatchError as error:
            return f"does not apply: {error}"
        sound = {file: (self.path / file).read_text(encoding="utf-8") for file in changed}
        try:
            write_files(self.path, changed)
            outcomes, _ = self.run_tests(defect.tests)
        finally:
            write_files(self.path, sound)
        blind = [
            f"{test} ({' and '.join(seen) or 'not run'})" for test, seen in outcomes.items() if "failed" not in seen
        ]
        return f"NOT CAUGHT by {', '.join(blind)}" if blind else "caught"


def write_files(tree: Path, files: dict[str, str]) -> None:
    """Write source files, and forget what was compiled of them: it may have the same size and second."""
    for file, text in files.items():
        (tree / file).write_text(text, encoding="utf-8")
        Path(cache_from_source(tree / file)).unlink(missing_ok=True)


def check_all(defects: Sequence[Defect], root: Path = ROOT) -> bool:
    """Check defects on as many copies of the package as there are processors; tell whether all are caught."""
    n_trees = min(len(defects), os.cpu_count() or 1)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as started:

        def start(path: Path, origin: Path) -> Tree:
            copy(origin, path)
            tree = Tree(path)
            started.callback(tree.close)
            return tree

        first = start(Path(folder) / "0", root)
        outcomes, said = first.run_tests(test for defect in defects for test in defect.tests)
        if unsound := [test for test, seen in outcomes.items() if seen != {"passed"}]:
            print(*(line for line in said.splitlines() if not line.startswith("PASSED ")), sep="\n")
            print(f"These tests do not pass without any defect: {', '.join(unsound)}")
            return False
        free: SimpleQueue[Tree] = SimpleQueue()
        free.put(first)
        for number in range(1, n_trees):
            free.put(start(Path(folder) / str(number), first.path))  # with what the first run compiled

        def check_somewhere(defect: Defect) -> str:
            tree = free.get()
            try:
                return tree.check(defect)
            finally:
                free.put(tree)

        n_caught = 0
        with ThreadPoolExecutor(n_trees) as pool:
            for defect, verdict in zip(defects, pool.map(check_somewhere, defects), strict=True):
                print(f"{defect.name}: {verdict}", flush=True)
                n_caught += verdict == "caught"
    print(f"{n_caught} of {len(defects)} defects are caught.")
    return n_caught == len(defects)


def copy(root: Path, tree: Path) -> None:
    """Copy what the tests need."""
    tree.mkdir()
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, tree / name)
        else:
            shutil.copy2(root / name, tree / name)


if __name__ == "__main__":
    chosen = read_defects(beginnings=sys.argv[1:] or [""])
    if not chosen:
        sys.exit(f"No patch in {FOLDER} has a name that begins with {' or '.join(sys.argv[1:])}.")
    sys.exit(not check_all(chosen))
