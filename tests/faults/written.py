"""What the workbench writes, made small; the bytes are known beforehand, so that a file that is not whole is found."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from mtworkbench import make_outputs
from mtworkbench.cache import FORM, open_store
from mtworkbench.exports import save_table, write_figure
from mtworkbench.metrics import Bleu
from mtworkbench.outputs.sgml import write_sgml
from mtworkbench.statistics.contents import write_array
from mtworkbench.statistics.files import save_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics, TestSet
from mtworkbench.store import seal

# Of statistics that are kept in the cache.
KEY = "0123456789abcdef" * 4


def make_statistics(number: int, n_segments: int = 300) -> SegmentStatistics:
    """Make statistics that say which ones they are."""
    values = np.random.default_rng(number).integers(1, 30, (2, n_segments, 10))
    # Only statistics that some text can have are saved: never fewer n-grams than matches, nor than longer n-grams.
    ngrams = np.maximum(values[..., 2:6], values[..., 6:])
    values[..., 6:] = np.maximum.accumulate(ngrams[..., ::-1], axis=-1)[..., ::-1]
    values[..., 0] = values[..., 6]
    return SegmentStatistics(
        Bleu(), {f"system {number}": values}, TestSet(np.arange(1, n_segments + 1), None, "references", 1)
    )


def _write_statistics(folder: Path, number: int) -> None:
    save_statistics(folder / "run.stats", make_statistics(number))


def _write_cached(folder: Path, number: int) -> None:
    [values] = make_statistics(number).values.values()
    open_store(folder).write(seal(FORM, KEY, write_array(values[0])), f"{KEY}.cached")


def _write_table(folder: Path, number: int) -> None:
    frame = pd.DataFrame({"system": [f"system {number}"] * 40, "BLEU": np.arange(40) + number / 7})
    save_table(frame, "table", folder=folder)


def _write_figure(folder: Path, number: int) -> None:
    figure = Figure(figsize=(1, 1))
    figure.add_subplot().plot([0, number])
    write_figure(figure, folder / "figure.svg")


def _write_texts(folder: Path, number: int) -> None:
    texts = [f"segment {segment} of the version {number}" for segment in range(40)]
    write_sgml(make_outputs(texts, {"a": [text.upper() for text in texts]}), folder)


@dataclass(frozen=True)
class Written:
    """Something that is written into a folder, in as many versions as there are numbers; ``private``: for one user."""

    name: str
    write: Callable[[Path, int], None]
    private: bool = False

    def contents(self, number: int) -> dict[str, bytes]:
        """Return the files of a version."""
        with tempfile.TemporaryDirectory() as folder:
            self.write(Path(folder), number)
            return read_all(Path(folder))


WRITTEN = (
    Written("statistics", _write_statistics),
    Written("statistics in the cache", _write_cached, private=True),
    Written("table", _write_table),
    Written("figure", _write_figure),
    Written("texts as SGML", _write_texts),
)


def read_all(folder: Path) -> dict[str, bytes]:
    """Read the files of a folder but those that are hidden, as temporary files are."""
    return {name: (folder / name).read_bytes() for name in sorted(os.listdir(folder)) if not name.startswith(".")}


def put(folder: Path, contents: dict[str, bytes]) -> None:
    """Make a folder hold these files and no others."""
    for name in os.listdir(folder):
        (folder / name).unlink()
    for name, content in contents.items():
        (folder / name).write_bytes(content)


def find_faults(folder: Path, *versions: dict[str, bytes]) -> list[str]:
    """Say which files are none of the versions; where a version is without a file, it may be absent."""
    found = read_all(folder)
    faults = []
    for name in sorted(found.keys() | {name for version in versions for name in version}):
        if found.get(name) not in [version.get(name) for version in versions]:
            faults.append(f"{name} is wrong" if name in found else f"{name} is gone")
    return faults


def find_strays(folder: Path) -> list[str]:
    """Say which temporary files are left."""
    return [f"{name} is left" for name in os.listdir(folder) if name.startswith(".")]
