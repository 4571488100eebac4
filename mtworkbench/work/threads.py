"""Parts of one work on several cores at the same time: a kernel lets other threads compute meanwhile."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TypeVar

Part = TypeVar("Part")
Done = TypeVar("Done")
#: More threads would wait for each other, because what is not compiled is done by one at a time.
MOST_THREADS = 4
#: Each thread computes about so many parts before all are handed on.
PARTS_TOGETHER = 8
#: The number of threads that users, schedulers and `mtworkbench.work` allow to any library.
VARIABLE = "OMP_NUM_THREADS"


def count_threads() -> int:
    """Return how many threads may compute here: as many as this process has cores, unless fewer are allowed."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    allowed = os.environ.get(VARIABLE, "").partition(",")[0].strip()
    return max(1, min(cores, MOST_THREADS, int(allowed) if allowed.isdecimal() else cores))


def compute_parts(compute: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    """Compute what does not depend on other parts, part by part, and return it in the order of the parts."""
    return list(yield_parts(compute, parts))


def yield_parts(
    compute: Callable[[Part], Done],
    parts: Sequence[Part],
    together: Callable[[], AbstractContextManager[object]] = nullcontext,
) -> Iterator[Done]:
    """Yield what `compute_parts` returns, a few parts after another; `together` is held while some are computed."""
    n_threads = min(count_threads(), len(parts))
    if n_threads < 2:
        yield from map(compute, parts)
        return
    some = PARTS_TOGETHER * n_threads
    with ThreadPoolExecutor(n_threads) as threads:
        for first in range(0, len(parts), some):
            with together():
                done = _compute_some(threads, compute, parts[first : first + some])
            yield from done


def _compute_some(threads: ThreadPoolExecutor, compute: Callable[[Part], Done], parts: Sequence[Part]) -> list[Done]:
    begun: list[Future[Done]] = []
    try:
        with suppress(RuntimeError):  # where no further thread can be started, the rest is computed here
            for part in parts:
                begun.append(threads.submit(compute, part))
        rest = [compute(part) for part in parts[len(begun) :]]
        return [*(one.result() for one in begun), *rest]
    finally:
        for one in begun:
            one.cancel()
