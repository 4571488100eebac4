"""What the title of a campaign's figure says: the finding in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mtworkbench.inference.campaign_results import CampaignMetric, CampaignPair
from mtworkbench.tables.campaign_headlines import NEW, SAME, THESE
from mtworkbench.tables.cells import in_percent, leads, listed
from mtworkbench.tables.findings import MAX_NAMES, join_findings
from mtworkbench.tables.sentences import USUAL_LEVEL, comparative, winner_of


def write_campaign_finding(metrics: Mapping[str, CampaignMetric]) -> str:
    """Say in one sentence what was found over all test sets, metrics that agree together.

    Parameters
    ----------
    metrics : mapping of str to CampaignMetric
        By the names that the sentence calls them.

    Returns
    -------
    str
        Names are as they are in the data. Empty where nothing was compared.
    """
    return join_findings({name: _find(metric) if metric.comparisons else "" for name, metric in metrics.items()})


def _find(metric: CampaignMetric) -> str:
    pairs = metric.comparisons
    level = "" if metric.level == USUAL_LEVEL else f" (at {in_percent(1 - metric.level)})"
    if len(pairs) == 1:
        return _of_one_pair(pairs[0], metric) + level
    if len({pair.b for pair in pairs}) == 1:
        return _against_baseline(metric) + level
    new = sum(pair.conclusion == NEW for pair in pairs)
    only = sum(pair.conclusion == THESE for pair in pairs)
    if all(pair.conclusion in SAME for pair in pairs):
        return f"all {len(pairs)} pairs have the same scores in every segment"
    if not new + only:
        return _undecided(pairs, f"none of {len(pairs)} pairs is shown to differ") + level
    count, where = (new, "for new test sets like these") if new else (only, "on these test sets, but not for new ones")
    counted = f"all {len(pairs)}" if count == len(pairs) else f"{count} of {len(pairs)}"
    said = f"{counted} pairs {'is' if count == 1 else 'are'} shown to differ {where}"
    return _undecided(pairs, said + (f", {only} more on these test sets only" if new and only else "")) + level


def _undecided(pairs: Sequence[CampaignPair], said: str) -> str:
    """Add how many comparisons more trials would settle; where it is all of them, nothing else is said."""
    count = sum(pair.conclusion == "undecided" for pair in pairs)
    if count == len(pairs):
        return f"all {count} comparisons are undecided; more trials are needed"
    return f"{said}; {count} {'is' if count == 1 else 'are'} undecided" if count else said


def _of_one_pair(pair: CampaignPair, metric: CampaignMetric) -> str:
    other = pair.b if winner_of(pair, metric) == pair.a else pair.a
    better = f"{winner_of(pair, metric)} is shown to be {comparative(metric)} than {other}"
    return {
        NEW: f"{better} for new test sets like these",
        THESE: f"{better} on these test sets, but not for new ones",
        "undecided": "undecided; more trials are needed",
        "not shown": "no difference is shown",
        "copies": "the systems are copies of each other",
        "identical scores": "the scores are identical in every segment",
    }[pair.conclusion]


def _against_baseline(metric: CampaignMetric) -> str:
    pairs, baseline = metric.comparisons, metric.comparisons[0].b
    new = [pair for pair in pairs if pair.conclusion == NEW]
    only = [pair for pair in pairs if pair.conclusion == THESE]
    clauses = [_count(ones, word, len(pairs)) for word, ones in _by_direction(new, metric).items() if ones]
    said = f"{listed(clauses)} than {baseline} for new test sets like these" if clauses else ""
    if only:
        where = "on these test sets only"
        shown = f"{'is' if len(only) == 1 else 'are'} shown to differ from {'it' if said else baseline}"
        more = f"{len(only)} {shown} {where}"
        said = f"{said}; {more}" if said else more
    if said:
        return _undecided(pairs, said)
    if all(pair.conclusion in SAME for pair in pairs):
        return f"all {len(pairs)} systems have the scores of {baseline} in every segment"
    return _undecided(pairs, f"none of {len(pairs)} systems is shown to differ from {baseline}")


def _by_direction(pairs: list[CampaignPair], metric: CampaignMetric) -> dict[str, list[CampaignPair]]:
    first, second = comparative(metric), comparative(metric, first=False)
    return {
        first: [pair for pair in pairs if leads(pair, metric)],
        second: [pair for pair in pairs if not leads(pair, metric)],
    }


def _count(pairs: list[CampaignPair], word: str, n_systems: int) -> str:
    names = [pair.a for pair in pairs]
    who = f"all {n_systems} systems" if len(names) == n_systems else f"{len(names)} of {n_systems} systems"
    who = listed(names) if len(names) <= MAX_NAMES else who
    return f"{who} {'is' if len(names) == 1 else 'are'} shown to be {word}"
