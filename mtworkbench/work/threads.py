"""Parts of one work on several cores at the same time: a kernel lets other threads compute meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")
#: More threads would wait for each other, because what is not compiled is done by one at a time.
MOST_THREADS = 4
#: The number of threads that users, schedulers and `mtworkbench.work` allow to any library.
VARIABLE = "OMP_NUM_THREADS"


def count_threads() -> int:
    """Return how many threads may compute here: as many as this process has cores, unless fewer are allowed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = os.environ.get(VARIABLE, "").partition(",")[0]
    return max(1, min(cores, MOST_THREADS, int(allowed) if allowed.isdecimal() else cores))


def compute_parts(compute: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    """Compute what does not depend on other parts, part by part, and return it in the order of the parts."""
    return list(yield_parts(compute, parts))


def yield_parts(compute: Callable[[Part], Done], parts: Sequence[Part]) -> Iterator[Done]:
    """Yield what `compute_parts` returns, each part as soon as it is its turn."""
    n_threads = min(count_threads(), len(parts))
    if n_threads < 2:
        yield from map(compute, parts)
        return
    with ThreadPoolExecutor(n_threads) as threads:
        yield from threads.map(compute, parts)
