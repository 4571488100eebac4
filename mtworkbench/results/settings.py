"""Settings of the tests: which values are allowed, how defaults are chosen, and how the signature records them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypedDict

import numpy as np

from mtworkbench.choices import CHOICES, INTERVALS
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.resampling import RandomKey
from mtworkbench.results.estimates import Estimate, Of, Randomization
from mtworkbench.results.names_of_units import name_units
from mtworkbench.version import __version__

#: A margin for all metrics, or one for each metric by its name.
Margin = float | Mapping[str, float] | None

#: Whether a family is decided is looked at after so many trials, and after every doubling of them.
FIRST_LOOK = 10_000
#: A family has so many looks at most, and no more trials times comparisons than this, but at least two looks.
MOST_LOOKS = 6
MOST_DIFFERENCES = 5_000_000
#: How often the stopping rule may be wrong about any comparison, over all looks.
WRONG_STOPS = 0.001
#: With Holm's method there are as many trials as single test sets need for a small p_adjusted, up to this number.
MOST_TRIALS_FOR_SETS = 50_000
#: Resamples are drawn unless the level needs more, or another number is asked for.
USUAL_RESAMPLES = 1000
#: More resamples or trials are a slip of the keyboard: the scores of all would take too much time and memory.
MOST_DRAWS = 10_000_000
#: So many resamples should lie beyond each end of an interval; with fewer its ends are rough.
ENOUGH_BEYOND_AN_END = 10
#: From so many effective units on, ``auto`` takes the percentile interval; below, it and BCa fall short of their level
#: (docs/validity.md).
MIN_PERCENTILE_UNITS = 100
#: The intervals whose ends are read off the sorted resamples, as sentences call them.
RESAMPLED_INTERVALS = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}


class Asked(TypedDict, total=False):
    """What `compare` takes by name, and records as `Settings.asked`."""

    unit: str
    strata: str | None
    block_length: int | None
    exchange: str
    interval: str
    n_resamples: int | None
    n_trials: int | None
    level: float
    runs: str
    adjust: str
    family: str
    margin: Margin


def check_draws(name: str, number: int) -> None:
    """Raise an `InputError` unless ``number`` of resamples or trials is an integer from 1 to `MOST_DRAWS`."""
    if isinstance(number, bool) or not isinstance(number, (int, np.integer)) or number < 1:
        raise InputError("draws", f"{name} is {excerpt(number)}, but an integer of at least 1 was expected.")
    if number > MOST_DRAWS:
        raise InputError(
            "draws",
            f"{name} is {number:,}, but at most {MOST_DRAWS:,} was expected, because more would take too much time and "
            "memory: give a smaller number (100,000 trials find a p of 0.05 to within 0.0014).",
        )


def check_level(level: float) -> None:
    """Raise an `InputError` unless the level lies between 0 and 1."""
    if isinstance(level, bool) or not isinstance(level, (int, float, np.number)) or not 0 < level < 1:
        raise InputError(
            "level", f"level is {excerpt(level)}, but a number between 0 and 1, such as 0.95, was expected."
        )


def count_needed_resamples(level: float, beyond: int = ENOUGH_BEYOND_AN_END) -> int:
    """Return the smallest number of resamples of which ``beyond`` lie beyond each end of an interval.

    At 95 %, this is 400 for ten beyond each end.
    """
    needed = math.floor(2 * beyond / (1 - level))
    return needed if round(needed * (1 - level) / 2, 9) >= beyond else needed + 1


def choose_n_resamples(n_resamples: int | None, level: float) -> int:
    """Return the number of resamples to draw.

    Parameters
    ----------
    n_resamples : int or None
        What was asked for; None leaves the choice to the level.
    level : float
        Of the intervals that are made of the resamples.

    Returns
    -------
    int
        The number that was asked for, or else 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).

    Raises
    ------
    InputError
        Where the number is not an integer from 1 to `MOST_DRAWS` (``draws``), or the level does not lie between 0 and 1
        or needs more resamples than that (``level``).
    """
    check_level(level)
    if n_resamples is None:
        needed = count_needed_resamples(level)
        if needed > MOST_DRAWS:
            raise InputError(
                "level",
                f"level is {level!r}, which needs {needed:,} resamples, but at most {MOST_DRAWS:,} can be drawn: "
                "give a level further from 1, or say how many to draw (n_resamples, --resamples).",
            )
        return max(USUAL_RESAMPLES, needed)
    check_draws("n_resamples", n_resamples)
    return int(n_resamples)


def check_resamples(n_resamples: int, level: float, method: str) -> None:
    """Refuse an interval whose ends would be the smallest and the largest of its resamples; warn of a rough one.

    Parameters
    ----------
    n_resamples : int
    level : float
    method : str
        Methods that do not read their ends off the sorted resamples, such as ``jackknife``, are not checked.

    Raises
    ------
    InputError
        Where less than one resample lies beyond each end (``few-resamples``).

    Warns
    -----
    DataWarning
        Where fewer than 10 do (``few-resamples``).
    """
    if method not in RESAMPLED_INTERVALS:
        return
    beyond = round(n_resamples * (1 - level) / 2, 9)
    if beyond >= ENOUGH_BEYOND_AN_END:
        return
    interval = f"{100 * level:.10g} % {RESAMPLED_INTERVALS[method]} interval"
    enough, how = count_needed_resamples(level), "(n_resamples, --resamples)"
    if beyond < 1:
        raise InputError(
            "few-resamples",
            f"{n_resamples:,} {'resample is' if n_resamples == 1 else 'resamples are'} too few for the {interval}, "
            f"because less than one lies beyond each end: use at least {count_needed_resamples(level, 1):,}, "
            f"preferably {enough:,} {how}.",
        )
    DataWarning(
        "few-resamples",
        f"{n_resamples:,} resamples give only a rough {interval}, because only {int(beyond)} of them "
        f"{'lies' if int(beyond) == 1 else 'lie'} beyond each end: use at least {enough:,} {how}.",
        count=n_resamples,
    ).warn()


def check_choice(name: str, value: str, choices: Sequence[str]) -> None:
    """Raise an `InputError` unless ``value`` is one of the choices."""
    if not isinstance(value, str) or value not in choices:
        expected = ", ".join(repr(choice) for choice in choices)
        raise InputError("unknown-option", f"{name} is {excerpt(value)}, but one of {expected} was expected.")


def check_options(asked: Asked) -> None:
    """Raise an `InputError` unless level, resamples and each option with choices are what they can be."""
    choose_n_resamples(asked["n_resamples"], asked["level"])
    for name, choices in CHOICES.items():
        check_choice(name, asked[name], choices)  # type: ignore[literal-required]


def choose_method(method: str, n_units: float) -> str:
    """Return the method of interval that is used: ``auto`` is percentile from 100 effective units on, else jackknife.

    Raises
    ------
    InputError
        For another word than ``auto``, ``percentile``, ``basic``, ``bca`` or ``jackknife``.
    """
    check_choice("interval", method, INTERVALS)
    if method != "auto":
        return method
    return "percentile" if n_units >= MIN_PERCENTILE_UNITS else "jackknife"


def warn_of_bca(interval: str, n_units: float, unit: str) -> None:
    """Warn that BCa covers the truth less often than its level says where there are few units."""
    if interval == "bca" and n_units < MIN_PERCENTILE_UNITS:
        counted = f"{n_units:.0f} {'' if n_units == int(n_units) else 'effective '}{name_units(unit, round(n_units))}"
        DataWarning(
            "few-units-bca",
            f"With {counted}, BCa intervals are too narrow: they cover the truth less often than their level says. "
            f"Below {MIN_PERCENTILE_UNITS} units, use interval='jackknife' (--interval jackknife), or 'auto'.",
            count=round(n_units),
        ).warn()


def min_trials(n_comparisons: int, level: float, error: float = 0.05) -> int:
    """Return how many trials a family needs, so that a difference that no trial reaches can be called significant.

    With b = 0 of B trials, the upper end of p's simulation error is ``1 - (error / 2)**(1 / B)``, and Holm multiplies
    the smallest p by the number of comparisons m: B is the smallest number that brings the product to 1 - level.
    """
    if n_comparisons < 1:
        return 1
    return math.ceil(round(math.log(error / 2) / math.log1p(-(1 - level) / n_comparisons), 9))


def choose_n_trials(n_trials: int | None, n_comparisons: int, level: float, n_sets: int = 1) -> int:
    """Return the number of trials: the one asked for, or 10,000, or more where a large family needs more.

    ``n_comparisons`` is that of each of several test sets.

    Raises
    ------
    InputError
        Where ``n_trials`` is neither None nor an integer from 1 to `MOST_DRAWS`.
    """
    if n_trials is None:
        of_all_sets = min(min_trials(n_comparisons * n_sets, level), MOST_TRIALS_FOR_SETS)
        return max(10_000, min_trials(n_comparisons, level), of_all_sets)
    check_draws("n_trials", n_trials)
    return int(n_trials)


def choose_looks(n_trials: int | None, n_comparisons: int, level: float) -> tuple[int, ...]:
    """Return after how many trials it is looked whether a family is decided; the last number is the limit.

    Parameters
    ----------
    n_trials : int or None
        What was asked for: then this number is made. None: 10,000 and its doublings, up to 320,000 or to 5 million
        trials times comparisons, but at least twice.
    n_comparisons : int
        In the family.
    level : float
        Far out more trials are needed before a difference that none of them reaches can be called significant.

    Raises
    ------
    InputError
        Where ``n_trials`` is neither None nor an integer from 1 to `MOST_DRAWS`, or the level needs more than those
        (``level``).
    """
    if n_trials is not None:
        check_draws("n_trials", n_trials)
        return (int(n_trials),)
    first = max(FIRST_LOOK, -(-min_trials(1, level, WRONG_STOPS / MOST_LOOKS) // FIRST_LOOK) * FIRST_LOOK)
    if first > MOST_DRAWS:
        raise InputError(
            "level",
            f"level is {level!r}, which needs {first:,} trials, but at most {MOST_DRAWS:,} can be made: give a level "
            "further from 1, or say how many to make (n_trials, --trials).",
        )
    looks = [first * 2**number for number in range(MOST_LOOKS)]
    limit = max(looks[1], MOST_DIFFERENCES // max(1, n_comparisons))
    return tuple(look for look in looks if look <= min(limit, MOST_DRAWS))


def write_signature(
    test: str, random_key: RandomKey | None, *, metric: str | None = None, version: str = __version__, **options: object
) -> str:
    """Write how a result was computed, as sacreBLEU does, so that a caption is enough to reproduce it.

    ``random_key`` is None where nothing was drawn. Recognized documents, which have names of several words
    (``wmt22 de-en, table 1``), are written without blanks (``wmt22_de-en,table_1``), so that no line is broken in them.
    """
    parts = {"test": test, **options}
    if isinstance(known := parts.get("documents"), str):
        parts["documents"] = re.sub("([,;]) ", r"\1", known).replace(" ", "_")
    if random_key is not None:
        parts["rng"] = random_key.named
    parts["mtworkbench"] = version
    tail = "|".join(f"{name}:{value}" for name, value in parts.items())
    return tail if metric is None else f"{metric}|{tail}"


def shorten_signature(signature: str) -> str:
    """Return a signature as readers see it: without the version of the table of documents, which a release has."""
    return re.sub(r",table_\d+", "", signature)


@dataclass(frozen=True, repr=False)
class Settings(Estimate):
    """The settings of a computation: what is resampled, how often, and the kind of interval.

    Parameters
    ----------
    test : str
        The name of the computation in the signature, such as ``ar`` or ``bs``.
    unit : str
        Such as ``segment``, ``document``, ``domain``, ``block of 7``.
    interval : {"percentile", "basic", "bca", "jackknife"}
        Before `settled`, also ``auto``.
    level : float
    n_resamples : int
    random_key : RandomKey
    exchange : {"unit", "run"}, or None where nothing is exchanged
    n_trials : int or None
        Of a result, the largest number that a family has needed.
    version : str
        The version of mtworkbench that computed the result.
    runs : {"separate", "pooled"}, or None where methods are not tested
    strata : str, optional
        The column within whose strata units are resampled.
    adjust : {"holm", "max-t"}, or None where nothing is compared
    family : {"metric", "all"}, or None where nothing is compared
    margins : tuple of (str, float)
        Of equivalence, by metric: see `choose_margins`.
    n_sets : int, or None where there is one test set
    fixed_trials : bool
        Whether the number of trials was asked for; else each family has as many as it needs.
    interval_of_differences : str, or None where nothing is compared
        "exchanges", or the kind that was asked for.
    known_documents : str, optional
        The public test set from which documents were recognized, where these are the units or their strata; over
        several test sets, one after the other.
    accepted : tuple of str
        The codes of the doubts about the data that the user has looked at and accepts.
    repaired : tuple of str
        The codes of the repairs that were made on request before anything was scored. In signatures, they are in the
        part of the metric.
    asked : dict of str to object
        What `compare` was asked for by name, apart from systems and the seed: with it, the statistics and
        `random_key`, everything can be computed again. Empty where something else made the settings.
    """

    test: str
    unit: str
    interval: str
    level: float
    n_resamples: int
    random_key: RandomKey
    exchange: str | None = None
    n_trials: int | None = None
    version: str = __version__
    runs: str | None = None
    strata: str | None = None
    adjust: str | None = None
    family: str | None = None
    margins: tuple[tuple[str, float], ...] = ()
    n_sets: int | None = None
    fixed_trials: bool = True
    interval_of_differences: str | None = None
    known_documents: str | None = None
    accepted: tuple[str, ...] = ()
    repaired: tuple[str, ...] = ()
    asked: dict[str, object] = field(default_factory=dict, compare=False)

    def settled(self, n_units: float, n_comparisons: int = 1) -> Settings:
        """Check what was asked for, and choose a default for what is None or ``auto``.

        Parameters
        ----------
        n_units : float
            The smallest effective number of units that is resampled; it decides the interval of ``auto``.
        n_comparisons : int
            Number of comparisons in the largest family; a large family may need more than 10,000 trials.

        Raises
        ------
        InputError
            Where an argument is not what it should be.

        Warns
        -----
        DataWarning
            See `check_resamples` and `warn_of_bca`.
        """
        level, n_trials, of_differences, is_max_t = self.level, self.n_trials, None, self.adjust == "max-t"
        interval = choose_method(self.interval, n_units)
        if self.exchange is not None:
            of_differences = "exchanges" if is_max_t and self.interval == "auto" else interval
            n_trials = (
                choose_looks(n_trials, 1, level)[0]
                if is_max_t
                else choose_n_trials(n_trials, n_comparisons, level, self.n_sets or 1)
            )
        check_resamples(self.n_resamples, level, interval)
        warn_of_bca(interval, n_units, self.unit)
        return replace(
            self,
            interval=interval,
            level=float(level),
            n_trials=n_trials,
            fixed_trials=not is_max_t or self.n_trials is not None,
            interval_of_differences=of_differences,
        )

    def having_made(self, tests: Iterable[Randomization]) -> Settings:
        """Return the settings with the largest number of trials that was made of any comparison."""
        made = [one.n_trials for one in tests if not one.exact]
        return self if self.fixed_trials or not made else replace(self, n_trials=max(made))

    def choose_looks(self, n_comparisons: int) -> tuple[int, ...]:
        """Return after how many trials it is looked whether a family is decided: see `choose_looks`."""
        return choose_looks(self.n_trials if self.fixed_trials else None, n_comparisons, self.level)

    def min_trials(self, n_comparisons: int) -> int:
        """Return how many trials a family needs: with max-T, no more than one comparison. See `min_trials`."""
        return min_trials(min(n_comparisons, 1) if self.adjust == "max-t" else n_comparisons, self.level)

    @property
    def trials(self) -> int:
        """The number of random exchanges; 0 where nothing is exchanged."""
        return self.n_trials or 0

    @property
    def rng(self) -> int | str | None:
        """What ``rng`` takes to draw it again; None where a Generator was given: the signature then has its key."""
        return self.random_key.rng

    def margin_of(self, metric: str) -> float | None:
        """Return the margin of equivalence of a metric, if it has one."""
        return dict(self.margins).get(metric)

    @property
    def signature(self) -> str:
        """All settings in a line, without the metric."""
        return self.sign()

    def sign(self, metric: str | None = None) -> str:
        """Write the signature, beginning with that of the metric if it is given."""
        options = {
            "sets": self.n_sets,
            "unit": self.unit,
            "documents": self.known_documents,
            "strata": self.strata,
            "exchange": self.exchange,
            "trials": self.n_trials if self.fixed_trials else "auto",
            "interval": "auto" if self.interval_of_differences == "exchanges" else self.interval,
            "level": f"{self.level:g}",
            "resamples": self.n_resamples,
            "runs": "pooled" if self.runs == "pooled" else None,
            "adjust": "max-t" if self.adjust == "max-t" else None,
            "family": "all" if self.family == "all" else None,
            "margin": ",".join(f"{name}={margin:g}" for name, margin in self.margins) or None,
            "accepted": ",".join(self.accepted) or None,
        }
        known = {name: value for name, value in options.items() if value is not None}
        return write_signature(self.test, self.random_key, metric=metric, version=self.version, **known)

    @classmethod
    def keys(cls) -> tuple[str, ...]:
        """Return the names of the settings, as the JSON output has them."""
        names = ("version", "signature", "unit", "exchange", "interval", "level", "n_resamples", "n_trials", "rng")
        return (*names, "runs", "strata", "adjust", "family")

    def shown(self) -> dict[str, object]:
        """Return the settings by name. If nothing is exchanged, those that only `compare` has are left out."""
        of_compare = () if self.exchange else ("exchange", "n_trials", "runs", "strata", "adjust", "family")
        return {name: value for name, value in super().shown().items() if name not in of_compare}


class WithSettings:
    """What a comparison shows of its settings as its own."""

    settings: Settings
    signature: ClassVar[Of[str]] = Of("settings")
    unit: ClassVar[Of[str]] = Of("settings")
    exchange: ClassVar[Of[str]] = Of("settings")
    interval: ClassVar[Of[str]] = Of("settings")
    level: ClassVar[Of[float]] = Of("settings")
    n_resamples: ClassVar[Of[int]] = Of("settings")
    n_trials: ClassVar[Of[int]] = Of("settings")
    rng: ClassVar[Of[int | str | None]] = Of("settings")
    version: ClassVar[Of[str]] = Of("settings")


def warn_of_few_trials(settings: Settings, n_comparisons: int) -> None:
    """Warn where even a difference that no trial reaches could not be called significant."""
    n_trials, level = settings.trials, settings.level
    needed = settings.min_trials(n_comparisons)
    if n_trials < needed:
        trials = "1 trial" if n_trials == 1 else f"{n_trials:,} trials"
        family = "one comparison" if n_comparisons == 1 else f"{n_comparisons} comparisons"
        threshold = np.format_float_positional(1 - level, precision=4, fractional=False, trim="-")
        DataWarning(
            "few-trials",
            f"With {trials} and {family}, no difference can be called significant at {threshold}, however large it "
            f"is: use at least {needed:,} trials, or omit n_trials (--trials) to let the program choose.",
            count=n_trials,
        ).warn()
