"""Metrics: text becomes statistics of segments, summed statistics become scores.

This is the only folder that imports sacreBLEU.
"""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
