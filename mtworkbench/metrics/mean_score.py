"""The mean of scores that segments already have: COMET, MQM, adequacy, correct or not."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics.options import check_option_types


@dataclass(frozen=True)
class MeanScore:
    """The mean of a column of segment-level scores, whatever they are.

    Parameters
    ----------
    column : str
        The column of the outputs frame: numbers, NaN or None where a segment has no score.
    name : str, optional
        What tables call it; the column's name unless given.
    higher_is_better : bool or None
        None where the scores have no direction.

    Raises
    ------
    InputError
        ``option-value`` where an option has no such value.
    """

    column: str = "score"
    name: str = ""
    higher_is_better: bool | None = True

    statistic_names: ClassVar[tuple[str, ...]] = ("score", "count")
    may_be_missing: ClassVar[bool] = True

    def __post_init__(self):
        check_option_types(self)
        if not self.name:
            object.__setattr__(self, "name", self.column)

    @property
    def signature(self) -> str:
        """The column whose mean it is."""
        return f"mean:{self.column}"

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
            near = get_close_matches(self.column, map(str, outputs.columns), 1)
            hint = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(map(repr, outputs.columns))}."
            raise InputError("columns", f"The outputs have no column {self.column!r}: {hint}", found=self.column)
        scores = self._numbers(outputs)
        rated = ~np.isnan(scores)
        return np.column_stack([np.where(rated, scores, 0.0), rated.astype(np.float64)])

    def _numbers(self, outputs: pd.DataFrame) -> np.ndarray:
        column = outputs[self.column]
        numbers = None
        if not any(isinstance(value, (str, bytes)) for value in column):
            with suppress(TypeError, ValueError):
                numbers = column.to_numpy(dtype=np.float64, na_value=np.nan)
        if numbers is None or np.isinf(numbers).any():
            found = next((value for value in column if not _is_number(value)), column.iloc[0])
            raise InputError(
                "bad-number",
                f"Column {self.column!r} holds {found!r}, but finite numbers, and None where a segment has no score, "
                "were expected.",
                found=repr(found),
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

    def segment_score(self, statistics: np.ndarray) -> np.ndarray:
        """Return the segments' own scores; NaN where they have none."""
        return self.score(statistics)


def _is_number(value: object) -> bool:
    return value is None or value is pd.NA or (isinstance(value, (int, float, np.number)) and not np.isinf(value))
