"""Controls: moving one draws anew, what goes wrong is seen, and the figure stays without a kernel."""

import base64
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

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.widgets import Explorer, explore_comparison
from mtworkbench.widgets import explorer as explorer_module
from mtworkbench.widgets.controls import Menu, Slider
from mtworkbench.widgets.pictures import FINENESS


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
    (image,) = elements(explorer._screen.html, "img")
    assert image["alt"] == explorer.sentence == explorer._screen.sentence
    assert re.findall(r"<(/?\w+)", explorer._screen.html) == ["div", "img", "style", "/style", "/div"]


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
    kind, content = image["src"].split(",")
    assert kind == "data:image/png;base64"
    return (int(image["width"]), int(image["height"])), Image.open(io.BytesIO(base64.b64decode(content)))


def displayed(explorer, monkeypatch):
    """What a cell keeps of an explorer: the box of the controls, and the copy of what it shows."""
    outputs = []
    monkeypatch.setattr("mtworkbench.widgets.pictures.display", lambda data, **options: outputs.append((data, options)))
    explorer._ipython_display_()
    (view, _), (copy, options) = outputs
    assert options == {"raw": True}
    assert view["text/plain"] == ""  # which a reader would see where there is no kernel
    assert view["application/vnd.jupyter.widget-view+json"]["model_id"] == explorer._box.model_id
    return explorer._box, copy


def test_a_control_changes_the_figure_in_the_widget_and_the_copy_stays(monkeypatch):
    explored = explore_comparison(make_statistics(), rng=1)
    box, copy = displayed(explored, monkeypatch)
    screen = box.children[-1]
    assert set(explored.controls.values()) <= set(box.children)
    size, shown = picture_of(screen.html)
    assert size == tuple(round(96 * inches) for inches in explored.figure.get_size_inches())
    assert shown.size == pytest.approx(FINENESS * np.array(size), abs=1)  # rounded
    kept_size, kept = picture_of(copy["text/html"])
    assert (kept_size, kept.size) == (size, shown.size)
    assert copy["text/plain"] == explored.sentence
    explored.controls["level"].value = 0.5
    assert np.abs(np.subtract(kept.convert("RGB"), shown.convert("RGB"), dtype=float)).mean() < 0.5
    again = picture_of(screen.html)[1]
    assert np.abs(np.subtract(again.convert("RGB"), shown.convert("RGB"), dtype=float)).mean() > 0.5
    assert screen.sentence == explored.sentence != copy["text/plain"]


def test_the_copy_is_small_and_has_a_name_that_a_second_run_repeats(monkeypatch):
    box, copy = displayed(explore_comparison(make_statistics(), rng=1), monkeypatch)
    assert picture_of(copy["text/html"])[1].mode == "P"
    assert len(copy["text/html"]) < 0.7 * len(box.children[-1].html)
    assert [one["class"] for one in elements(copy["text/html"], "div")] == [box.children[-1].copy, "mtw-figure"]
    again, same = displayed(explore_comparison(make_statistics(), rng=1), monkeypatch)
    assert (same, again.children[-1].copy) == (copy, box.children[-1].copy)
    other, _ = displayed(explore_comparison(make_statistics(), "b", rng=1), monkeypatch)
    assert other.children[-1].copy != box.children[-1].copy


def test_all_controls_are_brought_back_with_one_drawing():
    drawn = []

    def draw(metric, level):
        drawn.append((metric, level))
        return mpl.pyplot.figure(), f"{metric} at {level}"

    explorer = Explorer(draw, metric=Menu("metric", ["BLEU", "chrF"], "chrF"), level=Slider("level", [0.8, 0.9], 0.9))
    explorer.controls["metric"].value, explorer.controls["level"].value = "BLEU", 0.8
    before = len(drawn)
    (back,) = [one for one in explorer._box.children if getattr(one, "description", "") == "reset"]
    back.click()
    assert drawn[before:] == [("chrF", 0.9)]
    assert explorer.sentence == "chrF at 0.9"
    back.click()
    assert len(drawn) == before + 1


def draw_marks(pixels):
    """Draw marks at pixels of a figure of 300 x 200 without margins; its control does nothing."""
    frame = pd.DataFrame(pixels, columns=["x", "y"]).assign(text=[f'mark {n} "<&' for n in range(len(pixels))])

    def draw(number):
        axes = mpl.pyplot.figure(figsize=(3, 2), dpi=100).add_axes((0, 0, 1, 1), xlim=(0, 300), ylim=(0, 200))
        return axes, "marks", frame

    return Explorer(draw, number=IntSlider(1)), frame


@pytest.mark.long
def test_the_nearest_mark_answers(name_marks):
    random = np.random.default_rng(4)
    explorer, frame = draw_marks(random.uniform((5, 5), (295, 195), (150, 2)).round())
    picture = name_marks(explorer)
    places = np.array([picture.pixel(x, y) for x, y in zip(frame["x"], frame["y"], strict=True)])
    for pixel in random.integers((0, 0), (300, 200), (3000, 2)):
        distances = np.hypot(*(places - pixel).T)
        order = np.argsort(distances)
        nearest, second = distances[order[:2]]
        found = picture.answer(pixel)
        if nearest > explorer_module.REACH:
            assert found == [""]
        elif nearest < 0.97 * explorer_module.REACH and second - nearest > 0.1:
            assert found[0] == frame["text"][order[0]]


def test_every_mark_answers_at_its_own_pixel(name_marks):
    """The first area of an image map that the mouse is in answers; so circles that overlap hid most marks."""
    explorer, frame = draw_marks([(10 + 3 * n, 100 + (n * 7) % 11) for n in range(90)])
    picture = name_marks(explorer)
    assert len(picture.areas) == 90
    for x, y, text in frame.itertuples(index=False):
        assert picture.answer(picture.pixel(x, y)) == [text]


def test_marks_at_the_same_place_are_named_together(name_marks):
    explorer, frame = draw_marks([(50, 50), (50, 50), (51, 50), (50.2, 49.9), (54, 50), (200, 150)])
    picture = name_marks(explorer)
    texts = list(frame["text"])
    assert picture.answer(picture.pixel(50, 50)) == [texts[0], texts[1], texts[3], texts[2]]
    assert picture.answer(picture.pixel(51, 50)) == [texts[2], texts[0], texts[1], texts[3]]
    assert picture.answer(picture.pixel(54, 50)) == [texts[4]]
    assert picture.answer(picture.pixel(200, 150)) == [texts[5]]


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
