"""What controls set going: how it is waited for, interrupted and refused."""

from __future__ import annotations

import asyncio
import signal
from abc import ABC, abstractmethod
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import copy_context
from functools import partial
from threading import current_thread, main_thread

import ipywidgets

from mtworkbench.errors import InputError
from mtworkbench.progress import bars_on
from mtworkbench.tables import printable
from mtworkbench.widgets.screen import Screen, show_with_copy


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
