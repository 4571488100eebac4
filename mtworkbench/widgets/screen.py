"""What an explorer shows below its controls: a sentence, and a picture or a table."""

from __future__ import annotations

import anywidget
import traitlets

from mtworkbench.widgets.pages import LOOKS, read_script


class Screen(anywidget.AnyWidget):
    """A sentence above a picture; the copy of both that a cell keeps for readers without a kernel is hidden.

    Attributes
    ----------
    sentence : str
        Text: nothing in it is HTML or mathematics.
    html : str
        The picture or the table; what comes from data is escaped in it.
    copy : str
        Class of the copy, which is hidden in the cell that this screen stands in and in no other.
    waiting : bool
        Whether another answer is on its way: the old one is pale, and after a second the page says so.
    progress : str
        How far the work is, as HTML; what comes from data is escaped in it.
    """

    _esm = read_script("screen.js")
    _css = LOOKS
    sentence = traitlets.Unicode().tag(sync=True)
    html = traitlets.Unicode().tag(sync=True)
    copy = traitlets.Unicode().tag(sync=True)
    waiting = traitlets.Bool(False).tag(sync=True)
    progress = traitlets.Unicode().tag(sync=True)

    def show_progress(self, html: str) -> None:
        """Say how far the work is."""
        self.progress = html
