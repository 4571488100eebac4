"""Results of the tests.

A result has its estimates as plain fields, the resampled or randomized distribution, and a signature that says how to
reproduce them.
"""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Generic, Protocol, Self, TypeVar, overload

import numpy as np
import pandas as pd

from mtworkbench.shown import Shown, look

Value = TypeVar("Value")


class _Dataclass(Protocol):
    """What type checkers know of every dataclass."""

    __dataclass_fields__: ClassVar[dict[str, Any]]


Record = TypeVar("Record", bound=_Dataclass)


class Of(Generic[Value]):
    """A field that is stored in a part of the record, but is read and shown like a field of the record.

    If the class annotates it, it appears in the frame and in the JSON output. If not, it can only be read.

    Parameters
    ----------
    part : str
        The field of the record that is the part.
    name : str, optional
        Its name in the part, if it differs.
    """

    def __init__(self, part: str, name: str = "") -> None:
        self.part, self.name = part, name

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = self.name or name
        self.__doc__ = f"`{self.name}` of the part `{self.part}`."

    @overload
    def __get__(self, record: None, owner: type) -> Of[Value]: ...
    @overload
    def __get__(self, record: object, owner: type) -> Value: ...
    def __get__(self, record: object, owner: type) -> Of[Value] | Value:
        """Read the field from the part."""
        return self if record is None else getattr(getattr(record, self.part), self.name)


def stack_metrics(frames: dict[str, pd.DataFrame]) -> pd.DataFrame:
    """Concatenate the frames of all metrics, with ``metric`` as the first column."""
    for name, frame in frames.items():
        frame.insert(0, "metric", name)
    with warnings.catch_warnings():
        # pandas 2 announces what pandas 3 does with a column that one of the metrics has not.
        warnings.filterwarnings("ignore", "The behavior of DataFrame concatenation", FutureWarning)
        return pd.concat(list(frames.values()), ignore_index=True)


def minus(value: Any) -> Any:
    """Negate a number, or an array of them, that may be absent."""
    return None if value is None else 0.0 - value


def turn(
    record: Record,
    *,
    swapped: Sequence[tuple[str, str]] = (),
    negated: Sequence[str] = (),
    ends: Sequence[tuple[str, str]] = (),
    parts: Sequence[str] = (),
    **others: object,
) -> Record:
    """Exchange a and b in a record.

    Parameters
    ----------
    record : dataclass
    swapped : sequence of (str, str)
        The fields of a and those of b.
    negated : sequence of str
        Differences, which may be absent.
    ends : sequence of (str, str)
        The lower and the upper ends of intervals of differences.
    parts : sequence of str
        Records that are turned by themselves, or several of them; they may be absent.
    **others
        Further fields, with their values.
    """
    changed = {to: getattr(record, of) for both in swapped for to, of in (both, both[::-1])}
    changed |= {to: minus(getattr(record, of)) for both in ends for to, of in (both, both[::-1])}
    changed |= {name: minus(getattr(record, name)) for name in negated}
    changed |= {name: _turn_part(getattr(record, name)) for name in parts}
    return replace(record, **changed, **others)


def _turn_part(part: Any) -> Any:
    if part is None or hasattr(part, "turned"):
        return part and part.turned()
    return tuple(one.turned() for one in part)


def smallest_p(n_coins: int, n_trials: int, exact: bool) -> float:
    """Return the smallest p that a comparison could have had, whatever its scores.

    Parameters
    ----------
    n_coins : int
        k, the coins whose exchange changes the summed statistics.
    n_trials : int
        Trials that were drawn; ignored where exact.
    exact : bool

    Returns
    -------
    float
        ``2**(1 - k)`` where all exchanges are enumerated (the observed difference and its mirror image are two of
        them), but 1 where nothing differs; else ``1 / (n_trials + 1)``, or the former if that is more.
    """
    of_all = min(1.0, 2.0 ** (1 - n_coins))
    return of_all if exact else max(of_all, 1 / (n_trials + 1))


class Estimate(Shown):
    """Base of all results: how they are shown, as one line, as an HTML table, or as a frame of one row.

    A record may contain other records; `Of` names the fields taken from them. Two results are equal only if they are
    the same object. Settings and statistics, in contrast, are compared by value.
    """

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the estimates, in the order in which they are shown: the keys of the JSON output."""
        own = {item.name for item in fields(cls) if item.repr}  # type: ignore[arg-type]
        declared = (name for base in reversed(cls.__mro__) for name in vars(base).get("__annotations__", ()))
        held = {name for base in cls.__mro__ for name, value in vars(base).items() if isinstance(value, Of)}
        return tuple(dict.fromkeys(name for name in declared if name in own | held))

    def shown(self) -> dict[str, object]:
        """Return the estimates by name, unrounded, without arrays and nested records."""
        return {name: getattr(self, name) for name in self.keys()}

    def __repr__(self) -> str:
        return str(look(self, "text"))

    def to_frame(self) -> pd.DataFrame:
        """Return the estimates as a frame of one row, unrounded."""
        return pd.DataFrame([self.shown()])


class FurtherResult(Estimate, ABC):
    """What else is found of one pair: in the frame and in the JSON output its fields are keys of the comparison."""

    @abstractmethod
    def turned(self) -> FurtherResult:
        """Return the result with a and b exchanged."""

    @classmethod
    def judge(cls, family: Sequence[Self], level: float) -> Sequence[Self]:
        """Judge the results of one metric's comparisons together; by default they stay as they are."""
        return family

    def shown_in_pair(self) -> dict[str, object]:
        """Return the fields under their keys in the frame and in the JSON output."""
        return self.shown()


class FurtherTest(FurtherResult):
    """The result of an additional test of one pair, whose p has a column in the tables.

    In the frame and in the JSON output the names of its fields begin with `called` and an underscore.
    """

    #: The name of the test in tables and in the JSON output, such as ``sign``.
    called: ClassVar[str]
    p_value: float

    def shown_in_pair(self) -> dict[str, object]:
        """Return the fields, each with the name of the test before its own."""
        return {f"{self.called}_{key}": value for key, value in self.shown().items()}


@dataclass(frozen=True, repr=False, eq=False)
class ComparedPair(Estimate):
    """Base of what is found of two systems under one metric: who was compared, and by what.

    Parameters
    ----------
    a, b, metric : str
    """

    a: str
    b: str
    metric: str


@dataclass(frozen=True, repr=False, eq=False)
class PairDifference(ComparedPair):
    """Base of what is found of the difference of two systems.

    Parameters
    ----------
    a, b, metric : str
        See `ComparedPair`.
    difference : float
        Score of a - score of b, whichever direction is better.
    """

    difference: float


@dataclass(frozen=True, repr=False, eq=False)
class Interval(Estimate):
    """A system's score with its confidence interval.

    Parameters
    ----------
    system, metric : str
    score : float
        Mean of the runs' scores, on the metric's scale.
    low, high : float or None
        End points; None for the jackknife of one unit.
    method : {"percentile", "basic", "bca", "jackknife"}
        How the interval was computed.
    level : float
    scores : tuple of float
        One per run.
    s_sel : float or None
        Mean over runs of the bootstrap's standard deviation (Clark et al. (2011), §4.1); None for one resample.
    s_test : float or None
        Standard deviation of the runs' scores; None for one run.
    design_effect : float or None
        Jackknife variance by unit / by segment. Where segments are the unit, that by document; None where documents
        are not known.
    unit : str
        ``segment``, ``document``, the name of a column, or ``block of 7``, say.
    n_units, n_resamples : int
    n_effective_units : float
        Units of equal size that would carry as much information: see `Units.effective_count`.
    rng : int or None
        The seed given or drawn; None where a Generator was given: the signature then has its key.
    signature : str
    resampled : (n_resamples,) ndarray
        The score of each resample, mean over runs.
    """

    system: str
    metric: str
    score: float
    low: float | None
    high: float | None
    method: str
    level: float
    scores: tuple[float, ...]
    s_sel: float | None
    s_test: float | None
    design_effect: float | None
    unit: str
    n_units: int
    n_effective_units: float
    n_resamples: int
    rng: int | str | None
    signature: str
    resampled: np.ndarray = field(repr=False)

    @property
    def runs(self) -> int:
        """Number of runs."""
        return len(self.scores)


@dataclass(frozen=True, repr=False, eq=False)
class PairedBootstrap(PairDifference):
    """How often one system beats another on the same resamples (Koehn (2004), §6).

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Score of a - score of b, whichever direction is better.
    low, high : float or None
        Interval of the difference.
    method : {"percentile", "basic", "bca", "jackknife"}
    level : float
    wins, losses : int or None
        Resamples in which a is better, worse; None where the metric has no direction.
    ties : int
        Resamples in which they are equal, within 1e-9 of the larger absolute score.
    confidence : float or None
        Share of resamples that a wins (0.03 if it mostly loses). It is not a p-value.
    design_effect : float or None
        Of the difference.
    unit : str
        ``segment``, ``document``, the name of a column, or ``block of 7``, say.
    n_units, n_resamples : int
    n_effective_units : float
        See `Interval`.
    units_differing : int
        Units whose statistics, averaged over runs, differ.
    rng : int or None
    signature : str
    resampled : two (n_resamples,) ndarrays
        The scores of a and of b on each resample, means over runs.

    Attributes
    ----------
    differences : (n_resamples,) ndarray
        Computed anew each time: those of all pairs would fill the memory, the scores of all systems do not.
    """

    low: float | None
    high: float | None
    method: str
    level: float
    wins: int | None
    losses: int | None
    ties: int
    confidence: float | None
    design_effect: float | None
    unit: str
    n_units: int
    n_effective_units: float
    units_differing: int
    n_resamples: int
    rng: int | str | None
    signature: str
    resampled: tuple[np.ndarray, np.ndarray] = field(repr=False)

    @property
    def differences(self) -> np.ndarray:
        """The difference on each resample."""
        return self.resampled[0] - self.resampled[1]

    def turned(self) -> PairedBootstrap:
        """Return the result with a and b exchanged."""
        return turn(
            self,
            swapped=(("a", "b"), ("wins", "losses")),
            negated=("difference",),
            ends=(("low", "high"),),
            confidence=None if self.losses is None else self.losses / self.n_resamples,
            resampled=self.resampled[::-1],
        )


@dataclass(frozen=True, repr=False, eq=False)
class Randomization(PairDifference):
    """Approximate randomization of two systems (Noreen, 1989; with runs, Clark et al. (2011), §4.2).

    Parameters
    ----------
    a, b, metric : str
    difference : float
        Score of a - score of b; with several runs, the difference of the means.
    p_value : float
        Two-sided; (b + 1) / (B + 1), or b / 2**k where exact.
    p_low, p_high : float
        95 % interval of p's own simulation error (Clopper-Pearson of b / B); both p where exact.
    n_coins : int
        k, the coins whose exchange changes the summed statistics.
    exact : bool
        Whether all 2**k exchanges were enumerated (k of at most 16).
    exchange : {"unit", "run"}
    unit : str
        ``segment``, ``document``, the name of a column, or ``block of 7``, say.
    n_units, n_trials : int
        `n_trials` is what was asked for; an exact test makes 2**k.
    rng : int or None
    signature : str
    differences : (n_trials,) or (2**k,) ndarray, or None
        The difference of each trial; None in a `Comparison`, which only counts them.
    """

    p_value: float
    p_low: float
    p_high: float
    n_coins: int
    exact: bool
    exchange: str
    unit: str
    n_units: int
    n_trials: int
    rng: int | str | None
    signature: str
    differences: np.ndarray | None = field(repr=False)

    @property
    def tested_difference(self) -> float:
        """What the trials are compared with: `difference`, whatever the number of runs."""
        return self.difference

    @property
    def smallest_p(self) -> float:
        """The smallest p that this pair could have had."""
        return smallest_p(self.n_coins, self.n_trials, self.exact)

    def turned(self) -> Randomization:
        """Return the result with a and b exchanged."""
        return turn(self, swapped=(("a", "b"),), negated=("difference", "differences"))
