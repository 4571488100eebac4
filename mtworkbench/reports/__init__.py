"""A result as one file: a page that a reviewer can read, and what is needed to compute the result again."""

from mtworkbench.reports.report import InputFile, Report, make_report, write_report
from mtworkbench.reports.verify import Verification, verify_report

__all__ = ["InputFile", "Report", "Verification", "make_report", "verify_report", "write_report"]
