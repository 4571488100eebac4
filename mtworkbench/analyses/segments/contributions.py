"""Segments with their contributions to the difference of two systems, and with their texts.

Where texts are read, they must be those that the statistics were computed from: they must give the same ones again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.segments.tokens import name_tokenizer
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.contributions import contribute, largest_remainder
from mtworkbench.inference.replications import median_run
from mtworkbench.inference.score_table import ScoreTable, pair_table
from mtworkbench.inference.units import label_units
from mtworkbench.metrics import METRICS, Gtm, MeanScore, Meteor, Nist, Ter
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.texts import reference_columns
from mtworkbench.metrics.words import make_vocabulary
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
#: Where not all segments are computed again, so many are, spread over the test set.
SAMPLE = 100
#: What may be computed again for a run in about half a second, without numba: characters, or where the time grows with
#: the product of two texts' lengths, the sum of these products. With numba TER is faster, but which outputs are refused
#: must not depend on that.
CHARACTERS, PRODUCTS = 3_000_000, {Ter: 5_000_000, Gtm: 500_000_000}
#: Statistics that are no counts may be rounded in a table by so much.
ROUNDING = 1e-6
# METEOR's program may be missing where statistics come from a file.
NOT_SET_UP = ("no-meteor", "no-java", "meteor-damaged")


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
    DataWarning(
        "remainder",
        f"The contributions add up to {difference - remainder:.6g}, but the difference in {metric} is "
        f"{difference:.6g}: the remainder of {remainder:.6g} cannot be assigned to segments, because the score "
        "jumps between the two systems, as it does if one of them has no matching n-gram of some length.",
    ).warn(stacklevel=3)


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
    """Return the rows of one run of a system, counted from 1."""
    return outputs[(outputs["system"] == system) & (outputs["run"] == run)].reset_index(drop=True)


def count_words(texts: Sequence[str | None], metric: Metric) -> np.ndarray:
    """Count the words of each text as the metric splits them, (n_texts,) ndarray; NaN where there is no text."""
    given = [text if isinstance(text, str) else None for text in texts]
    lengths = make_vocabulary(*name_tokenizer(metric)).number(given).lengths
    return np.where([text is None for text in given], np.nan, lengths) if None in given else lengths


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
    units = table.units
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
    names = {units.name: label_units(table.systems[0].test_set, units), "segments": units.sizes}
    return pd.DataFrame(names | columns)


def check_origin(
    outputs: pd.DataFrame,
    statistics: SegmentStatistics,
    runs: Iterable[tuple[str, int]],
    *,
    at_most: int | None = None,
) -> None:
    """Refuse outputs whose statistics are not those given.

    Statistics of the package's metrics are computed again and compared: of all segments where that takes no more than
    about half a second per run, else (TER, very long texts) of up to 100 spread over the test set. For METEOR, words
    and function words of the outputs are compared, where the program is set up. Mean scores are compared where their
    column is there. What a metric of another package reads is not known, so it is not checked.

    Statistics from another program, or another version of sacreBLEU, may differ in a few segments. They are refused
    where most differ.

    Parameters
    ----------
    outputs : DataFrame
        Each run's segments in the order of the statistics.
    statistics : SegmentStatistics
    runs : iterable of (str, int)
        The systems and runs to check, runs counted from 1.
    at_most : int, optional
        Compute so many segments of each run at most; NIST, which knows the whole test set alone, takes all.

    Raises
    ------
    InputError
        ``other-outputs``, naming the first segment that differs; and those of the metric.
    """
    metric = statistics.metric
    if not _can_be_checked(metric, outputs):
        return
    foreign = statistics.metric_signature not in (None, metric.signature)
    for system, run in runs:
        rows = take_run(outputs, system, run)
        places = _choose_segments(metric, rows, at_most)
        counted = statistics.values[system][run - 1][places]
        names, again = _compute_again(metric, rows.iloc[places].reset_index(drop=True))
        if not names:
            return
        counted = counted[:, [metric.statistic_names.index(name) for name in names]]
        unlike = ~np.isclose(again, counted, rtol=ROUNDING, atol=ROUNDING * _smallest(counted))
        differing = unlike.any(axis=1)
        if not differing.any() or (foreign and differing.mean() <= 0.5):
            continue
        row = int(np.argmax(differing))
        name = int(np.argmax(unlike[row]))
        raise InputError(
            "other-outputs",
            f"Segment {statistics.test_set.segments[places[row]]} of run {run} of {system!r} has "
            f"{names[name]} {again[row, name]:.6g} in the outputs, but {counted[row, name]:.6g} in the statistics "
            f"of {metric.name}: give the outputs that the statistics were computed from.",
            found=system,
        )


def _can_be_checked(metric: Metric, outputs: pd.DataFrame) -> bool:
    """Tell whether what the metric reads is there and known."""
    if isinstance(metric, MeanScore):
        return metric.column in outputs.columns
    known = type(metric) in METRICS.values()
    return known and "hypothesis" in outputs.columns and bool(reference_columns(outputs))


def _choose_segments(metric: Metric, rows: pd.DataFrame, at_most: int | None) -> np.ndarray:
    """Choose the segments to compute again, (n_chosen,) ndarray of positions: all, or some spread over the test set."""
    everything = np.arange(len(rows))
    if isinstance(metric, (MeanScore, Nist)):
        return everything
    texts = [rows[name].tolist() for name in ("hypothesis", *reference_columns(rows))]
    sizes = [np.array([len(text) if isinstance(text, str) else 0 for text in column]) for column in texts]
    by_product = type(metric) in PRODUCTS
    costs = sizes[0] * np.sum(sizes[1:], axis=0) if by_product else np.sum(sizes, axis=0)
    budget = PRODUCTS[type(metric)] if by_product else CHARACTERS
    if costs.sum() <= budget and (at_most is None or len(rows) <= at_most):
        return everything
    count = min(SAMPLE if at_most is None else at_most, len(rows))
    chosen = np.unique(np.linspace(0, len(rows) - 1, count).round().astype(np.int64))
    cheapest_first = chosen[np.argsort(costs[chosen], kind="stable")]
    return np.sort(cheapest_first[np.cumsum(costs[cheapest_first]) <= budget])


def _compute_again(metric: Metric, rows: pd.DataFrame) -> tuple[tuple[str, ...], np.ndarray]:
    """Compute statistics of some segments; return their names, and their values, (n_segments, n_names) ndarray.

    There are none where the texts are too long, or METEOR is not set up.
    """
    if not len(rows):
        return (), np.empty((0, 0))
    if not isinstance(metric, Meteor):
        return metric.statistic_names, metric.segment_statistics(rows)
    # Words do not depend on the modules, and without the table of paraphrases the program starts at once. Which of
    # several references is the best one does, but not what is counted in the output.
    plain = replace(metric, modules="exact", weights="1")
    try:
        values = plain.segment_statistics(rows)
    except InputError as error:
        if error.code in NOT_SET_UP:
            return (), np.empty((0, 0))
        raise
    names = ("hypothesis_length", "hypothesis_function_words")
    return names, values[:, [plain.statistic_names.index(name) for name in names]]


def _smallest(values: np.ndarray) -> float:
    """Return the smallest size of a value that is not 0."""
    sizes = np.abs(values[values != 0])
    return float(sizes.min()) if len(sizes) else 1.0
