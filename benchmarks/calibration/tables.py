"""The long tables of how often tests err and intervals cover, one page for each topic, from data/calibration."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import product
from textwrap import fill

import pandas as pd

from mtworkbench.analyses.calibration import (
    AT_EITHER_END,
    AT_THE_MARGIN,
    CONSERVATIVE,
    FALSE_VERDICTS,
    TOO_OFTEN,
    band_of_errors,
)
from mtworkbench.inference.units import MIN_DOCUMENTS

WIDTH = 120
#: The tests and intervals of this package; the others are rules of papers and programs, or tests of scores of runs.
OF_THIS_PACKAGE = ("ar", "crossed", "crossed pooled", *AT_EITHER_END, "percentile", "basic", "bca", "jackknife")
METRICS = {"bleu": "BLEU", "chrf": "chrF", "ter": "TER", "mean": "mean"}
MARKS = {TOO_OFTEN: "**{}**", CONSERVATIVE: "*{}*"}
SCORE, DIFFERENCE = "coverage of a score", "coverage of a difference"
INTERVALS = ("percentile", "basic", "bca", "jackknife", "jackknife n - 1")
ON_OUTPUTS = ("ar", "percentile", "bca", "jackknife", "shift")
PUBLISHED = (
    *("koehn2004", "cmu", "moses", "sacrebleu-bs", "riezler-maxwell", "berg-kirkpatrick", "compare-mt"),
    *("comet-compare", "paired t", "sacrebleu-ar", "multeval"),
)
ON_RUNS = (
    *("ar", "ar by run", "multeval", "t-test on runs", "permutation of runs", "crossed", "crossed pooled"),
    "plain pooling",
)

WITHOUT_IDS = """\
Plain text has no document ids. We measured what follows from that on real outputs of {n_sets} public test sets. The
systems of each pair are neighbours in the ranking by BLEU ({n_pairs} pairs). Their outputs are swapped at random,
document by document, so that neither system is better. Then the ids are withheld. The randomization test of this
package treats one of these as independent: *segments*, as where documents are unknown; *recognized documents*, the
default for these test sets ([Test sets whose documents are known](../known-documents.md)), or segments where there are
fewer than {few} documents; *blocks* of consecutive segments (`unit="block"`).

The table shows how often p was at most 5 %, in % of {repetitions} experiments with each pair: the mean over pairs and,
in brackets, the pairs with the smallest and the largest share.
"""

HEAD = """\
# {title}

*`python scripts/write_validity.py` writes this page from [data/calibration](../../data/calibration/README.md).
[How often tests err](../validity.md) says how it was measured, and what follows from it.*
"""
MARKED = """\
Each number is a share, in %, of at least {repetitions:,} experiments; where 5 or 95 % is expected, its standard error
is at most about 0.5.

- A number in **bold** errs too often: the test rejects equal systems, or the interval misses the truth, more often than
  the band allows that holds 99.9 % of the counts of a right test (more than {most} of {repetitions:,}).{again}
- A number in *italics* errs less often than this band allows (fewer than {fewest} of {repetitions:,}): the test or
  interval is conservative.

[The list of settings](validity-settings.md) says how each setting was made, and why it is there.
"""
AGAIN = """ Unless
  such a count left no doubt, it was repeated with {repeated:,} new experiments; the table then shows the second count,
  which is bold above {most_again} of {repeated:,}."""

MARKED_HERE = """\
A number in **bold** errs too often, a number in *italics* less often than a right test does in 99.9 % of such
simulations.
"""
THE_TESTS = """\
The tests: `ar` is approximate randomization, `crossed` the crossed analysis, `crossed pooled` the same with pooled runs
(`runs="pooled"`), `plain pooling` what it would be if the runs of all systems were taken to vary alike
(`method_p_pooled`); `percentile`, `basic`, `bca` and `jackknife` call a difference significant if the interval of that
kind excludes 0; `shift` compares the resampled differences, shifted to 0, with the observed one. Where units are of
unequal size, `jackknife` has the degrees of freedom of their effective number; `jackknife n - 1`, which is shown for
comparison and used nowhere, has those of their plain number.
"""
ONE_RUN_BY_SEGMENT = """\
## One run, independent segments

Null hypothesis: a coin decides for each segment whether the two systems swap their outputs; for means, the scores of
both methods come from the same distribution.
"""
ONE_RUN_BY_DOCUMENT = """\
## One run, independent documents

Null hypothesis: a coin decides for each *document* whether the two systems swap their outputs of it. Tests with
documents as units:
"""
SEVERAL_RUNS = """\
Null hypothesis: equal methods. Three standard deviations of a score say what varies all the same, written as method x
unit / run / rest: method x unit (one method is better on some segments or documents, the other on others), run (one
run is better overall), and the rest. `ar` asks about these outputs only and ignores variation between runs. A test of
the runs' scores ignores variation between segments. Only `crossed` allows for both.

With 2 runs of one system and 10 of the other, `crossed` gives no p, because it would call equal methods different too
often. `crossed pooled` takes the largest of three p: that of plain pooling, and those that let the runs of one or the
other system vary with twice the standard deviation of the others'.
"""
EQUIVALENCE = """\
How often the test of equivalence (`tost`: two one-sided tests, at 5 %) calls two systems equal within a margin when
their true difference is exactly that margin. In the column *a better*, the first system is better by the margin; in
*a worse*, it is worse by the margin. 5 % is expected in each. The margins are wide, so that only the end at which the
true difference lies matters. With one run:
"""
OLD_AND_NEW = """\
By default, p, its adjustment (max-T) and the interval of a difference come from the same randomization test. Until
then, p was adjusted by Holm's method, and the interval came from a bootstrap or a jackknife (`adjust="holm"`); it was
not adjusted for the number of comparisons. Both were given the same {repetitions:,} test sets per row (fewer where the
row says so), drawn with replacement from the outputs of systems of WMT 2023 English-German
([data/wmt23-en-de](../../data/wmt23-en-de/README.md)). In "3 of 5 equal", three of five systems exchange their outputs
at random, unit by unit, so that three of the ten differences are 0; under a "weak null" two systems keep their
outputs, and the population is one on which they score alike. "Copies" are further systems with the same outputs as
the first. Where there are several runs, each takes a random three tenths of its outputs from another system. Each cell
has the old number, then the new one, in %. These are not the test sets with which the rule for the intervals of a
family was chosen.

- errs: test sets on which any difference that is 0 was called significant, or a difference had the wrong sign;
- finds: real differences that were shown;
- covers: 95 % intervals of a difference by itself that hold the true difference;
- all cover: test sets on which all printed intervals hold the true differences;
- contradict: comparisons whose printed interval and verdict contradict each other;
- no CI: comparisons that have no interval by themselves, because their units are too few or too unequal in size;
- undecided: comparisons whose verdict the trials leave open.

`width` and `CPU` are the new ones divided by the old ones. **Bold**: more errors, or less coverage, than a right test
or interval has in 99.9 % of such simulations. (Intervals of one test set depend on each other, so "covers" is judged as
if there were one interval per test set.)
"""
RENUMBERED = """\
With several runs, run k of one system is swapped with run k of the other. The same test sets were compared again with
the runs of the first system in reverse order. The table shows how much p (of a comparison with this system) changes on
average, and how many verdicts change from significant to not significant or back, in %.
"""
OUTSIDE = """\
## What errs too often

Tests and intervals of this package, with units that are independent. (Tests on these outputs are left out where there
are several runs, because their null hypothesis is not that the methods are equal.)
"""


def legend(frame: pd.DataFrame) -> str:
    """Say what bold and italics mean, with the ends of the band."""
    first, again = int(frame["repetitions"].min()), int(frame["repetitions"].max())
    fewest, most = band_of_errors(first)
    repeated = AGAIN.format(repeated=again, most_again=band_of_errors(again)[1]) if again > first else ""
    return MARKED.format(repetitions=first, fewest=fewest, most=most, again=repeated)


def one_run(frame: pd.DataFrame) -> Iterator[str]:
    """Write how often tests of one run of each system err, and how often they find a difference."""
    single = frame[frame["runs_a"] == 1]
    of_segments, of_documents = single[single["independent"] == "segment"], single[single["independent"] == "document"]
    yield legend(frame)
    yield THE_TESTS
    yield ONE_RUN_BY_SEGMENT
    yield from table(of_segments, "size", "segment", ON_OUTPUTS)
    yield from table(of_segments, "size", "segment", PUBLISHED, "The rules of papers and programs:")
    tests = (*ON_OUTPUTS, *PUBLISHED)
    finds = "Power, that is, how often a real difference is found (a test that errs too often finds more):"
    yield from table(of_segments, "power", "segment", tests, finds)

    yield ONE_RUN_BY_DOCUMENT
    yield from table(of_documents, "size", "document", ON_OUTPUTS)
    wrong = "With segments treated as independent, as all rules of papers and programs treat them:"
    yield from table(of_documents, "size", "segment", tests, wrong)
    yield from table(of_documents, "power", "document", ON_OUTPUTS, "Power with documents as units:")


def several_runs(frame: pd.DataFrame) -> Iterator[str]:
    """Write how often tests of several runs of each system err, and how often they find a difference."""
    several = frame[frame["runs_a"] > 1]
    yield legend(frame)
    yield THE_TESTS
    yield SEVERAL_RUNS
    yield from table(several, "size", None, ON_RUNS)
    yield from table(several, "power", None, ON_RUNS, "Power, if the methods differ by three standard errors:")


def intervals(frame: pd.DataFrame) -> Iterator[str]:
    """Write how often intervals cover the truth."""
    single = frame[frame["runs_a"] == 1]
    of_segments, of_documents = single[single["independent"] == "segment"], single[single["independent"] == "document"]
    yield legend(frame)
    yield THE_TESTS
    for quantity, title, name in (
        (SCORE, "Intervals of a score", "one system's score"),
        (DIFFERENCE, "Intervals of a difference", "a difference"),
    ):
        yield f"## {title}\n"
        yield f"How often 95 % intervals of {name} cover the truth.\n"
        yield from table(of_segments, quantity, "segment", INTERVALS[:-1], "With independent segments:")
        yield from table(of_documents, quantity, "document", INTERVALS, "With independent documents as units:")
        wrong = "With independent documents, but segments treated as independent:"
        yield from table(of_documents, quantity, "segment", INTERVALS[:-1], wrong)


def equivalence(frame: pd.DataFrame) -> Iterator[str]:
    """Write how often the test of equivalence calls systems equal that differ by the margin."""
    yield legend(frame)
    yield EQUIVALENCE
    yield from table(frame[frame["runs_a"] == 1], AT_THE_MARGIN, None, AT_EITHER_END)
    methods = "With several runs, for methods, by the crossed analysis:"
    yield from table(frame[frame["runs_a"] > 1], AT_THE_MARGIN, None, AT_EITHER_END, methods)


def outside(frame: pd.DataFrame) -> Iterator[str]:
    """Write which of this package's tests and intervals lie outside the band."""
    yield legend(frame)
    yield OUTSIDE
    yield from worst_cells(of_this_package(frame), TOO_OFTEN)
    yield "## What is conservative\n"
    yield from worst_cells(of_this_package(frame), CONSERVATIVE)


def settings(frame: pd.DataFrame) -> Iterator[str]:
    """Write how each setting was made, and why it is there."""
    yield "| setting | in the tables | why it is there | null hypothesis |"
    yield "|---|---|---|---|"
    for _, row in frame.drop_duplicates("cell").iterrows():
        yield f"| `{row['cell']}` | {label(row)} | {row['reason']} | {row['null']} |"


def withheld_documents(rates: pd.DataFrame) -> Iterator[str]:
    """Write what was measured where document ids are withheld, a row for each test set and metric."""
    [repetitions] = set(rates["repetitions"])
    sets = rates.drop_duplicates("test_set")
    n_pairs = len(rates[["test_set", "a", "b"]].drop_duplicates())
    yield MARKED_HERE
    yield fill_paragraphs(
        WITHOUT_IDS.format(n_sets=len(sets), n_pairs=n_pairs, repetitions=repetitions, few=MIN_DOCUMENTS)
    )
    rules = list(dict.fromkeys(rates["rule"]))
    yield "| | pairs | " + " | ".join(rules) + " |"
    yield "|---|---:|" + "---:|" * len(rules)
    for name, metric in product(sets["test_set"], dict.fromkeys(rates["metric"])):
        rows = rates[(rates["test_set"] == name) & (rates["metric"] == metric)]
        first = rows.iloc[0]
        cells = []
        for rule in rules:
            own = rows[rows["rule"] == rule]
            mean = own["count"].sum() / own["repetitions"].sum()
            finding = TOO_OFTEN if mean * len(own) * repetitions > band_of_errors(len(own) * repetitions)[1] else ""
            ends = f"({own['percent'].min():.1f} to {own['percent'].max():.1f})"
            cells.append(f"{MARKS.get(finding, '{}').format(f'{100 * mean:.1f}')} {ends}")
        size = f"{first['n_segments']:,} segments in {first['n_documents']:,} documents"
        yield f"| {name}, {METRICS[metric.lower()]} ({size}) | {len(rows) // len(rules)} | " + " | ".join(cells) + " |"
    yield ""


def old_and_new(frame: pd.DataFrame) -> Iterator[str]:
    """Write what was counted of both engines, a row for each cell."""
    counts = frame.set_index(["cell", "quantity"])
    repetitions = counts.xs("experiments", level="quantity")["new"]
    yield OLD_AND_NEW.format(repetitions=int(repetitions.max()))
    yield "| setting | errs | finds | covers | all cover | contradict | no CI | undecided | width | CPU |"
    yield "|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|"
    for cell in dict.fromkeys(frame["cell"]):
        own = counts.loc[cell].astype(float)
        n = int(own.loc["experiments", "new"])
        worst = 100 * band_of_errors(n)[1] / n
        cells = [
            share(own, "false", "experiments", lambda errors, worst=worst: errors > worst),
            share(own, "shown", "different pairs"),
            share(own, "covered", "intervals", lambda covers, worst=worst: 100 - covers > worst),
            share(own, "all covered", "experiments", lambda covers, worst=worst: 100 - covers > worst),
            share(own, "contradictions", "pairs"),
            share(own, "without interval", "pairs"),
            share(own, "undecided", "pairs"),
        ]
        widths = own.loc["thousandths of width"] / own.loc["intervals"].where(own.loc["intervals"] > 0)
        cpu = own.loc["CPU milliseconds"]
        ratios = (
            "–" if pd.isna(one["new"] / one["old"]) else f"{one['new'] / one['old']:.2f}" for one in (widths, cpu)
        )
        fewer = f" ({n} test sets)" if n < repetitions.max() else ""
        yield "| " + " | ".join([cell + fewer, *cells, *ratios]) + " |"
    yield ""
    renumbered = counts["new"].unstack("quantity", sort=False)
    if "renumbered pairs" not in renumbered:
        return
    yield RENUMBERED
    yield "| setting | change of p | verdicts |"
    yield "|---|---:|---:|"
    for cell, own in renumbered[renumbered["renumbered pairs"] > 0].iterrows():
        moved, changed = own[["millionths of p by renumbering", "verdicts by renumbering"]] / own["renumbered pairs"]
        yield f"| {cell} | {moved / 1e6:.4f} | {100 * changed:.1f} |"
    yield ""


def share(own: pd.DataFrame, count: str, of: str, is_out: Callable[[float], bool] = lambda percent: False) -> str:
    """Write the share of a count, the old one and the new one."""
    shares = 100 * own.loc[count] / own.loc[of].where(own.loc[of] > 0)
    said = ["–" if pd.isna(one) else f"{one:.1f}" for one in shares]
    return " → ".join(f"**{text}**" if is_out(one) else text for text, one in zip(said, shares, strict=True))


def fill_paragraphs(text: str) -> str:
    """Break the lines of paragraphs anew."""
    return "\n\n".join(map(wrap, text.strip().split("\n\n"))) + "\n"


def wrap(text: str, start: str = "") -> str:
    """Break a paragraph, or a point of a list, into lines, none of them between a number and its percent sign."""
    whole = " ".join(text.split()).replace(" %", "\0%")
    indents = {"initial_indent": start, "subsequent_indent": " " * len(start)}
    return fill(whole, WIDTH, break_on_hyphens=False, **indents).replace("\0", " ")


def table(
    frame: pd.DataFrame, quantity: str, unit: str | None, tests: Sequence[str], heading: str = ""
) -> Iterator[str]:
    """Write a table with its heading: one row per cell, one column per test that has a number in one of them."""
    part = frame[(frame["quantity"] == quantity) & ((frame["unit"] == unit) | (unit is None))]
    shown = [test for test in tests if test in set(part["test"])]
    if not shown:
        return
    yield from [f"{heading}\n"] if heading else []
    yield "| | " + " | ".join(shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    part = part[part["test"].isin(shown)]
    for rows in sorted((rows for _, rows in part.groupby("cell", sort=False)), key=lambda rows: place(rows.iloc[0])):
        by_test = {row.test: row for row in rows.itertuples()}
        numbers = [show(by_test[test]) if test in by_test else "" for test in shown]
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


def show(row: object) -> str:
    """Write a share, with a mark where it lies outside the band."""
    return MARKS.get(row.finding, "{}").format(f"{row.percent:.1f}")


def of_this_package(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of this package's tests and intervals, where their null hypothesis is true."""
    own = frame["test"].isin(OF_THIS_PACKAGE) & (frame["unit"] == frame["independent"])
    return frame[own & ((frame["runs_a"] == 1) | frame["test"].isin(("crossed", "crossed pooled", *AT_EITHER_END)))]


def worst_cells(frame: pd.DataFrame, finding: str) -> Iterator[str]:
    """Write a table of what has a finding: one row per quantity and test, with the number of cells and the worst."""
    if not (frame["finding"] == finding).any():
        yield "Nothing.\n"
        return
    yield "| | settings | the furthest from the level |"
    yield "|---|---:|---|"
    for (quantity, test), rows in frame[frame["quantity"] != "power"].groupby(["quantity", "test"], sort=False):
        found = rows[rows["finding"] == finding]
        if len(found):
            errors = found["percent"].where(found["quantity"].isin(FALSE_VERDICTS), 100 - found["percent"])
            worst = found.loc[errors.idxmax() if finding == TOO_OFTEN else errors.idxmin()]
            name = f"{'rejections' if quantity == 'size' else quantity} by `{test}`"
            yield f"| {name} | {len(found)} of {len(rows)} | {worst['percent']:.1f} % in `{worst['cell']}` |"
    yield ""
