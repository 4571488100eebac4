"""How often do intervals of BLEU cover the truth, and how often do tests err where there is nothing to find?

    python benchmarks/calibration.py run.stats A B [--repetitions 2000] > benchmarks/calibration.txt

``run.stats`` is a file that ``mtworkbench statistics`` wrote; A and B are two of its systems. Its test set, which is to
be as large as can be had, is taken for the population: scores on all of it are the truth, test sets of n segments are
drawn from it with replacement. Where the outputs of each drawn segment change sides by a coin, neither pseudo-system is
better than the other: a true null.
"""

import argparse
import sys
import warnings

import numpy as np
import scipy.stats
from tqdm import tqdm

from mtworkbench.errors import DataWarning
from mtworkbench.inference import approximate_randomization
from mtworkbench.inference.bootstrap import count_wins, resample
from mtworkbench.inference.intervals import interval_ends
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.settings import METHODS
from mtworkbench.resampling import RandomKey, resolve_rng, stream_words
from mtworkbench.statistics.files import load_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics

SIZES = (20, 50, 100, 200, 500, 1000)
LEVEL = 0.95
N_RESAMPLES = 1000
N_TRIALS = 999


def draw_test_set(population: SegmentStatistics, size: int, random_key: RandomKey) -> SegmentStatistics:
    """Draw segments with replacement; they are numbered anew, for a segment may occur twice."""
    words = stream_words(random_key.stream(3), 0, size)
    positions = (words >> np.uint64(32)) * np.uint64(len(population.test_set)) >> np.uint64(32)
    return population.take(positions.astype(np.int64))


def exchange_sides(statistics: SegmentStatistics, random_key: RandomKey) -> SegmentStatistics:
    """Let the outputs of each segment change sides by a coin: a true null."""
    coins = stream_words(random_key.stream(3), len(statistics.test_set), len(statistics.test_set))
    change = (coins & np.uint64(1)).astype(bool)[None, :, None]
    (first, a), (second, b) = statistics.values.items()
    values = {first: np.where(change, b, a), second: np.where(change, a, b)}
    return SegmentStatistics(statistics.metric, values, statistics.test_set)


def all_intervals(statistics: SegmentStatistics, random_key: RandomKey) -> tuple[dict, dict, float]:
    """Return each method's interval of the first system's score and of the difference, and the share of wins."""
    systems = [statistics[name] for name in statistics]
    table = ScoreTable.of(systems)
    resampled = [scores[:, 0] for scores in resample(table, N_RESAMPLES, random_key)]
    a, b = (float(system.score()[0, 0]) for system in systems)
    influence = table.influence
    single = {m: interval_ends(m, LEVEL, a, resampled[0], influence[0], a, "the score") for m in METHODS}
    difference = resampled[0] - resampled[1], influence[0] - influence[1], max(a, b), "the difference"
    paired = {m: interval_ends(m, LEVEL, a - b, *difference) for m in METHODS}
    wins, _, _ = count_wins(*resampled, statistics.metric)
    return single, paired, int(wins) / N_RESAMPLES


def calibrate(population: SegmentStatistics, size: int, repetitions: int, random_key: RandomKey) -> dict[str, float]:
    """Return the shares, in %, of one size of test set."""
    systems = [population[name] for name in population]
    a, b = (float(system.score()[0, 0]) for system in systems)
    counts = dict.fromkeys(
        [*(f"score {m}" for m in METHODS), *(f"difference {m}" for m in METHODS), "ar", "jackknife t", "koehn2004"], 0
    )
    for repetition in tqdm(range(1, repetitions + 1), desc=f"n = {size}", disable=not sys.stderr.isatty()):
        draws = random_key.sample(repetition)
        drawn = draw_test_set(population, size, draws)
        single, paired, _ = all_intervals(drawn, draws)
        for method in METHODS:
            counts[f"score {method}"] += single[method][0] <= a <= single[method][1]
            counts[f"difference {method}"] += paired[method][0] <= a - b <= paired[method][1]
        null = exchange_sides(drawn, draws)
        _, paired, confidence = all_intervals(null, draws)
        first, second = (null[name] for name in null)
        test = approximate_randomization(first, second, unit="segment", n_trials=N_TRIALS, rng=draws)
        counts["ar"] += test.p_value <= 1 - LEVEL + 1e-12
        counts["jackknife t"] += not paired["jackknife"][0] <= 0 <= paired["jackknife"][1]
        counts["koehn2004"] += not 1 - LEVEL < confidence < LEVEL
    return {name: 100 * count / repetitions for name, count in counts.items()}


def print_table(title: str, prefix: str, columns: list[str], rows: dict[int, dict[str, float]], nominal: float) -> None:
    """Print one table, a star beside what lies outside the 99.9 % band of the nominal share."""
    print(f"\n{title}\n")
    print(f"{'n':>6}" + "".join(f"{column:>14}" for column in columns))
    for size, shares in rows.items():
        cells = []
        for column in columns:
            share = shares[prefix + column]
            low, high = scipy.stats.binom.interval(0.999, shares["repetitions"], nominal)
            inside = low <= round(share * shares["repetitions"] / 100) <= high
            cells.append(f"{share:>13.1f}{' ' if inside else '*'}")
        print(f"{size:>6}" + "".join(cells))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("statistics")
    parser.add_argument("a")
    parser.add_argument("b")
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--rng", type=int, default=1)
    arguments = parser.parse_args()
    [loaded] = load_statistics(arguments.statistics)
    population = SegmentStatistics(
        loaded.metric, {name: loaded.values[name][:1] for name in (arguments.a, arguments.b)}, loaded.test_set
    )
    random_key = resolve_rng(arguments.rng)
    rows = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for number, size in enumerate(SIZES, start=1):
            rows[size] = calibrate(population, size, arguments.repetitions, random_key.sample(number))
            rows[size]["repetitions"] = arguments.repetitions
    scores = ", ".join(f"{name} {population[name].score()[0, 0]:.2f}" for name in population)
    print(f"Population: {len(population.test_set)} segments; {loaded.metric.name} of {scores}")
    print(f"{loaded.signature}; {arguments.repetitions} repetitions, rng {arguments.rng}; {N_RESAMPLES} resamples,")
    print(f"{N_TRIALS} trials. A star: outside the 99.9 % binomial band around the nominal share.")
    print_table("Coverage of 95 % intervals of one system's score, in %", "score ", list(METHODS), rows, 0.95)
    print_table("Coverage of 95 % intervals of the difference, in %", "difference ", list(METHODS), rows, 0.95)
    tests = ["ar", "jackknife t", "koehn2004"]
    print_table("Rejections at a nominal 5 % where neither system is better, in %", "", tests, rows, 0.05)


if __name__ == "__main__":
    main()
