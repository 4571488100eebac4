"""What the studies of both papers share: ours beside the paper's, claims, directions, wording."""
