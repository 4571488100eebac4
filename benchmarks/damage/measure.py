"""Make real files wrong, read them, and say which were noticed and what the damage does to the result."""

from __future__ import annotations

import warnings
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
import pandas as pd

from benchmarks.damage.damages import KINDS, Damage, Given
from benchmarks.damage.texts import TestSet
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics import Bleu
from mtworkbench.outputs.text import make_outputs
from mtworkbench.resampling import exchange_masks

#: Of the test that says what a verdict would be, with and without the damage.
N_TRIALS, ALPHA = 1000, 0.05
#: What was said of whom: the code of a warning or an error, and a system, or nothing where it is of no system; with the
#: number of segments. Only one file is wrong, so a larger number is of this file.
Noticed = dict[tuple[str, str], int]


@dataclass(frozen=True)
class Case:
    """A file made wrong.

    Parameters
    ----------
    damage : str
    share : float
        Of the lines.
    test_set : str
    n_sound : int
        The number of sound systems in the comparison.
    damaged : str
        The system whose file it is; of a damaged reference, the one whose score is looked at.
    found : bool
        Whether a warning or an error of the right kind is there that was not there before, or counts more segments.
    codes : str
        All such, whatever they say.
    bleu, change : float
        The BLEU of the system without the damage, and by how much the damage changes it.
    before, after : str
        The verdict against the sound system that is nearest in BLEU, without the damage and with it.
    """

    damage: str
    share: float
    test_set: str
    n_sound: int
    damaged: str
    found: bool
    codes: str
    bleu: float
    change: float
    before: str
    after: str


def notice(texts: TestSet, *, may_be_refused: bool = False) -> Noticed:
    """Read a test set; return what is said of whom."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            make_outputs(
                texts.references, {name: [lines] for name, lines in texts.systems.items()}, source=texts.source
            )
            said: list[DataWarning | InputError] = []
        except InputError as error:
            if not may_be_refused:
                raise
            said = [error]
    said += [one.message for one in caught if isinstance(one.message, DataWarning)]
    noticed: Noticed = {}
    for one in said:
        for name in [name for name in texts.systems if repr(name) in str(one)] or [""]:
            count = getattr(one, "count", None) or 0
            noticed[one.code, name] = max(count, noticed.get((one.code, name), 0))
    return noticed


def make_wrong(texts: TestSet, damage: Damage, share: float) -> tuple[TestSet, str] | None:
    """Make a file of a test set wrong; return the test set, and the system whose file or score it is.

    Returns
    -------
    (TestSet, str) or None
        None where it cannot be done: there is no source, or too few lines have what the damage changes.
    """
    if damage.needs_source and texts.source is None:
        return None
    seed = [zlib.crc32(name.encode()) for name in (damage.code, texts.name)]
    names = list(texts.systems)
    damaged, other = (names[int(i)] for i in np.random.default_rng(seed).permutation(len(names))[:2])
    rng = np.random.default_rng([*seed, round(100 * share)])
    given = Given(texts.references[0], texts.systems[other], texts.unseen, texts.foreign, texts.elsewhere, texts.source)
    before = {"output": texts.systems[damaged], "source": texts.source or []}.get(damage.of, texts.references[0])
    after = damage.change(before, share, rng, given)
    n_changed = sum(one != two for one, two in zip(before, after, strict=True))
    # In a whole file some lines have nothing to change, and stretches have lines that are alike in any case.
    if damage.of != "second reference" and n_changed < (0.8 if share < 1 else 0.02) * share * len(before):
        return None
    if damage.of == "output":
        return replace(texts, systems=texts.systems | {damaged: after}), damaged
    if damage.of == "source":
        return replace(texts, source=after), damaged
    place = ("reference", "second reference").index(damage.of)
    return replace(texts, references=[*texts.references[:place], after, *texts.references[place + 1 :]]), damaged


class Scorer:
    """BLEU of many versions of a few files: statistics are computed once for every pair of lines."""

    def __init__(self) -> None:
        self.metric = Bleu()
        self._known: dict[tuple[str, ...], np.ndarray] = {}

    def statistics(self, references: Sequence[Sequence[str]], lines: Sequence[str]) -> np.ndarray:
        """Return the statistics of a file, one row per segment."""
        keys = list(zip(lines, *references, strict=True))
        if new := [key for key in dict.fromkeys(keys) if key not in self._known]:
            columns = [
                "hypothesis",
                *(f"reference_{i}" if i > 1 else "reference" for i in range(1, len(references) + 1)),
            ]
            frame = pd.DataFrame(new, columns=columns).assign(system="a", run=1, segment=range(1, len(new) + 1))
            self._known.update(zip(new, self.metric.segment_statistics(frame), strict=True))
        return np.array([self._known[key] for key in keys])

    def score(self, statistics: np.ndarray) -> float:
        """Return the BLEU of a file."""
        return float(self.metric.score(statistics.sum(axis=0)))

    def judge(self, one: np.ndarray, other: np.ndarray) -> str:
        """Say what approximate randomization would: better, worse or not shown."""
        masks = _masks(len(one))
        moved = masks @ (other - one)
        differences = self.metric.score(one.sum(axis=0) + moved) - self.metric.score(other.sum(axis=0) - moved)
        difference = self.score(one) - self.score(other)
        p = (1 + np.sum(np.abs(differences) >= abs(difference) - 1e-9)) / (1 + N_TRIALS)
        return "not shown" if p > ALPHA else "better" if difference > 0 else "worse"


@cache
def _masks(n_segments: int) -> np.ndarray:
    return np.concatenate([batch[:, :, 0] for batch in exchange_masks(n_segments, N_TRIALS, rng=1)]).astype(float)


class Weigher:
    """What a damage does to the result: the sound files are scored once."""

    def __init__(self, sound: TestSet):
        self._scorer = Scorer()
        self._sound = {name: self._scorer.statistics(sound.references, of) for name, of in sound.systems.items()}
        self._scores = {name: self._scorer.score(statistics) for name, statistics in self._sound.items()}
        self._verdicts: dict[str, str] = {}

    def weigh(self, wrong: TestSet, damaged: str) -> tuple[float, float, str, str]:
        """Return the score of a system and its change, and the verdict against its nearest rival, before and after."""
        score = self._scores[damaged]
        others = self._scores.keys() - {damaged}
        rival = min(others, key=lambda name: (abs(self._scores[name] - score), name))
        if damaged not in self._verdicts:
            self._verdicts[damaged] = self._scorer.judge(self._sound[damaged], self._sound[rival])
        one, other = (self._scorer.statistics(wrong.references, wrong.systems[name]) for name in (damaged, rival))
        return score, self._scorer.score(one) - score, self._verdicts[damaged], self._scorer.judge(one, other)


def try_damages(
    test_sets: Iterable[TestSet],
    damages: Sequence[Damage],
    shares: Sequence[float] | None = None,
    *,
    one_in: int = 1,
) -> Iterator[Case]:
    """Make every file wrong in every way, and look.

    Parameters
    ----------
    test_sets : iterable of TestSet
    damages : sequence of Damage
    shares : sequence of float, optional
        Those of the damage, unless they are given.
    one_in : int
        To save time, try each damage at each share on one test set in so many, in turns.

    Yields
    ------
    Case
    """
    for texts in test_sets:
        weigher = Weigher(texts)
        sound = notice(texts)
        for place, damage in enumerate(damages):
            for turn, share in enumerate(
                damage.shares if shares is None else shares, start=place + zlib.crc32(texts.name.encode())
            ):
                if turn % one_in == 0 and (made := make_wrong(texts, damage, share)):
                    yield _look(texts, sound, damage, share, *made, weigher)


def _look(
    texts: TestSet, sound: Noticed, damage: Damage, share: float, wrong: TestSet, damaged: str, weigher: Weigher
) -> Case:
    # A damaged reference is noticed by what is said of any output; a damaged output by what is said of this one.
    concerned = {*texts.systems, ""} if damage.of != "output" else {damaged, ""}
    said = notice(wrong, may_be_refused=True)
    codes = sorted({code for (code, name), n in said.items() if name in concerned and n > sound.get((code, name), -1)})
    allowed = {code for kind in damage.kinds for code in KINDS[kind]}
    found = not allowed.isdisjoint(codes)
    n_sound = len(texts.systems) - 1
    weight = weigher.weigh(wrong, damaged)
    return Case(damage.code, share, texts.name, n_sound, damaged, found, " ".join(codes), *weight)
