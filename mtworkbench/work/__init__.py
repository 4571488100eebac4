"""Long work in parts: kept in a folder, so that it goes on where it stopped, and shared out among processes."""

from mtworkbench.work.study import Study, choose_seed

__all__ = ["Study", "choose_seed"]
