"""Checks that relate outputs to references, source and each other; their results are kept in the cache.

Such checks take longer than all others together. What they find depends on nothing but the texts, so a second look, at
an outputs frame that was made of them, would find the same.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from mtworkbench.assumptions import BREAKS
from mtworkbench.cache import Cache, digest_code
from mtworkbench.errors import DataWarning
from mtworkbench.outputs.checks.meaning import find_odd_lines
from mtworkbench.outputs.checks.oddities import Oddity
from mtworkbench.outputs.checks.segments import Segments
from mtworkbench.outputs.checks.traits import find_traits
from mtworkbench.wording import grouped

# Computed at import, because a running program keeps its old code when the files change.
_CODE = digest_code(Path(__file__).parent)
# What was found in texts that this process has looked at: statistics are computed of texts that were read before.
_seen: dict[bytes, list[dict[str, Any]]] = {}
_MOST_SEEN = 20


def find_relations(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> tuple[list[Oddity], list[DataWarning]]:
    """Find files that are not what they seem, copies, and outputs in another order than the reference.

    Parameters
    ----------
    references : sequence of Segments
    runs : sequence of (str, Segments)
        Every run with the name of its system.
    source : Segments or None

    Returns
    -------
    oddities : list of Oddity
    warnings : list of DataWarning
        About the cache.
    """
    texts = _list_texts(references, runs, source)
    described = _describe(references, runs, source)
    if (known := _seen.get(described)) is not None:
        return [_restore(one, texts) for one in known], []
    cache = Cache("check results")
    look = partial(_look, references, runs, source)
    if cache.is_on and _CODE is not None:
        found = cache.find(described, json.loads)
        if found is None:
            found = cache.make(described, look, lambda found: json.dumps(found).encode())
    else:
        found = look()
    _seen[described] = found
    while len(_seen) > _MOST_SEEN:
        del _seen[next(iter(_seen))]
    return [_restore(one, texts) for one in found], cache.warnings()


def _look(
    references: Sequence[Segments],
    named_runs: Sequence[tuple[str, Segments]],
    source: Segments | None,
) -> list[dict[str, Any]]:
    """Look for all oddities; in what is returned, texts are their numbers, so that it can be kept."""
    runs = [run for _, run in named_runs]
    found = [
        *find_traits(references, runs),
        *find_copies(references, named_runs),
    ]
    found += find_odd_lines(references, named_runs, source, found)
    number = {one: i for i, one in enumerate(_list_texts(references, named_runs, source))}
    return [
        vars(one)
        | {"segments": number[one.segments], "alike": [number[other] for other in one.alike]}
        | {"positions": list(map(int, one.positions))}
        for one in found
    ]


def _restore(kept: dict[str, Any], texts: Sequence[Segments]) -> Oddity:
    alike = [texts[number] for number in kept["alike"]]
    return Oddity(**kept | {"segments": texts[kept["segments"]], "alike": alike})


def _list_texts(
    references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None
) -> list[Segments]:
    """List the texts in an order that is always the same: a file that is given twice is one thing, and noticed once."""
    return list(dict.fromkeys([*references, *(run for _, run in runs), *([] if source is None else [source])]))


def _describe(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]], source: Segments | None) -> bytes:
    """Return everything that the oddities depend on; what files are called is said when they are said."""
    number = {one: i for i, one in enumerate(_list_texts(references, runs, source))}
    described = {
        "code": [_CODE, sys.version],
        "texts": [one.digest.hex() for one in number],
        "references": [number[one] for one in references],
        "runs": [[system, number[run]] for system, run in runs],
        "source": None if source is None else number[source],
    }
    return json.dumps(described).encode()


def find_copies(references: Sequence[Segments], runs: Sequence[tuple[str, Segments]]) -> Iterator[Oddity]:
    """Find a system that is a reference, and systems or runs that are byte-identical."""
    known = {one.digest for one in references}
    groups: dict[bytes, list[tuple[str, Segments]]] = {}
    for system, run in runs:
        groups.setdefault(run.digest, []).append((system, run))
    for run in dict.fromkeys(run for _, run in runs if run.digest in known):
        yield Oddity(
            "hyp-is-ref",
            run,
            "are identical to a reference",
            range(len(run)),
            "A reference may have been given in place of an output.",
            "Give the output, or leave the system out.",
            BREAKS,
        )
    for group in groups.values():
        by_system = grouped(group)
        for same in by_system.values():
            if len(same) > 1:
                yield Oddity(
                    "identical-runs",
                    same[0],
                    "are identical, although runs should differ",
                    range(len(same[0])),
                    "Copies make the variation between runs look smaller than it is.",
                    "Give each run once.",
                    alike=same[1:],
                )
        if len(by_system) > 1:
            first, *others = (same[0] for same in by_system.values())
            yield Oddity(
                "identical-systems",
                first,
                "are identical",
                range(len(first)),
                "No test can distinguish these systems.",
                "Check that no file was given in place of another.",
                alike=others,
            )
