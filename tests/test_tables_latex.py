"""Tables for a paper: five columns in LaTeX and Markdown, which a real LaTeX sets in one column."""

import re
import shutil
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from mtworkbench import describe_comparison, find_shipped
from mtworkbench.inference import compare, optimizer_variance
from mtworkbench.outputs.text import make_outputs, read_outputs
from mtworkbench.resampling import resolve_rng
from mtworkbench.results.rankings import RankedSystem
from mtworkbench.statistics.segment_statistics import compute_statistics
from mtworkbench.tables import format_comparison, format_multeval, format_variance, frame_to_latex
from mtworkbench.tables.latex import (
    _WITHOUT_FONT,
    _figure,
    _width,
    _width_of_figure,
    columns_to_latex,
    escape_latex,
    preamble,
)
from mtworkbench.words.frames import Bold, Cell
from mtworkbench.words.papers import paper_tables

from .hand_made import ASSUMED, NO_DOCUMENTS, NOTHING_CLAIMED, ONE_RUN, comparison, pair, system

HOSTILE = "=x|y$z^2$_&%#{}\\~<b>*`--[1]"
FORTY = "a_system_with_a_name_of_forty_characters"
METHOD = {"method_p_value": 0.2277, "method_low": -0.9, "method_high": 0.22, "method_df": 3.84}
SHOWN = {"verdict": "significant", "p_adjusted": 0.0002}


def rows_of(table):
    return [dict(zip(table.columns, row, strict=True)) for row in zip(*table.columns.values(), strict=True)]


def bold_cells(table):
    cells = ((row, name) for name, column in table.columns.items() for row in range(len(column)))
    return {(row, name) for row, name in cells if isinstance(table.columns[name][row], Bold)}


def body_of(latex):
    return latex.split("\\midrule\n")[1].split("\\bottomrule")[0].splitlines()


# ---- what a paper's table has


def test_the_best_system_comes_first_and_the_winner_is_bold():
    systems = [system("base", 27), system("worse", 26), system("best", 28)]
    pairs = [pair("worse", "base", -1.0), pair("best", "base", 1.0, **SHOWN)]
    [table] = paper_tables(comparison(systems, pairs, baseline="base"))
    assert list(table.columns) == ["system", "BLEU", "diff.", "95 % CI", "p (Holm)"]
    assert [row["system"] for row in rows_of(table)] == ["best", "base", "worse"]
    assert [row["diff."] for row in rows_of(table)] == ["1.00", "baseline", "-1.00"]
    assert [row["p (Holm)"] for row in rows_of(table)] == ["0.0002", "", "0.3380"]
    assert table.marks == {(0, "diff."): "†"}
    assert not bold_cells(table)  # nothing compares the systems with each other
    [table] = paper_tables(comparison(systems[::2], pairs[1:], baseline="base"))
    assert bold_cells(table) == {(0, "BLEU")}
    assert list(table.columns)[-1] == "p"
    lower = comparison([system("a", 26), system("b", 27)], [pair("b", "a", 1.0, **SHOWN)], "TER", False, baseline="a")
    [table] = paper_tables(lower)
    assert (table.columns["system"], bold_cells(table)) == (["a", "b"], {(0, "TER")})


@pytest.mark.parametrize(
    ("conclusion", "mark"),
    [
        ("shown for the method", "‡"),
        ("shown on these outputs only", "†"),
        ("shown on these outputs; new runs unknown", "†"),
        ("undecided", "?"),
        ("copies", "="),
        ("identical scores", "="),
        ("not shown", None),
    ],
)
def test_marks_say_the_conclusion_and_the_caption_explains_those_that_there_are(conclusion, mark):
    of_method = METHOD if conclusion in ("shown for the method", "shown on these outputs only") else {}
    judged = pair("new", "base", conclusion=conclusion, **of_method)
    found = comparison([system("base"), system("new")], [judged], baseline="base")
    [table] = paper_tables(found)
    assert table.marks == ({} if mark is None else {(1, "diff."): mark})
    said = {one for one in "‡†?=" if f"{one}: " in table.caption}
    assert said == ({mark} if mark else set())
    assert ("no mark: difference not shown, which does not mean equal" in table.caption.lower()) == (mark is None)
    differ = conclusion not in ("copies", "identical scores")
    assert len(re.findall(r"\.(?: |$)", table.caption.removesuffix(f" {NOTHING_CLAIMED}" if differ else ""))) == 3


def test_with_runs_the_question_about_the_method_counts():
    systems = [system("base", runs=3), system("new", 26.82, runs=3), system("single", 20)]
    pairs = [pair("new", "base", **METHOD, method_verdict="not significant", **SHOWN), pair("single", "base", **SHOWN)]
    [table] = paper_tables(comparison(systems, pairs, baseline="base"))
    _, new, single = rows_of(table)
    assert (new["95 % CI"], new["p (Holm)"]) == ("[-0.90, 0.22]", "0.2277")
    assert (single["95 % CI"], single["p (Holm)"]) == ("not tested", "")
    assert table.caption == (
        "BLEU (higher is better): new and single are shown to be worse than base for these runs. "
        "3 systems (means of 1 to 3 runs) on 300 segments, with differences from base, and "
        "95 % CIs and p (Holm) for the method (new training or tuning runs; crossed analysis by segment and run). †: "
        "difference shown for these runs (largest p (Holm) = 0.0002), not shown or not tested for the method; not "
        "tested: there is no p for the method. "
        f"{NO_DOCUMENTS} single has one run, so nothing is known about new training or tuning runs of it."
    )


@pytest.mark.parametrize("format", ["latex", "markdown"])
def test_one_system_has_a_table_too(format):
    assert "27.16" in format_comparison(comparison([system("only")], []), format)


def test_the_caption_says_unit_baseline_and_test():
    found = comparison([system("base"), system("new")], [pair("new", "base", **SHOWN)], baseline="base", n_documents=30)
    [table] = paper_tables(found)
    assert table.caption == (
        "BLEU (higher is better): base is shown to be better than new on these outputs. "
        "2 systems on 300 segments in 30 documents, with differences from base, their 95 % "
        "CIs (percentile bootstrap by segment) and p (two-sided approximate randomization by segment, 10,000 trials). "
        "Bold: systems that no other is shown to beat on these outputs; †: difference shown on these outputs (p at "
        "most "
        "0.05). The documents are known, but not used as units: if sentences of one document are alike, p is too small "
        f"and CIs are too narrow. {ONE_RUN}"
    )
    exact = comparison([system("base"), system("new")], [pair("new", "base", p_low=0.169, p_high=0.169)])
    assert "randomization by segment, all 2^12 exchanges" in paper_tables(exact)[0].caption


def test_all_pairs_are_a_table_of_systems_with_groups():
    places = tuple(RankedSystem(*row) for row in (("c", 1, 1, 2, "a"), ("a", 2, 1, 3, "ab"), ("b", 3, 2, 3, "b")))
    pairs = [pair("b", "a"), pair("c", "a"), pair("c", "b", **SHOWN)]
    found = comparison([system("a"), system("b", 26), system("c", 28)], pairs, ranking=places)
    [table] = paper_tables(found)
    assert list(table.columns) == ["system", "BLEU", "95 % CI", "ranks", "group"]
    assert rows_of(table)[0] == {
        "system": "c", "BLEU": "28.00", "95 % CI": "[27.20, 28.70]", "ranks": "1-2", "group": "a",
    }  # fmt: skip
    assert (bold_cells(table), table.marks) == ({(0, "BLEU"), (1, "BLEU")}, {})
    assert table.caption.endswith(
        "and the ranks and groups that remain possible after 3 comparisons (two-sided approximate randomization by "
        "segment, 10,000 trials; Holm). Bold: systems that no other is shown to beat on these outputs; systems that "
        f"share a letter are not shown to differ. {ASSUMED}"
    )
    latex = format_comparison(found, "latex")
    assert r"c & \textbf{28.00} & [27.20, 28.70] & 1--2 & a \\" in latex
    assert "| c | **28.00** | [27.20, 28.70] | 1-2 | a |" in format_comparison(found, "markdown")
    assert "against" not in latex.split("\\begin{table}")[1]
    assert latex.count("\\begin{table") == 1
    every = format_comparison(found, "latex", all_columns=True)
    assert "system & against & diff." in every


def test_several_metrics_are_blocks_of_one_table():
    systems, pairs = [system("base"), system("new", 28)], [pair("new", "base", 0.84, **SHOWN)]
    one, other = (
        comparison(systems, pairs, name, up, baseline="base") for name, up in (("BLEU", True), ("TER", False))
    )
    both = comparison(systems, pairs, baseline="base")
    both.metrics["TER"] = other.metrics["TER"]
    [table] = paper_tables(both)
    assert table.headings == {0: "BLEU, higher is better", 2: "TER, lower is better"}
    assert table.columns["system"] == ["new", "base", "base", "new"]
    assert bold_cells(table) == {(0, "score"), (2, "score")}
    found = "BLEU: new is shown to be better than base on these outputs; TER: base is shown to be better than new on"
    assert table.caption.startswith(f"{found} these outputs. 2 systems on 300 segments")
    assert table.label.startswith("tab:BLEU-TER-")
    latex = format_comparison(both, "latex")
    assert body_of(latex)[:2] == [
        r"\multicolumn{5}{@{}l@{}}{\itshape BLEU, higher is better} \\",
        r"new & \textbf{28.00} & 0.84\rlap{$^{\dagger}$} & [0.34, 1.34] & 0.0002 \\",
    ]
    assert [line[: line.index(": ")] for line in latex.splitlines() if "Signature" in line] == [
        "% Signature of BLEU",
        "% Signature of TER",
    ]
    alone = format_comparison(one, "markdown")
    assert "| new | **28.00** | 0.84† | [0.34, 1.34] | 0.0002 |" in alone


def test_many_rows_are_several_tables():
    names = [f"s{number}" for number in range(24)]
    pairs = [pair(name, "s0") for name in names[1:]]
    found = comparison(map(system, names), pairs, baseline="s0")
    found.metrics["chrF"] = comparison(map(system, names), pairs, "chrF", baseline="s0").metrics["chrF"]
    assert [table.label[:-5] for table in paper_tables(found)] == ["tab:BLEU", "tab:chrF"]


def test_csv_is_the_same_with_all_columns():
    found = comparison([system("base"), system("new")], [pair("new", "base")])
    for format in ("csv", "json"):
        assert format_comparison(found, format, all_columns=True) == format_comparison(found, format)


# ---- names


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a--b---c", "a-{}-b-{}-{}-c"),
        ("?`,,''", "?{}`{},{},{}'{}'"),
        ("système", "système"),
        ("systeme\u0300", "systemè"),
        ("a…b", r"a\ldots{}b"),
        ("百度x", "百度x"),
        ("a ≤ −1", r"a $\leq$ $-$1"),
        ("10\u202f%", r"10\,\%"),
        ("Đ„", r"{T1 Đ}{T1 „}".replace("T1", r"\ifdefined\Umathchar\else\fontencoding{T1}\selectfont\fi")),
        ("a\u202eb", r"a\textbackslash{}u202eb"),
    ],
)
def test_names_are_escaped(text, written):
    assert escape_latex(text) == written


def test_numbers_have_a_minus_and_names_keep_their_hyphens():
    systems = [system("base-1", 27), system("new-2", 26)]
    found = comparison(systems, [pair("new-2", "base-1", -1.0, **SHOWN)], baseline="base-1")
    markdown, latex = (format_comparison(found, format) for format in ("markdown", "latex"))
    assert "| new-2 | 26.00 | −1.00† | [−1.50, −0.50] | 0.0002 |" in markdown
    assert r"new-2 & 26.00 & $-$1.00\rlap{$^{\dagger}$} & [$-$1.50, $-$0.50] & 0.0002 \\" in latex
    assert "difference of $-$1.00" in " ".join(latex.split()).replace("% ", "")
    assert "base-1 is shown to be better than new-2" in markdown and "base-1 is shown to be better than new-2" in latex
    assert not re.search(r"(?<![\w-])-\d", markdown)


def test_a_name_with_a_hyphen_before_a_number_keeps_it_in_every_view():
    systems = [system("temp -0.5", 27), system("temp -1", 26)]
    found = comparison(systems, [pair("temp -1", "temp -0.5", -1.0, **SHOWN)], baseline="temp -0.5")
    markdown, latex = (format_comparison(found, format) for format in ("markdown", "latex"))
    for text in (markdown, latex, found._repr_html_()):
        assert "temp -0.5" in text and not re.search("temp (−|[$])", text)
    assert "temp -1 - temp -0.5 = −1.00 BLEU" in markdown and "temp -1 - temp -0.5 = −1.00 BLEU" in found._repr_html_()
    assert "difference of $-$1.00" in " ".join(latex.split()).replace("% ", "")


def names_alone(latex):
    """The names that have a line of their own."""
    return re.findall(r"^\\multicolumn\{\d\}\{@\{\}l@\{\}\}\{((?!\\itshape).*)\} \\\\$", latex, flags=re.MULTILINE)


def test_a_long_name_has_a_line_of_its_own():
    found = comparison([system("base"), system(FORTY)], [pair(FORTY, "base")], baseline="base")
    rows = body_of(format_comparison(found, "latex"))
    assert rows[1] == rf"\multicolumn{{5}}{{@{{}}l@{{}}}}{{{FORTY.replace('_', chr(92) + '_')}}} \\"
    assert rows[2].startswith(" & 27.16 & $-$0.34 & ")


@pytest.mark.parametrize(
    ("names", "difference", "alone"),
    [
        (["google", "microsoft"], -10.34, []),
        (["google", "SYSTRAN", "microsoft"], -0.34, []),
        (["transformer", "baseline"], -0.34, []),
        (["google", "microsoft", "deepl"], -10.34, ["microsoft"]),  # "p (Holm)" and minus signs leave less room
    ],
)
def test_names_that_fit_stay_in_their_rows(tmp_path, names, difference, alone):
    pairs = [pair(name, names[0], difference, **SHOWN) for name in names[1:]]
    latex = format_comparison(comparison(map(system, names), pairs, baseline=names[0]), "latex")
    assert names_alone(latex) == alone
    if has_latex():
        assert compiled(tmp_path, [latex]) == []


def test_a_word_of_the_table_among_names_stays_in_its_row():
    columns = {"system": [FORTY, Cell("mean")]} | {f"column {number}": [Cell("1234.57")] * 2 for number in range(3)}
    assert names_alone(columns_to_latex(columns)) == [FORTY.replace("_", r"\_")]


def test_the_file_says_what_the_preamble_needs():
    assert preamble(r"\toprule") == [r"Needs \usepackage{booktabs}."]
    assert preamble(escape_latex("für 3 € – „so“ … → Đ")) == [r"Needs \usepackage{booktabs}."]
    assert "such as 百: use XeLaTeX or LuaLaTeX" in preamble(escape_latex("a百度"))[1]


def test_a_wide_frame_spans_both_columns():
    narrow = pd.DataFrame({"system": ["a"], "BLEU": [27.1]})
    assert frame_to_latex(narrow).startswith("\\begin{table}\n")
    wide = pd.DataFrame({f"column {number}": [1234.5678] for number in range(9)})
    assert frame_to_latex(wide).startswith("\\begin{table*}\n")
    assert frame_to_latex(wide).endswith("\\end{table*}\n")


# ---- a real LaTeX

DOCUMENT = r"""\documentclass[%s]{article}
\usepackage[a4paper,textwidth=16cm,columnsep=0.6cm,textheight=24cm]{geometry}
\usepackage{booktabs}
%s
\begin{document}
%s
\end{document}
"""


def set_up(text):
    """Set up letters that pdfLaTeX has no fonts for, as packages for Chinese do: each is a box of its width."""
    found = sorted({*_WITHOUT_FONT.findall(text)})
    return "".join(rf"\DeclareUnicodeCharacter{{{ord(one):X}}}{{\rule{{1em}}{{1ex}}}}" for one in found)


def compiled(folder, tables, options="11pt,twocolumn", packages="", engine="pdflatex"):
    """Compile tables; return what the log complains of. Without a PDF there is no font to be made."""
    text = DOCUMENT % (options, packages, "\n\nText.\n\n".join(tables))
    (folder / "paper.tex").write_text(text, encoding="utf-8")
    command = [engine, "-draftmode", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    done = subprocess.run(command, cwd=folder, capture_output=True, check=False)
    log = (folder / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert done.returncode == 0, log[-2000:]
    return re.findall(r"Overfull \\hbox.*|Missing character.*|Float too large.*|Label .* multiply defined", log)


def has_latex():
    """Whether there is a pdflatex with booktabs."""
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    return subprocess.run(["kpsewhich", "booktabs.sty"], capture_output=True, check=False).returncode == 0


needs_latex = pytest.mark.skipif(not has_latex(), reason="needs LaTeX (texlive-latex-base, texlive-latex-recommended)")
needs_lualatex = pytest.mark.skipif(
    not has_latex() or shutil.which("lualatex") is None, reason="needs LuaLaTeX (texlive-luatex)"
)
quickly = {"n_resamples": 100, "n_trials": 200, "rng": 1}


def first_segments(outputs, count):
    return outputs[outputs["segment"] <= count]


def of_multeval():
    """MultEval's own example, with three runs of each system; without it the sample."""
    from .conftest import SHARED

    folder = SHARED / "golden" / "data" / "csen"
    if folder.is_dir():
        systems = {name: str(folder / f"hyp.{name}.opt*.txt") for name in ("baseline", "sys1")}
        outputs = read_outputs(folder / "ref.txt", systems)
    else:
        folder = find_shipped("data") / "sample"
        systems = {name: str(folder / f"{name}.run*.txt") for name in ("baseline", "tweaked")}
        outputs = read_outputs(folder / "reference.txt", systems)
    outputs = first_segments(outputs, 300)
    return compare([compute_statistics(outputs, name) for name in ("bleu", "length")], "baseline", **quickly)


def of_flores():
    folder = find_shipped("data") / "flores"
    systems = {name: folder / f"bergamot-{name}.txt" for name in ("tiny", "base", "base-memory")}
    outputs = first_segments(read_outputs(folder / "reference.txt", systems), 60)
    metrics = ("bleu", "chrf", "ter", "length")
    return compare([compute_statistics(outputs, name) for name in metrics], "tiny", **quickly)


def of_hostile_names():
    texts = [f"sentence number {number} of the test set" for number in range(40)]
    draw = np.random.Generator(np.random.PCG64(1))
    names = [HOSTILE, FORTY, "百度翻译 (Fānyì)", "ترجمة", "Đuro Ħ", 'a "quoted" name', "x" * 60, "短"]
    systems = {
        name: [text if draw.random() < 0.1 * number else text.replace("number", "no") for text in texts]
        for number, name in enumerate(names)
    }
    return compare(compute_statistics(make_outputs(texts, systems), "bleu"), **quickly)


@needs_latex
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
@pytest.mark.long
def test_a_real_latex_sets_three_comparisons_in_one_column(tmp_path):
    found = [of_multeval(), of_flores(), of_hostile_names()]
    tables = [format_comparison(one, "latex") for one in found]
    assert all("\\begin{table*}" not in one for one in tables)
    letters = set_up("".join(tables))
    assert compiled(tmp_path, tables, packages=letters) == []
    assert compiled(tmp_path, tables, "10pt,twocolumn", letters) == []
    compiled(tmp_path, [format_comparison(one, "latex", all_columns=True) for one in found], packages=letters)
    compiled(tmp_path, [escape_latex(describe_comparison(one)) for one in found], packages=letters)


def labels_of(latex):
    return re.findall(r"\\label\{(.*?)\}", latex)


def test_labels_differ_between_results_and_not_between_seeds():
    """By the systems, their scores, and the baseline."""

    def labels(score=28.0, name="new", baseline="base", seed=1):
        systems, pairs = [system("base"), system("old"), system(name, score)], [pair(name, "base"), pair("old", "base")]
        pairs += [] if baseline else [pair(name, "old")]
        found = comparison(systems, pairs, baseline=baseline)
        found = replace(found, settings=replace(found.settings, random_key=resolve_rng(seed)))
        return labels_of(format_comparison(found, "latex") + format_comparison(found, "latex", all_columns=True))

    assert len(labels()) == 3 and labels() == labels(seed=2)
    several = [*labels(), *labels(score=28.1), *labels(name="newer"), *labels(baseline=None)]
    assert len({*several}) == len(several)


@needs_latex
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_a_real_latex_has_the_tables_of_two_results_in_one_document(tmp_path):
    first, second = of_multeval(), of_flores()
    tables = [format_comparison(one, "latex") for one in (first, second)]
    tables += [format_multeval(first, latex=True), format_multeval(second, latex=True)]
    for _ in range(2):  # the second time LaTeX has read the labels
        said = compiled(tmp_path, tables)
    assert [one for one in said if "multiply" in one] == []
    compiled(tmp_path, tables[:1] * 2)
    assert [one for one in compiled(tmp_path, tables[:1] * 2) if "multiply" in one]


@needs_latex
@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_a_real_latex_sets_the_other_tables(tmp_path):
    folder = find_shipped("data") / "sample"
    systems = {name: str(folder / f"{name}.run*.txt") for name in ("baseline", "tweaked", "retrained")}
    outputs = first_segments(read_outputs(folder / "reference.txt", systems), 200)
    statistics = compute_statistics(outputs, "bleu")
    variance = optimizer_variance(statistics, n_resamples=100, rng=1)
    multeval = format_multeval(compare(statistics, "baseline", exchange="run", **quickly), latex=True)
    frame = pd.DataFrame({"system": [HOSTILE, FORTY], "what": ["a long text of many words " * 3, "短"], "n": [1.5, -2]})
    tables = [format_variance(variance, "latex"), multeval, frame_to_latex(frame, "50 % of it.", "tab:a")]
    assert all("\\begin{table*}" not in one for one in tables)
    assert compiled(tmp_path, tables, packages=set_up("".join(tables))) == []
    compiled(tmp_path, [format_variance(variance, "latex", all_columns=True)])


@needs_latex
def test_estimated_widths_are_those_of_a_real_latex_and_none_is_less(tmp_path):
    texts = [*map(chr, range(0x21, 0x7F)), "a b", "microsoft", "LMU-nmt-reranked", "online_B", "PROMT-Rule-based"]
    figures = ["[-10.90, -4.72]", "[0.17, 5.22]", "<0.0001", "1-16", "95 %", "-1"]
    measured = [
        *((text, _width(text), escape_latex(text)) for text in texts),
        *((cell, _width_of_figure(cell), _figure(cell)) for cell in figures),
    ]
    body = "".join(rf"\setbox0\hbox{{{one}}}\typeout{{W=\the\wd0}}" for _, _, one in measured)
    compiled(tmp_path, [rf"\footnotesize{body}\typeout{{W=\the\fontdimen6\font}}"])
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    *widths, em = map(float, re.findall(r"^W=([\d.]+)pt$", log, flags=re.MULTILINE))
    assert len(widths) == len(measured)
    for (text, estimated, _), width in zip(measured, widths, strict=True):
        assert width / em <= estimated + 0.001, text
        assert estimated <= 1.1 * width / em + 0.06 * len(text), text


@needs_latex
def test_a_real_latex_sets_every_letter_of_which_the_file_says_nothing(tmp_path):
    """All of Latin-1 and Latin Extended-A, and what else stands in European texts, in OT1 and bold."""
    known = [*map(chr, range(0x21, 0x7F)), *map(chr, range(0xA0, 0x180)), *"Țșẞ‐‑–—―‘’‚“”„†‡•…‰‹›€№™←→≤≥≠−∞\u202f"]
    without = [one for one in (*known, *"αЖ百ت\U0001f600\ue000") if len(preamble(escape_latex(one))) > 1]
    assert "".join(without) == "ĦħĸĿŀŉŦŧſαЖ百ت\U0001f600\ue000"
    known = [one for one in known if one not in without]
    assert compiled(tmp_path, [rf"{escape_latex(one)}\textbf{{{escape_latex(one)}}}" for one in known]) == []
