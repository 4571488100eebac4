"""Data of awkward sizes, made cheaply: statistics without text, and short texts; no name in them is that of a paper."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd

from mtworkbench.metrics import Bleu, MeanScore
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet

#: Better and worse systems; the first is not the best, and the best is not the last.
GAINS = {"online A": 0.0, "nmt": 0.02, "rules-2": 0.006}
WORDS = np.array([f"w{number}" for number in range(60)], dtype=object)


@dataclass(frozen=True)
class Case:
    """One kind of data; ``runs`` are those of each system in turn."""

    n_segments: int
    n_systems: int = 2
    documents: bool = False
    runs: tuple[int, ...] = (1, 1, 1)
    share: bool = False

    def __str__(self) -> str:
        runs = "+".join(map(str, self.runs[: self.n_systems]))
        kind = "share" if self.share else "BLEU"
        return f"{self.n_segments}-{kind}-{runs}{'-documents' if self.documents else ''}"

    @property
    def systems(self) -> dict[str, int]:
        """Each system's number of runs."""
        return dict(zip(list(GAINS)[: self.n_systems], self.runs, strict=False))


def make_statistics(case: Case, seed: int = 7) -> SegmentStatistics:
    """Make n-gram counts, or scores from 0 to 1, of systems whose segments are as hard for each of them."""
    draw, n = np.random.default_rng(seed), case.n_segments
    lengths, ease = draw.integers(5, 30, n), np.clip(draw.normal(0.55, 0.12, n), 0.05, 0.9)
    values = {}
    for name, runs in case.systems.items():
        chance = np.clip(ease + GAINS[name] + draw.normal(0, 0.004, (runs, 1)), 0.01, 0.99)
        matches = draw.binomial(lengths, chance)
        if case.share:
            values[name] = np.stack([matches / lengths, np.ones_like(matches)], axis=-1)
            continue
        ngrams = [np.maximum(matches - 2 * order, 0) for order in range(4)]
        totals = [np.broadcast_to(lengths - order, matches.shape) for order in range(4)]
        both = np.broadcast_to(lengths, matches.shape)
        values[name] = np.stack([both, both, *ngrams, *totals], axis=-1)
    metric = MeanScore("share correct", higher_is_better=True) if case.share else Bleu()
    return SegmentStatistics(metric, values, TestSet(np.arange(1, n + 1), _documents(case), f"made up {case}", 1))


def make_outputs(case: Case, seed: int = 7) -> pd.DataFrame:
    """Make texts: each system replaces some words of the reference."""
    draw, n = np.random.default_rng(seed), case.n_segments
    references = [draw.choice(WORDS, length) for length in draw.integers(4, 12, n)]
    documents = _documents(case)
    frames = []
    for name, runs in case.systems.items():
        for run in range(1, runs + 1):
            texts = [
                np.where(draw.random(len(one)) < 0.6 + GAINS[name], one, draw.choice(WORDS, len(one)))
                for one in references
            ]
            frame = {"segment": np.arange(1, n + 1), "system": name, "run": run}
            frame |= {
                "reference": [" ".join(one) for one in references],
                "hypothesis": [" ".join(one) for one in texts],
            }
            frames.append(pd.DataFrame(frame if documents is None else frame | {"document": documents}))
    return pd.concat(frames, ignore_index=True)


def _documents(case: Case) -> np.ndarray | None:
    """Documents of 20 segments, and a long first one."""
    if not case.documents:
        return None
    return np.array([f"text {max(0, place // 20 - 1)}" for place in range(case.n_segments)], dtype=object)
