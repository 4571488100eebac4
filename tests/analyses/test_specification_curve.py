import numpy as np
import pandas as pd
import pytest

from mtworkbench import make_outputs, read_outputs
from mtworkbench.analyses.specification_curve import (
    CHOICES,
    _choices,
    compare_choices,
    describe_specifications,
    list_specifications,
    merge_alike,
    run_specifications,
)
from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.metrics import Bleu, Meteor
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import compute_statistics


def outputs_with_case():
    """One system that keeps words but not their case, one that keeps case but loses words."""
    random = np.random.default_rng(1)
    words = np.array(["Alpha", "beta", "Gamma", "delta", "Epsilon,", "zeta.", "eta", "Theta"])
    reference = [" ".join(random.choice(words, 10)) for _ in range(60)]
    lowered = [text.lower() for text in reference]
    lossy = [text.replace("beta", "other", 1) for text in reference]
    return make_outputs([reference], {"lowered": lowered, "lossy": lossy})


def unwrap(text):
    return " ".join(text.split())


@pytest.fixture(scope="module")
def curve():
    return run_specifications(outputs_with_case(), "lowered", "lossy", n_resamples=100, n_trials=200, rng=1)


def test_every_specification_is_a_row_in_order_of_gain(curve):
    assert len(curve) == len(list_specifications()) == 50
    assert list(curve["specification"]) == list(range(1, 51))
    assert curve["gain_percent"].is_monotonic_increasing
    assert set(curve["case"]) == {"kept", "ignored"}
    assert set(curve["smoothing"]) == {"exp", "floor", "add-k", "none", ""}
    assert (curve[curve["metric"] == "chrF"]["tokenizer"] == "").all()
    assert set(curve[curve["metric"] == "GTM-2"]["tokenizer"]) == {"13a", "none"}


def test_the_choice_of_case_turns_the_verdict(curve):
    bleu = curve[curve["metric"] == "BLEU"].groupby("case")
    assert (bleu.get_group("kept")["difference"] < 0).all()
    assert (bleu.get_group("ignored")["difference"] > 0).all()
    assert set(curve[curve["metric"] == "BLEU"]["verdict"]) == {"significant"}
    assert set(bleu.get_group("kept")["conclusion"]) == {"b better"}
    assert set(bleu.get_group("ignored")["conclusion"]) == {"a better"}


def test_a_row_is_what_compare_finds(curve):
    metric = Bleu(tokenize="intl", lowercase=False, smooth_method="floor")
    statistics = compute_statistics(outputs_with_case(), metric)
    pair = compare(statistics, "lossy", n_resamples=100, n_trials=200, rng=1).metrics["BLEU"].comparisons[0]
    row = curve[curve["signature"] == statistics.signature].squeeze()
    assert (row["difference"], row["low"], row["high"]) == pytest.approx((pair.difference, pair.low, pair.high))
    assert row["p_value"] == pair.p_value
    b_score = statistics.score()["lossy"][0, 0]
    assert row["gain_percent"] == pytest.approx(100 * pair.difference / b_score)


def test_an_unset_number_of_resamples_follows_the_level(monkeypatch):
    asked = []

    def compare_and_note(*arguments, **options):
        asked.append(options["n_resamples"])
        return compare(*arguments, **options)

    monkeypatch.setattr("mtworkbench.analyses.specification_curve.compare", compare_and_note)
    for level in (0.95, 0.99):
        run_specifications(outputs_with_case(), "lowered", "lossy", ["bleu"], level=level, n_trials=400, rng=1)
    assert asked == [1000, 2000]


def test_where_less_is_better_less_is_a_gain():
    frame = run_specifications(
        outputs_with_case(), "lossy", "lowered", ["ter:case_sensitive=true"], n_resamples=50, n_trials=100, rng=1
    )
    row = frame.squeeze()
    assert row["difference"] < 0 < row["gain_percent"]
    assert row["gain_low"] <= row["gain_percent"] <= row["gain_high"]
    assert (row["case"], row["tokenizer"], row["punctuation"]) == ("kept", "none", "kept")
    assert (row["verdict"], row["conclusion"]) == ("significant", "a better")


def test_what_is_chosen_for_meteor():
    """Without starting it: Java may be missing."""
    named = {"case": "ignored", "tokenizer": "meteor", "punctuation": "kept", "smoothing": ""}
    assert _choices(Meteor(modules="exact stem")) == named | {"modules": "exact stem"}
    bare = _choices(Meteor(norm=False, punctuation=False))
    assert (bare["case"], bare["tokenizer"], bare["punctuation"]) == ("kept", "none", "removed")
    assert bare["modules"] == "exact stem synonym paraphrase"


def test_what_cannot_be_compared_is_refused():
    outputs = outputs_with_case()
    with pytest.raises(InputError, match="^There is no system 'new' in the outputs, which have 'lowered', 'lossy'"):
        run_specifications(outputs, "new", "lossy")
    with pytest.raises(InputError, match="^Length has no direction, so no system gains under it: leave it out"):
        run_specifications(outputs, "lowered", "lossy", ["length"])


def test_figures_draw_the_rows(curve):
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib import pyplot as plt

    from mtworkbench.plots.specifications import draw_specifications

    figure = draw_specifications(curve)
    above, below = figure.axes
    dots = pd.concat([pd.DataFrame(line.get_xydata()) for line in above.get_lines()[1:]])
    assert sorted(map(tuple, dots.to_numpy())) == sorted(
        zip(curve["specification"].astype(float), curve["gain_percent"], strict=True)
    )
    labels = [label.get_text() for label in below.get_yticklabels()]
    row = labels.index("smoothing: add-k")
    drawn = next(line for line in below.get_lines() if len(line.get_ydata()) and set(line.get_ydata()) == {row})
    assert list(drawn.get_xdata()) == list(curve[curve["smoothing"] == "add-k"]["specification"])
    plt.close(figure)


@pytest.fixture(scope="module")
def flores_curve():
    """Every metric and option on a quarter of the readable sample."""
    folder, names = find_shipped("data/flores"), ("bergamot-base", "bergamot-base-memory")
    systems = {name: folder / f"{name}.txt" for name in names}
    outputs = read_outputs(folder / "reference.txt", systems, accept="invisible-chars")
    metrics = list_specifications(with_ter=True)
    part = outputs[outputs["segment"] % 4 == 1]
    return run_specifications(part, *names, metrics, n_resamples=400, n_trials=200, rng=1)


@pytest.mark.long
def test_on_real_text_only_smoothing_makes_no_difference(flores_curve):
    assert len(flores_curve) == 58
    merged = merge_alike(flores_curve)
    assert len(merged) == 34
    assert list(merged["specification"]) == list(range(1, 35))
    assert set(merged[merged["metric"] == "BLEU"]["smoothing"]) == {"exp, floor, add-k, none"}
    # No two points are alike: neither in what was chosen nor in what came out.
    assert not merged.duplicated(list(CHOICES)).any()
    assert merged["gain_percent"].diff().min() > 1e-4
    results = merged[["gain_percent", "gain_low", "gain_high"]].round(4)
    assert not results.duplicated().any()
    exact = flores_curve[flores_curve["smoothing"].isin(["exp", "floor", "none"])]
    assert (exact.groupby(["case", "tokenizer"])[["gain_percent", "p_value"]].nunique() == 1).all(axis=None)


@pytest.mark.long
def test_every_choice_is_a_row_of_the_figure(flores_curve):
    from mtworkbench.plots.specifications import plot_choices

    merged = merge_alike(flores_curve)
    ax = plot_choices(merged)
    labels = [label.get_text() for label in ax.get_yticklabels()]
    marks = {name: set() for name in merged["specification"]}
    for line in ax.get_lines():
        if line.get_marker() == "|":
            for x, y in line.get_xydata():
                marks[int(x)].add(labels[int(y)])
    for row in merged.to_dict("records"):
        named = {f"{choice}: {row[choice]}" for choice in ("case", "tokenizer", "punctuation") if row[choice]}
        assert marks[row["specification"]] == {row["metric"], *named}
    assert len(set(map(frozenset, marks.values()))) == len(merged)
    assert not any("smoothing" in label for label in labels)


def test_smoothing_that_matters_is_not_merged():
    """Without a matching 4-gram, smoothing decides."""
    hypotheses = {"x": ["a b c z e f", "g h i z k l"] * 20, "y": ["a b z z f", "g h z z l"] * 20}
    source = [f"segment {number}" for number in range(40)]  # without which segments would repeat
    outputs = make_outputs([["a b c d e f", "g h i j k l"] * 20], hypotheses, source=source)
    metrics = [Bleu("none", smooth_method=method) for method in ("exp", "floor", "add-k")]
    curve = run_specifications(outputs, "x", "y", metrics, n_resamples=50, n_trials=100, rng=1)
    assert len(merge_alike(curve)) == 3
    zero = run_specifications(outputs, "x", "y", [Bleu("none", smooth_method="none")], n_trials=100, rng=1)
    assert np.isnan(zero["gain_percent"][0]) and zero["conclusion"][0] == "open"
    assert "\n" not in describe_specifications(zero)


def made_up_curve(rows):
    """Specifications of which only metric, case, tokenizer, gain and verdict matter."""
    frame = pd.DataFrame(rows, columns=["metric", "case", "tokenizer", "gain_percent", "verdict"])
    more = dict.fromkeys(("punctuation", "smoothing", "modules"), "")
    gain, significant = frame["gain_percent"], frame["verdict"] == "significant"
    more["conclusion"] = np.select([~significant, gain > 0], ["open", "a better"], "b better")
    return frame.assign(specification=range(1, len(frame) + 1), a="new", b="old", p_value=0.5, **more)


def test_choices_that_change_the_conclusion():
    rows = [
        ("BLEU", "kept", "13a", 2.0, "significant"),
        ("BLEU", "ignored", "13a", -1.0, "significant"),
        ("BLEU", "kept", "none", 1.0, "significant"),
        ("chrF", "kept", "", 0.5, "undecided"),
        ("chrF", "ignored", "", 0.4, "not significant"),
    ]
    # case: BLEU 13a, but not chrF, half of which is undecided; tokenizer: BLEU kept; metric: ignored, but not kept.
    expected = {"metric": (1, 1, 2), "case": (1, 1, 1), "tokenizer": (1, 0, 0)}
    counts = compare_choices(made_up_curve(rows)).set_index("choice")
    assert {choice: tuple(row) for choice, row in counts.iterrows()} == expected
    assert unwrap(describe_specifications(made_up_curve(rows))) == (
        "Of 5 specifications, 2 call new better, 1 calls old better, and 2 leave it open (of these, 1 undecided: p "
        "is too close to the level). "
        "The gain of new over old is -1.00 % to +2.00 %. "
        "Choices that change the conclusion, in pairs of specifications that differ in nothing else: "
        "metric (in 1 of 1 pair), case (in 1 of 1 pair). "
        "Choices that never change the conclusion, in pairs of specifications that differ in nothing else: "
        "tokenizer (1 pair). "
        "3 further pairs are not counted, because the verdict of one or both specifications is undecided."
    )
    few = describe_specifications(made_up_curve(rows[:1] + [rows[3]]))
    assert "1 further pair is not counted, because" in unwrap(few)
    assert "Choices" not in few
    undecided = describe_specifications(made_up_curve(rows[3:4]))
    assert "and 1 leaves it open (of these, 1 undecided: p is too close to the level)." in unwrap(undecided)
    assert describe_specifications(made_up_curve(rows[:1])) == (
        "Of 1 specification, 1 calls new better, 0 call old better, and 0 leave it open.\n"
        "The gain of new over old is +2.00 % to +2.00 %."
    )


def test_removing_punctuation_is_no_change_of_metric():
    """TER without punctuation differs from BLEU in the text that is scored, too."""
    rows = [
        ("BLEU", "kept", "13a", 2.0, "significant"),
        ("TER", "kept", "tercom", 1.0, "not significant"),
        ("TER", "kept", "tercom", 1.5, "significant"),
        ("chrF", "kept", "", 1.2, "significant"),
        ("METEOR", "kept", "", 1.3, "not significant"),
    ]
    frame = made_up_curve(rows).assign(punctuation=["", "kept", "removed", "", "removed"])
    counts = compare_choices(frame).set_index("choice")
    # metric: TER as it is with chrF, BLEU with chrF, and TER with METEOR, both without punctuation.
    assert counts.loc["metric", ["pairs", "changed"]].tolist() == [3, 2]
    assert counts.loc["punctuation", ["pairs", "changed"]].tolist() == [1, 1]
