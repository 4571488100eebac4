"""BLEU of many virtual test sets, compiled; the plain function is `Bleu.score`."""

import math

import numpy as np

from mtworkbench.compiled.kernel import kernel


@kernel
def score_bleu(totals: np.ndarray, order: int, scores: np.ndarray) -> None:
    """Score summed statistics with BLEU, smoothed as sacreBLEU does it by default (``exp``).

    Parameters
    ----------
    totals : (n, 2 + 2 * order) ndarray of float64
        Of `Bleu.statistic_names`.
    order : int
        Longest n-grams.
    scores : (n,) ndarray of float64
        Receives the scores, from 0 to 100.
    """
    for row in range(len(totals)):
        one = totals[row]
        hypothesis_length, reference_length = one[0], one[1]
        product, halved, matched, positive = 1.0, 1.0, False, True
        for place in range(order):
            matches, ngrams = one[2 + place], one[2 + order + place]
            matched = matched or matches > 0
            if not ngrams > 0 or matches < 0:
                positive = False
            elif matches == 0:
                halved *= 2.0
                product *= 100.0 / (ngrams * halved)
            else:
                product *= 100.0 * matches / ngrams
        empty = hypothesis_length <= 0 and reference_length > 0
        if empty or not (matched and positive):
            scores[row] = 0.0
            continue
        scores[row] = math.exp(math.log(product) / order)
        if 0 < hypothesis_length < reference_length:
            scores[row] *= math.exp(1.0 - reference_length / hypothesis_length)
