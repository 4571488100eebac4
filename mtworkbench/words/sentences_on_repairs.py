"""What a comparison finds without what seems wrong with the data, in one sentence per doubt."""

from __future__ import annotations

from collections.abc import Sequence

from mtworkbench.assumptions import Doubt, Without
from mtworkbench.outputs.repairs import REPAIRS
from mtworkbench.wording import be, listed, name_some
from mtworkbench.words.cells import decimals_of_intervals, digits_of_trials, name_p, signed
from mtworkbench.words.scopes import claim_open, claims_shown

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
