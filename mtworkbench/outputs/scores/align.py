"""The row of scores for each row of outputs: found by name, and by position only if nothing speaks against it.

What numbers mean where scores have no names: 1, 2, ... n without gaps count the segments in order. Numbers with gaps,
or that do not begin at 1, are names. Where the outputs name their segments (``segment_id``), such numbers are looked
up there as text, and all must be found. Where the outputs only count their segments, such numbers are taken as counted
from 1, with a warning unless a text in each row confirms them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.outputs.checks.frames import is_reference, without_known_documents
from mtworkbench.outputs.checks.report import Report, excerpt
from mtworkbench.outputs.scores.kinds import number_columns
from mtworkbench.outputs.scores.systems import where_from
from mtworkbench.wording import begin, tally

# What outputs call a text, and what a frame of scores may call it.
_SAME_TEXTS = (
    ("source", "source"),
    ("hypothesis", "hypothesis"),
    ("hypothesis", "mt"),
    ("reference", "reference"),
    ("reference", "ref"),
)


def align(outputs: pd.DataFrame, scores: pd.DataFrame, report: Report) -> np.ndarray:
    """Find, for each row of the outputs, the row of its scores; -1 where there is none.

    Rows are found by document and segment id where both frames have both, by segment id where both have it, else by
    the number of the segment. Numbers are not enough where the scores name their segments: then a text of
    each row must be that of the outputs.

    Raises
    ------
    InputError
        ``run-mismatch``, ``count-mismatch``, ``duplicate-segment``, ``unknown-segment``, ``unknown-identity``,
        ``text-mismatch``.
    """
    outputs, scores = without_known_documents(outputs), without_known_documents(scores)
    _check_runs(outputs, scores)
    named = name_by_numbers(scores, outputs)
    if named is not scores:
        return _align_by_numbers_as_names(outputs, scores, named, report)
    keys = keys_of((outputs, scores))
    if keys == ["segment"]:
        _check_numbers(outputs, scores)
    rows = _find_rows(outputs, scores, keys)
    confirmed = _compare_texts(outputs, scores, rows)
    is_confirmed = _is_confirmed(scores, rows, confirmed)
    if keys == ["segment"]:
        _check_names(outputs, scores, is_confirmed, report)
    elif "document" in keys and not is_confirmed:
        _notice_counting_from_0(outputs, rows, report)
    return rows


def _align_by_numbers_as_names(
    outputs: pd.DataFrame, scores: pd.DataFrame, named: pd.DataFrame, report: Report
) -> np.ndarray:
    """Find the rows of scores whose numbers do not count, among outputs with names."""
    keys = keys_of((outputs, named))
    known = set(key_rows(outputs, keys))
    unknown = next((key for key in key_rows(named, keys) if key not in known), None)
    several = outputs.duplicated(["system", "run", *keys]).any()
    if (unknown is not None or several) and _share_texts(outputs, scores):
        _check_numbers(outputs, scores)
        rows = _find_rows(outputs, scores, ["segment"])
        if _is_confirmed(scores, rows, _compare_texts(outputs, scores, rows)):
            return rows
    if unknown is not None:
        raise other_names(scores, outputs, unknown[-1], "the outputs")
    rows = _find_rows(outputs, named, keys)
    if not _is_confirmed(scores, rows, _compare_texts(outputs, scores, rows)):
        _notice_positions(outputs, scores, rows, report)
    return rows


def _notice_positions(outputs: pd.DataFrame, scores: pd.DataFrame, rows: np.ndarray, report: Report) -> None:
    """Notice numbers that were found as names, but could be other segments when they count."""
    segments = outputs["segment"].to_numpy()
    numbers = np.where(rows >= 0, scores["segment"].to_numpy()[rows], segments)
    elsewhere = np.flatnonzero(numbers != segments)
    possible = set(scores["segment"]) <= set(segments) and _other_document(outputs, scores) is None
    if len(elsewhere) and possible:
        row = int(elsewhere[0])
        notice_names(report, int(numbers[row]), int(segments[row]), "the outputs")


def _notice_counting_from_0(outputs: pd.DataFrame, rows: np.ndarray, report: Report) -> None:
    """Notice numbers within documents that end one before the last segment of each: they may begin at 0."""
    rated = pd.Series(rows >= 0).groupby([outputs["document"], outputs["segment"]]).any()
    documents = [part.to_numpy() for _, part in rated.groupby(level=0) if part.any()]
    if len(documents) < 2 or not all(part[:-1].all() and not part[-1] for part in documents):
        return
    message = f"In each of the {len(documents):,} documents with scores, the last segment has none and all others have "
    message += "one. If the scores count the segments of a document from 0, add 1 to each number."
    report.notice("unknown-identity", message, count=len(documents))


def _find_rows(outputs: pd.DataFrame, scores: pd.DataFrame, keys: Sequence[str]) -> np.ndarray:
    """Find the row of scores with the keys of each row of outputs; -1 where there is none."""
    check_unique((("outputs", outputs), ("scores", scores)), keys)
    of_outputs, of_scores = (key_rows(frame, keys) for frame in (outputs, scores))
    known = dict(zip(of_scores, range(len(scores)), strict=True))
    unknown = set(known).difference(of_outputs)
    if unknown:
        first = next(key for key in of_scores if key in unknown)
        what = "1 score is for a segment" if len(unknown) == 1 else f"{len(unknown):,} scores are for segments"
        place = f"such as segment {excerpt(first[-1])} of system {excerpt(first[0])}"
        problem = f"{what} missing from the outputs, {place}: give scores of the same test set."
        raise InputError("unknown-segment", problem, found=str(first[-1]))
    return np.array([known.get(key, -1) for key in of_outputs], dtype=np.int64)


def _is_confirmed(scores: pd.DataFrame, rows: np.ndarray, confirmed: np.ndarray) -> bool:
    """Tell whether a text says of every score that it belongs to its row of outputs."""
    has_score = scores[number_columns(scores)].notna().any(axis=1).to_numpy()
    needed = (rows >= 0) & has_score[rows]
    return bool(confirmed[needed].all())


def keys_of(frames: Sequence[pd.DataFrame]) -> list[str]:
    """Return the columns that tell the segments of all these frames apart."""
    shared = [name for name in ("document", "segment_id") if all(name in frame.columns for frame in frames)]
    return shared if "segment_id" in shared else ["segment"]


def key_rows(frame: pd.DataFrame, keys: Sequence[str]) -> list[tuple[Hashable, ...]]:
    """Return system, run and the keys of the segment for each row."""
    return list(zip(*(frame[name] for name in ("system", "run", *keys)), strict=True))


def check_unique(frames: Sequence[tuple[str, pd.DataFrame]], keys: Sequence[str]) -> None:
    """Refuse frames, by what a sentence calls them, that have several segments of one name in a run.

    Raises
    ------
    InputError
        ``duplicate-segment``.
    """
    for whose, frame in frames:
        twice = frame.duplicated(["system", "run", *keys])
        if not twice.any():
            continue
        name = excerpt(frame.loc[twice, keys[-1]].iloc[0])
        without = dict.fromkeys(one for one, other in frames if "document" not in other.columns)
        if "document" in keys:
            problem = f"The {whose} have several segments {name} in one document of a run"
            remedy = "give each segment of a document a name of its own"
        else:
            problem = f"The {whose} have several segments {name} in a run, and the {' and the '.join(without)} have no"
            problem += " column 'document' to tell them apart"
            remedy = "add this column, or give each segment a name of its own"
        raise InputError("duplicate-segment", f"{problem}: {remedy}.", found=name)


def _check_runs(outputs: pd.DataFrame, scores: pd.DataFrame) -> None:
    """Refuse scores of other runs than the outputs have."""
    runs, rated = (frame["run"].groupby(frame["system"].to_numpy(), sort=False).max() for frame in (outputs, scores))
    for system, number in rated.items():
        if number != runs[system]:
            several = f"{tally(runs[system], 'run')} of system {excerpt(system)}"
            problem = f"The outputs have {several}, but the scores have {number:,}"
            message = f"{problem}: give scores of every run, with the number of the run in a column 'run'."
            raise InputError("run-mismatch", message, found=str(number), expected=str(runs[system]))


def _check_numbers(outputs: pd.DataFrame, scores: pd.DataFrame) -> None:
    """Refuse scores whose numbers, or whose documents, cannot be those of the outputs."""
    there = outputs["segment"].drop_duplicates()
    rated = scores["segment"].drop_duplicates()
    if rated.iloc[-1] > there.iloc[-1] or (counts(scores) and len(rated) != len(there)):
        problem = f"{begin(where_from(scores))} cover {_name_size(rated)}, but the outputs have {_name_size(there)}"
        raise other_size(problem, len(rated), len(there))
    if (other := _other_document(outputs, scores)) is not None:
        segment, document, expected = other
        problem = f"Segment {segment:,} is of document {excerpt(document)} in the scores, but of"
        problem += f" {excerpt(expected)} in the outputs"
        remedy = "give scores of the same segments in the same order"
        raise InputError("text-mismatch", f"{problem}: {remedy}.", found=excerpt(document))


def other_size(problem: str, found: int, expected: int) -> InputError:
    """Make the error of scores of more or fewer segments than others."""
    message = f"{problem}: give scores of the same segments."
    return InputError("count-mismatch", message, found=str(found), expected=str(expected))


def _name_size(segments: pd.Series) -> str:
    """Say how many segments there are, and the last number where it is another one."""
    size = tally(len(segments), "segment")
    return size if segments.iloc[-1] == len(segments) else f"{size} (with numbers up to {segments.iloc[-1]:,})"


def _other_document(outputs: pd.DataFrame, scores: pd.DataFrame) -> tuple[int, str, str] | None:
    """Return the first number whose document is another one in the outputs, with both documents."""
    if "document" not in scores.columns or "document" not in outputs.columns:
        return None
    documents = dict(zip(outputs["segment"], outputs["document"], strict=True))
    pairs = zip(scores["segment"], scores["document"], strict=True)
    return next(((number, one, documents[number]) for number, one in pairs if documents.get(number, one) != one), None)


def _check_names(outputs: pd.DataFrame, scores: pd.DataFrame, is_confirmed: bool, report: Report) -> None:
    """Refuse names of scores that nothing ties to the positions of outputs; warn where only their order does."""
    if is_confirmed:
        return
    if "segment_id" in scores.columns:
        name = excerpt(scores["segment_id"].iloc[0])
        raise InputError(
            "unknown-identity",
            f"The scores name their segments (such as {name}), but the outputs only number them, so they cannot be "
            "matched: number the scores from 1 in the order of the outputs, or give the outputs these names (in a "
            "terminal, in the column 'segment' of a table for --table; in Python, in the column 'segment_id').",
        )
    by_document = "document" in scores.columns and "document" in outputs.columns
    if "segment_id" in outputs.columns and not by_document:
        message = (
            "The scores only number their segments, while the outputs name them: score 1 was taken for the first "
            "segment, score 2 for the second. Check that this is right, or write the names in the column 'segment' of "
            "the scores."
        )
        report.notice("unknown-identity", message)
    elif counts(outputs) and not counts(scores):
        notice_positions(report, "The scores", scores, outputs["segment"].nunique())


def _compare_texts(outputs: pd.DataFrame, scores: pd.DataFrame, rows: np.ndarray) -> np.ndarray:
    """Refuse scores of other texts than those of the outputs; return which outputs a text confirms.

    With several references, the scores must have used one of them, the same in all rows.
    """
    confirmed = np.zeros(len(outputs), dtype=bool)
    there = np.flatnonzero(rows >= 0)
    for name, other in _SAME_TEXTS:
        columns = [one for one in outputs.columns if one == name or (name == "reference" and is_reference(one))]
        if not columns or other not in scores.columns:
            continue
        scored = scores[other].to_numpy(dtype=object)[rows]
        candidates = [outputs[column].to_numpy(dtype=object) for column in columns]
        if len(columns) > 1:  # a segment without such a reference was scored with none
            candidates = [
                np.array([text if isinstance(text, str) else "" for text in texts], dtype=object)
                for texts in candidates
            ]
        # The first row that differs, or else the number of rows.
        ends = [
            next((int(row) for row in there if _differ(texts[row], scored[row])), len(rows)) for texts in candidates
        ]
        texts, end = candidates[int(np.argmax(ends))], max(ends)
        if end < len(rows):
            raise _other_text(outputs.iloc[end], name, texts[end], scored[end])
        confirmed[there] |= [isinstance(texts[row], str) and isinstance(scored[row], str) for row in there]
    return confirmed


def _share_texts(outputs: pd.DataFrame, scores: pd.DataFrame) -> bool:
    """Tell whether scores bring a text that the outputs have, too."""
    return any(name in outputs.columns and other in scores.columns for name, other in _SAME_TEXTS)


def _differ(text: object, scored: object) -> bool:
    # Blanks at the ends are not scored, so COMET leaves them out.
    return isinstance(text, str) and isinstance(scored, str) and text.strip() != scored.strip()


def _other_text(row: pd.Series, name: str, text: str, scored: str) -> InputError:
    place = f"System {excerpt(row['system'])}, run {row['run']}, segment {row['segment']:,}"
    problem = f"{place}: the {name} is {excerpt(text)}, but the {name} that was scored is {excerpt(scored)}"
    remedy = f"give scores of these segments, in the same order, with this {name}"
    problem += f": {'score these outputs again' if name == 'hypothesis' else remedy}."
    return InputError("text-mismatch", problem, line=int(row["segment"]), found=excerpt(scored), expected=excerpt(text))


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


def notice_names(report: Report, number: int, position: int, named: str) -> None:
    """Notice that numbers were looked up as names, although they could be positions as well.

    Parameters
    ----------
    report : Report
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
    report.notice("unknown-identity", message)


def notice_positions(report: Report, whose: str, scores: pd.DataFrame, n_segments: int) -> None:
    """Notice that numbers with gaps were taken as counted from 1, which nothing confirms.

    Parameters
    ----------
    report : Report
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
    report.notice("unknown-identity", message)
