"""One system's interval, two systems' tests, many systems at once."""

from mtworkbench.inference.bootstrap import bootstrap_interval, paired_bootstrap, resample_scores
from mtworkbench.inference.comparison import compare
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.results import Interval, PairedBootstrap, Randomization
from mtworkbench.inference.samples import SampleScores, resample_samples

__all__ = [
    "Comparison",
    "Interval",
    "MetricComparison",
    "PairEstimate",
    "PairedBootstrap",
    "Randomization",
    "SampleScores",
    "SystemEstimate",
    "approximate_randomization",
    "bootstrap_interval",
    "compare",
    "paired_bootstrap",
    "resample_samples",
    "resample_scores",
]
