"""Which segments make the difference of two systems, and what they have in common."""

from mtworkbench.studies.segments.buckets import bucket_segments
from mtworkbench.studies.segments.contributions import segment_contributions

__all__ = ["bucket_segments", "segment_contributions"]
