"""Count how often the engine's tests and intervals err, beside those that it took the place of.

    python -m benchmarks.calibration.engine [CELL ...] [--experiments N] [--list]

"old" is what `compare` did by default before: p adjusted by Holm's method, intervals from a bootstrap or a jackknife
(`adjust="holm"`); "new" is the default. Both see the same test sets, drawn with replacement from the shipped
statistics of real outputs. Writes data/calibration/engine.csv, one row per cell, engine and quantity.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

import mtworkbench as mtw
from mtworkbench.errors import DataWarning
from mtworkbench.metrics import MeanScore, Metric
from mtworkbench.results.comparisons import MetricComparison
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import replace_file

FILE = Path(__file__).parents[2] / "data" / "calibration" / "engine.csv"
ENGINES = {"old": {"adjust": "holm"}, "new": {}}
#: Systems of WMT 2023 English-German: the first three are made equal where a null hypothesis is partly true.
FIVE = ("ONLINE-A", "ONLINE-Y", "GPT4-5shot", "ONLINE-B", "ONLINE-M")
TEN = (*FIVE, "ONLINE-G", "Lan-BridgeMT", "ZengHuiMT", "ONLINE-W", "NLLB_Greedy")
N_RESAMPLES = 400
#: Of the test sets. Those of seed 1 chose the rule for the intervals of a family, so they cannot judge it.
SEED = 2


@dataclass(frozen=True)
class EngineCell:
    """A setting.

    Parameters
    ----------
    metric : {"BLEU", "chrF", "mean"}
        ``mean`` is the mean of the segments' own chrF.
    unit : {"document", "segment"}
    n_units : int
        Of each test set.
    systems : tuple of str
    equal : int
        So many of the systems, the first ones, exchange their outputs at random on each unit: they are equal.
    weak : bool
        Two systems keep their outputs, but the population is one on which they score alike.
    differing : float
        Share of the units on which other systems differ from the first.
    lone : bool
        One document is as long as all others together.
    missing : float
        Share of the scores that each system lacks.
    runs : int
        Of each system: see `make_runs`.
    copies : int
        So many of the systems, the last ones, are copies of the first.
    most : int, optional
        No more experiments than these, because each takes long.
    """

    metric: str
    unit: str
    n_units: int
    systems: tuple[str, ...] = FIVE
    equal: int = 0
    weak: bool = False
    differing: float = 1.0
    lone: bool = False
    missing: float = 0.0
    runs: int = 1
    copies: int = 0
    most: int | None = None

    @property
    def name(self) -> str:
        """What the cell is called."""
        kind = "weak null" if self.weak else f"{self.equal} of {len(self.systems)} equal"
        more = f", {self.differing:.0%} differ" * (self.differing < 1) + ", one long" * self.lone
        more += f", {self.missing:.0%} missing" * (self.missing > 0) + f", {self.copies} copies" * (self.copies > 0)
        more += f", {self.runs} runs" * (self.runs > 1)
        return f"{self.metric}, {self.n_units} {self.unit}s, {kind}{more}"


CELLS = [
    *(EngineCell(m, "document", n, equal=e) for m in ("BLEU", "chrF") for n in (6, 9, 12, 20, 40, 60) for e in (3, 5)),
    *(EngineCell(m, "segment", n, equal=3) for m in ("BLEU", "chrF") for n in (50, 100, 300, 1000)),
    *(EngineCell(m, "document", 10, TEN, equal=e) for m in ("BLEU", "chrF") for e in (3, 10)),
    *(EngineCell(m, "document", n, FIVE[:2], weak=True) for m in ("BLEU", "chrF") for n in (12, 20, 60)),
    *(EngineCell(m, "segment", n, FIVE[:2], weak=True) for m in ("BLEU", "chrF") for n in (100, 1000)),
    EngineCell("BLEU", "segment", 300, FIVE[:2], equal=0, differing=0.03),
    EngineCell("BLEU", "segment", 8, FIVE, equal=3),
    *(EngineCell(m, "document", 12, FIVE, equal=3, lone=True) for m in ("BLEU", "chrF")),
    *(EngineCell("mean", u, n, FIVE, equal=3, missing=0.2) for u, n in (("document", 20), ("segment", 300))),
    *(EngineCell("BLEU", "segment", 300, FIVE[:3], equal=2, runs=runs, most=200) for runs in (2, 3, 5, 10)),
    *(EngineCell("chrF", "document", 20, FIVE[:3], equal=2, runs=runs, most=200) for runs in (2, 5)),
    *(
        EngineCell(m, u, n, TEN[:7], equal=3, copies=2, most=200)
        for m, u, n in (("BLEU", "segment", 100), ("chrF", "document", 20))
    ),
    *(EngineCell(m, "segment", 3000, equal=3, most=60) for m in ("BLEU", "chrF")),
]


@cache
def load_population(metric: str) -> tuple[Metric, dict[str, np.ndarray], list[np.ndarray]]:
    """Return the metric, each system's statistics, (n_segments, n_statistics), and the segments of each document."""
    name = "chrF" if metric == "mean" else metric
    [found] = (
        one
        for one in mtw.load_statistics(mtw.find_shipped("data/wmt23-en-de/text_metrics.stats"))
        if one.metric.name == name
    )
    values = {system: found[system].values[0].astype(float) for system in found}
    documents = found.test_set.documents
    members = [np.flatnonzero(documents == document) for document in dict.fromkeys(documents)]
    if metric != "mean":
        return found.metric, values, members
    scores = {system: np.asarray(found.metric.segment_score(own)) for system, own in values.items()}
    return MeanScore(), {name: np.stack([own, np.ones_like(own)], axis=1) for name, own in scores.items()}, members


def make_runs(values: dict[str, np.ndarray], count: int) -> dict[str, np.ndarray]:
    """Make runs of each system, (n_segments, n_runs, n_statistics): one is the system itself.

    Of several, run k has three tenths of its outputs, at random, from the (k + 1)-th of the systems that follow.
    """
    if count == 1:
        return {name: own[:, None] for name, own in values.items()}
    rng, names = np.random.default_rng(count), list(values)
    made = {}
    for place, name in enumerate(names):
        others = [values[names[(place + 1 + run) % len(names)]] for run in range(count)]
        taken = rng.random((len(values[name]), count, 1)) < 0.3
        made[name] = np.where(taken, np.stack(others, axis=1), values[name][:, None])
    return made


@dataclass(frozen=True)
class Experiment:
    """A test set, and the true score of each system."""

    statistics: SegmentStatistics
    truth: dict[str, float]
    equal: frozenset[str]


def draw_experiments(cell: EngineCell, count: int, seed: int) -> Iterator[Experiment]:
    """Draw test sets from the population of a cell."""
    metric, values, members = load_population(cell.metric)
    values = make_runs(values, cell.runs)
    rng = np.random.default_rng([seed, *map(ord, cell.name)])
    units = members if cell.unit == "document" else [np.array([place]) for place in np.concatenate(members)]
    if cell.weak:
        units = level(metric, [values[name] for name in cell.systems], units)
    longest = max(units, key=len)
    everything = np.concatenate(units)
    totals = {name: values[name][everything].sum(axis=0) for name in cell.systems}
    equal, copies = cell.systems[: cell.equal], cell.systems[len(cell.systems) - cell.copies :]
    if equal:
        totals |= dict.fromkeys(equal, np.mean([totals[name] for name in equal], axis=0))
    totals |= dict.fromkeys(copies, totals[cell.systems[0]])
    if cell.differing < 1:
        first = totals[cell.systems[0]]
        totals = {name: (1 - cell.differing) * first + cell.differing * own for name, own in totals.items()}
    truth = {name: float(metric.score(own).mean()) for name, own in totals.items()}
    for _ in range(count):
        drawn = [units[place] for place in rng.integers(len(units), size=cell.n_units)]
        if cell.lone:
            drawn[0] = np.concatenate([longest] * max(1, sum(map(len, drawn[1:])) // len(longest)))
        yield make_experiment(cell, metric, values, drawn, truth, rng)


def make_experiment(
    cell: EngineCell,
    metric: Metric,
    values: dict[str, np.ndarray],
    drawn: list[np.ndarray],
    truth: dict[str, float],
    rng: np.random.Generator,
) -> Experiment:
    """Make a test set of the units that were drawn."""
    label, segments = np.repeat(np.arange(len(drawn)), list(map(len, drawn))), np.concatenate(drawn)
    own = np.stack([values[name][segments] for name in cell.systems])
    if cell.equal:
        orders = rng.permuted(np.tile(np.arange(cell.equal), (len(drawn), 1)), axis=1)
        own[: cell.equal] = own[orders[label].T, np.arange(len(segments))]
    if cell.differing < 1:
        same = (rng.random(len(drawn)) >= cell.differing)[label]
        own[:, same] = own[0, same]
    own[len(own) - cell.copies :] = own[0]
    own[rng.random(own.shape[:2]) < cell.missing] = 0  # of a mean, a score that is not counted
    documents = label.astype(str).astype(object) if cell.unit == "document" else None
    test_set = TestSet(np.arange(1, len(label) + 1), documents, "engine", 1)
    statistics = {name: one.swapaxes(0, 1) for name, one in zip(cell.systems, own, strict=True)}
    equal = frozenset(cell.systems[: cell.equal] + cell.systems[len(own) - cell.copies :])
    return Experiment(SegmentStatistics(metric, statistics, test_set), truth, equal)


def level(metric: Metric, values: list[np.ndarray], units: list[np.ndarray]) -> list[np.ndarray]:
    """Leave out units until two systems score alike."""
    kept = list(range(len(units)))
    sums = np.stack([[own[unit].sum(axis=0) for unit in units] for own in values])

    def difference(places: list[int]) -> float:
        return float(np.subtract(*metric.score(sums[:, places].sum(axis=1)).mean(axis=1)))

    while abs(difference(kept)) > 1e-3:
        without = [abs(difference([one for one in kept if one != place])) for place in kept]
        if min(without) >= abs(difference(kept)):
            break
        kept.pop(int(np.argmin(without)))
    return [units[place] for place in kept]


def judge(found: MetricComparison, experiment: Experiment) -> Counter[str]:
    """Count what a comparison says, against what is true."""
    counted: Counter[str] = Counter(experiments=1)
    all_cover, any_false = True, False
    for pair in found.comparisons:
        true = experiment.truth[pair.a] - experiment.truth[pair.b]
        is_null = {pair.a, pair.b} <= experiment.equal or abs(true) < 1e-3
        shown = pair.verdict == "significant"
        any_false |= shown and (is_null or (pair.difference > 0) != (true > 0))
        ends = pair.ends
        excluded = ends.side != 0 and (true == 0 or (true > 0) != (ends.side > 0))
        all_cover &= ends.low is None or (ends.low <= true <= ends.high and not excluded)
        counted["pairs"] += 1
        counted["different pairs"] += not is_null
        counted["shown"] += shown and not is_null
        counted["undecided"] += pair.verdict == "undecided"
        known = pair.low is not None
        counted["without interval"] += not known
        counted["intervals"] += known
        counted["covered"] += known and pair.low <= true <= pair.high
        counted["thousandths of width"] += round(1000 * (pair.high - pair.low)) if known else 0
        if pair.verdict != "undecided" and ends.excludes_zero is not None:
            counted["contradictions"] += shown != ends.excludes_zero
    counted.update({"all covered": int(all_cover), "false": int(any_false)})
    return counted


def compare_renumbered(found: MetricComparison, again: MetricComparison, system: str) -> Counter[str]:
    """Count how far p moves where only the runs of one system are in another order."""
    counted: Counter[str] = Counter()
    both = zip(found.comparisons, again.comparisons, strict=True)
    for one, other in (pair for pair in both if system in (pair[0].a, pair[0].b)):
        counted["renumbered pairs"] += 1
        counted["millionths of p by renumbering"] += round(1e6 * abs(one.p_value - other.p_value))
        counted["verdicts by renumbering"] += {one.verdict, other.verdict} == {"significant", "not significant"}
    return counted


def count_cell(cell: EngineCell, n_experiments: int, seed: int = SEED) -> list[dict[str, object]]:
    """Return the rows of a cell."""
    counted: dict[str, Counter[str]] = {engine: Counter() for engine in ENGINES}
    for number, experiment in enumerate(draw_experiments(cell, min(n_experiments, cell.most or n_experiments), seed)):
        statistics = experiment.statistics
        for engine, options in ENGINES.items():
            options = options | {"unit": cell.unit, "n_resamples": N_RESAMPLES, "rng": 1 + number}
            begun = time.process_time()
            [found] = mtw.compare(statistics, **options).metrics.values()
            counted[engine]["CPU milliseconds"] += round(1000 * (time.process_time() - begun))
            counted[engine].update(judge(found, experiment))
            if cell.runs > 1:
                first = cell.systems[0]
                turned = replace(statistics, values=statistics.values | {first: statistics.values[first][::-1]})
                [again] = mtw.compare(turned, **options).metrics.values()
                counted[engine].update(compare_renumbered(found, again, first))
    return [
        {"cell": cell.name, "quantity": name, **{engine: one[name] for engine, one in counted.items()}}
        for name in counted["new"]
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cells", nargs="*", metavar="CELL", help="names of cells; default: all that are not done")
    parser.add_argument("--experiments", type=int, default=200)
    parser.add_argument("--list", action="store_true", help="list the cells and stop")
    arguments = parser.parse_args()
    if arguments.list:
        print(*(cell.name for cell in CELLS), sep="\n")
        return
    warnings.simplefilter("ignore", DataWarning)
    rows = pd.read_csv(FILE).to_dict("records") if FILE.exists() else []
    done = {row["cell"] for row in rows} - set(arguments.cells)
    for cell in tqdm([one for one in CELLS if one.name not in done]):
        if not arguments.cells or cell.name in arguments.cells:
            rows = [row for row in rows if row["cell"] != cell.name] + count_cell(cell, arguments.experiments)
            replace_file(FILE, frame_to_csv(pd.DataFrame(rows)))


if __name__ == "__main__":
    main()
