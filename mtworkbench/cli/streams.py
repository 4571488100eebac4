"""What goes to standard output and standard error, and what is noticed in the data on the way."""

from __future__ import annotations

import contextlib
import io
import os
import shutil
import sys
import warnings
from collections.abc import Callable, Collection, Iterable, Iterator
from contextvars import ContextVar
from functools import partial
from typing import Any, TextIO

from mtworkbench.errors import DataWarning, ReadAs
from mtworkbench.outputs.checks.report import DOUBTS

SECONDS_BETWEEN_LINES = 60
# How far work has come, as tqdm's bar_format.
LINE = "{desc}: {n_fmt} of {total_fmt} {unit}s"
# Whether only errors are said.
_quiet: ContextVar[bool] = ContextVar("_quiet", default=False)


@contextlib.contextmanager
def hushed(quiet: bool) -> Iterator[None]:
    """Say only errors while this is done, if it is asked for (``--quiet``)."""
    before = _quiet.set(quiet)
    try:
        yield
    finally:
        _quiet.reset(before)


def make_bar(work: str, unit: str) -> Callable[[Iterable], Iterable]:
    """Return what shows on a terminal, and in no pipe, how far a piece of long work has come."""
    if _quiet.get() or sys.stderr is None or not sys.stderr.isatty():
        return iter
    from tqdm import tqdm

    size = shutil.get_terminal_size()  # tqdm alone shows nothing on a terminal that does not tell its size
    shape = {"ncols": size.columns, "nrows": size.lines}
    return partial(tqdm, desc=work, unit=unit, unit_scale=unit == "draw", leave=False, delay=0.5, **shape)


def make_lines(work: str, unit: str, delay: float = 0) -> Callable[[Iterable], Iterable]:
    """Return what shows how far long work has come: a bar on a terminal, elsewhere a line now and then."""
    if sys.stderr is None or sys.stderr.isatty():
        return make_bar(work, unit)
    from tqdm import tqdm

    class Lines(tqdm):
        """A bar whose every state is a line."""

        @staticmethod
        def status_printer(file: TextIO) -> Callable[[str], None]:
            """Return what shows a state, once."""
            told = [""]

            def show(line: str) -> None:
                if line not in ("", told[0]):
                    told[:] = [line]
                    mention(line)

            return show

        @property
        def format_dict(self) -> dict[str, object]:
            """The state, and how to write it: with the time left, if work is left and the time is known."""
            state = super().format_dict
            is_known = state["initial"] < state["n"] < state["total"] and state["elapsed"] > 0
            return state | {"bar_format": f"{LINE}, {{remaining}} left" if is_known else LINE}

    # What a bar writes besides, to end its line, goes nowhere.
    return partial(Lines, desc=work, unit=unit, mininterval=SECONDS_BETWEEN_LINES, delay=delay, file=io.StringIO())


# What is worth saying only before the work that it is about, whatever becomes of the result.
AT_ONCE = ("long-segment",)


class Notices(list[DataWarning]):
    """What was noticed in the data, and the codes of the doubts that the result says."""

    def __init__(self) -> None:
        super().__init__()
        self.said: set[str] = set()


@contextlib.contextmanager
def collect_notices(shown: bool = True, ignored: Collection[str] = (), says_doubts: bool = False) -> Iterator[Notices]:
    """Collect what is noticed in the data, each once; where it is not part of the result, say it at once.

    Parameters
    ----------
    shown : bool
        Whether to say it at once; what warns of long work is said in any case.
    ignored : collection of str
        Codes of warnings that have nothing to do with the result.
    says_doubts : bool
        Whether the result says doubts: then they wait for the end of the work, and only those that it does not say,
        by `Notices.said`, are said.
    """
    waiting: list[DataWarning] = []
    notices = Notices()
    with warnings.catch_warnings():
        warnings.simplefilter("always", DataWarning)
        show_other = warnings.showwarning

        def show(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
            if not isinstance(message, DataWarning):
                if not _quiet.get():
                    show_other(message, category, *place, **more)
            elif message.code not in ignored and str(message) not in map(str, notices):
                notices.append(message)
                if says_doubts and message.code in DOUBTS:
                    waiting.append(message)
                elif isinstance(message, ReadAs):  # what is certain is for who waits at a terminal
                    if shown and (message.guessed or (sys.stderr is not None and sys.stderr.isatty())):
                        mention(str(message))
                elif shown or message.code in AT_ONCE:
                    mention(f"warning: {message}")

        warnings.showwarning = show
        try:
            yield notices
        finally:
            for one in waiting:
                if one.code not in notices.said:
                    mention(f"warning: {one}")


def takes_colours() -> bool:
    """Tell whether standard output is a terminal that shows colours, and whose user wants them (no-color.org)."""
    on_terminal = sys.stdout is not None and sys.stdout.isatty()
    return on_terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def deliver(text: str) -> int:
    """Write the result to standard output; return the exit status."""
    if sys.stdout is None:  # closed by whoever started the program
        return refuse("The result cannot be written to standard output: it is closed.")
    try:
        write(sys.stdout, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        discard(sys.stdout)
        return refuse(f"The result cannot be written to standard output: {error.strerror}.")
    return 0


def refuse(sentence: str) -> int:
    """Tell what is wrong; return the exit status."""
    tell(f"error: {sentence}")
    return 2


def fail(sentence: str | None) -> int:
    """Tell what a script asked for, where it was found; return the exit status: 0 where nothing was."""
    if sentence:
        tell(sentence)
    return int(sentence is not None)


def mention(sentence: str) -> None:
    """Write to standard error what is no error: a warning, how files were read, how far work has come."""
    if not _quiet.get():
        tell(sentence)


def tell(sentence: str) -> None:
    """Write a sentence to standard error, with nothing in it that steers a terminal."""
    if not sentence.isprintable():
        from mtworkbench.tables import printable

        sentence = printable(sentence)
    try:
        write(sys.stderr, f"mtworkbench: {sentence}\n")
    except OSError:  # where nobody listens, the work is done all the same
        discard(sys.stderr)


def write(stream: TextIO | None, text: str) -> None:
    """Write to a standard stream now; what its encoding lacks is written as an escape."""
    if stream is None:  # closed by whoever started the program
        return
    if isinstance(stream, io.TextIOWrapper) and text:
        stream.reconfigure(errors="backslashreplace")
    stream.write(text)
    stream.flush()


def discard(stream: TextIO) -> None:
    """Send what is still in a standard stream's buffer nowhere, or Python would complain of it when it ends."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
