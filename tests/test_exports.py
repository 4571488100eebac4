import io
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.figure import Figure

from mtworkbench.errors import InputError
from mtworkbench.exports import save_figure, save_table, write_figure
from mtworkbench.plots import style


def draw() -> Figure:
    figure = Figure(figsize=(3, 2))
    axes = figure.add_subplot()
    axes.plot([1, 2, 3], [26.9, 28.9, 25.3], marker="o", label="danish")
    axes.fill_between([1, 2, 3], [26, 28, 25], [27, 29, 26], hatch="/", alpha=0.5)
    axes.set_ylabel("BLEU")
    axes.legend()
    return figure


def contents(folder) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_figure_becomes_three_files(tmp_path):
    save_figure(draw(), "koehn2004_fig2", folder=tmp_path)
    files = contents(tmp_path)
    assert {name: content[:5] for name, content in files.items()} == {
        "koehn2004_fig2.pdf": b"%PDF-",
        "koehn2004_fig2.png": b"\x89PNG\r",
        "koehn2004_fig2.svg": b"<?xml",
    }


def test_the_same_figure_is_the_same_bytes(tmp_path):
    save_figure(draw(), "fig", folder=tmp_path / "once")
    save_figure(draw(), "fig", folder=tmp_path / "again")
    assert contents(tmp_path / "once") == contents(tmp_path / "again")
    assert not re.search(rb"CreationDate|<dc:date>", b"".join(contents(tmp_path / "once").values()))


def test_fonts_are_embedded_as_truetype(tmp_path):
    save_figure(draw(), "fig", folder=tmp_path)
    pdf = (tmp_path / "fig.pdf").read_bytes()
    assert b"/Subtype /CIDFontType2" in pdf
    assert b"/Subtype /Type3" not in pdf


def test_axes_stand_for_their_figure_and_settings_are_left_alone(tmp_path):
    import matplotlib

    before = dict(matplotlib.rcParams)
    figure = draw()
    save_figure(figure.axes[0], "axes", folder=tmp_path)
    save_figure(figure, "figure", folder=tmp_path)
    files = contents(tmp_path)
    assert files["axes.svg"] == files["figure.svg"]
    assert files["axes.png"] == files["figure.png"]
    assert dict(matplotlib.rcParams) == before


def test_axes_of_a_subfigure_stand_for_the_whole_figure(tmp_path):
    figure = Figure()
    left, right = figure.subfigures(1, 2)
    for half in (left, right):
        half.add_subplot().plot([1, 2])
    save_figure(left.axes[0], "axes", folder=tmp_path)
    save_figure(figure, "figure", folder=tmp_path)
    files = contents(tmp_path)
    assert files["axes.svg"] == files["figure.svg"]


def test_the_frame_of_a_figure_lies_beside_it(tmp_path):
    frame = pd.DataFrame({"sample": [1, 2], "difference": [0.1 + 0.2, -1.0]})
    save_figure(draw(), "fig", frame=frame, folder=tmp_path)
    assert (tmp_path / "fig.csv").read_text() == "sample,difference\n1,0.30000000000000004\n2,-1.0\n"


def test_a_table_is_unrounded_csv_and_rounded_latex(tmp_path):
    frame = pd.DataFrame({"system": ["big_model", "small"], "BLEU": [28.946, np.nan]})
    save_table(frame, "table_1", caption="Scores, 100 %", digits=1, folder=tmp_path)
    read = pd.read_csv(io.BytesIO((tmp_path / "table_1.csv").read_bytes()))
    pd.testing.assert_frame_equal(read, frame)
    latex = (tmp_path / "table_1.tex").read_text()
    assert r"\caption{Scores, 100~\%}" in latex
    assert r"big\_model & 28.9 \\" in latex
    assert "28.946" not in latex
    assert r"\label{tab:table" in latex


def test_latex_is_in_words_and_may_be_arranged_otherwise(tmp_path):
    frame = pd.DataFrame({"system": ["a", "b"], "precision_1": [61.234, 60.5]})
    save_table(frame, "one", digits=1, folder=tmp_path)
    save_table(frame, "two", arranged=frame.set_index("system").T, digits=1, folder=tmp_path)
    assert (tmp_path / "one.csv").read_text() == (tmp_path / "two.csv").read_text()
    one, two = ((tmp_path / f"{stem}.tex").read_text() for stem in ("one", "two"))
    assert "system & 1-gram precision" in one
    assert "a & 61.2 " in one
    assert "precision\\_1 & 61.2 & 60.5 " in two


def test_a_figure_without_a_layout_keeps_none_whatever_the_style(tmp_path):
    with style("paper"):
        figure = plt.figure(layout="none")
        figure.add_axes((0.2, 0.2, 0.6, 0.6))
        write_figure(figure, tmp_path / "figure.pdf")
        assert figure.get_layout_engine() is None


def test_an_index_with_names_is_written(tmp_path):
    frame = pd.DataFrame({"BLEU": [28.9]}, index=pd.Index(["danish"], name="system"))
    save_table(frame, "table", folder=tmp_path)
    assert (tmp_path / "table.csv").read_text() == "system,BLEU\ndanish,28.9\n"
    assert "danish & 28.90" in (tmp_path / "table.tex").read_text()


def test_text_that_a_spreadsheet_would_run_is_made_harmless(tmp_path):
    frame = pd.DataFrame({"system": ["=1+1", "+x", "-x", "@x", "\tx", "\rx", "x"], "difference": -0.5})
    save_table(frame, "table", folder=tmp_path)
    read = pd.read_csv(tmp_path / "table.csv", lineterminator="\n", skipinitialspace=False)
    assert list(read["system"]) == ["'=1+1", "'+x", "'-x", "'@x", "'\tx", "'\rx", "x"]
    assert (read["difference"] == -0.5).all()


def test_text_that_steers_a_terminal_is_written_as_escapes(tmp_path):
    save_table(pd.DataFrame({"document\u202e": ["a\x1b[31m", "two\nlines\x07", "naïve"]}), "table", folder=tmp_path)
    assert (tmp_path / "table.csv").read_bytes() == (
        b'document\\u202e\na\\x1b[31m\n"two\nlines\\x07"\n' + "naïve\n".encode()
    )


@pytest.mark.parametrize("stem", ["", "a/b", "../a", "a.pdf", "a b", "ä"])
@pytest.mark.parametrize("save", [save_figure, save_table])
def test_a_stem_is_a_plain_name(save, stem, tmp_path):
    what = draw() if save is save_figure else pd.DataFrame({"a": [1]})
    sentence = f"{stem!r} cannot name a figure or table: use letters, digits, - and _, without a folder or an ending."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$"):
        save(what, stem, folder=tmp_path)
    assert not contents(tmp_path)


def test_files_go_beside_the_notebook_by_default(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    save_table(pd.DataFrame({"a": [1]}), "table")
    assert set(contents(tmp_path / "figures")) == {"table.csv", "table.tex"}


@pytest.mark.parametrize("ending", ["pdf", "svg", "png", "PNG"])
def test_one_file_has_the_format_of_its_ending(tmp_path, ending):
    save_figure(draw(), "fig", folder=tmp_path)
    write_figure(draw(), tmp_path / f"one.{ending}")
    assert (tmp_path / f"one.{ending}").read_bytes() == (tmp_path / f"fig.{ending.lower()}").read_bytes()


@pytest.mark.parametrize("name", ["fig.jpg", "fig", ".pdf"])
def test_another_ending_is_refused(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    sentence = f"{name!r} cannot be the file of a figure: its name must end in .pdf, .svg or .png."
    with pytest.raises(InputError, match=f"^{re.escape(sentence)}$") as refused:
        write_figure(draw(), name)
    assert refused.value.code == "figure-format"
    assert not contents(tmp_path)


def test_a_figure_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(InputError) as refused:
        write_figure(draw(), tmp_path / "none" / "fig.pdf")
    assert refused.value.code == "cannot-write"
