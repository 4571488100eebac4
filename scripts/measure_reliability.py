"""Run the cases of bad input, the traits, the damaged files and the faults, and write how they end.

    make reliability

Writes docs/reliability.md. Its numbers are counted here, by running the cases, which takes some minutes; those about
files that are well-formed and wrong come from `python -m benchmarks.damage`, which stores them.
"""

from __future__ import annotations

import sys
import tempfile
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # the cases are in tests/
    sys.path.insert(0, str(ROOT))

from benchmarks.damage.page import describe_wrong_files  # noqa: E402
from mtworkbench import __version__  # noqa: E402
from mtworkbench.writing import replace_file  # noqa: E402
from tests.bad_input import traits  # noqa: E402
from tests.bad_input.cases import Case, find_failure  # noqa: E402
from tests.bad_input.fuzz import LOADERS, foreign_outcomes, fuzz  # noqa: E402
from tests.bad_input.rows import ADDED, DIFFERENT, NOT_TRIED, ROWS  # noqa: E402
from tests.faults.counts import try_faults  # noqa: E402
from tests.faults.tally import Tally  # noqa: E402

PAGE = ROOT / "docs" / "reliability.md"
SHARED = ROOT.parent / "shared"
FUZZ_CASES, FUZZ_SEED = 1000, 3
#: So many outcomes of each loader are named; the others are counted together.
NAMED_OUTCOMES = 5

INTRODUCTION = f"""\
# What happens with bad input, damaged files and faults

*`make reliability` writes this page. It runs every case and counts how it ends, with mtworkbench {__version__}.*

Bad input is handled in one of three ways: it is read; it is read with a warning that says what was noticed and how
often; or it is refused with an `InputError` that says what was found, where, and what was expected. Nothing is dropped,
repaired or joined silently.
"""
OF_ROWS = """\
## Bad input, case by case

All {rows} kinds of bad input (B01, B02, ...) were tried, in {cases:,} cases. {ending} Of these cases, {errors:,} are
refused, {warnings:,} are read with a warning, and {silent:,} are read without one, because they are valid although they
look wrong. The full text of each error and warning is checked{shortened}. What was read is checked in every case that
is not refused.

For {exact} kinds, the expected outcome is that of the first specification. For {different} others, it was changed; the
reasons are below the table. The first specification does not have the last {added}.
"""
OF_TRAITS = """\
## Suspicious files

Some files can be read but are suspicious, for instance because lines are shifted. {fires} of {traits} such problems are
noticed in a file made to show them. In sound files none should be reported: {alarms}.
"""
OF_FUZZ = """\
## Damaged files

Each reader was given {each:,} files with random damage: bytes changed, inserted, deleted, repeated or cut off. Every
file must either be read as outputs that pass `check_outputs` (statistics: exactly as saved) or be refused with an
`InputError`. {ending}
"""
OF_FAULTS = """\
## Faults

{ending}

`make test` tries the same faults, but kills the program before only one system call in seven. `pytest -m slow
tests/faults` tries most of them several times as often. None of these cases may fail either.
"""


def run_rows() -> dict[str, dict[Case, str]]:
    """Run the cases of all rows; return what was not as expected, which should be nothing."""
    results: dict[str, dict[Case, str]] = {}
    for row, cases in ROWS.items():
        results[row] = {}
        for case in cases:
            with tempfile.TemporaryDirectory() as folder:
                failure = find_failure(case, Path(folder)) if case.can_run else case.lacking
            results[row][case] = failure
            if failure:
                print(f"{row}, {case.what}: {failure}", file=sys.stderr)  # noqa: T201
    return results


def describe_rows(results: Mapping[str, Mapping[Case, str]]) -> Iterator[str]:
    """Write the section about rows."""
    cases = [case for of_row in results.values() for case in of_row]
    yield _fill(
        OF_ROWS,
        ending=_say_ending(len(results), sum(any(of_row.values()) for of_row in results.values()), "kinds"),
        rows=len(results),
        cases=len(cases),
        errors=sum(bool(case.error) for case in cases),
        warnings=sum(bool(case.warns) for case in cases),
        silent=sum(not case.error and not case.warns for case in cases),
        shortened=_count_shortened(cases),
        exact=len(results) - len(DIFFERENT) - len(ADDED),
        different=len(DIFFERENT),
        added=len(ADDED),
    )
    yield "| no. | case | expected | as expected |"
    yield "|---|---|---|---|"
    for row, of_row in results.items():
        for case, failure in of_row.items():
            yield f"| {row} | {case.what} | {_wanted(case)} | {'**no**' if failure else 'yes'} |"
    yield "\nWhere the expected outcome differs from the first specification:\n"
    yield from (f"- {row}: {why}" for row, why in DIFFERENT.items())
    yield "\nWhat the first specification asks for and was not tried:\n"
    yield from (f"- {row}: {what}" for row, what in NOT_TRIED.items())
    yield ""


def _fill(template: str, **values: object) -> str:
    """Fill in the values, and wrap the paragraphs again."""
    paragraphs = template.format(**values).split("\n\n")
    return "\n\n".join(textwrap.fill(text, 120, break_on_hyphens=False) for text in paragraphs) + "\n"


def _count_shortened(cases: list[Case]) -> str:
    """Say of how many cases only parts of a sentence are known beforehand."""
    shortened = sum("…" in "".join((case.said, *case.warns.values())) for case in cases)
    return f"; in {shortened} cases, only the decisive parts" if shortened else ""


def _say_ending(n: int, failures: int, what: str) -> str:
    """Say whether all cases end as expected."""
    return f"{failures:,} of {n:,} {what} do not end as expected." if failures else "All end as expected."


def _wanted(case: Case) -> str:
    if case.error:
        return f"error `{case.error}`"
    return "warning " + ", ".join(f"`{code}`" for code in case.warns) if case.warns else "read"


def describe_traits() -> Iterator[str]:
    """Write the section about traits."""
    silent = traits.find_silent_traits()
    outputs, alarms = Counter[str](), Counter[str]()
    for whose, number, alarming in traits.read_files_in_order(SHARED):
        outputs[whose] += number
        alarms[whose] += alarming
    said = "; ".join(
        f"{alarms[whose]:,} false alarms in {number:,} {whose} outputs" for whose, number in outputs.items()
    )
    if "real" not in outputs:
        said += "; no real outputs were at hand"
    yield _fill(OF_TRAITS, fires=len(traits.CASES) - len(silent), traits=len(traits.CASES), alarms=said)
    yield "| problem | noticed |"
    yield "|---|---|"
    yield from (f"| `{code}` | {'**no**' if code in silent else 'yes'} |" for code in traits.CASES)
    yield ""


def describe_fuzz() -> Iterator[str]:
    """Write the section about damaged files."""
    results = {one.name: fuzz(one, FUZZ_CASES, seed=FUZZ_SEED) for one in LOADERS if one.can_run}
    foreign = {name: sum(outcomes[one] for one in foreign_outcomes(outcomes)) for name, outcomes in results.items()}
    total, otherwise = FUZZ_CASES * len(results), sum(foreign.values())
    ending = f"{otherwise:,} of {total:,} did not." if otherwise else f"All {total:,} did."
    yield _fill(OF_FUZZ, each=FUZZ_CASES, ending=ending)
    yield "| reader | read | refused | the most frequent reasons | other outcomes |"
    yield "|---|---:|---:|---|---:|"
    for name, outcomes in results.items():
        refused = Counter({code: n for code, n in outcomes.items() if code != "read" and not code.startswith("! ")})
        reasons = ", ".join(f"`{code}` {n:,}" for code, n in refused.most_common(NAMED_OUTCOMES))
        yield f"| {name} | {outcomes['read']:,} | {refused.total():,} | {reasons} | {foreign[name]:,} |"
    yield ""


def describe_faults() -> Iterator[str]:
    """Write the section about faults."""
    tallies = try_faults("reported")
    cases, failures = (sum(numbers) for numbers in zip(*map(_count, tallies.values()), strict=True))
    what = "cases with killed programs, full disks and similar faults"
    ending = f"{failures:,} of {cases:,} {what} did not end" if failures else f"All {cases:,} {what} ended"
    yield _fill(OF_FAULTS, ending=f"{ending} as expected.")
    yield "| fault | cases | not as expected |"
    yield "|---|---:|---:|"
    for name, tally in tallies.items():
        yield "| {} | {:,} | {:,} |".format(name, *_count(tally))
        for failure in tally.failures:
            print(f"{name}, {failure}", file=sys.stderr)  # noqa: T201
    left_out = [what for tally in tallies.values() for what in tally.left_out]
    yield "\nNot tried: " + "; ".join(left_out) + ".\n" if left_out else ""


def _count(tally: Tally) -> tuple[int, int]:
    return tally.cases, len(tally.failures)


def write_page() -> str:
    """Run everything and write the page."""
    read = [*describe_rows(run_rows()), *describe_traits(), *describe_wrong_files()]
    parts = [INTRODUCTION, *read, *describe_fuzz(), *describe_faults()]
    return "\n".join(parts).rstrip("\n") + "\n"


if __name__ == "__main__":
    replace_file(PAGE, write_page())
