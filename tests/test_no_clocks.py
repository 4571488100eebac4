"""Tests wait for signs of life, not for a time: a pause is too short on a busy machine, and too long on a quiet one."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
CLOCKS = {
    "time": ["sleep", "monotonic", "perf_counter", "process_time", "thread_time", "time"],
    "asyncio": ["sleep", "wait_for", "timeout"],
    "threading": ["Timer"],
}
NAMES = "|".join(rf"{module}\.(?:{'|'.join(names)})" for module, names in CLOCKS.items())
# As a program that a test starts would write it; what is read from a file is data.
CLOCK = re.compile(rf"\b(?:{NAMES})(?:_ns)?\b|\bimport[ ]time\b|\bfrom[ ]time[ ]import\b|\bset(?:Timeout|Interval)\(")


def find_clocks(source):
    """Return (line, what) for every clock, pause and limit of time in a test module and in the programs it starts."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found += [(node.lineno, alias.name) for alias in node.names if alias.name == "time"]
        elif isinstance(node, ast.ImportFrom):
            names = CLOCKS.get(node.module, [])
            found += [(node.lineno, f"{node.module}.{alias.name}") for alias in node.names if alias.name in names]
        elif isinstance(node, ast.Attribute) and CLOCK.fullmatch(ast.unparse(node)):
            found.append((node.lineno, ast.unparse(node)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            found += [(node.lineno, clock) for clock in CLOCK.findall(node.value)]
        elif isinstance(node, ast.Call):
            found += [(node.lineno, "timeout=") for keyword in node.keywords if keyword.arg == "timeout"]
    return found


def test_no_test_looks_at_a_clock_or_pauses():
    found = {path: find_clocks(path.read_text(encoding="utf-8")) for path in TESTS.rglob("*.py")}
    assert len(found) > 300
    assert {path: clocks for path, clocks in found.items() if clocks} == {}


CAUGHT = [
    "import {time}",
    "import {time} as clock",
    "from {time} import sleep",
    "from {time} import perf_counter as now",
    "from asyncio import sleep",
    "{time}.sleep(2.5)",
    "{time}.monotonic_ns()",
    "await asyncio.{sleep}(0.1)",
    "threading.{Timer}(1, stop)",
    "process.communicate(timeout=20)",
    "program = 'import sys, os; {time}.sleep(60)'",
    "program = f'import {time}; print({{x}})'",
    "page.evaluate('() => new Promise(resolve => {setTimeout}(resolve, 50))')",
]
LET_THROUGH = [
    "import datetime, timeit",
    "os.utime(path, (0, 0))",
    "signal.pause()",
    "words = ['sleeps', 'time', 'it was time to sleep']",
    "values.is_monotonic_increasing",
    "@pytest.mark.timeout(1800)\ndef test(): pass",  # for the slow ones, which take more than all others may
]
PARTS = {name: name for name in ("time", "sleep", "Timer", "setTimeout")}


@pytest.mark.parametrize("source", CAUGHT)
def test_a_clock_is_found(source):
    assert len(find_clocks(source.format(**PARTS))) >= 1


@pytest.mark.parametrize("source", LET_THROUGH)
def test_what_only_sounds_like_a_clock_is_not(source):
    assert find_clocks(source) == []
