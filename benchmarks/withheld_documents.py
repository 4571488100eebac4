"""Measure how often equal systems are called different where document ids are withheld: with recognition and without.

    python -m benchmarks.withheld_documents --realdata FOLDER

Writes data/calibration/withheld_documents.csv (half an hour). FOLDER has the XML files of WMT and the folder of
mt-metrics-eval that `SOURCES` names. A set and pair that the file has is not computed again.
"""

from __future__ import annotations

import argparse
import csv
import re
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, product
from pathlib import Path

import numpy as np
import pandas as pd
from tqdm import tqdm

import mtworkbench as mtw
from mtworkbench import __version__
from mtworkbench.errors import DataWarning
from mtworkbench.inference.intervals import monte_carlo_ends
from mtworkbench.outputs import read_mt_metrics_eval, read_wmt_xml
from mtworkbench.resampling import SIMULATION, RandomKey, exchange_coins, resolve_rng
from mtworkbench.statistics.segment_statistics import SystemStatistics, TestSet
from mtworkbench.tables import frame_to_csv
from mtworkbench.writing import replace_file

PATH = Path(__file__).parent.parent / "data" / "calibration" / "withheld_documents.csv"
#: Test sets whose documents are more than single lines, by what a reader calls them.
SOURCES = {
    "wmt21 ru-en": "wmt-xml/newstest2021.ru-en.all.xml",
    "wmt23 uk-en": "wmt-xml/wmttest2023.uk-en.all.xml",
    "wmt23 en-de": "mt-metrics-eval/wmt23",
    "wmt23 he-en": "mt-metrics-eval/wmt23",
    "wmt22 de-en": "long-de-en",
    "TED en-de": "mqm-ted-en-de/mqm_ted_ende.tsv",
}
METRICS = ("bleu", "chrf")
REPETITIONS, TRIALS, LEVEL, SEED = 400, 199, 0.05, 1
#: What is treated as independent where document ids are withheld.
SEGMENTS, RECOGNIZED, BLOCKS = "segments", "recognized documents", "blocks"
KEY = ["test_set", "metric", "a", "b"]


def read_set(name: str, realdata: Path) -> pd.DataFrame:
    """Read the outputs of a set with its documents, without test suites and without references as systems."""
    path = realdata / SOURCES[name]
    if path.suffix == ".tsv":
        return read_talks(path)
    if name == "wmt22 de-en":  # its documents are in no file: they are those of the table
        engines = {one.name: one / "wmt22.en" for one in sorted((path / "sys").iterdir())}
        return mtw.read_outputs(path / "ref" / "wmt22.en", engines)
    if path.suffix == ".xml":
        outputs = read_wmt_xml(path)
        return outputs[outputs["testsuite"] == ""] if "testsuite" in outputs.columns else outputs
    outputs = read_mt_metrics_eval(path, name.split()[1])
    return outputs[~outputs["system"].str.contains("ref")]


def read_talks(path: Path) -> pd.DataFrame:
    """Read the texts of MQM ratings, whose marks of errors are taken out."""
    texts: dict[str, dict[tuple[str, int], str]] = {}
    with path.open(encoding="utf-8", newline="") as stream:
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE):
            place = row["doc"], int(row["seg_id"])
            texts.setdefault(row["system"], {})[place] = re.sub(r"</?v>", "", row["target"])
    reference = texts.pop("ref")
    places = sorted(reference, key=lambda place: place[1])
    systems = {system: [own[place] for place in places] for system, own in texts.items()}
    return mtw.make_outputs(
        [reference[place] for place in places], systems, documents=[document for document, _ in places]
    )


def withhold(outputs: pd.DataFrame) -> pd.DataFrame:
    """Make outputs of the texts alone, as plain files have them."""
    rows = dict(iter(outputs.groupby("system", sort=False)))
    first = next(iter(rows.values()))
    names = [name for name in first.columns if name.startswith("reference")]
    references = [[text if isinstance(text, str) else None for text in first[name]] for name in names]
    whole = [one for one in references if None not in one]  # of segments without a reference plain text knows nothing
    return mtw.make_outputs(whole, {system: own["hypothesis"].tolist() for system, own in rows.items()})


def measure(
    a: SystemStatistics, b: SystemStatistics, documents: np.ndarray, test_sets: dict[str, TestSet], key: RandomKey
) -> dict[str, int]:
    """Count how often two systems, made equal by swapping whole documents at random, are called different.

    Parameters
    ----------
    a, b : SystemStatistics
    documents : (n_segments,) ndarray of int
        The true document of each segment, counted from 0.
    test_sets : dict of str to TestSet
        What each rule knows.
    key : RandomKey
    """
    counts = dict.fromkeys(test_sets, 0)
    coins = exchange_coins(int(documents.max()) + 1, 0, REPETITIONS, key=key.stream(SIMULATION)).astype(bool)
    for number in range(REPETITIONS):
        swapped = coins[number][documents]
        first = np.where(swapped[None, :, None], b.values, a.values)
        second = np.where(swapped[None, :, None], a.values, b.values)
        for rule, test_set in test_sets.items():
            pair = (replace(one, values=own, test_set=test_set) for one, own in ((a, first), (b, second)))
            found = mtw.approximate_randomization(
                *pair, unit="block" if rule == BLOCKS else "auto", n_trials=TRIALS, rng=key.sample(number + 1)
            )
            counts[rule] += found.p_value <= LEVEL
    return counts


def measure_set(name: str, outputs: pd.DataFrame, metric: str, done: set[tuple[str, ...]]) -> Iterator[pd.DataFrame]:
    """Measure the pairs of neighbours in a ranking by BLEU, under a metric: the rows of each pair."""
    plain = withhold(outputs)
    first = outputs[outputs["system"] == outputs["system"].iloc[0]]
    _, documents = np.unique(first["document"].to_numpy(dtype=str), return_inverse=True)
    bleu = mtw.compute_statistics(plain, "bleu")
    statistics = bleu if metric == "bleu" else mtw.compute_statistics(plain, metric)
    ranked = sorted(bleu, key=lambda system: -float(bleu[system].score().mean()))
    known = statistics.test_set
    unknown = replace(known, documents=None, known_documents=None)
    test_sets = {SEGMENTS: unknown, RECOGNIZED: known, BLOCKS: unknown}
    for place, (a, b) in enumerate(tqdm([*pairwise(ranked)], desc=f"{name}, {statistics.metric.name}")):
        if (name, statistics.metric.name, a, b) in done:
            continue
        counts = measure(statistics[a], statistics[b], documents, test_sets, resolve_rng(SEED).sample(place + 1))
        yield pd.DataFrame(
            [
                {
                    "test_set": name,
                    "metric": statistics.metric.name,
                    "a": a,
                    "b": b,
                    "n_segments": len(known),
                    "n_documents": int(documents.max()) + 1,
                    "n_recognized": known.n_documents,
                    "known_documents": known.known_documents,
                    "rule": rule,
                    "count": count,
                    "repetitions": REPETITIONS,
                    "percent": 100 * count / REPETITIONS,
                    **dict(zip(("low", "high"), 100 * np.array(monte_carlo_ends(count, REPETITIONS)), strict=True)),
                    "seed": SEED,
                    "version": __version__,
                }
                for rule, count in counts.items()
            ]
        )


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure all sets, and write the file after each pair."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--realdata", type=Path, required=True)
    realdata = parser.parse_args(arguments).realdata
    found = [pd.read_csv(PATH)] if PATH.exists() else []
    done = set(pd.concat(found)[KEY].itertuples(index=False, name=None)) if found else set()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        for metric, name in product(METRICS, SOURCES):
            for rows in measure_set(name, read_set(name, realdata), metric, done):
                found.append(rows)
                replace_file(PATH, frame_to_csv(pd.concat(found)))


if __name__ == "__main__":
    main()
