"""A comparison as a paragraph for the text of a paper; it claims no more than the conclusions do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from mtworkbench.errors import InputError, name_some
from mtworkbench.inference.campaign_results import CampaignComparison
from mtworkbench.inference.comparison_results import Comparison, MetricComparison
from mtworkbench.inference.units import name_units
from mtworkbench.tables.cells import (
    T_DIGITS,
    decimals_of,
    in_percent,
    is_exact,
    label_of_p,
    listed,
    name_of_p,
    p_digits,
    say_drawn_by,
    say_p,
    signed,
    threshold_of,
)
from mtworkbench.tables.frames import fixed, printable
from mtworkbench.tables.headlines import MAX_PAIRS, count_sentence
from mtworkbench.tables.metric_names import label_result, label_results
from mtworkbench.tables.scopes import pairs_of
from mtworkbench.tables.sentences import bracket, conclusion_of, describe_pair, names_of_p
from mtworkbench.tables.sentences_on_doubts import tell_contradictions, tell_impossible
from mtworkbench.tables.sentences_on_equivalence import (
    margin_of,
    names_of_equality_p,
    say_equality_analysis,
    tell_equal,
)
from mtworkbench.tables.sentences_on_runs import tell_tested
from mtworkbench.tables.sentences_on_top import tell_top
from mtworkbench.wording import tally

if TYPE_CHECKING:
    from mtworkbench.inference import PairEstimate


def describe_comparison(comparison: Comparison | MetricComparison | CampaignComparison) -> str:
    """Say what was found in words: as a paragraph for a paper, or for those who cannot see the figure.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison

    Returns
    -------
    str
        Of several test sets, the sentences of the headline. Of a whole comparison a paragraph: for up to three pairs of
        systems, each metric's scores, difference, confidence interval, p and conclusion; of more, counts and the
        systems at the top; then the tests, their unit, the number of trials, and the version. Of one metric, a sentence
        with every system and every comparison.

    Raises
    ------
    InputError
        Where it is something else (``not-a-comparison``).

    Examples
    --------
    >>> describe_comparison(comparison)  # doctest: +SKIP
    'On 1,000 segments, new scores 27.50 and base 27.16 by BLEU, a difference of +0.34 (95 % CI 0.10 to 0.58, ...'
    """
    if isinstance(comparison, CampaignComparison):
        return " ".join(comparison.headline)
    if isinstance(comparison, Comparison):
        return write_paragraph(label_results(comparison))
    if not isinstance(comparison, MetricComparison):
        raise InputError(
            "not-a-comparison",
            f"An object of type {type(comparison).__name__} was given, but a comparison was expected: pass what "
            "compare() or compare_test_sets() returned, or one metric of what compare() returned.",
        )
    return _metric_in_words(label_result(comparison))


def _metric_in_words(metric: MetricComparison) -> str:
    digits, ci = decimals_of(metric), f"{in_percent(metric.level)} CI"
    scores = [
        f"{one.system} {fixed(one.score, digits)}" + bracket(ci, one.low, one.high, digits) for one in metric.systems
    ]
    differences = [describe_pair(pair, metric) for pair in metric.comparisons]
    return printable(f"{metric.name}: {'; '.join([*scores, *differences])}.")


def write_paragraph(comparison: Comparison) -> str:
    """Write what was compared, what was found, how, and with which version."""
    pairs = pairs_of(comparison.metrics)
    sentences = [_opening(comparison)]
    if not pairs:
        sentences += [_score_sentence(key, metric) for key, metric in comparison.metrics.items()]
    elif len(pairs) <= MAX_PAIRS:
        sentences += [sentence for a, b in pairs for sentence in _pair_sentences(comparison, a, b)]
    else:
        sentences += [count_sentence(comparison, len(pairs)), *tell_equal(comparison.metrics.values())]
        sentences += tell_top(comparison.metrics)
    sentences += [*tell_contradictions(comparison.metrics), *tell_impossible(comparison), *_methods(comparison)]
    sentences += tell_tested(comparison.metrics, "these outputs")
    return printable(" ".join([*sentences, f"Computed with mtworkbench {comparison.version}."]))


def _opening(comparison: Comparison) -> str:
    systems = [one for metric in comparison.metrics.values() for one in metric.systems]
    names = list(dict.fromkeys(one.system for one in systems))
    runs = sorted({one.runs for one in systems})
    counts = [tally(comparison.n_segments, "segment")]
    if comparison.n_documents is not None:
        counts.append(f"in {tally(comparison.n_documents, 'document')}")
    where = " ".join(counts)
    if runs != [1]:
        how_many = str(runs[0]) if len(runs) == 1 else f"{runs[0]} to {runs[-1]}"
        where += f", with {how_many} training runs of each system (scores are means over runs)"
    if len(names) == 1:
        return f"We scored {names[0]} on {where}."
    if comparison.baseline is None:
        return f"We compared {name_some(names)}{'' if len(names) == 2 else ' with each other'} on {where}."
    others = [name for name in names if name != comparison.baseline]
    return f"We compared {name_some(others)} with {comparison.baseline} on {where}."


def _score_sentence(key: str, metric: MetricComparison) -> str:
    digits, one = decimals_of(metric), metric.systems[0]
    ci = bracket(f"{in_percent(metric.level)} CI", one.low, one.high, digits)
    return f"By {key}, {one.system} scores {fixed(one.score, digits)}{ci}."


def _pair_sentences(comparison: Comparison, a: str, b: str) -> Iterator[str]:
    """Say of each metric what it finds of one pair."""
    for key, metric in comparison.metrics.items():
        for pair in metric.comparisons:
            if {pair.a, pair.b} == {a, b}:
                yield _pair_sentence(key, metric, pair if pair.a == a else pair.turned())


def _pair_sentence(key: str, metric: MetricComparison, pair: PairEstimate) -> str:
    digits, ci = decimals_of(metric), f"{in_percent(metric.level)} CI"
    figures = _figures(pair.low, pair.high, digits, ci)
    figures += say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))
    if pair.method_p_adjusted is not None:
        of_method = _figures(pair.method_low, pair.method_high, digits, ci)
        of_method += say_p(pair.method_p_adjusted, T_DIGITS, label_of_p(metric, of_method=True))
        figures = f"on these outputs: {figures}; for the method: {of_method}"
    scores = f"{pair.a} scores {fixed(pair.score_a, digits)} and {pair.b} {fixed(pair.score_b, digits)}"
    difference = f"a difference of {signed(pair.difference, digits)} ({figures})"
    return f"By {key}, {scores}, {difference}: {conclusion_of(pair, metric)}."


def _figures(low: float | None, high: float | None, digits: int, ci: str) -> str:
    return "" if low is None or high is None else f"{ci} {fixed(low, digits)} to {fixed(high, digits)}, "


def _methods(comparison: Comparison) -> Iterator[str]:
    """Say how intervals and p were computed, and what is called shown."""
    drawn_by = say_drawn_by(comparison)
    intervals = (
        f"CIs are {comparison.interval} bootstrap intervals by {drawn_by} ({comparison.n_resamples:,} resamples)"
    )
    if comparison.interval == "jackknife":
        intervals = f"CIs are intervals of the delete-one jackknife by {drawn_by}"
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not metrics:
        yield f"{intervals}."
        return
    by = comparison.unit + (" and run" if comparison.exchange == "run" else "")
    exact = [all(map(is_exact, metric.comparisons)) for metric in metrics]
    drawn = "all exchanges" if all(exact) else f"{comparison.n_trials:,} trials"
    test = f"two-sided {'exact' if all(exact) else 'approximate'} randomization by {by} ({drawn})"
    counts = sorted({metric.family_size for metric in metrics})
    many = counts[-1] > 1
    whose = "all metrics" if comparison.family == "all" else "a metric"
    family = f"the {listed(map(str, counts))} comparisons of {whose}{_fewer_methods(metrics)}"
    p, asked = name_of_p(metrics[0]), any(metric.asks_of_methods for metric in metrics)
    by_max_t = " by step-down max-T (Westfall and Young, 1993)" if comparison.adjust == "max-t" else ""
    by_holm = ", p for the method by Holm's method" if by_max_t and asked else ""
    adjusted = f"; {p} is adjusted for {family}{by_max_t}{by_holm}" if many else ""
    yield f"{intervals}; p is from {test}{adjusted}."
    if asked:
        yield (
            f"For the method (new training runs), CIs and p come from a crossed analysis, which treats both "
            f"{name_units(comparison.unit)} and training runs as samples"
            f"{' and pools the variance of runs over all systems' if comparison.runs == 'pooled' else ''}."
        )
    pairs = [pair for metric in metrics for pair in metric.comparisons]
    if any(pair.method_verdict == "significant" and pair.conclusion != "shown for the method" for pair in pairs):
        yield "A difference is called shown for the method only if it is also shown on these outputs."
    p = names_of_p(metrics) if many else "p"
    called = f"A difference is called shown if {p} is at most {threshold_of(comparison.level)}"
    if any(pair.verdict == "undecided" for metric in metrics for pair in metric.comparisons):
        called += " even allowing for its simulation error, and undecided if that error leaves the answer open"
    yield f"{called}; a difference that is not shown can still exist."
    if any(margin_of(pair) is not None for pair in pairs):
        names = names_of_equality_p(metrics)
        adjusted = " (Holm: adjusted for the comparisons of a metric)" if any("Holm" in name for name in names) else ""
        yield (
            "Equality within a margin is tested by two one-sided t-tests "
            f"({say_equality_analysis(metrics, comparison.unit)}), and called shown if {listed(names, 'or')}, the "
            f"larger of the two one-sided p{adjusted}, is at most {threshold_of(comparison.level)}."
        )


def _fewer_methods(metrics: Sequence[MetricComparison]) -> str:
    """Say for how many comparisons the p for the method is adjusted, where some systems have one run only."""
    asked = [metric for metric in metrics if metric.asks_of_methods]
    if all(metric.method_family_size == metric.family_size for metric in asked):
        return ""
    counts = sorted({metric.method_family_size for metric in asked})
    return f" (for the method: {listed(map(str, counts))})"
