"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

Everything public is listed in ``__init__.pyi``, and is imported from its module when it is first used. Until then this
module imports nothing, so that Ctrl-C ends the program in the terminal quietly from its start.
"""  # noqa: D400

_homes: dict[str, str] = {}


def _find_homes() -> dict[str, str]:
    """Return the module of each public name, which are read when the first of them is used.

    Type checkers read the list instead of this file. The public names are in it, except those of the readers, which are
    in FORMATS.
    """
    if not _homes:
        import re
        from pathlib import Path

        from mtworkbench.outputs import FORMATS

        listed = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
        found = re.findall(r"^from (\S+) import (\w+) as \2$", listed, re.MULTILINE)
        _homes.update({name: module for module, name in found})
        _homes.update({one.reader: f"{__name__}.outputs.{one.module}" for one in FORMATS})
    return _homes


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first used."""
    if name == "__all__":
        value: object = [*_find_homes()]
    elif name == "__version__":
        from mtworkbench.version import __version__ as value
    elif not name.startswith("__") and name in _find_homes():
        from importlib import import_module

        value = getattr(import_module(_find_homes()[name]), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), "__all__", "__version__", *_find_homes()})
