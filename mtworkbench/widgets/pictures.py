"""Figures as pictures (PNG) in a page, and the copy that a cell keeps for readers without a kernel."""

from __future__ import annotations

import base64
import io
from hashlib import sha256

import ipywidgets
from IPython.display import display
from matplotlib.figure import Figure
from PIL import Image

from mtworkbench.plots.words import picture_to_html
from mtworkbench.widgets.screen import Screen

# Where the kernel of a widget is gone, JupyterLab writes "Error displaying widget: model not found" in its place.
HIDE_LOST = (
    "<style>.jp-OutputArea-child:has(+ .jp-OutputArea-child :is([class^=mtworkbench-copy-], .mtw-segments-static)) "
    "> .jupyter-widgets:not(:has(*)) { display: none }</style>"
)
# Pictures have more pixels than they take on the screen, for sharp screens.
FINENESS = 2


def write_picture(figure: Figure, compress_level: int = 6) -> bytes:
    """Draw a figure as PNG; less compression saves time."""
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=FINENESS * figure.dpi, pil_kwargs={"compress_level": compress_level})
    return content.getvalue()


def write_source(picture: bytes) -> str:
    """Return a picture as an address."""
    return f"data:image/png;base64,{base64.b64encode(picture).decode('ascii')}"


def make_image(picture: bytes, figure: Figure, sentence: str, **attributes: str) -> str:
    """Return a picture of a figure as an element of HTML that says in words what it shows."""
    width, height = measure(figure)
    attributes = {"width": str(width), "height": str(height)} | attributes
    return picture_to_html(write_source(picture), sentence, width, attributes)


def measure(figure: Figure) -> tuple[int, int]:
    """Return width and height of a figure in pixels of the screen."""
    width, height = (round(figure.dpi * inches) for inches in figure.get_size_inches())
    return width, height


def shrink(picture: bytes) -> bytes:
    """Give a picture a palette of 64 colours: figures look the same, and are a quarter as large in a file."""
    content = io.BytesIO()
    # This method, unlike the default, keeps the colours of few pixels, such as those of a system.
    palette = Image.open(io.BytesIO(picture)).convert("RGB").quantize(64, method=Image.Quantize.MAXCOVERAGE)
    palette.save(content, "png", optimize=True)
    return content.getvalue()


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
