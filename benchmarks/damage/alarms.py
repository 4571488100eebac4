"""What the readers say of real outputs as they are, and what a person who looked at the lines thinks of it."""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from unittest import mock

from benchmarks.damage.texts import REAL, ROOT, read_ted
from mtworkbench.outputs.checks.report import Notice, Report
from mtworkbench.outputs.text import make_outputs, read_outputs
from tests.bad_input.traits import REAL as KINDS
from tests.bad_input.traits import real_files

JUDGEMENTS = Path(__file__).parent / "judgements.csv"


@dataclass(frozen=True)
class Alarm:
    """What is said of one real file.

    Parameters
    ----------
    kind : str
        The group of test sets.
    code : str
    whose : str
        The file, or what of it; empty where it is said of no single file.
    count : int or None
        In how many segments it was found, where that was counted.
    """

    kind: str
    code: str
    whose: str
    count: int | None


@dataclass(frozen=True)
class Judgement:
    """What a person thinks of some alarms.

    Parameters
    ----------
    code, whose : str
        Which ones: `whose` is a pattern as for file names.
    judgement : {"true", "trivial", "false"}
        Whether what is said is right and worth saying; right and known to whoever made the files; wrong.
    evidence : str
    """

    code: str
    whose: str
    judgement: str
    evidence: str


def raise_alarms() -> Iterator[tuple[Alarm, str]]:
    """Read all real outputs; yield what is said, with the sentence."""
    folder = REAL.parent
    for kind in KINDS:
        for reader, *arguments, more in real_files(folder, kind):
            # Invisible characters are accepted there.
            accept = [code for code in more.get("accept", ()) if code != "invisible-chars"]
            yield from _listen(folder, kind, reader, *arguments, **more | {"accept": accept})
    for name in ("sample", "flores"):
        texts = ROOT / "data" / name
        files = {path.stem: path for path in sorted(texts.glob("*.txt"))}
        reference = files.pop("reference")
        files.pop("documents", None)
        yield from _listen(ROOT, name, read_outputs, reference, files)
    ted = read_ted()
    runs = {name: [lines] for name, lines in ted.systems.items()}
    yield from _listen(folder, "ted", make_outputs, ted.references, runs, source=ted.source)


def _listen(folder: Path, kind: str, reader, *arguments: object, **more: object) -> Iterator[tuple[Alarm, str]]:
    noticed: list[Notice] = []
    # Warnings name the first few files of many.
    with mock.patch.object(Report, "warn", lambda report, **_: noticed.extend(report.notices)):
        reader(*arguments, **more)
    for one in noticed:
        whose = (one.whose or one.path or "").replace(f"{folder}/", "")
        yield Alarm(kind, one.code, whose, one.count), one.message.replace(f"{folder}/", "")


def read_judgements() -> list[Judgement]:
    """Read what was judged by hand."""
    with JUDGEMENTS.open(encoding="utf-8", newline="") as file:
        return [Judgement(**row) for row in csv.DictReader(file)]


def find_judgement(code: str, whose: str, judgements: list[Judgement]) -> Judgement | None:
    """Return the judgement of an alarm: the first that fits."""
    return next((one for one in judgements if one.code == code and fnmatchcase(whose, one.whose)), None)
