"""Replications: how much the score of a system moves when it is tuned or trained again (Clark et al., 2011)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

import numpy as np

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.bootstrap import bootstrap, choose_resampling
from mtworkbench.inference.crossed import cross
from mtworkbench.inference.families import (
    as_families,
    check_same_runs,
    collect_doubts,
    divide_segments,
    find_fewest_units,
    name_families,
    number_pairs,
    settle_documents,
    settle_unit,
    warn_of_few_effective_units,
    warn_of_missing_scores,
)
from mtworkbench.inference.score_table import Places, ScoreTable, segments_of_both
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import Interval
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.results.variance import MetricVariance, OptimizerVariance, SystemVariance
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics
from mtworkbench.wording import name_some

#: Clark et al. (2011), §5, ask for at least so many replications.
MIN_RUNS = 3


def median_run(scores: Sequence[float]) -> int:
    """Return the run, counted from 1, whose score is the median; of an even number the lower of the two in the middle.

    A run, not a mean of two runs: its output is there to be read. Of runs that score alike it is the first.
    """
    scores = list(scores)
    return scores.index(sorted(scores)[(len(scores) - 1) // 2]) + 1


def optimizer_variance(
    test: SegmentStatistics | Sequence[SegmentStatistics],
    dev: SegmentStatistics | Sequence[SegmentStatistics] | None = None,
    baseline: str | None = None,
    *,
    systems: Sequence[str] | None = None,
    unit: str = "auto",
    interval: str = "auto",
    n_resamples: int | None = None,
    level: float = 0.95,
    rng: RngLike = None,
    progress: Progress | None = None,
) -> OptimizerVariance:
    """Measure how much scores move with the choice of test set, and how much from run to run.

    Clark et al. (2011), §4.1 and Table 1: s_sel, s_dev and s_test.

    Parameters
    ----------
    test : SegmentStatistics or sequence of SegmentStatistics
        One per metric, all of one test set; numbers of runs may differ.
    dev : SegmentStatistics or sequence of SegmentStatistics, optional
        Of the same runs on the set they were tuned on, under the same metrics.
    baseline : str, optional
        The system that the advice compares each other with; the first by default.
    systems : sequence of str, optional
        As of `compare`.
    unit : str
        What is resampled: see `bootstrap_interval`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `bootstrap_interval`.
    n_resamples : int, optional
        By default 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).
    level : float
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. With the same `rng`, `compare` gives the same s_sel.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw.

    Returns
    -------
    OptimizerVariance
        Fewer than three runs of a system are warned of.

    Raises
    ------
    InputError
        Where statistics do not fit together, or an argument is not what it should be.
    """
    families = settle_documents(as_families(test, systems), unit)
    dev_families = None if dev is None else match_dev(families, as_families(dev, systems))
    n_resamples = choose_n_resamples(n_resamples, level)
    baseline = next(iter(families[0])) if baseline is None else baseline
    numbered, members, pairs = number_pairs(families, baseline)
    unit = settle_unit(numbered, chain(*pairs), unit)
    parts = divide_segments(numbered, [], unit)
    fewest = find_fewest_units(parts)
    settings = choose_resampling("variance", fewest, interval, level, n_resamples, rng)
    warn_of_missing_scores(families)
    warn_of_few_effective_units(fewest)
    warn_of_few_runs(families)
    intervals: dict[int, Interval] = {}
    with shown_steps(progress, settings.n_resamples * len(parts)) as advance:
        for part in parts:
            drawn = bootstrap(part.table, settings, advance)
            intervals |= {number: drawn.interval(place) for number, place in part.systems.items()}
    metrics = {}
    for place, name in enumerate(name_families(families)):
        on_dev = None if dev_families is None else dev_families[place]
        rows = tuple(vary_system(intervals[one], numbered[one].run_names, on_dev) for one in members[place])
        metrics[name] = MetricVariance(
            name=name,
            signature=families[place].signature,
            higher_is_better=families[place].metric.higher_is_better,
            systems=rows,
            analyses=tuple(analyse_pairs(numbered, pairs[place], level, unit)),
        )
    return OptimizerVariance(
        settings=settings,
        n_segments=len(families[0].test_set),
        n_documents=families[0].test_set.n_documents,
        known_documents=families[0].test_set.known_documents,
        n_dev_segments=None if dev_families is None else len(dev_families[0].test_set),
        baseline=baseline,
        metrics=metrics,
        doubts=collect_doubts(families),
    )


def match_dev(
    families: Sequence[SegmentStatistics], dev_families: Sequence[SegmentStatistics]
) -> list[SegmentStatistics]:
    """Return the dev statistics of each metric of the test set, in its order.

    Raises
    ------
    InputError
        Where the dev set lacks a metric, has systems that the test set lacks, or other runs of a system.
    """
    matched = []
    for family in families:
        same = [other for other in dev_families if other.metric == family.metric]
        if not same:
            raise InputError(
                "dev-metric",
                f"The test set has statistics of {family.metric.name} ({family.signature}), the dev set has none: "
                "compute both under the same metrics.",
            )
        unknown = [name for name in same[0] if name not in family]
        if unknown:
            raise InputError(
                "unknown-dev-system",
                f"The dev set has outputs of {unknown[0]!r}, which is not among the systems of the test set: "
                f"{', '.join(map(repr, family))}.",
            )
        matched.append(same[0])
    if matched[0].test_set == families[0].test_set:
        DataWarning(
            "dev-is-test", "The dev set has the segments and references of the test set: is it the same file?"
        ).warn()
    check_same_runs({"the dev set": matched[0], "the test set": families[0]})
    runs = {name: (families[0][name].n_runs, matched[0][name].n_runs) for name in matched[0]}
    warn_of_other_runs({name: both for name, both in runs.items() if both[0] != both[1]})
    return matched


def warn_of_other_runs(runs: Mapping[str, tuple[int, int]]) -> None:
    """Warn of systems with other numbers of runs on the dev set: those of the test set come first."""
    if not runs:
        return
    name, (on_test, on_dev) = next(iter(runs.items()))
    whose = f"{name!r} has different numbers of runs on the test set ({on_test}) and on the dev set ({on_dev})"
    if len(runs) > 1:
        named = [f"{name!r} ({on_test} and {on_dev})" for name, (on_test, on_dev) in runs.items()]
        whose = f"{len(runs):,} systems have different numbers of runs on the test set and on the dev set"
        whose += f", {name_some(named)}"
    consequence = "runs are matched by number, so the dev-set median run cannot be identified on the test set"
    DataWarning("dev-runs", f"{whose}: {consequence}.", count=len(runs)).warn()


def warn_of_few_runs(families: Sequence[SegmentStatistics]) -> None:
    """Warn of systems with fewer than three runs."""
    few = {name: family[name].n_runs for family in families for name in family if family[name].n_runs < MIN_RUNS}
    if few:
        listed = ", ".join(f"{name!r} ({n_runs})" for name, n_runs in few.items())
        DataWarning(
            "few-runs",
            f"Fewer than {MIN_RUNS} runs of {listed}: to estimate run-to-run variation, give at least {MIN_RUNS} "
            "runs per system, preferably more.",
            count=len(few),
        ).warn()


def vary_system(found: Interval, run_names: tuple[str, ...], dev: SegmentStatistics | None) -> SystemVariance:
    """Put together what is known of one system from its confidence interval and from its runs on the dev set."""
    scores = found.scores
    median = median_run(scores)
    dev_scores = None
    if dev is not None and found.system in dev:
        dev_scores = tuple(float(score) for score in dev[found.system].score()[0])
    is_paired = dev_scores is not None and len(dev_scores) == len(scores)
    dev_median = median_run(dev_scores) if dev_scores is not None and is_paired else None
    return SystemVariance(
        interval=found,
        s_dev=None if dev_scores is None or len(dev_scores) < 2 else float(np.std(dev_scores, ddof=1)),
        lowest=min(scores),
        highest=max(scores),
        median_run=median,
        median_score=scores[median - 1],
        dev_mean=None if dev_scores is None else float(np.mean(dev_scores)),
        dev_median_run=dev_median,
        dev_median_score=None if dev_median is None else scores[dev_median - 1],
        dev_scores=dev_scores,
        run_names=run_names,
    )


def analyse_pairs(
    systems: Sequence[SystemStatistics], pairs: Sequence[Places], level: float, unit: str
) -> Iterator[CrossedAnalysis]:
    """Analyse each pair on the segments that both have scores for; with one run of a system nothing is estimated."""
    for pair in pairs:
        a, b = (systems[place] for place in pair)
        segments = segments_of_both(a, b) if min(a.n_runs, b.n_runs) > 1 else None
        yield from cross(ScoreTable.of([a, b], unit, segments), [(0, 1)], level)
