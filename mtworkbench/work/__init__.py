"""Long work in parts: kept in a folder, so that it goes on where it stopped; shared out among threads or processes."""

from mtworkbench.work.study import Study, choose_seed

__all__ = ["Study", "choose_seed"]
