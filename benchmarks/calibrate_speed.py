"""Time `calibrate` on the paper's made-up systems: 500 repetitions of 2,000 segments on one thread, in CPU seconds."""

import os

os.environ.update(dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"), "1"))

import time

import numpy as np

from mtworkbench import calibrate, find_shipped, load_statistics

N_SEGMENTS, N_REPETITIONS = 2000, 500


if __name__ == "__main__":
    [statistics] = load_statistics(find_shipped("data/koehn2004/six_systems.stats"))
    first, second, *_ = statistics
    a, b = (statistics[name].take(np.arange(N_SEGMENTS)) for name in (first, second))
    calibrate(a, b, n_repetitions=1, unit="segment", rng=1)  # imports
    start = time.process_time()
    found = calibrate(a, b, n_repetitions=N_REPETITIONS, unit="segment", rng=1)
    spent = time.process_time() - start
    print(f"{N_REPETITIONS} repetitions of {N_SEGMENTS:,} segments, {len(found.rules)} rules: {spent:.0f} s of CPU")
