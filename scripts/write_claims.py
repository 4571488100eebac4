"""Write what two papers claim and print beside what comes out here: python scripts/write_claims.py [FOLDER].

Writes koehn2004.md and clark2011.md into docs/ where no folder is given; notebook 14_every_claim shows the same tables.
"""

import sys
from pathlib import Path

import pandas as pd

from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.tables import frame_to_markdown
from mtworkbench.writing import replace_file

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """\
# {title}

*`python scripts/write_claims.py` writes this page. Notebook [14_every_claim](../notebooks/14_every_claim.ipynb) shows
the same for your own data.*

{data}
The slips of the paper are listed in [data/published](../data/published/README.md). Real outputs do not ship;
[data/real](../data/real/README.md) says what they are. In the tables below the claims, "here" is what the
made-up data give.

## Claims

Each row has words of the paper in quotation marks, with their section, and a number with its unit. "Holds if" is the
workbench's criterion, not the paper's; it was chosen after the numbers were known. {verdicts}

"""
KOEHN = {
    "title": "Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation",
    "data": "The made-up numbers come from a corpus of pseudo-words with six systems that are named after the paper's "
    "source\nlanguages. What was fitted to the paper, so that agreement is no evidence, is in "
    "[data/koehn2004](../data/koehn2004/README.md).",
    "verdicts": "A sentence holds if both numbers\nare in the range, and holds in part if one is.",
}
CLARK = {
    "title": "Clark, Dyer, Lavie and Smith (2011), Better Hypothesis Testing for Statistical Machine Translation",
    "data": "The made-up numbers come from two pairs of systems, tuned again and again by a real optimizer on lists of "
    "pseudo-words.\nWhat was fitted to the paper is in [data/replications](../data/replications/README.md).",
    "verdicts": "A sentence holds if it holds for\nall corpora, the paper's not counted, and holds in part if it holds "
    "for some.",
}


def write_page(head: dict[str, str], tables: dict[str, pd.DataFrame]) -> str:
    """Return the page of a paper: its claims, then what it prints, table by table.

    Parameters
    ----------
    head : dict of str to str
        What HEAD leaves open.
    tables : dict of str to DataFrame
        Of ``compare_with_paper``, the claims first.
    """
    claims, *others = tables
    parts = [HEAD.format(**head) + frame_to_markdown(tables[claims])]
    for name in others:
        frame = tables[name] if tables[name].index.names == [None] else tables[name].reset_index()
        parts.append(f"## {name}\n\n{frame_to_markdown(frame, digits=4 if name == 'Table 2' else 2)}")
    return "\n".join(parts)


def write_pages(folder: Path) -> None:
    """Compute everything and write both pages."""
    koehn = koehn2004.compare_with_paper(koehn2004.load_statistics(), rng=1)
    replace_file(folder / "koehn2004.md", write_page(KOEHN, koehn))
    clark = clark2011.compare_with_paper(*clark2011.load_statistics(), rng=1)
    replace_file(folder / "clark2011.md", write_page(CLARK, clark))


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
