"""How much faster is a run of MERT with line searches compiled by numba than with plain numpy?

    python benchmarks/mert.py [btec|wmt]

Both runs end with the same weights, to the last bit. Times are of the processor; what is compiled is compiled before.
"""

import sys
import time

import numpy as np

from mtworkbench.papers.simulation.made_up_lists import make_lists, make_sentences
from mtworkbench.papers.simulation.mert import compiled_envelopes, find_envelopes, tune
from mtworkbench.papers.simulation.replications import DEV, find_pair
from mtworkbench.resampling import resolve_rng


def seconds(function, *args, **kwargs):
    """Return the processor time of a call, the least of three, and its result."""
    times = []
    for _ in range(3):
        before = time.process_time()
        result = function(*args, **kwargs)
        times.append(time.process_time() - before)
    return min(times), result


def main(name: str) -> None:
    pair = find_pair(name)
    random_key, decoder = resolve_rng(pair.rng), pair.decoders[0]
    made, sentences = seconds(make_sentences, pair.task, pair.n_dev, rng=random_key.sample(DEV))
    lists_made, lists = seconds(make_lists, sentences, decoder, rng=random_key)
    lines = lists.model_scores(decoder.start), lists.features[1]
    search = [seconds(function, *lines)[0] for function in (compiled_envelopes, find_envelopes)]
    runs = [seconds(tune, lists, pair.mert, start=decoder.start, compiled=c, rng=1) for c in (True, False)]
    (compiled, one), (plain, other) = runs
    assert np.array_equal(one.weights, other.weights)
    print(
        f"{pair.name}: {lists.n_segments} segments x {lists.features.shape[2]} hypotheses, {lists.n_features} features"
    )
    print(f"making the lists          {made + lists_made:8.3f} s")
    print(f"one search for envelopes  {1e3 * search[0]:8.3f} ms compiled, {1e3 * search[1]:8.3f} ms plain: ", end="")
    print(f"{search[1] / search[0]:.1f} times faster")
    print(f"one run, {one.n_searches:5d} searches  {compiled:8.3f} s  compiled, {plain:8.3f} s  plain: ", end="")
    print(f"{plain / compiled:.1f} times faster")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "btec")
