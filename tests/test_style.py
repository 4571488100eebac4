"""The house style: what a figure is made in stays with it, and nothing stays in matplotlib's settings."""

import io

import matplotlib as mpl
import matplotlib.pyplot as plt
import pytest
from nbformat.v4 import new_code_cell, new_notebook

import mtworkbench as mtw
from mtworkbench.errors import InputError
from mtworkbench.notebooks import run_notebook
from mtworkbench.plots import escape_dollars, systems
from mtworkbench.plots.style import (
    MEDIA,
    current_medium,
    house_style,
    label_ends,
    label_line,
    text_width,
    title_finding,
    wrap_to,
)

pytestmark = pytest.mark.usefixtures("own_figures")


def draw():
    figure, ax = plt.subplots()
    ax.plot([1, 2, 3], [10, 1000, 20], label="one")
    ax.set(xlabel="runs", ylabel="score", yscale="log")
    ax.legend()
    return figure


def picture_of(figure):
    content = io.BytesIO()
    figure.savefig(content, format="raw")
    return figure.dpi, figure.canvas.get_width_height(), content.getvalue()


@pytest.mark.parametrize("medium", MEDIA)
def test_a_figure_saved_after_its_style_is_the_one_saved_within(medium):
    """A notebook draws its figures when the cell, and so the style, has ended."""
    with mtw.style(medium):
        within = picture_of(draw())
    with mtw.style(medium):
        figure = draw()
    assert picture_of(figure) == within
    assert picture_of(draw())[2] != within[2]


@pytest.mark.parametrize("medium", MEDIA)
def test_all_text_has_one_size(medium):
    with mtw.style(medium):
        figure = draw()
        title_finding(figure.axes[0], "One is best.")
        figure.axes[0].set_title("a panel")
        label_line(figure.axes[0], "base", y=100)
    figure.canvas.draw()
    shown = [text for text in figure.findobj(mpl.text.Text) if text.get_text()]
    assert len(shown) > 8
    assert {text.get_size() for text in shown} == {MEDIA[medium].text}


def test_settings_are_left_as_they_were():
    before = dict(mpl.rcParams)
    with mtw.style("slide"), mtw.style("paper"):
        draw()
    assert dict(mpl.rcParams) == before


def test_a_backend_that_the_first_figure_loads_stays_as_it_set_itself():
    """That of notebooks becomes interactive when it is loaded; without that, later figures would not be shown."""
    with mtw.style():
        mpl.interactive(True)
    assert mpl.is_interactive()


def test_settings_are_left_as_they_were_after_an_error():
    before = dict(mpl.rcParams)
    with pytest.raises(ZeroDivisionError), mtw.style("slide"):
        1 / 0  # noqa: B018
    assert dict(mpl.rcParams) == before
    assert current_medium() is MEDIA["screen"]


def test_the_inner_style_wins_and_the_outer_one_comes_back():
    assert current_medium() is MEDIA["screen"]
    with mtw.style("slide"):
        with mtw.style("paper"):
            assert (current_medium().name, mpl.rcParams["font.size"]) == ("paper", 9.0)
            inner = draw()
        assert (current_medium().name, mpl.rcParams["font.size"]) == ("slide", 18)
        with house_style():
            assert current_medium().name == "slide"
    inner.canvas.draw()
    assert inner.axes[0].xaxis.get_major_ticks()[0].label1.get_size() == 9.0
    with house_style():
        assert (current_medium().name, mpl.rcParams["font.size"]) == ("screen", 10.5)


def test_an_unknown_medium_is_refused():
    with pytest.raises(InputError) as refused, mtw.style("poster"):
        pass
    assert str(refused.value) == "There is no style 'poster': choose one of screen, paper, slide."
    assert refused.value.code == "medium"


@pytest.mark.parametrize(
    ("medium", "title"),
    [("screen", "$1 is better."), ("slide", "$1 is better."), ("paper", "")],
)
def test_the_finding_is_the_title_except_in_a_paper(medium, title):
    with mtw.style(medium):
        figure = draw()
        title_finding(figure.axes[0], "$1 is better.")
    assert figure.get_suptitle() == title.replace("$", r"\$")


def test_a_long_finding_takes_lines_that_the_figure_holds():
    with mtw.style():
        figure = draw()
        title_finding(figure.axes[0], "BLEU: " + "a-system-with-a-name is better than another one. " * 4)
        lines = figure.get_suptitle().splitlines()
        assert len(lines) == 3
        assert all(text_width(line) < figure.get_figwidth() for line in lines)


def test_text_is_as_wide_as_it_is_drawn():
    with mtw.style():
        figure = plt.figure()
        text = figure.text(0, 0, "online-A and others")
        drawn = text.get_window_extent(figure.canvas.get_renderer()).width / figure.dpi
        assert text_width("online-A and others") == pytest.approx(drawn, rel=0.02)


def test_lines_are_named_at_their_ends_in_their_colours():
    with mtw.style():
        _, ax = plt.subplots()
        ax.plot([0, 1], [0, 1], label="up")
        ax.plot([0, 1], [0, 0.99], label="also up")
        ax.plot([0, 1], [0, -1], label="down")
        label_ends(ax)
    places = {text.get_text(): text.xy[1] for text in ax.texts}
    assert places["also up"] < places["up"]
    assert places["up"] - places["also up"] > 0.05
    assert places["down"] == pytest.approx(ax.transAxes.inverted().transform(ax.transData.transform((1, -1)))[1])
    assert [text.get_color() for text in ax.texts] == [line.get_color() for line in ax.lines]
    assert ax.get_legend() is None


def test_lines_that_end_together_have_a_legend_outside():
    with mtw.style():
        figure, ax = plt.subplots()
        for number in range(5):
            ax.plot([0, 1], [number, 0], label=f"line {number}")
        label_ends(ax)
    figure.canvas.draw()
    assert not ax.texts
    assert ax.get_legend().get_window_extent().x0 > ax.get_window_extent().x1


def test_a_reference_line_is_named_outside_the_data():
    with mtw.style():
        figure, ax = plt.subplots()
        ax.plot([0, 1], [0, 1])
        label_line(ax, "level $5", y=0.5)
        label_line(ax, "base", x=0.5)
    figure.canvas.draw()
    inside = ax.get_window_extent()
    right, above = (text.get_window_extent() for text in ax.texts)
    assert right.x0 > inside.x1
    assert above.y0 > inside.y1
    assert ax.texts[0].get_text() == r"level \$5"


@pytest.mark.long
def test_a_notebook_shows_the_figures_of_every_cell(tmp_path):
    """The first figure loads the backend, which sets matplotlib to interactive; the style undid that at its end."""
    cell = "import mtworkbench as mtw\nfrom matplotlib import pyplot as plt\nwith mtw.style():\n    plt.subplots()"
    notebook = new_notebook(cells=[new_code_cell(cell), new_code_cell(cell)])
    run_notebook(tmp_path / "figures.ipynb", notebook, lambda **_: None)
    assert ["image/png" in output.get("data", {}) for one in notebook.cells for output in one.outputs] == [True, True]


def test_files_for_a_paper_have_no_finding_and_the_figure_keeps_it(tmp_path):
    with mtw.style():
        figure = draw()
        title_finding(figure.axes[0], "One is best.")
    mtw.save_figure(figure, "one", folder=tmp_path)
    svg = (tmp_path / "one.svg").read_text(encoding="utf-8")
    assert "<!-- score -->" in svg
    assert "One is best." not in svg
    assert figure.get_suptitle() == "One is best."
    (title,) = [text for text in figure.texts if text.get_text() == "One is best."]
    assert title.get_visible() and title.get_in_layout()


def colours_of(figure):
    figure.canvas.draw()
    texts = {text.get_color() for text in figure.findobj(mpl.text.Text) if text.get_text()}
    spines = {ax.spines["bottom"].get_edgecolor() for ax in figure.axes}
    return texts, spines, figure.get_facecolor()


@pytest.mark.parametrize("users", ["dark_background", "ggplot", "seaborn-v0_8", "classic", "bmh", "fivethirtyeight"])
@pytest.mark.long
def test_a_users_style_does_not_meet_ours(users):
    with mtw.style():
        usual = draw()
        expected = colours_of(usual), picture_of(usual)
    with plt.style.context(users):
        before = dict(mpl.rcParams)
        with mtw.style():
            figure = draw()
        assert dict(mpl.rcParams) == before
        if users != "classic":  # which also says how letters of any figure are set on pixels
            assert (colours_of(figure), picture_of(figure)) == expected
    assert (colours_of(figure), picture_of(figure)) == expected


def test_a_letter_that_no_font_has_is_written_as_its_number():
    with mtw.style():
        figure = plt.figure()
        monkey = escape_dollars("\U00013000\U00013001-b é $")
        figure.text(0, 0, monkey)
        figure.canvas.draw()  # without a warning
        assert monkey == r"U+13000 U+13001-b é \$"
        assert text_width("\U00013000") == text_width("U+13000")


def test_a_font_that_is_installed_stands_in(monkeypatch):
    monkeypatch.setattr(systems, "FALLBACKS", ("No Such Font", "STIXGeneral"))
    systems._installed.cache_clear()
    try:
        assert systems.font_families() == ["DejaVu Sans", "STIXGeneral"]
        with mtw.style():
            assert escape_dollars("\u210a x") == "\u210a x"
    finally:
        systems._installed.cache_clear()


@pytest.mark.parametrize(
    ("text", "together"),
    [
        ("the 60 at hand have 99 %", "99 %"),
        ("power to show 1 BLEU (%)", "1 BLEU (%)"),
        ("power (%) of the test", "power (%)"),
        ("better, p (Holm) = 0.012, than the baseline", "p (Holm) = 0.012"),
    ],
)
def test_a_number_and_its_unit_stay_on_one_line(text, together):
    for width in (0.1, 0.5, 1.0, 1.5, 2.0, 5.0):
        lines = wrap_to(text, width).split("\n")
        assert any(together in line for line in lines)
        assert " ".join(lines) == text
    assert wrap_to("  many\nblanks  ", 5) == "many blanks"
    assert wrap_to("", 5) == ""
