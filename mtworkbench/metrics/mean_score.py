"""The mean of scores that segments already have: COMET, MQM, adequacy, correct or not."""

from __future__ import annotations

import re
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.options import check_option_types
from mtworkbench.metrics.protocol import KnownMetric
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.files.numbers import LARGEST
from mtworkbench.wording import find_nearest

#: Names of scores whose direction is known.
UP = frozenset(
    (
        *("comet", "xcomet", "cometkiwi", "bleurt", "bertscore", "bleu", "chrf", "meteor"),
        *("adequacy", "fluency", "correct", "da", "da-sqm", "esa"),
    )
)
DOWN = frozenset(("ter", "hter", "wer", "cer", "metricx", "mqm_penalty"))
# What mt-metrics-eval adds to the name of a metric: its references (README.md there, "File organization and naming
# convention"), ``src`` where it reads none, ``all`` where it reads all.
_REFERENCES = re.compile(r"-(?:src|all|synthetic_ref|ref[a-z0-9]{0,2}(?:\.ref[a-z0-9]{0,2})*)")
# A known metric with the year, the version or the size of its model, as in COMET-22, Unbabel/wmt22-comet-da and
# metricx-24-hybrid-xl-v2p6: the names of models at Hugging Face. Any other word, as in comet-rank, may mean more.
_MODEL = re.compile(
    r"(?:(?:unbabel|google)/)?(?:wmt\d\d[-_])?(comet|xcomet|cometkiwi|bleurt|metricx)"
    r"(?:[-_]?(?:v?\d+(?:[p.]\d+)*|d\d+|da|qe|mqm|hybrid|tiny|small|base|large|x*l))*"
)
#: What a direction is until it is given: None would say that there is none.
BY_NAME: Any = "by name"
#: Scores may be so many standard deviations from 0: then what counts as a tie, 1e-9 of a score, is still less than a
#: hundredth of the standard error of the difference of two systems with 10,000 segments.
FARTHEST = 1e5
#: The types of numbers that a column of scores may hold.
NUMBERS = (int, float, np.number, np.bool_, Decimal)
#: How directions are written on the command line and in a column ``<column>_direction``: True, higher is better.
DIRECTIONS = {"up": True, "down": False}


@dataclass(frozen=True)
class MeanScore(KnownMetric):
    """The mean of a column of segment-level scores, whatever they are.

    Parameters
    ----------
    column : str
        The column of the outputs frame: numbers, NaN or None where a segment has no score.
    name : str, optional
        What tables call it; the column's name unless given.
    higher_is_better : bool or None, optional
        None where the scores have no direction. Unless it is given, `column` and `name` decide, see
        `direction_by_name`, or else a text column ``<column>_direction`` of the outputs frame, with ``up`` or ``down``
        in every row (`read_mt_metrics_eval` writes one for ``mqm``). Where nothing decides, it is None and
        `direction_is_unknown` is True: no wins are counted and no system is called better, and `compute_statistics`
        warns.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    column: str = "score"
    name: str = ""
    higher_is_better: bool | None = BY_NAME

    statistic_names: ClassVar[tuple[str, ...]] = ("score", "count")
    may_be_missing: ClassVar[bool] = True
    help_line: ClassVar[str] = ""
    #: True in an instance whose direction nobody has told; no option, so a copy by `dataclasses.replace` is told None.
    direction_is_unknown: ClassVar[bool] = False
    #: True in an instance whose direction is that of its name; a copy by `dataclasses.replace` is told it.
    direction_is_by_name: ClassVar[bool] = False
    #: True in an instance from a file of version 1, which took "higher is better" for granted; a copy is told it.
    direction_is_assumed: ClassVar[bool] = False

    def __post_init__(self):
        if self.higher_is_better == BY_NAME:
            direction = direction_by_name(self.column, self.name)
            object.__setattr__(self, "higher_is_better", direction)
            object.__setattr__(self, "direction_is_unknown", direction is None)
            object.__setattr__(self, "direction_is_by_name", direction is not None)
        check_option_types(self)
        if not self.name:
            object.__setattr__(self, "name", self.column)

    @property
    def signature(self) -> str:
        """The column whose mean it is."""
        return f"mean:{self.column}"

    def directed_by(self, outputs: pd.DataFrame) -> MeanScore:
        """Return the same mean with the direction that a reader noted in the outputs, unless one was told.

        Raises
        ------
        InputError
            ``direction`` where the note is not ``up`` or ``down`` in all rows, or contradicts the name of the scores:
            only the user knows which is right, and a wrong guess would turn every conclusion around.
        """
        note = f"{self.column}_direction"
        if note not in outputs.columns or not (self.direction_is_unknown or self.direction_is_by_name):
            return self
        noted = list(dict.fromkeys(one if isinstance(one, str) else repr(one) for one in outputs[note].dropna()))
        if not noted:
            return self
        told = f"higher_is_better=True or False in MeanScore({self.column!r})"
        remedy = f"correct the column, or say which is right with {told}"
        if len(noted) > 1 or noted[0] not in DIRECTIONS:
            raise InputError(
                "direction",
                f"Column {note!r} holds {' and '.join(map(repr, noted[:2]))}, but 'up' (higher is better) or 'down' "
                f"(lower is better) was expected, the same in all rows: {remedy}.",
                found=noted[0],
            )
        if self.direction_is_by_name and DIRECTIONS[noted[0]] != self.higher_is_better:
            known = "higher" if self.higher_is_better else "lower"
            named = self.name if direction_by_name(self.column) is None else self.column
            raise InputError(
                "direction",
                f"Column {note!r} holds {noted[0]!r}, but for scores named {named!r} {known} is better: {remedy}.",
                found=noted[0],
            )
        return replace(self, higher_is_better=DIRECTIONS[noted[0]])

    def segment_statistics(self, outputs: pd.DataFrame) -> np.ndarray:
        """Read the scores of one run.

        Parameters
        ----------
        outputs : DataFrame
            The rows of one run of one system, in segment order.

        Returns
        -------
        (n_segments, 2) ndarray of float64
            The score and 1; both 0 where the segment has no score.

        Raises
        ------
        InputError
            ``columns`` where there is no such column, ``bad-number`` where it holds something else than numbers.
        """
        if self.column not in outputs.columns:
            near = find_nearest(self.column, map(str, outputs.columns))
            hint = f"did you mean {near!r}?" if near else f"there are {', '.join(map(repr, outputs.columns))}."
            raise InputError("columns", f"The outputs have no column {self.column!r}: {hint}", found=self.column)
        scores = self._numbers(outputs)
        rated = ~np.isnan(scores)
        return np.column_stack([np.where(rated, scores, 0.0), rated.astype(np.float64)])

    def _numbers(self, outputs: pd.DataFrame) -> np.ndarray:
        column = outputs[self.column]
        numbers = None
        if not any(isinstance(value, (str, bytes)) for value in column):
            with suppress(TypeError, ValueError, ArithmeticError):  # the last for what floats cannot hold
                numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if numbers is None or (np.abs(numbers) > LARGEST).any():
            found = next((value for value in column if not _is_number(value)), column.iloc[0])
            raise InputError(
                "bad-number",
                f"Column {self.column!r} holds {excerpt(found)}, but finite numbers (up to {LARGEST:g}), and "
                "None where a segment has no score, were expected.",
                found=excerpt(found),
            )
        return numbers

    def score(self, totals: np.ndarray) -> np.ndarray:
        """Score virtual test sets from their summed statistics.

        Parameters
        ----------
        totals : (..., 2) ndarray

        Returns
        -------
        (...) ndarray of float64
            The mean score on the scores' own scale; NaN where no segment has a score.
        """
        totals = np.asarray(totals, dtype=np.float64)
        sums, counts = totals[..., 0], totals[..., 1]
        return np.divide(sums, counts, out=np.full_like(sums, np.nan), where=counts > 0)


def large_offset(metric: MeanScore, statistics: Iterable[np.ndarray]) -> DataWarning | None:
    """Make the warning that scores lie so far from 0 that the differences between them count as ties.

    Parameters
    ----------
    metric : MeanScore
    statistics : iterable of (n_runs, n_segments, 2) ndarray
        Of each system.

    Returns
    -------
    DataWarning or None
    """
    scores = np.concatenate([one[..., 0][one[..., 1] > 0] for one in statistics])
    if not len(scores):
        return None
    level, spread = float(np.mean(scores)), float(np.std(scores))
    if np.ptp(scores) == 0 or abs(level) <= FARTHEST * spread:
        return None
    return DataWarning(
        "large-offset",
        f"The scores {metric.name!r} are about {level:,.6g}, with a standard deviation of only {spread:.3g}. "
        "Differences below a billionth of the scores count as ties, so p is too large: subtract a constant (for "
        f"example {level:,.6g}) from all scores.",
    )


def direction_by_name(*names: str) -> bool | None:
    """Return whether higher is better for scores of these names; None where none is known, or two contradict.

    Names are compared whole and without case. Higher is better for ``comet``, ``xcomet``, ``cometkiwi``, ``bleurt``,
    ``bertscore``, ``bleu``, ``chrf``, ``meteor``, ``adequacy``, ``fluency``, ``correct``, ``da``, ``da-sqm`` and
    ``esa``, also where the name ends with the references as mt-metrics-eval writes them, such as ``BLEU-refA`` or
    ``COMET-src``. Lower is better for ``ter``, ``hter``, ``wer``, ``cer``, ``metricx`` and ``mqm_penalty``. With
    references, such as ``TER-refA``, these are not known, because mt-metrics-eval may have negated them. The version or
    the size of a model makes no difference: ``COMET-22``, ``wmt22-comet-da``, ``metricx-24-hybrid-xl``.
    """
    keys = {name.strip().casefold() for name in names}
    known = {_without_model(_without_references(key)) for key in keys}
    if not known.isdisjoint(UP):
        return True if known.isdisjoint(DOWN) else None
    return None if DOWN.isdisjoint(map(_without_model, keys)) else False


def _without_model(key: str) -> str:
    """Return the metric that a name begins with where the rest of it is that of a model."""
    return found[1] if (found := _MODEL.fullmatch(key)) else key


def _without_references(key: str) -> str:
    """Return a name without the references that mt-metrics-eval adds to it."""
    name, hyphen, references = key.rpartition("-")
    return name if _REFERENCES.fullmatch(hyphen + references) else key


def _is_number(value: object) -> bool:
    if value is None or value is pd.NA:
        return True
    try:
        return isinstance(value, NUMBERS) and not abs(float(value)) > LARGEST
    except (ValueError, ArithmeticError):  # a signalling NaN, or an integer that is too large
        return False
