"""Run every notebook that ships and store its results: python scripts/refresh_notebooks.py [FOLDER], or make notebooks.

They are stored in notebooks/ where no folder is given.
"""

import io
import os
import re
import sys
from base64 import b64decode, b64encode
from pathlib import Path

import nbformat
from PIL import Image

from mtworkbench.notebooks import need_lab, run_copies
from mtworkbench.plots.words import shrink
from mtworkbench.writing import replace_file

# A picture in an element of HTML.
PICTURE = re.compile(r"(?<=data:image/png;base64,)[A-Za-z0-9+/=]+")


def refresh_notebooks(folder: str | os.PathLike[str]) -> None:
    """Run every notebook that ships and store its results in the notebook of that name in a folder.

    What differs from run to run is left out (see `normalize_notebook`).

    Parameters
    ----------
    folder : path
    """

    def store(notebook: Path, executed: nbformat.NotebookNode) -> None:
        normalize_notebook(executed)
        shrink_pictures(executed)
        replace_file(Path(folder) / notebook.name, nbformat.writes(executed) + "\n")

    need_lab()
    run_copies(store)


def normalize_notebook(notebook: nbformat.NotebookNode) -> None:
    """Take out of an executed notebook what differs from run to run and tells its reader nothing.

    That is: the state of widgets and their views, which are empty without a kernel; what is left of progress bars;
    times of execution; the exact version of Python; the name that a kernel has on one machine; how printed text is
    divided into outputs. A picture that is there twice is kept once, where it has an alternative text.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place.
    """
    notebook.metadata = {
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = join_printed([output for output in cell.outputs if not is_empty(output)])
            for data in (output.get("data", {}) for output in cell.outputs):
                if PICTURE.search("".join(data.get("text/html", ""))):
                    data.pop("image/png", None)


def is_empty(output: nbformat.NotebookNode) -> bool:
    """Tell whether an output shows nothing: the view of a widget, or where a progress bar was on a slow machine."""
    data = output.get("data", {"": "error or stream"})
    return "application/vnd.jupyter.widget-view+json" in data or not any(data.values())


def join_printed(outputs: list[nbformat.NotebookNode]) -> list[nbformat.NotebookNode]:
    """Join what was printed one after another; nbclient would also join texts with a figure between them."""
    joined: list[nbformat.NotebookNode] = []
    for output in outputs:
        last = joined[-1] if joined else {}
        if output.output_type == last.get("output_type") == "stream" and output.name == last["name"]:
            joined[-1] = nbformat.from_dict(output | {"text": last["text"] + output.text})
        else:
            joined.append(output)
    return joined


def shrink_pictures(notebook: nbformat.NotebookNode) -> None:
    """Give the pictures of a notebook a palette of 64 colours: figures look the same, and are a quarter as large.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place.
    """
    for cell in notebook.cells:
        for data in (output.get("data", {}) for output in cell.get("outputs", ())):
            if "image/png" in data:
                data["image/png"] = _shrink(data["image/png"])
            elif PICTURE.search("".join(data.get("text/html", ""))):
                data["text/html"] = PICTURE.sub(lambda one: _shrink(one.group()), "".join(data["text/html"]))


def _shrink(picture: str) -> str:
    image = Image.open(io.BytesIO(b64decode(picture)))
    if "A" in image.getbands() and image.getchannel("A").getextrema()[0] < 255:
        return picture  # a palette has no room for what shines through
    if image.mode == "P":
        return picture  # it has its palette
    return b64encode(shrink(b64decode(picture))).decode("ascii")


if __name__ == "__main__":
    refresh_notebooks(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "notebooks")
