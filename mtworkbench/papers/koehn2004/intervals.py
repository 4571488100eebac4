"""Bootstrap intervals of a score and the assumption under them: Koehn (2004), §5, Fig. 6.

Its studies with larger units are here, too: the same samples, with documents or blocks drawn instead of sentences.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence

import numpy as np
import pandas as pd

from mtworkbench.errors import DataWarning
from mtworkbench.inference.blocks import choose_block_length
from mtworkbench.inference.bootstrap import bootstrap_interval
from mtworkbench.inference.intervals import percentile_ends
from mtworkbench.inference.samples import resample_samples
from mtworkbench.inference.score_table import Places
from mtworkbench.inference.units import MIN_DOCUMENTS, choose_units
from mtworkbench.papers.common.systems import names_in
from mtworkbench.papers.koehn2004.samples import FIGURE_SIZE, choose_samples, draw_apart, list_samples, score_samples
from mtworkbench.papers.koehn2004.significance import conclude
from mtworkbench.progress import Progress
from mtworkbench.resampling import RngLike, block_samples, broad_samples, random_samples, resolve_rng
from mtworkbench.results.estimates import Interval
from mtworkbench.results.settings import choose_n_resamples, count_needed_resamples
from mtworkbench.statistics.segment_statistics import SegmentStatistics, SystemStatistics, TestSet

#: The methods of `compare_intervals`, by the names of their intervals.
METHODS = {"percentile": "percentile", "BCa": "bca", "jackknife (t)": "jackknife"}
#: Resamples after which an interval is said to be settled.
N_GROWN = 1000
#: Fresh samples: a standard deviation of n has a relative error of 1 / sqrt(2 n).
N_FRESH = 20_000


def interval_samples(
    system: SystemStatistics,
    samples: Sequence[np.ndarray],
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    unit: str = "segment",
    rng: RngLike = None,
) -> pd.DataFrame:
    """Compute the percentile interval on each sample and ask whether it holds the true score (Koehn (2004), Fig. 6).

    The score on the whole test set is taken as the truth ("close to infinite").

    Parameters
    ----------
    system : SystemStatistics
    samples : sequence of ndarray
        Positions of segments, one array per sample.
    n_resamples : int, optional
        Resamples of each sample; by default 1,000, or 20 / (1 - level) if that is larger (2,000 at 99 %).
    level : float
    unit : {"segment", "document", "auto"}
        What is drawn within a sample; the paper draws segments.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per sample: ``sample`` (from 1), ``segments``, ``overlapping`` (whether these samples share segments),
        ``score``, ``low``, ``high``, ``true_score``, ``covers``.

    Raises
    ------
    InputError
        ``few-resamples`` where the ends would be the smallest and the largest score of all resamples.
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    drawn = resample_samples([system], samples, n_resamples=n_resamples, unit=unit, rng=rng)
    frame = list_samples(samples, drawn.scores[0])
    frame["low"], frame["high"] = drawn.intervals(system.system, level)
    frame["true_score"] = float(system.score().mean())
    frame["covers"] = (frame["low"] <= frame["true_score"]) & (frame["true_score"] <= frame["high"])
    return frame


def compare_intervals(
    system: SystemStatistics,
    *,
    n_resamples: int | None = None,
    level: float = 0.95,
    unit: str = "segment",
    rng: RngLike = None,
) -> dict[str, Interval]:
    """Compute the intervals of a score that the workbench knows, from the same resamples.

    Parameters
    ----------
    system : SystemStatistics
        Such as a sample: ``system.take(samples[0])``. What `interval_samples` draws of sample i of a seed s is drawn
        again with ``rng="s/i"``.
    n_resamples, level, unit, rng
        As of `bootstrap_interval`.

    Returns
    -------
    dict of str to Interval
        ``percentile``, ``BCa`` and ``jackknife (t)``: the last one is Student's t (Koehn (2004), Fig. 5) where the
        score is the mean of the segments' scores.
    """
    return {
        name: bootstrap_interval(system, n_resamples=n_resamples, level=level, method=method, unit=unit, rng=rng)
        for name, method in METHODS.items()
    }


def grow_interval(system: SystemStatistics, sample: np.ndarray, *, rng: RngLike = None) -> pd.DataFrame:
    """Follow an interval while resamples are drawn ("the law of large numbers", Koehn (2004), §5).

    Returns
    -------
    DataFrame
        One row per step: ``resamples`` drawn so far (up to 1,000), ``low``, ``high`` of the 95 % interval that they
        give, ``score`` of the last one. The first step has the fewest resamples of which an interval can be made: 40.
    """
    scores = resample_samples([system], [sample], n_resamples=N_GROWN, rng=rng).resampled[0, 0]
    steps = np.unique(np.geomspace(count_needed_resamples(0.95, 1), N_GROWN, 60).round().astype(int))
    ends = np.array([percentile_ends(scores[:step], 0.95) for step in steps])
    return pd.DataFrame({"resamples": steps, "low": ends[:, 0], "high": ends[:, 1], "score": scores[steps - 1]})


def compare_with_fresh_samples(
    system: SystemStatistics, size: int = FIGURE_SIZE, *, n_draws: int = 1000, rng: RngLike = None
) -> pd.DataFrame:
    """Put the boxed assumption of Koehn (2004), §5, to the test.

    It says that samples drawn with replacement from the n segments of one sample behave like samples of n drawn from
    an infinite set. Here both are drawn: fresh samples from the whole test set, and resamples of the first broad
    sample.

    Parameters
    ----------
    system : SystemStatistics
    size : int
        Segments in a sample.
    n_draws : int
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per draw: ``source`` ("fresh samples" or "resamples"), ``draw``, ``score``, ``deviation`` from what the
        draws are drawn around: the score of the whole test set, or of the one sample; ``part_of_test_set`` that a fresh
        sample is: the larger it is, the less fresh samples differ.
    """
    random_key = resolve_rng(rng)
    broad = choose_samples(system.n_segments, size, "broad", rng=random_key)[0]
    fresh = score_samples(system, random_samples(system.n_segments, size, n_draws, rng=random_key))["score"].to_numpy()
    resampled = resample_samples([system], [broad], n_resamples=n_draws, rng=random_key).resampled[0, 0]
    centres = {"fresh samples": system.score().mean(), "resamples": system.take(broad).score().mean()}
    return pd.concat(
        [
            pd.DataFrame(
                {
                    "source": source,
                    "draw": np.arange(1, n_draws + 1),
                    "score": scores,
                    "deviation": scores - centres[source],
                    "part_of_test_set": size / system.n_segments,
                }
            )
            for source, scores in (("fresh samples", fresh), ("resamples", resampled))
        ],
        ignore_index=True,
    )


def summarize_assumption(system: SystemStatistics, size: int = FIGURE_SIZE, *, rng: RngLike = None) -> pd.DataFrame:
    """Compare the spread of 20,000 fresh samples with that of the 1,000 resamples of every broad sample.

    Parameters
    ----------
    system : SystemStatistics
    size : int
        Segments in a sample. Fresh ones are drawn without replacement.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per broad sample: ``sample``, ``resampled_deviation`` (standard deviation of its resamples), ``bias``
        (mean of its resamples less its score), ``fresh_deviation``, ``fresh_samples`` and ``part_of_test_set``
        (that one fresh sample is), the same numbers in all rows.
    """
    random_key = resolve_rng(rng)
    fresh = score_samples(system, draw_apart(system.n_segments, size, N_FRESH, random_key))["score"]
    samples = choose_samples(system.n_segments, size, "broad", rng=random_key)
    drawn = resample_samples([system], samples, n_resamples=N_GROWN, rng=random_key)
    return pd.DataFrame(
        {
            "sample": np.arange(1, len(samples) + 1),
            "resampled_deviation": drawn.resampled[0].std(axis=1, ddof=1),
            "bias": drawn.resampled[0].mean(axis=1) - drawn.scores[0],
            "fresh_deviation": fresh.std(ddof=1),
            "fresh_samples": N_FRESH,
            "part_of_test_set": size / system.n_segments,
        }
    )


def choose_wider_unit(test_set: TestSet) -> str:
    """Return what can be drawn in place of single segments, which resemble their neighbours.

    Returns
    -------
    {"document", "block"}
        Documents where ``unit="auto"`` takes them, that is, where at least 6 are known. Else blocks of neighbouring
        segments, because segments again would only repeat what they showed.
    """
    return "document" if (test_set.n_documents or 0) >= MIN_DOCUMENTS else "block"


def intervals_by_unit(
    statistics: SegmentStatistics, size: int, *, progress: Progress | None = None, rng: RngLike = None
) -> pd.DataFrame:
    """Ask how many intervals miss the true score where sentences are drawn, and where documents or blocks are.

    Parameters
    ----------
    statistics : SegmentStatistics
        All systems are taken.
    size : int
        Segments in a sample: blocks should hold several documents. Segments that do not fill a last block are left out.
    progress : callable, optional
        Wraps the ways of sampling and units, such as ``tqdm``.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (way of sampling, unit): ``sampling`` ("block", "broad"), ``unit`` ("segment", then what
        `choose_wider_unit` says of the median block: "document", or such as "block of 12"), ``intervals``, ``samples``,
        ``systems``, ``units`` (how many a sample has on average), ``mean_width``, ``missed_percent``,
        ``part_of_test_set``: the largest sample's share of the segments of which the truth is computed. Blocks are as
        long as `choose_block_length` finds on single samples (the median); if that is one segment, there is no row of
        blocks.
    """

    def study(samples: list[np.ndarray], unit: str) -> dict[str, float]:
        frame = pd.concat([interval_samples(statistics[name], samples, unit=unit, rng=rng) for name in statistics])
        return {
            "intervals": len(frame),
            "samples": len(samples),
            "systems": len(statistics),
            "units": np.mean([choose_units(statistics.test_set.take(sample), unit).count for sample in samples]),
            "mean_width": (frame["high"] - frame["low"]).mean(),
            "missed_percent": 100 * (~frame["covers"]).mean(),
        }

    return _study_units(statistics, list(statistics), [], size, study, progress)


def conclusions_by_unit(
    statistics: SegmentStatistics, pairs: Iterable[tuple[str, str]], size: int, *, rng: RngLike = None
) -> pd.DataFrame:
    """Ask how many conclusions are right and wrong where sentences are drawn, and where documents or blocks are.

    Parameters
    ----------
    statistics : SegmentStatistics
    pairs : iterable of (str, str)
    size : int
        Segments in a sample: blocks should hold several documents. Segments that do not fill a last block are left out.
    rng : int, numpy.random.Generator or None

    Returns
    -------
    DataFrame
        One row per (way of sampling, unit): ``sampling``, ``unit`` as of `intervals_by_unit`, ``samples`` (of all
        pairs), ``correct_percent``, ``wrong_percent`` of them (no conclusion is neither), ``part_of_test_set`` as of
        `intervals_by_unit`.
    """
    pairs = list(pairs)
    names = names_in(pairs)
    places = [(names.index(a), names.index(b)) for a, b in pairs]

    def study(samples: list[np.ndarray], unit: str) -> dict[str, float]:
        frame = conclude(statistics, pairs, samples, unit=unit, rng=rng)
        right, wrong = (((frame["conclusion"] != "") & (frame["correct"] == one)).mean() for one in (True, False))
        return {"samples": len(frame), "correct_percent": 100 * right, "wrong_percent": 100 * wrong}

    return _study_units(statistics, names, places, size, study)


def _study_units(
    statistics: SegmentStatistics,
    names: Sequence[str],
    pairs: Sequence[Places],
    size: int,
    study: Callable[[list[np.ndarray], str], dict[str, float]],
    progress: Progress | None = None,
) -> pd.DataFrame:
    """Study each way of sampling with each of its units, for some systems and pairs of them."""
    n = len(statistics.test_set)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the docstrings say that a remainder is left out
        blocks = block_samples(n, size)
    # Of a block that lies within one document, every resample would be the block.
    parts = sorted((statistics.test_set.take(block) for block in blocks), key=lambda part: part.n_documents or 0)
    typical = parts[len(blocks) // 2]
    versions = []
    for sampling, samples in (("block", blocks), ("broad", broad_samples(n, n // size))):
        wider = choose_wider_unit(typical)
        if wider == "block":
            lengths = [
                choose_block_length([statistics[name].take(sample) for name in names], pairs) for sample in samples
            ]
            length = int(np.median(lengths))
            wider = f"block of {length}" if length > 1 else "segment"
        versions += [(sampling, samples, unit) for unit in dict.fromkeys(("segment", wider))]
    rows = []
    for sampling, samples, unit in progress(versions) if progress else versions:
        part = max(map(len, samples)) / len(statistics.test_set)
        rows.append({"sampling": sampling, "unit": unit, **study(samples, unit), "part_of_test_set": part})
    return pd.DataFrame(rows)
