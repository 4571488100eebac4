"""What was found about the agreement of metrics with humans, in sentences and in short tables for readers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from mtworkbench.analyses.agreement.comparing import MEASURES, SegmentAgreement
from mtworkbench.analyses.agreement.scores import JudgedScores
from mtworkbench.inference.intervals import TIE
from mtworkbench.metrics.directions import sign_of
from mtworkbench.resampling import SIMULATION, RngLike, resolve_rng, uniforms
from mtworkbench.results.verdicts import Ends
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import EXACT_DIGITS, digits_of_trials, name_p, show_ends
from mtworkbench.words.frames import fixed, in_percent, interval_of, signed
from mtworkbench.words.lines import wrap

#: What sentences call the scores that are compared.
LEVELS = {"system": "System level", "segment": "Segment level"}
BETTER = "agrees better with humans"
# With fewer systems, many resamples contain hardly any different ones.
ENOUGH_SYSTEMS = 8
_DIGITS = 3


def name_measure(scope: str, measure: str) -> str:
    """Name a measure as readers see it: "pairwise accuracy (ties calibrated)"."""
    return f"{measure} (ties calibrated)" if (scope, measure) == ("segment", MEASURES[0]) else measure


def describe_agreement(frame: pd.DataFrame) -> str:
    """Say for each measure how well every metric agrees with humans, the highest value first.

    Parameters
    ----------
    frame : DataFrame
        Of `measure_agreement`.
    """
    lines = []
    for (scope, measure), part in frame.groupby(["scope", "measure"], sort=False):
        ordered = part.sort_values("agreement", ascending=False, kind="stable")
        values = [_describe_agreement(row, place == 0) for place, row in enumerate(ordered.itertuples())]
        lines.append(f"{LEVELS[scope]}, {name_measure(scope, measure)}: {listed(values)}.")
    first = frame.iloc[0]
    fewest, most = frame["n_segments"].min(), frame["n_segments"].max()
    segments = tally(most, "segment") if fewest == most else f"{fewest:,} to {tally(most, 'segment')}"
    lines.append(
        f"Measured on {tally(first['n_systems'], 'system')} and {segments}; the intervals resample systems and "
        f"{first['unit']}s."
    )
    lines += _explain_intervals(frame)
    if first["n_systems"] < ENOUGH_SYSTEMS:
        lines.append(f"With fewer than {ENOUGH_SYSTEMS} systems, these intervals are rough.")
    return wrap(lines, indent="  ", finding=False)


def _describe_agreement(row: Any, names_level: bool) -> str:
    if pd.isna(row.agreement):
        return f"{row.metric} (not defined)"
    return f"{row.metric} {fixed(row.agreement, _DIGITS)} ({_name_interval(row, names_level)})"


def _name_interval(row: Any, names_level: bool) -> str:
    ci = f"{in_percent(row.level)} CI " if names_level else ""
    if not _has_interval(row):
        return f"{ci}cannot be estimated"
    return f"{ci}{fixed(row.low, _DIGITS)} to {fixed(row.high, _DIGITS)}"


def _has_interval(row: Any) -> bool:
    """Tell whether the resamples vary: where they all agree, they do not tell how far other samples might differ."""
    return bool(np.isfinite(row.low) and row.low < row.high)


def _explain_intervals(frame: pd.DataFrame) -> list[str]:
    """Say once why an interval cannot be estimated."""
    if not (frame["low"] == frame["high"]).any():
        return []
    return ["A CI cannot be estimated where all resamples give the same value."]


def title_agreement(frame: pd.DataFrame, *, unranked: Collection[str] = ()) -> str:
    """Say by how many of the measures which metric has the highest value, if there are several.

    Parameters
    ----------
    frame : DataFrame
        Of `measure_agreement`.
    unranked : collection of str
        Names of scores that are no metrics, such as a second human score.
    """
    ranked = frame[~frame["metric"].isin(unranked)].dropna(subset="agreement")
    highest = ranked.groupby(["scope", "measure"])["agreement"].transform("max")
    best = ranked[ranked["agreement"] >= highest - TIE]
    n_measures = len(best.drop_duplicates(["scope", "measure"]))
    if not n_measures:
        return "No measure of agreement is defined"
    if frame["metric"].nunique() == 1:
        return f"How well {frame['metric'].iloc[0]} agrees with humans, by {tally(n_measures, 'measure')}"
    # Metrics that share the highest value are named together: neither of them wins.
    names = best.groupby(["scope", "measure"], sort=False)["metric"].agg(tuple)
    wins = names.value_counts(sort=False).sort_values(ascending=False, kind="stable")
    (first, number), *others = wins.items()
    verb = "has" if len(first) == 1 else "have"
    said = [f"{listed(first)} {verb} the highest value in {number} of {n_measures} measures"]
    return ", ".join([*said, *(f"{listed(name)} in {number}" for name, number in others)])


def describe_tests(frame: pd.DataFrame) -> str:
    """Say for each measure whether one metric is shown to agree better with humans than the other.

    A metric is said to agree better only where p rejects equality and the interval, which resamples systems and
    documents, excludes 0.

    Parameters
    ----------
    frame : DataFrame
        Of `compare_agreement`.
    """
    lines = [*_count_better(frame), *map(_describe_test, frame.itertuples()), *_explain_intervals(frame)]
    if len(frame) > 1:
        lines.append("The p-values are not adjusted for the number of measures.")
    return wrap(lines, indent="  ")


def _count_better(frame: pd.DataFrame) -> list[str]:
    """Count the measures by which a metric agrees better; nothing of a single measure."""
    if len(frame) == 1:
        return []
    defined = frame.dropna(subset="p_value").itertuples()
    counts = Counter(said for said in map(_verdict, defined) if said.endswith(BETTER))
    found = listed(f"{said} by {number}" for said, number in counts.items()) if counts else f"Neither {BETTER} by any"
    return [f"{found} of {len(frame)} measures."]


def _describe_test(row: Any) -> str:
    measure = f"{LEVELS[row.scope]}, {name_measure(row.scope, row.measure)}"
    if pd.isna(row.p_value):
        return f"{measure}: not defined."
    p = name_p(row.p_value, EXACT_DIGITS if row.exact else digits_of_trials(row.n_trials))
    difference = f"{row.a} - {row.b} = {signed(row.difference, _DIGITS)} ({_name_interval(row, True)}, {p})"
    return f"{measure}: {difference}. {_verdict(row)}."


def _verdict(row: Any) -> str:
    if row.p_value > 1 - row.level:
        return "No difference in agreement is shown"
    ci = f"{in_percent(row.level)} CI"
    if not _has_interval(row):
        return f"PERM-BOTH rejects equality, but the {ci} cannot be estimated"
    if row.low <= 0 <= row.high:
        samples = f"systems and {row.unit}s"
        problem = f"PERM-BOTH rejects equality, but the {ci}, which resamples {samples}, includes 0"
        return f"{problem}, so no difference in agreement is claimed"
    return f"{row.a if row.difference > 0 else row.b} {BETTER}"


def tabulate_systems(human: SegmentStatistics, metrics: Sequence[SegmentStatistics]) -> pd.DataFrame:
    """Lay the scores of all systems next to each other, the system with the best human score first.

    Parameters
    ----------
    human : SegmentStatistics
        Statistics of the human scores.
    metrics : sequence of SegmentStatistics
        Statistics of the metrics.

    Returns
    -------
    DataFrame
        One row per system, one column per kind of score, the human one first; means of runs, NaN where there is none.
    """
    columns = {
        one.metric.name: pd.Series({name: scores.mean() for name, scores in one.score().items()}, dtype=float)
        for one in (human, *metrics)
    }
    frame = pd.DataFrame(columns).rename_axis("system")
    return frame.sort_values(human.metric.name, ascending=sign_of(human.metric) < 0, kind="stable")


def describe_best(human: SegmentStatistics, metrics: Sequence[SegmentStatistics]) -> str:
    """Say which system has the best score of each kind."""
    frame = tabulate_systems(human, metrics)
    best: list[tuple[pd.Index, str]] = []
    shared: list[tuple[pd.Index, str]] = []
    for one in (human, *metrics):
        scores = sign_of(one.metric) * frame[one.metric.name].dropna()
        first = scores.index[scores >= scores.max() - TIE * scores.abs().max()]
        (best if len(first) == 1 else shared).append((first, one.metric.name))
    lines = [f"The best system is {listed(f'{first[0]} by {name}' for first, name in best)}."] if best else []
    return wrap([*lines, *(f"{listed(first)} share the best score by {name}." for first, name in shared)])


def take_judged(human: SegmentStatistics, metrics: Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Take the segments for which humans judged all systems; all segments where there are none.

    What is given twice is taken once.
    """
    judged = find_judged(human)
    unique = {id(one): one for one in (human, *metrics)}.values()
    return [one.take(judged) if judged.any() else one for one in unique]


def describe_judged(human: SegmentStatistics) -> str:
    """Say what `take_judged` takes."""
    judged = find_judged(human)
    if not judged.any():
        said = "No segment was judged for all systems: each pair is compared on the segments that have both scores."
    else:
        said = f"{judged.sum():,} of {tally(len(judged), 'segment')} are kept: humans judged all systems there."
    return wrap([said], finding=False)


def find_judged(human: SegmentStatistics) -> np.ndarray:
    """Tell for which segments humans judged all systems, (n_segments,) ndarray of bool."""
    return ~np.any([human[name].missing for name in human], axis=0)


def tabulate_disagreements(frame: pd.DataFrame) -> pd.DataFrame:
    """List the pairs that a metric and humans order differently, for reading.

    Parameters
    ----------
    frame : DataFrame
        Of `tabulate_pairs`.

    Returns
    -------
    DataFrame
        One row per metric and pair, the system with the better human score first, both differences with their
        intervals, and who shows a difference.
    """
    part, ci = frame[~frame["same_order"]], f"({in_percent(frame['level'].iloc[0])} CI)"
    return pd.DataFrame(
        {
            "metric": part["metric"],
            "system": part["a"],
            "other": part["b"],
            f"humans {ci}": _show_differences(part, "human_"),
            f"metric {ci}": _show_differences(part, ""),
            "shown by": part["outcome"].str.replace("only | shows? a difference", "", regex=True),
        }
    )


def lay_out_tests(frame: pd.DataFrame) -> pd.DataFrame:
    """Give the tests of two metrics' agreement for reading.

    Parameters
    ----------
    frame : DataFrame
        Of `compare_agreement`.
    """
    first = frame.iloc[0]
    return pd.DataFrame(
        {
            "level": frame["scope"],
            "measure": frame["measure"],
            first["a"]: frame["agreement_a"],
            first["b"]: frame["agreement_b"],
            "difference": frame["difference"],
            f"{in_percent(first['level'])} CI": _join(frame, "low", "high"),
            "p": frame["p_value"],
        }
    )


def describe_chance(human: SegmentStatistics, *, rng: RngLike = None) -> str:
    """Say which segment-level pairwise accuracy (ties calibrated) metrics reach that know nothing.

    Parameters
    ----------
    human : SegmentStatistics
        Statistics of the human scores.
    rng : int, numpy.random.Generator or None
        Of the random scores. See `mtworkbench.resampling.resolve_rng`.
    """
    judged = JudgedScores.of(human).of_segments()
    n_systems, n_segments = judged.shape
    random = uniforms(resolve_rng(rng).stream(SIMULATION), 0, judged.size).reshape(judged.shape)
    ones = np.ones(n_systems), np.ones(n_segments)
    tied, drawn = (
        SegmentAgreement(judged, scores).calibrated_accuracy(*ones)[0] for scores in (np.zeros(judged.shape), random)
    )
    return wrap(
        [
            f"Segment-level pairwise accuracy is {tied:.{_DIGITS}f} for a metric that calls everything a tie (the "
            f"share of human ties), and {drawn:.{_DIGITS}f} for random scores."
        ]
    )


def _join(frame: pd.DataFrame, low: str, high: str) -> list[str]:
    """Write intervals."""
    return [interval_of(*row, digits=_DIGITS) for row in zip(frame[low], frame[high], strict=True)]


def _show_differences(frame: pd.DataFrame, of: str) -> list[str]:
    """Write the differences of humans, or of a metric, with their intervals."""
    names = (f"{of}difference", f"{of}low", f"{of}high", f"{of}verdict")
    frame = frame.astype({names[1]: object, names[2]: object}).where(frame.notna(), None)
    return [
        f"{fixed(difference, _DIGITS)} "
        + show_ends(Ends.agreeing(low, high, difference, shown=verdict == "significant"), _DIGITS)
        for difference, low, high, verdict in zip(*(frame[name] for name in names), strict=True)
    ]
