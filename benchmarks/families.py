"""How often does a family of comparisons err, and how much does it find, if p is adjusted by Holm's method or by max-T?

    python benchmarks/families.py [--repetitions 2000] > benchmarks/families.txt

Made-up scores of systems that are compared in all pairs; a unit is a segment or a document. The family errs if any pair
of equal systems is called different. Power is the share of the pairs of different systems that are called so. The last
column of errors is what max-T would do if it divided differences by the jackknife's standard error.
"""

import argparse
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.stats
from tqdm import tqdm

from mtworkbench.inference import compare
from mtworkbench.inference.randomization import randomize
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.inference.step_down import StepDown, simultaneous_ends
from mtworkbench.metrics import Bleu
from mtworkbench.resampling import RandomKey
from mtworkbench.results.verdicts import holm_adjust
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

LEVEL = 0.95
N_TRIALS, HOLM_TRIALS = 1000, 10_032  # Holm's method needs so many for 136 comparisons


def normal(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.normal(size=shape) + rng.normal(size=(shape[0], 1))  # some units are easier than others


def skewed(rng: np.random.Generator, shape: tuple[int, int]) -> np.ndarray:
    return rng.exponential(size=shape) ** 1.5 / 1.8


@dataclass(frozen=True)
class Cell:
    """Systems with true scores, on so many units; ``metrics`` of correlation 0.8 are one family."""

    what: str
    truth: np.ndarray
    n_units: int
    draw: Callable[[np.random.Generator, tuple[int, int]], np.ndarray] = normal
    unequal: bool = False
    metrics: int = 1


def steps(n_systems: int, step: float) -> np.ndarray:
    return step * np.arange(n_systems)


CELLS = (
    Cell("5 equal systems", steps(5, 0), 20),
    Cell("5 equal systems", steps(5, 0), 300),
    Cell("17 equal systems", steps(17, 0), 20),
    Cell("17 equal systems", steps(17, 0), 50),
    Cell("17 equal systems", steps(17, 0), 300),
    Cell("17 equal, skewed", steps(17, 0), 50, skewed),
    Cell("17 equal, skewed", steps(17, 0), 300, skewed),
    Cell("17 equal, sizes differ", steps(17, 0), 50, unequal=True),
    Cell("5 equal, 2 metrics", steps(5, 0), 100, metrics=2),
    Cell("9 equal, 8 better", np.repeat([0, 0.6], [9, 8]), 100),
    Cell("15 equal, 2 far better", np.r_[np.zeros(15), 3, 6], 100),
    Cell("5 systems in steps", steps(5, 0.1), 300),
    Cell("17 systems in steps", steps(17, 0.045), 300),
    Cell("17 in steps, skewed", steps(17, 0.045), 300, skewed),
)


def draw_units(cell: Cell, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Return the sums of scores of each unit, metric by metric, (n_units, n_columns), and the shares of the units."""
    shape = cell.n_units, len(cell.truth)
    sizes = np.ceil(rng.lognormal(3, 0.5, cell.n_units)) if cell.unequal else np.ones(cell.n_units)
    first = cell.draw(rng, shape)
    metrics = [first, *(0.8 * first + 0.6 * cell.draw(rng, shape) for _ in range(cell.metrics - 1))]
    noise = np.concatenate(metrics, axis=1) * np.sqrt(sizes)[:, None]  # a larger unit has the mean of more sentences
    return (noise + sizes[:, None] * np.tile(cell.truth, cell.metrics)) / sizes.sum(), sizes / sizes.sum()


def toss(rng: np.random.Generator, n_trials: int, n_units: int) -> np.ndarray:
    """Return -1 where outputs are exchanged, else 1."""
    words = np.frombuffer(rng.bytes(n_trials * ((n_units + 7) // 8)), dtype=np.uint8).reshape(n_trials, -1)
    return 1 - 2 * np.unpackbits(words, axis=1)[:, :n_units].astype(np.float64)


def pairs_of(cell: Cell) -> list[tuple[int, int]]:
    """Return all pairs, those of one metric after those of another."""
    n_systems = len(cell.truth)
    first = [(a, b) for b, a in combinations(range(n_systems), 2)]
    return [(a + n_systems * metric, b + n_systems * metric) for metric in range(cell.metrics) for a, b in first]


def try_once(cell: Cell, rng: np.random.Generator) -> dict[str, float]:
    """Return who errs, the power, and whether all simultaneous intervals cover their difference."""
    sums, shares = draw_units(cell, rng)
    pairs = pairs_of(cell)
    first, second = np.array(pairs).T
    scores = sums.sum(axis=0)
    observed = scores[first] - scores[second]
    influence = sums - shares[:, None] * scores
    of_pairs = influence[:, first] - influence[:, second]
    of_systems = sums.T @ toss(rng, N_TRIALS, cell.n_units).T
    differences = of_systems[first] - of_systems[second]
    extreme = count_extreme(observed, differences)
    p_values = {"Holm": (extreme + 1) / (N_TRIALS + 1)}
    near = np.flatnonzero(p_values["Holm"] < 2 * (1 - LEVEL))  # the others are not shown, whatever more trials say
    of_systems = sums.T @ toss(rng, HOLM_TRIALS - N_TRIALS, cell.n_units).T
    extreme[near] += count_extreme(observed[near], of_systems[first[near]] - of_systems[second[near]])
    p_values["Holm"][near] = (extreme[near] + 1) / (HOLM_TRIALS + 1)
    p_values["Holm"] = holm_adjust(p_values["Holm"])
    spreads = {"max-T": np.mean(differences**2, axis=1), "jackknife": np.sum(of_pairs**2, axis=0)}
    for name, squares in spreads.items():
        family = StepDown(pairs)
        family.begin(by_pair(pairs, scores[np.array(pairs)]), by_pair(pairs, np.sqrt(squares)))
        family.count(by_pair(pairs, differences))
        p_values[name] = (np.array(list(family.n_reached(N_TRIALS).values())) + 1) / (N_TRIALS + 1)
        if name == "max-T":
            critical = family.critical(N_TRIALS, LEVEL)
    truth = np.tile(cell.truth, cell.metrics)
    truth = truth[first] - truth[second]
    equal, found = truth == 0, {}
    for name, p in p_values.items():
        found[f"{name} errs"] = np.any(p[equal] <= 1 - LEVEL) if equal.any() else np.nan
        found[f"{name} power"] = np.mean(p[~equal] <= 1 - LEVEL) if not equal.all() else np.nan
    n_effective = 1 / np.sum(shares**2)
    ends = [simultaneous_ends(d, u, n_effective, critical) for d, u in zip(observed, of_pairs.T, strict=True)]
    found["covered"] = all(low is None or low <= d <= high for (low, high), d in zip(ends, truth, strict=True))
    return found


def count_extreme(observed: np.ndarray, differences: np.ndarray) -> np.ndarray:
    return np.count_nonzero(np.abs(differences) >= np.abs(observed)[:, None] * (1 - 1e-9), axis=1)


def by_pair(pairs: list[tuple[int, int]], values: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    return dict(zip(pairs, values, strict=True))


def bleu_of_equal_systems(n_systems: int, n_segments: int, rng: np.random.Generator) -> SegmentStatistics:
    """Draw BLEU's statistics: lengths, matches and n-grams."""
    reference = rng.integers(5, 40, n_segments)
    ease = rng.normal(0, 0.06, n_segments)[:, None]
    values = {}
    for system in range(n_systems):
        length = reference + rng.integers(-2, 3, n_segments)
        totals = np.maximum(length[:, None] - np.arange(4), 0)
        matches = rng.binomial(totals, np.clip(np.array([0.6, 0.35, 0.2, 0.12]) + ease, 0, 1))
        values[f"s{system}"] = np.column_stack([length, reference, matches, totals])[None]
    return SegmentStatistics(Bleu(), values, TestSet(np.arange(1, n_segments + 1), None, "made up", 1))


def try_bleu(n_systems: int, n_segments: int, rng: np.random.Generator) -> dict[str, float]:
    """Return who errs under BLEU, by the workbench's own trials."""
    statistics = bleu_of_equal_systems(n_systems, n_segments, rng)
    table = ScoreTable.of([system for _, system in statistics.items()])
    pairs = [(a, b) for b, a in combinations(range(n_systems), 2)]
    family = StepDown(pairs)
    tests = randomize(
        table,
        pairs,
        exchange="unit",
        n_trials=N_TRIALS,
        random_key=RandomKey(int(rng.integers(2**63))),
        keep_differences=False,
        families=[family],
    )
    least = (min(family.n_reached(N_TRIALS).values()) + 1) / (N_TRIALS + 1)
    by_holm = holm_adjust([test.p_value for test in tests]).min()
    return {"Holm errs": by_holm <= 1 - LEVEL, "max-T errs": least <= 1 - LEVEL}


def repeat(what: str, once: Callable[[np.random.Generator], dict[str, float]], repetitions: int, seed: list[int]):
    """Return the share of repetitions, in %."""
    bar = tqdm(range(repetitions), desc=what, disable=not sys.stderr.isatty())
    rows = [once(np.random.default_rng([*seed, repetition])) for repetition in bar]
    return {name: 100 * np.mean([row[name] for row in rows]) for name in rows[0]}


def shown(share: float, repetitions: int, nominal: float | None = None) -> str:
    """Write a share in %, with a star outside the 99.9 % band of the nominal one."""
    if np.isnan(share):
        return f"{'-':>10} "
    outside = False
    if nominal is not None:
        low, high = scipy.stats.binom.interval(0.999, repetitions, nominal)
        outside = not low <= round(share * repetitions / 100) <= high
    return f"{share:>10.1f}{'*' if outside else ' '}"


def time_both() -> tuple[float, float]:
    """Return the seconds that 17 systems, 3,000 segments and 10,000 trials take, by Holm's method and by max-T."""
    statistics = bleu_of_equal_systems(17, 3000, np.random.default_rng(1))
    seconds = {"holm": [], "max-t": []}
    for _ in range(3):
        for name, taken in seconds.items():
            start = time.perf_counter()
            compare(statistics, n_trials=HOLM_TRIALS, rng=1, adjust=name)
            taken.append(time.perf_counter() - start)
    return min(seconds["holm"]), min(seconds["max-t"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--rng", type=int, default=1)
    arguments = parser.parse_args()
    count, seed = arguments.repetitions, arguments.rng
    print(f"{count} repetitions, rng {seed}; {N_TRIALS:,} trials, for Holm's method {HOLM_TRIALS:,}. In %; a star:")
    print(
        "outside the 99.9 % binomial band around 5 % of errors or 95 % of coverage. Jackknife: max-T with its standard"
    )
    print("error. Coverage: all simultaneous intervals of the family hold their difference.")
    print(f"\n{'':36}{'family errs':>33}{'power':>22}{'coverage':>11}")
    names = ["Holm", "max-T", "jackknife", "Holm", "max-T", "max-T"]
    print(f"{'all pairs of':30}{'units':>6}" + "".join(f"{name:>10} " for name in names))
    for number, cell in enumerate(CELLS):
        found = repeat(cell.what, lambda rng, cell=cell: try_once(cell, rng), count, [seed, number])
        errors = [shown(found[f"{name} errs"], count, 1 - LEVEL) for name in ("Holm", "max-T", "jackknife")]
        power = [shown(found[f"{name} power"], count) for name in ("Holm", "max-T")]
        covered = shown(found["covered"], count, LEVEL)
        print(f"{cell.what:30}{cell.n_units:>6}" + "".join([*errors, *power, covered]).rstrip(), flush=True)
    print(f"\nEqual systems under BLEU, {N_TRIALS:,} trials of `randomize`\n")
    print(f"{'all pairs of':30}{'units':>6}{'Holm':>10} {'max-T':>10}")
    for number, (n_systems, n_segments) in enumerate(((5, 20), (5, 100))):
        what = f"{n_systems} equal systems"
        found = repeat(what, lambda rng, n=n_systems, m=n_segments: try_bleu(n, m, rng), count, [seed, 100 + number])
        errors = [shown(found[f"{name} errs"], count, 1 - LEVEL) for name in ("Holm", "max-T")]
        print(f"{what:30}{n_segments:>6}" + "".join(errors).rstrip(), flush=True)
    holm, max_t = time_both()
    print(f"\nTime of all pairs of 17 systems, 3,000 segments, BLEU: max-T / Holm = {max_t / holm:.2f}")


if __name__ == "__main__":
    main()
