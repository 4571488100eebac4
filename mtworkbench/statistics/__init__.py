"""The statistics of the segments of a test set: what every test and every figure starts from."""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
