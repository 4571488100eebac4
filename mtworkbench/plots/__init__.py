"""Marks on an Axes, one per row of the frame or result that they show.

Every ``plot_*`` draws on the Axes it is given, or on the current one, and returns it; it labels the axes and leaves
titles to the caller, sizes to the style that is active. Every ``draw_*`` arranges such plots on a figure in that style.
"""

from mtworkbench.lazy import attach_stub
from mtworkbench.plots.style import style as style  # now: later, the module would have its name

__getattr__, __dir__ = attach_stub(__name__, __file__)
