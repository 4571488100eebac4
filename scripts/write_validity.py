"""Write what was measured of the errors of tests and the coverage of intervals.

    python scripts/write_validity.py

Writes docs/validity.md, and in README.md the sentences between ``<!-- validity: NAME -->`` and
``<!-- /validity -->``. All numbers are from data/calibration, which `python -m benchmarks.calibration` computes.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path
from textwrap import fill

import pandas as pd

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # what is measured is in benchmarks/
    sys.path.insert(0, str(ROOT))

from benchmarks.calibration.sentences import OF_THIS_PACKAGE, describe_errors  # noqa: E402
from benchmarks.campaign_sizes import (  # noqa: E402
    BY_SET,
    CENTRED,
    TURNED,
    WITHIN_SETS,
    load_campaign_sizes,
    load_sets_left_out,
)
from benchmarks.set_claims import N_SEGMENTS, NOISE, load_claims, load_skewed_sets  # noqa: E402
from mtworkbench.analyses.calibration import (  # noqa: E402
    AT_EITHER_END,
    AT_THE_MARGIN,
    CONSERVATIVE,
    FALSE_VERDICTS,
    TOO_OFTEN,
    band_of_errors,
    load_calibration,
)
from mtworkbench.inference.units import MIN_DOCUMENTS  # noqa: E402
from mtworkbench.writing import replace_file  # noqa: E402

PAGE = ROOT / "docs" / "validity.md"
ENGINE = ROOT / "data" / "calibration" / "engine.csv"
WITH_PLACES = (ROOT / "README.md",)
WIDTH = 120
WITHHELD = ROOT / "data" / "calibration" / "withheld_documents.csv"
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
ON_RUNS = (
    *("ar", "ar by run", "multeval", "t-test on runs", "permutation of runs", "crossed", "crossed pooled"),
    "plain pooling",
)

WITHOUT_IDS = """\
## One run, where document ids are withheld

Plain text has no document ids. We measured what follows from that on real outputs of {n_sets} public test sets. The
systems of each pair are neighbours in the ranking by BLEU ({n_pairs} pairs). Their outputs are swapped at random,
document by document, so that neither system is better. Then the ids are withheld. The randomization test of this
package treats one of these as independent: *segments*, as where documents are unknown; *recognized documents*, the
default for these test sets ([Test sets whose documents are known](known-documents.md)), or segments where there are
fewer than {few} documents; *blocks* of consecutive segments (`unit="block"`).

The table shows how often p was at most 5 %, in % of {repetitions} experiments with each pair: the mean over pairs and,
in brackets, the pairs with the smallest and the largest share.
"""

INTRODUCTION = """\
# How often tests err, and how often intervals cover the truth

*`python scripts/write_validity.py` writes this page. All its numbers come from
[data/calibration](../data/calibration/README.md), which `python -m benchmarks.calibration` computes.*

A 5 % test is right if it calls equal systems different in 5 % of all experiments. A 95 % interval is right if it
covers the truth in 95 %. Each number below is a share, in %, of at least {repetitions:,} experiments; where 5 or 95 %
is expected, its standard error is at most about 0.5.

- A number in **bold** errs too often: the test rejects equal systems, or the interval misses the truth, more often than
  the band allows that holds 99.9 % of the counts of a right test (more than {most} of {repetitions:,}).{again}
- A number in *italics* errs less often than this band allows (fewer than {fewest} of {repetitions:,}): the test or
  interval is conservative.

An error rate means little without its null hypothesis: what varies although neither system is better. Each table names
it. [The list of cells](#the-cells) says how each setting was made, and why it is there.

The tests: `ar` is approximate randomization, `crossed` the crossed analysis, `crossed pooled` the same with pooled runs
(`runs="pooled"`), `plain pooling` what it would be if the runs of all systems were taken to vary alike
(`method_p_pooled`); `percentile`, `basic`, `bca` and `jackknife` call a difference significant if the interval of that
kind excludes 0; `shift` compares the resampled differences, shifted to 0, with the observed one. Where units are of
unequal size, `jackknife` has the degrees of freedom of their effective number; `jackknife n - 1`, which is shown for
comparison and used nowhere, has those of their plain number.
"""
AGAIN = """ Unless
  such a count left no doubt, it was repeated with {repeated:,} new experiments; the table then shows the second count,
  which is bold above {most_again} of {repeated:,}."""

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
## Several runs

Null hypothesis: equal methods. Three standard deviations of a score say what varies all the same, written as method x
unit / run / rest: method x unit (one method is better on some segments or documents, the other on others), run (one
run is better overall), and the rest. `ar` asks about these outputs only and ignores variation between runs. A test of
the runs' scores ignores variation between segments. Only `crossed` allows for both.

With 2 runs of one system and 10 of the other, `crossed` gives no p, because it would call equal methods different too
often. `crossed pooled` takes the largest of three p: that of plain pooling, and those that let the runs of one or the
other system vary with twice the standard deviation of the others'.
"""
EQUIVALENCE = """\
## Equivalence

How often the test of equivalence (`tost`: two one-sided tests, at 5 %) calls two systems equal within a margin when
their true difference is exactly that margin. In the column *a better*, the first system is better by the margin; in
*a worse*, it is worse by the margin. 5 % is expected in each. The margins are wide, so that only the end at which the
true difference lies matters. With one run:
"""
SEVERAL_SETS = """\
## Several test sets

`compare_test_sets` makes two claims, and each has its test: `these test sets` is stratified approximate randomization,
`new test sets` is Student's t over sets, with a standard error and a p that are at least as large as those on these
sets. Both were measured with BLEU on {n_available} test sets German-English
(long-de-en), of which each repetition takes some at random. Two pairs of systems: {tie} are nearly tied, {clear}
differ clearly (Google's outputs are scored as they are stored, with HTML entities such as `&quot;`). Each number is a
share of {repetitions:,} repetitions, in %, with its 95 % interval (Clopper-Pearson).

Null hypothesis: from each set, {size} segments are drawn (all segments, where it says whole sets; these are of unequal
size), and a coin decides for each *segment* whether the two systems swap their outputs. No set has a difference, and
sets do not differ. `jackknife on these test sets` counts intervals without 0; `Cochran's Q` counts how often the
sets are called different. Where sets do not differ, `new test sets` is conservative: it uses the
standard error on these sets as if it had only as many degrees of freedom as there are sets, minus one.
"""
BY_SETS = """\
Null hypothesis: again, segments are drawn, but a coin decides for each *set* whether the two systems swap all their
outputs of it. Over all such sets the difference is 0, but on the sets at hand it is not. So `these test sets` is right
to find it, and what it finds is not about new sets. If the systems differ clearly, such sets are of two kinds, which
Student's t does not expect: with 3 sets, all coins agree in one of 4 repetitions, with 5 sets in one of 16, and
differences that are large and alike are significant.
"""
ABOUT_ZERO = """\
Null hypothesis of Student's t for new test sets: sets are drawn with replacement from the real ones, and the mean of
all sets' differences is subtracted, so that sets spread as they really do (`centred`). In `centred and turned`, a coin
turns the sign of each set's difference, so that they are symmetric about 0. If `centred` errs more often, that is due
to skewness: a few sets lie far from the others on one side.
"""
SKEWED = """\
How often Student's t errs with skewed sets depends on the number of sets. We simulated sets whose true differences
have a gamma distribution with the skewness shown and the mean 0 (skewness 0: normal; 2: exponential), so neither system
is better over all sets like these. The sets are so long that segments hardly matter (their standard error is {noise:g}
times the standard deviation between sets). For comparison: the differences of {n_pairs} pairs of systems on the
{n_available} real sets have a skewness of {least:.1f} to {largest:.1f} (its sign does not matter). The table shows how
often the systems were called different for new test sets, in % of {repetitions:,} repetitions:
"""
WORST_SKEWED = """\
The highest rate is {worst:.1f} % ({n_sets} sets, skewness {skewness:g}); with {most} sets of this skewness it is
{still:.1f} %. With two sets, the rate is low, because the standard error on these sets is then often the larger one. If
one system is far better or far worse on one set than on all others, ask why, and do not rely on this claim.
"""
FLOOR = """\
### Sets that happen to agree

Where a few sets happen to agree better than their segments allow, Student's t over sets alone would give a shorter
interval for new sets than for these. Each row of the table says how many of the {n_available} sets are chosen. For
every possible choice and {n_pairs} pairs of systems, the interval for new sets is compared with the interval on the
chosen sets (jackknife). Before, the
standard error of the t-test was s / sqrt(S) alone. Now it is at least the standard error on these sets, and the
interval includes the interval on these sets.

The column *narrower than on these* shows how often the interval for new sets is narrower than the interval on these
sets. *all sets*: how often the interval for new sets contains the mean difference on all {n_available} sets, which
include the chosen ones. *one other set*: how often the interval for one new set contains the difference on one of the
other sets. *where it was narrower*: the same, for those choices alone in which the interval for new sets was narrower
before. Before → now, in %:
"""
CLAIMS = """\
### The claims about sets and runs

We simulated scores of two equal systems with {n_runs} runs each. The mean of a run on a set has a standard error of
{error:.2f} from its {n_segments} segments. Each row says what else varies, as standard deviations: between sets (one
system is better on some sets, the other on others) / between runs (the same on all sets) / of runs on single sets.
There is a number only for claims whose null hypothesis is true: `method` asks about new training runs on these sets,
`new runs and sets` about new runs on new sets. Each number is a share of {repetitions:,} repetitions, in %. A claim is
made only if the claims that it rests on are made, too, so it is conservative where several null hypotheses are true.
"""
ONE_NEW_SET = """\
The interval in which the difference on one new set is expected should hold it in 95 %. For {n_pairs} pairs of systems
and every possible choice of so many of the {n_available} sets, the difference on each of the other sets is predicted.
(All choices are of the same sets, so there is no 95 % interval.)
"""
OLD_AND_NEW = """\
## The old engine and the new one

By default, p, its adjustment (max-T) and the interval of a difference come from the same randomization test. Until
then, p was adjusted by Holm's method, and the interval came from a bootstrap or a jackknife (`adjust="holm"`); it was
not adjusted for the number of comparisons. Both were given the same {repetitions:,} test sets per row (fewer where the
row says so), drawn with replacement from the outputs of systems of WMT 2023 English-German
([data/wmt23-en-de](../data/wmt23-en-de/README.md)). In "3 of 5 equal", three of five systems exchange their outputs
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


def write_page(frame: pd.DataFrame) -> str:
    """Write the whole page."""
    return "\n".join(_parts(frame)).rstrip("\n") + "\n"


def _parts(frame: pd.DataFrame) -> Iterator[str]:
    first, again = int(frame["repetitions"].min()), int(frame["repetitions"].max())
    fewest, most = band_of_errors(first)
    repeated = AGAIN.format(repeated=again, most_again=band_of_errors(again)[1]) if again > first else ""
    yield INTRODUCTION.format(repetitions=first, fewest=fewest, most=most, again=repeated)
    yield f"## In short\n\n{wrap(SENTENCES['errors'](frame))}\n"
    single, several = frame[frame["runs_a"] == 1], frame[frame["runs_a"] > 1]
    of_segments, of_documents = single[single["independent"] == "segment"], single[single["independent"] == "document"]

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

    yield from withheld_documents(pd.read_csv(WITHHELD))

    yield SEVERAL_RUNS
    yield from table(several, "size", None, ON_RUNS)
    yield from table(several, "power", None, ON_RUNS, "Power, if the methods differ by three standard errors:")

    yield "## Intervals\n"
    for quantity, name in ((SCORE, "one system's score"), (DIFFERENCE, "a difference")):
        yield f"How often 95 % intervals of {name} cover the truth.\n"
        yield from table(of_segments, quantity, "segment", INTERVALS[:-1], "With independent segments:")
        yield from table(of_documents, quantity, "document", INTERVALS, "With independent documents as units:")
        wrong = "With independent documents, but segments treated as independent:"
        yield from table(of_documents, quantity, "segment", INTERVALS[:-1], wrong)

    yield EQUIVALENCE
    yield from table(single, AT_THE_MARGIN, None, AT_EITHER_END)
    yield from table(
        several, AT_THE_MARGIN, None, AT_EITHER_END, "With several runs, for methods, by the crossed analysis:"
    )

    yield from several_sets(load_campaign_sizes(), load_sets_left_out())

    yield from old_and_new(pd.read_csv(ENGINE))

    yield OUTSIDE
    yield from worst_cells(of_this_package(frame), TOO_OFTEN)
    yield "## What is conservative\n"
    yield from worst_cells(of_this_package(frame), CONSERVATIVE)
    yield "## The cells\n"
    yield "| cell | why it is there | null hypothesis |"
    yield "|---|---|---|"
    for row in frame.drop_duplicates("cell").itertuples():
        yield f"| `{row.cell}` | {row.reason} | {row.null} |"


def withheld_documents(rates: pd.DataFrame) -> Iterator[str]:
    """Write what was measured where document ids are withheld, a row for each test set and metric."""
    [repetitions] = set(rates["repetitions"])
    sets = rates.drop_duplicates("test_set")
    n_pairs = len(rates[["test_set", "a", "b"]].drop_duplicates())
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


def several_sets(sizes: pd.DataFrame, left_out: pd.DataFrame) -> Iterator[str]:
    """Write what was measured of campaigns."""
    pairs = [f"{a} and {b}" for a, b in sizes[["a", "b"]].drop_duplicates().itertuples(index=False)]
    n_available = int(sizes["n_sets"].max())
    [repetitions] = set(sizes["repetitions"])
    [size] = set(sizes["n_segments"].dropna().astype(int))
    said = {"n_available": n_available, "tie": pairs[0], "clear": pairs[1], "repetitions": repetitions, "size": size}
    yield fill_paragraphs(SEVERAL_SETS.format(**said))
    yield from table_of_sets(sizes[sizes["null"] == WITHIN_SETS], "rule")
    yield BY_SETS
    yield from table_of_sets(sizes[sizes["null"] == BY_SET], "rule")
    yield ABOUT_ZERO
    yield from table_of_sets(sizes[sizes["null"].isin((CENTRED, TURNED))], "null")
    n_pairs = len(left_out[["a", "b"]].drop_duplicates())
    real = {"n_pairs": n_pairs, "n_available": n_available}
    real |= {"least": left_out["skewness"].min(), "largest": left_out["skewness"].max()}
    yield from skewed_sets(load_skewed_sets(), real)
    yield fill_paragraphs(ONE_NEW_SET.format(n_available=n_available, n_pairs=n_pairs))
    yield "| | all pairs | the pair with the fewest | the pair with the most |"
    yield "|---|---:|---:|---:|"
    for number, rows in left_out.groupby("n_sets"):
        of_all = 100 * rows["count"].sum() / rows["choices"].sum()
        yield f"| {number} sets | {of_all:.1f} | {rows['percent'].min():.1f} | {rows['percent'].max():.1f} |"
    yield ""
    yield from floors(left_out, n_available)
    yield from claims_about_sets(load_claims())


def skewed_sets(frame: pd.DataFrame, real: Mapping[str, float]) -> Iterator[str]:
    """Write how often Student's t errs where the sets are skewed, beside how skewed real ones are."""
    yield fill_paragraphs(SKEWED.format(noise=NOISE, repetitions=int(frame["repetitions"].min()), **real))
    shown = sorted(set(frame["skewness"]))
    yield "| skewness | " + " | ".join(f"{one:g}" for one in shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    for n_sets, rows in frame.groupby("n_sets"):
        yield f"| {n_sets} sets | " + " | ".join(map(show, rows.sort_values("skewness").itertuples())) + " |"
    yield ""
    worst, most = frame.loc[frame["percent"].idxmax()], int(frame["n_sets"].max())
    still = frame.query(f"n_sets == {most} and skewness == {worst['skewness']}")["percent"].item()
    said = {"worst": worst["percent"], "n_sets": int(worst["n_sets"]), "skewness": worst["skewness"]}
    yield fill_paragraphs(WORST_SKEWED.format(**said, most=most, still=still))


def floors(left_out: pd.DataFrame, n_available: int) -> Iterator[str]:
    """Write what the error on the chosen sets changes, summed over the pairs of systems."""
    n_pairs = len(left_out[["a", "b"]].drop_duplicates())
    yield fill_paragraphs(FLOOR.format(n_available=n_available, n_pairs=n_pairs))
    yield "| | narrower than on these | all sets | one other set | where it was narrower |"
    yield "|---|---:|---:|---:|---:|"
    for n_sets, rows in left_out.groupby("n_sets"):
        own = rows.sum(numeric_only=True)
        cells = [
            before_and_now(own["narrower_before"], own["narrower"], own["chosen"]),
            before_and_now(own["covers_all_before"], own["covers_all"], own["chosen"]),
            before_and_now(own["count_before"], own["count"], own["choices"]),
            before_and_now(own["narrow_count_before"], own["narrow_count"], own["narrow"]),
        ]
        yield f"| {n_sets} sets | " + " | ".join(cells) + " |"
    yield ""


def before_and_now(before: float, now: float, of: float) -> str:
    """Write two shares of the same number, which may be 0."""
    return f"{100 * before / of:.1f} → {100 * now / of:.1f}" if of else "–"


def claims_about_sets(frame: pd.DataFrame) -> Iterator[str]:
    """Write how often the claims about sets and runs err."""
    [repetitions], [n_runs] = set(frame["repetitions"]), set(frame["n_runs"])
    yield fill_paragraphs(
        CLAIMS.format(repetitions=repetitions, n_runs=n_runs, n_segments=N_SEGMENTS, error=N_SEGMENTS**-0.5)
    )
    claims = list(dict.fromkeys(frame["claim"]))
    yield "| sets / runs / runs on sets | " + " | ".join(claims) + " |"
    yield "|---|" + "---:|" * len(claims)
    for (varies, n_sets), rows in frame.groupby(["varies", "n_sets"], sort=False):
        by_claim = {row.claim: show(row) for row in rows.itertuples()}
        yield f"| {varies}, {n_sets} sets | " + " | ".join(by_claim.get(one, "") for one in claims) + " |"
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
    paragraphs = text.replace(" %", "\0%").strip().split("\n\n")
    filled = [fill(" ".join(one.split()), WIDTH, break_on_hyphens=False) for one in paragraphs]
    return "\n\n".join(filled).replace("\0", " ") + "\n"


def table_of_sets(frame: pd.DataFrame, by: str) -> Iterator[str]:
    """Write a table with one row per pair of systems and number of sets."""
    shown = list(dict.fromkeys(frame[by]))
    yield "| | " + " | ".join(shown) + " |"
    yield "|---|" + "---:|" * len(shown)
    sizes = frame["n_segments"].fillna(0)
    for (a, b, size, number), rows in frame.groupby(["a", "b", sizes, "n_sets"], sort=False):
        cells = {row[by]: row for row in rows.to_dict("records")}
        numbers = [MARKS.get(cells[name]["finding"], "{}").format(f"{cells[name]['percent']:.1f}") for name in shown]
        ends = [f"({cells[name]['low']:.1f} to {cells[name]['high']:.1f})" for name in shown]
        row = " | ".join(f"{number} {interval}" for number, interval in zip(numbers, ends, strict=True))
        which = "whole sets" if size == 0 and sizes.any() else "sets"
        yield f"| {a} and {b}, {number} {which} | {row} |"
    yield ""


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


def fill_places(text: str, frame: pd.DataFrame) -> str:
    """Write the generated sentences of a file anew.

    Raises
    ------
    KeyError
        For a name that `SENTENCES` does not have.
    """
    return PLACE.sub(lambda found: f"{found[1]}{wrap(SENTENCES[found['name']](frame))}\n{found[4]}", text)


def wrap(sentences: str) -> str:
    """Break sentences into lines, none of them between a number and its percent sign."""
    return fill(sentences.replace(" %", "\0%"), WIDTH, break_on_hyphens=False).replace("\0", " ")


#: Sentences for other pages, by the name in their marks.
SENTENCES: dict[str, Callable[[pd.DataFrame], str]] = {
    "errors": lambda frame: describe_errors(frame, pd.read_csv(ENGINE)),
}


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
