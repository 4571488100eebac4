"""Units of work on the workers of a Dask scheduler: some die, some come late."""

import logging
import os
import queue
import socket
import subprocess
import sys
import threading
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path

import numpy as np
import pytest

import mtworkbench as mtw
from mtworkbench.errors import InputError
from mtworkbench.work import Study, cluster
from tests.work.long_work import WORK
from tests.work.units import assert_same, compute, computed_in, share

distributed = pytest.importorskip("distributed", reason="needs the extra 'cluster'")
pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs signals and pipes in the file system"),
    pytest.mark.long,
]
ROOT = Path(__file__).parent.parent.parent
PARTS = range(12)


class Cluster:
    """A scheduler in a process of its own, and workers in theirs."""

    def __init__(self, processes, path):
        self.processes = processes
        file = path / "scheduler.json"
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", file)
        addresses = queue.SimpleQueue()
        self.reader = threading.Thread(target=self.read, args=(addresses,))
        self.reader.start()
        self.address = addresses.get()
        assert self.address is not None, "Dask's scheduler has ended"

    def read(self, addresses):
        """Read what the scheduler says until it is killed, and close the pipe, whatever happens meanwhile."""
        with self.scheduler.stderr as said:
            for line in said:
                if "Scheduler at:" in line:
                    addresses.put(line.split()[-1])
        addresses.put(None)

    def start(self, what, *arguments, listening=True, late=False):
        command = [sys.executable, "-m", f"distributed.cli.dask_{what}", *arguments, "--no-dashboard"]
        environment = os.environ | {"PYTHONPATH": str(ROOT), "CAME_LATE": "yes" if late else "no"}
        process = subprocess.Popen(
            command, env=environment, cwd=ROOT, text=True, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE if listening else subprocess.DEVNULL,
        )  # fmt: skip
        self.processes.callback(end, process)
        return process

    def add_worker(self, late=False):
        options = ("--no-nanny", "--nthreads", "1", "--host", "127.0.0.1")
        return self.start("worker", self.address, *options, listening=False, late=late)


def end(process):
    process.kill()
    process.wait()


@contextmanager
def start_cluster(path):
    with ExitStack() as processes:
        started = Cluster(processes, path)
        yield started
    started.reader.join()


@pytest.fixture(scope="module")
def dask(tmp_path_factory):
    """A scheduler with two workers."""
    with start_cluster(tmp_path_factory.mktemp("dask")) as started:
        started.add_worker()
        started.add_worker()
        with distributed.Client(started.address, set_as_default=False) as client:
            client.wait_for_workers(2)
        yield started


@pytest.fixture
def idle_dask(tmp_path):
    """A scheduler without workers, for this test alone."""
    with start_cluster(tmp_path) as started:
        yield started


@pytest.fixture
def traces(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


def test_a_dead_worker_and_a_late_one_change_nothing(dask, tmp_path, traces):
    """The second half ends only if the worker that came late computes a part of it, and it comes where one dies."""
    for name in ("fifo", "dying"):
        os.mkfifo(traces / name)
    shared = share(traces, kill_once=2, wait=[*range(6, 12)])

    def replace_the_dead():
        os.close(os.open(traces / "dying", os.O_RDONLY))
        dask.add_worker(late=True)

    threading.Thread(target=replace_the_dead, daemon=True).start()
    study = Study(tmp_path / "study", scheduler=dask.address)
    found = study.run(compute, shared, PARTS)
    parts, processes = computed_in(traces)
    assert set(parts) == {*PARTS}
    assert (traces / "killed").exists()
    assert len(processes) >= 2
    assert (study.n_found, study.n_computed) == (0, 12)
    again = Study(tmp_path / "study")
    assert_same(again.run(compute, shared, PARTS), found)
    assert again.n_found == 12
    assert_same(found, Study().run(compute, share(traces), PARTS))


def test_what_a_unit_raises_is_one_sentence(dask, traces):
    with pytest.raises(InputError, match=r"^There are too few\.$") as found:
        Study(scheduler=dask.address).run(compute, share(traces, wrong=3), PARTS)
    assert (found.value.code, found.value.line) == ("few-units", 3)
    with pytest.raises(InputError, match=r"^The unit 3 of the study failed with ZeroDivisionError \("):
        Study(scheduler=dask.address).run(compute, share(traces, fails=3), PARTS)


@pytest.fixture
def lose_once(monkeypatch):
    """Return a function that names units whose result does not come the first time, as where its worker has died."""
    lost = []
    gather = cluster._gather

    def lose(future, part, *more):
        if part in lost:
            lost.remove(part)
            raise TimeoutError
        return gather(future, part, *more)

    monkeypatch.setattr(cluster, "_gather", lose)
    return lost.extend


def test_a_result_that_does_not_come_is_asked_for_again(dask, traces, lose_once):
    lose_once([1, 1, 11])
    found = Study(scheduler=dask.address).run(compute, share(traces), PARTS)
    assert sorted(computed_in(traces)[0]) == sorted([*PARTS, 1, 1, 11])
    assert_same(found, Study().run(compute, share(traces), PARTS))


def test_an_error_that_does_not_come_is_asked_for_again(dask, traces, lose_once):
    lose_once([3])
    with pytest.raises(InputError, match=r"^There are too few\.$"):
        Study(scheduler=dask.address).run(compute, share(traces, wrong=3), PARTS)
    assert computed_in(traces)[0].count(3) == 2


@pytest.mark.parametrize("step", ["cancel", "close"])
def test_a_scheduler_that_fails_at_the_end_hides_nothing(dask, traces, monkeypatch, step):
    do = getattr(distributed.Client, step)

    def fail(client, *arguments, **more):
        was_closed = client.status == "closed"  # as where Python collects it, and calls this once more
        do(client, *arguments, **more)
        if not was_closed:
            raise TimeoutError

    monkeypatch.setattr(distributed.Client, step, fail)
    with pytest.raises(InputError, match=r"^There are too few\.$"):
        Study(scheduler=dask.address).run(compute, share(traces, wrong=3), PARTS)


def test_a_scheduler_that_is_given_up_between_two_steps_is_one_sentence(dask, traces, monkeypatch):
    def give_up(future, part, *more):
        future.client.close()
        raise TimeoutError  # and so the unit is submitted again, to nobody

    monkeypatch.setattr(cluster, "_gather", give_up)
    with pytest.raises(InputError, match=r"^The Dask scheduler at .* has gone away\."):
        Study(scheduler=dask.address).run(compute, share(traces), PARTS)


def test_workers_of_another_version_are_refused(dask, traces, monkeypatch):
    monkeypatch.setattr(cluster, "__version__", "0.0.1")
    with pytest.raises(InputError, match="the study is one of mtworkbench 0.0.1: install the same version") as found:
        Study(scheduler=dask.address).run(compute, share(traces), PARTS)
    assert found.value.code == "worker-version"


def test_work_that_a_worker_cannot_read_is_one_sentence(dask, traces, monkeypatch):
    monkeypatch.setattr(compute, "__module__", "tests.work.absent")
    monkeypatch.setitem(sys.modules, "tests.work.absent", sys.modules[share.__module__])
    with pytest.raises(
        InputError, match=r"^A worker cannot read the work \(No module named 'tests.work.absent'"
    ) as found:
        Study(scheduler=dask.address).run(compute, share(traces), PARTS)
    assert found.value.code == "cannot-send"


@pytest.mark.filterwarnings("ignore::mtworkbench.DataWarning")
@pytest.mark.parametrize("name", WORK)
def test_the_numbers_are_those_of_one_process(dask, name):
    assert WORK[name](Study(scheduler=dask.address)) == WORK[name](None)


@pytest.mark.filterwarnings("ignore::mtworkbench.DataWarning")
def test_equal_parts_are_units_of_their_own(dask, traces):
    found = Study(scheduler=dask.address).run(compute, share(traces), [2, 2])
    assert len(computed_in(traces)[0]) == 2
    [expected] = Study().run(compute, share(traces), [2])
    for unit in found:
        np.testing.assert_array_equal(unit["products"], expected["products"])


def test_what_the_scheduler_cannot_read_is_one_sentence():
    class Unreadable:
        def result(self, timeout):
            raise ValueError("odd bytes")

    with pytest.raises(
        InputError, match=r"^The scheduler tcp://x or a worker cannot take the work .*odd bytes"
    ) as found:
        cluster._gather(Unreadable(), 1, "tcp://x", 1)
    assert found.value.code == "worker-version"


def test_only_the_log_of_dask_is_silenced():
    names = ["distributed.of_this_test", "other.of_this_test"]
    before = [logging.getLogger(name).level for name in names]
    with cluster._silenced("distributed"):
        silenced, heard = (logging.getLogger(name).isEnabledFor(logging.ERROR) for name in names)
    assert (silenced, heard) == (False, True)
    assert [logging.getLogger(name).level for name in names] == before


def test_many_numbers_are_sent(dask, traces):
    """More than the 10 MB of which Dask would warn."""
    numbers = np.arange(2_000_000.0)
    [found] = Study(scheduler=dask.address).run(compute, share(traces, numbers=numbers), [2])
    np.testing.assert_array_equal(found["products"], 2 * numbers)


def test_a_scheduler_that_does_not_answer_is_one_sentence(traces, monkeypatch):
    monkeypatch.setattr(cluster, "PATIENCE", 1)
    with pytest.raises(InputError, match=r"^No Dask scheduler answered at 'tcp://127.0.0.1:1'") as found:
        Study(scheduler="tcp://127.0.0.1:1").run(compute, share(traces), PARTS)
    assert found.value.code == "scheduler"


def test_a_study_waits_for_its_first_worker_and_says_that_the_scheduler_has_gone_away(
    idle_dask, tmp_path, traces, monkeypatch
):
    codes = []

    def start_worker(warning, *where):
        codes.append(warning.code)
        assert "has no workers yet: the study begins when the first has come" in str(warning)
        idle_dask.add_worker()

    with warnings.catch_warnings():
        warnings.simplefilter("always", mtw.DataWarning)
        warnings.showwarning = start_worker
        found = Study(scheduler=idle_dask.address).run(compute, share(traces), PARTS)
    assert codes == ["no-workers"]
    assert_same(found, Study().run(compute, share(traces), PARTS))

    # What is finished is kept.
    def kill_scheduler(units):
        for number, unit in enumerate(units):
            if number == 3:
                idle_dask.scheduler.kill()
            yield unit

    monkeypatch.setattr(cluster, "PATIENCE", 5)  # seconds: on a busy machine it has to answer within them, too
    study = Study(tmp_path / "study", scheduler=idle_dask.address, progress=kill_scheduler)
    os.mkfifo(traces / "fifo")
    with pytest.raises(
        InputError, match=r"^The Dask scheduler at .* has gone away\. .* the same command goes on"
    ) as gone:
        study.run(compute, share(traces, wait=[10]), PARTS)  # part 10 never ends by itself
    assert gone.value.code == "scheduler"
    assert 3 <= len([*(tmp_path / "study").rglob("*.unit")]) < 12


def test_a_server_that_is_no_scheduler_is_told(monkeypatch):
    """A server that takes the connection and never says a word: a Client would wait for ever."""
    monkeypatch.setattr("mtworkbench.work.cluster.PATIENCE", 1)
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(mtw.InputError, match="No Dask scheduler answered at"):
            Study(scheduler=address).run(compute, {}, PARTS)


@pytest.mark.parametrize("address", ["http://127.0.0.1:1", "tcp://127.0.0.1", "tcp://127.0.0.1:1"])
def test_an_address_of_nothing_is_told_in_one_sentence(monkeypatch, address):
    monkeypatch.setattr("mtworkbench.work.cluster.PATIENCE", 1)
    with pytest.raises(mtw.InputError, match="No Dask scheduler answered at"):
        Study(scheduler=address).run(compute, {}, PARTS)
