"""A frame or a comparison as text, Markdown, LaTeX, CSV or JSON; whatever comes from data is escaped here.

Text, Markdown and LaTeX are for reading, and round; CSV and JSON are for programs, and do not.
"""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
