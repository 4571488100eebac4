"""What a view says besides what was found: doubts about the data, and what the result rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, MAY_CHANGE, Assumption, Concerns, Doubt
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.results.comparisons import MetricComparison
from mtworkbench.shown import Assuming
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import grouped, listed, name_some, tally
from mtworkbench.words.cells import name_of_p
from mtworkbench.words.document import Document
from mtworkbench.words.scopes import AnyComparison
from mtworkbench.words.sentences_on_repairs import say_without

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
