"""The long work of the package, small, as text: what it finds with a study must be what it finds without one."""

from dataclasses import astuple
from functools import lru_cache
from itertools import combinations

import numpy as np

import mtworkbench as mtw
from mtworkbench.inference.comparison import compare_test_sets
from mtworkbench.papers.clark2011 import measure_sizes
from mtworkbench.papers.clark2011.nulls import NULLS
from mtworkbench.papers.koehn2004 import conclude_on_sizes
from mtworkbench.statistics.segment_statistics import SegmentStatistics

N_SEGMENTS = 60


@lru_cache
def make_statistics(seed=1, metric="bleu"):
    """Statistics of three systems, each with two runs, in ten documents; those of a mean score are no integers."""
    draw = np.random.default_rng(seed)
    words = [f"w{number}" for number in range(15)]
    reference = [list(draw.choice(words, 9)) for _ in range(N_SEGMENTS)]
    systems = {
        name: [
            [" ".join(word if draw.random() > errors else "other" for word in line) for line in reference]
            for _ in range(2)
        ]
        for name, errors in (("a", 0.2), ("b", 0.22), ("c", 0.3))
    }
    outputs = mtw.make_outputs(
        [" ".join(line) for line in reference], systems, documents=[f"d{number // 6}" for number in range(N_SEGMENTS)]
    )
    outputs["comet"] = draw.normal(0.8, 0.1, len(outputs))
    return mtw.compute_statistics(outputs, metric)


def first_runs(statistics):
    """Statistics of the first run of each system."""
    values = {name: array[:1] for name, array in statistics.values.items()}
    return SegmentStatistics(statistics.metric, values, statistics.test_set)


def calibrate(study):
    """Calibrate the rules; 13 repetitions are not a multiple of those in a unit."""
    family = make_statistics(metric="comet")
    found = mtw.calibrate(
        family["a"], family["b"], n_repetitions=13, n_segments=30, n_resamples=60, n_trials=40, rng=1, study=study
    )
    return [found.p_values.to_csv(), found.intervals_frame().to_csv(), found.to_frame().to_csv(), found.signature]


def conclude(study):
    """Draw Koehn's conclusions about all pairs."""
    family = first_runs(make_statistics())
    return conclude_on_sizes(family, combinations(family, 2), [10], n_resamples=1000, rng=1, study=study).to_csv()


def count_sizes(study):
    """Count how often tests find a difference between equal methods."""
    nulls = (NULLS[0], NULLS[3])
    return measure_sizes(nulls, n_repetitions=60, n_segments=20, n_trials=19, rng=1, study=study).to_csv()


def compare_sets(study):
    """Compare systems on three test sets."""
    sets = {f"set {seed}": make_statistics(seed) for seed in (1, 2, 3)}
    found = compare_test_sets(sets, n_resamples=200, n_trials=200, rng=1, study=study)
    frames = [found.to_frame(), found.sets_frame(), found.systems_frame()]
    return [frame.to_csv() for frame in frames] + [repr(astuple(found.settings))]


WORK = {
    "calibrate": calibrate,
    "conclude": conclude,
    "count sizes": count_sizes,
    "compare sets": compare_sets,
}
