"""What a user is told of texts before a metric counts them: tokenized twice, not split into words, or very long."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from operator import itemgetter

import numpy as np
import pandas as pd

from mtworkbench.assumptions import INFORMS, Doubt
from mtworkbench.errors import DataWarning
from mtworkbench.metrics.gtm import Gtm
from mtworkbench.metrics.nist import Nist
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.ter import Ter, load_search
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.metrics.words import MTEVAL_TOKENIZERS, TOKENIZATIONS
from mtworkbench.outputs.checks.frames import FILES, Runs
from mtworkbench.outputs.checks.report import excerpt, shown
from mtworkbench.outputs.checks.traits import first_mark_apart, is_tokenized
from mtworkbench.wording import name_some

# These leave tokenized text as it is, or split it so finely that the blanks make no difference.
_HARMLESS = ("none", "mteval-none", "char", "zh")


def doubt_tokens(metric: Metric, runs: Runs) -> Doubt | None:
    """Return the doubt where a metric tokenizes texts that are tokenized already, outputs and references.

    Parameters
    ----------
    metric : Metric
    runs : sequence of DataFrame
        The rows of each run, one after the other; see `check_outputs`.

    Returns
    -------
    Doubt or None
        ``tokenized-twice``, for information, because the texts of all systems are counted alike.
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
    return Doubt(
        "tokenized-twice",
        f"References and outputs are tokenized already ({named}; see the full stop or comma after a blank in segment "
        f"{segment:,}), and {metric.name} tokenizes them again ({tokenizer}): the score cannot be compared with "
        "published ones.",
        advice="Detokenize the texts; or, to count their tokens as they stand, choose tokenize='none' (--tokenize "
        "none).",
        gravity=INFORMS,
        systems=tuple(first),
        n_segments=len(runs[0]),
        segments=(segment,),
    )


def warn_of_tokens(doubt: Doubt | None) -> None:
    """Warn of such a doubt, if there is one: the line is the segment, the count that of the systems."""
    if doubt is not None:
        DataWarning(doubt.code, doubt.say(advise=True), line=doubt.segments[0], count=len(doubt.systems)).warn()


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


# These find words by blanks and punctuation only.
_AT_BLANKS = (*TOKENIZATIONS, *MTEVAL_TOKENIZERS)
# More characters than a word has, of scripts without blanks between words: Thai, Lao, Burmese, Khmer, Japanese and
# Chinese.
_NO_BLANKS = re.compile(
    "[\u0e01-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]{9,}"
)
# So many references are looked at.
_ENOUGH = 1000


def words_without_blanks(metric: Metric, runs: Runs) -> DataWarning | None:
    """Return the warning where a metric finds words by blanks, but most of the references' text has none.

    Parameters
    ----------
    metric : Metric
    runs : sequence of DataFrame
        The rows of each run, one after the other; see `check_outputs`.

    Returns
    -------
    DataWarning or None
        ``no-blanks``; its line is the first segment that shows it.
    """
    rows = runs[0]
    if not _finds_words_at_blanks(metric) or "hypothesis" not in rows.columns:
        return None
    for name in reference_columns(rows):
        texts = [text or "" for text in _texts(rows[name].tolist()[:_ENOUGH])]
        unsplit = [sum(map(len, _NO_BLANKS.findall(text))) for text in texts]
        if 2 * sum(unsplit) > sum(len("".join(text.split())) for text in texts):
            first = next(place for place, count in enumerate(unsplit) if count)
            segment = int(rows["segment"].iloc[first])
            return DataWarning(
                "no-blanks",
                f"The references have no blanks between words (see segment {segment:,}: {excerpt(texts[first])}), but "
                f"{metric.name} finds words by blanks, so it takes whole clauses for words. {_advise(metric)}",
                line=segment,
            )
    return None


def _finds_words_at_blanks(metric: Metric) -> bool:
    if isinstance(metric, Ter):
        return not _splits_characters(metric)
    return getattr(metric, "tokenize", None) in _AT_BLANKS


def _advise(metric: Metric) -> str:
    """Say what to choose for text without blanks."""
    if isinstance(metric, Ter):
        return "Choose 'ter:normalized=true,asian_support=true', or chrF."
    if isinstance(metric, Nist):
        return "Choose another metric, such as chrF."
    return "Choose a tokenizer that splits such text (zh, ja-mecab or flores200; --tokenize), or chrF."


# From how many words on a segment is announced; there it takes some ten seconds. The time then grows about as n^1.5 for
# TER, as n^3 for GTM (benchmarks/long_segments.txt). TER is announced only where its compiled search, which takes a
# second for 200,000 words, cannot be loaded. The other metrics take a second for 100,000 words; METEOR, which limits
# its own search, takes longer to start than for a segment of 2,000.
LONG = {Ter: 500, Gtm: 6_000}
_CHARACTERS = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")


def long_segments(metric: Metric, runs: Runs, positions: Iterable[int] | None = None) -> DataWarning | None:
    """Return the warning where a metric may take minutes for single segments.

    Parameters
    ----------
    metric : Metric
    runs : sequence of DataFrame
        The rows of each run, one after the other (see `check_outputs`); or of several runs together.
    positions : iterable of int, optional
        Of the runs that are looked at; all without it.

    Returns
    -------
    DataWarning or None
        ``long-segment``, about the longest of them; its line is the segment, its count the number of long segments in
        these runs.
    """
    limit = LONG.get(type(metric))
    if limit is None:
        return None
    # Without a name, so that no run is held while the next is read.
    positions = range(len(runs)) if positions is None else positions
    found = [(*one, position) for position in positions for one in _find_long(metric, runs[position], limit)]
    if not found:
        return None
    count = len(found)
    _, words, row, position = max(found, key=itemgetter(0))
    if isinstance(metric, Ter) and load_search(words[0] * words[1]) is not None:
        return None
    place, path, segment = _name_place(runs[position], row)
    if count == 1:
        what = f"{place}: the output and a reference of this segment both have {min(words):,} words or more"
    else:
        what = (
            f"{count:,} outputs, counted over systems and runs, have segments of {limit:,} words or more; the "
            f"longest has {max(words):,} ({place})"
        )
    remedy = "leave long segments out for all systems, split them into sentences, or use another metric, such as chrF"
    message = f"{what}. {metric.name} may take minutes for such a segment. To save time, {remedy}."
    return DataWarning("long-segment", message, path=path, line=segment, count=count)


def _find_long(metric: Metric, rows: pd.DataFrame, limit: int) -> Iterator[tuple[float, tuple[int, int], int]]:
    """Find the long segments of some rows: what the time grows with, the words of output and reference, the row."""
    references = reference_columns(rows)
    if not references or "hypothesis" not in rows.columns:
        return
    columns = [rows[name].tolist() for name in ("hypothesis", *references)]
    in_hypothesis, *in_references = (
        np.array([len(text) if isinstance(text, str) else 0 for text in column], dtype=np.int64) for column in columns
    )
    # A token is a character at least, and most rows are too short to need counting.
    for row in np.flatnonzero(in_hypothesis * np.max(in_references, axis=0) >= limit**2).tolist():
        hypothesis, *texts = (column[row] for column in columns)
        texts = [text for text in texts if isinstance(text, str)]
        pair = _count_tokens(metric, hypothesis), max(_count_tokens(metric, text) for text in texts)
        # GTM's search is bounded by the shorter text, TER's by both: 450 words against 6,000 took 43 seconds.
        size = min(pair) if isinstance(metric, Gtm) else (pair[0] * pair[1]) ** 0.5
        if size >= limit:
            yield size, pair, row


def _count_tokens(metric: Metric, text: str) -> int:
    """Count the words of a text, and Chinese or Japanese characters where the metric takes each for a word."""
    words = len(text.split())
    if isinstance(metric, Gtm) and metric.tokenize == "char":
        return len(text) - sum(map(str.isspace, text))
    by_character = metric.tokenize == "zh" if isinstance(metric, Gtm) else _splits_characters(metric)
    return words + len(_CHARACTERS.findall(text)) if by_character else words


def _splits_characters(metric: Metric) -> bool:
    return isinstance(metric, Ter) and metric.normalized and metric.asian_support


def _name_place(outputs: pd.DataFrame, row: int) -> tuple[str, str | None, int]:
    """Name a row: file and line where the files are known, else its system, run and segment; also file and segment."""
    system, run, segment = (outputs[name].iloc[row] for name in ("system", "run", "segment"))
    files = outputs.attrs.get(FILES, {}).get(system)
    if files is not None:
        path = os.fspath(files[run - 1])
        return f"{shown(path)}, line {segment:,}", path, int(segment)
    return f"system {excerpt(system)}, run {run}, segment {segment:,}", None, int(segment)
