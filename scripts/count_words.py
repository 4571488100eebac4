"""Count the words of the notebooks: python scripts/count_words.py [FOLDER].

Of each notebook: words of prose, of text that is printed, of sentences shown as HTML, and of tables; a figure counts
nothing. The folder is notebooks/ where none is given.
"""

import html
import re
import sys
from pathlib import Path

import nbformat

KINDS = ("prose", "printed", "sentences", "tables")
TABLE = re.compile(r"<table\b.*?</table>", re.DOTALL)
NOT_READ = re.compile(r"<(style|script|svg)\b.*?</\1>", re.DOTALL)
#: Of Markdown: tags, the targets of links, signs.
SIGNS = re.compile(r"<[^>]+>|\]\([^)]*\)|[#*`|>-]")


def count_words(notebook: nbformat.NotebookNode) -> dict[str, int]:
    """Return how many words of each of KINDS a notebook has."""
    words = dict.fromkeys(KINDS, 0)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            words["prose"] += len(SIGNS.sub(" ", cell.source).split())
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "text/html" in data:
                shown = NOT_READ.sub(" ", data["text/html"])
                words["tables"] += sum(map(_count_html, TABLE.findall(shown)))
                words["sentences"] += _count_html(TABLE.sub(" ", shown))
            elif not any(kind.startswith("image") for kind in data):
                words["printed"] += len((output.get("text") or data.get("text/plain", "")).split())
    return words


def _count_html(shown: str) -> int:
    return len(html.unescape(re.sub(r"<[^>]+>", " ", shown)).split())


def main(folder: Path) -> None:
    """Print one line per notebook, and the sums."""
    counted = {path.stem: count_words(nbformat.read(path, as_version=4)) for path in sorted(folder.glob("*.ipynb"))}
    counted["all"] = {kind: sum(words[kind] for words in counted.values()) for kind in KINDS}
    lines = [f"{name:32}" + "".join(f"{words[kind]:>11,}" for kind in KINDS) for name, words in counted.items()]
    sys.stdout.write("\n".join([" " * 32 + "".join(f"{kind:>11}" for kind in KINDS), *lines]) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent / "notebooks")
