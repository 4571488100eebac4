"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

Everything public is listed in ``__init__.pyi``, and is imported from its module when it is first used.
"""  # noqa: D400

import re
from importlib import import_module
from pathlib import Path

from mtworkbench.outputs import FORMATS as _FORMATS

__version__ = "0.1.0"

# Type checkers read the list instead of this file. The public names are in it, except those of the readers, which are
# in FORMATS.
_LIST = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_HOME_OF = {name: module for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", _LIST, re.MULTILINE)}
_HOME_OF |= {one.reader: f"{__name__}.outputs.{one.module}" for one in _FORMATS}

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOME_OF[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_HOME_OF})
