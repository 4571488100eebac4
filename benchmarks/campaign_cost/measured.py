"""A part of the campaign, measured: in a process of its own, from files of texts, with a folder and workers."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Sequence
from pathlib import Path

import mtworkbench as mtw
from benchmarks.campaign_cost.made_up import METRICS, SetTexts, write_set
from benchmarks.campaign_cost.model import Size
from benchmarks.campaign_cost.worker import MEASURES, draw_and_measure, peak_resident, spent_by_children
from benchmarks.speed.__main__ import load_all_kernels
from mtworkbench.work.units import pack

PROGRAM = """
from benchmarks.campaign_cost.measured import SetTexts, Size, measure_campaign
from pathlib import Path, PosixPath, WindowsPath
import json
print(json.dumps(measure_campaign({size!r}, {texts!r}, {folder!r})))
"""


class MeasuredStudy(mtw.Study):
    """A study that adds up what its units of work took."""

    def __init__(self, folder, *, workers):
        super().__init__(folder, workers=workers)
        self.seconds, self.resident, self.sent, self.returned = 0.0, 0, 0, 0

    def run(self, compute, shared, parts, **options):
        units = super().run(draw_and_measure, shared, parts, **options)
        self.sent += len(pack(compute, shared)) * min(self.workers, len(parts)) if self.workers > 1 else 0
        for unit in units:
            seconds, largest = (unit.pop(name) for name in MEASURES)
            self.seconds += float(seconds)
            self.resident = max(self.resident, int(largest))
            self.returned += sum(array.nbytes for array in unit.values())
        return units


def measure_campaign(size: Size, texts: Sequence[SetTexts], folder: str) -> dict[str, float]:
    """Run a campaign from texts; return a value for each of `PREDICTED`."""
    load_all_kernels()
    warnings.simplefilter("ignore")
    start = time.process_time()
    sets = {}
    for number, one in enumerate(texts, start=1):
        outputs = mtw.read_outputs(one.reference, one.systems)
        sets[f"set {number}"] = mtw.compute_statistics(outputs, list(METRICS))
    del outputs
    statistics = time.process_time() - start
    study = MeasuredStudy(folder, workers=size.n_workers)
    start, before = time.process_time(), spent_by_children()
    mtw.compare_test_sets(sets, n_resamples=size.n_resamples, n_trials=size.n_trials, rng=1, study=study)
    here, there = time.process_time() - start, spent_by_children() - before
    return {
        "statistics": statistics,
        "draws": study.seconds,
        "workers": there - study.seconds,
        "main process": here,
        "sent": study.sent,
        "returned": study.returned,
        "folder": sum(path.stat().st_size for path in Path(folder).rglob("*.unit")),
        "memory of the main process": peak_resident(),
        "memory of a worker": study.resident,
    }


def measure_in_process(size: Size) -> dict[str, float]:
    """Measure a campaign in a process of its own, whose memory is that of the campaign alone."""
    with tempfile.TemporaryDirectory() as folder:
        seeds = range(1, size.n_sets + 1)
        texts = [write_set(Path(folder), seed, size.n_systems, size.n_segments) for seed in seeds]
        program = PROGRAM.format(size=size, texts=texts, folder=str(Path(folder, "study")))
        printed = subprocess.check_output([sys.executable, "-W", "ignore", "-c", program], text=True)
    return json.loads(printed.splitlines()[-1])
