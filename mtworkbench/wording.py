"""What the sentences of all rooms share: counted nouns, lists of names, the name that was probably meant."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from difflib import get_close_matches
from typing import TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")

#: A sentence names at most so many files or systems, and counts the rest.
NAMED = 6


def tally(number: int, noun: str) -> str:
    """Write a number with its noun: "1 sample", "4,140 samples"."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def be(number: int) -> str:
    """Return the verb that goes with so many: "is" or "are"."""
    return "is" if number == 1 else "are"


def agree(number: int, verb: str, ending: str = "s") -> str:
    """Return a verb that agrees with so many: "calls" or "call"."""
    return f"{verb}{ending}" if number == 1 else verb


def count_of(number: int, total: int, noun: str) -> str:
    """Say how many of a total there are: "both pairs", "all 3 pairs", "2 of 3 pairs"."""
    of_all = "both" if total == 2 else f"all {total:,}"
    return f"{of_all if number == total > 1 else f'{number:,} of {total:,}'} {noun}s"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Join names as a sentence does: "a", "a and b", "a, b and c"."""
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def name_some(names: Iterable[str], last: str = "and", most: int = NAMED) -> str:
    """Join names as a sentence does; of more than six, or another number, the rest is counted."""
    names = list(names)
    if len(names) > most:
        names[most - 1 :] = [f"{len(names) - most + 1:,} more"]
    return listed(names, last)


def grouped(items: Iterable[tuple[Key, Value]]) -> dict[Key, list[Value]]:
    """Put items with one key together, keys in the order in which they come first."""
    groups: dict[Key, list[Value]] = {}
    for key, value in items:
        groups.setdefault(key, []).append(value)
    return groups


def begin(words: str) -> str:
    """Write words as the beginning of a sentence: the first letter becomes a capital, the others stay."""
    return words[:1].upper() + words[1:]


def find_nearest(name: str, known: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the known name that was probably meant by another one; None where none is like it."""
    return next(iter(get_close_matches(name, list(known), 1, likeness)), None)


def describe_unknown_baseline(baseline: str, systems: Iterable[str | None]) -> str:
    """Say that no system is called so, and which one was probably meant: the only one whose name begins so, say."""
    names = [name for name in systems if name is not None]
    begun = [name for name in names if baseline and name.startswith(baseline)]
    meant = begun[0] if len(begun) == 1 else find_nearest(baseline, names)
    hint = f"did you mean {meant!r}? Name" if meant else "name"
    return f"the baseline {baseline!r} is not among the systems: {hint} one of {', '.join(map(repr, names))}"
