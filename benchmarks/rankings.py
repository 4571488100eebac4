"""How often do the displays of docs/rankings.md err? Made-up scores, whose truth is known.

    python benchmarks/rankings.py > benchmarks/rankings.txt

It takes about two minutes. tests/test_rankings_page.py holds the page against rankings.txt.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from mtworkbench.inference.clusters import SIZE, signed_rank
from mtworkbench.inference.rankings import draw_new_sets, rank_by_draws

LEVEL, N_DRAWS = 0.95, 1000
N_SETS = 2, 3, 5, 14
APART, RANGES, CLUSTERS = 10_000, 400, 200  # experiments of each kind
GAPS = 0.001, 0.3, 1.0


def tell_two_apart(n_sets: int, rng: np.random.Generator) -> Iterator[bool]:
    """Say by which ways one of two equal systems is ahead in more than 97.5 % of the draws.

    Within a set, the standard error of the difference is 1; between sets, the true difference has the standard
    deviation 2.
    """
    truth = rng.normal(0, 2, n_sets)
    differences = truth + rng.normal(0, 1, n_sets)
    first, second = draw_new_sets(np.stack([differences, np.zeros(n_sets)]), N_DRAWS, key=int(rng.integers(2**63)))
    chosen = rng.integers(0, n_sets, (N_DRAWS, n_sets))
    sets = differences[chosen].mean(axis=1)
    segments = (differences[chosen] + rng.normal(0, 1, chosen.shape)).mean(axis=1)
    for drawn in (first - second, sets, segments):
        ahead = np.mean(drawn > 0) + np.mean(drawn == 0) / 2
        yield ahead > (1 + LEVEL) / 2 or ahead < (1 - LEVEL) / 2


def hold_true_ranks(n_systems: int, gap: float, n_sets: int | None, rng: np.random.Generator) -> tuple[float, float]:
    """Return which share of the ranges holds the true rank, and which share of the systems is never the best.

    The systems lie ``gap`` standard errors of their mean apart; the errors are independent. With ``n_sets`` the ranges
    are those for new sets, else those of resamples.
    """
    ranks = np.arange(1, n_systems + 1)
    if n_sets is None:
        means = rng.normal(-gap * ranks)
        drawn = rng.normal(means[:, None], size=(n_systems, N_DRAWS))
    else:
        scores = rng.normal(-gap * ranks[:, None], np.sqrt(n_sets), (n_systems, n_sets))
        means, drawn = scores.mean(axis=1), draw_new_sets(scores, N_DRAWS, key=int(rng.integers(2**63)))
    found = rank_by_draws(means, drawn, LEVEL)
    return np.mean((found.rank_low <= ranks) & (ranks <= found.rank_high)), np.mean(found.p_best == 0)


def call_pairs_different(n_systems: int, n_segments: int, rng: np.random.Generator) -> bool:
    """Say whether WMT's one-sided test calls any pair of equal systems different."""
    scores = rng.normal(size=(n_systems, n_segments))
    ordered = scores[np.argsort(-scores.mean(axis=1))]
    return any(signed_rank(one, other) < SIZE for one, other in combinations(ordered, 2))


def generators(n: int, *seed: int) -> Iterator[np.random.Generator]:
    return (np.random.default_rng([*seed, number]) for number in range(n))


def main() -> None:
    print(f"Two equal systems: one is ahead in more than 97.5 % of draws, in % of {APART:,} experiments\n")
    print(f"{'test sets':>9}  {'t':>6}  {'sets drawn':>10}  {'sets and segments drawn':>23}")
    for n_sets in N_SETS:
        t, sets, segments = 100 * np.mean([[*tell_two_apart(n_sets, rng)] for rng in generators(APART, 1, n_sets)], 0)
        print(f"{n_sets:>9}  {t:>6.1f}  {sets:>10.1f}  {segments:>23.1f}")
    print(f"\nRanges of ranks that hold the true rank, in % of the ranges of {RANGES} experiments")
    print("and, after the stroke, systems that are the best in no draw, in %\n")
    print("systems  standard errors apart  these sets" + "".join(f"  {n:>4} new sets" for n in N_SETS))
    for n_systems in (3, 10, 20):
        for number, gap in enumerate(GAPS):
            row = f"{n_systems:>7}  {gap:>21}"
            for n_sets in (None, *N_SETS):
                seeds = generators(RANGES, 2, n_systems, number, n_sets or 0)
                held, never = 100 * np.mean([hold_true_ranks(n_systems, gap, n_sets, rng) for rng in seeds], axis=0)
                row += f"  {held:>4.0f} / {never:<4.0f}" if n_sets is None else f"  {held:>6.0f} / {never:<4.0f}"
            print(row.rstrip())
    called = sum(call_pairs_different(10, 200, rng) for rng in generators(CLUSTERS, 3))
    print(f"\nTen equal systems, 200 segments: at least one of 45 pairs is called different in {called} of {CLUSTERS}")


if __name__ == "__main__":
    main()
