"""What a comparison rests on: the one list of assumptions that every view takes its sentences from.

An assumption matters where a claim rests on it: if it does not hold, the claim may be wrong. Every view then states it,
and so do captions and paragraphs for papers. The others are stated below tables and in the data.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import TypeAlias

from mtworkbench.assumptions import GRAVITIES, INFORMS, MAY_CHANGE, Assumption
from mtworkbench.inference.runs import ENOUGH_RUNS
from mtworkbench.inference.units import MIN_DIFFERING, MIN_DOCUMENTS, MIN_EFFECTIVE, RARE, differ_rarely
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.results.campaigns import CampaignComparison, CampaignPair, CampaignTestSet
from mtworkbench.results.comparisons import (
    AnyComparison,
    AnyMetric,
    AnyPair,
    Comparison,
    MetricComparison,
    PairEstimate,
)
from mtworkbench.results.crossed import CrossedVariance
from mtworkbench.results.names_of_units import BLOCKS, count_units, counts_for_fewer, name_units
from mtworkbench.wording import NAMED, be, begin, grouped, listed, name_some, tally
from mtworkbench.words.frames import in_percent
from mtworkbench.words.metric_names import label_results
from mtworkbench.words.scopes import NEW, THESE, count_sets, pairs_of_all, scope_of
from mtworkbench.words.sentences_on_equivalence import ENOUGH_UNITS, is_equal
from mtworkbench.words.sentences_on_units import GIVE_YOURS, count_units_of, find_tipping_point, say_recognized

#: What has segments, documents and a unit.
Sized: TypeAlias = Comparison | CampaignTestSet
#: With so few sets, hardly any difference can be shown for new ones.
FEW_SETS = 4
#: So many runs against three are too many where runs vary most.
MANY_RUNS = 10
ALIKE = "if sentences of one document are alike, p is too small and CIs are too narrow"
ALIKE_ON_SETS = (
    "if sentences of one document are alike, p for these test sets is too small, and their CIs are too narrow"
)
ALIKE_IN_BLOCKS = (
    "This allows for neighbouring segments that are alike. If documents are longer than the blocks, p can still be too "
    "small."
)
GIVE_DOCUMENTS = (
    "To allow for alike sentences, give document ids (--documents) or, less well, use blocks of neighbouring segments "
    "as units (--unit block)."
)
#: Where nothing is shown, an interval can still be too narrow.
MAY_BE_NARROW = "CIs may be too narrow"
ONE_RUN = "Each system has one run, so nothing is known about new training or tuning runs."
USE_DOCUMENTS = "To allow for alike sentences, use documents as units (--unit document)."
NO_BLOCKS = "Without --unit block, known documents would be the units."
#: Its rates are those of Satterthwaite's t-test where only runs vary, 2 against 6 to 30 of them: a test counts them.
NO_TEST = "with 2 runs of one system and more than 5 of the other, there is no p for the method."
WOULD_ERR = (
    "A test at 5 % would call equal methods different in 7 to 13 % of the cases where scores vary mostly from run to "
    "run."
)
FAR_FEWER = "one system has far fewer runs than the other, and the scores vary mostly from run to run."
ERRS = (
    "The test for the method then calls equal methods different a little too often (at 5 %, in 7 to 8 % of the cases)."
)
MORE_REFERENCES = "More references mean higher scores, so compare these only with others that use the same references."
ONE_SET_ALONE = "One test set says nothing about other kinds of text."
MORE_SETS = "A comparison on several test sets (--test-sets) would also tell of new ones."
SAME_NUMBER = "With the same number of runs of both systems, the method could be tested as usual"


def find_assumptions(comparison: AnyComparison | MetricComparison) -> list[Assumption]:
    """Find what a comparison rests on, the gravest first.

    Parameters
    ----------
    comparison : Comparison, MetricComparison or CampaignComparison

    Returns
    -------
    list of Assumption
        Each combination of code and sentence occurs once. The codes about texts: ``repaired-outputs``,
        ``uneven-references``; about units: ``recognized-documents``, ``independent-segments``, ``few-documents``,
        ``unused-documents``, ``independent-blocks``, ``few-effective-units``, ``few-differing-units``,
        ``few-units-for-equality``; about runs: ``one-run``, ``normal-runs``, ``equal-spreads``, ``two-runs``,
        ``unequal-runs``; about test sets: ``one-test-set``, ``few-test-sets``.
    """
    if isinstance(comparison, MetricComparison):
        comparison = comparison.alone
    labelled = label_results(comparison)
    keys = dict(zip(labelled.metrics, comparison.metrics, strict=True))
    finders = (_on_repairs, _on_references, _on_units, _on_runs, _on_sets)
    found = chain.from_iterable(find(labelled) for find in finders)
    ranked = sorted(found, key=lambda one: GRAVITIES.index(one.gravity))
    return [replace(one, metrics=tuple(keys[name] for name in one.metrics)) for one in ranked]


def _weigh(claimed: bool) -> str:
    """Return the gravity of what claims would be wrong without: there must be one."""
    return MAY_CHANGE if claimed else INFORMS


def _claims(metrics: Iterable[AnyMetric]) -> bool:
    """Tell whether anything is claimed: a difference, or equality."""
    pairs = pairs_of_all(metrics)
    on_sets = [one for pair in pairs if isinstance(pair, CampaignPair) for one in pair.sets]
    shown = any(one.verdict == "significant" for one in (*pairs, *on_sets))
    return shown or any(is_equal(pair, of_method=False) for pair in pairs)


def _claims_for_method(pairs: Iterable[AnyPair]) -> bool:
    """Tell whether anything is claimed for new training runs: a difference, or equality."""
    return any(pair.is_shown(of_method=True) or is_equal(pair, of_method=True) for pair in pairs)


def _join(found: Iterable[tuple[str, Assumption]], n_metrics: int) -> Iterator[Assumption]:
    """Join the assumptions of metrics, each sentence once; those that do not apply to all name their metrics."""
    for one, names in grouped((assumption, name) for name, assumption in found).items():
        if len(names) == n_metrics:
            yield one
        else:
            yield replace(one, sentence=f"{listed(names)}: {one.sentence}", metrics=tuple(names))


# ---- texts


def _on_repairs(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say what was repaired on request: what was scored is not what the files hold."""
    done = dict.fromkeys(REPAIRS[code].done for code in comparison.settings.repaired if code in REPAIRS)
    if done:
        yield Assumption("repaired-outputs", f"Before scoring, {'; '.join(done)}.")


def _on_references(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say that segments have different numbers of references, as where a test suite has fewer of them than the rest."""
    signed = chain.from_iterable(metric.signatures.items() for metric in comparison.metrics.values())
    sets = list(dict.fromkeys(name for name, signature in signed if signature.startswith("nrefs:var|")))
    if sets:
        of = f" of {name_some(sets)}" if any(sets) else ""
        uneven = f"Segments{of} have different numbers of references."
        yield Assumption("uneven-references", uneven, MORE_REFERENCES, gravity=INFORMS)


# ---- units


def _on_units(comparison: AnyComparison) -> Iterator[Assumption]:
    metrics = comparison.metrics
    yield from _on_recognition(comparison)
    if any(pair.differs for pair in pairs_of_all(metrics.values())):
        yield from _on_independence(comparison)
    yield from _on_effective_units(comparison)
    for find in (_on_differing, _on_equality):
        found = ((name, one) for name, metric in metrics.items() for one in find(metric))
        yield from _join(found, len(metrics))


def _on_recognition(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say whose documents were recognized; that matters where units or strata are made of them."""
    sized = _list_sized(comparison)
    counted = [one for one in sized if one.known_documents is not None and one.n_documents is not None]
    for known, ones in grouped((str(one.known_documents), one) for one in counted).items():
        used = any("document" in (one.unit, comparison.strata) for one in ones)
        of = _name_part("of", ones, sized)
        yield Assumption("recognized-documents", say_recognized(known, of), "", GIVE_YOURS * used, _weigh(used))


def _list_sized(comparison: AnyComparison) -> Sequence[Sized]:
    """Return what has units of its own: the one test set, or each of several."""
    return comparison.test_sets if isinstance(comparison, CampaignComparison) else [comparison]


def _name_part(word: str, ones: Sequence[Sized], sized: Sequence[Sized]) -> str:
    """Name the test sets of which something is said, where it is not said of all: `` of wmt22 and wmt23``."""
    names = [one.name for one in ones if isinstance(one, CampaignTestSet)]
    return "" if len(ones) == len(sized) else f" {word} {name_some(names)}"


def _on_independence(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say what verdicts by segment or by block assume, and on which of several test sets."""
    claimed, several = _claims(comparison.metrics.values()), isinstance(comparison, CampaignComparison)
    gravity, alike = _weigh(claimed), ALIKE_ON_SETS if several else ALIKE
    sized = _list_sized(comparison)
    by_segment = grouped((_name_reason(one), one) for one in sized if one.unit == "segment")
    tipping = find_tipping_point(comparison)
    for code, ones in by_segment.items():
        of, within = (_name_part(word, ones, sized) for word in ("of", "in"))
        few = "too few documents" if several else f"only {tally(ones[0].n_documents or 0, 'document')}"
        why, advice = {
            "independent-segments": (f"Documents{of} are unknown", GIVE_DOCUMENTS),
            "few-documents": (f"With {few}{within}, {'their ' * bool(of)}segments are treated as independent", ""),
            "unused-documents": (f"The documents{of} are known, but not used as units", USE_DOCUMENTS),
        }[code]
        if not claimed:
            yield Assumption(code, f"{why}, so {MAY_BE_NARROW}.", begin(f"{alike}."), advice, gravity)
        elif tipping is None or code == "unused-documents":
            yield Assumption(code, f"{why}: {alike}.", "", advice, gravity)
        else:
            falls = f"; {tipping.which} {tipping.falls}" * bool(tipping.falls)
            holds = f"{'It' if falls else begin(tipping.which)} {tipping.holds}."
            yield Assumption(code, f"{why}: {alike}{falls}.", holds, advice, gravity)
            tipping = None  # once, of several test sets
    blocks = [one for one in sized if BLOCKS.fullmatch(one.unit)]
    if blocks:
        known = [one for one in blocks if (one.n_documents or 0) >= MIN_DOCUMENTS]
        although = f", although the documents{_name_part('of', known, sized)} are known" if known else ""
        sentence = f"Units are {_name_blocks(blocks)} consecutive segments, which are treated as independent{although}."
        yield Assumption("independent-blocks", sentence, ALIKE_IN_BLOCKS, NO_BLOCKS * bool(known), gravity)


def _name_blocks(sized: Sequence[Sized]) -> str:
    """Name the lengths of blocks; where these differ, with the test sets: ``blocks of 4 (x) and 6 (y)``."""
    lengths = grouped((BLOCKS.sub(r"\1", one.unit), one.name) for one in sized if isinstance(one, CampaignTestSet))
    if len(lengths) > 1:
        return f"blocks of {listed(f'{length} ({name_some(names)})' for length, names in lengths.items())}"
    return name_units(sized[0].unit)


def _name_reason(sized: Sized) -> str:
    """Name the reason why segments are the units; those who ask for them leave recognized documents uncounted."""
    if sized.n_documents is None:
        return "independent-segments" if sized.known_documents is None else "unused-documents"
    return "few-documents" if sized.n_documents < MIN_DOCUMENTS else "unused-documents"


def _on_effective_units(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say where units of unequal size count for so few that the intervals of scores are too narrow.

    Of several test sets, all are counted whose units count for noticeably fewer; headings have this of one test set.
    """
    code, too_narrow = "few-effective-units", "They cover the true score less often than their level says."
    if isinstance(comparison, Comparison):
        fewest = min(comparison.metrics.values(), key=lambda metric: metric.n_effective_units)
        with_few = f"With {count_units_of(comparison, fewest)}, CIs of scores are too narrow."
        if _are_few(comparison, fewest):
            yield Assumption(code, with_few, too_narrow)
        return
    uneven = [one for one in comparison.test_sets if counts_for_fewer(one.n_units, one.n_effective_units)]
    if uneven:
        counted = [f"{one.name} has {count_units_of(comparison, one)}" for one in uneven]
        if len(counted) > NAMED:
            counted[NAMED - 1 :] = [f"and so on for {len(counted) - NAMED + 1} more"]
        yield Assumption(code, f"Units of unequal size carry less information: {'; '.join(counted)}.", gravity=INFORMS)
    few = [one.name for one in uneven if _are_few(comparison, one)]
    if few:
        on = f"CIs of scores on {name_some(few)} are too narrow"
        yield Assumption(code, f"With so few units of equal size, {on}.", too_narrow)


def _are_few(comparison: AnyComparison, counted: MetricComparison | CampaignTestSet) -> bool:
    """Tell whether the effective number is too small because of unequal sizes; strata lower it for another reason."""
    uneven = counts_for_fewer(counted.n_units, counted.n_effective_units)
    return uneven and comparison.strata is None and counted.n_effective_units < MIN_EFFECTIVE


def _on_differing(metric: AnyMetric) -> Iterator[Assumption]:
    """Say in how many units systems differ, where these are few of them, and what too few of them mean for the CI."""
    rarely = [pair for pair in metric.comparisons if differ_rarely(pair.units_differing, pair.n_units)]
    if not rarely:
        return
    least = min(rarely, key=lambda pair: pair.units_differing / pair.n_units)
    who = "The systems" if len(metric.comparisons) == 1 else f"{least.a} and {least.b}"
    counted = f"{least.units_differing:,} of {count_units(least.unit, least.n_units)}"
    n_others = len(rarely) - 1
    also = f"{tally(n_others, 'other pair')} differ{'s' * (n_others == 1)} in at most {in_percent(RARE)} of them"
    others = f"; {also}" if n_others else ""
    few = least.units_differing < MIN_DIFFERING
    too_narrow = f"With fewer than {MIN_DIFFERING}, the CI of a difference is too narrow: rely on p." if few else ""
    yield Assumption("few-differing-units", f"{who} differ in {counted}{others}.", too_narrow, gravity=_weigh(few))


def _on_equality(metric: AnyMetric) -> Iterator[Assumption]:
    """Say where the test of equality errs, because its units are few; over several sets this was not measured."""
    of_one_set = [pair for pair in metric.comparisons if isinstance(pair, PairEstimate)]
    pairs = [pair for pair in of_one_set if pair.margin is not None]
    fewest = min((pair.n_effective_units for pair in pairs), default=ENOUGH_UNITS)
    if fewest < ENOUGH_UNITS:
        yield Assumption(
            "few-units-for-equality",
            f"With fewer than {ENOUGH_UNITS} units of equal size (here they count as {fewest:.0f}), the test of "
            f"equality {scope_of(metric).on} can call systems that differ by the margin equal more often than its "
            "level says (docs/validity.md).",
            gravity=_weigh(any(is_equal(pair, of_method=False) for pair in pairs)),
        )


# ---- runs


def _on_runs(comparison: AnyComparison) -> Iterator[Assumption]:
    metrics = comparison.metrics
    if not any(pair.differs for pair in pairs_of_all(metrics.values())):
        return
    yield from _on_single_runs(comparison)
    yield from _on_normal_runs(comparison)
    yield from _on_equal_spreads(comparison)
    of_all, gravity = pairs_of_all(metrics.values()), _weigh(_claims(metrics.values()))
    of_two = [pair for pair in of_all if pair.method_variance and _errs_with_two_runs(pair.method_variance)]
    if of_two:
        or_pool = f"{SAME_NUMBER}; or with the runs of all systems pooled (--runs pooled)."
        yield Assumption("two-runs", f"{_name_pairs(of_two)}: {NO_TEST}", WOULD_ERR, or_pool, gravity)
    runs = {one.system: one.runs or 0 for metric in metrics.values() for one in metric.systems}
    lumped = [pair for pair in of_all if isinstance(pair, PairEstimate) and pair.n_effective_units < 2]
    lumped = [pair for pair in lumped if min(runs[pair.a], runs[pair.b]) > 1]
    if lumped:
        why = f"most segments belong to one {lumped[0].unit}, so there is no p for the method."
        yield Assumption("few-effective-units", f"{_name_pairs(lumped)}: {why}", gravity=gravity)
    of_three = [pair for pair in of_all if pair.method_variance and _errs_with_three_runs(pair.method_variance)]
    if of_three:
        claimed = _weigh(_claims_for_method(of_three))
        yield Assumption("unequal-runs", f"{_name_pairs(of_three)}: {FAR_FEWER}", ERRS, f"{SAME_NUMBER}.", claimed)


def _name_pairs(pairs: Iterable[AnyPair]) -> str:
    return name_some(list(dict.fromkeys(f"{pair.a} against {pair.b}" for pair in pairs)))


def _on_single_runs(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say that nothing is known about new runs, where systems have one run, or others on each test set."""
    runs = {one.system: one.runs for metric in comparison.metrics.values() for one in metric.systems}
    single = [system for system, number in runs.items() if number == 1]
    varied = [system for system, number in runs.items() if number is None]
    gravity = _weigh(_claims(comparison.metrics.values()))
    if varied:
        which = name_some(varied)
        unknown = f"The test sets have different numbers of runs of {which}, so nothing is known about new runs."
        same_runs = f"With the same runs of {which} on every test set, the method could be tested."
        yield Assumption("one-run", unknown, "", same_runs, gravity)
    elif len(single) == len(runs):
        yield Assumption("one-run", ONE_RUN, gravity=gravity)
    elif single:
        have, them = ("has one run", "it") if len(single) == 1 else ("have one run each", "them")
        nothing = f"{name_some(single)} {have}, so nothing is known about new training or tuning runs of {them}."
        yield Assumption("one-run", nothing, gravity=gravity)


def _on_normal_runs(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say that the test for the method assumes normally distributed scores of runs, which few runs cannot show."""
    pairs = pairs_of_all(comparison.metrics.values())
    tested = [pair.method_variance for pair in pairs if pair.method_p_value is not None]
    separate = {min(one.runs_a, one.runs_b) for one in tested if one is not None and one.pooled_df is None}
    pooled = {one.pooled_df + 1 for one in tested if one is not None and one.pooled_df is not None}
    fewest = min(separate | pooled, default=ENOUGH_RUNS)
    if fewest < ENOUGH_RUNS:
        few = f"{fewest} runs are" if fewest in separate else "these are"
        yield Assumption(
            "normal-runs",
            f"The test for the method assumes normally distributed scores of runs; {few} too few to check it.",
            gravity=_weigh(_claims_for_method(pairs)),
        )


def _on_equal_spreads(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say what pooled runs show only if the runs of all systems vary alike."""
    found = grouped(
        (tuple(f"{one.a} - {one.b}" for one in metric.comparisons if one.shown_if_alike), name)
        for name, metric in comparison.metrics.items()
    )
    for pairs, names in found.items():
        if pairs:
            what = "the difference" if len(pairs) == 1 else f"{len(pairs)} differences"
            yield Assumption(
                "equal-spreads",
                f"By {listed(names)}, {what} {name_some(pairs)} {be(len(pairs))} shown for the method "
                "only if runs vary alike, not if those of one system have twice the standard deviation of the others'.",
                metrics=tuple(names),
            )


def _errs_with_two_runs(variance: CrossedVariance) -> bool:
    """Tell whether there is no p for the method because one system has two runs, and the other more than five."""
    return not variance.has_test and variance.unit_df >= 1


def _errs_with_three_runs(variance: CrossedVariance) -> bool:
    """Tell whether p for the method errs a little: runs vary most, and 3 of them are compared with 10 or more."""
    fewest, most = sorted((variance.runs_a, variance.runs_b))
    rules = variance.of_runs > variance.of_units + variance.of_both
    return fewest == 3 and most >= MANY_RUNS and rules and variance.pooled_df is None


# ---- test sets


def _on_sets(comparison: AnyComparison) -> Iterator[Assumption]:
    """Say what one test set, or few of them, cannot show."""
    pairs = pairs_of_all(comparison.metrics.values())
    if isinstance(comparison, Comparison):
        if any(pair.differs for pair in pairs):
            yield Assumption("one-test-set", ONE_SET_ALONE, "", MORE_SETS, INFORMS)
        return
    if len(comparison.test_sets) > FEW_SETS:
        return
    counted, add = count_sets(comparison), "More test sets would show more."
    tested = [pair for pair in pairs if isinstance(pair, CampaignPair) and pair.new_sets_verdict is not None]
    if any(pair.conclusion == THESE for pair in tested):
        large = f"With only {counted}, only large differences can be shown for new ones."
        yield Assumption("few-test-sets", large, advice=add)
    elif any(pair.conclusion == NEW for pair in pairs):
        rests = f"The conclusions about new test sets rest on only {counted}."
        yield Assumption("few-test-sets", rests, advice=add)
