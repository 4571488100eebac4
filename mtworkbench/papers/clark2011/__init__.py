"""Clark, Dyer, Lavie and Smith (2011), "Better Hypothesis Testing for Statistical Machine Translation": as frames.

Every function returns a tidy frame with one row for each mark of the figure, for the made-up replications and for the
reader's own runs alike; the functions `describe_...` say in sentences what such a frame shows. The paper's system A is
the baseline, B the experimental system; a difference is experimental - baseline.
"""

from mtworkbench.lazy import attach_stub

__getattr__, __dir__ = attach_stub(__name__, __file__)
