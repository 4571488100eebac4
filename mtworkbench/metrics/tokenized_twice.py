"""Text that was tokenized before and is tokenized again: the score is then that of no tokenization in particular."""

from __future__ import annotations

import pandas as pd

from mtworkbench.errors import DataWarning, name_some
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.outputs.checks.tokenized import first_mark_apart, is_tokenized

# These leave tokenized text as it is, or split it so finely that the blanks make no difference.
_HARMLESS = ("none", "mteval-none", "char", "zh")


def tokenized_twice(metric: Metric, outputs: pd.DataFrame) -> DataWarning | None:
    """Return the warning where a metric tokenizes texts that are tokenized already, outputs and references.

    Parameters
    ----------
    metric : Metric
    outputs : DataFrame
        See `check_outputs`.

    Returns
    -------
    DataWarning or None
        ``tokenized-twice``; its line is the segment, its count the number of systems.
    """
    tokenizer = getattr(metric, "tokenize", "none")
    if tokenizer in _HARMLESS or not {"hypothesis", "reference"} <= set(outputs.columns):
        return None
    runs = [(system, rows) for (system, _), rows in outputs.groupby(["system", "run"], sort=False)]
    references = [runs[0][1][name].tolist() for name in reference_columns(outputs)]
    if not any(is_tokenized(_texts(one)) for one in references):
        return None
    first = {}
    for system, rows in runs:
        texts = _texts(rows["hypothesis"].tolist())
        if system not in first and is_tokenized(texts):
            first[system] = int(rows["segment"].iloc[first_mark_apart(texts)])
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


def _texts(values: list) -> list[str | None]:
    return [value if isinstance(value, str) else None for value in values]
