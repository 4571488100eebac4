"""explore_comparison: whatever the controls say, it shows what the table of the same settings shows."""

import itertools
from dataclasses import replace

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from mtworkbench import compute_statistics
from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import Length, MeanScore
from mtworkbench.plots.comparisons import LOOK, RUN_COLOR
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.widgets import comparison as comparison_module
from mtworkbench.widgets import explore_comparison
from mtworkbench.words.sentences import describe_pair


@pytest.fixture(autouse=True)
def without_window():
    mpl.use("Agg")


@pytest.fixture(scope="module")
def statistics():
    """Two metrics, four systems, 40 documents of three segments: some differences hold alone, not in the family."""
    draws = np.random.default_rng(3)
    shared = draws.normal(0, 1, 120)
    scores = {name: shared + draws.normal(shift, 1, 120) for name, shift in zip("abcd", (0, 0.2, 0.33, 1), strict=True)}
    documents = np.array([f"document {segment // 3}" for segment in range(120)], dtype=object)
    test_set = TestSet(np.arange(1, 121), documents, "references", 1)
    means = {name: np.stack([values[None], np.ones((1, 120))], axis=-1) for name, values in scores.items()}
    lengths = {
        name: np.stack([20 + np.round(values[None]), np.full((1, 120), 20.0)], axis=-1).astype(np.int64)
        for name, values in scores.items()
    }
    return [
        SegmentStatistics(MeanScore("adequacy", higher_is_better=True), means, test_set),
        SegmentStatistics(Length(), lengths, test_set),
    ]


def positions(*controls):
    values = ([one[1] if isinstance(one, tuple) else one for one in control.options] for control in controls)
    return itertools.product(*values)


def pairwise(*controls):
    """Yield positions in which each value of a control meets each of every other: few, and yet all of two controls."""
    pairs = {position: set(itertools.combinations(enumerate(position), 2)) for position in positions(*controls)}
    unmet = set().union(*pairs.values())
    while unmet:
        position = max(pairs, key=lambda one: len(pairs[one] & unmet))
        unmet -= pairs[position]
        yield position


def expected(found, metric, system, baseline):
    (pair,) = [pair for pair in found.metrics[metric].comparisons if {pair.a, pair.b} == {system, baseline}]
    return pair if pair.a == system else pair.turned()


def drawn_difference(explorer):
    (line,) = [line for line in explorer.figure.axes[0].lines if len(line.get_xdata()) == 3]
    return list(line.get_xdata())


@pytest.mark.long
def test_the_positions_of_the_menus_agree_with_the_table(statistics):
    explorer = explore_comparison(statistics, "a", rng=1)
    controls = {name: explorer.controls[name] for name in ("unit", "baseline", "metric", "system")}
    tables, seen = {}, set()
    for unit, baseline, metric, system in pairwise(*controls.values()):
        for control, value in zip(controls.values(), (unit, baseline, metric, system), strict=True):
            control.value = value
        if system == baseline:
            assert "choose another system" in explorer.sentence
            continue
        if (unit, baseline) not in tables:
            tables[unit, baseline] = compare(statistics, baseline, unit=unit, rng=1)
        table = tables[unit, baseline]
        pair = expected(table, metric, system, baseline)
        sentence = f"{metric}: {describe_pair(pair, table.metrics[metric])}."
        assert sentence in explorer.sentence
        assert "p (max-T) " in sentence
        assert drawn_difference(explorer) == pytest.approx([pair.ends.low, pair.difference, pair.ends.high], rel=1e-12)
        seen.add(pair.conclusion)
    assert {"not shown", "shown on these outputs; new runs unknown"} <= seen


@pytest.mark.parametrize("level", [0.5, 0.99])
def test_the_level_is_that_of_the_comparison(statistics, level):
    explorer = explore_comparison(statistics[0], rng=1)
    explorer.controls["level"].value = level
    table = compare(statistics[0], "a", level=level, rng=1)
    pair = expected(table, "adequacy", "d", "a")
    assert describe_pair(pair, table.metrics["adequacy"]) in explorer.sentence


def test_another_metric_or_system_draws_nothing_anew(statistics, monkeypatch):
    calls = []

    def counted(*arguments, **options):
        calls.append(options)
        return compare(*arguments, **options)

    monkeypatch.setattr(comparison_module, "compare", counted)
    controls = explore_comparison(statistics, "a", rng=1).controls
    controls["system"].value = "b"
    controls["metric"].value = "Length"
    assert len(calls) == 1
    controls["level"].value = 0.9
    assert len(calls) == 2


def test_a_comparison_is_shown_as_it_is(statistics, monkeypatch):
    table = compare(statistics, "b", unit="segment", level=0.9, rng=5)
    monkeypatch.setattr(comparison_module, "compare", None)
    explorer = explore_comparison(table)
    assert list(explorer.controls) == ["metric", "system"]
    for metric, system in positions(*explorer.controls.values()):
        explorer.controls["metric"].value, explorer.controls["system"].value = metric, system
        pair = expected(table, metric, system, "b")
        assert describe_pair(pair, table.metrics[metric]) in explorer.sentence
    assert "90 % CI" in explorer.sentence


def test_documents_that_are_known_are_not_called_unknown(statistics):
    """The figure of one pair rests on what the whole comparison rests on."""
    table = compare(statistics, "a", unit="segment", rng=5)
    explorer = explore_comparison(table)
    said = " ".join(" ".join(text.get_text() for text in explorer.figure.texts).split())
    assert "The documents are known, but not used as units: if sentences of one document are alike, p" in said
    assert [one.code for one in table.assumptions][0] == "unused-documents"


@pytest.mark.long
def test_a_comparison_of_all_pairs_shows_every_pair_either_way(statistics):
    table = compare(statistics[0], rng=5)
    explorer = explore_comparison(table)
    assert list(explorer.controls) == ["metric", "system", "baseline"]
    for metric, system, baseline in positions(*explorer.controls.values()):
        for name, value in (("metric", metric), ("system", system), ("baseline", baseline)):
            explorer.controls[name].value = value
        if system != baseline:
            pair = expected(table, metric, system, baseline)
            assert describe_pair(pair, table.metrics[metric]) in explorer.sentence
            low, high, _ = pair.ends
            assert drawn_difference(explorer) == pytest.approx([low, pair.difference, high], rel=1e-12)
            assert "p (max-T) " in explorer.sentence


def looks_of(explorer):
    """The colour of each system's mark by its name, from the rows as they are written."""
    written = {text.get_text(): text.get_position()[1] for text in explorer.figure.texts}
    names = sorted((name for name in "abcd" if name in written), key=written.get, reverse=True)
    marks = {
        line.get_ydata()[0]: line.get_color()
        for line in explorer.figure.axes[0].lines
        if line.get_label() == "_baseline" or len(line.get_xdata()) == 3
    }
    return dict(zip(names, [marks[y] for y in sorted(marks)], strict=True))


@pytest.mark.long
def test_every_difference_has_one_colour_whatever_the_menus_say(statistics):
    explorer = explore_comparison(compare(statistics[0], rng=5))
    for system, baseline in positions(explorer.controls["system"], explorer.controls["baseline"]):
        if system != baseline:
            explorer.controls["system"].value, explorer.controls["baseline"].value = system, baseline
            assert looks_of(explorer) == {system: LOOK["color"], baseline: RUN_COLOR}


@pytest.mark.long
def test_baseline_stands_in_the_row_of_the_baseline(statistics):
    for explorer in (explore_comparison(compare(statistics[0], rng=5)), explore_comparison(statistics[0], rng=5)):
        for system, baseline in zip("abcd", "bcda", strict=True):
            explorer.controls["system"].value, explorer.controls["baseline"].value = system, baseline
            heights = {text.get_text(): text.get_position()[1] for text in explorer.figure.texts}
            assert heights[baseline] != heights[system]
            assert any(text.startswith(f"= {baseline} (") for text in heights)


def test_what_is_neither_statistics_nor_a_comparison_is_refused(statistics):
    with pytest.raises(InputError) as refused:
        explore_comparison("outputs")
    assert refused.value.code == "no-statistics"
    with pytest.raises(InputError, match=r"^The baseline 'c' was asked for, but there are only 'b'\.$") as refused:
        explore_comparison(compare(statistics[0], "b", rng=1), "c")
    assert refused.value.code == "unknown-system"


def test_one_system_is_shown_without_a_comparison(statistics):
    one = replace(statistics[0], values={"a": statistics[0].values["a"]})
    assert "choose another system" in explore_comparison(one, rng=1).sentence
    assert "choose another system" in explore_comparison(compare(one, "a", rng=1)).sentence


@pytest.mark.long
def test_metrics_may_have_different_systems(statistics):
    """A system that one metric lacks can be chosen, and the sentence says what there is not."""
    adequacy, lengths = statistics
    partial = replace(lengths, values={name: lengths.values[name] for name in "ac"})
    said = "There are no statistics of Length for d."
    for given in ([adequacy, partial], [partial, adequacy]):
        table = compare(given, "a", rng=1)
        for explorer in (explore_comparison(given, "a", rng=1), explore_comparison(table)):
            controls = explorer.controls
            assert {value for _, value in controls["system"].options} >= set("bcd")
            for metric, system in positions(controls["metric"], controls["system"]):
                controls["metric"].value, controls["system"].value = metric, system
                if system == "a":
                    assert explorer.sentence == "System and baseline are the same: choose another system."
                elif metric == "Length" and system in "bd":
                    assert explorer.sentence == said.replace("d.", f"{system}.")
                else:
                    pair = expected(table, metric, system, "a")
                    assert explorer.sentence == f"{metric}: {describe_pair(pair, table.metrics[metric])}."


def test_the_baseline_may_be_lacking_under_one_metric(statistics):
    adequacy, lengths = statistics
    partial = replace(lengths, values={name: lengths.values[name] for name in "ac"})
    explorer = explore_comparison(compare([adequacy, partial], rng=1))
    for name, value in (("metric", "Length"), ("system", "c"), ("baseline", "b")):
        explorer.controls[name].value = value
    assert explorer.sentence == "There are no statistics of Length for b."
    explorer.controls["system"].value = "d"  # neither is there
    assert explorer.sentence == "There are no statistics of Length for d."
    assert explorer.figure.axes == []
    only_b = replace(lengths, values={"b": lengths.values["b"]})
    explorer = explore_comparison([only_b, adequacy], rng=1)
    assert explorer.controls["baseline"].value == "b"
    with pytest.raises(InputError, match=r"^The baseline 'x' was asked for, but there are only 'b', 'a', 'c', 'd'\.$"):
        explore_comparison([only_b, adequacy], "x", rng=1)


def run_code(code, **given):
    exec(code, given)
    return given


@pytest.mark.parametrize("baseline", ["a", "d"])
def test_the_row_of_a_difference_opens_its_resamples(statistics, baseline):
    explorer = explore_comparison(statistics, baseline, rng=1)
    explorer.controls["metric"].value, explorer.controls["system"].value = "Length", "b"
    link, opened = explorer._links["figure"], explorer._links["opened"]
    table = compare(statistics, baseline, rng=1)
    pair = expected(table, "Length", "b", baseline)
    assert link.texts == [describe_pair(pair, table.metrics["Length"])]
    assert link.marks["x"].tolist() == pytest.approx([pair.difference])
    link.clicked = 0
    assert explorer.frames["opened"]["difference"].tolist() == pair.bootstrap.differences.tolist()
    assert explorer.browser is None
    assert opened.caption.startswith("Give outputs=... of two systems to read the sentences. b - ")
    for name, code in explorer.code.items():
        frame = run_code(code, statistics=statistics)["frame"]
        assert frame.equals(explorer.frames[name])
    assert explorer.frames["figure"].equals(table.metrics["Length"].to_frame())


def test_a_comparison_of_all_pairs_opens_them_either_way(statistics):
    table = compare(statistics[0], rng=5)
    explorer = explore_comparison(table)
    for system, baseline in (("d", "a"), ("a", "d")):
        explorer.controls["system"].value, explorer.controls["baseline"].value = system, baseline
        explorer._links["figure"].clicked = 0
        found = run_code(explorer.code["opened"], comparison=table)["found"]
        assert (found.a, found.b) == (system, baseline)
        assert explorer.frames["opened"]["difference"].tolist() == found.differences.tolist()
    explorer.controls["system"].value = "d"  # against itself: there is no row
    assert explorer._links["figure"].texts == []


def test_outputs_add_the_sentences_of_both_systems():
    words = ["the", "cat", "sat", "on", "the", "mat"]
    outputs = pd.concat(
        pd.DataFrame({"segment": range(1, 31), "reference": " ".join(words), "system": name, "run": 1}).assign(
            hypothesis=[" ".join(words[: 3 + (place + shift) % 4]) for place in range(30)]
        )
        for shift, name in enumerate("abc")
    )
    explorer = explore_comparison(compute_statistics(outputs, "bleu"), "a", outputs, rng=1)
    explorer.controls["system"].value = "b"
    explorer._links["figure"].clicked = 0
    assert "Give outputs" not in explorer._links["opened"].caption
    texts = outputs.set_index(["system", "segment"])["hypothesis"]
    for row in explorer.browser.frame.itertuples():
        assert (row.hypothesis, row.hypothesis_baseline) == (texts["b", row.segment], texts["a", row.segment])
    assert len(explorer.browser.frame) == 30
