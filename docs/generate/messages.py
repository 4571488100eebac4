"""The codes of errors, warnings, doubts and assumptions, with their sentences, from the source of the package."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import mtworkbench
from mtworkbench.outputs.checks.characters import _WHAT_WAS_NOTICED
from mtworkbench.outputs.checks.frames import _NOTES
from mtworkbench.outputs.checks.report import ACCEPTABLE, DOUBTS
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.words.assumptions import GIVE_DOCUMENTS, USE_DOCUMENTS
from mtworkbench.words.sentences_on_units import GIVE_YOURS

CODE = re.compile(r"[a-z]+(?:-[a-z0-9]+)*")
#: By the function or class that is called, the kind of message that it makes.
KINDS = {
    "InputError": "error",
    "fault": "error",
    "_fault": "error",
    "_refusal": "error",
    "_row_fault": "error",
    "_not_text": "error",
    "DataWarning": "warning",
    "ReadAs": "warning",
    "Notice": "warning",
    "notice": "warning",
    "Oddity": "doubt",
    "Trait": "doubt",
    "Contrast": "doubt",
    "Kind": "doubt",
    "Doubt": "doubt",
    "_make_oddity": "doubt",
    "Assumption": "assumption",
}
#: Those whose sentences are given one by one.
LONG = ("doubt", "assumption")
#: Those whose sentence is put together where the code is not.
SAID_ELSEWHERE = [
    *(
        ("error", "columns", (f"of column … holds …: this name is kept for {kept_for}; rename the column.",))
        for _, kept_for in _NOTES.values()
    ),
    ("error", "duplicate-reference", ("A document has two references of one translator: one was expected.",)),
    ("error", "duplicate-source", ("A document has two sources: one was expected.",)),
    ("error", "duplicate-system", ("A document has two outputs of one system: one was expected.",)),
    ("error", "empty-document", ("A segment has no document id: every segment needs one, or none has one.",)),
    ("error", "one-pair", ("There are too few pairs of systems for this figure.",)),
    ("error", "surrogate", ("… has half a surrogate pair, so it is not text that can be written as UTF-8.",)),
    ("error", "unknown-baseline", ("The baseline … is not among the systems: the systems are named.",)),
    ("error", "unknown-category", ("An error of MQM has a category without a weight: give its weight.",)),
    ("error", "unknown-repair", ("There is no repair for the code …: the known codes are named.",)),
    ("error", "unknown-severity", ("An error of MQM has a severity without a weight: give its weight.",)),
    ("warning", "files-by-name", ("Read as: … systems with … runs each, … segments.",)),
    (
        "assumption",
        "recognized-documents",
        ("The references were recognized as …, whose documents are known.", GIVE_YOURS),
    ),
    (
        "assumption",
        "few-documents",
        (
            "With only … documents, segments are treated as independent: if sentences of one document are alike, p is "
            "too small.",
        ),
    ),
    (
        "assumption",
        "independent-segments",
        (
            "Documents are unknown: if sentences of one document are alike, p is too small and CIs are too narrow.",
            GIVE_DOCUMENTS,
        ),
    ),
    (
        "assumption",
        "unused-documents",
        (
            "The documents are known, but not used as units: if sentences of one document are alike, p is too small.",
            USE_DOCUMENTS,
        ),
    ),
    *(
        ("doubt", code, (f"have {what}", "They were kept as part of the text."))
        for code, what in _WHAT_WAS_NOTICED.items()
    ),
]


@dataclass(frozen=True)
class Message:
    """A message of the source: its kind, code, and what it says, part by part."""

    kind: str
    code: str
    parts: tuple[str, ...]


def write() -> str:
    """Return the four kinds of messages as sections of a Markdown page."""
    found = find_messages() + [Message(*one) for one in SAID_ELSEWHERE]
    said = {kind: _group(found, kind) for kind in ("error", "warning", "doubt", "assumption")}
    accepted = {code: meaning for code, meaning in ACCEPTABLE.items() if code not in DOUBTS}
    return "\n\n".join(
        [
            "## Errors",
            "An error ends the command with exit status 2; in Python, it is an `mtworkbench.InputError`. Its sentence "
            "says what was found, where, what was expected and what to do.",
            "What has been looked at may be accepted with `--accept CODE` (in Python, `accept=`):",
            _table(("code", "what accepting it means"), [(f"`{code}`", text) for code, text in accepted.items()]),
            "All codes:",
            _table(("code", "sentences"), _rows(said["error"])),
            "## Warnings",
            "A warning changes nothing by itself. In Python, it is an `mtworkbench.DataWarning`.",
            _table(("code", "sentences"), _rows(said["warning"])),
            "## Doubts",
            "A doubt says that a file can be read, but seems to be wrong. "
            "[Would the verdict change?](../doubts.md) tells how to find out. `--accept CODE` says that you "
            "have looked at it: it is then named in the signature only.",
            _table(("code", "what is found, and what to do", "`--repair`"), _doubts(said["doubt"])),
            "## Assumptions",
            "An assumption says what a result rests on, and what follows if it does not hold.",
            _table(("code", "what is assumed, what follows, what to do"), _rows(said["assumption"])),
        ]
    )


def _group(found: list[Message], kind: str) -> dict[str, list[str]]:
    grouped: dict[str, list[str]] = {}
    for one in sorted(found, key=lambda message: message.code):
        texts = grouped.setdefault(one.code, [])
        text = " ".join(one.parts)
        if one.kind == kind and text and text not in texts:
            texts.append(text)
        elif one.kind != kind and not texts:
            del grouped[one.code]
    return grouped


def _rows(said: Mapping[str, list[str]]) -> list[tuple[str, ...]]:
    return [(f"`{code}`", "<br>".join(map(_escape, texts))) for code, texts in said.items()]


def _doubts(said: Mapping[str, list[str]]) -> list[tuple[str, ...]]:
    rows = []
    for code in DOUBTS:
        repaired = _escape(REPAIRS[code].what) if code in REPAIRS else ""
        rows.append((f"`{code}`", "<br>".join(map(_escape, said.get(code, ()))), repaired))
    return rows


def _table(head: tuple[str, ...], rows: list[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def _escape(text: str) -> str:
    """Return a sentence for a cell of a Markdown table, in which it looks as in a terminal."""
    for character in "\\`*_<>[]|$":
        text = text.replace(character, f"\\{character}")
    return text


def find_messages() -> list[Message]:
    """Find the messages of the package."""
    package = Path(mtworkbench.__file__).parent
    return [
        message
        for path in sorted(package.rglob("*.py"))
        for message in _read(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _read(module: ast.Module) -> Iterator[Message]:
    """Yield the messages of a module."""
    constants = _assignments(module.body)
    for function in ast.walk(module):
        if isinstance(function, (ast.Module, ast.FunctionDef)):
            known = constants if isinstance(function, ast.Module) else constants | _assignments([*ast.walk(function)])
            for node in _calls(function):
                yield from _interpret(node, known)


def _assignments(nodes: list[ast.stmt] | list[ast.AST]) -> dict[str, ast.expr]:
    """Return what is assigned to each name; of two names at once, to each."""
    found = {}
    for node in nodes:
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and node.value is not None:
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                several = isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple)
                pairs = zip(target.elts, node.value.elts, strict=False) if several else [(target, node.value)]
                found |= {name.id: value for name, value in pairs if isinstance(name, ast.Name)}
    return found


def _calls(owner: ast.Module | ast.FunctionDef) -> Iterator[ast.Call]:
    """Yield the calls in a function, or outside all functions, without those of inner functions."""
    waiting = [*ast.iter_child_nodes(owner)]
    while waiting:
        node = waiting.pop(0)
        if isinstance(node, ast.FunctionDef):
            continue
        if isinstance(node, ast.Call):
            yield node
        waiting += ast.iter_child_nodes(node)


def _interpret(call: ast.Call, known: Mapping[str, ast.expr]) -> Iterator[Message]:
    """Yield the message that a call makes, by its code; none if it passes on another's."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name not in KINDS:
        return
    kind = KINDS[name]
    given = [*call.args, *(one.value for one in call.keywords if one.arg in ("code", "message", "sentence", "problem"))]
    for place, argument in enumerate(given[:3]):
        if codes := _codes_of(argument, known):
            rest = [one.value if isinstance(one, ast.Starred) else one for one in given[place + 1 :]]
            rest += [one.value for one in call.keywords if one.arg in ("what", "consequence", "advice")]
            texts = [text for one in rest if " " in (text := _text_of(one, known)).strip("… ")]
            yield from (Message(kind, code, tuple(texts if kind in LONG else texts[:1])) for code in codes)
            return


def _codes_of(node: ast.expr, known: Mapping[str, ast.expr]) -> list[str]:
    """Return the code that an argument is, or those that it may be."""
    if isinstance(node, ast.Name) and node.id == "code" and node.id in known:
        return _codes_of(known[node.id], {})
    if isinstance(node, ast.IfExp):
        return [*_codes_of(node.body, known), *_codes_of(node.orelse, known)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
        return [node.value]
    if isinstance(node, ast.JoinedStr) and "-" in (template := _text_of(node, {})):
        return [code for code in DOUBTS if re.fullmatch(re.escape(template).replace("…", ".+"), code)]
    return []


def _text_of(node: ast.expr, known: Mapping[str, ast.expr], depth: int = 3) -> str:
    """Return what an expression writes, with … for what is known only when it runs; empty if it is not text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if isinstance(node, ast.JoinedStr):
        parts = (one.value if isinstance(one, ast.Constant) else _field(one, known, depth) for one in node.values)
        return re.sub(r"(?:… ?)*…", "…", "".join(map(str, parts)))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text_of(node.left, known, depth) + _text_of(node.right, known, depth)
    if isinstance(node, ast.IfExp):
        return _text_of(node.body, known, depth) or _text_of(node.orelse, known, depth)
    if isinstance(node, (ast.Tuple, ast.List)):
        texts = [text for one in node.elts if (text := _text_of(one, known, depth))]
        return " ".join(texts) if all(" " in text for text in texts) else ""
    if isinstance(node, ast.Name) and depth and node.id in known:
        return _text_of(known[node.id], known, depth - 1)
    return ""


def _field(node: ast.expr, known: Mapping[str, ast.expr], depth: int) -> str:
    value = node.value if isinstance(node, ast.FormattedValue) else node
    text = _text_of(value, known, depth) if isinstance(value, ast.Name) else ""
    return text if " " in text else "…"
