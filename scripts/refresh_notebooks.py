"""Run every notebook that ships and store its results: python scripts/refresh_notebooks.py [FOLDER], or make notebooks.

They are stored in notebooks/ where no folder is given.
"""

import base64
import io
import os
import sys
from pathlib import Path

import nbformat
from PIL import Image

from mtworkbench.notebooks import need_lab, run_copies
from mtworkbench.writing import replace_file

# Enough for the lines, marks and letters of a figure; a picture then takes a third of its size.
N_COLORS = 64


def refresh_notebooks(folder: str | os.PathLike[str]) -> None:
    """Run every notebook that ships and store its results in the notebook of that name in a folder.

    What differs from run to run is left out (see `normalize_notebook`).

    Parameters
    ----------
    folder : path
    """

    def store(notebook: Path, executed: nbformat.NotebookNode) -> None:
        normalize_notebook(executed)
        replace_file(Path(folder) / notebook.name, nbformat.writes(executed) + "\n")

    need_lab()
    run_copies(store)


def normalize_notebook(notebook: nbformat.NotebookNode) -> None:
    """Take out of an executed notebook what differs from run to run and tells its reader nothing.

    That is: the state of widgets and their views, which are empty without a kernel; pictures with texts for the mouse,
    which are shown only where a notebook is trusted, where the picture alone is there too; times of execution; the
    exact version of Python; the name that a kernel has on one machine. Pictures get few colours, to be small.

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
            view = "application/vnd.jupyter.widget-view+json"
            cell.outputs = [output for output in cell.outputs if view not in output.get("data", {})]
            for data in (output.get("data", {}) for output in cell.outputs):
                if "image/png" in data:
                    data.pop("text/html", None)
                    data["image/png"] = shrink_picture(data["image/png"])


def shrink_picture(picture: str) -> str:
    """Return a PNG of few colours (base64, as a notebook stores it); one that has them already stays as it is."""
    image = Image.open(io.BytesIO(base64.b64decode(picture)))
    if image.mode == "P":
        return picture
    few, content = image.convert("RGB").quantize(N_COLORS, dither=Image.Dither.NONE), io.BytesIO()
    few.save(content, format="png", optimize=True)
    return base64.b64encode(content.getvalue()).decode("ascii")


if __name__ == "__main__":
    refresh_notebooks(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).parent.parent / "notebooks")
