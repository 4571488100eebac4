"""Koehn (2004), "Statistical Significance Tests for Machine Translation Evaluation": its figures and tables as frames.

Every function returns a tidy frame with one row for each mark of the figure, for the made-up corpus and for the
reader's own systems alike.
"""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
