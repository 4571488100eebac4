"""What is public, and where it is: type checkers read this file, and `__init__.py` imports from its list."""

from mtworkbench.errors import DataWarning as DataWarning
from mtworkbench.errors import InputError as InputError
from mtworkbench.exports import save_figure as save_figure
from mtworkbench.exports import save_table as save_table
from mtworkbench.exports import write_figure as write_figure
from mtworkbench.inference import approximate_randomization as approximate_randomization
from mtworkbench.inference import bootstrap_interval as bootstrap_interval
from mtworkbench.inference import compare as compare
from mtworkbench.inference import crossed_analysis as crossed_analysis
from mtworkbench.inference import optimizer_variance as optimizer_variance
from mtworkbench.inference import paired_bootstrap as paired_bootstrap
from mtworkbench.inference import permute_runs as permute_runs
from mtworkbench.inference import project_errors as project_errors
from mtworkbench.inference import rank_changes as rank_changes
from mtworkbench.inference import t_test_runs as t_test_runs
from mtworkbench.metrics import Bleu as Bleu
from mtworkbench.metrics import ChrF as ChrF
from mtworkbench.metrics import Gtm as Gtm
from mtworkbench.metrics import Length as Length
from mtworkbench.metrics import MeanScore as MeanScore
from mtworkbench.metrics import Meteor as Meteor
from mtworkbench.metrics import Nist as Nist
from mtworkbench.metrics import Ter as Ter
from mtworkbench.metrics import make_metric as make_metric
from mtworkbench.outputs import *  # noqa: F403
from mtworkbench.outputs.checks.frames import check_outputs as check_outputs
from mtworkbench.outputs.checks.frames import common_segments as common_segments
from mtworkbench.outputs.sgml import write_sgml as write_sgml
from mtworkbench.outputs.text import make_outputs as make_outputs
from mtworkbench.plots import draw_comparison as draw_comparison
from mtworkbench.plots import plot_differences as plot_differences
from mtworkbench.plots import plot_pairwise as plot_pairwise
from mtworkbench.plots import plot_scores as plot_scores
from mtworkbench.plots import style as style
from mtworkbench.progress import show_progress as show_progress
from mtworkbench.resampling import block_samples as block_samples
from mtworkbench.resampling import bootstrap_weights as bootstrap_weights
from mtworkbench.resampling import broad_samples as broad_samples
from mtworkbench.resampling import exchange_masks as exchange_masks
from mtworkbench.resampling import random_samples as random_samples
from mtworkbench.shipped import find_shipped as find_shipped
from mtworkbench.statistics.files import load_statistics as load_statistics
from mtworkbench.statistics.files import save_statistics as save_statistics
from mtworkbench.statistics.merging import merge_statistics as merge_statistics
from mtworkbench.statistics.segment_statistics import SegmentStatistics as SegmentStatistics
from mtworkbench.statistics.segment_statistics import SystemStatistics as SystemStatistics
from mtworkbench.statistics.segment_statistics import compute_statistics as compute_statistics
from mtworkbench.studies.judgements import tabulate_judgements as tabulate_judgements
from mtworkbench.tables import advise_spending as advise_spending
from mtworkbench.tables import format_comparison as format_comparison
from mtworkbench.tables import format_multeval as format_multeval
from mtworkbench.tables import format_variance as format_variance
from mtworkbench.tables import show_table as show_table
from mtworkbench.widgets import explore_comparison as explore_comparison

__version__: str
