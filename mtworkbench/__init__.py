"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

Everything public is here, and is imported from its module when it is first used.
"""  # noqa: D400

from importlib import import_module

__version__ = "0.1.0"

_HOME_OF = {
    "DataWarning": "errors",
    "InputError": "errors",
    "find_shipped": "shipped",
    "SegmentStatistics": "segment_statistics",
    "save_figure": "exports",
    "save_table": "exports",
}

__all__ = [*_HOME_OF]


def __getattr__(name: str) -> object:
    """Import a public name from its module when it is first used."""
    if name not in _HOME_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOME_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOME_OF])
