"""What is said below a table: what its columns mean, where its numbers come from, and what they cannot show."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.comparisons import Comparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import listed, name_some, tally
from mtworkbench.words.cells import (
    adjustment_of,
    family_of,
    in_percent,
    is_exact,
    name_of_p,
    name_unit_of_draws,
    threshold_of,
)
from mtworkbench.words.sentences import (
    ONLY_BY_CI,
    describe_needed_trials,
    is_shown_despite_ci,
    method_note,
    names_of_p,
    not_after,
    row_note,
)
from mtworkbench.words.sentences_on_equivalence import describe_smallest, explain_equivalence
from mtworkbench.words.sentences_on_runs import ASK_FOR_RUNS, describe_few_runs, describe_pooled_runs

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison

#: What is said where nothing tells which sentences belong together.
UNKNOWN_DOCUMENTS = (
    " The documents are not known, so segments are treated as independent: where the sentences of one document are "
    "alike, p is then too small and the intervals are too short. Give document ids, or use blocks of segments as units."
)
FEW_DOCUMENTS = (
    " With only {documents}, segments are treated as independent: where the sentences of one document are alike, p is "
    "then too small and the intervals are too short."
)
#: What is said of p and of the intervals where p is adjusted by max-T.
BY_MAX_T = ", by step-down max-T, which uses the trials to allow for their correlation (Westfall and Young, 1993)"
SIMULTANEOUS = ", except the simultaneous ones (all columns, JSON, CSV, and a notebook's details)"
#: What is said of the method's p where runs are pooled.
POOLED = "; run-to-run variation is estimated from the runs of all systems together"
#: The test for the method rejects too often where runs vary most and one system has so many times the other's runs.
UNEQUAL_RUNS = 3


def explain_table(comparison: Comparison, metric: MetricComparison, *, brief: bool = False) -> list[str]:
    """Say below a table what its columns mean; ``brief`` where it lacks the share of wins."""
    interval = "delete-one jackknife" if comparison.interval == "jackknife" else f"{comparison.interval} bootstrap"
    ci = f"{in_percent(comparison.level)} CI: {interval} by {name_unit_of_draws(comparison)}"
    pairs = metric.comparisons
    sentences = [] if pairs else [f"{ci}."]
    if pairs:
        sentences += [_outputs_sentence(comparison, metric, ci), *_method_sentences(metric, comparison.unit)]
        of_outputs = " on these outputs" if metric.asks_of_methods else ""
        simulated = (
            ""
            if all(map(is_exact, pairs))
            else (
                f", even allowing for the simulation error of p{of_outputs}; where that error leaves the answer open, "
                "the comparison is undecided"
            )
        )
        sentences += [
            f"A difference is called shown if {names_of_p([metric])} is at most {threshold_of(comparison.level)}"
            f'{simulated}. "Not shown" does not mean "equal". The intervals are not adjusted for the number of '
            f"comparisons{SIMULTANEOUS if any(pair.simultaneous_low is not None for pair in pairs) else ''}."
        ]
        sentences += [
            *explain_equivalence(metric, comparison.unit),
            *describe_smallest(metric),
        ]
        sentences += [*_row_sentences(metric), *_undecided_pairs(comparison, metric)]
    if pairs and has_direction(metric) and not brief:
        sentences += [
            "win %: share of the bootstrap resamples that the system with the better score wins; a name in brackets "
            "is that system, if it is not the system of the row. It is not the probability of being better."
        ]
    if metric.ranking is not None:
        sentences += [_ranking_sentence(metric, comparison.level)]
    if any(estimate.design_effect is not None for estimate in metric.systems):
        group = "document" if comparison.unit == "segment" else comparison.unit
        sentences += [
            f"deff: design effect, the estimated variance with {name_units(group)} as units divided by that with "
            "segments as units."
        ]
        sentences += _design_effects(metric)
    if comparison.unit.startswith("block of "):
        sentences += [
            f"Units are {name_units(comparison.unit)} consecutive segments, because neighbouring segments can depend "
            "on each other."
        ]
    if any(estimate.s_test is not None for estimate in metric.systems):
        sentences += [
            "s_sel: standard deviation of the score over test sets of the same kind and source, from the bootstrap; "
            "s_test: standard deviation of the score over training runs."
        ]
    return sentences


def explain_comparison(comparison: Comparison) -> list[str]:
    """Say below the tables of all metrics what their columns mean, each thing once."""
    said: dict[str, list[str]] = {}
    for name, metric in comparison.metrics.items():
        for sentence in explain_table(comparison, metric):
            said.setdefault(sentence, []).append(name)
    return [
        sentence if len(names) == len(comparison.metrics) else f"{listed(names)}: {sentence}"
        for sentence, names in said.items()
    ]


def _undecided_pairs(comparison: Comparison, metric: MetricComparison) -> Iterable[str]:
    """Say in one sentence what the undecided comparisons of a table need."""
    undecided = [pair for pair in metric.comparisons if pair.verdict == "undecided"]
    if undecided:
        what = f"{len(undecided)} of {len(metric.comparisons)} comparisons are"
        if len(undecided) == 1:
            what = f"The comparison of {undecided[0].a} and {undecided[0].b} is"
        yield (
            f"{what} undecided, because {name_of_p(metric)} lies too close to {threshold_of(comparison.level)} for "
            f"{comparison.n_trials:,} trials" + describe_needed_trials(undecided) + "."
        )


def _outputs_sentence(comparison: Comparison, metric: MetricComparison, ci: str) -> str:
    """Say what the table on these outputs asks, and where its numbers come from."""
    by = comparison.unit + (" and run" if comparison.exchange == "run" else "")
    test, drawn = "approximate", f"{comparison.n_trials:,} trials"
    if all(map(is_exact, metric.comparisons)):
        test, drawn = "exact", "all exchanges"
    shared = BY_MAX_T if adjustment_of(metric) == "max-t" and metric.family_size > 1 else ""
    adjusted = f"{name_of_p(metric)}: p adjusted for {family_of(metric)}{shared}."
    if metric.family_size == 1:
        each = "" if len(comparison.metrics) == 1 else " of each metric"
        adjusted = f"There is one comparison{each}, so p is not adjusted."
    return (
        "On these outputs: would the same training runs show the difference on other sentences of the same kind? This "
        f"ignores variation between training runs. {ci}. p: two-sided {test} randomization test by {by} ({drawn}). "
        f"{adjusted}"
    ) + _dependence_sentence(comparison)


def _dependence_sentence(comparison: Comparison) -> str:
    """Say what it means that segments are the units where documents are not known, or are too few to be units."""
    number = comparison.n_documents
    if comparison.unit != "segment" or (number is not None and number >= MIN_DOCUMENTS):
        return ""
    if number is None:
        return UNKNOWN_DOCUMENTS
    return FEW_DOCUMENTS.format(documents=tally(number, "document"))


def _method_sentences(metric: MetricComparison, unit: str) -> list[str]:
    """Say what the table for the method asks, where its numbers come from, and what few runs cannot show."""
    if not metric.asks_of_methods and all(system.runs > 1 for system in metric.systems):
        return []  # there is one unit, or nothing varies
    if not metric.asks_of_methods:
        return [ASK_FOR_RUNS]
    n_methods, family = metric.method_family_size, family_of(metric, of_method=True)
    if n_methods < metric.family_size:
        family += f", {'the one' if n_methods == 1 else 'those'} in which both systems have at least two runs"
    if adjustment_of(metric) == "max-t":
        family += ", by Holm's method, because this p does not come from trials"
    sentences = [
        "For the method: would new training runs show the difference, too, on other sentences? CI and p: crossed "
        f"analysis, which treats both {name_units(unit)} and training runs as samples (Student's t with df degrees of "
        f"freedom{POOLED if metric.settings.runs == 'pooled' else ''})."
    ]
    if metric.family_size > 1:
        sentences[0] += f" {name_of_p(metric, of_method=True)}: p adjusted for {family}."
    runs = {system.system: system.runs for system in metric.systems}
    counts = [(runs[pair.a], runs[pair.b]) for pair in metric.comparisons if pair.method_p_value is not None]
    few = describe_few_runs(*min(counts, key=lambda both: (min(both), max(both))))
    pooled = {pair.method.variance.pooled_df for pair in metric.comparisons if pair.method.variance is not None}
    if metric.settings.runs == "pooled":  # the runs of all systems count, not those of one
        sentences += [describe_pooled_runs(df) for df in pooled if df is not None]
    elif few is not None:
        sentences.append(few)
    if len(set(runs.values())) > 1:
        sentences.append("The systems have different numbers of runs; each score is the mean over that system's runs.")
    return sentences + _unequal_runs(metric, runs)


def _unequal_runs(metric: MetricComparison, runs: Mapping[str, int]) -> list[str]:
    """Warn where the test for the method is anti-conservative: runs vary most, and one system has far fewer of them."""
    concerned = [
        f"{pair.a} against {pair.b}"
        for pair in metric.comparisons
        if pair.method_p_value is not None
        and UNEQUAL_RUNS * min(runs[pair.a], runs[pair.b]) <= max(runs[pair.a], runs[pair.b])
        and (pair.method.run_variance or 0) > (pair.method.unit_variance or 0) + (pair.method.residual_variance or 0)
    ]
    if not concerned:
        return []
    return [
        f"{name_some(concerned)}: one system has far fewer runs than the other, and the scores vary mostly from run to "
        "run. The test for the method then calls equal methods different too often: give both the same number of runs."
    ]


def _row_sentences(metric: MetricComparison) -> Iterable[str]:
    """Explain the phrases of `row_note` and `method_note` that a table has."""
    threshold = threshold_of(metric.level)
    notes = {row_note(pair, metric) for pair in metric.comparisons}
    notes |= {method_note(pair, metric) for pair in metric.comparisons}
    names = {not_after(metric, of_method=one): name_of_p(metric, of_method=one) for one in (False, True)}
    for note, name in names.items():
        if note in notes:
            yield (
                f'"{note}": p is at most {threshold}, but {name} is above {threshold}. '
                "On its own, the difference would be shown; among several comparisons it is not."
            )
    if ONLY_BY_CI in notes:
        yield f'"{ONLY_BY_CI}": the CI excludes 0, but the test does not reject; go by the test.'
    if any(is_shown_despite_ci(pair) for pair in metric.comparisons):
        yield "A difference may be shown although its CI includes 0: go by the test."


def _design_effects(metric: MetricComparison) -> Iterable[str]:
    """Say what the design effect of the differences is."""
    found = [pair.design_effect for pair in metric.comparisons if pair.design_effect is not None]
    if len(found) == 1:
        yield f"deff of the difference: {found[0]:.1f}."
    elif found:
        yield f"deff of the differences: {min(found):.1f} to {max(found):.1f}, median {statistics.median(found):.1f}."


def _ranking_sentence(metric: MetricComparison, level: float) -> str:
    if any(one.group is None for one in metric.ranking or ()):
        return (
            f"ranks (bootstrap): the ranks that the system takes in the middle {in_percent(level)} of the resamples. "
            "Only comparisons with the baseline were tested, so this does not test other systems against each other, "
            "and it ignores variation between training runs."
        )
    whose = "for the method" if metric.ranking_of == "method" else "on these outputs"
    return (
        f"ranks: the ranks that remain possible, given which systems are shown to be better or worse {whose}. group: "
        f"systems that share a letter are not shown to differ at {in_percent(1 - level)}, undecided "
        "comparisons included."
    )
