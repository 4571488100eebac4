"""Progress bars: what the keyword ``progress`` accepts in every function, and a named one for notebooks."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Protocol, TypeVar

from mtworkbench.characters import printable

Item = TypeVar("Item")
# A bar appears only where the work takes longer than this, in seconds.
PATIENCE = 1


class Progress(Protocol):
    """A wrapper of an iterable, such as ``tqdm``, that yields the same items and shows how many are done."""

    def __call__(self, items: Iterable[Item], /) -> Iterable[Item]:
        """Return an iterable of the same items; it is iterated only once."""


def show_progress(work: str) -> Progress:
    """Return a progress bar with a name, to be given as ``progress=``.

    It appears after one second of work, and disappears when the work is done. No bar appears if the environment has
    ``TQDM_DISABLE``.

    Parameters
    ----------
    work : str
        What is being done, such as ``"BLEU"``; it stands in front of the bar.

    Returns
    -------
    Progress

    Examples
    --------
    >>> statistics = mtw.compute_statistics(outputs, "ter", progress=mtw.show_progress("TER"))  # doctest: +SKIP
    """
    from tqdm.auto import tqdm

    # The switch is tqdm's own, which its bars in notebooks overlook.
    return partial(tqdm, desc=work, delay=PATIENCE, leave=False, disable=bool(os.environ.get("TQDM_DISABLE")))


def ignore(count: int) -> None:
    """Do nothing: used where no progress is shown."""


@contextmanager
def shown_steps(
    progress: Progress | None, n_steps: int, n_done: int = 0, about: str | None = None
) -> Iterator[Callable[[int], object]]:
    """Show progress of work in batches: yields a function to call after each batch with the number of its steps.

    Steps that were done before, in another process, are counted at once, but not in the time that is left. A bar of
    tqdm has ``about`` after its name.
    """
    if progress is None:
        yield ignore
        return
    if _is_bar(progress):
        named = {} if about is None else {"desc": _name(progress, about)}
        steps = (step for step in progress(range(n_done, n_steps), initial=n_done, total=n_steps, **named))
    else:
        steps = (step for step in progress(range(n_steps)))
        deque(islice(steps, n_done), maxlen=0)
    try:
        yield lambda count: deque(islice(steps, count), maxlen=0)
        next(steps, None)  # lets the bar finish
    finally:
        steps.close()  # closes the bar after an interruption


def _name(progress: Progress, about: str) -> str:
    """Name a bar by its own name, if it has one, and by what it is about, which may come from data."""
    own = progress.keywords.get("desc") if isinstance(progress, partial) else None
    return printable(f"{own}, {about}" if own else about)


def _is_bar(progress: Progress) -> bool:
    """Tell whether progress is one of tqdm's bars, which may begin with any count and have a name."""
    bar = progress.func if isinstance(progress, partial) else progress
    return isinstance(bar, type) and any(one.__module__.startswith("tqdm.") for one in bar.__mro__)
