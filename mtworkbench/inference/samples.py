"""Many samples of one test set, each resampled by itself: what studies of a method are made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import check_scored, count_wins
from mtworkbench.inference.intervals import percentile_ends
from mtworkbench.inference.score_table import EXACT_IN_FLOAT32, ScoreTable
from mtworkbench.inference.units import Units, choose_units, sum_resamples
from mtworkbench.inference.weighted_sums import is_whole
from mtworkbench.progress import Progress
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.settings import check_draws, check_level, check_resamples
from mtworkbench.statistics.identity import check_same_segments
from mtworkbench.statistics.segment_statistics import SystemStatistics

# So many resamples of samples are scored at a time, more or less: their sums stay in the processor's cache.
SCORED_TOGETHER = 2**13


@dataclass(frozen=True, eq=False)
class SampleScores:
    """The scores of systems on many samples of a test set, and on each sample's resamples.

    Parameters
    ----------
    systems : tuple of SystemStatistics
        Of the whole test set.
    scores : (n_systems, n_samples) ndarray
        Score of each sample, mean over runs.
    resampled : (n_systems, n_samples, n_resamples) ndarray
        Score of each resample of each sample. Within a sample all systems have the same resamples.
    randomness : RandomKey
        Sample i, counted from 1, was drawn with ``randomness.sample(i)``.
    """

    systems: tuple[SystemStatistics, ...]
    scores: np.ndarray = field(repr=False)
    resampled: np.ndarray = field(repr=False)
    randomness: RandomKey

    def position(self, system: str) -> int:
        """Return where a system stands in the arrays."""
        names = [member.system for member in self.systems]
        if system not in names:
            raise InputError(
                "unknown-system", f"There is no system {system!r} among the samples of {', '.join(map(repr, names))}."
            )
        return names.index(system)

    def intervals(self, system: str, level: float = 0.95) -> tuple[np.ndarray, np.ndarray]:
        """Return the percentile interval of each sample (Koehn (2004), Fig. 6): low and high, (n_samples,) ndarrays.

        Raises
        ------
        InputError
            ``few-resamples``: see `check_resamples`, which also warns.
        """
        resampled = self.resampled[self.position(system)]
        check_level(level)
        check_resamples(resampled.shape[-1], level, "percentile")
        return percentile_ends(resampled, level)

    def wins(self, a: str, b: str) -> tuple[np.ndarray | None, np.ndarray | None, np.ndarray]:
        """Count in how many resamples of each sample a wins, loses, ties (Koehn (2004), Figs 7-8).

        Returns
        -------
        wins, losses, ties : (n_samples,) ndarray of int64
            Wins and losses are None where the metric has no direction.
        """
        first, second = self.position(a), self.position(b)
        return count_wins(self.resampled[first], self.resampled[second], self.systems[first].metric)


def resample_samples(
    systems: Sequence[SystemStatistics],
    samples: Sequence[np.ndarray],
    *,
    n_resamples: int = 1000,
    unit: str = "segment",
    rng: RngLike = None,
    progress: Progress | None = None,
    first: int = 1,
) -> SampleScores:
    """Score many samples of a test set, and resample each.

    Sample i gives the numbers that ``bootstrap_interval(system.take(samples[i - 1]), rng=randomness.sample(i))`` and
    `paired_bootstrap` of the taken systems give, without the cost of going through them one by one.

    Parameters
    ----------
    systems : sequence of SystemStatistics
        Of one test set, with a score for every segment.
    samples : sequence of (n,) ndarray of int64
        Positions of segments, counted from 0, one array a sample: see `block_samples` and `broad_samples`.
    n_resamples : int
    unit : {"segment", "document", "auto"}
        What is resampled within a sample; the papers draw segments.
    rng : int, numpy.random.Generator or None
        The study's seed.
    progress : callable, optional
        Wraps the samples and shows how far one has come, such as ``tqdm``.
    first : int
        The number of the first sample in its study: sample i of these draws as sample ``first`` + i - 1.

    Returns
    -------
    SampleScores

    Raises
    ------
    InputError
        Where the systems are of different test sets, or a resample has no score.
    """
    check_draws("n_resamples", n_resamples)
    systems, samples = tuple(systems), list(samples)
    if not systems or not samples:
        raise InputError(
            "no-samples",
            f"There are {len(systems)} systems and {len(samples)} samples, but at least one of each is needed.",
        )
    test_set = systems[0].test_set
    for system in systems[1:]:
        check_same_segments(repr(systems[0].system), test_set, repr(system.system), system.test_set)
    random_key = resolve_rng(rng)
    scores = np.empty((len(systems), len(samples)))
    resampled = np.empty((len(systems), len(samples), n_resamples))
    table = ScoreTable.of(systems)
    of_segments = table.summed.astype(np.float64, copy=False)  # a sample may have more segments
    limit = EXACT_IN_FLOAT32 if is_whole(of_segments) else 0
    n_columns = of_segments.shape[1]
    # Scores of several samples are computed together, because each computation takes a while to begin.
    totals = np.empty((n_columns, -(-SCORED_TOGETHER // n_resamples), 1 + n_resamples))
    units: Units | None = None
    begun = 0
    for number, positions in enumerate(progress(samples) if progress else samples, start=1):
        # The segments of all samples of one size are numbered alike.
        if unit != "segment" or units is None or units.count != len(positions):
            units = choose_units(test_set.take(positions), unit)
        summed = units.drawn.sum(of_segments[positions])
        kind = np.float32 if len(summed) * np.abs(summed).max() < limit else np.float64
        of_sample, last = totals[:, number - 1 - begun], 1
        of_sample[:, 0] = summed.sum(axis=0)
        for sums in sum_resamples(units, summed, n_resamples, random_key.sample(first + number - 1), dtype=kind):
            of_sample[:, last : last + sums.shape[1]] = sums
            last += sums.shape[1]
        if number - begun == totals.shape[1] or number == len(samples):
            together = totals[:, : number - begun]
            found = [
                by_run.reshape(*together.shape[1:], -1)
                for by_run in table.score_totals(together.reshape(n_columns, -1))
            ]
            for of_systems in zip(*found, strict=True):
                check_scored(systems, [by_run[1:] for by_run in of_systems])
            for place, by_run in enumerate(found):
                means = by_run[..., 0] if by_run.shape[-1] == 1 else by_run.mean(axis=-1)
                scores[place, begun:number], resampled[place, begun:number] = means[:, 0], means[:, 1:]
            begun = number
    return SampleScores(systems, scores, resampled, random_key)
