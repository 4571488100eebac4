"""Text that was tokenized before and is tokenized again: the score is then that of no tokenization in particular."""

from __future__ import annotations

import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.outputs.checks.frames import Runs
from mtworkbench.outputs.checks.traits import first_mark_apart, is_tokenized
from mtworkbench.wording import name_some

# These leave tokenized text as it is, or split it so finely that the blanks make no difference.
_HARMLESS = ("none", "mteval-none", "char", "zh")


def tokenized_twice(metric: Metric, runs: Runs) -> DataWarning | None:
    """Return the warning where a metric tokenizes texts that are tokenized already, outputs and references.

    Parameters
    ----------
    metric : Metric
    runs : sequence of DataFrame
        The rows of each run, one after the other; see `check_outputs`.

    Returns
    -------
    DataWarning or None
        ``tokenized-twice``; its line is the segment, its count the number of systems.
    """
    tokenizer = getattr(metric, "tokenize", "none")
    if tokenizer in _HARMLESS or not _has_tokenized_references(runs[0]):
        return None
    first: dict[str, int] = {}
    for position in range(len(runs)):  # without a name, so that no run is held while the next is read
        system, segment = _find_tokenized(runs[position])
        if segment is not None:
            first.setdefault(system, segment)
    if not first:
        return None
    named = name_some([repr(system) for system in first])
    segment = min(first.values())
    message = (
        f"References and outputs are tokenized already ({named}; the first full stop or comma after a blank is in "
        f"segment {segment:,}), and {metric.name} tokenizes them again ({tokenizer}): the score cannot be compared "
        "with published ones. Detokenize the texts; or, to count their tokens as they stand, choose tokenize='none' "
        "(--tokenize none)."
    )
    return DataWarning("tokenized-twice", message, line=segment, count=len(first))


def _has_tokenized_references(rows: pd.DataFrame) -> bool:
    if not {"hypothesis", "reference"} <= set(rows.columns):
        return False
    return any(is_tokenized(_texts(rows[name].tolist())) for name in reference_columns(rows))


def _find_tokenized(rows: pd.DataFrame) -> tuple[str, int | None]:
    """Return the system of a run and, where its text is tokenized, the first segment that shows it."""
    texts = _texts(rows["hypothesis"].tolist())
    segment = int(rows["segment"].iloc[first_mark_apart(texts)]) if is_tokenized(texts) else None
    return rows["system"].iloc[0], segment


def _texts(values: list) -> list[str | None]:
    return [value if isinstance(value, str) else None for value in values]
