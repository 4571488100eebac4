"""What is said below the tables of a campaign: what their columns mean, and where the numbers come from."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain

from mtworkbench.inference.units import MIN_DOCUMENTS
from mtworkbench.metrics.directions import has_direction
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, SetEstimate
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import listed, name_some
from mtworkbench.words.cells import in_percent, is_exact, name_adjusted, name_of_p, threshold_of
from mtworkbench.words.columns import is_ranked_by_verdicts
from mtworkbench.words.document import MOST_ROWS
from mtworkbench.words.scopes import name_df, units_of
from mtworkbench.words.verdicts import NOT_AFTER_HOLM, for_method, for_new_sets, on_these_sets


def explain_campaign(comparison: CampaignComparison) -> list[str]:
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
        *chain.from_iterable(map(_explain_equal, compared)),
        _explain_shown(metric, compared),
        *_explain_sets(metric),
        *_explain_ranks(compared),
        *_explain_units(comparison),
    ]


def _explain_means(comparison: CampaignComparison) -> str:
    within = f", within strata ({comparison.strata})" if comparison.strata else ""
    return (
        "Scores and differences are means over the test sets, each set counting the same, however many segments it "
        f"has. {in_percent(comparison.level)} CI of scores: {_interval(comparison)} within each test set, by "
        f"{units_of(comparison)}{within}."
    )


def _interval(comparison: CampaignComparison) -> str:
    return "delete-one jackknife" if comparison.interval == "jackknife" else f"{comparison.interval} bootstrap"


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
        f"{_interval(comparison)}; p: {name_test(comparison, pairs)}; both within each test set, by "
        f"{_exchanged(comparison)}.{better}"
    )


def name_test(comparison: CampaignComparison, found: Iterable[CampaignPair | SetEstimate]) -> str:
    """Name the test of these comparisons on these test sets, with the number of trials."""
    exact = list(map(is_exact, found))
    if all(exact):
        return "two-sided exact randomization test, all exchanges"
    some = " (exact, all exchanges, where outputs differ in few units)" if any(exact) else ""
    return f"two-sided approximate randomization test, {comparison.n_trials:,} trials{some}"


def _exchanged(comparison: CampaignComparison) -> str:
    return units_of(comparison) + (" and run" if comparison.exchange == "run" else "")


def _explain_method(metrics: Sequence[CampaignMetric]) -> Iterable[str]:
    if any(metric.asks_of_methods for metric in metrics):
        yield (
            "For the method: would new training runs show the difference, too, on these test sets? CI and p: crossed "
            "analysis of the scores of the runs, averaged over the test sets. Run k of a system is taken to be the "
            "same trained system on every set."
            + (
                " How much runs vary is estimated from those of all systems together."
                if metrics[0].settings.runs == "pooled"
                else ""
            )
        )


def _explain_equal(metric: CampaignMetric) -> Iterable[str]:
    """Say which systems are equal within the margin, where there is one."""
    found = [(pair, one) for pair in metric.comparisons if (one := pair.equivalence) and one.equivalence_margin]
    for whose, verdicts in (
        ("on these test sets", [(pair, one.equivalence_verdict) for pair, one in found]),
        ("for the method", [(pair, one.method_equivalence_verdict) for pair, one in found]),
    ):
        if any(verdict for _, verdict in verdicts):
            equal = [f"{pair.a} and {pair.b}" for pair, verdict in verdicts if verdict == "equivalent"]
            yield (
                f"Equal within {found[0][1].equivalence_margin:g} points of {metric.name}, in the mean over test sets, "
                f"{whose} (two one-sided t-tests, {name_adjusted('holm') if len(found) > 1 else 'p'} at most "
                f"{threshold_of(metric.level)}): {'; '.join(equal) or 'this is shown of no pair'}."
            )


def _explain_shown(metric: CampaignMetric, metrics: Sequence[CampaignMetric]) -> str:
    n_metrics = len(metrics)
    adjusted = name_of_p(metric)
    headings = "p (these), p (new)" if metric.family_size > MOST_ROWS else adjusted
    is_one_family = metric.settings.family == "all"
    each = (" of all metrics together" if is_one_family else " of each metric") if n_metrics > 1 else ""
    family = "" if metric.family_size == 1 else f"{headings}: p adjusted for {metric.family_size} comparisons{each}. "
    if metric.settings.adjust == "max-t" and metric.family_size > 1:
        family += "p (Holm): the same, for new test sets and for the method. "
    if n_metrics > 1 and not is_one_family:
        family += f"No p is adjusted for the number of metrics ({n_metrics}). "
    return (
        f"{family}A difference is called shown if {adjusted} is at most {threshold_of(metric.level)}, and shown for "
        'new test sets only where it is shown on these, too. "Not shown" does not mean "equal". '
        + (f'"{NOT_AFTER_HOLM}": on its own, it would be shown. ' if _is_said(NOT_AFTER_HOLM, metrics) else "")
        + "The intervals are not adjusted for the number of comparisons."
    )


def _is_said(words: str, metrics: Iterable[CampaignMetric]) -> bool:
    """Tell whether the tables have these words for some difference."""
    columns = on_these_sets, for_new_sets, for_method
    return any(say(pair, metric) == words for metric in metrics for pair in metric.comparisons for say in columns)


def _explain_sets(metric: CampaignMetric) -> Iterable[str]:
    if metric.sets_family_size > 1:
        if metric.compared_with is None:
            # Of all pairs, the table has scores, or counts where there are very many systems.
            family = f"{metric.sets_family_size} comparisons (Holm)"
            yield f"Where pairs are counted test set by test set, p is adjusted for {family}."
            return
        marks = ""
        if len(metric.comparisons) > 1:
            marks = "; differences shown on a test set are marked *, or counted if there are many systems"
            marks += "; undecided ones are marked ?" if _has_undecided(metric) else ""
        yield f"Test set by test set, p is adjusted for {metric.sets_family_size} comparisons (Holm){marks}."


def _has_undecided(metric: CampaignMetric) -> bool:
    return any(one.verdict == "undecided" for pair in metric.comparisons for one in pair.sets)


def _explain_ranks(metrics: Iterable[CampaignMetric]) -> Iterable[str]:
    ranked = [metric for metric in metrics if metric.ranking is not None]
    if not ranked:
        return
    if is_ranked_by_verdicts(ranked[0]):
        yield (
            "ranks: the ranks that remain possible, given which systems are shown to be better or worse on these test "
            "sets; group: systems that share a letter are not shown to differ on them, undecided comparisons included. "
            "(new sets): the same for new test sets like these."
        )
    else:
        new = ""
        if any(one.new_sets_rank_low is not None for metric in ranked for one in metric.ranking or ()):
            new = f"; ranks (new sets): in the middle {in_percent(ranked[0].level)} of draws for new test sets"
        yield (
            f"ranks (bootstrap): the ranks that the system takes in the middle {in_percent(ranked[0].level)} of the "
            f"resamples of these test sets{new}. Only comparisons with the baseline were tested, so ranks do not test "
            "other systems against each other."
        )
    yield (
        "best %: the share of the resamples of these test sets in which the system is first, which is not the "
        "probability that it is the best; best % (new sets): the same share of draws for new test sets, by Student's t "
        "of the scores on these."
    )


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


def sign_metrics(comparison: CampaignComparison) -> list[str]:
    """Write what is needed to reproduce the numbers of each metric; test sets with one signature together."""
    lines = []
    for key, metric in comparison.metrics.items():
        sets: dict[str, list[str]] = {}
        for name, signature in metric.signatures.items():
            sets.setdefault(signature, []).append(name)
        for signature, names in sets.items():
            of = f" of {key}" if len(comparison.metrics) > 1 else ""
            on = f" on {name_some(names)}" if len(sets) > 1 else ""
            lines.append(f"Signature{of}{on}: {signature}|{comparison.signature}")
    return lines
