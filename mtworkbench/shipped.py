"""Where the files are that come with the package: the notebooks and the data."""

from pathlib import Path

from mtworkbench.errors import InputError

_PACKAGE = Path(__file__).resolve().parent


def find_shipped(name: str) -> Path:
    """Find a file or folder that ships with the package.

    In an ordinary install they lie inside the package; in a checkout of the repository, and in an editable install,
    which is a checkout, they lie at its top.

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
    for folder in (_PACKAGE / "shipped_files", _PACKAGE.parent):
        if name.split("/")[0] in ("data", "notebooks") and (folder / name).exists():
            return folder / name
    raise InputError(
        "not-shipped",
        f"No {name!r} ships with mtworkbench (looked in {_PACKAGE / 'shipped_files'} and {_PACKAGE.parent}): "
        "the files that do lie in data/ and notebooks/.",
        found=name,
    )
