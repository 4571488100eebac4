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
from mtworkbench.inference.checks import check_choice, check_draws, check_exchange, check_level
from mtworkbench.inference.comparison_parts import Estimates, Part, divide_segments, estimate_part
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.intervals import choose_method
from mtworkbench.inference.randomization import EXCHANGES, Pair, count_differing
from mtworkbench.inference.results import write_signature
from mtworkbench.inference.units import choose_units
from mtworkbench.inference.verdicts import Verdict, judge_family
from mtworkbench.resampling import Randomness, resolve_rng
from mtworkbench.segment_identity import align_statistics
from mtworkbench.segment_statistics import SegmentStatistics, SystemStatistics

Progress = Callable[[Iterable], Iterable]


def compare(
    statistics: SegmentStatistics | Sequence[SegmentStatistics],
    baseline: str | None = None,
    *,
    unit: str = "auto",
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int = 1000,
    n_trials: int = 10_000,
    level: float = 0.95,
    rng: int | np.random.Generator | Randomness | None = None,
    progress: Progress | None = None,
) -> Comparison:
    """Compare every system with a baseline, or all pairs, under one metric or several.

    Parameters
    ----------
    statistics : SegmentStatistics or sequence of SegmentStatistics
        One a metric, all of one test set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    unit : {"auto", "segment", "document"}
        What is drawn and exchanged; ``auto`` takes documents where they are known and there are at least 10.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `bootstrap_interval`.
    n_resamples, n_trials : int
        Bootstrap resamples, and random exchanges.
    level : float
        Of the intervals; verdicts are at 1 - level, Holm-adjusted over each metric's comparisons.
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. With the same `rng`, `paired_bootstrap` and
        `approximate_randomization` give the same numbers.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step a draw.

    Returns
    -------
    Comparison

    Raises
    ------
    InputError
        Where statistics are of different test sets, the baseline is not there, or an argument is not what it should be.
    """
    families = as_families(statistics)
    check_draws("n_resamples", n_resamples)
    check_draws("n_trials", n_trials)
    check_level(level)
    check_choice("exchange", exchange, EXCHANGES)
    test_set = families[0].test_set
    unit = choose_units(test_set, unit).name
    choose_method(interval, len(test_set))
    members = [[family[name] for name in family] for family in families]
    pairs = [choose_pairs(systems, baseline, exchange) for systems in members]
    randomness = resolve_rng(rng)

    parts = divide_segments(list(chain(*members)), list(chain(*pairs)))
    plans = plan_parts(parts, unit, interval, level, n_resamples, randomness)
    warn_of_missing_scores(members)
    counted = [plan.units.count for part, plan in zip(parts, plans, strict=True) if part.has_confidence]
    if counted:
        warn_of_few_units(min(counted), unit)
    estimates = draw(parts, plans, exchange, n_trials, progress)
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
            name: judge_metric(name, family, systems, compared, estimates, level)
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
            "SegmentStatistics of at least one system were expected, one a metric: make them with "
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


def judge_metric(
    name: str,
    family: SegmentStatistics,
    systems: Sequence[SystemStatistics],
    pairs: Sequence[Pair],
    estimates: Estimates,
    level: float,
) -> MetricComparison:
    """Put one metric's estimates together and judge its comparisons as one family."""
    trials = [estimates.trials[pair] for pair in pairs]
    ends = [trial.p_ends for trial in trials]
    verdicts = judge_family(
        [trial.p_value for trial in trials],
        [low for low, _ in ends],
        [high for _, high in ends],
        [trial.exact for trial in trials],
        level,
    )
    return MetricComparison(
        name=name,
        signature=family.signature,
        higher_is_better=family.metric.higher_is_better,
        systems=tuple(system_estimate(estimates, system) for system in systems),
        comparisons=tuple(
            pair_estimate(estimates, pair, verdict) for pair, verdict in zip(pairs, verdicts, strict=True)
        ),
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


def pair_estimate(estimates: Estimates, pair: Pair, verdict: Verdict) -> PairEstimate:
    """Turn what was found of a pair into its row of the table."""
    found, trials, method = estimates.pairs[pair], estimates.trials[pair], estimates.methods[pair]
    p_low, p_high = trials.p_ends
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
        segments_differing=count_differing(*pair),
        method_p_value=method.p_value,
        method_low=method.low,
        method_high=method.high,
        method_df=method.df,
        resampled=found.differences,
    )
