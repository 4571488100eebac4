"""How well metrics agree with human judgements of systems and of segments, and on which pairs of systems.

What is measured, and how two metrics are compared, is as published in Google's mt-metrics-eval
(google-research/mt-metrics-eval, ``mt_metrics_eval/stats.py``).
"""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
