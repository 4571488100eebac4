"""What users run on their own data: tidy frames with one row per mark, and sentences."""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
