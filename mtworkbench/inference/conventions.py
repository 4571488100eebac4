"""What the rules of tools and papers look at, all drawn from one key, and the records of what they say."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import pandas as pd

from mtworkbench.assumptions import Doubt
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.intervals import TIE
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.rules import COMET_SAMPLES, COMET_SHARE, COMPARE_MT_SHARE, Observed, Rule, find_rule
from mtworkbench.inference.runs import lay_end_to_end
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.weighted_sums import sum_weighted
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.single_precision import score_as_sacrebleu
from mtworkbench.resampling import (
    COINS,
    SUBSAMPLES,
    RandomKey,
    batches,
    exchange_coins,
    run_orders,
    sacrebleu_masks,
    sacrebleu_weights,
    subsample_weights,
    take_runs,
)
from mtworkbench.results.estimates import Estimate, PairDifference, Randomization
from mtworkbench.shown import Headed

#: From so many runs on, MultEval's shuffle uses some outputs twice and others never.
MULTEVAL_SLIPS_FROM = 3


@dataclass(frozen=True, repr=False, eq=False)
class Convention(Estimate):
    """What one rule says of a difference.

    Parameters
    ----------
    name : str
        ``koehn2004``, ``sacrebleu-bs`` ...: see `mtworkbench.inference.rules.RULES`.
    source : str
        Who published the rule, and where.
    asks : str
        When it calls a difference significant, in words.
    unit : {"segment", "document"}
        What it draws or exchanges.
    n_drawn : int or None
        How many resamples, samples or exchanges; None where nothing is drawn.
    p_value : float or None
        Its p; None where it has none.
    confidence : float or None
        Share of the resamples that the system winning more of them wins; None where the rule does not count wins.
    low, high : float or None
        Interval of the difference a - b; None where the rule has none.
    verdict : {"significant", "not significant", "undecided"} or None
        At 1 - level; only ``ar`` can be undecided, as in `compare`. None where the rule cannot be applied.
    better : str or None
        The system with the better score where the verdict is "significant"; None if they tie, or the metric has no
        direction.
    note : str
        Why there is no verdict, or what is special here.
    error_percent : float or None
        How often the rule was measured to call equal systems different at 5 %, in %, in the setting that is nearest to
        these data; None where nothing like them was measured. This and the following are None unless
        `mtworkbench.analyses.conventions.add_error_rates` has added them.
    error_finding : {"keeps its level", "errs too often", "conservative", "not measured"} or None
        Whether that rate lies in the band around 5 %, above it or below it.
    error_cell, error_setting : str or None
        The setting: its name in ``docs/validity.md``, and in words.
    """

    name: str
    source: str
    asks: str
    unit: str
    n_drawn: int | None
    p_value: float | None
    confidence: float | None
    low: float | None
    high: float | None
    verdict: str | None
    better: str | None
    note: str
    error_percent: float | None = None
    error_finding: str | None = None
    error_cell: str | None = None
    error_setting: str | None = None


@dataclass(frozen=True, repr=False, eq=False)
class Conventions(PairDifference, Headed):
    """What all rules say of one difference.

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Score of a - score of b.
    score_a, score_b : float
        On the segments that both have scores for.
    level : float
    unit : {"segment", "document"}
        Of the rules of this package; those of other programs draw segments.
    n_units, n_segments, n_resamples, n_trials : int
    runs_a, runs_b : int
    rng : int or None
        The seed given or drawn; None where a Generator was given: the signature then has its key.
    signature : str
    rules : tuple of Convention
        One per rule, in the order of the table.
    is_mean : bool
        Whether the score is the mean of the segments' own scores.
    segments_differing : int or None
        Segments with different statistics in the two systems.
    n_documents : int or None
        None where documents are not known.
    known_documents : str or None
        The public test set from which documents were recognized, where these are the units.
    doubts : tuple of Doubt
        As in `Comparison`.
    """

    score_a: float
    score_b: float
    level: float
    unit: str
    n_units: int
    n_segments: int
    n_resamples: int
    n_trials: int
    runs_a: int
    runs_b: int
    rng: int | str | None
    signature: str
    rules: tuple[Convention, ...] = field(repr=False)
    is_mean: bool = field(repr=False)
    segments_differing: int | None = None
    n_documents: int | None = None
    known_documents: str | None = field(default=None, repr=False)
    doubts: tuple[Doubt, ...] = field(default=(), repr=False)

    def __getitem__(self, name: str) -> Convention:
        """Return the row of a rule by its name."""
        return find_rule(self.rules, name)

    def to_frame(self) -> pd.DataFrame:
        """Return one row per rule, unrounded: the fields of `Convention`."""
        return pd.DataFrame([one.shown() for one in self.rules])


@dataclass(frozen=True, eq=False)
class DrawnDifferences:
    """The differences that the rules look at, each kind drawn when it is first asked for.

    Differences are turned so that they are above 0 where a is better, and are 0 where the scores tie.

    Parameters
    ----------
    table : ScoreTable
        Of a and b. Rules of this package draw its units, the others segments.
    n_resamples, n_trials : int
    random_key : RandomKey
    single_precision : bool
        Whether the scores of sacreBLEU's resamples are computed by sacreBLEU's own function, one by one. Otherwise its
        p may be off by a resample in rare cases.
    """

    table: ScoreTable
    n_resamples: int
    n_trials: int
    random_key: RandomKey
    single_precision: bool = True

    @cached_property
    def observed(self) -> Observed:
        """The difference of the two scores, means over runs."""
        return self._observe(*self.table.means)

    @cached_property
    def resampled(self) -> np.ndarray:
        """On bootstrap resamples of segments, (n_resamples,) ndarray: scores are means over runs."""
        return self._subtract(*resample(self.table.by_segment, self.n_resamples, self.random_key))

    @cached_property
    def unit_resampled(self) -> np.ndarray:
        """On bootstrap resamples of units, (n_resamples,) ndarray."""
        if self.table is self.table.by_segment:
            return self.resampled
        return self._subtract(*resample(self.table, self.n_resamples, self.random_key))

    @cached_property
    def half_sampled(self) -> np.ndarray:
        """On compare-mt's samples of half the segments, (n_resamples,) ndarray."""
        return self._sample(COMPARE_MT_SHARE, self.n_resamples)

    @cached_property
    def comet_sampled(self) -> np.ndarray:
        """On comet-compare's 300 samples of 40 % of the segments, (300,) ndarray."""
        return self._sample(COMET_SHARE, COMET_SAMPLES)

    @cached_property
    def sacrebleu_resampled(self) -> np.ndarray:
        """On sacreBLEU's own resamples, (n_resamples,) ndarray, in the precision of sacreBLEU's scores."""
        drawn = sacrebleu_weights(self.table.by_segment.n_segments, self.n_resamples)
        if not self.single_precision:
            return np.concatenate([self._subtract(*self.table.by_segment.score(weights)) for weights in drawn])
        metric, parts, sums = self.table.by_segment.systems[0].metric, [], self.table.by_segment.sums[:]
        for weights in drawn:
            a, b = np.split(sum_weighted(weights, sums), 2, axis=1)
            parts.append(score_as_sacrebleu(metric, a) - score_as_sacrebleu(metric, b))
        return np.concatenate(parts)

    @cached_property
    def sacrebleu_exchanged(self) -> np.ndarray:
        """After sacreBLEU's own exchanges, (n_trials,) ndarray."""
        return self._exchange(sacrebleu_masks(self.table.by_segment.n_segments, self.n_trials))

    @cached_property
    def end_to_end(self) -> ScoreTable:
        """The outputs of all runs of each system as one, segment by segment, each with its share of the statistics."""
        return ScoreTable.of([lay_end_to_end(one) for one in self.table.by_segment.systems])

    @cached_property
    def exchanged(self) -> np.ndarray:
        """After MultEval's exchanges, with a coin for each segment and run, (n_trials,) ndarray.

        Its second pseudo-system should take what the first leaves. It does so with one or two runs; from three runs on
        its places have the inverse order of runs, so that it takes the other side's output at place r from another run.
        """
        n_runs = self.table.by_segment.n_runs[0]
        if n_runs == 1 and self.table is self.table.by_segment and not self.randomization.exact:
            return self.unit_exchanged
        n_coins = self.table.by_segment.n_segments * n_runs
        coins, orders = self.random_key.stream(COINS), self.random_key.stream(SUBSAMPLES)
        parts = []
        for first, count in batches(self.n_trials, n_coins):
            masks = exchange_coins(n_coins, first, count, key=coins)
            [(score_a, score_b)] = self.end_to_end.exchange(masks, [(0, 1)])
            if n_runs >= MULTEVAL_SLIPS_FROM:
                drawn = run_orders(self.table.by_segment.n_segments, n_runs, first, count, key=orders)
                # The first takes run j by the coin of the place where j is; the second by that of place order[j].
                coins_of_runs = np.moveaxis(masks.reshape(count, -1, n_runs), -1, 0)
                slipped = take_runs(coins_of_runs, take_runs(drawn, drawn))
                slipped = np.moveaxis(slipped, 0, -1).reshape(count, n_coins)
                [(_, score_b)] = self.end_to_end.exchange(slipped, [(0, 1)])
            parts.append(self._subtract(score_a[:, None], score_b[:, None]))
        return np.concatenate(parts)

    @cached_property
    def randomization(self) -> Randomization:
        """The test of `approximate_randomization`."""
        return randomize(self.table, n_trials=self.n_trials, random_key=self.random_key)

    @cached_property
    def unit_exchanged(self) -> np.ndarray:
        """After this package's exchanges, (n_trials,) ndarray; all of them where few outputs differ."""
        differences = self.randomization.differences
        return np.zeros(0) if differences is None else differences * self.sign

    @cached_property
    def influence(self) -> np.ndarray:
        """Of each unit on the difference, (n_units,) ndarray."""
        return self.sign * self.table.influence_on()

    @cached_property
    def segment_scores(self) -> np.ndarray:
        """Of single segments, means over runs, (n_segments,) ndarray."""
        return self._subtract(*(one.metric.segment_score(one.values).T for one in self.table.systems))

    @cached_property
    def sign(self) -> int:
        """1 if higher is better, else -1: differences are turned by it."""
        return sign_of(self.table.systems[0].metric)

    def _observe(self, score_a: float, score_b: float) -> Observed:
        return Observed(self.sign * (score_a - score_b), max(abs(score_a), abs(score_b)), self.table.units.df)

    def _subtract(self, scores_a: np.ndarray, scores_b: np.ndarray) -> np.ndarray:
        """Subtract scores of (n, n_runs), averaged over runs; what ties is 0."""
        a, b = scores_a.mean(axis=1), scores_b.mean(axis=1)
        differences = self.sign * (a - b)
        differences[np.abs(differences) <= TIE * np.maximum(np.abs(a), np.abs(b))] = 0
        return differences

    def _sample(self, share: float, n_samples: int) -> np.ndarray:
        size = max(int(self.table.by_segment.n_segments * share), 1)
        drawn = subsample_weights(self.table.by_segment.n_segments, size, n_samples, rng=self.random_key)
        return np.concatenate([self._subtract(*self.table.by_segment.score(weights)) for weights in drawn])

    def _exchange(self, drawn: Iterable[np.ndarray]) -> np.ndarray:
        exchanged = (self.table.by_segment.exchange(masks, [(0, 1)])[0] for masks in drawn)
        return np.concatenate([self._subtract(a[:, None], b[:, None]) for a, b in exchanged])

    def value(self, rule: Rule) -> float:
        """Return the value of a rule: p, or what takes its place; NaN where there is none."""
        if rule.name == "ar":
            return self.randomization.p_value
        observed = self.observed
        if rule.name == "multeval":  # it scores the outputs of all runs together
            observed = self._observe(*self.end_to_end.means)
        return float(rule.value(observed, getattr(self, rule.draws)))

    def why_not(self, rule: Rule) -> str:
        """Say why a rule cannot be applied to these systems; empty where it can."""
        runs_a, runs_b = self.table.n_runs
        if rule.of_files and max(runs_a, runs_b) > 1:
            return "one run of each system is needed, because the program reads one output of each"
        if rule.name == "multeval" and runs_a != runs_b:
            return "equal numbers of runs are needed"
        if rule.gives == "confidence" or rule.name == "compare-mt":
            return (
                ""
                if has_direction(self.table.systems[0].metric)
                else "the metric has no direction, so no wins can be counted"
            )
        return ""
