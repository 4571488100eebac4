"""Marks on an Axes, one per row of the frame or result that they show.

Every ``plot_*`` draws on the Axes it is given, or on the current one, and returns it; it labels the axes and leaves
titles to the caller, sizes to the style that is active. Every ``draw_*`` arranges such plots on a figure in that style.
"""

from mtworkbench.plots.calibrations import draw_levels
from mtworkbench.plots.comparisons import plot_differences, plot_pairwise, plot_scores
from mtworkbench.plots.conventions import plot_conventions
from mtworkbench.plots.counts import plot_count
from mtworkbench.plots.pages import draw_campaign, draw_comparison
from mtworkbench.plots.planning import plot_power
from mtworkbench.plots.style import style
from mtworkbench.plots.systems import COLUMN_WIDTH, escape_dollars, styles_of, system_style

__all__ = [
    "COLUMN_WIDTH",
    "draw_campaign",
    "draw_comparison",
    "draw_levels",
    "escape_dollars",
    "plot_conventions",
    "plot_count",
    "plot_differences",
    "plot_pairwise",
    "plot_power",
    "plot_scores",
    "style",
    "styles_of",
    "system_style",
]
