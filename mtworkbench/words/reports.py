"""What a report says around a result: its title, what would help, and what the rules of others say in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mtworkbench.results.campaigns import CampaignComparison
from mtworkbench.results.comparisons import AnyComparison
from mtworkbench.wording import be, count_of, listed, name_some, tally
from mtworkbench.words.frames import threshold_of
from mtworkbench.words.scopes import pairs_of_all

if TYPE_CHECKING:
    from mtworkbench.inference import Plan
    from mtworkbench.inference.conventions import Conventions

#: A title names so many systems, and counts more.
MOST_NAMED = 3
#: What helps where the words of the result leave it to the reader.
ADVICE = {"one-run": "Outputs of two or more training runs of each system would let new runs be tested, too."}


def title_report(comparison: AnyComparison) -> str:
    """Name what was compared."""
    names = list(dict.fromkeys(one.system for metric in comparison.metrics.values() for one in metric.systems))
    by = f", by {listed(list(comparison.metrics))}"
    if comparison.baseline is None:
        with_each_other = " compared with each other" if len(names) > 2 else " compared" if len(names) == 2 else ""
        return f"{name_some(names) if len(names) <= MOST_NAMED else f'{len(names)} systems'}{with_each_other}{by}"
    others = [name for name in names if name != comparison.baseline]
    new = name_some(others) if len(others) <= MOST_NAMED else f"{len(others)} systems"
    return f"{new} compared with {comparison.baseline}{by}"


def advise(comparison: AnyComparison, plans: Sequence[Plan]) -> list[str]:
    """Say what would make the result safer, and what would show the differences that are not shown."""
    doubts = [one.advice for one in comparison.concerns.before]
    advice = [one.advice or ADVICE.get(one.code, "") for one in comparison.assumptions]
    said = [*dict.fromkeys(filter(None, [*doubts, *advice])), *(plan.headline[0] for plan in plans)]
    n_open = sum(pair.verdict != "significant" for pair in pairs_of_all(comparison.metrics.values()))
    left, them = n_open - len(plans), "it" if n_open - len(plans) == 1 else "them"
    if plans and left > 0:
        said.append(f"{tally(left, 'further difference')} {be(left)} not shown; nothing is planned here for {them}.")
    return said


def introduce_rules(comparison: AnyComparison, n_asked: int) -> str:
    """Say what must be known to compare the rules of other tools with the result."""
    adjusts = any(metric.family_size > 1 for metric in comparison.metrics.values())
    sets = max(1, len(comparison.test_sets)) if isinstance(comparison, CampaignComparison) else 1
    ordered = [metric for metric in comparison.metrics.values() if metric.higher_is_better is not None]
    n_pairs = sets * sum(len(metric.comparisons) for metric in ordered)
    said = ["The result above adjusts p for several comparisons; these rules do not."] if adjusts else []
    if any(metric.asks_of_methods for metric in comparison.metrics.values()):
        said.append(
            "None of these rules is about the method: they ask whether other sentences would show the difference."
        )
    if n_asked < n_pairs:
        said.append(
            f"They were asked about {count_of(n_asked, n_pairs, 'difference')}: those whose p, not adjusted, is "
            f"closest to {threshold_of(comparison.level)}."
        )
    return " ".join(said)


def name_rules(found: Conventions, test_set: str) -> str:
    """Say in a line what the rules of other tools say of a difference."""
    return f"{test_set}: {found.headline[0]}" if test_set else found.headline[0]
