"""Contributions of segments to a difference: they add up, and equal closed forms and brute force."""

import json
import math
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

from mtworkbench import find_shipped, read_outputs
from mtworkbench.inference.contributions import _find_cuts, contribute
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.metrics import Bleu, ChrF, Gtm, Length, Meteor, Nist, Ter
from mtworkbench.metrics.meteor import summable_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet, compute_statistics

FLORES = ("bergamot-base", "bergamot-base-memory", "bergamot-tiny")
METRICS = [
    Bleu(),
    Bleu("none", lowercase=True, smooth_method="none"),
    Bleu(smooth_method="floor", max_ngram_order=2),
    Bleu(smooth_method="add-k"),
    Bleu("mteval-13a", smooth_method="mteval", reference_length="shortest"),
    ChrF(),
    ChrF(word_order=2),
    ChrF(eps_smoothing=True, beta=1),
    Ter(),
    Nist(),
    Gtm(),
    Gtm(exponent=2),
    Length(),
]
# These take long for each segment.
SLOW = (Ter, Gtm)


def of(metric, a, b, documents=None):
    """A table of two systems with these statistics: of several runs, or of one without that dimension."""
    values = {name: np.asarray(one) for name, one in (("a", a), ("b", b))}
    values = {name: one if one.ndim == 3 else one[None] for name, one in values.items()}
    test_set = TestSet(np.arange(1, values["a"].shape[1] + 1), documents, "references", 1)
    statistics = SegmentStatistics(metric, values, test_set)
    return pair_table(statistics["a"], statistics["b"], "segment" if documents is None else "document")


def check_adds_up(table):
    found = contribute(table)
    assert found.difference == table.means[0] - table.means[1]
    assert found.values.sum() == pytest.approx(found.difference, abs=1e-6)
    assert abs(found.remainder) < 1e-6
    return found


def first_segments(outputs, count):
    return outputs[outputs["segment"] <= count].reset_index(drop=True)


@pytest.fixture(scope="module")
def flores():
    folder = find_shipped("data/flores")
    files = {name: folder / f"{name}.txt" for name in FLORES}
    return read_outputs(folder / "reference.txt", files, accept="invisible-chars")


@pytest.fixture(scope="module")
def wmt17(shared):
    folder = shared / "realdata" / "wmt17-en-de-16systems"
    names = ("LIUM-NMT.4900", "C-3MA.4959", "uedin-nmt.4722", "xmu.4910", "PROMT-Rule-based.4735")
    files = {name: folder / "sys" / f"newstest2017.{name}.en-de" for name in names}
    accept = ["invisible-chars", "trailing-blank", "nfc"]
    return read_outputs(folder / "ref" / "newstest2017.ref.de", files, accept=accept)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_they_add_up_on_flores(flores, metric):
    outputs = first_segments(flores, 50) if isinstance(metric, SLOW) else flores
    statistics = compute_statistics(outputs, metric)
    for a, b in ((0, 1), (0, 2), (2, 1)):
        table = pair_table(statistics[FLORES[a]], statistics[FLORES[b]])
        found = check_adds_up(table)
        turned = check_adds_up(pair_table(statistics[FLORES[b]], statistics[FLORES[a]]))
        np.testing.assert_allclose(turned.values, -found.values, rtol=1e-6, atol=1e-10)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.signature)
def test_they_add_up_on_newstest2017(wmt17, metric):
    outputs = first_segments(wmt17, 50 if isinstance(metric, SLOW) else 1000)
    statistics = compute_statistics(outputs, metric)
    names = list(statistics)
    for a, b in zip(names, names[1:] + names[:1], strict=True):
        check_adds_up(pair_table(statistics[a], statistics[b]))


@pytest.mark.parametrize("options", ["full", "exact", "exact-stem", "exact-stem-syn", "orig2005-exact"])
def test_they_add_up_for_meteor(shared, options):
    """From the statistics of the original program."""
    cases = json.loads((shared / "golden" / "meteor.json").read_text(encoding="utf-8"))["cases"]
    a, b = (next(one for one in cases if one["id"] == f"csen-{name}.opt0-{options}") for name in ("sys1", "baseline"))
    modules, weights = a["options"]["modules"], a["options"]["module_weights"]
    metric = Meteor("en", modules, a["options"]["parameters alpha beta gamma delta"], weights)
    both = [
        summable_statistics(np.array(one["expected"]["sufficient_statistics"]), len(modules.split())) for one in (a, b)
    ]
    found = check_adds_up(of(metric, *both))
    expected = 100 * (a["expected"]["score"] - b["expected"]["score"])
    assert found.difference == pytest.approx(expected, rel=1e-6) and found.difference != 0


def test_mean_scores_are_shared_out_by_segment(make_mean):
    a, b = [0.1, 0.5, -0.6, 0.25], [0.2, 0.1, -0.2, 0.25]
    statistics = make_mean(a=a, b=b)
    found = check_adds_up(pair_table(statistics["a"], statistics["b"]))
    np.testing.assert_allclose(found.values, (np.array(a) - np.array(b)) / 4, rtol=1e-8)
    assert found.values[3] == 0


def test_mean_scores_whose_sums_are_zero(make_mean):
    statistics = make_mean(a=[1.0, -1.0, 0.5], b=[2.0, -1.5, -0.5])
    found = check_adds_up(pair_table(statistics["a"], statistics["b"]))
    np.testing.assert_allclose(found.values, [-1 / 3, 0.5 / 3, 1 / 3], rtol=1e-8)


def test_ter_with_one_reference_is_linear(make_ter):
    statistics = make_ter(200, runs=(1, 1))
    found = check_adds_up(pair_table(statistics["s1"], statistics["s0"]))
    edits = statistics.values["s1"][0, :, 0] - statistics.values["s0"][0, :, 0]
    words = statistics.values["s0"][0, :, 1].sum()
    np.testing.assert_allclose(found.values, 100 * edits / words, rtol=1e-7)


def test_two_segments_by_hand():
    """F is 200 m / L with m matches and L words of both: its gradient has an integral in closed form."""
    a, b = np.array([[6.0, 10, 9], [4, 5, 8]]), np.array([[3.0, 7, 9], [5, 9, 8]])
    (m0, *lengths), (m1, *more) = b.sum(axis=0), a.sum(axis=0)
    l0, l1 = sum(lengths), sum(more)
    dm, dl = m1 - m0, l1 - l0
    log = math.log(l1 / l0)
    by_match = 200 * log / dl
    by_word = -200 * (dm / dl**2 * log + (m0 - l0 * dm / dl) * (1 / l0 - 1 / l1) / dl)
    expected = (a - b)[:, 0] * by_match + (a - b)[:, 1] * by_word
    found = check_adds_up(of(Gtm(), a, b))
    np.testing.assert_allclose(found.values, expected, rtol=1e-7)
    assert found.values.sum() == pytest.approx(200 * m1 / l1 - 200 * m0 / l0)


def test_segments_may_differ_where_the_sums_do_not():
    """F is 200 m / L: of 33 words, one match more in a segment and one less in the other."""
    found = check_adds_up(of(Gtm(), np.array([[6, 10, 9], [4, 6, 8]]), np.array([[5, 10, 9], [5, 6, 8]])))
    np.testing.assert_allclose(found.values, [200 / 33, -200 / 33], rtol=1e-7)


def bleu_gradient(sums):
    """The derivatives of BLEU without smoothing, (n, 10), by hand."""
    h, r, m, n = sums[:, 0], sums[:, 1], sums[:, 2:6], sums[:, 6:]
    short = h < r
    score = 100 * np.where(short, np.exp(1 - r / h), 1) * np.exp(np.log(m / n).mean(axis=1))
    by_lengths = [np.where(short, score * r / h**2, 0), np.where(short, -score / h, 0)]
    return np.column_stack([*by_lengths, score[:, None] / (4 * m), -score[:, None] / (4 * n)])


@pytest.mark.parametrize("seed", range(4))
def test_bleu_equals_a_sum_of_many_small_steps(make_bleu, seed):
    """Along with the kink: b is shorter than the references, a longer."""
    statistics = make_bleu(50, runs=(1, 1), gain=0.05, seed=seed)
    a, b = (statistics.values[name][0].astype(float) for name in ("s1", "s0"))
    a[0, 0] = b[:, 0].sum() + 40 - a[1:, 0].sum()
    for one, other in ((a, 0.0), (b, 0.5)):
        one[:, 1] = (a[:, 0] + b[:, 0]) / 2 + other
    middles = (np.arange(200_000) + 0.5) / 200_000
    start, end = b.sum(axis=0), a.sum(axis=0)
    assert (start[0] - start[1]) * (end[0] - end[1]) < 0, "the kink lies between them"
    expected = (a - b) @ bleu_gradient(start + middles[:, None] * (end - start)).mean(axis=0)
    found = check_adds_up(of(Bleu(), a, b))
    np.testing.assert_allclose(found.values, expected, rtol=1e-4, atol=1e-6)


def test_with_runs_they_are_means_over_all_pairs_of_runs(make_bleu):
    statistics = make_bleu(40, runs=(3, 2), gain=0.03)
    a, b = (statistics.values[name] for name in ("s1", "s0"))
    assert (len(a), len(b)) == (2, 3)
    found = check_adds_up(of(Bleu(), a, b))
    pairs = [contribute(of(Bleu(), one, other)).values for one in a for other in b]
    np.testing.assert_allclose(found.values, np.mean(pairs, axis=0), rtol=1e-6, atol=1e-9)


def test_fifty_runs_of_each_around_the_kink(make_bleu):
    statistics = make_bleu(100, runs=(50, 50))
    a, b = (statistics.values[name].copy() for name in ("s1", "s0"))
    total = int(a[..., 0].sum(axis=1).mean())
    for one in (a, b):
        one[..., 1] = total // 100
        one[:, 0, 1] += total % 100
    lengths = [one[..., 0].sum(axis=1) - total for one in (a, b)]
    assert all((one.min() < 0) and (one.max() > 0) for one in lengths)
    check_adds_up(of(Bleu(), a, b))


def test_units_are_sums_of_their_segments(make_bleu):
    documents = [number // 7 for number in range(60)]
    statistics = make_bleu(60, runs=(2, 2), documents=documents)
    pair = statistics["s1"], statistics["s0"]
    by_segment, by_document = (contribute(pair_table(*pair, unit)).values for unit in ("segment", "document"))
    np.testing.assert_allclose(by_document, np.bincount(documents, by_segment), atol=1e-12)


def test_a_copy_differs_in_nothing(make_bleu):
    statistics = make_bleu(30, runs=(3, 3))
    found = contribute(ScoreTable.of([statistics["s0"], statistics["s0"]]))
    assert found.difference == 0
    np.testing.assert_allclose(found.values, 0, atol=1e-12)
    one = contribute(of(Bleu(), statistics.values["s0"][0], statistics.values["s0"][0]))
    assert not one.values.any()


def test_equal_segments_contribute_nothing(make_bleu):
    statistics = make_bleu(30, runs=(1, 1))
    a, b = (statistics.values[name] for name in ("s1", "s0"))
    a[0, 5:10] = b[0, 5:10]
    values = contribute(of(Bleu(), a, b)).values
    assert not values[5:10].any() and values[:5].any()


def test_segments_without_scores_are_left_out(make_mean):
    statistics = make_mean(a=[1.0, np.nan, 3.0], b=[2.0, 2.0, 1.0])
    with pytest.warns(UserWarning, match="1 of 3 segments have no score"):
        table = pair_table(statistics["a"], statistics["b"])
    np.testing.assert_allclose(check_adds_up(table).values, [-0.5, 1.0], rtol=1e-8)


# --------------------------------------------------------------------------------------------- jumps and kinks


TWO = np.array([[10, 10, 8, 6, 4, 2, 10, 9, 8, 7], [12, 12, 8, 6, 4, 2, 12, 11, 10, 9]])


def test_a_count_of_zero_leaves_a_remainder():
    """Smoothing gives b a score, but as soon as the count begins to grow, BLEU begins at 0."""
    without = TWO.copy()
    without[:, 5] = 0
    table = of(Bleu(), TWO, without)
    found = contribute(table)
    assert table.means[1] > 20
    assert found.remainder == pytest.approx(-table.means[1], abs=1e-6)
    assert found.values.sum() == pytest.approx(table.means[0], abs=1e-6)
    turned = contribute(of(Bleu(), without, TWO))
    assert turned.remainder == pytest.approx(table.means[1], abs=1e-6)


def test_without_smoothing_a_count_of_zero_is_no_jump():
    without = TWO.copy()
    without[:, 5] = 0
    check_adds_up(of(Bleu(smooth_method="none"), TWO, without))


def test_a_statistic_that_is_zero_in_both_systems():
    a, b = TWO.copy(), TWO[::-1].copy()
    b[:, 3] += 1
    a[:, 5] = b[:, 5] = 0
    check_adds_up(of(Bleu(), a, b))


def test_outputs_too_short_for_ngrams_of_some_length():
    """b has no 4-grams: their precision is 0 / 0 there, so all 4-grams count as in a, and BLEU without them is 0."""
    a = np.array([[6, 5, 5, 4, 3, 2, 6, 5, 4, 3], [5, 5, 3, 1, 0, 0, 5, 4, 3, 2]])
    b = np.array([[3, 5, 3, 2, 1, 0, 3, 2, 1, 0], [3, 5, 1, 0, 0, 0, 3, 2, 1, 0]])
    found = contribute(of(Bleu(), a, b))
    as_in_a = b.copy()
    as_in_a[:, [5, 9]] = a[:, [5, 9]]
    held = check_adds_up(of(Bleu(), a, as_in_a))
    np.testing.assert_allclose(found.values, held.values, rtol=1e-6)
    assert found.remainder == pytest.approx(held.difference * -1 + found.difference, abs=1e-6)
    turned = contribute(of(Bleu(), b, a))
    np.testing.assert_allclose(turned.values, -found.values, rtol=1e-6)


def test_short_segments_have_no_absurd_contributions():
    """Without 4-grams, and without 2-grams that match: once, these were some thousands."""
    a = np.array([[1, 7, 0, 0, 0, 0, 1, 0, 0, 0], [1, 2, 1, 0, 0, 0, 1, 0, 0, 0]])
    b = np.array([[3, 7, 3, 2, 1, 0, 3, 2, 1, 0], [5, 2, 0, 0, 0, 0, 5, 4, 3, 2]])
    for one, other in ((a, b), (b, a)):
        found = contribute(of(Bleu(), one, other))
        assert np.abs(found.values).max() < 100
        assert found.values.sum() + found.remainder == pytest.approx(found.difference)


def test_no_random_short_segments_have_absurd_contributions():
    draws = np.random.default_rng(5)
    for _ in range(60):
        systems = []
        references = draws.integers(1, 8, 3)
        for _ in range(2):
            lengths = draws.integers(0, 8, 3)
            ngrams = np.maximum(lengths[:, None] - np.arange(4), 0)
            most = np.minimum(ngrams, np.maximum(references[:, None] - np.arange(4), 0))
            matches = np.minimum.accumulate(draws.integers(0, most + 1), axis=1)
            systems.append(np.column_stack([lengths, references, matches, ngrams]))
        found = contribute(of(Bleu(), *systems))
        assert np.abs(found.values).max() < 200


def test_errors_of_the_quadrature_do_not_cancel():
    """Half of the words match in both, so BLEU-1 is 50 all the way, and 50 * log(500) / 499 is the mean of 50 / m."""
    a = np.array([[600, 1, 200, 600], [400, 1, 300, 400]])
    b = np.array([[1, 1, 1, 1], [1, 1, 0, 1]])
    by_match, by_word = 50 * math.log(500) / 499, -50 * math.log(500) / 998
    expected = (a - b)[:, 2] * by_match + (a - b)[:, 3] * by_word
    found = check_adds_up(of(Bleu(max_ngram_order=1), a, b))
    np.testing.assert_allclose(found.values, expected, rtol=1e-6)


def test_outputs_without_a_word():
    empty = np.zeros_like(TWO)
    empty[:, 1] = TWO[:, 1]
    found = check_adds_up(of(Bleu(smooth_method="none"), TWO, empty))
    assert (found.values > 0).all()


@dataclass(frozen=True)
class Own:
    """A metric of one's own: the larger of two sums, its square root, or rounded."""

    kind: str

    name: ClassVar[str] = "own"
    statistic_names: ClassVar[tuple[str, ...]] = ("x", "y")
    higher_is_better: ClassVar[bool] = True
    may_be_missing: ClassVar[bool] = False
    signature: ClassVar[str] = "own"

    def segment_statistics(self, outputs):
        raise NotImplementedError

    def score(self, totals):
        x, y = totals[..., 0], totals[..., 1]
        if self.kind == "steps":
            return np.round(x + y)
        return np.maximum(x, y) if self.kind == "larger" else np.sqrt(x) * y

    def segment_score(self, statistics):
        return self.score(statistics)


@pytest.mark.parametrize("kind", ["larger", "root"])
def test_metrics_of_ones_own_add_up(kind):
    draws = np.random.default_rng(1)
    a, b = draws.uniform(0, [2, 1], (40, 2)), draws.uniform(0, [1, 2], (40, 2))
    check_adds_up(of(Own(kind), a, b))


def test_the_larger_of_two_by_hand():
    """From (1, 3) to (3, 1): half of the way the score is y, which falls by 1, then x, which rises by 1."""
    a, b = np.array([[3.0, 0.0], [0.0, 1.0]]), np.array([[1.0, 0.0], [0.0, 3.0]])
    np.testing.assert_allclose(contribute(of(Own("larger"), a, b)).values, [1.0, -1.0], rtol=1e-7)


def test_a_score_with_jumps_everywhere_comes_to_an_end():
    draws = np.random.default_rng(1)
    a, b = draws.uniform(0, 20, (40, 2)), draws.uniform(0, 10, (40, 2))
    found = contribute(of(Own("steps"), a, b))
    assert found.values.sum() + found.remainder == pytest.approx(found.difference)
    assert abs(found.remainder) > 1


def test_the_record_names_what_it_is_of(make_bleu):
    statistics = make_bleu(10)
    found = contribute(pair_table(statistics["s1"], statistics["s0"]))
    assert (found.a, found.b, found.metric, found.unit) == ("s1", "s0", "BLEU", "segment")
    assert "values" not in repr(found)
    with pytest.raises(AttributeError):
        found.remainder = 0.0
    assert replace(found, a="other").a == "other"


@pytest.mark.parametrize(
    ("near", "far", "cut"),
    [
        ([9.0, 10], [13.0, 10], 0.25),  # the first sum overtakes the second
        ([9.0, 10, 0], [13.0, 10, 0], 0.25),
        ([1.0, 10, 4], [11.0, 10, 4], 0.3),  # of two crossings, at 0.9 and 0.3, the one nearer to the middle
        ([9.0, 10], [10.0, 10], 0.5),  # they meet only at the end
        ([9.0, 10], [9.5, 10], 0.5),
    ],
)
def test_a_stretch_is_split_where_one_sum_overtakes_another(near, far, cut):
    ends = np.zeros(1), np.ones(1)
    assert _find_cuts(np.array([near]), np.array([far]), *ends) == pytest.approx([cut])
