"""What figures show, in words: numbers of the data that is drawn, in every notebook picture's alternative text."""

import base64
import pickle
import re
from html.parser import HTMLParser

import matplotlib.pyplot as plt
import nbformat
import pandas as pd
import pytest
from nbconvert import HTMLExporter

import mtworkbench as mtw
from mtworkbench.inference import PairEstimate, compare
from mtworkbench.notebooks import run_notebook
from mtworkbench.papers.clark2011 import figures as clark2011
from mtworkbench.papers.koehn2004 import figures as koehn2004
from mtworkbench.plots.words import LENGTH, describe, describe_figure, show_number
from mtworkbench.results.verdicts import Ends
from mtworkbench.words.cells import decimals_of, p_digits, show_ends, show_p
from mtworkbench.words.frames import fixed, signed

from .test_headline import OPTIONS, statistics_of


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def comparison():
    means = {"base": 0.0, "new": 0.6, "newer": 0.9}
    return compare([statistics_of(means, "X", n_runs=3), statistics_of(means, "Y")], "base", **OPTIONS)


def plain(words):
    return words.replace("\N{MINUS SIGN}", "-")


def test_the_words_of_a_comparison_have_every_difference_with_its_interval_and_p(comparison):
    metric = comparison.metrics["Y"]
    words = plain(describe_figure(mtw.draw_comparison(metric)))
    digits = decimals_of(metric)
    for pair in metric.comparisons:
        numbers = f"diff. {signed(pair.difference, digits)} {show_ends(pair.ends, digits)}"
        p = show_p(pair.p_adjusted, p_digits(pair))
        assert f"{numbers} p (max-T) {p if p.startswith('<') else f'= {p}'}" in words
    assert all(f"{one.system} {fixed(one.score, digits)}" in words for one in metric.systems)
    assumed = " ".join(one.sentence for one in metric.assumptions if one.matters)
    shown = "Y: new and newer are shown to be better than base on these outputs."
    assert words.startswith(f"{shown} {assumed} Y [95 % CI]: newer ")
    assert words.endswith(", baseline.")


def test_a_figure_for_a_paper_has_the_finding_in_its_words(comparison):
    with mtw.style("paper"):
        figure = mtw.draw_comparison(comparison)
    assert figure.get_suptitle() == ""
    assert describe_figure(figure).startswith("X: new and newer are shown to be better than base for the method; Y: ")


@pytest.mark.parametrize("plot", [mtw.plots.plot_scores, mtw.plots.plot_differences])
def test_plots_of_one_metric_say_their_rows(plot, comparison):
    metric = comparison.metrics["Y"]
    plot(metric)
    words, digits = describe_figure(plt.gcf()), decimals_of(metric)
    shown = metric.systems if plot is mtw.plots.plot_scores else metric.comparisons
    ends = [one.ends if isinstance(one, PairEstimate) else Ends(one.low, one.high) for one in shown]
    assert all(show_ends(one, digits) in words for one in ends)


def test_a_matrix_says_its_pairs():
    means = {f"system-{number}": 0.4 * number for number in range(4)}
    metric = compare(statistics_of(means), **OPTIONS).metrics["score"]
    mtw.plots.plot_pairwise(metric, plt.figure().gca())
    words = describe_figure(plt.gcf())
    best = next(pair for pair in metric.comparisons if {pair.a, pair.b} == {"system-3", "system-2"})
    assert f"system-3 against system-2 {signed(abs(best.difference), decimals_of(metric))} [" in words


def test_the_words_of_intervals_have_the_numbers_of_the_frame():
    frame = pd.DataFrame(
        {"sample": [1, 2, 3], "score": [30.0, 31, 35], "low": [29.0, 30.5, 33], "high": [32.0, 33, 36]}
    )
    koehn2004.plot_sample_intervals(frame.assign(true_score=31.25, covers=[True, True, False]))
    assert describe_figure(plt.gcf()) == (
        "1 of 3 intervals misses the score of the whole test set. 31.25 BLEU on the whole test set; the intervals lie "
        "between 29.00 and 36.00 and are on average 2.83 wide."
    )


def test_the_words_of_samples_and_of_their_differences():
    frame = pd.DataFrame({"sample": [1, 2, 3], "score": [30.0, 31, 35]})
    koehn2004.plot_sample_scores(frame, system="mine", whole=32.5)
    assert describe_figure(plt.gcf()) == (
        "mine scores 30.0 to 35.0 BLEU on 3 samples. Mean 32.00 BLEU, standard deviation 2.65, 32.50 on the whole "
        "test set."
    )
    plt.figure()
    koehn2004.plot_sample_differences(pd.DataFrame({"sample": [1, 2], "difference": [-0.5, 2.0]}), systems=("a", "b"))
    assert describe_figure(plt.gcf()).endswith("a minus b is -0.50 to 2.00 BLEU, on average 0.75.")


def test_the_words_of_histograms():
    bins = {"system": ["A"] * 3, "low": [1.0, 2, 3], "high": [2.0, 3, 4], "runs": [0, 5, 2]}
    clark2011.plot_score_histograms(pd.DataFrame(bins))
    assert describe_figure(plt.gcf()) == "A: 7 runs between 2.00 and 4.00 BLEU, the fullest bar (5) from 2.00 to 3.00."


def test_a_figure_that_nothing_is_said_of_is_read():
    with mtw.style():
        figure, ax = plt.subplots()
        ax.axhline(3)
        ax.plot([1, 2, 3, 4], [10, 50, 20, 30], label=r"first \$")
        ax.plot([1, 2, 3], [12.5, 13, 14], "o", linestyle="none")
        ax.plot([2], [40], label="_mark")
        ax.set(xlabel="runs", ylabel="standard\nerror")
    assert describe_figure(figure) == (
        "Plot of standard error against runs: first $: 10 at 1 to 30 at 4, highest 50 at 2; 3 marks from 12.5 to 14.0."
    )
    ax.set_xscale("log")
    ax.set_title("panel", loc="left")
    figure.suptitle("One is best")
    assert describe_figure(figure).startswith("One is best. panel: Plot of standard error against runs: ")


def test_named_rows_and_error_bars_and_scattered_marks_are_read():
    figure, ax = plt.subplots()
    ax.errorbar([5, 12.25, 9], [0, 1, 1.2], xerr=1, fmt="o", label="test")
    ax.set_yticks([0, 1], ["new runs", "old runs"])
    assert describe_figure(figure) == "test: new runs 5.0, old runs 9.0 to 12.2."
    figure, ax = plt.subplots()
    ax.scatter([1, 2], [3, 4])
    ax.stairs([4, 2], [0, 1, 2], label="runs")
    assert describe_figure(figure) == "2 marks from 3 to 4; runs: 4 at 0.50 to 2 at 1.50."


def test_words_are_short_and_every_panel_has_its_share():
    with mtw.style():
        figure, axes = plt.subplots(2)
        for number, ax in enumerate(axes):
            describe(ax, f"panel {number}: " + "; ".join(f"system {system} 12.5" for system in range(100)))
    words = describe_figure(figure)
    assert LENGTH / 2 < len(words) <= LENGTH
    assert re.findall(r"panel \d", words) == ["panel 0", "panel 1"]
    assert all(re.search(r"12\.5 …$", part) for part in re.split(" (?=panel 1)", words))
    figure, axes = plt.subplots(3, 5)
    for number, ax in enumerate(axes.flat):
        ax.set_title(f"rule {number}")
        ax.plot([0, 1], [0, 1])
    assert describe_figure(figure) == f"15 panels: {'; '.join(f'rule {number}' for number in range(15))}."


def test_names_that_steer_are_escaped_and_empty_figures_have_no_words():
    figure = plt.figure()
    assert describe_figure(figure) == ""
    describe(figure, "a\u202eb is best")
    assert describe_figure(figure) == r"a\u202eb is best."


@pytest.mark.parametrize(
    ("value", "step", "text"),
    [(0.000012345, 0, "0.0000123"), (12345.6, 0, "12,346"), (31.0, 0.05, "31.00"), (-0.001, 0.01, "0.00"), (0, 0, "0")],
)
def test_numbers_are_never_powers_of_ten(value, step, text):
    assert show_number(value, step) == text


def test_a_figure_that_carries_words_can_be_pickled():
    with mtw.style():
        figure, ax = plt.subplots()
        ax.plot([1, 2], [3, 4])
    copy = pickle.loads(pickle.dumps(figure))
    assert describe_figure(copy) == "3 at 1 to 4 at 2."
    assert copy._repr_html_() is None  # no notebook


class Images(HTMLParser):
    """Attributes of the pictures in a page."""

    def __init__(self, page):
        super().__init__()
        self.found = []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        if tag == "img":
            self.found.append(dict(attrs))


@pytest.mark.long
def test_pictures_of_notebooks_have_alternative_texts_in_pages_too(tmp_path):
    """The name is no HTML; a figure that is not in the house style is as it was."""
    cells = [
        "import mtworkbench as mtw, matplotlib.pyplot as plt\n"
        "with mtw.style():\n    figure, ax = plt.subplots()\nax.plot([1, 2], [3, 9], label='<b>\"x\"')",
        "plt.figure(); plt.plot([1, 2])",
        "%config InlineBackend.figure_formats = ['retina']\n"
        "with mtw.style():\n    figure, ax = plt.subplots()\nax.plot([1, 2], [3, 8])",
    ]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    run_notebook(tmp_path / "figures.ipynb", notebook, lambda **_: None)
    ours, other, retina = (
        next(one.data for one in cell.outputs if one.output_type == "display_data") for cell in notebook.cells
    )
    (image,) = Images(ours["text/html"]).found
    assert image["alt"] == '<b>"x": 3 at 1 to 9 at 2.'
    assert image["src"] == f"data:image/png;base64,{ours['image/png'].strip()}"
    assert set(other) == {"image/png", "text/plain"}
    (fine,) = Images(retina["text/html"]).found
    assert int(fine["width"]) < 700
    # It is not shown smaller than its text can be read, and follows a dark theme.
    natural = int.from_bytes(base64.b64decode(image["src"].partition(",")[2])[16:20])
    for one, width in ((image, natural), (fine, int(fine["width"]))):
        assert one["style"] == f"max-width:100%;min-width:{0.8 * width:.0f}px;height:auto"
    assert "[data-jp-theme-light=false],.vscode-dark) .mtw-figure img" in ours["text/html"]
    page, _ = HTMLExporter().from_notebook_node(notebook)
    texts = [image["alt"] for image in Images(page).found]
    assert texts == [image["alt"], "No description has been provided for this image", "3 at 1 to 8 at 2."]


@pytest.mark.long
def test_a_figure_is_shown_once_as_a_cells_last_line_and_where_it_has_a_name(tmp_path):
    """pyplot shows its figures when a cell ends, also the one that the cell has shown as its result."""
    compare = (
        "import mtworkbench as mtw\n"
        "outputs = mtw.make_outputs(['a b c d'] * 9, {'x': ['a b c d'] * 9, 'y': ['a b c'] * 9})\n"
        "found = mtw.compare(mtw.compute_statistics(outputs, 'chrf'), rng=1)"
    )
    cells = [compare, "mtw.draw_comparison(found)", "figure = mtw.draw_comparison(found)", "figure"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(cell) for cell in cells])
    run_notebook(tmp_path / "figure.ipynb", notebook, lambda **_: None)
    shown = [["<img" in one.data.get("text/html", "") for one in cell.outputs] for cell in notebook.cells[1:]]
    assert shown == [[True]] * 3
