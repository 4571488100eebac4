"""What is the same for results of every kind: formats, escaping, JSON; and what writers do with a document."""

import json
import pickle
import re
import warnings

import pytest

import mtworkbench as mtw
from mtworkbench import InputError
from mtworkbench.errors import DataWarning
from mtworkbench.tables import format_calibration, format_conventions, format_study
from mtworkbench.tables.data import PARTS, as_data
from mtworkbench.tables.fitting import fit_headings
from mtworkbench.tables.html import document_to_html
from mtworkbench.tables.latex import document_to_latex
from mtworkbench.tables.markdown import document_to_markdown
from mtworkbench.tables.text import document_to_text
from mtworkbench.words import columns
from mtworkbench.words.columns import EVERYWHERE, OUTPUTS, Column
from mtworkbench.words.document import Document, Section, Table, end_heading, name_signatures
from mtworkbench.words.frames import Bold, Cell, Name, number
from mtworkbench.words.studies import StudyTables

HOSTILE = "<i>_x_|$\x1b[2J\u202e"
ALL, WITHOUT_PAPER = ("text", "json", "latex", "markdown", "csv"), ("text", "json", "csv")
KINDS = {
    "comparison": (mtw.format_comparison, ALL),
    "campaign": (mtw.tables.format_campaign, ALL),
    "variance": (mtw.tables.format_variance, ALL),
    "conventions": (lambda one, *rest: format_conventions([one], *rest), ALL),
    "plan": (mtw.tables.format_plan, WITHOUT_PAPER),
    "calibration": (lambda one, *rest: format_calibration([one], *rest), WITHOUT_PAPER),
    "study": (lambda one, *rest: format_study([one], *rest), WITHOUT_PAPER),
}
DRAWN = {"n_resamples": 100, "n_trials": 100, "rng": 1}


# Readers refuse such a name, so results are made with another of the same length, and are given it afterwards.
PLAIN = "n" * len(HOSTILE.encode())


def outputs(name: str, runs: int = 2, shift: int = 0):
    words = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]
    reference = [" ".join(words[(i + k) % 10] for k in range(6)) for i in range(20)]
    made = {
        system: [
            [
                " ".join(w if (i * 7 + k * (3 + n) + run + shift) % (4 + n) else "z" for k, w in enumerate(one.split()))
                for i, one in enumerate(reference)
            ]
            for run in range(runs)
        ]
        for n, system in enumerate(("base", name, "third"))
    }
    return mtw.make_outputs(reference, made, documents=[f"d{i // 4}" for i in range(20)])


@pytest.fixture(scope="module")
def results():
    """One result of each kind, of a system whose name means something to every format."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # there are few segments
        statistics = mtw.compute_statistics(outputs(PLAIN), ["bleu", "ter"])
        bleu = statistics[0]
        sets = {f"set {n}": mtw.compute_statistics(outputs(PLAIN, shift=n), ["bleu", "ter"]) for n in range(3)}
        comparison = mtw.compare(statistics, "base", unit="segment", **DRAWN)
        pair = bleu[PLAIN], bleu["base"]
        made = {
            "comparison": comparison,
            "campaign": mtw.compare_test_sets(sets, "base", unit="segment", **DRAWN),
            "variance": mtw.optimizer_variance(statistics, baseline="base", n_resamples=100, rng=1),
            "conventions": mtw.conventions(*pair, **DRAWN),
            "plan": mtw.plan_test_set(*pair),
            "calibration": mtw.calibrate(*pair, n_repetitions=20, **DRAWN),
            "study": StudyTables("BLEU", {"Conclusions": comparison.to_frame()[["a", "b"]]}, comparison.to_frame(), 1),
        }
    return pickle.loads(pickle.dumps(made).replace(PLAIN.encode(), HOSTILE.encode()))


@pytest.mark.parametrize("kind", KINDS)
def test_another_format_is_refused(kind, results):
    write, formats = KINDS[kind]
    with pytest.raises(InputError) as refused:
        write(results[kind], "html")
    assert refused.value.code == "format"
    assert str(refused.value) == f"The format 'html' is not known: choose one of {', '.join(formats)}."


@pytest.mark.parametrize(("kind", "format"), [(kind, one) for kind, (_, ones) in KINDS.items() for one in ones])
def test_names_are_escaped(kind, format, results):
    write, _ = KINDS[kind]
    written = write(results[kind], format)
    assert written.endswith("\n")
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", written)
    if format == "markdown":
        assert not re.search(r"<i>|(?<!\\)_x_", written) and r"&lt;i&gt;\_x\_\|" in written
    elif format == "latex":
        tables = "\n".join(line for line in written.splitlines() if not line.startswith("%"))
        assert r"\textless{}i\textgreater{}\_x\_" in tables and "<i>" not in tables


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "study"])
def test_html_escapes_names(kind, results):
    html = results[kind]._repr_html_()
    assert "<i>" not in html and "&lt;i&gt;" in html and "\u202e" not in html
    assert "How to reproduce the numbers" in html and html.count("<div") == html.count("</div>")


@pytest.mark.parametrize("kind", KINDS)
def test_json_lists_warnings_and_has_no_nan(kind, results):
    notice = DataWarning("few-runs", "Few runs.", count=1)
    read = json.loads(KINDS[kind][0](results[kind], "json", [notice]), parse_constant=pytest.fail)
    assert read["warnings"] == [{"code": "few-runs", "message": "Few runs.", "path": None, "line": None, "count": 1}]
    assert read.get("schema") == {"comparison": 2, "plan": None}.get(kind, 1)


def test_json_has_the_parts_of_records_after_their_fields(results):
    found = as_data(results["calibration"])
    assert list(found)[-3:] == list(PARTS["Calibration"])
    assert [one["name"] for one in found["rules"]] == [one.name for one in results["calibration"].rules]


def test_a_column_is_declared_once_for_all_tables_of_one_set_and_of_several(monkeypatch, results):
    twice = Column(
        "twice",
        lambda metric, pair, question: number(2 * pair.difference, 4),
        EVERYWHERE,
        (OUTPUTS, columns.METHOD, columns.NEW_SETS),
        leaves=1,
    )
    monkeypatch.setattr(columns, "DIFFERENCES", (*columns.DIFFERENCES, twice))
    for kind in ("comparison", "campaign"):
        found, write = results[kind], KINDS[kind][0]
        value = f"{2 * found.metrics['BLEU'].comparisons[0].difference:.4f}"
        text, details = (write(found, "text", width=200, all_columns=every) for every in (False, True))
        assert value in text and value in details
        assert "twice" not in write(found, "text", width=60).partition("Columns left out")[0]
        assert value in write(found, "markdown") and value.replace("-", "$-$") in write(found, "latex")
        assert f">{value}<" in found._repr_html_()


# ---- what writers do with a document


COLUMNS = {
    "system": ["new", "b|se"],
    "BLEU": [Bold("27.5"), Cell("26.0")],
    "p": [Cell("<0.01"), Cell()],
    "a long verdict": ["better", "not shown"],
}
DOCUMENT = Document(
    ["One is better.", "The other is not."],
    [Section("BLEU", ", higher is better", tables=[Table(COLUMNS, "Ranking", marks={(0, "BLEU"): "†"})])],
    notes=["A note."],
    explanation=["p: of the test.", "The end."],
    listed=["an entry"],
    signatures=["Signature: x|y"],
)


def test_text_says_everything_in_its_order():
    assert document_to_text(DOCUMENT).split("\n\n") == [
        "One is better.\nThe other is not.",
        "BLEU, higher is better",
        "Ranking:\nsystem  BLEU      p  a long verdict\nnew     27.5  <0.01  better\nb|se    26.0         not shown",
        "A note.\np: of the test.\nThe end.",
        "an entry",
        "Signature: x|y\n",
    ]


def test_markdown_has_bold_marks_and_a_list():
    assert document_to_markdown(DOCUMENT, 100).split("\n\n") == [
        "One is better.",
        "The other is not.",
        "**BLEU**, higher is better",
        "Ranking:",
        "| system | BLEU | p | a long verdict |\n| :--- | ---: | ---: | :--- |\n| new | **27.5**† | <0.01 | better |\n"
        r"| b\|se | 26.0 |  | not shown |",
        "A note.",
        "p: of the test.",
        "The end.",
        "- an entry",
        "Signature: x\\|y\n",
    ]


def test_latex_says_the_rest_in_comments():
    latex = document_to_latex(DOCUMENT, 100)
    comments = [line for line in latex.splitlines() if line.startswith("%")]
    assert comments == [
        "% One is better.",
        "% The other is not.",
        "% A note.",
        "% p: of the test.",
        "% The end.",
        "% an entry",
        "% Signature: x|y",
        r"% Needs \usepackage{booktabs}.",
    ]
    assert r"\textbf{27.5}\rlap{$^{\dagger}$}" in latex


def test_html_folds_the_end_away():
    html = document_to_html(DOCUMENT)
    assert html.index("<b>One is better.</b>") < html.index("<table") < html.index("A note.") < html.index("<details>")
    assert re.findall("<summary>(.*?)</summary>", html) == ["What the columns mean", "How to reproduce the numbers"]


def test_what_has_no_room_is_named_and_not_explained():
    def written(*sections):
        return " ".join(document_to_text(Document(sections=sections, explanation=DOCUMENT.explanation), 30).split())

    table = Table(COLUMNS, dispensable=["p", "BLEU"])
    text = written(Section("A", tables=[table]))
    assert (
        "Columns left out at this width: p; see a wider terminal." in text
        and "p: of the test." not in text
        and "The end." in text
    )
    wide = Table({name: cells for name, cells in COLUMNS.items() if name != "a long verdict"})
    text = written(Section("A", tables=[table]), Section("B", tables=[wide]))
    assert "Columns left out at this width: p (A); see a wider terminal." in text and "p: of the test." in text


def test_a_table_that_is_too_wide_has_another_in_its_place():
    table = Table({"set": ["x"], "y": ["1"]}, needs=50, instead=Table({"counted": ["2"]}))
    document = Document(sections=[Section(tables=[table])])
    assert document_to_text(document, 49) == "counted\n2\n" and document_to_text(document, 50) == "set  y\nx    1\n"
    assert "counted" in document_to_markdown(document, 49) and "counted" not in document_to_markdown(document, 50)


def test_marks_stay_at_names_that_are_shortened():
    names = [Name(f"a system with a very long name, number {n}") for n in range(3)]
    table = Table({"set": ["x"]} | {name: [Cell("1.0")] for name in names}, marks={(0, names[1]): "*"})
    short = fit_headings(table, 40)
    assert list(short.marks) == [(0, list(short.columns)[2])] and len(list(short.columns)[2]) < 20


def test_headings_end_with_a_colon_unless_they_are_sentences():
    assert [end_heading(one) for one in ("Ranking", "This is one.", "")] == ["Ranking:", "This is one.", ""]


def test_signatures_say_whose_they_are_where_there_are_several():
    assert name_signatures({"BLEU": "x"}) == ["Signature: x"]
    assert name_signatures({"BLEU": "x"}, always=True) == ["Signature of BLEU: x"]
    assert name_signatures({"BLEU": "x", "TER": "y"}) == ["Signature of BLEU: x", "Signature of TER: y"]
