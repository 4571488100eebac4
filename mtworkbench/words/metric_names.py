"""What metrics are called where people read.

METEOR by its exact module alone is far from the METEOR of papers and of MultEval's users. So it is METEOR (exact) in
text, Markdown, LaTeX, HTML and figures. Programs find it by the name of the metric, METEOR, in frames, CSV and JSON.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from mtworkbench.inference import Comparison, MetricComparison, MetricVariance, OptimizerVariance
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric

Several = TypeVar("Several", bound=Comparison | CampaignComparison | OptimizerVariance)
One = TypeVar("One", bound=MetricComparison | CampaignMetric | MetricVariance)


def label_metric(name: str, signature: str) -> str:
    """Name a metric for readers.

    Parameters
    ----------
    name : str
        As tables have it: ``METEOR``, or ``METEOR|signature`` where two sets of options were used.
    signature : str
        Of the metric, alone or with that of a result.

    Returns
    -------
    str
    """
    metric, bar, options = name.partition("|")
    exact = metric == "METEOR" and "mod:exact" in signature.split("|")
    return f"{metric} (exact){bar}{options}" if exact else name


def label_result(metric: One) -> One:
    """Return the result of one metric under its name for readers."""
    label = _label(metric.name, metric)
    return metric if label == metric.name else replace(metric, name=label)


def label_results(results: Several) -> Several:
    """Return a result with all metrics under their names for readers."""
    labelled: Any = {_label(name, metric): label_result(metric) for name, metric in results.metrics.items()}
    return results if labelled.keys() == results.metrics.keys() else replace(results, metrics=labelled)


def _label(name: str, metric: MetricComparison | MetricVariance | CampaignMetric) -> str:
    """Name a metric for readers; of several test sets, METEOR is exact if it is so on some of them."""
    signatures = metric.signatures.values() if isinstance(metric, CampaignMetric) else [metric.signature]
    return next((label for one in signatures if (label := label_metric(name, one)) != name), name)
