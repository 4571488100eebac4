"""Shared by the studies of both papers: comparison with the paper, claims, directions, wording."""
