"""One system's interval, two systems' tests, many systems at once."""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
