"""Linked figures without a browser: marks stand on the picture, and everything follows the pair that is chosen."""

import base64
import io
import re
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.figure import Figure
from PIL import Image

import mtworkbench as mtw
from mtworkbench.analyses.segments.contributions import SAMPLE
from mtworkbench.analyses.segments.flags import flag_segments
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.replications import median_run
from mtworkbench.metrics import MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import frame_to_csv
from mtworkbench.widgets.figures import LinkedFigure, make_picture
from mtworkbench.widgets.linked_views import DifferenceViews
from mtworkbench.widgets.segments.browser import SegmentBrowser
from mtworkbench.words.sentences import describe_pair

SYSTEMS = ("base", "tiny", "copy")
VIEWS = ["buckets", "contributions", "estimates", "resamples"]


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


@pytest.fixture(scope="module")
def outputs():
    folder = mtw.find_shipped("data/flores")
    reference, base, tiny = (
        (folder / f"{name}.txt").read_text(encoding="utf-8").splitlines()[:150]
        for name in ("reference", "bergamot-base", "bergamot-tiny")
    )
    domains = [f"domain {7 * place % 12}" for place in range(150)]
    frames = [
        pd.DataFrame(
            {
                "segment": range(1, 151),
                "domain": domains,
                "reference": reference,
                "system": name,
                "run": 1,
                "hypothesis": texts,
            }
        )
        for name, texts in zip(SYSTEMS, (base, tiny, base), strict=True)
    ]
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="module")
def statistics(outputs):
    return mtw.compute_statistics(outputs, "bleu")


@pytest.fixture
def linked(outputs, statistics):
    explorer = mtw.explore_differences(outputs, statistics, rng=1)
    explorer.controls["system"].value = "tiny"
    return explorer


def make_statistics(systems="abc", **test_set):
    values = {}
    for place, system in enumerate(systems):
        scores = np.random.default_rng(place).normal(place, 4, (1, 120))
        values[system] = np.stack([scores, np.ones((1, 120))], axis=-1)
    return SegmentStatistics(MeanScore(), values, TestSet(np.arange(1, 121), None, "references", 1, **test_set))


def test_marks_stand_where_the_picture_has_them():
    figure = Figure(figsize=(4, 3), dpi=100, layout="constrained")
    ax = figure.add_subplot()
    ax.plot([1, 2, 9], [5, 1, 3], "o", color="red", markersize=9, linestyle="none")
    link = LinkedFigure("dots")
    link.show(make_picture(figure, "three dots", pd.DataFrame({"x": [1, 2, 9], "y": [5, 1, 3], "text": list("abc")})))
    picture = Image.open(io.BytesIO(base64.b64decode(link.source.partition(",")[2]))).convert("RGB")
    assert picture.size == (2 * link.width, 2 * link.height) == (800, 600)
    for x, y in np.frombuffer(link.places, dtype="<f4").reshape(-1, 2):
        assert picture.getpixel((round(2 * float(x)), round(2 * float(y)))) == (255, 0, 0)
    assert (link.texts, link.alt) == (list("abc"), "three dots")
    link.brushed, link.clicked = [0, 2], 1
    link.show(make_picture(figure, "no dots", pd.DataFrame({"x": [], "y": [], "text": []})))
    assert (link.brushed, link.clicked, link.places) == ([], -1, b"")
    link.say("Nothing abc\u202edef.")
    assert (link.figure, link.source, link.caption) == (None, "", r"Nothing abc\u202edef.")


def test_everything_follows_the_system(linked, outputs, statistics):
    comparison = mtw.compare(statistics, "base", rng=1)
    metric = comparison.metrics["BLEU"]
    [pair] = [one for one in metric.comparisons if one.a == "tiny"]
    assert linked.sentence == f"BLEU: {describe_pair(pair, metric)}."
    assert sorted(linked.figures) == sorted(linked.frames) == sorted(linked.code) == VIEWS
    pd.testing.assert_frame_equal(linked.frames["estimates"], metric.to_frame())
    assert linked.frames["resamples"]["difference"].tolist() == pair.bootstrap.differences.tolist()
    pd.testing.assert_frame_equal(
        linked.frames["contributions"], mtw.analyses.segment_contributions(outputs, statistics, "tiny", "base")
    )
    pd.testing.assert_frame_equal(
        linked.frames["buckets"], mtw.analyses.bucket_segments(outputs, statistics, "tiny", "base", rng=1)
    )
    assert isinstance(linked.browser, SegmentBrowser)
    assert {*linked.browser.frame["segment"]} == {*range(1, 151)}


@pytest.mark.long
def test_the_first_figure_is_on_the_page_before_the_others_and_the_sentences(outputs, statistics, monkeypatch):
    explorer, shown = mtw.explore_differences(outputs[outputs["system"] != "copy"], take_two(statistics), rng=1), []

    def display(data, **_):
        shown.append(
            {name for name, link in explorer._links.items() if link.source} | {*map(repr, explorer._below.children)}
        )

    monkeypatch.setattr("mtworkbench.widgets.screen.display", display)
    explorer._ipython_display_()
    widget, copy = shown
    assert widget == {"estimates"}
    assert copy == {*VIEWS, repr(explorer.browser)}


@pytest.mark.parametrize("system", SYSTEMS[:2])
def test_outputs_that_differ_in_one_segment_are_refused_before_anything_is_shown(outputs, statistics, system):
    two = outputs[outputs["system"] != "copy"].reset_index(drop=True)
    spread = np.unique(np.linspace(0, 149, SAMPLE).round())
    unlooked = next(place for place in range(150) if place not in spread)
    two.loc[(two["system"] == system) & (two["segment"] == unlooked + 1), "hypothesis"] = "another"
    with pytest.raises(InputError, match=f"Segment {unlooked + 1} of run 1 of '{system}'"):
        mtw.explore_differences(two, take_two(statistics), rng=1)


@pytest.mark.parametrize("system", SYSTEMS[:2])
@pytest.mark.parametrize("run", [1, 3])
def test_runs_whose_texts_are_not_shown_are_looked_at_before_anything_is_shown(outputs, system, run):
    two = outputs[outputs["system"] != "copy"]
    shorter = [two["hypothesis"].str[:length] for length in (30, 40, 50)]  # so run 2 is the median run
    three = [two.assign(run=number, hypothesis=texts) for number, texts in enumerate(shorter, start=1)]
    runs = pd.concat(three).sort_values(["system", "run", "segment"], ignore_index=True)
    statistics = mtw.compute_statistics(runs, "bleu")
    assert [median_run(statistics[one].score()[0]) for one in SYSTEMS[:2]] == [2, 2]
    runs.loc[(runs["system"] == system) & (runs["run"] == run) & (runs["segment"] == 1), "hypothesis"] = "another"
    with pytest.raises(InputError, match=f"Segment 1 of run {run} of '{system}'"):
        mtw.explore_differences(runs, statistics, rng=1)


@pytest.mark.parametrize("of", ["_draw_resamples", "_draw_contributions", "_draw_buckets", "_open_browser"])
def test_what_was_interrupted_while_the_cell_ran_is_drawn_when_it_is_asked_for(outputs, statistics, monkeypatch, of):
    asked, work = [], getattr(DifferenceViews, of)

    def interrupt_once(*given):
        asked.append(given)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return work(*given)

    monkeypatch.setattr(DifferenceViews, of, interrupt_once)
    explorer = mtw.explore_differences(outputs[outputs["system"] != "copy"], take_two(statistics), rng=1)
    with pytest.raises(KeyboardInterrupt):
        explorer._ipython_display_()
    assert sorted(explorer.frames) == VIEWS
    assert len(explorer.browser.frame) == 150


def test_the_first_figures_and_the_rest_are_there_without_a_page(outputs, statistics):
    explorer = mtw.explore_differences(outputs[outputs["system"] != "copy"], take_two(statistics), rng=1)
    assert sorted(explorer.frames) == VIEWS
    assert len(explorer.browser.frame) == 150


def take_two(statistics):
    return replace(statistics, values={name: statistics.values[name] for name in SYSTEMS[:2]})


def test_the_code_of_each_view_makes_its_frame(linked, outputs, statistics):
    linked.controls["buckets"].value = "domain"
    made = {}
    for name, code in linked.code.items():
        exec(code, {"outputs": outputs, "statistics": statistics}, space := {})
        made[name] = space
    assert made["estimates"]["comparison"].metrics["BLEU"].to_frame().equals(linked.frames["estimates"])
    assert made["resamples"]["pair"].bootstrap.differences.tolist() == linked.frames["resamples"]["difference"].tolist()
    for name in ("contributions", "buckets"):
        pd.testing.assert_frame_equal(made[name][name], linked.frames[name])
    assert linked.frames["buckets"]["bucket"].tolist() == [f"domain {7 * place % 12}" for place in range(12)]


def test_a_click_chooses_the_system_of_the_row(linked):
    link = linked._links["estimates"]
    systems = link.marks["system"].tolist()
    assert sorted(systems) == ["copy", "tiny"]
    link.clicked = systems.index("copy")
    assert linked.controls["system"].value == "copy"
    assert link.chosen == systems.index("copy")
    link.clicked = systems.index("tiny")
    assert " tiny - base = " in linked.sentence
    # The same row again, when the menu has chosen another system meanwhile.
    linked.controls["system"].value = "copy"
    link.clicked = systems.index("tiny")
    assert linked.controls["system"].value == "tiny"


def test_a_copy_is_said_to_be_one(linked):
    linked.controls["system"].value = "copy"
    assert linked.sentence.endswith("the systems are copies of each other.")
    assert [*linked.figures] == [*linked.frames] == [*linked.code] == ["estimates"]
    assert linked.browser is None
    assert linked._links["contributions"].source == ""
    assert linked.controls["buckets"].disabled
    linked.controls["buckets"].value = "frequency"
    assert "buckets" not in linked.figures
    linked.controls["system"].value = "tiny"
    assert not linked.controls["buckets"].disabled
    assert sorted(linked.figures) == VIEWS
    assert "words" in linked.frames["buckets"]


def test_reset_brings_everything_back_to_where_it_started(outputs, statistics, monkeypatch):
    linked = mtw.explore_differences(outputs, statistics, rng=1)
    start = {name: control.value for name, control in linked.controls.items()}
    assert start["system"] == "copy"
    linked.controls["system"].value = "tiny"
    linked.controls["buckets"].value = "domain"
    linked._links["contributions"].brushed = [3]
    drawn = []
    monkeypatch.setattr(linked, "_answer", lambda asked: drawn.append(asked["system"]))
    linked.reset()
    assert {name: control.value for name, control in linked.controls.items()} == start
    assert linked._links["contributions"].brushed == []
    assert len(linked.browser.frame) == 150
    assert drawn == ["copy"]


@pytest.mark.parametrize("when", ["bucket_segments", "compare"])
def test_after_an_interruption_the_page_is_what_it_was(monkeypatch, when):
    columns = {"domain": np.array([*"xyzuvwpqrstk"] * 10, dtype=object)}
    linked = mtw.explore_differences(None, make_statistics(columns=columns), rng=1)
    before = {name: control.value for name, control in linked.controls.items()}
    sentence, frames, code = linked.sentence, dict(linked.frames), dict(linked.code)
    assert before["system"] == "c"

    def interrupt(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(f"mtworkbench.widgets.linked_views.{when}", interrupt)
        if when == "compare":
            linked.controls["unit"].value = "domain"
        else:
            linked.controls["system"].value = "b"
    assert {name: control.value for name, control in linked.controls.items()} == before
    assert (linked.sentence, linked.code) == (sentence, code)
    assert all(linked.frames[name] is frames[name] for name in frames)
    assert [link.waiting for link in linked._links.values()] == [False] * 4
    [said] = linked._complaints.outputs
    assert "interrupted" in said["text"]
    linked.controls["system"].value = "b"
    assert " b - a = " in linked.sentence
    assert linked._complaints.outputs == ()


@pytest.mark.parametrize("error", [InputError("odd", "Something is odd."), ValueError("odd")])
def test_after_an_error_the_page_is_what_it_was(linked, monkeypatch, error):
    frames, sentence = dict(linked.frames), linked.sentence
    linked.controls["system"].value = "copy"
    linked.controls["system"].value = "tiny"

    def fail(*_, **__):
        raise error

    # The resamples and the contributions of another pair are drawn before its buckets fail.
    linked._views.draw_buckets.cache_clear()
    linked.controls["buckets"].value = "frequency"
    frames["buckets"] = linked.frames["buckets"]
    with monkeypatch.context() as patched:
        patched.setattr("mtworkbench.widgets.linked_views.bucket_segments", fail)
        if isinstance(error, InputError):
            linked.controls["buckets"].value = "domain"
            [said] = linked._complaints.outputs
            assert said["text"] == "Something is odd. The controls are back where they were.\n"
        else:
            with pytest.raises(ValueError, match="odd"):  # which the notebook shows below the controls
                linked.controls["buckets"].value = "domain"
    assert linked.controls["buckets"].value == "frequency"
    assert linked.sentence == sentence
    assert all(linked.frames[name].equals(frames[name]) for name in VIEWS)


def test_a_reset_brings_the_lists_back_but_keeps_notes(linked):
    tiny = linked.browser
    tiny.selection, tiny.left_out, tiny.query = [2], [3], {"text": "the"}
    tiny.written = {4: {"note": "odd", "tags": ""}}
    linked.controls["system"].value = "copy"
    linked.reset()
    linked.controls["system"].value = "tiny"
    assert linked.browser is tiny
    assert (tiny.selection, tiny.left_out, tiny.exploratory, tiny.query["text"]) == ([], [], {}, "")
    assert len(tiny.frame) == 150
    assert tiny.notes["note"].tolist() == ["odd"]


@pytest.mark.long
def test_outputs_are_flagged_once_whatever_they_are_compared_with(outputs, monkeypatch):
    third = outputs[outputs["system"] == "tiny"].assign(system="third")
    third.loc[third["segment"] % 2 == 0, "hypothesis"] = "other"
    four = pd.concat([outputs, third], ignore_index=True)
    flagged = []

    def flag(rows, system, *, run):
        flagged.append((system, run))
        return flag_segments(rows, system, run=run)

    monkeypatch.setattr("mtworkbench.analyses.segments.pages.flag_segments", flag)
    linked = mtw.explore_differences(four, mtw.compute_statistics(four, ["bleu", "chrf"]), "base", rng=1)
    linked.controls["system"].value = "tiny"
    linked.controls["metric"].value = "chrF"
    assert sorted(flagged) == [("base", 1), ("third", 1), ("tiny", 1)]


def test_the_page_is_pale_until_all_of_it_is_of_another_pair(linked, monkeypatch):
    seen = []
    draw = linked._views.draw_buckets

    def look(*given):
        seen.append("mtworkbench-waits" in linked._below._dom_classes)
        return draw(*given)

    monkeypatch.setattr(linked._views, "draw_buckets", look)
    linked.controls["system"].value = "copy"
    linked.controls["system"].value = "tiny"
    assert seen == [True]
    assert "mtworkbench-waits" not in linked._below._dom_classes


def test_the_code_of_a_picture_gives_its_one_colour(linked):
    for name in ("resamples", "buckets", "contributions"):
        assert "color=" not in linked.code[name]


def test_the_table_of_a_picture_can_be_copied(linked, monkeypatch):
    for name in VIEWS:
        sent = []
        monkeypatch.setattr(linked._links[name], "send", sent.append)
        linked._links[name]._send_table(None, {"kind": "table"}, [])
        assert sent == [{"kind": "table", "text": frame_to_csv(linked.frames[name], separator="\t")}]
        assert linked._links[name].called == name
    linked.controls["system"].value = "copy"
    sent.clear()
    linked._links["resamples"]._send_table(None, {"kind": "table"}, [])
    assert sent == []


def test_a_rectangle_restricts_the_segments_below(linked):
    link = linked._links["contributions"]
    link.brushed = [4, 7, 30]
    chosen = linked.frames["contributions"]["segment"].iloc[[4, 7, 30]].tolist()
    assert sorted(linked.browser.frame["segment"]) == chosen
    assert link.note == "3 segments of 150 selected, listed below."
    linked.browser.query = {**linked.browser.query, "text": "the"}
    assert link.brushed == [4, 7, 30]
    # Whoever drops the restriction below takes the rectangle back, too.
    linked.browser.query = {}
    assert link.brushed == []
    assert link.note == ""
    link.brushed = [0]
    linked.controls["system"].value = "copy"
    linked.controls["system"].value = "tiny"
    assert link.brushed == []
    assert len(linked.browser.frame) == 150


def test_a_bucket_that_is_clicked_shows_its_segments(linked):
    buckets, dots = linked._links["buckets"], linked._links["contributions"]
    linked.controls["buckets"].value = "domain"
    place = linked.frames["buckets"]["bucket"].tolist().index("domain 7")
    of_domain = [segment for segment in range(1, 151) if 7 * (segment - 1) % 12 == 7]
    for _ in range(2):  # also a second time, after all were shown
        buckets.clicked = place
        assert sorted(linked.browser.frame["segment"]) == of_domain
        assert sorted(dots.marks["segment"].iloc[dots.brushed]) == of_domain
        assert dots.note == f"{len(of_domain)} segments of 150 selected, listed below."
        linked.browser.query = {}
        assert dots.brushed == []
    linked.controls["buckets"].value = "length"
    place = linked.frames["buckets"]["bucket"].tolist().index("20-29")
    buckets.clicked = place
    lengths = linked.browser.frame["length_reference"]
    assert lengths.between(20, 29).all()
    assert len(lengths) == linked.frames["buckets"]["segments"][place]
    dots.brushed = []
    linked.controls["buckets"].value = "frequency"  # of words, which are in many segments
    buckets.clicked = 0
    assert dots.brushed == []


def test_statistics_alone_have_no_list_of_segments():
    linked = mtw.explore_differences(None, make_statistics(), rng=1)
    assert linked.browser is None
    assert sorted(linked.figures) == ["contributions", "estimates", "resamples"]
    assert "give the outputs" in linked._links["buckets"].caption
    assert [*linked.controls] == ["system"]
    with_domains = make_statistics(columns={"domain": np.array(["x", "y"] * 60, dtype=object)})
    linked = mtw.explore_differences(None, with_domains, rng=1)
    assert [*linked.controls] == ["unit", "system", "buckets"]
    assert linked.frames["buckets"]["bucket"].tolist() == ["x", "y"]


@pytest.mark.long
def test_metric_and_unit_can_be_chosen(outputs, statistics):
    chrf = mtw.compute_statistics(outputs, "chrf")
    linked = mtw.explore_differences(outputs, [statistics, chrf], "tiny", rng=1)
    linked.controls["metric"].value = "chrF"
    linked.controls["system"].value = "base"
    assert linked.sentence.startswith("chrF: base - tiny = ")
    exec(linked.code["contributions"], {"outputs": outputs, "statistics": [statistics, chrf]}, space := {})
    pd.testing.assert_frame_equal(space["contributions"], linked.frames["contributions"])
    with pytest.warns(DataWarning, match="Only 12 domains can be resampled"):
        expected = mtw.compare([statistics, chrf], "tiny", unit="domain", rng=1).metrics["chrF"]
    with pytest.warns(DataWarning, match="Only 12 domains can be resampled"):
        linked.browser.left_out = [1]
        linked.controls["unit"].value = "domain"
    assert linked.frames["estimates"].equals(expected.to_frame())
    # The list's own interval is by the same unit.
    kept = np.flatnonzero(chrf.test_set.segments != 1)
    part = chrf.take(kept)
    with pytest.warns(DataWarning, match="Only 12 domains can be resampled"):
        without = mtw.paired_bootstrap(part["base"], part["tiny"], unit="domain", rng=1)
    assert (
        f"{without.difference:+.2f} chrF, 95 % CI [{without.low:+.2f}, {without.high:+.2f}]"
        == (linked.browser.exploratory["difference"])
    )
    assert linked.browser.exploratory["by"].endswith("by domain")


def test_numbers_of_a_small_scale_keep_their_digits():
    scores = {
        name: np.random.default_rng(place).normal(0.8 + 0.002 * place, 0.005, 120) for place, name in enumerate("ab")
    }
    values = {name: np.stack([one, np.ones(120)], axis=-1)[None] for name, one in scores.items()}
    columns = {"domain": np.array(["x", "y"] * 60, dtype=object)}
    test_set = TestSet(np.arange(1, 121), None, "references", 1, columns=columns)
    statistics = SegmentStatistics(MeanScore(), values, test_set)
    linked = mtw.explore_differences(None, statistics, rng=1)
    for row, text in zip(linked.frames["buckets"].itertuples(), linked._links["buckets"].texts, strict=True):
        shown = f"{row.bucket}: {row.difference:+.4f}, 95 % CI [{row.low:.4f}, {row.high:.4f}], 60 segments"
        assert text == shown
        assert shown in linked._links["buckets"].alt
    contributions = linked.frames["contributions"]["contribution"]
    for value, text in zip(contributions, linked._links["contributions"].texts, strict=True):
        assert float(text.partition(": ")[2]) == pytest.approx(value, abs=1e-5)


def test_what_cannot_be_explored_is_refused():
    statistics = make_statistics()
    with pytest.raises(InputError, match="The baseline 'x' was asked for, but there are only 'a', 'b', 'c'."):
        mtw.explore_differences(None, statistics, "x")
    with pytest.raises(InputError, match="There is no difference to explore: the only system is 'a'."):
        mtw.explore_differences(None, make_statistics("a"))


def test_a_copy_stays_for_readers_without_a_kernel(linked, monkeypatch):
    shown = []
    monkeypatch.setattr("mtworkbench.widgets.screen.display", lambda *given, **_: shown.extend(given))
    linked._ipython_display_()
    live, copy = shown
    alts = re.findall('<img alt="([^"]*)"', copy["text/html"])
    assert alts[0].startswith("Differences from base in BLEU with their 95 % CI: ")
    assert "Documents are unknown: if sentences of one document are alike, p is too small" in alts[0]
    assert alts[1].startswith("Contributions of 150 segments against the number of words of the reference. ")
    name = re.match('<div class="([^"]*)">', copy["text/html"])[1]
    assert linked._screen.copy == name
    assert copy["text/plain"] == linked.sentence
