"""What an explorer shows below its controls, and the copy of it that a cell keeps for readers without a kernel."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

import anywidget
import ipywidgets
import traitlets
from IPython.display import display

from mtworkbench.widgets.pages import LOOKS, read_script

# Where the kernel of a widget is gone, JupyterLab writes "Error displaying widget: model not found" in its place.
HIDE_LOST = (
    "<style>.jp-OutputArea-child:has(+ .jp-OutputArea-child :is([class^=mtworkbench-copy-], .mtw-segments-static)) "
    "> .jupyter-widgets:not(:has(*)) { display: none }</style>"
)


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


def show_with_copy(box: ipywidgets.Widget, screen: Screen, make_copy: Callable[[], tuple[str, str]]) -> None:
    """Show a box, and then a static copy for readers without a kernel, which the screen in the box hides.

    Parameters
    ----------
    box : ipywidgets.Widget
    screen : Screen
        In the box.
    make_copy : callable
        Returns the copy, as HTML, and its text version. The page shows the box meanwhile.
    """
    show_widget(box)
    html, sentence = make_copy()
    # A name that is made of the content does not change from run to run.
    screen.copy = f"mtworkbench-copy-{sha256(html.encode()).hexdigest()[:12]}"
    show_copy(f'<div class="{screen.copy}">{html}</div>', sentence)


def show_widget(widget: ipywidgets.Widget) -> None:
    """Show a widget, of which readers without a kernel see nothing."""
    bundle = widget._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    display(data | {"text/plain": ""}, metadata=metadata, raw=True)


def show_copy(html: str, sentence: str) -> None:
    """Show a static copy of a widget for readers without a kernel, as HTML and as text."""
    display({"text/html": f"{html}{HIDE_LOST}", "text/plain": sentence}, raw=True)
