"""What all tests share: where the original tools' numbers and the real outputs are, when they are there at all."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from mtworkbench import compiled

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SHARED = ROOT.parent / "shared"
# How long an example takes is a property of the machine, and of what else it does. The examples are the same in every
# run, so that a run that was green stays so.
settings.register_profile("no clock", deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)
settings.load_profile("no clock")
# Tests compute what they test, as do the programs that they start, and leave the user's cache folder alone.
os.environ["MTWORKBENCH_CACHE"] = "off"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put files of which each is a long piece of work first (`make test-all`): at the end, the other process waits.

    Those of the browser come last: what drives it leaves a running event loop in the process, in which no notebook can
    be run.
    """
    long = {item.path for item in items if item.get_closest_marker("long")}

    def rank(item: pytest.Item) -> int:
        if (TESTS / "browser") in item.path.parents:
            return 3
        return 0 if item.path.suffix == ".ipynb" else 1 if item.path in long else 2

    items.sort(key=rank)


@pytest.fixture(scope="session")
def shared() -> Path:
    """Folder with the golden values and the real outputs; the test is skipped where it is absent."""
    if not SHARED.is_dir():
        pytest.skip("needs ../shared (golden values and real outputs)")
    return SHARED


@pytest.fixture(autouse=True)
def no_figure_is_left():
    """Close what a test has drawn: pyplot's current figure would be that of the next test."""
    yield
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


@pytest.fixture
def own_figures():
    """Draw without a window, and take back what a test sets."""
    import matplotlib as mpl

    mpl.use("Agg")
    with mpl.rc_context():
        yield


def pytest_terminal_summary(terminalreporter):
    """Say how much was not tested for lack of the numbers of others."""
    skipped = terminalreporter.stats.get("skipped", [])
    if n_without_shared := sum("needs ../shared" in str(report.longrepr) for report in skipped):
        terminalreporter.write_line(f"{n_without_shared} tests were skipped because ../shared is not there.")


@pytest.fixture
def give_away(monkeypatch):
    """Return a function that makes files or folders those of another user, and returns this user's number."""

    if not hasattr(os, "geteuid"):
        pytest.skip("Windows has other rights")

    def give(*paths):
        if os.geteuid() == 0:
            for path in paths:
                os.chown(path, 12345, -1, follow_symlinks=False)
            return 12345
        own = os.geteuid()  # who may not give files away becomes somebody else
        monkeypatch.setattr(os, "geteuid", lambda: own + 1)
        return own

    return give


@pytest.fixture
def use_kernels(monkeypatch):
    """Return a function that turns kernels on or off."""

    def turn(on):
        monkeypatch.setattr(compiled, "_loaded", {})
        monkeypatch.setattr(compiled, "_missed", 0.0)
        monkeypatch.setattr(compiled, "SECONDS_TO_LOAD", 0.0 if on else float("inf"))

    return turn
