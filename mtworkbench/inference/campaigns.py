"""The same systems on several test sets: on these sets, and on new ones like them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from mtworkbench.errors import DataWarning
from mtworkbench.inference.campaign_checks import Notices, check_test_sets
from mtworkbench.inference.campaign_draws import DividedSet, Run, SetPair, draw_here, draw_metric, take_sets
from mtworkbench.inference.campaign_estimates import estimate_pair, estimate_set, estimate_system
from mtworkbench.inference.campaign_ranks import CampaignRank, rank_campaign
from mtworkbench.inference.campaign_results import (
    CampaignComparison,
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    CampaignTestSet,
    SetEstimate,
)
from mtworkbench.inference.comparison import name_of_identical
from mtworkbench.inference.families import divide_segments, number_pairs, settle_unit, warn_of_missing_scores
from mtworkbench.inference.rankings import MIN_SYSTEMS
from mtworkbench.inference.settings import (
    EXCHANGES,
    Settings,
    check_choice,
    choose_n_resamples,
    choose_n_trials,
    min_trials,
    warn_of_few_trials,
)
from mtworkbench.inference.verdicts import Verdict, conclude_campaign, judge_family, judge_method_family, withhold
from mtworkbench.metrics.directions import has_direction, sign_of
from mtworkbench.metrics.protocol import Metric
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.resampling import RngLike
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import tally
from mtworkbench.work import Study, choose_seed

#: By default there are as many trials as single test sets need for a small p_adjusted, up to this number.
MOST_TRIALS_FOR_SETS = 50_000
#: Below so many test sets Student's t is so wide that only very clear differences are shown for new ones.
FEW_SETS = 4


def compare_test_sets(
    sets: Mapping[str, SegmentStatistics | Sequence[SegmentStatistics]],
    baseline: str | None = None,
    *,
    unit: str = "auto",
    exchange: str = "unit",
    interval: str = "auto",
    n_resamples: int | None = None,
    n_trials: int | None = None,
    level: float = 0.95,
    rng: RngLike = None,
    progress: Progress | None = None,
    study: Study | None = None,
) -> CampaignComparison:
    """Compare systems on several test sets, or on several language pairs, in one verdict.

    The difference of two systems is the mean of their differences on the sets, each set counting the same. Two claims
    are tested:

    - *On these test sets*: would other sentences of the same sets show the difference? Outputs are swapped at random
      within each set (stratified approximate randomization), and each set is resampled by itself.
    - *For new test sets like these*: would other test sets show the difference? The sets are treated as a sample, and
      their differences are tested with Student's t, with one degree of freedom fewer than there are sets: see
      `expect_new_sets`. Few sets show little, and sets that were chosen because they are easy, or come from one source,
      are not a sample of others.

    How often both tests err was measured on real test sets: docs/validity.md.

    Where there are several runs of each system, `method_p_value` asks whether new training runs would show the
    difference on these test sets: run k must be the same trained system on every set. Runs that have numbers in the
    names of their files are matched by these.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics, or to a sequence of them
        The statistics of each test set by its name; one per metric, as of `compare`. Every system must be in every
        set and under every metric. Metrics are matched by name: they may have another tokenizer or other references on
        another set.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    unit : str
        What is resampled and exchanged within each set: see `compare`. ``"auto"`` and ``"block"`` choose for each set.
    exchange : {"unit", "run"}
        See `approximate_randomization`.
    interval : {"auto", "percentile", "basic", "bca", "jackknife"}
        See `bootstrap_interval`; ``auto`` goes by the smallest set.
    n_resamples : int, optional
        Bootstrap resamples of each set; by default 1,000, or 20 / (1 - level) where that is more. Resample r of the
        campaign is the mean over sets of resample r of each.
    n_trials : int, optional
        Random exchanges of each set, which are averaged over sets in the same way; by default 10,000, or as many as
        the family of comparisons needs; up to 50,000, as many as the family of all sets and comparisons needs. Where
        two systems differ in at most 16 units on a set, or on all sets together (with ``exchange="run"``, in at most
        16 outputs of runs), all exchanges are enumerated for p instead.
    level : float
        Of the intervals; verdicts are at 1 - level, by p that are adjusted by Holm's method over the comparisons of
        each metric (`SetEstimate.p_adjusted`: over those of all sets).
    rng : int, numpy.random.Generator or None
        Seed; None draws one, which is recorded. Set i, counted from 1 in the order given, draws as sample i of a
        study: see docs/draws.md.
    progress : callable, optional
        Wraps an iterable and shows how far it has come, such as ``tqdm``: one step per draw of a set.
    study : Study, optional
        Where the draws are kept, and who computes them; None: here and now. The result is the same.

    Returns
    -------
    CampaignComparison

    Raises
    ------
    InputError
        Where there are fewer than two test sets (``one-test-set``), a system or metric is missing in one of them
        (``incomplete-system``, ``different-metrics``), a set is given twice (``same-test-set``), a system has equally
        many runs on two sets, but with different numbers (``different-runs``), and where `compare` would
        refuse a set, whose name the sentence then has.

    Warns
    -----
    DataWarning
        ``few-sets``; ``different-options``; ``same-references``; ``shared-segments``, where two sets have at least 5
        segments in common, with the same references (and the same sources, if both sets have sources), and these are
        at least 5 % of the smaller set; texts that occur more than once in a set do not count; ``different-scales``,
        where the mean and the largest absolute score of segments (`MeanScore`) are both at least 10 times as large on
        one set as on another; ``few-trials``; and those of `compare`, once for all sets that they concern.
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    check_choice("exchange", exchange, EXCHANGES)
    notices = Notices()
    found = check_test_sets(sets, notices)
    units, counts = {}, {}
    for name, families in found.items():
        with notices.about(name):
            units[name], counts[name] = settle_set(list(families.values()), baseline, exchange, unit)
    first = next(iter(found.values()))
    n_systems = len(next(iter(first.values())))
    n_pairs = n_systems * (n_systems - 1) // 2 if baseline is None else n_systems - 1
    smallest = min(counts, key=counts.__getitem__)
    settings = Settings.choose(
        "campaign",
        units[smallest],
        counts[smallest],
        interval=interval,
        level=level,
        n_resamples=n_resamples,
        rng=choose_seed(rng, study),
        exchange=exchange,
        n_trials=choose_campaign_trials(n_trials, n_pairs, len(found), level),
    )
    common_unit = units[smallest] if len(set(units.values())) == 1 else unit
    settings = replace(settings, unit=common_unit, n_sets=len(found))
    metrics: dict[str, CampaignMetric] = {}
    n_draws = len(first) * len(found) * (settings.n_resamples + settings.n_trials)
    with shown_steps(progress, n_draws) as advance:
        for number, metric in enumerate(first, start=1):
            of_metric = {name: families[metric] for name, families in found.items()}
            # Without its options, which would leave no room for a bar.
            about = metric.partition("|")[0] + (f" (metric {number} of {len(first)})" if len(first) > 1 else "")
            run: Run = draw_here if study is None else partial(study.run, reads=take_sets, about=about)
            metrics[metric] = compare_metric(metric, of_metric, units, baseline, settings, notices, run, advance)
    notices.tell(stacklevel=3)
    warn_of_few_sets(len(found), level)
    if n_pairs and any(pair.p_low < pair.p_high for metric in metrics.values() for pair in metric.comparisons):
        warn_of_few_trials(settings, n_pairs)
        warn_of_few_trials_for_sets(settings, n_pairs, len(found))
    return CampaignComparison(
        settings=settings,
        baseline=baseline,
        test_sets=tuple(
            CampaignTestSet(name, len(one.test_set), one.test_set.n_documents, units[name])
            for name, one in ((name, next(iter(families.values()))) for name, families in found.items())
        ),
        metrics=metrics,
    )


def settle_set(
    families: Sequence[SegmentStatistics], baseline: str | None, exchange: str, unit: str
) -> tuple[str, float]:
    """Choose the unit of a test set, and count its effective units, of the comparison that has the fewest.

    Warns
    -----
    DataWarning
        ``missing-scores``, and those of `settle_unit`.
    """
    systems, members, pairs = number_pairs(families, baseline, exchange)
    warn_of_missing_scores([[systems[place] for place in own] for own in members])
    unit = settle_unit(systems, chain(*pairs), unit)
    parts = divide_segments(systems, chain(*pairs), unit)
    return unit, min(part.table.units.effective_count for part in parts)


def choose_campaign_trials(n_trials: int | None, n_pairs: int, n_sets: int, level: float) -> int:
    """Return the number of trials: the one asked for, or what the families need: see `compare_test_sets`."""
    if n_trials is not None:
        return choose_n_trials(n_trials, n_pairs, level)
    return max(choose_n_trials(None, n_pairs, level), min(min_trials(n_pairs * n_sets, level), MOST_TRIALS_FOR_SETS))


def compare_metric(
    name: str,
    families: Mapping[str, SegmentStatistics],
    units: Mapping[str, str],
    baseline: str | None,
    settings: Settings,
    notices: Notices,
    run: Run,
    advance: Callable[[int], object],
) -> CampaignMetric:
    """Compare all systems under one metric.

    Parameters
    ----------
    name : str
    families : dict of str to SegmentStatistics
        By test set, with the same systems in the same order.
    units : dict of str to str
        By test set.
    baseline : str or None
    settings : Settings
    notices : Notices
    run : callable
        Computes `draw_part` of parts, and returns the results in their order.
    advance : callable
        Called with the number of draws that have been made.
    """
    metric = next(iter(families.values())).metric
    divided = [
        DividedSet.of(family, baseline, settings.exchange, units[test_set]) for test_set, family in families.items()
    ]
    pairs = [[SetPair.of(table, places, settings.exchange) for table, places in one.find_pairs()] for one in divided]
    draws = draw_metric(families, units, baseline, divided, pairs, settings, run, advance)
    systems = [
        estimate_system(list(families), [list(one.find_systems())[number] for one in divided], resampled, settings)
        for number, resampled in enumerate(draws.systems.swapaxes(0, 1))
    ]
    on_sets = [
        estimate_set(test_set, own, draws, place, settings, notices)
        for place, (test_set, own) in enumerate(zip(families, pairs, strict=True))
    ]
    over_sets = [estimate_pair(own, draws, place, settings) for place, own in enumerate(zip(*pairs, strict=True))]
    judge_sets(list(chain(*on_sets)), settings, metric)
    judge_pairs(over_sets, settings, metric)
    comparisons = tuple(
        CampaignPair(**one, sets=tuple(SetEstimate(**found) for found in of_pair))
        for one, of_pair in zip(over_sets, zip(*on_sets, strict=True), strict=True)
    )
    return CampaignMetric(
        name=name,
        signatures={test_set: family.signature for test_set, family in families.items()},
        higher_is_better=metric.higher_is_better,
        systems=tuple(systems),
        comparisons=comparisons,
        ranking=rank(list(families.values()), systems, comparisons, draws.systems, baseline, settings),
        settings=settings,
        family_size=len(comparisons),
        sets_family_size=len(comparisons) * len(families),
        method_family_size=sum(pair.method_p_value is not None for pair in comparisons),
    )


def judge_sets(found: Sequence[dict[str, Any]], settings: Settings, metric: Metric) -> None:
    """Judge all sets and comparisons of a metric as one family: add the verdicts to what was found."""
    exact = [one["p_low"] == one["p_high"] for one in found]
    for one, judged in zip(found, judge(found, exact, settings), strict=True):
        one |= {"p_adjusted": judged.p_adjusted, "verdict": judged.verdict}
        one["better"] = name_better(one, metric)


def judge_pairs(found: Sequence[dict[str, Any]], settings: Settings, metric: Metric) -> None:
    """Judge the comparisons over all sets as families, one for each claim: add the verdicts and the conclusions."""
    exact = [one["p_low"] == one["p_high"] for one in found]
    verdicts = judge(found, exact, settings)
    of_new_sets, of_methods = (
        judge_method_family([one[name] for one in found], settings.level)
        for name in ("new_sets_p_value", "method_p_value")
    )
    for one, judged, on_new_sets, on_method in zip(found, verdicts, of_new_sets, of_methods, strict=True):
        one |= {"p_adjusted": judged.p_adjusted, "verdict": judged.verdict}
        one |= dict(zip(("new_sets_p_adjusted", "new_sets_verdict"), on_new_sets, strict=True))
        one |= dict(zip(("method_p_adjusted", "method_verdict"), on_method, strict=True))
        one["better"] = name_better(one, metric)
        identical = name_of_identical(metric) if one.pop("identical") else None
        one["conclusion"] = conclude_campaign(one["verdict"], one["new_sets_verdict"], identical=identical)


def judge(found: Sequence[Mapping[str, Any]], exact: Sequence[bool], settings: Settings) -> list[Verdict]:
    """Judge p of random exchanges as a family."""
    p_values, lows, highs = ([one[name] for one in found] for name in ("p_value", "p_low", "p_high"))
    verdicts = judge_family(p_values, lows, highs, exact, settings.level, settings.n_trials)
    return [
        withhold(judged, one["difference"], one["tested_difference"])
        for judged, one in zip(verdicts, found, strict=True)
    ]


def name_better(one: Mapping[str, Any], metric: Metric) -> str | None:
    """Name the better system where the difference is significant and the metric has a direction."""
    if one["verdict"] != "significant" or not has_direction(metric):
        return None
    return one["a"] if sign_of(metric) * one["difference"] > 0 else one["b"]


def rank(
    families: Sequence[SegmentStatistics],
    systems: Sequence[CampaignSystem],
    comparisons: Sequence[CampaignPair],
    resampled: np.ndarray,
    baseline: str | None,
    settings: Settings,
) -> tuple[CampaignRank, ...] | None:
    """Rank the systems of a metric, if they can be ranked: see `CampaignMetric`.

    ``resampled`` has the scores of the resamples, (n_sets, n_systems, n_resamples).
    """
    metric = families[0].metric
    differ = any(len({family[system].missing.tobytes() for system in family}) > 1 for family in families)
    if len(systems) < MIN_SYSTEMS or not has_direction(metric) or differ:
        return None
    shown = [pair for pair in comparisons if pair.better]
    shown_for_new = [pair for pair in shown if pair.conclusion == "shown for new test sets"]
    return rank_campaign(
        [system.system for system in systems],
        np.array([list(system.scores.values()) for system in systems]),
        list(resampled),
        (order_pairs(shown), order_pairs(shown_for_new)) if baseline is None else None,
        level=settings.level,
        higher_is_better=sign_of(metric) == 1,
        random_key=settings.random_key,
    )


def order_pairs(pairs: Sequence[CampaignPair]) -> list[tuple[str, str]]:
    """Return the systems of each pair, the better one first."""
    return [(pair.a, pair.b) if pair.better == pair.a else (pair.b, pair.a) for pair in pairs]


def warn_of_few_sets(n_sets: int, level: float) -> None:
    """Warn that few test sets show little about new ones."""
    if n_sets >= FEW_SETS:
        return
    from scipy.special import stdtrit

    df = n_sets - 1
    warnings.warn(
        DataWarning(
            "few-sets",
            f"With {n_sets} test sets, the test for new test sets has {tally(df, 'degree')} of freedom: "
            f"to be significant, a mean difference must be at least {stdtrit(df, (1 + level) / 2):.1f} times its "
            "standard error. More test sets would show more.",
            count=n_sets,
        ),
        stacklevel=3,
    )


def warn_of_few_trials_for_sets(settings: Settings, n_pairs: int, n_sets: int) -> None:
    """Warn where no difference on a single test set could be significant, although it could be over all sets."""
    n_comparisons = n_pairs * n_sets
    needed, n_trials = settings.min_trials(n_comparisons), settings.n_trials
    if settings.min_trials(n_pairs) <= n_trials < needed:
        pairs = "1 pair" if n_pairs == 1 else f"{n_pairs} pairs"
        warnings.warn(
            DataWarning(
                "few-trials",
                f"With {n_trials:,} trials, no difference on a single test set can be called significant among "
                f"{n_comparisons:,} comparisons ({n_sets} test sets, {pairs} of systems), unless all its "
                f"exchanges are enumerated: where single test sets matter, use at least {needed:,} trials.",
                count=n_trials,
            ),
            stacklevel=3,
        )
