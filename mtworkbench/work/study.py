"""A study: work in parts of fixed size, computed here, in several processes or on a cluster, and kept in a folder."""

from __future__ import annotations

import operator
import os
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from secrets import randbits
from typing import TypeVar

from mtworkbench.errors import InputError
from mtworkbench.progress import Progress, shown_steps
from mtworkbench.work.kept import UnitFolder, digest_unit
from mtworkbench.work.units import Unit, compute_unit

Shared = TypeVar("Shared")
Part = TypeVar("Part")
Rng = TypeVar("Rng")
# As where no study is: see `mtworkbench.resampling.resolve_rng`.
SEED_BITS = 53


class Study:
    """Where long work is computed, and where what is finished is kept, so that it goes on after an interruption.

    It is given to functions whose work is long, such as `calibrate`, as ``study=``. They divide their work into units
    that draw random numbers of their own, so that the numbers are the same for any number of workers, and the same as
    without a study.

    Parameters
    ----------
    folder : path, optional
        Where finished units are kept; None: nowhere. Their files are found by what they compute: by the function, the
        version and code of this package, the data, and the part. So one folder serves many studies, and no unit is
        computed again because of another. To free the space, remove the folder.
    workers : int
        Processes on this machine; more than one needs the extra ``cluster`` (joblib).
    scheduler : str, optional
        The address of a Dask scheduler, such as ``"tcp://192.168.0.5:8786"``, whose workers do the work instead; it
        needs the extra ``cluster``. The workers need the same version of this package. They may come and go.
    progress : callable, optional
        Shows how many units are finished, such as ``tqdm`` or ``mtw.show_progress("calibration")``.

    Attributes
    ----------
    n_found : int
        Units that were found in the folder so far.
    n_computed : int
        Units that were computed so far.

    Raises
    ------
    InputError
        Where the number of workers or the address is not what it should be.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str] | None = None,
        *,
        workers: int = 1,
        scheduler: str | None = None,
        progress: Progress | None = None,
    ):
        self.folder = None if folder is None else os.fspath(folder)
        self.workers = _check_workers(workers)
        self.scheduler = _check_scheduler(scheduler, self.workers)
        self.progress = progress
        self.n_found = self.n_computed = 0

    def keep_seed(self) -> int:
        """Return the seed of what is drawn without one: that kept in the folder, or a fresh one, which is kept there.

        So a study whose seed nobody chose goes on with the same draws after an interruption.

        Raises
        ------
        InputError
            Where what is kept is not a seed (``seed``).

        Warns
        -----
        DataWarning
            ``study-not-written`` where the seed cannot be kept.
        """
        return randbits(SEED_BITS) if self.folder is None else UnitFolder(self.folder).keep_seed(randbits(SEED_BITS))

    def run(
        self,
        compute: Callable[[Shared, Part], Unit],
        shared: Shared,
        parts: Sequence[Part],
        *,
        reads: Callable[[Shared, Part], Sequence[object]] | None = None,
        progress: Progress | None = None,
        about: str | None = None,
    ) -> list[Unit]:
        """Compute units of work, apart from those that are kept.

        Parameters
        ----------
        compute : callable
            ``compute(shared, part)``, at the top of a module; returns arrays of numbers or texts by their names. It
            must depend on nothing else, and should take some seconds.
        shared : object
            What all units need, such as statistics: sent once to each worker.
        parts : sequence
            What each unit is: numbers and texts, or tuples of these.
        reads : callable, optional
            ``reads(shared, part)``: those of the shared data that a unit needs, in a list, so that it is found again
            where others have changed; None: all of them.
        progress : callable, optional
            Instead of the study's own.
        about : str, optional
            Which of several pieces of work this is, such as the name of a metric: shown if the study's own progress is
            a bar of tqdm.

        Returns
        -------
        list of dict of str to ndarray
            The units in the order of their parts.

        Raises
        ------
        InputError
            What a unit raises; ``unit-failed`` in place of any other exception; ``worker-died``; ``no-cluster`` where
            a package is not installed; ``scheduler`` where the scheduler does not answer; ``worker-version``;
            ``no-digest`` and ``cannot-send`` where the data are not such as can be kept or sent.

        Warns
        -----
        DataWarning
            ``damaged-unit``, ``study-not-written`` and, where others may write to the folder, ``not-own``: the results
            are right all the same.
        """
        parts = list(parts)
        kept = None if self.folder is None else UnitFolder(self.folder)
        keys = [] if kept is None else digest_unit(compute, shared, parts, reads)
        units: list[Unit | None] = [None] * len(parts) if kept is None else kept.find(keys)
        missing = [place for place, unit in enumerate(units) if unit is None]
        n_found = len(parts) - len(missing)
        self.n_found += n_found
        with (
            shown_steps(progress or self.progress, len(parts), n_found, None if progress else about) as step,
            closing(self._compute(compute, shared, [parts[place] for place in missing])) as computed,
        ):
            for number, unit in computed:
                place = missing[number]
                units[place] = unit
                if kept is not None:
                    kept.keep(keys[place], unit)
                self.n_computed += 1
                step(1)
        return [unit for unit in units if unit is not None]

    def __repr__(self) -> str:
        where = f"scheduler={self.scheduler!r}" if self.scheduler is not None else f"workers={self.workers}"
        return f"Study({self.folder!r}, {where})"

    def _compute(
        self, compute: Callable[[Shared, Part], Unit], shared: Shared, parts: list[Part]
    ) -> Generator[tuple[int, Unit], None, None]:
        """Yield the place of each part, and its unit, as they are finished."""
        if not parts:
            return
        if self.scheduler is not None:
            from mtworkbench.work.cluster import compute_on_cluster

            yield from compute_on_cluster(self.scheduler, compute, shared, parts)
        elif self.workers > 1:
            from mtworkbench.work.processes import compute_in_processes

            yield from compute_in_processes(self.workers, compute, shared, parts)
        else:
            for place, part in enumerate(parts):
                yield place, compute_unit(compute, shared, part)


def choose_seed(rng: Rng | None, study: Study | None) -> Rng | int | None:
    """Return what is given as ``rng=``; where that is nothing and there is a study, the seed that the study keeps.

    Raises
    ------
    InputError
        Where what is given as ``study=`` is something else (``not-a-study``), such as the path of a folder.
    """
    if study is not None and not isinstance(study, Study):
        raise InputError(
            "not-a-study",
            f"study is of type {type(study).__name__}, but a Study was expected, such as mtw.Study('folder').",
        )
    return study.keep_seed() if rng is None and study is not None else rng


def _check_workers(workers: int) -> int:
    try:
        number = operator.index(workers)
    except TypeError:
        number = 0
    if isinstance(workers, bool) or number < 1:
        raise InputError("workers", f"workers is {workers!r}, but a whole number of at least 1 was expected.")
    return number


def _check_scheduler(scheduler: str | None, workers: int) -> str | None:
    if scheduler is None:
        return None
    if not isinstance(scheduler, str) or "://" not in scheduler:
        raise InputError(
            "scheduler",
            f"The scheduler is {scheduler!r}, but an address as Dask's scheduler prints it was expected, such as "
            "'tcp://127.0.0.1:8786'.",
        )
    if workers > 1:
        raise InputError(
            "scheduler",
            f"Both a scheduler and {workers} workers were asked for, but the scheduler has workers of its own: give "
            "one or the other.",
        )
    return scheduler
