"""Claims beyond these test sets: a claim is shown only where the claims that it rests on are shown.

The claim about new test sets rests on the claim about these. The claim about new training runs on new test sets rests
on the claim about new test sets and on that about the method. So a claim has the largest p of all that it rests on, and
its CI includes all of theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from mtworkbench.inference.new_sets import AnyClaim, expect_one, join_known
from mtworkbench.inference.over_sets import OverSets
from mtworkbench.inference.verdicts import Estimated, judge_counted, widen
from mtworkbench.results.campaigns import Claim, NewSets
from mtworkbench.results.settings import Settings
from mtworkbench.results.verdicts import Ends, Verdict


class Shown(NamedTuple):
    """What is printed about a difference for one claim: adjusted p, verdict and interval."""

    p_adjusted: float | None
    verdict: str | None
    ends: Ends


def judge_new_sets(family: Sequence[tuple[OverSets, Verdict]], settings: Settings) -> list[tuple[NewSets, Claim]]:
    """Judge the claims about new sets, and about new runs on new sets, as families, given those about these sets.

    Parameters
    ----------
    family : sequence of (OverSets, Verdict)
        The pairs, as they are judged on these sets and for the method.
    settings : Settings
    """
    pairs = [one for one, _ in family]
    these = [Shown(said.p_adjusted, said.verdict, said.choose_ends(one.low, one.high)) for one, said in family]
    methods = [
        Shown(
            said.method_p_adjusted,
            said.method_verdict,
            said.choose_method_ends(one.method.method_low, one.method.method_high),
        )
        for one, said in family
    ]
    new = judge_claims([one.new_sets for one in pairs], [[one] for one in these], pairs, settings)
    shown_for_new = [Shown(one.p_adjusted, one.verdict, one.printed) for one in new]
    rests_on = [list(both) for both in zip(shown_for_new, methods, strict=True)]
    both = judge_claims([one.new_runs_and_sets for one in pairs], rests_on, pairs, settings)
    new = judge_left_out(judge_one_new(new, pairs, settings), pairs, settings)
    return list(zip(new, both, strict=True))


def judge_claims(
    claims: Sequence[AnyClaim], rests_on: Sequence[Sequence[Shown]], family: Sequence[Estimated], settings: Settings
) -> list[AnyClaim]:
    """Judge one claim about each comparison of a family: by Holm's method, with intervals that hold together.

    Parameters
    ----------
    claims : sequence of Claim
    rests_on : sequence of sequence of Shown
        What the claim about each comparison rests on: it is shown only where all of these are. Its adjusted p is the
        largest, and its CI includes all of theirs; 0 is outside this CI exactly where the claim is shown.
    family : sequence of Estimated
        The comparisons.
    settings : Settings
    """
    judged, size = judge_joint(claims, family, settings)
    found = []
    for claim, others, pair, (p_adjusted, verdict) in zip(claims, rests_on, family, judged, strict=True):
        difference = pair.randomization.difference
        own = widen(difference, claim.errors, size, settings.level, shown=False)
        parts = [Shown(p_adjusted, verdict, own), *others]
        word = join_verdicts(one.verdict for one in parts)
        p_values = [one.p_adjusted for one in parts if one.p_adjusted is not None]
        found.append(
            replace(
                claim,
                p_adjusted=None if word is None else max(p_values),
                verdict=word,
                ends=join_ends([one.ends for one in parts], difference, word),
            )
        )
    return found


def judge_joint(
    claims: Sequence[Claim], family: Sequence[Estimated], settings: Settings
) -> tuple[list[tuple[float | None, str | None]], int]:
    """Judge claims by their own p; return for how many comparisons their intervals hold together."""
    judged, size = judge_counted([one.t_p_value for one in claims], family, settings)
    return judged, size if settings.adjust == "max-t" else 1


def judge_one_new(claims: Sequence[NewSets], family: Sequence[Estimated], settings: Settings) -> list[NewSets]:
    """Give the interval for one new set that is printed: it holds together like that of the mean, and includes it."""
    _, size = judge_joint(claims, family, settings)
    found = []
    for claim, pair in zip(claims, family, strict=True):
        mean = widen(pair.randomization.difference, claim.errors, size, settings.level, shown=False)
        found.append(replace(claim, one_ends=expect_one(mean, len(claim.without)).including(claim.printed)))
    return found


def join_verdicts(verdicts: Iterable[str | None]) -> str | None:
    """Return the verdict on a claim that needs all of several to be significant; None where one was not tested."""
    known = set(verdicts)
    for one in (None, "not significant", "undecided"):
        if one in known:
            return one
    return "significant"


def join_ends(ends: Sequence[Ends], difference: float, verdict: str | None) -> Ends:
    """Return the interval that includes several, and never contradicts the verdict on them.

    It is cut off at 0 where the verdict is significant, and reaches 0 where it is not, or is undecided.
    """
    lows, highs = [one.low for one in ends], [one.high for one in ends]
    low, high = join_known(min, lows), join_known(max, highs)
    if verdict is None or low is None or high is None:
        return Ends(None, None)
    if verdict != "significant":
        return Ends(min(low, 0.0), max(high, 0.0))
    return Ends.agreeing(low, high, difference, shown=True)


def judge_left_out(claims: Sequence[NewSets], family: Sequence[Estimated], settings: Settings) -> list[NewSets]:
    """Adjust p for new sets without each set in turn, for the comparisons of the family without the same set."""
    by_set = [
        judge_counted([one.without[place] for one in claims], family, settings)[0]
        for place in range(len(claims[0].without) if claims else 0)
    ]
    return [
        replace(one, without_adjusted=tuple(p_adjusted for p_adjusted, _ in of_sets))
        for one, of_sets in zip(claims, zip(*by_set, strict=True), strict=True)
    ]
