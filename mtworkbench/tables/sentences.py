"""What is said about a comparison in sentences: the headline, the explanations below a table, the text of a figure.

Every sentence is made from the numbers that it speaks of.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mtworkbench.errors import name_some
from mtworkbench.inference.comparison_results import Comparison
from mtworkbench.inference.crossed import varies_most
from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.inference.units import MIN_DOCUMENTS, name_units
from mtworkbench.inference.verdicts import MAX_TRIALS_TO_DECIDE, ROUNDING
from mtworkbench.metrics.directions import has_direction
from mtworkbench.tables.cells import (
    ADJUSTMENTS,
    T_DIGITS,
    adjustment_of,
    decimals_of,
    family_of,
    in_percent,
    is_exact,
    label_of_p,
    leads,
    listed,
    name_of_p,
    p_digits,
    round_up,
    say_drawn_by,
    say_p,
    show_p,
    signed,
    threshold_of,
)
from mtworkbench.tables.frames import fixed, printable
from mtworkbench.tables.sentences_on_equivalence import (
    conclude_with_margin,
    in_margin,
    is_equal,
    margin_of,
    say_equality_p,
    say_no_difference,
    tell_equivalence,
    tell_smallest,
)
from mtworkbench.tables.sentences_on_runs import describe_few_runs, describe_pooled_runs

if TYPE_CHECKING:
    from mtworkbench.inference import MetricComparison, PairEstimate

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
MAX_SENTENCES = 5
#: A tested difference that departs from the one in the table by more than this share of it is mentioned.
FAR_FROM_MEAN = 0.2
ASK_FOR_RUNS = "To claim that a method is better, give at least two training runs of each system, preferably more."
# Another level is named where something is called shown.
USUAL_LEVEL = 0.95


def write_headline(comparison: Comparison) -> list[str]:
    """Say in at most five sentences what was found.

    One sentence per pair of systems names all metrics; of more than three pairs there are counts and the systems at
    the top. Then come metrics that contradict each other, tests that could show nothing, and one piece of advice.

    Parameters
    ----------
    comparison : Comparison

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    metrics = comparison.metrics
    first = next(iter(metrics.values()))
    if not any(metric.comparisons for metric in metrics.values()):
        return [f"There is one system, {first.systems[0].system}, so there is nothing to compare it with."]
    pairs = pairs_of(metrics)
    if len(pairs) > 1 and _all_undecided(comparison):
        sentences = [_undecided_sentence(comparison)]
    elif len(pairs) <= MAX_PAIRS:
        sentences = [_pair_sentence(comparison, *pair) for pair in pairs]
    else:
        sentences = [count_sentence(comparison, len(pairs)), *tell_top(comparison)]
    against = [*tell_contradictions(metrics), *tell_unequal_spreads(metrics), *tell_impossible(comparison)]
    if len(pairs) > MAX_PAIRS and not against:
        against = list(_tell_agreement(metrics))
    sentences += [*against, *_advice(comparison)]
    return sentences[:MAX_SENTENCES]


def describe_comparison(comparison: Comparison | MetricComparison) -> str:
    """Say what was found in words: as a paragraph for a paper, or for those who cannot see the figure.

    Parameters
    ----------
    comparison : Comparison or MetricComparison

    Returns
    -------
    str
        Of a whole comparison a paragraph: for up to three pairs of systems, each metric's scores, difference,
        confidence interval, p and conclusion; of more, counts and the systems at the top; then the tests, their unit,
        the number of trials, and the version. Of one metric, a sentence with every system and every comparison.

    Examples
    --------
    >>> describe_comparison(comparison)  # doctest: +SKIP
    'On 1,000 segments, new scores 27.50 and base 27.16 by BLEU, a difference of +0.34 (95 % CI 0.10 to 0.58, ...'
    """
    from mtworkbench.tables.paragraphs import write_paragraph

    return write_paragraph(comparison) if isinstance(comparison, Comparison) else _metric_in_words(comparison)


def _metric_in_words(metric: MetricComparison) -> str:
    digits, ci = decimals_of(metric), f"{in_percent(metric.level)} CI"
    scores = [
        f"{one.system} {fixed(one.score, digits)}" + bracket(ci, one.low, one.high, digits) for one in metric.systems
    ]
    differences = [describe_pair(pair, metric) for pair in metric.comparisons]
    return printable(f"{metric.name}: {'; '.join([*scores, *differences])}.")


def describe_pair(pair: PairEstimate, metric: MetricComparison) -> str:
    """Write one comparison in words: difference, interval, p adjusted for its family, conclusion."""
    digits = decimals_of(metric)
    said = f"{pair.a} - {pair.b} = {signed(pair.difference, digits)}"
    said += bracket(f"{in_percent(metric.level)} CI", pair.low, pair.high, digits)
    said += f", {say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))}"
    if pair.method_p_adjusted is not None:
        said += f"; for the method {say_p(pair.method_p_adjusted, T_DIGITS, label_of_p(metric, of_method=True))}"
    return f"{said}: {conclusion_of(pair, metric)}"


def conclusion_of(pair: PairEstimate, metric: MetricComparison) -> str:
    """Say in a phrase what a reader may take away from one comparison, with its direction."""
    better = f"{_winner(pair, metric)} is {comparative(metric)}"
    size = f" (at {in_percent(1 - metric.level)})" if metric.level != USUAL_LEVEL else ""
    if margin_of(pair) is not None:
        return conclude_with_margin(pair, metric, better) + size
    not_shown = {
        not_after(metric): f"on its own, the difference would be shown; among {family_of(metric)} it is not",
        ONLY_BY_CI: "no difference is shown, although the CI excludes 0: go by the test",
        None: "no difference is shown",
    }
    said = {
        "copies": "the systems are copies of each other",
        "identical scores": "their scores are identical in every segment",
        "undecided": "undecided; more trials are needed",
        "not shown": not_shown[row_note(pair, metric)],
        "shown on these outputs; method not tested": f"{better} on these outputs; the method was not tested",
        "shown on these outputs only": f"{better} on these outputs; this is not shown for the method",
        "shown for the method": f"{better} on these outputs and for the method",
    }[pair.conclusion]
    return said + ("" if pair.conclusion in ("copies", "identical scores") else size)


def explain_table(comparison: Comparison, metric: MetricComparison, *, brief: bool = False) -> list[str]:
    """Say below a table what its columns mean; ``brief`` where it lacks the share of wins."""
    interval = "delete-one jackknife" if comparison.interval == "jackknife" else f"{comparison.interval} bootstrap"
    ci = f"{in_percent(comparison.level)} CI: {interval} by {say_drawn_by(comparison)}"
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
        sentences += [*_tell_tested(metric), *tell_equivalence(metric, comparison.unit), *tell_smallest(metric)]
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


def _tell_tested(metric: MetricComparison) -> Iterable[str]:
    """Say where the randomization test is about a difference that is far from that of the mean scores of runs."""
    digits, found = decimals_of(metric), []
    for pair in metric.comparisons:
        mean, tested = pair.randomization.difference, pair.randomization.tested_difference
        if abs(tested - mean) > FAR_FROM_MEAN * max(abs(tested), abs(mean)) and round(tested - mean, digits):
            found.append(f"{pair.a} - {pair.b} = {signed(tested, digits)} (mean scores: {signed(mean, digits)})")
    if found:
        yield (
            "p on these outputs is of the difference between the scores of all runs taken together, as in MultEval. It "
            f"is not close to the difference of the mean scores here: {name_some(found)}."
        )


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


def signature_of(comparison: Comparison, metric: MetricComparison) -> str:
    """Write what is needed to reproduce the numbers of one metric."""
    return f"Signature: {metric.signature}|{comparison.signature}"


def bracket(ci: str, low: float | None, high: float | None, digits: int) -> str:
    """Write an interval in brackets, after the number that it belongs to; an absent one is empty."""
    return "" if low is None or high is None else f" ({ci} {fixed(low, digits)} to {fixed(high, digits)})"


def comparative(metric: MetricComparison, first: bool = True) -> str:
    """Return the word for a shown difference: of the system that leads, or of the other."""
    if has_direction(metric):
        return "better" if first else "worse"
    if metric.name.split("|")[0] == "Length":
        return "longer" if first else "shorter"
    return "higher" if first else "lower"


def _winner(pair: PairEstimate, metric: MetricComparison) -> str:
    return pair.a if leads(pair, metric) else pair.b


# ---- one sentence per pair


def pairs_of(metrics: dict[str, MetricComparison]) -> list[tuple[str, str]]:
    """Return the pairs that are compared, each once: metrics may have their systems in different order."""
    pairs: dict[frozenset[str], tuple[str, str]] = {}
    for metric in metrics.values():
        for pair in metric.comparisons:
            pairs.setdefault(frozenset((pair.a, pair.b)), (pair.a, pair.b))
    return list(pairs.values())


def _pair_sentence(comparison: Comparison, a: str, b: str) -> str:
    """Say what all metrics find of one pair: first for the method, where it was tested, then on these outputs."""
    found = [
        (name, metric, pair if pair.a == a else pair.turned())
        for name, metric in comparison.metrics.items()
        for pair in metric.comparisons
        if {pair.a, pair.b} == {a, b}
    ]
    level = "" if comparison.level == USUAL_LEVEL else f" (at {in_percent(1 - comparison.level)})"
    first, *more = filter(None, (_for_method(found), _on_outputs(found), _untested(found)))
    return f"{a} against {b}{level}: {'. '.join([first, *(said[0].upper() + said[1:] for said in more)])}."


Found = list[tuple[str, "MetricComparison", "PairEstimate"]]


def _on_outputs(found: Found) -> str:
    """Say what is shown on these outputs, metrics with one verdict together."""
    shown, undecided, not_shown = (
        [one for one in found if one[2].conclusion in said] for said in (_SHOWN, ("undecided",), ("not shown",))
    )
    clauses = [_who_is_better(shown, _with_difference)] if shown else []
    if undecided:
        are = "is" if len(undecided) == 1 else "are"
        clauses.append(f"{_with_differences(undecided)} {are} undecided" + _needed([one[2] for one in undecided]))
    also_equal = [one for one in undecided if is_equal(one[2], of_method=False)]
    # Where the method was tested, it has been said before what could have been shown for it.
    smallest = all(one[2].method_verdict is None for one in found)
    clauses += say_no_difference([*also_equal, *not_shown], _with_differences, of_method=False, smallest=smallest)
    if clauses:
        clauses[0] = f"on these outputs, {clauses[0]}"
    for conclusion, phrase in _SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        clauses += [f"by {listed(same)} {phrase}"] if same else []
    return "; ".join(clauses)


_SHOWN = ("shown for the method", "shown on these outputs only", "shown on these outputs; method not tested")
_SAME = {
    "copies": "they are copies of each other, with the same statistics in every segment",
    "identical scores": "their scores are identical in every segment",
}


def _not_same(found: Found) -> Found:
    """Leave out the metrics under which the two systems cannot be told apart."""
    return [one for one in found if one[2].conclusion not in _SAME]


def _for_method(found: Found) -> str:
    """Say what is shown for the method, where it was tested."""
    found = _not_same(found)
    tested = [one for one in found if one[2].method_verdict is not None]
    if not tested:
        return ""
    shown = [one for one in tested if one[2].conclusion == "shown for the method"]
    alone = [one for one in tested if one[2].method_verdict == "significant" and one not in shown]
    neither = [one for one in tested if one[2].method_verdict != "significant"]
    clauses = [_who_is_better(shown, _with_method_p)] if shown else []
    clauses += say_no_difference(neither, lambda some: _listed(some, _with_method_p), of_method=True, smallest=True)
    if alone:
        names = _listed(alone, _with_method_p)
        clauses.append(f"the test, taken alone, would show a difference by {names}, but none is shown on these outputs")
    untested = [name for name, _, pair in found if pair.method_verdict is None]
    clauses += [f"by {listed(untested)}, the method was not tested"] if untested else []
    return f"for the method (new training runs), {'; '.join(clauses)}"


def _untested(found: Found) -> str:
    """Say of a difference that is shown on these outputs that the method was not tested.

    Where some systems have several runs, it is said which system has one only; else the advice says that all need more.
    """
    pairs = [pair for *_, pair in found]
    if any(one.method_verdict is not None for one in pairs) or all(one.conclusion not in _SHOWN for one in pairs):
        return ""
    _, metric, pair = found[0]
    runs = {system.system: system.runs for system in metric.systems}
    single = [name for name in (pair.a, pair.b) if runs[name] < 2]
    why = ""
    if single and max(runs.values()) > 1:
        why = f", because {listed(single)} {'has only one run' if len(single) == 1 else 'have only one run each'}"
    elif not single and pair.method.n_effective_units < 2:
        why = f", because most segments belong to one {pair.method.unit}"
    return f"the method was not tested{why}"


def _listed(found: Found, write: Callable[[str, MetricComparison, PairEstimate], str]) -> str:
    return listed([write(*one) for one in found])


def _with_difference(name: str, metric: MetricComparison, pair: PairEstimate, of: str = "") -> str:
    p = say_p(pair.p_adjusted, p_digits(pair, metric.n_trials), label_of_p(metric))
    less = ""
    if pair.conclusion in _SHOWN and is_equal(pair, of_method=False):
        less = f"; less than {margin_of(pair):g}, {say_equality_p(pair, metric, of_method=False)}"
    if pair.conclusion in _SHOWN and not leads(pair, metric):
        of = f"{pair.a} - {pair.b} = "  # the sign is not that of the system just named
    return f"{name} ({of}{signed(pair.difference, decimals_of(metric))}, {p}{less})"


def _with_differences(found: Found) -> str:
    """List metrics under which no system leads: the first difference says which system's score is subtracted."""
    first, *others = found
    pair = first[2]
    return listed([_with_difference(*first, f"{pair.a} - {pair.b} = "), *(_with_difference(*one) for one in others)])


def _with_method_p(name: str, metric: MetricComparison, pair: PairEstimate) -> str:
    return f"{name} ({say_p(pair.method_p_adjusted, T_DIGITS, label_of_p(metric, of_method=True))})"


def _who_is_better(found: Found, write: Callable[[str, MetricComparison, PairEstimate], str]) -> str:
    """Say which system is better by which metrics; of Length, which is longer. Differences are the table's."""
    clauses: dict[tuple[str, str], Found] = {}
    for name, metric, pair in found:
        clauses.setdefault((_winner(pair, metric), comparative(metric)), []).append((name, metric, pair))
    return "; ".join(f"{who} is shown to be {word} by {_listed(some, write)}" for (who, word), some in clauses.items())


# ---- many pairs


def count_sentence(comparison: Comparison, n_pairs: int) -> str:
    """Count the conclusions under each metric."""
    clauses = [_count(comparison, name, metric) for name, metric in comparison.metrics.items() if metric.comparisons]
    others = f"the {n_pairs} other systems, compared with {comparison.baseline} on these outputs"
    counted = f"{n_pairs} pairs, on these outputs" if comparison.baseline is None else others
    level = "" if comparison.level == USUAL_LEVEL else f", at {in_percent(1 - comparison.level)}"
    return f"Of {counted}{level}: {'; '.join(clauses)}."


def _count(comparison: Comparison, name: str, metric: MetricComparison) -> str:
    pairs = metric.comparisons
    shown = [pair for pair in pairs if pair.verdict == "significant"]
    equal = [pair for pair in pairs if pair.conclusion == "not shown" and is_equal(pair, of_method=False)]
    not_shown = [pair for pair in pairs if pair.conclusion == "not shown" and pair not in equal]
    within = f" within {in_margin(pairs[0], metric)}" if margin_of(pairs[0]) is not None else ""
    open_ones = f"neither shown to differ nor to be equal{within}" if within else "not shown to differ"
    counts = [(len(equal), f"shown to be equal{within}"), (len(not_shown), open_ones)]
    counts += [(sum(pair.conclusion == said for pair in pairs), words) for said, words in _COUNTED.items()]
    if comparison.baseline is None:
        counts = [(len(shown), "shown to differ"), *counts]
    else:
        by_size = sorted(shown, key=lambda pair: -abs(pair.difference))
        winners = [pair.a for pair in by_size if leads(pair, metric)]
        first = f"shown to be {comparative(metric)} ({name_some(winners)})" if winners else ""
        other = f"shown to be {comparative(metric, False)}"
        counts = [(len(winners), first), (len(shown) - len(winners), other), *counts]
    said = f"by {name}, {listed([f'{_are(count)} {words}' for count, words in counts if count])}"
    if any(pair.method_verdict is not None for pair in pairs) and shown:
        also = sum(pair.conclusion == "shown for the method" for pair in pairs)
        said += f" (of these differences, {_are(also)} also shown for the method)"
    return said


_COUNTED = {
    "undecided": "undecided",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}


def _are(count: int) -> str:
    return f"{count} {'is' if count == 1 else 'are'}"


def tell_top(comparison: Comparison) -> Iterable[str]:
    """Name the systems at the top of each ranking, rankings with the same top together."""
    tops: dict[str, list[str]] = {}
    for name, metric in comparison.metrics.items():
        if metric.ranking is not None and any(one.rank_low == 1 for one in metric.ranking):
            tops.setdefault(_top(comparison, metric), []).append(name)
    if not tops:
        return
    clauses = [f"by {listed(names)}, {top}" for top, names in tops.items()]
    said = "; ".join(clauses)
    yield f"{said[0].upper()}{said[1:]}."


def _top(comparison: Comparison, metric: MetricComparison) -> str:
    """Say who is at the top of one ranking."""
    top = [one for one in metric.ranking if one.rank_low == 1]
    names = name_some([one.system for one in top])
    if comparison.baseline is not None:
        ranks = f"the {in_percent(comparison.level)} range of bootstrap ranks"
        return f"{ranks} includes first place for {names} on these outputs"
    whose = "for the method" if metric.ranking_of == "method" else "on these outputs"
    if len(top) > 1:
        return f"no system is shown to be better than {name_some([one.system for one in top], 'or')} {whose}"
    if top[0].rank_high == 1:
        return f"{names} is shown to be better than every other system {whose}"
    return f"every system except {names} is shown to be worse than some other system {whose}"


# ---- what goes against a simple reading


def _all_undecided(comparison: Comparison) -> bool:
    return all(pair.verdict == "undecided" for metric in comparison.metrics.values() for pair in metric.comparisons)


def _undecided_sentence(comparison: Comparison) -> str:
    pairs = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    size = in_percent(1 - comparison.level)
    said = f"All {len(pairs)} comparisons are undecided: p lies too close to {size} for {comparison.n_trials:,} trials"
    return said + _needed(pairs) + "."


def _undecided_pairs(comparison: Comparison, metric: MetricComparison) -> Iterable[str]:
    """Say in one sentence what the undecided comparisons of a table need."""
    undecided = [pair for pair in metric.comparisons if pair.verdict == "undecided"]
    if undecided:
        what = f"{len(undecided)} of {len(metric.comparisons)} comparisons are"
        if len(undecided) == 1:
            what = f"The comparison of {undecided[0].a} and {undecided[0].b} is"
        yield (
            f"{what} undecided, because {name_of_p(metric)} lies too close to {threshold_of(comparison.level)} for "
            f"{comparison.n_trials:,} trials" + _needed(undecided) + "."
        )


def _needed(undecided: Sequence[PairEstimate]) -> str:
    """Say how many trials would decide; an exact p that waits for others in its family needs none of its own."""
    trials = [pair.n_trials_to_decide for pair in undecided if not is_exact(pair)]
    known = [count for count in trials if count is not None]
    if not trials:
        return " until other comparisons are decided"
    if not known:
        return f", and even {MAX_TRIALS_TO_DECIDE:,} trials would probably not be enough"
    some = "" if len(known) == len(trials) else f" {len(known)} of them"
    about = round_up(max(known))
    return f"; about {about:,} trials would probably decide{some or (' them' if len(undecided) > 1 else ' it')}"


def tell_contradictions(metrics: dict[str, MetricComparison]) -> Iterable[str]:
    """Say where metrics call different systems of one pair significantly better, and on which numbers of segments."""
    better: dict[frozenset[str], dict[str, dict[str, int]]] = {}
    for name, metric in metrics.items():
        for pair in metric.comparisons:
            if pair.better is not None:
                found_better = better.setdefault(frozenset((pair.a, pair.b)), {})
                found_better.setdefault(pair.better, {})[name] = pair.n_segments
    found = [systems for systems in better.values() if len(systems) > 1]
    if not found:
        return
    (one, by_one), (other, by_other) = found[0].items()
    where = f"{one} and {other}" if len(found) == 1 else f"{len(found)} pairs, among them {one} and {other}"
    two = len(found) == 1 and len(by_one) == len(by_other) == 1
    who = f"{next(iter(by_one))} and {next(iter(by_other))}" if two else "metrics"
    on_same = len({*by_one.values(), *by_other.values()}) == 1
    says_one, says_other = (_name_with_segments(names, on_same) for names in (by_one, by_other))
    yield (
        f"On these outputs, {who} contradict each other on {where}: by {says_one} {one} is better, by {says_other} "
        f"{other} is better."
    )


def _name_with_segments(n_segments: dict[str, int], on_same: bool) -> str:
    """Name metrics, each with its number of segments unless all have the same."""
    if on_same:
        return listed(n_segments)
    counts = {name: f"{n:,} segment{'' if n == 1 else 's'}" for name, n in n_segments.items()}
    return listed(f"{name} ({count})" for name, count in counts.items())


def tell_unequal_spreads(metrics: dict[str, MetricComparison]) -> Iterable[str]:
    """Say where runs were pooled whose spreads differ by more than chance, so that a p for the method is wrong."""
    found: dict[str, list[str]] = {}
    for name, metric in metrics.items():
        scores = {system.system: np.array(system.scores) for system in metric.systems}
        if metric.asks_of_methods and metric.settings.runs == "pooled" and (most := varies_most(scores)) is not None:
            found.setdefault(most, []).append(name)
    for most, names in found.items():
        yield (
            f"By {listed(names)}, the runs of {most} vary more than those of other systems, so with pooled runs the p "
            f"for the method is too small where {most} is compared: use separate runs (--runs separate)."
        )


def _tell_agreement(metrics: dict[str, MetricComparison]) -> Iterable[str]:
    """Say in how many comparisons the metrics that have a direction give the same verdict, of those that all decide."""
    directed = [name for name, metric in metrics.items() if has_direction(metric) and metric.comparisons]
    if len(directed) < 2:
        return
    verdicts: dict[frozenset[str], list[tuple[str, str | None]]] = {}
    for name in directed:
        for pair in metrics[name].comparisons:
            verdicts.setdefault(frozenset((pair.a, pair.b)), []).append((pair.conclusion, pair.better))
    of_all = [found for found in verdicts.values() if len(found) == len(directed)]
    decided = [found for found in of_all if all(conclusion != "undecided" for conclusion, _ in found)]
    same = sum(len(set(found)) == 1 for found in decided)
    if len(decided) > 1:
        which = "" if len(decided) == len(verdicts) else " that all of them decide"
        yield f"{listed(directed)} come to the same verdict in {same} of {len(decided)} comparisons{which}."


def tell_impossible(comparison: Comparison) -> Iterable[str]:
    """Say where no difference could have been shown, because too little can be exchanged."""
    size = 1 - comparison.level
    stuck: dict[str, list[str]] = {}
    of_all = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    for name, metric in comparison.metrics.items():
        count, needed = metric.family_size, comparison.settings.min_trials(metric.family_size)
        family = of_all if comparison.family == "all" else metric.comparisons
        best = min(
            (pair for pair in family if pair.segments_differing),
            key=lambda pair: pair.smallest_p,
            default=None,
        )
        if best is None or (
            best.smallest_p * count <= size + ROUNDING if is_exact(best) else metric.n_trials >= needed
        ):
            continue
        times = "" if count == 1 else f" (before Holm's factor of {count})"
        lowest = show_p(best.smallest_p, p_digits(best, metric.n_trials))
        why = (
            f"so few {name_units(comparison.unit)} differ that p cannot be below {lowest}{times}"
            if is_exact(best)
            else f"{metric.n_trials:,} trials are too few, at least {needed:,} are needed"
        )
        stuck.setdefault(why, []).append(name)
    if stuck:
        everywhere = len(stuck) == 1 and len(comparison.metrics) == len(next(iter(stuck.values())))
        clauses = [why if everywhere else f"by {listed(names)} {why}" for why, names in stuck.items()]
        yield f"No difference could have been shown at {in_percent(size)}: {'; '.join(clauses)}."


def _advice(comparison: Comparison) -> Iterable[str]:
    """Give one piece of advice: two runs or more, or what would make the least settled difference more precise."""
    metric = next(metric for metric in comparison.metrics.values() if metric.comparisons)
    single = [system.system for system in metric.systems if system.runs < 2]
    if single and any(pair.conclusion not in ("copies", "identical scores") for pair in metric.comparisons):
        if metric.asks_of_methods:
            have = "has only one training run" if len(single) == 1 else "have only one training run each"
            yield f"{name_some(single)} {have}: to ask about the method, give at least two, preferably more."
        else:
            # Sentences on single pairs have said it.
            said = len(pairs_of(comparison.metrics)) <= MAX_PAIRS
            yield ASK_FOR_RUNS if said else f"The method was not tested: t{ASK_FOR_RUNS[1:]}"
        return
    open_pairs = [
        pair
        for pair in metric.comparisons
        if pair.method_variance is not None
        and pair.method_p_adjusted is not None
        and pair.method_verdict != "significant"
        and pair.conclusion not in ("copies", "identical scores")
    ]
    if not open_pairs:
        return
    pair = min(open_pairs, key=lambda one: one.method_p_adjusted)
    units = name_units(comparison.unit)
    help_more = {
        "units": f"doubling the {units} would help more than doubling the training runs",
        "runs": f"doubling the training runs would help more than doubling the {units}",
        "either": f"doubling the {units} and doubling the training runs would help about equally",
    }.get(where_to_spend(pair.method_variance))
    if help_more is not None:
        yield (
            f"For a more precise estimate of the {metric.name} difference between {pair.a} and {pair.b}, {help_more}."
        )


# ---- below a table


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
    return FEW_DOCUMENTS.format(documents=f"{number} document{'' if number == 1 else 's'}")


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
        and pair.method.run_variance > pair.method.unit_variance + pair.method.residual_variance
    ]
    if not concerned:
        return []
    return [
        f"{name_some(concerned)}: one system has far fewer runs than the other, and the scores vary mostly from run to "
        "run. The test for the method then calls equal methods different too often: give both the same number of runs."
    ]


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

#: What the tables say in place of "not shown" where the interval of a comparison excludes 0.
ONLY_BY_CI = "only by CI"


def not_after(metric: MetricComparison, *, of_method: bool = False) -> str:
    """Say that a difference is not shown only because p is adjusted: ``not after Holm``."""
    return f"not after {ADJUSTMENTS[adjustment_of(metric, of_method=of_method)]}"


def row_note(pair: PairEstimate, metric: MetricComparison) -> str | None:
    """Say in a phrase why a difference is not shown on these outputs although its interval excludes 0; else None."""
    if pair.verdict != "not significant" or not _excludes_zero(pair.low, pair.high):
        return None
    alone = metric.family_size > 1 and pair.p_value <= 1 - metric.level + ROUNDING
    return not_after(metric) if alone else ONLY_BY_CI


def method_note(pair: PairEstimate, metric: MetricComparison) -> str | None:
    """Say the same for the method, where interval and p are of one test."""
    if pair.method_verdict != "not significant" or not _excludes_zero(pair.method_low, pair.method_high):
        return None
    return not_after(metric, of_method=True)


def names_of_p(metrics: Sequence[MetricComparison], joint: str = "or") -> str:
    """Name the p that verdicts go by; where that for the method is adjusted otherwise, both."""
    outputs, method = name_of_p(metrics[0]), name_of_p(metrics[0], of_method=True)
    both = outputs != method and any(metric.asks_of_methods for metric in metrics)
    return f"{outputs} {joint}, for the method, {method}" if both else outputs


def _excludes_zero(low: float | None, high: float | None) -> bool:
    return low is not None and high is not None and not low <= 0 <= high


def _row_sentences(metric: MetricComparison) -> Iterable[str]:
    """Explain the phrases of `row_note` and `method_note` that a table has."""
    threshold = threshold_of(metric.level)
    notes = {row_note(pair, metric) for pair in metric.comparisons}
    notes |= {method_note(pair, metric) for pair in metric.comparisons}
    names = {not_after(metric, of_method=one): name_of_p(metric, of_method=one) for one in (False, True)}
    for note, name in names.items():
        if note in notes:
            yield (
                f'"{note}": p is at most {threshold} and the CI excludes 0, but {name} is above {threshold}. '
                "On its own, the difference would be shown; among several comparisons it is not."
            )
    if ONLY_BY_CI in notes:
        yield f'"{ONLY_BY_CI}": the CI excludes 0, but the test does not reject; go by the test.'
    if any(is_shown_despite_ci(pair) for pair in metric.comparisons):
        yield "A difference may be shown although its CI includes 0: go by the test."


def is_shown(pair: PairEstimate, *, of_method: bool) -> bool:
    """Tell whether a difference is shown, for the method only where it is shown on these outputs, too."""
    return pair.conclusion == "shown for the method" if of_method else pair.verdict == "significant"


def is_shown_despite_ci(pair: PairEstimate) -> bool:
    """Tell whether a difference that is shown on these outputs has an interval that includes 0."""
    known = pair.low is not None and pair.high is not None
    return pair.verdict == "significant" and known and not _excludes_zero(pair.low, pair.high)


def _design_effects(metric: MetricComparison) -> Iterable[str]:
    """Say what the design effect of the differences is."""
    found = [pair.design_effect for pair in metric.comparisons if pair.design_effect is not None]
    if len(found) == 1:
        yield f"deff of the difference: {found[0]:.1f}."
    elif found:
        yield f"deff of the differences: {min(found):.1f} to {max(found):.1f}, median {statistics.median(found):.1f}."


def _ranking_sentence(metric: MetricComparison, level: float) -> str:
    if metric.ranking[0].group is None:
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
