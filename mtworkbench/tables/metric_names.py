"""What metrics are called where people read.

METEOR by its exact module alone is far from the METEOR of papers and of MultEval's users. So it is METEOR (exact) in
text, Markdown, LaTeX, HTML and figures. Programs find it by the name of the metric, METEOR, in frames, CSV and JSON.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from mtworkbench.inference import Comparison, MetricComparison, MetricVariance, OptimizerVariance
from mtworkbench.inference.campaign_results import CampaignComparison

Several = TypeVar("Several", Comparison, OptimizerVariance)
One = TypeVar("One", MetricComparison, MetricVariance)


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
    label = label_metric(metric.name, metric.signature)
    return metric if label == metric.name else replace(metric, name=label)


def label_results(results: Several) -> Several:
    """Return a result with all metrics under their names for readers."""
    labelled = {label_metric(name, metric.signature): label_result(metric) for name, metric in results.metrics.items()}
    return results if labelled.keys() == results.metrics.keys() else replace(results, metrics=labelled)


def label_campaign(comparison: CampaignComparison) -> CampaignComparison:
    """Return a campaign with all metrics under their names for readers: METEOR is exact if it is so on some set."""
    labelled = {}
    for name, metric in comparison.metrics.items():
        labels = [label_metric(name, signature) for signature in metric.signatures.values()]
        label = next((one for one in labels if one != name), name)
        labelled[label] = metric if label == name else replace(metric, name=label)
    return replace(comparison, metrics=labelled)
