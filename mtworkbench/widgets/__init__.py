"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel."""

from mtworkbench.widgets.clark2011 import explore_luck, explore_replications, explore_scores
from mtworkbench.widgets.comparison import explore_comparison
from mtworkbench.widgets.conventions import explore_conventions, predict_conventions
from mtworkbench.widgets.draws import explore_draws
from mtworkbench.widgets.explorer import Explorer
from mtworkbench.widgets.koehn2004 import (
    explore_calibration,
    explore_confidence,
    explore_intervals,
    explore_samples,
)
from mtworkbench.widgets.linked import DifferenceExplorer, explore_differences
from mtworkbench.widgets.planning import explore_plan
from mtworkbench.widgets.prediction import Prediction, predict
from mtworkbench.widgets.segments import SegmentBrowser, explore_segments

__all__ = [
    "DifferenceExplorer",
    "Explorer",
    "Prediction",
    "SegmentBrowser",
    "explore_calibration",
    "explore_comparison",
    "explore_confidence",
    "explore_conventions",
    "explore_differences",
    "explore_draws",
    "explore_intervals",
    "explore_luck",
    "explore_plan",
    "explore_replications",
    "explore_samples",
    "explore_scores",
    "explore_segments",
    "predict",
    "predict_conventions",
]
