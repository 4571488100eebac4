"""What the checks of meaning cost, as a share of reading the files without any check of what they mean."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from functools import partial
from unittest import mock

from benchmarks.damage.texts import REAL
from mtworkbench.outputs.checks import corpus, relations
from mtworkbench.outputs.text import read_outputs

TURNS = 3


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
    """Read with all checks, without those of meaning, and without any."""
    folder = REAL / "wmt17-en-de-16systems"
    systems = {path.name: path for path in sorted((folder / "sys").iterdir())}
    yield _measure("newstest2017 with 16 systems", [(folder / "ref" / "newstest2017.ref.de", systems)])
    folder = REAL / "long-de-en"
    engines = sorted((folder / "sys").iterdir())
    sets = [(path, {one.name: one / path.name for one in engines}) for path in sorted((folder / "ref").iterdir())]
    yield _measure(f"{len(sets)} test sets from German into English, with {len(engines)} systems", sets)


#: Without the checks of meaning, and without any check that relates files.
WITHOUT = ((relations, "find_odd_lines", lambda *_: []), (corpus, "find_relations", lambda *_: ([], [])))


def _measure(what: str, sets: list) -> Cost:
    ways = [nullcontext, *(partial(mock.patch.object, *without) for without in WITHOUT)]
    seconds: list[list[float]] = [[] for _ in ways]
    for _ in range(TURNS):
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
