"""The numbers that stand in the prose of notebooks, each written again from what it comes from."""

import re
from math import sqrt
from pathlib import Path

import nbformat
import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mtworkbench import find_shipped, read_table
from mtworkbench.papers import clark2011

ROOT = Path(__file__).resolve().parent.parent
WORDS = {1: "one", 3: "three", 6: "six"}


def read_prose(number: str) -> str:
    """Return the markdown of a notebook as one line, without the targets of its links."""
    (path,) = (ROOT / "notebooks").glob(f"{number}_*.ipynb")
    cells = nbformat.read(path, as_version=4).cells
    text = " ".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return " ".join(re.sub(r"\]\([^)]*\)", "]", text).split())


def read_data(name: str) -> pd.DataFrame:
    return pd.read_csv(find_shipped(f"data/{name}.csv"))


def koehn_figure(key: str) -> float:
    return read_data("published/koehn2004_figures").set_index("key")["paper"][key]


def versions_of(quantity: str) -> pd.Series:
    """Return a quantity of the made-up corpus: what was demanded, and what each version of it shows."""
    return read_data("koehn2004/spread").set_index("quantity").loc[quantity].astype(float)


def describe_fresh_versions(quantity: str, digits: int) -> str:
    """Write mean and standard deviation over the versions that were not used for anything."""
    fresh = versions_of(quantity)[[f"seed_{seed}" for seed in range(13, 25)]]
    return f"{fresh.mean():.{digits}f} ± {fresh.std():.{digits}f}"


def count_versions_that_meet_all() -> tuple[int, int]:
    spread = read_data("koehn2004/spread")
    seeds = spread.filter(like="seed_")
    met = seeds.ge(spread["lowest"], axis=0) & seeds.le(spread["highest"], axis=0)
    return int(met.all().sum()), len(seeds.columns)


def table3(a: str, b: str, size: int) -> pd.Series:
    return read_data("published/koehn2004_table3").set_index(["a", "b", "size"]).loc[a, b, size]


def count_wrong_of_table4() -> str:
    """Write how many conclusions at 95 % or more are wrong by the paper's Table 4."""
    high = read_data("published/koehn2004_table4").query("lowest >= 95")
    wrong = (high["conclusions"] * (100 - high["correct_percent"]) / 100).sum()
    assert 9.5 < wrong < 11  # the paper rounds its shares
    return f"about 10 of {high['conclusions'].sum():,} conclusions at 95 % or more are"


def real_numbers(pattern: str) -> list[str]:
    """Return the numbers that data/real/README.md has in the places of the groups of a pattern."""
    text = " ".join(find_shipped("data/real/README.md").read_text(encoding="utf-8").split())
    return list(re.search(pattern, text).groups())


def state_02():
    low, high = (koehn_figure(f"{end}_BLEU_of_100_blocks") for end in ("lowest", "highest"))
    yield f"In the paper, the scores of Spanish range from {low:.0f} to {high:.0f}."
    low, high = (koehn_figure(f"{end}_BLEU_of_100") for end in ("lowest", "highest"))
    yield f"In the paper, scores range from {low:.0f} to {high:.0f}."
    assert koehn_figure("negative_of_100") == 1
    yield f"is negative on one sample of 100 (sample 10, by {-koehn_figure('negative_difference'):.2f})"
    highest = "Fig. 2: highest BLEU of Spanish on blocks"
    yield f"it is {versions_of(highest)['seed_1']:.1f} in the one that ships"
    yield f"{describe_fresh_versions(highest, 1)} (mean ± standard deviation) in twelve other versions"


def state_03():
    width = 2 * versions_of("Fig. 6: mean half width, Spanish")["seed_1"]
    yield f"the intervals of Spanish are about {width:.1f} wide"
    ends = [(koehn_figure(f"low_{sample}"), koehn_figure(f"high_{sample}")) for sample in (1, 2)]
    first, second = (f"[{low}, {high}]" for low, high in ends)
    yield f"the only two that the paper prints ({first} and {second}) are wider"
    assert min(high - low for low, high in ends) > width
    demanded = versions_of("Fig. 6: intervals that miss, mean of six systems")
    low, high = demanded[["lowest", "highest"]]
    yield f"{low:.0f} to {high:.0f} of 100 intervals miss, on average over its six systems"
    yield f"the intervals of {WORDS[koehn_figure('missed_of_100')]} of 100 broad samples miss"


def state_04():
    large, small = table3("Spanish", "Danish", 300), table3("Portuguese", "Danish", 300)
    assert koehn_figure("fig_7_for_a_of_100") == large["correct_percent"]
    difference, share = large[["true_difference", "correct_percent"]]
    yield f"Spanish is {difference} BLEU better than Danish, and {share:.0f} of 100 samples"
    yield f"Portuguese is {small['true_difference']} BLEU better than Danish. Of 100 samples, " + (
        f"{koehn_figure('fig_8_for_a_of_100'):.0f} conclude for Portuguese"
        f" and {WORDS[koehn_figure('fig_8_for_b_of_100')]} for Danish"
    )
    yield count_wrong_of_table4()


def state_05():
    met, made = count_versions_that_meet_all()
    yield f"Of {made} versions, {met} meet all requirements"
    cell = describe_fresh_versions("Table 3: Portuguese, Danish, 3000, correct_percent", 0)
    yield f"Twelve other versions of the made-up corpus have {cell} % with 3,000 sentences"
    shares = [table3("Portuguese", "Danish", size)["correct_percent"] for size in (300, 600)]
    yield "Portuguese and Danish have {:.0f} % with 300 sentences and {:.0f} % with 600".format(*shares)
    bins = read_data("published/koehn2004_table4").set_index("lowest")
    share, number = bins.loc[50, ["correct_percent", "conclusions"]]
    error = 100 * sqrt(share / 100 * (1 - share / 100) / number)
    yield f"{share} % of {number} conclusions, has a standard error of {error:.0f} percentage points"
    yield f"because {bins.loc[90, 'correct_percent']} % of its conclusions with a confidence of 90 to 94.9 % are right"
    yield count_wrong_of_table4()
    segments, engines = real_numbers(r"LONG: ([\d,]+) segments.*?the outputs of (\w+) engines")
    several, references = real_numbers(r"MULTI \(claim 2\): (\d+) sentences .*?, with (\d+) references")
    yield f"({segments} segments and {engines} engines; for claim 2, {several} segments with {references} references"


def state_06():
    runs = read_data("published/clark2011_figures").set_index(["corpus", "key"])["paper"]
    yield f"ran {runs['BTEC', 'runs']:.0f} times for each of two systems modelled on the paper's BTEC pair"
    yield f"and {runs['WMT', 'runs']:.0f} times for each of two systems modelled on its WMT pair"
    low, high = np.sqrt(5 / stats.chi2.ppf([0.975, 0.025], df=5))  # s / sigma of six runs, both ends
    assert (round(1 / low, 1), round(high, 1)) == (1.6, 2.5)
    yield "A standard deviation from six runs is uncertain by a factor of about two"
    (same,) = set(read_data("clark2011/settings")["runs"])
    yield f"with {same} runs of system A at each value"
    assert set(read_data("published/clark2011_table1").query("corpus == 'WMT' and metric == 'BLEU'")["s_dev"]) == {0}
    yield "The paper prints `s_dev` of 0.0 for WMT"
    yield f"the expected difference is {runs['WMT', 'difference']} BLEU"


def state_07():
    table1 = read_data("published/clark2011_table1").query("corpus == 'WMT' and metric == 'BLEU'")
    error = sqrt((table1["s_test"] ** 2).sum() / 50)
    yield f"the mean difference of 50 runs of each is known to about {error:.2f} BLEU"
    difference = -table1["average"].diff().iloc[-1]
    assert round(abs(difference / error)) == 6
    table2 = read_data("published/clark2011_table2").query("corpus == 'WMT'").set_index(["n", "system_a", "system_b"])
    p_value = table2.loc[(50, "random", "random"), "p_high"]
    yield f"so p = {p_value} by run would lie {WORDS[6]} standard deviations away"
    yield f"But p = {table2.loc[(1, 'high', 'low'), 'p_low']}, which means almost no difference"
    yield f"Nor does {table2.loc[(1, 'low', 'high'), 'p_low']} fit the opposite pair"
    (repetitions,) = set(clark2011.read_computed("sizes")["repetitions"])
    yield f"more such settings, with {repetitions:,} experiments each"


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
