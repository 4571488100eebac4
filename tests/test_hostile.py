"""Names are data, whoever made them up: nothing that is written or shown runs them, typesets them, or obeys them."""

import csv
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from html.parser import HTMLParser

import matplotlib.cbook
import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.text import Text

import mtworkbench as mtw
from mtworkbench.cli import main
from mtworkbench.errors import InputError
from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.plots.conventions import draw_levels, plot_conventions
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import (
    format_calibration,
    format_conventions,
    format_scores,
    frame_to_csv,
    frame_to_latex,
    frame_to_markdown,
    frame_to_text,
    tabulate_statistics,
)
from mtworkbench.widgets import explore_conventions

from .test_tables_latex import set_up

pytestmark = [
    pytest.mark.usefixtures("own_figures"),
    pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning"),
]

HOSTILE = [
    "<script>alert(1)</script>",
    r"$\input{/etc/passwd}$ $x^2$",
    "=cmd|' /C calc'!A0",
    "@SUM(1+1)*`id`|**b** [l](javascript:1)",
    "+\x1b[31mred\x1b]0;title\x07",
    "-\\\"quoted\\\\\" & 'so' <img src=x onerror=alert(1)>",
    "\u202etxt.exe \u2066turned",
    "long " + "word" * 74,
    r"\write18{id} \end{table} %",
]
# What a terminal, or who reads it, takes for something else than letters.
STEERING = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
DRAWS = {"n_resamples": 60, "n_trials": 100, "rng": 1}
N_SEGMENTS = 36


def make_statistics():
    """Two metrics of hostile systems, documents, domains, columns and scores, two runs each."""
    draw = np.random.default_rng(1)
    documents = np.array([HOSTILE[segment // 4] for segment in range(N_SEGMENTS)], dtype=object)
    halves = np.array([HOSTILE[0 if segment < 20 else 6] for segment in range(N_SEGMENTS)], dtype=object)
    columns = {HOSTILE[0]: halves, HOSTILE[4]: documents}
    test_set = TestSet(np.arange(1, N_SEGMENTS + 1), documents, "references", 1, columns=columns)
    lengths, quality = draw.integers(8, 20, N_SEGMENTS), {}
    for number, name in enumerate(HOSTILE):
        matches = draw.binomial(lengths, 0.5 + 0.04 * number, (2, N_SEGMENTS))
        ngrams = [np.maximum(matches - order, 0) for order in range(4)]
        totals = [np.broadcast_to(np.maximum(lengths - order, 0), matches.shape) for order in range(4)]
        whole = np.broadcast_to(lengths, matches.shape)
        quality[name] = np.stack([whole, whole, *ngrams, *totals], axis=-1)
    judged = {
        name: np.stack([values[..., 2] / 2, np.ones((2, N_SEGMENTS), int)], axis=-1) for name, values in quality.items()
    }
    score = MeanScore(HOSTILE[1], higher_is_better=True)
    return [SegmentStatistics(Bleu(), quality, test_set), SegmentStatistics(score, judged, test_set)]


def with_names_that_print(statistics):
    """Return the statistics without the names that a plain table cannot hold."""
    test_set = statistics.test_set
    documents = np.array([one if one.isprintable() else "d" for one in test_set.documents], dtype=object)
    columns = {name: documents for name in test_set.columns if name.isprintable()}
    values = {name: array for name, array in statistics.values.items() if name.isprintable()}
    return replace(statistics, values=values, test_set=replace(test_set, documents=documents, columns=columns))


def test_a_plain_table_refuses_names_that_do_not_print():
    statistics = make_statistics()
    for one in statistics:
        with pytest.raises(InputError, match="^A plain table cannot hold ") as caught:
            tabulate_statistics([one])
        assert caught.value.code == "cannot-save"
        assert str(caught.value).isprintable()


@pytest.fixture(scope="module")
def results():
    """One of each result, and of each frame, of hostile names."""
    statistics = make_statistics()
    bleu, judged = statistics
    a, b = bleu[HOSTILE[0]], bleu[HOSTILE[5]]
    found = {
        "statistics": bleu,
        "judgements' statistics": judged,
        "a system's statistics": a,
        "all pairs": mtw.compare(statistics, **DRAWS),
        "a baseline": mtw.compare(statistics, HOSTILE[1], margin={"BLEU": 1.0}, strata=HOSTILE[0], **DRAWS),
        "variance": mtw.optimizer_variance(statistics, baseline=HOSTILE[0], n_resamples=60, rng=1),
        "plan": mtw.plan_test_set(a, b),
        "plan for equality": mtw.plan_test_set(a, b, margin=2.0),
        "calibration": mtw.calibrate(a, b, n_repetitions=4, n_resamples=50, n_trials=50, rng=1),
        "conventions": mtw.conventions(a, b, **DRAWS),
        "interval": mtw.bootstrap_interval(a, n_resamples=60, rng=1),
        "bootstrap": mtw.paired_bootstrap(a, b, n_resamples=60, rng=1),
        "randomization": mtw.approximate_randomization(a, b, n_trials=60, rng=1),
        "crossed analysis": mtw.inference.crossed_analysis(a, b),
        "t-test": mtw.inference.t_test_runs(a, b),
        "permutation": mtw.inference.permute_runs(a, b),
    }
    found["changes"] = mtw.inference.rank_changes(bleu, HOSTILE[0]).head(30)
    found["units"] = mtw.analyses.compare_units(bleu, HOSTILE[0], units=["document", HOSTILE[4]], n_trials=60, rng=1)
    found["units in short"] = mtw.analyses.summarize_units(found["units"])
    found["judgements"] = mtw.analyses.tabulate_judgements(judged, n_resamples=60, rng=1)
    found["statistics as a frame"] = tabulate_statistics([with_names_that_print(one) for one in statistics]).head(60)
    found["a frame"] = bleu.to_frame().iloc[:, :6].head(20).rename(columns={"system": HOSTILE[0]})
    return found


FRAMES = ("changes", "units", "units in short", "judgements", "statistics as a frame", "a frame")


def written_as(format, results):
    """Return everything that can be written in a format, by what it is."""
    statistics = [results["statistics"], results["judgements' statistics"]]
    written = {}
    if format in ("text", "json", "csv"):
        written |= {f"scores by {by}": format_scores(statistics, by, format) for by in ("system", "document")}
        written["calibration"] = format_calibration([results["calibration"]], format)
        written["plan"] = mtw.tables.format_plan(results["plan"], format)
        written["plan for equality"] = mtw.tables.format_plan(results["plan for equality"], format)
    for name in ("all pairs", "a baseline"):
        written[name] = mtw.format_comparison(results[name], format)
    written["conventions"] = format_conventions([results["conventions"]], format)
    written["variance"] = mtw.tables.format_variance(results["variance"], format)
    if format in ("latex", "markdown"):
        written["all columns"] = mtw.format_comparison(results["all pairs"], format, all_columns=True)
        written["variance in full"] = mtw.tables.format_variance(results["variance"], format, all_columns=True)
    write = {"text": frame_to_text, "markdown": frame_to_markdown, "latex": frame_to_latex, "csv": frame_to_csv}
    written |= {name: write[format](results[name]) for name in FRAMES if format in write}
    return written


@pytest.mark.parametrize("format", ["text", "markdown", "latex", "csv", "json"])
def test_nothing_that_is_written_steers_a_terminal(results, format):
    for name, text in written_as(format, results).items():
        assert not STEERING.search(text), name


def test_no_repr_and_no_sentence_steers_a_terminal(results):
    for name, one in results.items():
        texts = [repr(one)]
        texts += [mtw.describe_comparison(one)] if name in ("all pairs", "a baseline") else []
        texts += [mtw.analyses.describe_units(one)] if name == "units" else []
        if name not in FRAMES:
            assert not any(STEERING.search(text) for text in texts), name


class Elements(HTMLParser):
    """What a browser would make of HTML: its elements with their attributes."""

    def __init__(self, html):
        super().__init__()
        self.tags, self.attributes = set(), set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attributes}


TAGS = {"div", "p", "b", "style", "table", "thead", "tbody", "tr", "th", "td", "colgroup", "details", "summary", "code"}
TAGS |= {"span", "ul", "li", "br", "sup", "i", "em"}
ATTRIBUTES = {
    "class",
    "align",
    "scope",
    "role",
    "tabindex",
    "aria-label",
    "colspan",
    "rowspan",
    "span",
    "style",
    "title",
}


def html_of(results):
    shown = {name: one for name, one in results.items() if name not in FRAMES}
    shown |= {name: mtw.show_table(results[name]) for name in FRAMES}
    for name in ("all pairs", "a baseline"):
        for metric in results[name].metrics.values():
            for place, one in enumerate([metric, *metric.systems, *metric.comparisons[:3], *(metric.ranking or ())]):
                shown[f"{name}, {metric.name}, {place}"] = one
    return {name: one._repr_html_() for name, one in shown.items()}


def test_no_html_has_an_element_of_the_data(results):
    for name, html in html_of(results).items():
        found = Elements(html)
        assert found.tags <= TAGS, name
        assert found.attributes <= ATTRIBUTES, name
        assert html.startswith('<div class="mtw tex2jax_ignore mathjax_ignore">'), name
        assert not STEERING.search(html), name


def test_cells_of_markdown_hold_the_names(results):
    for name, text in written_as("markdown", results).items():
        tables = [[]]
        for line in text.split("\n"):
            if line.startswith("|"):
                tables[-1].append(len(re.findall(r"(?<!\\)(?:\\\\)*\|", line)))
            elif tables[-1]:
                tables.append([])
        assert all(len(set(table)) <= 1 for table in tables), name
        assert "<script" not in text and "<img" not in text, name
        assert not re.search(r"(?<!\\)`id|(?<!\\)\$\\|(?<!\\)\[l|(?<!\\)\*\*b", text), name


def test_cells_of_csv_are_no_formulas(results):
    for name, text in written_as("csv", results).items():
        rows = list(csv.reader(io.StringIO(text, newline=""), strict=True))
        assert len({len(row) for row in rows}) == 1, name
        for cell in (cell for row in rows for cell in row):
            assert not cell.startswith(("=", "+", "@", "\t", "\r")), (name, cell)
            assert not cell.startswith("-") or float(cell) <= 0, (name, cell)


def test_json_has_the_names_as_they_are(results):
    for name, text in written_as("json", results).items():
        assert json.loads(text), name
        assert json.dumps(HOSTILE[0])[1:-1] in text, name


COMMANDS = set(re.findall(
    r"\w+", "allowbreak begin bottomrule caption centering cmidrule emph end footnotesize hspace label makebox midrule "
    "multicolumn raggedright setlength small tabcolsep textasciicircum textasciitilde textbackslash textbar textbf "
    "textgreater textless textquotedbl textsuperscript toprule usepackage scriptsize addlinespace quad times textwidth "
    "newline par phantom rlap char itshape ldots dots pm le ge leq geq approx circ dagger ddagger S textdagger "
    "textdaggerdbl parbox"
))  # fmt: skip


@pytest.mark.long
def test_no_command_of_latex_comes_from_a_name(results):
    for name, text in written_as("latex", results).items():
        text = re.sub(r"^%.*", "", text, flags=re.MULTILINE)
        commands = set(re.findall(r"\\([A-Za-z]+)", text))
        assert commands <= COMMANDS, (name, commands - COMMANDS)
        assert not re.search(r"(?<!\\)\$[^$]*(?:input|x\^)", text), name


@pytest.mark.skipif(
    shutil.which("pdflatex") is None
    or shutil.which("kpsewhich") is None
    or subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode != 0,
    reason="needs LaTeX (texlive-latex-base, texlive-latex-recommended)",
)
@pytest.mark.long
def test_a_real_latex_sets_all_of_them(results, tmp_path):
    tables = "\n\nText.\\clearpage\n\n".join(written_as("latex", results).values())
    packages = rf"\usepackage{{booktabs}}{set_up(tables)}"
    begin = f"\\documentclass[11pt]{{article}}\n{packages}\n\\begin{{document}}\n"
    (tmp_path / "paper.tex").write_text(f"{begin}{tables}\n\\end{{document}}\n", encoding="utf-8")
    command = ["pdflatex", "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, check=False)
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    assert "passwd" not in "".join(line for line in log.split("\n") if line.startswith("("))


def figures_of(results):
    metrics = {"all pairs": results["all pairs"].metrics["BLEU"]}
    metrics["a baseline"] = list(results["a baseline"].metrics.values())[-1]
    for name, metric in metrics.items():
        yield name, mtw.draw_comparison(metric)
        for plot in (mtw.plots.plot_scores, mtw.plots.plot_differences, mtw.plots.plot_pairwise):
            yield f"{name}, {plot.__name__}", plot(metric, Figure(figsize=(9, 6)).add_subplot())
    yield "plan", mtw.plots.plot_power(results["plan"], Figure(figsize=(9, 6)).add_subplot())
    yield "conventions", plot_conventions(results["conventions"].to_frame(), Figure(figsize=(9, 6)).add_subplot())
    yield "calibration", draw_levels(results["calibration"].p_values)
    statistics = [results["statistics"], results["judgements' statistics"]]
    yield "explorer", mtw.explore_comparison(statistics, HOSTILE[1], rng=1).figure
    yield "explorer of a comparison", mtw.explore_comparison(results["all pairs"]).figure
    yield "explorer of plans", mtw.explore_plan(statistics).figure


@pytest.mark.long
def test_no_figure_typesets_a_name(results, tmp_path):
    for name, drawn in figures_of(results):
        figure = drawn.figure
        figure.canvas.draw()
        for text in figure.findobj(Text):
            shown = text.get_text()
            assert not STEERING.search(shown), name
            if matplotlib.cbook.is_math_text(shown):
                assert not re.search(r"input|x\^2|passwd", shown), (name, shown)
        mtw.exports.write_figure(figure, tmp_path / "figure.svg")
        svg = (tmp_path / "figure.svg").read_text(encoding="utf-8")
        assert "<script" not in svg and "<img" not in svg, name
        assert not STEERING.search(svg), name


def test_no_explorer_has_an_element_of_the_data(results):
    statistics = [results["statistics"], results["judgements' statistics"]]
    for explorer in (
        mtw.explore_comparison(statistics, HOSTILE[1], rng=1),
        mtw.explore_plan(statistics),
        explore_conventions(results["statistics"], rng=1),
    ):
        html = explorer._screen.html
        assert Elements(html).tags <= TAGS | {"img", "map", "area"}
        assert not Elements(html).attributes & {"onerror", "onload", "onclick"}
        assert "src=x" not in re.sub('"[^"]*"', "", html)
        assert not STEERING.search(explorer.sentence)


def test_no_command_writes_what_a_document_is_called_as_it_stands(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = [f"Segment number {segment} of the text." for segment in range(18)]
    names = [HOSTILE[number] for number in (0, 1, 2, 4, 5, 6)]
    kept = [name for name in names if name.isprintable()]  # files of statistics refuse control characters
    for file, documents in (("docs", names), ("other_docs", [*kept, *map(str, range(6))])):
        lines = "".join(f"{documents[segment // 3]}\n" for segment in range(18))
        (tmp_path / file).write_text(lines, encoding="utf-8")
    (tmp_path / "ref").write_text("".join(f"{text}\n" for text in texts))
    for name, word in (("a", "segment"), ("b", "Text")):
        lines = [text.replace("Segment", word) if place % 3 else text for place, text in enumerate(texts)]
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines))
    outputs = ["ref", "a", "b", "--documents", "docs"]
    assert main(["statistics", *outputs, "--output", "a.stats"]) == 2
    others = [*outputs[:-1], "other_docs"]
    assert main(["statistics", *others, "--output", "a.stats"]) == 0
    assert main(["statistics", *others, "--output", "a.tsv", "--tsv"]) == 0
    written = [(tmp_path / "a.tsv").read_text(encoding="utf-8").replace("\t", " ")]
    for format in ("text", "json", "csv"):
        assert main(["score", "a.stats", "--by", "document", "--format", format]) == 0
    for format in ("text", "csv"):
        assert main(["units", *outputs, "--trials", "50", "--rng", "1", "--format", format]) == 0
    for format in ("text", "json", "latex", "markdown", "tsv"):
        assert main(["segments", *outputs, "--rng", "1", "--format", format]) == 0
    written += [text.replace("\t", " ") for text in capsys.readouterr()]
    assert not any(STEERING.search(text) for text in written)
    assert r"\x1b[31mred" in written[-1]
