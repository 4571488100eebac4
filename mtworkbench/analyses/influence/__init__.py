"""What a verdict depends on: single units left out, the few that decide, a growing test set, and looking too early."""

from mtworkbench.analyses.influence.decisive import find_decisive_units, leave_out_units
from mtworkbench.analyses.influence.growing import grow_test_set, simulate_peeking

__all__ = ["find_decisive_units", "grow_test_set", "leave_out_units", "simulate_peeking"]
