"""Experiments: test sets drawn from real and made-up populations, with a true null hypothesis or without.

Every draw follows from the cell's name, the seed and the number of the batch, so that any batch comes out again alone.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import chain
from pathlib import Path
from zlib import crc32

import numpy as np
import pandas as pd
from scipy.special import ndtri

import mtworkbench as mtw
from benchmarks.calibration.cells import PAIRS, Cell
from mtworkbench.errors import DataWarning
from mtworkbench.inference.score_table import Places, ScoreTable
from mtworkbench.metrics import MeanScore, Metric
from mtworkbench.papers.simulation.equal_methods import VarianceComponents, make_equal_methods
from mtworkbench.resampling import (
    SIMULATION,
    RandomKey,
    exchange_coins,
    number_units,
    resolve_rng,
    stream_words,
    uniforms,
)
from mtworkbench.statistics.segment_statistics import SystemStatistics, TestSet

#: Experiments that share their coins and resamples: one product of matrices serves them all.
BATCH = 50
#: The difference at which power is measured with made-up scores, in standard errors.
STANDARD_ERRORS = 3.0
# Made-up documents: mean number of segments; standard deviation of its logarithm, as in WMT 2023 uk-en.
SEGMENTS_PER_DOCUMENT, LENGTH_SD = 12, 0.95
DIFFICULTY = 2.0  # of units, the same for all systems, in multiples of a score's standard deviation
ERRORS = 0.3  # share of the segments with an error where scores are sparse
FAILING, FAILURE_SD = 0.1, 0.3  # share of runs that fail; the standard deviation of "failed", which is 0 or 1


@dataclass(frozen=True)
class Batch:
    """Some experiments with what is to be known of them.

    Parameters
    ----------
    systems : list of list of SystemStatistics
        Those of each experiment, the first two of which are tested.
    truth : tuple of float, or None
        The first two systems' true scores; None where the null hypothesis is true.
    n_effective : (n_experiments,) ndarray
        Units of equal size that would carry as much information: 1 / sum of the squared shares of segments.
    random_key : RandomKey
        For the draws of the tests.
    """

    systems: list[list[SystemStatistics]]
    truth: tuple[float, float] | None
    n_effective: np.ndarray
    random_key: RandomKey

    def tables(self, unit: str) -> Iterator[tuple[ScoreTable, list[Places]]]:
        """Make one table of all experiments on the same units, else one of each, with the pairs that are tested."""
        shared = all(one[0].test_set is self.systems[0][0].test_set for one in self.systems)
        for group in [self.systems] if shared else [[one] for one in self.systems]:
            step = len(group[0])
            yield (
                ScoreTable.of(chain(*group), unit),
                [(first, first + 1) for first in range(0, len(group) * step, step)],
            )


def draw_batch(
    cell: Cell, unit: str, seed: int, number: int, size: int, *, null: bool, realdata: Path | None = None
) -> Batch:
    """Draw one batch of experiments.

    Parameters
    ----------
    cell : Cell
    unit : {"segment", "document"}
        What the tests are to take for independent.
    seed : int
    number : int
        Of the batch, counted from 0.
    size : int
        Number of experiments.
    null : bool
        Whether the null hypothesis is to be true.
    realdata : path, optional
        Folder of the real texts that do not ship.
    """
    key = resolve_rng(seed).sample(1 + crc32(cell.name.encode())).sample(1 + 2 * number + null)
    if cell.source == "made-up BLEU":
        return draw_equal_methods(cell, key, size)
    if cell.source == "made-up means":
        return draw_means(cell, key, size, null)
    draw = draw_test_sets if unit == cell.unit else spell_out
    return draw(cell, load_population(cell.source, cell.metric, realdata), key, size, null)


# Real and made-up texts


@dataclass(frozen=True)
class Population:
    """Two systems' statistics of a large test set, and the positions of the segments of each unit."""

    metric: Metric
    values: np.ndarray  # (2, n_segments, n_statistics)
    members: list[np.ndarray]

    @cached_property
    def sizes(self) -> np.ndarray:
        """Segments of each unit, (n_units,) ndarray."""
        return np.array([len(positions) for positions in self.members])

    @cached_property
    def by_unit(self) -> np.ndarray:
        """Statistics summed by unit, (2, n_units, n_statistics) ndarray."""
        return np.stack([self.values[:, positions].sum(axis=1) for positions in self.members], axis=1)


@cache
def load_population(source: str, metric: str, realdata: Path | None) -> Population:
    """Read the outputs of two systems and compute their statistics."""
    pair = PAIRS[source]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        parts = [
            mtw.compute_statistics(outputs[outputs["system"].isin(pair)], metric)
            for outputs in read_source(source, realdata)
        ]
    values = np.stack([np.concatenate([one[name].values[0] for one in parts]) for name in pair])
    # FLORES, whose documents are recognized, is text of independent segments here.
    documents = None if parts[0].test_set.known_documents else parts[0].test_set.documents
    count, unit = number_units(values.shape[1] if documents is None else documents)
    members = np.split(np.argsort(unit, kind="stable"), np.cumsum(np.bincount(unit, minlength=count))[:-1])
    return Population(parts[0].metric, values, members)


def read_source(source: str, realdata: Path | None) -> Iterator[pd.DataFrame]:
    """Read the outputs of a source, of one or several test sets: what ships, or what is in the folder of real data."""
    if source in ("flores", "sample"):
        folder = mtw.find_shipped(f"data/{source}")
        end, documents = (".txt", None) if source == "flores" else (".run1.txt", folder / "documents.txt")
        systems = {name: folder / f"{name}{end}" for name in PAIRS[source]}
        yield mtw.read_outputs(folder / "reference.txt", systems, documents=documents)
        return
    if realdata is None:
        raise SystemExit(f"The texts of {source} do not ship: name the folder that has them with --realdata.")
    if source == "long-de-en":
        for path in sorted((realdata / source / "ref").glob("*.en")):
            yield mtw.read_outputs(path, {name: realdata / source / "sys" / name / path.name for name in PAIRS[source]})
    else:
        file = {"uk-en": "wmttest2023.uk-en.all.xml", "ru-en": "newstest2021.ru-en.all.xml"}[source]
        yield mtw.read_wmt_xml(realdata / "wmt-xml" / file)


def draw_units(
    cell: Cell, population: Population, key: RandomKey, size: int, null: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Draw units with replacement, and which of them change sides: two (size, n_units) ndarrays."""
    stream = key.stream(SIMULATION)
    drawn = draw_integers(part(stream, 0), len(population.members), (size, cell.n_units))
    return drawn, null & exchange_coins(cell.n_units, 0, size, key=part(stream, 1)).astype(bool)


def draw_test_sets(cell: Cell, population: Population, key: RandomKey, size: int, null: bool) -> Batch:
    """Draw test sets; a document is one row of summed statistics."""
    drawn, swapped = draw_units(cell, population, key, size, null)
    first, second = population.by_unit[:, drawn]
    totals = population.values.sum(axis=1).astype(float)
    if cell.differing < 1:
        coins = uniforms(part(key.stream(SIMULATION), 2), 0, drawn.size).reshape(drawn.shape)
        second = np.where((coins < cell.differing)[..., None], second, first)
        totals[1] = (1 - cell.differing) * totals[0] + cell.differing * totals[1]
    swap = swapped[..., None]
    pairs = np.stack([np.where(swap, second, first), np.where(swap, first, second)], axis=1)
    test_set = make_test_set(np.arange(cell.n_units) if cell.unit == "document" else None, cell.n_units)
    systems = [make_systems(population.metric, pair[:, None], test_set) for pair in pairs]
    truth = None if null else tuple(float(score) for score in population.metric.score(totals))
    return Batch(systems, truth, effective_count(population.sizes[drawn]), key)


def spell_out(cell: Cell, population: Population, key: RandomKey, size: int, null: bool) -> Batch:
    """Draw the test sets of `draw_test_sets` segment by segment, for tests that take segments for independent."""
    systems = []
    for documents, swaps in zip(*draw_units(cell, population, key, size, null), strict=True):
        label = np.repeat(np.arange(cell.n_units), population.sizes[documents])
        values = population.values[:, np.concatenate([population.members[document] for document in documents])]
        values = np.where(swaps[label][:, None], values[::-1], values)
        systems.append(make_systems(population.metric, values[:, None], make_test_set(label, len(label))))
    truth = None if null else tuple(float(s) for s in population.metric.score(population.values.sum(axis=1)))
    return Batch(systems, truth, np.array([one[0].n_segments for one in systems], dtype=float), key)


# Made-up scores


def draw_equal_methods(cell: Cell, key: RandomKey, size: int) -> Batch:
    """Make up BLEU statistics of equal methods; there is no other truth than the null hypothesis."""
    components = VarianceComponents(cell.method_by_unit, cell.run, cell.residual)
    made = [make_equal_methods(components, cell.n_units, cell.runs[0], rng=key.sample(1 + one)) for one in range(size)]
    systems = [[statistics[name] for name in statistics] for statistics in made]
    return Batch(systems, None, np.full(size, float(cell.n_units)), key)


def draw_means(cell: Cell, key: RandomKey, size: int, null: bool) -> Batch:
    """Make up scores; without the null hypothesis the first system is better by `STANDARD_ERRORS`."""
    stream = key.stream(SIMULATION)
    lengths = document_lengths(cell)
    shares = lengths / lengths.sum()
    widen = 1 / np.sqrt(np.sum(shares**2))  # from the deviation of a score to that of a unit
    runs = [cell.runs[0]] + [cell.runs[1]] * (cell.n_systems - 1)
    run_sds = [cell.run * cell.first_varies] + [cell.run] * (cell.n_systems - 1)
    squares = [cell.method_by_unit**2 + sd**2 / n + cell.residual**2 / n for sd, n in zip(run_sds, runs, strict=True)]
    shift = 0.0 if null else STANDARD_ERRORS * float(np.sqrt(squares[0] + squares[1]))
    units = (size, 1, cell.n_units)
    common = DIFFICULTY * widen * normals(part(stream, 0), units)
    hard = uniforms(part(stream, 1), 0, size * cell.n_units).reshape(units) < ERRORS
    systems = []
    for number, (n_runs, sd) in enumerate(zip(runs, run_sds, strict=True)):
        own = part(stream, 2 + number)
        shifted = shift if number == 0 else 0.0
        if cell.scores == "sparse":
            penalties = -np.log(uniforms(part(own, 0), 0, size * cell.n_units)).reshape(units) / np.sqrt(ERRORS)
            scores = hard * (cell.method_by_unit * widen * penalties + shifted / ERRORS)
        else:
            scores = common + cell.method_by_unit * widen * normals(part(own, 0), units) + shifted
            scores = scores + sd * run_effects(cell, part(own, 1), (size, n_runs, 1))
            scores = scores + cell.residual * widen * normals(part(own, 2), (size, n_runs, cell.n_units))
        systems.append(np.repeat(scores, lengths, axis=2))
    label = np.repeat(np.arange(cell.n_units), lengths)
    test_set = make_test_set(label if cell.unit == "document" else None, len(label))
    metric = MeanScore(higher_is_better=True)
    experiments = [
        make_systems(metric, [np.stack([one[place], np.ones_like(one[place])], axis=-1) for one in systems], test_set)
        for place in range(size)
    ]
    base = ERRORS * cell.method_by_unit * widen / np.sqrt(ERRORS) if cell.scores == "sparse" else 0.0
    truth = None if null else (float(base + shift), float(base))
    return Batch(experiments, truth, np.broadcast_to(effective_count(lengths), size), key)


def document_lengths(cell: Cell) -> np.ndarray:
    """Return the segments of each unit, (n_units,) ndarray: the same in every experiment of a cell."""
    if cell.documents == "unequal":
        spread = ndtri(
            (np.arange(cell.n_units) + 0.5) / cell.n_units
        )  # the same shape of lengths whatever their number
        return np.maximum(1, np.round(SEGMENTS_PER_DOCUMENT * np.exp(LENGTH_SD * spread - LENGTH_SD**2 / 2))).astype(
            int
        )
    return np.full(cell.n_units, SEGMENTS_PER_DOCUMENT if cell.documents else 1)


def run_effects(cell: Cell, key: int, shape: tuple[int, ...]) -> np.ndarray:
    """Draw how much better or worse each run is as a whole: mean 0, standard deviation 1."""
    if cell.run_effects == "skewed":
        return 1 + np.log(uniforms(key, 0, int(np.prod(shape)))).reshape(shape)  # some runs are much worse
    if cell.run_effects == "one bad run in ten":
        failed = uniforms(key, 0, int(np.prod(shape))).reshape(shape) < FAILING
        return (FAILING - failed) / FAILURE_SD
    return normals(key, shape)


# Parts of all of them


def effective_count(sizes: np.ndarray) -> np.ndarray:
    """Return 1 / sum of the squared shares: (..., n_units) -> (...) ndarray."""
    return sizes.sum(axis=-1) ** 2 / np.sum(sizes.astype(float) ** 2, axis=-1)


def make_test_set(documents: np.ndarray | None, n_segments: int) -> TestSet:
    labels = None if documents is None else documents.astype(str).astype(object)
    return TestSet(np.arange(1, n_segments + 1), labels, "calibration", 1)


def make_systems(metric: Metric, values: list[np.ndarray], test_set: TestSet) -> list[SystemStatistics]:
    return [SystemStatistics(metric, f"system {n}", one, test_set) for n, one in enumerate(values, start=1)]


def part(key: int, number: int) -> int:
    """Return the key of a part of a stream, as `mtworkbench.papers.simulation.draws` does."""
    return int(stream_words(key, number, 1)[0])


def normals(key: int, shape: tuple[int, ...]) -> np.ndarray:
    return ndtri(uniforms(key, 0, int(np.prod(shape)))).reshape(shape)


def draw_integers(key: int, below: int, shape: tuple[int, ...]) -> np.ndarray:
    words = stream_words(key, 0, int(np.prod(shape)))
    return ((words >> np.uint64(32)) * np.uint64(below) >> np.uint64(32)).astype(np.int64).reshape(shape)
