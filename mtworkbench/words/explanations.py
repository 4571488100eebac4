"""What is said below a table: what its columns mean, where its numbers come from, and what they cannot show."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain

from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import begin, grouped, tally
from mtworkbench.words.cells import family_of, is_exact, name_draws, name_of_p, say_undecided
from mtworkbench.words.columns import SHORT_P, WITHOUT, name_ci, name_p, show_p_of
from mtworkbench.words.document import MOST_ROWS, say_once
from mtworkbench.words.frames import in_percent, threshold_of
from mtworkbench.words.scopes import (
    ADJUSTMENTS,
    OUTPUTS,
    adjustment_of,
    asks_of_both,
    count_methods,
    name_adjusted,
    name_df,
    name_intervals,
    name_others,
    pairs_of_all,
    questions_of,
    scope_of,
    units_of,
)
from mtworkbench.words.sentences import (
    CERTAIN,
    IF_ALIKE,
    NOT_SHOWN,
    ONLY_ALONE,
    RESTS_ON_THESE,
    SHOWN_ON_BOTH,
    SKEWED,
    explain_copies,
    explain_exchanges,
    explain_missing_cis,
    explain_other_cis,
    explain_overlap,
    is_shown_alone,
    name_crossed,
    names_of_p,
    say_joint,
)
from mtworkbench.words.sentences_on_equivalence import CANNOT_TELL, describe_smallest, explain_equivalence
from mtworkbench.words.sentences_on_runs import describe_few_runs, describe_pooled_runs
from mtworkbench.words.sentences_on_top import explain_ranks_out_of_order, where_shown
from mtworkbench.words.sentences_on_units import describe_tipping_point

#: How p is adjusted.
BY_METHOD = {
    "max-t": "by step-down max-T, which allows for the correlation between comparisons (Westfall and Young, 1993)",
    "holm": "by Holm's method",
}
#: Why comparisons have the same p.
WHY_TIED = {"max-t": "max-T can make different p equal", "holm": "Holm's method can make different p equal"}
#: What is said of the method's p where runs are pooled.
POOLED = (
    "; run-to-run variation is estimated from the runs of all systems together, and CI and p allow for twice that "
    "standard deviation in either system"
)
#: The heading of p where the claims of one table adjust it in different ways.
ADJUSTED = "p (adjusted)"


def explain(comparison: AnyComparison) -> list[str]:
    """Say below the tables of all metrics what their columns mean, each thing once, and what else is assumed."""
    if isinstance(comparison, CampaignComparison):
        said = _explain_campaign(comparison)
    else:
        said = say_once({name: _explain_table(comparison, metric) for name, metric in comparison.metrics.items()})
        said += dict.fromkeys(chain.from_iterable(map(_define_columns, comparison.metrics.values())))
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    assumed = [one.say(advise=True) for one in comparison.concerns.below]
    return [*said, *explain_ranks(metrics), *explain_untested(metrics), *assumed]


def explain_ties(metrics: Sequence[AnyMetric], heading: str = "") -> Iterator[str]:
    """Say which comparisons have the same adjusted p although their own p differ, and why; begin with its heading."""
    families = [metrics] if metrics[0].settings.family == "all" else [[metric] for metric in metrics]
    for family in families:
        for question in questions_of(family[0]):
            adjust = adjustment_of(family[0], of_method=question is not OUTPUTS)
            tied = grouped(
                (show_p_of(metric, pair, question, "p_adjusted"), question.answer(pair, "p_value"))
                for metric in family
                for pair in metric.comparisons
                if pair.differs
            )
            for shown, own in tied.items():
                if len({*own}) > 1 and shown and not shown.startswith(("<", "1")):
                    p = heading or name_p(family[0], question)
                    yield f"{p}: {tally(len(own), 'comparison')} have {shown}, because {WHY_TIED[adjust]}."
                    return


def explain_adjusted(
    comparison: AnyComparison, metrics: Sequence[AnyMetric], headings: Container[str]
) -> Iterator[str]:
    """Say for how many comparisons what tables of differences have is adjusted; nothing where there is one."""
    counts = sorted({metric.family_size for metric in metrics} - {0})  # copies are not counted
    if not counts or counts[-1] == 1:
        return
    n_pairs = f"{counts[0]}" if len(counts) == 1 else f"{counts[0]} to {counts[-1]}"
    each = "" if len(metrics) == 1 else " of each metric, not across metrics"
    each = " of all metrics" if each and comparison.settings.family == "all" else each
    first, others = metrics[0], name_others(metrics, adjusted=True)
    joint = name_ci(first) in headings and say_joint(first, counts[-1])
    by = ADJUSTMENTS[adjustment_of(first)]
    if others and adjustment_of(first) != "holm":
        by = f"{scope_of(first).on}: {by}; for {others}: {ADJUSTMENTS['holm']}"
    what = "Verdicts, p and CIs" if joint else "Verdicts and p" if headings else "Verdicts"
    whole = "both" if counts == [2] else f"all {n_pairs}"
    scores = "" if headings else "; the CIs of scores are not"
    methods = count_methods(metrics)
    yield f"{what} are adjusted for {whole} comparisons{each} ({by}){scores}{methods}. Other systems would change them."
    ties = explain_ties(metrics, ADJUSTED if ADJUSTED in headings else "")
    yield from (one for one in ties if one.partition(":")[0] in headings)


def explain_verdicts(metrics: Sequence[AnyMetric], cells: Iterable[str]) -> Iterator[str]:
    """Explain the verdicts that occur."""
    verdicts = set(cells)
    if CANNOT_TELL in verdicts:
        yield f'"{CANNOT_TELL.capitalize()}": neither a difference nor equality within the margin is shown.'
    if NOT_SHOWN in verdicts:
        yield '"Not shown" does not mean "equal".'
    if ONLY_ALONE in verdicts:
        where = scope_of(metrics[0]).on
        yield f'"{begin(ONLY_ALONE)}": the test of this claim, taken alone, shows a difference; none is shown {where}.'
    if IF_ALIKE in verdicts:
        size = threshold_of(metrics[0].level)
        yield f'"{begin(IF_ALIKE)}": p is at most {size} only if both systems vary as much from run to run.'
    yield from explain_undecided(metrics)  # the headline may have counted them


def name_of_t(metric: AnyMetric) -> str:
    """Name the distribution of the test for the method, and what it allows for where runs are pooled."""
    return f"Student's t with df degrees of freedom{POOLED if metric.settings.runs == 'pooled' else ''}"


# ---- one test set


def _explain_table(comparison: Comparison, metric: MetricComparison) -> list[str]:
    """Say below a table what its columns mean."""
    ci = f"{in_percent(comparison.level)} CI of scores: {name_intervals(comparison)}."
    pairs = metric.comparisons
    sentences = [ci, *explain_overlap([metric]), *([_outputs_sentence(comparison, metric)] if pairs else [])]
    if pairs:
        sentences += _method_sentences(metric)
        others = "the method" if any(map(is_shown_alone, pairs)) else ""
        sentences += [_explain_called([metric], others), *explain_ties([metric])]
        sentences += [*explain_equivalence(metric, comparison.unit), *describe_smallest(metric)]
        sentences += explain_undecided([metric])
    return sentences


def _define_columns(metric: MetricComparison) -> Iterable[str]:
    """Say what columns of the details are."""
    if metric.comparisons and has_direction(metric):
        yield (
            "win %: share of the bootstrap resamples in which the system of the row has the better score. It is not "
            "the probability of being better."
        )
    if any(estimate.design_effect is not None for estimate in metric.systems):
        group = "document" if metric.settings.unit == "segment" else metric.settings.unit
        yield (
            f"deff: design effect of a score or of a difference, the estimated variance with {name_units(group)} as "
            "units divided by that with segments as units."
        )
    if any(estimate.brevity_penalty is not None for estimate in metric.systems):
        yield (
            "BP: BLEU's brevity penalty. length ratio: length of the outputs, divided by that of the references. diff. "
            "from length: the part of a difference that comes from the brevity penalty."
        )
    if metric.comparisons:
        unadjusted = f" It is of p, not of {name_of_p(metric)}." if metric.family_size > 1 else ""
        yield (
            "MC 95 % CI of p: p comes from random swaps; in 95 of 100 such draws, this contains the p that all "
            f"possible swaps would give.{unadjusted} smallest possible p: what p could have been at best, given how "
            "many segments differ and how many swaps there are."
        )
    if metric.asks_of_methods:
        yield (
            "p, separate runs: p for the method if run-to-run variation is estimated for each system by itself; p, "
            "pooled runs: if it is estimated from the runs of all systems together."
        )
    if any(estimate.s_test is not None for estimate in metric.systems):
        yield (
            "s_sel: standard deviation of the score over test sets of the same kind and source, from the bootstrap; "
            "s_test: standard deviation of the score over runs, on this test set."
        )


def _explain_called(metrics: Sequence[AnyMetric], others: str) -> str:
    """Say what is called shown, also for ``others`` than what was compared, and what that does not mean."""
    metric, on = max(metrics, key=lambda one: one.family_size), scope_of(metrics[0]).on
    where = f" {on}" if metric.asks_of_methods or isinstance(metric, CampaignMetric) else ""
    certain = f", and{where} {CERTAIN}" if not all(map(is_exact, pairs_of_all(metrics))) else ""
    said = (
        f"A difference is called shown if {names_of_p(metrics)} is at most {threshold_of(metric.level)}{certain}.",
        SHOWN_ON_BOTH.format(others, on) if others else "",
        '"Not shown" does not mean "equal".',
        explain_other_cis(metric),
        explain_missing_cis(metric),
    )
    return " ".join(filter(None, said))


def explain_undecided(metrics: Iterable[AnyMetric]) -> Iterable[str]:
    """Say why comparisons are undecided, where any are."""
    undecided = [one for one in metrics if any(pair.verdict == "undecided" for pair in one.comparisons)]
    return dict.fromkeys(
        f'"Undecided": {say_undecided(metric)} (random swaps of outputs). Report it as not shown, or try more trials '
        "(--trials)."
        for metric in undecided
    )


def _outputs_sentence(comparison: Comparison, metric: MetricComparison) -> str:
    """Say what the table on these outputs asks, and where its numbers come from."""
    parts = (
        f"{begin(scope_of(metric).on)}: would the same runs show the difference on other sentences of the same kind?",
        "This ignores variation between runs.",
        explain_exchanges(comparison),
        _explain_family(metric, name_of_p(metric)),
        *explain_copies(comparison, metric),
    )
    return " ".join(filter(None, parts))


def _explain_family(metric: AnyMetric, p: str) -> str:
    """Say for how many comparisons p on what was compared is adjusted, and how; empty where there is one."""
    joint = say_joint(metric, metric.family_size)
    by = f"{BY_METHOD[adjustment_of(metric)]}{f'; {joint}' if joint else ''}"
    return f"{p}: p adjusted for {family_of(metric)} {by}." if metric.family_size > 1 else ""


def _method_sentences(metric: MetricComparison) -> list[str]:
    """Say what the table for the method asks, where its numbers come from, and what few runs cannot show."""
    if not metric.asks_of_methods:
        return []
    n_methods, family = metric.method_family_size, family_of(metric, of_method=True)
    if n_methods < metric.family_size:
        family += f", {'the one' if n_methods == 1 else 'those'} in which both systems have at least two runs"
    if adjustment_of(metric) == "max-t":
        family += f" {BY_METHOD['holm']}, because this p is not from a randomization test"
        joint = say_joint(metric, n_methods, of_method=True)
        family += f"; {joint} (Bonferroni)" if joint else ""
    sentences = [
        "For the method: would new training or tuning runs show the difference, too, on other sentences? CI and p: "
        f"{name_crossed(metric)} ({name_of_t(metric)})."
    ]
    if metric.family_size > 1 and family != family_of(metric):
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


def explain_ranks(metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Say what ranks and letters are, and why ranks may not have the order of the scores."""
    ranked = [metric for metric in metrics if metric.has_ranks]
    undecided = "undecided or " * any(pair.verdict == "undecided" for metric in ranked for pair in metric.comparisons)
    under, by = (" under a metric", " by it") if len(metrics) > 1 else ("", "")
    new = " (new sets: for new ones)" * any(isinstance(metric, CampaignMetric) for metric in ranked)
    for where in dict.fromkeys(map(where_shown, ranked)):
        yield (
            f"Ranks are those still possible, given what is shown {where}{new}; systems that share a letter{under} are "
            f"{undecided}not shown to differ{by}."
        )
    yield from explain_ranks_out_of_order(ranked)


def explain_untested(metrics: Iterable[AnyMetric]) -> list[str]:
    """Say that systems are compared with one alone, where there are more."""
    baselines = [metric.compared_with for metric in metrics if len(metric.comparisons) > 1]
    return [f"Only differences from {one} are tested." for one in dict.fromkeys(baselines) if one is not None]


# ---- several test sets


def _explain_campaign(comparison: CampaignComparison) -> list[str]:
    """Say below the tables what their columns mean, each thing once."""
    compared = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not compared:
        return [_explain_means(comparison)]
    metric = max(compared, key=lambda one: one.family_size)
    return [
        _explain_means(comparison),
        *explain_overlap(compared),
        _explain_new(comparison, metric),
        _explain_these(comparison, compared),
        *_explain_method(compared),
        *say_once({one.name: explain_equivalence(one, units_of(comparison)) for one in compared}),
        _explain_shown(comparison, metric, compared),
        *explain_ties(compared),
        *_explain_sets(metric, compared),
        *describe_tipping_point(comparison),
        *explain_left_out(compared),
    ]


def _explain_means(comparison: CampaignComparison) -> str:
    within = f" and stratum ({comparison.strata})" if comparison.strata else ""
    return (
        "Scores and differences are means over the test sets, each set counting the same, however many segments it "
        f"has. {in_percent(comparison.level)} CI of scores: {name_intervals(comparison)}{within}."
    )


def _explain_new(comparison: CampaignComparison, metric: CampaignMetric) -> str:
    df, whole = name_df(metric.comparisons), ""
    if metric.family_size > 1:
        joint = say_joint(metric, metric.family_size, of_method=True)
        whole = f", for {'all comparisons together' if joint else 'each comparison by itself'}"
    has_one = any(pair.one_new_set_ends.low is not None for pair in metric.comparisons)
    expected = f"where the difference on one more test set is expected ({in_percent(comparison.level)}{whole})"
    return (
        "For new test sets like these: would other test sets show the difference, on average, if these are a sample of "
        "them? CI and p: Student's t of the differences on the test sets"
        f"{f', {df}' if df else ''}; {RESTS_ON_THESE}. {SKEWED} {f'one new set: {expected}. ' * has_one}spread: how "
        "far the true difference varies from test set to test set (standard deviation, without the variation that "
        "segments explain, by the method of Paule and Mandel, overestimated if sentences of unknown documents are "
        "alike; CI: Q profile, with an upper end that is at least that expected of sets that do not differ); p (sets): "
        "whether it varies at all (Cochran's Q)."
    )


def _explain_these(comparison: CampaignComparison, metrics: Sequence[CampaignMetric]) -> str:
    better = (
        " better on: test sets on which the system of the row has the better score."
        if any(map(has_direction, metrics))
        else ""
    )
    return (
        "For these test sets: would other segments of the same test sets show the difference? "
        f"{explain_exchanges(comparison)}{better}"
    )


def name_test(found: Iterable[CampaignPair | SetEstimate]) -> str:
    """Name the test of these comparisons on these test sets, with the number of trials."""
    test, drawn = name_draws(found)
    return f"two-sided {test} randomization test, {drawn}"


def _explain_method(metrics: Sequence[CampaignMetric]) -> Iterable[str]:
    if any(metric.asks_of_methods for metric in metrics):
        yield (
            "For the method: would new training or tuning runs show the difference, too, on these test sets? CI and p: "
            f"{name_crossed(metrics[0])} ({name_of_t(metrics[0])}). Run k of a system is taken to be the same trained "
            "system on every set."
        )
    if any(map(asks_of_both, metrics)):
        yield (
            "For new runs on new sets: would other runs show the difference on other test sets? CI and "
            "p: the same crossed analysis with test sets as units; the CI includes the CIs for new sets and for the "
            "method, and p is at least as large as both of theirs."
        )


def _explain_shown(comparison: CampaignComparison, metric: CampaignMetric, metrics: Sequence[CampaignMetric]) -> str:
    n_metrics, size, others = len(metrics), metric.family_size, name_others(metrics)
    these, new = SHORT_P if size > MOST_ROWS else (name_of_p(metric), name_adjusted("holm"))
    is_max_t = adjustment_of(metric) == "max-t"
    said = [_explain_family(metric, these if is_max_t else ", ".join(dict.fromkeys((these, new))))]
    if size > 1 and is_max_t:
        joint = say_joint(metric, size, of_method=True)
        said.append(f"{new}: p for {others}, adjusted {BY_METHOD['holm']}; {joint} (Bonferroni).")
    said += explain_copies(comparison, metric)
    if n_metrics > 1 and metric.settings.family != "all":
        said.append(f"No p is adjusted for the number of metrics ({n_metrics}).")
    return " ".join(filter(None, [*said, _explain_called(metrics, others), *explain_undecided(metrics)]))


def explain_left_out(metrics: Iterable[AnyMetric]) -> Iterable[str]:
    """Say what p without a set is, where a table has it."""
    pairs = [metric.comparisons[0] for metric in metrics if len(metric.comparisons) == 1]
    of_sets = chain.from_iterable(pair.sets for pair in pairs if isinstance(pair, CampaignPair))
    if any(one.new_sets_without_p_adjusted is not None for one in of_sets):
        yield f"{WITHOUT}: p for new test sets if the set of this row is left out (Student's t of the other sets)."


def _explain_sets(metric: CampaignMetric, metrics: Sequence[CampaignMetric]) -> Iterable[str]:
    """Say where the p of single test sets comes from, and what stands for it in their table."""
    if metric.sets_family_size <= 1:
        return
    of_means = name_test(pair for one in metrics for pair in one.comparisons)
    of_sets = name_test(one for each in metrics for pair in each.comparisons for one in pair.sets)
    test = "" if of_sets == of_means else f" is from a {of_sets}, and"
    family = f"{metric.sets_family_size} comparisons ({ADJUSTMENTS[adjustment_of(metric)]})"
    if metric.compared_with is None:
        # Of all pairs, the table has scores, or counts where there are very many systems.
        yield f"Where pairs are counted test set by test set, p{test} is adjusted for {family}."
        return
    marks = f"; {joint}" if (joint := say_joint(metric, metric.sets_family_size)) else ""
    if len(metric.comparisons) > 1:
        marks = "; differences shown on a test set are marked *, or counted if there are many systems"
        undecided = any(one.verdict == "undecided" for pair in metric.comparisons for one in pair.sets)
        marks += "; undecided ones are marked ?" if undecided else ""
    yield f"Test set by test set, p{test} is adjusted for {family}{marks}."
