"""The long tables of files that are well-formed and wrong: from the results, which are stored."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.damage.alarms import find_judgement, read_judgements
from benchmarks.damage.damages import DAMAGES, SHARES, Damage

RESULTS = Path(__file__).parent / "results"
#: From this share of the lines on, a damage should be found.
GOAL = 0.05
HALF = 0.5

OF_WRONG_FILES = """\
A file can be read without any problem and still be wrong: some of its lines are the reference, or
the output of a language model begins with "Here is the translation:". We damaged real outputs of
{sets} test sets in {damages} ways, one file at a time, next to 1, 4 or 9 sound systems. Damage to single lines was
tried with four shares of the lines, and partly with all lines, each on about half of the test sets. A case counts as
found if a warning or an error of the right kind names the damaged file, but not the original one.
`python -m benchmarks.damage` repeats exactly the same damage, and counts; each case is in
`benchmarks/damage/results/cases.csv`. The list was written before the checks, which were then improved with it, so
damage of other kinds may be found less often.

Where {goal} of the lines or more are damaged, {found:,} of {cases:,} cases ({rate}) are found. {complete} of
{damages} kinds of damage are found in all of their cases. Of the {missed:,} cases that are not found, {changed:,}
{change} the verdict, that is whether approximate randomization calls the system better or worse than the one with the
nearest BLEU, or neither ({trials:,} trials, 5 %).
"""
OF_MISSED = """\
These kinds are found in fewer than half of their cases, if {goal} of the lines or more are damaged (median change of
BLEU in brackets): lines that {missed}.
"""
OF_HONEST = """\
{n} of the cases that are not found are of kinds that no check can tell from a file in order, because honest systems
write such files, too: {kinds}.
"""
#: What real outputs have as well, with how it was counted in them.
HONEST = {
    "checkpoint-spliced-in": "in {having} of {real} pairs of real outputs, the share of words in common changes in the "
    "last tenth by more than in the median damaged file, by up to {largest:.0f} points",
    "system-scattered": "{having} of {real} pairs of real outputs share more than 5 % of their lines of 8 words or "
    "more, up to {largest:.0f} %",
    "curly-quotes straight-quotes": "{having} of {real} real outputs have both kinds, the rarer one in up to "
    "{largest:.0f} % of the lines",
    "no-diacritics": "where few references have diacritics, mostly in names, {having} of {real} real outputs have "
    "none in more than 5 % of these lines",
}
OF_DAMAGES = """\
The table has a row per kind of damage: the number of cases in which it is found, of those in which it could be tried,
by the share of damaged lines. Where too few lines have what a kind of damage changes, it cannot be tried. BLEU: median
change over the cases with the largest share of lines below 100 %. Verdicts: cases from {goal} on that are not found
although the verdict changes.
"""
OF_ALARMS = """\
On {sets} groups of test sets, the checks give {alarms:,} warnings. We read the lines of each and judged it by hand:
{counts}. *True*: the warning is right, and a reader should know. *Trivially true*: it is right, but known to whoever
chose the files. *False*: nothing is wrong. The thresholds of the checks were chosen on these outputs, so expect some
false alarms on others.
"""
OF_COST = """\
## What the checks cost

CPU seconds of one thread, and in brackets the time as a share of that for reading. Reading: without any check that
relates one file to another. Checks of meaning: those of `mtworkbench/outputs/checks/relations.py`. Other
checks: copies, tokenization and remains of programs. The cache, which remembers what the checks found, is off.
"""
NOT_JUDGED = "**not judged**"
JUDGED = {"true": "true", "trivial": "trivially true", "false": "**false**"}


def load_cases() -> pd.DataFrame:
    """Read every case of damage, and whether it was found."""
    return pd.read_csv(RESULTS / "cases.csv", keep_default_na=False)


def load_alarms() -> pd.DataFrame:
    """Read every warning about real outputs, with what a person thinks of it."""
    alarms = pd.read_csv(RESULTS / "alarms.csv", keep_default_na=False)
    judgements = read_judgements()
    judged = [find_judgement(one.code, one.whose, judgements) for one in alarms.itertuples()]
    names = [JUDGED[one.judgement] if one else NOT_JUDGED for one in judged]
    return alarms.assign(name=names, why=[one.evidence if one else "" for one in judged])


def describe_honest(missed: pd.DataFrame) -> str:
    """Say which of the cases that are not found no check can find, and what real outputs have of them."""
    counted = pd.read_csv(RESULTS / "honest.csv").set_index("damage")
    kinds, n = [], 0
    for codes, how in HONEST.items():
        if of_kind := int(missed["damage"].isin(codes.split()).sum()):
            one, n = counted.loc[codes], n + of_kind
            whats = " or ".join(_describe(damage) for damage in DAMAGES if damage.code in codes.split())
            said = how.format(largest=one["largest"], having=int(one["n_having"]), real=int(one["n_real"]))
            kinds.append(f"lines that {whats}: {said}")
    return fill(OF_HONEST, n=n, kinds="; ".join(kinds)) if kinds else ""


def load_cost() -> pd.DataFrame:
    """Read what the checks cost."""
    return pd.read_csv(RESULTS / "cost.csv")


def count_judgements(alarms: pd.DataFrame) -> str:
    """Say how many warnings are true."""
    counts = alarms["name"].value_counts()
    return ", ".join(f"{counts.get(name, 0):,} are {name.strip('*')}" for name in (*JUDGED.values(), NOT_JUDGED))


def name_missed(late: pd.DataFrame) -> str:
    """Name the kinds of damage that are found in fewer than half of their cases."""
    rates, changes = (late.groupby("damage")[column] for column in ("found", "change"))
    return "; ".join(
        f"{_describe(damage)} ({changes.median()[damage.code]:+.1f})"
        for damage in DAMAGES
        if rates.mean().get(damage.code, 1.0) < HALF
    )


def describe_cases(cases: pd.DataFrame) -> Iterator[str]:
    """Write what was found, by share and by way."""
    late = cases[cases["share"] >= GOAL]
    missed = late[~late["found"]]
    complete = late.groupby("damage")["found"].all()
    changed = int((missed["before"] != missed["after"]).sum())
    yield fill(
        OF_WRONG_FILES,
        damages=cases["damage"].nunique(),
        sets=cases["test_set"].nunique(),
        goal=percent(GOAL),
        found=int(late["found"].sum()),
        cases=len(late),
        rate=percent(late["found"].mean()),
        complete=int(complete.sum()),
        missed=len(missed),
        changed=changed,
        change="changes" if changed == 1 else "change",
        trials=1000,
    )
    yield "| damaged lines | cases | found | not found, and the verdict changes |"
    yield "|---:|---:|---:|---:|"
    for share, some in cases.groupby("share"):
        turned = (some["before"] != some["after"]) & ~some["found"]
        found = f"{some['found'].sum():,} ({percent(some['found'].mean())})"
        yield f"| {_name(share)} | {len(some):,} | {found} | {turned.sum():,} |"
    yield ""
    seldom = name_missed(late)
    if seldom:
        yield fill(OF_MISSED, goal=percent(GOAL), missed=seldom)
    if honest := describe_honest(missed):
        yield honest
    yield fill(OF_DAMAGES, goal=percent(GOAL))
    columns = (*SHARES, 1.0)
    yield "| lines of the file ... | " + " | ".join(map(_name, columns)) + " | BLEU | verdicts |"
    yield "|---|" + "---:|" * (len(columns) + 2)
    for damage in DAMAGES:
        some = cases[cases["damage"] == damage.code]
        if some.empty:
            continue
        cells = [_count(some[some["share"] == share]) for share in columns]
        partly = some.loc[some["share"] < 1, "share"]
        largest = some[some["share"] == partly.max()] if len(partly) else some
        turned = (some["share"] >= GOAL) & ~some["found"] & (some["before"] != some["after"])
        cells += [f"{largest['change'].median():+.1f}", f"{turned.sum() or ''}"]
        yield f"| {_describe(damage)} | {' | '.join(cells)} |"
    yield ""


def _describe(damage: Damage) -> str:
    return _escape(damage.what if damage.of == "output" else f"{damage.what} ({damage.of})")


def _count(some: pd.DataFrame) -> str:
    if some.empty:
        return ""
    count = f"{some['found'].sum()}/{len(some)}"
    return count if some["found"].all() or some["share"].iloc[0] < GOAL else f"**{count}**"


def _name(share: float) -> str:
    return "all" if share == 1 else percent(share)


def percent(share: float) -> str:
    """Write a share in %."""
    return f"{100 * share:.0f} %"


def describe_alarms(alarms: pd.DataFrame) -> Iterator[str]:
    """Write what was said of real outputs, with what a person thinks of it."""
    said = count_judgements(alarms)
    yield fill(OF_ALARMS, sets=alarms["kind"].nunique(), alarms=len(alarms), counts=said)
    yield "| group | warning | files | judgement | evidence |"
    yield "|---|---|---:|---|---|"
    for (kind, code, name, why), some in alarms.groupby(["kind", "code", "name", "why"], sort=False):
        yield f"| {kind} | `{code}` | {len(some)} | {name} | {_escape(why)} |"
    yield ""


def describe_cost(cost: pd.DataFrame) -> Iterator[str]:
    """Write what the checks cost."""
    yield fill(OF_COST)
    yield "| files | reading | checks of meaning | other checks |"
    yield "|---|---:|---:|---:|"
    for one in cost.itertuples():
        of_meaning, others = (
            f"{seconds:.2f} ({percent(seconds / one.reading)})" for seconds in (one.meaning, one.others)
        )
        yield f"| {one.what} | {one.reading:.2f} | {of_meaning} | {others} |"
    yield ""


def fill(template: str, **values: object) -> str:
    """Fill in the values, and break the lines of paragraphs anew."""
    paragraphs = template.format(**values).split("\n\n")
    wrapped = (
        text if text.startswith("#") else textwrap.fill(text, 120, break_on_hyphens=False) for text in paragraphs
    )
    return "\n\n".join(wrapped) + "\n"


def _escape(text: str) -> str:
    """Write a text so that Markdown shows it as it is, in a cell of a table."""
    return "".join(f"\\{one}" if one in "|<>*_`" else one for one in text.replace("&", "&amp;"))
