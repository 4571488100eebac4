"""Hold made-up replications against Clark et al. (2011), Tables 1 and 2, and say what was demanded.

    python scripts/check_replications.py btec              the shipped instance, all runs
    python scripts/check_replications.py wmt 10 19 16      the spread over fresh seeds, 10 to 19, 16 runs of each system
                                                           (the seed of the shipped instance is left out)

One row per quantity as CSV on standard output. The tests of significance here are plain numpy, apart from the
package's: one coin for each (segment, run), runs paired by number, scores from statistics summed over runs, two-sided,
add-one.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd

ROOT = Path(__file__).parent.parent
if str(ROOT) not in sys.path:  # another script makes the replications
    sys.path.insert(0, str(ROOT))

from mtworkbench.metrics import Metric  # noqa: E402
from mtworkbench.papers.simulation.replications import (  # noqa: E402
    Replications,
    find_pair,
    load_replications,  # noqa: E402
)
from mtworkbench.resampling import (  # noqa: E402
    COINS,
    RESAMPLES,
    SUBSAMPLES,
    RandomKey,
    batches,
    bootstrap_counts,
    exchange_coins,
    resolve_rng,
    uniforms,
)
from mtworkbench.statistics.segment_statistics import SegmentStatistics  # noqa: E402
from scripts.make_replications import make_replications  # noqa: E402

N_RESAMPLES, SINGLE_TRIALS, DRAW_TRIALS, N_DRAWS = 1000, 10_000, 1000, 250
A, B = "A", "B"

# Quantity: the paper's value, and the least and most that was demanded of the shipped instance (None: nothing). For
# how often A beats B in WMT: what the paper's Table 1 implies, and the range that its rounding allows.
TARGETS = {
    "btec": {
        "level A": (48.4, 45.4, 51.4),
        "level B": (49.9, 46.9, 52.9),
        "B - A": (1.5, 1.0, 2.2),
        "s_sel A": (1.6, 1.3, 1.8),
        "s_sel B": (1.5, 1.3, 1.8),
        "s_dev A": (0.2, 0.1, 0.3),
        "s_dev B": (0.1, 0.1, 0.3),
        "s_test A": (0.5, 0.3, 0.7),
        "s_test B": (0.4, 0.3, 0.7),
        "A beats B, %": (None, 0.1, 10),
        "p high-low": (0.25, None, None),
        "p median": (0.15, 0.05, 0.3),
        "p low-high": (0.0003, 0, 0.01),
        "p n = 5, low": (0.001, None, None),
        "p n = 5, high": (0.034, 0, 0.1),
        "p n = 50, low": (0.001, None, None),
        "p n = 50, high": (0.001, 0, 0.01),
    },
    "wmt": {
        "level A": (18.5, 15.5, 21.5),
        "level B": (18.7, 15.7, 21.7),
        "B - A": (0.2, 0.1, 0.4),
        "s_sel A": (0.3, 0.25, 0.45),
        "s_sel B": (0.3, 0.25, 0.45),
        "s_dev A": (0.0, 0, 0.1),
        "s_dev B": (0.0, 0, 0.1),
        "s_test A": (0.1, 0.05, 0.3),
        "s_test B": (0.2, 0.05, 0.3),
        "A beats B, %": (18.6, 2.9, 36.6),
        "p high-low": (0.95, None, None),
        "p median": (0.13, None, None),
        "p low-high": (0.003, None, None),
        "p n = 5, low": (0.001, None, None),
        "p n = 5, high": (0.38, None, None),
        "p n = 50, low": (0.001, None, None),
        "p n = 50, high": (0.33, None, None),
    },
}


def measure_spread(statistics: SegmentStatistics, system: str, random_key: RandomKey) -> float:
    """Measure s_sel (Clark et al. (2011), §4.1): mean over runs of the standard deviation over resamples."""
    n_segments = len(statistics.test_set)
    weights = bootstrap_counts(n_segments, 0, N_RESAMPLES, key=random_key.stream(RESAMPLES))
    return float(statistics[system].score(weights).std(axis=0, ddof=1).mean())


def shuffle(a: np.ndarray, b: np.ndarray, metric: Metric, n_trials: int, random_key: RandomKey) -> float:
    """Compute the p-value of the difference between two systems' runs.

    Parameters
    ----------
    a, b : (n_runs, n_segments, n_statistics) ndarray
    metric : Metric
    n_trials : int
    random_key : RandomKey
    """
    n_coins = a.shape[0] * a.shape[1]
    total_a, total_b = a.sum(axis=(0, 1)), b.sum(axis=(0, 1))
    gains = np.moveaxis(b - a, 0, 1).reshape(n_coins, -1)
    matter = gains.any(axis=1)
    gains, observed, extreme = gains[matter].astype(np.float32), metric.score(total_a) - metric.score(total_b), 0
    for first, count in batches(n_trials, n_coins):
        coins = exchange_coins(n_coins, first, count, key=random_key.stream(COINS))[:, matter].astype(np.float32)
        gained = (coins @ gains).astype(np.float64)  # sums of integers below 2**24: exact
        differences = metric.score(total_a + gained) - metric.score(total_b - gained)
        extreme += np.count_nonzero(np.abs(differences) >= abs(observed) - 1e-9 * abs(metric.score(total_a)))
    return (extreme + 1) / (n_trials + 1)


def draw_runs(n_runs: int, n: int, first: int, key: int) -> np.ndarray:
    """Draw n runs with replacement, positions counted from 0, from word ``first`` of a stream on."""
    return (uniforms(key, first, n) * n_runs).astype(np.int64)


def shuffle_draws(statistics: SegmentStatistics, n: int, n_draws: int, random_key: RandomKey) -> np.ndarray:
    """Compute the p-values of draws of n runs of each system with replacement (Clark et al. (2011), Table 2)."""
    a, b = statistics.values[A], statistics.values[B]
    p_values = []
    for draw in range(1, n_draws + 1):
        own = random_key.sample(draw)
        key = own.stream(SUBSAMPLES)
        runs_a, runs_b = draw_runs(len(a), n, 0, key), draw_runs(len(b), n, n, key)
        p_values.append(shuffle(a[runs_a], b[runs_b], statistics.metric, DRAW_TRIALS, own))
    return np.array(p_values)


def measure_table1(replications: Replications, rng: int = 1) -> dict[str, float]:
    """Measure what Table 1 has of BLEU, and how often a run of A beats a run of B."""
    random_key, test, dev = resolve_rng(rng), replications.test.statistics(), replications.dev.statistics()
    scores, dev_scores = ({name: one.score()[name][0] for name in (A, B)} for one in (test, dev))
    found = {f"level {name}": scores[name].mean() for name in (A, B)}
    found["B - A"] = found["level B"] - found["level A"]
    found |= {f"s_sel {name}": measure_spread(test, name, random_key) for name in (A, B)}
    found |= {f"s_dev {name}": dev_scores[name].std(ddof=1) for name in (A, B)}
    found |= {f"s_test {name}": scores[name].std(ddof=1) for name in (A, B)}
    found["A beats B, %"] = 100 * np.mean(scores[A][:, None] > scores[B])
    return found


def measure_table2(replications: Replications, n_draws: dict[int, int], rng: int = 1) -> dict[str, float]:
    """Measure what Table 2 has: p-values of single runs, and the 95 % range of p over draws of n runs.

    Parameters
    ----------
    replications : Replications
    n_draws : dict of int to int
        How many draws for each n.
    rng : int
    """
    random_key, statistics = resolve_rng(rng), replications.test.statistics()
    scores, found = statistics.score(), {}
    runs_of_a, runs_of_b = (low_median_high(scores[name][0]) for name in (A, B))
    for what, run_a, run_b in zip(("low-high", "median", "high-low"), runs_of_a, reversed(runs_of_b), strict=True):
        a, b = statistics.values[A][[run_a]], statistics.values[B][[run_b]]
        found[f"p {what}"] = shuffle(a, b, statistics.metric, SINGLE_TRIALS, random_key)
    for n, draws in n_draws.items():
        ends = np.quantile(shuffle_draws(statistics, n, draws, random_key), [0.025, 0.975])
        found |= {f"p n = {n}, low": ends[0], f"p n = {n}, high": ends[1]}
    return found


def low_median_high(scores: np.ndarray) -> tuple[int, int, int]:
    """Return the positions of the lowest, the (lower) median and the highest score."""
    order = np.argsort(scores, kind="stable")
    return int(order[0]), int(order[(len(order) - 1) // 2]), int(order[-1])


def tabulate(name: str, found: dict[str, float]) -> pd.DataFrame:
    """Put measured quantities beside the paper's and what was demanded; one row per quantity."""
    rows = []
    for quantity, here in found.items():
        paper, least, most = TARGETS[name][quantity]
        met = None if least is None and most is None else least <= here <= most
        rows.append({"quantity": quantity, "paper": paper, "least": least, "most": most, "here": here, "met": met})
    return pd.DataFrame(rows)


def check_shipped(name: str) -> pd.DataFrame:
    """Measure the shipped instance of a pair."""
    replications = load_replications(name)
    return tabulate(name, measure_table1(replications) | measure_table2(replications, {5: N_DRAWS, 50: N_DRAWS}))


def fresh_seeds(name: str, first: int, last: int) -> list[int]:
    """Return the seeds from first to last, without that of the shipped instance: its first runs would be the same."""
    return [seed for seed in range(first, last + 1) if seed != find_pair(name).rng]


def check_seeds(name: str, first: int, last: int, n_runs: int) -> pd.DataFrame:
    """Measure instances of other seeds, with fewer runs and only Table 2's single runs and n = 5."""
    measured, seeds = [], fresh_seeds(name, first, last)
    for seed in seeds:
        replications = make_replications(find_pair(name), n_runs=n_runs, rng=seed)
        measured.append(measure_table1(replications) | measure_table2(replications, {5: 40}))
        sys.stderr.write(
            f"seed {seed}: " + ", ".join(f"{key} {value:.3g}" for key, value in measured[-1].items()) + "\n"
        )
    found = pd.DataFrame(measured, index=[f"seed_{seed}" for seed in seeds]).T
    means = {"mean": found.mean(axis=1), "sd": found.std(axis=1), "least": found.min(axis=1), "most": found.max(axis=1)}
    table = found.assign(**means).rename_axis("quantity").reset_index()
    table.insert(1, "paper", [TARGETS[name][quantity][0] for quantity in table["quantity"]])
    return table


if __name__ == "__main__":
    pair, *numbers = sys.argv[1:]
    result = check_seeds(pair, *map(int, numbers)) if numbers else check_shipped(pair)
    result.to_csv(sys.stdout, index=False, float_format="%.4g", lineterminator="\n")
