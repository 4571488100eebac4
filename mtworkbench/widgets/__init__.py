"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel."""

from mtworkbench.widgets.comparison import ComparisonExplorer, explore_comparison
from mtworkbench.widgets.conventions import explore_conventions, predict_conventions
from mtworkbench.widgets.explorer import Answer, Explorer, Outcome
from mtworkbench.widgets.linked import DifferenceExplorer, explore_differences
from mtworkbench.widgets.planning import explore_plan
from mtworkbench.widgets.prediction import Prediction, predict
from mtworkbench.widgets.segments.browser import SegmentBrowser, explore_segments
from mtworkbench.widgets.start.form import StartForm, start

__all__ = [
    "Answer",
    "ComparisonExplorer",
    "DifferenceExplorer",
    "Explorer",
    "Outcome",
    "Prediction",
    "SegmentBrowser",
    "StartForm",
    "explore_comparison",
    "explore_conventions",
    "explore_differences",
    "explore_plan",
    "explore_segments",
    "predict",
    "predict_conventions",
    "start",
]


def __getattr__(name: str) -> object:
    """Find the explorers of the papers, which had been here."""
    from mtworkbench.lazy import find_moved

    return find_moved(__name__, name)
