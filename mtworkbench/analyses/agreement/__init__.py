"""How well metrics agree with human judgements of systems and of segments, and on which pairs of systems.

What is measured, and how two metrics are compared, is as published in Google's mt-metrics-eval
(google-research/mt-metrics-eval, ``mt_metrics_eval/stats.py``).
"""

from mtworkbench.analyses.agreement.comparing import compare_agreement, measure_agreement
from mtworkbench.analyses.agreement.overviews import (
    describe_best,
    describe_bootstrap,
    describe_chance,
    describe_judged,
    describe_judgements,
    lay_out_judgements,
    lay_out_tests,
    tabulate_disagreements,
    tabulate_systems,
    take_judged,
)
from mtworkbench.analyses.agreement.pairs import (
    OUTCOMES,
    describe_disagreements,
    describe_pairs,
    tabulate_pairs,
    title_pairs,
)
from mtworkbench.analyses.agreement.sentences import describe_agreement, describe_tests, title_agreement

__all__ = [
    "OUTCOMES",
    "compare_agreement",
    "describe_agreement",
    "describe_best",
    "describe_bootstrap",
    "describe_chance",
    "describe_disagreements",
    "describe_judged",
    "describe_judgements",
    "describe_pairs",
    "describe_tests",
    "lay_out_judgements",
    "lay_out_tests",
    "measure_agreement",
    "tabulate_disagreements",
    "tabulate_pairs",
    "tabulate_systems",
    "take_judged",
    "title_agreement",
    "title_pairs",
]
