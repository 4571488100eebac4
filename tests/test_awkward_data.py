"""Every notebook on awkward data: what a page says must be true there, too, not only where its authors looked.

The cells run in this process, on data that cost nothing (`tests/awkward.py`); what a reader would see is in a `Page`
(`tests/pages.py`). The properties hold for all data, so a new sentence is checked as soon as a cell prints it.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter

import matplotlib as mpl
import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.errors import InputError
from mtworkbench.papers import koehn2004

from .awkward import Case, make_outputs, make_statistics
from .pages import NOTEBOOKS, Cell, Page, read_page

SIZES = (2445, 30_001, 30_213, 33_739)
# Each pair of a size, a number of systems, documents or none, runs and a kind of score is in one of these.
ONE, TWO, THREE, UNEQUAL = (1, 1, 1), (2, 2, 2), (3, 3, 3), (1, 3, 2)
SAMPLED = {
    "02_block_vs_broad": [
        Case(2445, 2, True, ONE, share=True),
        Case(30_001, 2, False, TWO),
        Case(30_213, 2, False, ONE),
        Case(33_739, 2, True, THREE, share=True),
        Case(2445, 3, False, UNEQUAL),
        Case(30_213, 3, True, THREE),
    ],
    "03_bootstrap_intervals": [
        Case(2445, 3, True, TWO),
        Case(30_001, 2, True, ONE, share=True),
        Case(30_213, 2, False, UNEQUAL, share=True),
        Case(33_739, 2, False, ONE),
    ],
    "04_paired_significance": [
        Case(2445, 2, False, THREE),
        Case(30_213, 3, True, TWO, share=True),
        Case(33_739, 3, False, ONE),
        Case(30_001, 2, True, UNEQUAL),
        Case(30_001, 3, False, THREE, share=True),
    ],
    "05_do_the_tests_hold": [
        Case(2445, 2, False, ONE),
        Case(33_739, 2, True, TWO, share=True),
        Case(30_213, 2, True, ONE),
        Case(33_739, 2, False, UNEQUAL),
    ],
}
RUNS = {
    "06_optimizer_variance": [
        Case(299, 2, True, TWO),
        Case(299, 3, False, (1, 1, 3), share=True),
        Case(2445, 2, False, ONE, share=True),
        Case(2445, 3, True, (2, 3, 1)),
    ],
    "07_randomization": [
        Case(299, 2, False, THREE, share=True),
        Case(2445, 2, True, ONE),
        Case(299, 3, False, UNEQUAL),
    ],
    "09_plan_a_test_set": [
        Case(299, 2, True, ONE),
        Case(2445, 3, False, (2, 3, 1), share=True),
    ],
}
# Draws are made few; what is asked here does not depend on their number.
SHORTER = {
    "03_bootstrap_intervals": [
        ("interval_samples(system, broad, ", "interval_samples(system, broad, n_resamples=400, "),
        ("with_fresh_samples(system, 300, ", "with_fresh_samples(system, 300, n_draws=100, "),
    ],
    "04_paired_significance": [
        ("conclude(statistics, pairs[:1], broad, ", "conclude(statistics, pairs[:1], broad, n_resamples=100, "),
        ("conclude(statistics, [pair], broad, ", "conclude(statistics, [pair], broad, n_resamples=100, "),
    ],
    "05_do_the_tests_hold": [
        ("conclude_on_sizes(statistics, pairs, ", "conclude_on_sizes(statistics, pairs, n_resamples=40, "),
        ("under_null(a, b, 300, ", "under_null(a, b, 300, n_repetitions=20, n_resamples=40, n_trials=99, "),
        ("reuse_test_set(a, b, ", "reuse_test_set(a, b, n_repetitions=5, n_resamples=40, "),
    ],
    "07_randomization": [("n_repetitions=100", "n_repetitions=10")],
    # TER takes seconds on texts that differ at random.
    "08_metrics_up_close": [('"ter", "length"]', '"length"]'), ("with_ter=True", "with_ter=False")],
    "10_what_your_tool_reports": [("n_repetitions=100", "n_repetitions=10")],
}
# Cells about the data that ship, or about none: they are the same whatever a reader gives, and take most of the time.
LEFT_OUT = {
    "00_start_here": ["bleu, chrf = "],
    "02_block_vs_broad": ["real, _ = "],
    "03_bootstrap_intervals": ["judged = koehn2004", "rows = mtw.read_table"],
    "04_paired_significance": ["flores = "],
    "05_do_the_tests_hold": ["flores = "],
    "06_optimizer_variance": ["corpus = ", "engines = "],
    "07_randomization": ["nulls, sizes = "],
    "08_metrics_up_close": ["people = ", "try:"],
    "09_plan_a_test_set": ["scores = mtw.read_table", "corpus, progress = "],
    "11_two_steps": ["flores = "],
}

NUMBER = r"(\d[\d,]*)(?![\d,]*\.\d)"
SAMPLES_BY_SIZE = re.compile(r"\(\d[^()]* segments\)")  # 302 samples of 100 segments
COUNT = re.compile(rf"(?<![\d.,/]){NUMBER} of (?:the |these |all )?{NUMBER}")
# A row of a table: a number of samples or intervals is its last column.
COUNT_IN_ROW = re.compile(rf"(?:samples|intervals) of {NUMBER} .*\s{{2,}}(\d[\d,]*(?:\.\d+)?)$")
PERCENT = re.compile(r"(?<![\d.,])(\d[\d,]*(?:\.\d+)?) %")
# Ratios, not shares: they may be above 100 %.
RATIO = re.compile(r"standard deviation|single sample|gain|loses|rises|differ by|relative", re.IGNORECASE)
NOUNS = (
    "segment|system|sample|run|pair|document|block|interval|resample|trial|comparison|test set|conclusion|correlation|"
    "unit|score|rule|row|corpus|difference|reference|repetition|specification|experiment|metric|column|score"
)
SINGULAR = re.compile(rf"(?<![\d.,−-])1 (?:{NOUNS})s\b")
PLURAL = re.compile(rf"(?<![\w.,])(?:[2-9]|\d[\d,]*\d) (?:{NOUNS})\b(?!-| samples)")
# A verb of one thing: "1 of 100 intervals misses".
ONE_OF_MANY = re.compile(r"\b1 of [\d,]+ \w+s (?:miss|conclude|lie|have|are|were|call)\b")
# What only the data that ship are called.
NAMES = re.compile(
    r"\b(Spanish|Portuguese|Danish|Greek|German|Finnish|BTEC|WMT|Europarl|FLORES|TED|bergamot|tweaked)\b"
)
OF_THE_PAPER = re.compile(r"paper|real outputs|made-up|printed|swap their outputs")
# What more or fewer runs would do, and what the paper and other people's runs are; not how many there are.
ADVICE = re.compile(
    r"Czech-English|restaurants|at least|give|make |would|need|instead of|new training runs|preferably|power|tried|"
    r"factor|test set at hand|"
    r"does not show|Fewer than|no longer helps|true difference is|in the wrong order|apart \(%\)|equal systems"
)
SEVERAL_RUNS = re.compile(r"\b(?:two|three|[2-9]|\d\d+) runs\b|runs (?:differ|vary|of the same)")
# One decimal, or nothing but zeros: too few digits for scores from 0 to 1.
TOO_ROUND = re.compile(r"(?<![\d.,])[-+−]?(?:0\.\d(?!\d)|0\.00(?!\d))(?! %| times| to \d+\.\d %|\]| ?percent)")
SENTENCE = re.compile(r"(?<=[.:;!?]) ")


@pytest.fixture(autouse=True)
def on_paper(monkeypatch, tmp_path):
    """No window, no bar, and files of the pages in a folder that goes."""
    mpl.use("Agg")
    monkeypatch.setenv("TQDM_DISABLE", "1")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "figures").mkdir()


def read(stem: str, data: dict) -> Page:
    return read_page(stem, data, SHORTER.get(stem, []), LEFT_OUT.get(stem, []))


def faults_of(page: Page, case: Case) -> list[str]:
    """Say what on a page cannot be true of the data that it is about, whatever they are."""
    faults = []
    for cell in page.cells:
        faults += [f"{fault}\n    in {cell.source.splitlines()[0]!r}" for fault in faults_of_cell(cell, case)]
    return faults


def faults_of_cell(cell: Cell, case: Case) -> list[str]:
    counts = [
        (passage, part, total)
        for passage in (*cell.passages, *cell.rows)
        for part, total in re.findall(COUNT, re.sub(SAMPLES_BY_SIZE, "", passage))
    ]
    counts += [(row, part, total) for row in cell.rows for total, part in re.findall(COUNT_IN_ROW, row)]
    faults = [
        f"a count above its total: {text!r}"
        for text, part, total in counts
        if float(part.replace(",", "")) > float(total.replace(",", ""))
    ]
    faults += [f"not what the package has: {said!r}" for said in cell.passages if "package: False" in said]
    rows = Counter(row for row in cell.rows if re.search(r"\d\.\d", row))
    faults += [f"the same row twice: {row!r}" for row, number in rows.items() if number > 1]
    for sentence in (sentence for passage in cell.passages for sentence in re.split(SENTENCE, passage)):
        if not re.search(RATIO, sentence):
            faults += [
                f"more than everything: {percent} % in {sentence!r}"
                for percent in re.findall(PERCENT, sentence)
                if float(percent.replace(",", "")) > 100
            ]
        for what, pattern in (("one is not many", SINGULAR), ("many are not one", PLURAL), ("one verb", ONE_OF_MANY)):
            faults += [f"{what}: {found[0]!r} in {sentence!r}" for found in re.finditer(pattern, sentence)]
        if not re.search(OF_THE_PAPER, sentence):
            faults += [f"not in the data: {name} in {sentence!r}" for name in re.findall(NAMES, sentence)]
        if set(case.systems.values()) == {1} and not re.search(ADVICE, sentence):
            faults += [f"there is one run: {found[0]!r} in {sentence!r}" for found in SEVERAL_RUNS.finditer(sentence)]
        faults += [
            f"not of each system: {found[0]!r} in {sentence!r}"
            for found in re.finditer(r"(\d+) runs of each", sentence)
            if int(found[1]) > sorted(case.systems.values())[-2] and not re.search(ADVICE, sentence)
        ]
        if case.share and "share correct" in sentence and not re.search(r"\||Plan\(", sentence):
            faults += [f"too round: {found[0]!r} in {sentence!r}" for found in re.finditer(TOO_ROUND, sentence)]
    return faults


def overlaps(samples: list[np.ndarray]) -> bool:
    """Tell whether a segment is in two samples, by counting."""
    return bool(np.bincount(np.concatenate(samples)).max() > 1)


def faults_of_overlap(page: Page, used_twice: bool) -> list[str]:
    sentences = re.split(SENTENCE, page.text)
    said = [sentence for sentence in sentences if "overlap" in sentence]
    separate = [sentence for sentence in sentences if "no segment is in two" in sentence]
    if used_twice:
        return ([] if said else ["nothing says that samples overlap"]) + [f"not so: {one!r}" for one in separate]
    return [f"no segment is used twice: {sentence!r}" for sentence in said]


def faults_of_sizes(page: Page) -> list[str]:
    """Samples are called by the sizes that they have."""
    sizes = {len(sample) for sample in page.names["broad"]}
    wanted = " or ".join(map(str, sorted(sizes)))
    return [
        f"samples of {wanted}: {found[0]!r} in {text!r}"
        for cell in page.cells
        for text in (*cell.passages, *cell.rows)
        for found in re.finditer(r"(?:broad|overlapping) samples of (\d+)", text)
        if int(found[1]) not in sizes
    ]


def cases_of(group: dict[str, list[Case]]) -> list:
    """Return cases, which `make test` leaves out: it runs each page once, in `test_notebooks_own_data`."""
    return [
        pytest.param(stem, case, id=f"{stem[:2]}-{case}", marks=pytest.mark.long)
        for stem, cases in group.items()
        for case in cases
    ]


def test_each_pair_of_properties_of_the_data_is_in_a_case():
    cases = [case for part in SAMPLED.values() for case in part]
    kinds = {
        "n_segments": SIZES,
        "n_systems": (2, 3),
        "documents": (False, True),
        "runs": (ONE, TWO, THREE, UNEQUAL),
        "share": (False, True),
    }
    for (one, ones), (other, others) in itertools.combinations(kinds.items(), 2):
        covered = {(getattr(case, one), getattr(case, other)) for case in cases}
        assert set(itertools.product(ones, others)) - covered == set(), (one, other)


@pytest.mark.parametrize(("stem", "case"), cases_of(SAMPLED))
def test_pages_about_samples(stem, case):
    page = read(stem, {"statistics": (statistics := make_statistics(case))})
    faults = faults_of(page, case)
    if stem.startswith("05"):
        sizes = dict.fromkeys(page.names["conclusions"]["size"])
        used_twice = any(overlaps(koehn2004.choose_samples(case.n_segments, size, rng=1)) for size in sizes)
    else:
        used_twice = overlaps(page.names["broad"])
        faults += faults_of_sizes(page) + SAME_NUMBERS[stem](page, statistics)
    assert faults + faults_of_overlap(page, used_twice) == []


def numbers_in(pattern: str, text: str) -> list[tuple[int, ...]]:
    found = [tuple(map(int, one if isinstance(one, tuple) else (one,))) for one in re.findall(pattern, text)]
    return list(dict.fromkeys(found))  # a sentence is there as text and as HTML


def differing(what: str, *found) -> list[str]:
    return [] if all(one == found[0] for one in found) else [f"{what}: {found}"]


def far_apart(what: str, here: list[tuple[int, ...]], there: list[tuple[int, ...]]) -> list[str]:
    """Compare counts of two numbers of resamples: here fewer are drawn than in an explorer."""
    near = np.shape(here) == np.shape(there) and np.abs(np.subtract(here, there)).max() <= 6
    return [] if near else [f"{what}: {here} and {there}"]


def same_numbers_in_02(page: Page, statistics) -> list[str]:
    a, b = page.names["name"], page.names["other"]
    n = len(page.names["broad"])
    negative = int((page.frames["koehn2004_fig4"]["difference"] < 0).sum())
    (explorer,) = page.explorers
    return (
        differing(
            "samples with a negative difference",
            [(negative, n)],
            numbers_in(rf"{a} - {b} is negative on (\d+) of (\d+) sample", page.text),
        )
        + differing("in the title", page.titles["koehn2004_fig4"].endswith(f"{b} on {negative}"), True)
        + differing("the system of the figures", explorer.controls["system"].value, a)
    )


def same_numbers_in_03(page: Page, statistics) -> list[str]:
    intervals, name = page.names["intervals"], page.names["name"]
    missed, n = int((~intervals["covers"]).sum()), len(intervals)
    (explorer,) = page.explorers
    return (
        differing(
            "missed",
            [(missed, n)],
            # The explorer says it, too, further down.
            numbers_in(r"whole test set is missed by (\d+) of (\d+) interval", page.text)[:1],
            numbers_in(r"^(\d+) of (\d+) interval", page.titles["koehn2004_fig6"]),
        )
        + differing("the system of the figures", explorer.controls["system"].value, name)
        + far_apart("in the explorer", [(missed, n)], numbers_in(r"by (\d+) of (\d+) interval", explorer.sentence))
    )


def same_numbers_in_04(page: Page, statistics) -> list[str]:
    faults = []
    figures = {7: page.names["clear"], 8: page.names.get("close")}
    for number, frame in figures.items():
        if frame is None:
            faults += differing("one pair is drawn once", len(statistics), 2)
            continue
        (a,), (b,), n = set(frame["a"]), set(frame["b"]), len(frame)
        for_a, for_b = (int((frame["conclusion"] == name).sum()) for name in (a, b))
        said = rf"(\d+) for {a}, (\d+) for {b}, (\d+) for neither"
        faults += differing(f"Fig. {number}", (for_a, for_b, n - for_a - for_b) in numbers_in(said, page.text), True)
        title = numbers_in(r"(\d+) of (\d+) sample.* (\d+) that", page.titles[f"koehn2004_fig{number}"])
        faults += differing(f"title of Fig. {number}", title, [(for_a, n, for_b)])
    (explorer,) = page.explorers
    shown = tuple(explorer.controls[one].value for one in ("system", "minus"))
    faults += differing("the pair of the figures", shown, page.names["pairs"][0])
    clear = page.names["clear"]["conclusion"]
    counts = [(int((clear == shown[0]).sum()), len(clear), int((clear == shown[1]).sum()))]
    [(for_a, for_b, neither)] = numbers_in(
        r"samples?: (\d+) for .*, (\d+) for .*, (\d+) for neither", explorer.sentence
    )
    faults += far_apart("conclusions in the explorer", counts, [(for_a, for_a + for_b + neither, for_b)])
    difference = statistics[shown[0]].score().mean() - statistics[shown[1]].score().mean()
    sign = "+" if difference > 0 else "-"
    return faults + differing("sign in the explorer", f"{shown[0]} - {shown[1]} is {sign}" in explorer.sentence, True)


SAME_NUMBERS = {
    "02_block_vs_broad": same_numbers_in_02,
    "03_bootstrap_intervals": same_numbers_in_03,
    "04_paired_significance": same_numbers_in_04,
}


@pytest.mark.parametrize("stem", SAMPLED)
def test_a_test_set_that_is_smaller_than_a_sample_is_refused_in_one_sentence(stem):
    with pytest.raises(InputError, match=r"(?s)\b299 segments"):
        read(stem, {"statistics": make_statistics(Case(299))})


@pytest.mark.parametrize(("stem", "case"), cases_of(RUNS))
def test_pages_about_runs_and_sizes(stem, case):
    statistics = make_statistics(case)
    data = {
        "06_optimizer_variance": {"test": {"mine": [statistics]}, "dev": {}, "outputs": None},
        "07_randomization": {"test": {"mine": [statistics]}, "dev": {}, "outputs": None},
        "09_plan_a_test_set": {
            "statistics": statistics,
            "baseline": "nmt",
            "margin": 0.01 if case.share else 1.0,
        },
    }[stem]
    assert faults_of(read(stem, data), case) == []


def test_differences_of_scores_from_0_to_1_have_two_digits():
    statistics = make_statistics(Case(299, 2, True, ONE, share=True))
    page = read("09_plan_a_test_set", {"statistics": statistics, "baseline": "nmt", "margin": 0.01})
    [table] = [cell.rows for cell in page.cells if cell.source.startswith("comparison = ")]
    assert all(re.search(r"-?0\.\d{4}\b.*\b0\.\d{4}\b", row) for row in table[1:]) and len(table) > 1


def judged(case: Case):
    """Outputs with a judgement of two thirds of the segments, and a score, both from 0 to 1."""
    outputs = make_outputs(case)
    length = outputs["hypothesis"].str.len()
    return outputs.assign(
        adequacy=(length % 5 / 4).where(outputs["segment"] % 3 > 0),
        neural=(length + outputs["segment"]) % 9 / 8,
        neural_direction="up",
    )


TEXTS = {
    "00_start_here": [Case(299, 2, True, ONE), Case(299, 3, False, UNEQUAL)],
    "01_compare_your_systems": [Case(299, 2, False, ONE), Case(299, 3, True, THREE)],
    "08_metrics_up_close": [Case(299, 2, False, ONE)],
    "10_what_your_tool_reports": [Case(299, 2, False, ONE), Case(299, 3, True, (2, 3, 1))],
    "11_two_steps": [Case(299, 2, False, ONE), Case(299, 3, True, TWO)],
    "12_human_and_neural_scores": [Case(299, 3, True, ONE)],
    "13_which_sentences": [Case(299, 3, False, UNEQUAL)],
}


@pytest.mark.parametrize(("stem", "case"), cases_of(TEXTS))
def test_pages_about_texts(stem, case):
    outputs = judged(case) if stem.startswith("12") else make_outputs(case)
    data = {
        "00_start_here": {"baseline": "nmt", "metric": "chrf"},
        "01_compare_your_systems": {"baseline": "nmt", "metric": "chrf"},
        "08_metrics_up_close": {
            "tokenize": "none",
            "language": "en",
            "statistics": mtw.compute_statistics(outputs, "bleu:tokenize=none"),
        },
        "10_what_your_tool_reports": {"metric": "chrf"},
        "11_two_steps": {},
        "12_human_and_neural_scores": {
            "human": "adequacy",
            "further": ["neural"],
            "other_judgements": [],
            "metrics": mtw.compute_statistics(outputs, ["chrf", "bleu"]) if stem.startswith("12") else [],
        },
        "13_which_sentences": {"baseline": "nmt", "metric": "chrf"},
    }[stem]
    page = read(stem, data | {"outputs": outputs})
    assert faults_of(page, case) == []


def test_every_notebook_is_read():
    # 14 takes the data of 05 and 07: test_notebooks_own_data.
    assert {*SAMPLED, *RUNS, *TEXTS, "14_every_claim"} == {path.stem for path in NOTEBOOKS.glob("*.ipynb")}


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("61 of 60 samples", "a count above its total"),
        ("Fig. 7  samples of 100 that conclude for nmt    122", "a count above its total"),
        ("a rule errs in 104.0 % of them", "more than everything"),
        ("on 1 segments", "one is not many"),
        ("of 2,445 segment", "many are not one"),
        ("1 of 100 intervals miss the score", "one verb"),
        ("so says Finnish", "not in the data"),
        ("the mean of 3 runs", "there is one run"),
        ("With 2 runs of each", "not of each system"),
        ("nmt has share correct 0.6 here", "too round"),
        ("its share correct varies by 0.00 here", "too round"),
        ("segment  299  1.0\nsegment  299  1.0", "the same row twice"),
    ],
)
def test_what_cannot_be_true_is_noticed(text, fault):
    """The properties are properties: each of them is seen to fail."""
    cell = Cell("print()")
    cell.take(text)
    assert fault in "\n".join(faults_of_cell(cell, Case(299, share=True)))


@pytest.mark.parametrize(
    "text",
    [
        "61 of 100 samples",
        "1,000 of 30,001 segments",
        "100.0 % of them",
        "the standard deviation is 104.0 % of that",
        "1 segment and 1,001 segments",
        "1 of 100 intervals misses the score",
        "the paper's Finnish",
        "give at least two runs",
        "nmt has share correct 0.56 here",
        "segment  299  1.0\nsegment  300  1.0",
    ],
)
def test_what_can_be_true_is_let_pass(text):
    cell = Cell("print()")
    cell.take(text)
    assert faults_of_cell(cell, Case(299, share=True)) == []
