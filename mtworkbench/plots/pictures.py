"""Figures as pictures (PNG) in a page."""

from __future__ import annotations

import base64
import io

from matplotlib.figure import Figure
from PIL import Image

from mtworkbench.plots.words import picture_to_html

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
