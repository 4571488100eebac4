"""How a command starts and ends sooner; who imports the package pays for none of this, and sees none of it."""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib.util import find_spec

from mtworkbench.waiting import WaitingModule, hide, take_place

#: A comparison makes some 180,000 objects that stay: to look for garbage among them is a tenth of its time.
MANY_OBJECTS = 200_000
#: sacreBLEU imports these for what it prints and downloads itself, which it does not do here: 0.02 seconds.
SELDOM_USED = ("portalocker", "wcwidth")
#: pandas loads it wherever it is installed, and keeps strings in it: 0.04 seconds. Here only Parquet files need it.
FOR_PARQUET = "pyarrow"
#: The library that numpy multiplies with starts a thread per core, which takes 0.09 seconds of CPU, and hardly any of
#: them would have work: products of draws take one thread each (see `mtworkbench.inference.weighted_sums`).
THREADS = "OPENBLAS_NUM_THREADS"
#: What is computed in notebooks' own processes, and what extensions of JupyterLab load, is not ours.
WITH_NOTEBOOKS = {"lab", "figures"}


def start_quickly() -> None:
    """Leave out what takes time in a process that does one thing; it is called before anything else is imported."""
    gc.set_threshold(MANY_OBJECTS, 20, 20)
    atexit.register(gc.freeze)  # the process ends without a last look for garbage
    if not WITH_NOTEBOOKS.intersection(sys.argv[1:2]):
        os.environ.setdefault(THREADS, "1")
        hide(FOR_PARQUET)
    for name in SELDOM_USED:
        if name not in sys.modules and (spec := find_spec(name)) is not None:
            take_place(WaitingModule(spec))
