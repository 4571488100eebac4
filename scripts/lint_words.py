"""Search for words that a reader would stumble over in everything that a person reads: make lint.

A pattern stands here if a search can find it with few false alarms. Whether a sentence is good, only reading tells.
"""

import ast
import html
import io
import re
import sys
from collections.abc import Iterable, Iterator
from contextlib import redirect_stdout
from fnmatch import fnmatch
from pathlib import Path
from typing import NamedTuple

import nbformat

from mtworkbench import cli
from mtworkbench.cli.program import make_parser

ROOT = Path(__file__).resolve().parent.parent

THINGS = r"(?:system|metric|side|segment|sentence|document|run|line|pair|sample|row|trial|unit|corpus|method|block)"
COUNTED = r"(?:rows?|runs?|lines?|dots?|points?|numbers?|scores?|columns?|seeds?|steps?|each)"
# What must not be written (case does not matter), and what to write instead.
PROSE = {
    rf"\b(?:one|two|three|four|five|\d+) (?:\w+ )?{COUNTED} an? {THINGS}\b": "one row per system",
    rf"\b(?<!than )one an? {THINGS}\b": "one per metric",
    r"\b(?:runs?|\d+|two|better) a side\b": "two runs of each system",
    r"\b(?:has|have|had) not(?=[.,;:)]| (?:but|and)\b)": "documents missing from the references",
    r"\bst(?:ands|and|ood) already\b": "already appears",
    r"\b(?:is|are|was|were|be|been) had\b": "can be reproduced; was computed; is available",
    r"\btoo bold\b|\berrs? on the side of\b": "anti-conservative (rejects too often); conservative",
    r"[,;:] for (?:it|they|there|we|he|she|these|those) (?:is|are|was|were|has|have|had|can|would)\b": "because",
    r"[,;:.] for (?:of|with|in|at|on) (?:\d|documents|segments|runs|sentences)": "because",
    r"\bof your own, ": 'with your own data: "the best system"',
    r"(?:^|[>\"] ?)(?:these outputs|the method):": "On these outputs; For the method (new training runs)",
    r"'s luck\b|\b(?:good|bad|sheer|more|of) luck\b|\bluck(?:y|ier)?\b": "run of A (percentile); percentile of the run",
    r"\bknobs?\b": "setting",
    r"\bkinship\b": "correlation between systems",
    r"\bdepartures?\b": "deviation",
    r"\b(?:is|are|be|was|were|more|less|not|quite|how|as|so) sure\b": "reject at 5 %",
    r"\btold from (?:chance|each other|noise|zero|0)\b": "distinguished from chance (statistically significant)",
    r"\bconf\.(?!\w)": "win %: it is not the probability of being better",
    r"\bp (?:=|is) 0(?:\.0+)?(?!\.?\d)": "p < 0.001, or < 0.0001 where the trials allow it",
    r"\bp = \d(?:\.\d+)?e-\d+": "p < 0.001",
    r"\b\d(?:\.\d+)? / \d(?:\.\d+)? / \d(?:\.\d+)?, \d+ runs": "runs differ a lot, 3 runs",
    r"\bnoisy channel wrote\b|, so that what the truth is\b": "We generated them, so we know the truth",
    r"\btoss(?:es)? of a coin\b|\bcarries its own error\b|\bcomes with its own error\b": "has a simulation error",
    r"\bin which the true (?:difference|score) would lie\b": "an interval that covers the true difference",
    r"\bfor samples both\b": "treats both sentences and training runs as samples",
    r"\bthat [^.;:]* (?:is|are) not in it\b": "ignores",
    r"\bNot significant is not equal\b": '"Not significant" does not mean "equal"',
    r"\bchoose the pleasant\b|\bthe pleasant one\b": "pick the one you like",
    r"\bis no sign that\b": "is not evidence of",
    r"\bthere is but one\b|\bbut one sample\b": "gives only one",
    r"\bby a factor of [\d.]+ more\b": "1.4 times as much",
    r"\bweigh as much as one independent\b": "carry the information of one independent sentence",
    r"\binterval does not know\b": "the interval does not take this into account",
    r"\berrs as often as it says\b": "calls equal systems different 5 % of the time",
    r"\bmade-up people\b|, who are five\b": "the five simulated translators",
    r"\bsee the quality of\b": "are noisy measures of quality",
    r"\bthe coins of a trial serve\b|\bthe one that serves\b": "share the coins",
    r"\bthese sentences are all there are\b": "ignores that the sentences are a sample",
    r"\bthey go together by number\b": "runs are matched by number",
    r"\bmoves the score at least as much\b|\bruns tell more than\b": "add runs before segments",
    r"\bnot every one of the\b": "covers n of m segments",
    r"\(without this option\)": "default: bleu",
    r"\bits runs change sides\b|\bchange sides by\b": "swap all runs of a segment at once",
    r"\bthat is drawn and exchanged\b": "resample and swap",
    r"\blooked at and take\b": "accept this known problem in the data",
    r"\bof the XML: take\b": "with --xml: use only this reference",
}
# What must be neither a heading nor a label: of a column, of a menu or an entry in it.
LABELS = {
    r"^(?:less|minus|up to)$": "baseline; maximum",
    r"^its interval$|^\[low, high\]$": "95 % CI",
    r"^error of p$": "MC 95 % CI of p",
    r"^design$": "deff (design effect)",
    r"^conf\.$": "win %",
}
# What must not be a heading, although a program may call its columns so.
HEADINGS = {
    r"\bbeside\b": '"With documents as units"; "Comparison with the paper"',
    r"^p_value$|^p_adjusted$": "p; p (Holm)",
    r"^(?-i:[ab])$": "system; baseline",
    r"^n_trials_to_decide$": "trials needed",
}
SOUGHT = {"prose": PROSE, "label": LABELS, "heading": PROSE | LABELS | HEADINGS}


class Allowed(NamedTuple):
    """Words that may stay: in which files, which words, and why."""

    files: str
    words: str
    reason: str


EXCEPTIONS = (
    Allowed("*", "errs on the side of caution", "Koehn (2004), section 7.2, word for word"),
    Allowed("*", "reached the difference, so p = 0", "a misreading, to be refuted"),
    Allowed("*", "reached the observed difference, so p = 0", "a misreading, to be refuted"),
    Allowed("exercises/*", "divides count by 9 reports p = 0", "a mistake, to be refuted"),
)


# Where people read: files of a checkout.
PLACES = (
    *("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "docs/**/*.md", "data/**/*.md", "tests/**/*.md"),
    *("data/published/*_sentences.csv", "data/published/*_numbers.csv"),
    *("mtworkbench/**/*.py", "mtworkbench/**/*.js", "solutions/*.py", "notebooks/*.ipynb", "exercises/*.ipynb"),
)
COMMANDS = tuple(make_parser()[1])


class Text(NamedTuple):
    """Something that a person reads: in which file, where in it, the words, and of what kind they are."""

    path: str
    place: str
    words: str
    kind: str = "prose"


def read_markdown(path: str, words: str) -> Iterator[Text]:
    """Paragraphs of Markdown as one line each, without code and links' addresses; headings on their own."""
    words = re.sub(r"^(```|~~~).*?^\1", "", words, flags=re.M | re.S)
    for paragraph in re.split(r"\n\s*\n|\n(?=\s*[-*|#] ?)", words):
        heading = paragraph.lstrip().startswith("#")
        plain = re.sub(r"\]\([^)\s]*\)", "]", re.sub(r"`[^`]*`", "`code`", paragraph))
        yield Text(path, "paragraph", " ".join(plain.lstrip("# ").split()), "heading" if heading else "prose")


def read_rows(path: str, words: str) -> Iterator[Text]:
    """Take each row of a table as prose."""
    return (Text(path, f"line {number}", row) for number, row in enumerate(words.splitlines(), start=1))


def read_page(path: str, place: str, page: str) -> Iterator[Text]:
    """Find what HTML shows, and its headings of columns and sections."""
    page = re.sub(r"<(style|script|svg)\b.*?</\1>", " ", page, flags=re.S)
    for kind, heading in re.findall(r"<(th|h\d)\b[^>]*>(.*?)</\1>", page, flags=re.S):
        yield Text(path, f"{place} {kind}", strip_tags(heading), "heading")
    for alternative in re.findall(r'\balt="([^"]*)"', page):
        yield Text(path, f"{place} alt", html.unescape(alternative))
    for part in re.split(r"</?(?:p|li|tr|td|th|h\d|div|details|summary|option|caption|pre)\b[^>]*>", page):
        yield Text(path, place, strip_tags(part))


def strip_tags(page: str) -> str:
    """Words of HTML in one line."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", "", page)).split())


def read_notebook(path: str, notebook: nbformat.NotebookNode) -> Iterator[Text]:
    """Markdown and outputs of a notebook."""
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "markdown":
            yield from (text._replace(place=f"cell {number}") for text in read_markdown(path, cell.source))
        for output in cell.get("outputs", ()):
            data = {"text/plain": output.text} if "text" in output else output.get("data", {})
            place = f"output of cell {number}"
            yield from read_page(path, place, data.get("text/html", ""))
            yield from (Text(path, place, line.strip()) for line in data.get("text/plain", "").splitlines())


def read_python(path: str, source: str) -> Iterator[Text]:
    """Paragraphs of all strings and docstrings of a module, without code; a value within a string is written as N.

    A string of one word may be a name in the program, so it is only compared with what no label may be, and that only
    where labels are written.
    """
    tree = ast.parse(source)
    within = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=parts):
                words = "".join(str(part.value) if isinstance(part, ast.Constant) else "N" for part in parts)
            case ast.Constant(value=str(words)) if id(node) not in within:
                pass
            case _:
                continue
        if re.search("/(widgets|plots|tables)/", path):
            yield Text(path, f"line {node.lineno}", words, "label")
        for paragraph in re.split(r"\n\s*\n", re.sub(r"``[^`]*``", "`code`", words)):
            if " " in paragraph.strip():
                yield Text(path, f"line {node.lineno}", " ".join(paragraph.split()))


def read_script(path: str, source: str) -> Iterator[Text]:
    """Lines of JavaScript."""
    for number, line in enumerate(source.splitlines(), 1):
        yield Text(path, f"line {number}", line.strip())


def read_help(command: str) -> Iterator[Text]:
    """Find what a command shows with --help-all."""
    shown = io.StringIO()
    with redirect_stdout(shown):
        cli.main([*filter(None, [command]), "--help-all"])
    for paragraph in re.split(r"\n\s*\n|\n(?=  -)", shown.getvalue()):
        yield Text(f"mtworkbench {command}".strip(), "help", " ".join(paragraph.split()))


def read_files(root: Path) -> Iterator[Text]:
    """Everything in the files of a checkout that a person reads."""
    readers = {".md": read_markdown, ".csv": read_rows, ".py": read_python, ".js": read_script}
    for path in (path for pattern in PLACES for path in sorted(root.glob(pattern))):
        name = str(path.relative_to(root))
        if path.suffix == ".ipynb":
            yield from read_notebook(name, nbformat.read(path, as_version=4))
        else:
            yield from readers[path.suffix](name, path.read_text(encoding="utf-8"))


def find_faults(texts: Iterable[Text], used: set[Allowed] | None = None) -> Iterator[str]:
    """Say of each pattern that was found where it stands, and what to write instead; collect the exceptions used."""
    used = set() if used is None else used
    for text in texts:
        for pattern, better in SOUGHT[text.kind].items():
            for found in re.finditer(pattern, text.words, flags=re.I):
                around = text.words[max(found.start() - 60, 0) : found.end() + 60]
                if allowed := {one for one in EXCEPTIONS if fnmatch(text.path, one.files) and one.words in around}:
                    used |= allowed
                else:
                    yield f"{text.path}, {text.place}: {around!r}; rather: {better}"


def main() -> int:
    """Print what was found, and the exceptions that nothing needs any more; return 1 if there is any."""
    used: set[Allowed] = set()
    faults = list(find_faults(read_files(ROOT), used))
    faults += [fault for command in ("", *COMMANDS) for fault in find_faults(read_help(command), used)]
    faults += [f"{Path(__file__).name}: nothing needs {one} any more" for one in EXCEPTIONS if one not in used]
    sys.stdout.writelines(f"{fault}\n" for fault in faults)
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main())
