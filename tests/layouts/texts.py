"""What the layouts hold: some segments of the made-up sample, of three systems with three runs each."""

from functools import cache
from itertools import groupby, islice

from mtworkbench.shipped import find_shipped

SYSTEMS = ("baseline", "tweaked", "retrained")
PAIR = SYSTEMS[:2]
RUNS = (1, 2, 3)
N_DOCUMENTS, LENGTH = 8, 6


@cache
def choose() -> tuple[tuple[int, str], ...]:
    """Number and document of the first segments of the first documents."""
    numbered = enumerate((find_shipped("data/sample") / "documents.txt").read_text().splitlines())
    documents = groupby(numbered, key=lambda segment: segment[1])
    return tuple(segment for _, ones in islice(documents, N_DOCUMENTS) for segment in islice(ones, LENGTH))


def pick(file: str) -> list[str]:
    lines = (find_shipped("data/sample") / file).read_text(encoding="utf-8").splitlines()
    return [lines[number] for number, _ in choose()]


@cache
def reference() -> tuple[str, ...]:
    return tuple(pick("reference.txt"))


@cache
def output(system: str, run: int = 1) -> tuple[str, ...]:
    return tuple(pick(f"{system}.run{run}.txt"))


@cache
def source() -> tuple[str, ...]:
    """Another text of as many segments: the reference with its words turned round."""
    return tuple(" ".join(reversed(line.split())) for line in reference())


def documents() -> list[str]:
    return [document for _, document in choose()]


def own_documents() -> list[str]:
    """Each segment as a document of its own."""
    return [f"{document}_{number}" for number, document in choose()]


def scores(system: str, run: int = 1) -> list[float]:
    """A score per segment: the share of the reference's words that the output has."""
    pairs = zip(output(system, run), reference(), strict=True)
    return [round(len(set(one.split()) & set(other.split())) / len(set(other.split())), 4) for one, other in pairs]


def lines(rows) -> str:
    return "".join(f"{row}\n" for row in rows)


#: Two test sets: the first half of the segments, and the second.
SETS = {"one": slice(0, N_DOCUMENTS * LENGTH // 2), "two": slice(N_DOCUMENTS * LENGTH // 2, None)}
