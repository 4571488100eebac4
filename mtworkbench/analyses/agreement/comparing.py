"""How well metrics agree with humans, with two-way bootstrap intervals; and whether one metric agrees better."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from mtworkbench.analyses.agreement.scores import JudgedScores, count_segments, find_known, lay_out_scores
from mtworkbench.inference.exchanges import MAX_EXACT_COINS
from mtworkbench.inference.intervals import TIE, percentile_ends
from mtworkbench.inference.units import Units, choose_units
from mtworkbench.resampling import RandomKey, RngLike, bootstrap_weights, exchange_masks, resolve_rng
from mtworkbench.results.settings import check_draws, check_resamples, choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics

#: The levels of agreement: the scores of systems, or those of segments.
SCOPES = ("system", "segment")
# So many exchanges are made at a time where all are tried.
BATCH = 4096
#: The measures, in the order of tables.
MEASURES = ("pairwise accuracy", "Pearson's r", "Kendall's tau-b")
# Shares that differ by less are equal: they are sums of many rounded numbers.
ROUNDING = 1e-12


def measure_agreement(
    human: SegmentStatistics,
    metrics: SegmentStatistics | Sequence[SegmentStatistics],
    *,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Measure how well metrics agree with human judgements, at system level and at segment level.

    At system level: the share of pairs of systems that are ordered as humans order them (pairwise accuracy; Kocmi et
    al., 2021), Pearson's r, Kendall's tau-b. At segment level: the share of pairs of translations of one segment that
    are ordered as humans order them, ties included, with the threshold below which metric scores are called tied chosen
    such that this share is largest (Deutsch et al., 2023, "Ties Matter"); Pearson's r of all scores together; Kendall's
    tau-b by segment, averaged. Values are those of mt-metrics-eval (``stats.py`` there: ``Agreement``,
    ``KendallWithTiesOpt`` and ``Correlation``). So is the treatment of what is missing: a system's score is the mean
    of, or is computed from, all segments that have one, also those that humans did not judge; at segment level, only
    those with both scores count. Where a measure is not defined because nothing varies, mt-metrics-eval may return 0;
    here it is NaN. Scores of systems that differ by less than 1e-9 of the largest are tied.

    Intervals are of the two-way bootstrap (BOOT-BOTH of Deutsch et al., 2021): systems and units are both resampled,
    because both are samples. Two copies of one system in a resample make no pair, and the threshold of ties is chosen
    anew in each resample. The threshold is fitted to the scores that it is judged by, so the calibrated share is
    slightly optimistic. The intervals are conservative: in simulations with 8 systems and 48 segments, they covered the
    true agreement in nearly all samples. They reach further down than up, because the noise of segments enters twice,
    once in the sample and once more in the resamples. With fewer than 8 systems they are rough.

    Parameters
    ----------
    human : SegmentStatistics
        Statistics of the human scores, usually of a `MeanScore`.
    metrics : SegmentStatistics, or a sequence of them
        Statistics of the metrics, of the same systems and segments.
    unit : str
        What is resampled besides systems: ``"auto"``, ``"segment"``, ``"document"`` ...; see `compare`.
    level : float
        Confidence level of the intervals.
    n_resamples : int, optional
        Number of resamples; by default 1,000, or 20 / (1 - level) if that is larger.
    rng : int, numpy.random.Generator or None
        See `mtworkbench.resampling.resolve_rng`. With K the call's key, units are drawn with the key of its sample 1
        and systems with that of its sample 2, see ``docs/draws.md``.

    Returns
    -------
    DataFrame
        One row per metric, ``scope`` (``system`` or ``segment``) and measure: ``human``, ``metric``, ``scope``,
        ``measure``, ``agreement``, ``low`` and ``high`` (percentile interval), ``level``, ``threshold`` (of ties; NaN
        for other measures), ``n_systems``, ``n_segments`` (those with human scores and scores of this metric for at
        least two systems, on which the measures at segment level rest), ``unit``, ``n_resamples`` (those in which the
        measure is defined: not where a single system was drawn), ``rng`` (the seed). Lower-is-better scores are negated
        first, so that perfect agreement is 1. Without an agreement, there is no interval either.

    Raises
    ------
    InputError
        ``no-statistics``, ``duplicate-metric``; ``too-few-systems`` for fewer than three systems with at least one
        human score and one score of every metric; ``no-common-segments``; ``direction`` where nothing says which scores
        are better; ``few-resamples``; and those of `merge_statistics` and `compare` (``unit``, ``level``, ``rng``).

    Warns
    -----
    DataWarning
        ``lacking-systems`` for systems left out; ``few-resamples``.
    """
    if isinstance(metrics, SegmentStatistics) or not isinstance(metrics, Iterable):
        metrics = [metrics]
    test_set, judged, scores = lay_out_scores(human, list(metrics))
    units = choose_units(test_set, unit)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_resamples(n_resamples, level, "percentile")
    key = resolve_rng(rng)
    rows = []
    for metric in scores:
        observed, threshold = _measure(judged, metric)
        drawn = _resample(judged, [metric], units, n_resamples, key)[0]
        for (scope, measure), value, resampled in zip(_kinds(), observed, drawn, strict=True):
            rows.append(
                {
                    "human": judged.name,
                    "metric": metric.name,
                    "scope": scope,
                    "measure": measure,
                    "agreement": value,
                    **_interval(resampled, level, value),
                    "level": level,
                    "threshold": threshold if (scope, measure) == ("segment", MEASURES[0]) else np.nan,
                    **_describe(judged, [metric], units),
                    "n_resamples": int(np.isfinite(resampled).sum()),
                    "rng": key.seed,
                }
            )
    return pd.DataFrame(rows)


def compare_agreement(
    human: SegmentStatistics,
    a: SegmentStatistics,
    b: SegmentStatistics,
    *,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    n_trials: int = 1000,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Test whether metric a agrees with humans better than metric b.

    PERM-BOTH (Deutsch et al., 2021), as ``PermutationSigDiff`` of mt-metrics-eval computes it: the scores of both
    metrics that count are standardized, then a coin for each score (of a system, or of a system's segment) decides
    whether the two metrics exchange it. At segment level, ties are calibrated anew in each trial. Where an exchange
    leaves a metric without an agreement, because nothing varies, it counts as 0, as there. The interval of the
    difference is of the two-way bootstrap, see `measure_agreement`.

    Deviations from mt-metrics-eval: for pairwise accuracy at segment level, it standardizes over all scores; here, only
    judged scores count, as for the other measures. Where the observed agreement is not defined, it
    returns 0; here, p is NaN. It does not add one to its counts: with n trials, its p is (p * (n + 1) - 1) / n, where p
    is ``p_one_sided``. ``PairwisePermutationSigDiff``, its faster test for pairwise accuracy, which exchanges
    comparisons and keeps the thresholds of ties, is not offered.

    The coins treat scores as independent: they know nothing of systems and documents. At segment level the test is
    therefore anti-conservative. In simulations (8 systems, 12 documents of 4 segments, equally good metrics), it kept
    its level at system level; at segment level it rejected up to twice as often as it should where the metrics' errors
    were alike within documents, and about five times as often where each metric favoured some systems. So
    `describe_tests` in ``studies.agreement`` says that a metric agrees better only where p rejects *and* the interval,
    which resamples systems and documents, excludes 0. The p of the measures are not adjusted for their number.

    Parameters
    ----------
    human, a, b : SegmentStatistics
        See `measure_agreement`.
    unit, level, n_resamples
        Settings of the interval; see `measure_agreement`.
    n_trials : int
        Number of trials. Where at most 16 scores count, all exchanges are tried instead.
    rng : int, numpy.random.Generator or None
        See `measure_agreement`. The coin of system s (of S) in segment i is number i * S + s.

    Returns
    -------
    DataFrame
        One row per scope and measure: ``human``, ``a``, ``b``, ``scope``, ``measure``, ``agreement_a``,
        ``agreement_b``, ``difference`` (a - b), ``low``, ``high``, ``level``, ``p_value`` (two-sided; (count + 1) /
        (trials + 1), or count / trials where all exchanges were tried), ``p_one_sided`` (likewise, of the trials in
        which a is ahead by at least as much as observed, so it is small where a agrees better), ``n_trials``,
        ``exact``, ``n_systems``, ``n_segments`` (those with human scores and scores of both metrics for at least two
        systems), ``unit``, ``rng``.

    Raises
    ------
    InputError
        As of `measure_agreement`; ``draws`` where ``n_trials`` is not a number of trials.

    Warns
    -----
    DataWarning
        As of `measure_agreement`.
    """
    test_set, judged, pair = lay_out_scores(human, [a, b])
    units = choose_units(test_set, unit)
    check_draws("n_trials", n_trials)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_resamples(n_resamples, level, "percentile")
    key = resolve_rng(rng)
    observed = [_measure(judged, metric)[0] for metric in pair]
    drawn = _resample(judged, pair, units, n_resamples, key)
    every = np.ones((len(judged.systems), 1), dtype=bool)
    known = find_known(judged, pair)
    tested = [
        *_test(judged.of_systems().T, [one.of_systems().T for one in pair], every, _agree_on_systems, n_trials, key),
        *_test(judged.of_segments(), [one.of_segments() for one in pair], known, _agree_on_segments, n_trials, key),
    ]
    rows = []
    for place, (scope, measure) in enumerate(_kinds()):
        in_a, in_b = (values[place] for values in observed)
        rows.append(
            {
                "human": judged.name,
                "a": pair[0].name,
                "b": pair[1].name,
                "scope": scope,
                "measure": measure,
                "agreement_a": in_a,
                "agreement_b": in_b,
                "difference": in_a - in_b,
                **_interval(drawn[0][place] - drawn[1][place], level, in_a - in_b),
                "level": level,
                **tested[place],
                **_describe(judged, pair, units),
                "rng": key.seed,
            }
        )
    return pd.DataFrame(rows)


def _kinds() -> list[tuple[str, str]]:
    return [(scope, measure) for scope in SCOPES for measure in MEASURES]


def _describe(judged: JudgedScores, metrics: Sequence[JudgedScores], units: Units) -> dict[str, object]:
    return {"n_systems": len(judged.systems), "n_segments": count_segments(judged, metrics), "unit": units.name}


def _interval(resampled: np.ndarray, level: float, observed: float) -> dict[str, float]:
    defined = resampled[np.isfinite(resampled)]
    has_ends = len(defined) and np.isfinite(observed)
    low, high = percentile_ends(defined, level) if has_ends else (np.nan, np.nan)
    return {"low": float(low), "high": float(high)}


def _measure(judged: JudgedScores, metric: JudgedScores) -> tuple[np.ndarray, float]:
    """Measure the agreement as it is: all measures, and the threshold of ties."""
    segments = SegmentAgreement(judged.of_segments(), metric.of_segments())
    ones = np.ones((1, len(judged.systems))), np.ones((1, segments.human.shape[1]))
    on_systems = agree_on_systems(judged.of_systems(), metric.of_systems(), ones[0])
    _, threshold = segments.calibrated_accuracy(ones[0][0], ones[1][0])
    return np.concatenate([on_systems, segments.measure(*ones)])[:, 0], threshold


def _resample(
    judged: JudgedScores, metrics: Sequence[JudgedScores], units: Units, n_resamples: int, key: RandomKey
) -> list[np.ndarray]:
    """Measure the agreement in resamples of systems and units: for each metric, (n_kinds, n_resamples)."""
    n_systems = len(judged.systems)
    systems = np.concatenate(list(bootstrap_weights(n_systems, n_resamples, rng=key.sample(2))))
    segments = [SegmentAgreement(judged.of_segments(), metric.of_segments()) for metric in metrics]
    parts: list[list[np.ndarray]] = [[] for _ in metrics]
    first = 0
    for batch in units.draw(n_resamples, key.sample(1)):
        weights = batch[:, units.drawn.of_segment]
        of_systems = systems[first : first + len(weights)]
        first += len(weights)
        human_scores = judged.of_systems(weights)
        for metric, agreement, found in zip(metrics, segments, parts, strict=True):
            on_systems = agree_on_systems(human_scores, metric.of_systems(weights), of_systems)
            found.append(np.concatenate([on_systems, agreement.measure(of_systems, weights)]))
    return [np.concatenate(found, axis=1) for found in parts]


def _agree_on_systems(human: np.ndarray, metrics: np.ndarray) -> np.ndarray:
    """Measure agreement with many scorings of the systems, (n_scorings, n_systems, 1): (3, n_scorings)."""
    return agree_on_systems(human.T, metrics[:, :, 0], np.ones(metrics.shape[:2]))


def _agree_on_segments(human: np.ndarray, metrics: np.ndarray) -> np.ndarray:
    """Measure agreement with many scorings of the segments, (n_scorings, n_systems, n_segments): (3, n_scorings)."""
    ones = np.ones((1, human.shape[0])), np.ones((1, human.shape[1]))
    return np.concatenate([SegmentAgreement(human, metric).measure(*ones) for metric in metrics], axis=1)


def _test(
    human: np.ndarray,
    pair: Sequence[np.ndarray],
    known: np.ndarray,
    agree: Callable[[np.ndarray, np.ndarray], np.ndarray],
    n_trials: int,
    key: RandomKey,
) -> Iterator[dict[str, object]]:
    """Test the difference of two metrics' agreement by exchanging their scores, (n_systems, n_segments) each."""
    judged = known.any(axis=0)
    a, b = (_standardize(np.where(known, one, np.nan))[:, judged] for one in pair)
    # The exchange of a score that does not count changes nothing.
    exact = known.sum() <= MAX_EXACT_COINS
    masks = _all_exchanges(known) if exact else _draw_exchanges(known.shape, n_trials, key)
    human = np.where(known, human, np.nan)[:, judged]
    of_a, of_b = agree(human, a[None]), agree(human, b[None])
    observed, tie = of_a - of_b, TIE * np.maximum(np.abs(of_a), np.abs(of_b))

    def agree_after(change: np.ndarray, one: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.nan_to_num(agree(human, np.where(change, other, one)))

    exchanges = (mask[:, :, judged] for mask in masks)
    found = np.concatenate([agree_after(one, a, b) - agree_after(one, b, a) for one in exchanges], axis=1)
    more = 0 if exact else 1
    counts = [(np.abs(found) >= np.abs(observed) - tie).sum(axis=1), (found >= observed - tie).sum(axis=1)]
    p_values = (np.stack(counts) + more) / (found.shape[1] + more)
    for (two_sided, one_sided), defined in zip(p_values.T, np.isfinite(observed[:, 0]), strict=True):
        yield {
            "p_value": float(two_sided) if defined else np.nan,
            "p_one_sided": float(one_sided) if defined else np.nan,
            "n_trials": found.shape[1],
            "exact": exact,
        }


def _standardize(scores: np.ndarray) -> np.ndarray:
    """Bring scores to mean 0 and standard deviation 1; equal scores become 0."""
    deviation = np.nanstd(scores)
    if deviation <= TIE * np.nanmax(np.abs(scores)):
        return np.where(np.isnan(scores), np.nan, 0.0)
    return (scores - np.nanmean(scores)) / deviation


def _all_exchanges(known: np.ndarray) -> Iterator[np.ndarray]:
    """List all exchanges of the scores that count, (n_exchanges, n_systems, n_segments)."""
    n_coins = int(known.sum())
    for first in range(0, 2**n_coins, BATCH):
        numbers = np.arange(first, min(first + BATCH, 2**n_coins))
        masks = np.zeros((len(numbers), *known.shape), dtype=bool)
        masks[:, known] = numbers[:, None] >> np.arange(n_coins) & 1
        yield masks


def _draw_exchanges(shape: tuple[int, ...], n_trials: int, key: RandomKey) -> Iterator[np.ndarray]:
    n_systems, n_segments = shape
    for batch in exchange_masks(n_segments, n_trials, n_runs=n_systems, rng=key):
        yield batch.transpose(0, 2, 1).astype(bool)


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
    first, second = np.triu_indices(human.shape[-1], 1)
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
        return np.triu_indices(len(self.human), 1)

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
