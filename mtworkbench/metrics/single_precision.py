"""Scores as sacreBLEU's own bootstrap computes them, in single precision: its p then agrees to the last digit."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np

from mtworkbench.metrics.bleu import Bleu
from mtworkbench.metrics.chrf import ChrF
from mtworkbench.metrics.protocol import Metric
from mtworkbench.metrics.sacrebleu_adapter import sacrebleu_metric
from mtworkbench.metrics.ter import Ter
from mtworkbench.metrics.words import SACREBLEU_TOKENIZERS


def score_as_sacrebleu(metric: Metric, totals: np.ndarray) -> np.ndarray:
    """Score summed statistics with sacreBLEU's own function, from float32 as its paired bootstrap does.

    Parameters
    ----------
    metric : Metric
    totals : (n, n_statistics) ndarray
        Whole numbers below 2**24 are the same in float32.

    Returns
    -------
    (n,) ndarray
        Of float32 where sacreBLEU's scores are. A metric that sacreBLEU lacks is scored as always, in float64.
    """
    kind = sacrebleu_kind(metric)
    if kind is None:
        return metric.score(totals)
    own = sacrebleu_metric(*kind)
    return np.array([own._compute_score_from_stats(row).score for row in totals.astype(np.float32)])


def sacrebleu_kind(metric: Metric) -> tuple[str, tuple[tuple[str, object], ...]] | None:
    """Return sacreBLEU's class of a metric and the options that its scores depend on; None for one that it lacks."""
    if isinstance(metric, (ChrF, Ter)):
        return "CHRF" if isinstance(metric, ChrF) else "TER", tuple(asdict(metric).items())
    is_its_own = (
        isinstance(metric, Bleu)
        and metric.tokenize in SACREBLEU_TOKENIZERS
        and metric.smooth_method != "mteval"
        and metric.reference_length == "closest"
    )
    if not is_its_own:
        return None
    options = {name: getattr(metric, name) for name in ("smooth_method", "smooth_value", "max_ngram_order")}
    # Tokens have been counted already; some tokenizers need a model.
    return "BLEU", tuple({"tokenize": "none", **options}.items())
