"""Which segments a system changed most, to be read by hand: no score is a substitute for that."""

from __future__ import annotations

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference.families import pair_systems
from mtworkbench.inference.replications import match_dev, median_run
from mtworkbench.metrics.directions import sign_of
from mtworkbench.metrics.protocol import scored
from mtworkbench.outputs.checks.frames import is_reference
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics


def rank_changes(
    statistics: SegmentStatistics,
    baseline: str | None = None,
    *,
    dev: SegmentStatistics | None = None,
    outputs: pd.DataFrame | None = None,
) -> pd.DataFrame:
    """Rank segments by how much each system changed them against the baseline, the most improved first.

    Of a system with several runs the median run is read (Clark et al. (2011), §5), chosen on the dev set where there is
    one, else on the test set itself; of the baseline too. MultEval's ``--rankDir`` is the same with the test set.

    Parameters
    ----------
    statistics : SegmentStatistics
        Of the test set.
    baseline : str, optional
        The first system by default.
    dev : SegmentStatistics, optional
        Of the same runs on the set they were tuned on.
    outputs : DataFrame, optional
        What the statistics were computed from, as `read_outputs` returns it: its texts are put beside the scores.

    Returns
    -------
    DataFrame
        One row per system and segment: ``system``, ``run``, ``baseline_run``, ``segment`` (and ``document``),
        ``change`` (the segment's score - the baseline's), ``score``, ``baseline_score``; with `outputs` also ``source``
        where known, references, ``baseline_hypothesis`` and ``hypothesis``. A metric without a direction is ranked from
        the largest change up to the largest down; segments without a score come last.

    Raises
    ------
    InputError
        Where the baseline is not there, or `outputs` are not what the statistics were computed from.
    """
    systems = [statistics[name] for name in statistics]
    baseline = systems[0].system if baseline is None else baseline
    pairs = [(systems[a], systems[b]) for a, b in pair_systems(systems, baseline)]
    on_dev = None if dev is None else match_dev([statistics], [dev])[0]
    falling = sign_of(statistics.metric) == 1
    frames = []
    for system, against in pairs or [(statistics[baseline],) * 2]:
        frame = segment_changes(system, against, choose_run(system, on_dev), choose_run(against, on_dev))
        if outputs is not None:
            frame = add_texts(frame, outputs, baseline)
        frames.append(frame.sort_values("change", ascending=not falling, kind="stable", na_position="last"))
    # A baseline alone has the columns, and no change.
    return pd.concat(frames, ignore_index=True) if pairs else frames[0][:0]


def choose_run(system: SystemStatistics, dev: SegmentStatistics | None) -> int:
    """Return the number of the median run: on the dev set, where its runs go with those of the test set, else here."""
    if dev is not None and system.system in dev and dev[system.system].n_runs == system.n_runs:
        return median_run(dev[system.system].score()[0].tolist())
    return median_run(system.score()[0].tolist())


def segment_changes(system: SystemStatistics, baseline: SystemStatistics, run: int, baseline_run: int) -> pd.DataFrame:
    """Return the scores of all segments in one run of either system, in segment order."""
    scores, baseline_scores = score_segments(system, run), score_segments(baseline, baseline_run)
    test_set = system.test_set
    columns = {"system": system.system, "run": run, "baseline_run": baseline_run, "segment": test_set.segments}
    if test_set.documents is not None:
        columns["document"] = test_set.documents
    changes = {"change": scores - baseline_scores, "score": scores, "baseline_score": baseline_scores}
    return pd.DataFrame(columns | changes)


def score_segments(system: SystemStatistics, run: int) -> np.ndarray:
    """Score each segment of one run by itself; NaN where it has no score."""
    values = system.values[run - 1]
    scores = np.asarray(system.metric.segment_score(values), dtype=np.float64)
    return np.where(scored(system.metric, values), scores, np.nan)


def add_texts(frame: pd.DataFrame, outputs: pd.DataFrame, baseline: str) -> pd.DataFrame:
    """Put the texts of the two runs beside their scores."""
    first = frame.iloc[0]
    texts = texts_of_run(outputs, first["system"], first["run"], frame)
    against = texts_of_run(outputs, baseline, first["baseline_run"], frame)
    shared = {name: texts[name].to_numpy() for name in outputs.columns if name == "source" or is_reference(name)}
    hypotheses = {
        "baseline_hypothesis": against["hypothesis"].to_numpy(),
        "hypothesis": texts["hypothesis"].to_numpy(),
    }
    return frame.assign(**shared, **hypotheses)


def texts_of_run(outputs: pd.DataFrame, system: str, run: int, frame: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of one run, for the segments of a frame of changes."""
    rows = outputs[(outputs["system"] == system) & (outputs["run"] == run)].set_index("segment")
    if "hypothesis" not in rows.columns or not frame["segment"].isin(rows.index).all():
        raise InputError(
            "other-outputs",
            f"The outputs do not have a hypothesis for all segments of run {run} of {system!r} that the statistics "
            "have: give the frame that they were computed from.",
        )
    return rows.loc[frame["segment"]]
