"""The static copy of a widget that a cell keeps for readers without a kernel."""

from __future__ import annotations

from hashlib import sha256

import ipywidgets
from IPython.display import display

from mtworkbench.widgets.screen import Screen

# Where the kernel of a widget is gone, JupyterLab writes "Error displaying widget: model not found" in its place.
HIDE_LOST = (
    "<style>.jp-OutputArea-child:has(+ .jp-OutputArea-child :is([class^=mtworkbench-copy-], .mtw-segments-static)) "
    "> .jupyter-widgets:not(:has(*)) { display: none }</style>"
)


def show_with_copy(box: ipywidgets.Widget, screen: Screen, html: str, sentence: str) -> None:
    """Show a box, and a static copy for readers without a kernel, which the screen in the box hides.

    Parameters
    ----------
    box : ipywidgets.Widget
    screen : Screen
        In the box.
    html, sentence : str
        The copy, and its text version.
    """
    # A name that is made of the content does not change from run to run.
    screen.copy = f"mtworkbench-copy-{sha256(html.encode()).hexdigest()[:12]}"
    show_beside(box, f'<div class="{screen.copy}">{html}</div>', sentence)


def show_beside(widget: ipywidgets.Widget, html: str, sentence: str) -> None:
    """Show a widget, and a static copy for readers without a kernel, who see nothing of the widget.

    Parameters
    ----------
    widget : ipywidgets.Widget
    html, sentence : str
        The copy, and its text version.
    """
    bundle = widget._repr_mimebundle_()
    data, metadata = bundle if isinstance(bundle, tuple) else (bundle, {})
    display(data | {"text/plain": ""}, metadata=metadata, raw=True)
    display({"text/html": f"{html}{HIDE_LOST}", "text/plain": sentence}, raw=True)
