"""The same systems on several test sets: on these sets, and on new ones like them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import chain, cycle
from typing import NamedTuple

import numpy as np

from mtworkbench.inference.campaign_checks import Notices
from mtworkbench.inference.claims import judge_new_sets
from mtworkbench.inference.draws import DividedSet, Source, Statistics, draw_sets, run_here, run_study
from mtworkbench.inference.exchanges import ExchangedPair
from mtworkbench.inference.families import number_pairs
from mtworkbench.inference.one_set import estimate_set, make_source
from mtworkbench.inference.over_sets import OverSets, average_pairs, estimate_system
from mtworkbench.inference.randomization import record
from mtworkbench.inference.rankings import rank_campaign
from mtworkbench.inference.trials import Tested
from mtworkbench.inference.units import Units
from mtworkbench.inference.verdicts import (
    OnSet,
    conclude_campaign,
    count_comparisons,
    group_families,
    in_families,
    judge_metrics,
    judge_on_outputs,
    split_like,
)
from mtworkbench.results.campaigns import (
    CampaignMetric,
    CampaignPair,
    CampaignSystem,
    CampaignTestSet,
    Claim,
    NewSets,
    SetEstimate,
)
from mtworkbench.results.comparisons import SystemEstimate
from mtworkbench.results.estimates import FurtherResult
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Verdict
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.work import Study


def record_set(name: str, test_set: TestSet, units: Units) -> CampaignTestSet:
    """Record the size of a test set: see `CampaignTestSet`."""
    return CampaignTestSet(
        name=name,
        n_segments=len(test_set),
        n_documents=test_set.n_documents,
        unit=units.name,
        n_units=units.count,
        n_effective_units=units.effective_count,
        known_documents=test_set.known_documents,
    )


class MetricEstimates(NamedTuple):
    """What was drawn and computed of one metric, before a verdict.

    Parameters
    ----------
    systems : list of CampaignSystem
    over_sets : list of OverSets
        The pairs.
    rows, on_sets : list of list of SystemEstimate, list of list of OnSet
        The systems and the pairs of each set.
    among_sets : list of list of OnSet
        The pairs of each set, as the trials of the family of all sets have them.
    """

    systems: list[CampaignSystem]
    over_sets: list[OverSets]
    rows: list[list[SystemEstimate]]
    on_sets: list[list[OnSet]]
    among_sets: list[list[OnSet]]


def estimate_metrics(
    statistics: Mapping[str, Sequence[SegmentStatistics]],
    units: Mapping[str, str],
    baseline: str | None,
    settings: Settings,
    notices: Notices,
    study: Study | None,
    about: str,
    advance: Callable[[int], object],
) -> list[MetricEstimates]:
    """Draw all systems under some metrics on each test set, and average over sets.

    Parameters
    ----------
    statistics : dict of str to sequence of SegmentStatistics
        By test set, with the same systems in the same order: those of one metric, or of several whose trials are
        counted together.
    units : dict of str to str
        By test set.
    baseline : str or None
    settings : Settings
    notices : Notices
    study : Study or None
        What computes the draws; None: here and now.
    about : str
        Which metrics these are, for the study's progress.
    advance : callable
        Called with the number of draws that have been made.
    """
    shared: dict[str, Statistics] = {name: own[0] if len(own) == 1 else own for name, own in statistics.items()}
    of_sets = settings_of_sets(settings, units)
    sources = [
        make_source(DividedSet.of(one, baseline, settings.exchange or "unit", own.unit, own.strata), own)
        for one, own in zip(shared.values(), of_sets, strict=True)
    ]
    divided = [source.divided for source in sources]
    run = run_here(sources) if study is None else run_study(study, shared, sources, baseline, about)
    drawn = draw_sets(sources, [range(len(divided[0].pairs))], settings, run, advance)
    rows, pairs = [], []
    for name, source, own_draws, own in zip(statistics, sources, drawn.sets, of_sets, strict=True):
        with notices.about(name):
            own_rows, own_pairs = estimate_set(source, own_draws, own)
        rows.append(own_rows)
        pairs.append(own_pairs)
    spots = list(zip(*(one.find_systems() for one in divided), strict=True))
    systems = [
        estimate_system(
            list(statistics),
            [(part.table, place) for part, place in spot],
            np.array([one.resampled for one in ones]),
            settings,
        )
        for spot, ones in zip(spots, zip(*rows, strict=True), strict=True)
    ]
    over_sets = average_pairs(divided, pairs, drawn.over_sets, settings)
    among_sets = [
        [
            judged_anew(one, said, pair, source, settings)
            for one, said, pair in zip(ones, tested, source.exchanges.pairs, strict=True)
        ]
        for source, ones, tested in zip(sources, pairs, drawn.on_sets, strict=True)
    ]
    _, members, compared = number_pairs(next(iter(statistics.values())), baseline)
    systems_on_sets = [list(of_metric) for of_metric in zip(*(split_like(one, members) for one in rows), strict=True)]
    on_sets, among = (
        [list(of_metric) for of_metric in zip(*(split_like(one, compared) for one in ones), strict=True)]
        for ones in (pairs, among_sets)
    )
    parts = split_like(systems, members), split_like(over_sets, compared), systems_on_sets, on_sets, among
    return [MetricEstimates(*of_metric) for of_metric in zip(*parts, strict=True)]


def judged_anew(one: OnSet, tested: Tested, pair: ExchangedPair, source: Source, settings: Settings) -> OnSet:
    """Return what was drawn of a pair on a set, with the trials of the family of all sets."""
    test = record(pair, tested, source.exchange, settings.trials, source.key)
    found = replace(one, tested=tested, randomization=test)
    if settings.interval_of_differences != "exchanges":
        return found
    return replace(found, low=tested.low, high=tested.high)


def settings_of_sets(settings: Settings, units: Mapping[str, str]) -> list[Settings]:
    """Return the settings with which `compare` gives what is found on each set."""
    return [
        replace(
            settings,
            test="ar",
            unit=unit,
            random_key=settings.random_key.sample(number),
            n_sets=None,
            known_documents=None,
        )
        for number, unit in enumerate(units.values(), start=1)
    ]


def conclude_metrics(
    sets: Mapping[str, Mapping[str, SegmentStatistics]],
    estimated: Mapping[str, MetricEstimates],
    baseline: str | None,
    settings: Settings,
) -> dict[str, CampaignMetric]:
    """Judge all pairs of a metric, or of all metrics, as families, one for each question, and rank the systems."""
    family, over_sets = settings.family, [own.over_sets for own in estimated.values()]
    among = [list(chain(*own.among_sets)) for own in estimated.values()]
    sizes = cycle([count_comparisons(ones, settings) for ones in group_families(among, family)])
    judged_here = judge_metrics(over_sets, settings)
    with_verdicts = [
        list(zip(ones, said.verdicts, strict=True)) for ones, said in zip(over_sets, judged_here, strict=True)
    ]
    all_judged = zip(
        judged_here,
        in_families(lambda ones: judge_new_sets(ones, settings), with_verdicts, family),
        in_families(lambda ones: judge_on_outputs(ones, settings), among, family),
        sizes,
        strict=False,
    )
    metrics: dict[str, CampaignMetric] = {}
    for (name, found), (judged, on_new_sets, on_sets, n_on_sets) in zip(estimated.items(), all_judged, strict=True):
        own = {test_set: of_metrics[name] for test_set, of_metrics in sets.items()}
        of_sets = [
            [conclude_on_set(test_set, *one) for one in zip(ones, verdicts, strict=True)]
            for test_set, ones, verdicts in zip(
                own, found.among_sets, split_like(on_sets, found.among_sets), strict=True
            )
        ]
        each = zip(
            found.over_sets, judged.verdicts, on_new_sets, judged.further, zip(*of_sets, strict=True), strict=True
        )
        comparisons = tuple(conclude_over_sets(*one) for one in each)
        metrics[name] = CampaignMetric(
            name=name,
            signatures={test_set: one.signature for test_set, one in own.items()},
            higher_is_better=next(iter(own.values())).metric.higher_is_better,
            systems=tuple(found.systems),
            comparisons=comparisons,
            ranking=rank_campaign(list(own.values()), found.systems, comparisons, baseline),
            settings=settings,
            family_size=judged.family_size,
            sets_family_size=n_on_sets,
            method_family_size=judged.method_family_size,
        )
    return metrics


def conclude_on_set(test_set: str, one: OnSet, verdict: Verdict) -> SetEstimate:
    """Say what a pair has on one of the sets, judged with those of all sets."""
    return SetEstimate(
        drawn=one.bootstrap,
        randomization=one.randomization,
        judged=verdict.within(one.largest),
        measured=one.measured,
        test_set=test_set,
        low=one.possible.low,
        high=one.possible.high,
        standard_error=one.standard_error,
    )


def conclude_over_sets(
    one: OverSets,
    said: Verdict,
    beyond: tuple[NewSets, Claim],
    further: tuple[FurtherResult, ...],
    sets: tuple[SetEstimate, ...],
) -> CampaignPair:
    """Draw conclusions from the verdicts on a pair: on these sets, for new ones, and for the method."""
    new_sets, new_runs_and_sets = beyond
    without = zip(sets, new_sets.without, new_sets.without_adjusted, strict=True)
    return CampaignPair(
        randomization=one.randomization,
        method=one.method.within(one.largest),
        judged=said.within(one.largest),
        measured=one.measured,
        conclusion=conclude_campaign(said.verdict, new_sets.verdict, identical=one.identical),
        further=further,
        sets=tuple(
            replace(of_set, new_sets_without_p_value=p_value, new_sets_without_p_adjusted=p_adjusted)
            for of_set, p_value, p_adjusted in without
        ),
        low=one.possible.low,
        high=one.possible.high,
        new_sets=new_sets.within(one.largest),
        new_runs_and_sets=new_runs_and_sets.within(one.largest),
        n_sets_a_better=one.n_sets_a_better,
        n_sets_b_better=one.n_sets_b_better,
        resampled=one.resampled,
    )
