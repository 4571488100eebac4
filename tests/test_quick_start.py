"""A command starts with less than a notebook does: what it leaves out is there as soon as it is asked for."""

import gc
import json
import subprocess
import sys

import pandas as pd
import pytest
from scipy import special

from mtworkbench import distributions
from mtworkbench.cli import main
from mtworkbench.cli.quick_start import THREADS as VARIABLE
from tests.test_package import MODULES, imported_by

ARGUMENTS = {
    "bdtr": (2, 5, 0.3),
    "betaincinv": (3, 18, 0.025),
    "chdtrc": (4, 9.5),
    "chdtri": (4, 0.025),
    "fdtri": (3, 7, 0.975),
    "ndtr": (-1.5,),
    "ndtri": (0.975,),
    "poch": (4.5, 0.5),
    "stdtr": (5, -2.5),
    "stdtrit": (5, 0.975),
}
EXPECTED = {name: float(getattr(special, name)(*values)) for name, values in ARGUMENTS.items()}
COMPUTE = f"""
import json, sys
from mtworkbench import distributions
found = {{name: float(getattr(distributions, name)(*values)) for name, values in {ARGUMENTS!r}.items()}}
"""


def run(program):
    """Run a program in a new process; return what it prints, as JSON."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_package_calls_no_function_of_scipy_special_elsewhere():
    called = {(module.stem, name) for module in MODULES for name in imported_by(module)}
    assert [one for one in called if one[1].startswith("scipy.special")] == []
    functions = {name.rpartition(".")[2] for _, name in called if name.startswith("mtworkbench.distributions.")}
    assert functions == {*ARGUMENTS, "binomial_range"} - {"bdtr"}  # which the former alone calls


def test_distributions_here_are_scipys():
    assert {name: float(getattr(distributions, name)(*values)) for name, values in ARGUMENTS.items()} == EXPECTED


def test_distributions_of_a_new_process_are_scipys_and_the_rest_of_scipy_is_not_loaded():
    found, loaded = run(f"{COMPUTE}\nprint(json.dumps([found, sorted(one for one in sys.modules if 'scipy' in one)]))")
    assert found == EXPECTED
    assert {"scipy.special", "scipy._lib._array_api"}.isdisjoint(loaded)


def test_where_scipy_special_is_loaded_it_has_the_functions():
    found = run(f"import scipy.special\n{COMPUTE}\nprint(json.dumps([found, 'scipy._lib._array_api' in sys.modules]))")
    assert found == [EXPECTED, True]


@pytest.mark.parametrize(
    "ask",
    [
        "from scipy.special import ndtri, logsumexp; value = ndtri(0.975) + logsumexp([0.0])",
        "import scipy; scipy.special.gamma(3); value = scipy.special.ndtri(0.975)",
        "import scipy.special as all; value = all.ndtri(0.975); [getattr(all, name) for name in all.__all__]",
        "import scipy.stats; value = scipy.stats.norm.ppf(0.975)",
    ],
)
def test_a_thread_that_asks_for_scipy_while_the_functions_are_loaded_has_all_of_it(ask):
    program = f"""
import json, sys, threading
from importlib.machinery import ExtensionFileLoader
has_begun, values = threading.Event(), []

def ask():
    names = {{}}
    try:
        exec({ask!r}, names)
        values.append(names["value"])
    finally:
        has_begun.set()

other = threading.Thread(target=ask)

class Watch:
    def find_spec(self, name, path=None, target=None):
        if name == "scipy.special._sf_error":  # which all of it loads first
            has_begun.set()

def wait(self, spec):
    if spec.name == "scipy.special._ufuncs" and other.ident is None:
        other.start()
        has_begun.wait()
    return load(self, spec)

sys.meta_path.insert(0, Watch())
load, ExtensionFileLoader.create_module = ExtensionFileLoader.create_module, wait
{COMPUTE}
other.join()
import scipy.special
print(json.dumps([found, float(*values), type(scipy.special).__name__]))
"""
    assert run(program) == [EXPECTED, EXPECTED["ndtri"], "module"]


@pytest.mark.parametrize(
    "then",
    [
        "import scipy.stats; value = scipy.stats.norm.ppf(0.975)",
        "from scipy.special import ndtri, logsumexp; value = ndtri(0.975) + logsumexp([0.0])",
        "import scipy; scipy.special.gamma(3); value = scipy.special.ndtri(0.975)",
        "import scipy.special._basic; value = scipy.special.ndtri(0.975)",
        "import scipy.special._ufuncs; value = scipy.special._ufuncs.ndtri(0.975)",
        "from scipy import optimize, signal, linalg, special; value = special.ndtri(0.975)",
    ],
)
def test_all_of_scipy_can_be_loaded_afterwards(then):
    assert run(f"{COMPUTE}\n{then}\nprint(json.dumps(float(value)))") == EXPECTED["ndtri"]


def test_what_is_seldom_used_is_loaded_when_it_is_used():
    program = """
import json, sys
from mtworkbench.cli.quick_start import start_quickly
start_quickly()
import portalocker, sacrebleu, wcwidth
before = [one for one in sys.modules if one.startswith(("portalocker.", "wcwidth."))]
print(json.dumps([before, wcwidth.wcswidth("ab"), portalocker.Lock.__name__, portalocker.__name__]))
"""
    assert run(program) == [[], 2, "Lock", "portalocker"]


@pytest.mark.parametrize(("ending", "loaded"), [("tsv", False), ("parquet", True)])
def test_a_command_loads_pyarrow_only_for_parquet(ending, loaded, tmp_path):
    pytest.importorskip("pyarrow", reason="needs pyarrow to write Parquet")
    rows = [{"system": system, "segment": i, "quality": i % 4} for system in "ab" for i in range(1, 21)]
    path = tmp_path / f"scores.{ending}"
    frame = pd.DataFrame(rows)
    frame.to_parquet(path) if ending == "parquet" else frame.to_csv(path, sep="\t", index=False)
    program = f"""
import contextlib, io, json, sys
from mtworkbench.cli import main
sys.argv[1:] = ["compare", "--quiet", "--scores", {str(path)!r}]
with contextlib.redirect_stdout(io.StringIO()) as said:
    status = main()
print(json.dumps([status, "20 segments" in said.getvalue(), "pyarrow.lib" in sys.modules]))
"""
    assert run(program) == [0, True, loaded]


@pytest.mark.parametrize("command", ["lab", "figures"])
def test_extensions_of_jupyterlab_have_pyarrow(command):
    pytest.importorskip("pyarrow")
    program = f"""
import json, sys
from mtworkbench.cli.quick_start import start_quickly
sys.argv[1:] = [{command!r}]
start_quickly()
import pyarrow
print(json.dumps(pyarrow.__name__))
"""
    assert run(program) == "pyarrow"


@pytest.mark.parametrize(
    ("command", "given", "expected"),
    [("compare", {}, "1"), ("compare", {VARIABLE: "3"}, "3"), ("lab", {}, None), ("figures", {}, None)],
)
def test_numpy_starts_no_threads_in_a_command_but_notebooks_have_theirs(command, given, expected):
    program = f"""
import json, os, sys
from mtworkbench.cli.quick_start import start_quickly
sys.argv[1:] = [{command!r}, "a.txt"]
os.environ.pop({VARIABLE!r}, None)
os.environ.update({given!r})
start_quickly()
print(json.dumps(os.environ.get({VARIABLE!r})))
"""
    assert run(program) == expected


def test_numpy_is_not_loaded_before_the_number_of_its_threads_is_known():
    assert (
        run("import json, sys; import mtworkbench.cli.quick_start; print(json.dumps('numpy' in sys.modules))") is False
    )


@pytest.mark.parametrize(
    "ask",
    [
        "import portalocker.utils; found = portalocker.utils.Lock.__name__",
        "from portalocker.utils import Lock; found = Lock.__name__",
        "import wcwidth.wcwidth; found = wcwidth.wcswidth('ab')",
        "from wcwidth import *; found = wcswidth('ab')",
        "import portalocker.portalocker; found = portalocker.lock.__name__",
    ],
)
def test_what_is_in_a_package_that_waits_can_be_imported(ask):
    program = "import json\nfrom mtworkbench.cli.quick_start import start_quickly\nstart_quickly()"
    assert run(f"{program}\n{ask}\nprint(json.dumps(found))") in ("Lock", 2, "lock")


def test_a_command_in_a_notebook_changes_nothing_there(capsys):
    before = gc.get_threshold()
    main(["--version"])
    assert gc.get_threshold() == before
