"""Every system against a baseline, or all pairs, under several metrics at once: the table that a paper prints."""

from __future__ import annotations

import warnings
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, combinations, islice

import numpy as np

from mtworkbench import __version__
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.bootstrap import BootstrapPlan, warn_of_few_units
from mtworkbench.inference.checks import (
    check_choice,
    check_exchange,
    check_resamples,
    choose_n_resamples,
    count_needed_resamples,
)
from mtworkbench.inference.comparison_parts import Estimates, Part, divide_segments, estimate_part
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.intervals import choose_method
from mtworkbench.inference.randomization import EXCHANGES, Pair, count_differing
from mtworkbench.inference.rankings import MIN_SYSTEMS, rank_systems
from mtworkbench.inference.results import write_signature
from mtworkbench.inference.units import choose_units
from mtworkbench.inference.verdicts import (
    Verdict,
    choose_n_trials,
    conclude,
    judge_family,
    judge_method_family,
    min_trials,
)
from mtworkbench.metrics import Length, MeanScore, Metric
from mtworkbench.resampling import Randomness, resolve_rng
from mtworkbench.statistics.identity import align_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics

Progress = Callable[[Iterable], Iterable]


def compare(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    unit: str = "auto",
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    rng: int | np.random.Generator | Randomness | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare every system with a baseline, or all pairs, under one metric or several.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One per metric, all of one test set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    unit : {"auto", "segment", "document"}
        What is drawn and exchanged; ``auto`` takes documents where they are known and there are at least 10.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `bootstrap_interval`.
    n_resamples : int, optional
        Bootstrap resamples; by default 1,000, or 20 / (1 - level) where that is more.
    n_trials : int, optional
        Random exchanges; by default 10,000, or as many as `min_trials` says a large family needs. A smaller number
        that is given is kept, with a warning.
    level : float
        Of the intervals; verdicts are at 1 - level, Holm-adjusted over each metric's comparisons.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. With the same `rng`, `paired_bootstrap` and
        `approximate_randomization` give the same numbers.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Where statistics are of different test sets, the baseline is not there, or an argument is not what it should be
        (``few-resamples``: too few for an interval at this level).

    Warns
    -----
    DataWarning
        ``few-trials`` where a difference that no trial reaches could not be called significant, ``few-resamples``,
        ``few-units``, ``missing-scores``.
    """
    families = as_families(statistics)
    n_resamples = choose_n_resamples(n_resamples, level)
    check_choice("exchange", exchange, EXCHANGES)
    test_set = families[0].test_set
    unit = choose_units(test_set, unit).name
    choose_method(interval, len(test_set))
    members = [[family[name] for name in family] for family in families]
    pairs = [choose_pairs(systems, baseline, exchange) for systems in members]
    largest = max(map(len, pairs))
    n_trials = choose_n_trials(n_trials, largest, level)
    randomness = resolve_rng(rng)

    parts = divide_segments(list(chain(*members)), list(chain(*pairs)))
    plans = plan_parts(parts, unit, interval, level, n_resamples, randomness)
    check_resamples(n_resamples, level, plans[0].method)
    warn_of_missing_scores(members)
    counted = [plan.units.count for part, plan in zip(parts, plans, strict=True) if part.has_confidence]
    if counted:
        warn_of_few_units(min(counted), unit)
    estimates = draw(parts, plans, exchange, n_trials, progress)
    if not all(trials.exact for trials in estimates.trials.values()):
        warn_of_few_trials(n_trials, largest, level)
    names = name_families(families)
    return Comparison(
        signature=write_signature(
            "ar",
            randomness,
            unit=unit,
            exchange=exchange,
            trials=n_trials,
            interval=plans[0].method,
            level=f"{level:g}",
            resamples=n_resamples,
        ),
        unit=unit,
        exchange=exchange,
        interval=plans[0].method,
        level=float(level),
        n_resamples=int(n_resamples),
        n_trials=int(n_trials),
        rng=randomness.seed,
        n_segments=len(test_set),
        n_documents=test_set.n_documents,
        version=__version__,
        baseline=baseline,
        metrics={
            name: judge_metric(name, family, systems, compared, estimates, baseline, level, n_trials)
            for name, family, systems, compared in zip(names, families, members, pairs, strict=True)
        },
    )


@contextmanager
def shown_draws(progress: Progress | None, n_draws: int) -> Iterator[Callable[[int], None] | None]:
    """Show draws as they are made: yield a function to tell after each batch how many it made; None to show nothing."""
    if progress is None:
        yield None
        return
    steps = (step for step in progress(range(n_draws)))
    try:
        yield lambda count: deque(islice(steps, count), maxlen=0)
        next(steps, None)  # a bar closes when it finds nothing more
    finally:
        steps.close()  # an interrupted one here


def as_families(statistics: SegmentStatistics | Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Check that there is one of each metric, and return them as a list, in the segment order of the first."""
    one = isinstance(statistics, SegmentStatistics) or not isinstance(statistics, Iterable)
    families = [statistics] if one else list(statistics)
    if not families or not all(isinstance(family, SegmentStatistics) and len(family) for family in families):
        raise InputError(
            "no-statistics",
            "SegmentStatistics of at least one system were expected, one per metric: make them with "
            "compute_statistics(outputs, metric) or load_statistics(path).",
        )
    families, _ = align_statistics(families, [family.metric.name for family in families])
    for number, family in enumerate(families):
        called = family.metric.name, family.signature
        if any(
            family.metric == other.metric or called == (other.metric.name, other.signature)
            for other in families[:number]
        ):
            raise InputError(
                "duplicate-metric",
                f"The statistics of {family.metric.name} ({family.signature}) were given twice: give each metric once, "
                "merging systems that were scored apart.",
            )
    return families


def name_families(families: Sequence[SegmentStatistics]) -> list[str]:
    """Name metrics as tables do: ``BLEU``; ``BLEU|signature`` where the name occurs with two sets of options."""
    counts = Counter(family.metric.name for family in families)
    return [
        f"{family.metric.name}|{family.signature}" if counts[family.metric.name] > 1 else family.metric.name
        for family in families
    ]


def choose_pairs(systems: Sequence[SystemStatistics], baseline: str | None, exchange: str) -> list[Pair]:
    """Return who is compared with whom, as (a, b): each with the baseline, or the later given with the earlier."""
    if baseline is None:
        pairs = [(a, b) for b, a in combinations(systems, 2)]
    else:
        by_name = {system.system: system for system in systems}
        if baseline not in by_name:
            raise InputError(
                "unknown-baseline",
                f"The baseline {baseline!r} is not among the systems: name one of {', '.join(map(repr, by_name))}.",
            )
        pairs = [(system, by_name[baseline]) for system in systems if system.system != baseline]
    for a, b in pairs:
        check_exchange(a, b, exchange)
    return pairs


def plan_parts(
    parts: Sequence[Part], unit: str, interval: str, level: float, n_resamples: int, randomness: Randomness
) -> list[BootstrapPlan]:
    """Plan the draws of each part; where it is left open, the part with the fewest units chooses the interval."""
    test_sets = [next(iter(part.take().values())).test_set for part in parts]
    method = choose_method(interval, min(choose_units(test_set, unit).count for test_set in test_sets))
    return [BootstrapPlan.make(test_set, unit, method, level, n_resamples, randomness) for test_set in test_sets]


def draw(
    parts: Sequence[Part], plans: Sequence[BootstrapPlan], exchange: str, n_trials: int, progress: Progress | None
) -> Estimates:
    """Make all draws, and return what they say of each system and each pair."""
    estimates = Estimates()
    n_draws = sum(plan.n_resamples + n_trials * bool(part.pairs) for part, plan in zip(parts, plans, strict=True))
    with shown_draws(progress, n_draws) as advance:
        for part, plan in zip(parts, plans, strict=True):
            estimate_part(part, plan, estimates, exchange=exchange, n_trials=n_trials, advance=advance)
    return estimates


def warn_of_missing_scores(members: Sequence[Sequence[SystemStatistics]]) -> None:
    """Count, metric by metric, the segments that leave a comparison because a score is missing."""
    for systems in members:
        count = int(np.count_nonzero(np.any([system.missing for system in systems], axis=0)))
        if count:
            warnings.warn(
                DataWarning(
                    "missing-scores",
                    f"{count} of {systems[0].n_segments} segments have no {systems[0].metric.name} in at least one "
                    "system: a system's own score uses what it has, a comparison the segments that both have.",
                    count=count,
                ),
                stacklevel=3,
            )


def warn_of_few_trials(n_trials: int, n_comparisons: int, level: float) -> None:
    """Warn where even a difference that no trial reaches could not be called significant."""
    needed = min_trials(n_comparisons, level)
    if n_trials < needed:
        trials = "1 trial" if n_trials == 1 else f"{n_trials:,} trials"
        family = "one comparison" if n_comparisons == 1 else f"{n_comparisons} comparisons"
        threshold = np.format_float_positional(1 - level, precision=4, fractional=False, trim="-")
        warnings.warn(
            DataWarning(
                "few-trials",
                f"With {trials} and {family}, no difference can be called significant at {threshold}, however large it "
                f"is: use at least {needed:,} trials, or omit n_trials (--trials) to let the program choose.",
                count=n_trials,
            ),
            stacklevel=3,
        )


def judge_metric(
    name: str,
    family: SegmentStatistics,
    systems: Sequence[SystemStatistics],
    pairs: Sequence[Pair],
    estimates: Estimates,
    baseline: str | None,
    level: float,
    n_trials: int,
) -> MetricComparison:
    """Put one metric's estimates together, judge its comparisons as one family, and rank its systems."""
    trials = [estimates.trials[pair] for pair in pairs]
    ends = [trial.p_ends for trial in trials]
    verdicts = judge_family(
        [trial.p_value for trial in trials],
        [low for low, _ in ends],
        [high for _, high in ends],
        [trial.exact for trial in trials],
        level,
        n_trials,
    )
    of_methods = judge_method_family([estimates.methods[pair].p_value for pair in pairs], level)
    rows = tuple(system_estimate(estimates, system) for system in systems)
    compared = tuple(
        pair_estimate(estimates, pair, verdict, of_method)
        for pair, verdict, of_method in zip(pairs, verdicts, of_methods, strict=True)
    )
    is_ranked = (
        len(rows) >= MIN_SYSTEMS
        and family.metric.higher_is_better is not None
        and all(np.array_equal(system.missing, systems[0].missing) for system in systems)
        # Ranks in resamples are read off like a percentile interval, and need as many.
        and (baseline is None or len(rows[0].resampled) >= count_needed_resamples(level, 1))
    )
    ranking_of, ranking = None, None
    if is_ranked:
        ranking_of, ranking = rank_systems(rows, compared, family.metric.higher_is_better, baseline, level)
    return MetricComparison(
        name=name,
        signature=family.signature,
        higher_is_better=family.metric.higher_is_better,
        systems=rows,
        comparisons=compared,
        ranking=ranking,
        ranking_of=ranking_of,
        level=float(level),
        n_trials=n_trials,
    )


def system_estimate(estimates: Estimates, system: SystemStatistics) -> SystemEstimate:
    """Turn a system's interval into its row of the table."""
    found = estimates.systems[system]
    return SystemEstimate(
        system=system.system,
        runs=system.n_runs,
        score=found.score,
        scores=found.scores,
        low=found.low,
        high=found.high,
        s_sel=found.s_sel,
        s_test=found.s_test,
        design_effect=found.design_effect,
        resampled=found.resampled,
    )


def pair_estimate(
    estimates: Estimates, pair: Pair, verdict: Verdict, of_method: tuple[float | None, str | None]
) -> PairEstimate:
    """Turn what was found of a pair into its row of the table."""
    found, trials, method = estimates.pairs[pair], estimates.trials[pair], estimates.methods[pair]
    p_low, p_high = trials.p_ends
    segments_differing = count_differing(*pair)
    metric = pair[0].metric
    better = None
    if verdict.verdict == "significant" and metric.higher_is_better is not None:
        better = found.a if (found.difference > 0) == metric.higher_is_better else found.b
    return PairEstimate(
        a=found.a,
        b=found.b,
        difference=found.difference,
        low=found.low,
        high=found.high,
        p_value=trials.p_value,
        p_low=p_low,
        p_high=p_high,
        p_adjusted=verdict.p_adjusted,
        verdict=verdict.verdict,
        n_trials_to_decide=verdict.n_trials_to_decide,
        confidence=found.confidence,
        wins=found.wins,
        losses=found.losses,
        ties=found.ties,
        design_effect=found.design_effect,
        segments_differing=segments_differing,
        method_p_value=method.p_value,
        method_low=method.low,
        method_high=method.high,
        method_df=method.df,
        better=better,
        conclusion=conclude(
            verdict.verdict, of_method[1], identical=None if segments_differing else name_of_identical(metric)
        ),
        n_segments=estimates.n_segments[pair],
        score_a=estimates.scores[pair][0],
        score_b=estimates.scores[pair][1],
        smallest_p=trials.smallest_p,
        method_p_adjusted=of_method[0],
        method_verdict=of_method[1],
        resampled=found.differences,
        method_variance=estimates.variances[pair],
    )


def name_of_identical(metric: Metric) -> str:
    """Name two systems of which no segment's statistics differ: equal n-grams make copies, equal ratings do not."""
    return "identical scores" if isinstance(metric, (MeanScore, Length)) else "copies"
