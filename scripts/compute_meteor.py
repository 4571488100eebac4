"""Compute METEOR of the made-up replications that ship: python scripts/compute_meteor.py [btec] [wmt] (some seconds).

Writes data/replications/btec_meteor.npz and wmt_meteor.npz: METEOR's statistics of each distinct hypothesis of the test
set, by the exact module alone. It needs Java and the METEOR jar, which ``mtworkbench meteor`` fetches; reading the
results needs neither.
"""

import sys
from pathlib import Path

from mtworkbench.simulation.replications import PAIRS
from mtworkbench.simulation.shipped_replications import load_replications, save_meteor

FOLDER = Path(__file__).parent.parent / "data" / "replications"

if __name__ == "__main__":
    for name in sys.argv[1:] or PAIRS:
        save_meteor(FOLDER / f"{name}_meteor.npz", load_replications(name))
