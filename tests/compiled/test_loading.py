"""Kernels are loaded when they pay, and work where nothing can be kept on disk."""

import subprocess
import sys
from pathlib import Path

import pytest

from mtworkbench import compiled

pytest.importorskip("numba")
PACKAGE = Path(compiled.__file__).parent


@pytest.fixture(autouse=True)
def _nothing_loaded(monkeypatch):
    monkeypatch.setattr(compiled, "_missed", 0.0)
    monkeypatch.setattr(compiled, "_loaded", {})


def test_a_small_task_waits_for_nothing_and_many_small_ones_are_compiled():
    almost = compiled.SECONDS_TO_LOAD * 0.6
    assert compiled.load_kernels("envelopes", saves=almost) is None
    assert compiled.load_kernels("envelopes", saves=almost).__name__ == "mtworkbench.compiled.envelopes"
    assert compiled.load_kernels("envelopes", saves=0) is not None  # it is loaded now


@pytest.mark.parametrize("module", ["numba", "mtworkbench.compiled.kernel"])
def test_without_a_numba_that_works_there_are_no_kernels(monkeypatch, module):
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.envelopes", raising=False)
    monkeypatch.delitem(sys.modules, "mtworkbench.compiled.kernel", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    assert compiled.load_kernels("envelopes", saves=100) is None
    assert compiled.load_kernels("envelopes", saves=100) is None


def test_where_no_folder_can_be_written_to_kernels_are_compiled_uncached_with_one_warning():
    program = """
import warnings
import numpy as np
from numba.core import caching
caching.CacheImpl._locator_classes = []  # as where neither the module's folder nor the user's can be written to
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from mtworkbench.compiled.kernel import kernel
    twice, thrice = kernel(lambda x: 2 * x), kernel(lambda x: 3 * x)
    print(twice(21), thrice(7))
print([one.message.code for one in caught if hasattr(one.message, "code")])
"""
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert printed.splitlines() == ["42 21", "['uncached-kernels']"]


@pytest.mark.parametrize("module", sorted(PACKAGE.glob("*.py")), ids=lambda path: path.stem)
def test_a_kernel_calls_none_of_another_module(module):
    """numba would not notice that such a kernel has changed."""
    if module.stem in ("__init__", "kernel"):
        return
    imports = [line for line in module.read_text("utf-8").splitlines() if "mtworkbench" in line]
    assert [line for line in imports if line.startswith(("import", "from"))] == [
        "from mtworkbench.compiled.kernel import kernel"
    ]
