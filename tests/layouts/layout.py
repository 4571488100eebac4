"""One way in which people keep outputs and scores: the files, the command, and what must come out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .texts import LENGTH, N_DOCUMENTS, SYSTEMS

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Finds:
    """What a command must find: the systems in any order, the runs of each, documents where files name them."""

    systems: tuple[str, ...] = SYSTEMS
    runs: tuple[int, ...] = (1,)
    documents: bool = False
    metrics: tuple[str, ...] = ("BLEU",)
    sets: tuple[str, ...] = ()

    @property
    def n_segments(self) -> int:
        return N_DOCUMENTS * LENGTH


@dataclass(frozen=True)
class Layout:
    """A layout as the page and the test know it.

    ``files`` makes the content of each file by its path. The last line of ``command`` is ``mtworkbench compare ...``;
    or ``python`` holds lines that end with a comparison. ``source`` says where the names of the files were seen.
    """

    id: str
    left_by: str
    files: Callable[[], Files]
    command: str = ""
    finds: Finds = Finds()
    source: str = ""
    python: str = ""
    note: str = ""


TEXTS = Finds(SYSTEMS[:2])
RUNS = Finds(SYSTEMS[:2], runs=(1, 2, 3))
