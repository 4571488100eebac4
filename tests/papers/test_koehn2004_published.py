"""What is printed, beside what comes out; the claims as numbers."""

import warnings

import numpy as np
import pandas as pd
import pytest

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference import paired_bootstrap
from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.papers import koehn2004 as study
from mtworkbench.papers.common.claims import lay_beside
from mtworkbench.papers.koehn2004 import claims as claims_module
from mtworkbench.papers.simulation.koehn2004 import load_statistics as load_koehn2004_statistics
from mtworkbench.resampling import resolve_rng
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

LEADING = ["quantity", "paper", "here", "difference"]
TESTS_200, TESTS_400 = (TestSet(np.arange(1, n + 1), None, "made up", 1) for n in (200, 400))


@pytest.fixture(scope="module")
def statistics():
    random = np.random.default_rng(8)
    lengths = random.integers(8, 40, 1800)
    hard = np.repeat(random.normal(0, 0.1, 1800 // 20), 20) + random.normal(0, 0.1, 1800)
    values = {}
    for name, level in (("Spanish", 0.62), ("Danish", 0.6), ("Portuguese", 0.605)):
        rate = np.clip(level + hard, 0.05, 0.95)
        ngrams = [lengths - order for order in range(4)]
        matches = [random.binomial(count, rate ** (order + 1)) for order, count in enumerate(ngrams)]
        values[name] = np.stack([lengths, lengths, *matches, *ngrams], axis=1)[None]
    return SegmentStatistics(Bleu(), values, TestSet(np.arange(1, 1801), None, "made up", 1))


def test_what_the_paper_does_not_have_is_nan():
    frame = lay_beside({"a": 1, "c": 3}, {"a": 1.5, "b": 2}, {"a": "number of a", "b": "number of b"}.__getitem__)
    assert list(frame.columns) == LEADING
    assert list(frame["quantity"]) == ["number of a", "number of b"]
    assert frame["difference"][0] == 0.5
    assert np.isnan(frame["paper"][1])
    assert np.isnan(frame["difference"][1])


def test_table_1_finds_the_papers_systems(statistics):
    frame = study.table1_beside_paper(statistics).set_index("quantity")
    assert frame.loc["Spanish, BLEU", "paper"] == 28.9
    assert frame.loc["Danish, 4-gram precision (%)", "paper"] == 13.3
    assert frame.loc["Danish, BLEU", "here"] == pytest.approx(statistics["Danish"].score()[0, 0])


def counted(length: int, reference: int, four_grams: int) -> np.ndarray:
    """BLEU's statistics of one run of one segment, in which all shorter n-grams match."""
    ngrams = [length - order for order in range(4)]
    return np.array([[[length, reference, *ngrams[:3], four_grams, *ngrams]]])


def test_table_1_says_what_length_costs():
    values = {"short": counted(80, 100, 77), "long": counted(103, 100, 100)}
    frame = study.tabulate_systems(SegmentStatistics(Bleu(), values, TestSet(np.ones(1, int), None, "made up", 1)))
    assert frame["length_ratio"].tolist() == [0.8, 1.03]
    assert frame["brevity_penalty"].tolist() == pytest.approx([np.exp(1 - 100 / 80), 1])


def test_the_lowest_system_is_laid_beside_the_highest():
    values = {"low": counted(103, 100, 20), "middle": counted(103, 100, 45), "high": counted(103, 100, 50)}
    made = SegmentStatistics(Bleu(), values, TestSet(np.ones(1, int), None, "made up", 1))
    tables = study.read_published("table1"), study.tabulate_systems(made)
    paper, here = (claims_module._precisions(table)["half_precision"] for table in tables)
    assert (paper, here) == (pytest.approx(100 * 7.8 / 14.7), pytest.approx(40))


def test_losses_are_those_of_the_shortest_output():
    rows = [("x", "BLEU", 0.85, 80.0), ("x", "BLEU", 1.0, 100.0), ("y", "BLEU", 1.2, 90.0), ("y", "BLEU", 0.85, 70.0)]
    rows += [("x", "GTM-2", 0.85, 95.0), ("x", "GTM-2", 1.0, 100.0)]
    found = study.examine_length_claims(pd.DataFrame(rows, columns=["system", "metric", "ratio", "percent"]))
    assert found.set_index("key")["here"].to_dict() == {"short_bleu": 25.0, "short_gtm": 5.0}


def test_table_2_is_off_where_the_paper_slips():
    frame = study.table2_beside_paper().set_index("quantity")["difference"]
    assert len(frame) == 12
    assert frame.notna().all()
    assert frame["t at 99 % for n = 600"] == pytest.approx(0, abs=5e-5)
    assert frame["t at 95 % for n = 100"] == pytest.approx(1.9842 - 1.9849, abs=5e-5)


def test_table_3_has_every_cell_of_the_paper():
    printed = study.read_published("table3")
    frame = study.table3_beside_paper(printed)
    assert len(frame) == 72
    assert (frame["difference"] == 0).all()
    arranged = study.arrange_table3(printed)
    assert arranged.loc[("Spanish better than Portuguese", "1.5"), 100] == "33/1.0"
    assert arranged.loc[("Danish better than German", "4.3"), 3000] == "100"
    assert len(study.published_pairs()) == 9
    close = study.arrange_table3(printed.assign(true_difference=0.02))
    assert set(close.index.get_level_values("difference")) == {"0.02"}
    closer = study.arrange_table3(printed.assign(true_difference=0.0004))
    assert set(closer.index.get_level_values("difference")) == {"0.0004"}


def test_table_4_has_every_bin_of_the_paper():
    frame = study.table4_beside_paper(study.read_published("table4"))
    assert len(frame) == 18
    assert (frame["difference"] == 0).all()


def test_bins_are_called_as_the_paper_calls_them(statistics):
    conclusions = study.conclude_on_sizes(statistics, [("Spanish", "Danish")], (60,), n_resamples=100, rng=1)
    assert list(study.bin_conclusions(conclusions)["bin"]) == list(study.read_published("table4")["bin"])


def test_what_is_said_of_the_figures_is_found(statistics):
    frame = study.figures_beside_paper(statistics, n_resamples=400, rng=1).set_index("quantity")
    concluded = study.conclude(
        statistics, [("Spanish", "Danish")], study.choose_samples(1800, 300, rng=1), n_resamples=400, rng=1
    )
    row = frame.loc["samples of 100 that conclude for Spanish against Danish"]
    assert row["here"] == (concluded["conclusion"] == "Spanish").sum()
    assert frame["paper"].isna().all()  # samples of 1,800 segments overlap, and the paper's do not
    assert list(frame["figure"].unique()) == [f"Fig. {number}" for number in (2, 3, 4, 6, 7, 8)]
    assert set(frame.index[frame["figure"] == "Fig. 8"]) == {
        "samples of 100 that conclude for Portuguese against Danish",
        "samples of 100 that conclude for Danish against Portuguese",
    }


def test_ones_own_systems_are_not_laid_beside_the_papers(statistics):
    own = SegmentStatistics(Bleu(), dict(zip("xyz", statistics.values.values(), strict=True)), statistics.test_set)
    assert study.choose_figure_pairs(own) == [("x", "y"), ("z", "y")]
    assert study.choose_pairs(own) == [("x", "z"), ("x", "y"), ("z", "y")]
    assert study.choose_system(own) == "x"
    assert study.figures_beside_paper(own, n_resamples=400, rng=1)["paper"].isna().all()
    alone = SegmentStatistics(Bleu(), {"x": own.values["x"]}, own.test_set)
    assert study.choose_system(alone) == "x"
    with pytest.raises(InputError, match="Pairs of systems were asked for, but there is one system"):
        study.ordered_pairs(alone)


def test_two_systems_are_one_pair_and_are_counted_once(statistics):
    """The same pair came twice, and 61 of 100 samples became 122 "samples of 100"."""
    two = SegmentStatistics(
        Bleu(), {new: statistics.values[name] for new, name in (("x", "Spanish"), ("y", "Danish"))}, statistics.test_set
    )
    assert study.choose_figure_pairs(two) == [("x", "y")]
    samples = study.choose_samples(1800, 300, rng=1)
    concluded = 0
    for number, sample in enumerate(samples, 1):
        pair, own = [two[name].take(sample) for name in "xy"], resolve_rng(1).sample(number)
        concluded += paired_bootstrap(*pair, n_resamples=400, unit="segment", rng=own).wins >= 380
    assert 0 < concluded <= 100
    for pairs in (None, [("x", "y")], [("x", "y")] * 2):
        figures = study.figures_beside_paper(two, pairs, n_resamples=400, rng=1).set_index("quantity")
        assert list(figures["figure"].unique()) == ["Fig. 2", "Fig. 3", "Fig. 4", "Fig. 6", "Fig. 7"]
        assert figures.loc["samples of 100 that conclude for x against y", "here"] == concluded


@pytest.mark.parametrize("n_segments", [1800, 30_213])
def test_quantities_have_the_sizes_that_the_samples_have(n_segments):
    """Of 30,213 segments, broad samples have 302 or 303 and blocks have 300."""
    random = np.random.default_rng(2)
    values = {
        name: np.stack([random.normal(mean, 1, n_segments), np.ones(n_segments)], axis=1)[None]
        for name, mean in (("x", 0.1), ("y", 0.0))
    }
    made = SegmentStatistics(
        MeanScore(higher_is_better=True), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1)
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # of the blocks' remainder
        quantities = set(study.figures_beside_paper(made, n_resamples=40, rng=1)["quantity"])
    sizes = {1800: "300", 30_213: "302 or 303"}[n_segments]
    assert "lowest score of x on 100 blocks of 300" in quantities
    assert f"highest score of x on 100 broad samples of {sizes}" in quantities
    assert f"largest difference of x and y on 100 broad samples of {sizes}" in quantities


def test_the_system_of_a_figure_is_the_first_of_its_pair(statistics):
    """Of two that are the best alike, the pair took the second and the single system was the first."""
    best, worst = statistics.values["Spanish"], statistics.values["Danish"]
    tied = SegmentStatistics(Bleu(), {"worst": worst, "a": best, "b": best}, statistics.test_set)
    assert study.choose_system(tied) == study.choose_figure_pairs(tied)[0][0]
    assert study.choose_system(statistics) == study.choose_figure_pairs(statistics)[0][0] == "Spanish"


def test_a_system_is_chosen_though_none_is_the_best():
    lengths = {name: np.arange(1.0, 7.0).reshape(1, 6, 1).repeat(2, axis=2) for name in ("x", "y")}
    made = SegmentStatistics(MeanScore(), lengths, TestSet(np.arange(1, 7), None, "made up", 1))
    assert study.choose_system(made) == "x"


def test_pairs_with_the_same_score_are_left_out(statistics):
    one, other = list(statistics.values.values())[:2]
    three = SegmentStatistics(Bleu(), {"a": one, "copy": one, "z": other}, statistics.test_set)
    with pytest.warns(DataWarning, match=r"is right or wrong: 'a' and 'copy'\. These pairs are left out\.$"):
        assert study.choose_pairs(three) == [("a", "z"), ("copy", "z")]
    two = SegmentStatistics(Bleu(), {"a": one, "copy": one}, statistics.test_set)
    with pytest.raises(InputError, match="'a' and 'copy'. Give systems that differ."):
        study.choose_pairs(two)


def test_the_made_up_corpus_is_asked_about_the_papers_pairs():
    statistics = load_koehn2004_statistics()
    assert study.choose_pairs(statistics) == study.published_pairs()
    assert study.choose_system(statistics) == "Spanish"
    frame = study.figures_beside_paper(statistics, n_resamples=400, rng=1)
    assert len(frame) == 15
    assert frame["paper"].notna().all()


def test_conclusions_are_sorted_by_true_difference(statistics):
    pairs = [("Spanish", "Danish"), ("Portuguese", "Danish")]
    conclusions = study.conclude_on_sizes(statistics, pairs, (60,), n_resamples=100, rng=1)
    edges = (0, abs(conclusions["true_difference"]).mean(), np.inf)
    frame = study.bin_by_difference(conclusions, edges)
    assert frame.groupby("true_difference", sort=False)["conclusions"].sum().tolist() == [100, 100]


@pytest.mark.long
def test_claims_are_computed_on_any_systems(statistics):
    claims = study.examine_claims(statistics, rng=1)
    assert list(claims.columns[:4]) == LEADING
    assert set(claims["claim"]) == {1, 3, 4, 5, 6, 7, 8, 9}
    assert claims["here"].notna().sum() >= len(claims) - 2  # no pair of these systems is 2 BLEU apart
    by_name = claims.set_index("quantity")["here"]
    assert by_name["analytical standard error / bootstrap's"] == pytest.approx(1, abs=0.1)
    assert 6 < by_name["type I error of the rule '95 % of resamples' (%)"] < 15
    assert 3 < by_name["type I error of approximate randomization at p <= 0.05 (%)"] < 8
    chosen = "best of 10 equally good variants: "
    assert by_name[chosen + "gain on the test set that chose it (BLEU)"] > 0.2
    assert abs(by_name[chosen + "gain on fresh sentences (BLEU)"]) < 0.1
    assert by_name[chosen + "called better at 95 % on the test set that chose it (%)"] > 15
    assert set(claims.dropna(subset="samples")["claim"]) == {3, 4, 5, 9}
    assert set(claims["samples"].dropna()) == {1800 // 300}
    assert claims.query("claim == 4 or claim == 9")["paper"].isna().all()  # nominal values, which it does not report
    printed = claims.set_index("key")["paper"][["half_precision", "right_300", "right_at_90", "missed"]]
    assert printed.tolist() == pytest.approx([100 * 7.8 / 14.7, (65 + 68 + 100 + 97 + 100 + 91) / 6, 95, 3])
    sections = claims.groupby("claim")["section"].unique().map(set)
    assert sections[8] == {"§8"}
    assert sections[6] == {"abstract, §7.1", "§7.1"}
    assert claims.set_index("quantity")["section"]["BLEU minus the mean of sentence BLEU"] == "§4"
    beside = study.claims_beside_real(claims)
    assert beside["real"].notna().all()
    assert set(beside.query("claim == 2")["section"]) == {"§2.3"}
    real = pd.read_csv(find_shipped("data/real/koehn2004_claims.csv")).set_index("key").loc[claims["key"]]
    for column in ("claim", "section", "quantity"):
        assert real[column].tolist() == claims[column].tolist()
    assert 2 in set(beside["claim"])
    pd.testing.assert_series_equal(
        beside.dropna(subset="here")["here"].reset_index(drop=True),
        claims.sort_values("claim", kind="stable").dropna(subset="here")["here"].reset_index(drop=True),
    )
    judged = study.judge_claims(study.claims_beside_real(claims, beside.query("claim == 2").assign(here=2.0)))
    assert set(judged["claim"]) == set(range(1, 10))
    assert judged["comment"].ne("").eq(judged["verdict"].isin(["holds in part", "does not hold"])).all()
    assert (judged["verdict"].eq("not testable here") == judged["here"].isna()).all()
    own = SegmentStatistics(Bleu(), dict(zip("xyz", statistics.values.values(), strict=True)), statistics.test_set)
    shown = study.arrange_claims(judged, own)
    assert list(shown) == ["claim", "sentence", "holds if", "verdict", "paper", "here", "real", "comment"]
    assert shown.query("claim == 2")["here"].str.endswith("(made up)").all()
    assert shown["here"].str.endswith("(made up)").sum() == 2
    assert "nan" not in shown.to_string().lower()
    assert (shown.drop(columns="comment") != "").all().all()


def make_claims(here, real, **others):
    """Claims in which one number is known, and perhaps others."""
    rows = {"analytical": (here, real)} | others
    frame = pd.DataFrame(rows.values(), columns=["here", "real"], dtype=float)
    return frame.assign(key=list(rows), claim=1, paper=np.nan)


@pytest.mark.parametrize(
    ("here", "real", "verdict"),
    [
        (1.2, 1.3, "holds"),
        (1.2, np.nan, "holds"),
        (1.03, 1.3, "holds in part"),
        (1.3, 1.02, "holds in part"),
        (1.1, 0.9, "does not hold"),
        (1.03, np.nan, "does not hold"),
        (np.nan, 1.3, "not testable here"),
    ],
)
def test_a_verdict_follows_from_the_two_numbers(statistics, here, real, verdict):
    judged = study.judge_claims(make_claims(here, real))
    assert judged["verdict"][0] == verdict
    assert set(judged["verdict"][1:]) == {"not testable here"}
    own = SegmentStatistics(Bleu(), dict(zip("xyz", statistics.values.values(), strict=True)), statistics.test_set)
    shown = study.arrange_claims(judged, own)
    assert shown["holds if"][0] == "outside 0.9 to 1.1"
    assert shown["paper"][0] == "in words"
    assert shown["here"][0] == ("not computed" if np.isnan(here) else f"{here:.2f}")
    assert shown["real"][0] == ("not computed" if np.isnan(real) else f"{real:.2f}")
    assert (shown["comment"][0] != "") == (verdict in ("holds in part", "does not hold"))


def test_made_up_numbers_stand_only_where_there_are_no_others():
    both = make_claims(1.3, np.nan, short_bleu=(np.nan, np.nan)).assign(made_up=[1.0, 20.0])
    judged = study.judge_claims(both).set_index("measured")
    ratio = judged.loc["ratio of an analytical standard error to the bootstrap's"]
    assert (ratio["here"], ratio["made_up"], ratio["verdict"]) == (1.3, False, "holds")
    shorter = judged.loc["what BLEU loses where the output has 0.85 times the reference's length (%)"]
    assert (shorter["here"], shorter["made_up"], shorter["verdict"]) == (20, True, "holds")


def test_neighbours_and_the_largest_difference_are_those_of_the_studies(statistics):
    [largest] = claims_module._differences(statistics, 1).values()
    samples = study.choose_samples(1800, 300, rng=1)
    scores = [[statistics[one].take(sample).score()[0, 0] for sample in samples] for one in ("Spanish", "Danish")]
    assert largest == pytest.approx(max(np.subtract(*scores)))
    [found] = claims_module._neighbours(statistics["Spanish"]).values()
    assert found > 1  # twenty neighbours are equally hard


def test_every_sentence_has_its_number():
    """A key that nothing computes would leave a sentence untested for ever; the stored real numbers have them all."""
    real = pd.read_csv(find_shipped("data/real/koehn2004_claims.csv"))
    judged = study.judge_claims(real.assign(real=real["here"]))
    assert judged[["here", "real"]].notna().all().all()
    assert (judged["verdict"] != "not testable here").all()
    paper = judged.set_index("measured")["paper"].dropna()
    assert paper["ratio of the range of BLEU over blocks of 300 to that over broad samples"] == 4
    assert paper["95 % CIs from about 300 sentences that contain the score of all (%)"] == 97
    assert paper["share of conclusions at 95 % or more that are wrong (%)"] == pytest.approx(0.427, abs=0.001)


@pytest.mark.long
def test_claims_take_what_is_there_already(statistics):
    pair = statistics["Spanish"], statistics["Portuguese"]
    null = study.conclude_under_null(*pair, 300, n_repetitions=20, n_resamples=50, n_trials=50, rng=5)
    reuse = study.reuse_test_set(*pair, counts=(3, 10), n_repetitions=20, n_resamples=50, rng=5)
    claims = study.examine_claims(statistics, null=null, reuse=reuse, rng=1).set_index("quantity")["here"]
    errors = 100 * ((null["confidence"] >= 0.95) | (null["against"] >= 0.95)).mean()
    assert claims["type I error of the rule '95 % of resamples' (%)"] == pytest.approx(errors)
    gain = reuse.query("variants == 10 and tuning == 'unrelated variants'")["gain"].mean()
    assert claims["best of 10 equally good variants: gain on the test set that chose it (BLEU)"] == pytest.approx(gain)


def test_pairs_name_the_better_system_first(statistics):
    assert study.ordered_pairs(statistics) == [
        ("Spanish", "Portuguese"),
        ("Spanish", "Danish"),
        ("Portuguese", "Danish"),
    ]


def test_claims_say_what_they_need(statistics):
    terse = SegmentStatistics(
        MeanScore(higher_is_better=True), {"x": np.ones((1, 400, 2)), "y": np.ones((1, 400, 2))}, TESTS_400
    )
    with pytest.warns(DataWarning, match="are about BLEU, but the statistics are of score, so no number is computed"):
        claims = study.examine_claims(terse)
    assert list(claims.columns[:4]) == LEADING
    assert claims["here"].isna().all()
    beside = study.claims_beside_real(claims).query("claim != 2 and section != 'Fig. 1'")
    assert beside["quantity"].tolist() == claims["quantity"].tolist()
    few = SegmentStatistics(Bleu(), {name: values[:, :200] for name, values in statistics.values.items()}, TESTS_200)
    with pytest.raises(InputError, match="about samples of 300 segments, but the test set has 200"):
        study.examine_claims(few)


@pytest.mark.long
def test_claims_where_no_conclusion_is_drawn_are_nan(statistics):
    first = next(iter(statistics.values.values()))[:, :400]
    same = SegmentStatistics(Bleu(), {"x": first, "y": first}, TESTS_400)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # one sample of 300
        pair, few = [same["x"], same["y"]], {"n_repetitions": 20, "n_resamples": 50, "rng": 1}
        null, reuse = study.conclude_under_null(*pair, 300, **few), study.reuse_test_set(*pair, counts=(10,), **few)
        claims = study.examine_claims(same, null=null, reuse=reuse, rng=1).set_index("quantity")["here"]
    assert np.isnan(claims["conclusions at 95 % or more that are right (%)"])
