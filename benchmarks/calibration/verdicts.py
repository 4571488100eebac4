"""What each test says of each experiment, and whether each interval covers the truth.

The tests are those of the package, as its users call them. What is gained here is that experiments share their coins
and their resamples where they have the same units.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np

from benchmarks.calibration.cells import Cell
from benchmarks.calibration.experiments import Batch
from benchmarks.many_pairs import randomize_pairs
from mtworkbench.analyses.calibration import AT_EITHER_END, AT_THE_MARGIN
from mtworkbench.choices import METHODS
from mtworkbench.inference.bootstrap import resample
from mtworkbench.inference.conventions import DrawnDifferences
from mtworkbench.inference.crossed import cross
from mtworkbench.inference.equivalence import p_within
from mtworkbench.inference.intervals import Drawn, jackknife_variance
from mtworkbench.inference.rules import (
    COMET_SAMPLES,
    COMET_SHARE,
    COMPARE_MT_SHARE,
    RULES,
    Observed,
    centred_on_the_observed,
)
from mtworkbench.inference.runs import permute_runs, t_test_runs
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.resampling import RandomKey, exchange_masks, sacrebleu_masks, sacrebleu_weights, subsample_weights

LEVEL = 0.95
ALPHA = 0.05 + 1e-12
N_RESAMPLES = 1000
#: The rules of papers and programs, which draw segments; this package's own are tested as its users call them.
PUBLISHED = tuple(rule for rule in RULES if not rule.by_unit)
#: Score points that no experiment's difference comes near.
WIDE = 1000.0
#: Up to so many runs of each system, all ways to split them are tried.
MAX_PERMUTED_RUNS = 5
#: With more documents, tests by segment take long, and their errors do not change.
MOST_DOCUMENTS_BY_SEGMENT = 20
#: What can be counted: rejections, intervals that cover the truth, systems called equal that differ by the margin.
REJECTS, OF_SCORE, OF_DIFFERENCE = "rejects", "coverage of a score", "coverage of a difference"
CALLS_EQUAL = AT_THE_MARGIN  # as `load_calibration` calls it

#: What is counted, and test or method -> one verdict per experiment.
Verdicts = dict[tuple[str, str], np.ndarray]


def find_ends(drawn: Drawn, n_effective: float) -> Iterator[tuple[str, float, float]]:
    """Compute every interval: method, low, high; where there is none, nothing is excluded."""
    for name in (*METHODS, "jackknife n - 1"):
        method, df = (name, n_effective - 1) if name in METHODS else ("jackknife", None)
        ends = drawn._replace(df=df).find_ends(method, LEVEL)
        yield name, *((-np.inf, np.inf) if None in ends else ends)


def by_randomization(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    return {(REJECTS, "ar"): _exchange(cell, batch, unit, "unit")}


def by_exchange_of_runs(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    return {(REJECTS, "ar by run"): _exchange(cell, batch, unit, "run")}


def by_resampling(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    """A test by an interval rejects where that of the difference excludes 0."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    sizes = iter(batch.n_effective)
    for table, pairs in batch.tables(unit):
        resampled = [scores.mean(axis=1) for scores in resample(table, N_RESAMPLES, batch.random_key)]
        for a, b in pairs:
            n_effective, (mean_a, mean_b) = next(sizes), (table.means[a], table.means[b])
            influence_a, influence_b = table.influence[a], table.influence[b]
            difference = Drawn(
                mean_a - mean_b, resampled[a] - resampled[b], influence_a - influence_b, max(abs(mean_a), abs(mean_b))
            )
            observed = Observed(difference.value, difference.scale, n_effective - 1)
            found[REJECTS, "shift"].append(centred_on_the_observed(observed, difference.resampled) <= ALPHA)
            for method, low, high in find_ends(difference, n_effective):
                found[REJECTS, method].append(not low <= 0 <= high)
                if batch.truth is not None:
                    found[OF_DIFFERENCE, method].append(low <= batch.truth[0] - batch.truth[1] <= high)
            if batch.truth is not None:
                score = Drawn(mean_a, resampled[a], influence_a, abs(mean_a))
                for method, low, high in find_ends(score, n_effective):
                    found[OF_SCORE, method].append(low <= batch.truth[0] <= high)
    return {key: np.array(values) for key, values in found.items()}


def by_published_rules(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    """All of them draw segments, so documents are spelled out."""
    found: dict[tuple[str, str], list[bool]] = defaultdict(list)
    if unit == "segment":
        for table, pairs in batch.tables(unit):
            for drawn in draw_jointly(table, pairs, cell.n_trials, batch.random_key):
                for rule in PUBLISHED:
                    found[REJECTS, rule.name].append(rule.rejects(drawn.value(rule), LEVEL))
    return {key: np.array(values) for key, values in found.items()}


def draw_jointly(
    table: ScoreTable, pairs: Sequence[Places], n_trials: int, random_key: RandomKey
) -> Iterator[DrawnDifferences]:
    """Draw for all pairs of a table what `DrawnDifferences` draws for one: the same, with one product of matrices."""
    n = table.n_segments
    samples = {
        "resampled": [resample(table, N_RESAMPLES, random_key)],
        "sacrebleu_resampled": map(table.score, sacrebleu_weights(n, N_RESAMPLES)),
    }
    for name, share, count in (
        ("half_sampled", COMPARE_MT_SHARE, N_RESAMPLES),
        ("comet_sampled", COMET_SHARE, COMET_SAMPLES),
    ):
        drawn = subsample_weights(n, max(int(n * share), 1), count, rng=random_key)
        samples[name] = map(table.score, drawn)
    exchanges = {
        "exchanged": (masks[..., 0] for masks in exchange_masks(n, n_trials, rng=random_key)),
        "sacrebleu_exchanged": sacrebleu_masks(n, n_trials),
    }
    scores = {name: [np.concatenate(parts) for parts in zip(*drawn, strict=True)] for name, drawn in samples.items()}
    exchanged = {
        name: np.concatenate([table.exchange(masks, pairs) for masks in drawn], axis=2)
        for name, drawn in exchanges.items()
    }
    for place, (a, b) in enumerate(pairs):
        pair = ScoreTable((table.systems[a], table.systems[b]), table.units)
        one = DrawnDifferences(pair, N_RESAMPLES, n_trials, random_key, single_precision=False)
        # What it would draw when it is first asked for is there already.
        vars(one).update({name: one._subtract(of[a], of[b]) for name, of in scores.items()})
        vars(one).update({name: one._subtract(*of[place, :, :, None]) for name, of in exchanged.items()})
        yield one


def by_multeval(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    [rule] = (rule for rule in RULES if rule.name == "multeval")
    found = [
        DrawnDifferences(ScoreTable.of(one[:2], unit), N_RESAMPLES, cell.n_trials, batch.random_key).value(rule)
        for one in batch.systems
    ]
    return {(REJECTS, rule.name): np.array([rule.rejects(value, LEVEL) for value in found])}


def by_crossed_analysis(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    """Runs are pooled over all systems of an experiment, so each has a table of its own. Two runs and ten give no p."""
    found = [
        cross(table, [(0, 1)], LEVEL, "pooled")[0]
        for one in batch.systems
        for table, _ in Batch([one], None, batch.n_effective, batch.random_key).tables(unit)
    ]
    p_values = {
        "crossed": [one.method_p_separate for one in found],
        "crossed pooled": [one.method_p_value for one in found],
        "plain pooling": [one.method_p_pooled for one in found],
    }
    return {(REJECTS, test): _at_most_alpha(values) for test, values in p_values.items() if any(values)}


def by_scores_of_runs(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    found = {(REJECTS, "t-test on runs"): _at_most_alpha(t_test_runs(*one[:2]).p_value for one in batch.systems)}
    if max(cell.runs) <= MAX_PERMUTED_RUNS:
        found[REJECTS, "permutation of runs"] = _at_most_alpha(permute_runs(*one[:2]).p_value for one in batch.systems)
    return found


def by_equivalence(cell: Cell, batch: Batch, unit: str) -> Verdicts:
    """The true difference is the margin, so the right answer is that the systems are not equal within it.

    The error is largest where the margin is so wide that its other end does not matter. So a constant is added to the
    difference, the true and the estimated, or subtracted from both: the first system is better by the margin, or worse.
    """
    if batch.truth is None:
        return {}
    true, found = batch.truth[0] - batch.truth[1], {test: [] for test in AT_EITHER_END}
    for difference, error, df in _estimate_differences(cell, batch, unit):
        for p_values, shift in zip(found.values(), (WIDE, -WIDE), strict=True):
            known = df is not None and df > 0 and error > 0
            p_values.append(p_within(abs(true + shift), difference + shift, error, df) if known else None)
    return {(CALLS_EQUAL, test): _at_most_alpha(p_values) for test, p_values in found.items()}


def _estimate_differences(cell: Cell, batch: Batch, unit: str) -> Iterator[tuple[float, float, float | None]]:
    """Estimate the difference of each experiment, with its standard error and degrees of freedom."""
    if cell.has_runs:
        for one in batch.systems:
            [(table, _)] = Batch([one], None, batch.n_effective, batch.random_key).tables(unit)
            [crossed] = cross(table, [(0, 1)], LEVEL)
            yield crossed.difference, crossed.standard_error, crossed.method_df
        return
    sizes = iter(batch.n_effective)
    for table, pairs in batch.tables(unit):
        for a, b in pairs:
            n_effective, variance = next(sizes), jackknife_variance(table.influence[a] - table.influence[b])
            yield table.means[a] - table.means[b], variance**0.5, n_effective - 1 if n_effective >= 2 else None


class Group(NamedTuple):
    """Tests that are computed together, with the names that they have in the table; the first is always there."""

    compute: Callable[[Cell, Batch, str], Verdicts]
    names: tuple[str, ...]


GROUPS_WITHOUT_RUNS = (
    Group(by_randomization, ("ar",)),
    Group(by_resampling, ("percentile", "basic", "bca", "jackknife", "jackknife n - 1", "shift")),
)
GROUPS_WITH_RUNS = (
    Group(by_randomization, ("ar",)),
    Group(by_crossed_analysis, ("crossed pooled", "plain pooling", "crossed")),
    Group(by_scores_of_runs, ("t-test on runs", "permutation of runs")),
)
OF_DIFFERENT = Group(by_equivalence, AT_EITHER_END)
OF_EQUAL_NUMBERS = Group(by_exchange_of_runs, ("ar by run",))
OF_PUBLISHED_RULES = Group(by_published_rules, tuple(rule.name for rule in PUBLISHED))
OF_MULTEVAL = Group(by_multeval, ("multeval",))
OF_OTHERS = (OF_PUBLISHED_RULES, OF_MULTEVAL)


def groups_of(cell: Cell, unit: str) -> tuple[Group, ...]:
    """Return the tests that have something to say in a cell."""
    different = (OF_DIFFERENT,) * (cell.has_alternative and unit == cell.unit)
    if not cell.has_runs:
        return GROUPS_WITHOUT_RUNS + different + (OF_PUBLISHED_RULES,) * (cell.published_rules and unit == "segment")
    equal = cell.runs[0] == cell.runs[1]
    return GROUPS_WITH_RUNS + (OF_EQUAL_NUMBERS,) * equal + different + (OF_MULTEVAL,) * cell.published_rules


def units_of(cell: Cell) -> list[str]:
    """Return what tests take for independent: in cells of few documents of systems with one run, segments as well."""
    also_segments = cell.unit == "document" and not cell.has_runs and cell.n_units <= MOST_DOCUMENTS_BY_SEGMENT
    return [cell.unit, "segment"] if also_segments else [cell.unit]


def _exchange(cell: Cell, batch: Batch, unit: str, exchange: str) -> np.ndarray:
    options = {"exchange": exchange, "n_trials": cell.n_trials, "random_key": batch.random_key}
    return _at_most_alpha(chain.from_iterable(randomize_pairs(*part, **options) for part in batch.tables(unit)))


def _at_most_alpha(p_values: Iterable[float | None]) -> np.ndarray:
    """Return which p reject; a test without an answer does not."""
    return np.array([p is not None and p <= ALPHA for p in p_values])
