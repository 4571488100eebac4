"""How kernels are started: at files of their own, and once more where one does not answer."""

import os
import sys
import tempfile
from pathlib import Path
from types import SimpleNamespace

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from mtworkbench import notebooks

CONNECTION = """\
import json
from ipykernel.connect import get_connection_info
told = json.loads(get_connection_info())
"""


@pytest.fixture
def temporary(tmp_path, monkeypatch):
    """A folder of temporary files with a short path, for this process and its kernels; Jupyter keeps all in others."""
    with tempfile.TemporaryDirectory(prefix="t", dir="/tmp") as folder:
        monkeypatch.setattr(tempfile, "tempdir", folder)
        for name in ("TMPDIR", "JUPYTER_RUNTIME_DIR", "JUPYTER_DATA_DIR", "IPYTHONDIR"):
            monkeypatch.setenv(name, folder if name == "TMPDIR" else str(tmp_path / name))
        monkeypatch.chdir(tmp_path)
        yield Path(folder)


@pytest.mark.long
@pytest.mark.skipif(sys.platform == "win32", reason="needs sockets that are files")
def test_kernels_meet_their_clients_at_files_of_their_own_and_leave_none(tmp_path, temporary):
    prefixes = []
    for _ in range(2):
        cell = new_code_cell(f"{CONNECTION}print(told['transport'], told['ip'])")
        notebooks.run_notebook(tmp_path / "one.ipynb", new_notebook(cells=[cell]), lambda **_: None)
        transport, prefix = cell.outputs[0].text.split()
        assert transport == "ipc"
        prefixes.append(Path(prefix))
    assert {prefix.parent for prefix in prefixes} == {temporary}
    assert prefixes[0] != prefixes[1]
    assert list(temporary.iterdir()) == []
    assert [path.name for path in tmp_path.rglob("*") if path.is_socket() or path.match("*.json")] == []


@pytest.mark.skipif(sys.platform == "win32", reason="needs sockets that are files")
def test_where_there_can_be_no_such_files_kernels_have_ports(monkeypatch):
    """A path may have 103 bytes on macOS. The files end in -1 to -5."""
    random = len("/mtworkbench-0123456789abcdef-5")
    monkeypatch.setattr(tempfile, "tempdir", "/" + "é" * 35 + "x")
    assert len(os.fsencode(tempfile.tempdir)) + random == 103
    assert set(notebooks.kernel_settings()) == {"transport", "ip"}
    monkeypatch.setattr(tempfile, "tempdir", "/" + "é" * 36)
    assert notebooks.kernel_settings() == {}
    monkeypatch.setattr(tempfile, "tempdir", "/t")
    assert notebooks.kernel_settings()["ip"].startswith("/t/mtworkbench-")
    monkeypatch.setattr(notebooks.sys, "platform", "win32")
    assert notebooks.kernel_settings() == {}


@pytest.fixture
def silent(monkeypatch):
    """What clients of kernels that answer, or do not, have tried; the numbers are counted from 1."""
    tried, answers_not, fails_later = [], [], []

    class Client:
        def __init__(self, notebook, *, config, on_notebook_start, startup_timeout, **_):
            self.config, self.started = config, on_notebook_start
            assert 2 * startup_timeout < 300  # of pytest

        async def async_execute(self, *, env):
            tried.append(self.config.KernelManager.get("ip"))
            if len(tried) in answers_not:
                raise RuntimeError("Kernel didn't respond in 120 seconds")
            self.started(notebook=None)
            if len(tried) in fails_later:
                raise RuntimeError("Kernel died")

    monkeypatch.setattr("nbclient.NotebookClient", Client)
    return SimpleNamespace(tried=tried, answers_not=answers_not, fails_later=fails_later)


def run_empty(tmp_path):
    notebooks.run_notebook(tmp_path / "one.ipynb", new_notebook(), lambda **_: None)


def test_a_kernel_that_does_not_answer_is_started_once_more_elsewhere(tmp_path, silent):
    silent.answers_not.append(1)
    run_empty(tmp_path)
    first, second = silent.tried
    assert sys.platform == "win32" or first != second


def test_a_kernel_is_started_twice_at_most_and_once_if_it_has_answered(tmp_path, silent):
    silent.answers_not += [1, 2]
    with pytest.raises(RuntimeError, match="didn't respond in 120 seconds") as raised:
        run_empty(tmp_path)
    assert raised.value.__notes__ == ["This happened in the notebook one.ipynb."]
    assert len(silent.tried) == 2
    silent.fails_later.append(3)
    with pytest.raises(RuntimeError, match="Kernel died"):
        run_empty(tmp_path)
    assert len(silent.tried) == 3
