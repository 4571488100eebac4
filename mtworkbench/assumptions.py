"""What a result rests on, and what seems wrong with its data, as records.

Each has a code for programs, a sentence for readers, and a gravity.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

#: How much an assumption matters; the gravest first.
GRAVITIES = BREAKS, MAY_CHANGE, INFORMS = "breaks the comparison", "may change the verdict", "for information"


# Before what is said of all segments, where only some of them were taken.
_WHOLE = "In the whole test set, "


@dataclass(frozen=True)
class Assumption:
    """What a result rests on, and what follows where that does not hold.

    Parameters
    ----------
    code : str
        The same in every result: ``independent-segments``.
    sentence : str
        What is assumed: all that a figure has room for. Names are as they are in the data.
    consequence : str
        What is wrong if that does not hold, in sentences; empty where the first sentence says it.
    advice : str
        What to do about it, in sentences; empty where nothing can be done.
    gravity : {"breaks the comparison", "may change the verdict", "for information"}
    metrics : tuple of str
        The keys of the metrics that rest on it; all of them where it is empty.
    """

    code: str
    sentence: str
    consequence: str = ""
    advice: str = ""
    gravity: str = MAY_CHANGE
    metrics: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if self.gravity not in GRAVITIES:
            raise ValueError(f"gravity is {self.gravity!r}, but one of {GRAVITIES} was expected")

    @property
    def matters(self) -> bool:
        """Whether every view says it; else the explanations and the data do."""
        return self.gravity != INFORMS

    def is_of(self, metric: str) -> bool:
        """Tell whether a metric rests on it."""
        return not self.metrics or metric in self.metrics

    def say(self, *, advise: bool = False) -> str:
        """Say what is assumed and what follows if it does not hold, with the advice or without."""
        return " ".join(filter(None, (self.sentence, self.consequence, self.advice if advise else "")))


@dataclass(frozen=True)
class Without:
    """What one comparison finds, and what it finds after the repair of what a doubt is about.

    Parameters
    ----------
    metric, a, b : str
        The metric, and the two systems.
    difference, difference_without : float
        a - b, in score points, before and after the repair.
    low, high, low_without, high_without : float or None
        The printed interval of the difference, in score points, before and after.
    p_value, p_value_without : float
        The p of the verdict, adjusted for the number of comparisons, before and after.
    n_trials, n_trials_without : int
        How many random exchanges p comes from; 0 where it is exact.
    conclusion, conclusion_without : str
        The conclusion, before and after.
    better, better_without : str or None
        The system that is shown to be better, before and after; None where no difference is shown.
    """

    metric: str
    a: str
    b: str
    difference: float
    difference_without: float
    low: float | None
    high: float | None
    low_without: float | None
    high_without: float | None
    p_value: float
    p_value_without: float
    n_trials: int
    n_trials_without: int
    conclusion: str
    conclusion_without: str
    better: str | None
    better_without: str | None

    @property
    def verdict_changes(self) -> bool:
        """Whether the repair changes the conclusion, or which system is better."""
        return (self.conclusion, self.better) != (self.conclusion_without, self.better_without)


@dataclass(frozen=True)
class Doubt(Assumption):
    """What seems wrong with the data: a file that can be read, but seems to be wrong.

    The sentence says what was found, the consequence what is wrong with the scores if it is what it seems.

    Parameters
    ----------
    code, sentence, consequence, advice, gravity, metrics
        See `Assumption`; the code is the one that ``accept`` takes: ``repeated-lines``.
    systems : tuple of str
        Whose outputs these are; none where it is the references or the source.
    n_found : int
        In how many segments it was found; 0 where it is not a matter of single segments.
    n_segments : int
        How many segments were checked.
    segments : tuple of int
        The numbers, counted from 1, of the first few in which it was found: those to look at.
    test_set : str
        The one of several in which it was found; empty where there is one.
    without : tuple of Without
        What comparisons of these systems find after its repair, where that was tried: see `examine_doubts`.
    what : str
        What these segments do; continues "3 of 100 segments of X". By it, the doubts of several systems are said in one
        sentence; where it is empty, each has its own.
    accepted : bool
        Whether the user has looked at it and accepts it: then only JSON and the signature name it.
    """

    systems: tuple[str, ...] = ()
    n_found: int = 0
    n_segments: int = 0
    segments: tuple[int, ...] = ()
    test_set: str = ""
    without: tuple[Without, ...] = ()
    what: str = ""
    accepted: bool = False

    @property
    def matters(self) -> bool:
        """Whether every view says it."""
        return super().matters and not self.accepted

    @property
    def share(self) -> float:
        """Share of the segments in which it was found."""
        return self.n_found / self.n_segments if self.n_segments else 0.0


@dataclass(frozen=True)
class Concerns:
    """What a view says besides what was found: doubts about the data, and what the result rests on.

    Parameters
    ----------
    before : tuple of Doubt
        Those that come before what was found: the grave ones, and those without which a verdict is another.
    after : tuple of Assumption
        What else matters: every view says it.
    below : tuple of Assumption
        What is for information: where there is room, below the tables.
    """

    before: tuple[Doubt, ...] = ()
    after: tuple[Assumption, ...] = ()
    below: tuple[Assumption, ...] = ()

    def that_matter(self, *metrics: str) -> list[Assumption]:
        """Return what every view says, the gravest first: of some metrics, or of all."""
        return [one for one in (*self.before, *self.after) if not metrics or any(map(one.is_of, metrics))]


def doubts_about(doubts: Iterable[Doubt], systems: Collection[str]) -> tuple[Doubt, ...]:
    """Keep the doubts about some systems, and those about no system: references concern all."""
    return tuple(one for one in doubts if all(system in systems for system in one.systems))


def doubts_of_part(doubts: Iterable[Doubt], every: Iterable[int], taken: Iterable[int]) -> tuple[Doubt, ...]:
    """Let doubts say that they are about a whole test set, of which some segments were taken.

    Only the first few segments of a doubt are known, so what is said of the whole cannot be counted again.

    Parameters
    ----------
    doubts : iterable of Doubt
    every, taken : iterable of int
        The numbers of all segments, and of those that were taken.
    """
    doubts = tuple(doubts)
    if not doubts or (kept := set(taken)) >= set(every):
        return doubts
    return tuple(
        replace(
            one,
            sentence=one.sentence if one.sentence.startswith(_WHOLE) else f"{_WHOLE}{one.sentence}",
            what="",  # each has its own sentence
            segments=tuple(number for number in one.segments if number in kept),
        )
        for one in doubts
    )


def name_accepted(doubts: Iterable[Doubt]) -> tuple[str, ...]:
    """Return the codes of the doubts that are accepted, each once."""
    return tuple(sorted({one.code for one in doubts if one.accepted}))
