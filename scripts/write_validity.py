"""Write what was measured of the errors of tests and the coverage of intervals.

    python scripts/write_validity.py

Writes docs/validity.md, and in README.md the sentences between ``<!-- validity: NAME -->`` and
``<!-- /validity -->``. All numbers are from data/calibration, which `python -m benchmarks.calibration` computes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from textwrap import fill

import pandas as pd

from mtworkbench.studies.calibration import CONSERVATIVE, OF_THIS_PACKAGE, TOO_OFTEN, describe_errors, load_calibration
from mtworkbench.writing import replace_file

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "validity.md"
WITH_PLACES = (ROOT / "README.md",)
WIDTH = 120
PLACE = re.compile(r"(<!-- validity: (?P<name>[\w-]+) -->\n)(.*?)(<!-- /validity -->)", re.DOTALL)

METRICS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "mean": "mean"}
MARKS = {TOO_OFTEN: "**{}**", CONSERVATIVE: "*{}*"}
SCORE, DIFFERENCE = "coverage of a score", "coverage of a difference"
INTERVALS = ("percentile", "basic", "bca", "jackknife", "jackknife n - 1")
ON_OUTPUTS = ("ar", "percentile", "bca", "jackknife", "shift")
PUBLISHED = (
    *("koehn2004", "cmu", "moses", "sacrebleu-bs", "riezler-maxwell", "berg-kirkpatrick", "compare-mt"),
    *("comet-compare", "paired t", "sacrebleu-ar", "multeval"),
)
ON_RUNS = ("ar", "ar by run", "multeval", "t-test on runs", "permutation of runs", "crossed", "crossed pooled")

INTRODUCTION = """\
# How often tests err, and intervals cover

*This page is written by `python scripts/write_validity.py`. All its numbers are from
[data/calibration](../data/calibration/README.md), which `python -m benchmarks.calibration` computes.*

A test at 5 % is right if it calls equal systems different in 5 % of all comparisons. A 95 % interval is right if it
covers the truth in 95 % of all experiments. Each number below is a share, in %, of {repetitions:,} experiments; its
standard error is about 0.5 where 5 % is expected.

- A number in **bold** errs too often: it lies above the band that holds 99.9 % of the counts of a right test (133 of
  2,000). Such a count was made again with {repeated:,} other experiments, and the second count is shown, unless the
  first left no doubt.
- A number in *italics* lies below the band (69 of 2,000): the test is conservative.

A rate of errors says nothing without its null hypothesis, that is, without what varies although no system is better.
Each table names it. [The list of cells](#the-cells) says how each setting was made, and why it is there.

The tests: `ar` is approximate randomization, `crossed` the crossed analysis, `crossed pooled` the same with the
variance of runs pooled over all systems; `percentile`, `basic`, `bca` and `jackknife` call a difference significant
if that interval excludes 0; `shift` compares the resampled differences, shifted to 0, with the observed one. Where
units are of unequal size, `jackknife` has the degrees of freedom of their effective number; `jackknife n - 1`, which
is shown for comparison and used nowhere, has those of their plain number.
"""

ONE_RUN_BY_SEGMENT = """\
## One run, independent segments

Null hypothesis: two systems swap their outputs of each segment by a coin; for means, the scores of both methods are
drawn alike.
"""
ONE_RUN_BY_DOCUMENT = """\
## One run, independent documents

Null hypothesis: two systems swap their outputs of each *document* by a coin. Tests with documents as units:
"""
BY_SEGMENT = """\
The same experiments, if segments are taken for independent, as all rules of papers and programs take them:
"""
SEVERAL_RUNS = """\
## Several runs

Null hypothesis: equal methods. Three numbers say what varies nevertheless, as standard deviations of a score: method
x unit (a method does better on some segments, or documents, than the other), run (a run is better as a whole), rest.
`ar` asks about these outputs only; it does not know that runs vary. A test of the scores of runs does not know that
segments vary. Only `crossed` asks about the method.
"""
OUTSIDE = """\
## What errs too often

Tests and intervals of this package, with units that are independent. (Tests on these outputs are left out where there
are several runs: that methods are equal is not their null hypothesis.)
"""


def write_page(frame: pd.DataFrame) -> str:
    """Write the whole page."""
    return "\n".join(_parts(frame)).rstrip("\n") + "\n"


def _parts(frame: pd.DataFrame) -> Iterator[str]:
    first, again = frame["repetitions"].min(), frame["repetitions"].max()
    yield INTRODUCTION.format(repetitions=first, repeated=again)
    single, several = frame[frame["runs_a"] == 1], frame[frame["runs_a"] > 1]
    of_segments, of_documents = single[single["independent"] == "segment"], single[single["independent"] == "document"]

    yield ONE_RUN_BY_SEGMENT
    yield from table(of_segments, "size", "segment", ON_OUTPUTS)
    yield "The rules of papers and programs in the same experiments:\n"
    yield from table(of_segments, "size", "segment", PUBLISHED)
    yield "Power, that is, how often a real difference is found (a test that errs too often finds more):\n"
    yield from table(of_segments, "power", "segment", (*ON_OUTPUTS, *PUBLISHED), marked=False)

    yield ONE_RUN_BY_DOCUMENT
    yield from table(of_documents, "size", "document", ON_OUTPUTS)
    yield BY_SEGMENT
    yield from table(of_documents, "size", "segment", (*ON_OUTPUTS, *PUBLISHED))
    yield "Power with documents as units:\n"
    yield from table(of_documents, "power", "document", ON_OUTPUTS, marked=False)

    yield SEVERAL_RUNS
    yield from table(several, "size", None, ON_RUNS)
    yield "Power, if the methods differ by three standard errors:\n"
    yield from table(several, "power", None, ON_RUNS, marked=False)

    yield "## Intervals\n"
    for quantity, name in ((SCORE, "one system's score"), (DIFFERENCE, "a difference")):
        yield f"How often 95 % intervals of {name} cover the truth, with independent segments:\n"
        yield from table(of_segments, quantity, "segment", INTERVALS[:-1])
        yield "With independent documents, which are the units:\n"
        yield from table(of_documents, quantity, "document", INTERVALS)
        yield "With independent documents, if segments are taken for independent:\n"
        yield from table(of_documents, quantity, "segment", INTERVALS[:-1])

    yield OUTSIDE
    yield from name_cells(of_this_package(frame), TOO_OFTEN)
    yield "## What is conservative\n"
    yield from name_cells(of_this_package(frame), CONSERVATIVE)
    yield "## The cells\n"
    yield "| cell | why it is there | null hypothesis |"
    yield "|---|---|---|"
    for row in frame.drop_duplicates("cell").itertuples():
        yield f"| `{row.cell}` | {row.reason} | {row.null} |"


def table(
    frame: pd.DataFrame,
    quantity: str,
    unit: str | None,
    tests: Sequence[str],
    *,
    marked: bool = True,
) -> Iterator[str]:
    """Write a table: one row per cell, one column per test that has a number in one of them."""
    part = frame[(frame["quantity"] == quantity) & ((frame["unit"] == unit) | (unit is None))]
    shown = [test for test in tests if test in set(part["test"])]
    if not shown:
        return
    yield "| | " + " | ".join(shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    part = part[part["test"].isin(shown)]
    for rows in sorted((rows for _, rows in part.groupby("cell", sort=False)), key=lambda rows: place(rows.iloc[0])):
        by_test = {row.test: row for row in rows.itertuples()}
        numbers = [show(by_test[test], marked) if test in by_test else "" for test in shown]
        yield f"| {label(rows.iloc[0])} | " + " | ".join(numbers) + " |"
    yield ""


def place(row: pd.Series) -> tuple[object, ...]:
    """Order the rows of a table: by metric, source and number of units, or by runs."""
    ships = ("flores", "sample", "made-up BLEU", "made-up means").count(row["source"])
    return (list(METRICS).index(row["metric"]), row["runs_b"], row["differing"] < 1, not ships, row["n_units"])


def label(row: pd.Series) -> str:
    """Name a cell in a table by what distinguishes it."""
    if row["runs_a"] == 1:
        said = f"{METRICS[row['metric']]}, {row['n_units']:,} {row['independent']}s"
        said += f" ({row['source']})" if row["source"] in ("uk-en", "ru-en", "long-de-en") else ""
        said += f", {row['scores']} scores" if row["scores"] != "normal" else ""
        return said + (f", {100 * row['differing']:g} % differ" if row["differing"] < 1 else "")
    parts = [f"{row['runs_a']} and {row['runs_b']} runs", METRICS[row["metric"]]]
    parts += [f"{row['method_by_unit']:g} / {row['run']:g} / {row['residual']:g}"]
    parts += [f"{row['n_units']} {row['documents']} documents"] if row["documents"] else []
    parts += [row["run_effects"]] if row["run_effects"] != "normal" else []
    parts += [f"{row['n_systems']} systems"] if row["n_systems"] > 2 else []
    return ", ".join(parts + (["the first one's runs vary twice as much"] if row["first_varies"] == 2 else []))


def show(row: object, marked: bool) -> str:
    """Write a share, with a mark where it lies outside the band."""
    return MARKS.get(row.finding if marked else "", "{}").format(f"{row.percent:.1f}")


def of_this_package(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of this package's tests and intervals, where their null hypothesis is true."""
    own = frame["test"].isin(OF_THIS_PACKAGE) & (frame["unit"] == frame["independent"])
    return frame[own & ((frame["runs_a"] == 1) | frame["test"].isin(("crossed", "crossed pooled")))]


def name_cells(frame: pd.DataFrame, finding: str) -> Iterator[str]:
    """List what has a finding, one line per quantity and test, each rate with its cell."""
    found = frame[frame["finding"] == finding]
    if found.empty:
        yield "Nothing.\n"
        return
    for (quantity, test), rows in found.groupby(["quantity", "test"], sort=False):
        cells = ", ".join(f"{row.percent:.1f} % in `{row.cell}`" for row in rows.itertuples())
        yield f"- {quantity}, {test}: {cells}"
    yield ""


def fill_places(text: str, frame: pd.DataFrame) -> str:
    """Write the generated sentences of a file anew.

    Raises
    ------
    KeyError
        For a name that `SENTENCES` does not have.
    """
    return PLACE.sub(lambda found: f"{found[1]}{fill(SENTENCES[found['name']](frame), WIDTH)}\n{found[4]}", text)


#: Sentences for other pages, by the name in their marks.
SENTENCES: dict[str, Callable[[pd.DataFrame], str]] = {"errors": describe_errors}


def written(frame: pd.DataFrame) -> Iterable[tuple[Path, str]]:
    """Return every file with what it should hold."""
    yield PAGE, write_page(frame)
    for path in WITH_PLACES:
        yield path, fill_places(path.read_text(encoding="utf-8"), frame)


def main() -> None:
    """Write all of them."""
    for path, text in written(load_calibration()):
        replace_file(path, text)


if __name__ == "__main__":
    main()
