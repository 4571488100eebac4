"""Measures of agreement between two scores of the same systems, for many weightings of systems and segments at once.

A weighting says how often each system and each segment is counted; with weights of 1 these are the measures of
mt-metrics-eval. A bootstrap is a weighting, as everywhere in the workbench. Two copies of one system in a resample make
no pair: they would agree by construction.

All scores are such that higher is better.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

#: The measures, in the order of tables.
MEASURES = ("pairwise accuracy", "Pearson's r", "Kendall's tau-b")
# Shares that differ by less are equal: they are sums of many rounded numbers.
ROUNDING = 1e-12
# Scores of systems that differ by less, relative to the largest, are tied: the order of a sum's terms decides no pair.
TIE = 1e-9


def list_pairs(n_systems: int) -> tuple[np.ndarray, np.ndarray]:
    """List all pairs of systems: the places of the first ones and of the second ones."""
    return np.triu_indices(n_systems, 1)


def agree_on_systems(human: np.ndarray, metric: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Measure how a metric agrees with humans at system level.

    The share of pairs of systems that both order alike (Kocmi et al., 2021; a tie agrees with a tie only), Pearson's r,
    and Kendall's tau-b.

    Parameters
    ----------
    human, metric : (n_weights or 1, n_systems) ndarray
        The systems' scores; NaN where there is none.
    weights : (n_weights, n_systems) ndarray
        How often each system is counted.

    Returns
    -------
    (3, n_weights) ndarray of float64
        One row for each of `MEASURES`; NaN where a measure is not defined, as for scores that are all equal.
    """
    first, second = list_pairs(human.shape[-1])
    by_human, by_metric = (_order(score[:, first] - score[:, second], score) for score in (human, metric))
    known = ~(np.isnan(by_human) | np.isnan(by_metric))
    pairs = weights[:, first] * weights[:, second] * known
    by_human, by_metric = np.where(known, by_human, 0), np.where(known, by_metric, 0)
    return np.stack(
        [
            _divide((pairs * (by_human == by_metric)).sum(axis=1), pairs.sum(axis=1)),
            _correlate(human, metric, weights),
            _divide(
                (pairs * by_human * by_metric).sum(axis=1),
                np.sqrt((pairs * by_human**2).sum(axis=1) * (pairs * by_metric**2).sum(axis=1)),
            ),
        ]
    )


def _order(differences: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the signs of differences of system scores; 0 for those that are only rounding."""
    return np.where(np.abs(differences) <= TIE * _largest(scores), 0, np.sign(differences))


def _largest(scores: np.ndarray) -> np.ndarray:
    """Return the largest absolute score of each row, (n_rows, 1)."""
    return np.abs(np.nan_to_num(scores)).max(axis=1, keepdims=True)


def _correlate(human: np.ndarray, metric: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Compute Pearson's r of each row."""
    known = ~(np.isnan(human) | np.isnan(metric))
    weights = weights * known
    total = weights.sum(axis=1, keepdims=True)
    deviations = [
        np.where(known, score - _divide((weights * np.where(known, score, 0)).sum(axis=1, keepdims=True), total), 0)
        for score in (human, metric)
    ]
    squares = [(weights * one**2).sum(axis=1) for one in deviations]
    varies = np.ones(len(weights), dtype=bool)
    for square, score in zip(squares, (human, metric), strict=True):
        varies &= square > total[:, 0] * (TIE * _largest(score)[:, 0]) ** 2
    product = (weights * deviations[0] * deviations[1]).sum(axis=1)
    return _divide(product, np.sqrt(np.where(varies, squares[0] * squares[1], 0)))


def _divide(numerator: np.ndarray, denominator: np.ndarray) -> np.ndarray:
    """Divide; NaN where the denominator is 0."""
    return np.divide(numerator, denominator, out=np.full_like(numerator, np.nan), where=denominator > 0)


@dataclass(frozen=True, eq=False)
class SegmentAgreement:
    """How a metric agrees with humans at segment level.

    Parameters
    ----------
    human, metric : (n_systems, n_segments) ndarray of float64
        NaN where there is no score.
    """

    human: np.ndarray
    metric: np.ndarray

    @cached_property
    def _known(self) -> np.ndarray:
        return ~(np.isnan(self.human) | np.isnan(self.metric))

    @cached_property
    def _pairs(self) -> tuple[np.ndarray, np.ndarray]:
        return list_pairs(len(self.human))

    @cached_property
    def _known_pairs(self) -> np.ndarray:
        """Which pairs of systems have all four scores, (n_pairs, n_segments)."""
        first, second = self._pairs
        return self._known[first] & self._known[second]

    def _differences(self, scores: np.ndarray) -> np.ndarray:
        """Subtract scores of the second from those of the first system, (n_pairs, n_segments); 0 where not known."""
        first, second = self._pairs
        return np.where(self._known_pairs, scores[first] - scores[second], 0.0)

    @cached_property
    def _signs(self) -> tuple[np.ndarray, np.ndarray]:
        return np.sign(self._differences(self.human)), np.sign(self._differences(self.metric))

    @cached_property
    def _by_distance(self) -> tuple[np.ndarray, ...]:
        """Lay out the known pairs of all segments by the distance of their metric scores.

        Returns the place of the pair, its segment, its distance, whether the metric orders it as humans do, what the
        share of such pairs gains when the metric's order is called a tie, and which pairs are the last ones of their
        distance.
        """
        pair, segment = np.nonzero(self._known_pairs)
        distance = np.abs(self._differences(self.metric))[pair, segment]
        order = np.argsort(distance, kind="stable")
        pair, segment, distance = pair[order], segment[order], distance[order]
        by_human, by_metric = (signs[pair, segment] for signs in self._signs)
        agrees = (by_human == by_metric).astype(np.float64)
        last = np.flatnonzero(np.append(distance[1:] != distance[:-1], True)) if len(distance) else np.array([], int)
        return pair, segment, distance, agrees, (by_human == 0) - agrees, last

    def calibrated_accuracy(self, systems: np.ndarray, segments: np.ndarray) -> tuple[float, float]:
        """Measure the share of pairs that metric and humans order alike, ties included, where ties are calibrated.

        A metric with many decimals never ties, humans often do. So two metric scores that are at most so far apart are
        called a tie, with the smallest threshold that makes the share largest (Deutsch et al., 2023, "Ties Matter":
        acc_eq with tie calibration). Pairs are of two systems' translations of one segment; the result is the
        mean over segments.

        Parameters
        ----------
        systems : (n_systems,) ndarray
        segments : (n_segments,) ndarray
            How often each is counted.

        Returns
        -------
        accuracy, threshold : float
            NaN where no segment has a pair.
        """
        pair, segment, distance, agrees, gain, last = self._by_distance
        first, second = self._pairs
        pairs = systems[first] * systems[second]
        of_segment = pairs @ self._known_pairs
        counted = segments * (of_segment > 0)
        if not counted.sum():
            return np.nan, np.nan
        share = counted / np.where(of_segment > 0, of_segment, 1) / counted.sum()
        weight = pairs[pair] * share[segment]
        gained = np.cumsum(weight * gain)[last]
        untied, most = float(weight @ agrees), float(gained.max())
        if most <= ROUNDING:
            return untied, 0.0
        return untied + most, float(distance[last[np.argmax(gained >= most - ROUNDING)]])

    def correlation(self, systems: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute Pearson's r of all scores of all systems together, as WMT's metrics task did in 2023.

        Parameters
        ----------
        systems : (n_weights, n_systems) ndarray
        segments : (n_weights, n_segments) ndarray

        Returns
        -------
        (n_weights,) ndarray of float64
        """
        human, metric = (np.where(self._known, one - np.mean(one[self._known]), 0) for one in (self.human, self.metric))

        def add(values: np.ndarray) -> np.ndarray:
            return np.einsum("ws,ws->w", systems @ values, segments)

        total = add(self._known.astype(np.float64))
        means = [_divide(add(one), total) for one in (human, metric)]
        squares = [_divide(add(one**2), total) - mean**2 for one, mean in zip((human, metric), means, strict=True)]
        product = _divide(add(human * metric), total) - means[0] * means[1]
        # Where all scores are equal, rounding may leave a square that is not quite 0.
        varies = (squares[0] > 1e-12 * np.mean(human**2)) & (squares[1] > 1e-12 * np.mean(metric**2))
        return _divide(product, np.sqrt(np.where(varies, squares[0] * squares[1], 0)))

    def rank_correlation(self, systems: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Compute Kendall's tau-b over the systems of each segment, and its mean over segments.

        Segments without a tau, because all scores of one kind are equal, are left out of the mean, as in
        mt-metrics-eval.

        Parameters
        ----------
        systems : (n_weights, n_systems) ndarray
        segments : (n_weights, n_segments) ndarray

        Returns
        -------
        (n_weights,) ndarray of float64
        """
        first, second = self._pairs
        pairs = systems[:, first] * systems[:, second]
        by_human, by_metric = self._signs
        tau = _divide(pairs @ (by_human * by_metric), np.sqrt((pairs @ by_human**2) * (pairs @ by_metric**2)))
        defined = ~np.isnan(tau)
        return _divide((segments * np.where(defined, tau, 0)).sum(axis=1), (segments * defined).sum(axis=1))

    def measure(self, systems: np.ndarray, segments: np.ndarray) -> np.ndarray:
        """Measure the agreement for many weightings.

        Parameters
        ----------
        systems : (n_weights, n_systems) ndarray
        segments : (n_weights, n_segments) ndarray

        Returns
        -------
        (3, n_weights) ndarray of float64
            One row for each of `MEASURES`.
        """
        rows = zip(systems, segments, strict=True)
        return np.stack(
            [
                np.array([self.calibrated_accuracy(*row)[0] for row in rows]),
                self.correlation(systems, segments),
                self.rank_correlation(systems, segments),
            ]
        )
