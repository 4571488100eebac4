"""Would another metric, or another of its options, have said the same of two systems? One comparison under all.

A specification curve (Simonsohn, Simmons and Nelson, 2020) shows the result of every defensible choice, not of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, replace
from itertools import product

import numpy as np
import pandas as pd

from mtworkbench.errors import InputError
from mtworkbench.inference import compare
from mtworkbench.inference.checks import choose_n_resamples
from mtworkbench.metrics import Bleu, ChrF, Gtm, Nist, Ter, make_metric
from mtworkbench.metrics.protocol import Metric
from mtworkbench.segment_statistics import SegmentStatistics, compute_statistics

_TOKENIZERS = ("13a", "intl", "none")
_SMOOTHINGS = ("exp", "floor", "add-k", "none")


def list_specifications(*, with_ter: bool = False) -> list[Metric]:
    """List metrics with the options between which papers choose: metric x case x tokenizer x smoothing.

    Parameters
    ----------
    with_ter : bool
        TER takes a minute a system for 1,000 long segments, many times as long as all the others.

    Returns
    -------
    list of Metric
        BLEU, NIST, chrF to chrF++, and GTM with exponents 1 and 2; METEOR needs words of a real language.
    """
    cases = (False, True)
    found: list[Metric] = [
        Bleu(tokenize, lowercase, smoothing)
        for smoothing, tokenize, lowercase in product(_SMOOTHINGS, _TOKENIZERS, cases)
    ]
    found += [Nist(tokenize, lowercase) for tokenize, lowercase in product(_TOKENIZERS, cases)]
    found += [ChrF(word_order=order, lowercase=lowercase) for order, lowercase in product((0, 2), cases)]
    found += [Gtm(exponent, "13a", lowercase) for exponent, lowercase in product((1.0, 2.0), cases)]
    if with_ter:
        found += [Ter(case_sensitive=not lowercase) for lowercase in cases]
    return found


def run_specifications(
    outputs: pd.DataFrame,
    a: str,
    b: str,
    metrics: Sequence[str | Metric] | None = None,
    *,
    unit: str = "auto",
    level: float = 0.95,
    n_resamples: int | None = None,
    n_trials: int = 10_000,
    rng: int | np.random.Generator | None = None,
) -> pd.DataFrame:
    """Compare two systems under every specification, all on the same draws.

    Parameters
    ----------
    outputs : DataFrame
        One row a (system, run, segment), as `read_outputs` returns it.
    a, b : str
        The systems; differences are a - b.
    metrics : sequence of str or Metric, optional
        Those of `list_specifications` by default.
    unit, level, n_resamples, n_trials, rng
        See `compare`; by default 1,000 resamples, or 20 / (1 - level) if that is larger (2,000 at 99 %). Each
        specification is a comparison of its own: p is not corrected for their number, because they answer one question.

    Returns
    -------
    DataFrame
        One row a specification, from the smallest gain to the largest: ``specification`` (from 1), ``metric``,
        ``case``, ``tokenizer``, ``smoothing`` (empty where the metric has no such choice), ``signature``,
        ``difference``, ``low``, ``high`` (in the metric's units), ``p_value``, ``verdict``; and ``gain_percent``,
        ``gain_low``, ``gain_high``: the same in % of b's score, positive where a is better.

    Raises
    ------
    InputError
        ``unknown-system``; ``no-direction`` for a metric of which neither more nor less is better; and those
        of `compare`.
    """
    n_resamples = choose_n_resamples(n_resamples, level)
    chosen = list_specifications() if metrics is None else [make_metric(metric) for metric in metrics]
    for metric in chosen:
        if metric.higher_is_better is None:
            raise InputError(
                "no-direction", f"{metric.name} has no direction, so no system gains under it: leave it out."
            )
    systems = list(dict.fromkeys(outputs["system"]))
    for name in (a, b):
        if name not in systems:
            raise InputError(
                "unknown-system",
                f"There is no system {name!r} in the outputs, which have {', '.join(map(repr, systems))}.",
            )
    pair = pd.concat([outputs[outputs["system"] == name] for name in (a, b)])
    families = _statistics_of_all(pair, chosen)
    found = compare(families, b, unit=unit, level=level, n_resamples=n_resamples, n_trials=n_trials, rng=rng)
    rows = [_row(metric, compared) for metric, compared in zip(chosen, found.metrics.values(), strict=True)]
    frame = pd.DataFrame(rows).sort_values("gain_percent", kind="stable", ignore_index=True)
    frame.insert(0, "specification", np.arange(1, len(frame) + 1))
    return frame


def count_verdicts(frame: pd.DataFrame) -> pd.DataFrame:
    """Count verdicts by metric.

    Parameters
    ----------
    frame : DataFrame
        Of `run_specifications`.

    Returns
    -------
    DataFrame
        One row a metric: ``metric``, ``specifications``, ``a_better`` and ``b_better`` (significantly), ``open``,
        ``least_gain`` and ``largest_gain`` (%), ``least_p`` and ``largest_p``.
    """
    significant = frame["verdict"] == "significant"
    marked = frame.assign(
        a_better=significant & (frame["gain_percent"] > 0),
        b_better=significant & (frame["gain_percent"] < 0),
        open=~significant,
    )
    return (
        marked.groupby("metric", sort=False)
        .agg(
            specifications=("verdict", "size"),
            a_better=("a_better", "sum"),
            b_better=("b_better", "sum"),
            open=("open", "sum"),
            least_gain=("gain_percent", "min"),
            largest_gain=("gain_percent", "max"),
            least_p=("p_value", "min"),
            largest_p=("p_value", "max"),
        )
        .reset_index()
    )


def _statistics_of_all(outputs: pd.DataFrame, metrics: Sequence[Metric]) -> list[SegmentStatistics]:
    """Compute statistics; BLEU's do not depend on its smoothing, so they are computed once for all of them."""
    known: list[SegmentStatistics] = []
    for metric in metrics:
        same = next((one for one in known if _unsmoothed(one.metric) == _unsmoothed(metric)), None)
        known.append(compute_statistics(outputs, metric) if same is None else replace(same, metric=metric))
    return known


def _unsmoothed(metric: Metric) -> Metric:
    return replace(metric, smooth_method="none", smooth_value=None) if isinstance(metric, Bleu) else metric


def _row(metric: Metric, compared) -> dict[str, object]:
    (pair,) = compared.comparisons
    score = next(one.score for one in compared.systems if one.system == pair.b)
    sign = 100 if metric.higher_is_better else -100
    gains = [np.nan if score == 0 or end is None else sign * end / score for end in (pair.low, pair.high)]
    return {
        "metric": metric.name,
        **_choices(metric),
        "signature": compared.signature,
        "difference": pair.difference,
        "low": np.nan if pair.low is None else pair.low,
        "high": np.nan if pair.high is None else pair.high,
        "p_value": pair.p_value,
        "verdict": pair.verdict,
        "gain_percent": sign * pair.difference / score if score else np.nan,
        "gain_low": min(gains),
        "gain_high": max(gains),
    }


def _choices(metric: Metric) -> dict[str, str]:
    """Return what was chosen for a metric, empty where there is nothing to choose."""
    options = {field.name: getattr(metric, field.name) for field in fields(metric)}
    lowercase = options.get("lowercase", not options["case_sensitive"] if "case_sensitive" in options else None)
    return {
        "case": "" if lowercase is None else "ignored" if lowercase else "kept",
        "tokenizer": str(options.get("tokenize", "")),
        "smoothing": str(options.get("smooth_method", "")),
    }
