"""Marks on an Axes, one per row of the frame or result that they show.

Every ``plot_*`` draws on the Axes it is given, or on the current one, and returns it; it labels the axes and leaves
titles, sizes and styles to the caller. Every ``draw_*`` arranges such plots on a figure.
"""

from mtworkbench.plots.comparisons import draw_comparison, plot_differences, plot_pairwise, plot_scores
from mtworkbench.plots.systems import COLUMN_WIDTH, escape_dollars, system_style

__all__ = [
    "COLUMN_WIDTH",
    "draw_comparison",
    "escape_dollars",
    "plot_differences",
    "plot_pairwise",
    "plot_scores",
    "system_style",
]
