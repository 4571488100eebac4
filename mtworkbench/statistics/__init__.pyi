"""What is public here, and where it is."""

from mtworkbench.statistics.files import load_statistics as load_statistics
from mtworkbench.statistics.files import save_statistics as save_statistics
from mtworkbench.statistics.merging import merge_statistics as merge_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics as SegmentStatistics
from mtworkbench.statistics.segment_statistics import SystemStatistics as SystemStatistics
from mtworkbench.statistics.segment_statistics import compute_statistics as compute_statistics
