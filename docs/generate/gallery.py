"""The notebooks as cards: the first figure of each, its number and title, and what it is about."""

from __future__ import annotations

import base64
import io
import json
import re
from collections.abc import Iterator
from pathlib import Path

from PIL import Image

from . import ROOT

PICTURE = re.compile(r"data:image/png;base64,([A-Za-z0-9+/=]+)")
WIDTH = 480


def write(folder: str) -> str:
    """Return one card per notebook of a folder, as items of a list, whose look is in ``site.css``."""
    cards = [_card(path) for path in sorted((ROOT / folder).glob("*.ipynb"))]
    return "\n".join([":::{container} gallery", *cards, ":::"])


def _card(path: Path) -> str:
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    number = f"{path.stem.partition('_')[0]} " if "_" in path.stem else ""  # the titles of exercises have theirs
    title, *text = "".join(cells[0]["source"]).split("\n\n")
    link = f"/{path.relative_to(ROOT).as_posix()}"
    picture = next(_figures(cells), None)
    # The title next to it says what the picture is: to a screen reader it would only be in the way.
    shown = [f"![]({picture})", ""] if picture else []
    first = re.split(r"(?<=[.?]) (?=[A-Z*])", " ".join(text[0].split()))[0] if text else ""
    return "\n".join(
        ["- " + f"[{number}{title.lstrip('# ')}]({link})", "", *(f"  {one}" for one in [*shown, _plain(first)]), ""]
    )


def _figures(cells: list[dict]) -> Iterator[str]:
    """Yield the figures that are stored in a notebook, made small."""
    for cell in cells:
        for output in cell.get("outputs", ()):
            for found in PICTURE.finditer("".join(output.get("data", {}).get("text/html", ""))):
                yield _shrink(found[1])


def _shrink(written: str) -> str:
    picture = Image.open(io.BytesIO(base64.b64decode(written))).convert("RGB")
    picture.thumbnail((WIDTH, WIDTH))
    small = io.BytesIO()
    picture.quantize(64).save(small, "PNG", optimize=True)
    return f"data:image/png;base64,{base64.b64encode(small.getvalue()).decode()}"


def _plain(text: str) -> str:
    """Return text without links, which a card has only one of."""
    return re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
