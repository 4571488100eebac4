"""What a view says besides what was found: doubts about the data, and what the result rests on.

Of a doubt this is also what a comparison finds without what seems wrong, in one sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, MAY_CHANGE, Assumption, Concerns, Doubt, Without
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.results.comparisons import AnyComparison, MetricComparison
from mtworkbench.shown import Assuming
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import be, grouped, listed, name_some, tally
from mtworkbench.words.cells import decimals_of_intervals, digits_of_trials, name_of_p, name_p
from mtworkbench.words.document import Document
from mtworkbench.words.frames import signed
from mtworkbench.words.scopes import claim_open, claims_shown

#: More doubts of one gravity than this are said in one sentence, which names every system.
MOST_SENTENCES = 3
#: A sentence on doubts names so many systems: whoever has six wrong ones of ten must see all six.
MOST_NAMED = 20
FIRST = "Look at the data first"
NOTED = "A note on the data"
#: What a reader needs of intervals even where nothing is shown, so that no verdict rests on it.
SAID_ANYWAY = ("independent-segments", "few-documents", "unused-documents", "one-run")
#: The code of a sentence on many doubts, which names the code of each.
SEVERAL = "several"
#: The code of the sentence that names the accepted ones.
ACCEPTED = "accepted"
#: A repair never writes a file.
IN_MEMORY = "in memory, not in the file"
MANY = "Each doubt is explained below the tables and in JSON (doubts)."


def find_concerns(result: AnyComparison | MetricComparison | SegmentStatistics) -> Concerns:
    """Sort what every view says besides what was found; only comparisons rest on assumptions.

    Returns
    -------
    Concerns
        Of doubts, the same about several systems is one; of more than three in one place there is one sentence.
    """
    return _sort(result.doubts, result.assumptions if isinstance(result, Assuming) else [], _label_of_p(result))


def doubts_of(records: Iterable[Any]) -> list[Doubt]:
    """Return the doubts that some records have, each once: as grave as it is for the metric where it matters most."""
    alike = grouped((replace(doubt, gravity=INFORMS), doubt) for one in records for doubt in one.doubts)
    return [min(ones, key=lambda one: GRAVITIES.index(one.gravity)) for ones in alike.values()]


def add_doubts(document: Document, doubts: Iterable[Doubt], format: str = "html") -> Document:
    """Let the document of a result that is no comparison say doubts where, and as, comparisons do in this format."""
    concerns, options = _sort(tuple(doubts), [], "p"), format == "text"
    below = [one.say(advise=True) for one in concerns.below]
    headline = [*say_before(concerns, options=options), *document.headline, *say_after(concerns, options=options)]
    return replace(document, headline=headline, notes=[*document.notes, *below])


def _sort(doubts: Sequence[Doubt], assumptions: Sequence[Assumption], label: str) -> Concerns:
    joined = [add_without(one, label) for one in join_doubts(one for one in doubts if not one.accepted)]
    before = [one for one in joined if one.gravity == BREAKS or changes_verdicts(one)]
    after = [one for one in joined if one.gravity == MAY_CHANGE and not changes_verdicts(one)]
    informs = [one for one in joined if one.gravity == INFORMS]
    counted = [one for ones in (before, after) if len(ones) > MOST_SENTENCES for one in ones]
    anyway = [one for one in assumptions if not one.matters and one.code in SAID_ANYWAY]
    said = " ".join(one.sentence for one in anyway)
    in_short = [replace(one, sentence=said, consequence="", advice="") for one in anyway[:1]]
    reasons = [replace(one, sentence="") for one in anyway if one.consequence]
    return Concerns(
        before=tuple(_say_together(before, label)),
        after=(*_say_together(after, label), *(one for one in assumptions if one.matters), *in_short),
        below=(
            *counted,
            *informs,
            *(one for one in assumptions if not one.matters and one not in anyway),
            *reasons,
            *(Assumption(ACCEPTED, one, gravity=INFORMS) for one in say_accepted(doubts)),
        ),
    )


def say_accepted(doubts: Iterable[Doubt]) -> list[str]:
    """Say which doubts are accepted, and whose they are: one sentence, or none."""
    accepted = grouped((one.code, one) for one in doubts if one.accepted)
    named = [f"{code} ({name_some(name_concerned(ones))})" for code, ones in accepted.items()]
    return [f"Accepted doubts about the data: {', '.join(named)}."] if named else []


def changes_verdicts(doubt: Doubt) -> bool:
    """Tell whether a verdict is known to change without it: then it comes before what was found, as grave ones do."""
    return any(pair.verdict_changes for pair in doubt.without)


def say_before(concerns: Concerns, first: str = FIRST, *, advise: bool = True, options: bool = False) -> list[str]:
    """Say the grave doubts, which come before what was found."""
    said = [say_with_options(one) if options else one.say(advise=advise) for one in concerns.before]
    return [f"{first}: {said[0]}", *said[1:]] if said else []


def say_after(concerns: Concerns, *, options: bool = False) -> list[str]:
    """Say other doubts and what the result rests on, which come after what was found."""
    return [say_with_options(one) if options else one.say(advise=True) for one in concerns.after]


def say_with_options(one: Assumption) -> str:
    """Say it with the advice and, of a doubt, its code and what the options of a command can do about it."""
    if not isinstance(one, Doubt):
        return one.say(advise=True)
    if one.code == SEVERAL:
        return f"{one.say(advise=True)} (--repair CODE mends one {IN_MEMORY}; --accept CODE ends its warning)"
    can = f"--accept {one.code} ends this warning"
    if one.code in REPAIRS:
        mends = "leaves such segments out" if REPAIRS[one.code].leaves_out else f"mends it {IN_MEMORY}"
        can = f"--repair {one.code} {mends}; {can}"
    return f"{one.say(advise=True)} ({can})"


def join_doubts(doubts: Iterable[Doubt]) -> list[Doubt]:
    """Join the same doubts about several systems, or on several test sets, into one each."""
    alike = grouped(
        ((one.code, one.what or one.sentence, one.consequence, one.advice, one.gravity), one) for one in doubts
    )
    return [_join(ones) for ones in alike.values()]


def _join(ones: Sequence[Doubt]) -> Doubt:
    first, n_found = ones[0], sum(one.n_found for one in ones)
    if len(ones) == 1:
        return replace(first, sentence=f"{first.test_set}: {first.sentence}") if first.test_set else first
    by_name = grouped((listed(name_concerned([one])), one) for one in ones)
    whose = name_some([f"{name}{_count_on_sets(own)}" for name, own in by_name.items()], most=MOST_NAMED)
    sentence = f"{tally(n_found, 'segment')} of {whose} {first.what}." if n_found else f"{whose}: each {first.what}."
    systems = tuple(dict.fromkeys(system for one in ones for system in one.systems))
    n_segments = sum(one.n_segments for one in ones)
    without = tuple(dict.fromkeys(pair for one in ones for pair in one.without))
    joined = replace(first, sentence=sentence, systems=systems, test_set="", without=without)
    return replace(joined, n_found=n_found, n_segments=n_segments)


def add_without(doubt: Doubt, label: str) -> Doubt:
    """Let a doubt say, after its consequence, what is found without it, where that was looked at."""
    return replace(doubt, consequence=" ".join(filter(None, (doubt.consequence, say_without(doubt, label)))))


def say_briefly(result: AnyComparison | MetricComparison, *metrics: str) -> list[str]:
    """Say what figures have room for: what was found or is assumed, and which verdicts are others without it."""
    said, label = [], _label_of_p(result)
    for one in result.concerns.that_matter(*metrics):
        changed = say_without(one, label) if isinstance(one, Doubt) and changes_verdicts(one) else ""
        said.append(" ".join(filter(None, (one.sentence, changed))))
    return said


def _label_of_p(result: AnyComparison | MetricComparison | SegmentStatistics) -> str:
    """Name the p of verdicts as sentences on differences do."""
    if isinstance(result, SegmentStatistics):
        return "p"
    metrics = [result] if isinstance(result, MetricComparison) else [*result.metrics.values()]
    return next((name_of_p(metric) for metric in metrics if metric.comparisons), "p")


def _count_on_sets(doubts: Sequence[Doubt]) -> str:
    """Say in brackets on which test sets the doubts are, and about how many segments: ``(wmt21: 272, wmt22: 383)``."""
    counts = [(one.test_set, f"{one.n_found:,}" if one.n_found else "") for one in doubts]
    said = ", ".join(filter(None, (": ".join(filter(None, one)) for one in counts)))
    return f" ({said})" if said else ""


def _say_together(doubts: Sequence[Doubt], label: str) -> Iterator[Doubt]:
    """Say many doubts in one sentence: for each code the systems, for the same systems all codes."""
    if len(doubts) <= MOST_SENTENCES:
        yield from doubts
        return
    by_code = grouped((one.code, one) for one in doubts)
    of_same = grouped((tuple(name_concerned(ones)), code) for code, ones in by_code.items())
    named = [f"{name_some(whose, most=MOST_NAMED)} ({', '.join(codes)})" for whose, codes in of_same.items()]
    systems = tuple(dict.fromkeys(system for one in doubts for system in one.systems))
    what = f"{tally(len(systems), 'system')} may have wrong files" if systems else "The references may be wrong"
    sentence = f"{what}: {'; '.join(named)}."
    changed = dict.fromkeys(say_without(one, label, name_code=True) for one in doubts if changes_verdicts(one))
    yield Doubt(SEVERAL, " ".join([sentence, *changed]), MANY, gravity=doubts[0].gravity, systems=systems)


def name_concerned(doubts: Iterable[Doubt]) -> list[str]:
    """Name the systems that doubts are about, each once; what is about none of them is about the references."""
    return list(dict.fromkeys(name for one in doubts for name in one.systems or ("the references",)))


# ---- what is found without what seems wrong


#: So many comparisons whose verdict changes are named; the rest is counted.
NAMED = 3


def say_without(doubt: Doubt, label: str = "p", *, name_code: bool = False) -> str:
    """Say whether a verdict would change without what a doubt is about; ``label`` names p: ``p (max-T)``.

    It is empty where that was not looked at, and where the repair changes nothing.

    One comparison: "With HTML entities unescaped, the difference a - b would be +0.31 BLEU (p = 0.0660), and the
    verdict would change: no difference would be shown." Of several, those that would change are named.
    """
    if all(one.difference == one.difference_without for one in doubt.without):
        return ""
    repair, changed = REPAIRS[doubt.code], [one for one in doubt.without if one.verdict_changes]
    # Where the sentence on the doubt does not come before it, "such segments" are those of the code.
    begin = f"{repair.said} ({doubt.code})" if name_code and repair.leaves_out else repair.said
    count = len(doubt.without)
    if count == 1:
        [one] = doubt.without
        ending = f", and the verdict would change: {_say_change(one)}" if changed else ": the same verdict"
        p = name_p(one.p_value, digits_of_trials(one.n_trials), label)
        now = f", now {signed(one.difference, _digits(one))} {one.metric} ({p})," * bool(changed)
        return f"{begin}, the difference {one.a} - {one.b}{now} would be {_say_difference(one, label)}{ending}."
    if not changed:
        return f"{begin}, none of the {count:,} comparisons{_about(doubt)} would have another verdict."
    named = [
        f"{one.a} - {one.b} would be {_say_difference(one, label)}, and {_say_change(one)}" for one in changed[:NAMED]
    ]
    more = len(changed) - len(named)
    rest = f"; {more:,} more {be(more)} in JSON (doubts)" if more else ""
    return f"{begin}, {_say_which(doubt, changed)}: {'; '.join(named)}{rest}."


def _say_which(doubt: Doubt, changed: Sequence[Without]) -> str:
    """Say which verdicts would be others: those by some metrics where there is one pair, else how many."""
    metrics = list(dict.fromkeys(one.metric for one in doubt.without))
    if len({(one.a, one.b) for one in doubt.without}) > 1 or len(metrics) == 1:
        return f"{len(changed):,} of the {len(doubt.without):,} comparisons{_about(doubt)} would have another verdict"
    others = [one.metric for one in changed]
    same = [name for name in metrics if name not in others]
    said_of_same = f", {'that' if len(same) == 1 else 'those'} by {listed(same)} the same" if same else ""
    be_others = "verdict by {} would be another" if len(others) == 1 else "verdicts by {} would be others"
    return f"the {be_others.format(listed(others))}{said_of_same}"


def _about(doubt: Doubt) -> str:
    """Say which comparisons were looked at; references concern all."""
    metrics = dict.fromkeys(one.metric for one in doubt.without)
    by = f" (by {listed(metrics)})" if len(metrics) > 1 else ""
    return f"{f' of {name_some(doubt.systems)}' if doubt.systems else ''}{by}"


def _say_difference(one: Without, label: str) -> str:
    """Write the difference and p without what the doubt is about: ``+0.31 BLEU (p = 0.0660)``."""
    p = name_p(one.p_value_without, digits_of_trials(one.n_trials_without), label)
    return f"{signed(one.difference_without, _digits(one))} {one.metric} ({p})"


def _digits(one: Without) -> int:
    return decimals_of_intervals([(one.low, one.high), (one.low_without, one.high_without)])


def _say_change(one: Without) -> str:
    """Say how the verdict changes, not what is the same before and after; continues a sentence."""
    if one.better_without is None:
        return "no difference would be shown" if one.better is not None else one.conclusion_without
    before, after = claims_shown(one.conclusion), claims_shown(one.conclusion_without)
    is_same = one.better == one.better_without
    lost = [claim for claim in before if claim not in after] if is_same else []
    gained = [claim for claim in after if claim not in before] if is_same else after
    instead = "" if is_same or one.better is None else f", not {one.better}"
    would = f"{one.better_without} would {'no longer be' if lost else 'be'} shown to be better"
    still = "" if is_same else claim_open(one.conclusion_without)
    named = f" {listed(lost or gained)}" if lost or gained else ""
    return f"{would}{named}{f' (not {still})' if still else ''}{instead}"
