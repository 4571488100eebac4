"""The oracle of n-best lists: the hypothesis of each segment that scores best by a metric with the references."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.metrics.cautions import doubt_tokens, long_segments, warn_of_tokens
from mtworkbench.metrics.known import make_metric
from mtworkbench.metrics.protocol import Metric
from mtworkbench.outputs.checks.frames import FrameRuns
from mtworkbench.outputs.nbest import first_best


def oracle_best(lists: pd.DataFrame, metric: str | Metric = "bleu") -> pd.DataFrame:
    """Take the hypothesis of each segment with the best score of its own: how good the lists are, not the decoder.

    This is the oracle of single segments. The hypotheses that make the best *corpus* score are others, and hard to
    find: their score is at least as high under a corpus metric such as BLEU.

    Parameters
    ----------
    lists : DataFrame
        Of `read_nbest`.
    metric : str or Metric
        With a direction; its `segment_score` decides (BLEU: with effective order). Of equal scores (within 1e-9 of the
        larger) the lower rank is taken.

    Returns
    -------
    DataFrame
        An outputs frame, whose system is called as in ``lists`` with " oracle" after it; the column ``rank`` says where
        in the list each hypothesis was.

    Raises
    ------
    InputError
        ``no-direction`` for a metric without a direction, ``columns`` where there are no ranks, and those of
        `first_best` and `compute_statistics`.

    Warns
    -----
    DataWarning
        ``tokenized-twice``, ``long-segment``, see `compute_statistics`.

    References
    ----------
    Liang et al. (2006), An end-to-end discriminative approach to machine translation: their local updating takes the
    same hypothesis of the n-best list.

    Examples
    --------
    >>> lists = read_nbest("dev.100best", "dev.en")  # doctest: +SKIP
    >>> outputs = pd.concat([first_best(lists), oracle_best(lists)], ignore_index=True)  # doctest: +SKIP
    """
    metric = make_metric(metric)
    if metric.higher_is_better is None:
        raise InputError(
            "no-direction",
            f"{metric.name} has no direction, so it cannot choose the best hypothesis: use a metric with a direction, "
            "such as 'bleu', or a mean score with higher_is_better=True or False.",
        )
    first = first_best(lists)
    warn_of_tokens(doubt_tokens(metric, FrameRuns(first)))
    if (warning := long_segments(metric, [lists])) is not None:
        warnings.warn(warning, stacklevel=2)
    chosen = [_choose(lists, rows, metric) for _, rows in first.groupby(["system", "run"], sort=False)]
    best = pd.concat(chosen, ignore_index=True)
    best["system"] = best["system"] + " oracle"
    return best


def _choose(lists: pd.DataFrame, first: pd.DataFrame, metric: Metric) -> pd.DataFrame:
    """Take the best hypotheses of one run.

    The hypotheses of one rank are scored as the outputs that they are, so that every metric sees the whole test set;
    the first hypothesis stands in where a list is shorter.
    """
    own = lists[(lists["system"] == first["system"].iloc[0]) & (lists["run"] == first["run"].iloc[0])]
    segments, ranks = pd.Index(first["segment"]).get_indexer(own["segment"]), own["rank"].to_numpy()
    first_rows = np.flatnonzero(ranks == 1)
    best, best_scores = first_rows, np.full(len(first), -np.inf)
    for rank in np.unique(ranks):
        rows, of_rank = first_rows.copy(), np.flatnonzero(ranks == rank)
        rows[segments[of_rank]] = of_rank
        outputs = own.take(rows)
        scores = np.asarray(metric.segment_score(metric.segment_statistics(outputs)), dtype=np.float64)
        scores = np.where(np.isnan(scores), -np.inf, scores if metric.higher_is_better else -scores)
        largest = np.maximum(
            np.abs(scores), np.abs(best_scores), where=np.isfinite(best_scores), out=np.zeros(len(rows))
        )
        better = scores > best_scores + 1e-9 * largest
        best, best_scores = np.where(better, rows, best), np.where(better, scores, best_scores)
    return own.take(best).reset_index(drop=True)
