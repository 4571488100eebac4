"""The simulated number of docs/rankings.md is that of benchmarks/."""

from .conftest import ROOT


def test_the_simulated_number_is_that_of_the_benchmark():
    page = (ROOT / "docs" / "rankings.md").read_text(encoding="utf-8")
    *_, called, _, of = (ROOT / "benchmarks" / "rankings.txt").read_text(encoding="utf-8").split()
    assert f"({called} of {of} simulated ones" in " ".join(page.split())
