"""What the numbers of segments in scores mean: the rule by which scores without names are joined.

Numbers 1, 2, ... n without gaps count the segments in order. Numbers with gaps, or that do not begin at 1, are names.
Where the outputs name their segments (``segment_id``), such numbers are looked up there as text, and all must be found.
Where the outputs only count their segments, such numbers are taken as counted from 1, with a warning unless a text in
each row confirms them.
"""

from __future__ import annotations

from collections.abc import Hashable

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.outputs.checks.report import excerpt


def counts(frame: pd.DataFrame) -> bool:
    """Tell whether the rising numbers of a frame are 1 to n, as a file is counted."""
    segments = frame["segment"].drop_duplicates()
    return int(segments.iloc[-1]) == len(segments)


def name_by_numbers(scores: pd.DataFrame, named: pd.DataFrame) -> pd.DataFrame:
    """Return scores with their numbers as names, where they do not count and the other frame has names."""
    if "segment_id" in scores.columns or "segment_id" not in named.columns or counts(scores):
        return scores
    return scores.assign(segment_id=scores["segment"].astype(str))


def other_names(scores: pd.DataFrame, named: pd.DataFrame, unknown: Hashable, whose: str) -> InputError:
    """Make the error of numbers that do not count and are no names of the other frame either.

    Parameters
    ----------
    scores, named : DataFrame
    unknown : hashable
        A number of the scores that the other frame does not have as a name.
    whose : str
        What a sentence calls the other frame.
    """
    numbers = scores["segment"].drop_duplicates()
    return InputError(
        "unknown-identity",
        f"The scores have the segment numbers {numbers.iloc[0]:,} to {numbers.iloc[-1]:,} ({len(numbers):,} in all). "
        f"Such numbers do not count the segments, so they were looked up as names, but {whose} have no segment "
        f"{unknown}, only names such as {excerpt(named['segment_id'].iloc[0])}: write these names in the column "
        "'segment' of the scores, or number all segments 1, 2, 3 ..., with None where there is no score.",
        found=str(unknown),
    )


def taken_as_names(number: int, position: int, named: str) -> DataWarning:
    """Make the warning that numbers were looked up as names, although they could be positions as well.

    Parameters
    ----------
    number, position : int
        A number of the scores, and that of the segment with this name when segments are counted from 1.
    named : str
        What a sentence calls the frame that has names.
    """
    message = (
        "The numbers of the scores are not 1, 2, ... n, so they could be names or positions. They were taken for "
        f"names: {number:,} is the segment that {named} call '{number}', which is number {position:,} when counted "
        "from 1. If positions are meant, number all segments 1, 2, 3 ..., with None where there is no score."
    )
    return DataWarning("unknown-identity", message)


def taken_as_positions(whose: str, scores: pd.DataFrame, n_segments: int) -> DataWarning:
    """Make the warning that numbers with gaps were taken as counted from 1, which nothing confirms.

    Parameters
    ----------
    whose : str
        What a sentence calls the scores.
    scores : DataFrame
    n_segments : int
        How many segments there are.
    """
    numbers = scores["segment"].drop_duplicates()
    message = (
        f"{whose} cover {len(numbers):,} of {n_segments:,} segments and have no names or texts to check them by: "
        f"number {numbers.iloc[0]:,} was taken for segment {numbers.iloc[0]:,}, counting from 1. If they are counted "
        "from 0, add 1 to each number."
    )
    return DataWarning("unknown-identity", message)


def only_last_missing(n_documents: int) -> DataWarning:
    """Make the warning that exactly the last segment of each document has no score, as when counting from 0."""
    message = (
        f"In each of the {n_documents:,} documents with scores, the last segment has none and all others have one. If "
        "the scores count the segments of a document from 0, add 1 to each number."
    )
    return DataWarning("unknown-identity", message, count=n_documents)
