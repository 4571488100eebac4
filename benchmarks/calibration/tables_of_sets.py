"""The long tables of how often tests over several test sets err, from data/calibration."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pandas as pd

from benchmarks.calibration.tables import MARKED_HERE, MARKS, fill_paragraphs, show
from benchmarks.campaign_sizes import BY_SET, CENTRED, TURNED, WITHIN_SETS
from benchmarks.set_claims import N_SEGMENTS, NOISE

SEVERAL_SETS = """\
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
## Sets that happen to agree

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
## The claims about sets and runs

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


def several_sets(
    sizes: pd.DataFrame, left_out: pd.DataFrame, skewed: pd.DataFrame, claims: pd.DataFrame
) -> Iterator[str]:
    """Write what was measured of campaigns."""
    yield MARKED_HERE
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
    yield from skewed_sets(skewed, real)
    yield fill_paragraphs(ONE_NEW_SET.format(n_available=n_available, n_pairs=n_pairs))
    yield "| | all pairs | the pair with the fewest | the pair with the most |"
    yield "|---|---:|---:|---:|"
    for number, rows in left_out.groupby("n_sets"):
        of_all = 100 * rows["count"].sum() / rows["choices"].sum()
        yield f"| {number} sets | {of_all:.1f} | {rows['percent'].min():.1f} | {rows['percent'].max():.1f} |"
    yield ""
    yield from floors(left_out, n_available)
    yield from claims_about_sets(claims)


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
