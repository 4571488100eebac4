"""The real texts that are made wrong: the outputs that ship, and those of ../shared/realdata where it is there."""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from mtworkbench.outputs.wmt_xml import read_wmt_xml

ROOT = Path(__file__).parents[2]
REAL = ROOT.parent / "shared" / "realdata"


@dataclass(frozen=True)
class TestSet:
    """Sound outputs of several systems.

    Parameters
    ----------
    name : str
    references : list of list of str
    systems : dict of str to list of str
        Those that are compared.
    unseen : list of str
        The output of another one.
    foreign, elsewhere : list of str
        Text of other test sets: in another language, and in that of the outputs.
    source : list of str, optional
    """

    __test__ = False  # pytest looks for tests in what is called so

    name: str
    references: list[list[str]]
    systems: dict[str, list[str]]
    unseen: list[str]
    foreign: list[str]
    elsewhere: list[str]
    source: list[str] | None = None


def read_lines(path: Path) -> list[str]:
    """Read a file as the readers do: lines end in a line feed."""
    with path.open(encoding="utf-8-sig", newline="\n") as file:
        return file.read().split("\n")[:-1]


def read_shipped() -> TestSet:
    """Read the outputs that ship; what is foreign and elsewhere is the sample, which no language is like."""
    folder = ROOT / "data" / "flores"
    small, base, memory = (read_lines(folder / f"bergamot-{name}.txt") for name in ("tiny", "base", "base-memory"))
    sample = read_lines(ROOT / "data" / "sample" / "reference.txt")
    references = [read_lines(folder / "reference.txt")]
    return TestSet("flores", references, {"tiny": small, "base": base}, memory, sample, sample)


def read_test_sets() -> Iterator[TestSet]:
    """Read all of them: one damaged system among 1, 4 or 9 sound ones."""
    shipped = read_shipped()
    if not REAL.is_dir():
        yield shipped
        return
    ted = read_ted()
    english = read_lines(REAL / "long-de-en" / "sys" / "microsoft" / "wmt22.en")
    german, other_german = read_lines(REAL / "wmt17-en-de-16systems" / "ref" / "newstest2017.ref.de"), ted.references[0]
    into_english, into_german = {"foreign": german, "elsewhere": english}, {"foreign": english, "elsewhere": german}
    yield replace(shipped, **into_english)
    names = ["microsoft", "bergamot-base", "bergamot-tiny"]
    systems = {name: read_lines(REAL / "long-de-en" / "sys" / name / "wmt13.en") for name in names}
    yield _keep("wmt13-de-en", 2, [read_lines(REAL / "long-de-en" / "ref" / "wmt13.en")], systems, **into_english)
    folder = REAL / "wmt17-en-de-16systems" / "sys"
    systems = {path.name.split(".")[1]: read_lines(path) for path in sorted(folder.iterdir())}
    wmt17 = _keep("wmt17-en-de", 5, [german], systems, foreign=english, elsewhere=other_german)
    yield _first(1500, wmt17)
    yield _keep(ted.name, 10, ted.references, ted.systems, source=ted.source, **into_german)
    for pair, n_systems, elsewhere in (("en-de", 5, into_german), ("he-en", 10, into_english)):
        folder = REAL / "mt-metrics-eval" / "wmt23"
        paths = sorted((folder / "system-outputs" / pair).iterdir())
        systems = {path.stem: read_lines(path) for path in paths if "ref" not in path.stem}
        references = [read_lines(path) for path in sorted((folder / "references").glob(f"{pair}.ref?.txt"))]
        source = read_lines(folder / "sources" / f"{pair}.txt")
        yield _first(1000, _keep(f"wmt23-{pair}", n_systems, references, systems, source=source, **elsewhere))
    for name, n_systems in (("newstest2021.ru-en", 5), ("wmttest2023.uk-en", 2)):
        yield _read_xml(name, n_systems, **into_english)


def _keep(
    name: str, n_systems: int, references: list[list[str]], systems: Mapping[str, list[str]], **more: list[str] | None
) -> TestSet:
    """Keep so many systems, taken at equal distances so that they are of all kinds, and one that is unseen."""
    names = [list(systems)[i * len(systems) // (n_systems + 1)] for i in range(n_systems + 1)]
    *kept, unseen = names
    return TestSet(name, references, {one: systems[one] for one in kept}, systems[unseen], **more)  # type: ignore[arg-type]


def _first(n_segments: int, texts: TestSet) -> TestSet:
    """Keep the first segments, to save time."""
    return replace(
        texts,
        references=[lines[:n_segments] for lines in texts.references],
        systems={name: lines[:n_segments] for name, lines in texts.systems.items()},
        unseen=texts.unseen[:n_segments],
        source=texts.source and texts.source[:n_segments],
    )


def read_ted() -> TestSet:
    """Read the outputs that were judged with MQM on TED talks: the marks of errors are left out."""
    with (REAL / "mqm-ted-en-de" / "mqm_ted_ende.tsv").open(encoding="utf-8", newline="\n") as file:
        rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    texts: dict[str, dict[int, str]] = {}
    sources: dict[int, str] = {}
    for row in rows:
        number = int(row["seg_id"])
        texts.setdefault(row["system"], {}).setdefault(number, re.sub("</?v>", "", row["target"]))
        sources.setdefault(number, re.sub("</?v>", "", row["source"]))
    every = sorted(set.intersection(*map(set, texts.values())))
    lines = {name: [of_one[number] for number in every] for name, of_one in sorted(texts.items())}
    references = [lines.pop(name) for name in list(lines) if name.startswith("ref")]
    return TestSet("ted-en-de", references, lines, [], [], [], [sources[number] for number in every])


def _read_xml(name: str, n_systems: int, **more: list[str]) -> TestSet:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outputs = read_wmt_xml(REAL / "wmt-xml" / f"{name}.all.xml", accept=["incomplete-system"])
    references = [column for column in outputs.columns if column.startswith("reference")]
    usable = outputs[references].notna().all(axis=1) & outputs["hypothesis"].notna()
    kept = usable.groupby(outputs["segment"].to_numpy()).all()
    outputs = outputs[kept.loc[outputs["segment"]].to_numpy()]
    runs = {str(system): rows for system, rows in outputs.groupby("system", sort=True)}
    first = next(iter(runs.values()))
    systems = {system: rows["hypothesis"].tolist() for system, rows in runs.items()}
    return _keep(name, n_systems, _columns(first, references), systems, source=first["source"].tolist(), **more)


def _columns(rows: pd.DataFrame, names: Sequence[str]) -> list[list[str]]:
    return [rows[name].tolist() for name in names]
