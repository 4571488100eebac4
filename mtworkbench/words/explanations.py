"""What is said below a table: what its columns mean, where its numbers come from, and what they cannot show."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from itertools import chain

from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import begin, count_of, listed, name_some, tally
from mtworkbench.words.cells import (
    adjustment_of,
    family_of,
    in_percent,
    is_exact,
    name_adjusted,
    name_draws,
    name_of_p,
    threshold_of,
)
from mtworkbench.words.columns import (
    NOT_AFTER_HOLM,
    SHORT_P,
    explain_columns,
    for_method,
    for_new_sets,
    on_set,
    on_these_sets,
)
from mtworkbench.words.document import MOST_ROWS, say_once
from mtworkbench.words.scopes import (
    AnyComparison,
    AnyMetric,
    AnyPair,
    name_df,
    name_exchanged,
    name_intervals,
    name_others,
    units_of,
)
from mtworkbench.words.sentences import (
    ONLY_BY_CI,
    SHOWN_ON_BOTH,
    describe_ci_alone,
    describe_needed_trials,
    is_shown_alone,
    is_shown_despite_ci,
    method_note,
    names_of_p,
    not_after,
    row_note,
)
from mtworkbench.words.sentences_on_equivalence import describe_smallest, explain_equivalence
from mtworkbench.words.sentences_on_runs import (
    ASK_FOR_RUNS,
    ask_for_runs_on_sets,
    describe_few_runs,
    describe_pooled_runs,
)
from mtworkbench.words.sentences_on_top import where_shown

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
SIMULTANEOUS = ", except the simultaneous intervals (in --all-columns, JSON, CSV and a notebook's details)"
#: What is said of the method's p where runs are pooled.
POOLED = (
    "; run-to-run variation is estimated from the runs of all systems together, and those of either system may have "
    "twice the standard deviation of the others'"
)


def explain(comparison: AnyComparison) -> list[str]:
    """Say below the tables of all metrics what their columns mean, each thing once."""
    if isinstance(comparison, CampaignComparison):
        said = _explain_campaign(comparison)
    else:
        said = say_once({name: _explain_table(comparison, metric) for name, metric in comparison.metrics.items()})
    declared = [one for metric in comparison.metrics.values() for one in explain_columns(metric)]
    return [*said, *dict.fromkeys(declared)]


# ---- one test set


def _explain_table(comparison: Comparison, metric: MetricComparison) -> list[str]:
    """Say below a table what its columns mean."""
    ci = f"{in_percent(comparison.level)} CI: {name_intervals(comparison)} by {units_of(comparison)}"
    pairs = metric.comparisons
    sentences = [] if pairs else [f"{ci}."]
    if pairs:
        sentences += [_outputs_sentence(comparison, metric, ci), *_method_sentences(metric, comparison.unit)]
        of_outputs = " on these outputs" if metric.asks_of_methods else ""
        simulated = _allow_for_error(pairs, of_outputs)
        alone = f" {SHOWN_ON_BOTH.format('the method', 'on these outputs')}" if any(map(is_shown_alone, pairs)) else ""
        sentences += [
            f"A difference is called shown if {names_of_p([metric])} is at most {threshold_of(comparison.level)}"
            f'{simulated}.{alone} "Not shown" does not mean "equal". The intervals are not adjusted for the number of '
            f"comparisons{SIMULTANEOUS if any(pair.simultaneous_low is not None for pair in pairs) else ''}."
        ]
        sentences += [
            *explain_equivalence(metric, comparison.unit),
            *describe_smallest(metric),
        ]
        sentences += [*_row_sentences(metric), *_undecided_pairs(comparison, metric)]
    if pairs and has_direction(metric):
        sentences += [
            "win %: share of the bootstrap resamples that the system with the better score wins; a name in brackets "
            "is that system, if it is not the system of the row. It is not the probability of being better."
        ]
    sentences += _explain_ranks(metric)
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


def _allow_for_error(pairs: Iterable[AnyPair], where: str) -> str:
    """Say when a comparison is undecided, unless every p is exact."""
    if all(map(is_exact, pairs)):
        return ""
    allowing = f", even allowing for the simulation error of p{where}"
    return f"{allowing}; where that error leaves the answer open, the comparison is undecided"


def _undecided_pairs(comparison: Comparison, metric: MetricComparison) -> Iterable[str]:
    """Say in one sentence what the undecided comparisons of a table need."""
    undecided = [pair for pair in metric.comparisons if pair.verdict == "undecided"]
    if undecided:
        what = f"{begin(count_of(len(undecided), len(metric.comparisons), 'comparison'))} are"
        if len(undecided) == 1:
            what = f"The comparison of {undecided[0].a} and {undecided[0].b} is"
        yield (
            f"{what} undecided, because {name_of_p(metric)} lies too close to {threshold_of(comparison.level)} for "
            f"{comparison.n_trials:,} trials" + describe_needed_trials(undecided) + "."
        )


def _outputs_sentence(comparison: Comparison, metric: MetricComparison, ci: str) -> str:
    """Say what the table on these outputs asks, and where its numbers come from."""
    test, drawn = name_draws(metric.comparisons, comparison.n_trials)
    shared = BY_MAX_T if adjustment_of(metric) == "max-t" and metric.family_size > 1 else ""
    adjusted = f"{name_of_p(metric)}: p adjusted for {family_of(metric)}{shared}."
    if metric.family_size == 1:
        each = "" if len(comparison.metrics) == 1 else " of each metric"
        adjusted = f"There is one comparison{each}, so p is not adjusted."
    return (
        "On these outputs: would the same training runs show the difference on other sentences of the same kind? This "
        f"ignores variation between training runs. {ci}. p: two-sided {test} randomization test by "
        f"{name_exchanged(comparison)} ({drawn}). "
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
    return sentences


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
        name, ci = name_of_p(metric), describe_ci_alone(metric)
        yield f'"{ONLY_BY_CI}": {ci}, but {name} is above {threshold}; go by {name}.'
    if any(is_shown_despite_ci(pair) for pair in metric.comparisons):
        yield "A difference may be shown although its CI includes 0: go by the test."


def _design_effects(metric: MetricComparison) -> Iterable[str]:
    """Say what the design effect of the differences is."""
    found = [pair.design_effect for pair in metric.comparisons if pair.design_effect is not None]
    shown = [f"{one:.1f}" for one in sorted(found)]
    if len(found) == 1:
        yield f"deff of the difference: {shown[0]}."
    elif found and shown[0] == shown[-1]:
        yield f"deff of the differences: {shown[0]} for each pair."
    elif found:
        yield f"deff of the differences: {shown[0]} to {shown[-1]}, median {statistics.median(found):.1f}."


def _explain_ranks(metric: AnyMetric) -> Iterable[str]:
    """Say what ranks and letters are, or, with a baseline, what is said of each system."""
    if metric.ranking is None:
        return
    where = where_shown(metric)
    new = " (new sets): the same for new test sets like these." if isinstance(metric, CampaignMetric) else ""
    if metric.has_ranks:
        yield (
            f"ranks: the ranks that remain possible, given which systems are shown to be better or worse {where}. "
            f"group: systems that share a letter are not shown to differ at {in_percent(1 - metric.level)}, undecided "
            f"comparisons included.{new}"
        )
    else:
        yield (
            f"against baseline: whether the system is shown to be better or worse than the baseline {where}."
            f"{new} The other systems are not compared with each other, so they have no ranks."
        )


# ---- several test sets


def _explain_campaign(comparison: CampaignComparison) -> list[str]:
    """Say below the tables what their columns mean, each thing once."""
    compared = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not compared:
        return [_explain_means(comparison)]
    metric = max(compared, key=lambda one: one.family_size)
    return [
        _explain_means(comparison),
        _explain_new(comparison, metric),
        _explain_these(comparison, compared),
        *_explain_method(compared),
        *say_once({one.name: explain_equivalence(one, units_of(comparison)) for one in compared}),
        _explain_shown(metric, compared),
        *_explain_sets(comparison, metric, compared),
        *dict.fromkeys(chain.from_iterable(map(_explain_ranks, compared))),
        *_explain_units(comparison),
    ]


def _explain_means(comparison: CampaignComparison) -> str:
    within = f", within strata ({comparison.strata})" if comparison.strata else ""
    return (
        "Scores and differences are means over the test sets, each set counting the same, however many segments it "
        f"has. {in_percent(comparison.level)} CI of scores: {name_intervals(comparison)} within each test set, by "
        f"{units_of(comparison)}{within}."
    )


def _explain_new(comparison: CampaignComparison, metric: CampaignMetric) -> str:
    df = name_df(metric.comparisons)
    return (
        "For new test sets like these: would other test sets show the difference, on average, if these are a sample of "
        "them? CI and p: Student's t of the differences on the test sets"
        f"{f', {df}' if df else ''}. one new set: where the difference on one more test set is expected "
        f"({in_percent(comparison.level)}). spread: how far the true difference varies from test set to test "
        "set (standard deviation, without the variation that segments explain); p (sets): whether it varies at all "
        "(Cochran's Q)."
    )


def _explain_these(comparison: CampaignComparison, metrics: Sequence[CampaignMetric]) -> str:
    pairs = [pair for metric in metrics for pair in metric.comparisons]
    better = (
        " better on: test sets on which the system of the row has the better score."
        if any(map(has_direction, metrics))
        else ""
    )
    return (
        "On these test sets: would other segments of the same test sets show the difference? CI: "
        f"{name_intervals(comparison)}; p: {name_test(comparison, pairs)}; both within each test set, by "
        f"{name_exchanged(comparison)}.{better}"
    )


def name_test(comparison: CampaignComparison, found: Iterable[CampaignPair | SetEstimate]) -> str:
    """Name the test of these comparisons on these test sets, with the number of trials."""
    found = list(found)
    test, drawn = name_draws(found, comparison.n_trials)
    some = test == "approximate" and any(map(is_exact, found))
    also = " (exact, all exchanges, where outputs differ in few units)" if some else ""
    return f"two-sided {test} randomization test, {drawn}{also}"


def _explain_method(metrics: Sequence[CampaignMetric]) -> Iterable[str]:
    if not any(metric.asks_of_methods for metric in metrics):
        yield from ask_for_runs_on_sets(one for metric in metrics for one in metric.systems)
    else:
        yield (
            "For the method: would new training runs show the difference, too, on these test sets? CI and p: crossed "
            "analysis of the scores of the runs, averaged over the test sets (Student's t with df degrees of "
            f"freedom{POOLED if metrics[0].settings.runs == 'pooled' else ''}). Run k of a system is taken to be the "
            "same trained system on every set."
        )


def _explain_shown(metric: CampaignMetric, metrics: Sequence[CampaignMetric]) -> str:
    n_metrics = len(metrics)
    is_simultaneous = any(pair.simultaneous_low is not None for one in metrics for pair in one.comparisons)
    simultaneous = SIMULTANEOUS if is_simultaneous else ""
    adjusted = name_of_p(metric)
    these, new = SHORT_P if metric.family_size > MOST_ROWS else (adjusted, name_adjusted("holm"))
    headings = ", ".join(dict.fromkeys((these, new)))
    is_one_family = metric.settings.family == "all"
    each = (" of all metrics together" if is_one_family else " of each metric") if n_metrics > 1 else ""
    family = "" if metric.family_size == 1 else f"{headings}: p adjusted for {metric.family_size} comparisons{each}. "
    if metric.settings.adjust == "max-t" and metric.family_size > 1:
        family = f"{these}: p on these test sets, adjusted for {metric.family_size} comparisons{each}{BY_MAX_T}. "
        family += f"{new}: p for {name_others(metrics)}, adjusted by Holm's method. "
    if n_metrics > 1 and not is_one_family:
        family += f"No p is adjusted for the number of metrics ({n_metrics}). "
    return (
        f"{family}A difference is called shown if {names_of_p(metrics)} is at most {threshold_of(metric.level)}"
        f"{_allow_for_error((pair for one in metrics for pair in one.comparisons), ' on these test sets')}. It is "
        f"called shown for {name_others(metrics)} only where it is shown on these test sets, too. "
        '"Not shown" does not mean "equal". '
        + (f'"{NOT_AFTER_HOLM}": on its own, it would be shown. ' if _is_said(NOT_AFTER_HOLM, metrics) else "")
        + f"The intervals are not adjusted for the number of comparisons{simultaneous}."
    )


def _is_said(words: str, metrics: Iterable[CampaignMetric]) -> bool:
    """Tell whether the tables have these words for some difference."""
    columns = on_these_sets, for_new_sets, for_method
    said = (say(pair, metric) for metric in metrics for pair in metric.comparisons for say in columns)
    # The table of single sets has words where there is one comparison.
    alone = (metric for metric in metrics if len(metric.comparisons) == 1)
    return words in chain(said, (on_set(one, metric) for metric in alone for one in metric.comparisons[0].sets))


def _explain_sets(
    comparison: CampaignComparison, metric: CampaignMetric, metrics: Sequence[CampaignMetric]
) -> Iterable[str]:
    """Say where the p of single test sets comes from, and what stands for it in their table."""
    of_means = name_test(comparison, [pair for one in metrics for pair in one.comparisons])
    of_sets = name_test(comparison, [one for each in metrics for pair in each.comparisons for one in pair.sets])
    test = "" if of_sets == of_means else f" is from a {of_sets}, and"
    if metric.sets_family_size > 1:
        if metric.compared_with is None:
            # Of all pairs, the table has scores, or counts where there are very many systems.
            family = f"{metric.sets_family_size} comparisons (Holm)"
            yield f"Where pairs are counted test set by test set, p{test} is adjusted for {family}."
            return
        marks = ""
        if len(metric.comparisons) > 1:
            marks = "; differences shown on a test set are marked *, or counted if there are many systems"
            undecided = any(one.verdict == "undecided" for pair in metric.comparisons for one in pair.sets)
            marks += "; undecided ones are marked ?" if undecided else ""
        yield f"Test set by test set, p{test} is adjusted for {metric.sets_family_size} comparisons (Holm){marks}."


def _explain_units(comparison: CampaignComparison) -> Iterable[str]:
    """Say which sets treat segments as independent because documents are not known or too few, and which blocks."""
    unknown = [one.name for one in comparison.test_sets if one.unit == "segment" and one.n_documents is None]
    few = [
        one.name
        for one in comparison.test_sets
        if one.unit == "segment" and one.n_documents is not None and one.n_documents < MIN_DOCUMENTS
    ]
    for names, why in ((unknown, "the documents are not known"), (few, "there are too few documents")):
        if names:
            whose = "" if len(names) == len(comparison.test_sets) else f" of {name_some(names)}"
            yield (
                f"Segments{whose} are treated as independent, because {why}: where the sentences of one document are "
                "alike, p on these test sets is then too small, and the spread too large. CI and p for new test sets "
                "do not depend on this."
            )
    blocks = dict.fromkeys(one.unit for one in comparison.test_sets if one.unit.startswith("block of "))
    if blocks:
        yield f"Units are {listed([name_units(one) for one in blocks], 'or')} consecutive segments."
