"""One comparison in the terminal does no more work than it did, on a quiet machine as on a busy one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import mtworkbench

from .conftest import ROOT

# Some 5 % above what was counted when these were written; files, texts and sums are exact.
MOST = {"loaded": 193, "entered": 97, "functions": 540, "kilobytes": 10_400}
EXACTLY = {"files": 35, "texts": 2, "sums": 9}


def test_a_comparison_does_no_more_than_it_did():
    path = os.pathsep.join([str(Path(mtworkbench.__file__).parent.parent), str(ROOT)])
    environment = os.environ | {"MTWORKBENCH_CACHE": "off", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    command = [sys.executable, "-P", "-m", "tests.work_done"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    counted = json.loads(ended.stdout)
    assert {name: counted[name] for name in EXACTLY} == EXACTLY
    assert {name: counted[name] for name, most in MOST.items() if counted[name] > most} == {}
