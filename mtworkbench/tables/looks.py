"""How each result looks: the functions that `mtworkbench.shown` asks, by class and aspect.

Everything that is shown has HTML of its document, which the room of words builds.
"""

WORDS = "mtworkbench.words."
TABLES = "mtworkbench.tables."
LOOKS: dict[str, dict[str, str]] = {
    "Shown": {"html": f"{TABLES}html:show_result"},
    "Estimate": {"text": f"{WORDS}records:record_to_text", "document": f"{WORDS}records:build_record"},
    "SegmentStatistics": {"document": f"{WORDS}statistics:build_statistics"},
    "MetricComparison": {"document": f"{WORDS}screens:show_metric"},
    "Comparison": {
        "document": f"{WORDS}comparisons:build_comparison",
        "headline": f"{WORDS}headlines:write_headline",
    },
    "CampaignComparison": {
        "document": f"{WORDS}comparisons:build_comparison",
        "headline": f"{WORDS}headlines:write_headline",
    },
    "Clusters": {"document": f"{WORDS}statistics:build_clusters"},
    "Calibration": {
        "document": f"{WORDS}calibrations:build_calibration",
        "headline": f"{WORDS}calibrations:write_calibration_headline",
    },
    "Conventions": {
        "document": f"{WORDS}conventions:build_convention",
        "headline": f"{WORDS}conventions:write_headline",
    },
    "Plan": {"document": f"{WORDS}plans:build_plan", "headline": f"{WORDS}plans:write_plan_headline"},
    "MetricVariance": {
        "document": f"{WORDS}variance:build_metric_variance",
        "readings": f"{WORDS}sentences_on_runs:interpret_systems",
        "advice": f"{WORDS}sentences_on_runs:advise_on",
    },
    "OptimizerVariance": {"document": f"{WORDS}variance:build_variance"},
}
