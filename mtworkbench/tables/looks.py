"""How each result looks: the functions that `mtworkbench.shown` asks, by class and aspect.

Everything that is shown has HTML of its document, which the room of words builds.
"""

WORDS = "mtworkbench.words."
TABLES = "mtworkbench.tables."
OF_COMPARISONS = {
    "document": f"{WORDS}comparisons:build_comparison",
    "headline": f"{WORDS}headlines:describe_briefly",
    "assumptions": f"{WORDS}assumptions:find_assumptions",
    "concerns": f"{WORDS}concerns:find_concerns",
}
LOOKS: dict[str, dict[str, str]] = {
    "DataWarning": {"html": f"{TABLES}html:warning_to_html"},
    "Sentences": {"html": f"{TABLES}html:sentences_to_html"},
    "Shown": {"html": f"{TABLES}html:show_result"},
    "Estimate": {"text": f"{WORDS}shown_frames:record_to_text", "document": f"{WORDS}shown_frames:build_record"},
    "SegmentStatistics": {"document": f"{WORDS}statistics:build_statistics"},
    **dict.fromkeys(("MetricComparison", "Comparison", "CampaignComparison"), OF_COMPARISONS),
    "Clusters": {"document": f"{WORDS}statistics:build_clusters"},
    "Calibration": {
        "document": f"{WORDS}calibrations:build_calibration",
        "headline": f"{WORDS}calibrations:describe_calibration_briefly",
    },
    "Conventions": {
        "document": f"{WORDS}conventions:build_convention",
        "headline": f"{WORDS}conventions:describe_briefly",
    },
    "Inspection": {"document": f"{WORDS}inspections:build_inspection"},
    "ListedSegments": {"document": f"{WORDS}segments:build_document"},
    "Plan": {"document": f"{WORDS}plans:build_plan", "headline": f"{WORDS}plans:describe_plan_briefly"},
    "MetricVariance": {
        "document": f"{WORDS}variance:build_metric_variance",
        "readings": f"{WORDS}sentences_on_runs:describe_systems",
        "advice": f"{WORDS}sentences_on_runs:advise_on",
    },
    "OptimizerVariance": {"document": f"{WORDS}variance:build_variance"},
}
