"""Long work in parts: kept in a folder, so that it goes on where it stopped, and shared out among processes."""

from mtworkbench.work.study import Study

__all__ = ["Study"]
