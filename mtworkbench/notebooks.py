"""The notebooks: open them in JupyterLab, and run them for their figures and tables.

The terminal's ``mtworkbench lab FOLDER`` is `open_lab`, ``mtworkbench figures`` is `make_figures`. Both need the
packages of ``mtworkbench[lab]``.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

from mtworkbench.errors import InputError
from mtworkbench.shipped import LAB_VARIABLE, SHIPPED, copy_files, warn_of_kept
from mtworkbench.writing import make_folder, replace_file

if TYPE_CHECKING:
    from nbformat import NotebookNode

# JupyterLab asks whether to fetch its news and look for newer versions, unless its defaults say otherwise.
_LAB_DEFAULTS = {"@jupyterlab/apputils-extension:notification": {"fetchNews": "false"}}
_SERVER_SETTINGS = """\
from mtworkbench.notebooks import keep_metadata

c.ContentsManager.pre_save_hook = keep_metadata
# To look whether it must be built anew takes JupyterLab seconds, in which it answers nothing. Nothing here needs that.
c.ServerApp.tornado_settings.update({"page_config_data": {"buildCheck": False, "buildAvailable": False}})
"""
_CELL_TIMEOUT = 1800
Started = TypeVar("Started")
#: So many seconds a kernel may take to answer. Two such times are less than a test may take.
START_TIMEOUT = 120
# Bytes of a path on macOS, the least that we know of; Jupyter puts a hyphen and a number behind what it is given.
_LONGEST_PATH = 103
# So many kernels run at a time at most: each takes some 500 MB.
_MOST_KERNELS = 4


def copy_shipped(folder: str | os.PathLike[str]) -> list[Path]:
    """Copy the notebooks, exercises, solutions, pages and data into a folder, laid out as in the repository.

    So the links between them lead from copy to copy, and a class can be held from the folder alone.

    Parameters
    ----------
    folder : path
        Made where it is missing. A file that is there already is never overwritten.

    Returns
    -------
    list of Path
        The files that were there already and differ from those that ship.

    Raises
    ------
    InputError
        Where the folder cannot be written to (code ``"cannot-write"``).
    """
    return [kept for name, patterns in SHIPPED.items() for kept in copy_files(name, Path(folder) / name, patterns)]


def open_lab(folder: str | os.PathLike[str] = "mtworkbench-lab") -> None:
    """Open JupyterLab on a folder with what ships (see `copy_shipped`); return when JupyterLab is stopped.

    It listens on a free port of 127.0.0.1 and asks for its token, which is in the address that it opens and prints. It
    does not ask about its news, unless the settings of the user say that it should; these are left as they are. It does
    not check whether it needs a rebuild; only extensions installed from source need one.

    Parameters
    ----------
    folder : path
        What ships is copied into it first, as `copy_shipped` does: files that the reader changed stay as they are.
        `find_shipped` in the notebooks finds the data of this folder.

    Raises
    ------
    InputError
        Where JupyterLab is not installed (code ``"no-lab"``) or the folder cannot be written to (``"cannot-write"``).

    Warns
    -----
    DataWarning
        Where files of the folder differ from those that ship and were kept (code ``"kept"``).
    """
    need_lab()
    from unittest.mock import patch

    with _quick_jupyter():
        from jupyterlab.labapp import LabApp

    warn_of_kept(copy_shipped(folder), folder)
    first = min(path.name for path in (Path(folder) / "notebooks").glob("*.ipynb"))
    options = [
        f"--ServerApp.root_dir={Path(folder).resolve()}",
        "--ServerApp.ip=127.0.0.1",
        f"--LabApp.default_url=/lab/tree/notebooks/{first}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")  # containers have no other user, and JupyterLab would refuse to start
    with tempfile.TemporaryDirectory() as settings:  # which goes when JupyterLab stops
        _write_settings(Path(settings))
        paths = os.pathsep.join(filter(None, [os.environ.get("JUPYTER_CONFIG_PATH"), settings]))
        # The kernels of JupyterLab inherit these, until it stops.
        with patch.dict(os.environ, {"JUPYTER_CONFIG_PATH": paths, LAB_VARIABLE: str(Path(folder).resolve())}):
            LabApp.launch_instance(options)


@contextmanager
def _quick_jupyter() -> Iterator[None]:
    """Let what Jupyter checks be loaded without the grammar of international web addresses.

    No notebook and no event has such an address to be checked, and to load that grammar takes 1.5 seconds: half of the
    time that JupyterLab needs to start. Where it is not installed, jsonschema does not check such addresses.
    """
    loaded = "rfc3987_syntax" in sys.modules
    if not loaded:
        sys.modules["rfc3987_syntax"] = None  # type: ignore[assignment]
    try:
        yield
    finally:
        if not loaded:
            del sys.modules["rfc3987_syntax"]


def _write_settings(folder: Path) -> None:
    """Write JupyterLab's settings that are not the user's."""
    (folder / "labconfig").mkdir()
    defaults = folder / "labconfig" / "default_setting_overrides.json"
    defaults.write_text(json.dumps(_LAB_DEFAULTS), encoding="utf-8")
    (folder / "jupyter_server_config.py").write_text(_SERVER_SETTINGS, encoding="utf-8")


def keep_metadata(path: str, model: dict[str, Any], contents_manager: Any) -> None:
    """Keep what the file of a notebook says of its kernel when Jupyter saves it.

    JupyterLab notes the version of Python when it opens a notebook and soon saves that by itself, so that a notebook
    that was only read would differ from the one that ships. Jupyter calls this before it saves.

    Parameters
    ----------
    path : str
        In the folder of JupyterLab.
    model : dict
        What will be saved; changed in place. Another kernel, which the reader chose, is saved.
    contents_manager : ContentsManager
        Of Jupyter's server.
    """
    if model["type"] != "notebook":
        return
    try:
        file = Path(contents_manager.root_dir) / path.strip("/")
        stored = json.loads(file.read_text(encoding="utf-8"))["metadata"]
        now = model["content"]["metadata"]
        if stored["kernelspec"]["name"] == now["kernelspec"]["name"]:
            now |= {name: stored[name] for name in ("kernelspec", "language_info")}
    except (OSError, ValueError, KeyError, TypeError):
        return  # a new notebook, or one that says nothing of its kernel


def make_figures(folder: str | os.PathLike[str] = "figures") -> list[Path]:
    """Run every notebook that ships and write each figure (PDF, SVG, PNG) and table (CSV, LaTeX) into a folder.

    A progress bar counts cells on a terminal. The notebooks themselves stay as they are.

    Parameters
    ----------
    folder : path
        Made where it is missing. Files of the same names are replaced as each notebook finishes, others are left.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        Where the packages of ``mtworkbench[lab]`` are not installed (code ``"no-lab"``) or the folder cannot be
        written to (``"cannot-write"``).
    nbclient.exceptions.CellExecutionError
        Where a cell of a notebook fails.
    """
    need_lab()
    written: dict[Path, str] = {}

    def gather(notebook: Path, _: NotebookNode) -> None:
        for file in sorted((notebook.parent / "figures").glob("*")):
            target = Path(folder) / file.name
            if target in written:
                raise RuntimeError(f"{written[target]} and {notebook.name} both write {file.name}.")
            replace_file(target, file.read_bytes())
            written[target] = notebook.name
            file.unlink()

    make_folder(folder)
    run_copies(gather)
    return list(written)


def run_copies(finish: Callable[[Path, NotebookNode], None]) -> None:
    """Run a copy of each notebook that ships in a scratch folder; `finish` gets its path there and its results.

    Several run at a time, one on each core; `finish` is called for one after another, in the order of their names.
    """
    with _quick_jupyter():
        import nbclient  # noqa: F401  # which the threads below would import
        import nbformat
    from tqdm import tqdm

    stopped = Event()

    def count(**_: object) -> None:
        if stopped.is_set():
            raise CancelledError
        bar.update()

    with tempfile.TemporaryDirectory() as scratch:
        copy_shipped(scratch)
        # Each has a folder of its own beside the data, in which no other one writes figures.
        paths = [_move_into_folder(path) for path in sorted((Path(scratch) / "notebooks").glob("*.ipynb"))]
        notebooks = {path: nbformat.read(path, as_version=4) for path in paths}
        n_cells = sum(cell.cell_type == "code" for notebook in notebooks.values() for cell in notebook.cells)
        n_cores = os.cpu_count() or 1
        pool = ThreadPoolExecutor(min(_MOST_KERNELS, n_cores))
        options = count, max(1, n_cores // _MOST_KERNELS)
        with tqdm(total=n_cells, unit="cell", disable=None) as bar:
            try:
                # The last ones take longest. If they began last, one core would have nothing to do at the end.
                running = {path: pool.submit(run_notebook, path, notebooks[path], *options) for path in reversed(paths)}
                for path, notebook in notebooks.items():
                    running[path].result()
                    finish(path, notebook)
            finally:
                stopped.set()  # those that still run end with their present cell
                pool.shutdown(cancel_futures=True)


def _move_into_folder(path: Path) -> Path:
    """Move a notebook into a folder of its own, beside that in which it was."""
    folder = path.parents[1] / path.stem
    folder.mkdir()
    return path.rename(folder / path.name)


def run_notebook(path: Path, notebook: NotebookNode, on_cell: Callable, n_threads: int = 1) -> None:
    """Run a notebook in its folder; its results are stored in `notebook`.

    Its kernel has so many threads, unless the environment says another number: threads that are more than the cores
    wait for each other, which may take ten times as long.
    """
    from nbclient import NotebookClient
    from traitlets.config import Config

    answers = []

    def execute() -> None:
        client = NotebookClient(
            notebook,
            kernel_name="python3",
            config=Config(KernelManager=kernel_settings()),
            timeout=_CELL_TIMEOUT,
            startup_timeout=START_TIMEOUT,
            extra_arguments=["--log-level=ERROR"],  # a kernel warns of ports, which are of this machine only
            resources={"metadata": {"path": str(path.parent)}},
            on_notebook_start=lambda **_: answers.append(True),
            on_cell_executed=on_cell,
        )
        # It closes the loop of its thread.
        asyncio.run(client.async_execute(env={"OMP_NUM_THREADS": str(n_threads)} | os.environ))

    try:
        start_once_more(execute, lambda: bool(answers))
    except Exception as error:
        error.add_note(f"This happened in the notebook {path.name}.")
        raise
    for failure in _widget_failures(notebook):
        raise RuntimeError(f"A widget of {path.name} failed: {failure}")


def kernel_settings() -> dict[str, str]:
    """Return settings of jupyter_client's `KernelManager` for one kernel, and for no other.

    Jupyter looks for free TCP ports, lets them go again, and tells the kernel to take them. Meanwhile the system may
    give them to another program. Then the kernel does not start, or its client is connected to the kernel of another
    program and waits. So the kernel and its client meet at files instead: nobody else has their names. Windows has no
    such files, and where the path of temporary files is too long for them, ports are used, too. Because of these, a
    kernel that does not answer is started once more.

    Jupyter makes the files, which are in the folder of temporary files, and removes them when the kernel is shut down.
    """
    files = os.path.join(tempfile.gettempdir(), f"mtworkbench-{secrets.token_hex(8)}")
    if sys.platform == "win32" or len(os.fsencode(f"{files}-5")) > _LONGEST_PATH:
        return {}
    return {"transport": "ipc", "ip": files}


def start_once_more(start: Callable[[], Started], answered: Callable[[], bool] = lambda: False) -> Started:
    """Call a function that starts a kernel; call it again if the first kernel does not answer.

    Parameters
    ----------
    start : callable
        Raises a RuntimeError if the kernel does not answer, as Jupyter does.
    answered : callable
        Tells whether the kernel has answered, so that the error has another cause.

    Returns
    -------
    object
        What ``start`` returns.
    """
    try:
        return start()
    except RuntimeError:
        if answered():
            raise
    return start()


def _widget_failures(notebook: NotebookNode) -> list[str]:
    """Find what went wrong inside widgets, which no cell reports."""
    views = notebook.metadata.get("widgets", {}).get("application/vnd.jupyter.widget-state+json", {})
    outputs = [output for model in views.get("state", {}).values() for output in model["state"].get("outputs", [])]
    return [f"{one['ename']}: {one['evalue']}" for one in outputs if one["output_type"] == "error"]


def need_lab() -> None:
    """Refuse to go on where a package of ``mtworkbench[lab]`` is not installed (code ``"no-lab"``)."""
    missing = [name for name in ("jupyterlab", "nbclient", "nbformat", "ipykernel") if find_spec(name) is None]
    if missing:
        raise InputError(
            "no-lab",
            f"The notebooks need {', '.join(missing)}, which is not installed: pip install 'mtworkbench[lab]'.",
            found=", ".join(missing),
        )
