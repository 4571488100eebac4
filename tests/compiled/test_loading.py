"""Kernels are loaded when they pay, and work where nothing can be kept on disk."""

import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest

import mtworkbench as mtw
from mtworkbench import compiled
from mtworkbench.errors import DataWarning
from mtworkbench.metrics import ter

pytest.importorskip("numba")
PACKAGE = Path(compiled.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch):
    monkeypatch.setattr(compiled, "_missed", 0.0)
    monkeypatch.setattr(compiled, "_loaded", {})


def test_a_small_task_waits_for_nothing_and_many_small_ones_are_compiled():
    almost = compiled.SECONDS_TO_LOAD * 0.6
    assert compiled.load_kernels("word_splitting", saves=almost) is None
    assert compiled.load_kernels("word_splitting", saves=almost).__name__ == "mtworkbench.compiled.word_splitting"
    assert compiled.load_kernels("word_splitting", saves=0) is not None  # it is loaded now


def test_work_that_is_known_to_follow_repays_the_loading():
    half = compiled.SECONDS_TO_LOAD / 2
    with compiled.work_to_come(1), compiled.work_to_come(1):
        assert compiled.load_kernels("word_splitting", saves=half * 0.6) is None
        assert compiled._missed == half * 0.6  # what follows is not counted again when it is done
        assert compiled.load_kernels("word_splitting", saves=half * 0.6) is not None
    assert compiled._to_come == 0


@pytest.mark.parametrize("n_systems", [1, 4])
def test_systems_to_come_are_known_when_the_first_is_scored(n_systems, monkeypatch):
    asked = []

    def load(name, *, saves):
        asked.append(compiled._to_come)

    monkeypatch.setattr(ter, "load_kernels", load)
    systems = {str(number): ["a b", f"c {number}"] for number in range(n_systems)}
    mtw.compute_statistics(mtw.make_outputs(["a b", "c d"], systems), ["ter", "length"])
    assert asked == [2 * n_systems - 1 - done for done in range(n_systems)]


@pytest.mark.parametrize("module", ["numba", "mtworkbench.compiled.kernel"])
def test_without_a_numba_that_works_there_are_no_kernels(monkeypatch, module):
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.word_splitting", raising=False)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.kernel", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    assert compiled.load_kernels("word_splitting", saves=100) is None
    assert compiled.load_kernels("word_splitting", saves=100) is None


@pytest.mark.parametrize("error", [OSError, SystemError, AttributeError, RuntimeError])
def test_a_numba_that_fails_in_another_way_is_none(monkeypatch, error):
    class Broken:
        def find_spec(self, name, path=None, target=None):
            if name == "numba":
                raise error("numba does not work here")

    for name in [name for name in sys.modules if name.split(".")[0] == "numba"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.word_splitting", raising=False)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.kernel", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Broken(), *sys.meta_path])
    assert compiled.load_kernels("word_splitting", saves=100) is None


@pytest.fixture
def call_anew(tmp_path, monkeypatch):
    """Return a function that makes a kernel as a new process does, calls it, and returns how often its file served."""
    from numba.core import config

    from mtworkbench.compiled.kernel import kernel

    monkeypatch.setattr(config, "CACHE_DIR", str(tmp_path / "kept"))
    path = tmp_path / "double.py"

    def call(body="2 * x", expected=42):
        path.write_text(f"def double(x):\n    return {body}\n", "utf-8")
        namespace = {"__name__": "builtins"}  # numba imports the module of what it has kept
        exec(compile(path.read_text("utf-8"), path, "exec"), namespace)
        double = kernel(namespace["double"])
        assert double(21) == expected
        return sum(double.stats.cache_hits.values())

    return call


def flip_a_bit(whole, place):
    return whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]


DAMAGES = {
    "empty": lambda whole: b"",
    "cut": lambda whole: whole[: len(whole) // 2],
    "other": lambda whole: b"\x80\x05no pickle",
    "a bit at the begin": lambda whole: flip_a_bit(whole, 0),
    "a bit of a name": lambda whole: flip_a_bit(whole, whole.index(b"double.py")),
    "a bit of the machine code": lambda whole: flip_a_bit(whole, whole.index(b"\x7fELF") + 64),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_replaced(tmp_path, call_anew, damage):
    """A changed bit of machine code is another number, or the end of the process; so no bit may have changed."""
    assert [call_anew(), call_anew()] == [0, 1]
    [path] = (tmp_path / "kept").rglob("*.nb*")
    path.write_bytes(DAMAGES[damage](path.read_bytes()))
    assert [call_anew(), call_anew()] == [0, 1]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_program_that_others_may_write_is_not_run(tmp_path, call_anew):
    assert [call_anew(), call_anew()] == [0, 1]
    [path] = (tmp_path / "kept").rglob("*.nb*")
    assert [path.parent.stat().st_mode & 0o777, path.stat().st_mode & 0o777] == [0o700, 0o600]
    path.chmod(0o664)
    assert [call_anew(), call_anew()] == [0, 1]
    assert path.stat().st_mode & 0o777 == 0o600


@pytest.fixture
def own_cache(tmp_path, monkeypatch):
    """The folder for what cannot be kept in the one that numba chooses."""
    from mtworkbench.compiled import kernel

    monkeypatch.setattr(kernel, "user_cache_folder", lambda: tmp_path / "own")
    monkeypatch.setattr(kernel, "NOT_OWN", [])
    monkeypatch.setattr(kernel, "UNCACHED", [])
    return tmp_path / "own" / "compiled"


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_a_folder_of_programs_that_others_may_write_to_is_not_used_and_told(tmp_path, call_anew, own_cache):
    from mtworkbench.compiled import kernel

    call_anew()
    [path] = (tmp_path / "kept").rglob("*.nb*")
    path.parent.chmod(0o775)
    assert [call_anew(), call_anew()] == [0, 1]
    assert [kept.relative_to(own_cache).parts[0] for kept in own_cache.rglob("*.nb*")] == [path.parent.name]
    assert kernel.UNCACHED == []
    with pytest.warns(DataWarning) as caught:
        compiled.load_kernels("word_splitting", saves=compiled.SECONDS_TO_LOAD)
        compiled.load_kernels("draws", saves=compiled.SECONDS_TO_LOAD)
    assert [str(one.message) for one in caught] == [
        f"The folder for compiled loops {str(path.parent)!r} is not used, because other users may write to it (mode "
        "775). Set NUMBA_CACHE_DIR to a folder that only you can write to."
    ]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has other rights")
def test_where_others_may_write_beside_a_module_programs_are_kept_elsewhere(
    tmp_path, call_anew, own_cache, monkeypatch
):
    """On many machines new folders are open to the user's group; nobody has asked for this one, so nothing is said."""
    from numba.core import config

    from mtworkbench.compiled import kernel

    monkeypatch.setattr(config, "CACHE_DIR", "")
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__").chmod(0o775)
    assert [call_anew(), call_anew()] == [0, 1]
    assert [len([*folder.rglob("*.nb*")]) for folder in (own_cache, tmp_path / "__pycache__")] == [1, 0]
    next(own_cache.iterdir()).chmod(0o777)
    assert [call_anew(), call_anew()] == [0, 0]
    assert (kernel.UNCACHED, kernel.NOT_OWN) == (["double", "double"], [])


def refuse_to_write(*_):
    raise OSError(28, "No space left on device")


def test_kernels_work_where_the_disk_is_full(call_anew, monkeypatch):
    monkeypatch.setattr(os, "replace", refuse_to_write)
    assert [call_anew(), call_anew()] == [0, 0]


class Killed(BaseException):
    """As KeyboardInterrupt is, which pytest would obey."""


@pytest.mark.parametrize("error", [OSError, Killed])
def test_code_of_an_older_source_is_never_called(tmp_path, call_anew, monkeypatch, error):
    """Nor where the saving of the new code is interrupted, and the bytecode is the same: only a constant differs."""
    replace = os.replace

    def stop(source, target):
        if str(target).endswith(".nbc"):  # numba's own index is written before the code
            raise error
        replace(source, target)

    call_anew("x * 3", 63)
    with monkeypatch.context() as patched:
        patched.setattr(os, "replace", stop)
        with nullcontext() if error is OSError else pytest.raises(Killed):
            call_anew("x * 5", 105)
    assert [call_anew("x * 5", 105), call_anew("x * 5", 105), call_anew("x * 3", 63)] == [0, 1, 0]
    assert len(list((tmp_path / "kept").rglob("*.nb*"))) == 1  # old code does not pile up


UNCACHED = """
import warnings
from numba.core import caching
caching.CacheImpl._locator_classes = []  # as where neither the module's folder nor the user's can be written to
from mtworkbench import compiled
from mtworkbench.errors import DataWarning
from mtworkbench.resampling import bootstrap_weights
compiled.SECONDS_TO_LOAD = 0
def draw():
    return [int(counts.sum()) for counts in bootstrap_weights(2, 5, rng=1)]
"""


def run_uncached(program):
    """Return the lines that a program prints on a computer on which numba can keep nothing."""
    return subprocess.run(
        [sys.executable, "-c", UNCACHED + program], capture_output=True, text=True, check=True
    ).stdout.splitlines()


def test_where_no_folder_can_be_written_to_kernels_are_compiled_uncached_with_one_warning():
    printed = run_uncached("""
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    print(draw())
    print(compiled.load_kernels("word_splitting", saves=1).__name__, None in compiled._loaded.values())
print([(one.message.code, one.filename, one.lineno) for one in caught if hasattr(one.message, "code")])
""")
    drawing = "    return [int(counts.sum()) for counts in bootstrap_weights(2, 5, rng=1)]"
    line = UNCACHED.splitlines().index(drawing) + 1
    assert printed == [
        "[10]",
        "mtworkbench.compiled.word_splitting False",
        f"[('uncached-kernels', '<string>', {line})]",
    ]


def test_where_that_warning_is_an_error_it_is_raised_once_and_the_kernels_work():
    printed = run_uncached("""
warnings.simplefilter("error", DataWarning)
try:
    draw()
except DataWarning as warning:
    print(warning.code)
print(draw(), compiled._loaded["draws"].__name__)
""")
    assert printed == ["uncached-kernels", "[10] mtworkbench.compiled.draws"]


EVERY_KERNEL = """
import sys
import mtworkbench as mtw
from mtworkbench import compiled
from mtworkbench.tables import format_result
compiled.SECONDS_TO_LOAD = 0
texts = ([f"a b {words} c {n} d e" for n in range(80)] for words in ("f g h", "f h", "h f g"))
reference, *systems = map(list, texts)
outputs = mtw.make_outputs(reference, dict(zip(("one", "two"), systems)))
for metric in ("bleu", "chrf:word_order=2", "ter"):
    statistics = mtw.compute_statistics(outputs, metric)
    found = mtw.compare(statistics, "one", rng=1)
    print([values.sum(axis=(0, 1)).tolist() for values in statistics.values.values()])
    print(format_result(found, 'csv'))
print(sorted(name for name, module in compiled._loaded.items() if module is not None))
print("numba.np.linalg" in sys.modules, file=sys.stderr)
"""


def test_kernels_that_were_kept_work_without_what_numba_compiles_with():
    first, second = (
        subprocess.run([sys.executable, "-c", EVERY_KERNEL], capture_output=True, text=True, check=True)
        for _ in range(2)
    )
    assert second.stdout == first.stdout
    kernels = {module.stem for module in PACKAGE.glob("*.py")} - {"__init__", "kernel"}
    assert second.stdout.splitlines()[-1] == str(sorted(kernels))
    assert second.stderr.splitlines()[-1] == "False"


def test_where_numba_is_to_compile_nothing_there_are_no_kernels(monkeypatch):
    """Its functions would run in Python, slower than the plain ones, with warnings of numpy about overflow."""
    from numba.core import config

    monkeypatch.setattr(config, "DISABLE_JIT", 1)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.draws", raising=False)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.kernel", raising=False)
    assert compiled.load_kernels("draws", saves=100) is None


@pytest.mark.parametrize("module", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.stem)
def test_a_kernel_calls_none_of_another_module(module):
    """numba would not notice that such a kernel has changed."""
    if module.stem in ("__init__", "kernel"):
        return
    imports = [line for line in module.read_text("utf-8").splitlines() if "mtworkbench" in line]
    assert [line for line in imports if line.startswith(("import", "from"))] == [
        "from mtworkbench.compiled.kernel import kernel"
    ]
