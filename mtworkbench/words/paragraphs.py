"""A comparison as a paragraph for the text of a paper; it claims no more than the conclusions do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mtworkbench.characters import printable
from mtworkbench.errors import InputError
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison, MetricComparison
from mtworkbench.results.names_of_units import BLOCKS
from mtworkbench.results.settings import RESAMPLED_INTERVALS
from mtworkbench.wording import listed, name_some, tally
from mtworkbench.words.cells import decimals_of, name_of_p
from mtworkbench.words.concerns import NOTED, say_before
from mtworkbench.words.document import say_once
from mtworkbench.words.frames import fixed, signed, threshold_of
from mtworkbench.words.headlines import MAX_PAIRS, count_sentence
from mtworkbench.words.metric_names import describe_scoring, label_result, label_results
from mtworkbench.words.scopes import (
    NEW,
    QUESTIONS,
    SEVERAL_SETS,
    THESE,
    count_methods,
    count_sets,
    define_method,
    find_pair,
    is_of_exchanges,
    name_claim,
    name_df,
    name_others,
    pairs_from_best,
    questions_of,
    scope_of,
    units_of,
    within_sets,
)
from mtworkbench.words.sentences import (
    BY_EXCHANGES,
    CERTAIN,
    RESTS_ON_THESE,
    SHOWN_ON_BOTH,
    bracket,
    conclusion_of,
    describe_pair,
    explain_copies,
    explain_other_cis,
    is_shown_alone,
    name_crossed,
    name_exchanges,
    names_of_p,
    say_interval,
    say_joint,
    say_p,
)
from mtworkbench.words.sentences_on_doubts import (
    describe_contradictions,
    describe_impossible,
    describe_lengths,
    describe_parts,
    describe_parts_of,
)
from mtworkbench.words.sentences_on_equivalence import describe_equality, name_equality_analysis, names_of_equality_p
from mtworkbench.words.sentences_on_top import describe_tops
from mtworkbench.words.sentences_on_units import name_size

#: Who has described the intervals: first the method, then its use for the scores of test sets.
SOURCES_OF_INTERVALS = {
    "percentile": "Koehn, 2004",
    "basic": "Davison and Hinkley, 1997; Koehn, 2004",
    "bca": "Efron, 1987; Koehn, 2004",
}
BY_HOLM = "Holm's method (Holm, 1979)"


def describe_comparison(comparison: Comparison | MetricComparison | CampaignComparison) -> str:
    """Say what was found in words: as a paragraph for a paper, or for those who cannot see the figure.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison

    Returns
    -------
    str
        Of a whole comparison, on one test set or several, a paragraph: for up to three pairs of systems, each metric's
        scores, difference, confidence intervals, p and conclusion; of more, counts and the systems at the top; then the
        metrics and tests with their sources, their unit, the number of trials, what the claims rest on, and the
        version. Of one metric, a sentence with every system and every comparison, and what they rest on.

    Raises
    ------
    InputError
        Where it is something else (``not-a-comparison``).

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
    >>> comparison = mtw.compare(mtw.compute_statistics(outputs, "bleu"), "base", rng=1)
    >>> mtw.describe_comparison(comparison)
    'We compared new with base on 318 segments. By BLEU, new scores 33.71 and base 29.86, a difference of ...'
    """
    if isinstance(comparison, (Comparison, CampaignComparison)):
        return describe_fully(label_results(comparison))
    if not isinstance(comparison, MetricComparison):
        raise InputError(
            "not-a-comparison",
            f"An object of type {type(comparison).__name__} was given, but a comparison was expected: pass what "
            "compare() or compare_test_sets() returned, or one metric of what compare() returned.",
        )
    metric = label_result(comparison)
    return " ".join([describe_metric(metric), *map(printable, [*_doubt(metric), *_rest_on(metric)])])


def _doubt(comparison: AnyComparison | MetricComparison) -> list[str]:
    """Say what is wrong with the data, if that is grave."""
    return say_before(comparison.concerns, NOTED, advise=False)


def _rest_on(comparison: AnyComparison | MetricComparison) -> list[str]:
    """Say what a claim rests on."""
    return [one.say() for one in comparison.concerns.after]


def describe_metric(metric: MetricComparison) -> str:
    """Say in one sentence what was found of every system and every comparison under one metric."""
    digits = decimals_of(metric)
    scores = [f"{one.system} {fixed(one.score, digits)}{bracket(metric, one)}" for one in metric.systems]
    differences = [describe_pair(pair, metric) for pair in metric.comparisons_from_best]
    return printable(f"{metric.name}: {'; '.join([*scores, *differences])}.")


def describe_fully(comparison: AnyComparison) -> str:
    """Write what was compared, what was found, how, and with which version."""
    metrics = comparison.metrics
    pairs = pairs_from_best(comparison)
    sentences = [*_open(comparison), *_doubt(comparison)]
    if not pairs:
        sentences += [_score_sentence(key, metric) for key, metric in metrics.items()]
    elif len(pairs) <= MAX_PAIRS:
        found = [one for a, b in pairs for one in find_pair(metrics, a, b)]
        for key, metric, pair in found:
            sentences += [_pair_sentence(key, metric, pair), *describe_parts_of(key, metric, pair)]
        sentences += [] if isinstance(comparison, CampaignComparison) else describe_parts(comparison)
    else:
        sentences += [count_sentence(comparison, len(pairs)), *describe_equality(metrics.values())]
        sentences += [*describe_tops(metrics), *describe_lengths(comparison, MAX_PAIRS)]
    sentences += describe_contradictions(metrics)
    sentences += [] if isinstance(comparison, CampaignComparison) else describe_impossible(comparison)
    sentences = define_method([*sentences, *_methods(comparison)], scope_of(comparison))
    return printable(" ".join([*sentences, *_rest_on(comparison), f"Computed with mtworkbench {comparison.version}."]))


def _open(comparison: AnyComparison) -> Iterator[str]:
    """Say which systems were compared, and on what."""
    systems = [one for metric in comparison.metrics.values() for one in metric.systems]
    names = list(dict.fromkeys(one.system for one in systems))
    where = _name_data(comparison) + _describe_runs({one.runs for one in systems})
    if len(names) == 1:
        yield f"We scored {names[0]} on {where}."
    elif comparison.baseline is None:
        yield f"We compared {name_some(names)}{'' if len(names) == 2 else ' with each other'} on {where}."
    else:
        others = [name for name in names if name != comparison.baseline]
        yield f"We compared {name_some(others)} with {comparison.baseline} on {where}."
    if isinstance(comparison, CampaignComparison):
        what = "Scores are" if len(names) == 1 else "Scores and differences are"
        yield f"{what} means over the test sets, each set counting the same."


def _name_data(comparison: AnyComparison) -> str:
    if isinstance(comparison, CampaignComparison):
        segments = tally(sum(one.n_segments for one in comparison.test_sets), "segment")
        return f"{count_sets(comparison)} ({name_some([one.name for one in comparison.test_sets])}; {segments} in all)"
    return name_size(comparison)


def _describe_runs(numbers: set[int | None]) -> str:
    """Say how many runs the systems have, unless all have one; over test sets, the number may differ."""
    known = sorted(number for number in numbers if number is not None)
    if known == [1] and len(numbers) == 1:
        return ""
    how_many = f"{known[0]} to {known[-1]}" if len(known) > 1 else str(*known)
    if len(known) < len(numbers):
        how_many = "different numbers of"
    return f", with {how_many} runs of each system; scores are means over runs (Clark et al., 2011)"


def _score_sentence(key: str, metric: AnyMetric) -> str:
    one = metric.systems[0]
    return f"By {key}, {one.system} scores {fixed(one.score, decimals_of(metric))}{bracket(metric, one)}."


def _pair_sentence(key: str, metric: AnyMetric, pair: AnyPair) -> str:
    """Say what one metric finds of one pair: scores, difference, each interval with its p, and the conclusion."""
    digits = decimals_of(metric)
    asked = [one for one in QUESTIONS if one in questions_of(metric) and one.answer(pair, "p_adjusted") is not None]
    figures = [(say_interval(metric, one.answer(pair, "ends")), say_p(pair, metric, one)) for one in asked]
    said = [", ".join(filter(None, both)) for both in figures]
    if len(asked) > 1:
        said = [f"{name_claim(metric, one)}: {found}" for one, found in zip(asked, said, strict=True)]
    scores = f"{pair.a} scores {fixed(pair.score_a, digits)} and {pair.b} {fixed(pair.score_b, digits)}"
    difference = f"a difference of {signed(pair.difference, digits)} ({'; '.join(said)})"
    return f"By {key}, {scores}, {difference}: {conclusion_of(pair, metric)}{_also_of_method(pair)}."


def _also_of_method(pair: AnyPair) -> str:
    """Say of a difference that is shown on several test sets whether new runs would show it, too."""
    if not isinstance(pair, CampaignPair) or pair.conclusion not in (NEW, THESE) or pair.method_verdict is None:
        return ""
    if pair.margin is not None:
        return ""  # the conclusion has said it
    said = f"; it is {'also' if pair.is_shown(of_method=True) else 'not'} shown for the method"
    if pair.new_runs_and_sets_verdict is None:
        return said
    both = "also" if pair.new_runs_and_sets_verdict == "significant" else "not"
    return f"{said}, and {both} for new runs on new sets"


def _methods(comparison: AnyComparison) -> Iterator[str]:
    """Say how intervals and p were computed, and what is called shown."""
    several = isinstance(comparison, CampaignComparison)
    on, intervals = " for these test sets" if several else "", _name_intervals(comparison)
    yield from describe_scoring(comparison.metrics)
    metrics = [metric for metric in comparison.metrics.values() if metric.comparisons]
    if not metrics:
        yield f"CIs{on} are {intervals}."
        return
    ours = is_of_exchanges(comparison)
    yield f"CIs{' of scores' if ours else on} are {intervals}."
    p, by_exchanges = ("p and CIs of differences", f"; {BY_EXCHANGES} (Garthwaite, 1996)") if ours else ("p", "")
    exchanges = name_exchanges(comparison, with_sources=True)
    yield f"{p}{on} {'come' if ours else 'comes'} from a {exchanges}{by_exchanges}."
    yield from _describe_family(comparison, metrics)
    yield from say_once({name: explain_copies(comparison, one) for name, one in comparison.metrics.items()})
    if several:
        df = name_df(pair for metric in metrics for pair in metric.comparisons)
        yield (
            "CIs and p for new test sets like these come from Student's t of the differences on the test sets"
            f"{f' ({df})' if df else ''}; {RESTS_ON_THESE}."
        )
    if any(metric.asks_of_methods for metric in metrics):
        yield _describe_crossed(metrics[0])
    pairs = [pair for metric in metrics for pair in metric.comparisons]
    if not several and any(is_shown_alone(pair) for pair in pairs):
        yield SHOWN_ON_BOTH.format("the method", scope_of(comparison).on)
    p = names_of_p(metrics) if max(metric.family_size for metric in metrics) > 1 else "p"
    called = f"A difference is called shown if {p} is at most {threshold_of(comparison.level)}"
    if any(pair.verdict == "undecided" for pair in pairs):
        called += f" and {CERTAIN}, and undecided if they might"
    yield from filter(None, [explain_other_cis(metrics[0])])
    yield f"{called}; a difference that is not shown can still exist."
    if any(pair.margin is not None for pair in pairs):
        yield from _describe_equality_test(comparison, metrics)


def _name_intervals(comparison: AnyComparison) -> str:
    """Name the method of the intervals, its sources and what is resampled."""
    units = units_of(comparison)
    if comparison.interval == "jackknife":
        method, drawn = "intervals of the delete-one jackknife (Efron and Tibshirani, 1993)", ""
    else:
        sources = SOURCES_OF_INTERVALS[comparison.interval] + "; Politis and Romano, 1992" * bool(BLOCKS.search(units))
        method = f"{RESAMPLED_INTERVALS[comparison.interval]} bootstrap intervals ({sources})"
        drawn = f" ({comparison.n_resamples:,} resamples)"
    return f"{method} by {units}{within_sets(comparison)}{drawn}"


def _describe_family(comparison: AnyComparison, metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Say for how many comparisons p is adjusted, and how, where there are several."""
    settings, counts = comparison.settings, sorted({metric.family_size for metric in metrics})
    if counts[-1] <= 1:
        return
    whose = "all metrics" if settings.family == "all" else "a metric"
    family = f"the {listed(map(str, counts))} comparisons of {whose}"
    is_max_t, others = settings.adjust == "max-t", name_others(metrics, adjusted=True)
    by = "step-down max-T (Westfall and Young, 1993)" if is_max_t else BY_HOLM
    joint = ", and the CIs hold for all of them together" if say_joint(metrics[0], counts[-1]) else ""
    yield f"{name_of_p(metrics[0])} is adjusted by {by} for {family}{joint}{count_methods(metrics)}."
    if is_max_t and others:
        yield f"For {others}, p is adjusted by {BY_HOLM} and CIs after Bonferroni."


def _describe_equality_test(comparison: AnyComparison, metrics: Sequence[AnyMetric]) -> Iterator[str]:
    """Say how equality within a margin is tested, and what is called shown."""
    unit = comparison.unit if isinstance(comparison, Comparison) else units_of(comparison)
    names = names_of_equality_p(metrics)
    is_holm = any("Holm" in name for name in names)
    adjusted = f", adjusted by {BY_HOLM} for the comparisons of a metric" if is_holm else ""
    yield (
        "Equality within a margin is tested by two one-sided tests (Schuirmann, 1987): "
        f"{name_equality_analysis(metrics, unit)}. Equality is called shown if {listed(names, 'or')}, the larger of "
        f"the two one-sided p{adjusted}, is at most {threshold_of(comparison.level)}."
    )


def _describe_crossed(metric: AnyMetric) -> str:
    """Say where intervals and p for the method come from."""
    pools = "pools the variance of runs over all systems, allowing for twice the standard deviation in either system"
    pooled = f"{', which' if scope_of(metric) is SEVERAL_SETS else ' and'} {pools}" * (metric.settings.runs == "pooled")
    return f"For the method, CIs and p come from a {name_crossed(metric)}{pooled}."
