"""Where the files are that come with the package: notebooks, exercises, solutions, pages and data."""

import os
from collections.abc import Sequence
from pathlib import Path

from mtworkbench.errors import DataWarning, InputError
from mtworkbench.writing import make_folder, replace_file

#: The environment variable with the folder of ``mtworkbench lab``, for the notebooks that run in it.
LAB_VARIABLE = "MTWORKBENCH_LAB"
_PACKAGE = Path(__file__).resolve().parent
#: The folders that ship, as in the repository, each with the patterns of its files.
SHIPPED = {
    "notebooks": ("*.ipynb",),
    "exercises": ("*.ipynb",),
    "solutions": ("*.py",),
    "docs": ("**/*.md", "*.png"),
    "data": ("**/*",),
}


def find_shipped(name: str) -> Path:
    """Find a file or folder that ships with the package.

    In a notebook that was opened by ``mtworkbench lab FOLDER``, it is the copy in that folder, so that whoever changes
    it there sees the effect; elsewhere, and where the folder has no such copy, it is the one of the package.

    Parameters
    ----------
    name : str
        Path as in the repository, with slashes: ``"data"``, ``"notebooks/00_start_here.ipynb"``.

    Returns
    -------
    Path
        Absolute path of what was found.

    Raises
    ------
    InputError
        Where no such file ships (code ``"not-shipped"``).
    """
    lab = os.environ.get(LAB_VARIABLE)
    if lab and name.split("/")[0] in SHIPPED and (Path(lab) / name).exists():
        return Path(lab).resolve() / name
    return find_packaged(name)


def find_packaged(name: str) -> Path:
    """Find a file or folder of the package itself, as `find_shipped` does where no lab is open.

    In an ordinary install they lie inside the package; in a checkout of the repository, and in an editable install,
    which is a checkout, they lie at its top.
    """
    for folder in (_PACKAGE / "shipped_files", _PACKAGE.parent):
        if name.split("/")[0] in SHIPPED and (folder / name).exists():
            return folder / name
    raise InputError(
        "not-shipped",
        f"No {name!r} ships with mtworkbench (looked in {_PACKAGE / 'shipped_files'} and {_PACKAGE.parent}): "
        f"the files that ship are in the folders {', '.join(SHIPPED)}.",
        found=name,
    )


def copy_files(name: str, folder: str | os.PathLike[str], patterns: Sequence[str] = ("*",)) -> list[Path]:
    """Copy the files of a folder that ships; a file that is there already is never overwritten.

    Parameters
    ----------
    name : str
        Of the folder, as in the repository: ``"data/sample"``.
    folder : path
        Made where it is missing.
    patterns : sequence of str
        Of the files.

    Returns
    -------
    list of Path
        The files that were there already and differ from those that ship.

    Raises
    ------
    InputError
        Where the folder cannot be written to (code ``"cannot-write"``).
    """
    source, kept = find_packaged(name), []
    for file in sorted(path for pattern in patterns for path in source.glob(pattern) if path.is_file()):
        copy = Path(folder) / file.relative_to(source)
        if not copy.exists():
            make_folder(copy.parent)
            replace_file(copy, file.read_bytes())
        elif copy.read_bytes() != file.read_bytes():
            kept.append(copy)
    return kept


def warn_of_kept(kept: Sequence[Path], folder: str | os.PathLike[str]) -> None:
    """Warn where files of a folder differ from those that ship and were kept (code ``"kept"``)."""
    if kept:
        names = ", ".join(str(path.relative_to(folder)) for path in kept)
        DataWarning(
            "kept",
            f"In {os.fspath(folder)!r} these files differ from those that ship with mtworkbench, and were kept: "
            f"{names}. Move them away to get the shipped ones.",
            path=os.fspath(folder),
            count=len(kept),
        ).warn(stacklevel=3)
