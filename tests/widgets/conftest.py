"""What the mouse finds in a picture with named marks."""

import re
from html import unescape

import numpy as np
import pytest
from matplotlib.path import Path


class NamedPicture:
    """The areas of an explorer's picture; of several at one place a browser takes the first."""

    def __init__(self, explorer):
        html = explorer._screen.html
        self.height = int(re.search(r'<img [^>]*height="(\d+)"', html)[1])
        self.axes = explorer.figure.axes[0]
        self.areas = []
        for area in html.split("<area ")[1:]:
            shape, coords, title, alt = (
                re.search(f'{name}="([^"]*)"', area)[1] for name in ("shape", "coords", "title", "alt")
            )
            assert shape == "poly"
            assert title == alt
            corners = np.array(coords.split(","), dtype=float).reshape(-1, 2)
            self.areas.append((Path([*corners, corners[0]], closed=True), unescape(title)))

    def pixel(self, x, y):
        """Return the pixel of the screen at which a mark is drawn."""
        left, bottom = self.axes.transData.transform((x, y))
        return round(left), round(self.height - bottom)

    def answer(self, pixel):
        """Return the names that are shown at a pixel."""
        found = (text for path, text in self.areas if path.contains_point(pixel))
        return next(found, "").split("\n")


@pytest.fixture
def name_marks():
    return NamedPicture
