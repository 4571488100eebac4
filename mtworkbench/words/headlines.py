"""The headline of a comparison: what was found, in at most five sentences, and what that rests on."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mtworkbench.inference.more_runs import where_to_spend
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair
from mtworkbench.results.comparisons import Comparison, MetricComparison
from mtworkbench.results.names_of_units import name_units
from mtworkbench.wording import be, begin, count_of, grouped, listed, name_some
from mtworkbench.words.cells import decimals_of, in_percent, leads, say_undecided, signed
from mtworkbench.words.concerns import say_before, say_with_options
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import (
    NEW,
    SAME,
    THESE,
    AnyComparison,
    AnyMetric,
    AnyPair,
    Found,
    count_sets,
    find_pair,
    is_shown,
    name_df,
    pairs_of,
    scope_of,
)
from mtworkbench.words.sentences import (
    USUAL_LEVEL,
    comparative,
    name_level,
    say_method_p,
    say_new_p,
    say_p,
    winner_of,
)
from mtworkbench.words.sentences_on_doubts import (
    describe_agreement,
    describe_contradictions,
    describe_how_sets_differ,
    describe_impossible,
)
from mtworkbench.words.sentences_on_equivalence import (
    describe_no_difference,
    in_margin,
    is_equal,
    margin_of,
    name_equality_p,
)
from mtworkbench.words.sentences_on_length import describe_lengths
from mtworkbench.words.sentences_on_top import describe_tops

#: A headline has a sentence for each pair up to so many; more are counted.
MAX_PAIRS = 3
#: Of what was found; what that rests on comes in addition.
MAX_SENTENCES = 5
# How a count of a conclusion is said, of pairs and of systems that are compared with a baseline.
_COUNTED = {
    "undecided": "undecided",
    "copies": "identical in score in every segment",
    "identical scores": "identical in score in every segment",
}


def describe_briefly(comparison: AnyComparison | MetricComparison, *, options: bool = False) -> list[str]:
    """Say what is wrong with the data, if that is grave; in at most five sentences what was found; what it rests on.

    One sentence per pair of systems names all metrics; of more than three pairs there are counts and the systems at
    the top. Of one test set then come metrics that contradict each other, tests that could show nothing, and what would
    make a difference for the method more precise; of several the sets on which the other system is better, and how far
    the sets differ. Last come other doubts and the assumptions that matter, each with advice.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison
    options : bool
        Whether each doubt ends with its code and what the options of a command can do about it: in a terminal.

    Returns
    -------
    list of str
        Names are as they are in the data: whoever shows the sentences escapes them.
    """
    if isinstance(comparison, MetricComparison):
        comparison = comparison.alone
    concerns = comparison.concerns
    after = [say_with_options(one) if options else one.say(advise=True) for one in concerns.after]
    return [*say_before(concerns, options=options), *describe_findings(comparison), *after]


def describe_findings(comparison: AnyComparison) -> list[str]:
    """Say in at most five sentences what was found."""
    comparison = label_results(comparison)
    metrics = comparison.metrics
    pairs = pairs_of(pair for metric in metrics.values() for pair in metric.comparisons)
    if not pairs:
        names = [one.system for metric in metrics.values() for one in metric.systems]
        return [f"There is one system, {names[0]}, so there is nothing to compare it with."]
    sentences = [*_describe_found(comparison, pairs), *describe_lengths(comparison, MAX_PAIRS)]
    if isinstance(comparison, CampaignComparison):
        sentences += describe_how_sets_differ(comparison, pairs)
    else:
        against = [*describe_contradictions(metrics), *describe_impossible(comparison)]
        sentences += against or (describe_agreement(comparison.metrics) if len(pairs) > MAX_PAIRS else [])
        sentences += _advise(comparison)
    return sentences[:MAX_SENTENCES]


def _describe_found(comparison: AnyComparison, pairs: list[tuple[str, str]]) -> list[str]:
    """Say what was found of each pair, or count what was found of many."""
    found = [pair for metric in comparison.metrics.values() for pair in metric.comparisons]
    if len(pairs) > 1 and all(pair.verdict == "undecided" for pair in found):
        compared = begin(count_of(len(found), len(found), "comparison"))
        why = listed(dict.fromkeys(map(say_undecided, comparison.metrics.values())))
        return [f"{compared} {scope_of(comparison).on} are undecided, because {why}."]
    if len(pairs) <= MAX_PAIRS:
        shown = {frozenset((pair.a, pair.b)) for pair in found if is_shown(pair, of_method=False)}
        pairs.sort(key=lambda names: frozenset(names) not in shown)
        return [describe_pair_by_all(comparison, *pair) for pair in pairs]
    return [count_sentence(comparison, len(pairs)), *describe_tops(comparison.metrics)]


def count_sentence(comparison: AnyComparison, n_pairs: int) -> str:
    """Count the conclusions under each metric, metrics with the same counts together."""
    where = f"over {count_sets(comparison)}" if isinstance(comparison, CampaignComparison) else "on these outputs"
    others = f"the {n_pairs} other systems, compared with {comparison.baseline} {where}"
    counted = f"{n_pairs} pairs, {where}" if comparison.baseline is None else others
    level = "" if comparison.level == USUAL_LEVEL else f", at {in_percent(1 - comparison.level)}"
    compared = [(name, metric) for name, metric in comparison.metrics.items() if metric.comparisons]
    said = grouped((_count(metric, comparison.baseline), name) for name, metric in compared)
    clauses = "; ".join(f"by {listed(names)}, {counts}" for counts, names in said.items())
    df = name_df(pair for metric in comparison.metrics.values() for pair in metric.comparisons)
    return f"Of {counted}{level}: {clauses}{f' (test for new test sets: {df})' if df else ''}."


def _count(metric: AnyMetric, baseline: str | None) -> str:
    """Count the conclusions under one metric."""
    pairs, scope = metric.comparisons, scope_of(metric)
    shown = [pair for pair in pairs if pair.conclusion in scope.shown]
    counts: list[tuple[int, str]] = []
    for where, conclusions in scope.counted.items():
        counts += _count_shown([pair for pair in shown if pair.conclusion in conclusions], metric, baseline, where)
    equal = [pair for pair in pairs if pair.conclusion == "not shown" and is_equal(pair, of_method=False)]
    not_shown = [pair for pair in pairs if pair.conclusion == "not shown" and pair not in equal]
    within = f" within {in_margin(pairs[0], metric)}" if margin_of(pairs[0]) is not None else ""
    open_ones = f"neither shown to differ nor to be equal{within}" if within else "not shown to differ"
    counts += [(len(equal), f"shown to be equal{within}"), (len(not_shown), open_ones)]
    for words in dict.fromkeys(_COUNTED.values()):
        counts.append((sum(_COUNTED.get(pair.conclusion) == words for pair in pairs), words))
    said = listed(_name_count(count, len(pairs), words) for count, words in counts if count)
    if any(pair.method_verdict is not None for pair in pairs) and shown:
        also = sum(pair.method_verdict == "significant" for pair in shown)
        said += f" (of these differences, {also or 'none'} {be(max(also, 1))} also shown {scope.method})"
    return said


def _count_shown(shown: list[AnyPair], metric: AnyMetric, baseline: str | None, where: str) -> list[tuple[int, str]]:
    """Count the pairs that differ; with a baseline, the systems that are better, some by name, and those worse."""
    if baseline is None:
        return [(len(shown), f"shown to differ{where}")]
    by_size = sorted(shown, key=lambda pair: -abs(pair.difference))
    winners = [pair.a for pair in by_size if leads(pair, metric)]
    named = f" ({name_some(winners)})" if 0 < len(winners) < len(metric.comparisons) else ""
    better, worse = (f"shown to be {comparative(metric, first)}{where}" for first in (True, False))
    return [(len(winners), better + named), (len(shown) - len(winners), worse)]


def _name_count(count: int, n_pairs: int, words: str) -> str:
    if count < n_pairs:
        return f"{count} {be(count)} {words}"
    for negated in ("not ", "neither "):
        if words.startswith(negated):
            return f"none is {words.removeprefix(negated).replace(' nor ', ' or ')}"
    return f"all are {words}"


def _advise(comparison: Comparison) -> Iterable[str]:
    """Say what would make the least settled difference for the method more precise."""
    metric = next(metric for metric in comparison.metrics.values() if metric.comparisons)
    open_pairs = [
        (pair.method_p_adjusted, place)
        for place, pair in enumerate(metric.comparisons)
        if pair.method_variance is not None
        and pair.method_p_adjusted is not None
        and pair.method_verdict != "significant"
        and pair.conclusion not in SAME
    ]
    if not open_pairs:
        return
    pair = metric.comparisons[min(open_pairs)[1]]
    variance = pair.method_variance
    units = name_units(comparison.unit)
    help_more = {
        "units": f"doubling the {units} would help more than doubling the training runs",
        "runs": f"doubling the training runs would help more than doubling the {units}",
        "either": f"doubling the {units} and doubling the training runs would help about equally",
    }.get("" if variance is None else where_to_spend(variance))
    if help_more is not None:
        yield (
            f"For a more precise estimate of the {metric.name} difference between {pair.a} and {pair.b}, {help_more}."
        )


# ---- one pair of systems


def describe_pair_by_all(comparison: AnyComparison, a: str, b: str) -> str:
    """Say what all metrics find of one pair: first for the method or for new test sets, then on what was compared."""
    found, pair = find_pair(comparison.metrics, a, b), f"{a} against {b}{name_level(comparison.level)}"
    if isinstance(comparison, CampaignComparison):
        return f"{pair}, mean over {count_sets(comparison)}: {'; '.join(_on_sets(found))}."
    first, *more = filter(None, (_for_method(found), _on_outputs(found), _untested(found)))
    return f"{pair}: {'. '.join([first, *map(begin, more)])}."


def _on_outputs(found: Found) -> str:
    """Say what is shown on these outputs, metrics with one verdict together."""
    shown = [one for one in found if one[2].conclusion in scope_of(one[1]).shown]
    clauses = [_who_is_better(shown, _with_difference)] if shown else []
    clauses += _not_shown(found)
    if clauses:
        clauses[0] = f"on these outputs, {clauses[0]}"
    return "; ".join([*clauses, *_same(found)])


def _on_sets(found: Found) -> Iterable[str]:
    """Say what is shown for new test sets, and what on these alone, metrics with one verdict together."""
    new, only = ([one for one in found if one[2].conclusion == said] for said in (NEW, THESE))
    df = name_df(pair for *_, pair in found)
    if new:
        yield f"for new test sets like these ({df}), {_who_is_better(new, _with_new_p)}"
    if less := [one for one in new if is_equal(one[2], of_method=False)]:
        margins = listed(
            f"{in_margin(pair, metric)} ({name_equality_p(pair, metric, of_method=False)})" for _, metric, pair in less
        )
        yield f"on these test sets, the difference is less than {margins}"
    if only:
        not_new = f"this is not shown for new ones{f' ({df})' if not new and df else ''}"
        if all(isinstance(pair, CampaignPair) and pair.new_sets_verdict is None for *_, pair in only):
            not_new = "for new ones this was not tested, because the difference is the same on every set"
        yield f"on these test sets, {_who_is_better(only, _with_difference)}; {not_new}"
    clauses = _not_shown(found)
    others = [pair for *_, pair in _not_same(found) if pair.conclusion not in (NEW, THESE)]
    if any(is_equal(pair, of_method=False) for pair in others):
        clauses[0] = f"on these test sets, {clauses[0]}"  # equality is not tested for new ones
    yield from clauses
    yield from _same(found)
    yield from filter(None, [_untested(found)])
    found = [one for one in _not_same(found) if one[2].method_p_adjusted is not None]
    shown = [one for one in found if is_shown(one[2], of_method=True)]
    clauses = [_who_is_better(shown, _with_method_p, "also ")] if shown else []
    neither = [one for one in found if one not in shown]
    clauses += describe_no_difference(neither, _with_method_ps, of_method=True, smallest=False)
    if clauses:
        yield f"for the method (new training runs on these test sets), {'; '.join(clauses)}"


def _not_shown(found: Found) -> list[str]:
    """Say what is undecided, and of what no difference is shown."""
    undecided, not_shown = ([one for one in found if one[2].conclusion == said] for said in ("undecided", "not shown"))
    clauses = []
    if undecided:
        what = "the comparison is" if len(undecided) == 1 else "the comparisons are"
        why = listed(dict.fromkeys(say_undecided(one[1]) for one in undecided))
        clauses.append(f"by {_with_differences(undecided)}, {what} undecided, because {why}")
    also_equal = [one for one in undecided if is_equal(one[2], of_method=False)]
    # Where the method was tested, it has been said before what could have been shown for it.
    smallest = all(one[2].method_verdict is None for one in found)
    others = [*also_equal, *not_shown]
    return clauses + describe_no_difference(others, _with_differences, of_method=False, smallest=smallest)


def _same(found: Found) -> Iterable[str]:
    """Say under which metrics the two systems cannot be told apart, and why."""
    for conclusion, phrase in SAME.items():
        same = [name for name, _, pair in found if pair.conclusion == conclusion]
        if same:
            yield f"by {listed(same)}, {phrase}"


def _not_same(found: Found) -> Found:
    """Leave out the metrics under which the two systems cannot be told apart."""
    return [one for one in found if one[2].conclusion not in SAME]


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
    clauses += describe_no_difference(neither, _with_method_ps, of_method=True, smallest=True)
    if alone:
        names = _with_method_ps(alone)
        clauses.append(f"the test, taken alone, would show a difference by {names}, but none is shown on these outputs")
    untested = [name for name, _, pair in found if pair.method_verdict is None]
    clauses += [f"by {listed(untested)}, the method was not tested"] if untested else []
    return f"for the method (new training runs), {'; '.join(clauses)}"


def _untested(found: Found) -> str:
    """Say of a difference that is shown on these outputs why the method was not tested, unless no system has runs.

    Where none has, or the test sets have different numbers of them, the assumptions say it of all pairs.
    """
    pairs = [pair for *_, pair in found]
    _, metric, pair = found[0]
    shown = scope_of(metric).shown
    if any(one.method_verdict is not None for one in pairs) or all(one.conclusion not in shown for one in pairs):
        return ""
    runs = {system.system: system.runs for system in metric.systems}
    single = [name for name in (pair.a, pair.b) if runs[name] == 1]
    if single and set(runs.values()) != {1}:
        have = "has only one run" if len(single) == 1 else "have only one run each"
        return f"the method was not tested, because {listed(single)} {have}"
    if not single and not isinstance(pair, CampaignPair) and pair.n_effective_units < 2:
        return f"the method was not tested, because most segments belong to one {pair.method.unit}"
    return ""


def _listed(found: Found, write: Callable[[str, AnyMetric, AnyPair], str]) -> str:
    return listed([write(*one) for one in found])


def _with_difference(name: str, metric: AnyMetric, pair: AnyPair, of: str = "") -> str:
    less = ""
    if pair.conclusion in scope_of(metric).shown:
        of = _subtracted(metric, pair)
        if is_equal(pair, of_method=False):
            less = f"; less than {margin_of(pair):g}, {name_equality_p(pair, metric, of_method=False)}"
    return f"{name} ({of}{signed(pair.difference, decimals_of(metric))}, {say_p(pair, metric)}{less})"


def _subtracted(metric: AnyMetric, pair: AnyPair) -> str:
    """Say whose score is subtracted, where the sign is not that of the system just named."""
    return "" if leads(pair, metric) else f"{pair.a} - {pair.b} = "


def _with_differences(found: Found) -> str:
    """List metrics under which no system leads: the first difference says which system's score is subtracted."""
    first, *others = found
    pair = first[2]
    return listed([_with_difference(*first, f"{pair.a} - {pair.b} = "), *(_with_difference(*one) for one in others)])


def _with_new_p(name: str, metric: AnyMetric, pair: AnyPair) -> str:
    p = say_new_p(pair, metric) if isinstance(pair, CampaignPair) else ""
    return f"{name} ({_subtracted(metric, pair)}{signed(pair.difference, decimals_of(metric))}, {p})"


def _with_method_p(name: str, metric: AnyMetric, pair: AnyPair) -> str:
    return f"{name} ({say_method_p(pair, metric)})"


def _with_method_ps(found: Found) -> str:
    return _listed(found, _with_method_p)


def _who_is_better(found: Found, write: Callable[[str, AnyMetric, AnyPair], str], also: str = "") -> str:
    """Say which system is better by which metrics; of Length, which is longer. Differences are the table's."""
    clauses = grouped(((winner_of(one[2], one[1]), comparative(one[1])), one) for one in found)
    return "; ".join(
        f"{who} is {also}shown to be {word} by {_listed(some, write)}" for (who, word), some in clauses.items()
    )
