"""How bad input, damaged files and faults end: what `make reliability` counted, and the long tables of it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from benchmarks.damage.page import RESULTS, fill
from mtworkbench.writing import replace_file
from tests.bad_input import traits
from tests.bad_input.cases import Case
from tests.bad_input.rows import ADDED, DIFFERENT, NOT_TRIED, ROWS

STORED = RESULTS / "endings.json"
#: What was counted: the version; of each row, its cases with what was not as expected (nothing: ""); the traits that
#: were not noticed; whose sound files gave how many alarms; how each reader ended; of each fault, cases and failures.
Endings = dict[str, Any]

OF_ROWS = """\
All {rows} kinds of bad input (B01, B02, ...) were tried, in {cases:,} cases. {ending} Of these cases, {errors:,} are
refused, {warnings:,} are read with a warning, and {silent:,} are read without one, because they are valid although they
look wrong. The full text of each error and warning is checked{shortened}. What was read is checked in every case that
is not refused.

For {exact} kinds, the expected outcome is that of the first specification. For {different} others, it was changed; the
reasons are below the table. The first specification does not have the last {added}.
"""
OF_TRAITS = """\
Some files can be read but are suspicious, for instance because lines are shifted. {fires} of {traits} such problems are
noticed in a file made to show them. In sound files none should be reported: {alarms}.
"""
OF_READERS = """\
Each reader was given {each:,} files with random damage: bytes changed, inserted, deleted, repeated or cut off. Every
file must either be read as outputs that pass `check_outputs` (statistics: exactly as saved) or be refused with an
`InputError`. {ending}
"""
OF_FAULTS = """\
{ending}

`make test` tries the same faults, but kills the program before only one system call in seven. `pytest -m slow
tests/faults` tries most of them several times as often. None of these cases may fail either.
"""


def load_endings() -> Endings:
    """Read what was counted."""
    return json.loads(STORED.read_text(encoding="utf-8"))


def save_endings(endings: Endings) -> None:
    """Write what was counted."""
    replace_file(STORED, json.dumps(endings, indent=1, ensure_ascii=False) + "\n")


def count_cases() -> dict[str, int]:
    """Count the cases of bad input by how they are expected to end."""
    cases = [case for of_row in ROWS.values() for case in of_row]
    return {
        "rows": len(ROWS),
        "cases": len(cases),
        "errors": sum(bool(case.error) for case in cases),
        "warnings": sum(bool(case.warns) and not case.error for case in cases),
        "silent": sum(not case.error and not case.warns for case in cases),
    }


def describe_rows(endings: Endings) -> Iterator[str]:
    """Write how each case of bad input ended."""
    failed = sum(any(of_row.values()) for of_row in endings["rows"].values())
    yield fill(
        OF_ROWS,
        **count_cases(),
        ending=f"{failed} of {len(ROWS)} kinds do not end as expected." if failed else "All end as expected.",
        shortened=_count_shortened(),
        exact=len(ROWS) - len(DIFFERENT) - len(ADDED),
        different=len(DIFFERENT),
        added=len(ADDED),
    )
    yield "| no. | case | expected | as expected |"
    yield "|---|---|---|---|"
    for row, cases in ROWS.items():
        for case in cases:
            failure = endings["rows"][row][case.what]
            yield f"| {row} | {case.what} | {_wanted(case)} | {'**no**' if failure else 'yes'} |"
    yield "\nWhere the expected outcome differs from the first specification:\n"
    yield from (f"- {row}: {why}" for row, why in DIFFERENT.items())
    yield "\nWhat the first specification asks for and was not tried:\n"
    yield from (f"- {row}: {what}" for row, what in NOT_TRIED.items())
    yield ""


def _count_shortened() -> str:
    """Say of how many cases only parts of a sentence are known beforehand."""
    cases = [case for of_row in ROWS.values() for case in of_row]
    shortened = sum("…" in "".join((case.said, *case.warns.values())) for case in cases)
    return f"; in {shortened} cases, only the decisive parts" if shortened else ""


def _wanted(case: Case) -> str:
    if case.error:
        return f"error `{case.error}`"
    return "warning " + ", ".join(f"`{code}`" for code in case.warns) if case.warns else "read"


def describe_traits(endings: Endings) -> Iterator[str]:
    """Write which suspicious files are noticed."""
    silent = endings["silent_traits"]
    alarms = "; ".join(
        f"{found['alarms']:,} false alarms in {found['outputs']:,} {whose} outputs"
        for whose, found in endings["sound_files"].items()
    )
    if "real" not in endings["sound_files"]:
        alarms += "; no real outputs were at hand"
    yield fill(OF_TRAITS, fires=len(traits.CASES) - len(silent), traits=len(traits.CASES), alarms=alarms)
    yield "| problem | noticed |"
    yield "|---|---|"
    yield from (f"| `{code}` | {'**no**' if code in silent else 'yes'} |" for code in traits.CASES)
    yield ""


def count_readers(endings: Endings) -> tuple[int, int]:
    """Return the number of damaged files, and of those that were neither read well nor refused."""
    readers = endings["readers"].values()
    return endings["files_per_reader"] * len(readers), sum(one["others"] for one in readers)


def describe_readers(endings: Endings) -> Iterator[str]:
    """Write how the readers ended with damaged files."""
    total, otherwise = count_readers(endings)
    ending = f"{otherwise:,} of {total:,} did not." if otherwise else f"All {total:,} did."
    yield fill(OF_READERS, each=endings["files_per_reader"], ending=ending)
    yield "| reader | read | refused | the most frequent reasons | other outcomes |"
    yield "|---|---:|---:|---|---:|"
    for name, one in endings["readers"].items():
        reasons = ", ".join(f"`{code}` {n:,}" for code, n in one["reasons"].items())
        yield f"| {name} | {one['read']:,} | {one['refused']:,} | {reasons} | {one['others']:,} |"
    yield ""


def count_faults(endings: Endings) -> tuple[int, int]:
    """Return the number of cases of all faults, and of those that did not end as expected."""
    faults = endings["faults"].values()
    return sum(one["cases"] for one in faults), sum(one["failures"] for one in faults)


def describe_faults(endings: Endings) -> Iterator[str]:
    """Write how faults ended."""
    cases, failures = count_faults(endings)
    what = "cases with killed programs, full disks and similar faults"
    ending = f"{failures:,} of {cases:,} {what} did not end" if failures else f"All {cases:,} {what} ended"
    yield fill(OF_FAULTS, ending=f"{ending} as expected.")
    yield "| fault | cases | not as expected |"
    yield "|---|---:|---:|"
    yield from (f"| {name} | {one['cases']:,} | {one['failures']:,} |" for name, one in endings["faults"].items())
    yield "\nNot tried: " + "; ".join(endings["faults_left_out"]) + ".\n" if endings["faults_left_out"] else ""
