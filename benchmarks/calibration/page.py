"""The page docs/validity.md: how often tests err and intervals miss, in short, with links to the long tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd

from benchmarks.calibration import tables
from benchmarks.calibration.tables import DIFFERENCE, PUBLISHED, SCORE, label, wrap
from benchmarks.calibration.tables_of_sets import several_sets
from benchmarks.campaign_sizes import (
    BY_SET,
    CENTRED,
    ON_NEW,
    ON_THESE,
    TURNED,
    WITHIN_SETS,
    load_campaign_sizes,
    load_sets_left_out,
)
from benchmarks.set_claims import load_claims, load_skewed_sets
from mtworkbench.analyses.calibration import (
    AT_THE_MARGIN,
    CONSERVATIVE,
    FALSE_VERDICTS,
    NOMINAL,
    RIGHT,
    TOO_OFTEN,
    band_of_errors,
)
from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.results.settings import MIN_PERCENTILE_UNITS
from mtworkbench.wording import listed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "validity.md"
DATA = ROOT / "data" / "calibration"
#: In so many of its settings a rule must err too often, or too seldom, to be named.
MOST = 0.5
#: The pages with the long tables.
ONE_RUN, UNKNOWN, RUNS, INTERVALS_TABLE = (
    "validity-one-run",
    "validity-unknown-documents",
    "validity-several-runs",
    "validity-intervals",
)
EQUAL, SETS, ENGINES = "validity-equivalence", "validity-test-sets", "validity-engines"
OUTSIDE, SETTINGS = "validity-too-often", "validity-settings"
#: Rules of data/calibration/withheld_documents.csv.
SEGMENTS, RECOGNIZED = "segments", "recognized documents"
#: Intervals that the bootstrap gives.
OF_RESAMPLES = ("percentile", "basic", "bca")
#: So many settings of one kind are named, the worst first.
MOST_NAMED = 1
#: From this skewness on, sets are called skewed here.
SKEWED_FROM = 1
#: Errors that sentences name.
DIFFERENT, MISSES = "are called different", "the 95 % interval of a {} misses the truth"
OF_OUTPUTS = f"one run: equal systems {DIFFERENT}"
IGNORED = f"one run, documents ignored: equal systems {DIFFERENT}"
OF_METHODS = f"several runs: equal methods {DIFFERENT} (crossed analysis)"
OF_POOLED = f"several runs: equal methods {DIFFERENT} (pooled runs)"
NEW_SETS = f"new test sets: equal systems {DIFFERENT}"
ALIKE = f"{NEW_SETS}, if sets do not differ"


TEXT = """\
# How often tests err, and how often intervals cover the truth

## The question

A test and an interval each make a promise. A 5 % test is right if it calls equal systems different in 5 % of all
experiments. A 95 % interval is right if it covers the truth in 95 %. Is the promise kept by this package, and by the
rules of papers and other programs?

## How it was measured

We counted errors in experiments in which the truth is known. There are {n_cells}
[settings](tables/validity-settings.md): BLEU, chrF, TER and means of scores; {segments} segments or {documents}
documents; 1 to {runs} training runs. With one run, outputs are mostly real, and a coin decides for each segment or
document whether the two systems swap their outputs, so neither is better. With several runs, scores of equal methods
are simulated. Each setting has at least {repetitions:,} experiments, so that a rate of 5 % has a standard error of at
most about 0.5 points. The rows about `compare` are rougher: {fewest_sets} to {most_sets} test sets per setting.

A test *errs too often* if it errs more often than a right test does in 99.9 % of such counts, that is in more than
{most} of {repetitions:,} experiments. Most counts above this were repeated; then more than {most_of_recount} of
{recount:,} is too often. So {first_share:.1f} % can be "not too often", and {second_share:.1f} % "too often". A
test is *conservative* if it errs in fewer than {fewest} of {repetitions:,}: it keeps the promise, but finds fewer
real differences than it could.

## The answer

{answer}
Each row is an error that should happen in 5 % of all experiments. A setting counts in each row whose test was tried
on it. The last two columns give the number of settings and, in brackets, the lowest and the highest rate in them,
in %. A link leads to the rates of every setting, such as "BLEU, 500 segments".

{answers}
![{alternative}](validity.png)

Each dot is a setting. Orange: errs too often; hollow: conservative. The line is at 5 %; the grey band holds 99.9 % of
the counts of a right test. `ar` is approximate randomization.

## What errs too often

{too_often}
## What is conservative

{conservative}
## What it means for you

- Give document ids, or use a test set [whose documents are known](known-documents.md).
- For a claim about a method, give several runs of each system.
- With fewer than {enough} units, do not ask for `percentile`, `basic` or `bca` intervals; the default does not.
- If you quote a rate, quote its setting and its null hypothesis: what varies although neither system is better.

Not measured: levels other than 5 % and 95 %; metrics and languages other than those of the settings.

## How to repeat it

```sh
python -m benchmarks.calibration --realdata FOLDER
python scripts/write_validity.py
```

The second command writes this page from [data/calibration](../data/calibration/README.md), which the first computes;
this takes hours, and goes on where it was stopped.
The README there says what FOLDER holds, and which further commands measure campaigns,
withheld documents and the default of `compare`.
"""
ALTERNATIVE = (
    "Rates at which tests and rules call equal systems different, a dot per setting: one run with independent units, "
    "one run with documents ignored, several runs"
)
HEAD = """\
# {title}

*`python scripts/write_validity.py` writes this page from [data/calibration](../../data/calibration/README.md).
[How often tests err](../validity.md) says how it was measured, and what follows from it.*

"""


@dataclass(frozen=True)
class Error:
    """An error that should happen in 5 % of all experiments, and how often it did.

    Attributes
    ----------
    what : str
        What was wrong.
    table : str
        The page with the long table.
    rates : DataFrame
        One row per setting: its ``name``, the ``percent`` of experiments, and the ``finding``.
    in_this_package : bool
        Whether it is named among the limits of this package; ignoring documents is a limit of every program.
    """

    what: str
    table: str
    rates: pd.DataFrame
    in_this_package: bool = True


def find_errors(frame: pd.DataFrame, engine: pd.DataFrame) -> Iterator[Error]:
    """Find how often this package's tests err, and its intervals miss, on one test set.

    Parameters
    ----------
    frame : DataFrame
        Of `load_calibration`. Settings with so few units that no randomization can reject are left out; of the
        intervals those are counted that ``interval="auto"`` takes.
    engine : DataFrame
        Of data/calibration/engine.csv, which has the weak null, and what `compare` says by default.
    """
    own = frame[frame["unit"] == frame["independent"]]
    single, several = own[own["runs_a"] == 1], own[own["runs_a"] > 1]
    randomized = single[single["test"] == "ar"]
    wrong_unit = (frame["independent"] == "document") & (frame["unit"] == "segment") & (frame["runs_a"] == 1)
    # A hundred documents of unequal length are fewer than a hundred effective units.
    enough = (single["independent"] == "segment") & (single["n_units"] >= MIN_PERCENTILE_UNITS)
    automatic = single[single["test"] == np.where(enough, "percentile", "jackknife")]
    equal = own[own["quantity"] == AT_THE_MARGIN].sort_values("percent", kind="stable").groupby("cell").tail(1)
    default = rates_of_default(engine)
    weak = default["name"].str.contains("weak null")

    def rejected(rows: pd.DataFrame, test: str) -> pd.DataFrame:
        return rates_of(rows[(rows["quantity"] == "size") & (rows["test"] == test)])

    of_default = default[~weak & (default["what"] == "false")]
    unknown = rejected(frame[wrong_unit], "ar")
    yield Error(OF_OUTPUTS, ONE_RUN, rejected(randomized[can_reject(randomized)], "ar"))
    yield Error(IGNORED, ONE_RUN, unknown, in_this_package=False)
    yield Error(
        f"one run: systems that score alike only on average {DIFFERENT} (weak null)",
        ENGINES,
        default[weak & (default["what"] == "false")],
    )
    yield Error(OF_METHODS, RUNS, rejected(several, "crossed"))
    yield Error(OF_POOLED, RUNS, rejected(several, "crossed pooled"))
    yield Error("several systems: `compare` makes any false claim", ENGINES, of_default)
    yield Error("`compare`: " + MISSES.format("difference"), ENGINES, default[default["what"] == "missed"])
    for quantity, what in (
        (DIFFERENCE, "`bootstrap_interval`: " + MISSES.format("difference")),
        (SCORE, MISSES.format("score")),
    ):
        yield Error(what, INTERVALS_TABLE, rates_of(automatic[automatic["quantity"] == quantity]))
    yield Error("systems that differ by the margin are called equal (at its worse end)", EQUAL, rates_of(equal))


def can_reject(rows: pd.DataFrame) -> pd.Series:
    """Return whether there are enough units for a randomization to call equal systems different."""
    return 0.5 ** (rows["n_units"] - 1) <= NOMINAL


def rates_of(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the name, the percentage of errors and the finding of each setting."""
    errors = rows["percent"].where(rows["quantity"].isin(FALSE_VERDICTS), 100 - rows["percent"])
    names = [label(row) for _, row in rows.iterrows()]
    return pd.DataFrame({"name": names, "percent": errors.array, "finding": rows["finding"].array})


def rates_of_default(engine: pd.DataFrame) -> pd.DataFrame:
    """Return how often `compare` errs by default: any false claim about a test set, and intervals that miss.

    Whether intervals miss too often is judged as if there were one for each test set, as in the long table.
    """
    counts = engine.set_index(["cell", "quantity"])["new"].unstack("quantity", sort=False)
    rows = []
    for cell, own in counts.iterrows():
        most = 100 * band_of_errors(int(own["experiments"]))[1] / own["experiments"]
        shares = {"false": own["false"] / own["experiments"], "missed": 1 - own["covered"] / own["intervals"]}
        rows += [
            (cell, what, 100 * share, TOO_OFTEN if 100 * share > most else RIGHT) for what, share in shares.items()
        ]
    return pd.DataFrame(rows, columns=["name", "what", "percent", "finding"])


def find_errors_over_sets(sizes: pd.DataFrame, skewed: pd.DataFrame) -> Iterator[Error]:
    """Find how often the claims about several test sets are wrong."""
    names = [
        f"{row.a} and {row.b}, {row.n_sets} {'whole sets' if np.isnan(row.n_segments) else 'sets'}"
        for row in sizes.itertuples()
    ]
    sizes = sizes.assign(name=names)
    within, on_new = sizes["null"] == WITHIN_SETS, sizes["rule"] == ON_NEW
    yield Error(
        f"these test sets (several): equal systems {DIFFERENT}", SETS, sizes[within & (sizes["rule"] == ON_THESE)]
    )
    yield Error(ALIKE, SETS, sizes[within & on_new])
    real = sizes["null"].isin((CENTRED, TURNED))
    yield Error(f"{NEW_SETS}, if sets differ as real ones do", SETS, sizes[real & on_new])
    by_set = sizes["null"] == BY_SET
    yield Error(f"{NEW_SETS}, if a coin decides which system is better on a set", SETS, sizes[by_set & on_new])
    bent = skewed[skewed["skewness"] >= SKEWED_FROM]
    names = [f"{row.n_sets} sets, skewness {row.skewness:g}" for row in bent.itertuples()]
    yield Error(
        f"{NEW_SETS}, if sets are skewed (skewness {SKEWED_FROM} or more)",
        SETS,
        bent.assign(name=names),
    )


def write_range(rates: pd.Series) -> str:
    """Write the lowest and the highest of some rates."""
    low, high = (f"{end:.1f}" for end in (rates.min(), rates.max()))
    return low if low == high else f"{low} to {high}"


def tabulate(errors: Sequence[Error]) -> Iterator[str]:
    """Write a row for each error: where it happens as often as it should, or less often, and where too often."""
    yield "| error | not too often | too often |"
    yield "|---|---:|---:|"
    for one in errors:
        many = one.rates["finding"] == TOO_OFTEN
        cells = [
            f"{len(rates)} ({write_range(rates)})" if len(rates) else "0"
            for rates in (one.rates.loc[~many, "percent"], one.rates.loc[many, "percent"])
        ]
        yield f"| [{one.what}](tables/{one.table}.md) | {' | '.join(cells)} |"
    yield ""


def describe_answer(errors: Sequence[Error]) -> str:
    """Say in a few sentences what holds and what does not."""
    of_tests = [one for one in errors if one.what in (OF_OUTPUTS, OF_METHODS, OF_POOLED)]
    alone, crossed, pooled = (one.rates["percent"] for one in of_tests)
    all_rates = pd.concat([one.rates for one in of_tests])
    kept = int((all_rates["finding"] != TOO_OFTEN).sum())
    ignored = next(one.rates["percent"] for one in errors if one.what == IGNORED)
    of_new_sets = pd.concat([one.rates for one in errors if one.what.startswith(NEW_SETS)])
    n_too_often = int((of_new_sets["finding"] == TOO_OFTEN).sum())
    where = ", or ".join(
        one.what.removeprefix(f"{NEW_SETS}, ")
        for one in errors
        if one.what.startswith(NEW_SETS) and (one.rates["finding"] == TOO_OFTEN).any()
    )
    weak = [one for one in errors if (one.rates["finding"] == TOO_OFTEN).any()]
    said = (
        "On one test set, with independent units, this package's tests of a difference err no more often than they may "
        f"in {kept} of {len(all_rates)} cases (a setting and a test): in {write_range(alone)} % of the experiments "
        f"with one run, in {write_range(crossed)} % with several runs, and in {write_range(pooled)} % with pooled "
        f"runs. If documents are ignored, the same test errs in {write_range(ignored)} %. "
        f"For new test sets, the test errs too often in {n_too_often} of {len(of_new_sets)} settings: {where}."
    )
    if weak:
        worst = max(weak, key=lambda one: one.rates["percent"].max())
        said += (
            f" Of the {len(errors)} errors in the table, {len(weak)} happen too often in some settings, up to "
            f"{worst.rates['percent'].max():.1f} %."
        )
    return said


def describe_too_often(frame: pd.DataFrame, withheld: pd.DataFrame, errors: Sequence[Error]) -> Iterator[str]:
    """Say which tests, rules and intervals err too often, by what they ignore."""
    size, single = frame["quantity"] == "size", frame["runs_a"] == 1
    unaware = frame[size & single & (frame["unit"] == "segment") & (frame["independent"] == "document")]
    rule = worst_of(unaware[unaware["test"].isin(PUBLISHED)])
    means = withheld.groupby(["test_set", "metric", "rule"], sort=False)["percent"].mean().unstack("rule")
    n_documents = withheld.groupby(["test_set", "metric"], sort=False)["n_documents"].first()
    recognized = means.loc[n_documents >= MIN_DOCUMENTS, RECOGNIZED]
    yield (
        "**Tests that ignore documents.** Where the sentences of a document belong together, approximate randomization "
        f"that swaps segments errs in {write_range(unaware.loc[unaware['test'] == 'ar', 'percent'])} % of the "
        "experiments. All rules of papers and programs treat segments as independent; "
        f"`{rule['test']}` errs in up to {rule['percent']:.1f} %. On real outputs of {withheld['test_set'].nunique()} "
        f"public test sets, swapped segments gave {write_range(means[SEGMENTS])} %, by set and metric. "
        f"The documents that this package recognizes gave {write_range(recognized)} %, where there are at least "
        f"{MIN_DOCUMENTS} of them ([table](tables/{UNKNOWN}.md))."
    )
    of_runs = frame[size & ~single]
    ours, on_scores = (of_runs.loc[of_runs["test"] == test, "percent"].max() for test in ("ar", "t-test on runs"))
    yield (
        "**Tests that ignore training runs.** A test on these outputs says nothing about the method: "
        f"read as such a claim, approximate randomization errs in up to {ours:.1f} %. A t-test on the "
        f"runs' scores ignores that the sentences are a sample, and errs in up to {on_scores:.1f} % "
        f"([table](tables/{RUNS}.md))."
    )
    of_segments = frame[size & single & (frame["independent"] == "segment")]
    yield (
        "**Rules of papers and programs** in most settings, even if segments are independent: "
        f"{listed(name_rules(of_segments, TOO_OFTEN))} % ([table](tables/{ONE_RUN}.md))."
    )
    others = {
        rule: rows["percent"].max()
        for rule, rows in of_segments[of_segments["test"].isin(PUBLISHED)].groupby("test", sort=False)
        if 0 < (rows["finding"] == TOO_OFTEN).mean() <= MOST
    }
    if others:
        yield (
            "**Further rules in single settings**, as where few segments differ: up to "
            f"{listed(f'{highest:.1f} % (`{rule}`)' for rule, highest in others.items())}."
        )
    own = frame[single & (frame["quantity"] == DIFFERENCE) & (frame["unit"] == frame["independent"])]
    own = own[(own["n_units"] < MIN_PERCENTILE_UNITS) & own["test"].isin(OF_RESAMPLES)]
    yield (
        f"**Bootstrap intervals with fewer than {MIN_PERCENTILE_UNITS} units** miss a difference in up to "
        + listed(f"{100 - rows['percent'].min():.1f} % (`{test}`)" for test, rows in own.groupby("test", sort=False))
        + "."
    )
    broken = [one for one in errors if one.in_this_package and (one.rates["finding"] == TOO_OFTEN).any()]
    yield (
        f"**In this package** ([table](tables/{OUTSIDE}.md)), with few units, few units that differ, or skewed test "
        "sets:"
    )
    for one in broken:
        yield f"  - *{one.what}:* {name_worst(one.rates)}."


def describe_conservative(frame: pd.DataFrame, errors: Sequence[Error]) -> Iterator[str]:
    """Say which tests err less often than they may."""
    own = frame[(frame["unit"] == frame["independent"]) & (frame["quantity"] == "size")]
    never = (own["test"] == "ar") & (own["runs_a"] == 1) & ~can_reject(own)
    for test, of_one_run in (("ar", True), ("crossed", False), ("crossed pooled", False)):
        rows = own[(own["test"] == test) & ((own["runs_a"] == 1) == of_one_run) & ~never]
        few = rows[rows["finding"] == CONSERVATIVE]
        yield (
            f"`{test}` in {len(few)} of {len(rows)} settings, down to {few['percent'].min():.1f} % "
            f"([table](tables/{ONE_RUN if of_one_run else RUNS}.md))."
            + (f" With {own.loc[never, 'n_units'].max()} units, it never rejects." if of_one_run & never.any() else "")
        )
    of_segments = own[(own["runs_a"] == 1) & (own["independent"] == "segment")]
    yield f"Rules of papers and programs: {listed(name_rules(of_segments, CONSERVATIVE))} %."
    alike = next(one for one in errors if one.what == ALIKE).rates["percent"]
    yield (
        f"The claim about new test sets, if sets do not differ: {write_range(alike)} %. It must allow for sets that "
        f"do ([table](tables/{SETS}.md))."
    )


def worst_of(rows: pd.DataFrame) -> pd.Series:
    """Return the row with the highest rate."""
    return rows.loc[rows["percent"].idxmax()]


def name_rules(rows: pd.DataFrame, finding: str) -> Iterator[str]:
    """Name the rules of papers and programs that have a finding in most settings, with all their rates."""
    for rule in PUBLISHED:
        of_rule = rows[rows["test"] == rule]
        if (of_rule["finding"] == finding).mean() > MOST:
            yield f"`{rule}` {write_range(of_rule['percent'])}"


def name_worst(rates: pd.DataFrame) -> str:
    """Name the settings in which something errs too often, the worst first."""
    many = rates[rates["finding"] == TOO_OFTEN].sort_values("percent", ascending=False, kind="stable")
    named = [f"{row.name_} ({row.percent:.1f} %)" for row in many.rename(columns={"name": "name_"}).itertuples()]
    rest = f", and {len(named) - MOST_NAMED} more" if len(named) > MOST_NAMED else ""
    return "; ".join(named[:MOST_NAMED]) + rest


#: The long tables: the name of the page, its title, what is linked to it, and what writes its text.
TABLES: dict[str, tuple[str, Callable[[pd.DataFrame], Iterator[str]]]] = {
    ONE_RUN: ("How often tests err with one run", tables.one_run),
    UNKNOWN: (
        "How often tests err where document ids are withheld",
        lambda _: tables.withheld_documents(pd.read_csv(DATA / "withheld_documents.csv")),
    ),
    RUNS: ("How often tests err with several runs", tables.several_runs),
    INTERVALS_TABLE: ("How often intervals cover the truth", tables.intervals),
    EQUAL: ("How often the test of equivalence errs", tables.equivalence),
    SETS: (
        "How often tests over several test sets err",
        lambda _: several_sets(load_campaign_sizes(), load_sets_left_out(), load_skewed_sets(), load_claims()),
    ),
    ENGINES: ("The old engine and the new one", lambda _: tables.old_and_new(pd.read_csv(DATA / "engine.csv"))),
    OUTSIDE: ("What errs too often, and what is conservative", tables.outside),
    SETTINGS: ("The settings", tables.settings),
}


def write_page(frame: pd.DataFrame) -> str:
    """Write the short page."""
    engine, withheld = (pd.read_csv(DATA / f"{name}.csv") for name in ("engine", "withheld_documents"))
    errors = [*find_errors(frame, engine), *find_errors_over_sets(load_campaign_sizes(), load_skewed_sets())]
    repetitions = int(frame["repetitions"].min())
    fewest, most = band_of_errors(repetitions)
    recount = int(frame["repetitions"].max())
    most_of_recount = band_of_errors(recount)[1]
    sets = engine[engine["quantity"] == "experiments"]["new"]
    text = TEXT.format(
        n_cells=frame["cell"].nunique(),
        **{
            f"{unit}s": f"{sizes.min():,} to {sizes.max():,}" for unit, sizes in frame.groupby("independent")["n_units"]
        },
        runs=frame["runs_b"].max(),
        repetitions=repetitions,
        recount=recount,
        most_of_recount=most_of_recount,
        first_share=100 * most / repetitions,
        second_share=100 * (most_of_recount + 1) / recount,
        fewest=fewest,
        most=most,
        fewest_sets=sets.min(),
        most_sets=sets.max(),
        answer=wrap(describe_answer(errors)) + "\n",
        answers="\n".join(tabulate(errors)),
        alternative=ALTERNATIVE,
        too_often=write_list(describe_too_often(frame, withheld, errors)),
        conservative=write_list(describe_conservative(frame, errors)),
        enough=MIN_PERCENTILE_UNITS,
    )
    return "\n\n".join(wrap(one) if one[0].isalpha() else one for one in text.split("\n\n")) + "\n"


def write_list(points: Iterable[str]) -> str:
    """Write the points of a list; one that begins with a dash belongs to the point before."""
    lines = []
    for point in points:
        start = "  - " if point.startswith("  - ") else "- "
        lines.append(wrap(point.removeprefix("  - "), start))
    return "\n".join(lines) + "\n"


def written(frame: pd.DataFrame) -> Iterator[tuple[Path, str]]:
    """Return every page with what it should hold."""
    yield PAGE, write_page(frame)
    for name, (title, write) in TABLES.items():
        text = "\n".join(write(frame)).rstrip("\n") + "\n"
        yield PAGE.parent / "tables" / f"{name}.md", HEAD.format(title=title) + text
