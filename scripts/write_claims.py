"""Compare what two papers claim and print with what comes out here: python scripts/write_claims.py [FOLDER].

Writes koehn2004.md and clark2011.md into docs/ where no folder is given; notebook 14_every_claim shows the same tables.
"""

import sys
from pathlib import Path

import pandas as pd

from mtworkbench.papers import clark2011, koehn2004
from mtworkbench.tables.markdown import columns_to_markdown
from mtworkbench.words.shown_frames import tabulate_frame
from mtworkbench.writing import replace_file

DOCS = Path(__file__).resolve().parent.parent / "docs"
HEAD = """\
# {title}

*`python scripts/write_claims.py` writes this page. Notebook [14_every_claim](../notebooks/14_every_claim.ipynb) shows
the same for your own data.*

{data}
The slips of the paper are listed in [data/published](../data/published/README.md). Real outputs do not ship;
[data/real](../data/real/README.md) says what they are. In the tables below the claims, the column "here" has the
results of the made-up data.

## Claims

Each row quotes the paper, names the section, and says which number was computed, with its unit. "Holds if" is the
workbench's criterion, not the paper's; it was chosen after the numbers were known. {verdicts}

"""
KOEHN = {
    "title": "Koehn (2004), Statistical Significance Tests for Machine Translation Evaluation",
    "data": "The made-up numbers come from a corpus of pseudo-words with six systems that are named after the paper's "
    "source\nlanguages. [data/koehn2004](../data/koehn2004/README.md) says what was fitted "
    "to the paper; agreement there is no evidence.",
    "verdicts": "A sentence holds if the made-up\nand the real number are in the range, and holds in part if only one "
    "of them is.",
}
CLARK = {
    "title": "Clark, Dyer, Lavie and Smith (2011), Better Hypothesis Testing for Statistical Machine Translation",
    "data": "The made-up numbers come from two pairs of systems, tuned again and again by a real optimizer on lists of "
    "pseudo-words.\n[data/replications](../data/replications/README.md) says what was fitted "
    "to the paper; agreement there is no evidence.",
    "verdicts": "A sentence holds if it holds for\nall corpora except the paper's, and holds in part if it holds for "
    "only some of them; without a made-up number it is\nnot testable here. Claim 11 is about outputs for real text "
    "(FLORES), made equal by tossing coins.",
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
    parts = [HEAD.format(**head) + _write_table(tables[claims])]
    parts += [f"## {name}\n\n{_write_table(tables[name], digits=4 if name == 'Table 2' else 2)}" for name in others]
    return "\n".join(parts)


def _write_table(frame: pd.DataFrame, *, digits: int = 2) -> str:
    """Write what ``show_table`` shows in the notebook."""
    columns = tabulate_frame(frame, digits=digits).columns
    in_one = {heading if isinstance(heading, str) else " ".join(heading): cells for heading, cells in columns.items()}
    return columns_to_markdown(in_one)


def write_pages(folder: Path) -> None:
    """Compute everything and write both pages."""
    koehn = koehn2004.compare_with_paper(koehn2004.load_statistics(), rng=1)
    replace_file(folder / "koehn2004.md", write_page(KOEHN, koehn))
    clark = clark2011.compare_with_paper(*clark2011.load_statistics(), rng=1)
    replace_file(folder / "clark2011.md", write_page(CLARK, clark))


if __name__ == "__main__":
    write_pages(Path(sys.argv[1]) if len(sys.argv) > 1 else DOCS)
