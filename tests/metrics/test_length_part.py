"""How much of a difference in BLEU is length: against adaptive quadrature, by hand, and beside precision."""

import numpy as np
import pytest
from scipy.integrate import quad

from mtworkbench.metrics import Bleu

BLEU = Bleu()


def sums(length, reference, matches):
    """Summed statistics: lengths, matches and numbers of n-grams of four orders in 50 segments."""
    ngrams = [length - 50 * order for order in range(4)]
    return np.array([length, reference, *matches, *ngrams], dtype=np.float64)


def precision(totals):
    return float(BLEU.score(totals * np.where(np.arange(10) == 1, 0, 1) + totals[0] * (np.arange(10) == 1)))


def penalty(totals):
    return float(np.exp(min(0.0, 1 - totals[1] / totals[0])))


def integrate(of_length, starts, ends):
    """The integral of P dBP, or of BP dP, along the straight line."""
    step = 1e-6

    def slope(share):
        low, high = (starts + at * (ends - starts) for at in (share - step, share + step))
        middle = starts + share * (ends - starts)
        rise, factor = (penalty, precision(middle)) if of_length else (precision, penalty(middle))
        return factor * (rise(high) - rise(low)) / (2 * step)

    gap, far_gap = starts[0] - starts[1], ends[0] - ends[1]
    points = [gap / (gap - far_gap)] if gap * far_gap < 0 else None
    return quad(slope, step, 1 - step, points=points, epsabs=1e-9, limit=400)[0]


PAIRS = {
    "both shorter": (sums(900, 1000, [500, 250, 120, 60]), sums(960, 1000, [520, 260, 125, 66])),
    "one longer": (sums(900, 1000, [500, 250, 120, 60]), sums(1080, 1000, [540, 270, 140, 70])),
    "turned": (sums(1080, 1000, [540, 270, 140, 70]), sums(900, 1000, [500, 250, 120, 60])),
    "another reference length": (sums(900, 940, [500, 250, 120, 60]), sums(900, 1010, [480, 255, 121, 61])),
}


@pytest.mark.parametrize("name", PAIRS)
def test_both_parts_add_up_to_the_difference(name):
    starts, ends = PAIRS[name]
    length = float(BLEU.measure_length_part(starts, ends))
    assert length == pytest.approx(integrate(True, starts, ends), abs=2e-4)
    assert length + integrate(False, starts, ends) == pytest.approx(
        float(BLEU.score(ends) - BLEU.score(starts)), abs=5e-4
    )


def test_with_equal_precision_all_is_length():
    starts, ends = sums(900, 1000, [450, 0, 0, 0]), sums(990, 1000, [495, 0, 0, 0])
    bleu = Bleu(max_ngram_order=1)
    starts, ends = starts[[0, 1, 2, 6]], ends[[0, 1, 2, 6]]
    difference = float(bleu.score(ends) - bleu.score(starts))
    assert float(bleu.measure_length_part(starts, ends)) == pytest.approx(difference, abs=1e-9)


def test_without_a_penalty_nothing_is_length():
    starts, ends = sums(1000, 1000, [500, 250, 120, 60]), sums(1080, 1000, [540, 270, 140, 70])
    assert BLEU.measure_length_part(starts, ends) == 0


def test_a_count_of_zero_at_one_end_is_no_trouble():
    starts, ends = sums(900, 1000, [500, 250, 120, 0]), sums(990, 1000, [520, 260, 125, 66])

    def slope(share):
        totals = starts + share * (ends - starts)
        way = ends - starts
        return precision(totals) * penalty(totals) * (totals[1] * way[0] - totals[0] * way[1]) / totals[0] ** 2

    wanted = quad(slope, 0, 1, epsabs=1e-12, epsrel=1e-12, limit=400)[0]
    assert float(BLEU.measure_length_part(starts, ends)) == pytest.approx(wanted, abs=1e-9)


def test_turned_round_it_changes_its_sign_and_arrays_are_pairs_of_runs():
    pairs = list(PAIRS.values())
    starts, ends = (np.array(one) for one in zip(*pairs, strict=True))
    there, back = BLEU.measure_length_part(starts, ends), BLEU.measure_length_part(ends, starts)
    assert there == pytest.approx(-back, abs=1e-9)
    assert there == pytest.approx([float(BLEU.measure_length_part(*one)) for one in pairs], abs=1e-12)


def test_an_empty_output_has_no_length_part_that_is_not_a_number():
    nothing, ends = np.zeros(10), sums(990, 1000, [520, 260, 125, 66])
    nothing[1] = 1000
    assert np.isfinite(BLEU.measure_length_part(nothing, ends))


def test_length_ratio_and_penalty_are_those_of_the_formula():
    ratio, factor = BLEU.measure_lengths(np.array([sums(900, 1000, [1, 1, 1, 1]), sums(1100, 1000, [1, 1, 1, 1])]))
    assert ratio.tolist() == [0.9, 1.1]
    assert factor == pytest.approx([np.exp(1 - 1000 / 900), 1.0])
