"""How often do the clusters of docs/rankings.md err? Made-up scores, whose truth is known.

    python benchmarks/rankings.py > benchmarks/rankings.txt

It takes some seconds. tests/test_rankings_page.py holds the page against rankings.txt.
"""

from itertools import combinations

import numpy as np

from mtworkbench.inference.clusters import SIZE, signed_rank

N_EXPERIMENTS = 200


def call_pairs_different(n_systems: int, n_segments: int, rng: np.random.Generator) -> bool:
    """Say whether WMT's one-sided test calls any pair of equal systems different."""
    scores = rng.normal(size=(n_systems, n_segments))
    ordered = scores[np.argsort(-scores.mean(axis=1))]
    return any(signed_rank(one, other) < SIZE for one, other in combinations(ordered, 2))


def main() -> None:
    called = sum(call_pairs_different(10, 200, np.random.default_rng([3, number])) for number in range(N_EXPERIMENTS))
    many = f"{called} of {N_EXPERIMENTS}"
    print(f"Ten equal systems, 200 segments: at least one of 45 pairs is called different in {many}")


if __name__ == "__main__":
    main()
