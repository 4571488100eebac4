"""One comparison in the terminal does no more work than it did, on a quiet machine as on a busy one."""

import json
import os
import subprocess
import sys
from pathlib import Path

import mtworkbench

from .conftest import ROOT

# What python -m tests.work_done prints may be so much. Lower a number when less is done; the first line is some 5 %
# above what was counted.
MOST = {"loaded": 189, "entered": 149, "functions": 1_200, "loops": 29, "passes": 56, "kilobytes": 6_900}
MOST |= {"opened": 18, "scores": 19}


def test_a_comparison_does_no_more_than_it_did():
    path = os.pathsep.join([str(Path(mtworkbench.__file__).parent.parent), str(ROOT)])
    environment = os.environ | {"MTWORKBENCH_CACHE": "off", "OMP_NUM_THREADS": "1", "PYTHONPATH": path}
    command = [sys.executable, "-P", "-m", "tests.work_done"]
    ended = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT, env=environment)
    counted = json.loads(ended.stdout)
    assert counted.pop("texts") == 2  # there are two systems
    assert {name: counted[name] for name, most in MOST.items() if not 0 < counted[name] <= most} == {}
    assert set(counted) == set(MOST)
