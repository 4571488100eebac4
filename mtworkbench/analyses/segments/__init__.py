"""Which segments make the difference of two systems, and what they have in common."""

from mtworkbench.analyses.segments.buckets import bucket_segments
from mtworkbench.analyses.segments.contributions import segment_contributions

__all__ = ["bucket_segments", "segment_contributions"]
