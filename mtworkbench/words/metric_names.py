"""What metrics are called where people read.

METEOR by its exact module alone is far from the METEOR of papers and of MultEval's users. So it is METEOR (exact) in
text, Markdown, LaTeX, HTML and figures. Programs find it by the name of the metric, METEOR, in frames, CSV and JSON.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from mtworkbench.inference import Comparison, MetricComparison, MetricVariance, OptimizerVariance
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric
from mtworkbench.results.comparisons import AnyMetric
from mtworkbench.wording import listed

Several = TypeVar("Several", bound=Comparison | CampaignComparison | OptimizerVariance)
One = TypeVar("One", bound=MetricComparison | CampaignMetric | MetricVariance)

#: Who has described a metric, by what its name looks like: the first that fits.
SOURCES_OF_METRICS = {
    "BLEU": "Papineni et al., 2002",
    r"chrF[\d.]*\+": "Popović, 2017",
    "chrF": "Popović, 2015",
    "TER": "Snover et al., 2006",
    "NIST": "Doddington, 2002",
    "GTM": "Melamed et al., 2003",
    "METEOR": "Denkowski and Lavie, 2014",
}


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


def describe_scoring(metrics: Mapping[str, AnyMetric]) -> Iterator[str]:
    """Say in a sentence which metrics were computed, with their sources; scores from other programs are left out."""
    of_sacrebleu, others = dict[str, None](), dict[str, None]()
    for key, metric in metrics.items():
        signature = next(iter(metric.signatures.values()))
        name = key.partition("|")[0]
        source = next((source for looks, source in SOURCES_OF_METRICS.items() if re.match(looks, name)), None)
        if source and "|version:" in signature:
            (of_sacrebleu if _is_of_sacrebleu(signature) else others)[f"{name} ({source})"] = None
    both = [f"{listed(of_sacrebleu)} as sacreBLEU does (Post, 2018)"] if of_sacrebleu else []
    both += [listed(others)] if others else []
    if both:
        yield f"We computed {', and '.join(both)}."


def _is_of_sacrebleu(signature: str) -> bool:
    """Tell whether sacreBLEU gives the same score: not where the length of the reference is chosen as mteval does."""
    return re.search(r"\|version:\d", signature) is not None and "|ref:" not in signature
