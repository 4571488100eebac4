"""A whole task in JupyterLab: the ten segments that make the new system better, and what they have in common, go into a
paper in at most eight actions.

The browser of segments is that of notebook 01, made by the cells of that notebook.
"""

import re
import warnings
from collections import Counter

import pytest

import mtworkbench as mtw
from mtworkbench.tables.latex import escape_latex
from tests.browser.bare_pages import SEGMENT_NUMBERS
from tests.browser.conftest import cells_up_to
from tests.test_tables_latex import compiled, has_latex

NOTEBOOK = "01_compare_your_systems.ipynb"
FIRST_IS = "number => document.querySelector('.mtw-number').textContent === number"
MOST_ACTIONS = 8
SAID = "text => document.querySelector('.mtw-take [role=status]').textContent === text"
ANSWER = "() => Number(document.querySelector('.mtw-ngrams .mtw-tables').dataset.answer ?? 0)"
COUNTED = f"before => ({ANSWER})() > before"
CELLS_OF = "row => [...row.cells].map(cell => cell.textContent)"
SIDES = ("new", "baseline")


@pytest.fixture(scope="module")
def found():
    """What the page is to show, from the notebook's own data: the outputs and the ten largest contributions."""
    namespace = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", mtw.DataWarning)
        exec(cells_up_to("explore_segments", NOTEBOOK)[0], namespace)
    outputs, baseline = namespace["outputs"], namespace["baseline"]
    new = next(name for name in namespace["systems"] if name != baseline)
    statistics = mtw.compute_statistics(outputs, namespace["metric"])
    frame = mtw.analyses.segment_contributions(outputs, statistics, new, baseline)
    ten = frame.nlargest(10, "contribution")
    assert ten["contribution"].min() > 0
    return ten, new, baseline


class Reader:
    """Whoever does the task: every click, choice and key is counted."""

    def __init__(self, page):
        self.page, self.actions = page, 0

    def click(self, part):
        part.click()
        self.actions += 1

    def choose(self, menu, option):
        menu.select_option(label=option)
        self.actions += 1

    def press(self, keys):
        self.page.keyboard.press(keys)
        self.actions += 1


def test_ten_segments_and_what_they_have_in_common_go_into_a_paper(open_notebook, put_notebook, found, tmp_path):
    ten, new, baseline = found
    notebook = open_notebook(put_notebook("task.ipynb", *cells_up_to("explore_segments", NOTEBOOK)))
    page = notebook.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    assert notebook.run_all()
    page.locator(".mtw-segment").first.wait_for()
    # The paper is written elsewhere: a field of its own stands for its editor.
    paper = page.context.new_page()
    paper.set_content("<textarea aria-label='paper' autofocus></textarea>")
    reader, writer = Reader(page), Reader(paper)

    page.bring_to_front()
    # What makes the difference comes first: here the new system is the worse one, so the order is turned round.
    reader.click(page.get_by_role("button", name="Order: smallest first"))
    page.wait_for_function(FIRST_IS, arg=str(ten["segment"].iloc[0]))
    reader.click(page.get_by_role("button", name="Select the first"))
    reader.click(page.get_by_text("Words and phrases that one system gets right"))
    page.wait_for_function(COUNTED, arg=0)
    answer = page.evaluate(ANSWER)
    reader.choose(page.get_by_label("Count in"), "the selection")
    page.wait_for_function(COUNTED, arg=answer)
    ngrams = [
        [row.evaluate(CELLS_OF) for row in table.locator("tbody tr").all()]
        for table in page.locator(".mtw-ngrams table").all()
    ]
    pasted = []
    for name, what in (("Copy as LaTeX", "these n-grams as LaTeX"), ("LaTeX", "the selection as LaTeX")):
        page.bring_to_front()
        reader.click(page.get_by_role("button", name=name, exact=True))
        page.wait_for_function(SAID, arg=f"Copied {what}.")
        before = paper.get_by_label("paper").input_value()
        paper.bring_to_front()
        writer.press("Control+v")
        pasted.append(paper.get_by_label("paper").input_value()[len(before) :])
    assert reader.actions + writer.actions <= MOST_ACTIONS

    # The ten rows are the ten largest contributions.
    checked = ".mtw-segment:has([aria-label^='Select segment']:checked)"
    assert page.locator(checked).evaluate_all(SEGMENT_NUMBERS) == ten["segment"].tolist()
    assert page.locator(".mtw-segment").evaluate_all(SEGMENT_NUMBERS)[:10] == ten["segment"].tolist()
    # The n-grams are those of these segments.
    expected = ngrams_that_differ(ten)
    assert ngrams == [[[text, *map(str, counts)] for text, *counts in expected[side]] for side in SIDES]
    # What was pasted is LaTeX with these n-grams and these segments.
    of_ngrams, of_segments = pasted
    assert rows_of(of_ngrams) == [
        [escape_latex(text), *map(str, counts)] for side in SIDES for text, *counts in expected[side]
    ]
    said = re.findall(r"Segment (\d+): \+([\d.]+) BLEU", of_segments)
    assert [int(number) for number, _ in said] == ten["segment"].tolist()
    digits = len(said[0][1].split(".")[1])
    assert [contribution for _, contribution in said] == [f"{one:.{digits}f}" for one in ten["contribution"]]
    plain = re.sub(r"\\(?:textbf|textit|underline)\{((?:[^{}]|\{\})*)\}", r"\1", of_segments).replace("{}", "")
    for column in ("reference", "hypothesis", "hypothesis_baseline"):
        for text in ten[column]:
            assert escape_latex(text).replace("{}", "") in plain
    assert notebook.problems == []
    if has_latex():
        assert compiled(tmp_path, pasted) == []


def ngrams_that_differ(segments):
    """Count n-grams of 1 to 4 tokens that one system gets right more often, and sort them as the page does."""
    from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

    split = Tokenizer13a()
    total = {"hypothesis": Counter(), "hypothesis_baseline": Counter()}
    differ = Counter()
    for _, row in segments.iterrows():
        reference = ngrams_of(split(row["reference"]).split())
        matched = {name: ngrams_of(split(row[name]).split()) & reference for name in total}
        for name, one in matched.items():
            total[name] += one
        new, old = matched.values()
        differ.update(ngram for ngram in new | old if new[ngram] != old[ngram])
    new, old = total.values()
    sides = {
        "new": [one for one in differ if new[one] > old[one]],
        "baseline": [one for one in differ if new[one] < old[one]],
    }
    for one in sides.values():
        one.sort(key=lambda ngram: (-abs(new[ngram] - old[ngram]), -len(ngram), " ".join(ngram)))
    return {
        side: [(" ".join(one), new[one], old[one], differ[one]) for one in chosen[:15]]
        for side, chosen in sides.items()
    }


def ngrams_of(tokens):
    return Counter(tuple(tokens[start : start + n]) for n in (1, 2, 3, 4) for start in range(len(tokens) - n + 1))


def rows_of(latex):
    """Return the cells of a LaTeX table, without its headings; what is too wide for its column has its own line."""
    rows, alone = [], ""
    for line in latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines():
        if found := re.fullmatch(r"\\multicolumn\{4\}\{@\{\}l@\{\}\}\{((?!\\itshape).*)\} \\\\", line):
            alone = found[1]
        elif " & " in line:
            first, *others = line.removesuffix(r" \\").split(" & ")
            rows.append([first or alone, *others])
    return rows
