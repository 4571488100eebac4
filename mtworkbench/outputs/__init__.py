"""Readers: one module per file format, all returning the same kind of frame after the same checks."""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
