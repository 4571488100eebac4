"""Controls: moving one draws anew, what goes wrong is seen, and the figure stays without a kernel."""

import base64
import gc
import io
import re
import subprocess
import sys
from html.parser import HTMLParser

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from ipywidgets import IntSlider
from PIL import Image

import mtworkbench as mtw
from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.plots.words import FINENESS
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.widgets import Answer, Explorer, Outcome, explore_comparison
from mtworkbench.widgets.controls import Draws, Menu, Slider
from mtworkbench.widgets.segments.browser import explore_part


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


def make_statistics(documents=None, name="score", systems="abc"):
    values = {}
    for place, system in enumerate(systems):
        scores = np.random.default_rng(place).normal(place, 4, (1, 120))
        values[system] = np.stack([scores, np.ones((1, 120))], axis=-1)
    if documents is not None:
        documents = np.array([f"document {segment % documents}" for segment in range(120)], dtype=object)
    test_set = TestSet(np.arange(1, 121), documents, "references", 1)
    return SegmentStatistics(MeanScore(name=name), values, test_set)


def shown(explorer):
    """The systems of the figure, the baseline first, the interval of the difference, and the metric."""
    texts = [text.get_text() for text in explorer.figure.texts]
    (line,) = [line for line in explorer.figure.axes[0].lines if len(line.get_xdata()) == 3]
    (heading,) = [text.get_text() for text in explorer.figure.texts if text.get_weight() == "bold"]
    metric, baseline = heading.split(", difference from ")
    rows = sorted((name for name in "abc" if name in texts), key=lambda name: name != baseline)
    return rows, list(line.get_xdata()), metric


def ends(statistics, a, b, **options):
    """Of the family of all comparisons with the baseline."""
    (found,) = compare(statistics, b, rng=1, **options).metrics.values()
    (found,) = (pair for pair in found.comparisons if pair.a == a)
    low, high, _ = found.ends
    # Sums of the same numbers in other batches may differ in their last digits.
    return pytest.approx([low, found.difference, high], rel=1e-12)


def test_it_begins_with_the_last_system_against_the_first():
    statistics = make_statistics()
    explorer = explore_comparison(statistics, rng=1)
    assert shown(explorer) == (["a", "c"], ends(statistics, "c", "a"), "score")
    assert shown(explore_comparison(statistics, "c", rng=1))[:2] == (["c", "b"], ends(statistics, "b", "c"))


def test_no_garbage_is_looked_for_until_the_first_figure_is_there():
    def note():
        looked.append(gc.isenabled())

    class Noting(Explorer):
        def _make_links(self):
            note()
            return super()._make_links()

    looked = []
    Noting(lambda size: note() or Answer(None, f"{size}"), size=IntSlider(2))
    assert looked == [False, False] and gc.isenabled()
    with pytest.raises(InputError):
        Explorer(lambda size: explore_comparison(None), size=IntSlider(2))
    assert gc.isenabled()
    gc.disable()
    try:
        Noting(lambda size: note() or Answer(None, f"{size}"), size=IntSlider(2))
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_every_control_draws_what_the_library_finds():
    statistics = make_statistics(documents=40)
    explorer = explore_comparison([statistics, make_statistics(40, "other")], rng=1)
    controls = explorer.controls
    controls["system"].value = "b"
    assert shown(explorer)[:2] == (["a", "b"], ends(statistics, "b", "a", unit="document"))
    controls["baseline"].value = "c"
    assert shown(explorer)[:2] == (["c", "b"], ends(statistics, "b", "c", unit="document"))
    controls["unit"].value = "segment"
    assert shown(explorer)[1] == ends(statistics, "b", "c", unit="segment")
    controls["level"].value = 0.8
    assert shown(explorer)[1] == ends(statistics, "b", "c", unit="segment", level=0.8)
    controls["metric"].value = "other"
    assert shown(explorer)[2] == "other"


def test_a_system_against_itself_is_one_system():
    explorer = explore_comparison(make_statistics(), rng=1)
    explorer.controls["system"].value = "a"
    assert [text.get_text() for text in explorer.figure.texts if text.get_text() in "abc"] == ["a"]


def test_only_known_documents_can_be_the_unit():
    assert explore_comparison(make_statistics(), rng=1).controls["unit"].options == ("segment",)
    assert explore_comparison(make_statistics(40), rng=1).controls["unit"].options == ("segment", "document")


def test_an_unknown_baseline_is_refused():
    with pytest.raises(InputError) as refused:
        explore_comparison(make_statistics(), "nobody")
    assert refused.value.code == "unknown-system"


def test_no_figure_stays_open():
    before = mpl.pyplot.get_fignums()
    explore_comparison(make_statistics(), rng=1).controls["level"].value = 0.9
    assert mpl.pyplot.get_fignums() == before


def test_the_sentence_says_what_is_seen_and_is_the_alternative_text():
    explorer = explore_comparison(make_statistics(systems=["base", '<b>"$x$"</b>']), rng=1)
    pattern = r'score: <b>"\$x\$"</b> - base = .* \(95 % CI .* to .*\), p . .*: .*\.'
    assert re.fullmatch(pattern, explorer.sentence)
    html, said = explorer._make_copy()
    (image,) = elements(html, "img")
    assert image["alt"] == said == explorer.sentence == explorer._screen.sentence == explorer._links["figure"].alt
    assert re.findall(r"<(/?\w+)", html) == ["div", "img", "style", "/style", "/div"]
    assert explorer._screen.html == ""


def elements(html, tag):
    """The attributes of all elements of a kind."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda name, attributes: name == tag and found.append(dict(attributes))
    parser.feed(html)
    return found


def picture_of(html):
    """The size at which a picture is shown, and the picture."""
    (image,) = elements(html, "img")
    return (int(image["width"]), int(image["height"])), read_picture(image["src"])


def read_picture(source):
    kind, content = source.split(",")
    assert kind == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(content)))


def displayed(explorer, monkeypatch):
    """What a cell keeps of an explorer: the box of the controls, and the copy of what it shows."""
    outputs = []
    monkeypatch.setattr("mtworkbench.widgets.screen.display", lambda data, **options: outputs.append((data, options)))
    explorer._ipython_display_()
    (view, _), (copy, options) = outputs
    assert options == {"raw": True}
    assert view["text/plain"] == ""  # which a reader would see where there is no kernel
    assert view["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer._box.model_id
    return explorer._box, copy


def test_a_control_changes_the_figure_in_the_widget_and_the_copy_stays(monkeypatch):
    explored = explore_comparison(make_statistics(), rng=1)
    box, copy = displayed(explored, monkeypatch)
    row, screen, _, figures, _ = box.children
    link = explored._links["figure"]
    assert set(explored.controls.values()) <= set(row.children)
    assert link in figures.children
    size, shown = (link.width, link.height), read_picture(link.source)
    assert size == tuple(round(96 * inches) for inches in explored.figure.get_size_inches())
    assert shown.size == pytest.approx(FINENESS * np.array(size), abs=1)  # rounded
    kept_size, kept = picture_of(copy["text/html"])
    assert (kept_size, kept.size) == (size, shown.size)
    assert copy["text/plain"] == explored.sentence
    explored.controls["level"].value = 0.5
    assert np.abs(np.subtract(kept.convert("RGB"), shown.convert("RGB"), dtype=float)).mean() < 0.5
    # The text at the bottom may have more lines or fewer.
    above = (0, 0, shown.width, 2 * shown.height // 3)
    before, again = (one.convert("RGB").crop(above) for one in (shown, read_picture(link.source)))
    assert np.abs(np.subtract(again, before, dtype=float)).mean() > 0.5
    assert screen.sentence == explored.sentence != copy["text/plain"]


def test_the_copy_is_small_and_has_a_name_that_a_second_run_repeats(monkeypatch):
    explored = explore_comparison(make_statistics(), rng=1)
    _, copy = displayed(explored, monkeypatch)
    assert picture_of(copy["text/html"])[1].mode == "P"
    assert len(copy["text/html"]) < 0.7 * len(explored._links["figure"].source)
    assert [one["class"] for one in elements(copy["text/html"], "div")] == [explored._screen.copy, "mtw-figure"]
    again = explore_comparison(make_statistics(), rng=1)
    assert (displayed(again, monkeypatch)[1], again._screen.copy) == (copy, explored._screen.copy)
    other = explore_comparison(make_statistics(), "b", rng=1)
    displayed(other, monkeypatch)
    assert other._screen.copy != explored._screen.copy


def test_all_controls_are_brought_back_with_one_drawing():
    drawn = []

    def draw(metric, level):
        drawn.append((metric, level))
        return mpl.pyplot.figure(), f"{metric} at {level}"

    explorer = Explorer(draw, metric=Menu("metric", ["BLEU", "chrF"], "chrF"), level=Slider("level", [0.8, 0.9], 0.9))
    explorer.controls["metric"].value, explorer.controls["level"].value = "BLEU", 0.8
    before = len(drawn)
    (back,) = [one for one in explorer._box.children[0].children if getattr(one, "description", "") == "reset"]
    back.click()
    assert drawn[before:] == [("chrF", 0.9)]
    assert explorer.sentence == "chrF at 0.9"
    back.click()
    assert len(drawn) == before + 1


def test_figures_are_in_the_house_style_and_what_is_not_offered_is_left_out():
    sizes = []

    def draw(**asked):
        sizes.append(mpl.rcParams["font.size"])
        marks = pd.DataFrame({"x": [0], "y": [0], "text": ["one"]})
        return Answer(mpl.pyplot.figure().subplots(), str(sorted(asked)), marks, open=lambda _: draw())

    with mtw.style():
        expected = mpl.rcParams["font.size"]
    with mpl.rc_context({"font.size": expected + 5}):
        explorer = Explorer(draw, level=Slider("level", (1, 2), 1), metric=None)
        explorer._links["figure"].clicked = 0
    assert sizes == [expected, expected]
    assert explorer.sentence == "['level']"


@pytest.fixture(scope="module")
def of_two():
    """Statistics of two systems and their outputs: 40 segments, of which each has one word of the other's score."""
    outputs = pd.concat(
        pd.DataFrame(
            {
                "segment": range(1, 41),
                "reference": "the cat sat on the mat",
                "system": name,
                "run": 1,
                "hypothesis": [
                    " ".join(["the", "cat", "sat", "on", "the", "mat"][: 3 + (n + shift) % 4]) for n in range(40)
                ],
            }
        )
        for shift, name in enumerate(("old", "new"))
    )
    return outputs, mtw.compute_statistics(outputs, "bleu")


def test_sentences_are_found_whatever_the_order_of_the_outputs(of_two):
    outputs, statistics = of_two
    positions = np.arange(5, 25)
    expected = explore_part(outputs, statistics, "new", "old", positions).frame
    for rows in (outputs.sort_values(["segment", "system"]), outputs.sample(frac=1, random_state=1)):
        pd.testing.assert_frame_equal(explore_part(rows, statistics, "new", "old", positions).frame, expected)


@pytest.mark.parametrize("positions", [None, [7, 5, 3, 5, 30, 31, 32]])
def test_the_call_brings_back_a_part_and_the_runs_it_was_opened_from(of_two, positions):
    outputs, _ = of_two
    # Of another run, every output is one word shorter.
    shorter = outputs.assign(run=2, hypothesis=outputs["hypothesis"].str.rsplit(n=1).str[0])
    outputs = pd.concat([outputs, shorter]).sort_values(["system", "run"], kind="stable", ignore_index=True)
    statistics = mtw.compute_statistics(outputs, "bleu")
    browser = explore_part(outputs, statistics, "new", "old", positions, runs=(2, 1), rng=1)
    browser.query = browser.query | {"sort": "segment"}
    again = eval(browser.call, {"mtw": mtw, "outputs": outputs, "statistics": statistics})
    assert "runs=(2, 1)" in browser.call
    assert again.call == browser.call
    assert len(again.frame) == (40 if positions is None else 6)
    pd.testing.assert_series_equal(again.frame["contribution"], browser.frame["contribution"])
    assert again.frame["hypothesis"].tolist() == browser.frame["hypothesis"].tolist()


def explore_numbers(of_two=None):
    """An explorer of a draw of ten numbers: a dot opens a figure, and the sentences of so many segments."""
    outputs, statistics = of_two or (None, None)

    def draw(level, seed):
        values = np.random.default_rng(seed).integers(0, level, 10)
        frame = pd.DataFrame({"place": range(10), "value": values})
        ax = mpl.pyplot.figure(figsize=(3, 2)).subplots()
        ax.plot(frame["place"], frame["value"], "o")
        marks = pd.DataFrame({"x": frame["place"], "y": values, "text": [f"value {value}" for value in values]})
        outcome = Outcome({"": values[0]}, "first", lambda log: f"{len(log)} draws, {log[''].sum()} in all", level / 2)

        def open_mark(mark):
            opened = mpl.pyplot.figure(figsize=(2, 2)).subplots()
            browser = explore_part(outputs, statistics, "new", "old", np.arange(mark + 1)) if of_two else None
            return Answer(opened, f"opened {mark}", None, frame.iloc[[mark]], f"frame = {mark}", browser=browser)

        code = f"import numpy as np\nvalues = np.random.default_rng({seed}).integers(0, {level}, 10)"
        return Answer(ax, f"sum {values.sum()}", marks, frame, code, "x", open_mark, outcome=outcome)

    return Explorer(draw, level=Slider("level", (4, 1000), 1000), seed=Draws.of(1))


def test_each_draw_leaves_a_dot_and_a_dot_brings_its_draw_back():
    explorer = explore_numbers()
    seed, outcomes = explorer.controls["seed"], explorer._links["outcomes"]
    sentences = [explorer.sentence]
    for _ in range(4):
        seed.value += 1
        sentences.append(explorer.sentence)
    drawn = [int(np.random.default_rng(one).integers(0, 1000, 10)[0]) for one in range(1, 6)]
    assert explorer.frames["outcomes"].to_dict("list") == {"seed": [1, 2, 3, 4, 5], "": drawn}
    assert outcomes.caption == f"5 draws, {sum(drawn)} in all"
    assert outcomes.marks["seed"].iloc[outcomes.chosen] == 5
    assert sorted(outcomes.marks["outcome"]) == sorted(drawn)
    outcomes.clicked = outcomes.marks["seed"].tolist().index(3)
    assert (seed.value, explorer.sentence) == (3, sentences[2])
    assert outcomes.marks["seed"].iloc[outcomes.chosen] == 3
    assert len(explorer.frames["outcomes"]) == 5  # it is not counted a second time
    explorer.controls["level"].value = 4
    assert explorer.frames["outcomes"]["seed"].tolist() == [3]


def test_the_page_is_told_when_a_draw_is_shown_or_could_not_be():
    explorer = explore_numbers()
    seed = explorer.controls["seed"]
    before = seed.answers
    seed.value = 2
    assert seed.answers == before + 1
    with pytest.raises(ValueError, match="expected non-negative"):
        seed.value = -1
    assert (seed.value, seed.answers) == (2, before + 2)


def test_a_mark_opens_what_lies_behind_it(of_two):
    explorer = explore_numbers(of_two)
    link, opened = explorer._links["figure"], explorer._links["opened"]
    assert link.texts == [f"value {value}" for value in explorer.frames["figure"]["value"]]
    link.clicked = 6
    assert (link.chosen, opened.caption) == (6, "opened 6")
    assert explorer.browser.frame["segment"].sort_values().tolist() == [1, 2, 3, 4, 5, 6, 7]
    assert explorer._below.children == (explorer.browser,)
    assert [*explorer.figures] == [*explorer.code] == [*explorer.frames] == ["figure", "outcomes", "opened"]
    assert explorer.frames["opened"]["place"].tolist() == [6]
    link.clicked = 2
    assert explorer.browser.frame["segment"].sort_values().tolist() == [1, 2, 3]
    explorer.controls["seed"].value = 2
    assert (explorer.browser, explorer._below.children, opened.caption, opened.source) == (None, (), "", "")
    assert [*explorer.figures] == ["figure", "outcomes"]


def test_what_goes_wrong_while_a_mark_opens_is_said(of_two):
    def draw(level):
        def open_mark(mark):
            raise [KeyboardInterrupt(), InputError("odd", "Two is odd.")][mark]

        marks = pd.DataFrame({"x": [0, 1], "y": [0, 1], "text": ["a", "b"]})
        return Answer(mpl.pyplot.figure(figsize=(2, 2)).subplots(), "two marks", marks, open=open_mark)

    explorer = Explorer(draw, level=Slider("level", (1, 2), 1))
    for mark, said in enumerate(("This was interrupted", "Two is odd.")):
        explorer._links["figure"].clicked = mark
        assert [one["text"][: len(said)] for one in explorer._complaints.outputs] == [said]
        assert "mtworkbench-waits" not in explorer._below._dom_classes
    assert explorer.controls["level"].value == 1


def test_the_figure_is_there_before_its_sentences(of_two):
    outputs, statistics = of_two
    seen = []

    def draw(level):
        def browse():
            seen.append((explorer._links["opened"].caption, explorer._below._dom_classes))
            return explore_part(outputs, statistics, "new", "old", np.arange(3))

        opened = Answer(mpl.pyplot.figure(figsize=(2, 2)).subplots(), "opened", browser=browse)
        marks = pd.DataFrame({"x": [0], "y": [0], "text": ["a"]})
        return Answer(mpl.pyplot.figure(figsize=(2, 2)).subplots(), "one mark", marks, open=lambda mark: opened)

    explorer = Explorer(draw, level=Slider("level", (1, 2), 1))
    explorer._links["figure"].clicked = 0
    assert seen == [("opened", ("mtworkbench-waits",))]
    assert len(explorer.browser.frame) == 3


def test_the_code_makes_what_is_shown():
    explorer = explore_numbers()
    for seed in (1, 7):
        explorer.controls["seed"].value = seed
        exec(explorer.code["figure"], space := {})
        assert space["values"].tolist() == explorer.frames["figure"]["value"].tolist()
    exec(explorer.code["outcomes"], space := {})
    assert space["frame"].equals(explorer.frames["outcomes"])


def test_while_one_draws_again_only_what_changes_is_pale(monkeypatch):
    explorer, seen = explore_numbers(), []
    draw = explorer._draw

    def look(**asked):
        seen.append([name for name, link in explorer._links.items() if link.waiting])
        return draw(**asked)

    monkeypatch.setattr(explorer, "_draw", look)
    explorer.controls["seed"].value = 2
    explorer.controls["level"].value = 4
    assert seen == [["figure"], ["figure", "outcomes"]]
    assert not any(link.waiting for link in explorer._links.values())


def test_what_goes_wrong_while_drawing_is_not_lost():
    def draw(number):
        if number > 1:
            raise ValueError("too large")
        return mpl.pyplot.figure(), "empty"

    explorer = Explorer(draw, number=IntSlider(1))
    with pytest.raises(ValueError, match="too large"):
        explorer.controls["number"].value = 2
    assert explorer.controls["number"].value == 1  # which the figure shows
    explorer._complaints.outputs = ({"output_type": "stream", "name": "stderr", "text": "too large"},)
    explorer.controls["number"].value = 0
    assert explorer._complaints.outputs == ()


def test_only_widgets_need_ipywidgets():
    code = "import sys, mtworkbench.cli, mtworkbench.plots; print('ipywidgets' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False\n"
