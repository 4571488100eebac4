"""What a verdict depends on: each row is what the ordinary functions say of the segments that are left."""

import math
from itertools import combinations, product

import numpy as np
import pytest

from mtworkbench import (
    DataWarning,
    InputError,
    approximate_randomization,
    find_shipped,
    load_statistics,
    make_outputs,
    paired_bootstrap,
)
from mtworkbench.analyses import find_decisive_units, grow_test_set, leave_out_units, simulate_peeking
from mtworkbench.analyses.influence import NORMAL_MEAN
from mtworkbench.metrics import MeanScore, Ter
from mtworkbench.resampling import exchange_masks
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics
from mtworkbench.words.sentences_on_influence import (
    describe_decisive_units,
    describe_growth,
    describe_peeking,
)


@pytest.fixture(scope="module")
def wmt23():
    """Real outputs of two systems in 192 documents: BLEU."""
    return load_statistics(find_shipped("data/wmt23-en-de/text_metrics.stats"))[0]


@pytest.fixture(scope="module")
def pair(wmt23):
    return wmt23["ONLINE-A"], wmt23["ONLINE-B"]


def mean_pair(a, b, documents=None):
    """Two systems with these scores of segments, (n_segments,) or (n_runs, n_segments)."""
    values = {}
    for name, scores in {"a": a, "b": b}.items():
        runs = np.atleast_2d(np.asarray(scores, dtype=float))
        values[name] = np.stack([runs, np.ones_like(runs)], axis=-1)
    n_segments = values["a"].shape[1]
    documents = None if documents is None else np.array(documents, dtype=object)
    test_set = TestSet(np.arange(1, n_segments + 1), documents, "made up", 1)
    statistics = SegmentStatistics(MeanScore(name="quality", higher_is_better=True), values, test_set)
    return statistics["a"], statistics["b"]


def difference(a, b):
    return float(a.score().mean() - b.score().mean())


def test_each_document_is_left_out_once(pair):
    a, b = pair
    frame = leave_out_units(a, b)
    documents = list(dict.fromkeys(a.test_set.documents))
    assert frame["label"].tolist() == documents
    assert frame["segments"].sum() == a.n_segments
    assert frame[["metric", "a", "b", "unit"]].drop_duplicates().values.tolist() == [
        ["BLEU", "ONLINE-A", "ONLINE-B", "document"]
    ]
    rest = [a.test_set.documents != document for document in documents]
    expected = [difference(a.take(mask), b.take(mask)) for mask in rest]
    assert frame["difference"].to_numpy() == pytest.approx(np.array(expected), abs=1e-9)
    assert frame["whole"].unique() == pytest.approx([difference(a, b)], abs=1e-12)
    assert (frame["whole"] + frame["change"]).to_numpy() == pytest.approx(frame["difference"].to_numpy())


def test_segments_are_left_out_where_documents_are_unknown_and_blocks_on_request():
    a, b = mean_pair([3, 1, 4, 1, 5], [2, 7, 1, 8, 2])
    frame = leave_out_units(a, b)
    assert frame["unit"].unique() == ["segment"]
    assert frame["label"].tolist() == ["1", "2", "3", "4", "5"]
    # Differences of segments are 1, -6, 3, -7, 3: their sum is -6.
    assert frame["difference"].tolist() == pytest.approx([-7 / 4, 0, -9 / 4, 1 / 4, -9 / 4])
    with pytest.warns(DataWarning, match="only 3 blocks of 2"):
        blocks = leave_out_units(a, b, unit="block of 2")
    assert blocks["label"].tolist() == ["1-2", "3-4", "5-5"]
    assert blocks["segments"].tolist() == [2, 2, 1]
    assert blocks["difference"].tolist() == pytest.approx([-1 / 3, -2 / 3, -9 / 4])


def test_runs_are_averaged():
    a, b = mean_pair([[3, 1, 4], [5, 1, 4]], [[2, 7, 1]])
    assert leave_out_units(a, b)["difference"].tolist() == pytest.approx([2.5 - 4, 4 - 1.5, 2.5 - 4.5])


def test_p_after_each_step_is_that_of_the_ordinary_test_on_the_rest(pair):
    a, b = pair
    frame = find_decisive_units(a, b, n_trials=2000, rng=3)
    assert frame["removed"].tolist() == list(range(len(frame)))
    gone = []
    for row in frame.itertuples():
        gone += [] if row.removed == 0 else [row.label]
        left = ~np.isin(a.test_set.documents, gone)
        rest_a, rest_b = a.take(left), b.take(left)
        test = approximate_randomization(rest_a, rest_b, unit="document", n_trials=2000, rng=3)
        assert row.p_value == test.p_value
        assert row.difference == pytest.approx(difference(rest_a, rest_b))
        assert (row.units_left, row.segments_left) == (test.n_units, rest_a.n_segments)
    assert frame["verdict"].iloc[0] == "significant"
    assert frame["verdict"].iloc[-1] == "not significant"
    assert "not significant" not in frame["verdict"].iloc[:-1].tolist()
    assert frame["units_left"].tolist() == list(range(192, 192 - len(frame), -1))
    assert (frame["difference"].diff().dropna() < 0).all()


def test_exchanged_systems_have_the_same_decisive_documents(pair):
    a, b = pair
    one, other = find_decisive_units(a, b, n_trials=500, rng=3), find_decisive_units(b, a, n_trials=500, rng=3)
    assert one["label"].tolist()[1:] == other["label"].tolist()[1:]
    assert one["difference"].to_numpy() == pytest.approx(-other["difference"].to_numpy())
    assert one["p_value"].tolist() == other["p_value"].tolist()


def test_a_difference_that_is_not_significant_loses_what_counts_against_it(wmt23):
    frame = find_decisive_units(wmt23["ONLINE-A"], wmt23["ONLINE-Y"], rng=1)
    assert frame["verdict"].iloc[0] == "not significant"
    assert frame["verdict"].iloc[-1] == "significant"
    assert frame["difference"].iloc[0] > 0
    assert (frame["difference"].diff().dropna() > 0).all()


def test_lower_is_better_changes_nothing():
    """TER: the difference is a - b, whichever direction is better."""
    draws = np.random.default_rng(2)
    words = draws.integers(10, 30, 60)
    edits = {"a": draws.binomial(words, 0.3), "b": draws.binomial(words, 0.35)}
    values = {name: np.stack([one, words], axis=-1)[None] for name, one in edits.items()}
    statistics = SegmentStatistics(Ter(), values, TestSet(np.arange(1, 61), None, "made up", 1))
    frame = find_decisive_units(statistics["a"], statistics["b"], at_most=20, rng=1)
    assert frame["difference"].iloc[0] < 0
    assert frame["verdict"].iloc[[0, -1]].tolist() == ["significant", "not significant"]
    assert (frame["difference"].diff().dropna() > 0).all()


def smallest_set(a, b, most, level=0.95):
    """The size of the smallest set of segments, of at most so many, without which the verdict is another."""
    significant = approximate_randomization(a, b).p_value <= 1 - level
    for size in range(1, most + 1):
        for gone in combinations(range(a.n_segments), size):
            left = np.delete(np.arange(a.n_segments), gone)
            test = approximate_randomization(a.take(left), b.take(left))
            assert test.exact
            if (test.p_value <= 1 - level) != significant:
                return size
    return None


# Seeds of ten segments each; which sizes they have was found by looking at all subsets.
@pytest.mark.parametrize("seed", range(8))
def test_greedy_search_finds_sets_of_one_and_two_that_looking_at_all_finds(seed):
    draws = np.random.default_rng(seed)
    a, b = mean_pair(draws.normal(0.8, 1, 10), draws.normal(0, 1, 10))
    frame = find_decisive_units(a, b, at_most=2)
    found = frame["removed"].iloc[-1] if frame["verdict"].iloc[-1] != frame["verdict"].iloc[0] else None
    assert found == smallest_set(a, b, most=2)


def test_the_first_to_go_is_the_one_without_which_t_is_the_smallest():
    """The outlier contributes most, but without it the others agree so well that t rises."""
    scores = np.array([1.0, 1.1, 0.9, 1.2, 0.8, 1.0, 1.1, 0.9, 1.0, 6.0])
    rest = [np.delete(scores, place) for place in range(10)]
    t = [one.mean() / one.std(ddof=1) for one in rest]
    frame = find_decisive_units(*mean_pair(scores, np.zeros(10)), at_most=1)
    assert frame["label"].tolist()[1:] == [str(1 + np.argmin(t))] != ["10"]


def test_a_smaller_set_than_the_greedy_one_may_exist():
    """The docstring says so; documents of unequal size, found by looking at all subsets of many examples."""
    draws = np.random.default_rng(25)
    sizes = draws.integers(1, 6, 8)
    documents = np.repeat([f"document {number}" for number in range(8)], sizes)
    scores = draws.normal(0.9, 1, len(documents)) + np.repeat(draws.normal(0, 1, 8), sizes)
    a, b = mean_pair(scores, np.zeros(len(documents)), documents)
    frame = find_decisive_units(a, b, at_most=2)
    assert frame["label"].tolist()[1:] == ["document 7", "document 3"]
    assert frame["verdict"].tolist() == ["not significant", "not significant", "significant"]
    left = documents != "document 3"
    assert approximate_randomization(a.take(left), b.take(left), unit="document").p_value <= 0.05


def test_search_gives_up_at_a_tenth_of_the_units_or_where_it_is_told():
    draws = np.random.default_rng(1)
    a, b = mean_pair(draws.normal(3, 1, 60), draws.normal(0, 1, 60))
    assert find_decisive_units(a, b, n_trials=200, rng=1)["removed"].tolist() == list(range(7))
    frame = find_decisive_units(a, b, n_trials=200, rng=1, at_most=3)
    assert frame["verdict"].tolist() == ["significant"] * 4
    assert frame["p_value"].tolist() == [1 / 201] * 4


def test_verdicts_on_parts_are_not_adjusted():
    """Six units that all favour a: p is 2 / 64, and no other test is made on this part."""
    a, b = mean_pair([3, 1, 4, 1, 5, 9], np.zeros(6))
    for frame in (find_decisive_units(a, b).head(1), grow_test_set(a, b, n_points=1)):
        assert frame[["p_value", "verdict"]].to_numpy().tolist() == [[2 / 64, "significant"]]


def test_undecided_verdicts_and_copies_have_no_decisive_units():
    scores = np.random.default_rng(1).normal(size=30)
    copies = find_decisive_units(*mean_pair(scores, scores), rng=1)
    assert copies[["removed", "p_value", "verdict"]].values.tolist() == [[0, 1.0, "not significant"]]
    a, b = mean_pair(np.random.default_rng(4).normal(0.45, 1, 30), np.zeros(30))
    found = approximate_randomization(a, b, n_trials=100, rng=1)
    assert found.p_low < 0.05 < found.p_high
    undecided = find_decisive_units(a, b, n_trials=100, rng=1)
    assert undecided[["removed", "verdict"]].values.tolist() == [[0, "undecided"]]
    assert undecided["label"].isna().all()


def test_the_last_point_is_the_whole_test_set_and_each_point_its_first_documents(pair):
    a, b = pair
    frame = grow_test_set(a, b, n_points=5, n_trials=1000, rng=7)
    documents = list(dict.fromkeys(a.test_set.documents))
    assert frame["units"].tolist() == [38, 77, 115, 154, 192]
    for row in frame.itertuples():
        first = np.isin(a.test_set.documents, documents[: row.units])
        part_a, part_b = a.take(first), b.take(first)
        test = approximate_randomization(part_a, part_b, unit="document", n_trials=1000, rng=7)
        interval = paired_bootstrap(part_a, part_b, unit="document", method="jackknife", n_resamples=1)
        assert row.p_value == test.p_value
        assert (row.low, row.high) == pytest.approx((interval.low, interval.high))
        assert (row.segments, row.difference) == (part_a.n_segments, pytest.approx(interval.difference))


def test_random_order_ends_where_the_order_of_the_test_set_ends(pair):
    a, b = pair
    options = {"n_points": 4, "n_trials": 200}
    ordered = grow_test_set(a, b, rng=1, **options)
    one, same, other = (grow_test_set(a, b, order="random", rng=rng, **options) for rng in (1, 1, 2))
    assert one.equals(same)
    assert one["difference"].iloc[0] not in (ordered["difference"].iloc[0], other["difference"].iloc[0])
    assert one["difference"].iloc[-1] == pytest.approx(ordered["difference"].iloc[-1])
    assert one["units"].tolist() == ordered["units"].tolist()


def test_points_are_at_least_two_units_and_never_the_same():
    a, b = mean_pair([3, 1, 4, 1, 5], [2, 7, 1, 8, 2])
    frame = grow_test_set(a, b, n_points=20)
    assert frame["units"].tolist() == [2, 3, 4, 5]
    # Of the 32 sums of 1, 6, 3, 7 and 3 with either sign, 22 are 6 or more.
    sums = [np.dot(signs, [1, 6, 3, 7, 3]) for signs in product((1, -1), repeat=5)]
    assert frame["p_value"].iloc[-1] == np.mean(np.abs(sums) >= 6) == 22 / 32
    assert frame["n_trials"].isna().all()


def normal_rates(most):
    """How often one of 1, 2, ... looks at a normal mean goes beyond 1.96: the sum's density, look after look.

    This is the recursion of Armitage, McPherson & Rowe (1969).
    """
    limit, n_places = 1.959964, 801
    places = np.linspace(-limit, limit, n_places)
    density, rates = np.exp(-(places**2) / 2) / math.sqrt(2 * math.pi), []
    for look in range(1, most + 1):
        weights = np.full(n_places, places[1] - places[0])
        weights[[0, -1]] /= 2
        rates.append(1 - float(density @ weights))
        reached = math.sqrt(look + 1) * np.linspace(-limit, limit, n_places)
        density = np.exp(-((reached[:, None] - places) ** 2) / 2) / math.sqrt(2 * math.pi) @ (density * weights)
        places = reached
    return rates


def test_the_published_rates_of_a_normal_mean_are_those_of_their_recursion():
    rates = normal_rates(max(NORMAL_MEAN))
    assert {looks: rates[looks - 1] for looks in NORMAL_MEAN} == pytest.approx(NORMAL_MEAN, abs=6e-4)


def test_repeated_looks_at_a_mean_reject_as_often_as_published():
    # Ten times the same scores, so that each look adds as much information as the last, as published rates assume.
    a, b = mean_pair(np.tile(np.random.default_rng(1).normal(size=80), 10), np.zeros(800))
    frame = simulate_peeking(a, b, looks=(1, 2, 5, 10), n_repetitions=20_000, rng=1)
    assert frame["rejected"].iloc[0] == pytest.approx(0.05, abs=1e-4)
    assert frame["normal_mean"].tolist() == [0.05, 0.083, 0.142, 0.193]
    # Four standard errors of 20,000 repetitions are 0.011 at most.
    assert frame["rejected"].to_numpy() == pytest.approx(frame["normal_mean"].to_numpy(), abs=0.011)
    assert (frame["low"] < frame["rejected"]).all()
    assert (frame["rejected"] < frame["high"]).all()


def test_real_bleu_by_segment_is_close_to_the_published_rates(pair):
    frame = simulate_peeking(*pair, unit="segment", n_repetitions=4000, rng=1)
    assert frame["rejected"].to_numpy() == pytest.approx(frame["normal_mean"].to_numpy(), abs=0.03)
    assert frame["rejected"].is_monotonic_increasing


def test_p_of_a_look_is_the_share_of_repetitions_that_are_as_extreme_there():
    # In tenths, so that many differences tie but for rounding.
    scores = np.random.default_rng(5).integers(-5, 6, (2, 12)) / 10
    a, b = mean_pair(*scores)
    frame = simulate_peeking(a, b, looks=[3], n_repetitions=300, level=0.8, rng=9)
    masks = np.concatenate(list(exchange_masks(12, 300, rng=9)))[:, :, 0]
    signed = np.where(masks, -1, 1) * (scores[0] - scores[1])
    rejected = np.zeros(300, dtype=bool)
    for end in (4, 8, 12):
        sizes = np.abs(signed[:, :end].mean(axis=1))
        rejected |= (sizes >= sizes[:, None] - 1e-9).mean(axis=1) <= 0.2
    assert frame["n_rejected"].tolist() == [rejected.sum()]
    assert frame["normal_mean"].isna().all()  # published for 5 % alone


def test_each_repetition_is_judged_as_the_ordinary_test_would():
    """Outputs that have changed sides give the same distribution, so repetitions can be each other's trials."""
    a, b = mean_pair(*np.random.default_rng(5).normal(size=(2, 12)))
    n_repetitions = 4096
    rejected = simulate_peeking(a, b, looks=[1], n_repetitions=n_repetitions, level=0.9, rng=9)["n_rejected"].iloc[0]
    masks = np.concatenate(list(exchange_masks(12, n_repetitions, rng=9)))[:200, :, 0]
    of_a, of_b = a.values[0, :, 0], b.values[0, :, 0]
    swapped = [mean_pair(np.where(mask, of_b, of_a), np.where(mask, of_a, of_b)) for mask in masks]
    share = np.mean([approximate_randomization(*one).p_value <= 0.1 for one in swapped])
    assert rejected / n_repetitions == pytest.approx(0.1, abs=0.01)
    assert share == pytest.approx(rejected / n_repetitions, abs=0.07)


def test_copies_are_never_rejected():
    scores = np.random.default_rng(1).normal(size=30)
    frame = simulate_peeking(*mean_pair(scores, scores), n_repetitions=100, rng=1)
    assert frame["n_rejected"].tolist() == [0, 0, 0, 0]


def test_there_are_no_more_looks_than_units():
    scores = np.random.default_rng(1).normal(size=7)
    frame = simulate_peeking(*mean_pair(scores, scores[::-1]), n_repetitions=100, rng=1)
    assert frame["looks"].tolist() == [1, 2, 5]


@pytest.mark.parametrize(
    ("call", "code", "sentence"),
    [
        (
            lambda a, b: find_decisive_units(a, b, at_most=0),
            "at-most",
            "at_most is 0, but the largest number of units to leave out was expected, at least 1.",
        ),
        (
            lambda a, b: grow_test_set(a, b, n_points=0),
            "points",
            "n_points is 0, but a number of points of at least 1 was expected.",
        ),
        (
            lambda a, b: grow_test_set(a, b, order="sorted"),
            "unknown-option",
            "order is 'sorted', but one of 'test set', 'random' was expected.",
        ),
        (
            lambda a, b: simulate_peeking(a, b, looks=[0]),
            "looks",
            "looks is [0], but a list of numbers of looks was expected, each at least 1.",
        ),
        (
            lambda a, b: simulate_peeking(a, b, looks=3),
            "looks",
            "looks is 3, but a list of numbers of looks was expected, each at least 1.",
        ),
        (
            lambda a, b: simulate_peeking(a, b, looks=[2, 9]),
            "looks",
            "looks has 9, but the test set has only 5 segments: at least one must come in between two looks.",
        ),
        (lambda a, b: find_decisive_units(a, b, level=1), "level", None),
        (
            lambda a, b: find_decisive_units(a.take([0, 1]), b.take([0, 1])),
            "few-units",
            "There are only 2 segments, but at least 3 are needed to leave out the decisive ones: use smaller units "
            "(unit).",
        ),
        (
            lambda a, b: leave_out_units(a.take([0]), b.take([0])),
            "few-units",
            "There is only 1 segment, but at least 2 are needed to leave one out: use smaller units (unit).",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(call, code, sentence):
    with pytest.raises(InputError) as caught:
        call(*mean_pair([3, 1, 4, 1, 5], [2, 7, 1, 8, 2]))
    assert caught.value.code == code
    assert sentence is None or str(caught.value) == sentence


FLORES = ("reference.txt", "bergamot-base.txt", "bergamot-tiny.txt")


@pytest.mark.long
def test_nothing_is_left_out_where_too_few_units_differ():
    """30 segments of which 3 differ: the smallest p is 0.25, and no segment with equal outputs changes that."""
    folder = find_shipped("data/flores")
    texts = [(folder / name).read_text(encoding="utf-8").splitlines()[:30] for name in FLORES]
    reference, base, tiny = texts
    differing = [place for place in range(30) if base[place] != tiny[place]][:3]
    outputs = make_outputs(reference, {"a": [base[n] if n in differing else tiny[n] for n in range(30)], "b": tiny})
    statistics = compute_statistics(outputs, "chrf")
    frame = find_decisive_units(statistics["a"], statistics["b"], rng=1)
    assert frame[["removed", "units_left", "differing"]].to_numpy().tolist() == [[0, 30, 3]]
    assert describe_decisive_units(frame) == "With 3 differing segments no difference can be significant at 5 %."
    peeking = simulate_peeking(statistics["a"], statistics["b"], looks=(1, 2), n_repetitions=200, rng=1)
    assert peeking["differing"].tolist() == [3, 3] and (peeking["rejected"] == 0).all()
    assert describe_peeking(peeking).startswith("With 3 differing segments no test can reject at 5 %")


def test_sentences_say_which_system_is_better_where_lower_is_better():
    outputs = make_outputs([f"{n}" for n in range(12)], {"m": ["x"] * 12, "t": ["y"] * 12})
    scores = [*range(12), *(n + 5 + n % 3 for n in range(12))]
    statistics = compute_statistics(outputs.assign(mqm_penalty=scores), "mqm_penalty")
    pair = statistics["m"], statistics["t"]
    said = "difference m - t in mqm_penalty is -6.00 in favour of m"
    assert said in describe_growth(grow_test_set(*pair, n_points=3, rng=1))
    assert "m - t in mqm_penalty, in favour of m, is" in describe_decisive_units(find_decisive_units(*pair, rng=1))
    turned = statistics["t"], statistics["m"]
    assert "t - m in mqm_penalty is +6.00 in favour of m" in describe_growth(grow_test_set(*turned, n_points=3, rng=1))
