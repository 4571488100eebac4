"""Measure on simulated scores how often claims over test sets err: skewed sets, and the claims about sets and runs.

    python -m benchmarks.set_claims [--again]

Writes data/calibration/skewed_sets.csv and set_claims.csv; docs/validity.md shows them. Rows that are
already in the second file are not computed again, so a command that was stopped can be continued.
"""

from __future__ import annotations

import argparse
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import gammaincinv, ndtri

import mtworkbench as mtw
from benchmarks.campaign_sizes import is_small
from mtworkbench import __version__
from mtworkbench.analyses.calibration import find
from mtworkbench.errors import DataWarning
from mtworkbench.inference.comparison import compare_test_sets
from mtworkbench.inference.intervals import judge_by_t
from mtworkbench.inference.new_sets import error_of_mean
from mtworkbench.metrics import MeanScore
from mtworkbench.resampling import SIMULATION, RandomKey, resolve_rng, uniforms
from mtworkbench.results.campaigns import CampaignPair
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import make_folder, replace_file

FOLDER = Path(__file__).parents[1] / "data" / "calibration"
SEED, LEVEL = 1, 0.95


def load_skewed_sets() -> pd.DataFrame:
    """Load what was counted: rows of `measure_skewed_sets`, with a ``percent`` and a ``finding``."""
    return _with_findings("skewed_sets.csv")


def load_claims() -> pd.DataFrame:
    """Load what was counted: rows of `measure_claims`, with a ``percent`` and a ``finding``."""
    return _with_findings("set_claims.csv")


def _with_findings(name: str) -> pd.DataFrame:
    frame = pd.read_csv(FOLDER / name)
    counts = frame[["count", "repetitions"]].itertuples(index=False)
    return frame.assign(
        percent=100 * frame["count"] / frame["repetitions"], finding=[find("size", count, n) for count, n in counts]
    )


# ---- sets that are skewed

#: The true differences of the sets have a gamma distribution of this skewness, mean 0 and standard deviation 1; of 0,
#: it is normal, of 2, exponential.
SKEWNESS = (0.0, 0.5, 1.0, 2.0, 4.0)
#: Numbers of sets.
N_SETS = (2, 3, 4, 5, 6, 8, 10, 12, 14)
#: The standard error of a set's difference: sets so long that their segments hardly matter.
NOISE = 0.1
N_SKEWED = 20_000


def measure_skewed_sets(n_repetitions: int = N_SKEWED, seed: int = SEED) -> pd.DataFrame:
    """Count how often Student's t calls systems different for new sets whose mean difference over sets is 0.

    Returns
    -------
    DataFrame
        ``skewness``, ``n_sets``, ``count`` of rejections, ``repetitions``, ``seed``, ``version``.
    """
    rows = []
    for skewness in SKEWNESS:
        for n_sets in N_SETS:
            key = resolve_rng(seed).sample(1 + crc32(f"skewness {skewness:g}, {n_sets} sets".encode()))
            true = draw_skewed(skewness, (n_repetitions, n_sets), key.sample(1))
            observed = true + NOISE * draw_normal((n_repetitions, n_sets), key.sample(2))
            variances = [NOISE**2] * n_sets
            count = sum(
                is_small(judge_by_t(float(one.mean()), error_of_mean(one, variances), n_sets - 1, LEVEL, 1.0)[0], LEVEL)
                for one in observed
            )
            rows.append((skewness, n_sets, count, n_repetitions, seed, __version__))
    return pd.DataFrame(rows, columns=["skewness", "n_sets", "count", "repetitions", "seed", "version"])


def draw_skewed(skewness: float, shape: tuple[int, int], random_key: RandomKey) -> np.ndarray:
    """Draw from a gamma distribution with mean 0 and standard deviation 1."""
    if skewness == 0:
        return draw_normal(shape, random_key)
    of_gamma = 4 / skewness**2
    drawn = gammaincinv(of_gamma, uniforms(random_key.stream(SIMULATION), 0, shape[0] * shape[1]))
    return ((drawn - of_gamma) / np.sqrt(of_gamma)).reshape(shape)


def draw_normal(shape: Sequence[int], random_key: RandomKey) -> np.ndarray:
    """Draw from the standard normal distribution."""
    return ndtri(uniforms(random_key.stream(SIMULATION), 0, int(np.prod(shape)))).reshape(shape)


# ---- the claims about sets and runs


@dataclass(frozen=True)
class ClaimCell:
    """What varies although the systems are equally good: standard deviations of the score of one run on one set.

    Parameters
    ----------
    by_set : float
        One system is better on some sets, the other on others.
    by_run : float
        Some runs are better, on all sets alike.
    by_run_and_set : float
        Some runs are better on some sets.
    """

    by_set: float = 0.0
    by_run: float = 0.0
    by_run_and_set: float = 0.0

    @property
    def name(self) -> str:
        """What it is called in the file."""
        return f"{self.by_set:g} / {self.by_run:g} / {self.by_run_and_set:g}"


THESE, NEW, METHOD, BOTH = "these test sets", "new test sets", "method", "new runs and sets"
#: The claims, with what must not vary if their null hypothesis is to be true.
CLAIMS: dict[str, tuple[Callable[[CampaignPair], float | None], tuple[str, ...]]] = {
    THESE: (lambda pair: pair.p_value, ("by_set", "by_run", "by_run_and_set")),
    NEW: (lambda pair: pair.new_sets_p_value, ("by_run",)),
    METHOD: (lambda pair: pair.method_p_value, ("by_set",)),
    BOTH: (lambda pair: pair.new_runs_and_sets_p_value, ()),
}
#: A score of one run on one set has a standard error of 1 / sqrt(N_SEGMENTS) = 0.16, of which its units have their own
#: difficulty that all systems share.
N_SEGMENTS, N_RUNS, N_TRIALS, N_CLAIMS = 40, 3, 199, 1000
CELLS = (ClaimCell(), ClaimCell(by_set=0.5), ClaimCell(by_run=0.3), ClaimCell(0.3, 0.3, 0.3))
SETS_OF_CLAIMS = (3, 5, 10)


def measure_claims(cell: ClaimCell, n_sets: int, n_repetitions: int = N_CLAIMS, seed: int = SEED) -> pd.DataFrame:
    """Count how often each claim is made of equal systems.

    Returns
    -------
    DataFrame
        One row per claim whose null hypothesis is true: ``varies``, ``n_sets``, ``n_runs``, ``claim``, ``count``,
        ``repetitions``, ``seed``, ``version``.
    """
    key = resolve_rng(seed).sample(1 + crc32(f"{cell.name}, {n_sets} sets".encode()))
    asked = {name: p_of for name, (p_of, fixed) in CLAIMS.items() if not any(getattr(cell, one) for one in fixed)}
    counts: Counter[str] = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for repetition in range(n_repetitions):
            own = key.sample(repetition + 1)
            sets = draw_sets(cell, n_sets, own)
            options = {"interval": "jackknife", "n_resamples": 1, "n_trials": N_TRIALS, "level": LEVEL}
            [metric] = compare_test_sets(sets, "a", rng=own, **options).metrics.values()
            [pair] = metric.comparisons
            counts += Counter(name for name, p_of in asked.items() if is_small(p_of(pair), LEVEL))
    rows = [(cell.name, n_sets, N_RUNS, name, counts[name], n_repetitions, seed, __version__) for name in asked]
    columns = ["varies", "n_sets", "n_runs", "claim", "count", "repetitions", "seed", "version"]
    return pd.DataFrame(rows, columns=columns)


def draw_sets(cell: ClaimCell, n_sets: int, random_key: RandomKey) -> dict[str, SegmentStatistics]:
    """Draw test sets with the scores of two systems' runs; part i of the model draws with the key of sample i."""
    shapes = ((n_sets, 2, 1, 1), (1, 2, N_RUNS, 1), (n_sets, 2, N_RUNS, 1), (n_sets, 1, 1, N_SEGMENTS))
    sizes = (cell.by_set, cell.by_run, cell.by_run_and_set, 1.0)
    scores = draw_normal((n_sets, 2, N_RUNS, N_SEGMENTS), random_key.sample(len(shapes) + 1))
    for number, (shape, size) in enumerate(zip(shapes, sizes, strict=True), start=1):
        scores = scores + size * draw_normal(shape, random_key.sample(number))
    found = {}
    for number, own in enumerate(scores):
        values = {name: np.stack([one, np.ones_like(one)], axis=-1) for name, one in zip("ab", own, strict=True)}
        test_set = TestSet(np.arange(1, N_SEGMENTS + 1), None, f"references {number}", 1)
        found[f"set {number}"] = SegmentStatistics(MeanScore(higher_is_better=True), values, test_set)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--again", action="store_true", help="compute again what is done")
    again = parser.parse_args().again
    make_folder(FOLDER)
    if again or not (FOLDER / "skewed_sets.csv").exists():
        replace_file(FOLDER / "skewed_sets.csv", frame_to_csv(measure_skewed_sets()))
    path = FOLDER / "set_claims.csv"
    known = pd.DataFrame() if again or not path.exists() else pd.read_csv(path)
    done = set() if known.empty else set(zip(known["varies"], known["n_sets"], strict=True))
    jobs = [(cell, n_sets) for cell in CELLS for n_sets in SETS_OF_CLAIMS if (cell.name, n_sets) not in done]
    for cell, n_sets in mtw.show_progress("claims")(jobs):
        known = pd.concat([known, measure_claims(cell, n_sets)])
        replace_file(path, frame_to_csv(known))


if __name__ == "__main__":
    main()
