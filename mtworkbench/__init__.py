"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

Everything public is here, and is imported from its module when it is first used.
"""  # noqa: D400

from importlib import import_module

from mtworkbench.outputs import FORMATS as _FORMATS

__version__ = "0.1.0"

_NAMES_OF = {
    "errors": (
        "DataWarning",
        "InputError",
    ),
    "shipped": ("find_shipped",),
    "outputs.text": ("make_outputs",),
    "outputs.sgml": ("write_sgml",),
    "outputs.checks.frames": (
        "check_outputs",
        "common_segments",
    ),
    "metrics": (
        "Bleu",
        "ChrF",
        "Gtm",
        "Length",
        "MeanScore",
        "Meteor",
        "Nist",
        "Ter",
        "make_metric",
    ),
    "statistics.segment_statistics": (
        "SegmentStatistics",
        "SystemStatistics",
        "compute_statistics",
    ),
    "statistics.merging": ("merge_statistics",),
    "statistics.files": (
        "load_statistics",
        "save_statistics",
    ),
    "resampling": (
        "block_samples",
        "bootstrap_weights",
        "broad_samples",
        "exchange_masks",
        "random_samples",
    ),
    "inference": (
        "advise_spending",
        "approximate_randomization",
        "bootstrap_interval",
        "compare",
        "crossed_analysis",
        "optimizer_variance",
        "paired_bootstrap",
        "permute_runs",
        "project_errors",
        "rank_changes",
        "t_test_runs",
    ),
    "tables": (
        "format_comparison",
        "format_multeval",
        "format_variance",
    ),
    "plots": (
        "draw_comparison",
        "plot_differences",
        "plot_pairwise",
        "plot_scores",
    ),
    "widgets": ("explore_comparison",),
    "exports": (
        "save_figure",
        "save_table",
    ),
}
_HOME_OF = {name: module for module, names in _NAMES_OF.items() for name in names}
_HOME_OF |= {one.reader: f"outputs.{one.module}" for one in _FORMATS}

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
