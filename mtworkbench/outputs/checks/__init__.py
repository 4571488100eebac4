"""Checks for all formats: texts, alignment, and the resulting frame."""
