"""Units of work in processes of this machine."""

import builtins
import os
import pickle
import sys

import pytest

import mtworkbench as mtw
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.work import Study
from tests.work.units import assert_same, compute, computed_in, hear, share

pytest.importorskip("joblib", reason="needs the extra 'cluster'")
PARTS = range(6)


@pytest.fixture
def traces(tmp_path):
    folder = tmp_path / "traces"
    folder.mkdir()
    return folder


def test_two_workers_find_the_same_with_one_thread_each(tmp_path, traces):
    expected = Study().run(compute, share(traces), PARTS)
    (traces / "computed").unlink()
    study = Study(tmp_path / "study", workers=2)
    found = study.run(compute, share(traces), PARTS)
    assert_same(found, expected)
    assert {str(unit["threads"]) for unit in found} == {"11"}
    parts, processes = computed_in(traces)
    assert sorted(parts) == [*PARTS]
    assert os.getpid() not in processes
    assert_same(Study(tmp_path / "study", workers=2).run(compute, share(traces), range(8))[:6], expected)
    assert len(computed_in(traces)[0]) == 8


@pytest.mark.skipif(sys.platform == "win32", reason="needs signals")
def test_workers_never_hear_an_interrupt_and_this_process_does_again():
    """Else each worker that Ctrl-C meets while it starts would print a traceback."""
    found = Study(workers=2).run(hear, None, [1, 2])
    assert [bool(unit["hears"]) for unit in found] == [False, False]
    assert hear(None, 1)["hears"]


def test_workers_end_even_if_interrupted_again(traces, monkeypatch):
    from joblib.externals.loky import ProcessPoolExecutor

    processes, ways = [], []

    def shut_down(executor, *arguments, shutdown=ProcessPoolExecutor.shutdown, **named):
        processes.append([*executor._processes.values()])
        ways.append(named)
        if len(processes) < 3:
            raise KeyboardInterrupt
        shutdown(executor, *arguments, **named)

    monkeypatch.setattr(ProcessPoolExecutor, "shutdown", shut_down)
    with pytest.raises(KeyboardInterrupt):
        Study(workers=2).run(compute, share(traces), PARTS)
    assert ways == [{"kill_workers": True}] * 3  # else a unit that is still computed would be waited for
    assert [process.is_alive() for process in processes[0]] == [False, False]


def test_an_input_error_stays_the_same(traces):
    with pytest.raises(InputError, match=r"^There are too few\.$") as found:
        Study(workers=2).run(compute, share(traces, wrong=3), PARTS)
    assert (found.value.code, found.value.path, found.value.line) == ("few-units", "units.txt", 3)


def test_another_exception_is_one_sentence(traces):
    sentence = (
        r"^The unit 3 of the study failed with ZeroDivisionError \(integer division or modulo by zero\): to see where, "
        r"compute it in one process, without workers\.$"
    )
    with pytest.raises(InputError, match=sentence) as found:
        Study(workers=2).run(compute, share(traces, fails=3), PARTS)
    assert found.value.code == "unit-failed"


def test_a_worker_that_dies_is_an_error_and_the_study_goes_on(tmp_path, traces):
    study = Study(tmp_path / "study", workers=2)
    shared = share(traces, kill_once=3)
    with pytest.raises(InputError, match=r"^A worker process of the study died: .* the same command goes on") as found:
        study.run(compute, shared, PARTS)
    assert found.value.code == "worker-died"
    n_kept = len([*(tmp_path / "study").rglob("*.unit")])
    again = Study(tmp_path / "study", workers=2)
    assert_same(again.run(compute, shared, PARTS), Study().run(compute, shared, PARTS))
    assert (again.n_found, again.n_computed) == (n_kept, 6 - n_kept)


def test_work_that_cannot_be_sent_is_named(traces):
    with pytest.raises(InputError, match=r"^The work cannot be sent to other processes .* at the top of a module"):
        Study(workers=2).run(lambda shared, part: {}, None, [1, 2])


def test_workers_of_another_version_are_refused(traces, monkeypatch):
    monkeypatch.setattr("mtworkbench.work.units.__version__", "0.0.1")
    with pytest.raises(InputError, match="the study is one of mtworkbench 0.0.1: install the same version") as found:
        Study(workers=2).run(compute, share(traces), PARTS)
    assert found.value.code == "worker-version"


@pytest.mark.parametrize(
    ("where", "package"), [({"workers": 2}, "joblib"), ({"scheduler": "tcp://127.0.0.1:1"}, "dask.distributed")]
)
def test_a_missing_package_names_the_extra(traces, monkeypatch, where, package):
    import_module = builtins.__import__

    def refuse(name, *more):
        if name.split(".")[0] in ("joblib", "dask", "distributed"):
            raise ModuleNotFoundError(f"No module named {name!r}")
        return import_module(name, *more)

    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(InputError, match=rf"the package {package}, which is not installed: .*mtworkbench\[cluster\]"):
        Study(**where).run(compute, share(traces), PARTS)


def test_errors_and_warnings_can_be_sent():
    error = pickle.loads(pickle.dumps(InputError("code", "A sentence.", path="x", line=2, hint="h")))
    assert (str(error), error.code, error.path, error.line, error.hint) == ("A sentence.", "code", "x", 2, "h")
    warning = pickle.loads(pickle.dumps(DataWarning("code", "A sentence.", count=2)))
    assert (str(warning), warning.message, warning.count) == ("A sentence.", "A sentence.", 2)


def test_a_study_is_public():
    assert mtw.Study is Study
