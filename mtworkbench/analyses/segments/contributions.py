"""Segments with their contributions to the difference of two systems, and with their texts."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.origins import SAMPLE, check_origin
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.contributions import contribute, largest_remainder
from mtworkbench.inference.replications import median_run
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.inference.units import labels_of
from mtworkbench.metrics import Bleu, Gtm, Nist
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.metrics.words import word_splitter
from mtworkbench.outputs.checks.frames import check_outputs
from mtworkbench.outputs.checks.report import excerpt
from mtworkbench.statistics.identity import match_segments
from mtworkbench.statistics.segment_statistics import (
    SegmentStatistics,
    SystemStatistics,
    TestSet,
    describe_test_set,
)

LENGTHS = ("length", "length_baseline", "length_reference")


def segment_contributions(
    outputs: pd.DataFrame | None,
    statistics: SegmentStatistics,
    a: str,
    b: str,
    *,
    runs: tuple[int, int] | None = None,
    unit: str = "segment",
) -> pd.DataFrame:
    """List segments with what each contributes to the difference of two systems, and with their texts.

    Contributions add up to the difference of the scores, which changes of the segments' own scores do not, unless the
    score is their mean: see `mtworkbench.inference.contributions.contribute`.

    Parameters
    ----------
    outputs : DataFrame or None
        What the statistics were computed from; None where only the statistics are at hand: texts and lengths are then
        missing.
    statistics : SegmentStatistics
        Of one metric.
    a, b : str
        The new system and the baseline.
    runs : (int, int), optional
        A run of a and a run of b, counted from 1. Without it, contributions are the means over all pairs of runs, which
        add up to the difference of the mean scores; the texts are those of each system's median run (see `median_run`),
        chosen by the scores of the whole test set, whichever the other system is.
    unit : str
        ``"segment"``, ``"document"``, or a column such as ``"domain"``: see `choose_units`.

    Returns
    -------
    DataFrame
        By segment, one row per segment in the order of the test set: ``segment`` (its number), ``document`` where
        documents are known, the further columns of the test set, ``contribution`` (in score points), ``change`` (of the
        segment's own score, a - b, the mean over runs), ``length``, ``length_baseline`` and ``length_reference`` (words
        of a, of b and of the first reference; as the metric splits them where it counts words, else at white space),
        ``source`` where it is known, ``reference``, ``reference_2`` ..., ``hypothesis`` and ``hypothesis_baseline``.
        Contribution and change are NaN for segments that one of the systems has no score for.

        By another unit, one row per unit: its name (of a block its first and last segment, "1-7"), ``segments`` (their
        number), ``contribution``, ``change`` (of the unit's own score), and sums of the lengths.

    Raises
    ------
    InputError
        Where the systems cannot be compared, the outputs are not those of the statistics (``different-segments`` and
        the like; ``other-outputs`` where their texts or scores give other statistics, see `check_origin`), or an
        argument is not what it should be.

    Warns
    -----
    DataWarning
        ``remainder`` where the contributions do not add up to the difference, because the score jumps between the two
        systems; ``missing-scores`` where segments without scores are left out.
    """
    check_statistics(statistics)
    system_a, system_b = _take_runs(statistics, a, b, runs)
    table = pair_table(system_a, system_b, unit)
    found = contribute(table)
    if abs(found.remainder) > largest_remainder(np.concatenate(table.scores)):
        _warn_of_remainder(found.remainder, found.difference, found.metric)
    texts = None
    if outputs is not None:
        shown = [median_run(system.score()[0]) for system in (system_a, system_b)] if runs is None else runs
        texts = read_texts(outputs, statistics, (a, b), (int(shown[0]), int(shown[1])))
    lay_out = _lay_out_segments if table.units.name == "segment" else _lay_out_units
    return lay_out(table, found.values, (system_a, system_b), texts)


def check_statistics(statistics: object) -> None:
    """Raise an `InputError` unless these are the statistics of one metric."""
    if isinstance(statistics, SegmentStatistics):
        return
    make = "make them with compute_statistics(outputs, metric), or take one of a list of them"
    raise InputError(
        "no-statistics",
        f"An object of type {type(statistics).__name__} was given where SegmentStatistics of one metric were expected: "
        f"{'give the outputs first, then the statistics' if isinstance(statistics, pd.DataFrame) else make}.",
    )


def _take_runs(
    statistics: SegmentStatistics, a: str, b: str, runs: tuple[int, int] | None
) -> tuple[SystemStatistics, SystemStatistics]:
    """Return both systems, with one run each where `runs` names it."""
    systems = statistics[a], statistics[b]
    if runs is None:
        return systems
    if not isinstance(runs, (Sequence, np.ndarray)) or len(runs) != 2:
        raise InputError("unknown-run", f"runs is {excerpt(runs)}, but a run of {a!r} and one of {b!r} were expected.")
    for system, run in zip(systems, runs, strict=True):
        if isinstance(run, bool) or not isinstance(run, (int, np.integer)) or not 1 <= run <= system.n_runs:
            raise InputError(
                "unknown-run",
                f"{system.system!r} has no run {excerpt(run)}: its runs are counted from 1 to {system.n_runs}.",
            )
    of_a, of_b = (
        replace(one, values=one.values[[run - 1]], given_names=()) for one, run in zip(systems, runs, strict=True)
    )
    return of_a, of_b


def _warn_of_remainder(remainder: float, difference: float, metric: str) -> None:
    warnings.warn(
        DataWarning(
            "remainder",
            f"The contributions add up to {difference - remainder:.6g}, but the difference in {metric} is "
            f"{difference:.6g}: the remainder of {remainder:.6g} cannot be assigned to segments, because the score "
            "jumps between the two systems, as it does if one of them has no matching n-gram of some length.",
        ),
        stacklevel=3,
    )


def read_texts(
    outputs: pd.DataFrame, statistics: SegmentStatistics, systems: tuple[str, str], runs: tuple[int, int]
) -> pd.DataFrame:
    """Read the texts of a run of each of two systems, with their lengths in words, in the order of the statistics.

    Returns
    -------
    DataFrame
        One row per segment of the statistics: the columns of `segment_contributions` from ``length`` on. Outputs of
        judgements alone have no texts, so no columns but ``source``.

    Raises
    ------
    InputError
        Where the outputs are not those that the statistics were computed from: their segments, systems or runs are
        others, or the texts or scores of these runs; see `match_outputs`.
    """
    both = match_outputs(outputs, statistics, systems, list(dict.fromkeys(zip(systems, runs, strict=True))))
    of_a, of_b = (take_run(both, system, run) for system, run in zip(systems, runs, strict=True))
    references, has_texts = reference_columns(both), "hypothesis" in both.columns
    columns: dict[str, Any] = {}
    if has_texts:
        columns["length"] = count_words(of_a["hypothesis"], statistics.metric)
        columns["length_baseline"] = count_words(of_b["hypothesis"], statistics.metric)
    if references:
        columns["length_reference"] = count_reference_words(of_a, statistics.metric)
    # As columns of the frame, they keep their type, and None.
    columns |= {name: of_a[name] for name in ["source", *references] if name in both.columns}
    if has_texts:
        columns |= {"hypothesis": of_a["hypothesis"], "hypothesis_baseline": of_b["hypothesis"]}
    return pd.DataFrame(columns, index=range(len(statistics.test_set)))


def count_reference_words(rows: pd.DataFrame, metric: Metric) -> np.ndarray:
    """Count the words of each segment's first reference, (n_segments,) ndarray; of a run's rows."""
    several = zip(*(rows[name] for name in reference_columns(rows)), strict=True)
    firsts = [next((text for text in texts if isinstance(text, str)), None) for texts in several]
    return count_words(firsts, metric)


def match_outputs(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    systems: Sequence[str],
    runs: Sequence[tuple[str, int]] | None = None,
) -> pd.DataFrame:
    """Return the rows of some systems, each run's segments in the order of the statistics.

    Parameters
    ----------
    outputs : DataFrame
    statistics : SegmentStatistics
    systems : sequence of str
    runs : sequence of (str, int), optional
        The systems and runs that are read, which `check_origin` compares with the statistics; by default all runs of
        the systems, and of each only a sample of the segments.

    Raises
    ------
    InputError
        ``unknown-system``; ``other-outputs`` where the numbers of runs differ, or the outputs give other statistics;
        what `match_segments` raises where the segments, documents or references are not those of the statistics; and
        that of `check_outputs`.
    """
    if isinstance(outputs, pd.DataFrame) and "system" in outputs.columns:
        outputs = outputs[outputs["system"].isin(systems)].reset_index(drop=True)
    check_outputs_of(outputs, systems)
    n_segments = outputs["segment"].nunique()
    order, _ = match_segments(
        statistics.test_set, describe_test_set(outputs.iloc[:n_segments]), "the statistics", "the outputs"
    )
    for system in dict.fromkeys(systems):
        n_runs = int((outputs["system"] == system).sum()) // n_segments
        if n_runs != statistics[system].n_runs:
            raise InputError(
                "other-outputs",
                f"The outputs have {n_runs} runs of {system!r}, but the statistics have {statistics[system].n_runs}: "
                "give the outputs that the statistics were computed from.",
            )
    if order is not None:
        starts = np.arange(0, len(outputs), n_segments)
        outputs = outputs.iloc[(starts[:, None] + order).ravel()].reset_index(drop=True)
    if runs is None:
        check_origin(outputs, statistics, name_runs(statistics, systems), at_most=SAMPLE)
    else:
        check_origin(outputs, statistics, runs)
    return outputs


def name_runs(statistics: SegmentStatistics, systems: Sequence[str]) -> list[tuple[str, int]]:
    """Return each run of some systems: the system, and the run's number counted from 1."""
    return [(system, run) for system in dict.fromkeys(systems) for run in range(1, statistics[system].n_runs + 1)]


def check_outputs_of(outputs: pd.DataFrame, systems: Sequence[str]) -> None:
    """Raise an `InputError` unless this is an outputs frame with rows of all these systems."""
    if isinstance(outputs, pd.DataFrame) and "system" in outputs.columns:
        for system in systems:
            if not (outputs["system"] == system).any():
                raise InputError(
                    "unknown-system",
                    f"The outputs have no system {system!r}: give the outputs that the statistics were computed from.",
                )
    check_outputs(outputs)


def take_run(outputs: pd.DataFrame, system: str, run: int) -> pd.DataFrame:
    """Return the rows of one run of a system."""
    return outputs[(outputs["system"] == system) & (outputs["run"] == run)].reset_index(drop=True)


def name_tokenizer(metric: Metric) -> tuple[str, bool]:
    """Return the tokenizer that the metric counts words by, and whether it ignores case; else white space."""
    if isinstance(metric, Bleu):
        return metric.tokenize, metric.lowercase
    if isinstance(metric, Nist):
        return f"mteval-{metric.tokenize}", metric.lowercase
    if isinstance(metric, Gtm):
        return "blanks" if metric.tokenize == "none" else metric.tokenize, metric.lowercase
    return "none", False


def count_words(texts: Sequence[str | None], metric: Metric) -> np.ndarray:
    """Count the words of each text as the metric splits them, (n_texts,) ndarray; NaN where there is no text."""
    split = word_splitter(*name_tokenizer(metric))
    return np.array([len(split(text)) if isinstance(text, str) else np.nan for text in texts])


def _lay_out_segments(
    table: ScoreTable,
    values: np.ndarray,
    systems: tuple[SystemStatistics, SystemStatistics],
    texts: pd.DataFrame | None,
) -> pd.DataFrame:
    test_set = systems[0].test_set
    compared = ~(systems[0].missing | systems[1].missing)
    contributions = np.full(len(test_set), np.nan)
    contributions[compared] = values
    scores = [one.metric.segment_score(one.values).mean(axis=0) for one in systems]
    columns = {"contribution": contributions, "change": scores[0] - scores[1]}
    columns |= {} if texts is None else {name: texts[name] for name in texts.columns}
    return pd.DataFrame(_name_segments(test_set, columns) | columns)


def _name_segments(test_set: TestSet, columns: Iterable[str]) -> dict[str, np.ndarray]:
    """Return what is known of each segment; a further column does not take the place of one of these."""
    known = {"segment": test_set.segments}
    if test_set.documents is not None:
        known["document"] = test_set.documents
    return known | {name: one for name, one in test_set.columns.items() if name not in {*known, *columns}}


def _lay_out_units(
    table: ScoreTable,
    values: np.ndarray,
    systems: tuple[SystemStatistics, SystemStatistics],
    texts: pd.DataFrame | None,
) -> pd.DataFrame:
    units, test_set = table.units, table.systems[0].test_set
    sums = [units.sum(one.values.astype(np.float64)) for one in table.systems]
    scores = [one.metric.score(summed).mean(axis=0) for one, summed in zip(table.systems, sums, strict=True)]
    columns: dict[str, Sequence | np.ndarray] = {
        "contribution": values,
        "change": scores[0] - scores[1],
    }
    if texts is not None:
        compared = ~(systems[0].missing | systems[1].missing)
        kept = texts.loc[compared, [name for name in LENGTHS if name in texts.columns]]
        columns |= {name: units.sum(kept[[name]].to_numpy())[:, 0] for name in kept.columns}
    names: Sequence | np.ndarray
    if units.block_length is None:
        _, firsts = np.unique(units.of_segment, return_index=True)
        names = labels_of(test_set, "unit", units.name)[firsts]
    else:
        numbers, ends = test_set.segments, np.cumsum(np.bincount(units.of_segment))
        firsts, lasts = numbers[np.r_[0, ends[:-1]]], numbers[ends - 1]
        names = [f"{first}-{last}" for first, last in zip(firsts, lasts, strict=True)]
    return pd.DataFrame({units.name: names, "segments": np.bincount(units.of_segment), **columns})
