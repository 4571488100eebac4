"""Compute METEOR of the made-up replications that ship: python scripts/compute_meteor.py [btec] [wmt] (some seconds).

Writes data/replications/btec_meteor.npz and wmt_meteor.npz: METEOR's statistics of each distinct hypothesis of the test
set, by the exact module alone. It needs Java and the METEOR jar, which ``mtworkbench meteor`` fetches; reading the
results needs neither.
"""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # another script writes the arrays
    sys.path.insert(0, str(ROOT))

from mtworkbench.papers.simulation.replications import EXACT_METEOR, PAIRS, SYSTEMS, Replications, load_replications  # noqa: E402  # noqa: E402
from scripts.make_replications import FOLDER, write_arrays  # noqa: E402


def save_meteor(path: str | os.PathLike[str], replications: Replications) -> None:
    """Compute METEOR of every distinct hypothesis of the test set, by the exact module alone, and save it.

    Parameters
    ----------
    path : path
    replications : Replications
        Of systems A and B.

    Raises
    ------
    InputError
        Where Java or the METEOR jar is missing.
    """
    test = replace(replications.test, known={})  # computed again, whatever is there
    statistics = {system: test.distinct_statistics(system, EXACT_METEOR).astype(np.uint8) for system in SYSTEMS}
    write_arrays(path, statistics)


if __name__ == "__main__":
    for name in sys.argv[1:] or PAIRS:
        save_meteor(FOLDER / f"{name}_meteor.npz", load_replications(name))
