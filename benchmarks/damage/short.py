"""The page docs/reliability.md: how bad input, damaged files and faults end, in short, with links to long tables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pandas as pd

from benchmarks.damage.endings import (
    Endings,
    count_cases,
    count_faults,
    count_readers,
    describe_faults,
    describe_readers,
    describe_rows,
    describe_traits,
)
from benchmarks.damage.page import (
    GOAL,
    count_judgements,
    describe_alarms,
    describe_cases,
    describe_cost,
    describe_honest,
    fill,
    load_alarms,
    load_cases,
    load_cost,
    name_missed,
    percent,
)
from tests.bad_input import traits
from tests.bad_input.rows import NOT_TRIED

PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"

TEXT = """\
# What happens with bad input, damaged files and faults

*`make reliability` writes this page. It runs every case and counts how it ends; this was done with mtworkbench
{version}.*

## The question

A wrong file gives a wrong score, and often nobody notices. What happens if files are bad or damaged, or if a program is
killed while it writes?

Bad input is handled in one of three ways: it is read; it is read with a warning that says what was noticed and how
often; or it is refused with an `InputError` that says what was found, where, and what was expected. Nothing is dropped,
repaired or joined silently.

## How it was measured

- **Bad input:** for each kind there are cases whose ending was written down beforehand, with the text of its error or
  warning.
- **Suspicious files:** files that can be read but look wrong, such as those with shifted lines; and sound files, which
  must give no such warning.
- **Well-formed but wrong files:** real outputs of {sets} test sets were damaged in {damages} ways, one file at a time,
  next to sound systems. A case counts as found if a warning or an error of the right kind names the damaged file, but
  not the original one.
- **Random damage:** bytes were changed, inserted, deleted, repeated or cut off. A reader must read the file as outputs
  that pass all checks, or refuse it.
- **Faults:** programs were killed before each system call while they wrote, disks were full, files cut off. No file may
  be half-written, and no result may change silently.
- **Real outputs as they are:** we read the lines of each warning, and judged by hand whether it is right.

## The answer

| what was tried | cases | how it ended |
|---|---:|---|
{answers}

## What is missed

A file can be read without any problem and still be wrong. How often such damage is found depends on how many lines are
damaged:

| damaged lines | found |
|---:|---:|
{by_share}

{missed}

The list of damage was written before the checks, which were then improved with it, so damage of other kinds may be
found less often.

## What was not tried

{not_tried}

B38 and so on are kinds of [bad input](tables/reliability-bad-input.md).

## What the checks cost

{cost}

## What it means for you

- Read the warnings: each names the file, says what was noticed, and how often.
- No warning does not mean that a file is right. [Doubts about data](doubts.md) says what is checked, and what you can
  accept.
- A program that was killed can be started again. What it had finished is whole, and nothing is half-written.

## How to repeat it

```sh
make reliability
python -m benchmarks.damage
```

The first command takes some minutes. `python -m benchmarks.damage` repeats exactly the same damage to files that are
well-formed and wrong, and counts. It takes ten minutes, and needs the real texts for all test sets but one;
`make reliability` then writes its results into the pages.
"""
HEAD = """\
# {title}

*`make reliability` writes this page. [What happens with bad input, damaged files and faults](../reliability.md) says in
short what was tried, and what follows from it.*

"""
BY_CASE, SUSPICIOUS = "## Bad input, case by case\n", "## Suspicious files\n"
BAD_INPUT, WRONG_FILES = "reliability-bad-input", "reliability-wrong-files"
WARNINGS, DAMAGED_FILES, FAULTS = "reliability-warnings", "reliability-damaged-files", "reliability-faults"


def write_answers(endings: Endings, cases: pd.DataFrame, alarms: pd.DataFrame) -> Iterator[str]:
    """Write a row for each experiment."""
    counts = count_cases()
    failed = sum(bool(failure) for of_row in endings["rows"].values() for failure in of_row.values())
    yield _row(
        f"[{counts['rows']} kinds of bad input](tables/{BAD_INPUT}.md)",
        counts["cases"],
        "{}: {errors:,} refused, {warnings:,} read with a warning, {silent:,} read, because they are valid".format(
            _end(failed), **counts
        ),
    )
    n_traits, silent = len(traits.CASES), len(endings["silent_traits"])
    yield _row(f"[suspicious files](tables/{BAD_INPUT}.md)", n_traits, f"{n_traits - silent:,} noticed")
    sound = endings["sound_files"].values()
    alarming = sum(one["alarms"] for one in sound)
    yield _row(
        f"[sound files](tables/{BAD_INPUT}.md)", sum(one["outputs"] for one in sound), f"{alarming:,} false alarms"
    )
    late = cases[cases["share"] >= GOAL]
    yield _row(
        f"[well-formed but wrong files](tables/{WRONG_FILES}.md), {percent(GOAL)} of the lines or more",
        len(late),
        f"{late['found'].sum():,} found ({percent(late['found'].mean())})",
    )
    total, otherwise = count_readers(endings)
    yield _row(
        f"[random damage](tables/{DAMAGED_FILES}.md) for {len(endings['readers'])} readers",
        total,
        f"{otherwise:,} neither read well nor refused" if otherwise else "all read well, or refused",
    )
    tried, failures = count_faults(endings)
    yield _row(f"[faults](tables/{FAULTS}.md) of {len(endings['faults'])} kinds", tried, _end(failures))
    yield _row(f"[warnings about real outputs](tables/{WARNINGS}.md)", len(alarms), count_judgements(alarms))


def _row(what: str, cases: int, ending: str) -> str:
    return f"| {what} | {cases:,} | {ending} |"


def _end(failures: int) -> str:
    return f"**{failures:,} not as expected**" if failures else "all as expected"


def write_page(endings: Endings) -> str:
    """Write the short page."""
    cases, alarms = load_cases(), load_alarms()
    late = cases[cases["share"] >= GOAL]
    missed = late[~late["found"]]
    changed = int((missed["before"] != missed["after"]).sum())
    shares = (
        f"| {'all' if share == 1 else percent(share)} | {some['found'].sum():,} of {len(some):,} "
        f"({percent(some['found'].mean())}) |"
        for share, some in cases.groupby("share")
    )
    cost = load_cost()
    left_out = [f"- {what}" for what in endings["faults_left_out"]]
    return TEXT.format(
        version=endings["version"],
        sets=cases["test_set"].nunique(),
        damages=cases["damage"].nunique(),
        answers="\n".join(write_answers(endings, cases, alarms)),
        by_share="\n".join(shares),
        missed=fill(
            "Of the {n} cases from {goal} of the lines on that are not found, {changed} change the verdict. These "
            "kinds are found in fewer than half of their cases (median change of BLEU in brackets): lines that "
            "{kinds}.",
            n=len(missed),
            goal=percent(GOAL),
            changed=changed,
            kinds=name_missed(late),
        )
        + "\n"
        + describe_honest(missed).rstrip(),
        not_tried="\n".join([*(f"- {row}: {what}" for row, what in NOT_TRIED.items()), *left_out]),
        cost=fill(
            "Reading {what} takes {reading:.2f} s of CPU time; the checks of meaning add {meaning:.2f} s, other checks "
            "{others:.2f} s. The cache, which remembers what the checks found, was off. "
            "[The table](tables/{page}.md) has larger examples.",
            page=WARNINGS,
            **cost.iloc[0],
        ).rstrip(),
    )


def written(endings: Endings) -> Iterator[tuple[Path, str]]:
    """Return every page with what it should hold."""
    alarms = load_alarms()
    pages = {
        BAD_INPUT: (
            "Bad input and suspicious files",
            [
                "## Bad input, case by case\n",
                *describe_rows(endings),
                "## Suspicious files\n",
                *describe_traits(endings),
            ],
        ),
        WRONG_FILES: ("Files that are well-formed and wrong", [*describe_cases(load_cases())]),
        WARNINGS: ("Warnings about real outputs as they are", [*describe_alarms(alarms), *describe_cost(load_cost())]),
        DAMAGED_FILES: ("Damaged files", [*describe_readers(endings)]),
        FAULTS: ("Faults", [*describe_faults(endings)]),
    }
    yield PAGE, write_page(endings)
    for name, (title, lines) in pages.items():
        yield PAGE.parent / "tables" / f"{name}.md", HEAD.format(title=title) + "\n".join(lines).rstrip("\n") + "\n"
