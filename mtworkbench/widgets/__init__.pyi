"""What is public here, and where it is."""

from mtworkbench.widgets.comparison import explore_comparison as explore_comparison
from mtworkbench.widgets.conventions import explore_conventions as explore_conventions
from mtworkbench.widgets.conventions import predict_conventions as predict_conventions
from mtworkbench.widgets.explorer import Answer as Answer
from mtworkbench.widgets.explorer import Explorer as Explorer
from mtworkbench.widgets.explorer import Outcome as Outcome
from mtworkbench.widgets.linked import DifferenceExplorer as DifferenceExplorer
from mtworkbench.widgets.linked import explore_differences as explore_differences
from mtworkbench.widgets.planning import explore_plan as explore_plan
from mtworkbench.widgets.prediction import Prediction as Prediction
from mtworkbench.widgets.prediction import predict as predict
from mtworkbench.widgets.segments.browser import SegmentBrowser as SegmentBrowser
from mtworkbench.widgets.segments.browser import explore_segments as explore_segments
