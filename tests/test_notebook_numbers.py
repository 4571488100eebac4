"""The numbers that stand in the prose of notebooks, each written again from what it comes from."""

import re
from math import sqrt
from pathlib import Path

import nbformat
import pandas as pd
import pytest

from mtworkbench import find_shipped, read_table
from mtworkbench.papers import clark2011

ROOT = Path(__file__).resolve().parent.parent


def read_prose(number: str) -> str:
    """Return the markdown of a notebook as one line, without the targets of its links."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    text = " ".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return " ".join(re.sub(r"\]\([^)]*\)", "]", text).split())


def read_data(name: str) -> pd.DataFrame:
    return pd.read_csv(find_shipped(f"data/{name}.csv"))


def table3(a: str, b: str, size: int) -> pd.Series:
    return read_data("published/koehn2004_table3").set_index(["a", "b", "size"]).loc[a, b, size]


def state_06():
    runs = read_data("published/clark2011_figures").set_index(["corpus", "key"])["paper"]
    yield f"ran {runs['BTEC', 'runs']:.0f} times for each BTEC system"
    yield f"and {runs['WMT', 'runs']:.0f} times for each WMT system"


def state_07():
    (repetitions,) = set(clark2011.read_computed("sizes")["repetitions"])
    yield f"the figure shows more settings, with {repetitions:,} experiments each"


def state_14():
    shares = [table3("Portuguese", "Danish", size)["correct_percent"] for size in (300, 600)]
    yield "({:.0f} % with 300 sentences, {:.0f} % with 600)".format(*shares)
    assert set(read_data("published/clark2011_table1").query("corpus == 'WMT' and metric == 'BLEU'")["s_dev"]) == {0}
    yield "its `s_dev` of 0.0 for WMT is rounded"
    table1 = read_data("published/clark2011_table1").query("corpus == 'WMT' and metric == 'BLEU'")
    error = sqrt((table1["s_test"] ** 2).sum() / 50)
    difference = abs(table1["average"].diff().iloc[-1])
    yield f"the mean difference of 50 runs of each is {difference:.1f} BLEU, known to about {error:.2f} BLEU"
    assert round(difference / error) == 6
    table2 = read_data("published/clark2011_table2").query("corpus == 'WMT'").set_index(["n", "system_a", "system_b"])
    p_value = table2.loc[(50, "random", "random"), "p_high"]
    yield f"p = {p_value} by run would need a difference about six standard deviations smaller"
    yield f"but p = {table2.loc[(1, 'high', 'low'), 'p_low']} means almost no difference"
    yield f"Nor does {table2.loc[(1, 'low', 'high'), 'p_low']} fit the opposite pair"


def state_12():
    scores = read_table(find_shipped("data/wmt23-en-de/scores.tsv.gz"))
    systems = scores.query("system not in ['refA', 'synthetic_ref']")["system"].nunique()
    sizes = f"{scores['segment'].nunique()} segments (here: paragraphs) in {scores['document'].nunique()} documents"
    yield f"scores of {systems} systems of WMT's shared task of 2023, English to German, for {sizes}"


STATEMENTS = {name[-2:]: function for name, function in list(globals().items()) if name.startswith("state_")}


@pytest.mark.parametrize("number", STATEMENTS)
def test_numbers_in_prose_are_those_of_their_source(number):
    prose = read_prose(number)
    for statement in STATEMENTS[number]():
        assert statement in prose


@pytest.mark.parametrize("number", ["00", "09"])
def test_what_notebooks_say_of_the_sample_is_on_its_card(number):
    """tests/papers/simulation/test_sample.py compares the card with the files."""
    card = find_shipped("data/sample/README.md").read_text(encoding="utf-8")
    prose = read_prose(number)
    (documents,) = set(re.findall(r"(\d+) documents", card))
    assert f"{documents} documents" in prose
    means = {row[0]: float(row[1]) for row in re.findall(r"^\| (\w+) \|.*\| ([\d.]+) \|$", card, re.MULTILINE)}
    small, large = (means[system] - means["baseline"] for system in ("tweaked", "retrained"))
    if number == "09":
        assert f"`tweaked` is about {small:.1f} BLEU better than `baseline`, `retrained` about {large:.1f}." in prose


@pytest.mark.parametrize("number", ["01", "08", "13"])
def test_flores_has_the_sentences_that_notebooks_say(number):
    lines = find_shipped("data/flores/reference.txt").read_text(encoding="utf-8").splitlines()
    assert re.findall(r"([\d,]+) (?:English )?sentences(?: and three translations|\.)", read_prose(number))[:1] == [
        f"{len(lines):,}"
    ]
