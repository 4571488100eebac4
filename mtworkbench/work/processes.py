"""Units of work in several processes of this machine: those of loky, joblib's backend."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, as_completed
from contextlib import contextmanager
from multiprocessing import resource_tracker
from typing import Any, Protocol

from mtworkbench.errors import InputError
from mtworkbench.work.units import Compute, Unit, begin_here, compute_here, pack

# Each process computes with one thread: more would only wait for each other.
ONE_THREAD = dict.fromkeys(
    (
        *("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "BLIS_NUM_THREADS"),
        *("VECLIB_MAXIMUM_THREADS", "NUMBA_NUM_THREADS", "NUMEXPR_NUM_THREADS"),
    ),
    "1",
)


class _Executor(Protocol):
    def shutdown(self, *, kill_workers: bool) -> None: ...


def compute_in_processes(
    n_workers: int, compute: Compute, shared: Any, parts: Sequence[Any]
) -> Iterator[tuple[int, Unit]]:
    """Compute units in processes that end when this is exhausted or closed.

    Yields
    ------
    (int, Unit)
        The place of a part and its unit, as they are finished.

    Raises
    ------
    InputError
        ``no-cluster`` where joblib is not installed; ``worker-died``; and those of `compute_unit`.
    """
    try:
        from joblib.externals.loky import ProcessPoolExecutor
    except ModuleNotFoundError as error:
        raise name_missing("joblib", "Several workers need") from error
    packed = pack(compute, shared)
    executor = ProcessPoolExecutor(
        min(n_workers, len(parts)), env=ONE_THREAD, initializer=begin_here, initargs=(packed, os.getpid())
    )
    try:
        with _interrupts_held():
            places = {executor.submit(compute_here, part): place for place, part in enumerate(parts)}
        for future in as_completed(places):
            yield places.pop(future), future.result()
    except BrokenExecutor as error:
        raise InputError(
            "worker-died",
            "A worker process of the study died: perhaps the memory was not enough, or somebody stopped it. The units "
            "that are finished are kept if the study has a folder, and the same command goes on from there; if memory "
            "is short, take fewer workers.",
        ) from error
    finally:
        _stop_workers(executor)


def _stop_workers(executor: _Executor) -> None:
    """End the workers, even if Ctrl-C is pressed again meanwhile: Python would wait for them at its end, for ever."""
    try:
        executor.shutdown(kill_workers=True)
    except KeyboardInterrupt:
        _stop_workers(executor)
        raise


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back until this ends.

    Processes that start meanwhile never see it. Where they shut it out themselves (`begin_here`), it is too late: while
    they still import, it would print a traceback for each.
    """
    if not hasattr(signal, "pthread_sigmask"):  # on Windows
        yield
        return
    resource_tracker.ensure_running()  # which lets Ctrl-C through again, when it starts
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def name_missing(package: str, needed_by: str) -> InputError:
    """Return the error that names the extra of a package that is not installed."""
    return InputError(
        "no-cluster",
        f"{needed_by} the package {package}, which is not installed: install the extra 'cluster' "
        "(pip install 'mtworkbench[cluster]').",
    )
