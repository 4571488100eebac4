"""Build the table by which documents of public test sets are recognized (a minute).

    python scripts/build_known_documents.py --version N --git wmt24=CLONE ... --realdata FOLDER [--sacrebleu SET ...]

Writes data/known-documents/table.npz, digests alone, and the list of sets in docs/known-documents.md.
A clone (bare or not) is of a repository that publishes test sets with documents: wmt-conference/wmt21-news-systems to
wmt24-news-systems (named wmt21 ... wmt24), google/wmt-mqm-human-evaluation, MicrosoftTranslator/NTREX (ntrex128), wmt-
conference/ErrorSpanAnnotation, Helsinki-NLP/WMT16-test-enfi and WMT17-test-enfi (wmt16, wmt17). Files that a clone
lacks are left out. ``--sacrebleu`` names sets that sacreBLEU downloads itself, such as wmt20 or iwslt17; ``--flores``
is the unpacked folder of FLORES-200.
"""

import argparse
import csv
import io
import json
import os
import re
import subprocess
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
from defusedxml import ElementTree

from mtworkbench.outputs.checks.known_documents import (
    FEWEST_LINES,
    OPEN,
    SHARE_LEFT_OPEN,
    SHARE_OF_LINES,
    SHORTEST_LINE,
    TABLE,
    Candidates,
    DocumentTable,
    describe_origin,
    digest_lines,
    fill_between,
    find_certain,
    find_open_stretches,
    label_document,
    list_candidates,
)
from mtworkbench.writing import replace_file

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "known-documents.md"
#: Sets of which more than half of the lines are documents of their own say nothing of documents.
MOST_LONE_LINES = 0.5
#: A document is one that is held already if so many of its lines are.
SAME_DOCUMENT = 0.5
#: Until 2018 half of the lines were translated from the other language: documents have one name in all pairs.
ORIGIN_ANY = "any"
#: A source has the documents of another pair's source if at most so many of its lines are not there.
MOST_UNKNOWN = 0.1


@dataclass(frozen=True)
class Part:
    """One side of a test set, line by line, with the documents of the lines; None where a document is not known."""

    set: str
    pair: str
    language: str  # of these lines
    source_language: str
    documents: Sequence[str | None]
    lines: Sequence[str | None]
    is_reference: bool


@dataclass
class Builder:
    """Collects digests, each with the documents that have it and the places where."""

    documents: dict[tuple[str, str, str], int] = field(default_factory=dict)
    sizes: Counter[int] = field(default_factory=Counter)
    parts: list[set[int]] = field(default_factory=list)
    texts: dict[int, dict[tuple[int, int], set[tuple[str, str, str]]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(set))
    )

    def add(self, part: Part) -> None:
        """Add the lines of one side of a test set."""
        n_lines: Counter[str | None] = Counter()
        places = [n_lines.update([name]) or n_lines[name] - 1 for name in part.documents]
        by_document = defaultdict(list)
        for position, *own in zip(*(one.tolist() for one in digest_lines(part.lines)), strict=True):
            if (name := part.documents[position]) is not None:
                by_document[name].append((*own, places[position]))
        side = f"{part.set} {part.pair if part.is_reference else part.language}"
        keys = {name: (part.set, part.source_language, name) for name in by_document}
        numbers = {self.documents[key] for key in keys.values() if key in self.documents}
        for name, lines in by_document.items():
            number = self._number(keys[name], [digest for digest, is_long, _ in lines if is_long], numbers)
            numbers.add(number)
            self.sizes[number] = max(self.sizes[number], n_lines[name])
            for digest, _, place in lines:
                self.texts[digest][number, place].add((part.set, side, f"{part.set} {part.language}"))
        self.parts.append(numbers)

    def _number(self, key: tuple[str, str, str], digests: Sequence[int], here: set[int]) -> int:
        own = self.documents.setdefault(key, 1 + max(self.documents.values(), default=-1))
        apart = {own}.union(here, *(numbers for numbers in self.parts if own in numbers))
        held = Counter(
            one for digest in digests for one in {number for number, _ in self.texts.get(digest, ())} - apart
        )
        if held and (most := held.most_common(1)[0])[1] > SAME_DOCUMENT * len(digests):
            self._join(own, most[0])  # another collection has this document under another name
        return self.documents[key]

    def _join(self, number: int, other: int) -> None:
        self.documents = {key: other if one == number else one for key, one in self.documents.items()}
        self.parts = [{other if one == number else one for one in numbers} for numbers in self.parts]
        self.sizes[other] = max(self.sizes[other], self.sizes.pop(number, 0))
        for found in self.texts.values():
            for key in [key for key in found if key[0] == number]:
                found[other, key[1]] |= found.pop(key)

    def table(self, version: int) -> DocumentTable:
        """Return the table of all digests; what pairs share is of their language."""
        rows = []
        for digest, found in self.texts.items():
            for (number, place), own in found.items():
                _, of_pair, of_language = min(own)
                name = of_pair if len({side for _, side, _ in own}) == 1 else of_language
                rows.append(((name, tuple(sorted({one for one, *_ in own}))), number, place, digest))
        rows.sort()
        texts = sorted({text for text, *_ in rows})
        sets = tuple(sorted({one for _, own in texts for one in own}))
        sizes = Counter(text for text, *_ in rows)
        return DocumentTable(
            version,
            sets,
            tuple(name for name, _ in texts),
            tuple(tuple(sets.index(one) for one in own) for _, own in texts),
            np.cumsum([0, *(sizes[text] for text in texts)]),
            np.array([digest for *_, digest in rows], dtype=np.uint32),
            np.array([document for _, document, *_ in rows]),
            np.array([place for *_, place, _ in rows]),
        )


class Clone:
    """The newest files of a clone, bare or not; those that were left out of it have no content."""

    def __init__(self, path: Path):
        self._path = path
        self.names = self._git("ls-tree", "-r", "--name-only", "-z", "HEAD").decode().rstrip("\0").split("\0")

    def read(self, name: str) -> bytes | None:
        """Read a file; None where the clone does not have it."""
        try:
            return self._git("cat-file", "blob", f"HEAD:{name}")
        except subprocess.CalledProcessError:
            return None

    def read_lines(self, name: str) -> list[str] | None:
        """Read the lines of a text file."""
        content = self.read(name)
        return None if content is None else split_lines(content.decode("utf-8"))

    def _git(self, *command: str) -> bytes:
        environment = os.environ | {"GIT_NO_LAZY_FETCH": "1", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            ["git", "-C", str(self._path), *command], check=True, capture_output=True, env=environment
        )
        return done.stdout


def tell(message: str) -> None:
    """Say how far the work has come."""
    sys.stderr.write(f"{message}\n")


def split_lines(text: str) -> list[str]:
    """Split at line feeds alone."""
    return text.removesuffix("\n").split("\n")


def read_clone(name: str, clone: Clone) -> Iterator[Part]:
    """Find all sides of test sets with documents in a clone."""
    for file in clone.names:
        if re.fullmatch(r"xml/\w+\.(\w+-\w+)\.all\.xml", file) and (content := clone.read(file)) is not None:
            yield from parse_wmt_xml(name, file.split(".")[1], content)
        elif match := re.fullmatch(r"((?!txt-ts).*)/documents/(\w+-\w+)\.docs", file):
            yield from read_document_lists(clone, *match.groups(), name)
        elif re.fullmatch(r".*/mqm_\w+_\w{4}(\.no-postedits)?\.tsv", file) and (content := clone.read(file)):
            yield from read_mqm(name, file, content)
        elif (match := re.fullmatch(r"sgm/newstestB?20\d\d-(\w\w)(\w\w)-(?:src|ref)\.(\w\w)\.sgm", file)) and (
            content := clone.read(file)
        ):
            yield parse_sgml(name, *match.groups(), content)
    if "DOCUMENT_IDS.tsv" in clone.names:
        documents = clone.read_lines("DOCUMENT_IDS.tsv")
        for file in clone.names:
            if match := re.fullmatch(r"NTREX-128/newstest2019-(?:src|ref|ref-2)\.([\w-]+)\.txt", file):
                lines = clone.read_lines(file)
                if documents is None or lines is None or len(lines) != len(documents):
                    raise SystemExit(f"{file} has not as many lines as DOCUMENT_IDS.tsv.")
                yield Part(name, match[1], match[1], "eng", documents, lines, True)


def parse_wmt_xml(name: str, pair: str, content: bytes) -> Iterator[Part]:
    """Read the sources and references of a WMT file."""
    sides: dict[tuple[str, str], tuple[list, list]] = defaultdict(lambda: ([], []))
    for document in ElementTree.fromstring(content).iter("doc"):
        if document.get("testsuite"):
            continue  # made for one phenomenon each, and repeated: no documents
        for kind in ("src", "ref"):
            for side in document.findall(kind):
                documents, lines = sides[kind, side.get("translator", "")]
                texts = ["".join(segment.itertext()) for segment in side.iter("seg")]
                documents += [document.get("id")] * len(texts)
                lines += texts
    source_language, language = pair.split("-")
    for (kind, _), (documents, lines) in sides.items():
        of = language if kind == "ref" else source_language
        yield Part(name, pair, of, source_language, documents, lines, kind == "ref")


def parse_sgml(name: str, source_language: str, target_language: str, language: str, content: bytes) -> Part:
    """Read one side of a set of WMT until 2018."""
    documents, lines = [], []
    for document, text in re.findall(r'<doc\b[^>]*docid="([^"]*)"[^>]*>(.*?)</doc>', content.decode("utf-8"), re.S):
        texts = re.findall(r"<seg\b[^>]*>(.*?)</seg>", text, re.S)
        documents += [document] * len(texts)
        lines += texts
    pair = f"{source_language}-{target_language}"
    return Part(name, pair, language, ORIGIN_ANY, documents, lines, language == target_language)


def read_document_lists(clone: Clone, folder: str, pair: str, name: str) -> Iterator[Part]:
    """Read sources and references in the layout of mt-metrics-eval: ``documents/en-de.docs`` beside them."""
    year = re.search(r"wmt\d\d(?!\d)", folder)
    rows = clone.read_lines(f"{folder}/documents/{pair}.docs")
    if rows is None:
        return
    documents = [None if row.startswith("canary") else row.split("\t")[-1] for row in rows]
    source_language, language = pair.split("-")
    for file in clone.names:
        is_reference = re.fullmatch(rf"{re.escape(folder)}/references/{pair}\.\w+\.txt", file) is not None
        if is_reference or file == f"{folder}/sources/{pair}.txt":
            lines = clone.read_lines(file)
            if lines is None:
                continue
            if len(lines) != len(documents):
                raise SystemExit(f"{file} has {len(lines)} lines, but its documents have {len(documents)}.")
            of = language if is_reference else source_language
            yield Part(year[0] if year else name, pair, of, source_language, documents, lines, is_reference)


def read_mqm(name: str, file: str, content: bytes) -> Iterator[Part]:
    """Read the documents of judged segments: their sources, and what human translators wrote."""
    kind, pair = re.search(r"mqm_([a-zA-Z0-9]+)_(\w{4})", file).groups()
    source_language, language = pair[:2], pair[2:]
    sides: dict[str, dict[tuple[str, str], str]] = defaultdict(dict)
    rows = csv.DictReader(io.StringIO(content.decode("utf-8"), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
    for row in rows:
        place = row["doc"], row["seg_id"]
        sides["source"][place] = row["source"]
        if re.match(r"ref|Human", row["system"]):
            sides[row["system"]][place] = re.sub(r"</?v>", "", row["target"])
    year = re.search(r"20(\d\d)", kind)
    for side, texts in sides.items():
        of = source_language if side == "source" else language
        documents = [document for document, _ in texts]
        label = f"wmt{year[1]}" if year else f"{kind} talks (mqm)"
        pair_name = f"{source_language}-{language}"
        yield Part(label, pair_name, of, source_language, documents, [*texts.values()], side != "source")


def read_texts_without_documents(name: str, clone: Clone) -> Iterator[tuple[Part, list[Part]]]:
    """Find sources and their references in plain text, whose documents may be known from the source of another pair."""
    for file in clone.names:
        match = re.fullmatch(r"(txt/)sources/(\w+)\.(\w+)-(\w+)\.src\.\w+", file)
        if match is None or (source := clone.read_lines(file)) is None:
            continue
        pair = f"{match[3]}-{match[4]}"
        files = [one for one in clone.names if one.startswith(f"txt/references/{match[2]}.{pair}.ref.")]
        texts = [lines for one in files if (lines := clone.read_lines(one)) is not None and len(lines) == len(source)]
        unknown: list[str | None] = [None] * len(source)
        references = [Part(name, pair, match[4], match[3], unknown, lines, True) for lines in texts]
        yield Part(name, pair, match[3], match[3], unknown, source, False), references


def read_sacrebleu(name: str) -> Iterator[Part]:
    """Read a set that sacreBLEU downloads, where it knows documents."""
    from sacrebleu.dataset import DATASETS

    dataset = DATASETS[name]
    for pair in dataset.langpairs:
        fields = dataset.fieldnames(pair)
        if "docid" not in fields:
            continue
        columns = [split_lines(Path(file).read_text("utf-8")) for file in dataset.get_files(pair)]
        of_field = dict(zip(fields, columns, strict=True))
        source_language, language = pair.split("-")
        origin = ORIGIN_ANY if re.fullmatch(r"wmt(0\d|1[0-8]).*", name) else source_language
        for one, lines in of_field.items():
            if one == "src" or one.startswith("ref"):
                of = source_language if one == "src" else language
                yield Part(name, pair, of, origin, of_field["docid"], lines, one != "src")


def read_flores(folder: Path) -> Iterator[Part]:
    """Read FLORES-200: an article of the web is a document."""
    for split in ("dev", "devtest"):
        rows = split_lines((folder / f"metadata_{split}.tsv").read_text("utf-8"))
        articles = [row.split("\t")[0] for row in rows]
        for file in sorted((folder / split).glob(f"*.{split}")):
            lines = split_lines(file.read_text("utf-8"))
            name = f"flores200 {split}"
            yield Part(name, file.stem, file.stem, "eng", articles[len(articles) - len(lines) :], lines, True)


def says_documents(part: Part) -> bool:
    """Tell whether documents are more than single lines."""
    sizes = Counter(name for name in part.documents if name is not None)
    lone = sum(size for size in sizes.values() if size == 1)
    return lone <= MOST_LONE_LINES * sum(sizes.values())


def find_by_source(source: Part, table: DocumentTable) -> np.ndarray | None:
    """Find the document of each line that another pair has in its source, -1 where it is not certain.

    None where too many of the lines are not there.
    """
    positions, digests, are_long = digest_lines(source.lines)
    candidates: list[Candidates] = [{} for _ in source.lines]
    for position, rows in zip(positions.tolist(), table.find(digests), strict=True):
        candidates[position] = list_candidates(table, rows)
    if sum(not candidates[position] for position in positions[are_long]) > MOST_UNKNOWN * np.count_nonzero(are_long):
        return None
    return fill_between(find_certain(candidates), candidates)


def fill_by_number(documents: np.ndarray, sizes: Counter[int]) -> np.ndarray:
    """Give lines to the documents on either side that lack just as many together: other words for known lines."""
    documents, n_lines = documents.copy(), Counter(documents.tolist())
    for start, end in find_open_stretches(documents):
        beside = [int(documents[place]) for place in (start - 1, end) if 0 <= place < len(documents)]
        lacking = [sizes[one] - n_lines[one] for one in beside]
        if sum(lacking) == end - start and min(lacking) >= 0:
            documents[start:end] = np.repeat(beside, lacking)
    return documents


def find_whole_documents(sources: Sequence[tuple[Part, np.ndarray]]) -> set[tuple[str, ...]]:
    """Find documents that a table does not have: lines that stand together in several pairs, between other documents.

    Parameters
    ----------
    sources : sequence of (Part, ndarray)
        Sources of one language with their documents: see `find_by_source`.

    Returns
    -------
    set of tuple of str
        The lines of each.
    """
    before, after = defaultdict(set), defaultdict(set)
    for part, documents in sources:
        for start, end in find_open_stretches(documents):
            lines = tuple(part.lines[start:end])
            before[lines].add(int(documents[start - 1]) if start else -1)
            after[lines].add(int(documents[end]) if end < len(documents) else -1)
    return {lines for lines in before if min(len(before[lines]), len(after[lines]), len(lines)) > 1}


def add_texts_without_documents(builder: Builder, clones: dict[str, Clone]) -> None:
    """Add the texts of pairs whose source is known from another pair."""
    first = builder.table(0)
    name_of = {number: name for (_, _, name), number in builder.documents.items()}
    known = []
    for name, clone in clones.items():
        for source, references in read_texts_without_documents(name, clone):
            if (documents := find_by_source(source, first)) is None:
                tell(f"Documents not known: {source.set} {source.pair}")
            else:
                known.append((source, references, fill_by_number(documents, builder.sizes)))
    sides = defaultdict(list)
    for source, _, documents in known:
        sides[source.set, source.language].append((source, documents))
    whole = {side: find_whole_documents(sources) for side, sources in sides.items()}
    for source, references, documents in known:
        names = [None if one < 0 else name_of[one] for one in documents.tolist()]
        for start, end in find_open_stretches(documents):
            for lines in whole[source.set, source.language]:
                for first_line in range(start, end - len(lines) + 1):
                    here = slice(first_line, first_line + len(lines))
                    if tuple(source.lines[here]) == lines:
                        names[here] = [f"found by its source: {lines[0]}"] * len(lines)
        tell(f"{source.set} {source.pair}: {len(names)} lines, {names.count(None)} of them without a document")
        for part in (source, *references):
            builder.add(replace(part, documents=names))


PAGE_BEFORE = """\
# Test sets whose documents are known

*`python scripts/build_known_documents.py` writes this page.*

Sentences of one document are alike, so a test that treats segments as independent finds differences between equal
systems too often. Plain text has no document ids, but mtworkbench knows the documents of many public test sets. If
outputs are read without document ids, their references are compared with a table of {n_digests:,} digests of lines
({n_documents:,} documents, {size:.1f} MB, version {version}). The table contains no text. Nothing is sent, and no
digest of your lines is written.

- A test set is recognized where at least {share} % of the long lines of a reference, and at least {fewest}, belong to
  it. A line is long if it has at least {shortest} letters and digits; characters of Chinese, Japanese and Korean count
  as two. Also recognized are parts of a test set, documents in another order, another known reference, and lines with
  other quotes, spacing, case or punctuation.
- A line whose text is in only one document of the set has this document, even if it is the only line of it (but not
  between two lines of another document). Other lines are of several documents, such as "Thank you.", or of none because
  they were edited. If lines stand document by document, such a line is assigned to the document of its neighbours if
  both belong to the same one; or to the only document that has this text and that the order of lines leaves possible.
- All other lines are together one document, `{unassigned}`: no line is assigned by a guess. If there is only one, the
  documents on either side join it, so that no line is alone only because its document is not certain. If the document
  of more than {open} % of the lines is not certain, nothing is recognized.
- The order of lines does not matter, except that lines of several documents cannot be assigned if lines are shuffled.
  Some shuffled sets are therefore not recognized.
- If a set is recognized, the column `document` has the numbers of documents in this table, such as `{label}`, and
  the column `known_documents` says where they come from: `{example}`. So do `known_documents` of a
  result and, without blanks, `documents` in its signature in JSON. If you replace any of these labels by your own, all
  documents count as yours.
- If you give document ids (`documents=`, `--documents`, a column `document`), these are used. Nothing is recognized.
  `unit="segment"` (`--unit segment`) gives the same numbers as if nothing had been recognized; the result says that
  the documents are known, but not used.

## The sets

A side is either the references of a language pair, such as en-de, or text of one language, such as en: sources, and
text that several pairs share.

"""
PAGE_AFTER = """
Test suites are left out, and so are sets whose documents are mostly single lines.

## What is missing

The table was made without access to every server. Files of 4 MB or more were missing, too. So these sets are not in it:

| set | how to add it |
|---|---|
| WMT until 2020, except English-Finnish of 2016 and 2017 | `--sacrebleu wmt20 --sacrebleu wmt19 ...`, down to `wmt09` |
| TED talks of IWSLT, except those that were judged in MQM | `--sacrebleu iwslt17 --sacrebleu iwslt17/tst2016 ...` |
| other pairs of WMT21 to WMT23, such as cs-en | `--sacrebleu wmt23 --sacrebleu wmt22 --sacrebleu wmt21` |
| FLORES-200 | `--flores FOLDER`, its unpacked folder |

WMT25 and WMT26 need no table as they are published: each text is a whole document, so segments are documents.

## How to add a set

    python scripts/build_known_documents.py --version 3 --git wmt24=CLONE ... --realdata FOLDER --sacrebleu wmt20

With `--sacrebleu NAME`, sacreBLEU downloads a set. The first lines of the script name the repositories that publish
sets with their documents; `--git NAME=CLONE` reads a clone of one. Give all sources again, because nothing can be added
to a table of digests, and raise `--version`.

This version was made from the repositories wmt-conference/wmt21-news-systems to wmt24-news-systems and
wmt-conference/ErrorSpanAnnotation (WMT test sets may be used for research, with citation),
google/wmt-mqm-human-evaluation (Apache 2.0; TED talks: CC BY-NC-ND 4.0), MicrosoftTranslator/NTREX (CC BY-SA 4.0), and
Helsinki-NLP/WMT16-test-enfi and WMT17-test-enfi (CC BY 4.0). The table has none of their texts.
"""


def write_page(table: DocumentTable, size: int) -> str:
    """Write the page that says which sets are in the table, of so many bytes."""
    sides: dict[str, dict[str, None]] = defaultdict(dict)
    documents: dict[str, set[int]] = defaultdict(set)
    n_lines: Counter[str] = Counter()
    for place, text in enumerate(table.texts):
        name, _, side = text.rpartition(" ")
        own = slice(*table.text_starts[place : place + 2])
        sides[name][side] = None
        documents[name] |= set(table.documents[own].tolist())
        n_lines[name] += own.stop - own.start
    rows = [f"| {name} | {len(documents[name]):,} | {n_lines[name]:,} | {', '.join(sides[name])} |" for name in sides]
    before = PAGE_BEFORE.format(
        n_digests=len(table.digests),
        n_documents=len(np.unique(table.documents)),
        version=table.version,
        size=size / 1e6,
        share=round(100 * SHARE_OF_LINES),
        shortest=SHORTEST_LINE,
        fewest=FEWEST_LINES,
        open=round(100 * SHARE_LEFT_OPEN),
        unassigned=OPEN,
        label=label_document(int(table.documents[table.text_starts[table.texts.index("wmt23 en-de")]])),
        example=describe_origin(table, table.texts.index("wmt23 en-de")),
    )
    head = ["| set | documents | lines | sides |", "|---|---:|---:|---|"]
    return before + "\n".join([*head, *rows]) + "\n" + PAGE_AFTER


def save_table(path: Path, table: DocumentTable) -> None:
    """Write a table; documents count up within a text, so that their steps take little space."""
    known = {name: getattr(table, name) for name in ("version", "sets", "texts", "sets_of_texts")}
    names = json.dumps(known).encode()
    with path.open("wb") as stream:
        np.savez_compressed(
            stream,
            names=np.frombuffer(names, dtype=np.uint8),
            text_starts=table.text_starts.astype(np.uint32),
            digests=table.digests.astype("<u4"),
            document_steps=np.diff(table.documents, prepend=0).astype(np.int32),
            places=table.places.astype(np.uint16),
        )


def main() -> None:
    """Build the table and its page."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--git", action="append", default=[], metavar="SET=CLONE")
    parser.add_argument("--sacrebleu", action="append", default=[], metavar="SET")
    parser.add_argument("--realdata", type=Path)
    parser.add_argument("--flores", type=Path)
    parser.add_argument("--version", type=int, required=True)
    arguments = parser.parse_args()
    builder = Builder()
    clones = {name: Clone(Path(path)) for name, path in (one.split("=", 1) for one in arguments.git)}
    parts = [part for name, clone in clones.items() for part in read_clone(name, clone)]
    if arguments.realdata:
        ted = arguments.realdata / "mqm-ted-en-de" / "mqm_ted_ende.tsv"
        parts += read_mqm("ted", ted.name, ted.read_bytes())
    parts += [part for name in arguments.sacrebleu for part in read_sacrebleu(name)]
    parts += read_flores(arguments.flores) if arguments.flores else []
    # Where two collections have one test set, the fuller comes first.
    for part in sorted(parts, key=lambda part: -len(part.lines)):
        if says_documents(part):
            builder.add(part)
        else:
            tell(f"Left out, since its documents are single lines: {part.set} {part.pair} ({len(part.lines)} lines)")
    add_texts_without_documents(builder, clones)
    table = builder.table(arguments.version)
    save_table(ROOT / TABLE, table)
    replace_file(PAGE, write_page(table, (ROOT / TABLE).stat().st_size).encode())
    tell(f"{len(table.digests):,} digests in {(ROOT / TABLE).stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
