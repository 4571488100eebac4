"""Make the made-up replications that ship: python scripts/make_replications.py [btec] [wmt] (some ten minutes).

Writes data/replications/btec.npz and wmt.npz; most of the time goes into MERT, the rest into TER.
"""

import sys
from pathlib import Path

from tqdm import tqdm

from mtworkbench.simulation.replications import PAIRS, find_pair, make_replications
from mtworkbench.simulation.shipped_replications import save_replications

FOLDER = Path(__file__).parent.parent / "data" / "replications"

if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PAIRS:
        pair = find_pair(name)
        save_replications(FOLDER / f"{name}.npz", make_replications(pair, progress=tqdm, rng=pair.rng))
