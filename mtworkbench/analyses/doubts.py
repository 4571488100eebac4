"""Whether what seems wrong with the data changes a verdict: comparisons before and after its repair."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, fields, replace
from functools import cache, partial
from typing import Any, Unpack

import pandas as pd

from mtworkbench.assumptions import Doubt, Without
from mtworkbench.errors import DataWarning, InputError
from mtworkbench.inference.comparison import Options, compare
from mtworkbench.metrics import Metric
from mtworkbench.outputs.checks.corpus import look_again
from mtworkbench.outputs.checks.frames import FrameRuns, check_outputs
from mtworkbench.outputs.repairs import REPAIRS, choose_repairs, repair_outputs
from mtworkbench.resampling import resolve_rng
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric
from mtworkbench.results.comparisons import AnyComparison, AnyMetric, AnyPair, Comparison
from mtworkbench.statistics.segment_statistics import compute_statistics


def examine_doubts(
    outputs: pd.DataFrame,
    metric: str | Metric | Sequence[str | Metric] = "bleu",
    baseline: str | None = None,
    *,
    codes: Collection[str] | None = None,
    **options: Unpack[Options],
) -> pd.DataFrame:
    """Compare systems before and after the repair of what seems wrong with the data.

    The doubts that can be repaired automatically are repaired one at a time (see `repair_outputs`), and everything is
    compared again with the same options and the same seed.

    Parameters
    ----------
    outputs : DataFrame
        See `check_outputs`.
    metric : str, Metric, or sequence of these
        As of `compute_statistics`.
    baseline : str, optional
        The system that each other is compared with; without it all pairs are compared.
    codes : collection of str, optional
        The repairs to try; by default those of the doubts that the checks noted and that may change a verdict.
    **options
        As of `compare`. Without ``rng``, one seed is drawn for all comparisons.

    Returns
    -------
    DataFrame
        One row per doubt, metric and pair that it concerns: ``code``, ``systems`` (joined by a comma), ``metric``,
        ``a``, ``b``; ``difference`` (a - b, in score points), ``low``, ``high``, ``p_value`` (adjusted for the number
        of comparisons), ``conclusion`` and ``better`` before the repair, and the same after it (``difference_without``
        ...); ``verdict_changes``. It has no rows where nothing can be repaired.

    Raises
    ------
    InputError
        ``unknown-repair`` for a code without a repair, and those of `compute_statistics` and `compare`.

    Warns
    -----
    DataWarning
        Those of the first comparison.
    """
    check_outputs(outputs)
    options["rng"] = resolve_rng(options.get("rng"))
    comparison = compare_texts(outputs, metric, baseline, options)
    if codes is None:
        doubts = [doubt for doubt in look_again(FrameRuns(outputs)) if can_be_examined(doubt)]
    else:
        doubts = [Doubt(code=one.code, sentence=one.what) for one in choose_repairs(codes)]

    def repeat(code: str) -> Comparison:
        return compare_texts(repair_outputs(outputs, code), metric, baseline, options)

    examined = repeat_without(comparison, doubts, repeat)
    rows = [
        {"code": doubt.code, "systems": ", ".join(doubt.systems), **asdict(one), "verdict_changes": one.verdict_changes}
        for doubt in examined
        for one in doubt.without
    ]
    names = ["code", "systems", *(one.name for one in fields(Without)), "verdict_changes"]
    return pd.DataFrame(rows, columns=names)


def compare_texts(
    outputs: pd.DataFrame, metric: str | Metric | Sequence[str | Metric], baseline: str | None, options: Options
) -> Comparison:
    """Compute the statistics of outputs, and compare them."""
    metrics = metric if isinstance(metric, Sequence) and not isinstance(metric, str) else [metric]
    return compare(compute_statistics(outputs, metrics), baseline, **options)


def can_be_examined(doubt: Doubt) -> bool:
    """Tell whether a doubt may change a verdict and can be repaired."""
    return doubt.matters and doubt.code in REPAIRS


def examine_comparison(comparison: AnyComparison, repeat: Callable[[str], AnyComparison]) -> AnyComparison:
    """Return a comparison whose doubts say what would be found without them; ``repeat`` as of `repeat_without`."""
    doubts = [doubt for doubt in comparison.doubts if can_be_examined(doubt)]
    if not doubts:
        return comparison
    examined = dict(zip(doubts, repeat_without(comparison, doubts, repeat), strict=True))
    return with_doubts(comparison, tuple(examined.get(doubt, doubt) for doubt in comparison.doubts))


def with_doubts(comparison: AnyComparison, now: tuple[Doubt, ...]) -> AnyComparison:
    """Return a comparison with other doubts about the data."""
    if isinstance(comparison, CampaignComparison):
        return replace(comparison, doubts=now)
    metrics = {name: replace(metric, doubts=now) for name, metric in comparison.metrics.items()}
    return replace(comparison, doubts=now, metrics=metrics)


def repeat_without(
    comparison: AnyComparison, doubts: Iterable[Doubt], repeat: Callable[[str], AnyComparison]
) -> tuple[Doubt, ...]:
    """Return doubts with what a comparison finds without them.

    Parameters
    ----------
    comparison : Comparison or CampaignComparison
        As it was found.
    doubts : iterable of Doubt
        Each with a repair.
    repeat : callable
        Returns the comparison after the repair of a code; it is called once per code. Where nothing can be compared any
        more, it raises an `InputError`, and nothing is said of that doubt; neither where the repair changes no text.
    """
    again = cache(partial(_try_again, repeat))
    examined = []
    for doubt in doubts:
        repeated = again(doubt.code)
        if repeated is not None and doubt.code in repeated.settings.repaired:
            doubt = replace(doubt, without=_compare(comparison, repeated, doubt))
        examined.append(doubt)
    return tuple(examined)


def _try_again(repeat: Callable[[str], AnyComparison], code: str) -> AnyComparison | None:
    """Compare again; what is noticed was said of the first comparison already."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        try:
            return repeat(code)
        except InputError:
            return None


def _compare(comparison: AnyComparison, repeated: AnyComparison, doubt: Doubt) -> tuple[Without, ...]:
    """Put the pairs that a doubt concerns beside what they are without it."""
    found = []
    metrics: Mapping[str, AnyMetric] = comparison.metrics
    others: Mapping[str, AnyMetric] = repeated.metrics
    for (name, metric), other in zip(metrics.items(), others.values(), strict=True):
        if _sign(metric) == _sign(other) and not REPAIRS[doubt.code].leaves_out:
            continue  # scores that were given are those of the texts as they were
        again = {(pair.a, pair.b): pair for pair in other.comparisons}
        for pair in metric.comparisons:
            without = again.get((pair.a, pair.b))
            if without is None or (doubt.systems and not {pair.a, pair.b} & {*doubt.systems}):
                continue
            after = {f"{key}_without": value for key, value in _state(without).items()}
            found.append(Without(name, pair.a, pair.b, **_state(pair), **after))
    return tuple(found)


def _state(pair: AnyPair) -> dict[str, Any]:
    """Return what `Without` says of a pair, before the repair and after it."""
    return {
        "difference": pair.difference,
        "low": pair.ends.low,
        "high": pair.ends.high,
        "p_value": pair.p_adjusted,
        "n_trials": 0 if pair.randomization.exact else pair.n_trials,
        "conclusion": pair.conclusion,
        "better": pair.better,
    }


def _sign(metric: AnyMetric) -> list[str]:
    """Return the metric's signature on each test set: repairs of texts that it reads are in it."""
    return [*metric.signatures.values()] if isinstance(metric, CampaignMetric) else [metric.signature]
