"""A frame or a comparison as text, Markdown, LaTeX, CSV or JSON; whatever comes from data is escaped here.

Text, Markdown and LaTeX are for reading, and round; CSV and JSON are for programs, and do not.
"""

from mtworkbench.tables.answers import check_answer
from mtworkbench.tables.calibrations import format_calibration
from mtworkbench.tables.campaigns import campaign_to_dict, format_campaign
from mtworkbench.tables.comparisons import FORMATS, comparison_to_dict, format_comparison
from mtworkbench.tables.conventions import format_conventions
from mtworkbench.tables.frames import frame_to_csv, frame_to_markdown, frame_to_text, printable
from mtworkbench.tables.headlines import write_headline
from mtworkbench.tables.latex import frame_to_latex
from mtworkbench.tables.multeval import format_multeval
from mtworkbench.tables.paragraphs import describe_comparison
from mtworkbench.tables.plans import describe_plans, format_plan
from mtworkbench.tables.scores import SCORE_FORMATS, format_scores, tabulate_scores, tabulate_statistics
from mtworkbench.tables.sentences_on_influence import describe_peeking
from mtworkbench.tables.sentences_on_runs import advise_spending
from mtworkbench.tables.sentences_on_segments import describe_buckets, describe_contributions
from mtworkbench.tables.shown_frames import ShownTable, show_table
from mtworkbench.tables.variance import format_variance, variance_to_dict

__all__ = [
    "FORMATS",
    "SCORE_FORMATS",
    "ShownTable",
    "advise_spending",
    "campaign_to_dict",
    "check_answer",
    "comparison_to_dict",
    "describe_buckets",
    "describe_comparison",
    "describe_contributions",
    "describe_peeking",
    "describe_plans",
    "format_calibration",
    "format_campaign",
    "format_comparison",
    "format_conventions",
    "format_multeval",
    "format_plan",
    "format_scores",
    "format_variance",
    "frame_to_csv",
    "frame_to_latex",
    "frame_to_markdown",
    "frame_to_text",
    "printable",
    "show_table",
    "tabulate_scores",
    "tabulate_statistics",
    "variance_to_dict",
    "write_headline",
]
