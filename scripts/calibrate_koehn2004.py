"""Find the parameters of the made-up corpus for Koehn (2004): python scripts/calibrate_koehn2004.py (some minutes).

Fitted are each system's three parameters, to Table 1, and the correlations of the nine pairs of Table 3. A row of
Table 3 says how large the standard error of that difference must be: at a true difference d and a standard error s, a
conclusion at 95 % is right with probability Phi(d / s - 1.645) and wrong with Phi(-d / s - 1.645). That standard error
asks for a correlation of the scores of the two systems' segments. The correlation of the pair, which is that of the
systems' noise, is moved to give it. Calibration uses seeds of its own; the six pairs that the paper does not have get
the mean correlation of the nine.

Writes into data/koehn2004: calibration.csv; systems.csv, the systems as tuned to the shipped seed; six_systems.stats,
the statistics of their text. With --systems-only it leaves the calibration as it is.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.papers.simulation.corpus import CorpusDesign, MadeUpCorpus
from mtworkbench.papers.simulation.koehn2004 import KOEHN2004_RNG, koehn2004_design, koehn2004_targets, tune_system
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.files import save_statistics

FOLDER = Path(__file__).parent.parent / "data" / "koehn2004"
SEEDS, N_LAST = (101, 102, 103, 104, 105), 3
# Where to start: near enough for tuning.
START_OFFSETS, START_BURSTS, START_DELETIONS = (-0.18, -0.14, -0.12, -0.08, -0.05, -0.03), 0.1, 0.11
START_CORRELATION = 0.6
# Before the table is read, the correlation of two systems' segments is taken to be about this: Portuguese and Danish
# are so near to each other that their row alone would leave anything from 0.1 to 0.5 possible.
USUAL_CORRELATION, ITS_SD = 0.5, 0.1
SIZE = 300


def fit_correlation(rows: pd.DataFrame, first_error: float, second_error: float) -> float:
    """Find the correlation of two systems' segments under which a pair's row of Table 3 is likeliest.

    Parameters
    ----------
    rows : DataFrame
        Of ``koehn2004_table3.csv``, one a sample size.
    first_error, second_error : float
        Standard errors of the two systems' scores on 300 segments.

    Returns
    -------
    float
    """
    right, wrong = rows["correct_percent"] / 100, rows["wrong_percent"] / 100

    def surprise(correlation: float) -> float:
        error = np.sqrt(first_error**2 + second_error**2 - 2 * correlation * first_error * second_error)
        distance = rows["true_difference"] / (error * np.sqrt(SIZE / rows["size"]))
        p_right, p_wrong = np.clip(ndtr(distance - 1.645), 1e-9, 1 - 1e-9), ndtr(-distance - 1.645)
        p_neither = np.maximum(1 - p_right - p_wrong, 1e-12)
        terms = right * np.log(p_right) + wrong * np.log(p_wrong + 1e-300) + (1 - right - wrong) * np.log(p_neither)
        return -(rows["samples"] * terms).sum() + ((correlation - USUAL_CORRELATION) / ITS_SD) ** 2 / 2

    return float(minimize_scalar(surprise, bounds=(0.0, 0.95), method="bounded").x)


def measure_errors(corpus: MadeUpCorpus) -> np.ndarray:
    """Return each segment's share in the error of a score on 300 segments, as (n_systems, n_segments) ndarray."""
    statistics = corpus.compute_statistics()
    influences = np.stack(ScoreTable.of(statistics.values()).influence)
    return influences * len(statistics.test_set) / np.sqrt(SIZE)


def tune(design: CorpusDesign, seed: int) -> MadeUpCorpus:
    """Make a corpus with a seed of its own and tune its systems to Table 1."""
    targets, corpus = koehn2004_targets(), MadeUpCorpus(design, rng=seed)
    return corpus.with_systems(tuple(tune_system(corpus, one, targets[one.name]) for one in design.systems))


def move_correlations(correlations: np.ndarray, names: list[str], errors: np.ndarray, seed: int) -> np.ndarray:
    """Move the correlation of each pair of Table 3 by as much as that of its segments differs from the one wanted."""
    table = pd.read_csv(find_shipped("data/published/koehn2004_table3.csv"))
    sd, measured, moved, pairs = errors.std(axis=1), np.corrcoef(errors), correlations.copy(), []
    for (a, b), rows in table.groupby(["a", "b"], sort=False):
        first, second = names.index(a), names.index(b)
        wanted = fit_correlation(rows, sd[first], sd[second])
        moved[first, second] += wanted - measured[first, second]
        moved[second, first] = moved[first, second]
        pairs.append((first, second))
        report(f"seed {seed}, {a}, {b}: correlation {measured[first, second]:.3f}, wanted {wanted:.3f}")
    in_table = np.eye(len(names), dtype=bool)
    in_table[tuple(np.transpose(pairs))] = in_table[tuple(np.transpose(pairs)[::-1])] = True
    moved[~in_table] = np.mean([moved[pair] for pair in pairs])
    return moved


def calibrate() -> CorpusDesign:
    """Find all parameters: one step of the correlations per seed, the mean of what the last seeds give.

    Returns
    -------
    CorpusDesign
    """
    names = list(koehn2004_targets())
    correlations = np.where(np.eye(len(names), dtype=bool), 1.0, START_CORRELATION)
    systems = tuple(
        MadeUpSystem(name, offset, START_BURSTS, START_DELETIONS)
        for name, offset in zip(names, START_OFFSETS, strict=True)
    )
    steps, parameters = [], []
    for seed in SEEDS:
        corpus = tune(koehn2004_design(systems, correlations), seed)
        systems = corpus.design.systems
        correlations = move_correlations(correlations, names, measure_errors(corpus), seed)
        steps.append(correlations)
        parameters.append([(system.offset, system.bursts, system.deletions) for system in systems])
    means = np.mean(parameters[-N_LAST:], axis=0).round(3).tolist()
    systems = tuple(MadeUpSystem(name, *values) for name, values in zip(names, means, strict=True))
    return koehn2004_design(systems, np.mean(steps[-N_LAST:], axis=0).round(3))


def report(line: str) -> None:
    """Tell the user how far it is."""
    sys.stderr.write(line + "\n")


def main() -> None:
    """Write the calibration, then the systems as tuned to the shipped seed, then the statistics of their text."""
    if "--systems-only" not in sys.argv:
        write_design(calibrate(), FOLDER / "calibration.csv")
    corpus = tune(koehn2004_design(), KOEHN2004_RNG)
    write_design(corpus.design, FOLDER / "systems.csv")
    save_statistics(FOLDER / "six_systems.stats", corpus.compute_statistics())


def write_design(design: CorpusDesign, path: Path) -> None:
    """Write the systems' parameters and their correlations as `koehn2004_design` reads them."""
    names = [system.name for system in design.systems]
    table = pd.DataFrame([vars(system) for system in design.systems]).rename(columns={"name": "system"})
    table[names] = np.array(design.correlations)
    table.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
