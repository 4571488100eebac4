"""Which segments make the difference of two systems, and what they have in common."""

from mtworkbench.analyses.segments.buckets import bucket_segments
from mtworkbench.analyses.segments.contributions import segment_contributions
from mtworkbench.analyses.segments.pages import list_segments

__all__ = ["bucket_segments", "list_segments", "segment_contributions"]
