"""The difference of two systems by buckets: by length, document, domain, own labels, or by how frequent words are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.contributions import (
    check_statistics,
    count_reference_words,
    match_outputs,
    name_runs,
    take_run,
)
from mtworkbench.analyses.segments.tokens import name_tokenizer
from mtworkbench.errors import InputError
from mtworkbench.inference.bootstrap import bootstrap, choose_resampling
from mtworkbench.inference.contributions import contribute
from mtworkbench.inference.families import settle_unit
from mtworkbench.inference.score_table import ScoreTable, pair_table, segments_of_both
from mtworkbench.inference.units import EXPECTED, MIN_EFFECTIVE, labels_of
from mtworkbench.metrics import Gtm
from mtworkbench.metrics.texts import SymbolSequences, reference_columns, run_texts
from mtworkbench.metrics.words import NumberedReferences, number_run
from mtworkbench.outputs.checks.frames import is_missing
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.resampling import RandomKey, RngLike, resolve_rng
from mtworkbench.results.settings import choose_n_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics, TestSet

#: The smallest number of words of each bucket of lengths, and of occurrences of each bucket of frequencies.
LENGTHS = (1, 10, 20, 30, 40, 50, 60)
FREQUENCIES = (1, 2, 5, 10, 100)


def bucket_segments(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    by: str | Sequence[object] | np.ndarray | pd.Series = "length",
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    rng: RngLike = None,
) -> pd.DataFrame:
    """Compare two systems in buckets of segments, or of words.

    Every bucket is a comparison of its own, and no interval is adjusted for their number: a difference in one bucket is
    a hint where to look. A system that is better as a whole is usually better in many buckets, so compare the interval
    of a bucket with the difference on the whole test set, too, not only with 0.

    Parameters
    ----------
    outputs : DataFrame or None
        What the statistics were computed from; needed for lengths and frequencies.
    statistics : SegmentStatistics
        Of one metric.
    a, b : str
        The new system and the baseline.
    by : str, or (n_segments,) sequence
        ``"length"``: words of the first reference, as `segment_contributions` counts them; ``"document"``; a further
        column of the test set, such as ``"domain"``; ``"frequency"``, see below; or the label of each segment, in the
        order of the test set.
    n_resamples, level, rng
        Of the paired bootstrap within each bucket, see `paired_bootstrap`; the same seed for all.

    Returns
    -------
    DataFrame
        One row per bucket that has segments: ``bucket``, ``segments`` (those that both systems have scores for),
        ``difference`` (a - b of the bucket's own scores), ``level``, ``low`` and ``high`` (NaN where there are fewer
        than 10 effective units), ``unit``, ``n_units`` and ``method`` of the interval, and ``contribution``: the sum of
        the segments' contributions; these add up to the difference of the whole test set.

        With ``by="frequency"``, buckets are of words, by how often they occur in the references of the whole test set
        (1, 2-4, 5-9, 10-99, 100+). Several references are pooled: with four, a word that each of them has once has
        frequency 4, so buckets of test sets with other numbers of references cannot be compared. ``difference`` is then
        of F, the harmonic mean of precision and recall in % of the words of the bucket, whatever the metric, which only
        says how texts are split into words; a word counts as matched at most as often as it occurs in the reference,
        and each of several references counts like another segment. There are further columns ``words`` (of all
        references), ``references`` (how many are pooled; the largest number that a segment has), ``recall``,
        ``recall_baseline``, ``f`` and ``f_baseline``, and no contribution; ``segments`` counts those with such a word
        in a reference or an output.

    Raises
    ------
    InputError
        ``no-outputs`` where lengths or frequencies are asked for without outputs, ``unknown-column``, ``no-documents``,
        ``labels`` where there is not one label for each segment, and those of `segment_contributions` and
        `paired_bootstrap`.

    Warns
    -----
    DataWarning
        As `segment_contributions`, except for the remainder.
    """
    check_statistics(statistics)
    systems = statistics[a], statistics[b]
    n_resamples, random_key = choose_n_resamples(n_resamples, level), resolve_rng(rng)
    kind = by if isinstance(by, str) else "labels"
    if kind in ("length", "frequency") and outputs is None:
        raise InputError("no-outputs", f"by={kind!r} needs the outputs, whose words are counted, but outputs is None.")
    if kind == "frequency":
        runs = name_runs(statistics, (a, b))
        parts = _bucket_words(match_outputs(outputs, statistics, (a, b), runs), statistics, systems)
    else:
        parts = _bucket_whole_segments(systems, *label_segments(outputs, statistics, (a, b), by))
    unit = "segment" if kind == "document" else settle_unit(systems, [(0, 1)], "auto")
    rows: list[dict[str, object]] = []
    for head, pair, tail in parts:
        table = ScoreTable.of(pair, unit)
        difference = {"difference": table.difference()}
        drawn = {"level": float(level)} | _draw(table, n_resamples, level, random_key)
        rows.append(head | difference | drawn | tail)
    frame = pd.DataFrame(rows)
    frame.attrs |= {"level": float(level), "rng": random_key.seed}
    return frame


#: A bucket: its first columns, the statistics of both systems, its last columns.
_Bucket = tuple[dict[str, object], tuple[SystemStatistics, SystemStatistics], dict[str, object]]


def _bucket_whole_segments(
    systems: tuple[SystemStatistics, SystemStatistics], names: Sequence[str], bucket_of: np.ndarray
) -> Iterator[_Bucket]:
    """Yield each bucket of segments with the statistics of those that both systems have scores for."""
    values = contribute(pair_table(*systems)).values
    both = segments_of_both(*systems)
    compared = np.flatnonzero(np.ones(len(bucket_of), dtype=bool) if both is None else both)
    for number, name in enumerate(names):
        own = bucket_of[compared] == number
        if own.any():
            of_a, of_b = (one.take(compared[own]) for one in systems)
            head: dict[str, object] = {"bucket": name, "segments": int(np.count_nonzero(own))}
            yield head, (of_a, of_b), {"contribution": float(values[own].sum())}


def _draw(table: ScoreTable, n_resamples: int, level: float, random_key: RandomKey) -> dict[str, object]:
    """Return the interval of the difference of the table's two systems."""
    units = table.units
    known = {"unit": units.name, "n_units": units.count}
    if units.effective_count < MIN_EFFECTIVE:
        return {"low": np.nan, "high": np.nan} | known | {"method": None}
    settings = choose_resampling("bs", units, "auto", level, n_resamples, random_key)
    drawn = bootstrap(table, settings).difference((0, 1))
    return {"low": drawn.low, "high": drawn.high} | known | {"method": drawn.method}


def label_segments(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics,
    systems: tuple[str, str],
    by: str | Sequence[object] | np.ndarray | pd.Series,
) -> tuple[list[str], np.ndarray]:
    """Return the names of the buckets in their order, and the bucket of each segment, counted from 0.

    Parameters
    ----------
    outputs, statistics, by
        As of `bucket_segments`, but for ``"frequency"``, whose buckets are of words.
    systems : (str, str)
        The new system and the baseline.

    Returns
    -------
    names : list of str
    places : (n_segments,) ndarray of int
    """
    if isinstance(by, str) and by == "length":
        rows = take_run(match_outputs(outputs, statistics, systems), systems[0], 1)
        if not reference_columns(rows):
            raise InputError("columns", "by='length' needs references, but the outputs have no column 'reference'.")
        lengths = count_reference_words(rows, statistics.metric)
        return _name_ranges((0, *LENGTHS)), np.searchsorted(LENGTHS, lengths, side="right")
    labels = list(_find_labels(statistics.test_set, by))
    # A bucket is known by its name: 1 and "1" are one bucket, 1 and 1.0 as well, 1 and True are two.
    names: dict[tuple[bool, Any], str] = {}
    keys = [(isinstance(label, (bool, np.bool_)), label) for label in labels]
    for key in keys:
        names.setdefault(key, str(key[1]))
    distinct = list(names)
    if all(isinstance(label, (int, float, np.number)) for _, label in distinct):
        distinct.sort(key=lambda key: key[1])
    shown = list(dict.fromkeys(names[key] for key in distinct))
    places = {name: place for place, name in enumerate(shown)}
    return shown, np.array([places[names[key]] for key in keys])


def _find_labels(test_set: TestSet, by: object) -> np.ndarray:
    """Return the label of each segment."""
    if isinstance(by, str):
        return labels_of(test_set, "by", by)
    labels = np.asarray(by, dtype=object)
    if labels.ndim == 0:
        raise InputError("labels", f"by is {excerpt(by)}, but {EXPECTED['by']} was expected.")
    if labels.shape != (len(test_set),):
        raise InputError(
            "labels",
            f"by has shape {labels.shape}, but one label for each of the {len(test_set):,} segments was expected.",
        )
    absent = [place for place, label in enumerate(labels) if is_missing(label)]
    if absent:
        raise InputError(
            "labels",
            f"by has no label for {len(absent):,} of {len(test_set):,} segments, the first of which is segment "
            f"{test_set.segments[absent[0]]}: give those segments a label of their own.",
        )
    return labels


def _name_ranges(firsts: Sequence[int]) -> list[str]:
    """Name ranges of numbers by the first of each: "1", "2-4", "5+"."""
    ends = [f"{first}" if after == first + 1 else f"{first}-{after - 1}" for first, after in pairwise(firsts)]
    return [*ends, f"{firsts[-1]}+"]


def _bucket_words(
    outputs: pd.DataFrame, statistics: SegmentStatistics, systems: tuple[SystemStatistics, SystemStatistics]
) -> Iterator[_Bucket]:
    """Yield each bucket of words with the statistics of F, those of `Gtm` with exponent 1: it sums matched words."""
    counted = [
        np.stack([_count_words(take_run(outputs, one.system, run), statistics) for run in range(1, one.n_runs + 1)])
        for one in systems
    ]
    pooled = int(outputs[reference_columns(outputs)].notna().sum(axis=1).max())
    for number, name in enumerate(_name_ranges(FREQUENCIES)):
        values = [one[:, :, number] for one in counted]
        some = np.any([one.any(axis=(0, 2)) for one in values], axis=0)
        if not some.any():
            continue
        of_a, of_b = (
            replace(one, metric=Gtm(), values=value, metric_signature=None).take(some)
            for one, value in zip(systems, values, strict=True)
        )
        sums = [one.values.sum(axis=1) for one in (of_a, of_b)]
        recalls = [_in_percent(one[:, 0], one[:, 2]).mean() for one in sums]
        scores = [one.score()[0].mean() for one in (of_a, of_b)]
        head = {"bucket": name, "words": int(sums[0][0, 2]), "segments": int(np.count_nonzero(some))}
        tail = {
            "references": pooled,
            "recall": recalls[0],
            "recall_baseline": recalls[1],
            "f": scores[0],
            "f_baseline": scores[1],
        }
        yield head, (of_a, of_b), tail


def _in_percent(numbers: np.ndarray, wholes: np.ndarray) -> np.ndarray:
    return np.divide(100.0 * numbers, wholes, out=np.full(len(wholes), np.nan), where=wholes > 0)


def _count_words(run: pd.DataFrame, statistics: SegmentStatistics) -> np.ndarray:
    """Count the words of one run by how frequent they are in all references.

    Returns
    -------
    (n_segments, n_frequencies, 3) ndarray of int64
        Words of the output that the references have as well, words of the output, and words of the references.
    """
    hypotheses, references = number_run(run_texts(run), *name_tokenizer(statistics.metric))
    symbols = np.concatenate([one.symbols for one in references.sequences])
    frequencies = np.bincount(symbols, minlength=references.n_words + 1)
    bucket_of_word = np.searchsorted(FREQUENCIES, frequencies, side="right") - 1
    counts = np.zeros((len(run), len(FREQUENCIES), 3), dtype=np.int64)
    for matched, in_output, in_reference in _compare_words(hypotheses, references):
        for statistic, (segments, words, numbers) in enumerate((matched, in_output, in_reference)):
            np.add.at(counts[:, :, statistic], (segments, bucket_of_word[words]), numbers)
    return counts


#: Segments, words that occur in them, and how often.
_Counts = tuple[np.ndarray, np.ndarray, np.ndarray]


def _compare_words(
    hypotheses: SymbolSequences, references: NumberedReferences
) -> Iterator[tuple[_Counts, _Counts, _Counts]]:
    """Yield for each reference the words matched, those of the output, and those of the reference.

    Words of the output that no reference has are left out: they have no frequency.
    """
    n_words = references.n_words + 1
    for reference, present in zip(references.sequences, references.present, strict=True):
        keys, numbers = zip(*(_count_keys(one, n_words) for one in (hypotheses, reference)), strict=True)
        known = (keys[0] % n_words > 0) & present[keys[0] // n_words]
        shared, of_output, of_reference = np.intersect1d(keys[0], keys[1], assume_unique=True, return_indices=True)
        least = np.minimum(numbers[0][of_output], numbers[1][of_reference])
        yield (
            (shared // n_words, shared % n_words, least),
            (keys[0][known] // n_words, keys[0][known] % n_words, numbers[0][known]),
            (keys[1] // n_words, keys[1] % n_words, numbers[1]),
        )


def _count_keys(sequences: SymbolSequences, n_words: int) -> tuple[np.ndarray, np.ndarray]:
    """Count how often each word occurs in each segment: the keys are segment * n_words + word."""
    segments = np.repeat(np.arange(len(sequences.lengths)), sequences.lengths)
    return np.unique(segments * n_words + sequences.symbols, return_counts=True)
