"""Texts of as many segments and systems as are asked for, made up."""

from __future__ import annotations

import random
import string
from contextlib import ExitStack
from itertools import accumulate
from pathlib import Path

N_WORDS, N_CHANGED, VOCABULARY = 25, 4, 20_000


def write_texts(folder: Path, name: str, n_systems: int, n_segments: int) -> list[str]:
    """Write a reference of 25 words per line, and outputs that differ from it in four or five of them.

    Words are as frequent as Zipf's law says. Each system is a little worse than the one before.

    Returns
    -------
    list of str
        Files: the reference, and one per system.
    """
    rng = random.Random(name)
    words = ["".join(rng.choices(string.ascii_lowercase, k=rng.randint(2, 9))) for _ in range(VOCABULARY)]
    weights = list(accumulate(1 / rank for rank in range(1, VOCABULARY + 1)))
    paths = [folder / f"{name}.{one}.txt" for one in ("reference", *(f"{number:03}" for number in range(n_systems)))]
    with ExitStack() as stack:
        reference, *outputs = (stack.enter_context(path.open("w", encoding="ascii")) for path in paths)
        for _ in range(n_segments):
            line = rng.choices(words, cum_weights=weights, k=N_WORDS)
            reference.write(" ".join(line) + "\n")
            for number, output in enumerate(outputs):
                own = list(line)
                for _ in range(N_CHANGED + (rng.random() < number / n_systems)):
                    own[rng.randrange(N_WORDS)] = rng.choice(words)
                output.write(" ".join(own) + "\n")
    return [str(path) for path in paths]
