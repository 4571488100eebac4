"""What the checks noticed as tables and sentences: a row per system, a column per check, and the lines to look at."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, MAY_CHANGE, Doubt
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.results.inspections import Inspection
from mtworkbench.wording import be, grouped, listed, name_some, tally
from mtworkbench.words.concerns import join_doubts, name_concerned
from mtworkbench.words.document import Document, Section, Table
from mtworkbench.words.frames import Cell, Columns, cut_middle

#: What findings of each gravity do; the first gap is for the "s" of one finding, the second for the systems.
VERBS = {BREAKS: "break{} comparisons with {}", MAY_CHANGE: "may change verdicts about {1}"}
#: So many characters of a line are shown; in a terminal with fewer columns than this, none.
ROOM_FOR_TEXT, ROOM_FOR_TEXTS = 48, 90
REFERENCES = "references and source"


def build_inspection(inspection: Inspection, format: str = "html", *, all_columns: bool = False) -> Document:
    """Lay out what was noticed: the worst first, the table, the lines to look at, and a paragraph per finding."""
    if not inspection.doubts:
        return Document(list(describe_inspection(inspection)))
    lines = _tabulate_lines(inspection)
    sections = [Section(heading="Findings", tables=[tabulate_findings(inspection)])]
    sections += [Section(heading="Lines to look at", tables=[lines], folded=True)] if inspection.lines else []
    return Document(list(describe_inspection(inspection)), sections, notes=list(_describe_doubts(inspection)))


def describe_inspection(inspection: Inspection) -> Iterator[str]:
    """Say how many findings there are of each gravity, and of which systems."""
    looked_at = f"{tally(len(inspection.systems), 'system')}, {tally(inspection.n_references, 'reference')}"
    where = f"{looked_at} and {tally(inspection.n_segments, 'segment')}"
    accepted = grouped((doubt.code, doubt) for doubt in inspection.accepted)
    if not inspection.doubts and not accepted:
        yield f"Nothing seems wrong: {where} were checked."
        return
    for gravity in (BREAKS, MAY_CHANGE):
        found = [doubt for doubt in inspection.doubts if doubt.gravity == gravity]
        if found:
            concerned = name_concerned(found)
            others = [name for name in concerned if name not in inspection.systems]
            systems = listed([name for name in inspection.systems if name in concerned] + others)
            yield f"{tally(len(found), 'finding')} {VERBS[gravity].format('s' * (len(found) == 1), systems)}."
    informs = sum(doubt.gravity == INFORMS for doubt in inspection.doubts)
    clean = [one for one in inspection.systems if inspection.gravity_of(one) in ("", INFORMS)]
    if inspection.is_clean:
        yield f"No {'other ' if accepted else ''}finding may change a verdict: {where} were checked."
    elif clean:
        has = "has" if len(clean) == 1 else "have"
        yield f"{len(clean):,} of {tally(len(inspection.systems), 'system')} {has} no such finding."
    if accepted:
        named = [f"{code} ({name_some(name_concerned(doubts))})" for code, doubts in accepted.items()]
        yield f"Accepted: {', '.join(named)}."
    if informs:
        yield f"{tally(informs, 'finding')} {be(informs)} for information only."


def tabulate_findings(inspection: Inspection) -> Table:
    """Return a row per system, those with the gravest findings first, and a column per check that noticed something."""
    rows: list[str | None] = [*([None] if inspection.doubts_about(None) else []), *inspection.systems]
    rows.sort(key=lambda one: _rank(inspection.gravity_of(one)))
    columns: Columns = {
        "system": [REFERENCES if one is None else one for one in rows],
        "gravity": [inspection.gravity_of(one) or "-" for one in rows],
    }
    for code in inspection.codes:
        columns[code] = [_count(inspection.doubts_about(one), code) for one in rows]
    needs = sum(max(len(head), *map(len, cells)) + 2 for head, cells in columns.items())
    return Table(columns, needs=needs, instead=Table(_list_findings(inspection, rows), n_names=2), n_names=1)


def _rank(gravity: str) -> int:
    return GRAVITIES.index(gravity) if gravity else len(GRAVITIES)


def _count(doubts: Sequence[Doubt], code: str) -> Cell:
    """Write in how many segments a check noticed something; ``yes`` where it is not a matter of single segments."""
    found = [doubt for doubt in doubts if doubt.code == code]
    if not found:
        return Cell("")
    first = max(found, key=lambda doubt: doubt.n_found)
    return Cell(f"{first.n_found:,} ({first.share:.1%})") if first.n_found else Cell("yes")


def _list_findings(inspection: Inspection, rows: Sequence[str | None]) -> Columns:
    """Return a row per system and check, for where the table is too wide."""
    found: list[tuple[str, ...]] = []
    for one in rows:
        name, doubts = REFERENCES if one is None else one, inspection.doubts_about(one)
        gravities = {doubt.code: doubt.gravity for doubt in reversed(doubts)}
        for code in dict.fromkeys(doubt.code for doubt in doubts):
            found.append((name, code, _count(doubts, code), gravities[code]))
        if not doubts:
            found.append((name, "-", Cell(), "-"))
    return {
        head: [row[place] for row in found] for place, head in enumerate(("system", "check", "segments", "gravity"))
    }


def _tabulate_lines(inspection: Inspection) -> Table:
    lines = inspection.lines
    columns: Columns = {
        "check": [line.code for line in lines],
        "system": [line.who for line in lines],
        "segment": [Cell(f"{line.segment:,}") for line in lines],
        "text": [cut_middle(line.text, ROOM_FOR_TEXT) for line in lines],
    }
    shown = Table({name: cells for name, cells in columns.items() if name != "text"}, n_names=2)
    return Table(columns, n_names=2, cut=False, needs=ROOM_FOR_TEXTS, instead=shown)


def _describe_doubts(inspection: Inspection) -> Iterator[str]:
    """Say each finding with its consequence and advice, and how to repair it where that can be done."""
    for doubt in join_doubts(inspection.doubts):
        how = f"With --repair {doubt.code}, {REPAIRS[doubt.code].what}." if doubt.code in inspection.repairable else ""
        yield " ".join(filter(None, (f"{doubt.code}: {doubt.say(advise=True)}", how)))
