"""Run tests as often as asked, each time in a fork of this process, which has loaded what most tests load.

That takes longer than a quick test itself. The package is not loaded here: each fork finds it as it is at that time.

A line of standard input is pytest's arguments, a line of standard output is all that pytest said, both as JSON.
"""

import json
import os
import sys
import tempfile

import numpy  # noqa: F401
import pandas  # noqa: F401
import pytest
import scipy.stats  # noqa: F401

for line in sys.stdin:
    with tempfile.TemporaryFile("w+", encoding="utf-8") as said:
        fork = os.fork()
        if fork == 0:
            os.dup2(said.fileno(), 1)
            os.dup2(said.fileno(), 2)
            pytest.main(json.loads(line))
            sys.stdout.flush()
            os._exit(0)
        os.waitpid(fork, 0)
        said.seek(0)
        print(json.dumps(said.read()), flush=True)
