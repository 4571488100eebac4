"""What controls set going: how it is waited for, interrupted and refused, and an answer that follows the controls."""

from __future__ import annotations

import asyncio
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from threading import current_thread, main_thread
from typing import Any

import ipywidgets

from mtworkbench.errors import InputError
from mtworkbench.progress import bars_on
from mtworkbench.tables import printable
from mtworkbench.widgets.pictures import show_with_copy
from mtworkbench.widgets.screen import Screen


class Stopped(KeyboardInterrupt):
    """The user stopped a cell: IPython shows one sentence in place of a traceback, and runs no further cell."""

    def _render_traceback_(self) -> list[str]:
        return [str(self)]


class Worker(ABC):
    """What works when a control asks for it, and shows on a screen what it found; both stand in ``_box``.

    While it works, what was found before is pale, and after a second the screen says how far the work is.
    """

    def __init__(self) -> None:
        self._screen, self._complaints = Screen(), ipywidgets.Output()
        self._box: ipywidgets.Widget
        self._loop = _find_loop()

    @abstractmethod
    def _make_copy(self) -> tuple[str, str]:
        """Return what readers without a kernel see, as HTML and in words."""

    @abstractmethod
    def _go_back(self) -> None:
        """Leave things as they were before work that was not finished."""

    @abstractmethod
    def _refuse(self, sentence: str, code: str = "") -> None:
        """Say why there is no answer; the code is that of an `InputError`."""

    def _ipython_display_(self) -> None:
        show_with_copy(self._box, self._screen, self._make_copy)

    def _do(self, work: Callable[[], object], dim: Callable[[], object]) -> None:
        """Do what was asked for, where an interrupt reaches it; before, make pale what it will replace."""
        _run_where_interrupts_reach(self._loop, partial(self._do_or_go_back, work, dim))

    def _do_or_go_back(self, work: Callable[[], object], dim: Callable[[], object]) -> None:
        self._complaints.outputs = ()
        with self._complaints:
            dim()
            try:
                with bars_on(self._screen.show_progress):
                    work()
            except KeyboardInterrupt:
                self._go_back()
                self._refuse("This was interrupted.")
            except InputError as error:
                self._go_back()
                self._refuse(printable(str(error)), error.code)
            except Exception:
                self._go_back()
                raise
            finally:
                self._brighten()

    def _brighten(self) -> None:
        """Show that no answer is on its way."""
        self._screen.waiting, self._screen.progress = False, ""


class Follower(Worker):
    """Controls above an answer, which is made again when a control is moved.

    Where the work is interrupted or goes wrong, the controls go back to what the answer on the screen belongs to, and a
    sentence says so.

    Parameters
    ----------
    controls : mapping of str to ipywidgets.Widget
    """

    def __init__(self, controls: Mapping[str, ipywidgets.Widget]):
        super().__init__()
        self.controls = dict(controls)
        self.sentence = ""
        self._start = self._asked
        # What the answer on the screen belongs to.
        self._drawn_for: dict[str, Any] | None = None
        self._waits = False
        for control in self.controls.values():
            control.observe(self._follow, "value")

    @abstractmethod
    def _answer(self, asked: dict[str, Any], change: dict[str, Any] | None) -> bool:
        """Show what is asked for; tell whether the screen belongs to it now. The change is that of one control."""

    @property
    def _asked(self) -> dict[str, Any]:
        """What each control is set to."""
        return {name: control.value for name, control in self.controls.items()}

    def _begin(self) -> None:
        """Answer for the first time, while the cell runs in which what goes wrong belongs."""
        try:
            self._answer_asked(None)
        except KeyboardInterrupt:
            raise Stopped("This was interrupted before there was anything to show: run the cell again.") from None

    def reset(self) -> None:
        """Bring all controls back to where they started, and draw once."""
        self._set_controls(self._start)
        self._follow()

    def _set_controls(self, values: Mapping[str, Any]) -> None:
        """Move the controls without an answer."""
        self._waits = True
        try:
            for name, value in values.items():
                self.controls[name].value = value
        finally:
            self._waits = False

    def _follow(self, change: dict[str, Any] | None = None) -> None:
        """Answer what the controls ask for; if that goes wrong, go back, and say so until they are moved again."""
        if self._waits or self._asked == self._drawn_for:
            return
        self._do(partial(self._answer_asked, change), partial(self._dim, change))

    def _answer_asked(self, change: dict[str, Any] | None) -> None:
        asked = self._asked
        if self._answer(asked, change):
            self._drawn_for = asked

    def _go_back(self) -> None:
        """Bring the controls back to what the answer on the screen belongs to."""
        self._set_controls(self._drawn_for or self._start)

    def _dim(self, change: dict[str, Any] | None) -> None:
        """Make the old answer pale."""
        self._screen.waiting = True

    def _refuse(self, sentence: str, code: str = "") -> None:
        self._complaints.append_stdout(f"{sentence} The controls are back where they were.\n")


def _find_loop() -> asyncio.AbstractEventLoop | None:
    """Return the loop of the kernel's main thread, in which a cell runs; None where there is no kernel."""
    try:
        return asyncio.get_running_loop() if current_thread() is main_thread() else None
    except RuntimeError:
        return None


def _run_where_interrupts_reach(loop: asyncio.AbstractEventLoop | None, work: Callable[[], object]) -> None:
    """Run in the main thread, and return when it is done: JupyterLab moves controls in another thread, a subshell.

    No interrupt reaches that one, and pyplot's figures are safe in one thread alone.
    """
    if loop is None or current_thread() is main_thread():
        work()
        return
    done: Future[None] = Future()
    context = copy_context()  # says which message of the page is answered

    def run() -> None:
        # A kernel ignores interrupts while it has no message of its own.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            context.run(work)
            done.set_result(None)
        except BaseException as error:  # noqa: BLE001
            done.set_exception(error)
        finally:
            signal.signal(signal.SIGINT, before)

    loop.call_soon_threadsafe(run)
    done.result()
