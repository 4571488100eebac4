"""What the checks of meaning cost, as a share of reading the files without any check of what they mean.

    python -m benchmarks.damage.cost

writes benchmarks/damage/results/cost.csv alone. Reading is all that a reader does otherwise: it opens and decodes the
files, checks bytes and characters, looks for repeated segments, and makes the frame.
"""

from __future__ import annotations

import os
import tempfile
import time
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import asdict, dataclass
from functools import partial
from itertools import chain, cycle, islice
from pathlib import Path
from unittest import mock

import pandas as pd

from benchmarks.damage.texts import REAL, read_lines
from mtworkbench.outputs.checks import corpus, relations
from mtworkbench.outputs.text import read_outputs

TURNS = 5  # of the smallest task; of what takes minutes, one
RESULTS = Path(__file__).parent / "results"
N_MANY = 300_000


@dataclass(frozen=True)
class Cost:
    """Seconds of a processor, the smallest of some turns.

    Parameters
    ----------
    what : str
    reading : float
        Reading the files, without any check that relates them.
    meaning : float
        The checks of meaning.
    others : float
        The other checks that relate files: copies, order, tokenization, traits.
    """

    what: str
    reading: float
    meaning: float
    others: float


def measure_cost() -> Iterator[Cost]:
    """Read with all checks, without those of meaning, and without any; one after another, several times."""
    folder = REAL / "wmt17-en-de-16systems"
    systems = {path.name: path for path in sorted((folder / "sys").iterdir())}
    yield _measure("newstest2017 with 16 systems", [(folder / "ref" / "newstest2017.ref.de", systems)])
    folder = REAL / "long-de-en"
    engines = sorted((folder / "sys").iterdir())
    sets = [(path, {one.name: one / path.name for one in engines}) for path in sorted((folder / "ref").iterdir())]
    yield _measure(f"{len(sets)} test sets from German into English, with {len(engines)} systems", sets)
    with tempfile.TemporaryDirectory() as made:
        files = [_repeat(folder / one, Path(made)) for one in ("ref", *(f"sys/{one.name}" for one in engines[:3]))]
        systems = {path.name: path for path in files[1:]}
        yield _measure(f"{N_MANY:,} lines, made of these, with {len(systems)} systems", [(files[0], systems)], turns=1)


def _repeat(folder: Path, to: Path) -> Path:
    """Write many lines, each of which is there again and again, with another word at its end."""
    lines = list(chain.from_iterable(map(read_lines, sorted(folder.iterdir()))))
    with (to / folder.name).open("w", encoding="utf-8", newline="\n") as file:
        file.writelines(f"{text} n{i // len(lines)}\n" for i, text in enumerate(islice(cycle(lines), N_MANY)))
    return to / folder.name


#: Without the checks of meaning, and without any check that relates files.
WITHOUT = ((relations, "find_odd_lines", lambda *_: []), (corpus, "find_relations", lambda _: ([], [])))


def _measure(what: str, sets: list, turns: int = TURNS) -> Cost:
    ways = [nullcontext, *(partial(mock.patch.object, *without) for without in WITHOUT)]
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(turns):
        for way, taken in zip(ways, seconds, strict=True):
            with way(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                relations._seen.clear()  # what was found is remembered
                begin = time.process_time()
                for reference, systems in sets:
                    read_outputs(reference, systems)
                taken.append(time.process_time() - begin)
    every, without, bare = map(min, seconds)
    return Cost(what, bare, every - without, without - bare)


def main() -> None:
    """Measure, and write the table."""
    os.environ["MTWORKBENCH_CACHE"] = "off"
    costs = map(asdict, measure_cost())
    pd.DataFrame(costs).to_csv(RESULTS / "cost.csv", index=False, float_format="%.2f", lineterminator="\n")


if __name__ == "__main__":
    main()
