"""Frames of made-up and of golden texts."""

import gzip
import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest


def frame_of_outputs(systems, references, **columns):
    """An outputs frame: `systems` maps a name to its hypotheses or to a list of runs, `references` is one list each."""
    frames = []
    for system, runs in systems.items():
        for run, hypotheses in enumerate([runs] if isinstance(runs[0], str) else runs, start=1):
            n_segments = len(hypotheses)
            head = {"segment": np.arange(1, n_segments + 1)}
            for number, texts in enumerate(references, start=1):
                name = "reference" if number == 1 else f"reference_{number}"
                head[name] = pd.Series(list(texts), dtype=object)
            head |= {"system": [system] * n_segments, "run": run, "hypothesis": pd.Series(hypotheses, dtype=object)}
            frames.append(pd.DataFrame(head | columns))
    return pd.concat(frames, ignore_index=True)


@pytest.fixture(scope="session")
def make_outputs():
    return frame_of_outputs


def read_lines(path: Path) -> list[str]:
    content = path.read_bytes()
    if path.suffix == ".gz":
        content = gzip.decompress(content)
    lines = content.decode("utf-8").split("\n")
    assert lines.pop() == ""
    return lines


@pytest.fixture(scope="session")
def lines_of():
    return read_lines


@pytest.fixture(scope="session")
def golden(shared):
    """From the name of a golden file to its cases, by id."""

    def read_cases(name):
        cases = json.loads((shared / "golden" / f"{name}.json").read_text(encoding="utf-8"))["cases"]
        return {case["id"]: case for case in cases}

    return read_cases


@pytest.fixture(scope="session")
def golden_outputs(shared):
    """From files of golden texts to an outputs frame."""

    def read_outputs(systems, references, lines=(0, None)):
        def read(file):
            return read_lines(shared / "golden" / file)[slice(*lines)]

        return frame_of_outputs(
            {name: [read(file) for file in files] for name, files in systems.items()},
            [read(file) for file in references],
        )

    return read_outputs
