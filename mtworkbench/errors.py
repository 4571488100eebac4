"""What is wrong with an input, said in one sentence that a person can act on."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable
from types import FrameType
from typing import Any

from mtworkbench.characters import printable


class _Sent:
    """What can be pickled: exceptions with several arguments cannot, unless they say how they are made again."""

    args: tuple[object, ...]

    def __reduce__(self) -> tuple[Callable[..., object], tuple[Any, ...]]:
        return _receive, (type(self), self.args, vars(self))


def _receive(kind: type, arguments: tuple[Any, ...], known: dict[str, Any]) -> object:
    """Make an exception again that another process has raised."""
    made = kind.__new__(kind, *arguments)
    vars(made).update(known)
    return made


class InputError(_Sent, ValueError):
    """An input that cannot be used as it is.

    Parameters
    ----------
    code : str
        Short name of the fault, such as ``"count-mismatch"``; the one to pass to ``accept``
        where the fault can be accepted.
    message : str
        One full sentence: what was found, where, what was expected, what to do.
    path : str, optional
        The file, as the user named it.
    line : int, optional
        Line in the file, counted from 1.
    found, expected, hint : str, optional
        The parts of the sentence, for programs.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        found: str | None = None,
        expected: str | None = None,
        hint: str | None = None,
    ):
        super().__init__(message)
        self.code = code
        self.path = path
        self.line = line
        self.found = found
        self.expected = expected
        self.hint = hint

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback: the sentence says what to do."""
        return [printable(f"{type(self).__name__}: {self}")]


class DataWarning(_Sent, UserWarning):
    """Something in the data that the user should know of; nothing was changed without a word.

    Parameters
    ----------
    code : str
        Short name of what was noticed, such as ``"crlf"``.
    message : str
        One full sentence.
    path : str, optional
        The file.
    line : int, optional
        The first line concerned, counted from 1.
    count : int, optional
        How many lines, segments or systems are concerned.
    """

    def __init__(
        self, code: str, message: str, *, path: str | None = None, line: int | None = None, count: int | None = None
    ):
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.line = line
        self.count = count

    def warn(self, *, stacklevel: int | None = None) -> None:
        """Warn of it, at the line that called the package, however deep in it this is called.

        ``stacklevel`` may name another line: that of `warnings.warn`, as if it were called where this is.
        """
        warnings.warn(self, stacklevel=_level_of_caller() if stacklevel is None else stacklevel + 1)


def _level_of_caller() -> int:
    """Return the `stacklevel` of the line that called the package, for a warning of the function that calls this."""
    package = __name__.partition(".")[0]
    level = of_package = 0
    frame: FrameType | None = sys._getframe(1)
    while frame is not None:
        level += 1
        if str(frame.f_globals.get("__name__")).partition(".")[0] == package:
            of_package = level
        frame = frame.f_back
    return of_package + 1


class ReadAs(DataWarning):
    """What was read: systems, runs, documents and segments.

    Parameters
    ----------
    code, message : str
    found : dict of str to int or None
        The numbers.
    guessed : bool
        Whether it had to be guessed from the names of files.
    """

    def __init__(self, code: str, message: str, found: dict[str, int | None], *, guessed: bool):
        super().__init__(code, message)
        self.found = found
        self.guessed = guessed
