"""Progress bars: what the keyword ``progress`` accepts in every function, and a named one for notebooks."""

from __future__ import annotations

import os
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sized
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from html import escape
from itertools import islice
from time import monotonic
from typing import Generic, Protocol, TypeGuard, TypeVar

from mtworkbench.characters import printable

Item = TypeVar("Item")
# A bar appears only where the work takes longer than this, and changes no more often than this, in seconds.
PATIENCE, PAUSE = 1, 0.2
# Where bars are shown while an explorer draws; the output of the cell where this is None.
_place: ContextVar[Callable[[str], object] | None] = ContextVar("_place", default=None)


class Progress(Protocol):
    """A wrapper of an iterable, such as ``tqdm``, that yields the same items and shows how many are done."""

    def __call__(self, items: Iterable[Item], /) -> Iterable[Item]:
        """Return an iterable of the same items; it is iterated only once."""


def show_progress(work: str) -> Progress:
    """Return a progress bar with a name, to be given as ``progress=``.

    It appears after one second of work, and disappears when the work is done or was stopped. While an explorer draws,
    the explorer shows it. No bar appears if the environment has ``TQDM_DISABLE``.

    Parameters
    ----------
    work : str
        What is being done, such as ``"BLEU"``; it stands in front of the bar.

    Returns
    -------
    Progress

    Examples
    --------
    >>> import mtworkbench as mtw
    >>> outputs = mtw.read_outputs("ref.txt", {"base": "base.txt", "new": "new.txt"})
    >>> statistics = mtw.compute_statistics(outputs, "ter", progress=mtw.show_progress("TER"))
    """
    disable = bool(os.environ.get("TQDM_DISABLE"))
    if is_in_notebook() and not disable:
        return partial(PageBar, desc=work)
    from tqdm import tqdm

    return partial(tqdm, desc=work, delay=PATIENCE, leave=False, disable=disable)


class PageBar(Generic[Item]):
    """A bar in a notebook, as HTML that is empty again when the work ends, however it ends.

    A widget, such as tqdm's, would be an error for whoever opens the notebook later, and red where a search stops early
    because it has found what it looked for.

    Parameters
    ----------
    items : iterable
    desc : str
        What is being done.
    initial : int
        Number of steps that were done before.
    total : int, optional
        Number of all steps; by default that of the items, where it is known.
    """

    def __init__(self, items: Iterable[Item], *, desc: str, initial: int = 0, total: int | None = None):
        self._items, self.desc, self.initial, self._begun = items, desc, initial, monotonic()
        self.total = len(items) if total is None and isinstance(items, Sized) else total

    def __iter__(self) -> Iterator[Item]:
        """Yield the items; show how many are done."""
        show, shown = _place.get() or _place_in_cell(), None
        try:
            for done, item in enumerate(self._items, 1):
                yield item
                now = monotonic()
                is_due = now - self._begun >= PATIENCE and (shown is None or now - shown >= PAUSE)
                if is_due and self.initial + done != self.total:
                    shown = now
                    show(self._write(done, now - self._begun))
        finally:
            if shown is not None:
                show("")

    def _write(self, done: int, seconds: float) -> str:
        """Write the bar as HTML, with the time that is left if the rest is as fast as what was done."""
        reached, name = self.initial + done, escape(printable(self.desc))
        if self.total is None:
            return f'<progress aria-label="{name}"></progress> {name}: {reached:,} done'
        left = seconds / done * (self.total - reached)
        return (
            f'<progress aria-label="{name}" value="{reached}" max="{self.total}"></progress> '
            f"{name}: {reached:,} of {self.total:,}, {_name_time(left)} left"
        )


def _name_time(seconds: float) -> str:
    return f"about {seconds / 60:,.0f} min" if seconds >= 90 else f"about {seconds:.0f} s"


def is_in_notebook() -> bool:
    """Tell whether what is displayed goes to a page, and not to a terminal."""
    # Where IPython was not imported, nothing runs in it.
    shell = sys.modules["IPython"].get_ipython() if "IPython" in sys.modules else None
    return getattr(shell, "kernel", None) is not None


@contextmanager
def bars_on(show: Callable[[str], object]) -> Iterator[None]:
    """Show all bars that begin in this context by calling `show` with HTML, and not in the output of the cell."""
    before = _place.set(show)
    try:
        yield
    finally:
        _place.reset(before)


def _place_in_cell() -> Callable[[str], None]:
    """Return what shows HTML in one output of the cell that runs."""
    from IPython.display import DisplayHandle

    handle = DisplayHandle()
    show = handle.display

    def replace(html: str) -> None:
        nonlocal show
        show({"text/html": html, "text/plain": ""}, raw=True)
        show = handle.update

    return replace


def ignore(count: int) -> None:
    """Do nothing: used where no progress is shown."""


@contextmanager
def shown_steps(
    progress: Progress | None, n_steps: int, n_done: int = 0, about: str | None = None
) -> Iterator[Callable[[int], object]]:
    """Show progress of work in batches: yields a function to call after each batch with the number of its steps.

    Steps that were done before, in another process, are counted at once, but not in the time that is left. A bar of
    ours or of tqdm has ``about`` after its name.
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
        deque(steps, maxlen=0)  # lets the bar finish, also where the work stopped early by design
    finally:
        steps.close()  # closes the bar after an interruption


def _name(progress: Callable[..., object], about: str) -> str:
    """Name a bar by its own name, if it has one, and by what it is about, which may come from data."""
    own = progress.keywords.get("desc") if isinstance(progress, partial) else None
    return printable(f"{own}, {about}" if own else about)


def _is_bar(progress: Progress) -> TypeGuard[Callable[..., Iterable[int]]]:
    """Tell whether progress is a bar of ours or tqdm's, which may begin with any count and have a name."""
    bar = progress.func if isinstance(progress, partial) else progress
    return isinstance(bar, type) and any(one is PageBar or one.__module__.startswith("tqdm.") for one in bar.__mro__)
