"""Time the statistics of BLEU, chrF and chrF++ against sacreBLEU's own, on the made-up sample."""

import os
import time
from collections.abc import Callable

import numpy as np
import pandas as pd
from sacrebleu.metrics import BLEU, CHRF

from mtworkbench import find_shipped
from mtworkbench.metrics import Bleu, ChrF
from mtworkbench.statistics.segment_statistics import compute_statistics

os.environ["MTWORKBENCH_CACHE"] = "off"  # the work that is measured is always done

PAIRS = {
    "BLEU, 13a": (BLEU(), Bleu()),
    "BLEU, none": (BLEU(tokenize="none"), Bleu(tokenize="none")),
    "chrF": (CHRF(), ChrF()),
    "chrF++": (CHRF(word_order=2), ChrF(word_order=2)),
}


def read_lines(path) -> list[str]:
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


if __name__ == "__main__":
    sample = find_shipped("data") / "sample"
    reference = read_lines(sample / "reference.txt")
    runs = [read_lines(path) for path in sorted(sample.glob("*.run*.txt"))]
    numbered = np.arange(1, len(reference) + 1)
    frames = [
        pd.DataFrame(
            {"segment": numbered, "reference": reference, "system": "it", "run": run, "hypothesis": hypotheses}
        )
        for run, hypotheses in enumerate(runs, start=1)
    ]
    outputs = pd.concat(frames, ignore_index=True)
    print(f"{len(runs)} runs of {len(reference)} segments")
    for name, (theirs, metric) in PAIRS.items():
        base = seconds(lambda theirs=theirs: [theirs.corpus_score(run, [reference]) for run in runs])
        ours = seconds(lambda metric=metric: compute_statistics(outputs, metric))
        print(f"{name:11} sacreBLEU {base:6.2f} s, mtworkbench {ours:6.2f} s: {base / ours:.1f} times as fast")
