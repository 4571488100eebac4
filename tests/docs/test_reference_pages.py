"""Written pages name what the package has: options, environment variables, limits, times next to other tools."""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from mtworkbench.cache import LIMIT, SECONDS_WORTH_KEEPING, VARIABLE
from mtworkbench.metrics import METRICS
from mtworkbench.metrics.mean_score import DOWN, UP
from mtworkbench.metrics.meteor_setup import JAR_VARIABLE

ROOT = Path(__file__).resolve().parents[2]
#: Variables that a user does not set for mtworkbench: they belong to the system, the terminal or Jupyter.
NOT_FOR_USERS = {"LOCALAPPDATA", "TERM", "JUPYTER_CONFIG_PATH", "DISPLAY", "WAYLAND_DISPLAY"}


def read(page: str) -> str:
    return (ROOT / "docs" / page).read_text(encoding="utf-8")


def rows_of(page: str) -> list[list[str]]:
    """Return the cells of all rows of tables."""
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in page.splitlines() if line[:1] == "|"]


@pytest.mark.parametrize("name", [name for name in METRICS if name != "mean"])
def test_each_metric_has_its_direction_and_options_with_what_they_are_by_default(name):
    metric = METRICS[name]()
    [row] = [row for row in rows_of(read("reference/metrics.md")) if row[0] == f"`{name}`"]
    assert row[2] == {True: "higher", False: "lower", None: "neither"}[metric.higher_is_better]
    # An option that is off, or that the metric chooses itself, is named alone.
    usual = {one.name: one.default for one in fields(METRICS[name])}
    written = {
        one: "" if value is False or value is None else f"{value:g}" if isinstance(value, float) else f"{value}".lower()
        for one, value in usual.items()
    }
    assert dict(re.findall(r"`(\w+)`(?: \(([\w-]+)\))?", row[3])) == written


def test_names_with_a_direction_are_all_named():
    page = read("reference/metrics.md").split("## Which direction is better")[1]
    for direction, names in (("higher", UP), ("lower", DOWN)):
        [clause] = re.findall(rf"- \*\*{direction}\*\*:(.*?)[;.]\n", page, re.DOTALL)
        assert {*re.findall(r"`([^`]+)`", clause)} == names


def test_variables_of_the_environment_are_all_named():
    code = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "mtworkbench").rglob("*.py"))
    used = {*re.findall(r'environ\.get\("([A-Z_]+)"', code), VARIABLE, JAR_VARIABLE} - NOT_FOR_USERS
    page = read("reference/cache.md")
    assert {name for name in used if f"`{name}`" not in page and f"`${name}`" not in page} == set()


def test_limits_of_the_cache_are_those_of_the_program():
    page = " ".join(read("reference/cache.md").split())
    assert f"about {LIMIT // 2**30} GiB at most" in page
    assert f"less than {SECONDS_WORTH_KEEPING} seconds is not kept" in page


def test_times_relative_to_mtworkbench_are_those_that_were_measured():
    [ours] = [row for row in rows_of(read("from-other-tools.md")) if row[0] == "time of a paired bootstrap"]
    measured = rows_of(read("tables/performance-resampling.md"))
    [sacrebleu] = [row for row in measured if row[0].endswith("2 systems x 2,000 segments x 10,000 resamples")]
    [compare_mt] = [row for row in measured if row[1:2] == ["compare-mt"]]
    assert [ours[2], ours[4]] == [sacrebleu[3].split()[0], compare_mt[4].split()[0]]
