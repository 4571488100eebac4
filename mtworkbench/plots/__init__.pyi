"""What is public here, and where it is."""

from mtworkbench.plots.comparisons import plot_differences as plot_differences
from mtworkbench.plots.comparisons import plot_pairwise as plot_pairwise
from mtworkbench.plots.comparisons import plot_scores as plot_scores
from mtworkbench.plots.conventions import draw_levels as draw_levels
from mtworkbench.plots.conventions import plot_conventions as plot_conventions
from mtworkbench.plots.outcomes import plot_count as plot_count
from mtworkbench.plots.pages import draw_campaign as draw_campaign
from mtworkbench.plots.pages import draw_comparison as draw_comparison
from mtworkbench.plots.planning import plot_power as plot_power
from mtworkbench.plots.style import style as style
from mtworkbench.plots.systems import COLUMN_WIDTH as COLUMN_WIDTH
from mtworkbench.plots.systems import escape_dollars as escape_dollars
from mtworkbench.plots.systems import styles_of as styles_of
from mtworkbench.plots.systems import system_style as system_style
