"""mtworkbench: system B scores higher than system A on this test set; may I believe it?

Everything public is here, and is imported from its module when it is first used.
"""  # noqa: D400

from importlib import import_module

__version__ = "0.1.0"

_NAMES_OF = {
    "errors": (
        "DataWarning",
        "InputError",
    ),
    "shipped": ("find_shipped",),
    "outputs.text": (
        "make_outputs",
        "read_outputs",
    ),
    "outputs.table": ("read_table",),
    "outputs.sgml": ("read_sgml",),
    "outputs.sgml_writing": ("write_sgml",),
    "outputs.wmt_xml": ("read_wmt_xml",),
    "outputs.mt_metrics_eval": ("read_mt_metrics_eval",),
    "outputs.checks": ("check_outputs",),
    "outputs.common": ("common_segments",),
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
