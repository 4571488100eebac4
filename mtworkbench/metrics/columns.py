"""Metrics by name for outputs that have columns of scores: a name may be that of a column."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

import pandas as pd

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.metrics.known import ALIASES, METRICS, is_not_computed_here, make_metric
from mtworkbench.metrics.mean_score import NUMBERS, MeanScore
from mtworkbench.metrics.protocol import Metric
from mtworkbench.outputs.checks.frames import is_missing
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.outputs.scores.kinds import COUNTS
from mtworkbench.wording import find_nearest, name_some

# Numbers that are no scores: of segments and runs, and of the people who judged them.
_NO_SCORES = ("segment", "run", *COUNTS)


def score_columns(outputs: pd.DataFrame) -> list[str]:
    """Return the columns of numbers that an outputs frame has for its hypotheses, in their order."""
    return [name for name in outputs.columns if name not in _NO_SCORES and _holds_numbers(outputs[name])]


def refuse_computed(columns: Sequence[str], file: str, alone: str) -> None:
    """Refuse scores of the name of a metric that is computed here; ``alone`` says what to do with one such column."""
    if (metric := next((one for one in columns if one.casefold() in METRICS), None)) is not None:
        problem = f"{file!r} has scores named {metric!r}, as a metric that is computed here"
        remedy = alone if len(columns) == 1 else "rename this column"
        raise InputError("columns", f"{problem}: {remedy}.", path=file, found=metric)


def _holds_numbers(column: pd.Series) -> bool:
    """Tell whether all values of a column are numbers: also truth values, and Python's decimal numbers."""
    if pd.api.types.is_numeric_dtype(column) or column.dtype != object:
        return bool(pd.api.types.is_numeric_dtype(column))
    present = (value for value in column if not is_missing(value))
    first = next(present, None)
    return first is not None and all(isinstance(value, NUMBERS) for value in chain([first], present))


def choose_metric(
    spec: str | Metric, outputs: pd.DataFrame, *, tokenize: str | None = None, lowercase: bool = False
) -> Metric:
    """Make a metric as `make_metric` does; a name that is no metric may be that of a column of numbers of the outputs.

    Parameters
    ----------
    spec : str or Metric
        The name of a column is taken as it is, or else ignoring case, or else without what follows a hyphen
        (``comet`` for ``COMET-refA``), where it is that of one column alone.
    outputs : DataFrame
        See `check_outputs`.
    tokenize, lowercase
        Of `make_metric`.

    Returns
    -------
    Metric
        `MeanScore` of the column, or that of `make_metric`.

    Raises
    ------
    InputError
        ``unknown-metric`` where it is neither, or could be several columns; ``bad-number`` for a column of something
        else than numbers; ``not-computed-here`` where another program computes it; and those of `make_metric`.
    """
    columns = score_columns(outputs)
    name = spec.strip() if isinstance(spec, str) else ""
    if name in outputs.columns and name not in (*columns, *_NO_SCORES) and name.lower() not in METRICS:
        raise _no_numbers(outputs[name])
    if not columns or not name or name.partition(":")[0].lower() in METRICS:
        return make_metric(spec, tokenize=tokenize, lowercase=lowercase)
    if name in columns:
        return MeanScore(name)
    alike = [column for column in columns if column.casefold() == name.casefold()]
    if len(alike) == 1:
        return MeanScore(alike[0])
    # mt-metrics-eval adds the reference to the name of a metric.
    with_reference = [column for column in columns if column.casefold().startswith(f"{name.casefold()}-")]
    if len(with_reference) == 1 and not alike:
        return MeanScore(with_reference[0], name=name)
    known_elsewhere = name.partition(":")[0].lower() in ALIASES or (is_not_computed_here(name) and not with_reference)
    if known_elsewhere and not alike:
        return make_metric(spec, tokenize=tokenize, lowercase=lowercase)
    near = find_nearest(name, [*columns, *METRICS])
    hint = f"did you mean {near!r}?" if near and not alike else "write one of these"
    known = f"neither a metric ({', '.join(METRICS)}) nor a column of scores ({', '.join(map(repr, columns))})"
    end = "" if hint.endswith("?") else "."
    raise InputError("unknown-metric", f"{name!r} is {known}: {hint}{end}", found=name, hint=hint)


def _no_numbers(column: pd.Series) -> InputError:
    """Make the error of a column that is named as a metric, but holds something else than numbers."""
    found = next((value for value in column if not (is_missing(value) or isinstance(value, NUMBERS))), None)
    remedy = "give it numbers, such as 1 and 0 for right and wrong, and None where there is none"
    if found is None and column.notna().any():
        kind = "is categorical"
        remedy = f"convert it, as in outputs[{column.name!r}] = outputs[{column.name!r}].astype(float)"
    elif found is None:
        kind = "has no value"
    elif not isinstance(found, str):
        kind = f"holds values of type {type(found).__name__}"
    elif pd.to_numeric(column, errors="coerce").notna().sum() == column.notna().sum():
        kind = f"holds numbers as text, such as {excerpt(found)}"
        remedy = f"convert them, as in outputs[{column.name!r}] = pd.to_numeric(outputs[{column.name!r}])"
    else:
        kind = f"holds text, such as {excerpt(found)}"
    return InputError(
        "bad-number",
        f"Column {column.name!r} {kind}, but a column of scores must hold numbers: {remedy}.",
        found=excerpt(found),
    )


def leave_out_unrated(outputs: pd.DataFrame, metrics: Sequence[Metric], *, accepts: bool) -> pd.DataFrame:
    """Leave out the systems that a mean score has no number of at all, if that is accepted: it cannot compare them.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    metrics : sequence of Metric
    accepts : bool
        Whether systems may be left out, by all metrics.

    Returns
    -------
    DataFrame
        The outputs as they are where every system has a score of each kind, or none has all.

    Raises
    ------
    InputError
        ``incomplete-system`` where a system lacks a score and that is not accepted.

    Warns
    -----
    DataWarning
        ``left-out`` with the systems and the scores that they lack.
    """
    columns = [
        metric.column for metric in metrics if isinstance(metric, MeanScore) and metric.column in outputs.columns
    ]
    if not columns:
        return outputs
    rated = outputs[columns].notna().groupby(outputs["system"].to_numpy(), sort=False).any()
    kept = rated.all(axis=1)
    if kept.all() or not kept.any():
        return outputs
    lacking = [f"{system!r} ({', '.join(rated.columns[~rated.loc[system]])})" for system in kept.index[~kept]]
    if not accepts:
        problem = f"There are no scores of {name_some(lacking)}, so they cannot be compared by the scores in brackets"
        remedy = "give these scores, or accept 'incomplete-system' (--accept incomplete-system) to leave them out"
        raise InputError("incomplete-system", f"{problem}: {remedy}.", found=lacking[0])
    verb = "is" if len(lacking) == 1 else "are"
    message = f"{name_some(lacking)} {verb} left out of all tables, because the scores in brackets are missing."
    DataWarning("left-out", message, count=len(lacking)).warn(stacklevel=2)
    return outputs[kept.loc[outputs["system"]].to_numpy()].reset_index(drop=True)
