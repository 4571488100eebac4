"""A full disk behind standard output is told in one sentence by every command, with an exit status that is not 0."""

import contextlib
import io
import os

import pytest

from mtworkbench.cli import main
from mtworkbench.cli.program import make_parser

from .cases import OTHER, OUTPUT, REFERENCE, write

FEW = ["--trials", "100", "--resamples", "50", "--rng", "1"]
#: Commands whose work ends with a table. The others are asked for their help: `statistics` writes to a file, and what
#: `meteor`, `lab` and `figures` start is not for a quick test.
TABLES = {"compare": FEW, "units": [], "score": []}


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.parametrize("command", [*make_parser()[1], "--help", "--version"])
def test_a_full_disk_is_told(command, tmp_path):
    paths = [write(tmp_path, name, lines) for name, lines in [("ref", REFERENCE), ("a", OUTPUT), ("b", OTHER)]]
    named = ["--reference", paths[0], "--system", f"a={paths[1]}", "--system", f"b={paths[2]}"]
    if command == "score":
        assert main(["statistics", *named, "--output", str(tmp_path / "x.stats")]) == 0
        named = [str(tmp_path / "x.stats")]
    elif command == "units":
        documents = write(tmp_path, "documents", [f"d{i // 2}" for i in range(12)])
        named += ["--documents", documents]
    arguments = [command, *named, *TABLES[command]] if command in TABLES else [command, "--help"]
    errors = io.StringIO()
    with open("/dev/full", "w") as full, contextlib.redirect_stdout(full), contextlib.redirect_stderr(errors):
        status = main(arguments)
    last = errors.getvalue().rstrip("\n").rpartition("\n")[2]
    assert last == ("mtworkbench: error: The result cannot be written to standard output: No space left on device.")
    assert status == 2
