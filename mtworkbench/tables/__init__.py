"""A frame or a comparison as text, Markdown, LaTeX, CSV or JSON; whatever comes from data is escaped here.

Text, Markdown and LaTeX are for reading, and round; CSV and JSON are for programs, and do not.
"""

from mtworkbench.characters import printable
from mtworkbench.tables.data import frame_to_csv
from mtworkbench.tables.formats import (
    FORMATS,
    format_calibration,
    format_campaign,
    format_comparison,
    format_conventions,
    format_inspection,
    format_multeval,
    format_plan,
    format_scores,
    format_segments,
    format_study,
    format_variance,
)
from mtworkbench.tables.latex import frame_to_latex
from mtworkbench.tables.markdown import frame_to_markdown
from mtworkbench.tables.shown_frames import ShownTable, show_table
from mtworkbench.tables.text import frame_to_text
from mtworkbench.words.citations import cite, write_bibtex
from mtworkbench.words.headlines import describe_briefly
from mtworkbench.words.paragraphs import describe_comparison
from mtworkbench.words.plans import describe_plans
from mtworkbench.words.scores import tabulate_scores, tabulate_statistics
from mtworkbench.words.sentences_on_influence import describe_peeking
from mtworkbench.words.sentences_on_runs import advise_spending
from mtworkbench.words.sentences_on_segments import describe_buckets, describe_contributions

__all__ = [
    "FORMATS",
    "advise_spending",
    "cite",
    "describe_buckets",
    "describe_comparison",
    "describe_contributions",
    "ShownTable",
    "describe_peeking",
    "describe_plans",
    "format_calibration",
    "format_campaign",
    "format_comparison",
    "format_conventions",
    "format_inspection",
    "format_multeval",
    "format_plan",
    "format_scores",
    "format_segments",
    "format_study",
    "format_variance",
    "frame_to_csv",
    "frame_to_latex",
    "frame_to_markdown",
    "frame_to_text",
    "printable",
    "show_table",
    "tabulate_scores",
    "tabulate_statistics",
    "write_bibtex",
    "describe_briefly",
]
