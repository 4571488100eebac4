"""One system's interval, two systems' tests, many systems at once."""

from mtworkbench.inference.bootstrap import bootstrap_interval, paired_bootstrap
from mtworkbench.inference.campaigns import compare_test_sets
from mtworkbench.inference.changes import rank_changes
from mtworkbench.inference.clusters import ClusteredSystem, Clusters, ClusterTest, cluster_systems
from mtworkbench.inference.comparison import compare
from mtworkbench.inference.crossed import crossed_analysis
from mtworkbench.inference.more_runs import project_errors
from mtworkbench.inference.planning import Plan, plan_test_set
from mtworkbench.inference.randomization import approximate_randomization
from mtworkbench.inference.replications import median_run, optimizer_variance
from mtworkbench.inference.runs import RunPermutation, RunTTest, permute_runs, t_test_runs
from mtworkbench.inference.samples import SampleScores, resample_samples
from mtworkbench.results.campaigns import CampaignComparison, CampaignMetric, CampaignPair, CampaignSystem, SetEstimate
from mtworkbench.results.comparisons import Comparison, MetricComparison, PairEstimate, SystemEstimate
from mtworkbench.results.crossed import CrossedAnalysis
from mtworkbench.results.estimates import Interval, PairedBootstrap, Randomization
from mtworkbench.results.variance import MetricVariance, OptimizerVariance, SystemVariance

__all__ = [
    "CampaignComparison",
    "CampaignMetric",
    "CampaignPair",
    "CampaignSystem",
    "ClusterTest",
    "ClusteredSystem",
    "Clusters",
    "Comparison",
    "CrossedAnalysis",
    "Interval",
    "MetricComparison",
    "MetricVariance",
    "OptimizerVariance",
    "PairEstimate",
    "PairedBootstrap",
    "Plan",
    "Randomization",
    "RunPermutation",
    "RunTTest",
    "SampleScores",
    "SetEstimate",
    "SystemEstimate",
    "SystemVariance",
    "approximate_randomization",
    "bootstrap_interval",
    "cluster_systems",
    "compare",
    "compare_test_sets",
    "crossed_analysis",
    "median_run",
    "optimizer_variance",
    "paired_bootstrap",
    "permute_runs",
    "plan_test_set",
    "project_errors",
    "rank_changes",
    "resample_samples",
    "t_test_runs",
]
