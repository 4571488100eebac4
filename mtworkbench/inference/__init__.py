"""One system's interval, two systems' tests, many systems at once."""

from mtworkbench.inference.bootstrap import bootstrap_interval, paired_bootstrap, resample_scores
from mtworkbench.inference.comparison import compare
from mtworkbench.inference.comparison_results import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.inference.crossed import CrossedAnalysis, crossed_analysis
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.results import Interval, PairedBootstrap, Randomization
from mtworkbench.inference.runs import RunPermutation, WelchTest, permute_runs, welch_test
from mtworkbench.inference.samples import SampleScores, resample_samples

__all__ = [
    "Comparison",
    "CrossedAnalysis",
    "Interval",
    "MetricComparison",
    "PairEstimate",
    "PairedBootstrap",
    "Randomization",
    "RunPermutation",
    "SampleScores",
    "SystemEstimate",
    "WelchTest",
    "approximate_randomization",
    "bootstrap_interval",
    "compare",
    "crossed_analysis",
    "paired_bootstrap",
    "permute_runs",
    "resample_samples",
    "resample_scores",
    "welch_test",
]
