"""How each result looks: the functions that `mtworkbench.shown` asks, by class and aspect."""

LOOKS: dict[str, dict[str, str]] = {
    "Estimate": {
        "text": "mtworkbench.tables.records:record_to_text",
        "html": "mtworkbench.tables.records:record_to_html",
    },
    "SegmentStatistics": {"html": "mtworkbench.tables.html_results:statistics_to_html"},
    "MetricComparison": {"html": "mtworkbench.tables.html_comparisons:metric_to_html"},
    "Comparison": {
        "html": "mtworkbench.tables.html_comparisons:comparison_to_html",
        "headline": "mtworkbench.tables.headlines:write_headline",
    },
    "CampaignComparison": {
        "html": "mtworkbench.tables.html_campaigns:campaign_to_html",
        "headline": "mtworkbench.tables.campaign_headlines:write_campaign_headline",
    },
    "Clusters": {"html": "mtworkbench.tables.html_results:clusters_to_html"},
    "Calibration": {
        "html": "mtworkbench.tables.calibrations:calibration_to_html",
        "headline": "mtworkbench.tables.calibrations:write_calibration_headline",
    },
    "Conventions": {
        "html": "mtworkbench.tables.conventions:conventions_to_html",
        "headline": "mtworkbench.tables.conventions:write_headline",
    },
    "Plan": {
        "html": "mtworkbench.tables.plans:plan_to_html",
        "headline": "mtworkbench.tables.plans:write_plan_headline",
    },
    "MetricVariance": {
        "html": "mtworkbench.tables.html_results:metric_variance_to_html",
        "readings": "mtworkbench.tables.sentences_on_runs:interpret_systems",
        "advice": "mtworkbench.tables.sentences_on_runs:advise_on",
    },
    "OptimizerVariance": {"html": "mtworkbench.tables.html_results:variance_to_html"},
}
