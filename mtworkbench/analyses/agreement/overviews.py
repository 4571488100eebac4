"""Short tables and sentences for readers: systems by all scores, judged segments, disagreements, tests, chance."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pandas as pd

from mtworkbench.analyses.agreement.measures import SegmentAgreement
from mtworkbench.analyses.agreement.scores import JudgedScores
from mtworkbench.inference import PairedBootstrap
from mtworkbench.metrics.directions import sign_of
from mtworkbench.resampling import SIMULATION, RngLike, resolve_rng, uniforms
from mtworkbench.statistics.segment_statistics import SegmentStatistics
from mtworkbench.wording import listed, tally
from mtworkbench.words.cells import in_percent, interval_of
from mtworkbench.words.frames import fixed
from mtworkbench.words.lines import wrap

_DIGITS = 3


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
    best = {one.metric.name: (sign_of(one.metric) * frame[one.metric.name]).idxmax() for one in (human, *metrics)}
    return wrap([f"The best system is {listed(f'{system} by {name}' for name, system in best.items())}."])


def lay_out_judgements(frame: pd.DataFrame) -> pd.DataFrame:
    """Give mean judgements with both 95 % intervals for reading, the highest mean first.

    Parameters
    ----------
    frame : DataFrame
        Of `tabulate_judgements` at its usual level.
    """
    frame = frame.sort_values("mean", ascending=False, kind="stable")
    table = frame[["system", "judged", "missing", "mean"]]
    return table.assign(
        **{
            "Student's t 95 % CI": _join(frame, "t_low", "t_high"),
            "95 % CI": _join(frame, "low", "high"),
        }
    )


def describe_judgements(frame: pd.DataFrame) -> str:
    """Say for how many systems the resampled interval is wider than Student's t.

    Parameters
    ----------
    frame : DataFrame
        Of `tabulate_judgements` at its usual level.
    """
    resampled, student = frame["high"] - frame["low"], frame["t_high"] - frame["t_low"]
    wider = f"{int((resampled > student).sum())} of {tally(len(frame), 'system')}"
    sentence = f"The 95 % CI, which resamples {frame['unit'].iloc[0]}s, is wider than Student's t 95 % CI for {wider}"
    if (student > 0).any():
        sentence += f"; the median ratio of their widths is {(resampled / student)[student > 0].median():.2f}"
    return wrap([f"{sentence}."])


def take_judged(human: SegmentStatistics, metrics: Sequence[SegmentStatistics]) -> list[SegmentStatistics]:
    """Take the segments for which humans judged all systems; all segments where there are none."""
    judged = find_judged(human)
    return [one.take(judged) if judged.any() else one for one in (human, *metrics)]


def describe_judged(human: SegmentStatistics) -> str:
    """Say what `take_judged` takes."""
    judged = find_judged(human)
    if not judged.any():
        return "No segment was judged for all systems: each pair is compared on the segments that have both scores."
    return f"{judged.sum():,} of {tally(len(judged), 'segment')} are kept: humans judged all systems there."


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
            f"humans {ci}": _join(part, "human_low", "human_high", "human_difference"),
            f"metric {ci}": _join(part, "low", "high", "difference"),
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
    judged = JudgedScores(human.metric.name, tuple(human[name] for name in human), sign_of(human.metric)).of_segments()
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


def describe_bootstrap(pair: PairedBootstrap) -> str:
    """State the difference of two systems with its interval, and what was resampled."""
    ci = f"{in_percent(pair.level)} CI {pair.low:.4f} to {pair.high:.4f}"
    difference = f"{pair.a} - {pair.b} = {pair.difference:+.4f} {pair.metric}"
    return wrap([f"{difference} ({ci}, not adjusted, from resampled {pair.unit}s)."])


def _join(frame: pd.DataFrame, low: str, high: str, value: str | None = None) -> list[str]:
    """Write intervals, after a value where one is named."""
    ends: list[str] = [interval_of(*row, digits=_DIGITS) for row in zip(frame[low], frame[high], strict=True)]
    return (
        ends if value is None else [f"{fixed(one, _DIGITS)} {end}" for one, end in zip(frame[value], ends, strict=True)]
    )
