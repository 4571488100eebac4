"""Units of work on the workers of a Dask scheduler, on one machine or many."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterator, Sequence
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.version import __version__
from mtworkbench.work.processes import name_missing
from mtworkbench.work.units import Compute, Unit, check_version, compute_for_another, name_part, pack, unpack

if TYPE_CHECKING:
    from distributed import Client, Future

# How long to wait for a scheduler, at first and where it goes away, in seconds.
PATIENCE = 10


def compute_on_cluster(address: str, compute: Compute, shared: Any, parts: Sequence[Any]) -> Iterator[tuple[int, Unit]]:
    """Compute units on all workers of a scheduler, also those that come later.

    The data are sent to the scheduler once, as bytes, and workers have them from there or from each other. So they are
    not lost with a worker.

    Yields
    ------
    (int, Unit)
        The place of a part and its unit, as they are finished. Where this is closed, no further units are begun.

    Raises
    ------
    InputError
        ``no-cluster`` where dask.distributed is not installed; ``scheduler`` where the scheduler does not answer, or
        goes away; ``worker-died`` where several workers died of a unit; ``worker-version``; and those of
        `compute_for_another`.

    Warns
    -----
    DataWarning
        ``no-workers`` where the scheduler has no workers yet.
    """
    try:
        import dask
        from distributed import Client, as_completed
    except ModuleNotFoundError as error:
        raise name_missing("dask.distributed", "A study with a scheduler needs") from error
    packed = pack(compute, shared)
    seconds = f"{PATIENCE}s"
    settings = {
        "distributed.comm.timeouts.connect": seconds,
        "distributed.comm.retry.count": 0,
        "distributed.admin.large-graph-warning-threshold": "1TB",
    }
    with dask.config.set(settings), _silenced("distributed"):
        try:
            _ask_scheduler(address)
            client = Client(address, timeout=seconds, set_as_default=False)
        except (OSError, ValueError, TypeError, RuntimeError) as error:
            raise InputError(
                "scheduler",
                f"No Dask scheduler answered at {address!r} within {PATIENCE} seconds: start one (dask scheduler), or "
                "check the address that it prints.",
            ) from error
        futures = {}
        try:
            _check_workers(client, address)
            sent = client.submit(_receive, packed, pure=False)
            mapped = client.map(_compute_sent, [sent] * len(parts), parts, pure=False)
            futures = {future: place for place, future in enumerate(mapped)}
            del mapped
            patience = dict.fromkeys(range(len(parts)), PATIENCE)
            finished = as_completed(futures, loop=client.loop)
            for future in finished:
                place = futures.pop(future)
                try:
                    unit = _gather(future, parts[place], address, patience[place])
                except TimeoutError:
                    # Where a worker dies with a result, Dask computes it again, but may miss to say so: ask once more.
                    patience[place] *= 2
                    again = client.submit(_compute_sent, sent, parts[place], pure=False)
                    futures[again] = place
                    finished.add(again)
                else:
                    yield place, unit
        except Exception as error:
            if isinstance(error, InputError) or client.status != "closed":
                raise
            raise _name_lost(address) from error  # Dask has given the scheduler up between two steps
        finally:
            # What is wrong with the scheduler now must not hide what went wrong before, or that all is finished.
            with suppress(Exception):
                client.cancel(list(futures), force=True)
            with suppress(Exception):
                client.close(timeout=PATIENCE)


def _ask_scheduler(address: str) -> None:
    """See that a Dask scheduler answers: a Client would wait for ever for another kind of server.

    Raises
    ------
    OSError, ValueError, TypeError, RuntimeError
        Where none does.
    """
    from distributed.core import rpc
    from distributed.security import Security

    async def ask() -> None:
        arguments = Security().get_connection_args("client")
        async with rpc(address, timeout=PATIENCE, deserialize=False, connection_args=arguments) as scheduler:
            answer = await asyncio.wait_for(scheduler.identity(), PATIENCE)
        if answer.get("type") != "Scheduler":
            raise ValueError(f"there is a {answer.get('type')} of Dask")

    # In a thread, because a notebook has a loop that runs.
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, ask()).result()


def _check_workers(client: Client, address: str) -> None:
    """Wait for the first worker, and see that the workers that are there have this version of this package."""
    try:
        if not client.scheduler_info()["workers"]:
            message = (
                f"The Dask scheduler at {address!r} has no workers yet: the study begins when the first has come (dask "
                f"worker {address})."
            )
            DataWarning("no-workers", message).warn()
            client.wait_for_workers(1)
        answers = client.run(check_version, __version__, on_error="return")
    except (OSError, CancelledError) as error:
        raise _name_lost(address) from error
    for worker, answer in answers.items():
        if isinstance(answer, InputError):
            raise answer
        if isinstance(answer, Exception):
            raise _name_unable(f"The worker {worker}", str(answer)) from answer


def _gather(future: Future, part: object, address: str, patience: float) -> Unit:
    """Return the unit of a future that is finished, or raise what went wrong as one sentence.

    Raises
    ------
    InputError
    TimeoutError
        Where the unit does not come in so many seconds.
    """
    from distributed.scheduler import KilledWorker

    try:
        return future.result(timeout=patience)
    except (InputError, MemoryError, TimeoutError):
        raise
    except KilledWorker as error:
        raise InputError(
            "worker-died",
            f"Workers died repeatedly while they computed the unit {name_part(part)} of the study, perhaps for "
            "lack of memory. The units that are finished are kept if the study has a folder, and the same "
            "command goes on from there.",
        ) from error
    except (OSError, CancelledError) as error:
        raise _name_lost(address) from error
    except Exception as error:  # a unit raises none of these: the scheduler could not read what was sent
        cause = error.__cause__ or error
        reason = f"{type(cause).__name__}: {cause}"
        raise _name_unable(f"The scheduler {address} or a worker", reason) from error


def _name_lost(address: str) -> InputError:
    return InputError(
        "scheduler",
        f"The Dask scheduler at {address!r} has gone away. The units that are finished are kept if the study has a "
        "folder, and the same command goes on from there, with any scheduler.",
    )


def _name_unable(what: str, reason: str) -> InputError:
    return InputError(
        "worker-version",
        f"{what} cannot take the work ({reason}): install mtworkbench {__version__}, and the "
        "same version of Dask, for the scheduler and for all workers.",
    )


def _receive(packed: bytes) -> tuple[Compute, Any]:
    return unpack(packed)


def _compute_sent(sent: tuple[Compute, Any], part: Any) -> Unit:
    compute, shared = sent
    return compute_for_another(compute, shared, part)


@contextmanager
def _silenced(library: str) -> Iterator[None]:
    """Keep a library's log from the terminal: what matters is said in one sentence."""
    names = [name for name in logging.root.manager.loggerDict if name.split(".")[0] == library]
    levels = {logger: logger.level for logger in map(logging.getLogger, names)}
    for logger in levels:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in levels.items():
            logger.setLevel(level)
