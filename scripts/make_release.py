"""Build a release, twice; install it in an empty environment, try it there, and say what is left to do.

`make release` calls this after the tests. Nothing is uploaded.
"""

import argparse
import filecmp
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
import venv
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DIST = ROOT / "dist"
#: What checks the metadata and the page of a package index; the checks need no account.
TOOLS = ("twine>=6.1", "cffconvert>=2.0")
NEXT = """
The files in dist/ are ready. To publish them:

  git tag -a v{version} -m "mtworkbench {version}" && git push origin v{version}
  {twine} upload dist/*
"""
NOT_YET = """
The files in dist/ are not to be published yet:
"""


def say(text: str) -> None:
    """Show a line at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def run(*command: str | Path, **keywords) -> str:
    """Run a program, and return what it writes to standard output; its errors are shown."""
    return subprocess.run(command, check=True, text=True, stdout=subprocess.PIPE, encoding="utf-8", **keywords).stdout


def copy_tracked(folder: Path) -> Path:
    """Copy what git tracks, as it is now, into a folder."""
    names = run("git", "ls-files", "-z", cwd=ROOT).split("\0")[:-1]
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, folder / name)
    return folder


def build(source: Path, target: Path, *, seconds: int) -> list[Path]:
    """Build the wheel and the source distribution of a folder, dated so many seconds after 1970."""
    environment = os.environ | {"SOURCE_DATE_EPOCH": str(seconds)}
    run(sys.executable, "-m", "hatchling", "build", "-d", target, cwd=source, env=environment)
    return sorted(target.iterdir())


def try_commands(environment: Path, folder: Path) -> list[str]:
    """Type what a new user types first in an empty folder, and return what the program says."""
    texts = [f"sample/{name}.txt" for name in ("reference", "baseline.run1", "retrained.run1")]
    commands = (["--version"], ["demo", "sample"], ["compare", *texts, "--rng", "1"])
    variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    program = environment / "bin/mtworkbench"
    return [run(program, *command, cwd=folder, env=variables) for command in commands]


def find_what_is_missing(version: str) -> Iterable[str]:
    """Say what a release needs and this one does not have."""
    if run("git", "status", "--porcelain", cwd=ROOT):
        yield "Not everything is committed (git status)."
    if run("git", "tag", "--list", f"v{version}", cwd=ROOT):
        yield f"There is a tag v{version} already: raise the version in mtworkbench/version.py and in CITATION.cff."
    heading = re.search("^## .+$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)[0]
    date = re.search('^date-released: "(.+)"$', (ROOT / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)[1]
    if heading != f"## {version} - {date}":
        yield (
            f"CHANGELOG.md begins with {heading!r}, but by mtworkbench/version.py and CITATION.cff, "
            f"'## {version} - {date}' was expected."
        )
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    if "OWNER" in project["urls"]["Source"]:
        yield "No account has the repository yet: make owner OWNER=name."


def make_release() -> int:
    """Do it, and return the exit status."""
    version = re.search('^__version__ = "(.+)"$', (ROOT / "mtworkbench/version.py").read_text(), re.MULTILINE)[1]
    seconds = int(run("git", "log", "-1", "--format=%ct", cwd=ROOT))
    with tempfile.TemporaryDirectory(prefix="mtworkbench-release-") as name:
        place = Path(name)
        say("Building twice ...")
        first, second = (
            build(copy_tracked(place / which / "source"), place / which / "dist", seconds=seconds)
            for which in ("one", "two")
        )
        differing = [one.name for one, other in zip(first, second, strict=True) if not filecmp.cmp(one, other, False)]
        if differing:
            say(f"Two builds differ: {', '.join(differing)}.")
            return 1
        say("Checking the metadata ...")
        tools = ROOT / ".venv-release"
        venv.create(tools, clear=True, with_pip=True)
        run(tools / "bin/python", "-m", "pip", "--disable-pip-version-check", "install", "-qq", *TOOLS)
        run(tools / "bin/twine", "check", "--strict", *first)
        run(tools / "bin/cffconvert", "--validate", "--infile", ROOT / "CITATION.cff")
        say("Installing the wheel in an empty environment, and trying it there ...")
        venv.create(place / "empty", with_pip=True)
        [wheel] = (place / "one/dist").glob("*.whl")
        run(place / "empty/bin/python", "-m", "pip", "--disable-pip-version-check", "install", "-qq", wheel)
        (place / "try").mkdir()
        say(try_commands(place / "empty", place / "try")[-1])
        # What was not checked must not lie where it would be uploaded from.
        shutil.rmtree(DIST, ignore_errors=True)
        shutil.copytree(place / "one/dist", DIST)
    for file in sorted(DIST.iterdir()):
        say(f"{hashlib.sha256(file.read_bytes()).hexdigest()}  {file.stat().st_size / 1e6:.1f} MB  {file.name}")
    missing = list(find_what_is_missing(version))
    if missing:
        say(NOT_YET + "".join(f"\n- {sentence}" for sentence in missing))
        return 1
    say(NEXT.format(version=version, twine=(tools / "bin/twine").relative_to(ROOT)))
    return 0


if __name__ == "__main__":
    argparse.ArgumentParser(description=__doc__).parse_args()
    sys.exit(make_release())
