"""docs/what_a_difference_means.md is what its script writes from data/people, whose numbers are those of what ships."""

import runpy

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import mtworkbench as mtw
from benchmarks import people
from mtworkbench.analyses.agreement import tabulate_pairs

from .conftest import ROOT

SCRIPT = runpy.run_path(str(ROOT / "scripts" / "write_people.py"))


def pairs_of(*rows, metric="BLEU", human="MQM", name="one"):
    """Pairs, given as (a, b, human difference, difference, verdicts of people and of the metric)."""
    columns = ["a", "b", "human_difference", "difference", "human_verdict", "verdict"]
    frame = pd.DataFrame(rows, columns=columns).assign(set=name, year=2023, languages="en-de", metric=metric)
    frame["human"] = human
    agree = np.sign(frame["human_difference"]) == np.sign(frame["difference"])
    return frame.assign(size=frame["difference"].abs(), agree=agree)


THREE = pairs_of(
    ("x", "y", 1.0, 0.4, "significant", "not significant"),
    ("x", "z", 2.0, -0.5, "significant", "significant"),
    ("y", "z", 0.5, 0.9, "not significant", ""),
)


def test_the_page_is_what_the_script_writes():
    written = SCRIPT["write_page"](SCRIPT["load_pairs"]())
    page = (ROOT / "docs" / "what_a_difference_means.md").read_text(encoding="utf-8")
    assert page == written, "run python scripts/write_people.py"


def test_pairs_are_counted_as_by_hand():
    """Two of three pairs agree; three systems have one pair at most that shares none: 2 / 3 of one pair."""
    counts = SCRIPT["count_pairs"](THREE)
    assert (counts["pairs"], counts["disjoint"]) == (3, 1)
    assert counts["share"] == pytest.approx(2 / 3)
    assert (counts["shown_by_people"], counts["people_agree"]) == (2, 1)
    assert (counts["tested"], counts["shown_by_metric"], counts["metric_agrees"]) == (2, 1, 0)
    assert SCRIPT["show_counts"](counts)[2:] == ["2 of 3", "1 of 2", "1 of 2", "0 of 1"]
    other = pairs_of(("x", "y", 1.0, 0.4, "", ""), name="other")
    counts = SCRIPT["count_pairs"](pd.concat([other, other.assign(set="third"), other.assign(set="fourth")]))
    assert (counts["disjoint"], counts["share"], counts["high"]) == (3, 1, 1)
    assert counts["low"] == pytest.approx(0.025 ** (1 / 3))  # Clopper and Pearson, three of three


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [("ab", 1), ("ab bc", 1), ("ab bc cd", 2), ("ab ac ad", 1), ("ab ac bc de", 2), ("ab bc cd de ef fa ad", 3)],
)
def test_the_largest_number_of_pairs_that_share_no_system(pairs, expected):
    rows = [(pair[0], pair[1], 1.0, 1.0, "", "") for pair in pairs.split()]
    assert SCRIPT["count_disjoint"](pairs_of(*rows)) == expected


def test_sizes_begin_at_the_edge_of_a_row():
    counted = SCRIPT["count_by_size"](THREE)
    assert counted[["from", "to", "pairs", "share"]].to_numpy().tolist() == [[0, 0.5, 1, 1], [0.5, 1, 2, 0.5]]
    assert [SCRIPT["name_sizes"](*ends) for ends in ((0.0, 0.5), (0.5, 1.0), (10.0, np.inf))] == [
        "below 0.5", "0.5 to 1", "10 or more",
    ]  # fmt: skip
    assert SCRIPT["say_where_it_falls"](counted) == (
        "With BLEU, the share does not always grow with the size of the difference."
    )
    assert SCRIPT["say_where_it_falls"](counted.iloc[::-1].reset_index()) == ""


def test_the_first_judgement_of_a_set_is_the_one_that_counts():
    both = pd.concat([THREE, THREE.assign(human="DA"), THREE.assign(human="DA", set="two")])
    first = SCRIPT["judged_first"](both)
    assert first.groupby("set")["human"].unique().map(list).to_dict() == {"one": ["MQM"], "two": ["DA"]}


def test_the_figure_shows_the_table():
    counted = SCRIPT["count_by_size"](SCRIPT["judged_first"](SCRIPT["load_pairs"]()))
    figure = SCRIPT["draw_shares"](counted)
    for ax, metric in zip(figure.axes, SCRIPT["METRICS"], strict=True):
        own = counted[counted["metric"] == metric]
        [container] = ax.containers
        dots, _, [bars] = container
        assert dots.get_xdata() == pytest.approx(own["median"])
        assert dots.get_ydata() == pytest.approx(100 * own["share"])
        ends = np.array([segment[:, 1] for segment in bars.get_segments()])
        assert ends == pytest.approx(100 * own[["low", "high"]].to_numpy())
        assert ax.get_xlabel() == f"difference in {metric} (points)"
    plt.close(figure)


# ---- what it is computed from


@pytest.fixture(scope="module")
def shipped():
    """MQM, COMET, BLEU and chrF of WMT 2023, as they ship."""
    folder = mtw.find_shipped("data/wmt23-en-de")
    scores = mtw.read_table(folder / "scores.tsv.gz")
    texts = mtw.load_statistics(folder / "text_metrics.stats")
    scores = scores[scores["system"].isin(list(texts[0]))]
    scores["COMET-refA"] *= 100
    means = [mtw.MeanScore("mqm", name="MQM"), mtw.MeanScore("COMET-refA", name="COMET")]
    return [*texts, *mtw.compute_statistics(scores, means)]


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_both_files_have_what_is_computed_from_the_shipped_scores(shipped):
    found = mtw.compare(shipped, rng=people.SEED)
    stored = SCRIPT["load_pairs"]()
    stored = stored[(stored["set"] == "WMT 2023") & (stored["languages"] == "en-de") & (stored["human"] == "MQM")]
    computed = tabulate_pairs(found, "MQM")
    key, numbers = ["metric", "a", "b"], ["human_difference", "difference"]
    both = stored.merge(computed, on=key, suffixes=("", "_here"))
    assert len(both) == len(computed) == 198
    for name in numbers:
        np.testing.assert_allclose(both[name], both[f"{name}_here"], atol=1e-5)
    for name in ("human_verdict", "verdict"):
        assert (both[name] == both[f"{name}_here"]).all()
    effects = pd.read_csv(people.FOLDER / "design_effects.csv")
    both = effects[(effects["languages"] == "en-de")].merge(found.to_frame(), on=key, suffixes=("", "_here"))
    assert len(both) == 198
    np.testing.assert_allclose(both["design_effect"], both["design_effect_here"], atol=1e-5)


def test_no_pair_of_the_files_is_missing_or_there_twice():
    """All pairs of as many systems as the data card says."""
    stored, effects = SCRIPT["load_pairs"](), pd.read_csv(people.FOLDER / "design_effects.csv")
    n_pairs = {"en-de": (66, 78), "he-en": (66,), "ru-en": (45,), "uk-en": (55,)}
    for (name, languages, *_), rows in stored.groupby(["set", "languages", "human", "metric"]):
        assert len(rows) == n_pairs[languages][name == "TED 2021"]
    for (languages, _), rows in effects.groupby(["languages", "metric"]):
        assert len(rows) == n_pairs[languages][0]
        assert (rows["n_documents"] >= 6).all()


@pytest.mark.filterwarnings("ignore::mtworkbench.errors.DataWarning")
def test_the_stored_numbers_are_those_of_the_real_texts(shared):
    """The talks, of which nothing else ships: published means of MQM are in their repository's README."""
    [ted] = [one for one in people.SETS if one.name == "TED 2021"]
    outputs = ted.read(shared / "realdata")
    assert outputs["system"].nunique() == 13 and outputs["segment"].nunique() == 529
    means = outputs.groupby("system")["mqm"].mean().round(2)
    assert means[["Facebook-AI", "Online-W", "VolcTrans-AT"]].tolist() == [1.06, 1.12, 1.24]
    stored = SCRIPT["load_pairs"]()
    pair = stored[(stored["set"] == "TED 2021") & (stored["metric"] == "BLEU")].set_index(["a", "b"])
    difference = pair.loc[("Facebook-AI", "Online-W"), "human_difference"]
    assert difference == pytest.approx(1.12 - 1.06, abs=0.01)
