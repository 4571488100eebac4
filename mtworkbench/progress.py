"""How long work shows how far it has come: every function that takes ``progress`` takes the same."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Protocol, TypeVar

Item = TypeVar("Item")


class Progress(Protocol):
    """What long work is wrapped in, such as ``tqdm``: it hands on each item, and shows how far the work has come."""

    def __call__(self, items: Iterable[Item], /) -> Iterable[Item]:
        """Return the items, to be gone through once."""


def ignore(count: int) -> None:
    """Take note of nothing: what is told of steps where nobody watches."""


@contextmanager
def shown_steps(progress: Progress | None, n_steps: int) -> Iterator[Callable[[int], object]]:
    """Show steps that are made in batches: yield a function to tell after each batch how many it made."""
    if progress is None:
        yield ignore
        return
    steps = (step for step in progress(range(n_steps)))
    try:
        yield lambda count: deque(islice(steps, count), maxlen=0)
        next(steps, None)  # a bar closes when it finds nothing more
    finally:
        steps.close()  # an interrupted one here
