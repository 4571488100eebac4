"""The scripts and styles that pages of widgets are sent.

They are text and not paths: of a path, anywidget would keep every widget alive for as long as Python runs.
"""

from pathlib import Path

_FOLDER = Path(__file__).parent


def read_files(*names: str) -> str:
    """Return the text of files in the folder of the widgets, one after another."""
    return "".join((_FOLDER / name).read_text(encoding="utf-8") for name in names)


def read_script(name: str) -> str:
    """Return a script, after what all of them share."""
    return read_files("page.js", name)


LOOKS = read_files("looks.css")
