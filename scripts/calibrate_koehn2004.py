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

import copy
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from mtworkbench.errors import InputError
from mtworkbench.inference.score_table import ScoreTable
from mtworkbench.metrics.bleu import Bleu
from mtworkbench.papers.simulation.corpus import CorpusDesign, MadeUpCorpus
from mtworkbench.papers.simulation.koehn2004 import KOEHN2004_RNG, koehn2004_design
from mtworkbench.papers.simulation.noisy_channel import MadeUpSystem
from mtworkbench.papers.simulation.pseudotext import match_words
from mtworkbench.shipped import find_shipped
from mtworkbench.statistics.files import save_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, describe_test_set

FOLDER = Path(__file__).parent.parent / "data" / "koehn2004"
SEEDS, N_LAST = (101, 102, 103, 104, 105), 3
# Where to start: near enough for tuning.
START_OFFSETS, START_BURSTS, START_DELETIONS = (-0.18, -0.14, -0.12, -0.08, -0.05, -0.03), 0.1, 0.11
START_CORRELATION = 0.6
# Before the table is read, the correlation of two systems' segments is taken to be about this: Portuguese and Danish
# are so near to each other that their row alone would leave anything from 0.1 to 0.5 possible.
USUAL_CORRELATION, ITS_SD = 0.5, 0.1
SIZE = 300
# Columns of BLEU's statistics: matches and numbers of n-grams of order n are MATCHES + n and NGRAMS + n.
MATCHES, NGRAMS = 1, 5
# How 1-gram precision, 4-gram precision and BLEU (points) change with offset, bursts and deletions: measured once on
# Koehn's six systems, about the same for all, and corrected on the way (Broyden's method).
SLOPES = np.array([[-33.0, 0.0, 25.0], [-28.0, 17.0, 6.0], [-38.0, 18.0, 0.0]])
LOWEST, HIGHEST = np.array([-2.0, -0.5, 0.0]), np.array([2.0, 0.95, 0.8])
LONGEST_STEP = 0.1
N_STEPS = 20


@dataclass(frozen=True)
class Quality:
    """Corpus-level quality of a system's text, in %; as a target of `tune_system`, or how near it must come.

    Parameters
    ----------
    precision_1, precision_4 : float
        Precision of 1-grams and of 4-grams.
    bleu : float
    """

    precision_1: float
    precision_4: float
    bleu: float

    def to_array(self) -> np.ndarray:
        """Return the three numbers as (3,) ndarray."""
        return np.array([self.precision_1, self.precision_4, self.bleu])


#: BLEU must be met closely, for differences between systems are what the studies are about.
CLOSE_ENOUGH = Quality(precision_1=0.1, precision_4=0.04, bleu=0.005)


def match_corpus(corpus: MadeUpCorpus, system: str | MadeUpSystem) -> np.ndarray:
    """Return BLEU's segment statistics of a system, from words' numbers: the same as from the text, only sooner."""
    return match_words(corpus.translate(system), corpus.reference)


def compute_statistics(corpus: MadeUpCorpus) -> SegmentStatistics:
    """Return BLEU's segment statistics of all systems: what `mtworkbench.compute_statistics` gives for the text."""
    values = {system.name: match_corpus(corpus, system)[None] for system in corpus.design.systems}
    return SegmentStatistics(Bleu(), values, describe_test_set(corpus.to_frame(list(values)[:1])))


def measure_quality(statistics: np.ndarray) -> Quality:
    """Measure precisions and BLEU of segments together.

    Parameters
    ----------
    statistics : (n_segments, 10) ndarray
        Of `Bleu`.

    Returns
    -------
    Quality
    """
    totals = statistics.sum(axis=0)
    first, fourth = (100 * totals[MATCHES + order] / totals[NGRAMS + order] for order in (1, 4))
    return Quality(float(first), float(fourth), float(Bleu().score(totals)))


def tune_system(
    corpus: MadeUpCorpus, system: MadeUpSystem, target: Quality, close_enough: Quality = CLOSE_ENOUGH
) -> MadeUpSystem:
    """Find offset, bursts and deletions that give a system the quality wanted on this corpus.

    Parameters
    ----------
    corpus : MadeUpCorpus
    system : MadeUpSystem
        Where to start; returned as it is where it is close enough.
    target, close_enough : Quality
        What is wanted, and how far it may be missed.

    Returns
    -------
    MadeUpSystem
        With parameters of four decimals.

    Raises
    ------
    InputError
        Where 20 steps do not reach the target: the three numbers then contradict each other for such text.
    """
    point = np.array([system.offset, system.bursts, system.deletions])
    wanted, near, slopes = target.to_array(), close_enough.to_array(), SLOPES.copy()
    reached = _try(corpus, system, point)
    for _ in range(N_STEPS):
        if (np.abs(reached - wanted) <= near).all():
            return _with_parameters(system, point)
        step = np.clip(np.linalg.solve(slopes, wanted - reached), -LONGEST_STEP, LONGEST_STEP)
        step = np.round(np.clip(point + step, LOWEST, HIGHEST), 4) - point
        if not step.any():
            break
        before, point = reached, point + step
        reached = _try(corpus, system, point)
        slopes += np.outer(reached - before - slopes @ step, step) / (step @ step)
    raise InputError(
        "not-tuned",
        f"{system.name!r} was to have a 1-gram precision, a 4-gram precision and a BLEU score of "
        f"{', '.join(f'{value:.2f}' for value in wanted)}, but tuning ended at "
        f"{', '.join(f'{value:.2f}' for value in reached)}: start from a system that is nearer.",
    )


def _try(corpus: MadeUpCorpus, system: MadeUpSystem, point: np.ndarray) -> np.ndarray:
    return measure_quality(match_corpus(corpus, _with_parameters(system, point))).to_array()


def _with_parameters(system: MadeUpSystem, point: np.ndarray) -> MadeUpSystem:
    offset, bursts, deletions = (round(float(value), 4) for value in point)
    return replace(system, offset=offset, bursts=bursts, deletions=deletions)


def koehn2004_targets() -> dict[str, Quality]:
    """Return what Koehn (2004), Table 1, prints for each system."""
    table = pd.read_csv(find_shipped("data/published/koehn2004_table1.csv"))
    return {row.system: Quality(row.precision_1, row.precision_4, row.bleu) for row in table.itertuples()}


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
    statistics = compute_statistics(corpus)
    influences = np.stack(ScoreTable.of([statistics[name] for name in statistics]).influence)
    return influences * len(statistics.test_set) / np.sqrt(SIZE)


def change_systems(design: CorpusDesign, systems: Sequence[MadeUpSystem], correlations: np.ndarray) -> CorpusDesign:
    """Return a design with other systems, and other correlations between them."""
    return replace(design, systems=tuple(systems), correlations=tuple(map(tuple, correlations.tolist())))


def read_calibration() -> CorpusDesign:
    """Return the design with the systems as they were found, before they are tuned to a seed."""
    table = pd.read_csv(find_shipped("data/koehn2004/calibration.csv"))
    systems = [MadeUpSystem(row.system, row.offset, row.bursts, row.deletions) for row in table.itertuples()]
    return change_systems(koehn2004_design(), systems, table[table["system"]].to_numpy())


def tune(design: CorpusDesign, seed: int) -> MadeUpCorpus:
    """Make a corpus with a seed of its own and tune its systems to Table 1."""
    targets, corpus = koehn2004_targets(), MadeUpCorpus(design, rng=seed)
    tuned = copy.copy(corpus)
    systems = tuple(tune_system(corpus, one, targets[one.name]) for one in design.systems)
    tuned.design = replace(design, systems=systems)
    return tuned


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
        corpus = tune(change_systems(koehn2004_design(), systems, correlations), seed)
        systems = corpus.design.systems
        correlations = move_correlations(correlations, names, measure_errors(corpus), seed)
        steps.append(correlations)
        parameters.append([(system.offset, system.bursts, system.deletions) for system in systems])
    means = np.mean(parameters[-N_LAST:], axis=0).round(3).tolist()
    systems = tuple(MadeUpSystem(name, *values) for name, values in zip(names, means, strict=True))
    return change_systems(koehn2004_design(), systems, np.mean(steps[-N_LAST:], axis=0).round(3))


def report(line: str) -> None:
    """Tell the user how far it is."""
    sys.stderr.write(line + "\n")


def main() -> None:
    """Write the calibration, then the systems as tuned to the shipped seed, then the statistics of their text."""
    if "--systems-only" not in sys.argv:
        write_design(calibrate(), FOLDER / "calibration.csv")
    corpus = tune(read_calibration(), KOEHN2004_RNG)
    write_design(corpus.design, FOLDER / "systems.csv")
    save_statistics(FOLDER / "six_systems.stats", compute_statistics(corpus))


def write_design(design: CorpusDesign, path: Path) -> None:
    """Write the systems' parameters and their correlations as `koehn2004_design` and `read_calibration` read them."""
    names = [system.name for system in design.systems]
    table = pd.DataFrame([vars(system) for system in design.systems]).rename(columns={"name": "system"})
    table[names] = np.array(design.correlations)
    table.to_csv(path, index=False, lineterminator="\n")


if __name__ == "__main__":
    main()
