"""Statistics of metrics from texts: neither side remembers a text or a word, but for the references of all systems."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sacrebleu.metrics import BLEU, CHRF, TER

from benchmarks.speed.measure import TEXTS, Row, spend
from mtworkbench import compute_statistics, find_shipped, make_outputs
from mtworkbench.metrics import Bleu, ChrF, Ter

#: By name: sacreBLEU's metric with its options, the workbench's, and how many times as fast it is expected to be.
METRICS = {
    "BLEU (13a)": (BLEU, {}, Bleu(), 7),
    "chrF": (CHRF, {}, ChrF(), 10),
    "chrF++": (CHRF, {"word_order": 2}, ChrF(word_order=2), 10),
    "TER": (TER, {}, Ter(), 60),
}


@dataclass(frozen=True)
class Texts:
    """Outputs of systems with their reference, and the name of the file."""

    name: str
    reference: Sequence[str]
    systems: Mapping[str, Sequence[str]]

    def first(self, count: int) -> Texts:
        """Return the first segments."""
        systems = {name: lines[:count] for name, lines in self.systems.items()}
        return Texts(self.name, self.reference[:count], systems)

    def describe(self) -> str:
        """Name the texts with their lengths."""
        n_words = [len(line.split()) for line in self.reference]
        systems = f", {len(self.systems)} systems" if len(self.systems) > 1 else ""
        return (
            f"{self.name}{systems}, {len(n_words):,} segments, {np.mean(n_words):.0f} words on average, "
            f"{max(n_words)} in the longest"
        )


def read_lines(path: Path, count: int | None = None) -> list[str]:
    """Return the first lines of a file, or all."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")[:count]


def read_flores() -> Texts:
    """Read the real outputs that ship: three engines on FLORES."""
    folder = find_shipped("data/flores")
    engines = ("bergamot-base", "bergamot-base-memory", "bergamot-tiny")
    systems = {name: read_lines(folder / f"{name}.txt") for name in engines}
    return Texts("data/flores", read_lines(folder / "reference.txt"), systems)


def read_texts(reference: str, output: str, count: int) -> Texts:
    """Read the first segments of two files; their names, without folders, name the row."""
    name = f"{Path(output).name} on {Path(reference).name}"
    return Texts(name, read_lines(Path(reference), count), {"it": read_lines(Path(output), count)})


def extract_theirs(kind: type, options: dict[str, object], texts: Texts) -> None:
    """Extract the statistics of all systems as sacreBLEU's command does."""
    metric = kind(**options, references=[texts.reference])
    for lines in texts.systems.values():
        metric._extract_corpus_statistics(lines, None)


def make_rows(given: Sequence[Texts], shorter: int = 1) -> Iterator[Row]:
    """Prepare the rows one by one: each metric on each of the texts.

    Parameters
    ----------
    given : sequence of Texts
    shorter : int
        The number of segments is divided by it, to see whether all works. The names of the rows stay.
    """
    for texts in given:
        some = texts.first(-(-len(texts.reference) // shorter))
        outputs = make_outputs(some.reference, some.systems)
        frames = [frame for _, frame in outputs.groupby("system", sort=False)]
        for name, (kind, options, metric, at_least) in METRICS.items():
            yield Row(
                TEXTS,
                f"{name}: {texts.describe()}",
                lambda metric=metric, frames=frames: [metric.segment_statistics(frame) for frame in frames],
                lambda kind=kind, options=options, some=some: spend(lambda: extract_theirs(kind, options, some)),
                at_least=at_least,
                checked=lambda metric=metric, outputs=outputs: compute_statistics(outputs, metric),
            )
