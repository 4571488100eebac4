"""What the figures and tables of a paper are made of where the data is the reader's, and what each of them is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mtworkbench.resampling import RandomKey
from mtworkbench.statistics.segment_statistics import SegmentStatistics


@dataclass(frozen=True, eq=False)
class OwnData:
    """Systems of the reader on one test set.

    Parameters
    ----------
    families : sequence of SegmentStatistics
        The statistics that are drawn: those of one metric, or of all.
    outputs : DataFrame or None
        The texts; None where only statistics or scores are known.
    baseline : str or None
    random_key : RandomKey
        All figures and tables draw with it.
    """

    families: Sequence[SegmentStatistics]
    outputs: pd.DataFrame | None
    baseline: str | None
    random_key: RandomKey

    @property
    def statistics(self) -> SegmentStatistics:
        """Those of the metric, or of the first."""
        return self.families[0]


@dataclass(frozen=True, eq=False)
class Piece:
    """A figure or a table.

    Parameters
    ----------
    stem : str
        File name without its ending: the one that the notebooks give it, too.
    place : str
        Where the paper has it: "Figure 2".
    sentence : str
        What it shows, computed from the frame.
    frame : DataFrame
        One row per mark drawn, or the table itself.
    drawn : Figure or Axes or None
        None for a table.
    arranged : DataFrame or None
        How a table is printed, where that is not the frame.
    digits : int
        Decimals of a printed table.
    texts : mapping of str to str
        Files that are not made of the frame, by their endings.
    html : str
        What a page shows, besides the figure or in place of the table.
    """

    stem: str
    place: str
    sentence: str
    frame: pd.DataFrame
    drawn: Figure | Axes | None = None
    arranged: pd.DataFrame | None = None
    digits: int = 2
    texts: Mapping[str, str] = field(default_factory=dict)
    html: str = ""


#: Functions by what they draw, such as "Figures 2 and 3"; an `InputError` says why the data does not allow it.
Drawings = Mapping[str, Callable[[OwnData], Iterator[Piece]]]
