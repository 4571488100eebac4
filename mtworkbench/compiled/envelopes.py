"""The search for each segment's highest lines, compiled by numba; its plain reference is `find_envelopes`."""

import numpy as np

from mtworkbench.compiled.kernel import kernel


@kernel
def search(
    offsets: np.ndarray, slopes: np.ndarray, first: np.ndarray, positions: np.ndarray, changes: np.ndarray
) -> int:
    """Find each segment's highest lines from left to right.

    Parameters
    ----------
    offsets, slopes : (n_segments, n_hypotheses) ndarray of float64
    first : (n_segments,) ndarray of int64
        Receives the highest line at the far left.
    positions : (n_changes,) ndarray of float64
        Receives where the highest line changes.
    changes : (3, n_changes) ndarray of int64
        Receives the segment, the line that is left and the line that is entered.

    Returns
    -------
    int
        Number of changes.
    """
    n_changes = 0
    n_segments, n_lines = offsets.shape
    for segment in range(n_segments):
        offset, slope = offsets[segment], slopes[segment]
        current = 0
        for line in range(1, n_lines):
            flatter = slope[line] < slope[current]
            if flatter or (slope[line] == slope[current] and offset[line] > offset[current]):
                current = line
        first[segment] = current
        last = -np.inf
        while True:
            nearest, following = np.inf, -1
            for line in range(n_lines):
                steeper = slope[line] - slope[current]
                if steeper > 0:
                    crossing = (offset[current] - offset[line]) / steeper
                    if crossing < nearest or (crossing == nearest and slope[line] > slope[following]):
                        nearest, following = crossing, line
            if following < 0:
                break
            last = max(last, nearest)
            positions[n_changes] = last
            changes[0, n_changes], changes[1, n_changes], changes[2, n_changes] = segment, current, following
            n_changes += 1
            current = following
    return n_changes
