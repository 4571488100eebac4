"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

What most people need is listed in ``__init__.pyi``, and is imported from its module when it is first used; the rest is
in the subpackages that are listed there, too. Until then this module imports nothing, so that Ctrl-C ends the program
in the terminal quietly from its start.
"""  # noqa: D400

import sys

if "ipykernel" in sys.modules:  # not for a terminal, which imports nothing yet
    from mtworkbench.shown import show_warnings_quietly

    show_warnings_quietly()
    del show_warnings_quietly
del sys


def __getattr__(name: str) -> object:
    """Import a public name or a subpackage when it is first used; a name that has moved comes with a warning."""
    if name.startswith("__") and name not in ("__all__", "__version__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from mtworkbench.lazy import find_moved, find_public, read_stub

    if name != "__all__" and name not in read_stub(__file__):
        return find_moved(__name__, name)
    globals()[name] = value = find_public(__name__, __file__, name)
    return value


def __dir__() -> list[str]:
    from mtworkbench.lazy import read_stub

    return sorted({*(name for name in globals() if name.startswith("__")), "__all__", *read_stub(__file__)})
