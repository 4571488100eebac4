"""What the checks found in outputs, before anything is scored."""

from __future__ import annotations

from dataclasses import dataclass, field

from mtworkbench.assumptions import BREAKS, GRAVITIES, INFORMS, Doubt
from mtworkbench.shown import Shown


@dataclass(frozen=True)
class DoubtfulLine:
    """A line in which a check found something.

    Parameters
    ----------
    code : str
        Of the doubt.
    who : str
        The system, or what a reference is called.
    segment : int
        Its number, counted from 1.
    text : str
    """

    code: str
    who: str
    segment: int
    text: str


@dataclass(frozen=True, eq=False)
class Inspection(Shown):
    """What the checks found in the outputs of systems, in their references and in the source.

    Parameters
    ----------
    n_segments, n_references : int
    systems : tuple of str
        All of them, in the order given.
    doubts : tuple of Doubt
        The gravest first; those that are accepted stand apart.
    lines : tuple of DoubtfulLine
        Lines to look at, in the order of the doubts.
    repairable : tuple of str
        The codes of the doubts whose repair changes something.
    accepted : tuple of Doubt
        Those that the user has looked at and accepts.
    """

    n_segments: int
    n_references: int
    systems: tuple[str, ...]
    doubts: tuple[Doubt, ...]
    lines: tuple[DoubtfulLine, ...] = field(default=(), repr=False)
    repairable: tuple[str, ...] = ()
    accepted: tuple[Doubt, ...] = ()

    @property
    def codes(self) -> list[str]:
        """The codes of all doubts, the gravest first."""
        return list(dict.fromkeys(doubt.code for doubt in self.doubts))

    @property
    def is_clean(self) -> bool:
        """Whether no doubt may change a verdict."""
        return all(doubt.gravity == INFORMS for doubt in self.doubts)

    @property
    def breaks(self) -> bool:
        """Whether a doubt breaks a comparison."""
        return any(doubt.gravity == BREAKS for doubt in self.doubts)

    def doubts_about(self, system: str | None) -> list[Doubt]:
        """Return the doubts about a system, or, for None, those about references and source."""
        return [doubt for doubt in self.doubts if (system in doubt.systems if system else not doubt.systems)]

    def gravity_of(self, system: str | None) -> str:
        """Return the gravity of the gravest doubt about a system, or about references; empty where there is none."""
        found = [doubt.gravity for doubt in self.doubts_about(system)]
        return min(found, key=GRAVITIES.index, default="")
