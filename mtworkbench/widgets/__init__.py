"""Controls that call what is public elsewhere: they hold no logic, and leave a figure where there is no kernel.

The names are imported when they are first used, so that what a page of segments shows can be computed without ipywidgets.
"""

from mtworkbench.lazy import attach_stub

_find, __dir__ = attach_stub(__name__, __file__)


def __getattr__(name: str) -> object:
    """Find a name, and the explorers of the papers, which had been here."""
    from mtworkbench.moved import MOVED, find_moved

    return find_moved(__name__, name) if name in MOVED[__name__] else _find(name)
