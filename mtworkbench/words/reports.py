"""What a report says around a result: its title, what would help, and what the rules of others say in a line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mtworkbench.wording import listed, name_some
from mtworkbench.words.scopes import AnyComparison

if TYPE_CHECKING:
    from mtworkbench.inference import Plan
    from mtworkbench.inference.conventions import Conventions

#: A title names so many systems, and counts more.
MOST_NAMED = 3
#: What helps where the words of the result leave it to the reader.
ADVICE = {"one-run": "Give outputs of two or more training runs of each system: then new runs can be tested, too."}


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
    return [*dict.fromkeys(filter(None, [*doubts, *advice])), *(plan.headline[0] for plan in plans)]


def name_rules(found: Conventions, test_set: str) -> str:
    """Say in a line what the rules of other tools say of a difference."""
    return f"{test_set}: {found.headline[0]}" if test_set else found.headline[0]
