"""Make the made-up replications that ship: python scripts/make_replications.py [btec] [wmt] (some ten minutes).

Writes data/replications/btec.npz and wmt.npz; most of the time goes into MERT, the rest into TER.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from tqdm import tqdm

from mtworkbench.papers.simulation.replications import PAIRS, Replications, find_pair, make_replications
from mtworkbench.papers.simulation.shipped_replications import SHIPPED_METRIC, SYSTEMS
from mtworkbench.writing import replace_file

FOLDER = Path(__file__).parent.parent / "data" / "replications"


def save_replications(path: str | os.PathLike[str], replications: Replications) -> None:
    """Save replications in the form in which they ship; TER is computed for every distinct hypothesis of the test set.

    Parameters
    ----------
    path : path
    replications : Replications
        Of systems A and B.
    """
    arrays: dict[str, np.ndarray] = {}
    for part, outputs in (("dev", replications.dev), ("test", replications.test)):
        arrays[f"{part}.references"] = _text_bytes(outputs.references.ravel())
        for system in SYSTEMS:
            hypotheses, prefix = outputs.systems[system], f"{part}.{system}"
            sizes = np.bincount(hypotheses.segments, minlength=outputs.n_segments)
            arrays[f"{prefix}.texts"] = _text_bytes(hypotheses.texts)
            arrays[f"{prefix}.sizes"] = sizes.astype(np.uint16)
            arrays[f"{prefix}.chosen"] = (hypotheses.chosen - (np.cumsum(sizes) - sizes)).astype(np.uint16)
            if part == "test":
                arrays[f"{prefix}.ter"] = outputs.distinct_statistics(system, SHIPPED_METRIC).astype(np.float32)
    for system in SYSTEMS:
        arrays[f"{system}.weights"] = replications.weights[system]
    write_arrays(path, arrays)


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, np.ndarray]) -> None:
    """Write arrays to an npz file without pickle."""
    content = io.BytesIO()
    np.savez_compressed(content, **arrays)
    replace_file(path, content.getvalue())


def _text_bytes(texts: np.ndarray) -> np.ndarray:
    return np.frombuffer("\n".join(texts).encode("utf-8"), dtype=np.uint8)


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[1:] or PAIRS:
        pair = find_pair(name)
        save_replications(FOLDER / f"{name}.npz", make_replications(pair, progress=tqdm, rng=pair.rng))
