"""What a view says besides what was found: doubts about the data, and what the result rests on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from mtworkbench.assumptions import BREAKS, INFORMS, MAY_CHANGE, Concerns, Doubt
from mtworkbench.results.comparisons import MetricComparison
from mtworkbench.shown import Assuming
from mtworkbench.wording import grouped, listed, name_some, tally
from mtworkbench.words.scopes import AnyComparison

#: More doubts of one gravity than this are said in one sentence, which names every system.
MOST_SENTENCES = 3
#: A sentence on doubts names so many systems: whoever has six wrong ones of ten must see all six.
MOST_NAMED = 20
FIRST = "Look at the data first"
NOTED = "We note about the data"
MANY = "Each is explained below the tables, and in the data (doubts)."


def find_concerns(result: AnyComparison | MetricComparison) -> Concerns:
    """Sort what every view says besides what was found; one metric alone has the doubts of its comparison.

    Returns
    -------
    Concerns
        Of doubts, the same about several systems is one; of more than three of one gravity there is one sentence.
    """
    assumptions = result.assumptions if isinstance(result, Assuming) else []
    joined = join_doubts(one for one in result.doubts if not one.accepted)
    of = {gravity: [one for one in joined if one.gravity == gravity] for gravity in (BREAKS, MAY_CHANGE, INFORMS)}
    counted = [one for gravity in (BREAKS, MAY_CHANGE) if len(of[gravity]) > MOST_SENTENCES for one in of[gravity]]
    return Concerns(
        before=tuple(_say_together(of[BREAKS])),
        after=(*_say_together(of[MAY_CHANGE]), *(one for one in assumptions if one.matters)),
        below=(*counted, *of[INFORMS], *(one for one in assumptions if not one.matters)),
    )


def say_before(result: AnyComparison | MetricComparison, first: str = FIRST, *, advise: bool = True) -> list[str]:
    """Say the grave doubts, which come before what was found."""
    said = [one.say(advise=advise) for one in result.concerns.before]
    return [f"{first}: {said[0]}", *said[1:]] if said else []


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
    named = [_name(one) + (f" ({one.n_found:,})" if one.n_found else "") for one in ones]
    whose = name_some(named, most=MOST_NAMED)
    sentence = f"{tally(n_found, 'segment')} of {whose} {first.what}." if n_found else f"{whose}: each {first.what}."
    systems = tuple(dict.fromkeys(system for one in ones for system in one.systems))
    n_segments = sum(one.n_segments for one in ones)
    return replace(first, sentence=sentence, systems=systems, n_found=n_found, n_segments=n_segments, test_set="")


def _name(doubt: Doubt) -> str:
    """Name the systems of a doubt, or that it is about the references."""
    name = listed(doubt.systems) if doubt.systems else "the references"
    return f"{name} on {doubt.test_set}" if doubt.test_set else name


def _say_together(doubts: Sequence[Doubt]) -> Iterator[Doubt]:
    """Say many doubts in one sentence: for each code the systems."""
    if len(doubts) <= MOST_SENTENCES:
        yield from doubts
        return
    by_code = grouped((one.code, one) for one in doubts)
    named = [f"{name_some(_systems(ones), most=MOST_NAMED)} ({code})" for code, ones in by_code.items()]
    systems = tuple(dict.fromkeys(system for one in doubts for system in one.systems))
    few = f"{tally(len(systems), 'system')} may not be what they are taken for: " if systems else ""
    yield Doubt("several", f"{few}{'; '.join(named)}.", MANY, gravity=doubts[0].gravity, systems=systems)


def _systems(doubts: Iterable[Doubt]) -> list[str]:
    return list(dict.fromkeys(name for one in doubts for name in one.systems or ("the references",)))
