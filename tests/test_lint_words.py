"""The search for words that a reader would stumble over (`make lint`) finds what it should, wherever it stands."""

import re

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from mtworkbench.cli.parser import Parser
from scripts.lint_words import (
    COMMANDS,
    HEADINGS,
    LABELS,
    PROSE,
    Text,
    find_faults,
    read_files,
    read_help,
    read_markdown,
    read_python,
)

# Each pattern finds one of these: the sentences and the names as they were.
EXAMPLES = (
    "one row a system and metric",
    "one a metric",
    "two runs a side",
    "documents that the references have not.",
    "stood already in line 4",
    "how the end points were had",
    "the interval is too bold",
    "larger, for it is counted twice",
    "known; for of 400 there is but one sample of 300",
    "of your own, the best system",
    "These outputs: B is better",
    "A's luck",
    "turn the knob",
    "the kinship of systems",
    "departures from the mean",
    "we can be sure",
    "told from chance",
    "conf.",
    "p = 0.000",
    "p = 8e-30",
    "0 / 0.4 / 0.5, 3 runs",
    "A noisy channel wrote them, so that what the truth is, is known",
    "by the toss of a coin",
    "the interval in which the true difference would lie",
    "It takes sentences and runs for samples both",
    "That other runs would differ is not in it.",
    "Not significant is not equal.",
    "not a reason to choose the pleasant one",
    "that it does not exclude 0 is no sign that the methods are equal",
    "would vary by a factor of 1.4 more",
    "how many sentences weigh as much as one independent one",
    "the interval does not know it",
    "A test is right if it errs as often as it says.",
    "the made-up people of notebook 08, who are five",
    "features see the quality of a hypothesis through noise",
    "the coins of a trial serve all 250 draws",
    "the t-test, for which these sentences are all there are",
    "they go together by number",
    "more runs tell more than a longer test set",
    "not every one of the 2 files has a list",
    "bleu (without this option)",
    "unit: its runs change sides together",
    "unit that is drawn and exchanged",
    "a fault that you have looked at and take",
    "of the XML: take this reference",
    "minus",
    "its interval",
    "error of p",
    "design",
    "Documents beside",
    "p_adjusted",
    "a",
    "n_trials_to_decide",
)
# Much like the patterns, and good.
FINE = (
    "one row per system; more than one a day",
    "systems that had not been trained",
    "make sure that the files are aligned",
    "p = 0.04, p = 0.004 and p < 0.001",
    "For the method (new training runs), no difference is shown. On these outputs, B is better.",
    "for 300 sentences; for each metric, for its unit, for them",
    "the system with the better score",
    "# Which of A and B is better?",
    "# B",
    "the design of the test set; beside it",
)


def test_help_is_searched(monkeypatch):
    monkeypatch.setattr(Parser, "format_help_all", lambda _: "options:\n  --x  one row a\n       system\n")
    for command in ("", *COMMANDS):
        [fault] = find_faults(read_help(command))
        assert fault.startswith(f"{f'mtworkbench {command}'.strip()}, help: ")


NOTEBOOK_CELLS = {
    "markdown": new_markdown_cell("We count\none row a system."),
    "heading": new_markdown_cell("## Documents beside\n\nText."),
    "printed": new_code_cell("x", outputs=[new_output("stream", text="p is to be had\n")]),
    "plain": new_code_cell("x", outputs=[new_output("execute_result", {"text/plain": "mean\np = 0.000"})]),
    "page": new_code_cell(
        "x", outputs=[new_output("display_data", {"text/html": "<p>That is A&#x27;s <b>luck</b>.</p>"})]
    ),
    "column": new_code_cell("x", outputs=[new_output("display_data", {"text/html": "<tr><th>p_value</th></tr>"})]),
    "picture": new_code_cell("x", outputs=[new_output("display_data", {"text/html": '<img alt="too bold">'})]),
}
PLANTED = {
    "README.md": "Text.\n\nDocuments that the\nreferences have not.",
    "CONTRIBUTING.md": "* Runs a side vary.",
    "CHANGELOG.md": "- The numbers can be had again.",
    "docs/a.md": "It stood already in line 4.",
    "docs/teaching/a.md": "| p | is too bold |",
    "data/a/README.md": "# The numbers beside the paper's",
    "mtworkbench/a.py": 'def f():\n    """Count.\n\n    It is larger, for it\n    is counted twice.\n    """\n',
    "mtworkbench/a/b.py": 'raise ValueError(f"{n} runs cannot "\n    "be told from chance")',
    "mtworkbench/widgets/a.py": 'Menu("minus")',
    "mtworkbench/widgets/a.js": 'label.textContent = "a good run of luck";',
    "solutions/01.py": "print('It errs on the side of safety.')",
}


@pytest.mark.parametrize("name", PLANTED)
def test_what_is_planted_in_a_file_is_found(name, tmp_path):
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(PLANTED[name], encoding="utf-8")
    [fault] = find_faults(read_files(tmp_path))
    assert fault.startswith(f"{name}, ")


@pytest.mark.parametrize("folder", ["notebooks", "exercises"])
@pytest.mark.parametrize("kind", NOTEBOOK_CELLS)
def test_what_is_planted_in_a_notebook_is_found(kind, folder, tmp_path):
    (tmp_path / folder).mkdir()
    nbformat.write(
        new_notebook(cells=[new_markdown_cell("Text."), NOTEBOOK_CELLS[kind]]), tmp_path / folder / "a.ipynb"
    )
    [fault] = find_faults(read_files(tmp_path))
    assert fault.startswith(f"{folder}/a.ipynb, ")
    assert "cell 1" in fault


@pytest.mark.parametrize("pattern", [pattern for patterns in (PROSE, LABELS, HEADINGS) for pattern in patterns])
def test_every_pattern_finds_an_example(pattern):
    assert any(re.search(pattern, example, flags=re.I) for example in EXAMPLES)


@pytest.mark.parametrize("words", FINE)
def test_good_words_are_left_alone(words):
    kind = "heading" if words.startswith("#") else "prose"
    assert list(find_faults([Text("a", "b", words.lstrip("# "), kind)])) == []


def test_code_and_addresses_are_no_words():
    assert list(find_faults(read_markdown("a.md", "`knob` and [x](knob.html)\n\n```\none row a system\n```\n"))) == []
    assert list(find_faults(read_python("a.py", 'f("knob")\ng("One ``knob`` per system.")'))) == []
