"""Whether run k of a system is the same trained system on several sets, as far as the names of the runs say."""

from __future__ import annotations

from collections.abc import Mapping

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.files.runs import SAME_RUNS
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import name_some


def check_same_runs(sets: Mapping[str, SegmentStatistics]) -> None:
    """Refuse as many runs of a system on two sets whose names contradict each other; single runs are not matched.

    Parameters
    ----------
    sets : mapping of str to SegmentStatistics
        By what sentences call them, such as "the dev set".

    Raises
    ------
    InputError
        ``different-runs``.

    Warns
    -----
    DataWarning
        ``runs-by-order`` where the names are known on one set and not on another.
    """
    by_order: dict[str, tuple[str, str]] = {}
    for system in dict.fromkeys(name for one in sets.values() for name in one):
        of_count: dict[int, dict[str, tuple[str, ...]]] = {}
        for name, family in sets.items():
            if system in family and family[system].n_runs > 1:
                of_count.setdefault(family[system].n_runs, {})[name] = family[system].given_names
        for given in of_count.values():
            known = [name for name, names in given.items() if names]
            unknown = [name for name, names in given.items() if not names]
            for name in known[1:]:
                if given[name] != given[known[0]]:
                    raise InputError(
                        "different-runs",
                        f"System {excerpt(system)} has runs {name_some(given[name])} on {name}, but runs "
                        f"{name_some(given[known[0]])} on {known[0]}: {SAME_RUNS}.",
                    )
            if known and unknown:
                by_order.setdefault(system, (known[0], unknown[0]))
    if by_order:
        known_on, unknown_on = next(iter(by_order.values()))
        message = (
            f"The runs of {name_some(list(map(excerpt, by_order)))} have names or numbers on {known_on}, but none "
        )
        message += f"on {unknown_on}. They are therefore matched by order: check that run k is the same trained system "
        message += "on every set."
        DataWarning("runs-by-order", message, count=len(by_order)).warn(stacklevel=4)
