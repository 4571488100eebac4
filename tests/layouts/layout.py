"""One way in which people keep outputs and scores: the files, the command, and what must come out."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .texts import LENGTH, N_DOCUMENTS, PAIR, SYSTEMS, scores
from .texts import RUNS as NUMBERS

Files = Mapping[str, str | bytes]


@dataclass(frozen=True)
class Finds:
    """What a command must find: the systems in any order, the runs of each, documents where files name them."""

    systems: tuple[str, ...] = SYSTEMS
    called: tuple[str, ...] = ()  # the names that come out, where they are not those of the texts
    runs: tuple[int, ...] = (1,)
    documents: Callable[[], list[str]] | None = None  # that of each segment, where it comes out
    metrics: tuple[str, ...] = ("BLEU",)
    scores: Callable[[str, int], list[float]] = scores
    direction: str = "up"
    several_sets: bool = False

    @property
    def names(self) -> dict[str, str]:
        """The text of each system that comes out."""
        return dict(zip(self.called or self.systems, self.systems, strict=True))

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
    what: str
    files: Callable[[], Files]
    command: str = ""
    finds: Finds = Finds()
    source: str = ""
    python: str = ""


TEXTS = Finds(PAIR)
RUNS = Finds(PAIR, runs=NUMBERS)
