"""Which sentences a difference comes from."""
