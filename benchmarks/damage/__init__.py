"""Real files made wrong: which of them the readers notice, at which share of the lines, and what the others cost."""
