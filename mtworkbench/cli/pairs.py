"""Which pairs of systems are compared: each with the baseline, all pairs, or the two that are named."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from itertools import combinations

from mtworkbench.wording import describe_unknown_baseline, name_some


def check_pairs(options: argparse.Namespace) -> None:
    """Refuse two ways to say which pairs are compared."""
    if options.all_pairs and options.baseline is not None:
        options.usage_error("--all-pairs compares all pairs, --baseline each system with one: leave one of them out")


def check_baseline(options: argparse.Namespace, systems: Iterable[str | None]) -> None:
    """Refuse a baseline that is none of the systems."""
    systems = list(systems)
    if options.baseline is not None and options.baseline not in systems:
        options.usage_error(describe_unknown_baseline(options.baseline, systems))


def check_pair(options: argparse.Namespace) -> None:
    """Refuse a baseline that is neither of the two systems of ``--pair``."""
    if options.pair and options.baseline not in (None, *options.pair):
        problem = f"the baseline {options.baseline!r} is neither of the two systems of --pair"
        options.usage_error(f"{problem}: name one of them")


def refuse_several(options: argparse.Namespace, systems: Sequence[str], others: str = "") -> None:
    """Refuse more than two systems; ``others`` ends what to do."""
    if len(systems) > 2:
        problem = f"there are {len(systems)} systems, {name_some(systems)}, but two are needed"
        options.usage_error(f"{problem}: name them with --pair NAME NAME{others}")


def refuse_single(options: argparse.Namespace, systems: Sequence[str]) -> None:
    """Refuse a single system, which cannot be compared with anything."""
    if len(systems) < 2:
        options.usage_error(f"there is one system, {systems[0]!r}: name another one to compare it with")


def choose_baseline(options: argparse.Namespace, systems: Sequence[str]) -> str | None:
    """Choose the baseline: the one that is named, or the first of two or, as in sacreBLEU, after ``-i``; else none."""
    if options.baseline is not None or options.all_pairs or len(systems) < 2:
        return options.baseline
    return systems[0] if len(systems) == 2 or options.hypotheses else None


def choose_pairs(options: argparse.Namespace, systems: Sequence[str]) -> list[tuple[str, str]]:
    """Pair every other system with the baseline, or each with the earlier ones."""
    baseline = choose_baseline(options, systems)
    if baseline is None:
        return [(later, earlier) for earlier, later in combinations(systems, 2)]
    check_baseline(options, systems)
    return [(name, baseline) for name in systems if name != baseline]


def choose_pair(options: argparse.Namespace, systems: Sequence[str]) -> Sequence[str]:
    """Return the two systems that ``--pair`` names, or all, of which there must be two at least."""
    refuse_single(options, systems)
    unknown = next((name for name in options.pair or () if name not in systems), None)
    if unknown is not None:
        known = ", ".join(map(repr, systems))
        options.usage_error(f"the system {unknown!r} of --pair is not among the systems: name two of {known}")
    check_pair(options)
    return options.pair or systems
