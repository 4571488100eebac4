"""Public names that a folder imports from their modules when they are first used, as SPEC 1 has it.

The names are listed in the folder's ``__init__.pyi``, which type checkers read, too. Names that have moved still work,
and a warning says where each is now.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Callable
from functools import cache
from importlib import import_module
from pathlib import Path

_OF_ROOMS = {
    "analyses": (
        *("bucket_segments", "compare_agreement", "compare_units", "describe_units", "find_decisive_units"),
        *("grow_test_set", "leave_out_units", "measure_agreement", "segment_contributions", "simulate_peeking"),
        *("summarize_units", "tabulate_judgements"),
    ),
    "exports": ("write_figure",),
    "inference": (
        *("cluster_systems", "crossed_analysis", "permute_runs", "project_errors", "rank_changes", "t_test_runs"),
    ),
    "metrics": ("Gtm", "Length", "Meteor", "Nist", "Ter", "make_metric", "oracle_best"),
    "outputs": ("check_outputs", "common_segments", "first_best", "read_mqm", "write_sgml"),
    "plots": ("draw_campaign", "plot_differences", "plot_pairwise", "plot_power", "plot_scores"),
    "resampling": ("block_samples", "bootstrap_weights", "broad_samples", "exchange_masks", "random_samples"),
    "statistics": ("SegmentStatistics", "SystemStatistics", "merge_statistics"),
    "tables": ("advise_spending", "format_campaign", "format_multeval", "format_plan", "format_variance"),
}
_OF_PAPERS = {
    "papers.clark2011.explorers": ("explore_luck", "explore_replications", "explore_scores"),
    "papers.draws.explorers": ("explore_draws",),
    "papers.koehn2004.explorers": (
        *("explore_calibration", "explore_confidence", "explore_intervals", "explore_samples"),
    ),
}
#: By the folder that had it, the new home of each name.
MOVED = {
    package: {name: f"mtworkbench.{home}" for home, names in homes.items() for name in names}
    for package, homes in (("mtworkbench", _OF_ROOMS), ("mtworkbench.widgets", _OF_PAPERS))
}
#: Folders that are gone, and where what they held is now.
GONE = {
    "studies": "mtworkbench.analyses (what you run on your own data) and mtworkbench.papers (Koehn's and Clark's "
    "experiments)",
    "simulation": "mtworkbench.papers.simulation",
}


@cache
def read_stub(file: str) -> dict[str, str]:
    """Return the module of each name that a stub imports: ``from a.b import c as c`` gives c the home a.b.

    Parameters
    ----------
    file : str
        The ``__init__.py`` next to the stub.
    """
    listed = ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body
    imports = [node for node in listed if isinstance(node, ast.ImportFrom)]
    return {alias.name: str(node.module) for node in imports for alias in node.names}


def find_public(package: str, file: str, name: str) -> object:
    """Import a public name, or a folder or module of the package that its stub names.

    Raises
    ------
    AttributeError
        Where the stub does not have the name.
    """
    homes = read_stub(file)
    if name == "__all__":  # without the folders and modules inside it
        return [one for one, home in homes.items() if home != package and not one.startswith("__")]
    home = homes.get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    return import_module(f"{package}.{name}") if home == package else getattr(import_module(home), name)


def attach_stub(package: str, file: str) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a folder, by its ``__init__.pyi``."""

    def find(name: str) -> object:
        return find_public(package, file, name)

    def list_names() -> list[str]:
        return sorted({"__all__", *vars(import_module(package)), *read_stub(file)})

    return find, list_names


def find_moved(package: str, name: str) -> object:
    """Return what a name meant in a folder, with a warning that says where it is now.

    Raises
    ------
    AttributeError
        Where the folder never had the name.
    ImportError
        For a folder that is gone: so ``from mtworkbench import studies`` says, too, where it is.

    Warns
    -----
    DeprecationWarning
        For the code that asks the folder.
    """
    if package == "mtworkbench" and name in GONE:
        raise ImportError(f"mtworkbench.{name} is gone: it is now {GONE[name]}", name=f"mtworkbench.{name}")
    home = MOVED[package].get(name)
    if home is None:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    warnings.warn(f"{package}.{name} is now {home}.{name}", DeprecationWarning, stacklevel=3)
    return getattr(import_module(home), name)
